// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client that starts its dead server again: what is repeated, what is not, what is restored.
#include <comcp/client/connect.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;
using comcp::test::script;
using strings = std::vector<std::string>;

namespace {
reconnect_policy twice() { return reconnect_policy().jitter(0).attempts(2).delay(100ms, 1000ms); }
}  // namespace

TEST_CASE("restart: without a policy a lost connection is the end", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  auto client = c.connect(server.transport());
  server.drop();
  c.advance(10s);
  CHECK(client->status() == connection_status::disconnected);
  CHECK(server.connections() == 1);
}

TEST_CASE("restart: a tool call's outcome is unknown and it is not sent again; lists go again under a new id", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  std::vector<fake_request> calls, lists;
  server.on("tools/call", [&](fake_request r) { calls.push_back(r); });
  server.on("tools/list", [&](fake_request r) { lists.push_back(r); });
  auto client = c.connect(server.transport(), c.options().reconnect(twice()));
  auto const tool = c.start(client->call_tool("danger"));
  auto const marked = c.start(client->call_tool("safe", args(), call_options().idempotent()));
  auto const list = c.start(client->list_tools());
  server.drop();
  c.settle();
  REQUIRE(tool->times == 1);
  CHECK(tool->error() == errc::outcome_unknown);
  CHECK_FALSE(marked->done());
  CHECK_FALSE(list->done());
  CHECK(client->status() == connection_status::connecting);
  c.advance(100ms);
  CHECK(client->status() == connection_status::ready);
  CHECK(server.connections() == 2);
  REQUIRE(calls.size() == 3);
  REQUIRE(lists.size() == 2);
  CHECK(calls[2].params()["name"].as<std::string>() == "safe");
  CHECK(lists[1].id() != lists[0].id());
  calls[2].reply(json::raw(tool_text));
  lists[1].reply(json::raw(R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})"));
  c.settle();
  CHECK(marked->ok());
  REQUIRE(list->ok());
  CHECK((*list)->size() == 1);
  CHECK(client->statistics().reconnects == 1);
}

TEST_CASE("restart: a call made meanwhile waits for the new connection", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.answer("tools/call", json::raw(tool_text));
  auto client = c.connect(server.transport(), c.options().reconnect(twice()));
  server.drop();
  c.settle();
  auto const o = c.start(client->call_tool("x"));
  CHECK_FALSE(o->done());
  c.advance(100ms);
  CHECK(o->ok());
  CHECK(server.count("tools/call") == 1);
}

TEST_CASE("restart: a call made meanwhile can be cancelled and time out", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto client =
      c.connect(s.transport(), c.options().reconnect(reconnect_policy().jitter(0).attempts(1).delay(60s, 60s)));
  s.close();
  c.settle();
  auto const a = c.start(client->call_tool("x", args(), call_options().timeout(5s)));
  auto const b = c.start(client->call_tool("x"));
  b->cancel();
  c.settle();
  CHECK(b->error() == errc::cancelled);
  c.advance(5s);
  CHECK(a->error() == errc::timeout);
  CHECK(s.sent().size() == 3);
}

TEST_CASE("restart: attempts are bounded, and the last failure is the reason", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto client = c.connect(s.transport(), c.options().reconnect(twice()));
  auto const closed = c.start(end_of(*client));
  s.refuse_open(error(errc::connect_failed, "gone for good"));
  s.close();
  c.settle();
  auto const waiting = c.start(client->list_tools());
  c.advance(100ms);
  CHECK_FALSE(closed->done());
  c.advance(200ms);
  REQUIRE(closed->ok());
  CHECK((*closed)->why == errc::connect_failed);
  CHECK((*closed)->why.message() == "gone for good");
  REQUIRE(waiting->times == 1);
  CHECK(waiting->error());
  CHECK(c.finish(client->ping()).error() == errc::connect_failed);
}

TEST_CASE("restart: a server that always dies again is not restarted for ever", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  auto client = c.connect(server.transport(), c.options().reconnect(twice()));
  auto const closed = c.start(end_of(*client));
  for (int i = 0; i != 10 && !closed->done(); ++i) {
    server.drop();
    c.settle();
    c.advance(10s);
  }
  CHECK(closed->ok());
  CHECK(server.connections() == 3);
}

TEST_CASE("restart: a successful call allows as many restarts again", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.answer("tools/call", json::raw(tool_text));
  auto client = c.connect(server.transport(), c.options().reconnect(twice()));
  for (int i = 0; i != 5; ++i) {
    server.drop();
    c.settle();
    c.advance(10s);
    REQUIRE(c.finish(client->call_tool("x")));
  }
  CHECK(client->statistics().reconnects == 5);
}

TEST_CASE("restart: log level and subscriptions are restored before waiting calls go on", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().answer("tools/call", json::raw(tool_text));
  auto client = c.connect(server.transport(), c.options().reconnect(twice()));
  REQUIRE(c.finish(client->set_log_level(log_level::warning)));
  REQUIRE(c.finish(client->subscribe("file:///x")));
  REQUIRE(c.finish(client->subscribe("file:///y")));
  server.drop();
  c.settle();
  auto const before = server.received().size();
  auto const o = c.start(client->call_tool("x"));
  c.advance(100ms);
  CHECK(o->ok());
  strings names;
  for (auto i = before; i != server.received().size(); ++i) {
    auto const method = server.received()[i].find("method");
    if (method) names.push_back(method->as<std::string>());
  }
  auto const end = std::find(names.begin(), names.end(), "tools/call");
  CHECK(std::count(names.begin(), end, "logging/setLevel") == 1);
  CHECK(std::count(names.begin(), end, "resources/subscribe") == 2);
}

