// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/prometheus.hpp>

#include "support/catch.hpp"
#include "support/promtool.hpp"

using namespace comcp;

TEST_CASE("prometheus: a client's statistics are metrics without a fault", "[client]") {
  statistics s;
  s.pending = 1;
  s.oldest_pending = std::chrono::milliseconds(2500);
  s.tracked = 7;
  s.timed_out = 2;
  s.bytes_in = 1ULL << 40;
  auto const text = to_prometheus(s, {{"server", "a\"b"}});
  CHECK_THAT(text, match::contains("\ncomcp_client_calls_pending{server=\"a\\\"b\"} 1\n"));
  CHECK_THAT(text, match::contains("\ncomcp_client_oldest_pending_call_seconds{server=\"a\\\"b\"} 2.5\n"));
  CHECK_THAT(text, match::contains("\ncomcp_client_calls_ended_total{outcome=\"timed_out\",server=\"a\\\"b\"} 2\n"));
  CHECK_THAT(text, match::contains("\ncomcp_client_received_bytes_total{server=\"a\\\"b\"} 1099511627776\n"));
  CHECK_THAT(to_prometheus(s), match::contains("\ncomcp_client_calls_total 7\n"));
  prometheus_text two;
  add_metrics(two, s, {{"server", "a"}});
  add_metrics(two, s, {{"server", "b"}});
  COMCP_NEED_PROMTOOL();
  CHECK(comcp_test::complaints(text).empty());
  CHECK(comcp_test::complaints(two.text()).empty());
}
