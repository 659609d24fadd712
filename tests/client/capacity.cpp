// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Waiting for room under limits().pending_calls().
#include <comcp/client/connect.hpp>

#include <atomic>
#include <thread>

#include <asio/bind_executor.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {

connect_options with_room_for(conversation& c, std::size_t n) {
  return c.options().limits(connection_limits().pending_calls(n));
}

// A server whose answers the test gives.
struct slow_server : conversation {
  explicit slow_server(std::size_t room) {
    server.on("tools/call", [this](fake_request r) { calls.push_back(r); });
    auto connected = connect(server.transport(), with_room_for(*this, room));
    REQUIRE(connected);
    client = std::move(*connected);
  }
  void answer() {
    auto const first = calls.front();
    calls.erase(calls.begin());
    first.reply(json::raw(tool_text));
    settle();
  }
  asio::awaitable<call_tool_result> wait_and_call(std::string name) {
    co_await client.capacity();
    order.push_back(name);
    auto called = client.call_tool(name);
    co_return co_await std::move(called);
  }

  fake_server server{io.get_executor()};
  std::vector<fake_request> calls;
  std::vector<std::string> order;
  comcp::client client;
};

}  // namespace

TEST_CASE("capacity: where there is room nobody waits", "[client]") {
  slow_server s(2);
  CHECK(s.finish(s.client.capacity()));
  auto const call = s.start(s.client.call_tool("a"));
  CHECK(s.finish(s.client.capacity()));
  CHECK_FALSE(call->done());
}

TEST_CASE("capacity: calls go on one by one, in the order in which they waited", "[client]") {
  slow_server s(1);
  auto const first = s.start(s.client.call_tool("first"));
  CHECK(s.finish(s.client.call_tool("refused")).error() == errc::queue_full);
  std::vector<outcome_of<call_tool_result>> rest;
  for (auto const* name : {"a", "b", "c"}) rest.push_back(s.start(s.wait_and_call(name)));
  CHECK(s.order.empty());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    s.answer();
    CHECK(s.order.size() == i + 1);
    CHECK(s.calls.size() == 1);
  }
  s.answer();
  CHECK(s.order == std::vector<std::string>{"a", "b", "c"});
  for (auto const& each : rest) CHECK(each->ok());
}

TEST_CASE("capacity: who comes back and calls nothing leaves the room to the next", "[client]") {
  slow_server s(1);
  auto const call = s.start(s.client.call_tool("first"));
  std::vector<outcome_of<void>> idle;
  for (int i = 0; i < 3; ++i) idle.push_back(s.start(s.client.capacity()));
  s.answer();
  for (auto const& each : idle) CHECK(each->ok());
}

TEST_CASE("capacity: a wait ends with its timeout, its stop token and its cancellation", "[client]") {
  slow_server s(1);
  auto const call = s.start(s.client.call_tool("first", args(), call_options().timeout(60s)));
  std::stop_source stop;
  auto const late = s.start(s.client.capacity(call_options().timeout(5s)));
  auto const stopped = s.start(s.client.capacity(call_options().stop(stop.get_token())));
  auto const cancelled = s.start(s.client.capacity());
  auto const last = s.start(s.client.capacity());
  stop.request_stop();
  cancelled->cancel();
  s.advance(5s);
  CHECK(late->error() == errc::timeout);
  CHECK(stopped->error() == errc::cancelled);
  CHECK(cancelled->error() == errc::cancelled);
  s.answer();
  CHECK(last->ok());
}

TEST_CASE("capacity: a wait ends with the client, and outlives a connection", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.silent("tools/call");
  auto o = with_room_for(c, 1).reconnect(reconnect_policy().jitter(0).attempts(1).delay(100ms, 100ms));
  auto client = c.connect(server.transport(), std::move(o));
  auto const lost = c.start(client->call_tool("first"));
  auto const waits = c.start(client->capacity());
  server.drop();
  c.settle();
  CHECK(lost->error() == errc::outcome_unknown);
  CHECK(waits->ok());  // its call would wait for the next connection
  c.advance(100ms);
  auto const second = c.start(client->call_tool("second"));
  auto const ended = c.start(client->capacity());
  CHECK(c.finish(client->close()));
  CHECK(ended->error() == errc::closed);
  CHECK(c.finish(client->capacity()).error() == errc::closed);
  CHECK(c.finish(comcp::client().capacity()).error() == errc::closed);
}

TEST_CASE("capacity: thousands who wait on other threads for room for a few", "[client][threads]") {
  asio::io_context io;
  fake_server server(io.get_executor());
  server.answer("tools/call", json::raw(tool_text));
  auto guard = asio::make_work_guard(io);
  std::thread running([&io] { io.run(); });
  {
    auto const options = connect_options().limits(connection_limits().pending_calls(4));
    auto const client = async_connect(io.get_executor(), server.transport(), options, asio::use_future).get();
    asio::thread_pool callers(2);
    std::atomic<int> answered{0}, refused{0};
    auto const caller = [&]() -> asio::awaitable<void> {
      for (;;) {
        co_await client.capacity();
        auto call = as_result(client.call_tool("x"));
        auto const r = co_await std::move(call);
        if (r) ++answered;
        if (r) co_return;
        CHECK(r.error() == errc::queue_full);
        ++refused;
      }
    };
    auto const one_by_one = asio::make_strand(callers);  // so that what comes next does not overtake what it follows
    for (int i = 0; i < 2000; ++i) asio::co_spawn(one_by_one, caller(), asio::detached);
    callers.join();
    CHECK(answered == 2000);
    std::atomic<int> by_callback{0};
    asio::thread_pool others(2);
    auto const strand = asio::make_strand(others);
    for (int i = 0; i < 500; ++i) {
      auto called = [&](error const& e, call_tool_result const&) { e ? ++refused : ++by_callback; };
      auto has_room = [&, called](error const&) {
        client.async_call_tool("x", {}, call_options(), asio::bind_executor(strand, called));
      };
      client.async_capacity(call_options(), asio::bind_executor(strand, has_room));
    }
    others.join();
    CHECK(by_callback == 500);
    CHECK(refused == 0);
    CHECK(client.statistics().pending == 0);
    client.async_close(asio::use_future).get();
  }
  guard.reset();
  running.join();
}
