// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/auth/oauth.hpp>
#include <comcp/auth/oauth_run.hpp>

namespace comcp {
namespace oauth_detail {

using detail::core_ptr;
using detail::session_ptr;

// Throws for what is no URL.
inline session_ptr session_of(core_ptr const& core, std::string const& server) {
  return core->session(http_url::parse(server).value());
}

COMCP_LAZY inline asio::awaitable<result<void>> whole_flow(core_ptr core, session_ptr s) {
  auto challenge = co_await detail::ask_for_challenge(core, s);
  auto done = co_await detail::authorize(core, s, std::move(challenge), false);
  co_return done;
}

COMCP_LAZY inline asio::awaitable<void> login(core_ptr core, std::string server) {
  auto const s = session_of(core, server);
  s->attempts = s->visits = 0;
  // What was granted before may be there. If it cannot be read, the login replaces it.
  if (!s->loaded) (void)co_await detail::load_session(core, s);
  auto work = whole_flow(core, s);
  auto const done = co_await detail::fly(s, &detail::oauth_session::authorizing, std::move(work));
  done.value();
  s->attempts = s->visits = 0;
}

COMCP_LAZY inline asio::awaitable<started_login> begin(core_ptr core, std::string server, std::string redirect_uri) {
  auto const s = session_of(core, server);
  auto begun = co_await detail::begin_flow(core, s, std::move(redirect_uri));
  auto state = std::move(begun).value();
  auto url = state.url().value();
  co_return started_login(std::move(url), std::move(state));
}

// In a coroutine of its own: a code is good for one request.
COMCP_LAZY inline asio::awaitable<void> finish(core_ptr core, pending_authorization state, secret redirect) {
  auto const s = session_of(core, state.server);
  auto work = detail::finish_flow(core, s, std::move(state), std::move(redirect));
  auto const flight = co_await detail::take_off(std::move(work));
  auto const done = co_await detail::landed(flight);
  done.value();
  s->attempts = s->visits = 0;
}

COMCP_LAZY inline asio::awaitable<void> logout(core_ptr core, std::string server) {
  auto const s = session_of(core, server);
  auto const flight = co_await detail::take_off(detail::forget(core, s));
  auto const done = co_await detail::landed(flight);
  done.value();
}

COMCP_LAZY inline asio::awaitable<std::optional<login_status>> status(core_ptr core, std::string server) {
  auto const s = session_of(core, server);
  auto stored = co_await detail::load_record(core, s);
  if (!stored) throw exception(stored.error());
  auto record = std::move(*stored);
  if (!record && !s->stored) record = s->record;  // not stored at all, or not yet
  if (!record) co_return std::nullopt;
  auto const& g = record->grant;
  login_status out;
  out.server = s->server.text();
  out.resource = g.resource;
  out.issuer = g.issuer;
  out.client_id = g.client.id();
  out.scope = g.tokens.scope ? *g.tokens.scope : g.scope;
  out.registered_by = g.registered_by;
  out.expires_at = g.tokens.expires_at;
  out.has_refresh_token = !g.tokens.refresh_token.empty();
  out.dpop = g.tokens.token_type == "DPoP";
  co_return out;
}

}  // namespace oauth_detail

COMCP_LAZY_DECL oauth::oauth(oauth_options options) : core_(std::make_shared<detail::oauth_core>(std::move(options))) {}

COMCP_LAZY_DECL asio::awaitable<void> oauth::login(std::string_view server) {
  return oauth_detail::login(core_, std::string(server));
}

COMCP_LAZY_DECL asio::awaitable<started_login> oauth::begin(std::string_view server, std::string redirect_uri) {
  return oauth_detail::begin(core_, std::string(server), std::move(redirect_uri));
}

COMCP_LAZY_DECL asio::awaitable<void> oauth::finish(pending_authorization state, secret redirect) {
  return oauth_detail::finish(core_, std::move(state), std::move(redirect));
}

COMCP_LAZY_DECL asio::awaitable<void> oauth::logout(std::string_view server) {
  return oauth_detail::logout(core_, std::string(server));
}

COMCP_LAZY_DECL asio::awaitable<std::optional<login_status>> oauth::status(std::string_view server) {
  return oauth_detail::status(core_, std::string(server));
}

COMCP_LAZY_DECL asio::awaitable<result<http_headers>> oauth::headers(auth_request const& request) {
  return detail::headers_for(core_, request.server, request.url, std::string(request.method));
}

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> oauth::challenged(auth_request const& request,
                                                                        http_headers const& sent,
                                                                        http_response_head const& got) {
  auto const* const used = sent.find("Authorization");
  return detail::answer_challenge(core_, request.server, request.url, used ? *used : std::string(), got);
}

COMCP_LAZY_DECL void oauth::observed(auth_request const& request, http_response_head const& got) noexcept {
  try {
    if (!same_origin(request.server, request.url)) return;
    auto const s = core_->session(request.server);
    if (s->prover) s->prover->observed(request.url, got.headers);
    if (got.status != 401) s->unproven = false;
    if (got.status < 300 && request.challenges > 0) s->attempts = 0;
  } catch (...) {
    // Out of memory: the next answer is told again.
  }
}

COMCP_LAZY_DECL std::string oauth::identity() const { return "oauth " + std::to_string(core_->number); }

COMCP_LAZY_DECL std::vector<std::string> oauth::extensions() const {
  std::vector<std::string> out;
  auto const& o = core_->options;
  if (o.enterprise()) {
    out.emplace_back("io.modelcontextprotocol/enterprise-managed-authorization");
  } else if (o.profile().kind == oauth_profile::grant::client_credentials) {
    out.emplace_back("io.modelcontextprotocol/oauth-client-credentials");
  }
  return out;
}

}  // namespace comcp
