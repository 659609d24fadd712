// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include <diagnosis.hpp>

#include "support/catch.hpp"
#include "support/oauth_site.hpp"

using cli::diagnosis;
using cli::finding;
using mark = finding::mark;
using match::contains;

namespace {

/// What is said of a topic; all texts and advice in one.
std::string about(diagnosis const& d, std::string_view topic, mark how) {
  std::string all;
  for (auto const& f : d.findings) {
    if (f.about == topic && f.how == how) all += f.text + " " + f.advice + "\n";
  }
  return all;
}

diagnosis of(comcp_test::site web, comcp::oauth_profile const& profile = comcp::oauth_profile(),
             std::string scope = {}) {
  comcp::sansio::oauth_discovery machine(comcp_test::url_of(comcp_test::mcp_url), profile,
                                         comcp_test::challenge(comcp_test::resource_metadata_url, std::move(scope)));
  auto const found = comcp_test::discover(machine, web);
  diagnosis d;
  d.server = comcp_test::mcp_url;
  judge_steps(d, machine.steps());
  judge_login(d, found, profile);
  return d;
}

diagnosis of_server(std::string const& more) { return of(comcp_test::usual_site("", more)); }

cli::first_answer said(int status, std::string const& name = {}, std::string const& value = {}) {
  cli::first_answer a;
  a.method = "POST";
  a.url = comcp_test::mcp_url;
  a.status = status;
  if (!name.empty()) a.headers.add(name, value).value();
  return a;
}

diagnosis of_answer(cli::first_answer const& a) {
  diagnosis d;
  judge_server(d, {a}, comcp::error(comcp::errc::http_status, "refused"));
  return d;
}

std::string const registers = R"(,"registration_endpoint":"https://as.example.com/register")";

}  // namespace

TEST_CASE("diagnosis: the client is the known one, else its document, else one that registers, else nobody", "[cli]") {
  comcp::oauth_profile profile;
  profile.clients.push_back(comcp::oauth_client("known").issuer(comcp_test::issuer_url));
  profile.client_metadata_url = "https://me.example.com/client.json";
  auto const documents = registers + R"(,"client_id_metadata_document_supported":true)";
  CHECK_THAT(about(of(comcp_test::usual_site("", documents), profile), "client", mark::good), contains("known"));
  profile.clients.clear();
  CHECK_THAT(about(of(comcp_test::usual_site("", documents), profile), "client", mark::good), contains("me.example.com"));
  auto const unread = of(comcp_test::usual_site("", registers), profile);
  CHECK_THAT(about(unread, "client", mark::note), contains("does not read"));
  CHECK_THAT(about(unread, "client", mark::good), contains("register itself"));
  profile.dynamic_registration = false;
  CHECK(of(comcp_test::usual_site("", registers), profile).has_problem());
  CHECK_THAT(about(of_server(""), "client", mark::problem), contains("--client-id"));
  CHECK_THAT(about(of_server(R"(,"client_id_metadata_document_supported":true)"), "client", mark::problem),
             contains("--client-metadata-url"));
}

TEST_CASE("diagnosis: scopes are those of the user, else of the challenge, else all that are listed", "[cli]") {
  auto const web = comcp_test::usual_site(R"(,"scopes_supported":["a","b"])", R"(,"scopes_supported":["offline_access"])");
  comcp::oauth_profile profile;
  CHECK_THAT(about(of(web), "permissions", mark::good), contains("a b offline_access"));
  CHECK_THAT(about(of(web, profile, "c"), "permissions", mark::good), contains("c offline_access"));
  profile.scope = "d";
  profile.offline_access = false;
  CHECK_THAT(about(of(web, profile, "c"), "permissions", mark::good), contains("d (what you gave)"));
  CHECK_THAT(about(of_server(""), "permissions", mark::good), contains("the server decides"));
}

TEST_CASE("diagnosis: renewal and DPoP are told as far as they are known", "[cli]") {
  CHECK_THAT(about(of_server(R"(,"grant_types_supported":["refresh_token"])"), "renewal", mark::good), contains("Yes"));
  CHECK_THAT(about(of_server(R"(,"grant_types_supported":["authorization_code"])"), "renewal", mark::note),
             contains("log in again"));
  CHECK_THAT(about(of_server(""), "renewal", mark::note), contains("does not say"));
  CHECK_THAT(about(of_server(R"(,"dpop_signing_alg_values_supported":["ES256"])"), "DPoP", mark::good), contains("--dpop"));
  auto const bound = std::string(R"(,"dpop_bound_access_tokens_required":true)");
  auto const es256 = std::string(R"(,"dpop_signing_alg_values_supported":["ES256"])");
  CHECK_THAT(about(of(comcp_test::usual_site(bound, es256)), "DPoP", mark::good), contains("Yes"));
  auto const impossible = comcp_test::usual_site(bound, R"(,"dpop_signing_alg_values_supported":["PS512"])");
  CHECK_FALSE(about(of(impossible), "DPoP", mark::problem).empty());
}

TEST_CASE("diagnosis: a machine needs no browser, and a proof that fits", "[cli]") {
  comcp::oauth_profile profile;
  profile.kind = comcp::oauth_profile::grant::client_credentials;
  profile.clients.push_back(comcp::oauth_client("robot").client_secret(comcp::secret("s3cret")));
  auto const d = of(comcp_test::usual_site(), profile);
  CHECK_FALSE(d.has_problem());
  CHECK(about(d, "PKCE", mark::good).empty());
  auto const keys = of(comcp_test::usual_site("", R"(,"token_endpoint_auth_methods_supported":["private_key_jwt"])"), profile);
  CHECK_THAT(about(keys, "client proof", mark::problem), contains("--key"));
}

