// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks by the extension's own schema (tests/corpus/ext-tasks): what is sent is valid, what is valid is read, and what is
// not ends in an error that says so.
#include <comcp/client/handlers.hpp>
#include <comcp/schema/schema.hpp>

#include "extensions/task_server.hpp"
#include "support/corpus.hpp"

using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

// Of one definition.
schema schema_of(std::string const& definition) {
  static auto const whole = content_of(COMCP_SOURCE_DIR "/tests/corpus/ext-tasks/schema.json");
  REQUIRE(whole.starts_with("{"));
  auto compiled = schema::compile(json::parse(R"({"$ref":"#/$defs/)" + definition + "\"," + whole.substr(1)).value());
  INFO((compiled ? std::string() : compiled.error().to_string()));
  REQUIRE(compiled);
  return *compiled;
}
void check_valid(std::string const& definition, json::value const& v) {
  for (auto const& each : schema_of(definition).violations(v.view())) {
    UNSCOPED_INFO(each.to_string());
    CHECK(definition == v.dump());
  }
}
json::value sent(fake_server const& s, std::string_view method) {
  json::value last;
  for (auto const& m : s.received()) {
    if (m["method"].as<std::string>() == method) last = m;
  }
  REQUIRE(last.is_object());
  return last;
}

struct named {
  elicit_result elicit(elicit_params) { return elicit_result::accept(args("name", "Ada")); }
};

constexpr char const* form = R"(,"inputRequests":{"who":{"method":"elicitation/create","params":{"mode":"form","message":"?",)"
                             R"("requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}})";

// A call of a tool whose task is in this state, after the time between two questions.
outcome_of<call_tool_result> call_in(conversation& c, task_server& s, client const& client, std::string const& state) {
  s.steps = {json::raw(state)};
  auto const call = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  return call;
}

}  // namespace

TEST_CASE("tasks schema: it is one that refuses", "[extensions]") {
  auto const get = schema_of("GetTaskRequest");
  auto const good = json::parse(R"({"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"7"}})").value();
  auto const other = json::parse(R"({"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":{"taskId":"7"}})").value();
  auto const nobody = json::parse(R"({"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{}})").value();
  CHECK(get.validate(good.view()));
  CHECK_FALSE(get.validate(other.view()));
  CHECK_FALSE(get.validate(nobody.view()));
}

TEST_CASE("tasks schema: what is sent is valid", "[extensions]") {
  conversation c;
  task_server s(c, true);
  auto client = c.connect(s.server.transport(), c.options().extension(tasks()), named());
  REQUIRE(client);
  s.steps = {task_text(true, "input_required", form), s.working()};
  auto const call = c.start(client->call_tool("slow", args("n", 1)));
  c.advance(1s);
  c.advance(1s);
  call->cancel();
  c.settle();
  check_valid("GetTaskRequest", sent(s.server, "tasks/get"));
  check_valid("UpdateTaskRequest", sent(s.server, "tasks/update"));
  check_valid("CancelTaskRequest", sent(s.server, "tasks/cancel"));
  check_valid("TaskSubscriptionNotifications", s.server.last("subscriptions/listen")["notifications"]);
  auto const own = sent(s.server, "tools/call")["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"];
  check_valid("TasksExtensionCapability", own["io.modelcontextprotocol/tasks"]);
}

TEST_CASE("tasks schema: a valid state of each status is read, asked for, created or told", "[extensions]") {
  struct row {
    char const* status;
    std::string brings;
  };
  for (auto const& [status, brings] :
       {row{"working", ""}, row{"input_required", form}, row{"completed", R"(,"result":)" + tool_text},
        row{"failed", R"(,"error":{"code":-32603,"message":"no luck"})"}, row{"cancelled", ""}}) {
    for (auto const* const numbers : {R"("ttlMs":null)", R"("ttlMs":60000,"pollIntervalMs":500,"statusMessage":"at it")"}) {
      auto const members = std::string(R"("taskId":"7","status":")") + status +
                           R"(","createdAt":"2026-11-25T10:00:00Z","lastUpdatedAt":"2026-11-25T10:00:01Z",)" + numbers;
      struct place {
        char const* definition;
        std::string text;
      };
      for (auto const& [definition, text] :
           {place{"GetTaskResult", "{" + members + brings + R"(,"resultType":"complete"})"},
            place{"CreateTaskResult", "{" + members + R"(,"resultType":"task"})"},
            place{"TaskStatusNotificationParams", "{" + members + brings + "}"}}) {
        auto const v = json::parse(text).value();
        check_valid(definition, v);
        auto const s = read_task(v.view());
        REQUIRE(s);
        CHECK(s->task_id == "7");
        auto const again = json::parse(json::to_text(s->status)).value();
        CHECK(again.as<std::string>() == status);
        CHECK(s->created_at == "2026-11-25T10:00:00Z");
      }
    }
  }
}

