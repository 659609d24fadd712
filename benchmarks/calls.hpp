// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Many calls of the tool `echo`, some of them in flight at a time.
#pragma once

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/client/client.hpp>

#include "measure.hpp"

namespace bench {

struct crew {
  std::size_t to_start = 0;
  std::size_t at_work = 0;
  asio::steady_timer* all_done = nullptr;
};

inline void stop_here(char const* why) {
  std::cerr << why << '\n';
  std::exit(1);
}

inline asio::awaitable<void> work(comcp::client const& c, crew& all) {
  while (all.to_start > 0) {
    --all.to_start;
    auto const r = co_await c.call_tool("echo", comcp::args("text", "hello"));
    if (r.is_error) stop_here("the tool failed");
  }
  if (--all.at_work == 0) all.all_done->cancel();
}

using stopwatch = double (*)();

/// Seconds that `calls` took, `in_flight` at a time, by the given clock.
inline asio::awaitable<double> many_calls(comcp::client const& c, std::size_t calls, std::size_t in_flight,
                                          stopwatch now = wall_clock) {
  auto const executor = co_await asio::this_coro::executor;
  asio::steady_timer done(executor, asio::steady_timer::time_point::max());
  crew all{calls, in_flight, &done};
  auto const ended = [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  };
  auto const start = now();
  for (std::size_t i = 0; i < in_flight; ++i) asio::co_spawn(executor, work(c, all), ended);
  asio::error_code cancelled;
  co_await done.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  co_return now() - start;
}

/// Runs one coroutine to its end; failures end the program.
inline void run(asio::awaitable<void> main) {
  asio::io_context io(1);
  std::exception_ptr failure;
  asio::co_spawn(io, std::move(main), [&](std::exception_ptr e) {
    failure = e;
    io.stop();
  });
  try {
    io.run();
    if (failure) std::rethrow_exception(failure);
  } catch (std::exception const& e) {
    stop_here(e.what());
  }
}

}  // namespace bench
