// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Attacks on a flow that RFC 9700 and the specification's security page name, each a test.
#include <comcp/sansio/oauth_flow.hpp>

#include <algorithm>

#include "support/oauth_script.hpp"

using namespace comcp;
using namespace comcp_test;

namespace {

std::string const promises_iss = std::string(registers) + R"(,"authorization_response_iss_parameter_supported":true)";

oauth_script answering(std::string more_of_redirect, std::string const& server_more = registers) {
  oauth_script s({}, usual_site({}, server_more));
  s.more_of_redirect = std::move(more_of_redirect);
  return s;
}

/// A flow whose redirect is this text.
oauth_script redirected_to(std::string redirect) {
  oauth_script s;
  s.instead = [redirect = std::move(redirect)](oauth_flow& flow, int) {
    if (flow.next() == want::user) return flow.redirected(redirect), true;
    return false;
  };
  return s;
}

/// The usual metadata with one endpoint replaced.
std::string with_endpoint(std::string const& name, std::string const& url) {
  std::string out = R"({"issuer":"https://as.example.com","code_challenge_methods_supported":["S256"])";
  for (std::string const one :
       {"authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"}) {
    out += ",\"" + one + "\":\"" + (one == name ? url : "https://as.example.com/" + one) + '"';
  }
  return out + '}';
}

std::string without_pkce(std::string const& methods) {
  return R"({"issuer":"https://as.example.com","authorization_endpoint":"https://as.example.com/a","token_endpoint":"https://as.example.com/t")" +
         std::string(registers) + methods + '}';
}

}  // namespace

TEST_CASE("oauth_flow: attack: mix-up, a response of another authorization server", "[sansio]") {
  CHECK(answering("&iss=https%3A%2F%2Fas.example.com", promises_iss).granted().tokens.access_token ==
        secret("ACCESS-SECRET"));
  CHECK(answering("&iss=https%3A%2F%2Fas.example.com").granted().issuer == issuer_url);
  CHECK(answering("").granted().issuer == issuer_url);

  std::vector<oauth_script> wrong;
  wrong.push_back(answering("", promises_iss));
  for (auto const* const iss : {"https%3A%2F%2Fhonest.example", "https%3A%2F%2Fas.example.com%2F",
                                "https%3A%2F%2FAS.example.com", "https%3A%2F%2Fas.example.com%3A443", ""}) {
    wrong.push_back(answering("&iss=" + std::string(iss), promises_iss));
    wrong.push_back(answering("&iss=" + std::string(iss)));
  }
  wrong.push_back(answering("&iss=https%3A%2F%2Fas.example.com&iss=https%3A%2F%2Fhonest.example", promises_iss));
  for (auto& s : wrong) {
    INFO(s.more_of_redirect);
    CHECK_THAT(s.refused(), match::contains("the redirect was refused"));
    CHECK(s.times(want::post_token) == 0);  // the code went nowhere
  }
}

TEST_CASE("oauth_flow: attack: mix-up, an error of another authorization server is not shown", "[sansio]") {
  auto foreign = redirected_to(
      "http://127.0.0.1:7777/"
      "callback?error=phish&error_description=call+us&state=STATE-SECRET&iss=https%3A%2F%2Fevil.example");
  auto const text = foreign.refused();
  CHECK(text.find("phish") == text.npos);
  CHECK(text.find("call us") == text.npos);
  auto own =
      redirected_to("http://127.0.0.1:7777/callback?error=access_denied&error_description=no&state=STATE-SECRET");
  CHECK_THAT(own.refused(), match::contains("authorization: access_denied (no)"));
}

TEST_CASE("oauth_flow: attack: mix-up, the code goes to the token endpoint of the validated metadata alone",
          "[sansio]") {
  // The lying server names another server's authorization endpoint; its own metadata was never under that issuer.
  oauth_script s;
  s.web.pages[server_metadata_url] = page::json(server_json(registers, "https://honest.example"));
  (void)s.refused();
  CHECK(s.times(want::user) + s.times(want::post_token) + s.times(want::post_json) == 0);
}

TEST_CASE("oauth_flow: attack: code injection, a response with a foreign state", "[sansio]") {
  for (auto const* const state : {"", "other", "state-secret", "STATE-SECRET2", "STATE-SECRET&state=other"}) {
    oauth_script s;
    s.state_of_redirect = state;
    INFO(state);
    CHECK_THAT(s.refused(), match::contains("the redirect was refused"));
    CHECK(s.times(want::post_token) == 0);
  }
  CHECK_THAT(redirected_to("http://127.0.0.1:7777/callback?code=CODE-SECRET").refused(), match::contains("state"));
}

