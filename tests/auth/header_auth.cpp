// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/header_auth.hpp>

#include <string>

#include <asio/io_context.hpp>

#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;

static_assert(authenticator<header_auth>);

namespace {

result<http_headers> headers_of(header_auth auth) {
  asio::io_context io;
  auto const server = http_url::parse("https://example.com/mcp").value();
  result<http_headers> out;
  auto body = [&]() -> asio::awaitable<void> {
    auth_request const about(server, server, "POST", 0);
    out = co_await auth.headers(about);
    http_response_head refused;
    refused.status = 401;
    auto const verdict = co_await auth.challenged(about, http_headers(), refused);
    CHECK(verdict.value() == auth_verdict::give_up);
  };
  run(io, body());
  return out;
}

}  // namespace

TEST_CASE("header_auth: sends its fields, of one name the last one", "[auth]") {
  header_auth auth("X-Api-Key", secret("one"));
  auth.add("Authorization", secret("Key two")).add("x-api-key", secret("three"));
  auto const got = headers_of(auth);
  REQUIRE(got);
  CHECK(got->size() == 2);
  CHECK(*got->find("X-Api-Key") == "three");
  CHECK(*got->find("Authorization") == "Key two");
}

TEST_CASE("header_auth: what it cannot send is an error that shows no value", "[auth]") {
  for (auto const* name : {"Mcp-Session-Id", "content-LENGTH", "Host", "Accept", "Transfer-Encoding", "bad name", ""}) {
    CAPTURE(name);
    auto const got = headers_of(header_auth(name, secret("hunter2")).add("X-Fine", secret("fine")));
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::invalid_argument);
    CHECK(got.error().to_string().find("hunter2") == std::string::npos);
  }
  auto const split = headers_of(header_auth("X-Key", secret("hunter2\r\nX-Evil: 1")));
  REQUIRE_FALSE(split);
  CHECK(split.error() == errc::invalid_argument);
  CHECK(split.error().to_string().find("hunter2") == std::string::npos);
}

TEST_CASE("header_auth: copies are one identity, which tells nothing", "[auth]") {
  header_auth const one("X-Key", secret("hunter2")), other("X-Key", secret("hunter2"));
  auto const copy = one;
  CHECK(copy.identity() == one.identity());
  CHECK(other.identity() != one.identity());
  CHECK(one.identity().find("hunter2") == std::string::npos);
}
