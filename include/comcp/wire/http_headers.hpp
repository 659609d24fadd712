// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the modern era mirrors from a message into the headers of its POST, and how values are written there. The
// rest of the request, and what to do with a tool whose definition is refused, is for others.
// Specification: 2026-07-28, basic/transports/streamable-http#request-metadata
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/json/padded_text.hpp>
#include <comcp/json/value.hpp>
#include <comcp/protocol/lifecycle.hpp>
#include <comcp/wire/method.hpp>

namespace comcp::wire {

using header_list = std::vector<std::pair<std::string, std::string>>;

/// `text` as a header value: as it is where that is safe, else `=?base64?...?=`.
/// Specification: #value-encoding
[[nodiscard]] std::string header_value(std::string_view text);

/// MCP-Protocol-Version, Mcp-Method and, for tools/call, prompts/get and resources/read, Mcp-Name: the tool, the
/// prompt or the uri. Errors: invalid_argument (a method that no header can carry: it has no encoded form; one of
/// those three without a name).
/// Specification: #protocol-version-header, #standard-request-headers
[[nodiscard]] result<header_list> request_headers(protocol_version version, method const& m,
                                                  std::optional<std::string> const& name);

/// What a request is about, as its params (an object's text) say it: the `name` of tools/call and prompts/get, the `uri`
/// of resources/read, subscribe and unsubscribe. Nothing for other methods, and where that member is not there once, as
/// a string.
[[nodiscard]] std::optional<std::string> name_in(method const& m, padded_text params);
[[nodiscard]] std::optional<std::string> name_in(method const& m, std::string params);

/// One argument that a tool wants mirrored.
class param_header {
 public:
  param_header() = default;
  param_header(std::string header, std::vector<std::string> argument)
      : name(std::move(header)), path(std::move(argument)) {}

  std::string name;               ///< With its prefix: `Mcp-Param-Region`.
  std::vector<std::string> path;  ///< Keys that lead to the argument.
};

/// The `x-mcp-header` annotations of a tool's inputSchema, none for most tools. Errors: protocol_violation, with the
/// place and the reason: over HTTP the tool must be set aside.
/// Specification: #schema-extension
[[nodiscard]] result<std::vector<param_header>> find_param_headers(json::view input_schema);

/// The headers that mirror these arguments of a call. What is absent or null has none; an empty string has an empty
/// one. Errors: invalid_argument (an integer beyond 2^53 - 1, a fraction, an array or an object in such a place).
/// Specification: #custom-headers-from-tool-parameters
[[nodiscard]] result<header_list> param_headers(std::vector<param_header> const& wanted, json::view arguments);

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/wire/impl/http_headers.ipp>
#endif
