// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/connect.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_server;

namespace {
connect_options pinging(conversation& c) {
  return c.options().ping_interval(60s).ping_timeout(5s).ping_failure_threshold(2);
}
}  // namespace

TEST_CASE("keep_alive: an idle connection is asked, by ping or, in the modern era, by server/discover", "[client]") {
  bool const modern = GENERATE(false, true);
  conversation c;
  fake_server server(c.io.get_executor());
  modern ? server.modern() : server.legacy();
  auto client = c.connect(server.transport(), pinging(c));
  REQUIRE(client);
  std::string const method = modern ? "server/discover" : "ping";
  auto const before = server.count(method);
  c.advance(59s);
  CHECK(server.count(method) == before);
  for (int i = 0; i != 5; ++i) c.advance(60s);
  CHECK(server.count(method) > before + 1);
  CHECK(client->status() == connection_status::ready);
}

TEST_CASE("keep_alive: a connection that is busy is not asked", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  auto client = c.connect(server.transport(), pinging(c));
  for (int i = 0; i != 6; ++i) {
    server.notify("notifications/message", json::raw(R"({"level":"info","data":1})"));
    c.advance(60s);
  }
  CHECK(server.count("ping") == 0);
}

TEST_CASE("keep_alive: so many silent pings in a row close the connection", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().silent("ping");
  auto client = c.connect(server.transport(), pinging(c));
  auto const closed = c.start(end_of(*client));
  c.advance(60s);  // the handshake's traffic was there
  c.advance(60s);
  CHECK(server.count("ping") == 1);
  c.advance(5s);
  CHECK_FALSE(closed->done());
  c.advance(60s);
  CHECK(server.count("ping") == 2);
  c.advance(5s);
  REQUIRE(closed->ok());
  CHECK((*closed)->why == errc::timeout);
}

TEST_CASE("keep_alive: an error answer is an answer", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().on("ping", [](comcp::test::fake_request r) { r.fail(-32601, "no ping here"); });
  auto client = c.connect(server.transport(), pinging(c));
  for (int i = 0; i != 10; ++i) c.advance(60s);
  CHECK(server.count("ping") >= 3);
  CHECK(client->status() == connection_status::ready);
}

TEST_CASE("keep_alive: it ends with the client", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  auto client = c.connect(server.transport(), pinging(c));
  CHECK(c.finish(client->close()));
  CHECK_FALSE(c.clock->next_deadline());
  c.advance(600s);
  CHECK(client->status() == connection_status::disconnected);
}

TEST_CASE("keep_alive: a restart in the middle of a ping does not double it", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().silent("ping");
  auto const again = reconnect_policy().jitter(0).attempts(9).delay(100ms, 1s);
  auto client = c.connect(server.transport(), pinging(c).ping_failure_threshold(100).reconnect(again));
  c.advance(60s);
  c.advance(60s);
  REQUIRE(server.count("ping") == 1);
  server.drop();
  c.settle();
  c.advance(100ms);
  REQUIRE(client->status() == connection_status::ready);
  for (int i = 0; i != 3; ++i) {
    auto const before = server.count("ping");
    c.advance(60s);
    c.advance(5s);
    CHECK(server.count("ping") <= before + 1);
  }
  CHECK(server.count("ping") > 1);
}

TEST_CASE("keep_alive: an interval of zero, and one without end, are none", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto const never = GENERATE(std::chrono::seconds(0), std::chrono::seconds::max());
  auto client = c.connect(s.transport(), c.options().ping_interval(60s).ping_interval(never));
  c.advance(1h);
  CHECK(s.verdict() == all_well);
  CHECK(client->status() == connection_status::ready);
}
