// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <comcp/json/describe.hpp>

#include "exit_codes.hpp"
#include "schema_text.hpp"
#include "suggest.hpp"
#include "text.hpp"

namespace cli {
namespace {

using comcp::json::kind;
using comcp::json::view;

// A value as it was given, and as the JSON that it may be.
struct given_value {
  explicit given_value(std::string const& given) : text(given), parsed(comcp::json::parse(given)) {}
  std::string const& text;
  comcp::result<comcp::json::value> parsed;
};

// The value's JSON text when the schema, which has no alternatives, lets it be so.
std::optional<std::string> as_alternative(given_value const& value, view schema, schema_reader& reader, unsigned depth);

std::optional<std::string> as_choice(given_value const& value, view choices, schema_reader& reader) {
  for (auto const c : choices.elements()) {
    if (!reader.spend()) break;
    if (c.is_string() ? c.get_string() == value.text : value.parsed && c == value.parsed->view()) return c.dump();
  }
  return {};
}

bool is_of_type(view v, std::string_view type) noexcept {
  if (type == "integer") return v.get_int64() || v.get_uint64();
  if (type == "number") return v.is_number();
  if (type == "boolean") return v.kind() == kind::boolean;
  if (type == "null") return v.is_null();
  if (type == "array") return v.is_array();
  return type == "object" && v.is_object();
}

// `depth`: lists in lists, each of which may be written as its only element.
std::optional<std::string> as_schema(given_value const& value, view schema, schema_reader& reader, unsigned depth = 4) {
  for (auto const one : reader.alternatives(schema)) {
    if (auto found = as_alternative(value, one, reader, depth)) return found;
  }
  return {};
}

std::optional<std::string> as_alternative(given_value const& value, view schema, schema_reader& reader, unsigned depth) {
  if (!reader.spend()) return {};
  if (auto const choices = schema.find("enum")) return as_choice(value, *choices, reader);
  auto const& parsed = value.parsed;
  auto const types = type_names(schema);
  if (types.empty()) {
    bool const readable = parsed && !parsed->is_string() && !value.text.empty();
    return readable ? parsed->dump() : comcp::json::to_text(value.text);
  }
  for (auto const& type : types) {
    if (type != "string" && parsed && is_of_type(parsed->view(), type)) return parsed->dump();
  }
  if (std::find(types.begin(), types.end(), "string") != types.end()) return comcp::json::to_text(value.text);
  auto const items = schema.find("items");
  if (depth == 0 || std::find(types.begin(), types.end(), "array") == types.end() || !items) return {};
  auto const element = as_schema(value, *items, reader, depth - 1);
  return element ? std::optional("[" + *element + "]") : std::nullopt;
}

[[noreturn]] void complain_unfit(std::string const& key, std::string const& value, view schema, schema_reader& reader) {
  if (reader.is_exhausted())
    throw usage_error(key + ": the tool's schema is too large to read this by it; write " + key + ":=JSON");
  throw usage_error(key + ": '" + value + "' does not fit " + reader.type_text(schema));
}

std::string list_of(std::vector<std::string> const& values, std::string const& key, view schema, schema_reader& reader) {
  auto const all = reader.alternatives(schema);
  auto const is_list = [](view one) {
    auto const types = type_names(one);
    return std::find(types.begin(), types.end(), "array") != types.end();
  };
  auto const list = std::find_if(all.begin(), all.end(), is_list);
  if (list == all.end()) throw usage_error("'" + key + "' was given more than once, and is no list");
  auto const items = list->find("items");
  std::string text;
  for (auto const& value : values) {
    auto const element = items ? as_schema(given_value(value), *items, reader) : comcp::json::to_text(value);
    if (!element) complain_unfit(key, value, *items, reader);
    text.append(text.empty() ? "[" : ",").append(*element);
  }
  return text + "]";
}

// Whether the schema is of the plain kind, whose properties are all that there are. It would not have to be so, but what
// else would a mistyped name look like?
bool is_closed(view schema) {
  if (auto const more = schema.find("additionalProperties")) return more->get_bool() == false;
  for (auto const* const open : {"patternProperties", "$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"}) {
    if (schema.find(open)) return false;
  }
  return schema.find("properties").has_value();
}

// What the schema says about `key`; nothing where it says nothing.
std::optional<view> property(std::string const& key, view schema) {
  auto const properties = schema.find("properties");
  auto const found = properties ? properties->find(key) : std::nullopt;
  if (found) return found;
  if (!is_closed(schema)) return {};
  std::vector<std::string> names;
  if (properties) {
    for (auto const m : properties->members()) names.emplace_back(m.key);
  }
  std::string known;
  constexpr std::size_t most = 2000;
  for (auto const& name : names) {
    known.append(known.empty() ? "" : ", ").append(known.size() < most ? one_line(name) : "...");
    if (known.size() >= most) break;
  }
  throw usage_error("the tool has no argument '" + key + "'" + did_you_mean(key, names) + "\n  known: " +
                    (known.empty() ? "none" : known) + " (--args sends any)");
}

std::string value_text(std::string const& key, std::vector<std::string> const& values, schema_reader& reader) {
  auto const about = property(key, reader.root());
  if (values.size() > 1) return list_of(values, key, about.value_or(view()), reader);
  if (!about) return comcp::json::to_text(values.front());
  auto text = as_schema(given_value(values.front()), *about, reader);
  if (text) return *text;
  complain_unfit(key, values.front(), *about, reader);
}

comcp::json::value parse_or_complain(std::string const& what, std::string const& text) {
  auto parsed = comcp::json::parse(text);
  if (!parsed) throw usage_error(what + " is no JSON: " + std::string(parsed.error().message()));
  return std::move(*parsed);
}

}  // namespace

std::vector<pair> parse_pairs(std::vector<std::string> const& texts) {
  std::vector<pair> all;
  for (auto const& text : texts) {
    auto const equals = text.find('=');
    bool const is_json = equals != std::string::npos && equals > 0 && text[equals - 1] == ':';
    auto const length = is_json ? equals - 1 : equals;
    if (equals == std::string::npos || length == 0)
      throw usage_error("'" + text + "' is neither KEY=VALUE nor KEY:=JSON");
    pair p{text.substr(0, length), text.substr(equals + 1), is_json};
    if (is_json) p.value = parse_or_complain("the value of " + p.key, p.value).dump();
    all.push_back(std::move(p));
  }
  return all;
}

std::vector<std::string> undeclared(std::string const& whole, view schema) {
  auto const given = whole.empty() || !is_closed(schema) ? comcp::result<comcp::json::value>(comcp::json::value())
                                                         : comcp::json::parse(whole);
  std::vector<std::string> names;
  if (!given) return names;
  auto const properties = schema.find("properties").value_or(view());
  for (auto const m : given->view().members()) {
    if (!properties.find(m.key)) names.emplace_back(m.key);
  }
  return names;
}

comcp::json::fragment tool_arguments(std::vector<pair> const& pairs, std::string const& whole, view schema) {
  std::vector<std::string> order;
  std::map<std::string, std::string> texts;
  auto const set = [&](std::string const& key, std::string text) {
    if (!texts.contains(key)) order.push_back(key);
    texts[key] = std::move(text);
  };
  if (!whole.empty()) {
    auto const given = parse_or_complain("--args", whole);
    if (!given.is_object()) throw usage_error("--args: not a JSON object");
    for (auto const m : given.members()) set(std::string(m.key), m.value.dump());
  }
  std::map<std::string, std::vector<std::string>> plain;
  for (auto const& p : pairs) {
    if (p.is_json) {
      (void)property(p.key, schema);
      set(p.key, p.value);
    } else {
      plain[p.key].push_back(p.value);
      set(p.key, {});
    }
  }
  schema_reader reader(schema);
  for (auto const& [key, values] : plain) set(key, value_text(key, values, reader));
  comcp::json::writer w;
  w.begin_object();
  for (auto const& key : order) w.key(key).raw(texts[key]);
  w.end_object();
  return comcp::json::fragment::trusted(std::move(w).text());
}

std::map<std::string, std::string> string_arguments(std::vector<pair> const& pairs) {
  std::map<std::string, std::string> all;
  for (auto const& p : pairs) {
    if (!all.emplace(p.key, p.value).second) throw usage_error("'" + p.key + "' was given more than once");
  }
  return all;
}

comcp::json::fragment template_variables(std::vector<pair> const& pairs) {
  comcp::json::writer w;
  w.begin_object();
  for (auto const& p : pairs) {
    w.key(p.key).raw(p.is_json ? p.value : comcp::json::to_text(p.value));
  }
  w.end_object();
  return comcp::json::fragment::trusted(std::move(w).text());
}

}  // namespace cli
