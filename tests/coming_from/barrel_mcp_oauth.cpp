// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host of barrel_mcp has in barrel_mcp_client_auth_oauth, as its port to comcp: docs/coming-from.md.
#include <comcp/auth/challenge.hpp>
#include <comcp/auth/oauth.hpp>
#include <comcp/auth/oauth_steps.hpp>

#include "support/oauth_talk.hpp"

using comcp_test::oauth_talk;

namespace {

comcp::http_url url(std::string const& text) { return comcp::http_url::parse(text).value(); }

}  // namespace

TEST_CASE("barrel_mcp: {oauth, Config} starts from tokens that the host has, and refreshes them after a 401", "[coming_from]") {
  oauth_talk t;
  {
    comcp::oauth login_of_the_host(t.options());
    REQUIRE(t.get(login_of_the_host.login(oauth_talk::server)));
  }
  comcp::token_set tokens(comcp::secret(t.world->access.begin()->first), comcp::secret(t.world->refresh.begin()->first));
  auto options = t.without_user();
  options.store(comcp::memory_token_store()).tokens(tokens).client(comcp::oauth_client("client-1"));
  options.resource("https://mcp.example/mcp").scope("read");
  comcp::oauth auth(options);

  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests("POST https://as.example/token") == 1);  // the host's own
  t.world->drop_access_tokens();
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests("POST https://as.example/token") == 2);
  CHECK(t.world->visits == 1);
}

TEST_CASE("barrel_mcp: without a refresh token, or a user, the server's 401 is the end", "[coming_from]") {
  oauth_talk t;
  auto options = t.without_user();
  options.tokens(comcp::token_set(comcp::secret("a token of long ago")));
  comcp::oauth auth(options);
  CHECK(t.ask(auth) == 401);
  CHECK(t.last == comcp::errc::login_required);
}

TEST_CASE("barrel_mcp: {oauth_client_credentials, Config} gets its token while it connects, and again after a 401",
          "[coming_from]") {
  oauth_talk t;
  comcp::oauth_client machine("machine");
  machine.client_secret(comcp::secret("of the machine"));
  auto options = t.without_user();
  options.client(machine).client_credentials();
  comcp::oauth auth(options);

  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests("POST https://as.example/register") == 0);
  bool proved = false;
  for (auto const& r : t.world->seen) {
    if (r.url.path() != "/token") continue;
    auto const* const credentials = r.headers.find("Authorization");
    proved = credentials && *credentials == "Basic bWFjaGluZTpvZit0aGUrbWFjaGluZQ==";  // machine:of+the+machine
    CHECK(comcp::form_fields::parse(r.body).value().find("grant_type")->compare("client_credentials") == 0);
  }
  CHECK(proved);

  t.world->drop_access_tokens();
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests("POST https://as.example/token") == 2);
}

TEST_CASE("barrel_mcp: parse_www_authenticate/1", "[coming_from]") {
  comcp::http_headers headers;
  REQUIRE(headers.add("WWW-Authenticate", R"(Bearer resource_metadata="https://mcp.example/about", scope="read write")"));
  auto const challenges = comcp::parse_challenges(headers);
  REQUIRE(challenges.size() == 1);
  REQUIRE(challenges.front().find("resource_metadata"));
  CHECK(*challenges.front().find("resource_metadata") == "https://mcp.example/about");
}

TEST_CASE("barrel_mcp: discovery, the URL, the code's exchange and refresh_token/2 are the host's to call", "[coming_from]") {
  using namespace comcp::oauth_steps;
  oauth_talk t;
  auto const at = t.get(discover(t.sender(), url(oauth_talk::server)));
  REQUIRE(at);
  auto const& server = at->authorization_server;
  CHECK(server.issuer == "https://as.example");
  CHECK(at->resource == "https://mcp.example/mcp");

  comcp::client_metadata about("a host");
  about.redirect_uris = {oauth_talk::redirect_uri};
  auto const client = t.get(register_client(t.sender(), url(server.registration_endpoint), server.issuer, about));
  REQUIRE(client);
  auto const pending = authorization_request(*at, *client, oauth_talk::redirect_uri, "read");
  comcp::secret const redirect(t.world->consent(pending.url().value()));
  token_endpoint where(url(server.token_endpoint), *client, "none");
  auto const tokens = t.get(exchange_code(t.sender(), where, pending, redirect));
  REQUIRE(tokens);
  CHECK(t.world->access.contains(tokens->access_token.reveal()));

  auto const renewed = t.get(refresh(t.sender(), where, tokens->refresh_token, at->resource));
  REQUIRE(renewed);
  CHECK(renewed->access_token != tokens->access_token);
  CHECK(t.world->access.contains(renewed->access_token.reveal()));
}
