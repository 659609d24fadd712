// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/transport/memory.hpp>

#include <optional>
#include <thread>

#include "support/transport_box.hpp"

using comcp::errc;
using comcp::outgoing;
using comcp_test::run;
using comcp_test::transport_box;
using strings = std::vector<std::string>;

TEST_CASE("memory: what one end sends, the other delivers, never from inside send", "[transport]") {
  asio::io_context io;
  auto [a, b] = comcp::memory_pair();
  transport_box in_a(io.get_executor());
  transport_box in_b(io.get_executor());
  auto body = [&]() -> asio::awaitable<void> {
    (co_await a.open(in_a)).value();
    CHECK(a.send(outgoing("early")));  // before the other end opened
    (co_await b.open(in_b)).value();
    CHECK(a.send(outgoing("one")));
    CHECK(in_b.lines.empty());
    co_await in_b.until_lines(2);
    CHECK(b.send(outgoing("answer")));
    co_await in_a.until_lines(1);
  };
  run(io, body());
  CHECK(in_b.lines == strings{"early", "one"});
  CHECK(in_a.lines == strings{"answer"});
  CHECK(a.info().kind == "memory");
  CHECK(a.info().messages_out == 2);
  CHECK(b.info().bytes_in == 8);
}

TEST_CASE("memory: a close tells both ends once, after what was sent before", "[transport]") {
  asio::io_context io;
  auto [a, b] = comcp::memory_pair();
  transport_box in_a(io.get_executor());
  transport_box in_b(io.get_executor());
  auto body = [&]() -> asio::awaitable<void> {
    (co_await a.open(in_a)).value();
    (co_await b.open(in_b)).value();
    CHECK(a.send(outgoing("last words")));
    co_await a.close();
    REQUIRE(in_a.reason);
    CHECK(*in_a.reason == errc::closed);
    co_await a.close();
    co_await in_b.until_closed();
    CHECK(a.send(outgoing("x")).error() == errc::closed);
    CHECK(b.send(outgoing("x")).error() == errc::closed);
    auto again = co_await a.open(in_a);
    CHECK(again.error() == errc::connect_failed);
  };
  run(io, body());
  CHECK(in_b.lines == strings{"last words"});
  CHECK(*in_b.reason == errc::transport_failed);
  CHECK(in_a.after_closed + in_b.after_closed == 0);
}

TEST_CASE("memory: the queue is bounded, and a queued message can be abandoned", "[transport]") {
  asio::io_context io;
  auto [a, b] = comcp::memory_pair(comcp::queue_limits().messages(2));
  transport_box in_a(io.get_executor());
  transport_box in_b(io.get_executor());
  auto body = [&]() -> asio::awaitable<void> {
    (co_await a.open(in_a)).value();
    CHECK(a.send(outgoing("1", 1)));
    CHECK(a.send(outgoing("2", 2)));
    CHECK(a.send(outgoing("3", 3)).error() == errc::queue_full);
    CHECK(a.abandon(1));
    CHECK_FALSE(a.abandon(1));
    (co_await b.open(in_b)).value();
    co_await in_b.until_lines(1);
    CHECK_FALSE(a.abandon(2));
  };
  run(io, body());
  CHECK(in_b.lines == strings{"2"});
}

TEST_CASE("memory: an end may be destroyed from inside a delivery", "[transport]") {
  asio::io_context io;
  auto pair = comcp::memory_pair();
  std::optional<comcp::memory_transport> b(std::move(pair.second));
  comcp::memory_transport a = std::move(pair.first);
  transport_box in_a(io.get_executor());
  transport_box in_b(io.get_executor());
  in_b.on_line = [&](std::string const&) { b.reset(); };
  auto body = [&]() -> asio::awaitable<void> {
    (co_await a.open(in_a)).value();
    (co_await b->open(in_b)).value();
    CHECK(a.send(outgoing("one")));
    CHECK(a.send(outgoing("two")));
    co_await in_a.until_closed();
  };
  run(io, body());
  CHECK(in_b.lines == strings{"one"});
  CHECK_FALSE(in_b.reason);
  CHECK(*in_a.reason == errc::transport_failed);
}

TEST_CASE("memory: the ends may live on two threads", "[transport]") {
  asio::io_context client_io;
  asio::io_context server_io;
  auto [a, b] = comcp::memory_pair();
  transport_box in_a(client_io.get_executor());
  transport_box in_b(server_io.get_executor());
  int accepted = 0;
  in_b.on_line = [&](std::string const& line) { accepted += b.send(outgoing(line)) ? 1 : 0; };
  auto serve = [&]() -> asio::awaitable<void> {
    (co_await b.open(in_b)).value();
    co_await in_b.until_closed();
  };
  asio::co_spawn(server_io, serve(), [](std::exception_ptr) {});
  std::thread server([&] { server_io.run_for(std::chrono::seconds(30)); });
  auto body = [&]() -> asio::awaitable<void> {
    (co_await a.open(in_a)).value();
    for (int i = 0; i != 5000; ++i) CHECK(a.send(outgoing(std::to_string(i))));
    co_await in_a.until_lines(5000);
    co_await a.close();
  };
  run(client_io, body());
  server.join();
  CHECK(accepted == 5000);
  CHECK(in_a.lines.size() == 5000);
  CHECK(in_a.lines.back() == "4999");
}
