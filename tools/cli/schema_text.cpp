// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "schema_text.hpp"

#include <algorithm>

#include "text.hpp"

namespace cli {
namespace {

using comcp::json::view;

constexpr std::size_t most_shown = 12;
constexpr std::size_t longest_type = 400, longest_default = 200;  // bytes

std::string joined(std::vector<std::string> const& parts) {
  std::string out;
  for (auto const& part : parts) {
    if (!out.empty()) out += '|';
    out += part;
  }
  return out;
}

}  // namespace

bool schema_reader::spend(std::size_t parts) noexcept {
  parts_ -= std::min(parts_, parts);
  return parts_ > 0;
}

// Step by step, each paid by what is looked through for it.
std::optional<view> schema_reader::target(std::string_view pointer) {
  auto at = root_;
  while (!pointer.empty()) {
    auto const end = std::min(pointer.find('/', 1), pointer.size());
    if (!spend(1 + at.size() / 16)) return {};
    auto const next = at.pointer(pointer.substr(0, end));
    if (!next) return {};
    at = *next;
    pointer.remove_prefix(end);
  }
  return at;
}

view schema_reader::resolved(view schema) {
  for (int hops = 0; hops < 8 && spend(1 + schema.size() / 16); ++hops) {
    auto const ref = schema.find("$ref");
    auto const text = ref ? ref->get_string() : std::nullopt;
    if (!text || !text->starts_with('#')) break;
    auto const found = target(text->substr(1));
    if (!found) break;
    schema = *found;
  }
  return schema;
}

std::vector<view> schema_reader::alternatives(view schema) {
  auto const one = resolved(schema);
  for (auto const* const key : {"anyOf", "oneOf"}) {
    auto const list = one.find(key);
    if (!list || list->size() == 0) continue;
    std::vector<view> all;
    for (auto const e : list->elements()) {
      if (!spend()) break;
      all.push_back(resolved(e));
    }
    return all;
  }
  return {one};
}

std::vector<std::string> type_names(view schema) {
  constexpr std::size_t known = 7;  // kinds of values
  std::vector<std::string> names;
  auto const type = schema.find("type");
  if (!type) return names;
  if (auto const one = type->get_string()) names.emplace_back(*one);
  for (auto const e : type->elements()) {
    if (names.size() == known) break;
    names.emplace_back(e.get_string().value_or("any"));
  }
  return names;
}

std::string schema_reader::choices(view values) {
  std::vector<std::string> parts;
  for (auto const v : values.elements()) {
    if (parts.size() == most_shown || !spend()) {
      parts.emplace_back("...");
      break;
    }
    parts.push_back(v.dump());
    spend(parts.back().size() / 64);
  }
  return joined(parts);
}

std::string schema_reader::type_text(view schema) {
  unsigned left = 2 * most_shown;
  return one_line(shortened(text_of(schema, 4, left), longest_type));
}

std::string schema_reader::default_text(view schema) {
  auto const preset = schema.find("default");
  if (!preset || is_exhausted()) return {};
  auto const text = preset->dump();
  spend(text.size() / 64);
  return one_line(shortened(text, longest_default));
}

std::string schema_reader::text_of(view schema, unsigned depth, unsigned& left) {
  if (left == 0 || !spend()) return "any";
  --left;
  if (depth == 0) return "any";
  auto const all = alternatives(schema);
  if (all.empty()) return "any";
  if (all.size() > 1) {
    std::vector<std::string> parts;
    for (auto const one : all) {
      if (parts.size() == most_shown || left == 0) {
        parts.emplace_back("...");
        break;
      }
      parts.push_back(text_of(one, depth - 1, left));
    }
    return joined(parts);
  }
  auto const& one = all.front();
  if (auto const values = one.find("enum")) return choices(*values);
  if (auto const value = one.find("const")) {
    auto text = value->dump();
    spend(text.size() / 64);
    return text;
  }
  auto names = type_names(one);
  if (names.empty()) return one.find("properties") ? "object" : "any";
  for (auto& name : names) {
    if (name != "array") continue;
    auto const items = one.find("items");
    auto const inner = items ? text_of(*items, depth - 1, left) : "any";
    name = inner.find('|') == std::string::npos ? inner + "[]" : "(" + inner + ")[]";
  }
  auto text = joined(names);
  auto const format = one.find("format");
  if (text == "string" && format) text.append(" (").append(format->get_string().value_or("?")).append(")");
  spend(text.size() / 64);
  return text;
}

}  // namespace cli
