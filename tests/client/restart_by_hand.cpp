// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// client.reconnect(): the connection ends gracefully and another follows at once, whatever it was doing.
#include <comcp/client/connect.hpp>

#include <asio/strand.hpp>

#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;
using comcp::test::script;

namespace {
reconnect_hook after(std::chrono::nanoseconds wait, int* times = nullptr) {
  return reconnect_hook([wait, times](comcp::error const&) {
    if (times) ++*times;
    return std::optional<std::chrono::nanoseconds>(wait);
  });
}
}  // namespace

TEST_CASE("restart by hand: a new connection at once, and what was under way ends as at a crash", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  std::vector<fake_request> calls;
  server.on("tools/call", [&](fake_request r) { calls.push_back(r); });
  server.on("tools/list", [&](fake_request r) {
    if (server.connections() > 1) r.reply(json::raw(R"({"tools":[]})"));
  });
  auto client = c.connect(server.transport());
  auto const tool = c.start(client->call_tool("danger"));
  auto const list = c.start(client->list_tools());
  auto const o = c.start(client->reconnect());
  CHECK(o->ok());
  CHECK(tool->error() == errc::outcome_unknown);
  CHECK(list->ok());
  CHECK(server.connections() == 2);
  CHECK(client->status() == connection_status::ready);
  CHECK(client->statistics().reconnects == 1);
  CHECK(client->statistics().pending == 0);
}

TEST_CASE("restart by hand: calls that begin meanwhile wait; log level and subscriptions are restored", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().answer("tools/call", json::raw(tool_text));
  std::vector<fake_request> handshakes;
  auto client = c.connect(server.transport());
  server.on("initialize", [&](fake_request r) { handshakes.push_back(r); });
  REQUIRE(c.finish(client->set_log_level(log_level::warning)));
  REQUIRE(c.finish(client->subscribe("file:///x")));
  auto const o = c.start(client->reconnect());
  auto const call = c.start(client->call_tool("x"));
  CHECK_FALSE(o->done());
  CHECK_FALSE(call->done());
  CHECK(server.count("tools/call") == 0);
  REQUIRE(handshakes.size() == 1);
  handshakes[0].reply(json::raw(initialize_text("2025-11-25")));
  c.settle();
  CHECK(o->ok());
  CHECK(call->ok());
  CHECK(server.count("logging/setLevel") == 2);
  CHECK(server.count("resources/subscribe") == 2);
}

TEST_CASE("restart by hand: in the modern era, too", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.modern();
  auto client = c.connect(server.transport());
  int updates = 0;
  updated_callback f = [&](resource_updated const&) { ++updates; };
  REQUIRE(c.finish(client->subscribe("file:///x", f)));
  CHECK(c.start(client->reconnect())->ok());
  server.notify_listeners("notifications/resources/updated", args("uri", "file:///x"));
  c.settle();
  CHECK(updates == 1);
}

TEST_CASE("restart by hand: an attempt that fails is told; without a policy the client has ended", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto client = c.connect(s.transport());
  auto const closed = c.start(end_of(*client));
  s.refuse_open(error(errc::connect_failed, "gone"));
  auto const o = c.start(client->reconnect());
  CHECK(o->error().message() == "gone");
  REQUIRE(closed->ok());
  CHECK((*closed)->why.message() == "gone");
  CHECK(c.start(client->reconnect())->error().message() == "gone");
}

TEST_CASE("restart by hand: an attempt that the server never answers is told, and is the reason of the end", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  auto client = c.connect(server.transport(), c.options().legacy());
  auto const closed = c.start(end_of(*client));
  server.silent("initialize");
  auto const o = c.start(client->reconnect());
  auto const call = c.start(client->call_tool("x", json::fragment(), call_options().timeout(60s)));
  c.advance(30s);
  CHECK(o->error() == errc::timeout);
  CHECK(call->error() == errc::closed);
  REQUIRE(closed->ok());
  CHECK((*closed)->why == errc::timeout);
}

