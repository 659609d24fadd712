// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client whose restarts somebody else decides: when it asks, with which reason, and what follows from the answer.
#include <comcp/client/connect.hpp>

#include "support/conversation.hpp"
#include "support/severable.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {
struct asked {
  std::vector<comcp::error> reasons;
  std::optional<std::chrono::nanoseconds> wait = 1s;
  reconnect_hook policy() {
    return reconnect_hook([this](comcp::error const& why) {
      reasons.push_back(why);
      return wait;
    });
  }
};
}  // namespace

TEST_CASE("restart hook: it is asked at a loss and at each failed attempt, and says how long to wait", "[client]") {
  conversation c;
  auto s = legacy_script();
  asked hook;
  auto client = c.connect(s.transport(), c.options().reconnect(hook.policy()));
  CHECK(hook.reasons.empty());
  s.refuse_open(error(errc::connect_failed, "gone"));
  s.close(error(errc::transport_failed, "crashed"));
  c.settle();
  REQUIRE(hook.reasons.size() == 1);
  CHECK(hook.reasons[0].message() == "crashed");
  CHECK(client->status() == connection_status::connecting);
  hook.wait = 7s;
  c.advance(999ms);
  CHECK(hook.reasons.size() == 1);
  c.advance(1ms);
  REQUIRE(hook.reasons.size() == 2);
  CHECK(hook.reasons[1] == errc::connect_failed);
  auto const closed = c.start(end_of(*client));
  auto const waiting = c.start(client->list_tools());
  hook.wait.reset();
  c.advance(6999ms);
  CHECK_FALSE(closed->done());
  c.advance(1ms);
  REQUIRE(closed->ok());
  CHECK((*closed)->why.message() == "gone");
  CHECK(waiting->error().message() == "gone");
  CHECK(hook.reasons.size() == 3);
}

TEST_CASE("restart hook: the first connection asks nobody", "[client]") {
  conversation c;
  comcp::test::script s;
  s.refuse_open(error(errc::connect_failed, "none"));
  asked hook;
  auto const client = c.connect(s.transport(), c.options().reconnect(hook.policy()));
  REQUIRE_FALSE(client);
  CHECK(hook.reasons.empty());
}

TEST_CASE("restart hook: it goes on for ever where it wants, without one call in between", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  asked hook;
  auto client = c.connect(server.transport(), c.options().reconnect(hook.policy()));
  for (int i = 0; i != 50; ++i) {
    server.drop();
    c.settle();
    c.advance(1s);
    REQUIRE(client->status() == connection_status::ready);
  }
  CHECK(server.connections() == 51);
  CHECK(hook.reasons.size() == 50);
  CHECK(client->statistics().reconnects == 50);
}

TEST_CASE("restart hook: a server that dies while it is restored is a failed attempt", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().on("logging/setLevel", [&](fake_request const& r) {
    if (server.connections() == 2) return server.drop();
    r.reply(args());
  });
  asked hook;
  auto client = c.connect(server.transport(), c.options().log_level(log_level::warning).reconnect(hook.policy()));
  server.drop();
  c.settle();
  CHECK(hook.reasons.size() == 1);
  c.advance(1s);
  CHECK(hook.reasons.size() == 2);
  CHECK(client->status() == connection_status::connecting);
  c.advance(1s);
  CHECK(client->status() == connection_status::ready);
  CHECK(server.count("logging/setLevel") == 3);
}

TEST_CASE("restart hook: one that throws gives up, and that is a fault", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  auto client = c.connect(
      server.transport(),
      c.options().reconnect(reconnect_hook(
          [](comcp::error const&) -> std::optional<std::chrono::nanoseconds> { throw std::runtime_error("no"); })));
  server.drop();
  c.settle();
  CHECK(client->status() == connection_status::disconnected);
  CHECK(c.faults.size() == 1);
}

TEST_CASE("restart hook: it may close the client, or let go of it", "[client]") {
  bool const closes = GENERATE(true, false);
  conversation c;
  fake_server server(c.io.get_executor());
  std::optional<client> owned;
  std::function<void()> end = [&] {
    if (!closes) return owned.reset();
    asio::co_spawn(c.io, owned->close(), asio::detached);
  };
  auto connected = c.connect(
      server.transport(),
      c.options().reconnect(reconnect_hook([&](comcp::error const&) -> std::optional<std::chrono::nanoseconds> {
        end();
        return 1s;
      })));
  owned.emplace(std::move(*connected));
  auto const waiting = c.start(end_of(*owned));
  server.drop();
  c.settle();
  c.advance(10s);
  CHECK(waiting->done());
  CHECK(server.connections() == 1);
}

TEST_CASE("restart hook: a server that answers no ping is begun anew instead of closed", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().silent("ping");
  asked hook;
  auto client =
      c.connect(server.transport(),
                c.options().reconnect(hook.policy()).ping_interval(10s).ping_timeout(1s).ping_failure_threshold(2));
  for (int i = 0; i != 4; ++i) {
    c.advance(10s);
    c.advance(1s);
  }
  REQUIRE(hook.reasons.size() >= 1);
  CHECK(hook.reasons[0] == errc::timeout);
  CHECK(server.connections() == 2);
  CHECK(client->status() == connection_status::ready);
}

TEST_CASE("restart hook: too many unusable messages end the connection, not the client", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  asked hook;
  auto client =
      c.connect(server.transport(), c.options().reconnect(hook.policy()).limits(connection_limits().bad_lines(2)));
  for (int i = 0; i != 4; ++i) server.raw("}{");
  c.settle();
  REQUIRE(hook.reasons.size() == 1);
  CHECK(hook.reasons[0] == errc::protocol_violation);
  c.advance(1s);
  CHECK(client->status() == connection_status::ready);
  CHECK(server.connections() == 2);
}

TEST_CASE("restart hook: connect_timeout bounds opening and handshake together, at each attempt", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  asked hook;
  auto client = c.connect(server.transport(), c.options().reconnect(hook.policy()).connect_timeout(3s).legacy());
  server.silent("initialize");
  server.drop();
  c.settle();
  c.advance(1s);
  CHECK(server.connections() == 2);
  c.advance(2999ms);
  CHECK(hook.reasons.size() == 1);
  c.advance(1ms);
  REQUIRE(hook.reasons.size() == 2);
  CHECK(hook.reasons[1] == errc::timeout);
}

TEST_CASE("restart hook: it is not asked about what a client that goes away ends itself", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.silent("tools/call");
  asked hook;
  auto client = c.connect(severable(server), c.options().reconnect(hook.policy()));
  auto const call = c.start(client->call_tool("x"));
  c.io.restart();  // home is there, and elsewhere
  client = result<comcp::client>(comcp::client());
  c.settle();
  CHECK(call->error() == errc::closed);
  CHECK(hook.reasons.empty());
  CHECK(server.connections() == 1);
}
