// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// 2025-11-25: tools that can only be called as tasks, which nobody has listed.
#include <comcp/pool/pool.hpp>
#include <comcp/registry/registry.hpp>

#include "extensions/task_server.hpp"

using namespace comcp_test;
using namespace std::chrono_literals;

TEST_CASE("tasks: a tool that only runs as a task is called as one, also where nobody has listed it", "[extensions]") {
  conversation c;
  task_server s(c, false);
  s.steps = {s.working(), s.completed()};
  auto const client = connected(c, s);
  auto const call = c.start(client.call_tool("slow", args("n", 1)));
  c.advance(1s);
  c.advance(1s);
  REQUIRE(call->ok());
  CHECK((*call)->text() == "done");
  CHECK(s.server.count("tools/list") == 1);
  CHECK(s.server.count("tools/call") == 2);  // the first one was refused unread
  CHECK(s.server.last("tools/call")["arguments"]["n"].as<int>() == 1);
  auto const other = c.start(client.call_tool("unheard-of"));
  c.settle();
  REQUIRE(other->done());
  REQUIRE(other->error().peer());
  CHECK(other->error().peer()->code == -32601);
  CHECK(s.server.count("tools/list") == 2);
  CHECK(s.server.count("tools/call") == 3);
}

TEST_CASE("tasks: a refusal is no reason to list where the server makes no tasks, or nobody wants them", "[extensions]") {
  conversation c;
  task_server s(c, false);
  bool const wants = GENERATE(true, false);
  if (wants) s.server.capabilities(R"({"tools":{}})");
  auto const client = wants ? connected(c, s) : std::move(c.connect(s.server.transport())).value();
  CHECK(c.finish(client.call_tool("slow", args("n", 1))).error().peer()->code == -32601);
  CHECK(s.server.count("tools/list") == 0);
  CHECK(s.server.count("tools/call") == 1);
}

TEST_CASE("tasks: a pool and a registry call such a tool, too", "[extensions]") {
  conversation c;
  task_server s(c, false);
  s.steps = {s.completed()};
  auto const config = server_config::from([&s] { return any_transport(s.server.transport()); }).options(c.options().extension(tasks()));
  SECTION("pool") {
    pool p(c.io.get_executor(), config, pool_options().size(1).time(c.clock));
    REQUIRE(c.finish(p.warm_up()));
    auto const called = c.start(p.call_tool("slow", args("n", 1)));
    c.advance(1s);
    REQUIRE(called->ok());
    CHECK((*called)->text() == "done");
    CHECK(c.finish(p.close()));
  }
  SECTION("registry") {
    registry r(c.io.get_executor(), registry_options().time(c.clock));
    REQUIRE(c.finish(r.add("s", config)));
    auto const called = c.start(r.call("s/slow", args("n", 1)));
    c.advance(1s);
    REQUIRE(called->ok());
    CHECK((*called)->text() == "done");
    CHECK(c.finish(r.close()));
  }
}
