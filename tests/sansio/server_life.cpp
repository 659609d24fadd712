// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Every event in every state, and the stories that they make: crashes, flapping, circuits.
#include <comcp/sansio/server_life.hpp>

#include <functional>
#include <map>
#include <vector>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using sansio::call_end;
using sansio::end_of_call;
using sansio::life_step;
using sansio::server_life;
using action = life_step::action;
using state = server_state;

namespace {

constexpr server_life::time_point t0(1h);
error const crashed(errc::transport_failed, "crashed");

server_life in(state s, reconnect_policy policy = reconnect_policy().attempts(3).jitter(0).circuit_breaker(1)) {
  server_life life(policy);
  if (s == state::stopped) return life;
  (void)life.start(t0);
  if (s == state::starting) return life;
  if (s == state::failed) {
    for (int i = 0; i != 4; ++i) {
      auto const step = life.lost(t0, crashed, 0);
      (void)life.due(step.until);
    }
    return life;
  }
  life.started(t0);
  if (s == state::backing_off) (void)life.lost(t0, crashed, 0);
  return life;
}

std::vector<state> const all{state::stopped, state::starting, state::ready, state::backing_off, state::failed};

struct outcome {
  action what;
  state then;
};

void check(std::function<life_step(server_life&)> const& event, std::vector<outcome> const& expected) {
  for (std::size_t i = 0; i != all.size(); ++i) {
    auto life = in(all[i]);
    REQUIRE(life.state() == all[i]);
    INFO(to_string(all[i]));
    auto const step = event(life);
    CHECK(static_cast<int>(step.what) == static_cast<int>(expected[i].what));
    CHECK(to_string(life.state()) == to_string(expected[i].then));
  }
}

}  // namespace

TEST_CASE("server_life: every event in every state", "[sansio]") {
  constexpr auto none = action::none;
  check([](server_life& l) { return l.start(t0); },
        {{action::start, state::starting}, {none, state::starting}, {none, state::ready},
         {action::start, state::starting}, {action::start, state::starting}});
  check([](server_life& l) { return l.restart(t0); },
        {{action::start, state::starting}, {none, state::starting}, {action::reconnect, state::starting},
         {action::start, state::starting}, {action::start, state::starting}});
  check([](server_life& l) { return l.started(t0), life_step(); },
        {{none, state::stopped}, {none, state::ready}, {none, state::ready}, {none, state::backing_off},
         {none, state::failed}});
  check([](server_life& l) { return l.lost(t0, crashed, 0); },
        {{none, state::stopped}, {action::wait, state::backing_off}, {action::wait, state::backing_off},
         {none, state::backing_off}, {none, state::failed}});
  check([](server_life& l) { return l.due(t0 + 500ms); },
        {{none, state::stopped}, {none, state::starting}, {none, state::ready}, {action::start, state::starting},
         {none, state::failed}});
  check([](server_life& l) { return l.call_ended(t0, call_end::undelivered, crashed, 0); },
        {{none, state::stopped}, {none, state::starting}, {action::reconnect, state::backing_off},
         {none, state::backing_off}, {none, state::failed}});
  check([](server_life& l) { return l.call_ended(t0, call_end::answered, {}, 0); },
        {{none, state::stopped}, {none, state::starting}, {none, state::ready}, {none, state::backing_off},
         {none, state::failed}});
  check([](server_life& l) { return l.stop(t0, errc::closed), life_step(); },
        {{none, state::stopped}, {none, state::stopped}, {none, state::stopped}, {none, state::stopped},
         {none, state::stopped}});
}

TEST_CASE("server_life: a failed server stays so until it is started by hand, which begins the count anew", "[sansio]") {
  auto life = in(state::failed);
  CHECK(life.failures() == 4);
  CHECK(life.reason() == errc::transport_failed);
  CHECK_FALSE(life.reconnects_at());
  (void)life.start(t0);
  CHECK(life.failures() == 0);
  CHECK(life.lost(t0, crashed, 0).until == t0 + 500ms);
}

TEST_CASE("server_life: three attempts at 500, 1000 and 2000 ms", "[sansio]") {
  server_life life(reconnect_policy().attempts(3).jitter(0));
  (void)life.start(t0);
  life.started(t0);
  auto now = t0 + 1s;
  for (auto const wait : {500ms, 1000ms, 2000ms}) {
    auto const step = life.lost(now, crashed, 1);
    CHECK(static_cast<int>(step.what) == static_cast<int>(action::wait));
    CHECK(step.until == now + wait);
    CHECK(life.reconnects_at() == step.until);
    CHECK(static_cast<int>(life.due(step.until - 1ns).what) == static_cast<int>(action::wait));
    CHECK(static_cast<int>(life.due(step.until).what) == static_cast<int>(action::start));
    now = step.until;
  }
  auto const last = life.lost(now, error(errc::connect_failed, "gone"), 1);
  CHECK(static_cast<int>(last.what) == static_cast<int>(action::give_up));
  CHECK(last.why.message() == "gone");
  CHECK(life.reason().message() == "gone");
}

