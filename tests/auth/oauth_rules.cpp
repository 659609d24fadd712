// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Rules of the specification that only the whole of oauth can break, and that no other test of it is about.
#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::fake_answer;
using comcp_test::oauth_talk;

TEST_CASE("oauth: a refresh token is not taken for granted", "[auth]") {
  oauth_talk t;
  t.world->give_refresh = false;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  CHECK_FALSE(t.get(auth.status(oauth_talk::server)).value()->has_refresh_token);
  t.later(3600s);
  t.world->drop_access_tokens();
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->visits == 2);
  for (auto const& r : t.world->seen) CHECK(r.body.find("grant_type=refresh_token") == std::string::npos);
}

TEST_CASE("oauth: OpenID metadata that does not promise PKCE is refused as well", "[auth]") {
  oauth_talk t;
  t.world->spoiled["GET https://as.example/.well-known/oauth-authorization-server"] = fake_answer(404);
  auto const methods = GENERATE(as<std::string>(), "", R"("code_challenge_methods_supported":["S256"],)");
  t.world->spoiled["GET https://as.example/.well-known/openid-configuration"] = fake_answer(
      200, "{" + methods +
               R"("issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize",)"
               R"("token_endpoint":"https://as.example/token","registration_endpoint":"https://as.example/register"})");
  comcp::oauth auth(t.options());
  CHECK((t.ask(auth) == 200) == !methods.empty());
  CHECK(t.world->visits == (methods.empty() ? 0 : 1));
}

TEST_CASE("oauth: every request of every method carries the token, in a header alone", "[auth]") {
  oauth_talk t;
  t.world->dpop = GENERATE(false, true);
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  auto const server = comcp::http_url::parse(oauth_talk::server).value();
  for (auto const* const method : {"GET", "POST", "DELETE"}) {
    INFO(method);
    comcp::auth_request const about(server, server, method, 0);
    auto const sent = t.get(auth.headers(about)).value().value();
    auto const* const value = sent.find("Authorization");
    REQUIRE(value);
    CHECK(t.world->access.contains(value->substr(value->find(' ') + 1)));
    if (!t.world->dpop) continue;
    auto const* const proof = sent.find("DPoP");
    REQUIRE(proof);
    auto const first = proof->find('.');
    auto const claims =
        comcp::from_base64url(std::string_view(*proof).substr(first + 1, proof->rfind('.') - first - 1)).value();
    CHECK_THAT(claims, match::contains(std::string("\"htm\":\"") + method + '"'));
  }
  t.later(3600s);
  REQUIRE(t.ask(auth) == 200);
  for (auto const& r : t.world->seen) {
    for (auto const& hidden : t.world->secrets) CHECK(r.url.text().find(hidden) == std::string::npos);
  }
}

TEST_CASE("oauth: what registers cannot be used in any way is told before the user is asked", "[auth]") {
  oauth_talk t;
  auto const how = GENERATE(as<std::string>(), "client_secret_basic", "client_secret_jwt");
  t.world->spoiled["POST https://as.example/register"] =
      fake_answer(201, R"({"client_id":"c","token_endpoint_auth_method":")" + how + "\"}");
  comcp::oauth auth(t.options());
  CHECK(t.ask(auth) != 200);
  CHECK(t.last == comcp::errc::unauthorized);
  CHECK(t.world->visits == 0);
}
