// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The end of a connection, wanted or not, and the way back where a restart policy allows one.
#pragma once

#include <asio/dispatch.hpp>
#include <asio/io_context.hpp>
#include <asio/this_coro.hpp>

#include <comcp/client/core.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/client/impl/core_registry.hpp>
#include <comcp/client/impl/negotiation.ipp>

namespace comcp {

COMCP_DECL void client_core::closed(error reason) {
  auto const hold = shared_from_this();
  transport_open_ = false;
  if (auto const n = negotiation_.lock()) {
    if (restarting_) calls_.fail(reason, detail::pending_entry::span::connection, spared());  // what was sent before it began
    return take_step(n, n->machine.closed(reason));
  }
  if (closing_ || end_reason_) return;
  if (restoring_) {
    *restoring_ = reason;
    restarting_ = true;
    cancel_inbound();
    return fail_all(reason);
  }
  if (status_ == connection_status::ready) return lost(std::move(reason));
  if (!restarting_) return finish(std::move(reason));
  cancel_inbound();  // what the server asked while its connection was being closed
}

// What the server asked, and the authorization that its connection waited for.
COMCP_DECL void client_core::cancel_inbound() {
  dispatcher_.cancel_all();
  while (authorizing_ > 0) authorizing(false);
}

COMCP_DECL void client_core::lost(error why) {
  if (!begin_restart(why)) finish(std::move(why));
}

COMCP_DECL std::optional<std::chrono::nanoseconds> client_core::next_restart(error const& why) {
  auto const& policy = settings_.restart;
  if (policy.ask()) {
    try {
      return policy.ask()(why);
    } catch (...) {
      fault(error(errc::invalid_argument, "a restart hook threw"));
      return {};
    }
  }
  if (restarts_in_a_row_ >= policy.attempts()) return {};
  auto const wanted = policy.base() * (std::int64_t{1} << std::min(restarts_in_a_row_, 20U));
  ++restarts_in_a_row_;
  return std::min<std::chrono::milliseconds>(wanted, policy.max());
}

// False when there is to be no restart.
COMCP_DECL bool client_core::begin_restart(error const& why) {
  auto const wait = next_restart(why);
  if (closing_ || end_reason_) return true;  // by whom it asked
  if (wait) give_way(why, *wait);
  return wait.has_value();
}

COMCP_DECL void client_core::give_way(error const& why, std::chrono::nanoseconds wait) {
  restarting_ = true;
  resumed_ = renewal_due_ = restart_now_ = false;
  set_status(connection_status::connecting);
  cancel_inbound();
  fail_all(why);
  if (!closing_ && !end_reason_) spawn(restart(wait));
}

// What an unusable peer ends: the connection where another may follow, else the client.
COMCP_DECL void client_core::break_off(error reason) {
  if (settings_.restart.ask()) {
    if (restarting_) return;  // it is being replaced, or the attempt's own timeouts end it
    if (status_ == connection_status::ready && begin_restart(reason)) return;
  }
  spawn(close_on_home(std::move(reason)));
}

COMCP_DECL error client_core::begin_anew(error why, std::chrono::nanoseconds wait) {
  if (end_reason_) return *end_reason_;
  if (closing_) return {errc::closed, "the client is closing"};
  if (restarting_ || restoring_) {
    restart_now_ = true;
    calls_.end(restart_pause_, json::value());
    return {};
  }
  if (status_ != connection_status::ready) return {errc::not_ready, "the first connection is still being made"};
  restarts_in_a_row_ = 0;
  give_way(why, wait);
  return end_reason_.value_or(error());
}

COMCP_DECL asio::awaitable<void> client_core::reconnect(error why) {
  auto const hold = shared_from_this();
  if (auto const bad = begin_anew(std::move(why), {})) throw exception(bad);
  detail::pending_entry outcome(detail::pending_entry::span::client);
  if (!calls_.enlist(outcome, std::chrono::nanoseconds::max())) throw exception(error(errc::queue_full));
  calls_.table().line_up(restart_waits_, outcome.id);
  auto const r = co_await calls_.wait(outcome);
  if (!r) throw exception(r.error());
}

COMCP_DECL asio::awaitable<error> client_core::settled(detail::prepared_call const& c) {
  if (end_reason_) co_return *end_reason_;
  if (!unsettled()) co_return error();
  auto failed = co_await calls_.wait_in(unsettled_, c);
  co_return failed;
}

COMCP_DECL void client_core::begin_attempt() {
  inbound_.forget_strays();
  attempt_until_ = detail::later(calls_.now(), settings_.connect_timeout);
}

// A part of an attempt takes no longer than what is left for the whole.
COMCP_DECL std::chrono::nanoseconds client_core::bounded(std::chrono::nanoseconds d) const {
  return std::min<std::chrono::nanoseconds>(d, std::max(attempt_until_ - calls_.now(), decltype(attempt_until_)::duration()));
}

COMCP_DECL asio::awaitable<void> client_core::restart(std::chrono::nanoseconds first_wait) {
  auto const hold = shared_from_this();
  std::optional<std::chrono::nanoseconds> until_next = first_wait;
  error last(errc::closed);
  for (;;) {
    if (transport_open_) {
      bool const through = co_await close_transport();
      if (closing_ || end_reason_) co_return;
      if (!through && until_next) co_return finish(error(errc::timeout, "the transport did not close in time"));
    }
    if (!until_next) co_return finish(last);
    detail::pending_entry pause(detail::pending_entry::span::client);
    if (!restart_now_ && calls_.enlist(pause, *until_next)) {
      restart_pause_ = pause.id;
      (void)co_await calls_.wait(pause);
      if (closing_ || end_reason_) co_return;
    }
    begin_attempt();
    if (on_attempt_) on_attempt_();
    if (closing_ || end_reason_) co_return;
    auto again = co_await open_transport();
    if (again) again = co_await negotiate();
    if (closing_ || end_reason_) co_return;
    if (again) {
      ++calls_.counters().restarts;
      for (auto const& step : pipeline_.steps()) step->connected(true);
      restarting_ = false;
      restoring_ = &last;
      co_await after_handshake();
      restoring_ = nullptr;
      if (closing_ || end_reason_) co_return;
      if (!restarting_) co_return restored();
    } else {
      last = again.error();
    }
    set_status(connection_status::connecting);
    restart_now_ = false;
    until_next = next_restart(last);
    calls_.wake(restart_waits_, last);
    if (closing_ || end_reason_) co_return;
  }
}

COMCP_DECL asio::awaitable<void> client_core::close() {
  auto const hold = shared_from_this();
  auto const wait_closed = [](std::shared_ptr<client_core> self) -> asio::awaitable<void> {
    if (self->end_reason_) co_return;
    if (!self->closing_) self->spawn(self->close_on_home(error(errc::closed)));
    (void)co_await self->closed();
  };
  auto work = wait_closed(hold);
  co_await run_on_home(std::move(work));
}

COMCP_DECL asio::awaitable<void> client_core::close_on_home(error reason) {
  auto const hold = shared_from_this();
  if (closing_ || end_reason_) co_return;
  closing_ = true;
  set_status(connection_status::closing);
  cancel_inbound();
  fail_all(reason);
  co_await close_transport();
  finish(std::move(reason));
}

// Bounded by close_timeout: a transport that is not through by then is destroyed, and false.
COMCP_DECL asio::awaitable<bool> client_core::close_transport() {
  auto const hold = shared_from_this();
  auto const done = std::make_shared<detail::pending_entry>();
  calls_.enlist(*done, settings_.close_timeout);
  auto task = [](std::shared_ptr<client_core> self, std::shared_ptr<detail::pending_entry> entry) -> asio::awaitable<void> {
    if (self->transport_) co_await self->transport_.close();
    self->calls_.end(entry->id, json::value());
  };
  auto work = std::make_shared<asio::awaitable<void>>(task(hold, done));
  auto start = [this, hold, work] { spawn(std::move(*work)); };
  detail::post(home_, std::move(start));
  auto const waited = co_await calls_.wait(*done);
  if (!waited) drop_transport();
  transport_open_ = false;
  co_return waited.has_value();
}

COMCP_DECL void client_core::finish(error reason) {
  if (end_reason_) return;
  auto const hold = shared_from_this();
  end_reason_ = reason;
  closing_ = true;
  transport_open_ = false;
  calls_.disarm();
  cancel_inbound();
  subscriptions_.ended(reason);
  set_status(connection_status::disconnected);
  fail_all(reason);
  calls_.disarm();
  calls_.fail(reason, detail::pending_entry::span::last, detail::calls::spared::nothing);
}

COMCP_DECL asio::awaitable<error> client_core::closed() {
  auto const hold = shared_from_this();
  if (end_reason_) co_return *end_reason_;
  detail::pending_entry e(detail::pending_entry::span::last);
  if (!calls_.enlist(e, std::chrono::nanoseconds::max())) throw exception(error(errc::queue_full));
  auto const r = co_await calls_.wait(e);
  if (!end_reason_) throw exception(r.error());
  co_return *end_reason_;
}

COMCP_DECL detail::tenant::tenant(asio::any_io_executor home) : home_(std::move(home)) {
  core_registry::of(home_).add(this);
}
COMCP_DECL detail::tenant::~tenant() {
  if (home_) core_registry::of(home_).remove(this);
}
COMCP_DECL void detail::tenant::at_home(std::function<void()> end) const {
  if (!home_) return;
  auto const* const context = executor_as<asio::io_context::executor_type>(home_);
  if (context && asio::query(*context, asio::execution::context).stopped()) return end();
  asio::dispatch(home_, std::move(end));
}

COMCP_DECL void client_core::abandon() noexcept {
  at_home([self = shared_from_this()] { self->abrupt(); });
  if (cut_) cut_();  // home may never run again
}

COMCP_DECL void client_core::drop_transport() noexcept {
  last_info_ = transport_info();
  transport_ = any_transport();
  transport_open_ = false;
}

COMCP_DECL void client_core::abrupt() noexcept {
  if (end_reason_) return;
  closing_ = true;
  drop_transport();
  auto end = [self = shared_from_this()] { self->finish(error(errc::closed, "the client was destroyed")); };
  detail::post(home_, std::move(end));
}

COMCP_DECL void client_core::context_gone() noexcept {
  drop_transport();
  closing_ = true;
  end_reason_ = error(errc::closed, "the client's execution context is gone");
  status_ = connection_status::disconnected;
  calls_.shut_down();
  subscriptions_.shut_down();
  settings_.executor = {};
}

}  // namespace comcp
