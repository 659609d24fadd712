// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/net/time_source.hpp>

#include <asio/io_context.hpp>

#include "support/catch.hpp"

using namespace std::chrono_literals;

TEST_CASE("time_source: a deadline fires once, from the executor", "[net]") {
  asio::io_context io;
  auto const time = comcp::steady_time();
  auto const d = time->make_deadline(io.get_executor());
  int fired = 0;
  d->arm(time->now(), [&] { ++fired; });
  CHECK(fired == 0);
  io.run();
  CHECK(fired == 1);
}

TEST_CASE("time_source: a deadline that was replaced or disarmed does not fire", "[net]") {
  asio::io_context io;
  auto const time = comcp::steady_time();
  auto const d = time->make_deadline(io.get_executor());
  int first = 0;
  int second = 0;
  d->arm(time->now(), [&] { ++first; });
  d->arm(time->now() + 1ms, [&] { ++second; });
  io.run();
  CHECK(first == 0);
  CHECK(second == 1);
  d->arm(time->now() + 1h, [&] { ++first; });
  d->disarm();
  io.restart();
  io.run();
  CHECK(first == 0);
}

TEST_CASE("time_source: destroying a deadline disarms it, and it may be destroyed while it fires", "[net]") {
  asio::io_context io;
  auto const time = comcp::steady_time();
  int fired = 0;
  time->make_deadline(io.get_executor())->arm(time->now(), [&] { ++fired; });
  auto d = time->make_deadline(io.get_executor());
  d->arm(time->now(), [&] {
    d.reset();
    fired += 10;
  });
  io.run();
  CHECK(fired == 10);
}
