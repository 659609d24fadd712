// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>

#include <asio/this_coro.hpp>

#include <comcp/auth/oauth_session.hpp>
#include <comcp/auth/oauth_spans.hpp>
#include <comcp/json/build.hpp>

namespace comcp::detail {

// ---- The record ----

COMCP_LAZY_DECL secret oauth_record::to_json() const {
  json::object out;
  out.set("server", grant.server).set("resource", grant.resource).set("issuer", grant.issuer);
  out.set("token_endpoint", grant.token_endpoint).set("revocation_endpoint", grant.revocation_endpoint);
  out.set("auth_method", grant.auth_method).set("scope", grant.scope).set("registered_by", grant.registered_by);
  if (grant.registered_by == "pre-registered") {
    out.set("client_id", grant.client.id());
  } else {
    out.set("client", json::fragment::trusted(grant.client.to_json().reveal()));
  }
  out.set("access_token", grant.tokens.access_token.reveal()).set("token_type", grant.tokens.token_type);
  if (!grant.tokens.refresh_token.empty()) out.set("refresh_token", grant.tokens.refresh_token.reveal());
  auto const set_time = [&out](char const* name, std::optional<token_set::time_point> const& t) {
    if (t) out.set(name, static_cast<std::int64_t>(std::chrono::floor<std::chrono::seconds>(*t).time_since_epoch().count()));
  };
  set_time("expires_at", grant.tokens.expires_at);
  set_time("granted_at", granted_at);
  if (grant.tokens.scope) out.set("granted_scope", *grant.tokens.scope);
  if (!dpop_key.empty()) out.set("dpop_key", dpop_key.reveal());
  return secret(out.text());
}

namespace oauth_detail {

inline std::string member(json::view of, std::string_view key) {
  auto const found = of.find(key);
  auto const text = found ? found->get_string() : std::nullopt;
  return std::string(text.value_or(std::string_view()));
}

inline std::optional<token_set::time_point> time_member(json::view of, std::string_view key) {
  auto const found = of.find(key);
  auto const seconds = found ? found->get_int64() : std::nullopt;
  // Beyond this a time_point overflows.
  if (!seconds || *seconds < 0 || *seconds >= 9'000'000'000) return std::nullopt;
  return token_set::time_point(std::chrono::seconds(*seconds));
}

inline result<oauth_client> stored_client(json::view of) {
  auto const whole = of.find("client");
  if (!whole) return oauth_client(member(of, "client_id"));
  return oauth_client::from_json(secret(whole->dump()));
}

}  // namespace oauth_detail

COMCP_LAZY_DECL result<oauth_record> oauth_record::from_json(secret const& text) {
  using oauth_detail::member;
  error const unreadable(errc::wrong_shape, "the stored tokens are not readable: log out and in again");
  auto const document = json::parse(text.reveal());
  if (!document || !document->is_object()) return unreadable;
  auto const all = document->view();
  oauth_record out;
  auto& g = out.grant;
  g.server = member(all, "server");
  g.resource = member(all, "resource");
  g.issuer = member(all, "issuer");
  g.token_endpoint = member(all, "token_endpoint");
  g.revocation_endpoint = member(all, "revocation_endpoint");
  g.auth_method = member(all, "auth_method");
  g.scope = member(all, "scope");
  g.registered_by = member(all, "registered_by");
  auto client = oauth_detail::stored_client(all);
  if (!client) return unreadable;
  g.client = std::move(*client);
  g.tokens.access_token = secret(member(all, "access_token"));
  g.tokens.token_type = member(all, "token_type");
  g.tokens.refresh_token = secret(member(all, "refresh_token"));
  g.tokens.expires_at = oauth_detail::time_member(all, "expires_at");
  out.granted_at = oauth_detail::time_member(all, "granted_at");
  if (all.find("granted_scope")) g.tokens.scope = member(all, "granted_scope");
  out.dpop_key = secret(member(all, "dpop_key"));
  if (g.tokens.access_token.empty() || g.tokens.token_type.empty() || g.server.empty()) return unreadable;
  return out;
}

// ---- The core ----

COMCP_LAZY_DECL oauth_sender sender_for(oauth_options const& options, http_url const& server,
                                        std::shared_ptr<oauth_addresses> addresses) {
  if (options.sender()) return options.sender();
  auto proxies = options.proxy() ? *options.proxy() : proxy_options::from_environment();
  asio_engine_options engine;
  engine.timeouts(http_timeouts().connect(std::min<std::chrono::milliseconds>(options.timeout(), std::chrono::seconds(10))));
  return default_oauth_sender<>(options.profile().policy, options.max_body(), server, std::move(engine), std::move(proxies),
                                options.tls(), net::system_lookup<asio::any_io_executor>, std::move(addresses));
}

COMCP_LAZY_DECL oauth_core::oauth_core(oauth_options o) : options(std::move(o)) {
  static std::atomic<std::uint64_t> count{0};
  number = ++count;
  if (options.time()) io.time = options.time();
  if (options.clock()) io.now = options.clock();
  io.timeout = std::min<std::chrono::milliseconds>(options.timeout(), std::chrono::hours(24));
  io.max_body = options.max_body();
  given = options.tokens();
}

COMCP_LAZY_DECL session_ptr oauth_core::session(http_url const& server) {
  auto const key = server.origin() + server.path();
  auto& found = sessions[key];
  if (found) return found;
  found = std::make_shared<oauth_session>(http_url::parse(key).value());
  found->addresses = std::make_shared<oauth_addresses>(options.profile().policy, found->server);
  return found;
}

COMCP_LAZY_DECL std::string oauth_core::tokens_name(oauth_session const& s) const {
  return "tokens " + options.account() + " " + s.server.text();
}
COMCP_LAZY_DECL std::string oauth_core::client_name(std::string const& issuer) const {
  return "client " + options.account() + " " + issuer;
}

COMCP_LAZY_DECL std::string oauth_core::issuer_name(std::string const& of) const {
  return "issuer " + options.account() + " " + of;
}

COMCP_LAZY_DECL oauth_io oauth_core::io_for(oauth_session& s, trace_context const& above) const {
  if (!s.send) s.send = sender_for(options, s.server, s.addresses);
  auto out = io;
  out.send = options.spans() ? traced_sender(s.send, options.spans(), above) : s.send;
  return out;
}

COMCP_LAZY_DECL oauth_io oauth_core::io_for_provider(http_url const& endpoint, trace_context const& above) {
  if (!to_provider) to_provider = sender_for(options, endpoint);
  auto out = io;
  out.send = options.spans() ? traced_sender(to_provider, options.spans(), above) : to_provider;
  return out;
}

COMCP_LAZY_DECL oauth_steps::token_endpoint oauth_core::endpoint(http_url url, oauth_client client, std::string method,
                                                                 std::string issuer, dpop_prover* prover) const {
  oauth_steps::token_endpoint out(std::move(url), std::move(client), std::move(method));
  out.issuer(std::move(issuer)).assertions(options.assertions()).dpop(prover);
  if (options.client_assertion()) out.assertions(options.client_assertion());
  return out;
}

// ---- The session ----

COMCP_LAZY_DECL void install(oauth_session& s, std::optional<oauth_record> record) {
  bool const same_key = record && s.prover && s.record && record->dpop_key == s.record->dpop_key;
  if (!same_key) s.prover.reset();
  s.record = std::move(record);
  s.stored = s.record.has_value();
  s.unproven = false;
  s.renew_after.reset();
  if (same_key || !s.record || s.record->dpop_key.empty()) return;
  auto key = signing_key::load(private_key::jwk(s.record->dpop_key));
  if (key) s.prover = std::make_shared<dpop_prover>(std::move(*key));
}

COMCP_LAZY_DECL std::string authorization_value(oauth_record const& r) {
  return r.grant.tokens.token_type + " " + r.grant.tokens.access_token.reveal();
}

COMCP_LAZY_DECL std::string authorization_value(oauth_session const& s) {
  return s.record ? authorization_value(*s.record) : std::string();
}

namespace oauth_detail {
inline constexpr unsigned most_visits_an_hour = 20;

inline bool is_new_hour(oauth_core const& core, oauth_session const& s) {
  return core.io.time->now() - s.hour_began >= std::chrono::hours(1);
}
}  // namespace oauth_detail

COMCP_LAZY_DECL void count_flow(oauth_core const& core, oauth_session& s, bool with_user) {
  if (oauth_detail::is_new_hour(core, s)) {
    s.hour_began = core.io.time->now();
    s.attempts = s.visits = 0;
  }
  ++s.attempts;
  if (with_user) ++s.visits;
}

COMCP_LAZY_DECL bool may_start_flow(oauth_core const& core, oauth_session const& s) {
  bool const few = s.attempts < core.options.max_attempts() && s.visits < oauth_detail::most_visits_an_hour;
  return few || oauth_detail::is_new_hour(core, s);
}

COMCP_LAZY_DECL result<http_headers> credentials(oauth_core const& core, oauth_session const& s, http_url const& url,
                                                 std::string const& method) {
  http_headers out;
  if (!s.record) return out;
  auto const& tokens = s.record->grant.tokens;
  bool const bound = tokens.token_type == "DPoP";
  if (!bound && tokens.token_type != "Bearer") return error(errc::unauthorized, "the token is of a type that comcp cannot send");
  if (bound && !s.prover) return error(errc::unauthorized, "the token is bound to a key that is not there: log in again");
  auto const added = out.add("Authorization", authorization_value(s));
  if (!added) return error(errc::unauthorized, "the token has characters that no header carries");
  if (bound) (void)out.add("DPoP", s.prover->proof(method, url, core.io.now(), tokens.access_token));
  return out;
}

// ---- The store ----

namespace oauth_detail {
inline constexpr auto store_is_slow = "the token store did not answer in time";
}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<std::optional<secret>>> load_text(core_ptr core, std::string name) {
  auto work = core->options.store().load(std::move(name));
  auto got = co_await within<std::optional<secret>>(core->io.time, core->io.timeout, std::move(work),
                                                    oauth_detail::store_is_slow, core);
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> save_text(core_ptr core, std::string name, secret text) {
  auto work = core->options.store().save(std::move(name), std::move(text));
  auto got = co_await within<void>(core->io.time, core->io.timeout, std::move(work), oauth_detail::store_is_slow, core);
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> remove_text(core_ptr core, std::string name) {
  auto work = core->options.store().remove(std::move(name));
  auto got = co_await within<void>(core->io.time, core->io.timeout, std::move(work), oauth_detail::store_is_slow, core);
  co_return got;
}

// Whoever holds it makes one request and calls the store three times.
COMCP_LAZY_DECL asio::awaitable<result<std::shared_ptr<void>>> lock_name(core_ptr core, std::string name) {
  auto const most = 4 * core->io.timeout;
  auto work = core->options.store().lock(std::move(name), most);
  auto got = co_await within<std::shared_ptr<void>>(core->io.time, most + core->io.timeout, std::move(work),
                                                    "another process held the tokens' lock for too long", core);
  co_return got;
}

namespace oauth_detail {

// Whoever says who the client is means no token of another one.
inline bool is_of_client(sansio::oauth_grant const& g, oauth_profile const& wanted) {
  auto const& all = wanted.clients;
  if (!all.empty()) {
    return std::any_of(all.begin(), all.end(), [&](oauth_client const& c) {
      return c.id() == g.client.id() && (c.issuer().empty() || c.issuer() == g.issuer);
    });
  }
  auto const& document = wanted.client_metadata_url;  // not every server reads one
  if (wanted.kind == oauth_profile::grant::jwt_bearer && document.empty()) return g.client.id().empty();
  return document.empty() || g.registered_by == "dynamic" || g.client.id() == document;
}

// What was stored may come from a time with other options.
inline bool is_accepted(oauth_record const& r, oauth_core const& core, oauth_session const& s) {
  auto const fits = [](std::optional<std::string> const& pinned, std::string const& stored) {
    return !pinned || stored.empty() || *pinned == stored;
  };
  auto const& wanted = core.options.profile();
  return r.grant.server == s.server.text() && fits(wanted.issuer, r.grant.issuer) &&
         fits(wanted.resource, r.grant.resource) && is_of_client(r.grant, wanted);
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<std::optional<oauth_record>>> load_record(core_ptr core, session_ptr s) {
  auto const text = co_await load_text(core, core->tokens_name(*s));
  if (!text) co_return text.error();
  if (!*text) co_return std::optional<oauth_record>();
  auto read = oauth_record::from_json(**text);
  if (!read) co_return read.error();
  if (!oauth_detail::is_accepted(*read, *core, *s)) co_return std::optional<oauth_record>();
  if (read->grant.registered_by == "pre-registered") {
    // Two servers may know clients by one id.
    auto const* const known = sansio::detail::pre_registered(core->options.profile().clients, read->grant.issuer);
    if (known && known->id() == read->grant.client.id()) read->grant.client = *known;
  }
  co_return std::optional<oauth_record>(std::move(*read));
}

COMCP_LAZY_DECL asio::awaitable<result<void>> keep_record(core_ptr core, session_ptr s, oauth_record record) {
  auto const before = s->stored ? authorization_value(*s) : s->superseded;
  record.granted_at = core->io.now();
  auto saved = co_await save_text(core, core->tokens_name(*s), record.to_json());
  s->superseded = saved ? std::string() : before;
  install(*s, std::move(record));
  s->loaded = true;
  s->stored = saved.has_value();
  if (saved) co_return result<void>();
  auto text = "the new tokens could not be stored: " + std::string(saved.error().message());
  co_return saved.error().with_message(std::move(text));
}

// ---- Flights ----

namespace oauth_detail {

struct end_of_flight {
  explicit end_of_flight(std::shared_ptr<oauth_flight> f) : flight(std::move(f)) {}
  end_of_flight(end_of_flight const&) = delete;
  end_of_flight& operator=(end_of_flight const&) = delete;
  ~end_of_flight() {
    if (session && session.get()->*slot == flight) (session.get()->*slot).reset();
    flight->over.open();
  }
  std::shared_ptr<oauth_flight> flight;
  session_ptr session;
  std::shared_ptr<oauth_flight> oauth_session::* slot = nullptr;
};

class one_waiting {
 public:
  explicit one_waiting(std::shared_ptr<oauth_flight> f) : flight_(std::move(f)) { ++flight_->waiting; }
  one_waiting(one_waiting const&) = delete;
  one_waiting& operator=(one_waiting const&) = delete;
  ~one_waiting() {
    if (--flight_->waiting > 0 || !flight_->with_user) return;
    // Posted, as in end_of_wait.
    auto give_up = [f = flight_] {
      if (f->waiting > 0 || !f->with_user) return;
      f->given_up = true;
      f->signal.emit(asio::cancellation_type::terminal);
    };
    post(flight_->on, std::move(give_up));
  }

 private:
  std::shared_ptr<oauth_flight> flight_;
};

COMCP_LAZY inline asio::awaitable<void> under_way(std::shared_ptr<oauth_flight> f, session_ptr s,
                                                  std::shared_ptr<oauth_flight> oauth_session::* slot,
                                                  asio::awaitable<result<void>> work) {
  end_of_flight at_the_end(f);
  at_the_end.session = std::move(s);
  at_the_end.slot = slot;
  f->failure = error(errc::cancelled);  // if this coroutine is destroyed
  error failure;
  try {
    auto const done = co_await std::move(work);
    if (!done) failure = done.error();
  } catch (...) {
    failure = current_error();
  }
  f->failure = std::move(failure);
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<void>> landed(std::shared_ptr<oauth_flight> f) {
  co_await f->over.wait();
  if (f->failure) co_return f->failure;
  co_return result<void>();
}

COMCP_LAZY_DECL asio::awaitable<std::shared_ptr<oauth_flight>> take_off(asio::awaitable<result<void>> work) {
  auto const executor = co_await asio::this_coro::executor;
  auto const f = std::make_shared<oauth_flight>(executor);
  spawn(executor, oauth_detail::under_way(f, {}, nullptr, std::move(work)));
  co_return f;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> fly(session_ptr s, std::shared_ptr<oauth_flight> oauth_session::* slot,
                                                  asio::awaitable<result<void>> work) {
  auto const executor = co_await asio::this_coro::executor;
  auto f = s.get()->*slot;
  bool const first = !f || f->given_up;
  if (first) f = std::make_shared<oauth_flight>(executor);
  oauth_detail::one_waiting const here(f);
  if (first) {
    s.get()->*slot = f;
    spawn(executor, oauth_detail::under_way(f, s, slot, std::move(work)), f->signal.slot(), f);
  }
  auto got = co_await landed(f);
  co_return got;
}

}  // namespace comcp::detail
