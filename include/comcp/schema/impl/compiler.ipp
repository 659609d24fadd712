// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns each subschema that can be reached into its rules. A keyword of the wrong shape is a fault of the schema.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/schema/impl/index.ipp>
#include <comcp/schema/impl/numbers.ipp>

namespace comcp::schema_detail {

class schema_compiler {
 public:
  explicit schema_compiler(schema_options const& options) : options_(options), index_(options) {}

  result<std::shared_ptr<program const>> run(json::value const& text) {
    if (!text.is_object() && text.kind() != json::kind::boolean)
      index_.fail(errc::invalid_argument, "neither an object nor a boolean");
    if (!index_.fault) want(index_.add_document("", text, options_.default_dialect()));
    while (!index_.fault && (!queue_.empty() || want_dynamic())) {
      if (queue_.empty()) continue;
      auto const next = queue_.back();
      queue_.pop_back();
      build(next);
    }
    if (index_.fault) return index_.fault;
    out_->documents = index_.documents;
    out_->nodes.resize(index_.places.size());
    out_->dialect = index_.resources.front().rules.dialect;
    out_->max_depth = options_.max_depth();
    out_->max_steps = options_.max_steps();
    out_->max_violations = options_.max_violations();
    return std::shared_ptr<program const>(out_);
  }

 private:
  void want(node_id id) {
    if (id == none || id >= index_.places.size()) return;
    if (wanted_.size() < index_.places.size()) wanted_.resize(index_.places.size(), false);
    if (wanted_[id]) return;
    wanted_[id] = true;
    queue_.push_back(id);
  }

  // The targets that dynamic references may turn out to have.
  bool want_dynamic() {
    for (auto const& name : dynamic_names_) {
      if (!index_.pay(1 + index_.resources.size())) return false;
      for (resource_id r = 0; r < index_.resources.size(); ++r) {
        auto const found = index_.resources[r].dynamic_anchors.find(name);
        if (found == index_.resources[r].dynamic_anchors.end()) continue;
        out_->dynamic_anchors[name].emplace(r, found->second);
        want(found->second);
      }
    }
    return !queue_.empty();
  }

  void build(node_id id) {
    here_ = index_.places[id];
    if (out_->nodes.size() < index_.places.size()) out_->nodes.resize(index_.places.size());
    node_.path = index_.path_of(here_);
    node_.resource = here_.home;
    node_.always = here_.text.get_bool();
    profile_ = index_.resources[here_.home].rules;
    draft_7_ = profile_.dialect == schema_dialect::draft_7;
    if (!node_.always) build_rules();
    if (out_->nodes.size() < index_.places.size()) out_->nodes.resize(index_.places.size());
    out_->nodes[id] = std::exchange(node_, node());
  }

  void build_rules() {
    if (build_references()) return;
    if (profile_.validation) {
      build_values();
      build_numbers();
      build_counts();
    }
    build_format();
    if (profile_.applicator) {
      build_members();
      build_items();
      build_combinators();
    }
    if (profile_.unevaluated && !draft_7_) build_unevaluated();
  }

  [[nodiscard]] std::optional<json::view> get(std::string_view keyword) const { return here_.text.find(keyword); }

  void bad(std::string_view keyword, std::string_view needed) {
    if (index_.fault) return;
    index_.fail(errc::invalid_argument,
                "\"" + node_.path + "/" + std::string(keyword) + "\" must be " + std::string(needed));
  }

  rule& add(rule_kind what, std::string_view keyword, json::view arg = {}) {
    index_.pay(16);
    auto& r = node_.rules.emplace_back();
    r.what = what;
    r.keyword = keyword;
    r.arg = arg;
    return r;
  }

  node_id child(std::string const& pointer) {
    if (!index_.pay_text(here_.pointer.size() + pointer.size())) return none;
    auto const id = index_.at(here_.document, here_.pointer + pointer);
    want(id);
    return id;
  }

