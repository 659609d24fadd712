// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/client/recovery.hpp>
#include <comcp/sansio/call_life.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL void recovery::lost(error why) {
  if (!restarts_ || !restarts_->begin(why)) connection_.finish(std::move(why));
}

COMCP_LAZY_DECL restarts_link& recovery::restarts(restarts_maker make) {
  if (!restarts_) restarts_ = make(core_);
  return *restarts_;
}

COMCP_LAZY_DECL void recovery::break_off(error reason) {
  if (restarts_ && core_.settings.ask_to_reconnect) {
    if (connection_.life().is_restarting()) return;  // it is being replaced, or the attempt's own timeouts end it
    if (connection_.life().is(sansio::life_state::ready) && restarts_->begin(reason)) return;
  }
  core_.spawn(connection_.close(std::move(reason)));
}

COMCP_LAZY_DECL void recovery::session_lost(request_id id, error why) {
  auto const* const found = id ? core_.calls.table().find(id) : nullptr;
  sansio::session_facts now;
  now.ready = connection_.life().is(sansio::life_state::ready);
  now.restarting = connection_.life().is_restarting();
  now.renewals = renewals_in_a_row_;
  bool const hopeful = sansio::may_renew(now);
  if (found && (*found)->call) {
    if (!hopeful) renewals_in_a_row_ = 0;  // for the next call to try again
    auto& e = **found;
    if (sansio::session_lost(now, e.handshake, e.renewed) == sansio::call_action::deliver) {
      core_.calls.end(id, std::move(why));
    } else {
      e.renewed = true;
      e.sent = false;
      core_.calls.table().line_up(deferred_, id);
    }
  }
  if (hopeful) renew();
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
  // Those that wait now: who hears of it or resumes may begin the next one, and wait for that.
  auto calls = std::exchange(deferred_, {});
  auto settling = std::exchange(unsettled_, {});
  auto restarting = restarts_ ? restarts_->take_waiting() : std::vector<request_id>();
  connection_.on(sansio::life_event::kept);
  core_.calls.wake(restarting, why);
  core_.calls.wake(calls, why);
  core_.calls.wake(settling, why);
}

COMCP_LAZY_DECL void recovery::answered(pending_entry const& e) noexcept {
  if (!e.call->internal) {  // a handshake alone shows nothing: it may die of a call
    if (restarts_) restarts_->proved();
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
  // Those that wait now, as above.
  auto settling = std::exchange(unsettled_, {});
  auto restarting = restarts_ ? restarts_->take_waiting() : std::vector<request_id>();
  core_.calls.wake(settling, json::value());
  core_.calls.wake(restarting, json::value());
}

}  // namespace comcp::detail
