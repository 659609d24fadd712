// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a flow decides once discovery is done, each by itself: which client to be, which scopes to ask for, whether
// tokens are bound to a key, and what is no redirect URI. Pure. Specification: 2026-07-28,
// basic/authorization/client-registration
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/auth/oauth_profile.hpp>
#include <comcp/auth/registration.hpp>
#include <comcp/sansio/oauth_discovery.hpp>

namespace comcp::sansio {

namespace detail {
bool has(std::vector<std::string> const& list, std::string_view name);
}  // namespace detail

/// The client to be. Without one, dynamic registration is the way.
struct client_choice {
  client_choice() = default;
  std::optional<oauth_client> client;
  std::string registered_by;  ///< As in login_status.
};

namespace detail {
/// The client for this issuer, else one that is for any; null where there is none.
oauth_client const* pre_registered(std::vector<oauth_client> const& clients, std::string_view issuer);
}  // namespace detail

/// Something that one authorization server alone may see, and where it would go: 2026-07-28, "Authorization Server Binding".
struct issuer_binding {
  issuer_binding() = default;
  std::string of;       ///< As stores and errors name it: "client ID"; empty: nothing is bound.
  std::string issuer;   ///< Of the authorization server that the MCP server names.
  bool named = false;   ///< The user named this issuer: what was stored before is no matter.
  bool found = true;    ///< By metadata; false: a secret for addresses that are assumed.

  /// Whether it may go there. `bound` is what is stored of it: the issuer that was the first, or was named.
  /// errc::unauthorized with both names.
  [[nodiscard]] result<void> check(std::optional<std::string> const& bound) const;
};
/// Of this client; nothing for a registration, which is kept for its issuer alone, and for the id of a metadata document.
issuer_binding client_binding(oauth_profile const& profile, discovered const& at, client_choice const& choice);
/// Of something else that is for this MCP server: "tokens", "assertions".
issuer_binding server_binding(oauth_profile const& profile, discovered const& at, char const* what);

/// By what the credentials of an authorization server are kept: its issuer, its origin where nothing is published.
std::string issuer_key(discovered const& at);

/// In the specified order: pre-registered, metadata document, dynamic. errc::unauthorized where nothing is left, and
/// where every pre-registered client belongs to other authorization servers.
result<client_choice> choose_client(oauth_profile const& profile, discovered const& at);

/// "challenge, else scopes_supported, else none", with what the profile says and what was granted before.
std::string choose_scope(oauth_profile const& profile, discovered const& at, std::string_view granted, bool step_up);

/// Whether tokens are bound to a key. errc::unauthorized where they must be, and the servers do not take ES256.
result<bool> choose_dpop(oauth_profile const& profile, discovered const& at);

/// What registers: the profile's metadata with this redirect URI, and an authentication method that the server
/// supports.
client_metadata registration_metadata(oauth_profile const& profile, discovered const& at,
                                      std::string const& redirect_uri);

/// https with a path, and nothing that differs from its normal form; errc::invalid_argument.
result<void> check_client_metadata_url(std::string_view url);
/// http of loopback or https; errc::invalid_argument.
result<void> check_redirect_uri(std::string_view uri);

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/sansio/impl/oauth_choices.ipp>
#endif
