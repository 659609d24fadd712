// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/registration.hpp>
#include <comcp/json/describe.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;

namespace {

using strings = std::vector<std::string>;
auto const now = token_set::time_point(1'795'000'000s);

oauth_client registered(std::string_view body) {
  auto const got = read_registration_answer(201, body, "https://as", now);
  REQUIRE(got);
  REQUIRE(std::holds_alternative<oauth_client>(*got));
  return std::get<oauth_client>(*got);
}

std::string method(oauth_client const& client, std::optional<strings> const& supported = {}) {
  auto const got = choose_auth_method(client, supported);
  if (got) return *got;
  CHECK(got.error() == errc::unauthorized);
  return "(nothing)";
}

std::string application_type(strings redirects) {
  client_metadata about;
  about.redirect_uris = std::move(redirects);
  auto const sent = json::parse(about.to_json()).value();
  return sent["application_type"].as<std::string>();
}

}  // namespace

TEST_CASE("registration: a public client as a native application sends", "[auth]") {
  client_metadata about("My app");
  about.redirect_uris = strings{"http://127.0.0.1/callback"};
  CHECK(about.to_json() == R"({"client_name":"My app","redirect_uris":["http://127.0.0.1/callback"],)"
                           R"("grant_types":["authorization_code","refresh_token"],"response_types":["code"],)"
                           R"("token_endpoint_auth_method":"none","application_type":"native"})");
}

TEST_CASE("registration: a machine client with everything", "[auth]") {
  client_metadata about;
  about.grant_types = strings{"client_credentials"};
  about.token_endpoint_auth_method = "client_secret_basic";
  about.application_type = "web";
  about.scope = "a b";
  about.client_uri = "https://c";
  about.logo_uri = "https://l";
  about.software_id = "id";
  about.software_version = "1";
  CHECK(about.to_json() == R"({"client_name":"comcp","grant_types":["client_credentials"],"response_types":[],)"
                           R"("token_endpoint_auth_method":"client_secret_basic","application_type":"web","scope":"a b",)"
                           R"("client_uri":"https://c","logo_uri":"https://l","software_id":"id","software_version":"1"})");
}

TEST_CASE("registration: the application type follows the redirects", "[auth]") {
  CHECK(application_type({"http://localhost:1234/cb", "http://[::1]/cb", "com.example.app:/cb"}) == "native");
  CHECK(application_type({"https://app.example.com/cb"}) == "web");
  CHECK(application_type({"http://127.0.0.1/cb", "https://app.example.com/cb"}) == "web");
}

TEST_CASE("registration: answers", "[auth]") {
  auto const full = registered(R"({"client_id":"id","client_secret":"s","client_secret_expires_at":1795000060,"x":1,
    "token_endpoint_auth_method":"client_secret_post","redirect_uris":["http://127.0.0.1/cb"],"issuer":"https://evil"})");
  CHECK(full.id() == "id");
  CHECK(full.client_secret().reveal() == "s");
  CHECK(full.secret_expires_at() == now + 60s);
  CHECK(full.auth_method() == "client_secret_post");
  CHECK(full.redirect_uris() == strings{"http://127.0.0.1/cb"});
  CHECK(full.issuer() == "https://as");
  auto const bare = registered(R"({"client_id":"id","client_secret_expires_at":0,"client_secret":null})");
  CHECK(bare == oauth_client("id").issuer("https://as"));
  CHECK_FALSE(bare.secret_expires_at());
  CHECK(registered(R"({"client_id":"id","client_secret_expires_at":1e300})").secret_expires_at() > now + 24h);
}

TEST_CASE("registration: refusals and bad answers", "[auth]") {
  auto const refused = read_registration_answer(400, R"({"error":"invalid_redirect_uri","error_description":"no"})", "i", now);
  REQUIRE(refused);
  REQUIRE(std::holds_alternative<oauth_refusal>(*refused));
  CHECK(std::get<oauth_refusal>(*refused).code == "invalid_redirect_uri");
  for (auto const bad : {"", "<html>hunter2", "{}", R"({"client_id":""})", R"({"client_id":7,"client_secret":"hunter2"})",
                         R"({"client_id":"a","client_secret":["hunter2"]})", R"({"client_id":"a","redirect_uris":"hunter2"})",
                         R"({"client_id":"a","client_secret_expires_at":"hunter2"})",
                         R"({"client_id":"a","client_secret":"hunter2","client_secret_expires_at":5})"}) {
    INFO(bad);
    auto const got = read_registration_answer(201, bad, "i", now);
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::protocol_violation);
    CHECK(got.error().detail()->http_status == 201);
    CHECK(got.error().to_string().find("hunter2") == std::string::npos);
  }
}

