// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a registry counts, and the metrics made of it.
#include <comcp/registry/prometheus.hpp>

#include "registry/house.hpp"
#include "support/promtool.hpp"

using namespace comcp;
using namespace comcp_test;

TEST_CASE("statistics: a registry tells of each server how it stands, what it lists and what its client counts", "[registry]") {
  house h;
  auto r = h.make();
  CHECK(r.statistics().total == 0);
  auto const good = h.server({"echo", "add"});
  REQUIRE(h.finish(r.add("good", h.config(good))));
  REQUIRE(h.finish(r.add("lazy", h.config(h.server()).lazy())));
  REQUIRE(h.finish(r.call("good/echo")));
  auto const now = r.statistics();
  CHECK(now.total == 2);
  CHECK(now.ready == 1);
  REQUIRE(now.servers.size() == 2);
  auto const& s = now.servers[0];
  CHECK(s.name == "good");
  CHECK(s.state == server_state::ready);
  CHECK(s.starts == 1);
  CHECK(s.tools == 2);
  CHECK(s.resources == 0);
  REQUIRE(s.calls.has_value());
  CHECK(s.calls->completed >= 1);
  CHECK(now.servers[1].state == server_state::stopped);
  CHECK_FALSE(now.servers[1].calls.has_value());
  auto const text = to_prometheus(now);
  CHECK_THAT(text, match::contains("\ncomcp_registry_server_state{server=\"good\",state=\"ready\"} 1\n"));
  CHECK_THAT(text, match::contains("\ncomcp_registry_server_state{server=\"lazy\",state=\"ready\"} 0\n"));
  CHECK_THAT(text, match::contains("\ncomcp_registry_catalog_entries{kind=\"tools\",server=\"good\"} 2\n"));
  CHECK_THAT(text, match::contains("\ncomcp_client_reconnects_total{server=\"good\"} 0\n"));
  REQUIRE(h.finish(r.remove("good")));
  CHECK(r.statistics().servers.size() == 1);
  auto const gone = std::move(r);
  CHECK_THROWS_AS(r.statistics(), exception);  // NOLINT: what is moved from says so
  COMCP_NEED_PROMTOOL();
  CHECK(complaints(text).empty());
}

TEST_CASE("statistics: a server's name is whatever it is, and the metrics stay metrics", "[registry]") {
  registry_statistics s;
  for (auto const* const name : {"a\nb", "\"} 1", "\\", "\xFF\xFE", "{server=\"x\"}", "", "\xC3\xA9"}) {
    auto& one = s.servers.emplace_back();
    one.name = name;
    one.calls.emplace();
  }
  auto const text = to_prometheus(s, {{"registry", "r\n"}});
  CHECK_THAT(text, match::contains("comcp_registry_server_failures{registry=\"r\\n\",server=\"a\\nb\"} 0\n"));
  COMCP_NEED_PROMTOOL();
  CHECK(complaints(text).empty());
}
