// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// `_meta`: the keys that the protocol reserves, which keys users may set, and the reserved contents as types.
// Spec: 2026-07-28 basic (_meta).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <comcp/protocol/lifecycle.hpp>
#include <comcp/protocol/logging.hpp>
#include <comcp/protocol/peer_id.hpp>

namespace comcp {

namespace meta_key {
inline constexpr std::string_view progress_token = "progressToken";
inline constexpr std::string_view protocol_version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view client_info = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view client_capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view related_task = "io.modelcontextprotocol/related-task";
inline constexpr std::string_view traceparent = "traceparent";
inline constexpr std::string_view tracestate = "tracestate";
inline constexpr std::string_view baggage = "baggage";
}  // namespace meta_key

/// Whether a user may set this key: it follows the naming rule and is none that comcp writes itself. Errors:
/// invalid_argument, which says why.
result<void> check_meta_key(std::string_view key);

/// check_meta_key, and for traceparent, tracestate and baggage whether the value is what W3C Trace Context and Baggage
/// say. Errors: invalid_argument.
result<void> check_meta(std::string_view key, json::view value);
result<void> check_meta(std::string_view key, std::string_view json_text);

/// check_meta for every key; `meta` must be an object, or null for none.
result<void> check_user_meta(json::view meta);

/// What `_meta` of a modern request carries; that of a legacy one has the progress token only.
struct request_meta {
  request_meta() = default;

  std::optional<std::string> protocol_version;
  std::optional<implementation> client_info;
  std::optional<comcp::client_capabilities> client_capabilities;
  std::optional<comcp::log_level> log_level;
  std::optional<comcp::progress_token> progress_token;
  json::value raw;
};
constexpr auto describe(std::type_identity<request_meta>) {
  using t = request_meta;
  return json::fields(json::field(meta_key::protocol_version, &t::protocol_version),
                      json::field(meta_key::client_info, &t::client_info),
                      json::field(meta_key::client_capabilities, &t::client_capabilities),
                      json::field(meta_key::log_level, &t::log_level),
                      json::field(meta_key::progress_token, &t::progress_token), json::rest(&t::raw));
}

/// What `_meta` of a modern result carries.
struct result_meta {
  result_meta() = default;

  std::optional<implementation> server_info;
  std::optional<peer_id> subscription_id;  ///< In the result of subscriptions/listen.
  json::value raw;
};
constexpr auto describe(std::type_identity<result_meta>) {
  using t = result_meta;
  return json::fields(json::field(meta_key::server_info, &t::server_info),
                      json::field(meta_key::subscription_id, &t::subscription_id), json::rest(&t::raw));
}

/// What `_meta` of a notification on a listen stream carries.
struct notification_meta {
  notification_meta() = default;

  std::optional<peer_id> subscription_id;
  json::value raw;
};
constexpr auto describe(std::type_identity<notification_meta>) {
  using t = notification_meta;
  return json::fields(json::field(meta_key::subscription_id, &t::subscription_id), json::rest(&t::raw));
}

/// The server's name in a result's `_meta`, if it is there and readable.
std::optional<implementation> server_info_of(json::view meta);

/// The listen request that a notification's or result's `_meta` belongs to.
std::optional<peer_id> subscription_id_of(json::view meta);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/meta.ipp>
#endif
