// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "schema_text.hpp"

namespace cli {
namespace {

using comcp::json::view;

std::string joined(std::vector<std::string> const& parts) {
  std::string out;
  for (auto const& part : parts) {
    if (!out.empty()) out += '|';
    out += part;
  }
  return out;
}

std::string choices(view values) {
  constexpr std::size_t shown = 12;
  std::vector<std::string> parts;
  for (auto const v : values.elements()) {
    if (parts.size() == shown) {
      parts.emplace_back("...");
      break;
    }
    parts.push_back(v.dump());
  }
  return joined(parts);
}

}  // namespace

view resolved(view schema, view root) {
  for (int hops = 0; hops < 8; ++hops) {
    auto const ref = schema.find("$ref");
    auto const text = ref ? ref->get_string() : std::nullopt;
    if (!text || !text->starts_with('#')) break;
    auto const found = root.pointer(text->substr(1));
    if (!found) break;
    schema = *found;
  }
  return schema;
}

std::vector<view> alternatives(view schema, view root) {
  auto const one = resolved(schema, root);
  for (auto const* const key : {"anyOf", "oneOf"}) {
    auto const list = one.find(key);
    if (!list || list->size() == 0) continue;
    std::vector<view> all;
    for (auto const e : list->elements()) all.push_back(resolved(e, root));
    return all;
  }
  return {one};
}

std::vector<std::string> type_names(view schema) {
  std::vector<std::string> names;
  auto const type = schema.find("type");
  if (!type) return names;
  if (auto const one = type->get_string()) names.emplace_back(*one);
  for (auto const e : type->elements()) names.emplace_back(e.get_string().value_or("any"));
  return names;
}

std::string type_text(view schema, view root, unsigned depth) {
  auto const all = alternatives(schema, root);
  if (depth == 0) return "any";
  if (all.size() > 1) {
    std::vector<std::string> parts;
    for (auto const one : all) parts.push_back(type_text(one, root, depth - 1));
    return joined(parts);
  }
  auto const& one = all.front();
  if (auto const values = one.find("enum")) return choices(*values);
  if (auto const value = one.find("const")) return value->dump();
  auto names = type_names(one);
  if (names.empty()) return one.find("properties") ? "object" : "any";
  for (auto& name : names) {
    if (name != "array") continue;
    auto const items = one.find("items");
    auto const inner = items ? type_text(*items, root, depth - 1) : "any";
    name = inner.find('|') == std::string::npos ? inner + "[]" : "(" + inner + ")[]";
  }
  auto text = joined(names);
  auto const format = one.find("format");
  if (text == "string" && format) text.append(" (").append(format->get_string().value_or("?")).append(")");
  return text;
}

}  // namespace cli
