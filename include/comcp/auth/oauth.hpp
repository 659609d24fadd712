// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// OAuth 2.1 as MCP wants it: the authenticator that finds its way from a server's 401 to a token, keeps it fresh, and asks
// the user only when it must. Opt-in: comcp.hpp does not include it, and it needs OpenSSL (COMCP_WITH_TLS).
// Specification: 2026-07-28, basic/authorization
#pragma once

#if !defined(COMCP_WITH_TLS) || !COMCP_WITH_TLS
#error "comcp: OAuth needs OpenSSL: define COMCP_WITH_TLS=1 (CMake: COMCP_WITH_TLS=ON) and link it."
#endif

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/auth/authenticator.hpp>
#include <comcp/auth/authorization.hpp>
#include <comcp/auth/oauth_options.hpp>

namespace comcp {

/// What is stored for one server, without its secrets.
struct login_status {
  login_status() = default;
  std::string server, resource, issuer, client_id, scope;
  std::string registered_by;  ///< "pre-registered", "metadata document", "dynamic".
  std::optional<token_set::time_point> expires_at;
  bool has_refresh_token = false;
  bool dpop = false;
};

/// An authorization that stopped at its URL: open it, and give the redirect to finish(), here or in another process.
struct started_login {
  started_login(http_url where, pending_authorization what) : url(std::move(where)), state(std::move(what)) {}
  http_url url;
  pending_authorization state;  ///< Its to_json() is a secret.
};

namespace detail {
struct oauth_core;
}

/// The authenticator. Copies share all they know: one oauth serves any number of connections and servers on one executor (on
/// a thread pool: one strand, which connect_options().executor() and login() have in common), and each token goes to the
/// server alone that it was issued for (origin and resource). Flows and refreshes run once for all who wait, and cancelling
/// one who waits does not end them; but a user is waited for only as long as somebody waits for the outcome.
/// However a server behaves, its refusals send the user to a browser no more than 20 times an hour.
class oauth {
 public:
  COMCP_LAZY explicit oauth(oauth_options options = oauth_options());

  /// The whole flow now, whatever is stored. Throws comcp::exception: errc::unauthorized with all that was tried,
  /// login_required without a user agent, timeout, denied by the policy, and the engine's.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> login(std::string_view server);
  /// The flow up to the URL, for a redirect URI of yours.
  COMCP_LAZY [[nodiscard]] asio::awaitable<started_login> begin(std::string_view server, std::string redirect_uri);
  /// The rest of it: checks the redirect, exchanges the code, stores the tokens.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> finish(pending_authorization state, secret redirect);
  /// Revokes the tokens where the authorization server can (RFC 7009), and deletes them here in any case. identity() stays:
  /// for another user with caches of their own, make another oauth.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> logout(std::string_view server);
  /// What is stored; nothing where nobody is logged in.
  COMCP_LAZY [[nodiscard]] asio::awaitable<std::optional<login_status>> status(std::string_view server);

  // What an authenticator has; for transports.
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const& request);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const& request,
                                                                            http_headers const& sent,
                                                                            http_response_head const& got);
  COMCP_LAZY void observed(auth_request const& request, http_response_head const& got) noexcept;
  COMCP_LAZY [[nodiscard]] std::string identity() const;
  /// Of the grant: oauth-client-credentials or enterprise-managed-authorization.
  COMCP_LAZY [[nodiscard]] std::vector<std::string> extensions() const;

 private:
  std::shared_ptr<detail::oauth_core> core_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/oauth.ipp>
#endif
