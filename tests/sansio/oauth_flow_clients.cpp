// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who the client is to an authorization server: the order of registration, what is stored, and what a refusal leads to.
#include <comcp/json/value.hpp>
#include <comcp/sansio/oauth_flow.hpp>

#include "support/oauth_script.hpp"

using namespace comcp;
using namespace comcp_test;

namespace {

constexpr char const* document_url = "https://app.example.com/client.json";
std::string const takes_documents = R"(,"client_id_metadata_document_supported":true)";

oauth_profile everything() {
  oauth_profile out;
  out.client_metadata_url = document_url;
  return out;
}

std::string member(std::string const& body, char const* key) {
  auto const parsed = json::parse(body).value();
  auto const found = parsed.view().find(key);
  return found ? found->dump() : "(absent)";
}

std::string refusal(char const* code) {
  return R"({"error":")" + std::string(code) + R"(","error_description":"why"})";
}

}  // namespace

TEST_CASE("oauth_flow: pre-registered comes before a metadata document, that before dynamic registration", "[sansio]") {
  auto const can_all = usual_site({}, registers + takes_documents);
  auto profile = everything();
  profile.clients.push_back(oauth_client("known"));
  oauth_script pre(profile, can_all);
  CHECK(pre.granted().client.id() == "known");
  CHECK(pre.flow->grant().registered_by == "pre-registered");

  oauth_script document(everything(), can_all);
  CHECK(document.granted().client.id() == document_url);
  CHECK(document.flow->grant().registered_by == "metadata document");
  CHECK(document.flow->grant().auth_method == "none");
  CHECK_FALSE(document.flow->registered());

  oauth_script dynamic(everything(), usual_site({}, registers));
  CHECK(dynamic.granted().registered_by == "dynamic");
  CHECK(pre.times(want::post_json) + document.times(want::post_json) == 0);
  CHECK(pre.times(want::stored_client) + document.times(want::stored_client) == 0);
}

TEST_CASE("oauth_flow: where no way of registration is left the error says which there are", "[sansio]") {
  CHECK_THAT(oauth_script({}, usual_site()).refused(),
             match::contains("it takes no client id metadata documents; it registers no clients"));
  CHECK_THAT(oauth_script({}, usual_site({}, takes_documents)).refused(),
             match::contains("it takes client id metadata documents, and none is configured"));
  oauth_profile off;
  off.dynamic_registration = false;
  oauth_script s(off);
  CHECK_THAT(s.refused(), match::contains("dynamic registration is turned off here; register one there by hand"));
  CHECK(s.times(want::redirect_uri) == 0);
}

TEST_CASE("oauth_flow: a pre-registered client goes to its own issuer alone", "[sansio]") {
  auto profile = with_client(oauth_client("other").issuer("https://other.example.com"));
  profile.client_metadata_url = document_url;
  oauth_script s(profile, usual_site({}, registers + takes_documents));
  CHECK_THAT(s.refused(), match::contains("the pre-registered clients are for https://other.example.com only"));
  CHECK(s.times(want::stored_client) + s.times(want::user) + s.times(want::post_json) == 0);

  profile.clients.push_back(oauth_client("anywhere"));
  CHECK(oauth_script(profile).granted().client.id() == "anywhere");
  profile.clients.push_back(oauth_client("exact").issuer(issuer_url));
  CHECK(oauth_script(profile).granted().client.id() == "exact");

  auto const slash = with_client(oauth_client("slash").issuer("https://as.example.com/"));
  (void)oauth_script(slash).refused();
}

TEST_CASE("oauth_flow: the URL of a metadata document is https with a path, or the flow does not begin", "[sansio]") {
  for (auto const* const bad :
       {"http://app.example.com/client.json", "https://app.example.com", "https://app.example.com/",
        "https://app.example.com/a/../client.json", "https://app.example.com/c.json#x",
        "https://user@app.example.com/c.json", "https://APP.example.com/c.json", "client.json"}) {
    auto profile = everything();
    profile.client_metadata_url = bad;
    oauth_script s(profile);
    INFO(bad);
    (void)s.refused();
    CHECK(s.flow->failure() == errc::invalid_argument);
    CHECK(s.wants.empty());
  }
}

TEST_CASE("oauth_flow: a stored registration is used where it knows the redirect", "[sansio]") {
  oauth_client stored("stored-1");
  stored.issuer(issuer_url).redirect_uris({"http://127.0.0.1:7777/callback"});
  oauth_script s;
  s.stored = stored;
  CHECK(s.granted().client.id() == "stored-1");
  CHECK(s.flow->grant().registered_by == "dynamic");
  CHECK(s.known == std::vector<std::string>{"http://127.0.0.1:7777/callback"});
  CHECK(s.times(want::post_json) == 0);
  CHECK_FALSE(s.flow->registered());

  s.redirect_uri = "http://127.0.0.1:8888/callback";
  CHECK(s.run().next() == want::done);
  CHECK(s.times(want::post_json) == 1);
}

