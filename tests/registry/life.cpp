// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Servers crash, come back, flap, and are given up; the catalog follows.
#include <asio/strand.hpp>

#include "registry/house.hpp"
#include "support/severable.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::script;

TEST_CASE("registry: the catalog heals after a crash, and keeps its part meanwhile", "[registry]") {
  house h;
  auto const s = h.server({"a"});
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  s.tools() = {"b"};
  s.drop();
  h.settle();
  CHECK(state_of(r, "x") == server_state::backing_off);
  CHECK(r.status("x")->reconnects_at == h.clock->now() + 500ms);
  CHECK(r.status("x")->reason);
  CHECK(names(r.tools()) == strings{"x/a"});
  CHECK(r.find("x").error() == errc::not_ready);
  h.advance(500ms);
  CHECK(state_of(r, "x") == server_state::ready);
  CHECK(r.status("x")->starts == 2);
  CHECK(names(r.tools()) == strings{"x/b"});
  s.tools() = {"c"};
  s.tell();
  h.settle();
  h.advance(300ms);
  CHECK(names(r.tools()) == strings{"x/c"});  // list changes are heard on the new connection
}

TEST_CASE("registry: crash eviction: without retries a lost server is removed, and told", "[registry]") {
  house h;
  auto const s = h.server({"a"});
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s).reconnect(reconnect_policy::never()))));
  REQUIRE(h.finish(r.add("y", h.config(h.server()))));
  h.changes.clear();
  s.drop();
  h.settle();
  CHECK(r.servers() == strings{"y"});
  CHECK(names(r.tools()) == strings{"y/echo"});
  CHECK(r.status("x").error() == errc::unknown_server);
  REQUIRE(h.changes.size() == 1);
  CHECK(h.changes[0].removed == strings{"a"});
  CHECK(h.finish(r.call("x/a")).error() == errc::unknown_server);
  h.advance(1h);
  CHECK(s.connections() == 1);
  CHECK(h.finish(r.add("x", h.config(s))));
}

TEST_CASE("registry: three attempts at 500, 1,000 and 2,000 ms, then the server has failed until it is restarted", "[registry]") {
  house h;
  script s = modern_script(R"({"tools":{}})");
  s.expect("tools/list").reply(toolbox::list_text({"a"}));
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.scripted(s).reconnect(reconnect_policy().attempts(3).jitter(0)))));
  REQUIRE(names(r.tools()) == strings{"x/a"});
  s.refuse_open(error(errc::connect_failed, "gone"));
  s.close();
  h.settle();
  auto const waits = h.start(r.call("x/a"));
  CHECK(*h.opens == 1);
  unsigned attempts = 1;
  for (auto const wait : {500ms, 1000ms, 2000ms}) {
    h.advance(wait - 1ms);
    CHECK(*h.opens == attempts);
    CHECK(state_of(r, "x") == server_state::backing_off);
    h.advance(1ms);
    CHECK(*h.opens == ++attempts);
  }
  CHECK(state_of(r, "x") == server_state::failed);
  REQUIRE(waits->times == 1);
  CHECK(waits->error() == errc::not_ready);
  CHECK_THAT(std::string(waits->error().message()), Catch::Contains("gone"));
  CHECK(r.servers() == strings{"x"});
  CHECK(r.tools().empty());
  CHECK(h.finish(r.call("x/a")).error() == errc::not_ready);
  h.advance(1h);
  CHECK(*h.opens == 4);
  CHECK(h.finish(r.reconnect("x")).error() == errc::connect_failed);
}

TEST_CASE("registry: a server that has failed comes back by restart", "[registry]") {
  house h;
  auto s = h.server({"a"});
  bool broken = false;
  s.breaks_while(&broken);
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s).reconnect(reconnect_policy().attempts(1).jitter(0)))));
  int updates = 0;
  REQUIRE(h.finish(r.subscribe("x", "u:1", [&](resource_updated const&) { ++updates; })));
  broken = true;
  s.drop();
  h.settle();
  h.advance(10s);
  CHECK(state_of(r, "x") == server_state::failed);
  CHECK(r.tools().empty());
  broken = false;
  REQUIRE(h.finish(r.reconnect("x")));
  CHECK(state_of(r, "x") == server_state::ready);
  CHECK(names(r.tools()) == strings{"x/a"});
  CHECK(h.finish(r.call("x/a")));
  s.notify_listeners("notifications/resources/updated", args("uri", "u:1"));
  h.settle();
  CHECK(updates == 1);
}

TEST_CASE("registry: a flapping server waits longer each time, and others never notice", "[registry]") {
  house h;
  auto const s = h.server({"a"});
  auto const calm = h.server({"c"});
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s).reconnect(reconnect_policy().attempts(20).delay(500ms, 8s).jitter(0)))));
  REQUIRE(h.finish(r.add("calm", h.config(calm))));
  for (auto const wait : {500ms, 1000ms, 2000ms, 4000ms, 8000ms, 8000ms}) {
    s.drop();
    h.settle();
    CHECK(r.status("x")->reconnects_at == h.clock->now() + wait);
    CHECK(h.finish(r.call("calm/c")));
    h.advance(wait);
    CHECK(state_of(r, "x") == server_state::ready);
  }
  h.advance(30s);  // proven
  s.drop();
  h.settle();
  CHECK(r.status("x")->reconnects_at == h.clock->now() + 500ms);
  CHECK(calm.connections() == 1);
  CHECK(calm.count("tools/list") == 1);
}

