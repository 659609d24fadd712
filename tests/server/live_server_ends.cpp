// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that is kept alive: restarted, stopped and let go of in each state, and its circuit.
#include <comcp/server/live_server.hpp>

#include <map>

#include "support/kept_server.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using strings = std::vector<std::string>;

namespace {

/// Brings it there.
void bring(kept_server& k, server_state to) {
  k.make();
  if (to == server_state::stopped) return;
  if (to == server_state::starting) {
    k.server.silent("initialize");
    return k.live->start_in_background(), k.c.settle();
  }
  REQUIRE(k.c.start(k.live->start())->ok());
  if (to == server_state::ready) return;
  k.crash();
  if (to == server_state::backing_off) return;
  k.server.on("initialize", [&k](fake_request const&) { k.server.drop(); });
  for (int i = 0; i != 3; ++i) k.c.advance(2s);
}

void heal(kept_server& k) {
  k.server.on("initialize", [](fake_request const& r) { r.reply(json::raw(initialize_text("2025-11-25"))); });
}

auto any_state() {
  return GENERATE(server_state::stopped, server_state::starting, server_state::ready, server_state::backing_off,
                  server_state::failed);
}

}  // namespace

TEST_CASE("live_server: stop in each state, and those who wait", "[server]") {
  auto const state = any_state();
  INFO(to_string(state));
  kept_server k;
  bring(k, state);
  REQUIRE(k.state() == state);
  bool const waits = state == server_state::starting || state == server_state::backing_off;
  auto const waiting = waits ? k.ready(100s) : nullptr;
  auto const starting = state == server_state::starting ? k.c.start(k.live->start()) : nullptr;
  auto const call = state == server_state::ready ? k.live->connection() : std::nullopt;
  auto const o = k.c.start(k.live->stop());
  CHECK(o->ok());
  CHECK(k.state() == server_state::stopped);
  if (waiting) CHECK(waiting->error() == errc::closed);
  if (starting) CHECK(starting->error() == errc::closed);
  if (call) CHECK(k.c.start(call->call_tool("x"))->error() == errc::closed);
  auto const connections = k.server.connections();
  CHECK(k.c.start(k.live->stop())->ok());
  k.c.advance(600s);
  CHECK(k.server.connections() == connections);
  CHECK_FALSE(k.live->connection());
  heal(k);
  CHECK(k.c.start(k.live->restart())->ok());
  CHECK(k.state() == server_state::ready);
  CHECK(k.call()->ok());
}

TEST_CASE("live_server: restart in each state", "[server]") {
  auto const state = any_state();
  INFO(to_string(state));
  kept_server k;
  bring(k, state);
  REQUIRE(k.state() == state);
  auto const before = k.server.connections();
  auto const o = k.c.start(k.live->restart());
  if (state == server_state::starting) {
    CHECK_FALSE(o->done());
    CHECK(k.server.connections() == before);
    return;
  }
  if (state == server_state::failed) {
    CHECK(o->error());
    CHECK(k.state() == server_state::backing_off);
    heal(k);
    CHECK(k.c.start(k.live->restart())->ok());
    CHECK(k.server.connections() == before + 2);
  } else {
    CHECK(o->ok());
    CHECK(k.server.connections() == before + 1);
  }
  CHECK(k.state() == server_state::ready);
  CHECK(k.live->status().failures == 0);
  CHECK(k.call()->ok());
  k.c.advance(60s);
  CHECK(k.state() == server_state::ready);
}

TEST_CASE("live_server: a restart that fails is told, and the policy goes on", "[server]") {
  kept_server k;
  bring(k, server_state::ready);
  k.server.on("initialize", [&k](fake_request const&) { k.server.drop(); });
  auto const waiting_after = [&] { return k.c.start(k.live->restart()); };
  CHECK(waiting_after()->error());
  CHECK(k.state() == server_state::backing_off);
  heal(k);
  k.c.advance(500ms);
  CHECK(k.state() == server_state::ready);
}

TEST_CASE("live_server: a restart while calls run ends them once; it can be cancelled, which stops the waiting", "[server]") {
  kept_server k;
  bring(k, server_state::ready);
  k.server.silent("tools/call");
  k.server.silent("initialize");
  auto const call = k.call();
  auto const o = k.c.start(k.live->restart());
  CHECK(call->error() == errc::outcome_unknown);
  CHECK(call->times == 1);
  o->cancel();
  k.c.settle();
  CHECK(o->error() == errc::cancelled);
  CHECK(k.state() == server_state::starting);
  k.c.advance(30s);
  CHECK(k.state() == server_state::backing_off);
}

TEST_CASE("live_server: a connection that does not end in time is dropped, and another follows", "[server]") {
  kept_server k;
  int opened = 0;
  auto config = server_config::from([&opened] {
    auto s = legacy_script();
    if (++opened == 1) s.never_closes();
    return any_transport(s.transport());
  });
  k.make(config.options(k.c.options().close_timeout(2s)));
  REQUIRE(k.c.start(k.live->start())->ok());
  auto const o = k.c.start(k.live->restart());
  k.c.advance(2s);
  CHECK(o->error() == errc::timeout);
  k.c.advance(500ms);
  CHECK(k.state() == server_state::ready);
  CHECK(opened == 2);
}

