// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An inbox that keeps what it gets, and coroutines run to their end under a watchdog.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <comcp/net/asio_compat.hpp>
#include <comcp/transport/transport.hpp>

#include "support/catch.hpp"
#include "support/children.hpp"

namespace comcp_test {

class transport_box final : public comcp::inbox {
 public:
  explicit transport_box(asio::any_io_executor executor) : signal_(executor, asio::steady_timer::time_point::max()) {}

  void delivered(comcp::padded_text text, comcp::request_id) override {
    if (reason) ++after_closed;
    lines.emplace_back(text.view());
    if (on_line) on_line(lines.back());
    signal_.cancel();
  }
  void stream_ended(comcp::request_id, comcp::error) override {}
  void closed(comcp::error why) override {
    if (reason) ++after_closed;
    reason = std::move(why);
    if (on_closed) on_closed();
    signal_.cancel();
  }
  void fault(comcp::error what) override { faults.push_back(std::move(what)); }

  asio::awaitable<void> until_lines(std::size_t n) {
    while (lines.size() < n && !reason) co_await signal_.async_wait(comcp::net::tuple_awaitable);
  }
  asio::awaitable<void> until_closed() {
    while (!reason) co_await signal_.async_wait(comcp::net::tuple_awaitable);
  }

  std::vector<std::string> lines;
  std::vector<comcp::error> faults;
  std::optional<comcp::error> reason;
  int after_closed = 0;
  std::function<void(std::string const&)> on_line;
  std::function<void()> on_closed;

 private:
  asio::steady_timer signal_;
};

/// Runs until the coroutine ends; fails when that takes longer, which only a hang does.
inline void run(asio::io_context& io, asio::awaitable<void> op, std::chrono::seconds most = std::chrono::minutes(2)) {
  bool done = false;
  std::exception_ptr failure;
  asio::co_spawn(io, std::move(op), [&](std::exception_ptr e) {
    done = true;
    failure = e;
  });
  auto const limit = std::chrono::steady_clock::now() + most;
  io.restart();
  while (!done && std::chrono::steady_clock::now() < limit) io.run_one_until(limit);
  REQUIRE(done);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace comcp_test
