// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that is kept alive as it is in life: a process that is killed again and again, and readers in other threads.
#include <comcp/server/live_server.hpp>

#include <atomic>
#include <csignal>
#include <thread>

#include <comcp/transport/stdio.hpp>

#include "support/kept_server.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

std::shared_ptr<detail::live_server> echo_server(asio::io_context& io, std::shared_ptr<listening_owner> owner = nullptr) {
  server_config config(stdio(std::string(COMCP_TEST_SERVERS_DIR) + "/comcp_test_echo_server"));
  config.reconnect(reconnect_policy::forever().delay(1ms, 10ms));
  return std::make_shared<detail::live_server>("echo", std::move(config), io.get_executor(), steady_time(), owner);
}

asio::awaitable<void> kill_again_and_again(std::shared_ptr<detail::live_server> live, std::shared_ptr<listening_owner> owner,
                                          int times) {
  auto starting = live->start();
  co_await std::move(starting);
  int ended = 0;
  for (int i = 0; i != times; ++i) {
    auto getting = until_ready(live, owner, std::chrono::steady_clock::now() + 20s);
    auto const client = co_await std::move(getting);
    auto const transport = co_await client.transport_info();
    auto const pid = transport.pid;
    CHECK(pid.has_value());
    std::vector<asio::awaitable<call_tool_result>> calls;
    for (int n = 0; n != 8; ++n) calls.push_back(client.call_tool("echo", args("text", "x")));
    if (pid) ::kill(*pid, SIGKILL);
    auto const outcomes = co_await all(std::move(calls));
    for (auto const& r : outcomes) {
      ++ended;
      if (!r) CHECK(r.error() == errc::outcome_unknown);
    }
    // The next one goes to the process that follows.
    auto again = until_ready(live, owner, std::chrono::steady_clock::now() + 20s);
    auto const next = co_await std::move(again);
    auto call = next.call_tool("echo", args("text", "again"), call_options().idempotent());
    auto const answer = co_await std::move(call);
    CHECK(answer.text() == "again");
  }
  CHECK(ended == times * 8);
  CHECK(live->status().starts >= static_cast<std::uint64_t>(times));
  auto stopping = live->stop();
  co_await std::move(stopping);
}

}  // namespace

TEST_CASE("live_server: a process that is killed again and again comes back, and none is left", "[server]") {
  auto const before = open_descriptors();
  {
    asio::io_context io;
    auto const owner = std::make_shared<listening_owner>();
    auto const live = echo_server(io, owner);
    comcp_test::run(io, kill_again_and_again(live, owner, 10));
    CHECK(live->status().state == server_state::stopped);
  }
  CHECK_FALSE(has_children());
  CHECK(open_descriptors() == before);
}

TEST_CASE("live_server: abandoned, its process is gone at once", "[server]") {
  {
    asio::io_context io;
    auto const live = echo_server(io);
    comcp_test::run(io, live->start());
    CHECK(has_children_now());
    live->abandon();
    io.restart();
    io.poll();
    CHECK_FALSE(has_children());
  }
  {
    asio::io_context io;
    auto live = echo_server(io);
    comcp_test::run(io, live->start());
    live.reset();
    io.restart();
    io.poll();
    CHECK_FALSE(has_children());
  }
}

TEST_CASE("live_server: status and connection are read from any thread while it lives", "[server][threads]") {
  kept_server k(reconnect_policy::forever().delay(500ms, 500ms).jitter(0));
  k.make();
  std::atomic<bool> over = false;
  std::atomic<int> seen_ready = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i != 3; ++i) {
    readers.emplace_back([&] {
      while (!over) {
        auto const s = k.live->status();
        if (s.state == server_state::ready) seen_ready += s.starts > 0;
        auto const handle = k.live->connection();
        if (handle) std::this_thread::yield();
      }
    });
  }
  REQUIRE(k.c.start(k.live->start())->ok());
  for (int i = 0; i != 200; ++i) {
    k.crash();
    k.c.advance(500ms);
  }
  while (seen_ready == 0) std::this_thread::yield();  // it is ready now, and stays so
  over = true;
  for (auto& t : readers) t.join();
  CHECK(k.live->status().starts == 201);
}