TEST_CASE("tasks schema: a failed task whose error is none is a violation, one without words is the server's error", "[extensions]") {
  conversation c;
  task_server s(c, true);
  auto const client = connected(c, s);
  for (auto const* const odd : {R"("text")", "7", "true", "[]", "{}", R"({"code":"x"})", R"({"code":1.5,"message":"m"})", "null"}) {
    CAPTURE(odd);
    s.at = 0;
    auto const call = call_in(c, s, client, task_text(true, "failed", std::string(R"(,"error":)") + odd).text());
    CHECK(call->error() == errc::protocol_violation);
  }
  CHECK(s.server.count("tasks/cancel") == 0);  // they are over
  for (auto const* const text : {R"({"code":-5})", R"({"code":-5,"message":7})"}) {
    s.at = 0;
    auto const call = call_in(c, s, client, task_text(true, "failed", std::string(R"(,"error":)") + text).text());
    REQUIRE(call->error().peer());
    CHECK(call->error().peer()->code == -5);
    CHECK(call->error().peer()->message.empty());
  }
  CHECK(client.statistics().pending == 0);
}

TEST_CASE("tasks schema: a number that is no integer ends the call, and the task is cancelled", "[extensions]") {
  auto const* const numbers = GENERATE(R"("ttlMs":null,"pollIntervalMs":0.5)", R"("ttlMs":2.5)", R"("ttlMs":"long")");
  conversation c;
  task_server s(c, true);
  auto const client = connected(c, s);
  auto const call = call_in(c, s, client, std::string(R"({"taskId":"7","status":"working","createdAt":"c","lastUpdatedAt":"l",)") + numbers + "}");
  CHECK(call->error() == errc::protocol_violation);
  CHECK(s.server.count("tasks/cancel") == 1);
}

TEST_CASE("tasks schema: in 2025-11-25 such a number counts as not said", "[extensions]") {
  conversation c;
  task_server s(c, false);
  auto const client = connected(c, s);
  (void)c.finish(client.list_tools());
  s.steps = {json::raw(R"({"taskId":"7","status":"working","createdAt":"c","lastUpdatedAt":"l","ttl":0.5,"pollInterval":0.5})"), s.completed()};
  auto const call = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  CHECK(s.server.count("tasks/get") == 1);
  c.advance(999ms);  // the preset pause
  CHECK(s.server.count("tasks/get") == 1);
  c.advance(1ms);
  CHECK(call->ok());
}

TEST_CASE("tasks schema: without a ttl a task has no end, and with one below zero it has no time", "[extensions]") {
  conversation c;
  task_server s(c, true);
  auto const client = connected(c, s);
  auto const unsaid = call_in(c, s, client, R"({"taskId":"7","status":"working","createdAt":"c","lastUpdatedAt":"l","pollIntervalMs":-1})");
  CHECK_FALSE(unsaid->done());
  auto const before = s.server.count("tasks/get");
  c.advance(9ms);
  CHECK(s.server.count("tasks/get") == before);
  c.advance(1ms);
  CHECK(s.server.count("tasks/get") == before + 1);
  s.steps = {s.completed()};
  s.at = 0;
  c.advance(10ms);
  CHECK(unsaid->ok());
  s.at = 0;
  auto const none = call_in(c, s, client, R"({"taskId":"7","status":"working","createdAt":"c","lastUpdatedAt":"l","ttlMs":-1})");
  CHECK(none->error() == errc::timeout);
  CHECK(s.server.count("tasks/cancel") == 1);
}
