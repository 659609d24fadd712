// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/client_authentication.hpp>

#include <string>

#include <comcp/auth/jose.hpp>

#include "support/catch.hpp"
#include "support/signatures.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::system_clock::time_point now(1'700'000'000s);

oauth_client with_secret(std::string id, std::string word) {
  return oauth_client(std::move(id)).client_secret(secret(std::move(word)));
}
oauth_client with_key(pkey const& key) {
  return oauth_client("the client").key(private_key::pem(secret(pem_of(key, pem_form::pkcs8))).id("k1"));
}
assertion_request about_issuer() {
  assertion_request out;
  out.client_id = "the client";
  out.audience = "https://as.example";
  out.token_endpoint = "https://as.example/token";
  return out;
}

}  // namespace

TEST_CASE("client_authentication: none and post go into the body", "[auth]") {
  form_fields body;
  http_headers headers;
  body.add("grant_type", "x").add("client_id", "of somebody else");
  REQUIRE(authenticate(body, headers, oauth_client("me"), "none"));
  CHECK(body.text() == "grant_type=x&client_id=me");
  REQUIRE(authenticate(body, headers, with_secret("me", "p&w"), "client_secret_post"));
  CHECK(body.text() == "grant_type=x&client_id=me&client_secret=p%26w");
  CHECK(headers.empty());
}

TEST_CASE("client_authentication: basic encodes both parts before it joins them", "[auth]") {
  struct example {
    char const *id, *word, *header;
  };
  for (auto const& [id, word, header] : {
           example{"s6BhdRkqt3", "7Fjfp0ZBr1KtDRbnfVdmIw", "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3"},  // RFC 6749
           example{"a b", "c:d=\xc3\xa9%", "Basic YStiOmMlM0FkJTNEJUMzJUE5JTI1"},                                  // a+b:c%3Ad%3D%C3%A9%25
           example{"a:b=c", "x", "Basic YSUzQWIlM0RjOng="}}) {                                                     // a%3Ab%3Dc:x
    form_fields body;
    http_headers headers;
    REQUIRE(authenticate(body, headers, with_secret(id, word), "client_secret_basic"));
    REQUIRE(headers.size() == 1);
    CHECK(*headers.find("Authorization") == header);
    CHECK(body == form_fields());
  }
}

TEST_CASE("client_authentication: an assertion goes along with its type", "[auth]") {
  form_fields body;
  http_headers headers;
  REQUIRE(authenticate(body, headers, oauth_client("me"), "private_key_jwt", secret("a.b.c")));
  CHECK(headers.empty());
  CHECK(*body.find("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  CHECK(*body.find("client_assertion") == "a.b.c");
  CHECK(*body.find("client_id") == "me");
  CHECK_FALSE(body.find("client_secret"));
}

TEST_CASE("client_authentication: a part that is missing changes nothing", "[auth]") {
  struct bad {
    oauth_client client;
    char const* method;
  };
  bad const table[] = {{oauth_client("me"), "client_secret_basic"}, {oauth_client("me"), "client_secret_post"},
                       {oauth_client("me"), "private_key_jwt"},     {oauth_client(), "none"},
                       {with_secret("me", "hunter2"), "tls_client_auth"}, {with_secret("me", "hunter2"), ""},
                       {with_secret("", "hunter2"), "client_secret_basic"}};
  for (auto const& [client, method] : table) {
    CAPTURE(method);
    form_fields body;
    http_headers headers;
    auto const got = authenticate(body, headers, client, method);
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::invalid_argument);
    CHECK(got.error().to_string().find("hunter2") == std::string::npos);
    CHECK(body == form_fields());
    CHECK(headers.empty());
  }
}

TEST_CASE("client_authentication: the claims of an assertion", "[auth]") {
  for (auto const& key : {ec_key(), rsa_key()}) {
    auto const client = with_key(key);
    auto const jwt = sign_client_assertion(client, about_issuer(), assertion_options(), now);
    REQUIRE(jwt);
    auto const own_key = signing_key::load(*client.key()).value();
    CHECK(verifies(own_key.public_jwk(), jwt->reveal()));
    token_parts const parts(jwt->reveal());
    CHECK(parts.header_text == R"({"alg":")" + own_key.algorithm() + R"(","kid":"k1","typ":"JWT"})");
    CHECK(parts.claims.size() == 6);
    CHECK(parts.claims["iss"].as<std::string>() == "the client");
    CHECK(parts.claims["sub"].as<std::string>() == "the client");
    CHECK(parts.claims["aud"].as<std::string>() == "https://as.example");
    CHECK(parts.claims["iat"].as_int64() == 1'700'000'000);
    CHECK(parts.claims["exp"].as_int64() == 1'700'000'060);
    auto const again = sign_client_assertion(client, about_issuer(), assertion_options(), now);
    CHECK(token_parts(again.value().reveal()).claims["jti"] != parts.claims["jti"]);
  }
}

TEST_CASE("client_authentication: lifetime, audience and further claims are options", "[auth]") {
  auto const client = with_key(ec_key());
  auto const claims = [&](assertion_options const& options, assertion_request const& about) {
    return token_parts(sign_client_assertion(client, about, options, now).value().reveal()).claims;
  };
  auto options = assertion_options().lifetime(1h).audience("urn:them");
  options.extra_claims(json::parse(R"({"iss":"evil","exp":1,"tenant":{"a":[1]}})").value());
  auto const got = claims(options, about_issuer());
  CHECK(got["aud"].as<std::string>() == "urn:them");
  CHECK(got["exp"].as_int64() == 1'700'003'600);
  CHECK(got["iss"].as<std::string>() == "the client");
  CHECK(got["tenant"].dump() == R"({"a":[1]})");
  CHECK(got.size() == 7);
  auto without_issuer = about_issuer();
  without_issuer.audience.clear();
  without_issuer.client_id.clear();
  CHECK(claims(assertion_options(), without_issuer)["aud"].as<std::string>() == "https://as.example/token");
  CHECK(claims(assertion_options(), without_issuer)["sub"].as<std::string>() == "the client");
}

TEST_CASE("client_authentication: assertions that cannot be made", "[auth]") {
  auto const client = with_key(ec_key());
  auto const fails = [&](oauth_client const& who, assertion_options const& options) {
    auto const got = sign_client_assertion(who, about_issuer(), options, now);
    return !got && got.error() == errc::invalid_argument;
  };
  CHECK_FALSE(fails(client, assertion_options()));
  CHECK(fails(oauth_client("me"), assertion_options()));
  CHECK(fails(with_key(ec_key("P-384")), assertion_options()));
  CHECK(fails(client, assertion_options().lifetime(0s)));
  CHECK(fails(client, assertion_options().lifetime(3601s)));
  CHECK(fails(client, assertion_options().extra_claims(json::parse("[1]").value())));
  auto bad_id = client;
  bad_id.key(private_key(*client.key()).id("\xff"));
  CHECK(fails(bad_id, assertion_options()));
}
