// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/this_coro.hpp>

#include <comcp/client/handlers.hpp>
#include <comcp/net/asio_compat.hpp>
#include <comcp/version.hpp>

namespace comcp {

COMCP_LAZY_DECL asio::awaitable<any_notification> broadcast::listener::take(std::shared_ptr<queue> q) {
  if (q->reader) throw exception(error(errc::invalid_argument, "two readers of one listener"));
  auto const ex = co_await asio::this_coro::executor;
  while (q->items.empty()) {
    reading now(*q, ex);
    (void)co_await net::async_wait(now.woken);
    auto const state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) throw exception(error(errc::cancelled));
  }
  auto first = std::move(q->items.front());
  q->items.pop_front();
  co_return first;
}

}  // namespace comcp
