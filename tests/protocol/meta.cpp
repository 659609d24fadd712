// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/protocol/meta.hpp>

#include "support/catch.hpp"

using namespace comcp;

TEST_CASE("meta: keys that follow the naming rule may be set", "[protocol]") {
  for (auto const* key :
       {"a", "A9", "a.b-c_d", "com.example/key", "com.example/", "com.example.mcp/x", "example-1.org/a.b", "mcp/x",
        "modelcontextprotocol/x", "mcp.example/x", "traceparent", "tracestate", "baggage", ""}) {
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

TEST_CASE("meta: reserved keys are refused", "[protocol]") {
  for (auto const key : {meta_key::progress_token, meta_key::protocol_version, meta_key::client_info,
                         meta_key::client_capabilities, meta_key::log_level, meta_key::server_info,
                         meta_key::subscription_id, meta_key::related_task, std::string_view("dev.mcp/x"),
                         std::string_view("com.mcp.tools/x"), std::string_view("org.modelcontextprotocol.api/x")}) {
    INFO(key);
    CHECK(check_meta_key(key).error() == errc::invalid_argument);
  }
}

TEST_CASE("meta: a whole object is checked", "[protocol]") {
  auto const good = json::parse(R"({"com.example/a":1,"traceparent":"00-ab-cd-01"})").value();
  auto const bad = json::parse(R"({"com.example/a":1,"progressToken":2})").value();
  auto const list = json::parse("[]").value();
  CHECK(check_user_meta(good).has_value());
  CHECK_THAT(check_user_meta(bad).error().to_string(), match::contains("progressToken"));
  CHECK_FALSE(check_user_meta(list).has_value());
  CHECK(check_user_meta(json::view()).has_value());
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
