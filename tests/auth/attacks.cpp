// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The attacks that RFC 9700 and the specification's security page name for clients, on the whole of oauth: those on the
// authorization itself. On where requests go: attacks_requests.cpp; on tokens that go elsewhere: oauth.cpp.
#include <comcp/auth/jose.hpp>

#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::fake_answer;
using comcp_test::oauth_talk;

namespace {

constexpr auto token_endpoint = "POST https://as.example/token";
constexpr auto server_metadata = "GET https://as.example/.well-known/oauth-authorization-server";

/// A browser whose redirect somebody changes on its way.
template <class Change>
comcp::oauth_options changed(oauth_talk& t, Change change) {
  auto out = t.without_user();
  auto visit = [w = t.world, change](comcp::http_url url) -> asio::awaitable<std::string> {
    auto const good = w->consent(url);
    co_return change(good);
  };
  return out.user(comcp::browser_callback(oauth_talk::redirect_uri, std::move(visit)));
}

std::string replaced(std::string text, std::string const& from, std::string const& to) {
  auto const at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The usual metadata with something else in it.
fake_answer metadata_with(oauth_talk& t, std::string const& from, std::string const& to) {
  comcp::http_request const asks(comcp::http_url::parse(std::string(server_metadata).substr(4)).value(), "GET");
  return fake_answer(200, replaced(t.world->answer(asks).body, from, to));
}

comcp::oauth_client mine(std::string const& issuer, std::string const& password) {
  return comcp::oauth_client("me").client_secret(comcp::secret(password)).issuer(issuer);
}

bool went_to(oauth_talk const& t, std::string_view host, std::string_view text) {
  for (auto const& r : t.world->seen) {
    bool there = r.body.find(text) != std::string::npos || r.url.text().find(text) != std::string::npos;
    for (auto const& f : r.headers) there = there || f.value.find(text) != std::string::npos;
    if (there && r.url.host() == host) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("attack: mix-up: what another authorization server answers goes nowhere, and is not shown", "[auth]") {
  oauth_talk t;
  std::string const own = "iss=https%3A%2F%2Fas.example", foreign = "iss=https%3A%2F%2Fevil.example";
  auto change = GENERATE(0, 1, 2);
  comcp::oauth auth(changed(t, [=](std::string const& good) {
    if (change == 0) return replaced(good, own, foreign);
    if (change == 1) return replaced(good, own, "x=y");  // the metadata promises it
    return replaced(replaced(good, own, foreign), "code=", "error=phish&error_description=call+us&c=");
  }));
  CHECK(t.ask(auth) != 200);
  CHECK(t.last == comcp::errc::unauthorized);
  CHECK(t.world->visits == 1);
  CHECK(t.world->requests(token_endpoint) == 0);
  for (auto const* const hidden : {"phish", "call us", "evil.example"}) {
    CHECK(t.last.to_string().find(hidden) == std::string::npos);
  }
}

TEST_CASE("attack: code injection: a code of another flow is not redeemed", "[auth]") {
  oauth_talk t;
  t.world->secrets.insert("their-own-code");
  auto const how = GENERATE(0, 1, 2);
  comcp::oauth auth(changed(t, [=](std::string const& good) {
    if (how == 0) return std::string(oauth_talk::redirect_uri) + "?code=their-own-code&iss=https%3A%2F%2Fas.example";
    if (how == 1)
      return std::string(oauth_talk::redirect_uri) + "?code=their-own-code&state=theirs&iss=https%3A%2F%2Fas.example";
    return good + "&code=their-own-code";
  }));
  CHECK(t.ask(auth) != 200);
  CHECK(t.last == comcp::errc::unauthorized);
  CHECK(t.world->requests(token_endpoint) == 0);
  CHECK_FALSE(t.get(auth.status(oauth_talk::server)).value().has_value());
}

TEST_CASE("attack: code injection: a stolen code is worth nothing without the verifier that asked for it", "[auth]") {
  oauth_talk t;
  std::string stolen;
  {
    comcp::oauth victim(changed(t, [&](std::string const& good) {
      stolen = good.substr(good.find("code="), good.find("&state") - good.find("code="));
      return std::string("http://127.0.0.1:7777/never");
    }));
    CHECK(t.ask(victim) != 200);
  }
  comcp::oauth auth(changed(t, [&](std::string const& good) {
    auto const end = good.find("&state");
    return good.substr(0, good.find("code=")) + stolen + good.substr(end);
  }));
  CHECK(t.ask(auth) != 200);
  CHECK_THAT(t.last.to_string(), match::contains("invalid_grant"));
  CHECK(t.world->access.empty());
}

TEST_CASE("attack: metadata spoofing: documents that speak for somebody else are not used", "[auth]") {
  oauth_talk t;
  SECTION("another issuer's, from here") {
    t.world->spoiled[server_metadata] = metadata_with(t, "\"https://as.example\"", "\"https://honest.example\"");
  }
  SECTION("nearly the same issuer's") {
    t.world->spoiled[server_metadata] = metadata_with(t, "\"https://as.example\"", "\"https://as.example/\"");
  }
  SECTION("another server's resource") {
    t.world->spoiled["GET https://mcp.example/.well-known/oauth-protected-resource/mcp"] =
        fake_answer(200, R"({"resource":"https://bank.example/mcp","authorization_servers":["https://as.example"]})");
  }
  SECTION("a neighbour's resource") {
    t.world->spoiled["GET https://mcp.example/.well-known/oauth-protected-resource/mcp"] =
        fake_answer(200, R"({"resource":"https://mcp.example/mcp2","authorization_servers":["https://as.example"]})");
  }
  comcp::oauth auth(t.options());
  CHECK(t.ask(auth) != 200);
  CHECK(t.last == comcp::errc::unauthorized);
  CHECK(t.world->visits == 0);
  CHECK(t.world->requests("POST https://as.example/register") + t.world->requests(token_endpoint) == 0);
}

TEST_CASE("attack: open redirect: an answer at another address is none", "[auth]") {
  oauth_talk t;
  auto const where = GENERATE(as<std::string>(), "https://evil.example/callback", "http://127.0.0.1:7778/callback",
                              "http://127.0.0.1:7777/other", "javascript:alert(1)//", "http://localhost:7777/callback");
  INFO(where);
  comcp::oauth auth(
      changed(t, [where](std::string const& good) { return replaced(good, oauth_talk::redirect_uri, where); }));
  CHECK(t.ask(auth) != 200);
  CHECK_THAT(t.last.to_string(), match::contains("another address"));
  CHECK(t.world->requests(token_endpoint) == 0);
}

TEST_CASE("attack: open redirect: only loopback and https are given out as where to come back to", "[auth]") {
  oauth_talk t;
  auto const where =
      GENERATE(as<std::string>(), "http://app.example/cb", "com.example.app:/cb", "javascript:alert(1)", "file:///x");
  INFO(where);
  auto options = t.without_user();
  auto visit = [w = t.world](comcp::http_url url) -> asio::awaitable<std::string> { co_return w->consent(url); };
  options.user(comcp::browser_callback(where, std::move(visit)));
  comcp::oauth auth(options);
  CHECK(t.ask(auth) != 200);
  CHECK(t.last == comcp::errc::invalid_argument);
  CHECK(t.world->visits == 0);
  CHECK(t.world->requests("POST https://as.example/register") == 0);
}

TEST_CASE("attack: downgrade: without PKCE by S256 nobody is asked", "[auth]") {
  oauth_talk t;
  auto const methods = GENERATE(as<std::string>(), R"(["plain"])", "[]", "null", R"(["s256"])");
  INFO(methods);
  t.world->spoiled[server_metadata] = metadata_with(t, R"(["S256"])", methods);
  comcp::oauth auth(t.options());
  CHECK(t.ask(auth) != 200);
  CHECK_THAT(t.last.to_string(), match::contains("does not support PKCE with S256"));
  CHECK(t.world->visits + t.world->requests("POST https://as.example/register") + t.world->requests(token_endpoint) ==
        0);
}

TEST_CASE("attack: downgrade: a bound token is not replaced by one that anybody can use", "[auth]") {
  oauth_talk t;
  t.world->dpop = true;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.later(3590s);
  t.world->spoiled[token_endpoint] =
      fake_answer(200, R"({"access_token":"loose","token_type":"Bearer","expires_in":3600})");
  CHECK(t.ask(auth) == 200);  // with the old one
  t.world->drop_access_tokens();
  t.later(20s);
  CHECK(t.ask(auth) != 200);
  CHECK_THAT(t.last.to_string(), match::contains("not bound to the key"));
  CHECK_FALSE(went_to(t, "mcp.example", "loose"));
  t.world->spoiled.clear();
  t.later(20s);
  CHECK(t.ask(auth) == 200);
}

TEST_CASE("attack: credentials for one issuer are not shown to another", "[auth]") {
  oauth_talk t;
  t.world->secrets.insert("password-of-as");
  auto options = t.options();
  SECTION("the server names somebody else") {
    options.client(mine("https://as.example", "password-of-as"));
    t.world->issuer = "https://as2.example";
    comcp::oauth auth(options);
    CHECK(t.ask(auth) != 200);
    CHECK_THAT(t.last.to_string(), match::contains("https://as2.example"));
    CHECK(t.world->visits == 0);
  }
  SECTION("both know a client by that id") {
    options.client(mine("https://as2.example", "password-of-as2")).client_credentials();
    t.world->issuer = "https://as2.example";
    {
      comcp::oauth before(options);
      REQUIRE(t.ask(before) == 200);
    }
    options.client(mine("https://as.example", "password-of-as"));
    comcp::oauth auth(options);
    CHECK(t.ask(auth) == 200);
    (void)t.get(auth.logout(oauth_talk::server));
    CHECK(t.world->requests("POST https://as2.example/revoke") > 0);
  }
  for (auto const& r : t.world->seen) {
    if (auto const* const sent = r.headers.find("Authorization"); sent && r.url.host() == "as2.example") {
      CHECK(*sent == "Basic bWU6cGFzc3dvcmQtb2YtYXMy");  // me:password-of-as2
    }
  }
  CHECK_FALSE(went_to(t, "as2.example", "password-of-as&"));
}

TEST_CASE("attack: a server that names another authorization server gets nothing that belongs to the first", "[auth]") {
  oauth_talk t;
  comcp::token_set given;
  auto const client = comcp::oauth_client("me").client_secret(comcp::secret("password-of-as"));
  t.world->secrets.insert("password-of-as");
  comcp::grant_source source = [](comcp::grant_request) -> asio::awaitable<comcp::secret> {
    co_return comcp::secret("workload.identity.jwt");
  };
  auto options = t.without_user();
  std::string what = "client me";
  SECTION("a secret") { options.client(client).client_credentials(); }
  SECTION("a key") {
    auto const key = comcp::private_key::jwk(comcp::signing_key::generate().private_jwk());
    options.client(comcp::oauth_client("me").key(key)).client_credentials();
  }
  SECTION("an assertion") {
    options.jwt_bearer(source);
    what = "assertions for https://mcp.example/mcp";
  }
  SECTION("a refresh token from elsewhere, whoever the client is") {
    comcp::oauth elsewhere(t.options());
    REQUIRE(t.ask(elsewhere) == 200);
    given = comcp::token_set(comcp::secret(t.world->access.begin()->first), comcp::secret(t.world->refresh.begin()->first));
    options.store(t.store = comcp::memory_token_store()).tokens(given);
    options.client(comcp::oauth_client("client-1").issuer("https://as.example"));
    options.client(comcp::oauth_client("client-1").issuer("https://as2.example"));
    t.world->rotate = false;
    t.world->drop_access_tokens();
    what = "tokens for https://mcp.example/mcp";
  }
  {
    comcp::oauth first(options);
    REQUIRE(t.ask(first) == 200);
  }
  REQUIRE(t.get(t.store.remove(std::string("tokens  ") + oauth_talk::server)));
  t.world->drop_access_tokens();
  t.world->issuer = "https://as2.example";
  {
    comcp::oauth auth(options);
    CHECK(t.ask(auth) != 200);
    CHECK(t.world->requests("POST https://as2.example/token") == 0);
    CHECK_THAT(t.last.to_string(), match::contains(what + " belongs to the authorization server https://as.example"));
    CHECK_THAT(t.last.to_string(), match::contains("https://as2.example"));
  }
  {
    auto named = options;
    named.issuer("https://as2.example");
    comcp::oauth auth(named);
    CHECK(t.ask(auth) == 200);
  }
  t.world->issuer = "https://as.example";
  REQUIRE(t.get(t.store.remove(std::string("tokens  ") + oauth_talk::server)));
  t.world->drop_access_tokens();
  auto const before = t.world->requests("POST https://as.example/token");
  comcp::oauth back(options);  // what was named is what counts now
  CHECK(t.ask(back) != 200);
  CHECK_THAT(t.last.to_string(), match::contains(what + " belongs to the authorization server https://as2.example"));
  CHECK(t.world->requests("POST https://as.example/token") == before);
}

TEST_CASE("attack: a server that publishes nothing any more gets no secret at the addresses that are assumed", "[auth]") {
  oauth_talk t;
  t.world->spoiled["GET https://mcp.example/.well-known/oauth-protected-resource/mcp"] = fake_answer(404);
  t.world->challenge_scope = "";
  auto options = t.without_user();
  SECTION("of a client") {
    options.client(comcp::oauth_client("me").client_secret(comcp::secret("password-of-as"))).client_credentials();
  }
  SECTION("a refresh token") {
    options.tokens(comcp::token_set(comcp::secret("an-old-token"), comcp::secret("a-refresh-token")));
    options.client(comcp::oauth_client("public"));
  }
  t.world->spoiled["POST https://mcp.example/mcp"] = fake_answer(401);  // and says nothing of metadata
  comcp::oauth auth(options);
  CHECK(t.ask(auth) != 200);
  CHECK_THAT(t.last.to_string(), match::contains("publishes no metadata"));
  CHECK(t.world->requests("POST https://mcp.example/token") == 0);
}
