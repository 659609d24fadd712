// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Hermolaos' pool (Elixir), as its port to comcp: docs/coming-from.md.
#include <algorithm>
#include <set>

#include <comcp/pool/pool.hpp>

#include "coming_from/servers.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {

/// So many servers of one kind, each with one connection: who was called how often.
struct fleet {
  fleet(conversation& c, std::size_t n) : test(c) {
    for (std::size_t i = 0; i < n; ++i) servers.push_back(std::make_unique<flaky_server>(c));
  }
  [[nodiscard]] std::vector<server_config> configs() const {
    std::vector<server_config> out;
    for (auto const& s : servers)
      out.push_back(s->config(test).reconnect(reconnect_policy().attempts(10).delay(500ms, 30s).jitter(0)));
    return out;
  }
  [[nodiscard]] pool start(pool_options o = pool_options()) const {
    return pool(test.io.get_executor(), configs(), std::move(o.time(test.clock)));
  }
  [[nodiscard]] std::vector<std::size_t> calls() const {
    std::vector<std::size_t> out;
    for (auto const& s : servers) out.push_back(s->server.count("tools/call"));
    return out;
  }
  conversation& test;
  std::vector<std::unique_ptr<flaky_server>> servers;
};

using counts = std::vector<std::size_t>;

}  // namespace

TEST_CASE("hermolaos: Pool with size starts so many connections of one configuration", "[coming_from]") {
  conversation c;
  std::vector<std::unique_ptr<fake_server>> started;
  auto config = server_config::from([&] {
    started.push_back(std::make_unique<fake_server>(c.io.get_executor()));
    started.back()->legacy();
    return any_transport(started.back()->transport());
  });
  config.options(c.options());
  pool p(c.io.get_executor(), config, std::move(pool_options().size(4).time(c.clock)));
  REQUIRE(c.finish(p.warm_up()));
  CHECK(started.size() == 4);  // there none is started
  CHECK(p.stats().total == 4);
  CHECK(p.stats().ready == 4);
  CHECK(p.connections().size() == 4);
  CHECK(c.finish(p.close()));
}

TEST_CASE("hermolaos: pool strategies, round_robin takes one after the other", "[coming_from]") {
  conversation c;
  fleet f(c, 3);
  auto p = f.start();  // the default, as there
  REQUIRE(c.finish(p.warm_up()));
  for (int i = 0; i < 6; ++i) REQUIRE(c.finish(p.call_tool("echo")));
  CHECK(f.calls() == counts{2, 2, 2});
  CHECK(c.finish(p.close()));
}

TEST_CASE("hermolaos: pool strategies, random takes any", "[coming_from]") {
  conversation c;
  fleet f(c, 3);
  auto p = f.start(std::move(pool_options().strategy(comcp::random(std::minstd_rand(7)))));
  REQUIRE(c.finish(p.warm_up()));
  for (int i = 0; i < 60; ++i) REQUIRE(c.finish(p.call_tool("echo")));
  auto const calls = f.calls();
  CHECK(std::all_of(calls.begin(), calls.end(), [](std::size_t n) { return n >= 5; }));
  CHECK(calls != counts{20, 20, 20});
  CHECK(c.finish(p.close()));
}

TEST_CASE("hermolaos: pool strategies, least_busy counts the calls in flight", "[coming_from]") {
  conversation c;
  fleet f(c, 3);
  f.servers[0]->server.silent("tools/call");
  f.servers[2]->server.silent("tools/call");
  auto p = f.start(std::move(pool_options().strategy(least_busy())));
  REQUIRE(c.finish(p.warm_up()));
  std::vector<outcome_of<call_tool_result>> started;
  for (int i = 0; i < 12; ++i) started.push_back(c.start(p.call_tool("echo")));
  auto const calls = f.calls();
  CHECK(calls[0] == 1);  // there it is random
  CHECK(calls[1] == 10);
  CHECK(calls[2] == 1);
  CHECK(p.stats().busy == 2);
  CHECK(c.finish(p.close()));
}

TEST_CASE("hermolaos: a strategy of one's own", "[coming_from]") {
  struct always_the_last {
    std::size_t pick(std::span<pool_candidate const> ready) { return ready.size() - 1; }
  };
  conversation c;
  fleet f(c, 3);
  auto p = f.start(std::move(pool_options().strategy(always_the_last())));
  REQUIRE(c.finish(p.warm_up()));
  for (int i = 0; i < 4; ++i) REQUIRE(c.finish(p.call_tool("echo")));
  CHECK(f.calls() == counts{0, 0, 4});
  CHECK(c.finish(p.close()));
}

TEST_CASE("hermolaos: checkout lends a connection that gives itself back (checkin)", "[coming_from]") {
  conversation c;
  fleet f(c, 2);
  auto p = f.start();
  REQUIRE(c.finish(p.warm_up()));
  {
    auto const conn = c.finish(p.checkout());
    REQUIRE(conn);
    CHECK(c.finish((*conn)->call_tool("echo")));
    CHECK(c.finish((*conn)->call_tool("echo")));
    CHECK(p.stats().busy == 1);
  }
  CHECK(p.stats().busy == 0);
  auto const calls = f.calls();
  CHECK(std::max(calls[0], calls[1]) == 2);  // both on one connection
  CHECK(c.finish(p.close()));
}

