// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/oauth.hpp>

#include <optional>
#include <string>

#include <comcp/auth/loopback_redirect.hpp>

#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::oauth_talk;

TEST_CASE("oauth: a 401 leads through the whole flow to an answer", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->visits == 1);
  CHECK(t.world->asked_scopes.front() == "read");
  CHECK(t.world->requests("POST https://as.example/register") == 1);
  CHECK(t.world->requests("POST https://mcp.example/mcp") == 2);

  CHECK(t.ask(auth) == 200);
  CHECK(t.world->visits == 1);
  CHECK(t.world->requests("POST https://mcp.example/mcp") == 3);
}

TEST_CASE("oauth: login() asks before anything is sent, status() says what is stored, logout() revokes and forgets", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  CHECK_FALSE(t.get(auth.status(oauth_talk::server)).value().has_value());
  REQUIRE(t.get(auth.login(oauth_talk::server)));
  auto const status = t.get(auth.status(oauth_talk::server)).value();
  REQUIRE(status.has_value());
  CHECK(status->server == oauth_talk::server);
  CHECK(status->resource == "https://mcp.example/mcp");
  CHECK(status->issuer == "https://as.example");
  CHECK(status->registered_by == "dynamic");
  CHECK(status->client_id == "client-1");
  CHECK(status->scope == "read");
  CHECK(status->has_refresh_token);
  CHECK_FALSE(status->dpop);
  CHECK(t.ask(auth) == 200);

  REQUIRE(t.get(auth.logout(oauth_talk::server)));
  CHECK(t.world->access.empty());
  CHECK(t.world->refresh.empty());
  CHECK_FALSE(t.get(auth.status(oauth_talk::server)).value().has_value());
}