TEST_CASE("registration: clients go through their stored form", "[auth]") {
  auto client = oauth_client("id").client_secret(secret("s\"x")).issuer("https://as").auth_method("none");
  client.secret_expires_at(now).redirect_uris({"http://127.0.0.1:5/cb"});
  client.key(private_key::jwk(secret(R"({"kty":"EC"})")).algorithm("ES256").id("kid"));
  for (auto const& one : {client, oauth_client("bare"), oauth_client("pem").key(private_key::pem(secret("-----BEGIN")))}) {
    auto const back = oauth_client::from_json(one.to_json());
    REQUIRE(back);
    CHECK(*back == one);
  }
}

TEST_CASE("registration: a stored client of another shape is an error that quotes nothing", "[auth]") {
  for (auto const bad : {"", "hunter2", "[]", "{}", R"({"client_id":["hunter2"]})", R"({"client_id":"a","client_secret":{"hunter2":1}})",
                         R"({"client_id":"a","private_key":"hunter2"})", R"({"client_id":"a","private_key":{"text":"hunter2"}})"}) {
    INFO(bad);
    auto const got = oauth_client::from_json(secret(bad));
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::wrong_shape);
    CHECK(got.error().to_string().find("hunter2") == std::string::npos);
  }
}

TEST_CASE("registration: how a client authenticates", "[auth]") {
  oauth_client const open("id");
  auto const with_secret = oauth_client("id").client_secret(secret("s"));
  auto const with_key = oauth_client("id").key(private_key::pem(secret("k")));
  auto const with_both = oauth_client("id").client_secret(secret("s")).key(private_key::pem(secret("k")));
  strings const all = {"none", "client_secret_post", "client_secret_basic", "private_key_jwt"};

  CHECK(method(open) == "none");
  CHECK(method(open, all) == "none");
  CHECK(method(open, strings{"client_secret_basic"}) == "none");
  CHECK(method(with_secret) == "client_secret_basic");
  CHECK(method(with_secret, strings{}) == "client_secret_basic");
  CHECK(method(with_secret, all) == "client_secret_basic");
  CHECK(method(with_secret, strings{"private_key_jwt", "client_secret_post"}) == "client_secret_post");
  CHECK(method(with_secret, strings{"none"}) == "none");
  CHECK(method(with_secret, strings{"private_key_jwt"}) == "(nothing)");
  CHECK(method(with_key) == "private_key_jwt");
  CHECK(method(with_key, all) == "private_key_jwt");
  CHECK(method(with_key, strings{"client_secret_basic"}) == "(nothing)");
  CHECK(method(with_both, all) == "private_key_jwt");
  CHECK(method(with_both, strings{"client_secret_post"}) == "client_secret_post");
  CHECK(method(with_both) == "client_secret_basic");
  CHECK(method(oauth_client("id").auth_method("client_secret_post"), strings{"none"}) == "(nothing)");
  CHECK(method(oauth_client("id").client_secret(secret("s")).auth_method("client_secret_post"), strings{"none"}) == "client_secret_post");
  CHECK(method(oauth_client("id").auth_method("client_secret_basic")) == "(nothing)");
  CHECK(method(oauth_client("id").auth_method("private_key_jwt")) == "private_key_jwt");  // signed elsewhere
  CHECK(method(oauth_client("id").auth_method("client_secret_jwt")) == "(nothing)");
}
