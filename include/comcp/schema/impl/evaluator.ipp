// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Applies a compiled schema to one instance. What unevaluatedItems and unevaluatedProperties need is tracked only
// below a subschema that has one of them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/json/writer.hpp>
#include <comcp/schema/formats.hpp>
#include <comcp/schema/impl/equality.ipp>
#include <comcp/schema/impl/evaluated.ipp>
#include <comcp/schema/impl/numbers.ipp>
#include <comcp/schema/impl/unicode.ipp>

namespace comcp::schema_detail {

class evaluator {
 public:
  /// Collects violations until there are `wanted`.
  evaluator(program const& p, std::size_t wanted) : p_(p), wanted_(wanted), steps_(p.max_steps) {}

  std::vector<violation> violations;
  char const* limit = nullptr;  // the name of the bound that ended the evaluation

  bool run(json::view instance) { return apply(0, {instance, nullptr, {}, 0}, nullptr, nullptr); }

 private:
  struct scope {
    resource_id resource;
    scope const* outer;
  };
  struct frame {
    node const& at;
    spot const& on;
    scope const* scopes;
    evaluated* seen;
  };

  bool step(std::uint64_t n = 1) {
    if (limit) return false;
    if (n > steps_) return limit = "max_steps", false;
    steps_ -= n;
    return true;
  }
  // For what counts its work by itself; running out shows as no steps being left.
  bool equal(json::view a, json::view b) { return comparison(steps_).equal(a, b) && enough(); }
  bool is_unique(json::view v) { return comparison(steps_).is_unique(v) && enough(); }
  bool enough() {
    if (steps_ == 0) limit = "max_steps";
    return !limit;
  }

  /// Whether the rest can change nothing any more.
  [[nodiscard]] bool stop(bool good) const { return limit || (!good && (quiet_ || violations.size() >= wanted_)); }

  bool apply(node_id id, spot const& on, scope const* outer, evaluated* seen) {
    if (!step()) return false;
    auto const& n = p_.nodes[id];
    if (n.always) return *n.always || (is_told() && report(n, {}, on, "is not allowed"));
    if (depth_ >= p_.max_depth) return limit = "max_depth", false;
    ++depth_;
    scope const entered{n.resource, outer};
    evaluated own;
    bool const track = seen || n.has_unevaluated;
    frame const f{n, on, outer && outer->resource == n.resource ? outer : &entered, track ? &own : nullptr};
    bool good = true;
    for (auto const& r : n.rules) {
      bool const late = r.what == rule_kind::unevaluated_items || r.what == rule_kind::unevaluated_members;
      if (late && !good) break;
      if (!step() || !check(r, f)) good = false;
      if (stop(good)) break;
    }
    --depth_;
    if (good && seen && step(own.words.size() / 8)) seen->merge(std::move(own));
    return good && !limit;
  }

  /// Whether a subschema matches, without telling anybody why not.
  bool matches(node_id id, spot const& on, frame const& f, evaluated* seen) {
    ++quiet_;
    bool const good = apply(id, on, f.scopes, seen);
    --quiet_;
    return good;
  }

  /// Keeps a violation, if anybody wants it; its bytes are steps. False, as what calls it.
  bool report(node const& at, std::string_view keyword, spot const& on, std::string text) {
    auto path = path_of(on);
    auto where = at.path + (keyword.empty() ? "" : "/" + std::string(keyword));
    if (step(path.size() + where.size() + text.size()))
      violations.push_back({std::move(path), std::move(where), std::move(text)});
    return false;
  }
  using pieces = std::initializer_list<std::string_view>;
  bool report(rule const& r, frame const& f, pieces text) {
    if (!is_told()) return false;
    std::string whole;
    for (auto const piece : text) whole += shortened(piece);
    return report(f.at, r.keyword, f.on, std::move(whole));
  }
  /// The keyword's own value follows the text.
  bool report_value(rule const& r, frame const& f, std::string_view text) {
    if (!is_told()) return false;
    if (r.arg.size() > 20) return report(r, f, {text, "the listed values"});
    auto const value = r.arg.dump();
    return step(value.size()) && report(r, f, {text, value});
  }

  [[nodiscard]] bool is_told() const noexcept { return !quiet_ && !limit && violations.size() < wanted_; }

