// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/wire/modern.hpp>

#include "support/catch.hpp"

using namespace comcp;

TEST_CASE("modern: every request carries version, client info and capabilities", "[wire]") {
  implementation const info("me", "1.2");
  wire::modern const codec(version::v2026_07_28, &info, R"({"roots":{}})");
  auto const sent = json::parse(codec.request(7, "tools/call", R"({"name":"x"})", {})).value();
  auto const wanted = json::parse(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","_meta":{
    "io.modelcontextprotocol/protocolVersion":"2026-07-28",
    "io.modelcontextprotocol/clientInfo":{"name":"me","version":"1.2"},
    "io.modelcontextprotocol/clientCapabilities":{"roots":{}}}}})").value();
  CHECK(sent == wanted);
}

TEST_CASE("modern: client info can be left out; level, progress and user entries are added", "[wire]") {
  wire::modern const codec(version::v2026_07_28, nullptr, "{}");
  wire::request_meta meta;
  meta.progress = true;
  meta.level = log_level::warning;
  std::vector<std::pair<std::string, std::string>> const user = {{"example.com/k", "true"}};
  meta.user = &user;
  auto const sent = json::parse(codec.request(7, "tools/list", {}, meta)).value();
  auto const wanted = json::parse(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
    "io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"warning",
    "progressToken":7,"example.com/k":true})").value();
  CHECK(sent["params"]["_meta"] == wanted);
}

TEST_CASE("modern: what the era does not have is not offered", "[wire]") {
  wire::modern const codec(version::v2026_07_28, nullptr, "{}");
  for (auto const* const method : {"ping", "initialize", "logging/setLevel", "resources/subscribe",
                                   "resources/unsubscribe", "tasks/list", "roots/list"}) {
    INFO(method);
    CHECK_FALSE(codec.offers(method));
  }
  for (auto const* const method : {"server/discover", "tools/list", "tools/call", "resources/read", "prompts/get",
                                   "completion/complete", "subscriptions/listen", "vendor/x"}) {
    INFO(method);
    CHECK(codec.offers(method));
  }
}

TEST_CASE("modern: resultType absent means complete, an unknown one is an error", "[wire]") {
  wire::modern const codec(version::v2026_07_28, nullptr, "{}");
  auto const kind_of = [&](char const* method, char const* text) {
    auto const v = json::parse(text).value();
    return codec.classify(method, v);
  };
  CHECK(kind_of("tools/call", "{}").value() == wire::result_kind::complete);
  CHECK(kind_of("tools/call", R"({"resultType":"complete"})").value() == wire::result_kind::complete);
  CHECK(kind_of("tools/call", R"({"resultType":"later"})").error() == errc::protocol_violation);
  CHECK(kind_of("tools/call", R"({"resultType":7})").error() == errc::protocol_violation);
  CHECK(kind_of("tools/call", R"({"resultType":null})").error() == errc::protocol_violation);
  CHECK(kind_of("tools/call", "[]").error() == errc::protocol_violation);
}

TEST_CASE("modern: input_required is legal on tools/call, prompts/get and resources/read alone", "[wire]") {
  wire::modern const codec(version::v2026_07_28, nullptr, "{}");
  auto const v = json::parse(R"({"resultType":"input_required"})").value();
  for (auto const* const method : {"tools/call", "prompts/get", "resources/read"}) {
    CHECK(codec.classify(method, v).value() == wire::result_kind::input_required);
  }
  for (auto const* const method : {"tools/list", "completion/complete", "vendor/x", "server/discover"}) {
    CHECK(codec.classify(method, v).error() == errc::protocol_violation);
  }
}
