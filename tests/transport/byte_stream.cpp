// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/transport/byte_stream.hpp>

#include <optional>

#include <asio/local/connect_pair.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include <comcp/test/manual_clock.hpp>

#include "support/failing_new.hpp"
#include "support/transport_box.hpp"

using comcp::errc;
using comcp::outgoing;
using comcp_test::run;
using comcp_test::transport_box;
using strings = std::vector<std::string>;
using socket_type = asio::local::stream_protocol::socket;
using stream = comcp::byte_stream<socket_type>;

static_assert(comcp::transport<stream>);

namespace {

struct fixture {
  fixture() : peer(io), ours(io), box(io.get_executor()) { asio::local::connect_pair(peer, ours); }

  stream connected(comcp::stream_options options = comcp::stream_options()) {
    return stream(std::move(ours), std::move(options));
  }
  asio::awaitable<void> peer_says(std::string text) {
    co_await asio::async_write(peer, asio::buffer(text), asio::use_awaitable);
  }
  asio::awaitable<std::string> peer_reads(std::size_t n) {
    std::string out(n, '\0');
    co_await asio::async_read(peer, asio::buffer(out), asio::use_awaitable);
    co_return out;
  }

  asio::io_context io;
  socket_type peer;
  socket_type ours;
  transport_box box;
};

}  // namespace

TEST_CASE("byte_stream: lines go both ways, many sends of one turn in one piece", "[transport]") {
  fixture f;
  auto t = f.connected();
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t.open(f.box)).value();
    std::string expected;
    for (int i = 0; i != 1000; ++i) {
      expected += std::to_string(i) + "\n";
      CHECK(t.send(outgoing(std::to_string(i))));
    }
    std::string got = co_await f.peer_reads(expected.size());
    CHECK(got == expected);
    co_await f.peer_says("a\nb\r\n\nc");
    co_await f.box.until_lines(2);
    f.peer.close();
    co_await f.box.until_closed();
  };
  run(f.io, body());
  CHECK(f.box.lines == strings{"a", "b", "c"});
  CHECK(*f.box.reason == errc::transport_failed);
  CHECK(f.box.after_closed == 0);
  CHECK(t.info().messages_out == 1000);
  CHECK(t.info().messages_in == 3);
  CHECK(t.info().bytes_in == 7);
}

TEST_CASE("byte_stream: close writes what was accepted, then tells closed", "[transport]") {
  fixture f;
  auto t = f.connected();
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t.open(f.box)).value();
    std::string const big(1 << 20, 'x');
    CHECK(t.send(outgoing(big)));
    bool closed = false;
    auto closing = [&]() -> asio::awaitable<void> {
      co_await t.close();
      closed = true;
    };
    asio::co_spawn(f.io, closing(), [](std::exception_ptr) {});
    std::string got = co_await f.peer_reads(big.size() + 1);
    CHECK(got == big + "\n");
    co_await f.box.until_closed();
    co_await t.close();
    CHECK(t.send(outgoing("late")).error() == errc::closed);
    auto again = co_await t.open(f.box);
    CHECK(again.error() == errc::connect_failed);
  };
  run(f.io, body());
  CHECK(*f.box.reason == errc::closed);
}

TEST_CASE("byte_stream: close is bounded when the peer does not read; the queue is bounded too", "[transport]") {
  fixture f;
  auto const clock = std::make_shared<comcp::test::manual_clock>();
  auto t = f.connected(comcp::stream_options()
                           .time(clock)
                           .close_wait(std::chrono::seconds(5))
                           .queue(comcp::queue_limits().bytes(1 << 20)));
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t.open(f.box)).value();
    comcp::result<void> sent;
    int accepted = 0;
    while ((sent = t.send(outgoing(std::string(100000, 'x'))))) ++accepted;
    CHECK(sent.error() == errc::queue_full);
    CHECK(accepted == 10);
    asio::co_spawn(f.io, t.close(), [](std::exception_ptr) {});
    while (!clock->next_deadline()) co_await asio::post(f.io, asio::use_awaitable);
    CHECK_FALSE(f.box.reason);
    clock->advance(std::chrono::seconds(5));
    co_await f.box.until_closed();
  };
  run(f.io, body());
  CHECK(*f.box.reason == errc::closed);
  CHECK_FALSE(clock->next_deadline());
}

TEST_CASE("byte_stream: a line over the limit closes and names the limit", "[transport]") {
  fixture f;
  auto t = f.connected(comcp::stream_options().max_line(10));
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t.open(f.box)).value();
    co_await f.peer_says("fine\n0123456789a\nnever\n");
    co_await f.box.until_closed();
  };
  run(f.io, body());
  CHECK(f.box.lines == strings{"fine"});
  CHECK(*f.box.reason == errc::limit_exceeded);
  CHECK_THAT(f.box.reason->to_string(), match::contains("max_line (10 bytes)"));
}

TEST_CASE("byte_stream: it may be destroyed or closed from inside a delivery", "[transport]") {
  fixture f;
  std::optional<stream> t(f.connected());
  bool const destroy = GENERATE(true, false);
  f.box.on_line = [&](std::string const&) {
    if (destroy) return t.reset();
    asio::co_spawn(f.io, t->close(), [](std::exception_ptr) {});
  };
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t->open(f.box)).value();
    CHECK(t->send(outgoing("pending")));
    co_await f.peer_says("one\ntwo\n");
    co_await f.box.until_lines(1);
    if (!destroy) co_await f.box.until_closed();
  };
  run(f.io, body());
  f.io.restart();
  f.io.run();
  CHECK(f.box.lines.front() == "one");
  CHECK(f.box.reason.has_value() == !destroy);
  if (destroy) CHECK(f.box.lines.size() == 1);
}

TEST_CASE("byte_stream: an abandoned message that is still queued is not written", "[transport]") {
  fixture f;
  auto t = f.connected();
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t.open(f.box)).value();
    CHECK(t.send(outgoing("first", 1)));
    CHECK(t.send(outgoing("second", 2)));
    CHECK(t.abandon(1));
    std::string got = co_await f.peer_reads(7);
    CHECK(got == "second\n");
    CHECK_FALSE(t.abandon(2));
  };
  run(f.io, body());
}

TEST_CASE("byte_stream: memory that runs out while reading ends the stream with an error that says so", "[transport]") {
  fixture f;
  auto t = f.connected();
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t.open(f.box)).value();
    co_await f.peer_says(std::string(60'000, 'x'));
    comcp_test::scarce_memory const scarce(100'000);
    while (!f.box.reason) co_await f.peer_says(std::string(10'000, 'x'));
    co_await f.box.until_closed();
  };
  run(f.io, body());
  CHECK(*f.box.reason == errc::out_of_memory);
  CHECK(f.box.after_closed == 0);
}