  bool check(rule const& r, frame const& f) {
    auto const v = f.on.value;
    switch (r.what) {
      case rule_kind::reference: return apply(r.sub, f.on, f.scopes, f.seen);
      case rule_kind::dynamic_reference: return apply(dynamic_target(r, f.scopes), f.on, f.scopes, f.seen);
      case rule_kind::type: return has_type(v, r.number) || report_value(r, f, "is not of type ");
      case rule_kind::enumeration: return check_enumeration(r, f);
      case rule_kind::constant: return equal(v, r.arg) || report(r, f, {"is not the constant"});
      case rule_kind::number_bound: return !v.is_number() || check_bound(r, f);
      case rule_kind::multiple:
        return !v.is_number() || (is_multiple(v, r.arg, steps_) && enough()) ||
               report_value(r, f, "is not a multiple of ");
      case rule_kind::length: return check_length(r, f);
      case rule_kind::text_pattern:
        return !v.is_string() || search(r.patterns[0].first, *v.get_string()) ||
               report_value(r, f, "does not match the pattern ");
      case rule_kind::format:
        return !v.is_string() || (is_format(*r.arg.get_string(), *v.get_string(), steps_) && enough()) ||
               report_value(r, f, "is not a valid ");
      case rule_kind::unique: return is_unique(v) || report(r, f, {"has equal elements"});
      case rule_kind::required: return !v.is_object() || check_required(r, f, r.names);
      case rule_kind::dependent_required: return check_dependent_required(r, f);
      case rule_kind::members: return check_members(r, f);
      case rule_kind::member_names: return check_member_names(r, f);
      case rule_kind::items: return check_items(r, f);
      case rule_kind::contains: return !v.is_array() || check_contains(r, f);
      case rule_kind::all_of: return check_all(r, f);
      case rule_kind::any_of: return check_any(r, f);
      case rule_kind::one_of: return check_one(r, f);
      case rule_kind::negation:
        return !matches(r.sub, f.on, f, nullptr) || report(r, f, {"matches the schema of \"not\""});
      case rule_kind::condition: return check_condition(r, f);
      case rule_kind::dependent_schemas: return check_dependent_schemas(r, f);
      case rule_kind::unevaluated_items: return check_unevaluated_items(r, f);
      case rule_kind::unevaluated_members: return check_unevaluated_members(r, f);
    }
    return true;
  }

  // The outermost resource of the dynamic scope that has the anchor.
  node_id dynamic_target(rule const& r, scope const* scopes) {
    if (r.names.empty()) return r.sub;
    auto const& candidates = p_.dynamic_anchors.find(r.names[0])->second;
    auto target = r.sub;
    for (auto const* s = scopes; s && step(); s = s->outer) {
      if (auto const found = candidates.find(s->resource); found != candidates.end()) target = found->second;
    }
    return target;
  }

  bool check_enumeration(rule const& r, frame const& f) {
    for (auto const e : r.arg.elements()) {
      if (equal(f.on.value, e)) return true;
    }
    return report_value(r, f, "is none of ");
  }

  bool check_bound(rule const& r, frame const& f) {
    auto const v = f.on.value;
    switch (r.compare) {
      case bound::at_least: return !less(v, r.arg) || report_value(r, f, "is less than ");
      case bound::above: return less(r.arg, v) || report_value(r, f, "is not greater than ");
      case bound::at_most: return !less(r.arg, v) || report_value(r, f, "is greater than ");
      case bound::below: return less(v, r.arg) || report_value(r, f, "is not less than ");
    }
    return true;
  }

  bool check_length(rule const& r, frame const& f) {
    auto const v = f.on.value;
    std::size_t n = 0;
    char const* what = " elements";
    if (r.counts == counted::characters) {
      if (!v.is_string() || !step(v.get_string()->size() / 64)) return true;
      n = count_code_points(*v.get_string());
      what = " characters";
    } else if (r.counts == counted::items) {
      if (!v.is_array()) return true;
      n = v.size();
    } else {
      if (!v.is_object()) return true;
      n = v.size();
      what = " members";
    }
    if (n < r.number) return report(r, f, {"has fewer than ", std::to_string(r.number), what});
    if (n > r.limit) return report(r, f, {"has more than ", std::to_string(r.limit), what});
    return true;
  }

  bool search(pattern const& p, std::string_view text) {
    auto const found = p.search(text, steps_);
    if (!found) limit = "max_steps";
    return found.value_or(false);
  }

  bool has_member(json::view v, std::string_view name) {
    return step(1 + v.size() / 16 * (1 + name.size() / 32)) && v.find(name).has_value();
  }

  bool check_required(rule const& r, frame const& f, std::vector<std::string_view> const& names) {
    bool good = true;
    for (auto const name : names) {
      if (!has_member(f.on.value, name)) good = report(r, f, {"has no member \"", name, "\""});
      if (limit || (!good && quiet_)) break;
    }
    return good;
  }

  bool check_dependent_required(rule const& r, frame const& f) {
    bool good = true;
    for (auto const& [name, needed] : r.lists) {
      if (has_member(f.on.value, name)) good = check_required(r, f, needed) && good;
      if (stop(good)) return false;
    }
    return good;
  }

  bool check_members(rule const& r, frame const& f) {
    bool good = true;
    std::size_t i = 0;
    for (auto const m : f.on.value.members()) {
      if (!step(1 + m.key.size() / 16)) return false;
      auto const at = member(f.on, m);
      bool seen = false;
      auto named = std::lower_bound(r.named.begin(), r.named.end(), m.key,
                                    [](auto const& x, std::string_view key) { return x.first < key; });
      if (named != r.named.end() && named->first == m.key) {
        seen = true;
        good = apply(named->second, at, f.scopes, nullptr) && good;
      }
      for (auto const& [p, id] : r.patterns) {
        if (!search(p, m.key)) continue;
        seen = true;
        good = apply(id, at, f.scopes, nullptr) && good;
      }
      if (!seen && r.sub != none) {
        seen = true;
        good = apply(r.sub, at, f.scopes, nullptr) && good;
      }
      if (seen && f.seen) f.seen->add(i);
      if (stop(good)) return false;
      ++i;
    }
    return good;
  }

