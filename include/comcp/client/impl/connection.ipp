// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <asio/this_coro.hpp>

#include <comcp/client/connection.hpp>
#include <comcp/client/core.hpp>
#include <comcp/client/negotiation.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL connection::connection(client_core& core, connect_settings const& settings, any_transport t)
    : core_(core), channel_(std::move(t)), attempt_(core.calls, settings, channel_.is_http()) {}

inline connection_status status_of(sansio::life_state s) noexcept {
  using enum sansio::life_state;
  switch (s) {
    case opening:
    case waiting:
    case restarting:
    case renewing: return connection_status::connecting;
    case negotiating:
    case settling:
    case renegotiating:
    case restoring: return connection_status::initializing;
    case ready: return connection_status::ready;
    case closing: return connection_status::closing;
    default: return connection_status::disconnected;
  }
}

COMCP_LAZY_DECL void connection::on(sansio::life_event e) {
  life_.on(e);
  tell_status();
}

COMCP_LAZY_DECL void connection::tell_status() {
  auto const now = status_of(life_.state());
  if (status_->now() == now) return;
  status_->become(now);
  status_->tell([this] { core_.fault(error(errc::invalid_argument, "a status listener threw")); });
}

COMCP_LAZY_DECL asio::awaitable<void> connection::open() {
  auto const hold = core_.shared_from_this();
  error failure;
  try {
    on(sansio::life_event::open);
    attempt_.begin();
    auto done = co_await open_channel();
    if (done) done = co_await negotiate();
    if (!done) failure = done.error();
    bool ready = false;
    if (done) ready = co_await settle();
    if (done && !ready) failure = end_reason_.value_or(error(errc::closed));
  } catch (...) {
    failure = current_error();
  }
  if (!failure) co_return;
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  co_await close(failure);
  throw exception(failure);
}

COMCP_LAZY_DECL asio::awaitable<result<void>> connection::open_channel() {
  auto const timeout = attempt_.bounded(core_.settings.open_timeout);
  return channel_.open(core_.shared_from_this(), core_.calls, core_.home(), core_.inbound.from_transport(), timeout,
                       attempt_.hard_end(timeout));
}

COMCP_LAZY_DECL asio::awaitable<bool> connection::close_channel() {
  return channel_.close(core_.shared_from_this(), core_.calls, core_.home(), core_.settings.close_timeout);
}

COMCP_LAZY_DECL asio::awaitable<result<void>> connection::negotiate() {
  std::optional<saved_session> saved;
  if (!life_.is_restarting()) saved = channel_.resumed();
  on(sansio::life_event::opened);
  core_.inbound.forget_strays();
  core_.recovery.eras().recall();
  auto const n = std::make_shared<negotiation>(core_);
  negotiation_ = n;
  auto work = n->run(std::move(saved), attempt_.bounded(core_.settings.handshake_timeout));
  auto const done = co_await std::move(work);
  if (!done) co_return core_.inbound.with_what_came(done.error());
  core_.publish();
  resumed_ = n->has_resumed();
  core_.recovery.doubt_era(core_.is_modern() && n->from_prior());
  core_.recovery.eras().remember(core_.verdict());
  co_return done;
}

COMCP_LAZY_DECL asio::awaitable<bool> connection::settle() {
  life_.on(sansio::life_event::negotiated);
  for (auto const& step : core_.pipeline.steps()) step->connected(false);
  if (!core_.is_modern()) {
    if (!resumed_) core_.outbound.notify("notifications/initialized", {});
    if (core_.settings.log_level && core_.facts.capabilities.supports("logging")) {
      call_options patience;
      patience.timeout(attempt_.bounded(core_.settings.timeout)).extend_on_progress(false);
      prepared_call set(wire::methods::set_level, args("level", enum_text(*core_.settings.log_level)).text(), std::move(patience));
      set.internal = true;
      auto const done = co_await core_.exchange.round_trip(set);
      if (!done) core_.fault(done.error());
    }
  }
  if (!life_.on(sansio::life_event::settled)) co_return false;  // lost meanwhile
  tell_status();
  if (!life_.is(sansio::life_state::ready)) co_return true;  // by whoever was told
  core_.subscriptions.connected();
  if (core_.settings.ping_interval && !std::exchange(keeping_alive_, true)) core_.spawn(keep_alive());
  core_.recovery.restored();
  co_return true;
}

