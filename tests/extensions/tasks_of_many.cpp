// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks of a registry's and of a pool's servers.
#include <comcp/extensions/tasks.hpp>
#include <comcp/pool/pool.hpp>
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