  // As the elements of one document: one for each name is what costs most.
  bool check_member_names(rule const& r, frame const& f) {
    json::writer w;
    w.begin_array();
    for (auto const m : f.on.value.members()) {
      if (!step(2 + m.key.size() / 16)) return false;
      w.string(m.key);
    }
    w.end_array();
    constexpr auto any = std::numeric_limits<std::size_t>::max();
    auto text = std::move(w).text();
    auto const names = json::parse(pad(text), json::parse_options().max_bytes(any).max_nodes(any));
    if (!names) return limit = "memory", false;
    for (auto const name : names->elements()) {
      if (matches(r.sub, {name, nullptr, {}, 0}, f, nullptr)) continue;
      if (limit) return false;
      return report(r, f, {"has the member name \"", *name.get_string(), "\", which does not match"});
    }
    return true;
  }

  bool check_items(rule const& r, frame const& f) {
    if (!f.on.value.is_array()) return true;
    bool good = true;
    std::size_t i = 0;
    for (auto const e : f.on.value.elements()) {
      auto const sub = i < r.subs.size() ? r.subs[i] : r.sub;
      if (sub == none) break;
      good = apply(sub, element(f.on, e, i), f.scopes, nullptr) && good;
      if (stop(good)) return false;
      ++i;
    }
    if (f.seen) {
      f.seen->first = std::max(f.seen->first, i);
      if (r.sub != none) f.seen->all = true;
    }
    return good;
  }

  bool check_contains(rule const& r, frame const& f) {
    std::size_t found = 0, i = 0;
    for (auto const e : f.on.value.elements()) {
      if (matches(r.sub, element(f.on, e, i), f, nullptr)) {
        ++found;
        if (f.seen) f.seen->add(i);
      }
      if (limit) return false;
      ++i;
    }
    if (found < r.number) return report(r, f, {"has fewer than ", std::to_string(r.number), " matching elements"});
    if (found > r.limit) return report(r, f, {"has more than ", std::to_string(r.limit), " matching elements"});
    return true;
  }

  bool check_all(rule const& r, frame const& f) {
    bool good = true;
    for (auto const sub : r.subs) {
      good = apply(sub, f.on, f.scopes, f.seen) && good;
      if (stop(good)) return false;
    }
    return good;
  }

  bool check_any(rule const& r, frame const& f) {
    bool good = false;
    for (auto const sub : r.subs) {
      good = matches(sub, f.on, f, f.seen) || good;
      if (limit) return false;
      if (good && !f.seen) return true;
    }
    return good || report(r, f, {"matches none of the alternatives"});
  }

  bool check_one(rule const& r, frame const& f) {
    std::size_t found = 0;
    for (auto const sub : r.subs) {
      if (matches(sub, f.on, f, f.seen)) ++found;
      if (limit) return false;
    }
    if (found == 1) return true;
    return report(r, f, {found == 0 ? "matches none of the alternatives" : "matches more than one of the alternatives"});
  }

  bool check_condition(rule const& r, frame const& f) {
    auto const next = matches(r.sub, f.on, f, f.seen) ? r.then_sub : r.else_sub;
    return next == none || apply(next, f.on, f.scopes, f.seen);
  }

  bool check_dependent_schemas(rule const& r, frame const& f) {
    bool good = true;
    for (auto const& [name, sub] : r.named) {
      if (has_member(f.on.value, name)) good = apply(sub, f.on, f.scopes, f.seen) && good;
      if (stop(good)) return false;
    }
    return good;
  }

  bool check_unevaluated_items(rule const& r, frame const& f) {
    if (f.seen->all || !f.on.value.is_array()) return true;
    bool good = true;
    std::size_t i = 0;
    for (auto const e : f.on.value.elements()) {
      if (!step()) return false;
      if (!f.seen->has(i)) good = apply(r.sub, element(f.on, e, i), f.scopes, nullptr) && good;
      if (stop(good)) return false;
      ++i;
    }
    f.seen->all = true;
    return good;
  }

  bool check_unevaluated_members(rule const& r, frame const& f) {
    if (f.seen->all || !f.on.value.is_object()) return true;
    bool good = true;
    std::size_t i = 0;
    for (auto const m : f.on.value.members()) {
      if (!step()) return false;
      if (!f.seen->has(i)) good = apply(r.sub, member(f.on, m), f.scopes, nullptr) && good;
      if (stop(good)) return false;
      ++i;
    }
    f.seen->all = true;
    return good;
  }

  program const& p_;
  std::size_t wanted_;
  std::uint64_t steps_;
  std::size_t depth_ = 0;
  std::size_t quiet_ = 0;
};

}  // namespace comcp::schema_detail