TEST_CASE("diagnosis: the server's first answer says whether it wants a login", "[cli]") {
  auto const wants = of_answer(said(401, "WWW-Authenticate", R"(Basic realm="x", Bearer resource_metadata="https://m/")"));
  CHECK(wants.wants_login);
  CHECK_THAT(wants.of_server.front().meaning, contains("https://m/"));
  CHECK(of_answer(said(403, "WWW-Authenticate", "Bearer error=\"insufficient_scope\"")).wants_login);
  CHECK_FALSE(of_answer(said(403)).wants_login);
  CHECK_THAT(about(of_answer(said(401)), "challenge", mark::note), contains("API key"));
  CHECK_THAT(about(of_answer(said(401, "WWW-Authenticate", "Basic")), "challenge", mark::note), contains("--header"));
  CHECK_THAT(about(of_answer(said(200, "Content-Type", "text/html; charset=x")), "server", mark::problem),
             contains("web page"));
  CHECK_THAT(about(of_answer(said(503)), "server", mark::problem), contains("503"));
  diagnosis unreached;
  judge_server(unreached, {}, comcp::error(comcp::errc::connect_failed, "nobody there"));
  CHECK_FALSE(unreached.reached);
  CHECK_THAT(about(unreached, "server", mark::problem), contains("nobody there"));
  diagnosis content;
  judge_server(content, {said(200)}, comcp::error());
  CHECK_FALSE(content.wants_login);
  CHECK_FALSE(content.has_problem());
}

TEST_CASE("diagnosis: what a login is good for, and a kind that the server does not list, are told", "[cli]") {
  auto web = comcp_test::usual_site();
  web.pages[comcp_test::resource_metadata_url] = comcp_test::page::json(comcp_test::resource_json("", "https://mcp.example.com"));
  CHECK_THAT(about(of(web), "good for", mark::note), contains("all of https://mcp.example.com,"));
  CHECK(about(of(comcp_test::usual_site()), "good for", mark::note).empty());
  CHECK_THAT(about(of_server(R"(,"grant_types_supported":["client_credentials"])"), "kind of login", mark::note),
             contains("authorization_code"));
  CHECK(about(of_server(R"(,"grant_types_supported":["authorization_code"])"), "kind of login", mark::note).empty());
}

TEST_CASE("diagnosis: whom a client is bound to is told, and what stands against that is a problem", "[cli]") {
  comcp::sansio::issuer_binding b;
  b.of = "client robot";
  b.issuer = "https://as.example.com";
  auto const says = [&](std::optional<std::string> const& bound) {
    diagnosis d;
    judge_binding(d, b, bound);
    REQUIRE(d.findings.size() == 1);
    return d.findings.front();
  };
  CHECK(says("https://as.example.com").how == mark::good);
  CHECK(says({}).how == mark::note);
  CHECK_THAT(says({}).advice, contains("--issuer"));
  auto const changed = says("https://old.example.com");
  CHECK(changed.how == mark::problem);
  CHECK_THAT(changed.text, contains("https://old.example.com") && contains("https://as.example.com") && contains("--issuer"));
  b.found = false;
  CHECK(says({}).how == mark::problem);
  b.named = true;
  CHECK(says("https://old.example.com").how == mark::good);
}

TEST_CASE("diagnosis: what a login would refuse by itself is a problem, and told once", "[cli]") {
  auto const rehearsed = [](comcp::oauth_profile const& profile, std::string const& more) {
    auto web = comcp_test::usual_site("", more);
    comcp::sansio::oauth_start start(comcp_test::url_of(comcp_test::mcp_url));
    comcp::sansio::oauth_flow flow(profile, std::move(start));
    for (int n = 0; flow.next() == comcp::sansio::oauth_flow::want::get; ++n) {
      REQUIRE(n < 40);
      auto const& got = web.get(flow.url());
      flow.answered(got.status, got.headers, got.body, {});
    }
    auto d = of(comcp_test::usual_site("", more), profile);
    rehearse(d, flow);
    return d;
  };
  comcp::oauth_profile profile;
  CHECK_FALSE(rehearsed(profile, registers).has_problem());
  profile.client_metadata_url = "https://me.example.com/a/../client.json";
  CHECK_THAT(about(rehearsed(profile, registers), "login", mark::problem), contains("in its normal form"));
  comcp::oauth_profile known;
  known.clients.emplace_back("known");
  CHECK_FALSE(rehearsed(known, "").has_problem());
  CHECK(about(rehearsed(known, R"(,"dpop_signing_alg_values_supported":[])"), "login", mark::problem).empty());
  CHECK(about(rehearsed({}, ""), "login", mark::problem).empty());  // it is told under "client"
}

TEST_CASE("diagnosis: a token that the server refuses is told, and that no login may help", "[cli]") {
  diagnosis d;
  judge_token(d, comcp::error(comcp::errc::unauthorized, "invalid_token"), true);
  CHECK(d.token_refused);
  CHECK_THAT(about(d, "token", mark::problem), contains("invalid_token") && contains("no login helps"));
  diagnosis good;
  judge_token(good, comcp::error(), true);
  CHECK_FALSE(good.has_problem());
  diagnosis unknown;
  judge_token(unknown, comcp::error(comcp::errc::timeout), true);
  CHECK(unknown.findings.empty());
}
