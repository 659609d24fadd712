// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What may be asked of a client on any thread while its own goes on, and handles that find their way home. TSan runs this.
#include <comcp/client/connect.hpp>

#include <atomic>
#include <future>
#include <thread>

#include <asio/co_spawn.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>

#include <comcp/comcp.hpp>
#include <comcp/test/fake_server.hpp>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using comcp::test::fake_server;

namespace {

// An io_context that another thread runs, and a client in it.
struct elsewhere {
  explicit elsewhere(fake_server& s, asio::io_context& of) : io(of), guard(of.get_executor()), server(s) {
    running = std::thread([this] { io.run(); });
    auto options = connect_options().reconnect(reconnect_policy().jitter(0).attempts(1).delay(100ms, 10s));
    cl = async_connect(io.get_executor(), server.transport(), std::move(options), asio::use_future).get();
  }
  ~elsewhere() {
    cl.async_close(asio::use_future).get();
    guard.reset();
    running.join();
  }
  template <class F>
  void at_home(F f) {
    asio::post(io, std::packaged_task<void()>(std::move(f))).get();
  }

  asio::io_context& io;
  asio::executor_work_guard<asio::io_context::executor_type> guard;
  fake_server& server;
  std::thread running;
  client cl;
};

}  // namespace

TEST_CASE("any thread: what a client tells of its server while that is connected again and again", "[client][threads]") {
  asio::io_context io;
  fake_server server(io.get_executor());
  server.legacy();
  elsewhere e(server, io);
  std::atomic<int> changes{0};
  auto watch = e.cl.on_status([&changes](connection_status) { ++changes; });
  std::atomic<bool> over{false};
  std::atomic<bool> right{true};
  std::thread reader([&] {
    while (!over) {
      (void)e.cl.status();
      bool const all = e.cl.server_info().name == "fake-server" && e.cl.protocol_version() == version::latest_legacy &&
                       e.cl.capabilities().supports("tools") && e.cl.instructions().empty() &&
                       e.cl.verdict().era == era::legacy && !e.cl.session();
      if (!all) right = false;
      auto listening = e.cl.on_status([](connection_status) {});
    }
  });
  for (int i = 0; i < 50; ++i) e.cl.async_reconnect(asio::use_future).get();
  over = true;
  reader.join();
  CHECK(right);
  watch.stop();
  CHECK(changes >= 50);
}

TEST_CASE("any thread: a subscription is read, asked and closed from another one", "[client][threads]") {
  asio::io_context io, mine;
  fake_server server(io.get_executor());
  server.modern().answer("tools/list", json::raw(R"({"resultType":"complete","tools":[]})"));
  elsewhere e(server, io);
  subscription_filter all;
  all.tools_list_changed = true;
  auto s = e.cl.async_listen(all, call_options(), asio::use_future).get();
  CHECK(s.acknowledged().tools_list_changed);
  for (int i = 0; i < 3; ++i) {
    auto next = asio::co_spawn(mine, s.next(), asio::use_future);
    e.at_home([&server] { server.notify_listeners("notifications/tools/list_changed"); });
    mine.restart();
    mine.run();
    CHECK(next.get()->method == "notifications/tools/list_changed");
  }
  CHECK(s.dropped() == 0);
  CHECK_FALSE(s.closed());
  s.close();
  CHECK(s.closed());
  (void)e.cl.async_list_tools(call_options(), asio::use_future).get();
  e.at_home([&server] { CHECK(server.count("notifications/cancelled") == 1); });
}

TEST_CASE("any thread: a watch begins and ends on any", "[client][threads]") {
  asio::io_context io;
  fake_server server(io.get_executor());
  server.legacy().answer("tools/list", json::raw(R"({"tools":[]})"));
  elsewhere e(server, io);
  std::promise<void> told;
  auto watch = e.cl.watch_tools([&told](result<listing<tool>> const&) { told.set_value(); });
  (void)e.cl.async_list_tools(call_options(), asio::use_future).get();  // by then it listens
  e.at_home([&server] { server.notify("notifications/tools/list_changed"); });
  CHECK(told.get_future().wait_for(30s) == std::future_status::ready);
  watch.stop();
  watch.stop();
}

TEST_CASE("any thread: what the transport says is asked like any operation, also after the end", "[client][threads]") {
  asio::io_context io, mine;
  fake_server server(io.get_executor());
  server.answer("tools/call", json::raw(R"({"content":[]})"));
  elsewhere e(server, io);
  for (int i = 0; i < 20; ++i) {
    auto call = e.cl.async_call_tool("x", {}, call_options(), asio::use_future);
    auto info = asio::co_spawn(mine, e.cl.transport_info(), asio::use_future);
    mine.restart();
    mine.run();
    CHECK(info.get().kind == "memory");
    call.get();
  }
  e.cl.async_close(asio::use_future).get();
  CHECK(e.cl.async_transport_info(asio::use_future).get().messages_out >= 20);
}

TEST_CASE("any thread: statistics hold together while calls come and go", "[client][threads]") {
  asio::io_context io;
  fake_server server(io.get_executor());
  server.answer("tools/call", json::raw(R"({"content":[]})"));
  elsewhere e(server, io);
  std::atomic<bool> over{false}, right{true};
  std::thread reader([&] {
    std::uint64_t before = 0;
    while (!over) {
      auto const s = e.cl.statistics();
      bool const whole = s.tracked == s.pending + s.completed + s.failed + s.timed_out + s.cancelled;
      if (!whole || s.pending > s.tracked || s.tracked < before || s.oldest_pending < 0s) right = false;
      before = s.tracked;
    }
  });
  for (int round = 0; round < 30; ++round) {
    std::vector<std::future<call_tool_result>> all;
    for (int i = 0; i < 10; ++i) all.push_back(e.cl.async_call_tool("x", {}, call_options(), asio::use_future));
    for (auto& each : all) each.get();
  }
  over = true;
  reader.join();
  CHECK(right);
  CHECK(e.cl.statistics().completed == 300);
  CHECK(e.cl.statistics().oldest_pending == 0s);
  CHECK(e.cl.statistics().messages_out >= 300);
}
