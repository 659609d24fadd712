// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client that is held longer than its execution context is there, and coroutines that go with that context. Much of
// this only AddressSanitizer sees.
#include <comcp/client/connect.hpp>
#include <comcp/run.hpp>

#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using comcp::test::fake_server;

namespace {

// Everything that a user may hold of a connection.
struct belongings {
  client connection;
  subscription stream;
  watch_handle watch;
  std::optional<asio::awaitable<call_tool_result>> not_begun;
};

asio::awaitable<void> acquire(fake_server& server, belongings& mine) {
  auto connected = co_await connect(server.transport());
  mine.connection = std::move(connected);
  subscription_filter f;
  f.tools_list_changed = true;
  auto stream = co_await mine.connection.listen(f);
  mine.stream = std::move(stream);
  mine.watch = mine.connection.watch_tools([](result<listing<tool>> const&) {});
  mine.not_begun.emplace(mine.connection.call_tool("later"));
}

// The frame of a user's coroutine is gone when this is.
using sentinel = std::shared_ptr<int>;

asio::awaitable<void> call_for_ever(client const& c, sentinel) { co_await c.call_tool("never"); }
asio::awaitable<void> call_all_for_ever(client const& c, sentinel) {
  std::vector<asio::awaitable<call_tool_result>> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(c.call_tool("never"));
  (void)co_await all(std::move(calls));
}
asio::awaitable<void> read_for_ever(subscription& s, sentinel) { (void)co_await s.next(); }
asio::awaitable<void> wait_for_end(client const& c, sentinel) { (void)co_await c.closed(); }

void looks_dead(belongings& mine) {
  CHECK(mine.connection.status() == connection_status::disconnected);
  CHECK(mine.connection.statistics().pending == 0);
  CHECK_FALSE(mine.connection.get_executor());
  conversation elsewhere;
  CHECK(elsewhere.finish(mine.connection.call_tool("x")).error() == errc::closed);
  CHECK(elsewhere.finish(std::move(*mine.not_begun)).error() == errc::closed);
  CHECK(elsewhere.finish(mine.connection.list_tools()).error() == errc::closed);
  CHECK(elsewhere.finish(mine.connection.subscribe("a://b")).error() == errc::closed);
  CHECK(elsewhere.finish(mine.connection.reconnect()).error() == errc::closed);
  CHECK(elsewhere.finish(mine.connection.notify_roots_changed()).error() == errc::closed);
  auto const another = mine.connection.watch_tools([](result<listing<tool>> const&) {});
  mine.watch.stop();
  mine.stream.close();
}

}  // namespace

TEST_CASE("lifetime: a client may be held longer than its io_context, on it or on a strand of it", "[client]") {
  bool const on_strand = GENERATE(false, true);
  bool const server_first = GENERATE(false, true);
  belongings mine;
  auto const frames = std::make_shared<int>();
  {
    asio::io_context io(1);
    asio::any_io_executor home = io.get_executor();
    if (on_strand) home = asio::make_strand(io);
    auto server = std::make_unique<fake_server>(home);
    server->modern().silent("tools/call");
    asio::co_spawn(home, acquire(*server, mine), asio::detached);
    io.poll();
    REQUIRE(mine.connection.status() == connection_status::ready);
    asio::co_spawn(home, call_for_ever(mine.connection, frames), asio::detached);
    asio::co_spawn(home, call_all_for_ever(mine.connection, frames), asio::detached);
    asio::co_spawn(home, read_for_ever(mine.stream, frames), asio::detached);
    asio::co_spawn(home, wait_for_end(mine.connection, frames), asio::detached);
    io.restart();
    io.poll();
    CHECK(frames.use_count() == 5);
    if (server_first) server.reset();
  }
  CHECK(frames.use_count() == 1);  // no coroutine is left
  looks_dead(mine);
}

TEST_CASE("lifetime: a client may be held longer than its thread_pool", "[client][threads]") {
  belongings mine;
  {
    asio::thread_pool pool(2);
    fake_server server(asio::make_strand(pool));
    server.modern();
    asio::co_spawn(pool, acquire(server, mine), asio::use_future).get();
    pool.stop();
    pool.join();
  }
  looks_dead(mine);
}

TEST_CASE("lifetime: a client that leaves run() is of a context that is gone", "[client]") {
  client c;
  auto const one = [&]() -> asio::awaitable<void> {
    fake_server server(co_await asio::this_coro::executor);
    c = co_await connect(server.transport());
  };
  comcp::run(one());
  CHECK(c.status() == connection_status::disconnected);
  CHECK_THROWS_AS(comcp::run(c.ping()), exception);
}

TEST_CASE("lifetime: a client that is still connecting goes with its io_context", "[client]") {
  auto const frame = std::make_shared<int>();
  {
    asio::io_context io(1);
    fake_server server(io.get_executor());
    server.silent("server/discover").silent("initialize");
    auto const connecting = [](fake_server& s, sentinel) -> asio::awaitable<void> {
      auto c = co_await connect(s.transport());
      co_await c.close();
    };
    asio::co_spawn(io, connecting(server, frame), asio::detached);
    io.poll();
  }
  CHECK(frame.use_count() == 1);
}

TEST_CASE("lifetime: all() that is cancelled before its operations have begun comes to its end", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.silent("tools/call");
  auto client = c.connect(server.transport());
  auto o = std::make_shared<outcome<int>>();
  auto const work = [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<call_tool_result>> calls;
    for (int i = 0; i < 3; ++i) calls.push_back(client->call_tool("never"));
    auto const r = co_await all(std::move(calls));
    for (auto const& each : r) o->times += each.error() == errc::cancelled;
  };
  asio::co_spawn(c.io, work(), asio::bind_cancellation_slot(o->signal.slot(), asio::detached));
  c.io.restart();
  c.io.poll_one();  // it has begun, and none of its operations
  o->cancel();
  c.settle();
  CHECK(o->times == 3);
  CHECK(client->statistics().pending == 0);
}
