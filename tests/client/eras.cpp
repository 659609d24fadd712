// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which era a server speaks, end to end: PROTOCOL.md, "Which era", byte streams.
#include <comcp/client/connect.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_server;
using comcp::test::script;
using strings = std::vector<std::string>;

namespace {

std::string const unsupported_data = R"({"supported":["2026-07-28"],"requested":"2026-07-28"})";

era_verdict verdict_of(era e, std::vector<protocol_version> v, std::chrono::hours age = 1h) {
  era_verdict out;
  out.era = e;
  out.versions = std::move(v);
  out.date = std::chrono::system_clock::now() - age;
  return out;
}

}  // namespace

TEST_CASE("eras: silence past the probe timeout is legacy", "[client]") {
  conversation c;
  script s;
  s.expect("server/discover").as("probe").expect("initialize").reply(initialize_text("2025-11-25"));
  s.expect("notifications/initialized");
  s.reply_to("probe", discover_text());  // after the end: late, dropped
  auto const o = c.start(c.connected(s.transport(), no_handler(), c.options().probe_timeout(5s)));
  c.advance(4999ms);
  CHECK(s.sent_names() == strings{"server/discover"});
  c.advance(1ms);
  REQUIRE(o->ok());
  CHECK((*o)->era() == era::legacy);
  CHECK((*o)->statistics().late == 1);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("eras: where nothing can be fallen back to, a slow server has the handshake's timeout", "[client]") {
  bool const pin = GENERATE(true, false);
  conversation c;
  auto o = c.options().handshake_timeout(30s);
  if (pin) {
    o.pinned(version::v2026_07_28);
  } else {
    o.allowed_versions({version::v2026_07_28});
  }
  SECTION("it comes") {
    script s;
    s.expect("server/discover").as("probe").then([&] { c.clock->advance(29s); });
    s.reply_to("probe", discover_text());
    auto const client = c.start(c.connected(s.transport(), no_handler(), o));
    REQUIRE(client->ok());
    CHECK((*client)->era() == era::modern);
  }
  SECTION("it never comes") {
    script s;
    s.expect("server/discover");
    auto const client = c.start(c.connected(s.transport(), no_handler(), o));
    c.advance(29999ms);
    CHECK_FALSE(client->done());
    c.advance(1ms);
    CHECK(client->error() == errc::timeout);
    CHECK(s.sent_names() == strings{"server/discover"});
  }
}

TEST_CASE("eras: a modern server whose discover fails is told by that, not by its refusal of initialize", "[client]") {
  conversation c;
  script s;
  s.expect("server/discover").fail(-32603, "database is down");
  s.expect("initialize").fail(-32022, "no", unsupported_data);
  s.expect("server/discover").fail(-32603, "still down");
  auto const client = c.connect(s.transport(), c.options());
  REQUIRE_FALSE(client);
  REQUIRE(client.error().peer());
  CHECK(client.error().peer()->message == "database is down");
  CHECK(s.verdict() == all_well);
}

TEST_CASE("eras: a late DiscoverResult decides for modern while initialize is unanswered", "[client]") {
  conversation c;
  script s;
  s.expect("server/discover").as("probe").expect("initialize").as("init");
  s.reply_to("probe", discover_text()).reply_to("init", initialize_text("2025-11-25"));
  s.expect("tools/call").reply(tool_text);
  auto const o = c.start(c.connected(s.transport(), no_handler(), c.options()));
  c.advance(5s);
  REQUIRE(o->ok());
  CHECK((*o)->era() == era::modern);
  CHECK((*o)->server_info().name == "scripted");
  auto const r = c.finish((*o)->call_tool("x"));
  CHECK(r);
  CHECK((*o)->statistics().late == 1);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("eras: whatever a legacy server answers to the probe, it is legacy", "[client]") {
  auto const code = GENERATE(-32601, -32600, -32602, -32603, -32000, -32001, -32002, 0, 404);
  conversation c;
  script s;
  s.expect("server/discover").fail(code, "whatever").expect("initialize").reply(initialize_text("2024-11-05"));
  s.expect("notifications/initialized");
  auto client = c.connect(s.transport());
  REQUIRE(client);
  CHECK(client->protocol_version() == version::v2024_11_05);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("eras: a result of server/discover that is none is no modern server", "[client]") {
  conversation c;
  script s;
  s.expect("server/discover").reply(R"({"hello":1})").expect("initialize").reply(initialize_text("2025-11-25"));
  s.expect("notifications/initialized");
  auto client = c.connect(s.transport());
  REQUIRE(client);
  CHECK(client->era() == era::legacy);
}

TEST_CASE("eras: an initialize error that names modern versions turns the verdict round once", "[client]") {
  conversation c;
  script s;
  s.expect("server/discover").expect("initialize").fail(-32022, "no", unsupported_data);
  SECTION("and the second probe is answered") {
    s.expect("server/discover").reply(discover_text());
    auto const o = c.start(c.connected(s.transport(), no_handler(), c.options()));
    c.advance(5s);
    REQUIRE(o->ok());
    CHECK((*o)->era() == era::modern);
  }
  SECTION("but not twice") {
    s.expect("server/discover").fail(-32601, "no").expect("initialize").fail(-32022, "no", unsupported_data);
    auto const o = c.start(c.connected(s.transport(), no_handler(), c.options()));
    c.advance(5s);
    REQUIRE(o->times == 1);
    CHECK(o->error() == errc::no_common_version);
  }
  CHECK(s.verdict() == all_well);
}

TEST_CASE("eras: a server that exits when probed is started again once, legacy", "[client]") {
  conversation c;
  script s;
  s.expect("server/discover").close();
  SECTION("and then works") {
    s.expect("initialize").reply(initialize_text("2025-11-25")).expect("notifications/initialized");
    auto client = c.connect(s.transport());
    REQUIRE(client);
    CHECK(client->era() == era::legacy);
    CHECK(s.opened() == 2);
  }
  SECTION("and exits again: that is the end") {
    s.expect("initialize").close(error(errc::transport_failed, "second exit"));
    auto client = c.connect(s.transport());
    REQUIRE_FALSE(client);
    CHECK(client.error().message() == "second exit");
    CHECK(s.opened() == 2);
  }
  CHECK(s.verdict() == all_well);
}

TEST_CASE("eras: -32022 to the probe is followed once", "[client]") {
  conversation c;
  script s;
  s.expect("server/discover").fail(-32022, "no", unsupported_data);
  s.expect("server/discover").fail(-32022, "no", unsupported_data);
  auto client = c.connect(s.transport());
  REQUIRE_FALSE(client);
  CHECK(client.error() == errc::no_common_version);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("eras: -32022 to any request is followed once with a supported version, even the one just sent", "[client]") {
  conversation c;
  auto s = modern_script();
  auto const same_version = [](json::value const& m) {
    return m["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as<std::string>() == "2026-07-28";
  };
  s.expect("tools/call", same_version).as("first").fail(-32022, "no", unsupported_data);
  s.expect("tools/call", same_version).as("second");
  SECTION("and then answered") {
    s.reply(tool_text);
    auto client = c.connect(s.transport());
    auto const r = c.finish(client->call_tool("x"));
    REQUIRE(r);
    CHECK(s.sent()[1]["id"] != s.sent()[2]["id"]);
  }
  SECTION("but not twice") {
    s.fail(-32022, "still no", unsupported_data);
    auto client = c.connect(s.transport());
    auto const r = c.finish(client->call_tool("x"));
    REQUIRE_FALSE(r);
    REQUIRE(r.error().peer());
    CHECK(r.error().peer()->code == -32022);
  }
  CHECK(s.verdict() == all_well);
}

TEST_CASE("eras: -32022 without a common version is an error that names both lists", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/list").fail(-32022, "no", R"({"supported":["2031-01-01"],"requested":"2026-07-28"})");
  auto client = c.connect(s.transport(), c.options().allowed_versions({version::v2026_07_28}));
  REQUIRE(client);
  auto const r = c.finish(client->list_tools());
  REQUIRE_FALSE(r);
  CHECK(r.error() == errc::no_common_version);
  CHECK_THAT(std::string(r.error().message()), match::contains("2031-01-01"));
  CHECK_THAT(std::string(r.error().message()), match::contains("2026-07-28"));
  CHECK(s.verdict() == all_well);
}

TEST_CASE("eras: a modern prior skips the probe, a legacy one initializes at once", "[client]") {
  conversation c;
  script s;
  SECTION("modern") {
    s.expect("tools/call").reply(tool_text);
    auto client = c.connect(s.transport(), c.options().prior(verdict_of(era::modern, {version::v2026_07_28}, 24h * 90)));
    REQUIRE(client);
    CHECK(s.sent().empty());
    CHECK(c.finish(client->call_tool("x")));
  }
  SECTION("legacy") {
    s.expect("initialize").reply(initialize_text("2025-11-25")).expect("notifications/initialized");
    auto client = c.connect(s.transport(), c.options().prior(verdict_of(era::legacy, {})));
    REQUIRE(client);
    CHECK(client->era() == era::legacy);
  }
  SECTION("legacy, but older than 24 hours") {
    s.expect("server/discover").reply(discover_text());
    auto client = c.connect(s.transport(), c.options().prior(verdict_of(era::legacy, {}, 25h)));
    REQUIRE(client);
    CHECK(client->era() == era::modern);
  }
  SECTION("legacy, and wrong meanwhile: probed again") {
    s.expect("initialize").fail(-32601, "no such method").expect("server/discover").reply(discover_text());
    auto client = c.connect(s.transport(), c.options().prior(verdict_of(era::legacy, {})));
    REQUIRE(client);
    CHECK(client->era() == era::modern);
  }
  CHECK(s.verdict() == all_well);
}

TEST_CASE("eras: a modern prior without a common version fails before anything is sent", "[client]") {
  conversation c;
  script s;
  auto client = c.connect(s.transport(), c.options().prior(verdict_of(era::modern, {})));
  REQUIRE_FALSE(client);
  CHECK(client.error() == errc::no_common_version);
  CHECK(s.sent().empty());
}

TEST_CASE("eras: a connection's verdict is a prior for the next one", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  auto first = c.connect(server.transport());
  REQUIRE(first);
  auto const learned = first->verdict();
  CHECK(learned.era == era::modern);
  CHECK(learned.versions.size() == supported_versions().size());
  (void)c.finish(first->close());
  auto second = c.connect(server.transport(), c.options().prior(learned));
  REQUIRE(second);
  CHECK(server.count("server/discover") == 1);
  CHECK(second->capabilities().supports("tools"));
  CHECK(second->server_info().name == "fake-server");
}

TEST_CASE("eras: a verdict that was a prior keeps its date, so that it expires", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  auto old = verdict_of(era::legacy, {}, 23h);
  old.authorization = "somebody";
  auto client = c.connect(server.transport(), c.options().prior(old));
  REQUIRE(client);
  CHECK(client->verdict().date == old.date);
  CHECK(client->verdict().authorization == "somebody");
}

TEST_CASE("eras: pinned versions", "[client]") {
  auto const v = protocol_version::at(GENERATE(range(std::size_t{0}, std::size_t{5})));
  conversation c;
  fake_server server(c.io.get_executor());
  auto client = c.connect(server.transport(), c.options().pinned(v));
  REQUIRE(client);
  CHECK(client->protocol_version() == v);
  CHECK(server.count("server/discover") == (v.era() == era::modern ? 1U : 0U));
  fake_server other(c.io.get_executor());
  other.versions({v == version::v2025_06_18 ? version::v2024_11_05 : version::v2025_06_18});
  auto refused = c.connect(other.transport(), c.options().pinned(v));
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == errc::no_common_version);
}

TEST_CASE("eras: the allowed set decides what is negotiated", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  auto old = c.connect(server.transport(), c.options().allowed_versions({version::v2025_03_26, version::v2024_11_05}));
  REQUIRE(old);
  CHECK(old->protocol_version() == version::v2025_03_26);
  CHECK(server.count("server/discover") == 0);
}

TEST_CASE("eras: an unsupported or missing version closes with an error naming both lists", "[client]") {
  auto const body = GENERATE(as<std::string>(), R"({"protocolVersion":"1999-12-31","capabilities":{},"serverInfo":{"name":"x","version":"1"}})",
                             R"({"capabilities":{},"serverInfo":{"name":"x","version":"1"}})");
  conversation c;
  script s;
  s.expect("initialize").reply(body);
  auto client = c.connect(s.transport(), c.options().legacy());
  REQUIRE_FALSE(client);
  CHECK(client.error() == errc::no_common_version);
  CHECK_THAT(std::string(client.error().message()), match::contains("2025-11-25"));
  CHECK(c.statuses.back() == "disconnected");
  CHECK(s.sent_names() == strings{"initialize"});
}

TEST_CASE("eras: in the modern era a request of the server is counted, reported and dropped", "[client]") {
  conversation c;
  auto s = modern_script();
  auto client = c.connect(s.transport());
  s.request("1", "ping").request("2", "roots/list");
  c.settle();
  s.request("3", "vendor/x");
  c.settle();
  CHECK(s.sent_names() == strings{"server/discover"});
  CHECK(client->statistics().requests == 3);
  CHECK(client->statistics().dropped == 3);
  CHECK(c.faults.size() == 3);
  CHECK(s.verdict() == all_well);
}
