// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Applies a compiled schema to one instance. What unevaluatedItems and unevaluatedProperties need is tracked only
// below a subschema that has one of them.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include <comcp/json/writer.hpp>
#include <comcp/schema/impl/assertions.ipp>

namespace comcp::schema_detail {

class evaluator {
 public:
  /// Collects violations until there are `wanted`.
  evaluator(program const& p, std::size_t wanted) : found(wanted, p.max_steps), p_(p) {}

  findings found;

  bool run(json::view instance) { return apply(0, {instance, nullptr, {}, 0}, nullptr, nullptr); }

 private:
  struct scope {
    resource_id resource;
    scope const* outer;
  };
  struct frame : site {
    scope const* scopes;
    evaluated* seen;
  };

  bool apply(node_id id, spot const& on, scope const* outer, evaluated* seen) {
    if (!found.step()) return false;
    auto const& n = p_.nodes[id];
    if (n.always) return *n.always || found.report({n, on}, {}, "is not allowed");
    if (depth_ >= p_.max_depth) return found.limit = "max_depth", false;
    ++depth_;
    scope const entered{n.resource, outer};
    evaluated own;
    bool const track = seen || n.has_unevaluated;
    frame const f{{n, on}, outer && outer->resource == n.resource ? outer : &entered, track ? &own : nullptr};
    bool good = true;
    for (auto const& r : n.rules) {
      bool const late = r.what == rule_kind::unevaluated_items || r.what == rule_kind::unevaluated_members;
      if (late && !good) break;
      if (!found.step() || !check(r, f)) good = false;
      if (found.stop(good)) break;
    }
    --depth_;
    if (good && seen && found.step(own.words.size() / 8)) seen->merge(std::move(own));
    return good && !found.limit;
  }

  /// Whether a subschema matches, without telling anybody why not.
  bool matches(node_id id, spot const& on, frame const& f, evaluated* seen) {
    return found.quietly([&] { return apply(id, on, f.scopes, seen); });
  }

  bool check(rule const& r, frame const& f) {
    auto const v = f.on.value;
    switch (r.what) {
      case rule_kind::reference: return apply(r.sub, f.on, f.scopes, f.seen);
      case rule_kind::dynamic_reference: return apply(dynamic_target(r, f.scopes), f.on, f.scopes, f.seen);
      case rule_kind::members: return check_members(r, f);
      case rule_kind::member_names: return check_member_names(r, f);
      case rule_kind::items: return check_items(r, f);
      case rule_kind::contains: return !v.is_array() || check_contains(r, f);
      case rule_kind::all_of: return check_all(r, f);
      case rule_kind::any_of: return check_any(r, f);
      case rule_kind::one_of: return check_one(r, f);
      case rule_kind::negation:
        return !matches(r.sub, f.on, f, nullptr) || found.report(r, f, {"matches the schema of \"not\""});
      case rule_kind::condition: return check_condition(r, f);
      case rule_kind::dependent_schemas: return check_dependent_schemas(r, f);
      case rule_kind::unevaluated_items:
        return !v.is_array() ||
               check_unevaluated(r, f, v.elements(), [&](json::view e, std::size_t i) { return element(f.on, e, i); });
      case rule_kind::unevaluated_members:
        return !v.is_object() ||
               check_unevaluated(r, f, v.members(), [&](json::member const& m, std::size_t) { return member(f.on, m); });
      default: return values_.check(r, f);
    }
  }

  // The outermost resource of the dynamic scope that has the anchor.
  node_id dynamic_target(rule const& r, scope const* scopes) {
    if (r.names.empty()) return r.sub;
    auto const& candidates = p_.dynamic_anchors.find(r.names[0])->second;
    auto target = r.sub;
    for (auto const* s = scopes; s && found.step(); s = s->outer) {
      if (auto const at = candidates.find(s->resource); at != candidates.end()) target = at->second;
    }
    return target;
  }

