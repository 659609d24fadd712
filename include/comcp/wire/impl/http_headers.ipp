// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>

#include <comcp/json/reader.hpp>
#include <comcp/protocol/base64.hpp>
#include <comcp/wire/http_headers.hpp>

namespace comcp::wire {
namespace detail {

inline constexpr std::string_view param_annotation = "x-mcp-header";
inline constexpr std::string_view param_prefix = "Mcp-Param-";
inline constexpr std::int64_t largest_safe_integer = (std::int64_t{1} << 53) - 1;

// RFC 9110 section 5.6.2. Not isalnum: it asks the locale.
COMCP_DECL bool is_token(std::string_view text) noexcept {
  return !text.empty() && text.find_first_not_of("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
}

// A tab is a control character to some peers and may be rewritten on the way: it counts as unsafe everywhere.
COMCP_DECL bool is_plain(std::string_view text) noexcept {
  if (text.starts_with(' ') || text.ends_with(' ')) return false;
  if (text.starts_with("=?base64?") && text.ends_with("?=")) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

COMCP_DECL std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Keywords whose value is a schema or an array of them, and those whose value maps names to schemas. Other keywords
// hold data (`const`, `default`, `enum`, ...), where the annotation's name means nothing.
inline constexpr std::array<std::string_view, 16> keywords_of_schemas = {
    "items", "prefixItems", "additionalItems", "contains", "unevaluatedItems", "additionalProperties",
    "unevaluatedProperties", "propertyNames", "contentSchema", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"};
inline constexpr std::array<std::string_view, 5> keywords_of_named_schemas = {
    "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"};

class param_finder {
 public:
  explicit param_finder(json::view root) : root_(root) {}

  result<std::vector<param_header>> run() {
    visit(root_, true);
    if (fault_) return *fault_;
    return std::move(found_);
  }

 private:
  // `reachable`: only `properties` led here from the root.
  void visit(json::view schema, bool reachable) {
    if (fault_) return;
    if (auto const name = schema.find(param_annotation)) annotated(schema, *name, reachable);
    for (auto const [keyword, value] : schema.members()) {
      if (keyword == "properties") {
        properties(value, reachable);
      } else if (is_one_of(keyword, keywords_of_schemas)) {
        visit(value, false);
        for (auto const branch : value.elements()) visit(branch, false);
      } else if (is_one_of(keyword, keywords_of_named_schemas)) {
        for (auto const branch : value.members()) visit(branch.value, false);
      }
    }
  }

  void properties(json::view named, bool reachable) {
    for (auto const [name, schema] : named.members()) {
      path_.emplace_back(name);
      visit(schema, reachable);
      path_.pop_back();
    }
  }

  void annotated(json::view schema, json::view annotation, bool reachable) {
    auto const name = annotation.get_string();
    auto const type = schema.find("type");
    auto const type_name = type ? type->get_string() : std::nullopt;
    if (!reachable || path_.empty()) {
      refuse(schema, "it is no property that a chain of `properties` alone leads to");
    } else if (!name || !is_token(*name)) {
      refuse(schema, "its value is no header name");
    } else if (type_name != "string" && type_name != "integer" && type_name != "boolean") {
      refuse(schema, "the type is not string, integer or boolean");
    } else if (weight_ += weight(*name); weight_ > most) {
      refuse(schema, "the headers and the paths to them are too long");
    } else if (!names_.insert(lower(*name)).second) {
      refuse(schema, "another property has the header " + std::string(*name));
    } else {
      found_.emplace_back(std::string(param_prefix).append(*name), path_);
    }
  }

  void refuse(json::view schema, std::string const& why) {
    fault_ = error(errc::protocol_violation, "x-mcp-header of inputSchema" + schema.path(root_) + ": " + why);
  }

  static bool is_one_of(std::string_view keyword, std::span<std::string_view const> list) noexcept {
    return std::find(list.begin(), list.end(), keyword) != list.end();
  }

  // Each header has the keys that lead to it, which may be long and shared by many.
  [[nodiscard]] std::size_t weight(std::string_view name) const noexcept {
    auto sum = name.size();
    for (auto const& key : path_) sum += key.size() + sizeof key;
    return sum;
  }
  static constexpr std::size_t most = 64 * 1024;

  json::view root_;
  std::size_t weight_ = 0;
  std::vector<std::string> path_;
  std::set<std::string> names_;
  std::vector<param_header> found_;
  std::optional<error> fault_;
};

struct named_member final : json::member_sink {
  explicit named_member(std::string_view k) : key(k) {}
  inline bool on_member(std::string_view found, std::string_view text) override {
    if (found != key) return true;
    raw = text;
    return ++times == 1;  // readers differ about which of two counts
  }
  std::string_view key;
  std::string raw;
  int times = 0;
};

// Null where nothing is there.
COMCP_DECL json::view argument_at(json::view arguments, std::vector<std::string> const& path) noexcept {
  for (auto const& key : path) {
    auto const next = arguments.find(key);
    if (!next) return {};
    arguments = *next;
  }
  return arguments;
}

// The text that stands for a value; nothing for one that has none.
COMCP_DECL std::optional<std::string> header_text(json::view value) {
  if (auto const text = value.get_string()) return std::string(*text);
  if (auto const flag = value.get_bool()) return *flag ? "true" : "false";
  auto const number = value.get_int64();
  if (!number || *number > largest_safe_integer || *number < -largest_safe_integer) return {};
  return std::to_string(*number);
}

}  // namespace detail

COMCP_DECL std::string header_value(std::string_view text) {
  if (detail::is_plain(text)) return std::string(text);
  return "=?base64?" + to_base64(std::as_bytes(std::span(text))) + "?=";
}

COMCP_DECL result<header_list> request_headers(protocol_version version, method const& m,
                                               std::optional<std::string> const& name) {
  if (m.name().empty() || !detail::is_plain(m)) {
    return error(errc::invalid_argument, "the method cannot be carried by the header Mcp-Method");
  }
  header_list out;
  out.emplace_back("MCP-Protocol-Version", version.text());
  out.emplace_back("Mcp-Method", m.name());
  if (m.rules().is_mirrored) {
    if (!name) return error(errc::invalid_argument, "the params of " + m.text() + " name nothing: Mcp-Name has no value");
    out.emplace_back("Mcp-Name", header_value(*name));
  }
  return out;
}

COMCP_DECL std::optional<std::string> name_in(method const& m, std::string params) { return name_in(m, pad(params)); }

COMCP_DECL std::optional<std::string> name_in(method const& m, padded_text params) {
  if (!m.rules().subject || params.size() == 0) return {};
  detail::named_member wanted(m.rules().subject);
  auto const scanned = json::scan_object(params, wanted);
  if (!scanned || wanted.times != 1) return {};
  auto const name = json::unescape(wanted.raw);
  return name ? std::optional(*name) : std::nullopt;
}

COMCP_DECL result<std::vector<param_header>> find_param_headers(json::view input_schema) {
  return detail::param_finder(input_schema).run();
}

COMCP_DECL result<header_list> param_headers(std::vector<param_header> const& wanted, json::view arguments) {
  header_list out;
  for (auto const& header : wanted) {
    auto const value = detail::argument_at(arguments, header.path);
    if (value.is_null()) continue;
    auto const text = detail::header_text(value);
    if (!text) {
      return error(errc::invalid_argument, "the argument " + value.path(arguments) + " of the header " + header.name +
                                               " is no string, boolean or integer within 2^53 - 1");
    }
    out.emplace_back(header.name, header_value(*text));
  }
  return out;
}

}  // namespace comcp::wire
