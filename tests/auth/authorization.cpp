// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/authorization.hpp>

#include <string>
#include <utility>
#include <vector>

#include <comcp/auth/form.hpp>
#include <comcp/auth/pkce.hpp>

#include "support/catch.hpp"

using namespace comcp;

namespace {

pending_authorization pending() {
  pending_authorization p;
  p.server = "https://mcp.example.com/mcp";
  p.resource = "https://mcp.example.com/";
  p.issuer = "https://as.example.com";
  p.authorization_endpoint = "https://as.example.com/authorize";
  p.token_endpoint = "https://as.example.com/token";
  p.auth_method = "none";
  p.client = oauth_client("client id").client_secret(secret("s"));
  p.redirect_uri = "http://127.0.0.1:4321/callback";
  p.scope = "a b";
  p.state = secret("STATE-1");
  p.verifier = secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
  return p;
}

std::string code_of(pending_authorization const& p, std::string_view redirect) {
  auto const got = read_redirect(p, redirect);
  REQUIRE(got);
  REQUIRE(std::holds_alternative<secret>(*got));
  return std::get<secret>(*got).reveal();
}

oauth_refusal refusal_of(pending_authorization const& p, std::string_view redirect) {
  auto const got = read_redirect(p, redirect);
  REQUIRE(got);
  REQUIRE(std::holds_alternative<oauth_refusal>(*got));
  return std::get<oauth_refusal>(*got);
}

// Refused, and nothing of the response, which has "hunter2" in it, is in the error.
bool refused(pending_authorization const& p, std::string_view redirect) {
  auto const got = read_redirect(p, redirect);
  if (got) return false;
  CHECK(got.error() == errc::unauthorized);
  CHECK(got.error().to_string().find("hunter2") == std::string::npos);
  return true;
}

}  // namespace

TEST_CASE("authorization: the URL for the browser", "[auth]") {
  auto const url = pending().url();
  REQUIRE(url);
  CHECK(url->text() ==
        "https://as.example.com/authorize?response_type=code&client_id=client+id&"
        "redirect_uri=http%3A%2F%2F127.0.0.1%3A4321%2Fcallback&state=STATE-1&"
        "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&"
        "resource=https%3A%2F%2Fmcp.example.com%2F&scope=a+b");
}

TEST_CASE("authorization: no scope and no resource are left out, an existing query stays", "[auth]") {
  auto p = pending();
  p.scope.clear();
  p.resource.clear();
  p.authorization_endpoint = "https://as.example.com/authorize?tenant=%7E1&p=b+c#frag";
  auto const url = p.url();
  REQUIRE(url);
  CHECK(url->text().starts_with("https://as.example.com/authorize?tenant=%7E1&p=b+c&response_type=code&client_id="));
  CHECK(url->text().ends_with("code_challenge_method=S256"));
  p.authorization_endpoint = "https://as.example.com/authorize?";
  CHECK(p.url()->text().starts_with("https://as.example.com/authorize?response_type=code&"));
}

TEST_CASE("authorization: an endpoint that sets parameters of the request, or is no URL, is refused", "[auth]") {
  for (auto const query : {"state=x", "st%61te=x", "a=b&redirect_uri=https://evil", "client_id=", "scope=admin", "resource=r",
                           "code_challenge=x", "response_type=token", "a=%"}) {
    INFO(query);
    auto p = pending();
    p.scope.clear();
    p.authorization_endpoint += std::string("?") + query;
    CHECK_FALSE(p.url());
  }
  for (auto const endpoint : {"", "javascript:alert(1)", "/authorize", "https://user@as.example.com/", "file:///etc/passwd"}) {
    auto p = pending();
    p.authorization_endpoint = endpoint;
    CHECK_FALSE(p.url());
  }
}

TEST_CASE("authorization: hostile values stay inside their parameter", "[auth]") {
  auto p = pending();
  p.scope = "a&redirect_uri=https://evil#\"`$(touch x)\n";
  auto const url = p.url();
  REQUIRE(url);
  CHECK_FALSE(url->fragment());
  CHECK(url->text().find_first_of("\"`$ \n") == std::string::npos);
  auto const form = form_fields::parse(*url->query());
  REQUIRE(form);
  CHECK(form->count("redirect_uri") == 1);
  CHECK(*form->find("scope") == p.scope);
}

TEST_CASE("authorization: what is under way goes through its stored form", "[auth]") {
  auto p = pending();
  p.iss_required = true;
  p.dpop = true;
  p.dpop_key = secret(R"({"kty":"EC"})");
  auto const text = p.to_json();
  auto const back = pending_authorization::from_json(text);
  REQUIRE(back);
  CHECK(back->to_json() == text);
  CHECK(back->url()->text() == p.url()->text());
  CHECK(back->client == p.client);
  CHECK(back->server == p.server);
  CHECK(back->issuer == p.issuer);
  CHECK(back->iss_required);
  CHECK(back->token_endpoint == p.token_endpoint);
  CHECK(back->auth_method == p.auth_method);
  CHECK(back->verifier == p.verifier);
  CHECK(back->dpop);
  CHECK(back->dpop_key == p.dpop_key);
}

TEST_CASE("authorization: a stored one of another shape is an error that quotes nothing", "[auth]") {
  auto const good = pending().to_json().reveal();
  std::vector<std::string> bad = {"", "hunter2", "[]", "{}", "null"};
  for (auto const& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"STATE-1\"", "[\"hunter2\"]"}, {"\"iss_required\":false", "\"iss_required\":0"}, {"\"state\"", "\"hunter2\""},
           {"\"client_id\"", "\"hunter2\""}, {"\"dpop\":false", "\"dpop\":\"hunter2\""}, {"\"a b\"", "null"}}) {
    auto changed = good;
    auto const at = changed.find(from);
    REQUIRE(at != changed.npos);
    bad.push_back(changed.replace(at, from.size(), to));
  }
  for (auto const& text : bad) {
    INFO(text);
    auto const got = pending_authorization::from_json(secret(text));
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::wrong_shape);
    CHECK(got.error().to_string().find("hunter2") == std::string::npos);
  }
}