  node_id one(std::string_view keyword) {
    if (!get(keyword)) return none;
    auto const id = child("/" + std::string(keyword));
    if (id == none) bad(keyword, "a schema");
    return id;
  }

  std::vector<node_id> list(std::string_view keyword) {
    std::vector<node_id> out;
    auto const value = get(keyword);
    if (!value) return out;
    if (!value->is_array()) bad(keyword, "an array of schemas");
    for (std::size_t i = 0, n = value->size(); i < n && !index_.fault; ++i) {
      out.push_back(child("/" + std::string(keyword) + "/" + std::to_string(i)));
      if (out.back() == none) bad(keyword, "an array of schemas");
    }
    return out;
  }

  std::vector<std::pair<std::string_view, node_id>> map(std::string_view keyword) {
    std::vector<std::pair<std::string_view, node_id>> out;
    auto const value = get(keyword);
    if (!value) return out;
    if (!value->is_object()) bad(keyword, "an object of schemas");
    for (auto const m : value->members()) {
      if (index_.fault) return out;
      out.emplace_back(m.key, child("/" + std::string(keyword) + pointer_token(m.key)));
      if (out.back().second == none) bad(keyword, "an object of schemas");
    }
    std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    return out;
  }

  std::vector<std::string_view> strings(json::view value, std::string_view keyword) {
    std::vector<std::string_view> out;
    if (!value.is_array()) bad(keyword, "an array of strings");
    if (!index_.pay(value.size())) return out;
    for (auto const e : value.elements()) {
      auto const s = e.get_string();
      if (!s) bad(keyword, "an array of strings");
      out.push_back(s.value_or(""));
    }
    return out;
  }

  std::optional<std::size_t> count(std::string_view keyword) {
    auto const value = get(keyword);
    if (!value) return {};
    if (auto const n = value->get_uint64()) return static_cast<std::size_t>(*n);
    auto const d = value->get_double();
    if (d && *d >= 1e19) return static_cast<std::size_t>(-1);
    return bad(keyword, "a non-negative integer"), std::nullopt;
  }

  std::optional<pattern> compiled(std::string_view text, std::string_view keyword) {
    if (index_.fault) return {};
    auto p = pattern::compile(text, index_.steps);
    if (p) return std::move(*p);
    if (index_.steps == 0) return index_.fail_budget(), std::nullopt;
    auto const code = p.error() == errc::limit_exceeded ? errc::limit_exceeded : errc::invalid_argument;
    index_.fail(code, "\"" + node_.path + "/" + std::string(keyword) + "\": " + std::string(p.error().message()));
    return {};
  }

  // True when nothing else in this subschema counts.
  bool build_references() {
    auto const target_of = [this](std::string_view keyword) {
      auto const text = get(keyword)->get_string();
      if (!text) return bad(keyword, "a string"), none;
      auto const& base = index_.resources[here_.home].uri;
      if (!index_.pay_text(base.size() + text->size() + node_.path.size())) return none;
      auto const target = index_.find(resolve_uri(base, *text), node_.path + "/" + std::string(keyword));
      want(target);
      return target;
    };
    if (get("$ref")) {
      auto const target = target_of("$ref");
      add(rule_kind::reference, "$ref").sub = target;
      if (draft_7_) return true;
    }
    if (draft_7_ || !get("$dynamicRef")) return false;
    auto const target = target_of("$dynamicRef");
    if (target == none) return false;
    auto const text = *get("$dynamicRef")->get_string();
    auto& r = add(rule_kind::dynamic_reference, "$dynamicRef");
    r.sub = target;
    auto const anchor = text.substr(std::min(text.find('#'), text.size() - 1) + 1);
    auto const& own = index_.resources[index_.places[target].home].dynamic_anchors;
    if (auto const found = own.find(std::string(anchor)); found != own.end() && found->second == target) {
      index_.pay_text(64 + anchor.size());
      r.names.push_back(anchor);
      dynamic_names_.emplace(anchor);
    }
    return false;
  }

