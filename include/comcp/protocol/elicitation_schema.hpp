// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The small schemas of a form: one for each kind of field. Spec: client/elicitation (requested schema).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <comcp/protocol/codec.hpp>

namespace comcp {

struct string_schema {
  string_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::int64_t> min_length;
  std::optional<std::int64_t> max_length;
  std::optional<std::string> format;  ///< "email", "uri", "date" or "date-time".
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<string_schema>) {
  using t = string_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("minLength", &t::min_length),
                      json::field("maxLength", &t::max_length), json::field("format", &t::format),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

enum class number_kind { number, integer };
constexpr auto texts(std::type_identity<number_kind>) { return std::array<std::string_view, 2>{"number", "integer"}; }

struct number_schema {
  number_schema() = default;

  number_kind type = number_kind::number;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<double> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<number_schema>) {
  using t = number_schema;
  return json::fields(json::field("type", &t::type), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("minimum", &t::minimum),
                      json::field("maximum", &t::maximum), json::field("default", &t::default_value),
                      json::rest(&t::raw));
}

struct boolean_schema {
  boolean_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<bool> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<boolean_schema>) {
  using t = boolean_schema;
  return json::fields(json::tag("type", "boolean"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("default", &t::default_value),
                      json::rest(&t::raw));
}

/// One choice with the title to show for it.
struct titled_option {
  titled_option() = default;

  std::string value;
  std::string title;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_option>) {
  using t = titled_option;
  return json::fields(json::field("const", &t::value), json::field("title", &t::title), json::rest(&t::raw));
}

/// One of several values. 2025-06-18's EnumSchema is untitled, or legacy_titled where it has enumNames.
struct untitled_single_select_enum_schema {
  untitled_single_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<std::string> values;
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<untitled_single_select_enum_schema>) {
  using t = untitled_single_select_enum_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("enum", &t::values),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

struct titled_single_select_enum_schema {
  titled_single_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<titled_option> options;
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_single_select_enum_schema>) {
  using t = titled_single_select_enum_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("oneOf", &t::options),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

struct legacy_titled_enum_schema {
  legacy_titled_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<std::string> values;
  std::vector<std::string> names;  ///< What to show, in the order of `values`.
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<legacy_titled_enum_schema>) {
  using t = legacy_titled_enum_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("enum", &t::values),
                      json::defaulted("enumNames", &t::names), json::field("default", &t::default_value),
                      json::rest(&t::raw));
}

/// The choices of an untitled multiple selection.
struct untitled_items {
  untitled_items() = default;

  std::vector<std::string> values;
  json::value raw;
};
constexpr auto describe(std::type_identity<untitled_items>) {
  using t = untitled_items;
  return json::fields(json::tag("type", "string"), json::field("enum", &t::values), json::rest(&t::raw));
}

/// The choices of a titled multiple selection.
struct titled_items {
  titled_items() = default;

  std::vector<titled_option> options;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_items>) {
  return json::fields(json::field("anyOf", &titled_items::options), json::rest(&titled_items::raw));
}

/// Several of several values.
struct untitled_multi_select_enum_schema {
  untitled_multi_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  untitled_items items;
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;
  std::optional<std::vector<std::string>> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<untitled_multi_select_enum_schema>) {
  using t = untitled_multi_select_enum_schema;
  return json::fields(json::tag("type", "array"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("items", &t::items),
                      json::field("minItems", &t::min_items), json::field("maxItems", &t::max_items),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

struct titled_multi_select_enum_schema {
  titled_multi_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  titled_items items;
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;
  std::optional<std::vector<std::string>> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_multi_select_enum_schema>) {
  using t = titled_multi_select_enum_schema;
  return json::fields(json::tag("type", "array"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("items", &t::items),
                      json::field("minItems", &t::min_items), json::field("maxItems", &t::max_items),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

/// A field of a kind that comcp does not know.
struct unknown_schema {
  unknown_schema() = default;

  json::value raw;
};
constexpr auto describe(std::type_identity<unknown_schema>) { return json::fields(json::rest(&unknown_schema::raw)); }

/// What one field of a form may hold.
using primitive_schema_definition =
    std::variant<string_schema, number_schema, boolean_schema, untitled_single_select_enum_schema,
                 titled_single_select_enum_schema, legacy_titled_enum_schema, untitled_multi_select_enum_schema,
                 titled_multi_select_enum_schema, unknown_schema>;

template <>
struct json::codec<primitive_schema_definition> {
  static bool read(view v, primitive_schema_definition& out, read_error& e);
  static void write(writer& w, primitive_schema_definition const& from) {
    std::visit([&](auto const& schema) { json::write(w, schema); }, from);
  }
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/elicitation_schema.ipp>
#endif