TEST_CASE("authorization: a redirect as URL, as query, as people paste it", "[auth]") {
  auto const p = pending();
  for (auto const redirect : {"http://127.0.0.1:4321/callback?code=c%2Bd&state=STATE-1", "?code=c%2Bd&state=STATE-1",
                              "code=c%2Bd&state=STATE-1&iss=https%3A%2F%2Fas.example.com", "state=STATE-1&other=1&other=2&code=c%2Bd",
                              "HTTP://127.0.0.1:4321/callback?state=STATE-1&code=c%2Bd#_=_",
                              "  http://127.0.0.1:4321/callback?code=c%2Bd&state=STATE-1\r\n",
                              "code=c%2Bd&state=STATE-1&iss=https://as.example.com"}) {
    INFO(redirect);
    CHECK(code_of(p, redirect) == "c+d");
  }
}

TEST_CASE("authorization: a redirect to another address", "[auth]") {
  auto const p = pending();
  for (auto const where : {"http://127.0.0.1:4322/callback", "https://127.0.0.1:4321/callback", "http://localhost:4321/callback",
                           "http://127.0.0.2:4321/callback", "http://127.0.0.1:4321/callback/", "http://127.0.0.1:4321/",
                           "http://127.0.0.1:4321/callback/../x", "http://127.0.0.1/callback", "http://evil@127.0.0.1:4321/callback",
                           "http://127.0.0.1:4321/CALLBACK", "com.example:/callback", "javascript:callback"}) {
    INFO(where);
    CHECK(refused(p, std::string(where) + "?code=hunter2&state=STATE-1"));
  }
  CHECK(refused(p, "http://127.0.0.1:4321/callback"));
  CHECK(refused(p, "http://127.0.0.1:4321/callback#code=hunter2&state=STATE-1"));
  CHECK(refused(p, ""));
}

TEST_CASE("authorization: a redirect with a query of its own", "[auth]") {
  auto p = pending();
  p.redirect_uri = "https://app.example.com/cb?tenant=1";
  CHECK(code_of(p, "https://app.example.com/cb?tenant=1&code=c&state=STATE-1") == "c");
}

TEST_CASE("authorization: the state must be that of the request", "[auth]") {
  auto p = pending();
  for (auto const bad : {"code=hunter2", "code=hunter2&state=", "code=hunter2&state=STATE-2", "code=hunter2&state=STATE-1x",
                         "code=hunter2&state=STATE-", "code=hunter2&state=state-1", "error=hunter2&state=x", "error=hunter2"}) {
    INFO(bad);
    CHECK(refused(p, bad));
  }
  p.state = secret();
  CHECK(refused(p, "code=hunter2&state="));
  CHECK(refused(p, "code=hunter2"));
}

TEST_CASE("authorization: the issuer, by the table of the specification, for errors too", "[auth]") {
  auto p = pending();
  for (bool const promised : {true, false}) {
    p.iss_required = promised;
    for (std::string const what : {"code=hunter2", "error=hunter2&error_description=hunter2"}) {
      INFO(promised << ' ' << what);
      auto const answer = what + "&state=STATE-1";
      CHECK(read_redirect(p, answer + "&iss=https://as.example.com").has_value());
      CHECK(refused(p, answer) == promised);
      for (auto const other : {"https://evil.example", "https://as.example.com/", "https://AS.example.com", "https://as.example.com:443",
                               "https://as.example%2Ecom/x", "", "https%253A//as.example.com"}) {
        INFO(other);
        CHECK(refused(p, answer + "&iss=" + other));
      }
    }
  }
  p.issuer.clear();
  p.iss_required = false;
  CHECK(refused(p, "code=hunter2&state=STATE-1&iss=https://as.example.com"));
  CHECK(code_of(p, "code=c&state=STATE-1") == "c");
}

TEST_CASE("authorization: repeated parameters and malformed queries", "[auth]") {
  auto const p = pending();
  for (auto const bad : {"code=hunter2&state=STATE-1&code=x", "code=hunter2&state=STATE-1&state=STATE-1",
                         "code=hunter2&state=x&state=STATE-1", "code=hunter2&state=STATE-1&iss=https://as.example.com&iss=x",
                         "error=hunter2&state=STATE-1&error=y", "error=hunter2&error_description=a&error_description=b&state=STATE-1",
                         "code=hunter2&c%6Fde=x&state=STATE-1", "code=hunter2%&state=STATE-1"}) {
    INFO(bad);
    CHECK(refused(p, bad));
  }
}

TEST_CASE("authorization: refusals, and neither code nor error", "[auth]") {
  auto const p = pending();
  auto const got = refusal_of(p, "error=access_denied&error_description=the+user%0Asaid%20no&state=STATE-1&code=x");
  CHECK(got.code == "access_denied");
  CHECK(got.description == "the user?said no");
  CHECK(refusal_of(p, "error=x&state=STATE-1").description.empty());
  for (auto const bad : {"state=STATE-1", "state=STATE-1&code=", "state=STATE-1&error=", "state=STATE-1&token=hunter2",
                         "state=STATE-1&access_token=hunter2&token_type=bearer"}) {
    INFO(bad);
    CHECK(refused(p, bad));
  }
}
