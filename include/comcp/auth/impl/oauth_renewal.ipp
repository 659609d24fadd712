// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <variant>

#include <comcp/auth/oauth_run.hpp>
#include <comcp/auth/oauth_spans.hpp>
#include <comcp/sansio/oauth_choices.hpp>

namespace comcp::detail {
namespace oauth_detail {

inline bool has_expired(oauth_core const& core, oauth_session const& s) {
  auto const& ends = s.record->grant.tokens.expires_at;
  return ends && *ends <= core.io.now();
}

// A machine asks again as it asked before. Not where the source may be a user.
inline bool asks_again(oauth_core const& core, oauth_record const& r) {
  auto const& profile = core.options.profile();
  bool const machine = profile.kind != oauth_profile::grant::authorization_code && !core.options.enterprise();
  auto const& clients = profile.clients;
  auto const& id = r.grant.client.id();
  bool const ours = std::any_of(clients.begin(), clients.end(), [&](oauth_client const& c) { return c.id() == id; });
  return machine && r.grant.tokens.refresh_token.empty() && !r.grant.token_endpoint.empty() && (ours || id.empty());
}

inline bool ends_soon(oauth_core const& core, oauth_session const& s) {
  if (!s.record || (s.record->grant.tokens.refresh_token.empty() && !asks_again(core, *s.record))) return false;
  auto const& ends = s.record->grant.tokens.expires_at;
  if (!ends) return false;
  auto const now = core.io.now();
  auto const& granted = s.record->granted_at;
  // One that lives no longer than refresh_ahead is not renewed with every request.
  if (granted && now < *granted + std::chrono::seconds(1)) return false;
  std::chrono::seconds const longest = std::chrono::hours(24 * 365);
  token_set::time_point::duration ahead = std::min(core.options.refresh_ahead(), longest);
  if (granted) ahead = std::min(ahead, (*ends - *granted) / 4);
  return *ends - now <= ahead;
}

// Tokens that were obtained elsewhere go to the server that asks first, and to no other.
inline void take_given(oauth_core& core, oauth_session& s) {
  auto given = std::exchange(core.given, std::nullopt);
  if (s.record || !given) return;
  oauth_record record;
  record.grant.server = s.server.text();
  record.grant.tokens = std::move(*given);
  install(s, std::move(record));
  s.stored = false;
}

// Where another process put other tokens than these, or logged out, that is what counts.
COMCP_LAZY inline asio::awaitable<result<bool>> take_newer(core_ptr core, session_ptr s, std::string than) {
  auto stored = co_await load_record(core, s);
  if (!stored) co_return stored.error();
  if (!*stored) {
    bool const gone = s->stored;
    if (gone) install(*s, std::nullopt);
    co_return gone;
  }
  auto const value = authorization_value(**stored);
  if (value == than || value == s->superseded) co_return false;
  install(*s, std::move(*stored));
  s->loaded = true;
  co_return true;
}

// Tokens from elsewhere do not say where they are renewed.
COMCP_LAZY inline asio::awaitable<result<oauth_record>> find_endpoint(core_ptr core, session_ptr s,
                                                                      oauth_record record, trace_context above) {
  auto const& profile = core->options.profile();
  sansio::oauth_discovery start(s->server, profile, std::nullopt);
  auto const io = core->io_for(*s, above);
  auto const machine = co_await run_discovery(io, std::move(start));
  auto const found = machine.found();
  if (!found) co_return found.error();
  auto const choice = sansio::choose_client(profile, *found);
  if (!choice) co_return choice.error();
  auto const of_tokens = co_await hold_to_issuer(core, sansio::server_binding(profile, *found, "tokens"));
  if (!of_tokens) co_return of_tokens.error();
  auto const of_client = co_await hold_to_issuer(core, sansio::client_binding(profile, *found, *choice));
  if (!of_client) co_return of_client.error();
  auto const issuer = sansio::issuer_key(*found);
  auto client = choice->client;
  if (!client) {
    auto const text = co_await load_text(core, core->client_name(issuer));
    if (!text) co_return text.error();
    if (!*text) co_return error(errc::unauthorized, "no client is known that could renew these tokens");
    auto read = oauth_client::from_json(**text);
    if (!read) co_return read.error();
    client = std::move(*read);
  }
  auto const& as = found->authorization_server;
  auto const method = choose_auth_method(*client, as.token_endpoint_auth_methods_supported);
  if (!method) co_return method.error();
  auto& g = record.grant;
  g.client = std::move(*client);
  g.registered_by = choice->registered_by.empty() ? std::string("dynamic") : choice->registered_by;
  g.resource = found->resource;
  g.issuer = issuer;
  g.token_endpoint = as.token_endpoint;
  g.revocation_endpoint = as.revocation_endpoint;
  g.auth_method = *method;
  co_return std::move(record);
}

inline bool may_pass(std::string const& code) {
  return code == "temporarily_unavailable" || code == "server_error" || code == "slow_down";
}

// Not if another process has replaced them meanwhile.
COMCP_LAZY inline asio::awaitable<result<void>> delete_refused(core_ptr core, session_ptr s, secret refresh_token) {
  auto const stored = co_await load_record(core, s);
  if (!stored) co_return stored.error();
  bool const replaced = *stored && (*stored)->grant.tokens.refresh_token != refresh_token &&
                        authorization_value(**stored) != s->superseded;
  if (replaced) {
    install(*s, *stored);
    co_return result<void>();
  }
  install(*s, std::nullopt);
  if (!*stored) co_return result<void>();
  auto removed = co_await remove_text(core, core->tokens_name(*s));
  co_return removed;
}

COMCP_LAZY inline asio::awaitable<result<void>> refused(core_ptr core, session_ptr s, oauth_record of,
                                                        oauth_refusal why) {
  bool const refresh = !of.grant.tokens.refresh_token.empty();  // else what there is may be good yet
  bool const client_gone = refresh && why.code == "invalid_client" && of.grant.registered_by == "dynamic";
  if (client_gone) co_await forget_client(core, of.grant.issuer, of.grant.client.id());
  if (client_gone || (refresh && why.code == "invalid_grant")) {
    auto deleted = co_await delete_refused(core, s, of.grant.tokens.refresh_token);
    co_return deleted;
  }
  auto const failure = why.as_error("renewing the token");
  if (may_pass(why.code)) co_return failure.with_code(make_error_code(errc::http_status));
  co_return failure;
}

COMCP_LAZY inline asio::awaitable<result<form_fields>> renewal_form(core_ptr core, oauth_record record, trace_context above) {
  auto const& g = record.grant;
  form_fields form;
  if (!g.tokens.refresh_token.empty()) {
    form.add("grant_type", "refresh_token").add("refresh_token", g.tokens.refresh_token.reveal());
  } else if (core->options.profile().kind == oauth_profile::grant::client_credentials) {
    form.add("grant_type", "client_credentials");
  } else {
    grant_request about;
    about.issuer = g.issuer;
    about.resource = g.resource;
    about.scope = g.scope;
    auto asking = grant_assertion(core, std::move(about), above);
    // Not longer, as others wait for the lock.
    auto const got = co_await within<secret>(core->io.time, core->io.timeout, std::move(asking),
                                             "no assertion came in time", nullptr);
    if (!got) co_return got.error();
    form.add("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer").add("assertion", got->reveal());
  }
  if (g.tokens.refresh_token.empty() && !g.scope.empty()) form.add("scope", g.scope);
  if (!g.resource.empty()) form.add("resource", g.resource);
  co_return std::move(form);
}

COMCP_LAZY inline asio::awaitable<result<void>> refresh_now(core_ptr core, session_ptr s, trace_context above) {
  auto record = *s->record;
  auto const prover = s->prover;
  if (record.grant.token_endpoint.empty()) {
    auto found = co_await find_endpoint(core, s, record, above);
    if (!found) co_return found.error();
    record = std::move(*found);
  }
  auto const endpoint = core->options.profile().policy.check(record.grant.token_endpoint, s->server);
  if (!endpoint) co_return endpoint.error();
  auto form = co_await renewal_form(core, record, above);
  if (!form) co_return form.error();
  auto at = core->endpoint(*endpoint, record.grant.client, record.grant.auth_method, record.grant.issuer, prover.get());
  auto answer = co_await ask_for_tokens(core->io_for(*s, above), std::move(at), std::move(*form));
  if (!answer) co_return answer.error();
  if (auto const* const why = std::get_if<oauth_refusal>(&*answer)) {
    auto outcome = co_await refused(core, s, std::move(record), *why);
    co_return outcome;
  }
  auto& fresh = std::get<token_set>(*answer);
  auto const usable = check_usable(fresh, prover != nullptr);
  if (!usable) co_return usable.error();
  if (fresh.refresh_token.empty()) fresh.refresh_token = record.grant.tokens.refresh_token;
  if (!fresh.scope) fresh.scope = record.grant.tokens.scope;
  record.grant.tokens = std::move(fresh);
  auto kept = co_await keep_record(core, s, std::move(record));
  s->unproven = true;
  co_return kept;
}

// Under the lock, as a refresh token that rotates is good for one request of one process.
COMCP_LAZY inline asio::awaitable<result<void>> refresh(core_ptr core, session_ptr s) {
  auto const before = authorization_value(*s);
  auto const held = co_await lock_name(core, core->tokens_name(*s));
  if (!held) co_return held.error();
  auto const newer = co_await take_newer(core, s, before);
  if (!newer) co_return newer.error();
  bool const done = *newer && !ends_soon(*core, *s);
  if (done || !s->record) co_return result<void>();
  if (s->record->grant.tokens.refresh_token.empty() && !asks_again(*core, *s->record)) co_return result<void>();
  auto work = begin_work(*core, *s, "refresh");
  auto refreshed = co_await refresh_now(core, s, work.context());
  co_return ended(work, std::move(refreshed));
}

COMCP_LAZY inline asio::awaitable<result<void>> load_and_refresh(core_ptr core, session_ptr s) {
  if (!s->loaded) {
    auto const loaded = co_await load_session(core, s);
    if (!loaded) co_return loaded.error();
  }
  if (!ends_soon(*core, *s)) co_return result<void>();
  auto refreshed = co_await refresh(core, s);
  if (!refreshed) s->renew_after = core->io.now() + std::chrono::seconds(10);
  co_return refreshed;
}

COMCP_LAZY inline asio::awaitable<result<void>> replace(core_ptr core, session_ptr s, std::string refused_value) {
  auto const newer = co_await take_newer(core, s, refused_value);
  if (!newer) co_return newer.error();
  if (*newer || !s->record || s->record->grant.tokens.refresh_token.empty() || s->unproven) co_return result<void>();
  auto refreshed = co_await refresh(core, s);
  co_return refreshed;
}

// What a login was finished with does not say where tokens are revoked.
COMCP_LAZY inline asio::awaitable<std::string> revocation_endpoint(core_ptr core, session_ptr s, std::string issuer) {
  sansio::oauth_discovery start(s->server, core->options.profile(), std::nullopt);
  auto const io = core->io_for(*s);
  auto const machine = co_await run_discovery(io, std::move(start));
  auto const found = machine.found();
  if (!found || sansio::issuer_key(*found) != issuer) co_return std::string();
  co_return found->authorization_server.revocation_endpoint;
}

// As far as it goes: the tokens are deleted here whatever comes of it.
COMCP_LAZY inline asio::awaitable<void> revoke_all(core_ptr core, session_ptr s, oauth_record record) {
  auto const& g = record.grant;
  auto url = g.revocation_endpoint;
  if (url.empty() && !g.issuer.empty()) url = co_await revocation_endpoint(core, s, g.issuer);
  if (url.empty()) co_return;
  auto const endpoint = core->options.profile().policy.check(url, s->server);
  if (!endpoint) co_return;
  // With the refresh token goes all that was granted with it; not every server says so.
  for (bool whole = true;; whole = false) {
    auto const& token = whole ? g.tokens.refresh_token : g.tokens.access_token;
    if (!token.empty()) {
      form_fields form;
      form.add("token", token.reveal()).add("token_type_hint", whole ? "refresh_token" : "access_token");
      auto at = core->endpoint(*endpoint, g.client, g.auth_method, g.issuer, nullptr);
      (void)co_await post_form(core->io_for(*s), std::move(at), std::move(form));
    }
    if (!whole) co_return;
  }
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<void>> load_session(core_ptr core, session_ptr s) {
  auto stored = co_await load_record(core, s);
  if (s->loaded) co_return result<void>();  // somebody else did
  if (!stored) co_return stored.error();
  install(*s, std::move(*stored));
  oauth_detail::take_given(*core, *s);
  s->loaded = true;
  co_return result<void>();
}

COMCP_LAZY_DECL bool must_prepare(oauth_core const& core, oauth_session const& s) {
  if (!s.loaded || s.renewing) return true;
  if (s.renew_after && core.io.now() < *s.renew_after) {
    // A machine's next 401 leads to a flow, which is counted.
    return s.record && !s.record->grant.tokens.refresh_token.empty() && oauth_detail::has_expired(core, s);
  }
  return oauth_detail::ends_soon(core, s);
}

COMCP_LAZY_DECL asio::awaitable<result<void>> prepare(core_ptr core, session_ptr s) {
  auto work = oauth_detail::load_and_refresh(core, s);
  auto const ready = co_await fly(s, &oauth_session::renewing, std::move(work));
  if (ready) co_return result<void>();
  // What is still good goes on. After a refusal the old token goes on, too: the server's 401 leads to a flow.
  bool const refused = ready.error() == errc::unauthorized;
  bool const usable = s->loaded && s->record && (refused || !oauth_detail::has_expired(*core, *s));
  if (usable) co_return result<void>();
  co_return ready.error();
}

COMCP_LAZY_DECL asio::awaitable<result<void>> renew(core_ptr core, session_ptr s, std::string refused) {
  auto work = oauth_detail::replace(core, s, std::move(refused));
  auto done = co_await fly(s, &oauth_session::renewing, std::move(work));
  co_return done;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> forget(core_ptr core, session_ptr s) {
  auto const name = core->tokens_name(*s);
  auto const held = co_await lock_name(core, name);
  auto stored = co_await load_record(core, s);
  bool const ours = !stored || *stored;  // not that of another client
  auto const record = stored && *stored ? *stored : s->record;
  install(*s, std::nullopt);
  core->given.reset();
  s->loaded = true;
  s->attempts = 0;
  result<void> removed;
  if (ours) removed = co_await remove_text(core, name);
  if (record) co_await oauth_detail::revoke_all(core, s, *record);
  co_return removed;
}

}  // namespace comcp::detail
