// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Many calls of the tool `echo`, some of them in flight at a time.
#pragma once

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/client/connect.hpp>

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

/// The median of so many single round trips, in seconds.
inline asio::awaitable<double> client_trips(comcp::client const& c, std::size_t trips) {
  std::vector<double> each;
  for (std::size_t i = 0; i < trips; ++i) {
    auto const start = wall_clock();
    auto const r = co_await c.call_tool("echo", comcp::args("text", "hello"));
    each.push_back(wall_clock() - start);
    if (r.is_error) stop_here("the tool failed");
  }
  co_return median(std::move(each));
}

/// As many calls, so many in flight, beside `raw(calls)`, which gives the seconds that their bytes take.
template <class Raw>
asio::awaitable<void> many_beside_raw(std::string prefix, comcp::client const& c, std::size_t calls,
                                      std::size_t in_flight, int rounds, Raw raw) {
  times all;
  for (int i = 0; i < rounds; ++i) {
    double const plain = raw(calls);
    double const ours = co_await many_calls(c, calls, in_flight);
    all.add(plain, ours);
  }
  auto const n = static_cast<double>(calls);
  print((prefix + ".raw_per_second").c_str(), n / median(all.plain));
  print((prefix + ".calls_per_second").c_str(), n / median(all.ours));
  print((prefix + ".share_of_raw").c_str(), 1 / median(all.ratios));
}

/// The whole way of the large answers, from the request to the value that a user has, beside `list()` and `text()`,
/// which exchange as many bytes. The server is one of those that know them.
template <class List, class Text>
asio::awaitable<void> large_answers(std::string prefix, comcp::client const& c, int rounds, List list, Text text) {
  times lists, texts;
  for (int i = -1; i < rounds; ++i) {
    auto start = wall_clock();
    list();
    double plain = wall_clock() - start;
    start = wall_clock();
    {
      auto const tools = co_await c.list_tools();
      if (tools.size() != 1000) stop_here("a list of other tools");
      double const ours = wall_clock() - start;
      if (i >= 0) lists.add(plain, ours);
    }
    start = wall_clock();
    text();
    plain = wall_clock() - start;
    start = wall_clock();
    auto r = co_await c.call_tool("text");
    auto const words = std::move(r).text();
    double const ours = wall_clock() - start;
    if (words.size() < 9'000'000) stop_here("another text");
    if (i >= 0) texts.add(plain, ours);
  }
  lists.print(prefix + ".list", "ms");
  texts.print(prefix + ".text", "ms");
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