TEST_CASE("live_server: stop waits for the end of the connection, within the client's close timeout", "[server]") {
  kept_server k;
  auto s = legacy_script();
  s.never_closes();
  auto config = k.config(s);
  k.make(config.options(k.c.options().close_timeout(2s)));
  REQUIRE(k.c.start(k.live->start())->ok());
  auto const one = k.c.start(k.live->stop());
  auto const two = k.c.start(k.live->stop());
  auto const three = k.c.start(k.live->stop());
  three->cancel();
  k.c.settle();
  CHECK(three->error() == errc::cancelled);
  k.c.advance(1999ms);
  CHECK_FALSE(one->done());
  CHECK_FALSE(two->done());
  k.c.advance(1ms);
  CHECK(one->ok());
  CHECK(two->ok());
}

TEST_CASE("live_server: a user who closes its client does not end the server", "[server]") {
  kept_server k;
  bring(k, server_state::ready);
  auto const handle = k.live->connection();
  CHECK(k.c.start(handle->close())->ok());
  CHECK(k.state() == server_state::backing_off);
  k.c.advance(500ms);
  CHECK(k.state() == server_state::ready);
}

TEST_CASE("live_server: a user who restarts its client is followed", "[server]") {
  kept_server k;
  bring(k, server_state::ready);
  auto const handle = k.live->connection();
  CHECK(k.c.start(handle->reconnect())->ok());
  CHECK(k.state() == server_state::ready);
  CHECK(k.live->status().starts == 2);
  k.crash();
  CHECK(k.c.start(handle->reconnect())->ok());
  CHECK(k.state() == server_state::ready);
  CHECK(k.live->status().starts == 3);
  CHECK(k.owner->heard == strings{"s ready", "s ready", "s ready"});
}

TEST_CASE("live_server: the circuit opens at transport failures in a row, and the next connection is the trial", "[server]") {
  kept_server k(reconnect_policy().attempts(3).jitter(0).circuit_breaker(3));
  bring(k, server_state::ready);
  error const undelivered(errc::connect_failed);
  error const of_the_server = error::from_peer({-32603, "no", {}});
  k.live->call_ended(&undelivered);
  k.live->call_ended(&undelivered);
  k.live->call_ended(&of_the_server);
  k.live->call_ended(&undelivered);
  k.live->call_ended(&undelivered);
  k.live->call_ended(nullptr);
  CHECK(k.state() == server_state::ready);
  for (int i = 0; i != 3; ++i) k.live->call_ended(&undelivered);
  k.c.settle();
  CHECK(k.state() == server_state::backing_off);
  CHECK(k.live->status().reason.message().find("3 calls in a row failed") == 0);
  CHECK(k.server.connections() == 1);
  auto const waiting = k.ready(10s);
  k.c.advance(500ms);
  CHECK(waiting->ok());
  CHECK(k.server.connections() == 2);
  CHECK(k.state() == server_state::ready);
}

TEST_CASE("live_server: a circuit that opens without retries is the end of the server", "[server]") {
  kept_server k(reconnect_policy::never().circuit_breaker(1));
  bring(k, server_state::ready);
  auto const handle = k.live->connection();
  error const undelivered(errc::transport_failed);
  k.live->call_ended(&undelivered);
  k.c.settle();
  CHECK(k.state() == server_state::failed);
  CHECK(k.owner->heard == strings{"s ready", "s gave up"});
  CHECK(k.c.start(handle->call_tool("x"))->error() == errc::closed);
}

TEST_CASE("live_server: let go of in each state, with and without its context", "[server]") {
  auto const state = any_state();
  bool const context_too = GENERATE(true, false);
  INFO(to_string(state));
  auto k = std::make_unique<kept_server>();
  bring(*k, state);
  k->server.silent("tools/call");
  auto const call = state == server_state::ready ? k->call() : nullptr;
  auto const waiting = state == server_state::starting ? k->c.start(k->live->start()) : nullptr;
  auto const stopping = GENERATE(true, false) ? k->c.start(k->live->stop()) : nullptr;
  auto const weak = std::weak_ptr(k->live);
  k->live->abandon();
  if (!context_too) k->c.settle();
  if (!context_too && call) CHECK(call->error() == errc::closed);
  if (!context_too && waiting) CHECK(waiting->error() == errc::closed);
  if (!context_too) CHECK(k->state() == server_state::stopped);
  k->live.reset();
  if (!context_too) k->c.advance(60s);
  k.reset();
  CHECK(weak.expired());
}

TEST_CASE("live_server: its context goes away while anything is under way", "[server]") {
  int const when = GENERATE(range(0, 40, 3));
  auto k = std::make_unique<kept_server>();
  k->make();
  asio::co_spawn(k->c.io, k->live->start(), asio::detached);
  asio::co_spawn(k->c.io, k->live->restart(), asio::detached);
  asio::co_spawn(k->c.io, until_ready(k->live, k->owner, std::chrono::steady_clock::time_point::max()), asio::detached);
  for (int i = 0; i != when; ++i) {
    k->c.io.restart();
    k->c.io.poll_one();
    if (i == 20) k->server.drop();
    if (i == 30) asio::co_spawn(k->c.io, k->live->stop(), asio::detached);
  }
  auto const weak = std::weak_ptr(k->live);
  k->live.reset();
  k.reset();
  CHECK(weak.expired());
}
