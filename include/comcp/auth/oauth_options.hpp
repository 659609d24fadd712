// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of oauth.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <comcp/auth/client_authentication.hpp>
#include <comcp/auth/grant.hpp>
#include <comcp/auth/oauth_http.hpp>
#include <comcp/auth/oauth_profile.hpp>
#include <comcp/auth/token_store.hpp>
#include <comcp/auth/user_agent.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/trace/span.hpp>

namespace comcp {

/// How a client gets its tokens. Regular. Everything has a default that is safe.
class oauth_options {
 public:
  oauth_options() {}

  /// How the user logs in: loopback_redirect(), a browser_callback, or a type of yours. Without one a login ends with
  /// errc::login_required, unless it was begun with oauth::begin().
  oauth_options& user(any_user_agent agent) { return user_ = std::move(agent), *this; }
  /// Where credentials are kept between runs; by default in memory: each run trusts the first issuer anew, unless named.
  oauth_options& store(any_token_store s) { return store_ = std::move(s), *this; }
  /// Separates the credentials of several users of one store. "" by default; printable ASCII.
  oauth_options& account(std::string name) { return account_ = std::move(name), *this; }

  /// A client that an authorization server knows already; more than one for several servers. Name the issuer of each: see
  /// oauth_client::issuer().
  oauth_options& client(oauth_client c) { return profile_.clients.push_back(std::move(c)), *this; }
  /// The URL of a client id metadata document that you host.
  oauth_options& client_metadata_url(std::string url) { return profile_.client_metadata_url = std::move(url), *this; }
  /// What dynamic registration says of the client. Its redirect URIs come from the user agent.
  oauth_options& metadata(client_metadata m) { return profile_.metadata = std::move(m), *this; }
  oauth_options& client_name(std::string name) { return profile_.metadata.client_name = std::move(name), *this; }
  oauth_options& dynamic_registration(bool yes) { return profile_.dynamic_registration = yes, *this; }

  /// A machine's grants, in place of a user's: with client credentials,
  oauth_options& client_credentials() { return profile_.kind = oauth_profile::grant::client_credentials, *this; }
  /// with a JWT that the authorization server trusts (workload identity),
  oauth_options& jwt_bearer(grant_source source) {
    profile_.kind = oauth_profile::grant::jwt_bearer;
    return proofs_.grant = std::move(source), *this;
  }
  /// or with the user's identity at an enterprise's identity provider.
  oauth_options& enterprise(identity_provider idp) {
    profile_.kind = oauth_profile::grant::jwt_bearer;
    return proofs_.idp = std::move(idp), *this;
  }
  /// How client assertions (private_key_jwt) are signed, or where they come from.
  oauth_options& assertions(assertion_options o) { return proofs_.signing = std::move(o), *this; }
  oauth_options& assertions(assertion_source s) { return proofs_.client = std::move(s), *this; }
  /// Tokens bound to a key of this session (RFC 9449). Off by default; on by itself where the server requires it.
  oauth_options& dpop(bool yes = true) { return profile_.dpop = yes, *this; }
  /// Tokens obtained elsewhere, for the one server that the client connects to; a refresh finds its way by discovery, the
  /// first time: then the refresh token is bound to that issuer as a client is, unless issuer() names one.
  oauth_options& tokens(token_set t) { return tokens_ = std::move(t), *this; }

  /// In place of the scopes that the server asks for. Step-up adds to them.
  oauth_options& scope(std::string s) { return profile_.scope = std::move(s), *this; }
  oauth_options& offline_access(bool yes) { return profile_.offline_access = yes, *this; }
  /// The one authorization server, the one resource that are accepted.
  oauth_options& issuer(std::string i) { return profile_.issuer = std::move(i), *this; }
  oauth_options& resource(std::string r) { return profile_.resource = std::move(r), *this; }
  /// Whether a 403 that names missing scopes starts another flow. On by default.
  oauth_options& step_up(bool yes) { return profile_.step_up = yes, *this; }
  oauth_options& choose(server_choice f) { return profile_.choose = std::move(f), *this; }
  /// Asked where tokens would be good for more than this server, as the server says that its resource is a parent of its own
  /// URL ("https://host" for "https://host/mcp"): whether that may be. By default it may; login_status tells the resource.
  oauth_options& accept_wider(std::function<bool(std::string const& resource)> f) {
    return profile_.accept_wider = std::move(f), *this;
  }
  oauth_options& policy(endpoint_policy p) { return profile_.policy = p, *this; }
  /// Revision 2025-03-26: metadata or default endpoints at the server's own origin. On by default.
  oauth_options& legacy_fallback(bool yes) { return profile_.legacy_fallback = yes, *this; }

