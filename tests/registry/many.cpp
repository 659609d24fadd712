// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Many servers at once, and ends at any moment.
#include "registry/house.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;

namespace {
std::string name_of(int i) { return (i < 10 ? "s0" : "s") + std::to_string(i); }
}  // namespace

TEST_CASE("registry: 100 servers start in parallel, are called, crash together and heal", "[registry]") {
  house h;
  auto r = h.make();
  std::vector<toolbox> servers;
  std::vector<fake_request> starts;
  std::vector<outcome_of<void>> adds;
  bool hold = true;
  for (int i = 0; i != 100; ++i) {
    servers.push_back(h.server({"echo", "t" + std::to_string(i)}));
    servers.back().on("server/discover", [&](fake_request q) {
      if (hold) starts.push_back(q);
      else q.reply(json::raw(discover_text()));
    });
    adds.push_back(h.start(r.add(name_of(i), h.config(servers.back()))));
  }
  REQUIRE(starts.size() == 100);  // all are under way
  hold = false;
  for (auto i = starts.rbegin(); i != starts.rend(); ++i) i->reply(json::raw(discover_text()));
  h.settle();
  for (auto const& a : adds) REQUIRE(a->ok());
  REQUIRE(r.tools().size() == 200);
  CHECK(r.tools()[0].name == "s00/echo");
  CHECK(r.tools()[199].name == "s99/t99");
  auto const call_all = [&] {
    std::vector<outcome_of<call_tool_result>> calls;
    for (int i = 0; i != 100; ++i) calls.push_back(h.start(r.call("t" + std::to_string(i))));
    return calls;
  };
  for (auto const& c : call_all()) CHECK(c->ok());
  for (auto const& s : servers) s.drop();
  h.settle();
  auto const waiting = call_all();
  for (auto const& c : waiting) CHECK_FALSE(c->done());
  h.advance(500ms);
  for (auto const& c : waiting) CHECK(c->ok());
  for (auto const& s : servers) CHECK(s.connections() == 2);
  CHECK(h.finish(r.settled(1s)).value());
  REQUIRE(h.finish(r.close()));
  CHECK(r.servers().empty());
  CHECK_FALSE(h.clock->next_deadline());
}

TEST_CASE("registry: destroyed at any moment, every operation ends once", "[registry]") {
  for (std::size_t steps = 0; steps != 60; ++steps) {
    CAPTURE(steps);
    house h;
    auto s = h.server({"a"});
    std::optional<registry> r(h.make());
    std::vector<outcome_of<void>> ops;
    auto const keep = [](std::shared_ptr<outcome<void>> o, asio::awaitable<void> op) -> asio::awaitable<void> {
      auto ended = co_await as_result(std::move(op));
      o->value.emplace(std::move(ended));
      ++o->times;
    };
    auto const begin = [&](asio::awaitable<void> op) {
      ops.push_back(std::make_shared<outcome<void>>());
      asio::co_spawn(h.io, keep(ops.back(), std::move(op)), asio::detached);
    };
    begin(r->add("x", h.config(s)));
    begin(r->add("y", h.config(h.server()).background()));
    begin(r->refresh("x"));
    begin(r->subscribe("x", "u:1"));
    begin(r->remove("y"));
    begin(r->reconnect("x"));
    for (std::size_t i = 0; i != steps; ++i) {
      h.io.restart();
      h.io.poll_one();
    }
    if (steps % 3 == 0) s.drop();
    r.reset();
    h.settle();
    for (int i = 0; i != 3; ++i) h.advance(30s);
    for (auto const& o : ops) CHECK(o->times == 1);
  }
}

TEST_CASE("registry: an executor's context may end while everything waits", "[registry]") {
  std::optional<registry> r;
  {
    house h;
    auto s = h.server({"a"});
    auto silent = h.server();
    silent.silent("server/discover").silent("initialize");
    r.emplace(h.make());
    REQUIRE(h.finish(r->add("x", h.config(s))));
    (void)h.start(r->add("slow", h.config(silent)));
    (void)h.start(r->call("slow/echo"));
    (void)h.start(r->settled(1h));
    (void)h.start(r->refresh("slow"));
    s.silent("tools/call").silent("tools/list");
    (void)h.start(r->call("x/a"));
    (void)h.start(r->refresh("x"));
    (void)h.start(r->refresh());
    r.reset();
  }
  SUCCEED("nothing is left, which the sanitizers look for");
}

TEST_CASE("registry: a registry moves", "[registry]") {
  house h;
  auto a = h.make();
  REQUIRE(h.finish(a.add("x", h.config(h.server()))));
  auto b = std::move(a);
  CHECK(h.finish(b.call("x/echo")));
  CHECK_THROWS_AS(a.servers(), exception);  // NOLINT: what is moved from says so
  auto c = h.make();
  REQUIRE(h.finish(c.add("y", h.config(h.server()))));
  c = std::move(b);
  h.settle();
  CHECK(c.servers() == strings{"x"});
}
