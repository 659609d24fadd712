// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <system_error>

#include <asio/this_coro.hpp>

#include <comcp/net/asio_compat.hpp>
#include <comcp/net/gate.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

COMCP_DECL void gate::open() noexcept {
  open_ = true;
  try {
    timer_.cancel();
  } catch (std::system_error const&) {
    // Documented to throw, never seen to.
  }
}

COMCP_LAZY_DECL asio::awaitable<void> gate::wait() {
  while (!open_) co_await net::async_wait(timer_);
}

COMCP_LAZY_DECL asio::awaitable<void> pause_until(std::shared_ptr<time_source> time, time_source::time_point until) {
  auto const executor = co_await asio::this_coro::executor;
  // Shared: the deadline may be firing while a cancelled wait goes away.
  auto const reached = std::make_shared<gate>(executor);
  auto const alarm = time->make_deadline(executor);
  std::function<void()> fire = [reached] { reached->open(); };
  alarm->arm(until, std::move(fire));
  co_await reached->wait();
}

}  // namespace comcp::detail
