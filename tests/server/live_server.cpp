// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that is kept alive: how it starts, what a crash does, who waits for it and how long.
#include <comcp/server/live_server.hpp>

#include "support/kept_server.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::script;
using strings = std::vector<std::string>;

TEST_CASE("live_server: start completes when it is ready, and says what is known", "[server]") {
  kept_server k;
  auto const live = k.make();
  CHECK(k.state() == server_state::stopped);
  CHECK_FALSE(live->connection());
  CHECK(k.c.start(live->start())->ok());
  auto const s = live->status();
  CHECK(s.name == "s");
  CHECK(s.state == server_state::ready);
  CHECK_FALSE(s.reason);
  CHECK(s.starts == 1);
  CHECK(s.failures == 0);
  CHECK(s.server_info.name == "fake-server");
  CHECK(s.version == version::latest_legacy);
  CHECK(s.transport.kind == "memory");
  CHECK(k.history() == "starting, ready");
  CHECK(k.call()->ok());
  CHECK(k.owner->heard == strings{"s ready"});
  CHECK(k.owner->changes == 2);
  CHECK(k.c.start(live->start())->ok());
  CHECK(k.server.connections() == 1);
}

TEST_CASE("live_server: start makes one attempt, throws what it failed with, and can be tried again", "[server]") {
  kept_server k;
  k.make();
  k.server.on("initialize", [&](fake_request const&) { k.server.drop(); });
  auto const o = k.c.start(k.live->start());
  CHECK(o->error());
  CHECK(k.state() == server_state::stopped);
  CHECK(k.live->status().reason == o->error().code());
  k.c.advance(60s);
  CHECK(k.server.connections() == 1);
  CHECK(k.owner->heard.empty());
  k.server.on("initialize", [](fake_request const& r) { r.reply(json::raw(initialize_text("2025-11-25"))); });
  CHECK(k.c.start(k.live->start())->ok());
}

TEST_CASE("live_server: start is bounded by start_timeout; nothing is left of it", "[server]") {
  kept_server k;
  k.make(k.config().start_timeout(3s));
  k.server.silent("initialize");
  auto const o = k.c.start(k.live->start());
  k.c.advance(2999ms);
  CHECK_FALSE(o->done());
  k.c.advance(1ms);
  CHECK(o->error() == errc::timeout);
  CHECK(k.state() == server_state::stopped);
}

TEST_CASE("live_server: cancelling start ends the attempt", "[server]") {
  kept_server k;
  k.make();
  k.server.silent("initialize");
  auto const o = k.c.start(k.live->start());
  o->cancel();
  k.c.settle();
  CHECK(o->error() == errc::cancelled);
  CHECK(k.state() == server_state::stopped);
  k.c.advance(60s);
  CHECK(k.state() == server_state::stopped);
  CHECK(k.server.connections() == 1);
}

TEST_CASE("live_server: a crash at each point of start-up is thrown; in the background it is tried again", "[server]") {
  auto const whole = legacy_script();
  auto const how = GENERATE(test::breakage::connection_closes, test::breakage::error_answer);
  for (std::size_t n = 0; n != whole.deliveries(); ++n) {
    if (n == 0 && how == test::breakage::error_answer) continue;  // an error answer to the probe says: legacy
    INFO("broken at delivery " << n);
    {
      kept_server k;
      k.make(k.config(whole.broken_at(n, how)));
      auto const o = k.c.start(k.live->start());
      if (!o->done()) k.c.advance(30s);  // a server that dies of the probe is tried without it, and says nothing
      CHECK(o->error());
      CHECK(k.state() == server_state::stopped);
    }
    kept_server k;
    auto broken = std::make_shared<bool>(true);
    auto config = server_config::from([=] {
      return any_transport(*broken ? whole.broken_at(n, how).transport() : legacy_script().transport());
    });
    k.make(config.options(k.c.options()));
    k.live->start_in_background();
    k.c.settle();
    if (k.state() == server_state::starting) k.c.advance(30s);
    CHECK(k.state() == server_state::backing_off);
    *broken = false;
    k.c.advance(500ms);
    CHECK(k.state() == server_state::ready);
    CHECK(k.history() == "starting, backing off, starting, ready");
  }
}

TEST_CASE("live_server: retry as documented: three attempts at 500, 1000 and 2000 ms, then failed", "[server]") {
  bool const at_start = GENERATE(true, false);
  kept_server k;
  k.make();
  int attempts = 0;
  auto const break_it = [&] {
    k.server.on("initialize", [&](fake_request const&) {
      ++attempts;
      k.server.drop();
    });
  };
  if (at_start) {
    break_it();
    k.live->start_in_background();
    k.c.settle();
    CHECK(attempts == 1);
    attempts = 0;
  } else {
    REQUIRE(k.c.start(k.live->start())->ok());
    break_it();
    k.crash();
  }
  int expected = 0;
  for (auto const wait : {500ms, 1000ms, 2000ms}) {
    CHECK(k.state() == server_state::backing_off);
    CHECK(k.live->status().reconnects_at == k.c.clock->now() + wait);
    k.c.advance(wait - 1ms);
    CHECK(attempts == expected);
    k.c.advance(1ms);
    CHECK(attempts == ++expected);
  }
  CHECK(k.state() == server_state::failed);
  CHECK(k.owner->heard.back() == "s gave up");
  CHECK(k.live->status().reason);
  k.c.advance(600s);
  CHECK(attempts == 3);
  CHECK(k.ready(1s)->error());
}

