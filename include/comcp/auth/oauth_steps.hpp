// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Each step of a flow as a function of its own, for programs that are in charge of theirs. oauth is made of them.
// All throw comcp::exception, errc::unauthorized where a server refused, with what it said.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/auth/authorization.hpp>
#include <comcp/auth/challenge.hpp>
#include <comcp/auth/client_authentication.hpp>
#include <comcp/auth/dpop.hpp>
#include <comcp/auth/metadata.hpp>
#include <comcp/auth/oauth_http.hpp>
#include <comcp/auth/oauth_profile.hpp>
#include <comcp/auth/token.hpp>
#include <comcp/auth/token_endpoint.hpp>
#include <comcp/sansio/oauth_discovery.hpp>

namespace comcp::oauth_steps {

/// Resource and authorization server of an MCP server. The challenge of its 401 shortens the way.
COMCP_LAZY asio::awaitable<sansio::discovered> discover(oauth_sender send, http_url server,
                                                        oauth_profile profile = oauth_profile(),
                                                        std::optional<auth_challenge> challenge = std::nullopt);
/// A registration at a server's endpoint.
COMCP_LAZY asio::awaitable<oauth_client> register_client(oauth_sender send, http_url endpoint, std::string issuer,
                                                         client_metadata about);
/// The authorization request: its url() is for the browser, the rest must be kept. Throws what is refused: an endpoint that
/// the policy does not let pass, PKCE without S256, another server's client, one with a secret and no issuer, a redirect URI that is neither loopback nor https.
COMCP_LAZY pending_authorization authorization_request(sansio::discovered const& at, oauth_client client,
                                                       std::string redirect_uri, std::string scope,
                                                       endpoint_policy policy = endpoint_policy());
/// Tokens for the code of a redirect.
COMCP_LAZY asio::awaitable<token_set> exchange_code(oauth_sender send, token_endpoint at, pending_authorization pending,
                                                    secret redirect);
/// New tokens for a refresh token. Where the answer has no refresh token, the old one goes on. errc::unauthorized with
/// "invalid_grant" in its text says that it is worthless.
COMCP_LAZY asio::awaitable<token_set> refresh(oauth_sender send, token_endpoint at, secret refresh_token,
                                              std::string resource, std::string scope = {});
COMCP_LAZY asio::awaitable<token_set> client_credentials(oauth_sender send, token_endpoint at, std::string resource,
                                                         std::string scope = {});
COMCP_LAZY asio::awaitable<token_set> jwt_bearer(oauth_sender send, token_endpoint at, secret assertion,
                                                 std::string resource, std::string scope = {});

/// Options of a token exchange (RFC 8693). Regular.
struct exchange_request {
  exchange_request(secret subject, std::string subject_type) : subject_token(std::move(subject)), subject_token_type(std::move(subject_type)) {}
  secret subject_token;
  std::string subject_token_type;
  std::string requested_token_type, audience, resource, scope;  ///< Left out where empty.
};
COMCP_LAZY asio::awaitable<token_set> exchange_token(oauth_sender send, token_endpoint at, exchange_request what);
/// RFC 7009; a server that knows the token no more is content.
COMCP_LAZY asio::awaitable<void> revoke(oauth_sender send, token_endpoint at, secret token,
                                        std::string token_type_hint = {});

}  // namespace comcp::oauth_steps

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/oauth_steps.ipp>
#endif