TEST_CASE("restart: close while a restart waits is immediate", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto client =
      c.connect(s.transport(), c.options().reconnect(reconnect_policy().jitter(0).attempts(3).delay(60s, 60s)));
  s.close();
  c.settle();
  auto const waiting = c.start(client->call_tool("x"));
  auto const o = c.start(client->close());
  CHECK(o->ok());
  CHECK(waiting->error() == errc::closed);
  c.advance(600s);
  CHECK(s.opened() == 1);
}

TEST_CASE("restart: in the modern era a subscription made meanwhile waits for the new connection", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.modern();
  auto client = c.connect(server.transport(), c.options().reconnect(twice()));
  server.drop();
  c.settle();
  auto const o = c.start(client->subscribe("file:///x"));
  CHECK_FALSE(o->done());
  c.advance(100ms);
  CHECK(o->ok());
}

TEST_CASE("restart: a watched list that changed just before is refreshed after it", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().answer("tools/list", json::raw(R"({"tools":[]})"));
  auto client = c.connect(server.transport(), c.options().reconnect(twice()));
  int calls = 0;
  std::function<void(result<listing<tool>>)> listener = [&](result<listing<tool>> const& r) { calls += r.has_value(); };
  auto const watch = client->watch_tools(listener);
  server.notify("notifications/tools/list_changed");
  c.settle();
  server.drop();
  c.settle();
  c.advance(100ms);
  REQUIRE(client->status() == connection_status::ready);
  CHECK(calls == 0);
  c.advance(200ms);
  CHECK(calls == 1);
}

TEST_CASE("restart: a server that dies while the log level is restored is started again", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().answer("tools/call", json::raw(tool_text));
  server.on("logging/setLevel", [&](fake_request r) {
    if (server.connections() == 2) return server.drop();
    r.reply(args());
  });
  auto client = c.connect(server.transport(), c.options().reconnect(twice()));
  REQUIRE(c.finish(client->set_log_level(log_level::warning)));
  server.drop();
  c.settle();
  auto const waiting = c.start(client->call_tool("x"));
  c.advance(100ms);
  CHECK(server.connections() == 2);
  CHECK(client->status() != connection_status::disconnected);
  CHECK_FALSE(waiting->done());
  c.advance(200ms);
  CHECK(server.connections() == 3);
  CHECK(client->status() == connection_status::ready);
  CHECK(waiting->ok());
}

TEST_CASE("restart: a server that dies at each restored log level is not restarted for ever", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().on("logging/setLevel", [&](fake_request r) {
    if (server.connections() > 1) return server.drop();
    r.reply(args());
  });
  auto client = c.connect(server.transport(), c.options().reconnect(twice()));
  REQUIRE(c.finish(client->set_log_level(log_level::warning)));
  auto const closed = c.start(end_of(*client));
  server.drop();
  c.settle();
  auto const waiting = c.start(client->call_tool("x"));
  for (int i = 0; i != 10 && !closed->done(); ++i) c.advance(10s);
  CHECK(closed->ok());
  CHECK(waiting->error());
  CHECK(server.connections() == 3);
}

TEST_CASE("restart: what a legacy server has is asked for while it is started again, and waits", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  auto client = c.connect(server.transport(), c.options().reconnect(twice()));
  server.silent("server/discover");  // the new process takes its time
  server.drop();
  c.settle();
  c.advance(100ms);
  CHECK(client->status() == connection_status::initializing);
  CHECK(client->era() == era::legacy);  // as long as nothing else is known
  CHECK(client->server_info().name == "fake-server");
  auto const ping = c.start(client->ping());
  auto const level = c.start(client->set_log_level(log_level::info));
  auto const subscription = c.start(client->subscribe("a://b"));
  auto const gone = c.start(client->unsubscribe("a://c"));
  CHECK_FALSE((ping->done() || level->done() || subscription->done()));
  CHECK(gone->error() == errc::not_found);
  server.answer("logging/setLevel", json::raw("{}")).answer("resources/subscribe", json::raw("{}"));
  c.advance(5s);  // the probe's patience
  CHECK(client->status() == connection_status::ready);
  CHECK(ping->ok());
  CHECK(level->ok());
  CHECK(subscription->ok());
  CHECK(server.count("resources/subscribe") == 1);
}

TEST_CASE("restart: a call that waited is checked against what the new server has", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  auto client = c.connect(server.transport(), c.options().reconnect(twice()));
  server.capabilities(R"({"prompts":{}})");
  server.drop();
  c.settle();
  auto const call = c.start(client->call_tool("x"));
  auto const subscription = c.start(client->subscribe("a://b"));
  CHECK_FALSE((call->done() || subscription->done()));
  c.advance(100ms);
  CHECK(call->error() == errc::capability_missing);
  CHECK(subscription->error() == errc::capability_missing);
  CHECK(server.count("tools/call") == 0);
}

TEST_CASE("restart: chance shortens the waits of many clients", "[client]") {
  conversation c;
  std::vector<fake_server> servers;
  std::vector<client> clients;
  for (int i = 0; i < 20; ++i) {
    servers.emplace_back(c.io.get_executor());
    auto policy = reconnect_policy().jitter(0.5).attempts(1).delay(10s, 10s);
    clients.push_back(*c.connect(servers.back().transport(), c.options().reconnect(policy)));
  }
  for (auto& each : servers) each.drop();
  c.settle();
  auto const back = [&] {
    return std::count_if(clients.begin(), clients.end(), [](auto const& each) { return each.status() == connection_status::ready; });
  };
  c.advance(4999ms);
  CHECK(back() == 0);
  c.advance(4501ms);
  CHECK(back() > 0);  // that all twenty wait for the last half second is one case in 10^20
  c.advance(500ms);
  CHECK(back() == 20);
}