TEST_CASE("live_server: crash eviction: without retries the first loss is the end", "[server]") {
  kept_server k(reconnect_policy::never());
  k.make();
  REQUIRE(k.c.start(k.live->start())->ok());
  k.crash();
  CHECK(k.state() == server_state::failed);
  CHECK(k.owner->heard == strings{"s ready", "s gave up"});
  CHECK_FALSE(k.live->connection());
}

TEST_CASE("live_server: a call that meets the crash has an unknown outcome, the next one waits for the server", "[server]") {
  kept_server k;
  k.make();
  REQUIRE(k.c.start(k.live->start())->ok());
  k.server.on("tools/call", [&](fake_request const&) { k.server.drop(); });
  auto const before = k.live->connection();
  auto const met = k.call("danger");
  CHECK(met->error() == errc::outcome_unknown);
  CHECK(k.state() == server_state::backing_off);
  CHECK(k.live->status().failures == 1);
  k.server.answer("tools/call", json::raw(tool_text));
  auto const waiting = k.ready(10s);
  auto const through_handle = k.c.start(before->call_tool("x"));
  CHECK_FALSE(waiting->done());
  k.c.advance(500ms);
  REQUIRE(waiting->ok());
  CHECK(k.c.start((*waiting)->call_tool("x"))->ok());
  CHECK(through_handle->ok());
  CHECK(k.live->status().starts == 2);
  CHECK(k.owner->heard == strings{"s ready", "s ready"});
}

TEST_CASE("live_server: flapping: waits grow to the maximum, and attempts run out", "[server]") {
  kept_server k(reconnect_policy().attempts(5).delay(500ms, 2s).jitter(0));
  k.make();
  REQUIRE(k.c.start(k.live->start())->ok());
  strings waits;
  while (k.state() == server_state::ready) {
    k.c.advance(5s);
    k.crash();
    if (auto const at = k.live->status().reconnects_at) {
      auto const wait = std::chrono::duration_cast<std::chrono::milliseconds>(*at - k.c.clock->now());
      waits.push_back(std::to_string(wait.count()));
      k.c.advance(wait);
    }
  }
  CHECK(waits == strings{"500", "1000", "2000", "2000", "2000"});
  CHECK(k.state() == server_state::failed);
  CHECK(k.server.connections() == 6);
}

TEST_CASE("live_server: a connection that was proven begins the waits anew", "[server]") {
  kept_server k(reconnect_policy().attempts(1).jitter(0));
  k.make();
  REQUIRE(k.c.start(k.live->start())->ok());
  for (int i = 0; i != 5; ++i) {
    k.c.advance(30s);
    k.crash();
    CHECK(k.live->status().reconnects_at == k.c.clock->now() + 500ms);
    k.c.advance(500ms);
    REQUIRE(k.state() == server_state::ready);
  }
}

TEST_CASE("live_server: lazy start: ten callers at once share one connection", "[server]") {
  kept_server k;
  k.make();
  std::vector<fake_request> handshakes;
  k.server.on("initialize", [&](fake_request r) { handshakes.push_back(r); });
  std::vector<outcome_of<client>> all;
  for (int i = 0; i != 10; ++i) all.push_back(k.ready(5s));
  CHECK(k.state() == server_state::starting);
  REQUIRE(handshakes.size() == 1);
  handshakes[0].reply(json::raw(initialize_text("2025-11-25")));
  k.c.settle();
  for (auto const& o : all) CHECK(o->ok());
  CHECK(k.server.connections() == 1);
}

TEST_CASE("live_server: each caller waits until its own deadline, and none of them ends the start", "[server]") {
  kept_server k;
  k.make();
  std::vector<fake_request> handshakes;
  k.server.on("initialize", [&](fake_request r) { handshakes.push_back(r); });
  auto const hasty = k.ready(1s);
  auto const patient = k.ready(20s);
  auto const cancelled = k.ready(20s);
  auto const late = k.ready(-1s);
  CHECK(late->error() == errc::timeout);
  cancelled->cancel();
  k.c.settle();
  CHECK(cancelled->error() == errc::cancelled);
  k.c.advance(999ms);
  CHECK_FALSE(hasty->done());
  k.c.advance(1ms);
  CHECK(hasty->error() == errc::timeout);
  CHECK_FALSE(patient->done());
  handshakes[0].reply(json::raw(initialize_text("2025-11-25")));
  k.c.settle();
  CHECK(patient->ok());
}

TEST_CASE("live_server: who waits for a server is not told of attempts, but of the end", "[server]") {
  kept_server k(reconnect_policy().attempts(1).jitter(0));
  k.make();
  k.server.on("initialize", [&](fake_request const&) { k.server.drop(); });
  auto const o = k.c.start(until_ready(k.live, k.owner, std::chrono::steady_clock::time_point::max()));
  CHECK_FALSE(o->done());
  k.c.advance(500ms);
  CHECK(o->error());
  CHECK(k.state() == server_state::failed);
}

TEST_CASE("live_server: subscriptions and log level are there again when it is ready again", "[server]") {
  kept_server k;
  k.make();
  REQUIRE(k.c.start(k.live->start())->ok());
  auto const client = k.live->connection();
  int updates = 0;
  updated_callback f = [&](resource_updated const&) { ++updates; };
  REQUIRE(k.c.start(client->set_log_level(log_level::error))->ok());
  REQUIRE(k.c.start(client->subscribe("file:///x", f))->ok());
  k.crash();
  k.c.advance(500ms);
  CHECK(k.server.count("logging/setLevel") == 2);
  CHECK(k.server.count("resources/subscribe") == 2);
  k.server.notify("notifications/resources/updated", args("uri", "file:///x"));
  k.c.settle();
  CHECK(updates == 1);
}
