// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Clients without a user at oidc-provider: client credentials with secrets and with signed assertions.
#include <comcp/json/value.hpp>

#include "interop/oauth_peers.hpp"

using namespace interop;
using comcp::oauth;
using comcp::oauth_client;
using comcp::oauth_options;
using comcp::private_key;
using comcp::secret;

namespace {

using server = server_process const&;

oauth_options for_machine(oauth_client who) {
  oauth_options options;
  options.client(std::move(who)).client_credentials();
  return options;
}

// The keys that oidc_provider.mjs made for its clients: a JWK for ES256, PEM for RS256.
asio::awaitable<private_key> key_of(server issuer, std::string algorithm) {
  auto const text = co_await get(issuer.url("/control/keys"));
  auto const keys = comcp::json::parse(text);
  REQUIRE(keys);
  auto const value = (*keys)[algorithm];
  secret key{std::string(value.as_string())};
  if (algorithm == "ES256") co_return private_key::jwk(std::move(key));
  co_return private_key::pem(std::move(key));
}

}  // namespace

TEST_CASE("oidc-provider: client credentials with a secret, in the header and in the body", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({"opaque"}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    for (std::string const method : {"basic", "post"}) {
      oauth_client who("robot:" + method);
      who.client_secret(secret("s/+: %&=x")).auth_method("client_secret_" + method);
      oauth auth(for_machine(who));
      auto const token = co_await use_protected(mcp, auth);
      co_await get(issuer.url("/control/expire"));
      auto const another = co_await use_protected(mcp, auth);
      CHECK(another != token);
    }
    CHECK_FALSE(issuer.printed("GET /auth"));
    CHECK_FALSE(issuer.printed("grant.error"));
  });
}

TEST_CASE("oidc-provider: a wrong secret is refused, once, and not repeated in the error", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    oauth_client who("robot:basic");
    who.client_secret(secret("not-the-secret")).auth_method("client_secret_basic");
    auto const refused = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(for_machine(who)))));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == errc::unauthorized);
    auto const text = refused.error().to_string();
    CHECK(text.find("invalid_client") != std::string::npos);
    CHECK(text.find("not-the-secret") == std::string::npos);
    CHECK(issuer.times_printed("POST /token") == 1);
  });
}

TEST_CASE("oidc-provider: client credentials with assertions signed by ES256 and RS256", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    for (std::string const algorithm : {"ES256", "RS256"}) {
      CAPTURE(algorithm);
      oauth_client who(algorithm == "ES256" ? "robot:es" : "robot:rs");
      auto key = co_await key_of(issuer, algorithm);
      who.key(std::move(key));
      oauth auth(for_machine(who));
      co_await use_protected(mcp, auth);
    }
    CHECK_FALSE(issuer.printed("grant.error"));
  });
}

TEST_CASE("oidc-provider: an assertion for another audience, and one by a stranger's key, are refused", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    auto own = co_await key_of(issuer, "ES256");
    auto foreign = co_await key_of(issuer, "RS256");
    oauth_client who("robot:es");
    who.key(own);
    auto options = for_machine(who);
    options.assertions(comcp::assertion_options().audience("https://elsewhere.example.com"));
    auto const elsewhere = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(options))));
    CHECK(elsewhere.error() == errc::unauthorized);
    oauth_client stranger("robot:es");
    stranger.key(foreign);
    auto const refused = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(for_machine(stranger)))));
    CHECK(refused.error() == errc::unauthorized);
    CHECK(issuer.times_printed("grant.error invalid_client") == 2);
  });
}

TEST_CASE("oidc-provider: a machine's tokens bound to a key, with nonces of both servers", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({"nonces"}, {"nonces"}, [](server, server mcp) -> asio::awaitable<void> {
    oauth_client who("robot:post");
    who.client_secret(secret("s/+: %&=x")).auth_method("client_secret_post");
    auto options = for_machine(who);
    options.dpop();
    auto client = co_await comcp::connect(comcp::http(mcp.url("/mcp"), oauth(options)));
    std::vector<asio::awaitable<comcp::call_tool_result>> calls;
    for (int i = 0; i != 20; ++i) calls.push_back(client.call_tool("echo", args("text", "on")));
    auto const all = co_await comcp::all(std::move(calls));
    for (auto const& one : all) {
      REQUIRE(one);
      CHECK(one->text() == "on");
    }
    CHECK_FALSE(mcp.printed("invalid_dpop_proof"));
    co_await client.close();
  });
}

TEST_CASE("oidc-provider: a machine asks for the scope that it lacks", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server, server mcp) -> asio::awaitable<void> {
    oauth_client who("robot:post");
    who.client_secret(secret("s/+: %&=x"));
    auto client = co_await comcp::connect(comcp::http(mcp.url("/mcp"), oauth(for_machine(who))));
    auto const done = co_await client.call_tool("admin");
    CHECK(done.text() == "administered");
    CHECK(mcp.times_printed("POST /mcp 403") == 1);
    co_await client.close();
  });
}