  /// What carries authorization's own requests; by default an engine of comcp's own that checks resolved addresses.
  oauth_options& sender(oauth_sender s) { return requests_.sender = std::move(s), *this; }
  /// Of the default sender: whom it trusts, and who it says it is. Nothing of the connection to the MCP server is taken
  /// over; a client certificate is offered to every authorization server only where it is given here.
  oauth_options& tls(tls_options o) { return requests_.tls = std::move(o), *this; }
  /// Of the default sender; the environment's by default. What passes through a proxy is checked by its URL alone.
  oauth_options& proxy(proxy_options o) { return requests_.proxy = std::move(o), *this; }
  /// Of each request; 30 s by default.
  oauth_options& timeout(std::chrono::milliseconds d) { return requests_.timeout = d, *this; }
  /// How long the user may take; 5 min by default.
  oauth_options& user_timeout(std::chrono::milliseconds d) { return user_timeout_ = d, *this; }
  /// Tokens are renewed when they are valid for no longer than this, or than a quarter of what they were granted for
  /// where that is less; 60 s by default.
  oauth_options& refresh_ahead(std::chrono::seconds d) { return refresh_ahead_ = d, *this; }
  /// Flows that refusals of one server start until a request succeeds, or an hour is over; 3 by default. What fails before
  /// the user, or the token endpoint, was asked does not count.
  oauth_options& max_attempts(unsigned n) { return max_attempts_ = n, *this; }
  /// What waits are measured with, and what the time of day is: for expiry and signatures. For tests.
  oauth_options& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }
  oauth_options& clock(std::function<token_set::time_point()> f) { return clock_ = std::move(f), *this; }
  /// Of an answer, in bytes; 1 MiB by default.
  oauth_options& max_body(std::size_t n) { return requests_.max_body = n, *this; }
  /// A span for each login, each renewal, and each request of theirs (comcp/trace/span.hpp).
  oauth_options& spans(span_hook hook) { return requests_.spans = std::move(hook), *this; }

  [[nodiscard]] any_user_agent const& user() const noexcept { return user_; }
  [[nodiscard]] any_token_store const& store() const noexcept { return store_; }
  [[nodiscard]] std::string const& account() const noexcept { return account_; }
  [[nodiscard]] oauth_profile const& profile() const noexcept { return profile_; }
  [[nodiscard]] grant_source const& assertion() const noexcept { return proofs_.grant; }
  [[nodiscard]] std::optional<identity_provider> const& enterprise() const noexcept { return proofs_.idp; }
  [[nodiscard]] assertion_options const& assertions() const noexcept { return proofs_.signing; }
  [[nodiscard]] assertion_source const& client_assertion() const noexcept { return proofs_.client; }
  [[nodiscard]] std::optional<token_set> const& tokens() const noexcept { return tokens_; }
  [[nodiscard]] oauth_sender const& sender() const noexcept { return requests_.sender; }
  [[nodiscard]] tls_options const& tls() const noexcept { return requests_.tls; }
  [[nodiscard]] std::optional<proxy_options> const& proxy() const noexcept { return requests_.proxy; }
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept { return requests_.timeout; }
  [[nodiscard]] std::chrono::milliseconds user_timeout() const noexcept { return user_timeout_; }
  [[nodiscard]] std::chrono::seconds refresh_ahead() const noexcept { return refresh_ahead_; }
  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }  ///< Null: steady_time().
  [[nodiscard]] std::function<token_set::time_point()> const& clock() const noexcept { return clock_; }
  [[nodiscard]] unsigned max_attempts() const noexcept { return max_attempts_; }
  [[nodiscard]] std::size_t max_body() const noexcept { return requests_.max_body; }
  [[nodiscard]] span_hook const& spans() const noexcept { return requests_.spans; }

 private:
  // What a client, or a machine's grant, proves itself with.
  struct proofs {
    grant_source grant;
    std::optional<identity_provider> idp;
    assertion_options signing;
    assertion_source client;
  };
  // How authorization's own requests are sent.
  struct requests {
    oauth_sender sender;
    tls_options tls;
    std::optional<proxy_options> proxy;
    std::chrono::milliseconds timeout{30'000};
    std::size_t max_body = std::size_t{1} << 20;
    span_hook spans;
  };

  any_user_agent user_;
  any_token_store store_;
  std::string account_;
  oauth_profile profile_;
  proofs proofs_;
  std::optional<token_set> tokens_;
  requests requests_;
  std::chrono::milliseconds user_timeout_{300'000};
  std::chrono::seconds refresh_ahead_{60};
  std::shared_ptr<time_source> time_;
  std::function<token_set::time_point()> clock_;
  unsigned max_attempts_ = 3;
};

}  // namespace comcp