TEST_CASE("restart by hand: an attempt that fails is told, and the hook goes on behind it", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  int asked = 0;
  auto client = c.connect(server.transport(), c.options().legacy().reconnect(after(1s, &asked)));
  server.on("initialize", [&](fake_request const&) { server.drop(); });
  auto const o = c.start(client->reconnect());
  CHECK(o->error());
  CHECK(asked == 1);
  CHECK(client->status() == connection_status::connecting);
  server.on("initialize", [](fake_request const& r) { r.reply(json::raw(initialize_text("2025-11-25"))); });
  c.advance(1s);
  CHECK(client->status() == connection_status::ready);
}

TEST_CASE("restart by hand: while a restart waits it is made now", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  auto client = c.connect(server.transport(), c.options().reconnect(after(60s)));
  server.drop();
  c.settle();
  CHECK(server.connections() == 1);
  auto const one = c.start(client->reconnect());
  CHECK(one->ok());
  CHECK(server.connections() == 2);
  c.advance(120s);
  CHECK(server.connections() == 2);
}

TEST_CASE("restart by hand: an attempt that is under way is the one, for everybody who asks", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  auto client = c.connect(server.transport(), c.options().legacy());
  std::vector<fake_request> handshakes;
  server.on("initialize", [&](fake_request r) { handshakes.push_back(r); });
  auto const one = c.start(client->reconnect());
  auto const two = c.start(client->reconnect());
  auto const three = c.start(client->reconnect());
  three->cancel();
  c.settle();
  CHECK(three->error() == errc::cancelled);
  CHECK_FALSE(one->done());
  REQUIRE(handshakes.size() == 1);
  handshakes[0].reply(json::raw(initialize_text("2025-11-25")));
  c.settle();
  CHECK(one->ok());
  CHECK(two->ok());
  CHECK(server.connections() == 2);
}

TEST_CASE("restart by hand: a transport that does not close is destroyed, and the client ends", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.never_closes();
  auto client = c.connect(s.transport(), c.options().close_timeout(4s).reconnect(after(1s)));
  auto const o = c.start(client->reconnect());
  auto const call = c.start(client->call_tool("x"));
  c.advance(3999ms);
  CHECK_FALSE(o->done());
  c.advance(1ms);
  CHECK(o->error() == errc::timeout);
  CHECK(call->error() == errc::closed);
  CHECK(client->status() == connection_status::disconnected);
}

TEST_CASE("restart by hand: close at any moment of it ends both", "[client]") {
  int const when = GENERATE(range(0, 12));
  conversation c;
  auto s = legacy_script();
  s.expect("server/discover").fail(-32601, "Method not found");
  s.expect("initialize").reply(initialize_text("2025-11-25"));
  s.expect("notifications/initialized");
  auto client = c.connect(s.transport());
  outcome<void> restarted;
  auto watch = [&]() -> asio::awaitable<void> {
    auto op = client->reconnect();
    auto r = co_await as_result(std::move(op));
    restarted.value.emplace(std::move(r));
    ++restarted.times;
  };
  asio::co_spawn(c.io, watch, asio::detached);
  c.io.restart();
  for (int i = 0; i != when; ++i) c.io.poll_one();
  CHECK(c.start(client->close())->ok());
  CHECK(restarted.times == 1);
  CHECK(client->status() == connection_status::disconnected);
  CHECK(client->statistics().pending == 0);
}

TEST_CASE("restart by hand: the client goes away at any moment of it", "[client]") {
  int const when = GENERATE(range(0, 12));
  bool const context_too = GENERATE(true, false);
  auto c = std::make_unique<conversation>();
  auto s = legacy_script();
  s.expect("server/discover").fail(-32601, "Method not found");
  s.expect("initialize").reply(initialize_text("2025-11-25"));
  s.expect("notifications/initialized");
  auto client = c->connect(s.transport());
  asio::co_spawn(c->io, client->reconnect(), asio::detached);
  c->io.restart();
  for (int i = 0; i != when; ++i) c->io.poll_one();
  client = result<comcp::client>(comcp::client());
  if (!context_too) c->settle();
  SUCCEED();
}

