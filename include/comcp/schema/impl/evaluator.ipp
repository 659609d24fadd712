// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Applies a compiled schema to one instance. What unevaluatedItems and unevaluatedProperties need is tracked only
// below a subschema that has one of them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <comcp/json/writer.hpp>
#include <comcp/schema/formats.hpp>
#include <comcp/schema/impl/equality.ipp>
#include <comcp/schema/impl/index.ipp>
#include <comcp/schema/impl/numbers.ipp>
#include <comcp/schema/impl/unicode.ipp>

namespace comcp::schema_detail {

/// Which parts of one instance have been looked at by subschemas that matched.
struct evaluated {
  bool all_members = false, all_items = false;
  std::size_t first_items = 0;
  std::unordered_set<std::string_view> members;
  std::unordered_set<std::size_t> items;

  void merge(evaluated const& other) {
    all_members |= other.all_members;
    all_items |= other.all_items;
    first_items = std::max(first_items, other.first_items);
    members.insert(other.members.begin(), other.members.end());
    items.insert(other.items.begin(), other.items.end());
  }
};

class evaluator {
 public:
  /// Collects violations until there are `wanted`.
  evaluator(program const& p, std::size_t wanted) : p_(p), wanted_(wanted), steps_(p.max_steps) {}

  std::vector<violation> violations;
  char const* limit = nullptr;  // the name of the bound that ended the evaluation

  bool run(json::view instance) { return apply(0, {instance, nullptr, {}, 0}, nullptr, nullptr); }

 private:
  /// An instance and how it was reached.
  struct spot {
    json::view value;
    spot const* outer;
    std::string_view key;  // with null data: an index
    std::size_t index;
  };
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

  static spot element(spot const& of, json::view value, std::size_t i) { return {value, &of, {}, i}; }
  static spot member(spot const& of, json::member const& m) {
    return {m.value, &of, m.key.data() ? m.key : std::string_view("", 0), 0};
  }

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
    if (n.always) return *n.always || report(n, {}, on, "is not allowed");
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
    if (good && seen) seen->merge(own);
    return good && !limit;
  }

  /// Whether a subschema matches, without telling anybody why not.
  bool matches(node_id id, spot const& on, frame const& f, evaluated* seen) {
    ++quiet_;
    bool const good = apply(id, on, f.scopes, seen);
    --quiet_;
    return good;
  }

  bool report(node const& at, std::string_view keyword, spot const& on, std::string text) {
    if (quiet_ || limit || violations.size() >= wanted_) return false;
    std::string path;
    for (auto const* s = &on; s->outer; s = s->outer)
      path.insert(0, s->key.data() ? pointer_token(s->key) : "/" + std::to_string(s->index));
    violations.push_back(
        {std::move(path), at.path + (keyword.empty() ? "" : "/" + std::string(keyword)), std::move(text)});
    return false;
  }
  bool report(rule const& r, frame const& f, std::string text) {
    return report(f.at, r.keyword, f.on, std::move(text));
  }

