// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/client/recovery.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL void recovery::lost(error why) {
  if (!begin_restart(why)) connection_.finish(std::move(why));
}

COMCP_LAZY_DECL std::optional<recovery::nanoseconds> recovery::next_restart(error const& why) {
  auto const& policy = core_.settings.restart;
  if (policy.ask()) {
    try {
      return policy.ask()(why);
    } catch (...) {
      core_.fault(error(errc::invalid_argument, "a restart hook threw"));
      return {};
    }
  }
  return delays_.failed(0);
}

// False when there is to be no restart.
COMCP_LAZY_DECL bool recovery::begin_restart(error const& why) {
  auto const wait = next_restart(why);
  if (connection_.life().is_closing()) return true;  // by whom it asked
  if (wait) give_way(why, *wait);
  return wait.has_value();
}

COMCP_LAZY_DECL void recovery::give_way(error const& why, nanoseconds wait) {
  renewal_due_ = at_once_ = false;
  connection_.on(sansio::life_event::lost);
  connection_.cancel_inbound();
  connection_.fail_all(why);
  if (!connection_.life().is_closing()) core_.spawn(restart(wait));
}

COMCP_LAZY_DECL void recovery::break_off(error reason) {
  if (core_.settings.restart.ask()) {
    if (connection_.life().is_restarting()) return;  // it is being replaced, or the attempt's own timeouts end it
    if (connection_.life().is(sansio::life_state::ready) && begin_restart(reason)) return;
  }
  core_.spawn(connection_.close(std::move(reason)));
}

COMCP_LAZY_DECL error recovery::begin_anew(error why, nanoseconds wait) {
  auto const& life = connection_.life();
  if (connection_.end_reason()) return *connection_.end_reason();
  if (life.is_closing()) return {errc::closed, "the client is closing"};
  if (life.is_restarting() || life.is(sansio::life_state::restoring)) {
    at_once_ = true;
    core_.calls.end(pause_, json::value());
    return {};
  }
  if (!life.is(sansio::life_state::ready)) return {errc::not_ready, "the first connection is still being made"};
  delays_.proved();
  give_way(why, wait);
  return connection_.end_reason().value_or(error());
}

COMCP_LAZY_DECL asio::awaitable<void> recovery::reconnect(error why) {
  auto const hold = core_.shared_from_this();
  if (auto const bad = begin_anew(std::move(why), {})) throw exception(bad);
  pending_entry outcome(pending_entry::span::client);
  if (!core_.calls.enlist(outcome, nanoseconds::max())) throw exception(error(errc::queue_full));
  core_.calls.table().line_up(restarts_, outcome.id);
  auto const r = co_await core_.calls.wait(outcome);
  if (!r) throw exception(r.error());
}

COMCP_LAZY_DECL asio::awaitable<void> recovery::restart(nanoseconds first_wait) {
  auto const hold = core_.shared_from_this();
  auto const& life = connection_.life();
  std::optional<nanoseconds> until_next = first_wait;
  error last(errc::closed);
  for (;;) {
    if (connection_.channel().is_open()) {
      bool const through = co_await connection_.close_channel();
      if (life.is_closing()) co_return;
      if (!through && until_next) co_return connection_.finish(error(errc::timeout, "the transport did not close in time"));
    }
    if (!until_next) co_return connection_.finish(last);
    pending_entry pause(pending_entry::span::client);
    if (!at_once_ && core_.calls.enlist(pause, *until_next)) {
      pause_ = pause.id;
      (void)co_await core_.calls.wait(pause);
      if (life.is_closing()) co_return;
    }
    auto work = attempt();
    last = co_await std::move(work);
    if (life.is_closing() || !last) co_return;
    connection_.on(sansio::life_event::lost);
    at_once_ = false;
    until_next = next_restart(last);
    core_.calls.wake(restarts_, last);
    if (life.is_closing()) co_return;
  }
}

// What it failed with, if it did; where the client closes meanwhile, that does not matter.
COMCP_LAZY_DECL asio::awaitable<error> recovery::attempt() {
  auto const& life = connection_.life();
  connection_.on(sansio::life_event::due);
  connection_.clock().begin();
  if (on_attempt_) on_attempt_();
  if (life.is_closing()) co_return error();
  auto again = co_await connection_.open_channel();
  if (life.is_closing()) co_return error();
  if (again) again = co_await connection_.negotiate();
  if (life.is_closing()) co_return error();
  if (!again) co_return again.error();
  ++core_.calls.counters().restarts;
  for (auto const& step : core_.pipeline.steps()) step->connected(true);
  bool const ready = co_await connection_.settle();
  if (ready || life.is_closing()) co_return error();
  co_return lost_again_;
}

