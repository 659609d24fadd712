// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a JSON Schema says about one argument, for people and for reading KEY=VALUE. No validation: servers do that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <comcp/json/value.hpp>

namespace cli {

/// The schema behind "$ref": "#/...", or the schema itself.
comcp::json::view resolved(comcp::json::view schema, comcp::json::view root);
/// The alternatives of anyOf and oneOf, or the schema itself.
std::vector<comcp::json::view> alternatives(comcp::json::view schema, comcp::json::view root);
/// The types that a schema without alternatives names; none: any type.
std::vector<std::string> type_names(comcp::json::view schema);
/// "string", "integer|null", "\"a\"|\"b\"", "number[]", "object", "any", ...
std::string type_text(comcp::json::view schema, comcp::json::view root, unsigned depth = 4);

}  // namespace cli
