// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/sansio/task_life.hpp>

#include <limits>
#include <utility>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using comcp::sansio::task_action;
using comcp::sansio::task_life;

namespace {

constexpr task_life::time_point start{};
constexpr auto for_ever = task_life::nanoseconds::max();

task_state state(task_status status) {
  task_state s;
  s.task_id = "7";
  s.status = status;
  return s;
}
task_state working(std::optional<std::int64_t> pause, std::optional<std::int64_t> ttl = {}) {
  auto s = state(task_status::working);
  s.poll_interval = pause;
  s.ttl = ttl;
  return s;
}
error peer(std::int64_t code) { return error::from_peer({code, "no", {}}); }

}  // namespace

TEST_CASE("task_life: what each status asks for, in both eras", "[sansio]") {
  struct row {
    task_status status;
    task_action modern, legacy;
  };
  for (auto const& [status, modern, legacy] : {
           row{task_status::working, task_action::wait, task_action::wait},
           row{task_status::input_required, task_action::answer, task_action::fetch_result},
           row{task_status::completed, task_action::deliver, task_action::fetch_result},
           row{task_status::failed, task_action::fail, task_action::fetch_result},
           row{task_status::cancelled, task_action::cancelled, task_action::cancelled},
       }) {
    CAPTURE(static_cast<int>(status));
    CHECK(task_life(true, 1s, start).learned(state(status)) == modern);
    CHECK(task_life(false, 1s, start).learned(state(status)) == legacy);
  }
}

TEST_CASE("task_life: the pause is the preset one, what the server said last, and never below 10 ms", "[sansio]") {
  bool const modern = GENERATE(true, false);
  task_life life(modern, 1500ms, start);
  CHECK(life.pause(start) == 1500ms);
  using said = std::pair<std::optional<std::int64_t>, task_life::nanoseconds>;
  for (auto const& [interval, pause] : {said(500, 500ms), said(2000, 2s), said({}, 1500ms), said(0, 10ms), said(9, 10ms),
                                        said(-1, 10ms), said(std::numeric_limits<std::int64_t>::min(), 10ms)}) {
    (void)life.learned(working(interval));
    CHECK(life.pause(start) == pause);
  }
  (void)life.learned(working(std::numeric_limits<std::int64_t>::max()));
  CHECK(life.pause(start) > 24h * 365 * 200);
  CHECK(task_life(modern, 1ns, start).pause(start) == 10ms);
}

TEST_CASE("task_life: where the server tells by itself it is asked ten times as rarely, but each 30 s", "[sansio]") {
  bool const modern = GENERATE(true, false);
  task_life life(modern, 1s, start);
  life.told_by_itself();
  using said = std::pair<std::int64_t, task_life::nanoseconds>;
  for (auto const& [interval, rare] : {said(1, 100ms), said(100, 1s), said(2999, 29'990ms), said(3000, 30s), said(3001, 30s),
                                       said(29'999, 30s), said(30'000, 30s), said(60'000, 60s)}) {
    CAPTURE(interval);
    (void)life.learned(working(interval));
    auto const plain = std::max<task_life::nanoseconds>(std::chrono::milliseconds(interval), 10ms);
    CHECK(life.pause(start) == (modern ? rare : plain));
  }
}

TEST_CASE("task_life: the ttl counts from the beginning, is the last that was told, and bounds the pause", "[sansio]") {
  bool const modern = GENERATE(true, false);
  task_life life(modern, 1s, start);
  CHECK(life.left(start + 1h) == for_ever);
  CHECK_FALSE(life.is_outlived(start + 24h * 365));
  (void)life.learned(working({}, 2500));
  CHECK(life.left(start + 1s) == 1500ms);
  CHECK(life.pause(start + 1s) == 1s);
  CHECK(life.pause(start + 2s) == 500ms);
  CHECK(life.pause(start + 2499ms) == 10ms);
  CHECK_FALSE(life.is_outlived(start + 2499ms));
  CHECK(life.is_outlived(start + 2500ms));
  CHECK(life.left(start + 1h) == 10ms);
  (void)life.learned(working({}, 5000));  // longer, but not from then on
  CHECK(life.left(start + 2s) == 3s);
  CHECK_FALSE(life.is_outlived(start + 4999ms));
  CHECK(life.is_outlived(start + 5s));
  (void)life.learned(working({}, 1000));
  CHECK(life.is_outlived(start + 1s));
  (void)life.learned(working({}));
  CHECK(life.left(start + 1h) == for_ever);
  for (std::int64_t const over : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    (void)life.learned(working({}, over));
    CHECK(life.is_outlived(start));
  }
  (void)life.learned(working({}, std::numeric_limits<std::int64_t>::max()));
  CHECK_FALSE(life.is_outlived(start + 24h * 365 * 200));
}

TEST_CASE("task_life: which failed questions are asked again", "[sansio]") {
  bool const modern = GENERATE(true, false);
  for (auto const& again : {error(errc::timeout), error(errc::outcome_unknown), error(errc::transport_failed),
                            error(errc::connect_failed), error(errc::queue_full), error(errc::connect_timeout),
                            error(errc::response_timeout), error(errc::idle_timeout), error(errc::exchange_timeout),
                            error(errc::missing_answer), peer(-32603), peer(-32000), peer(1)}) {
    CAPTURE(again.to_string());
    CHECK(task_life(modern, 1s, start).goes_on(again));
  }
  for (auto const& last : {error(errc::cancelled), error(errc::closed), error(errc::protocol_violation), error(errc::unauthorized),
                           error(errc::not_in_protocol), error(errc::capability_missing), error(errc::limit_exceeded),
                           peer(-32602), peer(-32601), peer(-32021)}) {
    CAPTURE(last.to_string());
    CHECK_FALSE(task_life(modern, 1s, start).goes_on(last));
  }
}

TEST_CASE("task_life: five failures in a row are borne, and an answer between them counts them anew", "[sansio]") {
  task_life life(true, 1s, start);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5; ++i) CHECK(life.goes_on(error(errc::timeout)));
    (void)life.learned(working({}));
  }
  for (int i = 0; i < 5; ++i) CHECK(life.goes_on(peer(-32603)));
  CHECK_FALSE(life.goes_on(error(errc::timeout)));
}

TEST_CASE("task_life: each request for input is taken once", "[sansio]") {
  task_life life(true, 1s, start);
  auto s = state(task_status::input_required);
  CHECK(life.take_requests(s).empty());
  auto const ask = [&s](std::initializer_list<char const*> keys) {
    s.input_requests.emplace();
    for (auto const* const key : keys) s.input_requests->emplace(key, input_requests::mapped_type());
  };
  ask({"a", "b"});
  CHECK(life.take_requests(s).size() == 2);
  CHECK(life.take_requests(s).empty());
  ask({"b", "c"});
  auto const fresh = life.take_requests(s);
  REQUIRE(fresh.size() == 1);
  CHECK(fresh.begin()->first == "c");
  ask({"a", "b", "c"});
  CHECK(life.take_requests(s).empty());
}