COMCP_LAZY_DECL void recovery::session_lost(request_id id, error why) {
  constexpr unsigned most = 2;  // without one answer in between
  auto const* const found = id ? core_.calls.table().find(id) : nullptr;
  auto const& life = connection_.life();
  bool const hopeless = !life.is_restarting() && (!life.is(sansio::life_state::ready) || renewals_in_a_row_ >= most);
  if (found && (*found)->call) {
    if (hopeless) renewals_in_a_row_ = 0;  // for the next call to try again
    auto& e = **found;
    if (hopeless || e.handshake || std::exchange(e.renewed, true)) {
      core_.calls.end(id, std::move(why));
    } else {
      e.sent = false;
      core_.calls.table().line_up(deferred_, id);
    }
  }
  if (!hopeless) renew();
}

COMCP_LAZY_DECL void recovery::check_era() {
  if (!std::exchange(prior_unconfirmed_, false) || connection_.life().is_restarting()) return;
  eras_.forget();
  begin_renegotiation({});
}

COMCP_LAZY_DECL void recovery::renew() {
  if (!connection_.life().is(sansio::life_state::ready)) return;
  renewal_due_ = false;
  ++renewals_in_a_row_;
  // The server is known: no probe. Should it have become a modern one, its answer to initialize says so.
  auto known = core_.verdict();
  known.date = std::chrono::system_clock::now();
  begin_renegotiation(std::move(known));
}

// On the connection as it is. Shared by all calls that wait for its outcome: none of them ends it.
COMCP_LAZY_DECL void recovery::begin_renegotiation(std::optional<era_verdict> known) {
  connection_.on(sansio::life_event::renew);
  core_.spawn(renegotiate(std::move(known)));
}

COMCP_LAZY_DECL asio::awaitable<void> recovery::renegotiate(std::optional<era_verdict> known) {
  auto const hold = core_.shared_from_this();
  auto const& life = connection_.life();
  bool const renews = known.has_value();
  auto const before = eras_.exchange(std::move(known));
  connection_.clock().begin();
  auto const done = co_await connection_.negotiate();
  eras_.exchange(before);
  if (life.is_closing()) co_return;
  if (!connection_.channel().is_open())
    co_return lost(done ? error(errc::transport_failed, "lost while it was renewed") : done.error());
  if (!done) {
    if (!renews) prior_unconfirmed_ = core_.is_modern();  // it may be checked again
    co_return kept(done.error());
  }
  core_.calls.counters().renewals += renews;
  bool const ready = co_await connection_.settle();
  if (!ready && !life.is_closing()) lost(lost_again_);
}

// The connection is as it was: the next call tries again. Those that waited do not.
COMCP_LAZY_DECL void recovery::kept(error const& why) {
  renewal_due_ = core_.is_http() && !core_.is_modern();
  connection_.on(sansio::life_event::kept);
  // Those that wait now: who resumes here may begin the next one, and wait for that.
  auto calls = std::exchange(deferred_, {});
  auto settling = std::exchange(unsettled_, {});
  auto restarts = std::exchange(restarts_, {});
  core_.calls.wake(calls, why);
  core_.calls.wake(settling, why);
  core_.calls.wake(restarts, why);
}

COMCP_LAZY_DECL void recovery::answered(pending_entry const& e) noexcept {
  if (!e.call->internal) {  // a handshake alone shows nothing: it may die of a call
    delays_.proved();
    renewals_in_a_row_ = 0;
  }
  if (!e.handshake) prior_unconfirmed_ = false;
}

COMCP_LAZY_DECL bool recovery::is_unsettled() const noexcept {
  return connection_.life().is_restarting() || !core_.facts.codec;
}

COMCP_LAZY_DECL bool recovery::defers(pending_entry const& e) {
  if (renewal_due_ && !connection_.life().is_restarting()) renew();
  if (!is_unsettled()) return false;
  core_.calls.table().line_up(deferred_, e.id);
  return true;
}

COMCP_LAZY_DECL asio::awaitable<error> recovery::settled(prepared_call const& c) {
  if (connection_.end_reason()) co_return *connection_.end_reason();
  if (!is_unsettled()) co_return error();
  auto failed = co_await core_.calls.wait_in(unsettled_, c);
  co_return failed;
}

COMCP_LAZY_DECL void recovery::restored() {
  for (auto const id : std::exchange(deferred_, {})) {
    auto const* const found = core_.calls.table().find(id);
    if (!found) continue;
    auto& e = **found;
    if (is_unsettled()) {  // by whoever resumed here
      core_.calls.table().line_up(deferred_, id);
    } else if (auto const bad = core_.exchange.refuses(*e.call)) {
      core_.calls.end(id, bad);
    } else if (auto const sent = core_.outbound.transmit(e); !sent) {
      core_.calls.end(id, sent.error());
    }
  }
  if (is_unsettled() || connection_.life().is_closing()) return;
  core_.calls.wake(unsettled_, json::value());
  core_.calls.wake(restarts_, json::value());
}

}  // namespace comcp::detail
