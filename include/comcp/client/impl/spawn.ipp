// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/client/spawn.hpp>

namespace comcp::detail {

COMCP_DECL void post(asio::any_io_executor const& to, std::function<void()> work) { asio::post(to, std::move(work)); }

COMCP_DECL void spawn(asio::any_io_executor const& on, asio::awaitable<void> work, asio::cancellation_slot slot,
                      std::shared_ptr<void const> owner) {
  auto done = [owner = std::move(owner)](std::exception_ptr) {};
  asio::co_spawn(on, std::move(work), asio::bind_cancellation_slot(slot, std::move(done)));
}

COMCP_DECL void spawn(asio::any_io_executor const& on, asio::awaitable<void> work) {
  spawn(on, std::move(work), {}, {});
}

COMCP_DECL asio::awaitable<void> spawn_and_wait(asio::any_io_executor on, asio::awaitable<void> work) {
  co_await asio::co_spawn(on, std::move(work), asio::use_awaitable);
}

}  // namespace comcp::detail
