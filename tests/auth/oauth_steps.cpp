// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/oauth_steps.hpp>

#include "support/oauth_talk.hpp"

using comcp_test::fake_answer;
using comcp_test::oauth_talk;
namespace steps = comcp::oauth_steps;

namespace {

comcp::http_url url(std::string_view text) { return comcp::http_url::parse(text).value(); }

}  // namespace

TEST_CASE("oauth_steps: a program in charge of its flow walks it step by step", "[auth]") {
  oauth_talk t;
  auto const found = t.get(steps::discover(t.sender(), url(oauth_talk::server))).value();
  CHECK(found.resource == oauth_talk::server);
  CHECK(found.authorization_server.issuer == "https://as.example");

  comcp::client_metadata about("a test");
  about.redirect_uris.emplace_back(oauth_talk::redirect_uri);
  auto const registration = url(found.authorization_server.registration_endpoint);
  auto const client = t.get(steps::register_client(t.sender(), registration, "https://as.example", about)).value();
  CHECK(client.id() == "client-1");
  CHECK(client.issuer() == "https://as.example");

  auto const pending = steps::authorization_request(found, client, oauth_talk::redirect_uri, "read");
  auto const redirect = comcp::secret(t.world->consent(pending.url().value()));
  steps::token_endpoint at(url(found.authorization_server.token_endpoint), client, pending.auth_method);
  at.issuer(pending.issuer);

  steps::token_endpoint const elsewhere(url("https://evil.example/token"), client, "none");
  CHECK(t.get(steps::exchange_code(t.sender(), elsewhere, pending, redirect)).error() == comcp::errc::invalid_argument);
  CHECK(t.world->requests("POST https://evil.example/token") == 0);

  auto const tokens = t.get(steps::exchange_code(t.sender(), at, pending, redirect)).value();
  CHECK(t.world->access.contains(tokens.access_token.reveal()));

  auto const fresh = t.get(steps::refresh(t.sender(), at, tokens.refresh_token, found.resource)).value();
  CHECK(fresh.access_token != tokens.access_token);
  auto const spent = t.get(steps::refresh(t.sender(), at, tokens.refresh_token, found.resource));
  REQUIRE_FALSE(spent);
  CHECK(spent.error() == comcp::errc::unauthorized);
  CHECK_THAT(spent.error().to_string(), match::contains("invalid_grant"));

  t.world->rotate = false;
  auto const same = t.get(steps::refresh(t.sender(), at, fresh.refresh_token, found.resource)).value();
  CHECK(same.refresh_token == fresh.refresh_token);

  REQUIRE(t.get(steps::revoke(t.sender(), steps::token_endpoint(url("https://as.example/revoke"), client, "none"),
                              same.refresh_token, "refresh_token")));
  CHECK(t.world->refresh.empty());
}

TEST_CASE("oauth_steps: machines' grants", "[auth]") {
  oauth_talk t;
  auto const client = comcp::oauth_client("robot").client_secret(comcp::secret("robots-own-password"));
  steps::token_endpoint const at(url("https://as.example/token"), client, "client_secret_post");
  CHECK(t.get(steps::client_credentials(t.sender(), at, oauth_talk::server, "read")));
  CHECK(t.get(steps::jwt_bearer(t.sender(), at, comcp::secret("a.b.c"), oauth_talk::server)));
  steps::exchange_request what(comcp::secret("their.id.token"), "urn:ietf:params:oauth:token-type:id_token");
  what.audience = "https://as.example";
  CHECK(t.get(steps::exchange_token(t.sender(), at, what)));
  auto const form = comcp::form_fields::parse(t.world->seen.back().body).value();
  CHECK(*form.find("grant_type") == "urn:ietf:params:oauth:grant-type:token-exchange");
  CHECK(*form.find("subject_token") == "their.id.token");
  CHECK(*form.find("audience") == "https://as.example");
  CHECK(form.count("scope") == 0);
  CHECK(*form.find("client_secret") == "robots-own-password");

  comcp::dpop_prover prover;
  t.world->dpop = t.world->as_nonce = true;
  auto bound = at;
  bound.dpop(&prover);
  auto const got = t.get(steps::client_credentials(t.sender(), bound, oauth_talk::server)).value();
  CHECK(got.token_type == "DPoP");
}

TEST_CASE("oauth_steps: each refusal is an error that says what was said", "[auth]") {
  oauth_talk t;
  comcp::oauth_profile strict;
  strict.legacy_fallback = false;
  auto const nowhere = t.get(steps::discover(t.sender(), url("https://nowhere.example/mcp"), strict));
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error() == comcp::errc::unauthorized);
  CHECK_THAT(nowhere.error().to_string(), match::contains("https://nowhere.example/.well-known/oauth-protected-resource/mcp"));

  t.world->spoiled["POST https://as.example/register"] = fake_answer(400, R"({"error":"invalid_client_metadata"})");
  auto const registration = url("https://as.example/register");
  auto const refused = t.get(steps::register_client(t.sender(), registration, "https://as.example", comcp::client_metadata()));
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == comcp::errc::unauthorized);
  CHECK_THAT(refused.error().to_string(), match::contains("invalid_client_metadata"));

}

TEST_CASE("oauth_steps: an authorization request that must not be made", "[auth]") {
  comcp::sansio::discovered good;
  good.server = oauth_talk::server;
  good.authorization_server.issuer = "https://as.example";
  good.authorization_server.authorization_endpoint = "https://as.example/authorize";
  good.authorization_server.token_endpoint = "https://as.example/token";
  good.authorization_server.code_challenge_methods_supported.emplace(1, "S256");
  auto const ask = [](comcp::sansio::discovered const& at, std::string const& redirect = oauth_talk::redirect_uri) {
    try {
      (void)steps::authorization_request(at, comcp::oauth_client("x").issuer("https://as.example"), redirect, "");
    } catch (comcp::exception const& e) {
      return std::string(e.error().message());
    }
    return std::string("asked");
  };
  CHECK(ask(good) == "asked");
  CHECK_THAT(ask(good, "com.example.app:/cb"), match::contains("a redirect URI is"));
  CHECK_THAT(ask(good, "http://app.example/cb"), match::contains("a redirect URI is"));
  auto at = good;
  at.authorization_server.code_challenge_methods_supported.reset();
  CHECK_THAT(ask(at), match::contains("PKCE"));
  at = good;
  at.authorization_server.issuer = "https://as2.example";
  CHECK_THAT(ask(at), match::contains("another authorization server"));
  for (auto const* const bad : {"http://as.example/x", "javascript:alert(1)", "https://10.0.0.1/x", ""}) {
    INFO(bad);
    at = good;
    at.authorization_server.authorization_endpoint = bad;
    CHECK(ask(at) != "asked");
    at = good;
    at.authorization_server.token_endpoint = bad;
    CHECK(ask(at) != "asked");
  }
}