TEST_CASE("restart by hand: a client that is not connected, or closed, says so", "[client]") {
  conversation c;
  comcp::client none;
  CHECK(c.start(none.reconnect())->error() == errc::closed);
  fake_server server(c.io.get_executor());
  auto client = c.connect(server.transport());
  CHECK(c.finish(client->close()));
  CHECK(c.start(client->reconnect())->error() == errc::closed);
}

TEST_CASE("restart by hand: from another executor", "[client][threads]") {
  asio::thread_pool home(1), other(1);
  auto const strand = asio::make_strand(home);
  fake_server strand_server(strand);
  auto connecting = [](comcp::test::fake_connection t, asio::any_io_executor on) -> asio::awaitable<std::shared_ptr<client>> {
    connect_options o;
    o.executor(on);
    auto c = co_await connect(std::move(t), no_handler(), std::move(o));
    co_return std::make_shared<client>(std::move(c));
  };
  auto client = asio::co_spawn(home, connecting(strand_server.transport(), strand), asio::use_future).get();
  asio::co_spawn(other, client->reconnect(), asio::use_future).get();
  CHECK(strand_server.connections() == 2);
  asio::co_spawn(other, client->close(), asio::use_future).get();
  home.join();  // it may still hold an executor of the other one
}

TEST_CASE("restart by hand: cancelled by whom it ends, it leaves nothing behind", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().silent("tools/call");
  auto client = c.connect(server.transport());
  auto restarting = std::make_shared<outcome<int>>();
  auto const call = [&]() -> asio::awaitable<void> {
    (void)co_await as_result(client->call_tool("x"));
    restarting->cancel();  // inside reconnect(), which ends this call
  };
  asio::co_spawn(c.io, call(), asio::detached);
  c.settle();
  auto const restart = [&]() -> asio::awaitable<void> { co_await client->reconnect(); };
  auto over = [restarting](std::exception_ptr e) { restarting->times += e != nullptr; };
  asio::co_spawn(c.io, restart(), asio::bind_cancellation_slot(restarting->signal.slot(), over));
  c.settle();
  CHECK(restarting->times == 1);
  CHECK(client->status() == connection_status::ready);  // it goes on alone
  CHECK(server.connections() == 2);
  c.advance(1h);
  CHECK(c.finish(client->ping()));
}

TEST_CASE("restart by hand: who begins another inside the outcome of one makes all who wait wait for that", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.modern();
  auto client = c.connect(server.transport());
  std::vector<fake_request> handshakes;
  server.on("server/discover", [&](fake_request r) { handshakes.push_back(r); });
  auto const first = c.start(client->reconnect());
  outcome<void> second;
  auto const again = [&]() -> asio::awaitable<void> {
    (void)co_await as_result(client->call_tool("x"));
    auto op = client->reconnect();
    auto r = co_await as_result(std::move(op));
    second.value.emplace(std::move(r));
    ++second.times;
  };
  asio::co_spawn(c.io, again(), asio::detached);
  auto const subscribed = c.start(client->subscribe("a://b"));
  REQUIRE(handshakes.size() == 1);
  handshakes[0].reply(json::raw(discover_text(R"("2026-07-28")", "{}")));  // without tools: the call ends while it is sent
  c.settle();
  CHECK(server.connections() == 3);
  CHECK_FALSE((first->done() || second.done() || subscribed->done()));
  REQUIRE(handshakes.size() == 2);
  handshakes[1].reply(json::raw(discover_text()));
  c.settle();
  CHECK(first->ok());
  CHECK(second.ok());
  CHECK(subscribed->ok());  // this server has it
}
