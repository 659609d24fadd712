// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/sansio/backoff.hpp>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using sansio::backoff;

TEST_CASE("backoff: waits grow to their bound, and end with the attempts", "[sansio]") {
  backoff b(reconnect_policy().delay(1s, 5s, 3).attempts(4));
  CHECK(b.failed(0) == 1000ms);
  CHECK(b.failed(0) == 3000ms);
  CHECK(b.failed(0) == 5000ms);
  CHECK(b.failed(0) == 5000ms);
  CHECK_FALSE(b.failed(0));
}

TEST_CASE("backoff: a short life is a failure, one that brought something only uses up no attempt", "[sansio]") {
  backoff b(reconnect_policy().delay(1s, 60s).jitter(0).attempts(2));
  CHECK(b.ended(4999ms, false, 1) == 1000ms);
  CHECK(b.ended(0s, false, 1) == 2000ms);
  CHECK_FALSE(b.ended(0s, false, 1));
  CHECK(b.ended(0s, true, 1) == 4000ms);
  CHECK(b.failed(1) == 8000ms);
  CHECK(b.ended(5s, false, 1) == 1000ms);
  CHECK(b.failed(1) == 2000ms);
  b.proved();
  CHECK(b.failed(1) == 1000ms);
}

TEST_CASE("backoff: chance shortens a wait by its share, and never what the server asks for", "[sansio]") {
  auto const first = [](double random, std::optional<backoff::milliseconds> asked = {}) {
    return *backoff(reconnect_policy().delay(1s, 60s).jitter(0.25)).failed(random, asked);
  };
  CHECK(first(0) == 1000ms);
  CHECK(first(0.5) == 875ms);
  CHECK(first(1) == 750ms);
  CHECK(first(1, 500ms) == 500ms);
  CHECK(first(1, 24h) == 60s);
  CHECK(first(1, 0ms) == 100ms);  // no busy loop
}

TEST_CASE("backoff: what the server asks for grows too, and is never shortened", "[sansio]") {
  backoff b(reconnect_policy().delay(1s, 5s).jitter(0).attempts(10));
  for (auto const wait : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5000ms, 5000ms}) CHECK(b.failed(0, 0ms) == wait);
  b.proved();
  for (auto const wait : {3000ms, 3000ms, 4000ms, 5000ms}) CHECK(b.failed(0, 3s) == wait);
}

TEST_CASE("backoff: no attempts, no waits", "[sansio]") {
  backoff b(reconnect_policy().attempts(0));
  CHECK_FALSE(b.failed(0));
  CHECK_FALSE(b.ended(1h, true, 0));
}

TEST_CASE("backoff: large numbers do no harm", "[sansio]") {
  backoff b(reconnect_policy().delay(1s, 30s, 1e9).attempts(1000));
  for (int i = 0; i < 1000; ++i) {
    auto const wait = b.failed(0);
    REQUIRE(wait);
    CHECK(*wait <= 30s);
    CHECK(*wait >= 1s);
  }
}
