// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <variant>

#include <comcp/auth/jose.hpp>
#include <comcp/auth/oauth_run.hpp>
#include <comcp/auth/oauth_spans.hpp>

namespace comcp::detail {
namespace oauth_detail {

using want = sansio::oauth_flow::want;

inline trace_context trace_of(flow_run const& run) { return run.work ? run.work->context() : trace_context(); }
COMCP_LAZY oauth_io io_of(flow_run const& run) { return run.core->io_for(*run.session, trace_of(run)); }

COMCP_LAZY inline asio::awaitable<void> get_next(flow_run& run) {
  auto const got = co_await send_one(io_of(run), get_request(run.flow.url()));
  if (!got) co_return run.flow.failed(got.error());
  run.flow.answered(got->status, got->headers, got->body, run.core->io.now());
}

COMCP_LAZY inline asio::awaitable<void> check_binding(flow_run& run) {
  auto const held = co_await hold_to_issuer(run.core, run.flow.binding());
  held ? run.flow.bound() : run.flow.failed(held.error());
}

COMCP_LAZY inline asio::awaitable<void> find_stored_client(flow_run& run) {
  if (run.forget_stored) co_return run.flow.registration_found(std::nullopt);
  auto const text = co_await load_text(run.core, run.core->client_name(run.flow.issuer()));
  if (!text) co_return run.flow.failed(text.error());
  std::optional<oauth_client> found;
  if (*text) {
    // One that cannot be read is as good as none.
    auto read = oauth_client::from_json(**text);
    if (read) found = std::move(*read);
  }
  run.used_stored = found.has_value();
  run.flow.registration_found(std::move(found));
}

COMCP_LAZY inline asio::awaitable<void> start_visit(flow_run& run) {
  auto uri = run.redirect_uri;
  if (uri.empty()) {
    auto const& agent = run.core->options.user();
    if (!agent) {
      co_return run.flow.failed(error(errc::login_required, "the server wants a user to log in: " + run.session->server.origin()));
    }
    std::string registers_at;
    if (run.flow.grant().registered_by == "dynamic") registers_at = run.flow.issuer();
    auto starting = agent.start(run.flow.known_redirects(), std::move(registers_at));
    auto visit = co_await within<any_visit>(run.core->io.time, run.core->io.timeout, std::move(starting),
                                             "the user agent did not start in time", nullptr);
    if (!visit) co_return run.flow.failed(visit.error());
    run.visit = std::move(*visit);
    uri = run.visit.redirect_uri();
  }
  run.flow.redirecting_to(std::move(uri), secret(random_token()), secret(random_token()));
}

COMCP_LAZY inline asio::awaitable<void> register_client(flow_run& run) {
  auto const got = co_await send_one(io_of(run), json_request(run.flow.url(), run.flow.body()));
  if (!got) co_return run.flow.failed(got.error());
  run.flow.answered(got->status, got->headers, got->body, run.core->io.now());
}

// Stored at once: the flow may end without tokens, and registrations pile up at the server.
COMCP_LAZY inline asio::awaitable<void> save_registration(flow_run& run) {
  run.saved = true;
  auto const& made = run.flow.registered();
  auto const saved = co_await save_text(run.core, run.core->client_name(run.flow.issuer()), made->to_json());
  if (!saved) run.flow.failed(saved.error());
}

COMCP_LAZY inline asio::awaitable<void> send_user(flow_run& run) {
  auto url = run.flow.pending().url();
  if (!url) co_return run.flow.failed(url.error());
  auto const flight = run.session->authorizing;
  if (!flight || flight->waiting == 0) co_return run.flow.failed(error(errc::cancelled, "nobody waits for the login any more"));
  count_flow(*run.core, *run.session, true);
  auto const visit = std::make_shared<any_visit>(std::exchange(run.visit, any_visit()));
  auto visiting = visit->visit(std::move(*url));
  flight->with_user = true;
  if (run.work) run.work->event("user");
  auto const redirect = co_await within<secret>(run.core->io.time, run.core->options.user_timeout(), std::move(visiting),
                                                "the user did not log in in time", visit);
  flight->with_user = false;
  if (!redirect) co_return run.flow.failed(redirect.error());
  run.flow.redirected(redirect->reveal());
}

COMCP_LAZY inline asio::awaitable<void> fetch_assertion(flow_run& run) {
  grant_request about;
  about.issuer = run.flow.issuer();
  about.resource = run.flow.resource();
  about.scope = run.flow.scope();
  auto above = trace_of(run);
  auto got = co_await grant_assertion(run.core, std::move(about), std::move(above));
  if (!got) co_return run.flow.failed(got.error());
  run.flow.asserted(std::move(*got));
}

COMCP_LAZY inline asio::awaitable<void> request_tokens(flow_run& run) {
  if (run.flow.wants_dpop() && !run.prover) run.prover = std::make_shared<dpop_prover>();
  auto const prover = run.prover;
  auto at = run.core->endpoint(run.flow.url(), run.flow.client(), run.flow.auth_method(), run.flow.issuer(), prover.get());
  auto const got = co_await post_form(io_of(run), std::move(at), run.flow.form());
  if (!got) co_return run.flow.failed(got.error());
  bool const machine = run.core->options.profile().kind != oauth_profile::grant::authorization_code;
  if (machine && got->status < 500) count_flow(*run.core, *run.session, false);
  auto const read = read_token_answer(got->status, got->body, run.core->io.now());
  auto const* const refused = read ? std::get_if<oauth_refusal>(&*read) : nullptr;
  run.client_refused = refused && refused->code == "invalid_client";
  run.flow.answered(got->status, got->headers, got->body, run.core->io.now());
}

inline oauth_record record_of(flow_run const& run) {
  oauth_record out;
  out.grant = run.flow.grant();
  out.grant.server = run.session->server.text();
  if (run.prover) out.dpop_key = run.prover->key().private_jwk();
  return out;
}

// Descriptions are the server's own words, and it has seen the state.
inline error without_secrets(error const& why, pending_authorization const& of) {
  auto text = std::string(why.message());
  hide(text, of.state.reveal());
  hide(text, of.verifier.reveal());
  return why.with_message(std::move(text));
}

inline error failure_of(flow_run const& run) {
  return without_secrets(run.flow.failure(), run.flow.pending());
}

// It is asked for again where it is offered.
inline std::string granted_before(oauth_session const& s) {
  std::string out;
  if (!s.record) return out;
  auto const all = unite_scopes(s.record->grant.scope, {});
  for (std::size_t at = 0; at < all.size();) {
    auto const end = std::min(all.find(' ', at), all.size());
    auto const one = all.substr(at, end - at);
    if (one != "offline_access") out = unite_scopes(out, one);
    at = end + 1;
  }
  return out;
}

// Under the lock of the refreshes of other processes, which would write what this replaces.
COMCP_LAZY inline asio::awaitable<result<void>> keep_locked(core_ptr core, session_ptr s, oauth_record record,
                                                            std::shared_ptr<dpop_prover> prover) {
  auto const held = co_await lock_name(core, core->tokens_name(*s));
  auto kept = co_await keep_record(core, s, std::move(record));
  if (prover) s->prover = std::move(prover);  // it knows the servers' nonces
  if (!held && kept) co_return held.error();
  core->given.reset();
  co_return kept;
}

COMCP_LAZY inline asio::awaitable<void> forget_client(core_ptr core, std::string issuer, std::string id) {
  auto const name = core->client_name(issuer);
  auto const text = co_await load_text(core, name);
  if (!text || !*text) co_return;
  auto const stored = oauth_client::from_json(**text);
  if (stored && stored->id() != id) co_return;
  (void)co_await remove_text(core, name);
}

}  // namespace oauth_detail

// Under a lock, so that there is one first.
COMCP_LAZY_DECL asio::awaitable<result<void>> hold_to_issuer(core_ptr core, sansio::issuer_binding what) {
  if (what.of.empty()) co_return result<void>();
  auto const name = core->issuer_name(what.of);
  auto const held = co_await lock_name(core, name);
  if (!held) co_return held.error();
  auto const text = co_await load_text(core, name);
  if (!text) co_return text.error();
  std::optional<std::string> bound;
  if (*text) bound = (*text)->reveal();
  auto allowed = what.check(bound);
  if (!allowed || bound == what.issuer) co_return allowed;
  auto saved = co_await save_text(core, name, secret(what.issuer));
  co_return saved;
}

COMCP_LAZY_DECL asio::awaitable<void> drive(flow_run& run) {
  using oauth_detail::want;
  for (int steps = 0; steps < 64; ++steps) {
    if (run.flow.registered() && !run.saved) co_await oauth_detail::save_registration(run);
    switch (run.flow.next()) {
      case want::get: co_await oauth_detail::get_next(run); break;
      case want::binding: co_await oauth_detail::check_binding(run); break;
      case want::stored_client: co_await oauth_detail::find_stored_client(run); break;
      case want::redirect_uri: co_await oauth_detail::start_visit(run); break;
      case want::post_json: co_await oauth_detail::register_client(run); break;
      case want::user:
        if (!run.redirect_uri.empty()) co_return;
        co_await oauth_detail::send_user(run);
        break;
      case want::assertion: co_await oauth_detail::fetch_assertion(run); break;
      case want::post_token: co_await oauth_detail::request_tokens(run); break;
      case want::done:
      case want::failed: co_return;
    }
  }
  run.flow.failed(error(errc::limit_exceeded, "authorization takes too many steps"));
}

COMCP_LAZY_DECL asio::awaitable<std::optional<auth_challenge>> ask_for_challenge(core_ptr core, session_ptr s,
                                                                                 trace_context above) {
  // A ping does nothing, whatever the server thinks of it.
  auto request = json_request(s->server, R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  (void)request.headers.set("Accept", "application/json, text/event-stream");
  auto const got = co_await send_one(core->io_for(*s, above), std::move(request));
  if (!got || got->status != 401) co_return std::nullopt;
  co_return pick_challenge(got->headers);
}

COMCP_LAZY_DECL asio::awaitable<result<void>> authorize(core_ptr core, session_ptr s,
                                                        std::optional<auth_challenge> challenge, bool step_up) {
  auto work = begin_work(*core, *s, step_up ? "authorize more" : "authorize");
  sansio::oauth_start start(s->server);
  start.challenge = std::move(challenge);
  start.step_up = step_up;
  start.granted_scope = unite_scopes(oauth_detail::granted_before(*s), std::exchange(s->also_wanted, {}));
  for (bool again = false;; again = true) {
    flow_run run(core, s, start);
    run.forget_stored = again;
    run.work = &work;
    co_await drive(run);
    if (run.flow.next() == oauth_detail::want::done) {
      auto kept = co_await oauth_detail::keep_locked(core, s, oauth_detail::record_of(run), run.prover);
      co_return ended(work, std::move(kept));
    }
    if (again || !run.client_refused || !run.used_stored) co_return ended(work, result<void>(oauth_detail::failure_of(run)));
    co_await oauth_detail::forget_client(core, run.flow.issuer(), run.flow.client().id());
  }
}

COMCP_LAZY_DECL asio::awaitable<result<secret>> grant_assertion(core_ptr core, grant_request about, trace_context above) {
  auto const& idp = core->options.enterprise();
  auto const patience = core->options.user_timeout();
  if (!idp) {
    if (!core->options.assertion()) co_return error(errc::invalid_argument, "this grant needs a source of assertions");
    auto asking = ask_source(core->options.assertion(), std::move(about), "the source of assertions");
    auto got = co_await within<secret>(core->io.time, patience, std::move(asking), "no assertion came in time", nullptr);
    co_return got;
  }
  auto asking = ask_source(idp->identity(), about, "the source of the user's identity");
  auto const identity = co_await within<secret>(core->io.time, patience, std::move(asking), "no identity came in time", nullptr);
  if (!identity) co_return identity.error();
  // The user chose it, so that it may be anywhere; but not in the clear.
  auto const named = http_url::parse(idp->token_endpoint());
  if (!named) co_return named.error();
  auto const endpoint = core->options.profile().policy.check(idp->token_endpoint(), *named);
  if (!endpoint) co_return endpoint.error();
  auto const method = choose_auth_method(idp->client(), std::nullopt);
  if (!method) co_return method.error();
  form_fields form;
  form.add("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange");
  form.add("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag");
  form.add("audience", about.issuer).add("resource", about.resource);
  if (!about.scope.empty()) form.add("scope", about.scope);
  form.add("subject_token", identity->reveal()).add("subject_token_type", idp->subject_token_type());
  auto at = core->endpoint(*endpoint, idp->client(), *method, idp->client().issuer(), nullptr);
  auto answer = co_await ask_for_tokens(core->io_for_provider(*endpoint, above), std::move(at), std::move(form));
  if (!answer) co_return answer.error();
  if (auto const* const refused = std::get_if<oauth_refusal>(&*answer)) co_return refused->as_error("the identity provider");
  auto const& tokens = std::get<token_set>(*answer);
  if (tokens.issued_token_type != "urn:ietf:params:oauth:token-type:id-jag") {
    co_return error(errc::protocol_violation, "the identity provider gave another token than the grant that was asked for");
  }
  co_return tokens.access_token;
}

// ---- The two halves ----

COMCP_LAZY_DECL asio::awaitable<result<pending_authorization>> begin_flow(core_ptr core, session_ptr s,
                                                                          std::string redirect_uri) {
  if (redirect_uri.empty()) co_return error(errc::invalid_argument, "begin() needs a redirect URI");
  auto work = begin_work(*core, *s, "begin");
  sansio::oauth_start start(s->server);
  start.challenge = co_await ask_for_challenge(core, s, work.context());
  start.granted_scope = oauth_detail::granted_before(*s);
  flow_run run(core, s, std::move(start));
  run.redirect_uri = std::move(redirect_uri);
  run.work = &work;
  co_await drive(run);
  using answer = result<pending_authorization>;
  if (run.flow.next() == oauth_detail::want::failed) co_return ended(work, answer(oauth_detail::failure_of(run)));
  if (run.flow.next() != oauth_detail::want::user) {
    error const why(errc::invalid_argument, "begin() is for a user's login, and this is a machine's grant");
    co_return ended(work, answer(why));
  }
  work.end();
  auto out = run.flow.pending();
  out.server = s->server.text();
  if (out.dpop) out.dpop_key = signing_key::generate().private_jwk();
  co_return out;
}

namespace oauth_detail {

inline std::string registered_by(oauth_profile const& profile, std::string const& id) {
  if (id == profile.client_metadata_url) return "metadata document";
  for (auto const& client : profile.clients) {
    if (client.id() == id) return "pre-registered";
  }
  return "dynamic";
}

inline sansio::oauth_grant grant_of(pending_authorization const& state, oauth_profile const& profile, token_set tokens) {
  sansio::oauth_grant out;
  out.scope = unite_scopes(state.scope, tokens.scope ? std::string_view(*tokens.scope) : std::string_view());
  out.tokens = std::move(tokens);
  out.client = state.client;
  out.registered_by = registered_by(profile, state.client.id());
  out.server = state.server;
  out.resource = state.resource;
  out.issuer = state.issuer.empty() ? state.client.issuer() : state.issuer;
  out.token_endpoint = state.token_endpoint;
  out.auth_method = state.auth_method;
  return out;
}

COMCP_LAZY inline asio::awaitable<result<void>> finish(core_ptr core, session_ptr s, pending_authorization state,
                                                       secret redirect, trace_context above) {
  auto const answer = read_redirect(state, redirect.reveal());
  if (!answer) co_return oauth_detail::without_secrets(answer.error(), state);
  if (auto const* const refused = std::get_if<oauth_refusal>(&*answer)) {
    co_return oauth_detail::without_secrets(refused->as_error("authorization"), state);
  }
  auto const endpoint = core->options.profile().policy.check(state.token_endpoint, s->server);
  if (!endpoint) co_return endpoint.error();
  std::shared_ptr<dpop_prover> prover;
  if (!state.dpop_key.empty()) {
    auto key = signing_key::load(private_key::jwk(state.dpop_key));
    if (!key) co_return key.error();
    prover = std::make_shared<dpop_prover>(std::move(*key));
  }
  form_fields form;
  form.add("grant_type", "authorization_code").add("code", std::get<secret>(*answer).reveal());
  form.add("redirect_uri", state.redirect_uri).add("code_verifier", state.verifier.reveal());
  if (!state.resource.empty()) form.add("resource", state.resource);
  auto at = core->endpoint(*endpoint, state.client, state.auth_method, state.issuer, prover.get());
  auto got = co_await ask_for_tokens(core->io_for(*s, above), std::move(at), std::move(form));
  if (!got) co_return got.error();
  if (auto const* const refused = std::get_if<oauth_refusal>(&*got)) {
    co_return oauth_detail::without_secrets(refused->as_error("the token endpoint"), state);
  }
  auto const usable = check_usable(std::get<token_set>(*got), state.dpop);
  if (!usable) co_return usable.error();
  oauth_record record;
  record.grant = oauth_detail::grant_of(state, core->options.profile(), std::get<token_set>(std::move(*got)));
  record.dpop_key = state.dpop_key;
  auto kept = co_await oauth_detail::keep_locked(core, s, std::move(record), prover);
  co_return kept;
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<void>> finish_flow(core_ptr core, session_ptr s, pending_authorization state,
                                                          secret redirect) {
  auto work = begin_work(*core, *s, "finish");
  auto done = co_await oauth_detail::finish(core, s, std::move(state), std::move(redirect), work.context());
  co_return ended(work, std::move(done));
}

}  // namespace comcp::detail
