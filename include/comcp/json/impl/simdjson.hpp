// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The one include of simdjson, the check that it is one we know (3.0 to 4.x), and what differs between them.
#pragma once

#include <simdjson.h>

#include <string_view>

static_assert(simdjson::SIMDJSON_VERSION_MAJOR >= 3, "comcp needs simdjson 3.0 or newer");

namespace comcp::json::detail {

/// Why a text is no JSON; simdjson's own texts change from version to version.
inline char const* parse_failure(simdjson::error_code code) noexcept {
  constexpr auto number = "a malformed number, or one that neither 64 bits nor a double hold";
  switch (code) {
    case simdjson::EMPTY: return "no JSON text";
    case simdjson::UTF8_ERROR: return "not UTF-8";
    case simdjson::UNCLOSED_STRING: return "a string does not end";
    case simdjson::UNESCAPED_CHARS: return "a raw control character in a string";
    case simdjson::STRING_ERROR: return "a malformed string or escape";
    case simdjson::NUMBER_ERROR: return number;
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR: return "a word other than true, false and null";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT: return "an array or object does not end";
    case simdjson::INCORRECT_TYPE: return "a value of another kind";
    default: break;
  }
  // 4.x has a code of its own for large integers, which 3.0 cannot name.
  if (std::string_view(simdjson::error_message(code)).starts_with("BIGINT_ERROR")) return number;
  return "a missing or superfluous comma, bracket, key or value";
}

}  // namespace comcp::json::detail
