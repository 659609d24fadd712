// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/sansio/backoff.hpp>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using sansio::backoff;

TEST_CASE("backoff: waits grow to their bound, and end with the attempts", "[sansio]") {
  backoff b(reconnect_options().delay(1s, 3, 5s).attempts(4));
  CHECK(b.failed(0) == 1000ms);
  CHECK(b.failed(0) == 3000ms);
  CHECK(b.failed(0) == 5000ms);
  CHECK(b.failed(0) == 5000ms);
  CHECK_FALSE(b.failed(0));
}

TEST_CASE("backoff: an end is no failure, and no beginning either", "[sansio]") {
  backoff b(reconnect_options().delay(1s, 2, 60s).jitter(0).attempts(2));
  CHECK(b.ended(1) == 1000ms);
  CHECK(b.failed(1) == 1000ms);
  CHECK(b.ended(1) == 2000ms);
  CHECK(b.ended(1) == 2000ms);
  CHECK(b.failed(1) == 2000ms);
  CHECK_FALSE(b.failed(1));
  b.proved();
  CHECK(b.failed(1) == 1000ms);
}

TEST_CASE("backoff: chance shortens a wait by its share, and never what the server asks for", "[sansio]") {
  backoff b(reconnect_options().delay(1s, 2, 60s).jitter(0.25));
  CHECK(b.ended(0) == 1000ms);
  CHECK(b.ended(0.5) == 875ms);
  CHECK(b.ended(1) == 750ms);
  CHECK(b.ended(1, 500ms) == 500ms);
  CHECK(b.ended(1, 24h) == 60s);
  CHECK(b.ended(1, 0ms) == 100ms);  // no busy loop
}

TEST_CASE("backoff: no attempts, no waits", "[sansio]") {
  backoff b(reconnect_options().attempts(0));
  CHECK_FALSE(b.failed(0));
  CHECK_FALSE(b.ended(0));
}

TEST_CASE("backoff: large numbers do no harm", "[sansio]") {
  backoff b(reconnect_options().delay(1s, 1e9, 30s).attempts(1000));
  for (int i = 0; i < 1000; ++i) {
    auto const wait = b.failed(0);
    REQUIRE(wait);
    CHECK(*wait <= 30s);
    CHECK(*wait >= 1s);
  }
}
