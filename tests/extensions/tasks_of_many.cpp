// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks of a registry's and of a pool's servers.
#include <comcp/extensions/tasks.hpp>
#include <comcp/pool/pool.hpp>
#include <comcp/providers/anthropic.hpp>
#include <comcp/providers/gemini.hpp>
#include <comcp/providers/openai.hpp>
#include <comcp/registry/registry.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {

// Its tool is a task that is over when it is asked for.
fake_server task_server(conversation& c) {
  fake_server s(c.io.get_executor());
  s.modern().capabilities(R"({"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})");
  s.answer("tools/list", json::raw(R"({"tools":[{"name":"slow","inputSchema":{"type":"object"}}]})"));
  s.answer("tools/call", json::raw(R"({"resultType":"task","taskId":"7","status":"working","createdAt":"c",)"
                                   R"("lastUpdatedAt":"l","ttlMs":null,"pollIntervalMs":100})"));
  s.answer("tasks/get", json::raw(R"({"taskId":"7","status":"completed","createdAt":"c","lastUpdatedAt":"l","ttlMs":null,"result":)" +
                                  tool_text + "}"));
  s.answer("tasks/cancel", json::raw("{}"));
  return s;
}

server_config config(conversation& c, fake_server const& s) {
  return server_config::from([s] { return any_transport(s.transport()); }).options(c.options().extension(tasks()));
}

}  // namespace

TEST_CASE("tasks: a registry's tool that becomes one ends as a call, and can be begun by its server's client", "[extensions]") {
  conversation c;
  auto s = task_server(c);
  registry r(c.io.get_executor(), registry_options().time(c.clock));
  REQUIRE(c.finish(r.add("s", config(c, s))));
  auto const called = c.start(r.call("s/slow"));
  c.advance(100ms);
  REQUIRE(called->ok());
  CHECK((*called)->text() == "done");
  auto const client = r.find("s");
  REQUIRE(client);
  auto task = c.finish(client->extension<tasks>().start_tool("slow"));
  REQUIRE(task);
  CHECK(c.finish(task->result())->text() == "done");
  CHECK(c.finish(r.close()));
}

TEST_CASE("tasks: a pool's call that becomes one ends as a call, and a lease begins them", "[extensions]") {
  conversation c;
  auto s = task_server(c);
  pool p(c.io.get_executor(), config(c, s), pool_options().size(1).time(c.clock));
  REQUIRE(c.finish(p.warm_up()));
  auto const called = c.start(p.call_tool("slow"));
  c.advance(100ms);
  REQUIRE(called->ok());
  CHECK((*called)->text() == "done");
  auto lease = c.finish(p.checkout());
  REQUIRE(lease);
  auto task = c.finish((*lease)->extension<tasks>().start_tool("slow"));
  REQUIRE(task);
  CHECK(c.finish(task->result())->text() == "done");
  lease = comcp::lease();
  CHECK(c.finish(p.close()));
}

namespace {

struct provider {
  std::string name;
  result<std::vector<providers::model_call>> (*read)(json::view);
  json::fragment (*offer)(std::span<providers::offered_tool const>);
  json::fragment (*answer)(providers::model_call const&, call_tool_result const&);
  std::string message;  // of the model, with its call of the tool
};
json::fragment gemini_answer(providers::model_call const& c, call_tool_result const& r) { return providers::gemini::write_result(c, r); }

std::vector<provider> all_providers() {
  namespace p = providers;
  return {{"anthropic", p::anthropic::read_calls, p::anthropic::write_tools, p::anthropic::write_result,
           R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"s__slow","input":{"n":1}}]})"},
          {"chat", p::openai_chat::read_calls, p::openai_chat::write_tools, p::openai_chat::write_result,
           R"({"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"s__slow","arguments":"{\"n\":1}"}}]})"},
          {"responses", p::openai_responses::read_calls, p::openai_responses::write_tools, p::openai_responses::write_result,
           R"({"output":[{"type":"function_call","call_id":"c1","name":"s__slow","arguments":"{\"n\":1}"}]})"},
          {"gemini", p::gemini::read_calls, p::gemini::write_tools, gemini_answer,
           R"({"role":"model","parts":[{"functionCall":{"id":"c1","name":"s__slow","args":{"n":1}}}]})"}};
}

}  // namespace

TEST_CASE("tasks: a model's call of a tool that becomes one is answered with the tool's result", "[extensions]") {
  for (auto const& each : all_providers()) {
    CAPTURE(each.name);
    conversation c;
    auto s = task_server(c);
    registry r(c.io.get_executor(), registry_options().time(c.clock));
    REQUIRE(c.finish(r.add("s", config(c, s))));
    auto const catalog = r.tools();
    std::vector<providers::offered_tool> offered;
    providers::tool_names names;
    for (auto const& e : catalog) {
      offered.emplace_back(e.server_name, e.definition);
      names.add(e.server_name, e.original_name);
    }
    CHECK(each.offer(offered).text().find("\"s__slow\"") != std::string::npos);
    auto const message = json::parse(each.message).value();
    auto const calls = each.read(message.view());
    REQUIRE(calls);
    REQUIRE(calls->size() == 1);
    auto const& wanted = calls->front();
    auto const origin = names.origin(wanted.name);
    REQUIRE(origin);
    REQUIRE(wanted.arguments);
    auto const called = c.start(r.call(qualified_name(origin->server, origin->tool), *wanted.arguments));
    CHECK_FALSE(called->done());
    c.advance(100ms);
    REQUIRE(called->ok());
    CHECK(s.last("tools/call")["arguments"]["n"].as<int>() == 1);
    auto const written = each.answer(wanted, **called).text();
    CHECK(written.find("done") != std::string::npos);
    CHECK(written.find("c1") != std::string::npos);
    CHECK(written.find("taskId") == std::string::npos);
    CHECK(c.finish(r.close()));
  }
}
