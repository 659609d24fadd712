// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/transport/write_queue.hpp>

#include <random>
#include <string>

#include "support/catch.hpp"

using comcp::errc;
using comcp::outgoing;
using comcp::queue_limits;
using comcp::detail::write_queue;

namespace {

// Writes at most `n` bytes of one gather().
std::size_t write(write_queue& q, std::string& out, std::size_t n) {
  std::size_t written = 0;
  for (auto const& b : q.gather()) {
    auto const part = std::min(b.size(), n - written);
    out.append(static_cast<char const*>(b.data()), part);
    written += part;
  }
  return q.consume(written);
}

}  // namespace

TEST_CASE("write_queue: messages leave whole, in order, each with its newline", "[transport]") {
  write_queue q{queue_limits()};
  std::mt19937 random(3);
  std::string expected;
  std::string out;
  std::size_t completed = 0;
  for (int i = 0; i != 500; ++i) {
    std::string text(1 + random() % 40, static_cast<char>('a' + i % 26));
    if (i % 3 == 0) text.shrink_to_fit();
    expected += text + "\n";
    REQUIRE(q.push(outgoing(std::move(text))));
    if (i % 5 == 0) completed += write(q, out, random() % 200);
  }
  while (!q.empty()) completed += write(q, out, 1 + random() % 500);
  CHECK(out == expected);
  CHECK(completed == 500);
  CHECK(q.bytes() == 0);
}

TEST_CASE("write_queue: the bounds refuse and are named; one message always fits", "[transport]") {
  SECTION("messages") {
    write_queue q{queue_limits().messages(2)};
    CHECK(q.push(outgoing("a")));
    CHECK(q.push(outgoing("b")));
    auto const full = q.push(outgoing("c"));
    REQUIRE_FALSE(full);
    CHECK(full.error() == errc::queue_full);
    CHECK_THAT(std::string(full.error().message()), match::contains("queue_limits::messages is 2"));
  }
  SECTION("bytes") {
    write_queue q{queue_limits().bytes(10)};
    CHECK(q.push(outgoing(std::string(100, 'x'))));
    auto const full = q.push(outgoing("y"));
    REQUIRE_FALSE(full);
    CHECK_THAT(std::string(full.error().message()), match::contains("queue_limits::bytes is 10"));
  }
}

TEST_CASE("write_queue: an abandoned message is removed while no byte of it was handed out", "[transport]") {
  write_queue q{queue_limits()};
  for (comcp::request_id id = 1; id <= 4; ++id) REQUIRE(q.push(outgoing("m" + std::to_string(id), id)));
  std::string out;
  CHECK(q.abandon(2));
  CHECK_FALSE(q.abandon(2));
  CHECK_FALSE(q.abandon(0));
  CHECK(write(q, out, 1) == 0);  // the first is begun
  CHECK_FALSE(q.abandon(1));
  CHECK(q.abandon(4));
  static_cast<void>(q.gather());
  CHECK_FALSE(q.abandon(3));
  q.consume(0);
  CHECK(q.abandon(3));
  while (!q.empty()) write(q, out, 100);
  CHECK(out == "m1\n");
  CHECK(q.bytes() == 0);
}

TEST_CASE("write_queue: a handshake is never removed", "[transport]") {
  write_queue q{queue_limits()};
  outgoing probe("probe", 1);
  probe.handshake = true;
  REQUIRE(q.push(std::move(probe)));
  CHECK_FALSE(q.abandon(1));
  CHECK(q.size() == 1);
}
