// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls through a pool: who gets them, what happens when a member is lost, how long they wait.
#include <comcp/pool/pool.hpp>

#include <stop_token>

#include "pool/crew.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;

namespace {

struct point {
  int x = 0;
};
constexpr auto describe(std::type_identity<point>) { return json::fields(json::field("x", &point::x)); }

}  // namespace

TEST_CASE("pool: round_robin distributes calls exactly", "[pool]") {
  crew c;
  auto const p = c.make(3);
  CHECK(c.states(p) == "1:ready 2:ready 3:ready");
  CHECK(c.turns(p, 7) == "0120120");
  for (auto const& s : c.servers) CHECK(s.connections() == 1);
  CHECK(c.servers[0].count("tools/call") == 3);
  CHECK(load_of(p) == "000");
}

TEST_CASE("pool: size(n) makes n connections of each configuration", "[pool]") {
  crew c;
  auto const number = c.hire();
  int made = 0;
  auto make = [&]() -> any_transport {
    ++made;
    return any_transport(c.servers[c.hire()].transport());
  };
  pool const p(c.io.get_executor(), server_config::from(make).options(c.options()), c.pooled().size(3));
  c.settle();
  CHECK(made == 3);
  CHECK(p.stats().total == 3);
  CHECK(p.stats().ready == 3);
  CHECK(c.turns(p, 4) == "1231");
  CHECK(c.servers[number].connections() == 0);
}

TEST_CASE("pool: random takes what its engine says", "[pool]") {
  crew c;
  auto const p = c.make(4, c.pooled().strategy(comcp::random(std::minstd_rand(3))));
  std::vector<pool_candidate> const all(4);
  comcp::random same(std::minstd_rand(3));
  std::string expected;
  for (int i = 0; i != 20; ++i) expected += std::to_string(same.pick(all));
  CHECK(c.turns(p, 20) == expected);
}

TEST_CASE("pool: least_busy keeps away from members that hang", "[pool]") {
  crew c;
  auto const p = c.make(3, c.pooled().strategy(least_busy()));
  auto const a = c.hang(p), b = c.hang(p);  // the first and the second
  CHECK(load_of(p) == "110");
  CHECK(c.turns(p, 3) == "222");
  auto const d = c.hang(p);
  CHECK(load_of(p) == "111");
  CHECK(p.stats().busy == 3);
  c.let_go(1);
  REQUIRE(b->ok());
  CHECK((*b)->text() == "1");
  CHECK(load_of(p) == "101");
  CHECK(c.turns(p, 3) == "111");
  c.let_go(0);
  c.let_go(2);
  CHECK(a->ok());
  CHECK(d->ok());
  CHECK(p.stats().busy == 0);
}

TEST_CASE("pool: a strategy of the user's own sees ids and what is in flight", "[pool]") {
  struct last {
    std::vector<std::vector<pool_candidate>>* seen;
    std::size_t pick(std::span<pool_candidate const> ready) {
      seen->emplace_back(ready.begin(), ready.end());
      return ready.size() - 1;
    }
  };
  crew c;
  std::vector<std::vector<pool_candidate>> seen;
  auto const p = c.make(2, c.pooled().strategy(last{&seen}));
  auto const hanging = c.hang(p);
  CHECK(c.turns(p, 2) == "11");
  REQUIRE(seen.size() == 3);
  REQUIRE(seen[1].size() == 2);
  CHECK(seen[0][1].in_flight == 0);
  CHECK(seen[1][0].id == 1);
  CHECK(seen[1][1].id == 2);
  CHECK(seen[1][1].in_flight == 1);
}

TEST_CASE("pool: a strategy that chooses nobody, or throws, fails the call that asked", "[pool]") {
  struct bad {
    int* mode;
    std::size_t pick(std::span<pool_candidate const> ready) {
      if (*mode == 1) return ready.size();
      if (*mode == 2) throw std::runtime_error("out of luck");
      return 0;
    }
  };
  crew c;
  int mode = 1;
  auto const p = c.make(2, c.pooled().strategy(bad{&mode}));
  auto const beyond = c.finish(p.list_tools());
  CHECK(beyond.error() == errc::invalid_argument);
  mode = 2;
  auto const thrown = c.finish(p.checkout());
  CHECK(thrown.error() == errc::invalid_argument);
  CHECK(thrown.error().message().find("out of luck") != std::string::npos);
  mode = 0;
  CHECK(c.who(p) == "0");
  CHECK(load_of(p) == "00");
}