  bool check_members(rule const& r, frame const& f) {
    bool good = true;
    std::size_t i = 0;
    for (auto const m : f.on.value.members()) {
      if (!found.step(1 + m.key.size() / 16)) return false;
      auto const at = member(f.on, m);
      bool seen = false;
      auto named = std::lower_bound(r.named.begin(), r.named.end(), m.key,
                                    [](auto const& x, std::string_view key) { return x.first < key; });
      if (named != r.named.end() && named->first == m.key) {
        seen = true;
        good = apply(named->second, at, f.scopes, nullptr) && good;
      }
      for (auto const& [p, id] : r.patterns) {
        if (!values_.search(p, m.key)) continue;
        seen = true;
        good = apply(id, at, f.scopes, nullptr) && good;
      }
      if (!seen && r.sub != none) {
        seen = true;
        good = apply(r.sub, at, f.scopes, nullptr) && good;
      }
      if (seen && f.seen) f.seen->add(i);
      if (found.stop(good)) return false;
      ++i;
    }
    return good;
  }

  // As the elements of one document: one for each name is what costs most.
  bool check_member_names(rule const& r, frame const& f) {
    json::writer w;
    w.begin_array();
    for (auto const m : f.on.value.members()) {
      if (!found.step(2 + m.key.size() / 16)) return false;
      w.string(m.key);
    }
    w.end_array();
    constexpr auto any = std::numeric_limits<std::size_t>::max();
    auto text = std::move(w).text();
    auto const names = json::parse(pad(text), json::parse_options().max_bytes(any).max_nodes(any));
    if (!names) return found.limit = "memory", false;
    for (auto const name : names->elements()) {
      if (matches(r.sub, {name, nullptr, {}, 0}, f, nullptr)) continue;
      if (found.limit) return false;
      return found.report(r, f, {"has the member name \"", *name.get_string(), "\", which does not match"});
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
      if (found.stop(good)) return false;
      ++i;
    }
    if (f.seen) {
      f.seen->first = std::max(f.seen->first, i);
      if (r.sub != none) f.seen->all = true;
    }
    return good;
  }

  bool check_contains(rule const& r, frame const& f) {
    std::size_t matching = 0, i = 0;
    for (auto const e : f.on.value.elements()) {
      if (matches(r.sub, element(f.on, e, i), f, nullptr)) {
        ++matching;
        if (f.seen) f.seen->add(i);
      }
      if (found.limit) return false;
      ++i;
    }
    if (matching < r.number) return found.report(r, f, {"has fewer than ", std::to_string(r.number), " matching elements"});
    if (matching > r.limit) return found.report(r, f, {"has more than ", std::to_string(r.limit), " matching elements"});
    return true;
  }

  bool check_all(rule const& r, frame const& f) {
    bool good = true;
    for (auto const sub : r.subs) {
      good = apply(sub, f.on, f.scopes, f.seen) && good;
      if (found.stop(good)) return false;
    }
    return good;
  }

  bool check_any(rule const& r, frame const& f) {
    bool good = false;
    for (auto const sub : r.subs) {
      good = matches(sub, f.on, f, f.seen) || good;
      if (found.limit) return false;
      if (good && !f.seen) return true;
    }
    return good || found.report(r, f, {"matches none of the alternatives"});
  }

  bool check_one(rule const& r, frame const& f) {
    std::size_t matching = 0;
    for (auto const sub : r.subs) {
      if (matches(sub, f.on, f, f.seen)) ++matching;
      if (found.limit) return false;
    }
    if (matching == 1) return true;
    return found.report(r, f, {matching == 0 ? "matches none of the alternatives" : "matches more than one of the alternatives"});
  }

  bool check_condition(rule const& r, frame const& f) {
    auto const next = matches(r.sub, f.on, f, f.seen) ? r.then_sub : r.else_sub;
    return next == none || apply(next, f.on, f.scopes, f.seen);
  }

  bool check_dependent_schemas(rule const& r, frame const& f) {
    bool good = true;
    for (auto const& [name, sub] : r.named) {
      if (values_.has_member(f.on.value, name)) good = apply(sub, f.on, f.scopes, f.seen) && good;
      if (found.stop(good)) return false;
    }
    return good;
  }

  bool check_unevaluated(rule const& r, frame const& f, auto const& parts, auto const& spot_of) {
    if (f.seen->all) return true;
    bool good = true;
    std::size_t i = 0;
    for (auto const part : parts) {
      if (!found.step()) return false;
      if (!f.seen->has(i)) good = apply(r.sub, spot_of(part, i), f.scopes, nullptr) && good;
      if (found.stop(good)) return false;
      ++i;
    }
    f.seen->all = true;
    return good;
  }

  program const& p_;
  assertions values_{found};
  std::size_t depth_ = 0;
};

}  // namespace comcp::schema_detail
