// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/jose.hpp>

#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::fake_answer;
using comcp_test::oauth_talk;

namespace {

constexpr auto token_endpoint = "POST https://as.example/token";

comcp::oauth_client machine() { return comcp::oauth_client("robot").client_secret(comcp::secret("robots-own-password")); }

comcp::form_fields last_form(oauth_talk const& t, std::string_view url = "https://as.example/token") {
  comcp::form_fields out;
  for (auto const& r : t.world->seen) {
    if (r.url.text() == url) out = comcp::form_fields::parse(r.body).value();
  }
  return out;
}

}  // namespace

TEST_CASE("oauth: a machine gets its tokens with its credentials, and again when they are refused", "[auth]") {
  oauth_talk t;
  t.world->secrets.insert("robots-own-password");
  auto options = t.without_user();
  options.client(machine()).client_credentials();
  comcp::oauth auth(options);
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests(token_endpoint) == 1);
  CHECK(*last_form(t).find("grant_type") == "client_credentials");
  CHECK(*last_form(t).find("scope") == "read");
  t.world->drop_access_tokens();
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests(token_endpoint) == 2);

  // The secret stays where the user keeps it.
  auto const stored = t.get(t.store.load(std::string("tokens  ") + oauth_talk::server)).value().value();
  REQUIRE(stored.has_value());
  CHECK(stored->reveal().find("robots-own-password") == std::string::npos);
}

TEST_CASE("oauth: a machine's token is replaced before it ends, once for all, and as often as it takes", "[auth]") {
  oauth_talk t;
  t.world->secrets.insert("robots-own-password");
  auto options = t.without_user();
  options.client(machine());
  bool const workload = GENERATE(false, true);
  if (workload) {
    options.jwt_bearer([](comcp::grant_request about) -> asio::awaitable<comcp::secret> {
      CHECK(about.issuer == "https://as.example");
      co_return comcp::secret("workload.identity.jwt");
    });
  } else {
    options.client_credentials();
  }
  comcp::oauth auth(options);
  REQUIRE(t.ask(auth) == 200);
  auto const first = last_form(t);
  auto const unasked = t.world->requests("POST https://mcp.example/mcp");
  for (int i = 2; i < 8; ++i) {
    t.later(i % 2 == 0 ? 3545s : 4000s);  // near its end, or beyond it
    std::vector<std::shared_ptr<oauth_talk::answer>> all;
    for (int n = 0; n < 5; ++n) all.push_back(t.start(auth));
    t.settle();
    for (auto const& one : all) CHECK(one->status == 200);
    CHECK(t.world->requests(token_endpoint) == i);
  }
  for (auto const* const name : {"grant_type", "scope", "resource"}) CHECK(*last_form(t).find(name) == *first.find(name));
  CHECK(t.world->requests("POST https://mcp.example/mcp") == unasked + 30);  // none was refused
}

TEST_CASE("oauth: a machine whose token cannot be replaced goes on with what it has", "[auth]") {
  oauth_talk t;
  auto options = t.without_user();
  options.client(machine()).client_credentials();
  comcp::oauth auth(options);
  REQUIRE(t.ask(auth) == 200);
  t.world->spoiled[token_endpoint] = comcp_test::fake_answer(400, R"({"error":"invalid_grant"})");
  t.later(3545s);
  for (int i = 0; i < 5; ++i) CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests(token_endpoint) == 2);
  t.later(60s);
  t.world->drop_access_tokens();
  for (int i = 0; i < 9; ++i) CHECK(t.ask(auth) != 200);
  CHECK(t.world->requests(token_endpoint) <= 6);  // once ahead, and three flows
  t.world->spoiled.clear();
  t.later(3600s);
  CHECK(t.ask(auth) == 200);
}

TEST_CASE("oauth: a machine signs with its key, or has it signed elsewhere", "[auth]") {
  oauth_talk t;
  auto options = t.without_user();
  bool const elsewhere = GENERATE(false, true);
  if (elsewhere) {
    comcp::assertion_source source = [](comcp::assertion_request about) -> asio::awaitable<comcp::secret> {
      CHECK(about.client_id == "robot");
      CHECK(about.audience == "https://as.example");
      CHECK(about.token_endpoint == "https://as.example/token");
      co_return comcp::secret("signed.in.a-vault");
    };
    options.client(comcp::oauth_client("robot").auth_method("private_key_jwt")).assertions(source);
  } else {
    auto key = comcp::private_key::jwk(comcp::signing_key::generate().private_jwk());
    options.client(comcp::oauth_client("robot").key(key));
  }
  options.client_credentials();
  comcp::oauth auth(options);
  CHECK(t.ask(auth) == 200);
  auto const form = last_form(t);
  REQUIRE(form.find("client_assertion"));
  if (elsewhere) CHECK(*form.find("client_assertion") == "signed.in.a-vault");
}