TEST_CASE("oauth_flow: attack: open redirect, a response at another address", "[sansio]") {
  for (auto const* const where :
       {"https://evil.example/callback", "http://127.0.0.1:7778/callback", "https://127.0.0.1:7777/callback",
        "http://127.0.0.1:7777/other", "http://localhost:7777/callback", "javascript:x"}) {
    INFO(where);
    CHECK_THAT(redirected_to(where + std::string("?code=CODE-SECRET&state=STATE-SECRET")).refused(),
               match::contains("it went to another address"));
  }
}

TEST_CASE("oauth_flow: attack: downgrade to plain PKCE, or to none", "[sansio]") {
  for (std::string const methods :
       {"", R"(,"code_challenge_methods_supported":[])", R"(,"code_challenge_methods_supported":["plain"])",
        R"(,"code_challenge_methods_supported":["s256","S512"])"}) {
    oauth_script s;
    s.web.pages[server_metadata_url] = page::json(without_pkce(methods));
    INFO(methods);
    CHECK_THAT(s.refused(), match::contains("does not support PKCE with S256"));
    CHECK(s.times(want::post_json) + s.times(want::user) == 0);
  }
  oauth_script origin({}, site());  // published at the server's origin, it is held to it as well
  origin.web.pages["https://mcp.example.com/.well-known/oauth-authorization-server"] = page::json(
      R"({"issuer":"https://mcp.example.com","authorization_endpoint":"https://mcp.example.com/a","token_endpoint":"https://mcp.example.com/t"})");
  CHECK_THAT(origin.refused(), match::contains("PKCE"));
}

TEST_CASE("oauth_flow: attack: downgrade from a DPoP-bound token to one that anybody can use", "[sansio]") {
  oauth_script s({}, usual_site(R"(,"dpop_bound_access_tokens_required":true)",
                                std::string(registers) + R"(,"dpop_signing_alg_values_supported":["ES256"])"));
  CHECK_THAT(s.refused(), match::contains("not bound to the key"));
}

TEST_CASE("oauth_flow: attack: SSRF and code execution through endpoints of the metadata", "[sansio]") {
  for (std::string const name :
       {"authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"}) {
    for (auto const* const url :
         {"http://169.254.169.254/x", "https://10.0.0.1/x", "https://127.0.0.1/x", "http://localhost/x",
          "https://[::1]/x", "http://as.example.com/x", "https://user:HUNTER@as.example.com/x", "javascript:alert(1)",
          "file:///bin/sh", "data:text/html,x", "-oProxyCommand=x", "$(reboot)", "https://as.example.com/#f",
          "https://as.example.com/\\u0000x"}) {
      oauth_script s;
      s.web.pages[server_metadata_url] = page::json(with_endpoint(name, url));
      INFO(name << " " << url);
      if (name == "revocation_endpoint") {
        CHECK(s.granted().revocation_endpoint.empty());
        continue;
      }
      auto const text = s.refused();
      CHECK(text.find("HUNTER") == text.npos);
      CHECK(s.times(want::user) + s.times(want::post_json) + s.times(want::post_token) == 0);
    }
  }
}

TEST_CASE("oauth_flow: attack: command injection through the authorization endpoint comes to an escaped URL",
          "[sansio]") {
  oauth_script s;
  s.web.pages[server_metadata_url] =
      page::json(with_endpoint("authorization_endpoint", R"(https://as.example.com/a\";calc`x`|<>{} ?q=$(x) y)"));
  (void)s.granted();
  CHECK(s.authorization_url.starts_with("https://as.example.com/a%22;calc%60x%60|%3C%3E%7B%7D%20?q=$(x)%20y&"));
  CHECK(s.authorization_url.find_first_of("\"`<>{} ") == std::string::npos);
}

TEST_CASE("oauth_flow: attack: the authorization endpoint overrides parameters of the request", "[sansio]") {
  oauth_script s;
  s.web.pages[server_metadata_url] =
      page::json(with_endpoint("authorization_endpoint", "https://as.example.com/a?redirect_uri=https://evil.example"));
  s.instead = [](oauth_flow& flow, int) {
    if (flow.next() != want::user) return false;
    auto const url = flow.pending().url();
    CHECK_FALSE(url);
    return flow.failed(url.error()), true;
  };
  (void)s.refused();
}

TEST_CASE("oauth_flow: attack: a redirect of the token or registration endpoint would carry credentials away",
          "[sansio]") {
  for (int const status : {301, 302, 303, 307, 308}) {
    oauth_script registration;
    registration.registrations = {page::redirect("https://evil.example/", status)};
    CHECK_THAT(registration.refused(), match::contains("its endpoint redirects, which is not followed"));
    CHECK(registration.registered_at.size() == 1);
    oauth_script token;
    token.token = page::redirect("https://as.example.com/token2", status);
    token.token.body = token_json;
    CHECK_THAT(token.refused(), match::contains("its endpoint redirects, which is not followed"));
    CHECK(token.tokens_at.size() == 1);
  }
}

TEST_CASE("oauth_flow: attack: a changed authorization server gets no credentials of the old one", "[sansio]") {
  oauth_script s(
      with_client(oauth_client("mine").client_secret(secret("CLIENT-SECRET")).issuer("https://old.example.com")));
  (void)s.refused();
  CHECK(s.times(want::post_token) == 0);
}

TEST_CASE("oauth_flow: attack: a client that names no issuer stays with the first, and the refusal names both", "[sansio]") {
  auto const by_secret = oauth_client("mine").client_secret(secret("CLIENT-SECRET"));
  auto const by_key = oauth_client("mine").key(private_key::pem(secret("KEY-SECRET")));
  auto const signed_elsewhere = oauth_client("mine").auth_method("private_key_jwt");
  for (auto const& client : {by_secret, by_key, signed_elsewhere, oauth_client("mine")}) {
    oauth_script s(with_client(client));
    CHECK(s.granted().client.id() == "mine");
    CHECK(s.flow->binding().of == "client mine");
    CHECK(s.flow->binding().issuer == issuer_url);
    s.stored_issuer = issuer_url;
    CHECK(s.granted().issuer == issuer_url);
    s.stored_issuer = "https://old.example.com";
    auto const text = s.refused();
    CHECK_THAT(text, match::contains("client mine belongs to the authorization server https://old.example.com"));
    CHECK_THAT(text, match::contains("now names https://as.example.com: nothing was sent there"));
    CHECK(s.times(want::user) == 2);
    CHECK(s.times(want::post_token) == 2);
    s.about.issuer = issuer_url;  // named
    CHECK(s.granted().issuer == issuer_url);
    s.about.issuer.reset();
    s.about.clients.front().issuer(issuer_url);
    CHECK(s.granted().issuer == issuer_url);
  }
  oauth_script workload;
  workload.about.kind = oauth_profile::grant::jwt_bearer;
  workload.stored_issuer = "https://old.example.com";
  CHECK_THAT(workload.refused(), match::contains("assertions for https://mcp.example.com/mcp belongs to"));
  CHECK(workload.times(want::assertion) == 0);
}

TEST_CASE("oauth_flow: what every server may see is bound to none", "[sansio]") {
  oauth_script dynamic;
  dynamic.stored_issuer = "https://old.example.com";
  CHECK(dynamic.granted().registered_by == "dynamic");
  for (auto const& client : {oauth_client("https://app.example.com/client.json"),
                             oauth_client("https://app.example.com/client.json").key(private_key::pem(secret("KEY-SECRET")))}) {
    oauth_script document(with_client(client));
    document.stored_issuer = "https://old.example.com";
    CHECK(document.granted().issuer == issuer_url);
    CHECK(document.times(want::binding) == 0);
  }
}

TEST_CASE("oauth_flow: attack: addresses that nothing publishes get no secret, unless their issuer is named", "[sansio]") {
  auto const known = oauth_client("mine").client_secret(secret("CLIENT-SECRET"));
  oauth_script s(with_client(known), site());
  auto const text = s.refused();
  CHECK_THAT(text, match::contains("client mine would go to https://mcp.example.com, which publishes no metadata"));
  CHECK(s.times(want::post_token) + s.times(want::user) == 0);
  s.stored_issuer = "https://as.example.com";  // the server stopped to name it
  CHECK_THAT(s.refused(), match::contains("belongs to the authorization server https://as.example.com"));
  s.about.kind = oauth_profile::grant::jwt_bearer;
  s.about.clients.clear();
  s.stored_issuer.reset();
  CHECK_THAT(s.refused(), match::contains("assertions for"));

  oauth_script named(with_client(oauth_client(known).issuer("https://mcp.example.com")), site());
  CHECK(named.granted().token_endpoint == "https://mcp.example.com/token");
  CHECK(oauth_script(with_client(oauth_client("public")), site()).granted().client.id() == "public");
}
