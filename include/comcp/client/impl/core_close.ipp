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
  if (auto const n = negotiation_.lock()) return take_step(n, n->machine.closed(reason));
  if (closing_ || end_reason_) return;
  if (restoring_) {
    *restoring_ = reason;
    restarting_ = true;
    dispatcher_.cancel_all();
    return fail_all(reason);
  }
  if (status_ == connection_status::ready && restarts_in_a_row_ < options_.restart_.attempts()) {
    restarting_ = true;
    set_status(connection_status::connecting);
    dispatcher_.cancel_all();
    fail_all(reason);
    return spawn(restart());
  }
  if (!restarting_) finish(std::move(reason));
}

COMCP_DECL asio::awaitable<void> client_core::restart() {
  auto const hold = shared_from_this();
  error last(errc::closed);
  while (restarts_in_a_row_ < options_.restart_.attempts()) {
    auto const factor = std::min(restarts_in_a_row_, 20U);
    auto const wanted = options_.restart_.base() * (std::int64_t{1} << factor);
    ++restarts_in_a_row_;
    auto const slept = co_await sleep(std::min<std::chrono::nanoseconds>(wanted, options_.restart_.max()));
    if (!slept && (closing_ || end_reason_)) co_return;
    auto again = co_await open_transport();
    if (again) again = co_await negotiate();
    if (closing_ || end_reason_) co_return;
    if (again) {
      ++counters_.restarts;
      if (cache_) cache_->restarted();
      restarting_ = false;
      restoring_ = &last;
      co_await after_handshake();
      restoring_ = nullptr;
      if (restarting_) continue;
      restored();
      co_return;
    }
    last = again.error();
    if (transport_open_) co_await transport_.close();
  }
  restarting_ = false;
  finish(last);
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

// Bounded by close_timeout: a transport that is not through by then is destroyed.
COMCP_DECL asio::awaitable<void> client_core::close_on_home(error reason) {
  auto const hold = shared_from_this();
  if (closing_ || end_reason_) co_return;
  closing_ = true;
  set_status(connection_status::closing);
  dispatcher_.cancel_all();
  fail_all(reason);
  auto const done = std::make_shared<detail::pending_entry>();
  enlist(*done, options_.close_timeout_);
  auto task = [](std::shared_ptr<client_core> self, std::shared_ptr<detail::pending_entry> entry) -> asio::awaitable<void> {
    co_await self->transport_.close();
    self->end(entry->id, json::value());
  };
  auto work = std::make_shared<asio::awaitable<void>>(task(hold, done));
  auto start = [this, hold, work] { spawn(std::move(*work)); };
  detail::post(home_, std::move(start));
  auto const waited = co_await wait(*done);
  if (!waited) drop_transport();
  transport_open_ = false;
  finish(std::move(reason));
}

COMCP_DECL void client_core::finish(error reason) {
  if (end_reason_) return;
  auto const hold = shared_from_this();
  end_reason_ = reason;
  closing_ = true;
  transport_open_ = false;
  deadline_->disarm();
  armed_.reset();
  dispatcher_.cancel_all();
  subscriptions_.ended(reason);
  set_status(connection_status::disconnected);
  fail_all(reason);
  deadline_->disarm();
  for (auto* const w : std::exchange(closed_waiters_, {})) w->complete(reason);
}

COMCP_DECL asio::awaitable<error> client_core::closed() {
  auto const hold = shared_from_this();
  if (end_reason_) co_return *end_reason_;
  detail::waiter<error>* place = nullptr;
  auto const forget = [weak = weak_from_this(), &place] {
    auto const self = weak.lock();
    if (!self) return;
    auto drop = [self, which = place] {
      auto& all = self->closed_waiters_;
      auto const found = std::find(all.begin(), all.end(), which);
      if (found == all.end()) return;
      all.erase(found);
      which->complete(error(errc::cancelled));
    };
    detail::post(self->home_, std::move(drop));
  };
  auto reason = co_await detail::suspend_listed<error>(place, closed_waiters_, forget);
  if (reason == errc::cancelled && !end_reason_) throw exception(reason);
  co_return reason;
}

COMCP_DECL void client_core::abandon() noexcept {
  auto end = [self = shared_from_this()] { self->abrupt(); };
  auto const* const context = detail::executor_as<asio::io_context::executor_type>(home_);
  if (context && asio::query(*context, asio::execution::context).stopped()) return end();
  asio::dispatch(home_, std::move(end));
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

COMCP_DECL void client_core::shut_down() noexcept {
  drop_transport();
  closing_ = true;
  end_reason_ = error(errc::closed);
  while (auto const id = pending_.any()) {
    auto* const e = *pending_.take(id);
    e->id = 0;
    e->stop.reset();
    e->on_end = nullptr;
    if (auto* const w = std::exchange(e->waiting, nullptr)) w->destroy();
  }
  for (auto* const w : std::exchange(closed_waiters_, {})) w->destroy();
  subscriptions_.shut_down();
}

}  // namespace comcp