TEST_CASE("oauth: a workload's identity is its grant", "[auth]") {
  oauth_talk t;
  auto options = t.without_user();
  int asked = 0;
  comcp::grant_source source = [&](comcp::grant_request about) -> asio::awaitable<comcp::secret> {
    CHECK(about.issuer == "https://as.example");
    CHECK(about.resource == oauth_talk::server);
    ++asked;
    co_return comcp::secret("workload.identity.jwt");
  };
  options.jwt_bearer(source);
  SECTION("of a client with a name") { options.client(machine()); }
  SECTION("without one") {}
  comcp::oauth auth(options);
  CHECK(t.ask(auth) == 200);
  CHECK(*last_form(t).find("grant_type") == "urn:ietf:params:oauth:grant-type:jwt-bearer");
  CHECK(*last_form(t).find("assertion") == "workload.identity.jwt");
  CHECK(asked == 1);
}

TEST_CASE("oauth: a source that fails ends the flow with what it says", "[auth]") {
  oauth_talk t;
  auto options = t.without_user();
  options.client(machine());
  comcp::errc expected = comcp::errc::unauthorized;
  SECTION("an exception") {
    options.jwt_bearer([](comcp::grant_request) -> asio::awaitable<comcp::secret> {
      throw std::runtime_error("the-vault-said-something-secret");
      co_return comcp::secret();
    });
    t.world->secrets.insert("the-vault-said-something-secret");
  }
  SECTION("comcp's own") {
    expected = comcp::errc::not_ready;
    options.jwt_bearer([](comcp::grant_request) -> asio::awaitable<comcp::secret> {
      throw comcp::exception(comcp::error(comcp::errc::not_ready, "sealed"));
      co_return comcp::secret();
    });
  }
  SECTION("nothing") {
    options.jwt_bearer([](comcp::grant_request) -> asio::awaitable<comcp::secret> { co_return comcp::secret(); });
  }
  comcp::oauth auth(options);
  CHECK(t.ask(auth) != 200);
  CHECK(t.last == expected);
  CHECK(t.world->requests(token_endpoint) == 0);
}

TEST_CASE("oauth: an enterprise's identity provider exchanges the user's identity for the grant", "[auth]") {
  oauth_talk t;
  auto const provider = std::string("https://idp.example/token");
  auto const good = comcp::args("access_token", "the.id.jag", "token_type", "N_A", "issued_token_type",
                                "urn:ietf:params:oauth:token-type:id-jag")
                        .text();
  comcp::grant_source identity = [](comcp::grant_request) -> asio::awaitable<comcp::secret> {
    co_return comcp::secret("the.users.identity");
  };
  t.world->secrets.insert({"the.id.jag", "the.users.identity", "password-at-the-idp"});
  auto const with = [&](std::string const& url) {
    auto client = comcp::oauth_client("us").client_secret(comcp::secret("password-at-the-idp"));
    auto options = t.without_user();
    options.client(machine()).enterprise(comcp::identity_provider(url, client, identity));
    return options;
  };
  SECTION("the grant is used") {
    t.world->spoiled["POST " + provider] = fake_answer(200, good);
    comcp::oauth auth(with(provider));
    CHECK(t.ask(auth) == 200);
    auto const form = last_form(t, provider);
    CHECK(*form.find("requested_token_type") == "urn:ietf:params:oauth:token-type:id-jag");
    CHECK(*form.find("audience") == "https://as.example");
    CHECK(*form.find("resource") == oauth_talk::server);
    CHECK(*form.find("subject_token") == "the.users.identity");
    CHECK(*form.find("subject_token_type") == "urn:ietf:params:oauth:token-type:id_token");
    CHECK(*last_form(t).find("assertion") == "the.id.jag");
  }
  SECTION("a refusal is told") {
    t.world->spoiled["POST " + provider] =
        fake_answer(400, R"({"error":"invalid_grant","error_description":"not the.users.identity"})");
    comcp::oauth auth(with(provider));
    CHECK(t.ask(auth) != 200);
    CHECK_THAT(t.last.to_string(), match::contains("the identity provider: invalid_grant"));
  }
  SECTION("another token is refused") {
    t.world->spoiled["POST " + provider] = fake_answer(200, R"({"access_token":"the.id.jag","token_type":"Bearer"})");
    comcp::oauth auth(with(provider));
    CHECK(t.ask(auth) != 200);
    CHECK(t.last == comcp::errc::protocol_violation);
    CHECK(t.world->requests(token_endpoint) == 0);
  }
  SECTION("never in the clear") {
    comcp::oauth auth(with("http://idp.example/token"));
    CHECK(t.ask(auth) != 200);
    CHECK(t.last == comcp::errc::denied);
    CHECK(t.world->requests("POST http://idp.example/token") == 0);
  }
}
