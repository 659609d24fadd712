// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks whose callers leave before the server has said that there is one, and what servers tell of those that are there.
#include "extensions/task_server.hpp"

using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

// Its tool answers when `waiting` does.
struct late_server : task_server {
  late_server(conversation& c, bool is_modern) : task_server(c, is_modern) {
    server.on("tools/call", [this](fake_request const& r) {
      waiting = r;
      asked = server.received().size() - 1;
    });
  }
  void create() {
    auto const task = task_text(modern, "working").text();
    waiting->reply(modern ? json::raw(task.substr(0, task.size() - 1) + R"(,"resultType":"task"})")
                          : json::raw(R"({"task":)" + task + "}"));
  }
  std::optional<fake_request> waiting;
  std::size_t asked = 0;
};

}  // namespace

TEST_CASE("tasks: one that the server makes for a caller that has left is cancelled", "[extensions]") {
  auto const modern = GENERATE(true, false);
  auto const how = GENERATE(0, 1, 2);
  conversation c;
  late_server s(c, modern);
  auto const client = connected(c, s);
  (void)c.finish(client.list_tools());
  std::stop_source stop;
  auto o = call_options().stop(stop.get_token()).timeout(90s).hard_timeout(90s);
  auto const call = c.start(client.call_tool("slow", args("n", 1), o));
  REQUIRE(s.waiting);
  if (how == 0) call->cancel();
  if (how == 1) stop.request_stop();
  if (how == 2) c.advance(90s);
  c.settle();
  REQUIRE(call->done());
  CHECK(call->error() == (how == 2 ? errc::timeout : errc::cancelled));
  CHECK(s.server.count("notifications/cancelled") == (modern ? 1 : 0));  // which 2025-11-25 forbids for tasks
  c.advance(9s);
  s.create();
  c.settle();
  CHECK(s.server.count("tasks/cancel") == 1);
  CHECK(s.server.last("tasks/cancel")["taskId"].as<std::string>() == "7");
  // The same again: nobody's any more.
  auto const id = s.server.received().at(s.asked)["id"].dump();
  s.server.raw(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"resultType":"task","task":{"taskId":"7","status":"working"}}})");
  c.settle();
  CHECK(s.server.count("tasks/cancel") == 1);
  CHECK(client.statistics().late == 2);
  CHECK(c.finish(client.close()));
}

TEST_CASE("tasks: an answer after a call that was left has 10 s, and may be none of a task", "[extensions]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  late_server s(c, modern);
  auto const client = connected(c, s);
  (void)c.finish(client.list_tools());
  auto const left = [&] {
    auto const call = c.start(client.call_tool("slow", args("n", 1)));
    call->cancel();
    c.settle();
    CHECK(call->error() == errc::cancelled);
  };
  left();
  s.waiting->reply(json::raw(tool_text));
  c.settle();
  left();
  s.waiting->fail(-32603, "no luck");
  c.settle();
  left();
  c.advance(10s);
  s.create();
  c.settle();
  CHECK(s.server.count("tasks/cancel") == 0);
  CHECK(client.statistics().late == 3);
  CHECK(client.statistics().pending == 0);
  left();
  CHECK(c.finish(client.close()));
  c.settle();
}

TEST_CASE("tasks: a handle that was not yet made leaves no task", "[extensions]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  late_server s(c, modern);
  auto const client = connected(c, s);
  auto const beginning = c.start(client.extension<tasks>().start_tool("slow", args("n", 1)));
  beginning->cancel();
  c.settle();
  s.create();
  c.settle();
  CHECK(s.server.count("tasks/cancel") == 1);
}

TEST_CASE("tasks: progress under the call's own token goes on while the task does", "[extensions]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  late_server s(c, modern);
  auto const client = connected(c, s);
  (void)c.finish(client.list_tools());
  s.steps = {s.working(R"(,"statusMessage":"at it")"), s.completed()};
  std::vector<std::pair<double, std::string>> told;
  auto o = call_options().on_progress([&](progress_notification const& p) { told.emplace_back(p.progress, p.message.value_or("")); });
  auto const call = c.start(client.call_tool("slow", args("n", 1), o));
  s.waiting->progress(10, 100);
  c.settle();
  s.create();
  c.settle();
  s.waiting->progress(20, 100);
  c.settle();
  c.advance(1s);
  c.advance(1s);
  REQUIRE(call->ok());
  s.waiting->progress(30, 100);
  c.settle();
  using each = std::pair<double, std::string>;
  CHECK(told == std::vector<each>{{10, ""}, {20, ""}, {20, "at it"}});
  CHECK(client.statistics().dropped == 1);
}

