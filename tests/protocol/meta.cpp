// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/protocol/meta.hpp>

#include "support/catch.hpp"

using namespace comcp;

TEST_CASE("meta: keys that follow the naming rule may be set", "[protocol]") {
  for (auto const* key :
       {"a", "A9", "a.b-c_d", "com.example/key", "com.example/", "com.example.mcp/x", "example-1.org/a.b", "mcp/x",
        "modelcontextprotocol/x", "mcp.example/x", "traceparent", "tracestate", "baggage", "", "dev.mcp/x",
        "io.modelcontextprotocol/ui", "io.modelcontextprotocol/related-task"}) {
    INFO(key);
    CHECK(check_meta_key(key).has_value());
  }
}

TEST_CASE("meta: keys that break the rule are refused", "[protocol]") {
  for (auto const* key : {"-a", "a-", "_a", "a b", "a/b/c", "/a", ".com/a", "com./a", "1com/a", "com-/a", "c_m/a",
                          "com..x/a", "a\xC3\xA9", "com.example/a!", "a\n"}) {
    INFO(key);
    auto const checked = check_meta_key(key);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error() == errc::invalid_argument);
  }
}

TEST_CASE("meta: the keys that comcp writes itself are refused", "[protocol]") {
  for (auto const key : {meta_key::progress_token, meta_key::protocol_version, meta_key::client_info,
                         meta_key::client_capabilities, meta_key::log_level}) {
    INFO(key);
    CHECK(check_meta_key(key).error() == errc::invalid_argument);
  }
}

TEST_CASE("meta: a whole object is checked", "[protocol]") {
  auto const good = json::parse(R"({"com.example/a":1,"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})").value();
  auto const bad = json::parse(R"({"com.example/a":1,"progressToken":2})").value();
  auto const list = json::parse("[]").value();
  CHECK(check_user_meta(good).has_value());
  CHECK_THAT(check_user_meta(bad).error().to_string(), match::contains("progressToken"));
  CHECK_FALSE(check_user_meta(list).has_value());
  CHECK(check_user_meta(json::view()).has_value());
}

TEST_CASE("meta: trace context and baggage are W3C text", "[protocol]") {
  auto const is_sound = [](std::string_view key, std::string_view text) {
    return check_meta(key, json::to_text(std::string(text))).has_value();
  };
  std::string const ids = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7";
  for (auto const& good : {"00-" + ids + "-01", "00-" + ids + "-00", "cc-" + ids + "-01-what.comes-later"})
    CHECK(is_sound("traceparent", good));
  for (auto const& bad : {std::string(), "00-" + ids, "00-" + ids + "-01-x", "ff-" + ids + "-01", "00-" + ids + "-0G",
                          std::string("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"), "00-" + ids + "-01\r\nX: y",
                          "00-" + std::string(32, '0') + "-00f067aa0ba902b7-01",
                          "00-4bf92f3577b34da6a3ce929d0e0e4736-" + std::string(16, '0') + "-01", "cc-" + ids + "-01x"}) {
    INFO(bad);
    CHECK_FALSE(is_sound("traceparent", bad));
  }
  for (auto const* const good : {"", "a=1", "a@b@c=1", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "fw529a3039@dt=FfffDE, ,b=x y"})
    CHECK(is_sound("tracestate", good));
  std::string many = "a=1";
  for (int i = 0; i != 32; ++i) many += ",k" + std::to_string(i) + "=v";
  for (auto const& bad : {std::string("a"), std::string("=1"), std::string("A=1"), std::string("a=1=2"), std::string("a="),
                          std::string("a=\n"), std::string("@a=1"), "a=" + std::string(257, 'x'), many}) {
    INFO(bad);
    CHECK_FALSE(is_sound("tracestate", bad));
  }
  for (auto const* const good : {"userId=alice", "k=", "a=%20x;p;q=1 , b = 2 ;r"}) CHECK(is_sound("baggage", good));
  for (auto const& bad : {std::string(), std::string("a"), std::string("a=1,"), std::string("a b=1"), std::string("a=x y"),
                          std::string("a=\"x\""), std::string("a=\xC3\xA9"), "a=" + std::string(8200, 'x')}) {
    INFO(bad);
    CHECK_FALSE(is_sound("baggage", bad));
  }
  CHECK_FALSE(check_meta("traceparent", "7").has_value());
  CHECK(check_meta("com.example/a", "7").has_value());
}

TEST_CASE("meta: the reserved contents are typed", "[protocol]") {
  auto const v = json::parse(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
    "io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},
    "io.modelcontextprotocol/clientCapabilities":{"roots":{}},
    "io.modelcontextprotocol/logLevel":"warning","progressToken":"t","com.example/x":1})")
                     .value();
  auto const meta = v.as<request_meta>();
  CHECK(meta.protocol_version == "2026-07-28");
  CHECK(meta.client_info->name == "c");
  CHECK(meta.client_capabilities->roots.has_value());
  CHECK(meta.log_level == log_level::warning);
  CHECK(meta.progress_token == peer_id("t"));
  CHECK(json::to_value(meta) == v);
}

TEST_CASE("meta: the server's name and the subscription are found, and garbage is not", "[protocol]") {
  auto const good = json::parse(R"({"io.modelcontextprotocol/serverInfo":{"name":"s","version":"2"},
    "io.modelcontextprotocol/subscriptionId":7})")
                        .value();
  auto const bad = json::parse(R"({"io.modelcontextprotocol/serverInfo":"s",
    "io.modelcontextprotocol/subscriptionId":{}})")
                       .value();
  CHECK(server_info_of(good)->name == "s");
  CHECK(subscription_id_of(good) == peer_id(7));
  CHECK_FALSE(server_info_of(bad).has_value());
  CHECK_FALSE(subscription_id_of(bad).has_value());
  CHECK_FALSE(server_info_of(json::view()).has_value());
}

TEST_CASE("meta: an id keeps its kind", "[protocol]") {
  CHECK(peer_id(1) != peer_id("1"));
  CHECK(json::to_text(peer_id(1)) == "1");
  CHECK(json::to_text(peer_id("1")) == "\"1\"");
  CHECK(peer_id(-5).to_string() == "-5");
  auto const odd = json::parse("[1.5]").value();
  CHECK_FALSE(odd[0].get<peer_id>().has_value());
}
