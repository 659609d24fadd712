// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole flows, step by step: what is asked of whom, in which order, with which parameters.
#include <comcp/sansio/oauth_flow.hpp>

#include "support/oauth_script.hpp"

using namespace comcp;
using namespace comcp_test;
using urls = std::vector<std::string>;
using wants = std::vector<want>;

TEST_CASE("oauth_flow: an authorization with dynamic registration, every step of it", "[sansio]") {
  oauth_script s({}, usual_site(R"(,"scopes_supported":["a","b"])",
                                std::string(registers) + R"(,"revocation_endpoint":"https://as.example.com/revoke")"));
  auto const& grant = s.granted();
  CHECK(s.wants == wants{want::get, want::get, want::stored_client, want::redirect_uri, want::post_json, want::user,
                         want::post_token});
  CHECK(s.registered_at == urls{"https://as.example.com/register"});
  CHECK(s.tokens_at == urls{"https://as.example.com/token"});

  CHECK(s.authorization_url.starts_with("https://as.example.com/authorize?"));
  CHECK(s.asked("client_id") == "dyn-1");
  CHECK(s.asked("redirect_uri") == s.redirect_uri);
  CHECK(s.asked("resource") == mcp_url);
  CHECK(s.asked("scope") == "a b");
  CHECK(s.asked("state") == "STATE-SECRET");
  CHECK(s.asked("code_challenge_method") == "S256");

  CHECK(s.field("grant_type") == "authorization_code");
  CHECK(s.field("code") == "CODE-SECRET");
  CHECK(s.field("code_verifier") == "VERIFIER-SECRET");
  CHECK(s.field("redirect_uri") == s.redirect_uri);
  CHECK(s.field("resource") == mcp_url);
  CHECK(s.field("scope") == "(absent)");

  CHECK(grant.tokens.access_token == secret("ACCESS-SECRET"));
  CHECK(grant.tokens.token_type == "Bearer");
  CHECK(grant.client.id() == "dyn-1");
  CHECK(grant.client.issuer() == issuer_url);
  CHECK(grant.registered_by == "dynamic");
  CHECK(grant.server == mcp_url);
  CHECK(grant.resource == mcp_url);
  CHECK(grant.issuer == issuer_url);
  CHECK(grant.token_endpoint == "https://as.example.com/token");
  CHECK(grant.revocation_endpoint == "https://as.example.com/revoke");
  CHECK(grant.auth_method == "none");
  CHECK(grant.scope == "a b");
  REQUIRE(s.flow->registered());
  CHECK(*s.flow->registered() == grant.client);
  CHECK(s.flow->form() == form_fields());  // the code and the verifier are gone
  CHECK(s.flow->steps().size() == 2);
}

TEST_CASE("oauth_flow: the resource is sent byte for byte as published, to both endpoints", "[sansio]") {
  oauth_script s;
  s.web.pages[resource_metadata_url] = page::json(resource_json({}, "https://MCP.example.com:443/"));
  CHECK(s.granted().resource == "https://MCP.example.com:443/");
  CHECK(s.asked("resource") == "https://MCP.example.com:443/");
  CHECK(s.field("resource") == "https://MCP.example.com:443/");
}

TEST_CASE("oauth_flow: a server without metadata is authorized at the endpoints of 2025-03-26", "[sansio]") {
  oauth_script s({}, site());
  auto const& grant = s.granted();
  CHECK(s.registered_at == urls{"https://mcp.example.com/register"});
  CHECK(s.tokens_at == urls{"https://mcp.example.com/token"});
  CHECK(s.asked("resource") == mcp_url);
  CHECK(grant.issuer == "https://mcp.example.com");
  CHECK(s.flow->registered()->issuer() == "https://mcp.example.com");
  CHECK(s.flow->pending().issuer.empty());
}

TEST_CASE("oauth_flow: a grant that is not what was asked for is united with it", "[sansio]") {
  oauth_script s;
  s.start.challenge = challenge({}, "a b");
  s.token = page::json(R"({"access_token":"ACCESS-SECRET","token_type":"Bearer","scope":"b c"})");
  CHECK(s.granted().scope == "a b c");
  CHECK(s.flow->grant().tokens.scope == "b c");
}

TEST_CASE("oauth_flow: client credentials need neither a user nor a registration", "[sansio]") {
  auto profile = with_client(oauth_client("machine").client_secret(secret("CLIENT-SECRET")));
  profile.kind = oauth_profile::grant::client_credentials;
  oauth_script s(
      profile,
      usual_site(
          R"(,"scopes_supported":["a"])",
          R"(,"scopes_supported":["offline_access"],"token_endpoint_auth_methods_supported":["client_secret_post"])"));
  s.web.pages[server_metadata_url].body.erase(
      s.web.pages[server_metadata_url].body.find(R"("authorization_endpoint")"),
      std::string(R"("authorization_endpoint":"https://as.example.com/authorize",)").size());
  auto const& grant = s.granted();
  CHECK(s.wants == wants{want::get, want::get, want::binding, want::post_token});
  CHECK(s.field("grant_type") == "client_credentials");
  CHECK(s.field("scope") == "a");  // refresh tokens are no business of machines
  CHECK(s.field("resource") == mcp_url);
  CHECK(grant.auth_method == "client_secret_post");
  CHECK(grant.registered_by == "pre-registered");
  CHECK_FALSE(s.flow->registered());
}

TEST_CASE("oauth_flow: client credentials of nobody are a clear error before a token is asked for", "[sansio]") {
  oauth_profile none;
  none.kind = oauth_profile::grant::client_credentials;
  none.client_metadata_url = "https://app.example.com/client.json";
  auto const site = usual_site({}, std::string(registers) + R"(,"client_id_metadata_document_supported":true)");
  oauth_script s(none, site);
  CHECK_THAT(s.refused(), match::contains("client credentials need a pre-registered client"));
  CHECK(s.times(want::post_token) == 0);

  auto open = with_client(oauth_client("public"));
  open.kind = oauth_profile::grant::client_credentials;
  CHECK_THAT(oauth_script(open).refused(), match::contains("need a secret or a key"));
}

TEST_CASE("oauth_flow: a JWT that is trusted is the grant, once", "[sansio]") {
  auto profile = with_client(oauth_client("workload").auth_method("none"));
  profile.kind = oauth_profile::grant::jwt_bearer;
  oauth_script s(profile, usual_site(R"(,"scopes_supported":["a"])"));
  auto const& grant = s.granted();
  CHECK(s.wants == wants{want::get, want::get, want::binding, want::assertion, want::post_token});
  CHECK(s.field("grant_type") == "urn:ietf:params:oauth:grant-type:jwt-bearer");
  CHECK(s.field("assertion") == "ASSERTION-SECRET");
  CHECK(s.field("resource") == mcp_url);
  CHECK(s.field("scope") == "a");
  CHECK(grant.auth_method == "none");  // whose authenticate() sends the client_id
  CHECK(grant.client.id() == "workload");

  oauth_profile anonymous;
  anonymous.kind = oauth_profile::grant::jwt_bearer;
  oauth_script nobody(anonymous);
  CHECK(nobody.granted().client.id().empty());
  CHECK(nobody.flow->grant().auth_method == "none");
}

TEST_CASE("oauth_flow: a refused JWT is not tried again, nor another grant", "[sansio]") {
  auto profile = with_client(oauth_client("workload").auth_method("none"));
  profile.kind = oauth_profile::grant::jwt_bearer;
  for (auto const* const code : {"invalid_grant", "invalid_scope", "unauthorized_client", "unsupported_grant_type"}) {
    oauth_script s(profile);
    s.token = page::json(R"({"error":")" + std::string(code) + R"(","error_description":"no"})", 400);
    CHECK_THAT(s.refused(), match::contains(std::string(code) + " (no)"));
    CHECK(s.flow->failure() == errc::unauthorized);
    CHECK(s.times(want::post_token) == 1);
    CHECK(s.times(want::assertion) == 1);
  }
}

TEST_CASE("oauth_flow: DPoP is on where the profile, the resource or its challenge wants it and the server takes ES256", "[sansio]") {
  std::string const offers = std::string(registers) + R"(,"dpop_signing_alg_values_supported":["RS256","ES256"])";
  std::string const requires_it = R"(,"dpop_bound_access_tokens_required":true)";
  auto const bound = page::json(R"({"access_token":"ACCESS-SECRET","token_type":"dpop"})");
  oauth_profile wanted;
  wanted.dpop = true;

  oauth_script off({}, usual_site({}, offers));
  (void)off.granted();
  CHECK_FALSE(off.flow->wants_dpop());
  for (bool const by_profile : {true, false}) {
    oauth_script on(by_profile ? wanted : oauth_profile(), usual_site(by_profile ? "" : requires_it, offers));
    on.token = bound;
    CHECK(on.granted().tokens.token_type == "DPoP");
    CHECK(on.flow->wants_dpop());
    CHECK(on.flow->pending().dpop);
  }
  oauth_script challenged({}, usual_site({}, offers));
  challenged.start.challenge = auth_challenge("DPoP");
  challenged.token = bound;
  CHECK(challenged.granted().tokens.token_type == "DPoP");
  CHECK_THAT(oauth_script(wanted).refused(), match::contains("does not offer it"));
  CHECK_THAT(
      oauth_script({}, usual_site(requires_it, R"(,"dpop_signing_alg_values_supported":["RS256"])")).refused(),
      match::contains(
          "DPoP is required by the server, and the authorization server https://as.example.com does not take ES256"));
  CHECK_THAT(
      oauth_script({}, usual_site(requires_it + R"(,"dpop_signing_alg_values_supported":["EdDSA"])", offers)).refused(),
      match::contains("the server does not take ES256"));
}

TEST_CASE("oauth_flow: events that were not asked for change nothing", "[sansio]") {
  oauth_script s;
  s.instead = [](oauth_flow& flow, int) {
    auto const before = flow.next();
    if (before != want::binding) flow.bound();
    if (before != want::stored_client) flow.registration_found(oauth_client("intruder"));
    if (before != want::redirect_uri) flow.redirecting_to("https://evil.example.com/", secret("x"), secret("y"));
    if (before != want::user) flow.redirected("https://evil.example.com/?code=x");
    if (before != want::assertion) flow.asserted(secret("z"));
    if (before != want::get && before != want::post_json && before != want::post_token) {
      flow.answered(200, http_headers(), token_json, {});
    }
    CHECK(flow.next() == before);
    return false;
  };
  CHECK(s.granted().client.id() == "dyn-1");
  s.flow->failed(dead_host);
  CHECK(s.flow->next() == want::done);
}
