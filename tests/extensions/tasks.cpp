// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks in both eras, against a server that makes them (comcp/test).
#include <algorithm>

#include <comcp/client/cache.hpp>
#include <comcp/client/handlers.hpp>
#include <comcp/client/validation.hpp>

#include "extensions/task_server.hpp"

using namespace comcp_test;
using namespace std::chrono_literals;

TEST_CASE("tasks: a tool's call that becomes one ends with the tool's result", "[extensions]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  task_server s(c, modern);
  auto const client = connected(c, s);
  (void)c.finish(client.list_tools());
  s.steps = {s.working(R"(,"statusMessage":"one")", 500), s.working(R"(,"statusMessage":"one")", 2000), s.completed()};
  std::vector<std::string> told;
  call_options o;
  o.on_progress([&told](progress_notification const& p) { told.push_back(std::to_string(p.progress).substr(0, 1) + *p.message); });
  auto const call = c.start(client.call_tool("slow", args("n", 1), o));
  CHECK(s.server.count("tasks/get") == 0);
  c.advance(1s);  // as the first answer says
  CHECK(s.server.count("tasks/get") == 1);
  c.advance(499ms);
  CHECK(s.server.count("tasks/get") == 1);
  c.advance(1ms);
  CHECK(s.server.count("tasks/get") == 2);
  CHECK_FALSE(call->done());
  c.advance(2s);
  REQUIRE(call->ok());
  CHECK((*call)->text() == "done");
  CHECK(told == std::vector<std::string>{"1one"});
  CHECK(s.server.count("tools/call") == 1);
  CHECK(s.server.count("tasks/result") == (modern ? 0 : 1));
  CHECK(s.server.count("tasks/cancel") == 0);
  CHECK(s.server.count("notifications/cancelled") <= 1);  // of the listen stream
  CHECK(client.statistics().pending == 0);
}

TEST_CASE("tasks: the server asks for input, and each key is answered once", "[extensions]") {
  struct answers {
    elicit_result elicit(elicit_params) { return ++*asked, elicit_result::accept(args("name", "Ada")); }
    std::shared_ptr<int> asked = std::make_shared<int>(0);
  };
  conversation c;
  task_server s(c, true);
  answers h;
  auto client = c.connect(s.server.transport(), c.options().extension(tasks()), h);
  REQUIRE(client);
  std::string const asks = R"(,"inputRequests":{"who":{"method":"elicitation/create","params":{"mode":"form","message":"?",)"
                           R"("requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}})";
  auto const wants = task_text(true, "input_required", asks);
  s.steps = {wants, wants, s.completed()};
  auto const call = c.start(client->call_tool("slow", args("n", 1)));
  c.advance(1s);
  CHECK(*h.asked == 1);
  CHECK(s.server.last("tasks/update")["inputResponses"]["who"]["content"]["name"].as<std::string>() == "Ada");
  c.advance(1s);
  CHECK(*h.asked == 1);
  CHECK(s.server.count("tasks/update") == 1);
  c.advance(1s);
  CHECK(call->ok());
}

TEST_CASE("tasks: what was not declared is refused, and the task cancelled", "[extensions]") {
  conversation c;
  task_server s(c, true);
  auto const client = connected(c, s);
  s.steps = {task_text(true, "input_required", R"(,"inputRequests":{"s":{"method":"sampling/createMessage","params":{}}})")};
  auto const call = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  CHECK(call->error() == errc::protocol_violation);
  CHECK(s.server.count("tasks/cancel") == 1);
}

TEST_CASE("tasks: in 2025-11-25 input is asked for while the result is waited for", "[extensions]") {
  conversation c;
  task_server s(c, false);
  std::optional<fake_request> waiting;
  s.server.on("tasks/result", [&waiting](fake_request const& r) { waiting = r; });
  auto const client = connected(c, s);
  (void)c.finish(client.list_tools());
  s.steps = {task_text(false, "input_required")};
  auto const call = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  REQUIRE(waiting);
  c.advance(5min);  // longer than any timeout but the hard one
  CHECK_FALSE(call->done());
  waiting->reply(json::raw(tool_text));
  c.settle();
  CHECK(call->ok());
}

TEST_CASE("tasks: a caller that gives up has its task cancelled by tasks/cancel", "[extensions]") {
  auto const modern = GENERATE(true, false);
  auto const how = GENERATE(0, 1, 2);
  conversation c;
  task_server s(c, modern);
  auto const client = connected(c, s);
  (void)c.finish(client.list_tools());
  s.steps = {s.working()};
  std::stop_source stop;
  auto const call = c.start(client.call_tool("slow", args("n", 1), call_options().stop(stop.get_token()).hard_timeout(90s).timeout(90s)));
  c.advance(3s);
  auto const before = s.server.count("notifications/cancelled");
  if (how == 0) call->cancel();
  if (how == 1) stop.request_stop();
  if (how == 2) c.advance(87s);
  c.settle();
  REQUIRE(call->done());
  CHECK(call->error() == (how == 2 ? errc::timeout : errc::cancelled));
  CHECK(call->error().outcome() == call_outcome::open);
  CHECK(s.server.count("tasks/cancel") == 1);
  CHECK(s.server.last("tasks/cancel")["taskId"].as<std::string>() == "7");
  CHECK(s.server.count("notifications/cancelled") <= before + (modern ? 1 : 0));  // of the listen stream
}

