// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/client/restarts.hpp>

namespace comcp {
namespace detail {

COMCP_LAZY_DECL restarts::restarts(client_core& core)
    : core_(core), connection_(core.connection), delays_(core.settings.reconnect) {}

COMCP_LAZY_DECL std::unique_ptr<restarts_link> make_restarts(client_core& core) {
  return std::make_unique<restarts_behind_link<restarts>>(core);
}

COMCP_LAZY_DECL std::optional<restarts::nanoseconds> restarts::next(error const& why) {
  if (auto const& ask = core_.settings.ask_to_reconnect) {
    try {
      return ask(why);
    } catch (...) {
      core_.fault(error(errc::invalid_argument, "a reconnect_hook threw"));
      return {};
    }
  }
  return delays_.failed(chance_());
}

COMCP_LAZY_DECL bool restarts::begin(error const& why) {
  auto const wait = next(why);
  if (connection_.life().is_closing()) return true;  // by whom it asked
  if (wait) give_way(why, *wait);
  return wait.has_value();
}

COMCP_LAZY_DECL void restarts::give_way(error const& why, nanoseconds wait) {
  at_once_ = false;
  core_.recovery.forget_renewal();
  connection_.on(sansio::life_event::lost);
  connection_.cancel_inbound();
  connection_.fail_all(why);
  if (!connection_.life().is_closing()) core_.spawn(run(wait));
}

COMCP_LAZY_DECL error restarts::begin_anew(error why, nanoseconds wait) {
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

COMCP_LAZY_DECL asio::awaitable<void> restarts::reconnect(error why) {
  auto const hold = core_.shared_from_this();
  if (auto const bad = begin_anew(std::move(why), {})) throw exception(bad);
  pending_entry outcome(pending_entry::span::client);
  if (!core_.calls.enlist(outcome, nanoseconds::max())) throw exception(error(errc::queue_full));
  core_.calls.table().line_up(waiting_, outcome.id);
  auto const r = co_await core_.calls.wait(outcome);
  if (!r) throw exception(r.error());
}

COMCP_LAZY_DECL asio::awaitable<void> restarts::run(nanoseconds first_wait) {
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
    for (auto const& step : core_.pipeline.steps()) step->lost(last);
    connection_.on(sansio::life_event::lost);
    at_once_ = false;
    until_next = next(last);
    core_.calls.wake(waiting_, last);
    if (life.is_closing()) co_return;
  }
}

// What it failed with, if it did; where the client closes meanwhile, that does not matter.
COMCP_LAZY_DECL asio::awaitable<error> restarts::attempt() {
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
  ++core_.calls.counters().reconnects;
  for (auto const& step : core_.pipeline.steps()) step->connected(true);
  bool const ready = co_await connection_.settle();
  if (ready || life.is_closing()) co_return error();
  co_return core_.recovery.lost_again();
}

}  // namespace detail

COMCP_LAZY_DECL connect_options& connect_options::reconnect(reconnect_policy p) {
  settings_.reconnect = p;
  settings_.ask_to_reconnect = nullptr;
  settings_.restarts = [](client_core& c) { return detail::make_restarts(c); };
  return *this;
}

COMCP_LAZY_DECL connect_options& connect_options::reconnect(reconnect_hook ask) {
  reconnect(reconnect_policy());
  settings_.ask_to_reconnect = std::move(ask);
  return *this;
}

}  // namespace comcp
