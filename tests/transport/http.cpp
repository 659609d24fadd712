// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <concepts>

#include <comcp/transport/http.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;

static_assert(transport<http<no_auth>> && over_http<http<no_auth>> && std::copyable<http<no_auth>>);
static_assert(std::same_as<decltype(http("http://x")), http<no_auth>>);
static_assert(std::same_as<decltype(http("http://x", bearer("t"))), http<bearer>>);

TEST_CASE("http: what cannot be is an error of connecting, for each copy", "[transport]") {
  conversation c;
  http const no_url("ftp://x");
  http const bad_header = http("http://127.0.0.1:9").header("Mcp-Method", "x");
  for (int i = 0; i < 2; ++i) {
    auto const one = c.connect(http(no_url));
    REQUIRE_FALSE(one);
    CHECK(one.error() == errc::invalid_argument);
    auto const two = c.connect(http(bad_header));
    REQUIRE_FALSE(two);
    CHECK(two.error() == errc::invalid_argument);
  }
}

TEST_CASE("http: a description tells neither query nor fragment", "[transport]") {
  auto const info = http("http://Example.com:80/mcp?token=secret#x").proxy(proxy_options::none()).info();
  CHECK(info.kind == "http");
  CHECK(info.target == "http://example.com/mcp");
  CHECK(info.origin == "http://example.com");
}