TEST_CASE("tasks: failed and cancelled ones are errors", "[extensions]") {
  conversation c;
  task_server s(c, true);
  auto const client = connected(c, s);
  s.steps = {task_text(true, "failed", R"(,"error":{"code":-32603,"message":"no luck"})")};
  auto const failed = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  REQUIRE(failed->done());
  REQUIRE(failed->error().peer());
  CHECK(failed->error().peer()->message == "no luck");
  s.steps = {task_text(true, "cancelled", R"(,"statusMessage":"by \u001b[1mthe boss")")};
  s.at = 0;
  auto const cancelled = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  CHECK(cancelled->error() == errc::cancelled);
  CHECK(cancelled->error().message() == "the server cancelled the task: by <U+001B>[1mthe boss");
  CHECK(s.server.count("tasks/cancel") == 0);
}

TEST_CASE("tasks: where the server tells of them, it is hardly asked", "[extensions]") {
  conversation c;
  task_server s(c, true);
  auto const client = connected(c, s);
  s.steps = {s.working()};
  auto const call = c.start(client.call_tool("slow", args("n", 1)));
  REQUIRE(s.server.count("subscriptions/listen") == 1);
  CHECK(s.server.last("subscriptions/listen")["notifications"].dump() == R"({"taskIds":["7"]})");
  s.server.notify_listeners("notifications/tasks", s.working());
  c.settle();
  c.advance(9s);
  CHECK(s.server.count("tasks/get") == 0);
  s.server.notify_listeners("notifications/tasks", s.completed());
  c.settle();
  CHECK(call->ok());
  CHECK(s.server.count("tasks/get") == 0);
}

TEST_CASE("tasks: the ttl bounds it, and so does what the server forgot", "[extensions]") {
  conversation c;
  task_server s(c, true);
  auto const client = connected(c, s);
  s.steps = {json::fragment::trusted(R"({"taskId":"7","status":"working","createdAt":"c","lastUpdatedAt":"l","ttlMs":2500})")};
  auto const late = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  c.advance(1s);
  CHECK_FALSE(late->done());
  c.advance(500ms);
  CHECK(late->error() == errc::timeout);
  s.server.on("tasks/get", [](fake_request const& r) { r.fail(-32602, "no such task"); });
  auto const gone = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  REQUIRE(gone->done());
  CHECK(gone->error().peer()->code == -32602);
}

TEST_CASE("tasks: a question that fails in passing is asked again, but not for ever", "[extensions]") {
  conversation c;
  task_server s(c, true);
  auto const client = connected(c, s);
  int failures = GENERATE(5, 6);
  bool const holds = failures == 5;
  s.server.on("tasks/get", [&](fake_request const& r) {
    if (failures-- > 0) r.fail(-32603, "busy");
    else r.reply(s.completed());
  });
  auto const call = c.start(client.call_tool("slow", args("n", 1)));
  for (int i = 0; i < 6; ++i) c.advance(1s);
  REQUIRE(call->done());
  CHECK(call->ok() == holds);
  if (!holds) CHECK(call->error().peer()->code == -32603);
}

TEST_CASE("tasks: one that tells of another is not believed, and broken states are violations", "[extensions]") {
  conversation c;
  task_server s(c, true);
  auto const client = connected(c, s);
  auto const broken = GENERATE(R"({"taskId":"8","status":"working"})", R"({"taskId":"7","status":"odd"})", R"({"status":"working"})");
  s.steps = {json::raw(broken)};
  auto const call = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  CHECK(call->error() == errc::protocol_violation);
}

TEST_CASE("tasks: without the extension a tool that needs a task is not called, and the modern era has no list", "[extensions]") {
  conversation c;
  task_server s(c, false);
  auto client = c.connect(s.server.transport());
  REQUIRE(client);
  (void)c.finish(client->list_tools());
  CHECK(c.finish(client->call_tool("slow", args("n", 1))).error() == errc::capability_missing);
  CHECK(s.server.count("tools/call") == 0);
  conversation d;
  task_server m(d, true);
  auto const modern = connected(d, m);
  CHECK(d.finish(modern.extension<tasks>().list_tasks()).error() == errc::not_in_protocol);
}

TEST_CASE("tasks: an end without its result is asked for once", "[extensions]") {
  conversation c;
  task_server s(c, true);
  s.server.answer("tools/call", json::raw(R"({"resultType":"task","taskId":"7","status":"completed","createdAt":"c","lastUpdatedAt":"l","ttlMs":null})"));
  auto const client = connected(c, s);
  s.steps = {s.completed()};
  CHECK(c.finish(client.call_tool("slow", args("n", 1)))->text() == "done");
  CHECK(s.server.count("tasks/get") == 1);
  s.server.answer("tasks/get", task_text(true, "completed", R"(,"result":{"resultType":"task","content":[]})"));
  CHECK(c.finish(client.call_tool("slow", args("n", 1))).error() == errc::protocol_violation);
}

TEST_CASE("tasks: they work with validation and a cache", "[extensions]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  task_server s(c, modern);
  auto client = c.connect(s.server.transport(), c.options().extension(tasks()).validate(validation_options()).cache(cache_options()));
  REQUIRE(client);
  s.steps = {s.completed()};
  auto const call = c.start(client->call_tool("slow", args("n", 1)));  // whose tool is listed on the way
  c.advance(1s);
  REQUIRE(call->done());
  INFO(call->error().to_string());
  CHECK(call->ok());
  CHECK(c.finish(client->call_tool("slow", args("m", 1))).error() == errc::validation_failed);
  s.at = 0;
  auto const task = c.finish(client->extension<tasks>().start_tool("slow", args("n", 1)));
  REQUIRE(task);
  CHECK(c.finish(task->result())->text() == "done");
}

TEST_CASE("tasks: in 2025-11-25 an error of tasks/result is the end, and the ttl bounds the wait for it", "[extensions]") {
  conversation c;
  task_server s(c, false);
  auto const client = connected(c, s);
  (void)c.finish(client.list_tools());
  s.steps = {task_text(false, "input_required")};
  s.server.on("tasks/result", [](fake_request const& r) { r.fail(-32603, "no luck"); });
  auto const failed = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  REQUIRE(failed->done());
  CHECK(failed->error().peer()->message == "no luck");
  CHECK(s.server.count("tasks/cancel") == 0);
  s.server.silent("tasks/result");
  s.steps = {json::raw(R"({"taskId":"7","status":"input_required","createdAt":"c","lastUpdatedAt":"l","ttl":5000})")};
  s.at = 0;
  auto const late = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  c.advance(4s);
  REQUIRE(late->done());
  CHECK(late->error() == errc::timeout);
  CHECK(late->error().message() == "the task's ttl is over");
}

TEST_CASE("tasks: a server that misses the extension's capability ends the call at once, whatever was asked", "[extensions]") {
  auto const* const refused = GENERATE("tasks/get", "tasks/update");
  struct answers {
    elicit_result elicit(elicit_params) { return elicit_result::accept(args("name", "Ada")); }
  };
  conversation c;
  task_server s(c, true);
  auto client = c.connect(s.server.transport(), c.options().extension(tasks()), answers());
  REQUIRE(client);
  s.steps = {task_text(true, "input_required", R"(,"inputRequests":{"who":{"method":"elicitation/create","params":{"mode":"form",)"
                                               R"("message":"?","requestedSchema":{"type":"object","properties":{}}}}})")};
  s.server.on(refused, [](fake_request const& r) {
    r.fail(-32021, "Missing required client capability",
           json::raw(R"({"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}})"));
  });
  auto const call = c.start(client->call_tool("slow", args("n", 1)));
  c.advance(1s);
  REQUIRE(call->done());
  REQUIRE(call->error().peer());
  CHECK(call->error().peer()->code == -32021);
  CHECK(call->error().outcome() == call_outcome::open);
  CHECK(s.server.count(refused) == 1);
  CHECK(s.server.count("tasks/cancel") == 1);
  c.advance(1min);
  CHECK(s.server.count(refused) == 1);
  CHECK(s.server.count("tools/call") == 1);
}

TEST_CASE("tasks: a caller that leaves while a question about its task waits has the task cancelled, not its call", "[extensions]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  task_server s(c, modern);
  auto const client = connected(c, s);
  (void)c.finish(client.list_tools());
  auto const* const waiting = modern ? "tasks/get" : "tasks/result";
  if (!modern) s.steps = {task_text(false, "input_required")};
  s.server.silent(waiting);
  auto const call = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  REQUIRE(s.server.count(waiting) == 1);
  call->cancel();
  c.settle();
  CHECK(call->error() == errc::cancelled);
  std::vector<std::string> called, withdrawn;
  for (auto const& m : s.server.received()) {
    auto const method = m["method"].as<std::string>();
    if (method == "tools/call") called.push_back(m["id"].dump());
    if (method == "notifications/cancelled") withdrawn.push_back(m["params"]["requestId"].dump());
  }
  REQUIRE(called.size() == 1);
  CHECK(std::count(withdrawn.begin(), withdrawn.end(), called[0]) == 0);
  CHECK(s.server.count("tasks/cancel") == 1);
  c.advance(1min);
  CHECK(s.server.count("tasks/cancel") == 1);
  CHECK(client.statistics().pending == 0);
}
