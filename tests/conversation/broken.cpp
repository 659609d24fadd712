// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole conversations that break at every step: each ends once, in bounded time, with a typed error.
#include "support/fail_at_each_step.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::script;

namespace {

asio::awaitable<void> list_and_call(client& cl) {
  auto const tools = co_await cl.list_tools();
  CHECK(tools.size() == 2);
  call_options options;
  options.timeout(10s);
  auto const r = co_await cl.call_tool("a", args("x", 1), options);
  CHECK(r.text() == "done");
}

void lists_and_calls(script& s) {
  s.expect("tools/list").reply(R"({"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"n"})");
  s.expect("tools/list").reply(R"({"tools":[{"name":"b","inputSchema":{"type":"object"}}]})");
  s.expect("tools/call").notify("notifications/progress", R"({"progressToken":$id,"progress":1})");
  s.notify("notifications/message", R"({"level":"info","data":"x"})").reply(tool_text);
}

script forgiving(script s) {
  s.ignore("notifications/cancelled").ignore("notifications/initialized");
  return s;
}

}  // namespace

TEST_CASE("broken: listing and calling in the modern era", "[conversation]") {
  auto s = forgiving(modern_script());
  lists_and_calls(s);
  fail_at_each_step(s, list_and_call);
}

TEST_CASE("broken: listing and calling in the legacy era", "[conversation]") {
  script s;
  s.expect("server/discover").fail(-32601, "no").expect("initialize").reply(initialize_text("2025-11-25"));
  s = forgiving(s);
  lists_and_calls(s);
  fail_at_each_step(s, list_and_call);
}

TEST_CASE("broken: the same with a restart policy", "[conversation]") {
  script s;
  s.expect("server/discover").fail(-32601, "no").expect("initialize").reply(initialize_text("2025-11-25"));
  s = forgiving(s);
  lists_and_calls(s);
  fail_at_each_step(s, list_and_call, [](connect_options o) {
    return o.reconnect(reconnect_policy().jitter(0).attempts(2).delay(100ms, 10s));
  });
}

TEST_CASE("broken: a server that exits when probed", "[conversation]") {
  script s;
  s.expect("server/discover").close().expect("initialize").reply(initialize_text("2024-11-05"));
  s = forgiving(s);
  lists_and_calls(s);
  fail_at_each_step(s, list_and_call);
}

TEST_CASE("broken: a verdict that is turned round, and a version that is followed", "[conversation]") {
  std::string const data = R"({"supported":["2026-07-28"],"requested":"2026-07-28"})";
  auto s = forgiving(script());
  s.expect("server/discover").fail(-32022, "no", data).expect("server/discover").reply(discover_text());
  s.expect("tools/list").fail(-32022, "no", data);
  lists_and_calls(s);
  fail_at_each_step(s, list_and_call);
}

TEST_CASE("broken: subscribing, an update, unsubscribing", "[conversation]") {
  auto const body = [](client& cl) -> asio::awaitable<void> {
    co_await cl.subscribe("file:///x");
    co_await cl.unsubscribe("file:///x");
  };
  script s;
  s.expect("server/discover").fail(-32601, "no").expect("initialize").reply(initialize_text("2025-11-25"));
  s = forgiving(s);
  s.expect("resources/subscribe").reply("{}").notify("notifications/resources/updated", R"({"uri":"file:///x"})");
  s.expect("resources/unsubscribe").reply("{}");
  fail_at_each_step(s, body);
}
