// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a schema is compiled to: one node for each subschema, with one rule for each group of keywords.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/json/value.hpp>
#include <comcp/schema/pattern.hpp>
#include <comcp/schema/schema.hpp>

namespace comcp::schema_detail {

using node_id = std::uint32_t;
using resource_id = std::uint32_t;
inline constexpr node_id none = 0xFFFFFFFF;

enum class rule_kind : std::uint8_t {
  reference,
  dynamic_reference,
  type,
  enumeration,
  constant,
  number_bound,  // minimum and the like; `compare` says which
  multiple,
  length,  // strings, arrays, objects: `number` to `limit`
  text_pattern,
  format,
  unique,
  required,
  dependent_required,
  members,  // properties, patternProperties, additionalProperties
  member_names,
  items,
  contains,
  all_of,
  any_of,
  one_of,
  negation,
  condition,
  dependent_schemas,
  unevaluated_items,
  unevaluated_members,
};

enum class bound : std::uint8_t { at_least, above, at_most, below };
enum class counted : std::uint8_t { characters, items, members };

struct rule {
  rule_kind what;
  std::string_view keyword;  // a literal: for the schema path
  json::view arg;
  bound compare = bound::at_least;
  counted counts = counted::items;
  std::size_t number = 0;  // a bound, or the mask of types
  std::size_t limit = static_cast<std::size_t>(-1);
  node_id sub = none, then_sub = none, else_sub = none;
  std::vector<node_id> subs;
  std::vector<std::pair<std::string_view, node_id>> named;  // sorted
  std::vector<std::pair<pattern, node_id>> patterns;
  std::vector<std::string_view> names;
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> lists;
};

struct node {
  std::string path;  // of the subschema, as in violation::schema
  resource_id resource = 0;
  std::optional<bool> always;  // a boolean schema
  bool has_unevaluated = false;
  std::vector<rule> rules;
};

struct program {
  std::vector<json::value> documents;  // keep every view alive; the first is the schema's own text
  std::vector<node> nodes;             // the first is the root
  std::map<std::string, std::map<resource_id, node_id>, std::less<>> dynamic_anchors;
  schema_dialect dialect = schema_dialect::draft_2020_12;
  std::size_t max_depth = 0, max_violations = 0;
  std::uint64_t max_steps = 0;
};

}  // namespace comcp::schema_detail