COMCP_LAZY_DECL asio::awaitable<void> connection::keep_alive() {
  auto const hold = core_.shared_from_this();
  auto const& settings = core_.settings;
  auto const& seen = core_.calls.counters().messages_in;
  std::uint64_t seen_before = 0;
  unsigned failures = 0;
  for (;;) {
    auto const ended = co_await core_.sleep(*settings.ping_interval);
    if (ended) break;
    if (!life_.is(sansio::life_state::ready)) continue;
    if (std::exchange(seen_before, seen) != seen) {
      failures = 0;
      continue;
    }
    call_options limited;
    limited.timeout(settings.ping_timeout).extend_on_progress(false);
    prepared_call ping(core_.is_modern() ? "server/discover" : "ping", {}, std::move(limited));
    ping.internal = true;
    auto const r = co_await core_.exchange.round_trip(ping);
    seen_before = seen;
    if (r || r.error().peer()) {
      failures = 0;
    } else if (r.error() == errc::timeout && ++failures >= settings.ping_failure_threshold) {
      core_.recovery.break_off(
          error(errc::timeout, "the server answered " + std::to_string(failures) + " pings not at all"));
      failures = 0;
    }
  }
  keeping_alive_ = false;
}

COMCP_LAZY_DECL bool connection::refuses_requests() const {
  auto const n = negotiation_.lock();
  if (!n || n->is_over()) return core_.is_modern() && life_.is(sansio::life_state::ready);
  return core_.settings.handshake.mode == sansio::handshake_mode::pinned && n->asks_modern();
}

COMCP_LAZY_DECL void connection::cancel_inbound() {
  core_.dispatcher.cancel_all();
  attempt_.stop_authorizing();
}

COMCP_LAZY_DECL calls::spared connection::spared() const noexcept {
  if (!life_.is_restarting()) return calls::spared::nothing;
  return life_.is(sansio::life_state::renegotiating) ? calls::spared::unsent_and_handshake : calls::spared::unsent;
}

COMCP_LAZY_DECL void connection::fail_all(error const& reason) {
  core_.calls.fail(reason, pending_entry::span::connection, spared());
  if (!life_.is_restarting()) core_.calls.fail(reason, pending_entry::span::client, calls::spared::nothing);
}

COMCP_LAZY_DECL void connection::closed(error reason) {
  auto const hold = core_.shared_from_this();
  channel_.lost();
  auto const n = negotiation_.lock();
  if (n && !n->is_over()) {
    if (life_.is_restarting())  // what was sent before it began
      core_.calls.fail(reason, pending_entry::span::connection, spared());
    return n->closed(reason);
  }
  if (life_.is_closing()) return;
  if (life_.is(sansio::life_state::ready)) return core_.recovery.lost(std::move(reason));
  if (life_.is(sansio::life_state::restoring)) {
    core_.recovery.lost_again(reason);
    life_.on(sansio::life_event::lost);
    cancel_inbound();
    return fail_all(reason);
  }
  if (!life_.is_restarting()) return finish(std::move(reason));
  cancel_inbound();  // what the server asked while its connection was being closed
}

COMCP_LAZY_DECL asio::awaitable<void> connection::close(error reason) {
  auto const hold = core_.shared_from_this();
  if (life_.is_closing()) co_return;
  on(sansio::life_event::close);
  cancel_inbound();
  fail_all(reason);
  co_await close_channel();
  finish(std::move(reason));
}

COMCP_LAZY_DECL void connection::finish(error reason) {
  if (end_reason_) return;
  auto const hold = core_.shared_from_this();
  end_reason_ = reason;
  life_.on(sansio::life_event::end);
  channel_.lost();
  core_.calls.disarm();
  cancel_inbound();
  core_.subscriptions.ended(reason);
  tell_status();
  fail_all(reason);
  core_.calls.disarm();
  core_.calls.fail(reason, pending_entry::span::last, calls::spared::nothing);
}

COMCP_LAZY_DECL asio::awaitable<error> connection::ended() {
  auto const hold = core_.shared_from_this();
  if (end_reason_) co_return *end_reason_;
  pending_entry e(pending_entry::span::last);
  if (!core_.calls.enlist(e, std::chrono::nanoseconds::max())) throw exception(error(errc::queue_full));
  auto const r = co_await core_.calls.wait(e);
  if (!end_reason_) throw exception(r.error());
  co_return *end_reason_;
}

COMCP_LAZY_DECL void connection::abandon() noexcept {
  if (end_reason_) return;
  life_.on(sansio::life_event::close);
  channel_.drop();
  auto end = [hold = core_.shared_from_this(), this] { finish(error(errc::closed, "the client was destroyed")); };
  detail::post(core_.home(), std::move(end));
}

COMCP_LAZY_DECL void connection::context_gone() noexcept {
  channel_.drop();
  life_.on(sansio::life_event::end);
  end_reason_ = error(errc::closed, "the client's execution context is gone");
  status_->become(connection_status::disconnected);
}

}  // namespace comcp::detail
