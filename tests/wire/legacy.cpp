// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/wire/legacy.hpp>

#include "support/catch.hpp"

using namespace comcp;
using meta_list = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("legacy: a request carries nothing but what the caller wants", "[wire]") {
  wire::legacy const codec(version::v2025_11_25);
  CHECK(codec.request(1, "ping", {}, {}) == R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  CHECK(codec.request(2, "tools/call", R"({"name":"x"})", {}) ==
        R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}})");
  CHECK(codec.request(3, "tools/list", "{}", {}) == R"({"jsonrpc":"2.0","id":3,"method":"tools/list"})");
  wire::request_meta meta;
  meta.progress = true;
  meta.level = log_level::debug;  // modern only
  CHECK(codec.request(4, "tools/call", R"({"name":"x"})", meta) ==
        R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":4}}})");
  meta_list const user = {{"example.com/k", "[1]"}};
  meta.user = &user;
  CHECK(codec.request(5, "tools/list", {}, meta) ==
        R"({"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"_meta":{"progressToken":5,"example.com/k":[1]}}})");
}

TEST_CASE("legacy: it has no discover, no listen, and tasks only in 2025-11-25", "[wire]") {
  wire::legacy const newest(version::v2025_11_25);
  wire::legacy const old(version::v2024_11_05);
  for (auto const* const method : {"server/discover", "subscriptions/listen"}) {
    CHECK_FALSE(newest.offers(method));
    CHECK_FALSE(old.offers(method));
  }
  for (auto const* const method : {"ping", "tools/list", "completion/complete", "logging/setLevel", "resources/subscribe"}) {
    CHECK(newest.offers(method));
    CHECK(old.offers(method));
  }
  CHECK(newest.offers("tasks/get"));
  CHECK_FALSE(old.offers("tasks/get"));
  CHECK(newest.offers("vendor/anything"));
}

TEST_CASE("legacy: batches exist in 2025-03-26 alone", "[wire]") {
  for (auto const& v : supported_versions()) CHECK(wire::legacy(v).has_batches() == (v == version::v2025_03_26));
}

TEST_CASE("legacy: any object is a complete result, nothing else is one", "[wire]") {
  wire::legacy const codec(version::v2025_11_25);
  auto const object = json::parse(R"({"resultType":"input_required"})").value();
  CHECK(codec.classify("tools/call", object).value() == wire::result_kind::complete);
  for (auto const* const text : {"null", "[]", "\"x\"", "1"}) {
    auto const other = json::parse(text).value();
    CHECK(codec.classify("tools/call", other).error() == errc::protocol_violation);
  }
}

TEST_CASE("codec: notifications and cancelling", "[wire]") {
  wire::legacy const codec(version::v2025_11_25);
  CHECK(codec.notification("notifications/initialized", {}, {}) ==
        R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  CHECK(wire::codec::cancelled(17, "why") ==
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":17,"reason":"why"}})");
  CHECK_FALSE(wire::method("tools/call").is_vendors());
  CHECK(wire::method("tools/call").is(wire::methods::call_tool));
  CHECK(wire::method("tools/Call").is_vendors());
}
