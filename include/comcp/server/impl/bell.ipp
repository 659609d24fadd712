// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include <asio/this_coro.hpp>

#include <comcp/net/spawn.hpp>
#include <comcp/server/bell.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL void bell::ring() noexcept {
  for (auto const& w : std::exchange(waiting_, {})) {
    if (auto const g = w.lock()) g->open();
  }
}

COMCP_LAZY_DECL asio::awaitable<void> bell::wait(std::shared_ptr<time_source> time, time_point until,
                                                 std::stop_token stop) {
  auto const home = co_await asio::this_coro::executor;
  auto const g = std::make_shared<gate>(home);
  std::erase_if(waiting_, [](auto const& w) { return w.expired(); });
  waiting_.push_back(g);
  std::unique_ptr<deadline> alarm;
  std::function<void()> open = [g] { g->open(); };
  if (until != time_point::max()) {
    alarm = time->make_deadline(home);
    alarm->arm(until, open);
  }
  std::function<void()> stopped = [weak = std::weak_ptr(g), home] {
    if (auto alive = weak.lock()) post(home, [alive = std::move(alive)] { alive->open(); });
  };
  std::stop_callback<std::function<void()>> const on_stop(std::move(stop), std::move(stopped));
  co_await g->wait();
}

}  // namespace comcp::detail
