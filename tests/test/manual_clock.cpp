// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/test/manual_clock.hpp>

#include <vector>

#include <asio/io_context.hpp>

#include "support/catch.hpp"

using namespace std::chrono_literals;

TEST_CASE("manual_clock: time moves by advance alone, and due deadlines are posted in order", "[test]") {
  asio::io_context io;
  comcp::test::manual_clock clock;
  auto const start = clock.now();
  auto const a = clock.make_deadline(io.get_executor());
  auto const b = clock.make_deadline(io.get_executor());
  std::vector<int> fired;
  a->arm(start + 2s, [&] { fired.push_back(2); });
  b->arm(start + 1s, [&] { fired.push_back(1); });
  REQUIRE(clock.next_deadline());
  CHECK(*clock.next_deadline() == start + 1s);
  clock.advance(999ms);
  io.run();
  CHECK(fired.empty());
  clock.advance(2s);
  CHECK(fired.empty());
  io.restart();
  io.run();
  CHECK(fired == std::vector<int>{1, 2});
  CHECK_FALSE(clock.next_deadline());
  CHECK(clock.now() == start + 2999ms);
}

TEST_CASE("manual_clock: a deadline replaced after it came due does not fire", "[test]") {
  asio::io_context io;
  comcp::test::manual_clock clock;
  auto d = clock.make_deadline(io.get_executor());
  int first = 0;
  int second = 0;
  d->arm(clock.now() + 1s, [&] { ++first; });
  CHECK(clock.advance_to_next());
  d->arm(clock.now(), [&] { ++second; });
  io.run();
  CHECK(first == 0);
  CHECK(second == 1);
  d->arm(clock.now() + 1s, [&] { ++first; });
  d.reset();
  clock.advance(1h);
  CHECK_FALSE(clock.advance_to_next());
  io.restart();
  io.run();
  CHECK(first == 0);
}
