// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Servers of a registry that live on executors of their own.
#include <comcp/registry/registry.hpp>

#include "registry/house.hpp"
#include "support/kept_server.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

// The registry is at home on one io_context, the servers on another.
struct two_houses : house {
  std::unique_ptr<asio::io_context> home = std::make_unique<asio::io_context>(1);
  std::unique_ptr<asio::io_context> there = std::make_unique<asio::io_context>(1);
  int elsewhere = 0;  // calls of a listener that were not made at home

  registry make() {
    auto const at_home = [this](auto const&) { elsewhere += !home->get_executor().running_in_this_thread(); };
    return registry(home->get_executor(), comcp::registry_options().time(clock).on_status(at_home).on_change(at_home));
  }
  server_config config(comcp::test::fake_server s) { return house::config(std::move(s)).executor(there->get_executor()); }

  void run() {
    for (std::size_t n = 1; n > 0;) {
      n = io.poll();
      io.restart();
      for (auto* each : {home.get(), there.get()}) {
        if (!each) continue;
        each->restart();
        n += each->poll();
      }
    }
  }
  template <class T>
  outcome_of<T> start(asio::awaitable<T> operation) {
    auto const o = std::make_shared<outcome<T>>();
    asio::co_spawn(io, keep(o, std::move(operation)), asio::detached);
    run();
    return o;
  }
  template <class T>
  result<T> finish(asio::awaitable<T> operation) {
    auto const o = start(std::move(operation));
    REQUIRE(o->times == 1);
    return std::move(*o->value);
  }
};

}  // namespace

TEST_CASE("registry: a server on an executor of its own is added, called, lost, listed and removed as ever", "[registry]") {
  two_houses h;
  auto s = h.server({"echo"});
  auto const r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(s))));
  CHECK(r.find("a")->get_executor() == h.there->get_executor());
  CHECK(names(r.tools()) == strings{"a/echo"});
  CHECK(h.finish(r.call("a/echo")));

  s.tools() = {"echo", "more"};
  s.tell();
  h.run();
  h.clock->advance(10s);  // changes are gathered
  h.run();
  CHECK(names(r.tools()) == strings{"a/echo", "a/more"});

  s.drop();
  h.run();
  CHECK(state_of(r, "a") == server_state::backing_off);
  auto const waits = h.start(r.call("a/echo"));
  CHECK_FALSE(waits->done());
  h.clock->advance(500ms);
  h.run();
  CHECK(state_of(r, "a") == server_state::ready);
  CHECK(waits->ok());
  CHECK(h.finish(r.call("a/more")));
  CHECK(h.finish(r.reconnect("a")));
  CHECK(r.status("a")->starts == 3);

  CHECK(h.finish(r.remove("a")));
  CHECK(h.finish(r.add("a", h.config(s).lazy())));
  CHECK(h.finish(r.call("a/echo")));
  CHECK(h.finish(r.close()));
  CHECK(h.elsewhere == 0);
}

TEST_CASE("live_server: with an owner elsewhere it is begun and its circuit opened from there", "[registry]") {
  two_houses h;
  auto s = h.server();
  auto const owner = std::make_shared<listening_owner>();
  auto const told_at = std::make_shared<detail::owner_home>(h.home->get_executor());
  auto const config = h.config(s).reconnect(reconnect_policy().circuit_breaker(2).delay(500ms, 30s).jitter(0));
  auto const live = std::make_shared<detail::live_server>("s", config, h.there->get_executor(), h.clock, owner, told_at);
  live->start_in_background();
  h.run();
  CHECK(live->look()->state == server_state::ready);
  error const undelivered(errc::connect_failed);
  for (auto const* failure : std::initializer_list<error const*>{&undelivered, nullptr, &undelivered}) live->call_ended(failure);
  h.run();
  CHECK(live->look()->state == server_state::ready);
  live->call_ended(&undelivered);
  CHECK(live->look()->state == server_state::ready);  // not here and now
  h.run();
  CHECK(live->look()->state == server_state::backing_off);
  h.clock->advance(500ms);
  h.run();
  CHECK(owner->heard == strings{"s ready", "s ready"});
  live->abandon();
  h.run();
  CHECK(s.connections() == 2);
}

TEST_CASE("registry: the context of a server goes away first", "[registry]") {
  two_houses h;
  auto s = h.server({"echo"});
  auto const r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(s))));
  auto const kept = r.find("a").value();
  h.there.reset();
  h.run();
  CHECK(state_of(r, "a") == server_state::stopped);
  CHECK(h.finish(r.call("a/echo")).error() == errc::not_ready);
  CHECK(kept.status() == connection_status::disconnected);
  CHECK(h.elsewhere == 0);
}

TEST_CASE("registry: its own context goes away first, and the servers elsewhere with the registry", "[registry]") {
  two_houses h;
  auto s = h.server({"echo"});
  auto const r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(s))));
  auto const kept = r.find("a").value();
  h.home.reset();
  h.run();
  CHECK(kept.status() == connection_status::disconnected);
  CHECK(state_of(r, "a") == server_state::stopped);
}