TEST_CASE("hermolaos: checkout waits up to its timeout (5 s), then no_connections", "[coming_from]") {
  conversation c;
  fleet f(c, 1);
  auto p = f.start();
  REQUIRE(c.finish(p.warm_up()));
  f.servers[0]->out(true);
  f.servers[0]->crash();
  c.settle();
  auto const in_vain = c.start(p.checkout());
  c.advance(4999ms);
  CHECK_FALSE(in_vain->done());
  c.advance(1ms);
  CHECK(in_vain->error() == errc::no_connections);
  auto const in_time = c.start(p.checkout(60s));
  f.servers[0]->out(false);
  for (int i = 0; i < 60 && !in_time->done(); ++i) c.advance(1s);
  CHECK(in_time->ok());  // revived meanwhile
  in_time->value.reset();
  CHECK(c.finish(p.close()));
}

TEST_CASE("hermolaos: transaction gives the function's value, and the connection back whatever happens", "[coming_from]") {
  conversation c;
  fleet f(c, 1);
  auto p = f.start();
  REQUIRE(c.finish(p.warm_up()));
  auto const work = [](client const& conn) -> asio::awaitable<std::string> {
    auto const r = co_await conn.call_tool("echo", args("n", 1));
    co_return r.text();
  };
  auto const value = c.finish(p.with_connection(work));
  REQUIRE(value);
  CHECK(*value == R"(echo {"n":1})");
  CHECK(p.stats().busy == 0);
  auto const fails = [](client const&) -> asio::awaitable<std::string> {
    throw comcp::exception(error(errc::denied, "the function gave up"));
    co_return "";
  };
  CHECK(c.finish(p.with_connection(fails)).error() == errc::denied);
  CHECK(p.stats().busy == 0);
  CHECK(c.finish(p.close()));
}

TEST_CASE("hermolaos: pool statistics tell total, ready and busy, and each member's calls in flight", "[coming_from]") {
  conversation c;
  fleet f(c, 3);
  f.servers[0]->server.silent("tools/call");
  auto p = f.start();
  REQUIRE(c.finish(p.warm_up()));
  auto const open = c.start(p.call_tool("echo"));
  f.servers[2]->out(true);
  f.servers[2]->crash();
  c.settle();
  auto const now = p.stats();
  CHECK(now.total == 3);
  CHECK(now.ready == 2);
  CHECK(now.busy == 1);
  REQUIRE(now.members.size() == 3);
  CHECK(now.members[0].in_flight == 1);
  CHECK(now.members[1].in_flight == 0);
  CHECK(now.members[2].state == server_state::backing_off);
  CHECK(c.finish(p.close()));
  CHECK(open->times == 1);
}

TEST_CASE("hermolaos: an unhealthy connection takes no calls and comes back", "[coming_from]") {
  conversation c;
  fleet f(c, 2);
  auto p = f.start();
  REQUIRE(c.finish(p.warm_up()));
  f.servers[0]->crash();
  c.settle();
  for (int i = 0; i < 4; ++i) REQUIRE(c.finish(p.call_tool("echo")));
  CHECK(f.calls() == counts{0, 4});
  c.advance(500ms);
  CHECK(p.stats().ready == 2);
  for (int i = 0; i < 4; ++i) REQUIRE(c.finish(p.call_tool("echo")));
  CHECK(f.calls() == counts{2, 6});
  CHECK(c.finish(p.close()));
}

TEST_CASE("hermolaos: add_connection and remove_connection", "[coming_from]") {
  conversation c;
  fleet f(c, 1);
  flaky_server more(c);
  auto p = f.start();
  REQUIRE(c.finish(p.warm_up()));
  auto const name = c.finish(p.add(more.config(c)));
  REQUIRE(name);
  CHECK(p.stats().total == 2);
  for (int i = 0; i < 4; ++i) REQUIRE(c.finish(p.call_tool("echo")));
  CHECK(more.server.count("tools/call") == 2);
  REQUIRE(c.finish(p.remove(*name)));
  CHECK(p.stats().total == 1);
  CHECK_FALSE(c.finish(p.remove(*name)));  // :not_found
  for (int i = 0; i < 2; ++i) REQUIRE(c.finish(p.call_tool("echo")));
  CHECK(more.server.count("tools/call") == 2);
  CHECK(c.finish(p.close()));
}

TEST_CASE("hermolaos: the pool has the client's own interface", "[coming_from]") {
  conversation c;
  fleet f(c, 2);
  auto p = f.start();
  REQUIRE(c.finish(p.warm_up()));
  CHECK(c.finish(p.list_tools())->size() == 1);
  CHECK(c.finish(p.list_resources())->size() == 1);
  CHECK(c.finish(p.list_prompts())->size() == 1);
  CHECK(c.finish(p.ping()));
  CHECK(c.finish(p.close()));
}
