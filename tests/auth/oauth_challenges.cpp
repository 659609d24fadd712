// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::oauth_talk;

namespace {
constexpr auto token_endpoint = "POST https://as.example/token";
constexpr auto endpoint = "POST https://mcp.example/mcp";
}  // namespace

TEST_CASE("oauth: missing scopes are asked for together with those that were granted", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.world->needed_scope = "write";
  CHECK(t.ask(auth) == 200);
  REQUIRE(t.world->asked_scopes.size() == 2);
  CHECK(t.world->asked_scopes[1] == "read write");
  CHECK(t.world->requests("POST https://as.example/register") == 1);
}

TEST_CASE("oauth: step-up may be turned off", "[auth]") {
  oauth_talk t;
  auto options = t.options();
  options.step_up(false);
  comcp::oauth auth(options);
  REQUIRE(t.ask(auth) == 200);
  t.world->needed_scope = "write";
  CHECK(t.ask(auth) == 403);
  CHECK(t.world->visits == 1);
  CHECK_THAT(t.last.to_string(), match::contains("insufficient_scope, wanted scope: write"));
}

TEST_CASE("oauth: what a server repeats of a token in its challenge is in no error", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  auto& refusal = t.world->spoiled[endpoint];
  refusal = comcp_test::fake_answer(403);
  auto const token = t.world->access.begin()->first;
  (void)refusal.headers.add("WWW-Authenticate", "Bearer error=\"no\", error_description=\"not with " + token + "\"");
  CHECK(t.ask(auth) == 403);
  CHECK_THAT(t.last.to_string(), match::contains("no (not with ***)"));
}

TEST_CASE("oauth: a 403 for another reason starts nothing", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.world->spoiled[endpoint] = comcp_test::fake_answer(403, R"({"error":"forbidden"})");
  CHECK(t.ask(auth) == 403);
  CHECK(t.world->visits == 1);
  CHECK(t.world->requests(token_endpoint) == 1);
}

TEST_CASE("oauth: a server that is never content is asked a bounded number of times", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  std::string told;
  SECTION("with scopes that are never granted") {
    t.world->grant_scope = false;
    t.world->needed_scope = "admin";
    told = "insufficient_scope, wanted scope: admin";
  }
  SECTION("with tokens that it never takes") {
    t.world->spoiled[endpoint] = comcp_test::fake_answer(401);
    (void)t.world->spoiled[endpoint].headers.add("WWW-Authenticate", "Bearer");
  }
  CHECK(t.ask(auth) != 200);
  for (int i = 0; i < 5; ++i) CHECK(t.ask(auth) != 200);
  CHECK(t.world->visits <= 3);
  CHECK(t.last == comcp::errc::unauthorized);
  CHECK_THAT(t.last.to_string(), match::contains(told));

  // A login starts anew, and success forgets what was.
  t.world->spoiled.clear();
  t.world->needed_scope.clear();
  REQUIRE(t.get(auth.login(oauth_talk::server)));
  CHECK(t.ask(auth) == 200);
}

TEST_CASE("oauth: one flow serves all who wait, whoever leaves", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  std::vector<std::shared_ptr<oauth_talk::answer>> all;
  for (int i = 0; i < 10; ++i) all.push_back(t.start(auth));
  t.settle();
  for (auto const& one : all) CHECK(one->status == 200);
  CHECK(t.world->visits == 1);
}

TEST_CASE("oauth: another authorization server means another registration", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.world->issuer = "https://as2.example";
  t.world->drop_access_tokens();
  t.world->drop_refresh_tokens();
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests("POST https://as.example/register") == 1);
  CHECK(t.world->requests("POST https://as2.example/register") == 1);
  for (auto const& r : t.world->seen) {
    if (r.url.origin() == "https://as2.example") CHECK(r.body.find("client-1&") == std::string::npos);
  }
  CHECK(t.get(auth.status(oauth_talk::server)).value()->issuer == "https://as2.example");

  // Back again: the first registration is still known.
  t.world->issuer = "https://as.example";
  t.world->drop_access_tokens();
  t.world->drop_refresh_tokens();
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests("POST https://as.example/register") == 1);
}

TEST_CASE("oauth: after a refresh that did not help comes the flow", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  // The old authorization server still refreshes, the MCP server takes none of its tokens any more.
  t.world->issuer = "https://as2.example";
  t.world->drop_access_tokens();
  t.world->before = [w = t.world.get()](std::string what) -> asio::awaitable<void> {
    if (what == endpoint && w->requests("POST https://as2.example/token") == 0) w->drop_access_tokens();
    co_return;
  };
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests(token_endpoint) == 2);
  CHECK(t.world->requests("POST https://as2.example/token") == 1);
}

TEST_CASE("oauth: a client secret that has expired is replaced by a new registration", "[auth]") {
  oauth_talk t;
  t.world->secret_lives = 1000;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.world->drop_access_tokens();
  t.world->drop_refresh_tokens();
  t.later(2000s);
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests("POST https://as.example/register") == 2);
}

TEST_CASE("oauth: a stored registration that its server forgot is made anew, once", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  bool const for_ever = GENERATE(false, true);
  t.world->before = [w = t.world.get(), for_ever](std::string what) -> asio::awaitable<void> {
    if (what == "POST https://as.example/register" && !for_ever) w->spoiled.clear();
    co_return;
  };
  t.world->spoiled[token_endpoint] = comcp_test::fake_answer(401, R"({"error":"invalid_client"})");
  auto const done = t.get(auth.login(oauth_talk::server));
  CHECK(static_cast<bool>(done) == !for_ever);
  CHECK(t.world->requests("POST https://as.example/register") == 2);
  CHECK(t.world->visits == 3);
}

TEST_CASE("oauth: tokens are bound to a key where the server requires it, with the nonces that both want", "[auth]") {
  oauth_talk t;
  t.world->dpop = true;
  t.world->as_nonce = GENERATE(false, true);
  t.world->rs_nonce = GENERATE(false, true);
  comcp::oauth auth(t.options());
  CHECK(t.ask(auth) == 200);
  CHECK(t.ask(auth) == 200);
  t.later(3600s);
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->visits == 1);
  CHECK(t.get(auth.status(oauth_talk::server)).value()->dpop);

  // The key outlives the process, as a public client's refresh token is bound to it.
  t.later(3600s);
  comcp::oauth next(t.without_user());
  CHECK(t.ask(next) == 200);
  for (auto const& r : t.world->seen) {
    auto const* const sent = r.headers.find("Authorization");
    if (sent) CHECK(sent->starts_with("DPoP "));
  }
}

TEST_CASE("oauth: a metadata document serves as client where the server takes one", "[auth]") {
  oauth_talk t;
  t.world->document_clients = true;
  auto options = t.options();
  options.client_metadata_url("https://client.example/me.json");
  comcp::oauth auth(options);
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests("POST https://as.example/register") == 0);
  CHECK(t.get(auth.status(oauth_talk::server)).value()->registered_by == "metadata document");
  t.later(3600s);
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->visits == 1);
}
