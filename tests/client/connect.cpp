// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/connect.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::script;
using strings = std::vector<std::string>;

TEST_CASE("connect: a modern server needs one exchange and gets no initialized", "[client]") {
  conversation c;
  auto s = modern_script();
  auto client = c.connect(s.transport());
  REQUIRE(client);
  CHECK(client->era() == era::modern);
  CHECK(client->protocol_version() == version::v2026_07_28);
  CHECK(client->server_info().name == "scripted");
  CHECK(client->capabilities().supports("tools"));
  CHECK(client->status() == connection_status::ready);
  CHECK(c.statuses == strings{"connecting", "initializing", "ready"});
  CHECK(s.sent_names() == strings{"server/discover"});
  CHECK(s.verdict() == all_well);
}

TEST_CASE("connect: a legacy server is initialized after the probe failed", "[client]") {
  conversation c;
  auto s = legacy_script("2025-06-18", R"({"tools":{}})");
  auto client = c.connect(s.transport());
  REQUIRE(client);
  CHECK(client->era() == era::legacy);
  CHECK(client->protocol_version() == version::v2025_06_18);
  CHECK(client->server_info().version == "1");
  CHECK_FALSE(client->capabilities().supports("prompts"));
  CHECK(s.sent_names() == strings{"server/discover", "initialize", "notifications/initialized"});
  auto const params = s.sent()[1]["params"];
  CHECK(params["protocolVersion"].as<std::string>() == "2025-11-25");
  CHECK(params["clientInfo"]["name"].as<std::string>() == "comcp");
  CHECK(params["capabilities"].is_object());
  CHECK(s.verdict() == all_well);
}

TEST_CASE("connect: a transport that does not open gives its own error, and nothing was sent", "[client]") {
  conversation c;
  script s;
  s.refuse_open(error(errc::connect_failed, "no such command"));
  auto client = c.connect(s.transport());
  REQUIRE_FALSE(client);
  CHECK(client.error() == errc::connect_failed);
  CHECK(client.error().message() == "no such command");
  CHECK(s.sent().empty());
  CHECK(c.statuses.back() == "disconnected");
}

TEST_CASE("connect: opening is bounded by open_timeout", "[client]") {
  conversation c;
  script s;
  s.never_opens();
  auto const o = c.start(c.connected(s.transport(), no_handler(), c.options().open_timeout(3s)));
  c.advance(2999ms);
  CHECK_FALSE(o->done());
  c.advance(1ms);
  REQUIRE(o->times == 1);
  CHECK(o->error() == errc::timeout);
}

TEST_CASE("connect: the handshake is bounded by handshake_timeout", "[client]") {
  conversation c;
  script s;
  s.expect("initialize");
  auto const o = c.start(c.connected(s.transport(), no_handler(), c.options().legacy().handshake_timeout(7s)));
  c.advance(6999ms);
  CHECK_FALSE(o->done());
  c.advance(1ms);
  REQUIRE(o->times == 1);
  CHECK(o->error() == errc::timeout);
  CHECK(s.sent_names() == strings{"initialize"});  // never cancelled on the wire
  CHECK(s.verdict() == all_well);
}

TEST_CASE("connect: a cancelled connect closes, and neither probe nor initialize is cancelled on the wire", "[client]") {
  conversation c;
  script s;
  s.expect("server/discover");
  SECTION("during the probe") {}
  SECTION("during initialize") {
    s.fail(-32601, "no").expect("initialize");
  }
  auto const o = c.start(c.connected(s.transport(), no_handler(), c.options()));
  auto const sent = s.sent().size();
  CHECK_FALSE(o->done());
  o->cancel();
  c.settle();
  REQUIRE(o->times == 1);
  CHECK(o->error() == errc::cancelled);
  CHECK(s.sent().size() == sent);
  CHECK(c.statuses.back() == "disconnected");
  CHECK(s.verdict() == all_well);
}

TEST_CASE("connect: cancelled while the transport opens", "[client]") {
  conversation c;
  script s;
  s.never_opens();
  auto const o = c.start(c.connected(s.transport(), no_handler(), c.options()));
  o->cancel();
  c.settle();
  REQUIRE(o->times == 1);
  CHECK(o->error() == errc::cancelled);
}

