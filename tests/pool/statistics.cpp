// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a pool counts, and the metrics made of it.
#include <comcp/pool/prometheus.hpp>

#include "pool/crew.hpp"
#include "support/promtool.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;

TEST_CASE("statistics: a pool tells who waits, who is busy, and what its clients count", "[pool]") {
  crew c;
  std::vector<fake_request> handshakes;
  auto const configs = c.configs(2);
  for (auto& s : c.servers) s.on("server/discover", [&](fake_request r) { handshakes.push_back(r); });
  pool const p(c.io.get_executor(), configs, c.pooled());
  auto const first = c.start(p.call_tool("hang"));
  auto const second = c.start(p.checkout(2s));
  CHECK(p.stats().waiting == 2);
  CHECK_FALSE(p.stats().members.at(0).calls.has_value());
  c.advance(3s);
  CHECK_FALSE(second->ok());
  CHECK(p.stats().waiting == 1);
  REQUIRE(handshakes.size() == 2);
  handshakes[0].reply(json::raw(discover_text()));
  c.settle();
  auto const now = p.stats();
  CHECK(now.waiting == 0);
  CHECK(now.busy == 1);
  CHECK(now.members.at(0).starts == 1);
  REQUIRE(now.members.at(0).calls.has_value());
  CHECK(now.members.at(0).calls->pending == 1);
  CHECK(now.members.at(1).starts == 0);
  auto const text = to_prometheus(now, {{"pool", "x"}});
  CHECK_THAT(text, match::contains("\ncomcp_pool_connections_busy{pool=\"x\"} 1\n"));
  CHECK_THAT(text, match::contains("\ncomcp_client_calls_pending{member=\"1\",pool=\"x\"} 1\n"));
  c.let_go(0);
  CHECK(first->ok());
  CHECK(p.stats().busy == 0);
  COMCP_NEED_PROMTOOL();
  CHECK(complaints(text).empty());
}

TEST_CASE("statistics: who stops waiting for a pool is counted no more", "[pool]") {
  crew c;
  auto const configs = c.configs(1);
  c.servers[0].on("server/discover", [](fake_request) {});
  pool p(c.io.get_executor(), configs, c.pooled());
  auto const waits = c.start(p.call_tool("who"));
  CHECK(p.stats().waiting == 1);
  waits->cancel();
  c.settle();
  CHECK(p.stats().waiting == 0);
  auto const again = c.start(p.call_tool("who"));
  CHECK(p.stats().waiting == 1);
  CHECK(c.finish(p.close()));
  CHECK(again->done());
  CHECK(p.stats().waiting == 0);
}
