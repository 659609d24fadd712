// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The error codes of JSON-RPC and MCP by name, and the data that some of them carry.
// Spec: 2026-07-28 basic (error codes), 2025-11-25 client/elicitation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/protocol/capabilities.hpp>
#include <comcp/protocol/elicitation.hpp>

namespace comcp {

namespace error_codes {
inline constexpr std::int64_t parse_error = -32700;
inline constexpr std::int64_t invalid_request = -32600;
inline constexpr std::int64_t method_not_found = -32601;
inline constexpr std::int64_t invalid_params = -32602;
inline constexpr std::int64_t internal_error = -32603;
inline constexpr std::int64_t resource_not_found = -32002;        ///< Legacy; modern servers say invalid_params.
inline constexpr std::int64_t url_elicitation_required = -32042;  ///< 2025-11-25.
inline constexpr std::int64_t header_mismatch = -32020;
inline constexpr std::int64_t missing_required_client_capability = -32021;
inline constexpr std::int64_t unsupported_protocol_version = -32022;
/// What drafts of 2026-07-28 used for missing_required_client_capability and unsupported_protocol_version.
inline constexpr std::int64_t draft_missing_required_client_capability = -32003;
inline constexpr std::int64_t draft_unsupported_protocol_version = -32004;
/// A client's answer when its user refused a sampling request.
inline constexpr std::int64_t user_rejected = -1;
}  // namespace error_codes

/// The name of a code as above; empty for codes without a fixed meaning.
std::string_view error_code_name(std::int64_t code) noexcept;

/// An error object as it travels.
struct error_object {
  error_object() = default;
  error_object(std::int64_t its_code, std::string text, json::value with = {})
      : code(its_code), message(std::move(text)), data(std::move(with)) {}

  std::int64_t code = 0;
  std::string message;
  json::value data;  ///< Null where absent.
  json::value raw;
};
constexpr auto describe(std::type_identity<error_object>) {
  using t = error_object;
  return json::fields(json::field("code", &t::code), json::field("message", &t::message),
                      json::defaulted("data", &t::data), json::rest(&t::raw));
}

/// The data of unsupported_protocol_version.
struct unsupported_version_data {
  unsupported_version_data() = default;

  std::vector<std::string> supported;
  std::optional<std::string> requested;
  json::value raw;
};
constexpr auto describe(std::type_identity<unsupported_version_data>) {
  using t = unsupported_version_data;
  return json::fields(json::field("supported", &t::supported), json::field("requested", &t::requested),
                      json::rest(&t::raw));
}

/// The data of missing_required_client_capability.
struct missing_capability_data {
  missing_capability_data() = default;

  client_capabilities required_capabilities;
  json::value raw;
};
constexpr auto describe(std::type_identity<missing_capability_data>) {
  using t = missing_capability_data;
  return json::fields(json::field("requiredCapabilities", &t::required_capabilities), json::rest(&t::raw));
}

/// The peer's data of an error as a T; nothing where there is none, or it has another shape.
template <json::readable T>
std::optional<T> error_data(error const& e) {
  if (!e.peer() || e.peer()->data.empty()) return {};
  auto const data = json::parse(e.peer()->data);
  if (!data) return {};
  auto typed = data->template get<T>();
  return typed ? std::optional(*std::move(typed)) : std::nullopt;
}

/// error_data, if the error has the code that goes with it (drafts' codes included).
std::optional<unsupported_version_data> unsupported_version_of(error const& e);
std::optional<missing_capability_data> missing_capability_of(error const& e);
std::optional<url_elicitation_required_data> url_elicitation_required_of(error const& e);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/errors.ipp>
#endif