TEST_CASE("pool: every operation of the client goes through", "[pool]") {
  crew c;
  auto const p = c.make(1);
  auto& s = c.servers[0];
  s.answer("tools/list", json::raw(R"({"tools":[{"name":"a","inputSchema":{"type":"object"}}]})"));
  s.answer("resources/list", json::raw(R"({"resources":[{"uri":"file:///x","name":"x"}]})"));
  s.answer("resources/templates/list", json::raw(R"({"resourceTemplates":[{"uriTemplate":"file:///{p}","name":"t"}]})"));
  s.answer("prompts/list", json::raw(R"({"prompts":[{"name":"p"}]})"));
  s.answer("resources/read", json::raw(R"({"contents":[{"uri":"file:///x","text":"body"}]})"));
  s.answer("prompts/get", json::raw(R"({"messages":[]})"));
  s.answer("completion/complete", json::raw(R"({"completion":{"values":["v"]}})"));
  s.answer("vendor/method", json::raw(R"({"n":1})"));
  s.on("tools/call", [](fake_request r) {
    r.reply(args("content", std::vector<json::value>(), "structuredContent", r.params()["arguments"]));
  });
  CHECK(c.finish(p.list_tools())->size() == 1);
  CHECK(c.finish(p.list_resources())->size() == 1);
  auto const templates = c.finish(p.list_resource_templates());
  REQUIRE(templates->size() == 1);
  CHECK(c.finish(p.list_prompts())->size() == 1);
  CHECK(c.finish(p.read_resource("file:///x"))->contents.size() == 1);
  CHECK(c.finish(p.read_resource((*templates)[0], args("p", "x")))->contents.size() == 1);
  CHECK(s.last("resources/read")["uri"].as<std::string>() == "file:///x");
  CHECK(c.finish(p.get_prompt("p", args("a", "b"))).has_value());
  CHECK(s.last("prompts/get")["arguments"]["a"].as<std::string>() == "b");
  complete_params what;
  what.ref = prompt_reference{"p"};
  CHECK(c.finish(p.complete(what))->values().size() == 1);
  CHECK(c.finish(p.discover()).has_value());
  CHECK(c.finish(p.ping()).error() == errc::not_in_protocol);  // the modern era has none
  CHECK(c.finish(p.request("vendor/method", args("a", 1))).value()["n"].as<int>() == 1);
  CHECK(c.finish(p.request("vendor/method", json::raw("[]"))).error() == errc::invalid_argument);
  point in;
  in.x = 4;
  CHECK(c.finish(p.call_tool<point>("echo", in))->x == 4);
  CHECK(c.finish(p.call_tool<point>("echo", args("x", 5)))->x == 5);
}

TEST_CASE("pool: operations are encoded before they are awaited, and may be started later", "[pool]") {
  crew c;
  auto p = std::make_unique<pool>(c.make(1));
  std::string name = "who";
  auto later = p->call_tool(name, args("a", 1), call_options());
  auto orphan = p->call_tool(name);
  name = "gone";
  CHECK(c.finish(std::move(later)).has_value());
  CHECK(c.servers[0].last("tools/call")["name"].as<std::string>() == "who");
  p.reset();
  c.settle();
  CHECK(c.finish(std::move(orphan)).error() == errc::closed);
}

TEST_CASE("pool: a member that dies fails its own calls only, is left out and comes back", "[pool]") {
  crew c;
  auto const p = c.make(3);
  auto const a = c.hang(p), b = c.hang(p), d = c.hang(p);
  c.servers[1].drop();
  c.settle();
  CHECK(b->error() == errc::outcome_unknown);
  CHECK_FALSE(a->done());
  CHECK_FALSE(d->done());
  CHECK(c.states(p) == "1:ready 2:backing off 3:ready");
  CHECK(load_of(p) == "101");
  CHECK(p.stats().ready == 2);
  CHECK(c.turns(p, 4) == "0202");
  c.advance(100ms);
  CHECK(c.states(p) == "1:ready 2:ready 3:ready");
  CHECK(c.turns(p, 3) == "012");
  c.let_go(0);
  c.let_go(2);
  CHECK(a->ok());
  CHECK(d->ok());
  CHECK(c.servers[1].connections() == 2);
}

TEST_CASE("pool: a call waits for a member within its own timeout", "[pool]") {
  crew c;
  auto const p = c.make(2);
  c.servers[0].drop();
  c.servers[1].drop();
  c.settle();
  auto const brief = c.start(p.call_tool("who", args(), call_options().timeout(50ms)));
  auto const patient = c.start(p.call_tool("who"));
  CHECK_FALSE(patient->done());
  c.advance(50ms);
  REQUIRE(brief->done());
  CHECK(brief->error() == errc::no_connections);
  CHECK_FALSE(patient->done());
  c.advance(50ms);
  REQUIRE(patient->ok());
}

TEST_CASE("pool: what a call has waited is taken off its timeout", "[pool]") {
  crew c;
  auto const p = c.make(1);
  c.servers[0].drop();
  c.settle();
  auto const call = c.hang(p, call_options().timeout(150ms));
  c.advance(100ms);
  CHECK(c.held[0].size() == 1);
  c.advance(49ms);
  CHECK_FALSE(call->done());
  c.advance(1ms);
  CHECK(call->error() == errc::timeout);
}

TEST_CASE("pool: without a timeout of its own a call waits as long as the members' options say", "[pool]") {
  crew c;
  auto config = c.broken_config();
  config.options(c.options().timeout(7s));
  auto const p = c.make({config}, c.pooled());
  auto const call = c.start(p.list_tools());
  c.advance(6999ms);
  CHECK_FALSE(call->done());
  c.advance(1ms);
  REQUIRE(call->error() == errc::no_connections);
  CHECK(std::string(call->error().message()).find("no such command") != std::string::npos);
}

TEST_CASE("pool: where nothing can become ready a call fails at once", "[pool]") {
  crew c;
  auto const empty = c.make({}, c.pooled());
  CHECK(c.finish(empty.list_tools()).error() == errc::no_connections);
  auto config = c.broken_config();
  auto const p = c.make({config.reconnect(reconnect_policy().attempts(1).delay(100ms, 100ms).jitter(0))}, c.pooled());
  auto const call = c.start(p.list_tools());
  CHECK_FALSE(call->done());
  c.advance(100ms);
  CHECK(call->error() == errc::no_connections);
  CHECK(c.states(p) == "1:failed");
  CHECK(c.finish(p.list_tools()).error() == errc::no_connections);
}

TEST_CASE("pool: a call that waits for a member can be cancelled and stopped", "[pool]") {
  crew c;
  auto const p = c.make({c.broken_config()}, c.pooled());
  std::stop_source source;
  auto const cancelled = c.start(p.call_tool("who"));
  auto const stopped = c.start(p.call_tool("who", args(), call_options().stop(source.get_token())));
  auto const checkout = c.start(p.checkout(10s));
  cancelled->cancel();
  c.settle();
  CHECK(cancelled->error() == errc::cancelled);
  source.request_stop();
  c.settle();
  CHECK(stopped->error() == errc::cancelled);
  CHECK_FALSE(checkout->done());
  CHECK(c.finish(p.call_tool("who", args(), call_options().stop(source.get_token()))).error() == errc::cancelled);
}

TEST_CASE("pool: cancelling a call that is under way tells the server and frees its place", "[pool]") {
  crew c;
  auto const p = c.make(2);
  auto const call = c.hang(p);
  CHECK(load_of(p) == "10");
  call->cancel();
  c.settle();
  CHECK(call->error() == errc::cancelled);
  CHECK(load_of(p) == "00");
  CHECK(c.servers[0].count("notifications/cancelled") == 1);
}

TEST_CASE("pool: transport failures open a member's circuit, a tool's errors do not", "[pool]") {
  crew c;
  auto const number = c.hire();
  c.servers[number].on("tools/call", [](fake_request r) { r.fail(-32000, "no"); });
  auto config = c.config(number);
  auto policy = crew::patient();
  config.reconnect(policy.circuit_breaker(2));
  auto const p = c.make({config}, c.pooled());
  for (int i = 0; i != 5; ++i) CHECK_FALSE(c.finish(p.call_tool("who")).has_value());
  CHECK(c.states(p) == "1:ready");
  CHECK(c.servers[number].connections() == 1);
}
