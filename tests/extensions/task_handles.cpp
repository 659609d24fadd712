// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks that are begun, looked at, left and resumed.
#include "extensions/task_server.hpp"

using namespace comcp_test;
using namespace std::chrono_literals;

TEST_CASE("tasks: a handle begins one, looks at it, and gets its result", "[extensions]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  task_server s(c, modern);
  auto const client = connected(c, s);
  s.steps = {s.working(R"(,"statusMessage":"at it")"), s.working(), s.completed()};
  auto task = c.finish(client.extension<tasks>().start_tool("slow", args("n", 1)));
  REQUIRE(task);
  CHECK(task->id() == "7");
  auto const state = c.finish(task->status());
  REQUIRE(state);
  CHECK(state->status == task_status::working);
  CHECK(state->status_message == "at it");
  CHECK(state->poll_interval == 1000);
  auto const first = c.start(task->result());
  first->cancel();
  c.settle();
  CHECK(first->error() == errc::cancelled);
  CHECK(s.server.count("tasks/cancel") == 0);  // only the waiting was cancelled
  auto const waiting = c.start(task->result());
  c.advance(1s);
  REQUIRE(waiting->ok());
  CHECK((*waiting)->text() == "done");
  task = task_handle();
  c.settle();
  CHECK(s.server.count("tasks/cancel") == 0);
}

TEST_CASE("tasks: a handle that goes away cancels its task, one that was detached is resumed elsewhere", "[extensions]") {
  conversation c;
  task_server s(c, true);
  std::string saved;
  {
    auto const client = connected(c, s);
    s.steps = {s.working()};
    auto task = c.finish(client.extension<tasks>().start_tool("slow", args("n", 1)));
    REQUIRE(task);
    task = task_handle();
    c.settle();
    CHECK(s.server.count("tasks/cancel") == 1);
    auto other = c.finish(client.extension<tasks>().start_tool("slow", args("n", 1)));
    REQUIRE(other);
    other->detach();
    saved = other->to_json().dump();
    other = task_handle();
    c.settle();
    CHECK(s.server.count("tasks/cancel") == 1);
    CHECK(c.finish(client.close()));
  }
  CHECK(saved == R"({"taskId":"7","tool":"slow"})");
  auto const client = connected(c, s);
  s.steps = {s.completed()};
  auto const task = client.extension<tasks>().resume_task(json::raw(saved));
  auto const r = c.finish(task.result());
  REQUIRE(r);
  CHECK(r->text() == "done");
  CHECK_THROWS_AS(client.extension<tasks>().resume_task(args("taskId", "")), exception);
  CHECK(c.finish(task_handle().status()).error() == errc::closed);
}

TEST_CASE("tasks: a server that answers at once leaves no task", "[extensions]") {
  conversation c;
  task_server s(c, true);
  s.server.answer("tools/call", json::raw(tool_text));
  auto const client = connected(c, s);
  auto const task = c.finish(client.extension<tasks>().start_tool("fast"));
  REQUIRE(task);
  CHECK(task->id().empty());
  CHECK(c.finish(task->status())->is_over());
  CHECK(c.finish(task->result())->text() == "done");
  CHECK(s.server.count("tools/call") == 1);
}

TEST_CASE("tasks: 2025-11-25 lists them, page by page and whole", "[extensions]") {
  conversation c;
  task_server s(c, false);
  auto const one = task_text(false, "working").text();
  s.server.on("tasks/list", [one](fake_request const& r) {
    if (r.params().contains("cursor")) r.reply(json::raw(R"({"tasks":[)" + one + "]}"));
    else r.reply(json::raw(R"({"tasks":[)" + one + R"(],"nextCursor":"2"})"));
  });
  auto const client = connected(c, s, tasks().ttl(1min));
  auto const all = c.finish(client.extension<tasks>().list_tasks());
  REQUIRE(all);
  CHECK(all->size() == 2);
  CHECK(c.finish(client.extension<tasks>().list_tasks_page("2"))->tasks.size() == 1);
  (void)c.finish(client.extension<tasks>().start_tool("slow", args("n", 1)));
  CHECK(s.server.last("tools/call")["task"]["ttl"].as<int>() == 60000);
}

TEST_CASE("tasks: a handle survives a restart of its server", "[extensions]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  task_server s(c, modern);
  auto o = c.options().extension(tasks()).reconnect(reconnect_policy().jitter(0).delay(1s, 1s));
  auto client = c.connect(s.server.transport(), std::move(o));
  REQUIRE(client);
  s.steps = {s.working(), s.working(), s.completed()};
  auto task = c.finish(client->extension<tasks>().start_tool("slow", args("n", 1)));
  REQUIRE(task);
  auto const waiting = c.start(task->result());
  s.server.drop();
  c.settle();
  c.advance(1s);
  c.advance(1s);
  c.advance(1s);
  c.advance(1s);
  REQUIRE(waiting->ok());
  CHECK((*waiting)->text() == "done");
  CHECK(s.server.connections() == 2);
  CHECK(s.server.count("tools/call") == 1);
  CHECK(s.server.count("tasks/result") == (modern ? 0 : 1));
  CHECK(s.server.count("tasks/cancel") == 0);
}

TEST_CASE("tasks: one of 2025-11-25 that another client began is looked at, waited for and cancelled", "[extensions]") {
  conversation c;
  task_server s(c, false);
  std::string saved;
  {
    auto const first = connected(c, s);
    auto task = c.finish(first.extension<tasks>().start_tool("slow", args("n", 1)));
    REQUIRE(task);
    task->detach();
    saved = task->to_json().dump();
    CHECK(c.finish(first.close()));
  }
  auto const second = connected(c, s);
  s.steps = {s.working(R"(,"statusMessage":"at it")"), s.working(), s.completed()};
  auto const task = second.extension<tasks>().resume_task(json::raw(saved));
  CHECK(task.tool() == "slow");
  auto const state = c.finish(task.status());
  REQUIRE(state);
  CHECK(state->status_message == "at it");
  auto const waiting = c.start(task.result());
  c.advance(1s);
  REQUIRE(waiting->ok());
  CHECK((*waiting)->text() == "done");
  CHECK(s.server.last("tasks/result")["taskId"].as<std::string>() == "7");
  CHECK(s.server.count("tools/call") == 1);
  CHECK(s.server.connections() == 2);
  CHECK(c.finish(task.cancel()));
  CHECK(s.server.count("tasks/cancel") == 1);
}

TEST_CASE("tasks: one that is over is not cancelled, and one that is being cancelled not twice", "[extensions]") {
  conversation c;
  task_server s(c, true);
  auto const client = connected(c, s);
  auto const begin = [&] { return std::move(c.finish(client.extension<tasks>().start_tool("slow", args("n", 1)))).value(); };
  s.steps = {task_text(true, "failed", R"(,"error":{"code":-32603,"message":"no luck"})")};
  {
    auto const failed = begin();
    CHECK_FALSE(c.finish(failed.result()));
  }
  c.settle();
  CHECK(s.server.count("tasks/cancel") == 0);
  {
    auto const task = begin();
    (void)c.start(task.cancel());
  }
  c.settle();
  CHECK(s.server.count("tasks/cancel") == 1);
}
