// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversations about tasks that break at every step: each ends once, in bounded time, with a typed error.
#include <comcp/client/handlers.hpp>
#include <comcp/extensions/tasks.hpp>

#include "support/fail_at_each_step.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::script;

namespace {

constexpr char const* modern_caps =
    R"({"tools":{},"resources":{"subscribe":true},"extensions":{"io.modelcontextprotocol/tasks":{}}})";
constexpr char const* legacy_caps = R"({"tools":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}})";
constexpr char const* form = R"({"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":)"
                             R"({"type":"object","properties":{"name":{"type":"string"}}}}})";

std::string state(bool modern, std::string const& status, std::string const& more = "") {
  return R"({"taskId":"7","status":")" + status + R"(","createdAt":"c","lastUpdatedAt":"l",)" +
         (modern ? R"("ttlMs":60000,"pollIntervalMs":1000)" : R"("ttl":60000,"pollInterval":1000)") + more + "}";
}
std::string created() { return state(true, "working", R"(,"resultType":"task")"); }
std::string completed() { return state(true, "completed", R"(,"result":)" + tool_text); }

std::string acknowledges(std::string const& filter) {
  return R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":)" + filter +
         R"(,"_meta":{"io.modelcontextprotocol/subscriptionId":$id}}})";
}

connect_options with_tasks(connect_options o) { return o.extension(tasks()); }
connect_options with_restarts(connect_options o) {
  return with_tasks(std::move(o)).reconnect(reconnect_policy().jitter(0).attempts(2).delay(100ms, 10s));
}

struct answers {
  elicit_result elicit(elicit_params) { return elicit_result::accept(args("name", "Ada")); }
};

asio::awaitable<void> call(client& c) {
  auto const r = co_await c.call_tool("t", args("n", 1), call_options().timeout(10s));
  CHECK(r.text() == "done");
}

asio::awaitable<void> begin_and_wait(client& c) {
  auto task = co_await c.extension<tasks>().start_tool("t", args("n", 1));
  auto const now = co_await task.status();
  CHECK(now.task_id == "7");
  auto const r = co_await task.result();
  CHECK(r.text() == "done");
}

script modern() { return modern_script(modern_caps).ignore("notifications/cancelled").ignore("tasks/cancel"); }

}  // namespace

TEST_CASE("tasks broken: a call that becomes one, in the modern era", "[extensions]") {
  for (auto const& change : {with_tasks, with_restarts}) {
    auto s = modern().ignore("subscriptions/listen");
    s.expect("tools/call").reply(created()).expect("tasks/get").reply(state(true, "working"));
    s.expect("tasks/get").reply(completed());
    fail_at_each_step(s, call, change);
  }
}

TEST_CASE("tasks broken: one that is begun and waited for, in both eras", "[extensions]") {
  auto s = modern().ignore("subscriptions/listen");
  s.expect("tools/call").reply(created()).expect("tasks/get").reply(state(true, "working"));
  s.expect("tasks/get").reply(state(true, "working")).expect("tasks/get").reply(completed());
  fail_at_each_step(s, begin_and_wait, with_tasks);
  for (auto const& change : {with_tasks, with_restarts}) {
    script l;
    l.expect("server/discover").fail(-32601, "no").expect("initialize").reply(initialize_text("2025-11-25", legacy_caps));
    l.ignore("notifications/initialized").ignore("notifications/cancelled").ignore("tasks/cancel");
    l.expect("tools/call").reply(R"({"task":)" + state(false, "working") + "}").expect("tasks/get").reply(state(false, "working"));
    l.expect("tasks/get").reply(state(false, "working")).expect("tasks/get").reply(state(false, "completed"));
    l.expect("tasks/result").reply(tool_text);
    fail_at_each_step(l, begin_and_wait, change);
  }
}

TEST_CASE("tasks broken: a call of a tool that can only be one, in 2025-11-25", "[extensions]") {
  auto const list_and_call = [](client& c) -> asio::awaitable<void> {
    auto const tools = co_await c.list_tools();
    CHECK(tools.size() == 1);
    co_await call(c);
  };
  for (auto const& change : {with_tasks, with_restarts}) {
    script l;
    l.expect("server/discover").fail(-32601, "no").expect("initialize").reply(initialize_text("2025-11-25", legacy_caps));
    l.ignore("notifications/initialized").ignore("notifications/cancelled").ignore("tasks/cancel");
    l.expect("tools/list").reply(R"({"tools":[{"name":"t","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}]})");
    l.expect("tools/call").reply(R"({"task":)" + state(false, "working") + "}").expect("tasks/get").reply(state(false, "working"));
    l.expect("tasks/get").reply(state(false, "completed")).expect("tasks/result").reply(tool_text);
    fail_at_each_step(l, list_and_call, change);
  }
}

TEST_CASE("tasks broken: together with a subscription, a round before the task and questions in it", "[extensions]") {
  auto const body = [](client& c) -> asio::awaitable<void> {
    co_await c.subscribe("a:b");
    co_await call(c);
  };
  for (auto const& change : {with_tasks, with_restarts}) {
    auto s = modern();
    s.expect("subscriptions/listen").as("one").raw(acknowledges(R"({"resourceSubscriptions":["a:b"]})"));
    s.expect("tools/call").reply(std::string(R"({"resultType":"input_required","inputRequests":{"r":)") + form + "}}");
    s.expect("tools/call").reply(created());
    s.expect("subscriptions/listen").raw(acknowledges(R"({"resourceSubscriptions":["a:b"],"taskIds":["7"]})"));
    s.expect("tasks/get").reply(state(true, "input_required", std::string(R"(,"inputRequests":{"q":)") + form + "}"));
    s.expect("tasks/update").reply("{}").expect("tasks/get").reply(completed());
    s.expect("subscriptions/listen");  // without the task
    fail_at_each_step(s, body, change, answers());
  }
}
