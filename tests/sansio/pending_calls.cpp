// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/sansio/pending_calls.hpp>

#include <random>
#include <set>

#include "support/catch.hpp"

using namespace std::chrono_literals;
using calls = comcp::sansio::pending_calls<int>;
using time_point = calls::time_point;

namespace {
time_point const start{1h};
time_point const never = time_point::max();
}  // namespace

TEST_CASE("pending_calls: the first to take a call wins, all others get nothing", "[sansio]") {
  calls p;
  auto const id = p.add(7, start, 10s, never);
  REQUIRE(id != 0);
  CHECK(*p.find(id) == 7);
  CHECK(p.take(id) == 7);
  CHECK_FALSE(p.take(id));
  CHECK(p.find(id) == nullptr);
  CHECK(p.size() == 0);
}

TEST_CASE("pending_calls: an id is used once and is a positive integer below 2^53", "[sansio]") {
  calls p;
  std::set<calls::id_type> seen;
  for (int i = 0; i != 1000; ++i) {
    auto const id = p.add(i, start, 10s, never);
    CHECK(id > 0);
    CHECK(id < (calls::id_type{1} << 53));
    CHECK(seen.insert(id).second);
    if (i % 3 != 0) CHECK(p.take(id) == i);
  }
}

TEST_CASE("pending_calls: a late reply after a timeout finds nothing, not the slot's next call", "[sansio]") {
  calls p;
  auto const first = p.add(1, start, 1s, never);
  CHECK(p.expired(start + 1s) == first);
  CHECK(p.take(first) == 1);
  auto const second = p.add(2, start + 1s, 1s, never);
  CHECK(second != first);
  CHECK_FALSE(p.take(first));
  CHECK(*p.find(second) == 2);
}

TEST_CASE("pending_calls: ids that were never given find nothing", "[sansio]") {
  calls p;
  auto const id = p.add(1, start, 1s, never);
  CHECK_FALSE(p.take(0));
  CHECK_FALSE(p.take(id + 1));
  CHECK_FALSE(p.take(id + (calls::id_type{1} << 20)));
  CHECK_FALSE(p.take(UINT64_MAX));
  CHECK(p.size() == 1);
}

TEST_CASE("pending_calls: the bound is kept", "[sansio]") {
  calls p(2);
  auto const a = p.add(1, start, 1s, never);
  CHECK(p.add(2, start, 1s, never) != 0);
  CHECK(p.add(3, start, 1s, never) == 0);
  (void)p.take(a);
  CHECK(p.add(3, start, 1s, never) != 0);
}

TEST_CASE("pending_calls: progress extends the timeout, never past the hard maximum", "[sansio]") {
  calls p;
  auto const id = p.add(1, start, 10s, start + 25s);
  p.extend(id, start + 8s);
  CHECK(p.next_deadline() == start + 18s);
  p.extend(id, start + 17s);
  CHECK(p.next_deadline() == start + 25s);
  p.extend(id, start + 24s);
  CHECK(p.expired(start + 25s - 1ns) == 0);
  CHECK(p.expired(start + 25s) == id);
}

TEST_CASE("pending_calls: a pause stops the timeouts but not the hard maximum", "[sansio]") {
  calls p;
  auto const id = p.add(1, start, 10s, start + 60s);
  p.pause(start + 4s);
  p.pause(start + 5s);
  CHECK(p.next_deadline() == start + 60s);
  CHECK(p.expired(start + 59s) == 0);
  p.resume(start + 20s);
  CHECK(p.next_deadline() == start + 60s);
  p.resume(start + 30s);
  CHECK(p.next_deadline() == start + 36s);  // six seconds were left
  CHECK(p.expired(start + 36s) == id);
}