  void build_values() {
    if (auto const type = get("type")) {
      auto& r = add(rule_kind::type, "type", *type);
      auto const name = [&](json::view v) {
        auto const s = v.get_string();
        auto const found = s ? std::find(std::begin(type_names), std::end(type_names), *s) : std::end(type_names);
        if (found == std::end(type_names)) bad("type", "a type's name or an array of such");
        r.number |= std::size_t{1} << (found - std::begin(type_names));
      };
      if (type->is_array()) {
        for (auto const e : type->elements()) name(e);
      } else {
        name(*type);
      }
    }
    if (auto const values = get("enum")) {
      if (!values->is_array()) bad("enum", "an array");
      add(rule_kind::enumeration, "enum", *values);
    }
    if (auto const value = get("const")) add(rule_kind::constant, "const", *value);
  }

  void build_numbers() {
    auto const limit = [this](std::string_view keyword, bound b) {
      auto const value = get(keyword);
      if (!value) return;
      if (!value->is_number()) bad(keyword, "a number");
      add(rule_kind::number_bound, keyword, *value).compare = b;
    };
    limit("minimum", bound::at_least);
    limit("exclusiveMinimum", bound::above);
    limit("maximum", bound::at_most);
    limit("exclusiveMaximum", bound::below);
    if (auto const value = get("multipleOf")) {
      if (!(value->get_double().value_or(0) > 0)) bad("multipleOf", "a number above 0");
      add(rule_kind::multiple, "multipleOf", *value);
    }
  }

  void build_counts() {
    auto const length = [this](std::string_view keyword, counted what, bool upper) {
      auto const n = count(keyword);
      if (!n) return;
      auto& r = add(rule_kind::length, keyword);
      r.counts = what;
      (upper ? r.limit : r.number) = *n;
    };
    length("minLength", counted::characters, false);
    length("maxLength", counted::characters, true);
    length("minItems", counted::items, false);
    length("maxItems", counted::items, true);
    length("minProperties", counted::members, false);
    length("maxProperties", counted::members, true);
    if (auto const value = get("pattern")) {
      auto const text = value->get_string();
      if (!text) return bad("pattern", "a string");
      if (auto p = compiled(*text, "pattern"))
        add(rule_kind::text_pattern, "pattern", *value).patterns.emplace_back(std::move(*p), none);
    }
    if (auto const value = get("uniqueItems")) {
      if (!value->get_bool()) bad("uniqueItems", "a boolean");
      if (value->get_bool() == true) add(rule_kind::unique, "uniqueItems");
    }
    if (auto const value = get("required")) add(rule_kind::required, "required").names = strings(*value, "required");
    if (auto const value = get("dependentRequired"); value && !draft_7_) {
      if (!value->is_object()) bad("dependentRequired", "an object");
      auto& r = add(rule_kind::dependent_required, "dependentRequired");
      for (auto const m : value->members()) {
        if (!index_.pay(3)) return;
        r.lists.emplace_back(m.key, strings(m.value, "dependentRequired"));
      }
    }
  }

  void build_format() {
    auto const value = get("format");
    if (!value || !(options_.assert_formats() || profile_.format_assertion)) return;
    if (!value->is_string()) bad("format", "a string");
    add(rule_kind::format, "format", *value);
  }

  void build_members() {
    if (get("properties") || get("patternProperties") || get("additionalProperties")) {
      auto named = map("properties");
      auto by_pattern = map("patternProperties");
      auto const rest = one("additionalProperties");
      auto& r = add(rule_kind::members, "properties");
      r.named = std::move(named);
      r.sub = rest;
      for (auto const& [text, id] : by_pattern) {
        if (auto p = compiled(text, "patternProperties")) r.patterns.emplace_back(std::move(*p), id);
      }
    }
    if (auto const names = one("propertyNames"); names != none)
      add(rule_kind::member_names, "propertyNames").sub = names;
    if (!draft_7_ && get("dependentSchemas")) {
      auto named = map("dependentSchemas");
      add(rule_kind::dependent_schemas, "dependentSchemas").named = std::move(named);
    }
    build_dependencies();
  }