  bool check(rule const& r, frame const& f) {
    auto const v = f.on.value;
    switch (r.what) {
      case rule_kind::reference: return apply(r.sub, f.on, f.scopes, f.seen);
      case rule_kind::dynamic_reference: return apply(dynamic_target(r, f.scopes), f.on, f.scopes, f.seen);
      case rule_kind::type: return has_type(v, r.number) || report(r, f, "is not of type " + r.arg.dump());
      case rule_kind::enumeration: return check_enumeration(r, f);
      case rule_kind::constant: return equal(v, r.arg) || report(r, f, "is not the constant");
      case rule_kind::number_bound: return !v.is_number() || check_bound(r, f);
      case rule_kind::multiple:
        return !v.is_number() || is_multiple(v, r.arg) || report(r, f, "is not a multiple of " + r.arg.dump());
      case rule_kind::length: return check_length(r, f);
      case rule_kind::text_pattern:
        return !v.is_string() || search(r.patterns[0].first, *v.get_string()) ||
               report(r, f, "does not match the pattern " + r.arg.dump());
      case rule_kind::format:
        return !v.is_string() || !step(1 + v.get_string()->size()) || is_format(*r.arg.get_string(), *v.get_string()) ||
               report(r, f, "is not a valid " + r.arg.dump());
      case rule_kind::unique: return is_unique(v) || report(r, f, "has equal elements");
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
        return !matches(r.sub, f.on, f, nullptr) || report(r, f, "matches the schema of \"not\"");
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
    for (auto const* s = scopes; s; s = s->outer) {
      if (auto const found = candidates.find(s->resource); found != candidates.end()) target = found->second;
    }
    return target;
  }

  bool check_enumeration(rule const& r, frame const& f) {
    for (auto const e : r.arg.elements()) {
      if (equal(f.on.value, e)) return true;
    }
    return report(r, f, r.arg.size() <= 20 ? "is none of " + r.arg.dump() : "is none of the listed values");
  }

  bool check_bound(rule const& r, frame const& f) {
    auto const v = f.on.value;
    switch (r.compare) {
      case bound::at_least: return !less(v, r.arg) || report(r, f, "is less than " + r.arg.dump());
      case bound::above: return less(r.arg, v) || report(r, f, "is not greater than " + r.arg.dump());
      case bound::at_most: return !less(r.arg, v) || report(r, f, "is greater than " + r.arg.dump());
      case bound::below: return less(v, r.arg) || report(r, f, "is not less than " + r.arg.dump());
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
    if (n < r.number) return report(r, f, "has fewer than " + std::to_string(r.number) + what);
    if (n > r.limit) return report(r, f, "has more than " + std::to_string(r.limit) + what);
    return true;
  }

  bool search(pattern const& p, std::string_view text) {
    auto const found = p.search(text, steps_);
    if (!found) limit = "max_steps";
    return found.value_or(false);
  }

  bool has_member(json::view v, std::string_view name) { return step(v.size() / 16 + 1) && v.find(name).has_value(); }

  bool check_required(rule const& r, frame const& f, std::vector<std::string_view> const& names) {
    bool good = true;
    for (auto const name : names) {
      if (!has_member(f.on.value, name)) good = report(r, f, "has no member \"" + std::string(name) + "\"");
      if (limit || (!good && quiet_)) break;
    }
    return good;
  }

  bool check_dependent_required(rule const& r, frame const& f) {
    bool good = true;
    for (auto const& [name, needed] : r.lists) {
      if (has_member(f.on.value, name)) good = check_required(r, f, needed) && good;
    }
    return good;
  }

  bool check_members(rule const& r, frame const& f) {
    bool good = true;
    for (auto const m : f.on.value.members()) {
      if (!step()) return false;
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
      if (seen && f.seen) f.seen->members.insert(m.key);
      if (stop(good)) return false;
    }
    return good;
  }

  bool check_member_names(rule const& r, frame const& f) {
    for (auto const m : f.on.value.members()) {
      json::writer w;
      w.string(m.key);
      auto const name = json::parse(w.text());
      if (!name) continue;
      if (matches(r.sub, {name->view(), nullptr, {}, 0}, f, nullptr)) continue;
      if (limit) return false;
      return report(r, f, "has the member name \"" + std::string(m.key) + "\", which does not match");
    }
    return true;
  }

  bool check_items(rule const& r, frame const& f) {
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
      f.seen->first_items = std::max(f.seen->first_items, i);
      if (r.sub != none) f.seen->all_items = true;
    }
    return good;
  }

  bool check_contains(rule const& r, frame const& f) {
    std::size_t found = 0, i = 0;
    for (auto const e : f.on.value.elements()) {
      if (matches(r.sub, element(f.on, e, i), f, nullptr)) {
        ++found;
        if (f.seen) f.seen->items.insert(i);
      }
      if (limit) return false;
      ++i;
    }
    if (found < r.number) return report(r, f, "has fewer than " + std::to_string(r.number) + " matching elements");
    if (found > r.limit) return report(r, f, "has more than " + std::to_string(r.limit) + " matching elements");
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
    return good || report(r, f, "matches none of the alternatives");
  }

  bool check_one(rule const& r, frame const& f) {
    std::size_t found = 0;
    for (auto const sub : r.subs) {
      if (matches(sub, f.on, f, f.seen)) ++found;
      if (limit) return false;
    }
    if (found == 1) return true;
    return report(r, f, found == 0 ? "matches none of the alternatives" : "matches more than one of the alternatives");
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
    bool good = true;
    std::size_t i = 0;
    for (auto const e : f.on.value.elements()) {
      if (f.seen->all_items) break;
      if (i >= f.seen->first_items && !f.seen->items.contains(i))
        good = apply(r.sub, element(f.on, e, i), f.scopes, nullptr) && good;
      if (stop(good)) return false;
      ++i;
    }
    f.seen->all_items = true;
    return good;
  }

  bool check_unevaluated_members(rule const& r, frame const& f) {
    bool good = true;
    for (auto const m : f.on.value.members()) {
      if (f.seen->all_members) break;
      if (!f.seen->members.contains(m.key)) good = apply(r.sub, member(f.on, m), f.scopes, nullptr) && good;
      if (stop(good)) return false;
    }
    f.seen->all_members = true;
    return good;
  }

  program const& p_;
  std::size_t wanted_;
  std::uint64_t steps_;
  std::size_t depth_ = 0;
  std::size_t quiet_ = 0;
};

}  // namespace comcp::schema_detail