TEST_CASE("pending_calls: a call that begins, or makes progress, during a pause has its whole timeout after it", "[sansio]") {
  calls p;
  auto const old = p.add(1, start, 10s, never);
  p.pause(start + 9s);
  auto const fresh = p.add(2, start + 9s, 5s, never);
  p.extend(old, start + 10s);
  CHECK_FALSE(p.next_deadline());
  p.resume(start + 100s);
  CHECK(p.next_deadline() == start + 105s);
  CHECK(p.expired(start + 105s) == fresh);
  (void)p.take(fresh);
  CHECK(p.next_deadline() == start + 110s);
}

TEST_CASE("pending_calls: an endless timeout never comes due", "[sansio]") {
  calls p;
  (void)p.add(1, start, calls::duration::max(), never);
  CHECK_FALSE(p.next_deadline());
  CHECK(p.expired(start + 1000h) == 0);
}

TEST_CASE("pending_calls: those that wait", "[sansio]") {
  calls p;
  auto const a = p.add(1, start, 1h, never);
  auto const b = p.add(2, start + 1s, 1s, never);
  CHECK(p.ids().size() == 2);
  (void)p.take(a);
  CHECK(p.ids() == std::vector<calls::id_type>{b});
  CHECK(p.was_used(a));
  CHECK_FALSE(p.was_used(b + 1));
}

TEST_CASE("pending_calls: calls come due in the order of their deadlines, whatever happened between", "[sansio]") {
  std::mt19937 random(42);
  calls p;
  std::set<std::pair<time_point, calls::id_type>> expected;
  std::vector<std::pair<time_point, calls::id_type>> live;
  for (int i = 0; i != 3000; ++i) {
    auto const timeout = std::chrono::milliseconds(1 + random() % 100000);
    auto const id = p.add(i, start, timeout, never);
    live.emplace_back(start + timeout, id);
    if (random() % 3 == 0) {
      auto const victim = random() % live.size();
      REQUIRE(p.take(live[victim].second));
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
    } else if (random() % 5 == 0) {
      auto& [due, which] = live[random() % live.size()];
      auto const now = start + std::chrono::milliseconds(random() % 50);
      auto const whole = due - start;
      p.extend(which, now);
      if (due == start + whole) due = now + whole;
    }
  }
  CHECK(p.size() == live.size());
  time_point last = start;
  while (auto const next = p.next_deadline()) {
    CHECK(*next >= last);
    last = *next;
    auto const id = p.expired(*next);
    REQUIRE(id != 0);
    REQUIRE(p.take(id));
  }
  CHECK(p.size() == 0);
}

TEST_CASE("pending_calls: extra ones do not count towards the bound", "[sansio]") {
  calls p(1);
  auto const extra = p.add(1, start, 1s, never, true);
  CHECK(extra != 0);
  auto const a = p.add(2, start, 1s, never);
  CHECK(a != 0);
  CHECK(p.add(3, start, 1s, never, true) != 0);
  CHECK(p.add(4, start, 1s, never) == 0);
  (void)p.take(extra);
  CHECK(p.add(4, start, 1s, never) == 0);
  (void)p.take(a);
  CHECK(p.add(4, start, 1s, never) != 0);
}

TEST_CASE("pending_calls: a line forgets those that ended, and keeps its order", "[sansio]") {
  calls p(10);
  std::vector<calls::id_type> line;
  auto const first = p.add(1, start, 1s, never);
  p.line_up(line, first);
  for (int i = 0; i < 10'000; ++i) {
    auto const id = p.add(2, start, 1s, never);
    p.line_up(line, id);
    REQUIRE(line.size() <= 32);
    REQUIRE(line.back() == id);
    (void)p.take(id);
  }
  CHECK(line.front() == first);
}

TEST_CASE("pending_calls: how much room there is", "[sansio]") {
  calls p(2);
  CHECK(p.room() == 2);
  auto const a = p.add(1, start, 1h, never);
  auto const extra = p.add(2, start, 1h, never, true);
  CHECK(p.room() == 1);
  (void)p.add(3, start, 1h, never);
  CHECK(p.room() == 0);
  CHECK(p.add(4, start, 1h, never) == 0);
  (void)p.take(extra);
  CHECK(p.room() == 0);
  (void)p.take(a);
  CHECK(p.room() == 1);
}