TEST_CASE("server_life: without retries the first loss, and the first failed attempt, is the end", "[sansio]") {
  for (auto const from : {state::starting, state::ready}) {
    auto life = in(from, reconnect_policy::never());
    CHECK(static_cast<int>(life.lost(t0, crashed, 0).what) == static_cast<int>(action::give_up));
  }
  auto life = in(state::ready, reconnect_policy::never().circuit_breaker(1));
  CHECK(static_cast<int>(life.call_ended(t0, call_end::undelivered, crashed, 0).what) ==
        static_cast<int>(action::give_up));
}

TEST_CASE("server_life: flapping: waits grow to the maximum, and attempts run out", "[sansio]") {
  server_life life(reconnect_policy().attempts(8).delay(500ms, 4s).jitter(0));
  (void)life.start(t0);
  auto now = t0;
  std::vector<std::chrono::milliseconds> waits;
  for (;;) {
    life.started(now);
    now += 29s;  // below proven_after()
    auto const step = life.lost(now, crashed, 0);
    if (step.what != action::wait) break;
    waits.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(step.until - now));
    now = step.until;
    (void)life.due(now);
  }
  CHECK(waits == std::vector<std::chrono::milliseconds>{500ms, 1000ms, 2000ms, 4000ms, 4000ms, 4000ms, 4000ms, 4000ms});
  CHECK(life.state() == state::failed);
  CHECK(life.starts() == 9);
}

TEST_CASE("server_life: only a connection that lived long enough begins the waits anew", "[sansio]") {
  server_life life(reconnect_policy().attempts(2).jitter(0).proven_after(10s));
  (void)life.start(t0);
  auto now = t0;
  for (int i = 0; i != 20; ++i) {
    life.started(now);
    now += 10s;
    auto const step = life.lost(now, crashed, 0);
    REQUIRE(step.until == now + 500ms);
    CHECK(life.failures() == 1);
    now = step.until;
    (void)life.due(now);
  }
}

TEST_CASE("server_life: chance shortens a wait by its share at most", "[sansio]") {
  for (double const random : {0.0, 0.5, 1.0}) {
    server_life life(reconnect_policy().attempts(1).delay(1000ms, 1000ms).jitter(0.4));
    (void)life.start(t0);
    auto const wait = life.lost(t0, crashed, random).until - t0;
    CHECK(wait == std::chrono::milliseconds(1000 - static_cast<int>(400 * random)));
  }
}

TEST_CASE("server_life: a server that says when to come again is heard, within the maximum", "[sansio]") {
  transport_detail detail;
  detail.retry_after = 7s;
  auto const busy = error(errc::http_status).with_detail(detail);
  server_life life(reconnect_policy().attempts(2).delay(500ms, 10s).jitter(0));
  (void)life.start(t0);
  CHECK(life.lost(t0, busy, 1).until == t0 + 7s);
  server_life impatient(reconnect_policy().attempts(2).delay(500ms, 5s).jitter(0));
  (void)impatient.start(t0);
  CHECK(impatient.lost(t0, busy, 1).until == t0 + 5s);
}

TEST_CASE("server_life: the circuit opens at so many undelivered calls in a row", "[sansio]") {
  auto life = in(state::ready, reconnect_policy().attempts(3).jitter(0).circuit_breaker(3));
  auto const fail = [&] { return life.call_ended(t0, call_end::undelivered, crashed, 0).what; };
  CHECK(static_cast<int>(fail()) == static_cast<int>(action::none));
  CHECK(static_cast<int>(fail()) == static_cast<int>(action::none));
  (void)life.call_ended(t0, call_end::answered, {}, 0);
  CHECK(static_cast<int>(fail()) == static_cast<int>(action::none));
  CHECK(static_cast<int>(fail()) == static_cast<int>(action::none));
  (void)life.call_ended(t0, call_end::no_verdict, errc::timeout, 0);
  auto const step = life.call_ended(t0, call_end::undelivered, crashed, 0);
  CHECK(static_cast<int>(step.what) == static_cast<int>(action::reconnect));
  CHECK(step.until == t0 + 500ms);
  CHECK(step.why.message().find("3 calls in a row failed") == 0);
  CHECK(life.state() == state::backing_off);
  // The trial after it: a failure waits longer, and the count of calls begins anew.
  (void)life.due(step.until);
  CHECK(life.lost(step.until, crashed, 0).until == step.until + 1000ms);
  (void)life.due(step.until + 1s);
  life.started(step.until + 1s);
  CHECK(static_cast<int>(fail()) == static_cast<int>(action::none));
}

