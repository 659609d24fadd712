// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a JSON Schema says about one argument, for people and for reading KEY=VALUE. No validation: servers do that.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/json/value.hpp>

namespace cli {

/// Looks at the schema of one tool, which may refer to itself: all that it is asked has one bound.
class schema_reader {
 public:
  /// About one part for each subschema, choice and member that is looked at.
  static constexpr std::size_t most_parts = 200'000;

  explicit schema_reader(comcp::json::view root, std::size_t parts = most_parts) : root_(root), parts_(parts) {}

  /// False when the bound is met; from then on, subschemas say nothing.
  bool spend(std::size_t parts = 1) noexcept;
  [[nodiscard]] bool is_exhausted() const noexcept { return parts_ == 0; }
  [[nodiscard]] comcp::json::view root() const noexcept { return root_; }

  /// The schema behind "$ref": "#/...", or the schema itself.
  comcp::json::view resolved(comcp::json::view schema);
  /// The alternatives of anyOf and oneOf, or the schema itself.
  std::vector<comcp::json::view> alternatives(comcp::json::view schema);
  /// "string", "integer|null", "\"a\"|\"b\"", "number[]", "object", "any", ..., cut with "..." where there are many.
  /// One line of harmless text.
  std::string type_text(comcp::json::view schema);
  /// The start of the default; empty where there is none. One line of harmless text.
  std::string default_text(comcp::json::view schema);

 private:
  std::string text_of(comcp::json::view schema, unsigned depth, unsigned& left);
  std::string choices(comcp::json::view values);
  std::optional<comcp::json::view> target(std::string_view pointer);

  comcp::json::view root_;
  std::size_t parts_;
};

/// The types that a schema without alternatives names; none: any type.
std::vector<std::string> type_names(comcp::json::view schema);

}  // namespace cli
