// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/extensions/app_bridge.hpp>

#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <asio/executor_work_guard.hpp>

#include "extensions/app_server.hpp"

using namespace comcp_test;
using namespace std::chrono_literals;

TEST_CASE("app_bridge: nothing but ping comes before ui/initialize, and that once", "[extensions]") {
  talk t;
  CHECK(t.view.code("ping") == 0);
  CHECK(t.view.code("tools/call", R"({"name":"both"})") == -32600);
  for (auto const* const bad : {"{}", "[]", R"({"appCapabilities":[],"protocolVersion":"x"})", R"({"appCapabilities":{},"protocolVersion":1})",
                                R"({"appCapabilities":{"availableDisplayModes":[1]},"protocolVersion":"x"})"})
    CHECK(t.view.code("ui/initialize", bad) == -32602);
  t.view.begin();
  CHECK(t.view.code("ui/initialize", R"({"appCapabilities":{},"protocolVersion":"2026-01-26"})") == -32600);
  CHECK(t.s.server.count("tools/call") == 0);
}

TEST_CASE("app_bridge: an app calls the tools that it may, and no other", "[extensions]") {
  talk t;
  t.view.begin();
  auto const answer = t.view.ask("tools/call", R"({"name":"app_only","arguments":{"a":[1]},"_meta":{"progressToken":1,"x":2}})");
  CHECK(answer["id"].as<int>() == 7);
  CHECK(answer["result"]["content"][0]["text"].as<std::string>() == "done");
  CHECK(t.s.server.last("tools/call")["name"].as<std::string>() == "app_only");
  CHECK(t.s.server.last("tools/call")["arguments"].dump() == R"({"a":[1]})");
  CHECK_FALSE(t.s.server.last("tools/call")["_meta"].contains("x"));
  CHECK(t.view.code("tools/call", R"({"name":"both"})") == 0);
  CHECK(t.s.server.count("tools/list") == 1);
  CHECK(t.s.server.count("tools/call") == 2);
  for (auto const* const bad : {R"({"name":"model_only"})", R"({"name":"broken"})", R"({"name":"unknown"})", R"({"name":""})", R"({"name":1})",
                                "{}", "[]", R"({"name":"both","arguments":[]})", R"({"name":"both","arguments":"x"})"}) {
    CAPTURE(bad);
    CHECK(t.view.code("tools/call", bad) == -32602);
  }
  CHECK(t.view.ask("tools/call", R"({"name":"both","arguments":{},"name":"model_only"})")["error"]["code"].as<int>() == -32600);
  CHECK(t.s.server.count("tools/call") == 2);
  CHECK(t.view.ask("tools/list")["result"]["tools"].size() == 2);
}

TEST_CASE("app_bridge: what the server's tools are now counts", "[extensions]") {
  talk t;
  t.view.begin();
  CHECK(t.view.code("tools/call", R"({"name":"both"})") == 0);
  t.s.server.answer("tools/list", json::fragment::trusted(
      R"({"tools":[{"name":"both","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["model"]}}},)"
      R"({"name":"later","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"private","resultType":"complete"})"));
  t.view.bridge.tools_changed();
  t.c.settle();
  CHECK(t.view.last() == R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  CHECK(t.view.code("tools/call", R"({"name":"both"})") == -32602);
  CHECK(t.view.code("tools/call", R"({"name":"later"})") == 0);
}

TEST_CASE("app_bridge: tools that change while they are listed are listed again", "[extensions]") {
  talk t;
  t.view.begin();
  auto const list = [](std::string const& visibility) {
    return json::fragment::trusted(R"({"tools":[{"name":"both","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":[")" + visibility +
                                   R"("]}}}],"ttlMs":0,"cacheScope":"private","resultType":"complete"})");
  };
  std::vector<fake_request> asked;
  t.s.server.on("tools/list", [&asked](fake_request const& r) { asked.push_back(r); });
  t.view.send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"both"}})");
  REQUIRE(asked.size() == 1);
  t.view.bridge.tools_changed();
  t.c.settle();
  asked[0].reply(list("app"));
  t.c.settle();
  t.s.server.answer("tools/list", list("model"));
  CHECK(t.view.code("tools/call", R"({"name":"both"})") == -32602);
  CHECK(t.s.server.count("tools/call") == 1);
}