TEST_CASE("oauth_flow: a registration at another authorization server, or one that expired, is made anew", "[sansio]") {
  oauth_script s;
  s.stored = oauth_client("of-old-server").issuer("https://old.example.com");
  CHECK(s.granted().client.id() == "dyn-1");
  s.stored = oauth_client("of-nobody");
  CHECK(s.granted().client.id() == "dyn-1");
  s.stored = oauth_client("expired").issuer(issuer_url);
  s.stored->secret_expires_at(token_set::time_point() - std::chrono::seconds(1));
  CHECK(s.granted().client.id() == "dyn-1");
  s.stored->secret_expires_at(token_set::time_point() + std::chrono::seconds(1));
  CHECK(s.granted().client.id() == "expired");
}

TEST_CASE("oauth_flow: a registration says what the client is", "[sansio]") {
  oauth_profile profile;
  profile.metadata.client_name = "my tool";
  profile.metadata.redirect_uris = {"https://ignored.example.com/"};
  oauth_script s(profile);
  (void)s.granted();
  auto const& body = s.registration_bodies.at(0);
  CHECK(member(body, "client_name") == R"("my tool")");
  CHECK(member(body, "redirect_uris") == R"(["http://127.0.0.1:7777/callback"])");
  CHECK(member(body, "application_type") == R"("native")");
  CHECK(member(body, "grant_types") == R"(["authorization_code","refresh_token"])");
  CHECK(member(body, "token_endpoint_auth_method") == R"("none")");

  s.redirect_uri = "https://app.example.com/callback";
  (void)s.granted();
  CHECK(member(s.registration_bodies.back(), "application_type") == R"("web")");
  s.redirect_uri = "http://localhost:7777/callback";
  (void)s.granted();
  CHECK(member(s.registration_bodies.back(), "application_type") == R"("native")");
}

TEST_CASE("oauth_flow: a registration asks for an authentication method that the server supports", "[sansio]") {
  auto const methods = [](std::string const& list) {
    oauth_script s({}, usual_site({}, registers + (R"(,"token_endpoint_auth_methods_supported":[)" + list + "]")));
    s.registrations = {page::json(R"({"client_id":"c","client_secret":"CLIENT-SECRET"})", 201)};
    s.run();
    return member(s.registration_bodies.at(0), "token_endpoint_auth_method") + s.flow->auth_method();
  };
  CHECK(methods(R"("client_secret_post","client_secret_basic")") == R"("client_secret_basic"client_secret_basic)");
  CHECK(methods(R"("client_secret_post")") == R"("client_secret_post"client_secret_post)");
  CHECK(methods(R"("client_secret_basic","none")") == R"("none"client_secret_basic)");
  CHECK(methods(R"("tls_client_auth")") == R"("none")");  // it may still register us; then nothing fits
}

TEST_CASE("oauth_flow: a registration that is refused for its metadata is tried once as the other type", "[sansio]") {
  for (auto const* const code : {"invalid_redirect_uri", "invalid_client_metadata"}) {
    oauth_script s;
    s.registrations = {page::json(refusal(code), 400), page::json(registered_json, 201)};
    CHECK(s.granted().client.id() == "dyn-1");
    REQUIRE(s.registration_bodies.size() == 2);
    CHECK(member(s.registration_bodies[0], "application_type") == R"("native")");
    CHECK(member(s.registration_bodies[1], "application_type") == R"("web")");

    s.registrations = {page::json(refusal(code), 400)};
    CHECK_THAT(s.refused(), match::contains("registration at https://as.example.com: " + std::string(code) + " (why)"));
    CHECK(s.times(want::post_json) == 4);
  }
  oauth_script s;
  s.registrations = {page::json(refusal("access_denied"), 403)};
  CHECK_THAT(s.refused(), match::contains("access_denied"));
  CHECK(s.times(want::post_json) == 1);
}

TEST_CASE("oauth_flow: a redirect URI is loopback or https", "[sansio]") {
  for (auto const* const good : {"http://127.0.0.1:7777/callback", "http://localhost/callback", "http://[::1]:1/",
                                 "https://app.example.com/cb"}) {
    oauth_script s;
    s.redirect_uri = good;
    s.registrations = {page::json(R"({"client_id":"c"})", 201)};
    INFO(good);
    CHECK(s.granted().client.redirect_uris() == std::vector<std::string>{good});
  }
  for (auto const* const bad :
       {"http://app.example.com/cb", "http://10.0.0.1/cb", "javascript:alert(1)", "JavaScript:alert(1)",
        "data:text/html,x", "file:///tmp/x", "https://app.example.com/#x", "https://user@app.example.com/", "/cb", "",
        "com.example.app:/cb", "vscode://comcp/cb", "https://app.example.com/a b", ":/cb"}) {
    oauth_script s;
    s.redirect_uri = bad;
    INFO(bad);
    CHECK_THAT(s.refused(), match::contains("a redirect URI is"));
    CHECK(s.times(want::post_json) == 0);
  }
}

TEST_CASE("oauth_flow: a registration is kept although the flow fails later", "[sansio]") {
  oauth_script s;
  s.token = page::json(refusal("invalid_grant"), 400);
  (void)s.refused();
  CHECK(s.flow->registered());
}