TEST_CASE("server_life: a circuit of 0 never opens, and circuits that open again and again use up the attempts", "[sansio]") {
  auto closed = in(state::ready, reconnect_policy().attempts(3).jitter(0).circuit_breaker(0));
  for (int i = 0; i != 100; ++i)
    CHECK(closed.call_ended(t0, call_end::undelivered, crashed, 0).what == action::none);
  auto life = in(state::ready, reconnect_policy().attempts(2).jitter(0).circuit_breaker(1));
  auto now = t0;
  int opened = 0;
  while (life.state() != state::failed) {
    auto const step = life.call_ended(now, call_end::undelivered, crashed, 0);
    ++opened;
    now = step.until;
    (void)life.due(now);
    life.started(now);
  }
  CHECK(opened == 3);
}

TEST_CASE("server_life: what the end of a call says", "[sansio]") {
  CHECK(end_of_call(nullptr) == call_end::answered);
  auto const how = [](error const& e) { return end_of_call(&e); };
  CHECK(how(error()) == call_end::answered);
  CHECK(how(error::from_peer({-32603, "internal", {}})) == call_end::answered);
  auto status = [&](int n) {
    transport_detail d;
    d.http_status = n;
    return error(errc::http_status).with_detail(d);
  };
  CHECK(how(status(404)) == call_end::answered);
  CHECK(how(status(503)) == call_end::undelivered);
  CHECK(how(status(503).with_peer({-32000, "busy", {}})) == call_end::answered);
  for (auto const e : {errc::outcome_unknown, errc::transport_failed, errc::connect_failed, errc::connect_timeout,
                       errc::response_timeout, errc::idle_timeout, errc::tls_failed, errc::missing_answer})
    CHECK(how(e) == call_end::undelivered);
  for (auto const e : {errc::timeout, errc::cancelled, errc::closed, errc::queue_full, errc::denied, errc::not_ready})
    CHECK(how(e) == call_end::no_verdict);
  for (auto const e : {errc::timeout, errc::cancelled, errc::closed})
    CHECK(how(error(e).with_outcome(call_outcome::open)) == call_end::no_verdict);
  for (auto const e : {errc::limit_exceeded, errc::invalid_json, errc::validation_failed}) {
    CHECK(how(error(e).with_outcome(call_outcome::open)) == call_end::answered);
    CHECK(how(error(e).with_outcome(call_outcome::not_sent)) == call_end::no_verdict);
  }
  CHECK(how(error(errc::transport_failed).with_outcome(call_outcome::not_sent)) == call_end::no_verdict);
  for (auto const e : {errc::unauthorized, errc::protocol_violation, errc::tool_failed})
    CHECK(how(e) == call_end::answered);
}

TEST_CASE("server_life: the history keeps the last 32 events with their reasons", "[sansio]") {
  server_life life(reconnect_policy::forever().delay(500ms, 500ms).jitter(0));
  (void)life.start(t0);
  auto now = t0;
  for (int i = 0; i != 30; ++i) {
    auto const step = life.lost(now, error(errc::connect_failed, std::to_string(i)), 0);
    now = step.until;
    (void)life.due(now);
  }
  auto const& h = life.history();
  REQUIRE(h.size() == 32);
  CHECK(h.back().state == state::starting);
  CHECK_FALSE(h.back().reason);
  CHECK(h[30].state == state::backing_off);
  CHECK(h[30].reason.message() == "29");
  CHECK(h[30].at == now - 500ms);
  CHECK(h.front().reason.message() == "14");
  life.stop(now, errc::closed);
  CHECK(life.history().back().state == state::stopped);
  CHECK(life.reason() == errc::closed);
}

TEST_CASE("server_life: an attempt that is made once ends with its failure, and proves itself as any other", "[sansio]") {
  server_life life(reconnect_policy().attempts(3).jitter(0));
  CHECK(life.start(t0, true).what == action::start);
  CHECK(life.lost(t0, crashed, 0).what == action::rest);
  CHECK(life.state() == state::stopped);
  CHECK(life.reason() == crashed.code());
  CHECK(life.start(t0).what == action::start);
  CHECK(life.lost(t0, crashed, 0).what == action::wait);

  server_life other(reconnect_policy().attempts(3).jitter(0));
  (void)other.start(t0, true);
  other.started(t0);
  CHECK(other.lost(t0, crashed, 0).what == action::wait);
}