TEST_CASE("registry: states are told as they come", "[registry]") {
  using s = server_state;
  house h;
  auto const server = h.server();
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(server))));
  server.drop();
  h.settle();
  h.advance(500ms);
  std::vector<std::pair<std::string, server_state>> const expected{
      {"x", s::starting}, {"x", s::ready}, {"x", s::backing_off}, {"x", s::starting}, {"x", s::ready}};
  CHECK(h.states == expected);
  auto const history = r.status("x")->history;
  REQUIRE(history.size() == 5);
  CHECK(history[2].state == s::backing_off);
  CHECK(history[2].reason);
}

TEST_CASE("registry: a crash at each point of a start leaves nothing half done", "[registry]") {
  auto const start = [](std::string const& capabilities) {
    auto s = legacy_script("2025-11-25", capabilities);
    s.expect("tools/list").reply(toolbox::list_text({"a"}));
    return s;
  };
  auto const whole = start(R"({"tools":{}})");
  for (std::size_t n = 0; n != whole.deliveries(); ++n) {
    for (auto const how : {test::breakage::connection_closes, test::breakage::error_answer, test::breakage::garbage_line}) {
      CAPTURE(n, static_cast<int>(how));
      house h;
      auto const s = start(R"({"tools":{}})").broken_at(n, how);
      auto r = h.make();
      auto const added = h.start(r.add("x", h.scripted(s).start_timeout(20s)));
      for (int i = 0; i != 60 && !added->done(); ++i) h.advance(1s);
      REQUIRE(added->times == 1);
      if (added->ok()) {
        CHECK(r.servers() == strings{"x"});
        CHECK(r.tools().empty());  // only the list was broken
      } else {
        CHECK(r.servers().empty());
      }
      CHECK(h.finish(r.add("y", h.config(h.server()))));
      CHECK(h.finish(r.call("y/echo")));
      auto const closing = h.start(r.close());
      h.advance(10s);
      CHECK(closing->ok());
    }
  }
}

TEST_CASE("registry: a crash while the lists are read is no failed add", "[registry]") {
  house h;
  auto s = h.server({"a"});
  int lists = 0;
  s.on("tools/list", [&](fake_request q) {
    if (lists++ == 0) s.drop();
    else q.reply(json::raw(toolbox::list_text({"a"})));
  });
  auto r = h.make();
  auto const added = h.start(r.add("x", h.config(s)));
  h.advance(500ms);
  CHECK(added->ok());
  CHECK(names(r.tools()) == strings{"x/a"});
}

TEST_CASE("registry: a silent list holds up an add no longer than the start may take", "[registry]") {
  house h;
  auto s = h.server({"a"});
  s.silent("prompts/list");
  auto r = h.make();
  auto const added = h.start(r.add("x", h.config(s).start_timeout(10s)));
  CHECK_FALSE(added->done());
  CHECK(names(r.tools()) == strings{"x/a"});  // what came is there
  h.advance(10s);
  CHECK(added->ok());
  h.advance(30s);
  REQUIRE(r.faults().size() == 1);
  CHECK(r.faults()[0].reason == errc::timeout);
}

TEST_CASE("registry: the circuit opens on failures of the transport alone", "[registry]") {
  house h;
  auto s = h.server({"a"});
  s.silent("tools/call");
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s).reconnect(reconnect_policy().attempts(5).jitter(0).circuit_breaker(2)))));
  for (int i = 0; i != 4; ++i) {  // that a tool is slow is no failure of the transport
    auto const call = h.start(r.call("x/a", args(), call_options().timeout(1s)));
    h.advance(1s);
    CHECK(call->error() == errc::timeout);
  }
  CHECK(s.connections() == 1);
  CHECK(state_of(r, "x") == server_state::ready);
}

TEST_CASE("registry: may be held longer than its io_context", "[registry]") {
  bool const on_strand = GENERATE(false, true);
  std::optional<registry> held;
  {
    asio::io_context io(1);
    asio::any_io_executor home = io.get_executor();
    if (on_strand) home = asio::make_strand(io);
    auto const ready = std::make_unique<comcp::test::fake_server>(home);
    auto const hanging = std::make_unique<comcp::test::fake_server>(home);
    hanging->silent("server/discover").silent("initialize");
    held.emplace(home);
    for (auto* const s : {ready.get(), hanging.get()}) {
      auto config = server_config::from([s] { return any_transport(s->transport()); }).start(start_mode::background);
      asio::co_spawn(home, held->add(s == ready.get() ? "ready" : "hanging", std::move(config)), asio::detached);
    }
    asio::co_spawn(home, held->settled(1h), asio::detached);
    io.poll();
    CHECK(held->find("ready"));
  }
  CHECK_FALSE(held->find("ready"));
  conversation elsewhere;
  CHECK(elsewhere.finish(held->call("ready/x")).error() == errc::closed);
}

TEST_CASE("registry: what it ends itself when it goes away is no loss", "[registry]") {
  house h;
  auto s = h.server();
  s.silent("tools/call");
  std::optional<registry> r(h.make());
  auto const make = [s] { return any_transport(severable(s)); };
  REQUIRE(h.finish(r->add("x", server_config::from(make).options(connect_options().time(h.clock)))));
  auto const call = h.start(r->call("x/echo", args()));
  h.states.clear();
  h.io.restart();  // home is there, and elsewhere
  r.reset();
  h.settle();
  CHECK(call->error() == errc::closed);
  for (auto const& [name, state] : h.states) CHECK(state == server_state::stopped);
  h.advance(1h);
  CHECK(s.connections() == 1);
}