TEST_CASE("tasks: in 2025-11-25 a tool that cannot be one is called as it is", "[extensions]") {
  conversation c;
  task_server s(c, false);
  auto const tool = [](char const* name, char const* how) {
    return std::string(R"({"name":")") + name + R"(","inputSchema":{"type":"object"})" + how + "}";
  };
  s.server.answer("tools/list", json::raw(R"({"tools":[)" + tool("never", R"(,"execution":{"taskSupport":"forbidden"})") + "," +
                                          tool("plain", "") + "," + tool("may", R"(,"execution":{"taskSupport":"optional"})") + "]}"));
  s.server.on("tools/call", [&s](fake_request const& r) {
    if (r.params().contains("task")) r.reply(args("task", json::raw(s.working().text())));
    else r.reply(json::raw(tool_text));
  });
  auto const client = connected(c, s);
  auto const list = c.finish(client.list_tools());
  REQUIRE(list);
  for (auto const* const name : {"never", "plain"}) {
    auto const handle = c.finish(client.extension<tasks>().start_tool(name));
    REQUIRE(handle);
    CHECK(handle->id().empty());
    CHECK(c.finish(handle->result())->text() == "done");
  }
  CHECK(c.finish(client.extension<tasks>().start_tool("may"))->id() == "7");
  CHECK(c.finish(client.extension<tasks>().start_tool("unheard-of"))->id() == "7");
  // What a caller goes by is stronger.
  auto const forbidden = call_options().tool((*list)[0]);
  CHECK(c.finish(client.extension<tasks>().start_tool("may", {}, forbidden))->id().empty());
  CHECK((*list)[2].task_support() == task_support::optional);
}

TEST_CASE("tasks: a listen stream names at most 128 of them", "[extensions]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.modern().capabilities(modern_caps);
  int made = 0;
  server.on("tools/call", [&made](fake_request const& r) {
    r.reply(json::raw(R"({"resultType":"task","taskId":")" + std::to_string(++made) +
                      R"(","status":"working","createdAt":"c","lastUpdatedAt":"l","ttlMs":null,"pollIntervalMs":1000})"));
  });
  server.on("tasks/get", [](fake_request const& r) {
    r.reply(json::raw(R"({"taskId":")" + r.params()["taskId"].as<std::string>() +
                      R"(","status":"completed","createdAt":"c","lastUpdatedAt":"l","ttlMs":null,"result":)" + tool_text + "}"));
  });
  auto client = c.connect(server.transport(), c.options().extension(tasks()));
  REQUIRE(client);
  std::vector<decltype(c.start(client->call_tool("slow")))> calls;
  for (int i = 0; i < 200; ++i) calls.push_back(c.start(client->call_tool("slow")));
  c.advance(1s);
  c.advance(1s);
  for (auto const& each : calls) CHECK(each->ok());
  std::size_t most = 0;
  for (auto const& m : server.received()) {
    if (m["method"].as<std::string>() != "subscriptions/listen") continue;
    auto const ids = m["params"]["notifications"]["taskIds"];
    most = std::max<std::size_t>(most, ids.is_array() ? ids.size() : 0);
  }
  CHECK(most == 128);
}

TEST_CASE("tasks: a server that does not tell of tasks alarms nobody who listens for something else", "[extensions]") {
  int const refuses = GENERATE(-32602, -32021, 0);
  conversation c;
  task_server s(c, true);
  s.server.capabilities(R"({"tools":{"listChanged":true},"extensions":{"io.modelcontextprotocol/tasks":{}}})");
  json::value open;
  s.server.on("subscriptions/listen", [&](fake_request const& r) {
    bool const asks = r.params()["notifications"].contains("taskIds");
    if (asks && refuses != 0) return r.fail(refuses, "taskIds?");
    open = r.id();
    s.server.notify("notifications/subscriptions/acknowledged",
                    json::raw(R"({"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":)" +
                              r.id().dump() + "}}"));
  });
  auto const client = connected(c, s);
  std::vector<error> told;
  auto const watch = client.watch_tools([&](result<listing<tool>> const& r) { told.push_back(r ? error() : r.error()); });
  c.settle();
  s.steps = {s.working(), s.completed()};
  auto const call = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  c.advance(1s);
  REQUIRE(call->ok());
  CHECK(told.empty());
  CHECK(c.faults.size() == (refuses != 0 ? 1 : 0));
  s.server.notify("notifications/tools/list_changed", json::raw(R"({"_meta":{"io.modelcontextprotocol/subscriptionId":)" + open.dump() + "}}"));
  c.settle();
  c.advance(1s);
  REQUIRE(told.size() == 1);
  CHECK_FALSE(told[0]);
}

TEST_CASE("tasks: a client that is destroyed soon after a call was left ends with it", "[extensions]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  late_server s(c, modern);
  {
    auto const client = connected(c, s);
    (void)c.finish(client.list_tools());
    auto const call = c.start(client.call_tool("slow", args("n", 1)));
    call->cancel();
    c.settle();
    CHECK(call->error() == errc::cancelled);
  }
  c.settle();
  c.advance(10s);
  CHECK(s.server.count("tasks/cancel") == 0);
}
