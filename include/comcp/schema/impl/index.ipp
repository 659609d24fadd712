// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which subschemas, identifiers and anchors there are: the part of compiling that comes before any keyword means
// something. Documents are read when a reference first names them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <comcp/schema/impl/metaschemas.ipp>
#include <comcp/schema/impl/program.ipp>
#include <comcp/schema/impl/uri_reference.ipp>

namespace comcp::schema_detail {

/// What a resource's metaschema switches on.
struct profile {
  schema_dialect dialect = schema_dialect::draft_2020_12;
  bool applicator = true, validation = true, unevaluated = true, format_assertion = false;
};

struct resource {
  std::string uri;
  std::uint32_t document = 0;
  std::string pointer;
  json::view text;
  profile rules;
  std::unordered_map<std::string, node_id> anchors;  // dynamic ones too
  std::unordered_map<std::string, node_id> dynamic_anchors;
};

struct place {
  std::uint32_t document = 0;
  std::string pointer;
  json::view text;
  resource_id home = 0;
};

inline std::string pointer_token(std::string_view key) {
  std::string out = "/";
  for (char const c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

// Where subschemas stand: the keyword's value itself, the values of its members, its elements.
enum class holds : std::uint8_t { one = 1, map = 2, list = 4 };
struct applicator {
  std::string_view keyword;
  unsigned shape_2020, shape_7;
};
inline constexpr applicator applicators[] = {
    {"$defs", 2, 2},
    {"definitions", 2, 2},
    {"properties", 2, 2},
    {"patternProperties", 2, 2},
    {"additionalProperties", 1, 1},
    {"propertyNames", 1, 1},
    {"dependentSchemas", 2, 0},
    {"dependencies", 2, 2},
    {"items", 1, 5},
    {"prefixItems", 4, 0},
    {"additionalItems", 0, 1},
    {"contains", 1, 1},
    {"allOf", 4, 4},
    {"anyOf", 4, 4},
    {"oneOf", 4, 4},
    {"not", 1, 1},
    {"if", 1, 1},
    {"then", 1, 1},
    {"else", 1, 1},
    {"unevaluatedItems", 1, 0},
    {"unevaluatedProperties", 1, 0},
    {"contentSchema", 1, 0},
};

class schema_index {
 public:
  explicit schema_index(schema_options const& options) : steps(options.max_compile_steps()), options_(options) {}

  std::vector<place> places;  // one for each subschema
  std::vector<resource> resources;
  std::vector<json::value> documents;
  error fault;  // the first; once set, nothing else matters
  std::uint64_t steps;

  void fail(errc code, std::string text) {
    if (!fault) fault = error(code, "schema: " + std::move(text));
  }

  /// False where the schema's budget is used up, or it has a fault.
  bool pay(std::uint64_t n) {
    if (!fault && !schema_detail::pay(steps, n)) fail_budget();
    return !fault;
  }
  /// For work with texts of `bytes` in all, each of which is copied a few times.
  bool pay_text(std::size_t bytes) { return pay(1 + bytes / 8); }
  void fail_budget() {
    fail(errc::limit_exceeded,
         "it takes more than max_compile_steps (" + std::to_string(options_.max_compile_steps()) + ")");
  }

  /// A violation's schema path for a place.
  [[nodiscard]] std::string path_of(place const& p) const {
    return p.document == 0 ? p.pointer : uris_[p.document] + "#" + p.pointer;
  }

  /// The subschema at `pointer` below another one; none if no keyword puts one there.
  [[nodiscard]] node_id at(std::uint32_t document, std::string const& pointer) const {
    auto const found = by_pointer_.find(key(document, pointer));
    return found == by_pointer_.end() ? none : found->second;
  }

  node_id add_document(std::string uri, json::value const& text, schema_dialect dialect) {
    auto const document = static_cast<std::uint32_t>(documents.size());
    documents.push_back(text);
    uris_.push_back(uri);
    auto const home = static_cast<resource_id>(resources.size());
    resource r;
    r.uri = uri;
    r.document = document;
    r.text = documents.back().view();
    r.rules.dialect = dialect;
    if (auto const named = r.text.find("$schema")) r.rules = profile_of(*named);
    resources.push_back(std::move(r));
    by_uri_.emplace(std::move(uri), home);
    return walk({document, "", documents.back().view(), home}, 0);
  }

  /// The subschema that an absolute URI names; sets the fault when there is none.
  node_id find(std::string const& uri, std::string_view referring) {
    if (!pay_text(uri.size())) return none;
    auto const hash = std::min(uri.find('#'), uri.size());
    auto const home = find_resource(uri.substr(0, hash));
    auto const fragment = hash < uri.size() ? percent_decoded(std::string_view(uri).substr(hash + 1)) : std::string();
    auto found = none;
    if (home && fragment.empty()) {
      found = at(resources[*home].document, resources[*home].pointer);
    } else if (home && fragment.starts_with('/')) {
      found = find_pointer(*home, fragment);
    } else if (home) {
      auto const anchor = resources[*home].anchors.find(fragment);
      if (anchor != resources[*home].anchors.end()) found = anchor->second;
    }
    if (found == none)
      fail(errc::not_found, "unresolved reference \"" + uri + "\" at \"" + std::string(referring) +
                                "\" (comcp fetches no schemas; schema_options::add_document gives one)");
    return found;
  }

 private:
  static std::string key(std::uint32_t document, std::string const& pointer) {
    return std::to_string(document) + pointer;
  }

  static std::string_view without_empty_fragment(std::string_view uri) {
    return uri.ends_with('#') ? uri.substr(0, uri.size() - 1) : uri;
  }

  static std::optional<profile> known_dialect(std::string_view uri) {
    profile p;
    if (uri.starts_with("http://")) uri.remove_prefix(7);
    if (uri.starts_with("https://")) uri.remove_prefix(8);
    if (uri == "json-schema.org/draft/2020-12/schema") return p;
    p.dialect = schema_dialect::draft_7;
    if (uri == "json-schema.org/draft-07/schema") return p;
    return {};
  }

  profile profile_of(json::view named) {
    auto const text = named.get_string();
    if (!text) return fail(errc::invalid_argument, "$schema is no string"), profile();
    auto const uri = without_empty_fragment(*text);
    if (auto const known = known_dialect(uri)) return *known;
    for (auto const& [document_uri, document] : options_.documents()) {
      if (without_empty_fragment(document_uri) == uri) return custom_profile(document.view(), uri);
    }
    fail(errc::unsupported_dialect,
         "unsupported dialect \"" + std::string(uri) + "\" (comcp knows JSON Schema 2020-12 and draft-07)");
    return {};
  }

  profile custom_profile(json::view metaschema, std::string_view uri) {
    auto const base = metaschema.find("$schema");
    auto const base_uri = base ? base->get_string() : std::nullopt;
    auto p = base_uri ? known_dialect(without_empty_fragment(*base_uri)) : std::nullopt;
    if (!p) return fail(errc::unsupported_dialect, "unsupported dialect \"" + std::string(uri) + "\""), profile();
    auto const vocabulary = metaschema.find("$vocabulary");
    if (!vocabulary || p->dialect == schema_dialect::draft_7) return *p;
    p->applicator = p->validation = p->unevaluated = false;
    for (auto const m : vocabulary->members()) {
      std::string_view name = m.key;
      bool const standard = name.starts_with("https://json-schema.org/draft/2020-12/vocab/");
      if (standard) name.remove_prefix(name.rfind('/') + 1);
      if (standard && name == "applicator")
        p->applicator = true;
      else if (standard && name == "validation")
        p->validation = true;
      else if (standard && name == "unevaluated")
        p->unevaluated = true;
      else if (standard && name == "format-assertion")
        p->format_assertion = true;
      else if (!standard && m.value.get_bool() == true)
        fail(errc::unsupported_dialect, "unsupported vocabulary \"" + std::string(name) + "\"");
    }
    return *p;
  }

  node_id walk(place here, std::size_t depth) {
    if (fault) return none;
    auto const position = key(here.document, here.pointer);
    if (auto const known = by_pointer_.find(position); known != by_pointer_.end()) return known->second;
    if (depth > options_.max_depth())
      return fail(errc::limit_exceeded, "nested deeper than max_depth (" + std::to_string(options_.max_depth()) + ")"),
             none;
    // A place, a node and an entry of the table, and the pointer in each of them.
    if (!pay(16 + here.pointer.size() / 4 + 5 * here.text.size())) return none;
    if (places.size() >= options_.max_subschemas())
      return fail(errc::limit_exceeded, "more than max_subschemas (" + std::to_string(options_.max_subschemas()) + ")"),
             none;
    auto const id = static_cast<node_id>(places.size());
    by_pointer_.emplace(position, id);
    places.push_back(here);
    identify(here, id);
    places[id].home = here.home;
    if (here.text.is_object()) walk_children(here, depth);
    return id;
  }

  // $id, $schema and anchors: may move `here` to a new resource.
  void identify(place& here, node_id id) {
    bool const draft_7 = resources[here.home].rules.dialect == schema_dialect::draft_7;
    auto const text_of = [&](std::string_view keyword) {
      auto const v = here.text.find(keyword);
      return v ? v->get_string() : std::nullopt;
    };
    auto const given = draft_7 && here.text.find("$ref") ? std::nullopt : text_of("$id");
    if (given) {
      if (!pay_text(8 * (resources[here.home].uri.size() + given->size()))) return;
      auto const uri = resolve_uri(resources[here.home].uri, *given);
      auto const hash = std::min(uri.find('#'), uri.size());
      if (!given->starts_with('#')) enter(here, uri.substr(0, hash));
      if (hash < uri.size()) resources[here.home].anchors.emplace(uri.substr(hash + 1), id);
    }
    if (resources[here.home].rules.dialect == schema_dialect::draft_7) return;
    for (auto const* const keyword : {"$anchor", "$dynamicAnchor"}) {
      if (auto const name = text_of(keyword)) pay_text(2 * (64 + name->size()));
    }
    if (auto const name = text_of("$anchor")) resources[here.home].anchors.emplace(*name, id);
    if (auto const name = text_of("$dynamicAnchor")) {
      resources[here.home].anchors.emplace(*name, id);
      resources[here.home].dynamic_anchors.emplace(*name, id);
    }
  }

  void enter(place& here, std::string uri) {
    auto& current = resources[here.home];
    if (here.pointer == current.pointer && here.document == current.document) {  // the root of its document
      current.uri = uri;
      by_uri_.emplace(std::move(uri), here.home);
      return;
    }
    resource r;
    r.uri = uri;
    r.document = here.document;
    r.pointer = here.pointer;
    r.text = here.text;
    r.rules = current.rules;
    if (auto const named = here.text.find("$schema")) r.rules = profile_of(*named);
    here.home = static_cast<resource_id>(resources.size());
    resources.push_back(std::move(r));
    by_uri_.emplace(std::move(uri), here.home);
  }

  void walk_children(place const& here, std::size_t depth) {
    bool const draft_7 = resources[here.home].rules.dialect == schema_dialect::draft_7;
    for (auto const& a : applicators) {
      auto const shape = draft_7 ? a.shape_7 : a.shape_2020;
      auto const value = shape ? here.text.find(a.keyword) : std::nullopt;
      if (!value) continue;
      auto const base = here.pointer + "/" + std::string(a.keyword);
      auto const child = [&](std::string const& below, json::view text) {
        if (!pay_text(base.size() + below.size()) || !(text.is_object() || text.get_bool())) return;
        walk({here.document, base + below, text, here.home}, depth + 1);
      };
      if (shape & static_cast<unsigned>(holds::one)) child("", *value);
      if (shape & static_cast<unsigned>(holds::map)) {
        for (auto const m : value->members()) child(pointer_token(m.key), m.value);
      }
      if (shape & static_cast<unsigned>(holds::list)) {
        std::size_t i = 0;
        for (auto const e : value->elements()) child("/" + std::to_string(i++), e);
      }
    }
  }

  std::optional<resource_id> find_resource(std::string const& uri) {
    if (auto const known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
    auto const dialect = resources.front().rules.dialect;
    for (auto const& [given, text] : options_.documents()) {
      if (without_empty_fragment(given) != uri) continue;
      add_document(uri, text, dialect);
    }
    if (uri.starts_with("https://json-schema.org/draft/2020-12/"))
      add_metaschema("https://json-schema.org/draft/2020-12/schema", metaschema_2020_12);
    if (uri == "http://json-schema.org/draft-07/schema") add_metaschema(uri, metaschema_7);
    auto const found = by_uri_.find(uri);
    if (found == by_uri_.end() || fault) return {};
    return found->second;
  }

  void add_metaschema(std::string const& uri, char const* text) {
    if (!by_uri_.contains(uri)) add_document(uri, json::parse(text).value(), schema_dialect::draft_2020_12);
  }

  node_id find_pointer(resource_id home, std::string const& fragment) {
    auto const document = resources[home].document;
    auto const pointer = resources[home].pointer + fragment;
    if (auto const known = at(document, pointer); known != none) return known;
    // Below an unknown keyword: its base is that of the nearest subschema around it.
    auto const target = walked(resources[home].text, fragment);
    if (!target || !(target->is_object() || target->get_bool())) return none;
    for (auto outer = pointer; !outer.empty();) {
      if (!pay_text(outer.size())) return none;
      outer.erase(outer.rfind('/'));
      auto const around = at(document, outer);
      if (around != none) return walk({document, pointer, *target, places[around].home}, 0);
    }
    return none;
  }

  // A JSON Pointer's target, each step paid by what is looked through for it.
  std::optional<json::view> walked(json::view from, std::string_view pointer) {
    while (!pointer.empty()) {
      auto const end = std::min(pointer.find('/', 1), pointer.size());
      if (!pay(1 + from.size() / 4)) return {};
      auto const next = from.pointer(pointer.substr(0, end));
      if (!next) return {};
      from = *next;
      pointer.remove_prefix(end);
    }
    return from;
  }

  schema_options const& options_;
  std::vector<std::string> uris_;
  std::unordered_map<std::string, node_id> by_pointer_;
  std::unordered_map<std::string, resource_id> by_uri_;
};

}  // namespace comcp::schema_detail