TEST_CASE("connect: whoever connected in vain can still be cancelled afterwards", "[client]") {
  conversation c;
  script s;
  s.refuse_open(error(errc::connect_failed));
  bool failed = false;
  asio::steady_timer never(c.io, asio::steady_timer::time_point::max());
  auto const retry_later = [&]() -> asio::awaitable<void> {
    auto const got = co_await as_result(c.connected(s.transport(), no_handler(), c.options()));
    failed = !got.has_value();
    co_await never.async_wait(asio::use_awaitable);
  };
  auto const o = c.start(retry_later());
  REQUIRE(failed);
  CHECK_FALSE(o->done());
  o->cancel();
  c.settle();
  CHECK(o->error() == errc::cancelled);
}

TEST_CASE("connect: a channel that closes during the handshake fails connect with the transport's reason", "[client]") {
  conversation c;
  script s;
  s.expect("initialize").close(error(errc::transport_failed, "exit status 3"));
  auto client = c.connect(s.transport(), c.options().legacy());
  REQUIRE_FALSE(client);
  CHECK(client.error() == errc::transport_failed);
  CHECK(client.error().message() == "exit status 3");
  CHECK(s.opened() == 1);
}

TEST_CASE("connect: a handshake that never came counts what came in its place", "[client]") {
  conversation c;
  script s;
  s.expect("server/discover").raw("Content-Length: 52").raw("{").expect("initialize").raw("ready");
  auto const o = c.start(c.connected(s.transport(), no_handler(), c.options()));
  c.advance(5s);
  CHECK_FALSE(o->done());
  c.advance(30s);
  REQUIRE(o->done());
  CHECK(o->error() == errc::timeout);
  CHECK_THAT(std::string(o->error().message()),
             match::contains("not finished in time") && match::contains("3, the first: not JSON: Content-Length: 52"));
}

TEST_CASE("connect: an answer to initialize that is none of its shape is a protocol violation", "[client]") {
  auto const body = GENERATE(as<std::string>(), R"({"protocolVersion":"2025-11-25"})",
                             R"({"protocolVersion":"2025-11-25","capabilities":[],"serverInfo":{"name":"x","version":"1"}})");
  conversation c;
  script s;
  s.expect("initialize").reply(body);
  auto client = c.connect(s.transport(), c.options().legacy());
  REQUIRE_FALSE(client);
  CHECK(client.error() == errc::protocol_violation);
}

TEST_CASE("connect: ping is answered before the handshake ends, and vendor requests are refused", "[client]") {
  conversation c;
  script s;
  s.expect("initialize").request("\"p-1\"", "ping");
  s.expect("result", [](json::value const& m) { return m["id"].as<std::string>() == "p-1" && m["result"].size() == 0; });
  s.request("2", "vendor/x").expect("error", [](json::value const& m) { return m["error"]["code"].as_int64() == -32601; });
  s.raw(R"({"jsonrpc":"2.0","id":0,"result":)" + initialize_text("2025-11-25") + "}");
  auto const o = c.start(c.connected(s.transport(), no_handler(), c.options().legacy()));
  CHECK_FALSE(o->done());  // id 0 is nobody's
  CHECK(s.verdict() == all_well);
}

TEST_CASE("connect: a client that was never connected has nothing to tell", "[client]") {
  conversation c;
  client none;
  CHECK(none.status() == connection_status::disconnected);
  CHECK_THROWS_AS(none.server_info(), comcp::exception);
  CHECK_THROWS_AS(none.statistics(), comcp::exception);
}

TEST_CASE("connect: the server's name is taken from any modern result", "[client]") {
  conversation c;
  script s;
  s.expect("tools/call").reply(
      R"({"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"late","version":"9"}}})");
  era_verdict prior;
  prior.era = era::modern;
  prior.versions = {version::v2026_07_28};
  auto client = c.connect(s.transport(), c.options().prior(prior));
  REQUIRE(client);
  CHECK(client->server_info().name.empty());
  CHECK(c.finish(client->call_tool("x")));
  CHECK(client->server_info().name == "late");
}