TEST_CASE("app_bridge: resources are read, and the server's errors pass as they are", "[extensions]") {
  talk t;
  t.view.begin();
  CHECK(t.view.ask("resources/read", R"({"uri":"ui://a/b"})")["result"]["contents"][0]["text"].as<std::string>() == "<p>hello");
  CHECK(t.view.code("resources/read", R"({"uri":null})") == -32602);
  t.s.server.on("resources/read", [](fake_request const& r) { r.fail(-32002, "gone", args("uri", "x")); });
  CHECK(t.view.ask("resources/read", R"({"uri":"ui://x"})")["error"].dump() == R"({"code":-32002,"message":"gone","data":{"uri":"x"}})");
  t.s.server.on("resources/read", [](fake_request const& r) { r.raw(R"({"jsonrpc":"2.0","id":$id,"result":{"contents":"secret"}})"); });
  CHECK(t.view.ask("resources/read", R"({"uri":"ui://x"})")["error"]["code"].as<int>() == -32000);
  CHECK(t.view.last().find("secret") == std::string::npos);
}

TEST_CASE("app_bridge: what is not on the list is not relayed", "[extensions]") {
  talk t;
  t.view.begin();
  auto const before = t.s.server.received().size();
  for (auto const* const method : {"initialize", "prompts/get", "resources/subscribe", "logging/setLevel", "sampling/createMessage", "tools/CALL",
                                   "server/discover", "ui/notifications/sandbox-resource-ready", "ui/unknown", "", "rpc.x"}) {
    CAPTURE(method);
    CHECK(t.view.code(method) == -32601);
  }
  t.view.got->clear();
  for (auto const* const method : {"notifications/cancelled", "notifications/roots/list_changed", "ui/notifications/tool-result", "tools/call", "x"})
    t.view.send(std::string(R"({"jsonrpc":"2.0","method":")") + method + R"(","params":{"requestId":99,"name":"both"}})");
  CHECK(t.view.got->empty());
  CHECK(t.s.server.received().size() == before);
}

TEST_CASE("app_bridge: what is no message is answered with an error", "[extensions]") {
  app_host small("host", "1");
  talk t(small.limits(2000, 2));
  t.view.begin();
  auto const code = [&t](std::string const& text) {
    t.view.got->clear();
    t.view.send(text);
    REQUIRE(t.view.got->size() == 1);
    CHECK((*t.view.got)[0]["id"].is_null());
    return (*t.view.got)[0]["error"]["code"].as<int>();
  };
  for (auto const* const bad : {"", "x", "{", "\xff", R"({"jsonrpc":"2.0","id":1,"method":"ping)", R"("\ud800")"}) CHECK(code(bad) == -32700);
  for (auto const* const bad : {"[]", "null", "1", "{}", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", R"({"id":1,"method":"ping"})",
                                R"({"jsonrpc":"2.0","id":null,"method":"ping"})", R"({"jsonrpc":"2.0","id":{},"method":"ping"})",
                                R"({"jsonrpc":"2.0","id":1,"method":2})", R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})",
                                R"({"jsonrpc":"2.0","id":1,"method":"ping","params":3})", R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})"}) {
    CAPTURE(bad);
    CHECK(code(bad) == -32600);
  }
  CHECK(code(R"({"jsonrpc":"2.0","id":")" + std::string(200, 'i') + R"(","method":"ping"})") == -32600);
  CHECK(code(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":")" + std::string(2000, 'x') + R"("}})") == -32600);
  CHECK(code(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":)" + std::string(200, '[') + std::string(200, ']') + "}}") == -32600);
  CHECK(t.view.code("ping") == 0);
}

TEST_CASE("app_bridge: requests at once are bounded, and an id is not used twice", "[extensions]") {
  app_host small("host", "1");
  talk t(small.limits(10'000, 2));
  t.view.begin();
  std::vector<fake_request> waiting;
  t.s.server.on("tools/call", [&waiting](fake_request const& r) { waiting.push_back(r); });
  t.view.got->clear();
  auto const call = [&t](std::string const& id) {
    t.view.send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":"both"}})");
  };
  call("1");
  call("1");
  CHECK(t.view.last() == R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The id is in use"}})");
  call("\"1\"");  // another id
  CHECK(waiting.size() == 2);
  call("3");
  CHECK(t.view.last() == R"({"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Too many requests"}})");
  CHECK(t.view.code("ping") == 0);
  waiting.at(0).reply(json::raw(tool_text));
  t.c.settle();
  CHECK(t.view.got->back()["id"].as<int>() == 1);
  call("1");
  CHECK(waiting.size() == 3);
}

TEST_CASE("app_bridge: an app cancels its call, and the end of the bridge does", "[extensions]") {
  auto const how = GENERATE(0, 1, 2);
  talk t;
  t.view.begin();
  t.s.server.silent("tools/call");
  t.view.got->clear();
  t.view.send(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"both"}})");
  CHECK(t.client.statistics().pending == 1);
  if (how == 0) t.view.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  if (how == 1) {
    auto const gone = std::move(t.view.bridge);
    (void)gone;
  }
  if (how == 2) t.view.bridge = app_bridge(t.client.extension<apps>(), app_host("h", "1"), [](std::string const&) {});
  t.c.settle();
  CHECK(t.client.statistics().pending == 0);
  CHECK(t.s.server.count("notifications/cancelled") == 1);
  CHECK(t.view.got->empty());
}

TEST_CASE("app_bridge: the app is told of its tool in order, and not before it is initialized", "[extensions]") {
  talk t;
  t.view.bridge.tool_result(call_tool_result());  // no input yet
  for (int i = 0; i < 1000; ++i) t.view.bridge.tool_input_partial(args("n", i));
  t.c.settle();
  CHECK(t.c.faults.size() == 1);
  bool const early = GENERATE(true, false);
  if (early) t.view.bridge.tool_input(args("n", 1));
  t.c.settle();
  CHECK(t.view.got->empty());
  t.view.begin();
  REQUIRE(t.view.got->size() == 2);
  CHECK(t.view.last() == (early ? R"({"jsonrpc":"2.0","method":"ui/notifications/tool-input","params":{"arguments":{"n":1}}})"
                                : R"({"jsonrpc":"2.0","method":"ui/notifications/tool-input-partial","params":{"arguments":{"n":999}}})"));
  if (!early) t.view.bridge.tool_input({});
  t.view.bridge.tool_result(call_tool_result(text_content("x")));
  t.view.bridge.tool_cancelled("late");
  t.view.bridge.tool_input(args("n", 2));
  t.view.bridge.tool_input_partial(args("n", 2));
  t.view.bridge.context_changed(args("theme", "light"));
  t.c.settle();
  CHECK(t.c.faults.size() == 4);
  CHECK(t.view.last() == R"({"jsonrpc":"2.0","method":"ui/notifications/host-context-changed","params":{"theme":"light"}})");
  CHECK((*t.view.got)[t.view.got->size() - 2].dump() ==
        R"({"jsonrpc":"2.0","method":"ui/notifications/tool-result","params":{"content":[{"type":"text","text":"x"}]}})");
  CHECK_THROWS_AS(t.view.bridge.tool_input(json::fragment::of(1)), comcp::exception);
  CHECK_THROWS_AS(t.view.bridge.context_changed(json::fragment::of(1)), comcp::exception);
}

TEST_CASE("app_bridge: a call may be cancelled before its arguments are known", "[extensions]") {
  talk t;
  t.view.begin();
  t.view.bridge.tool_cancelled("user action");
  t.c.settle();
  CHECK(t.view.last() == R"({"jsonrpc":"2.0","method":"ui/notifications/tool-cancelled","params":{"reason":"user action"}})");
}

TEST_CASE("app_bridge: an app that never begins costs little", "[extensions]") {
  talk t;
  for (int i = 0; i < 100; ++i) t.view.bridge.context_changed(args("n", i));
  t.c.settle();
  CHECK(t.c.faults.size() == 36);
  CHECK(t.c.faults.back() == errc::queue_full);
}

TEST_CASE("app_bridge: the app says goodbye, or has five seconds", "[extensions]") {
  auto const how = GENERATE(0, 1, 2, 3);
  talk t;
  CHECK(t.c.finish(t.view.bridge.teardown()));  // not initialized: at once
  CHECK(t.view.got->empty());
  t.view.begin();
  auto const bye = t.c.start(t.view.bridge.teardown("tab closed"));
  CHECK(t.view.last() == R"({"jsonrpc":"2.0","id":1,"method":"ui/resource-teardown","params":{"reason":"tab closed"}})");
  CHECK_FALSE(bye->done());
  t.view.send(R"({"jsonrpc":"2.0","id":2,"result":{}})");  // to no question
  t.c.advance(4s);
  CHECK_FALSE(bye->done());
  if (how == 0) t.view.send(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  if (how == 1) t.view.send(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}})");
  if (how == 2) t.c.advance(1s);
  if (how == 3) t.view.bridge = app_bridge(t.client.extension<apps>(), app_host("h", "1"), [](std::string const&) {});
  t.c.settle();
  REQUIRE(bye->done());
  if (how == 0) CHECK(bye->ok());
  if (how == 1) CHECK(bye->error().peer()->message == "no");
  if (how == 2) CHECK(bye->error() == errc::timeout);
  if (how == 3) CHECK(bye->error() == errc::closed);
}

TEST_CASE("app_bridge: whoever is told may destroy it", "[extensions]") {
  conversation c;
  app_server s(c);
  auto const client = c.connect(s.server.transport(), c.options().extension(apps())).value();
  std::optional<app_bridge> bridge;
  int told = 0;
  bridge.emplace(client.extension<apps>(), app_host("h", "1"), [&](std::string const&) { ++told, bridge.reset(); });
  bridge->tool_input({});
  for (auto const* const text : {R"({"jsonrpc":"2.0","id":1,"method":"ping"})", "x", R"({"jsonrpc":"2.0","id":2,"method":"ping"})"})
    bridge->receive(text);
  c.settle();
  CHECK(told == 1);
  CHECK_FALSE(bridge);
}

TEST_CASE("app_bridge: a client that is gone fails the app's calls", "[extensions]") {
  talk t;
  t.view.begin();
  CHECK(t.c.finish(t.client.close()));
  CHECK(t.view.code("tools/call", R"({"name":"both"})") == -32000);
  CHECK_THROWS_AS(app_bridge(app_operations(extension_client(nullptr)), app_host("h", "1"), [](std::string const&) {}), comcp::exception);
}

TEST_CASE("app_bridge: it may be told from any thread", "[extensions][threads]") {
  conversation c;
  app_server s(c);
  auto const client = c.connect(s.server.transport(), c.options().extension(apps())).value();
  constexpr int each = 200;
  int heard = 0;
  std::promise<void> all;
  std::optional<app_bridge> bridge;
  bridge.emplace(client.extension<apps>(), app_host("h", "1"), [&](std::string const&) {
    if (++heard == 2 * each) all.set_value();
  });
  c.io.restart();
  auto work = asio::make_work_guard(c.io);
  std::thread home([&c] { c.io.run(); });
  auto const speak = [&bridge](int from) {
    for (int i = from; i < from + each; ++i) {
      bridge->receive(R"({"jsonrpc":"2.0","method":"x"})");
      bridge->receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) + R"(,"method":"ping"})");
    }
  };
  std::thread other([&speak] { speak(each); });
  speak(0);
  other.join();
  all.get_future().wait();
  bridge.reset();
  work.reset();
  c.io.stop();
  home.join();
  CHECK(heard == 2 * each);
}