  // Of draft-07; in 2020-12 it is kept as its specification suggests for compatibility.
  void build_dependencies() {
    auto const value = get("dependencies");
    if (!value) return;
    if (!value->is_object()) return bad("dependencies", "an object");
    std::vector<std::pair<std::string_view, node_id>> schemas;
    std::vector<std::pair<std::string_view, std::vector<std::string_view>>> lists;
    for (auto const m : value->members()) {
      if (!index_.pay(3)) return;
      if (m.value.is_array()) {
        lists.emplace_back(m.key, strings(m.value, "dependencies"));
      } else {
        schemas.emplace_back(m.key, child("/dependencies" + pointer_token(m.key)));
        if (schemas.back().second == none) bad("dependencies", "an object of schemas and lists of names");
      }
    }
    if (!lists.empty()) add(rule_kind::dependent_required, "dependencies").lists = std::move(lists);
    if (!schemas.empty()) add(rule_kind::dependent_schemas, "dependencies").named = std::move(schemas);
  }

  void build_items() {
    auto const items = get("items");
    bool const tuple = draft_7_ && items && items->is_array();
    if (!draft_7_ && items && items->is_array())
      return bad("items", "a schema (an array of schemas is draft-07's; 2020-12 has prefixItems)");
    if (items || (!draft_7_ && get("prefixItems"))) {
      auto prefix = tuple ? list("items") : draft_7_ ? std::vector<node_id>() : list("prefixItems");
      auto const rest = tuple ? one("additionalItems") : one("items");
      auto& r = add(rule_kind::items, tuple ? "additionalItems" : "items");
      r.subs = std::move(prefix);
      r.sub = rest;
    }
    if (auto const sub = one("contains"); sub != none) {
      auto const min = draft_7_ || !profile_.validation ? std::nullopt : count("minContains");
      auto const max = draft_7_ || !profile_.validation ? std::nullopt : count("maxContains");
      auto& r = add(rule_kind::contains, "contains");
      r.sub = sub;
      r.number = min.value_or(1);
      r.limit = max.value_or(r.limit);
    }
  }

  void build_combinators() {
    auto const several = [this](std::string_view keyword, rule_kind what) {
      if (!get(keyword)) return;
      auto subs = list(keyword);
      if (subs.empty()) bad(keyword, "a non-empty array of schemas");
      add(what, keyword).subs = std::move(subs);
    };
    several("allOf", rule_kind::all_of);
    several("anyOf", rule_kind::any_of);
    several("oneOf", rule_kind::one_of);
    if (auto const sub = one("not"); sub != none) add(rule_kind::negation, "not").sub = sub;
    auto const condition = one("if");
    auto const then_sub = one("then");
    auto const else_sub = one("else");
    if (condition == none) return;
    auto& r = add(rule_kind::condition, "if");
    r.sub = condition;
    r.then_sub = then_sub;
    r.else_sub = else_sub;
  }

  // Last, because they look at what the others have seen.
  void build_unevaluated() {
    auto const items = one("unevaluatedItems");
    auto const members = one("unevaluatedProperties");
    if (items != none) add(rule_kind::unevaluated_items, "unevaluatedItems").sub = items;
    if (members != none) add(rule_kind::unevaluated_members, "unevaluatedProperties").sub = members;
    node_.has_unevaluated = items != none || members != none;
  }

  schema_options const& options_;
  schema_index index_;
  std::shared_ptr<program> out_ = std::make_shared<program>();
  std::vector<node_id> queue_;
  std::vector<bool> wanted_;
  std::set<std::string> dynamic_names_;
  place here_;
  node node_;
  profile profile_;
  bool draft_7_ = false;
};

}  // namespace comcp::schema_detail
