// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Every flow with every step failing in every way: it ends, with an error, and no secret is in its text.
#include <comcp/sansio/oauth_flow.hpp>

#include "support/oauth_script.hpp"

using namespace comcp;
using namespace comcp_test;

namespace {

std::vector<page> bad_answers() {
  return {
      page::dead(),
      page("<html><body>ACCESS-SECRET</body></html>", 500),
      page("<html>CLIENT-SECRET", 200),
      page("", 200),
      page("", 204),
      page("ACCESS-SECRET", 418),
      page("{}", 200),
      page("{}", 400),
      page("[\"ACCESS-SECRET\"]", 200),
      page("null", 200),
      page(R"({"access_token":"ACCESS-SECRET","resource":"https://mcp.)", 200),
      page(
          R"({"resource":["SECRET"],"issuer":{"x":"SECRET"},"client_id":["SECRET"],"client_secret":7,"access_token":["ACCESS-SECRET"]})",
          200),
      page(R"({"resource":7,"issuer":7,"client_id":7,"access_token":7,"token_type":7})", 201),
      page(R"({"error":{"x":"SECRET"},"error_description":7})", 400),
      page(R"({"error":"server_error"})", 500),
      page(R"({"error":"invalid_client_metadata"})", 400),
      page::redirect("https://evil.example/?SECRET"),
      page(std::string(std::size_t{10} << 20, '['), 200)};
}

std::vector<std::string> const bad_redirects{"",
                                             "?",
                                             "SECRET",
                                             "http://127.0.0.1:7777/callback",
                                             "https://evil.example/?code=CODE-SECRET&state=STATE-SECRET",
                                             "?code=CODE-SECRET&state=x",
                                             "?state=STATE-SECRET",
                                             "?code=&state=STATE-SECRET",
                                             "?error=%zz&state=STATE-SECRET",
                                             "?error=access_denied&state=STATE-SECRET"};

struct flow_under_test {
  char const* name;
  oauth_profile profile;
  site web;
};

std::vector<flow_under_test> flows() {
  auto secretive = oauth_client("known").client_secret(secret("CLIENT-SECRET"));
  auto const known = [&] {
    auto out = with_client(secretive);
    out.legacy_fallback = false;
    return out;
  }();
  auto machine = known;
  machine.kind = oauth_profile::grant::client_credentials;
  auto workload = known;
  workload.kind = oauth_profile::grant::jwt_bearer;
  oauth_profile document;
  document.client_metadata_url = "https://app.example.com/client.json";
  oauth_profile dynamic;
  // A server that answers 4xx everywhere has no metadata, which is no failure by 2025-03-26.
  dynamic.legacy_fallback = document.legacy_fallback = false;
  return {{"dynamic", dynamic, usual_site({}, registers)},
          {"pre-registered", known, usual_site()},
          {"metadata document", document, usual_site({}, R"(,"client_id_metadata_document_supported":true)")},
          {"client credentials", machine, usual_site()},
          {"JWT bearer", workload, usual_site()}};
}

/// Every way in which the step at hand can fail.
std::vector<std::function<void(oauth_flow&)>> failures_of(want step) {
  std::vector<std::function<void(oauth_flow&)>> out;
  out.emplace_back([](oauth_flow& f) { f.failed(error(errc::timeout, "too slow")); });
  if (step == want::get || step == want::post_json || step == want::post_token) {
    for (auto const& p : bad_answers()) {
      out.emplace_back(
          [p](oauth_flow& f) { p.status == 0 ? f.failed(dead_host) : f.answered(p.status, p.headers, p.body, {}); });
    }
  }
  if (step == want::user) {
    for (auto const& r : bad_redirects) out.emplace_back([r](oauth_flow& f) { f.redirected(r); });
  }
  if (step == want::redirect_uri) {
    out.emplace_back(
        [](oauth_flow& f) { f.redirecting_to("ftp://x/", secret("STATE-SECRET"), secret("VERIFIER-SECRET")); });
    out.emplace_back([](oauth_flow& f) { f.redirecting_to("http://127.0.0.1/", secret(), secret("VERIFIER-SECRET")); });
    out.emplace_back([](oauth_flow& f) { f.redirecting_to("http://127.0.0.1/", secret("STATE-SECRET"), secret()); });
  }
  if (step == want::assertion) out.emplace_back([](oauth_flow& f) { f.asserted(secret()); });
  return out;
}

}  // namespace

TEST_CASE("oauth_flow: every flow ends with an error without secrets, whichever step fails however", "[sansio]") {
  int tried = 0;
  for (auto const& one : flows()) {
    oauth_script good(one.profile, one.web);
    (void)good.granted();
    auto const steps = good.wants;
    for (int at = 0; at != static_cast<int>(steps.size()); ++at) {
      auto const failures = failures_of(steps[static_cast<std::size_t>(at)]);
      for (std::size_t n = 0; n != failures.size(); ++n) {
        oauth_script s(one.profile, one.web);
        // From there on, so that a second try meets it too.
        s.instead = [&](oauth_flow& f, int step) {
          return step >= at && f.next() == steps[static_cast<std::size_t>(at)] && (failures[n](f), true);
        };
        INFO(one.name << ", step " << at << ", failure " << n);
        auto const text = s.refused();
        CHECK(text.size() < 2000);
        CHECK(s.flow->grant().tokens.access_token.empty());
        ++tried;
      }
    }
  }
  CHECK(tried > 150);
}

TEST_CASE("oauth_flow: a single failure of discovery is made good where another place has the document", "[sansio]") {
  for (auto const& answer : bad_answers()) {
    if (answer.status == 0) continue;  // another place of a dead host is not asked
    oauth_script s;
    s.web.pages[root_metadata_url] = page::json(resource_json());
    s.web.pages["https://as.example.com/.well-known/openid-configuration"] = page::json(server_json(registers));
    s.web.pages[resource_metadata_url] = answer;
    s.web.pages[server_metadata_url] = answer;
    INFO(answer.status << answer.body.substr(0, 80));
    CHECK(s.granted().client.id() == "dyn-1");
  }
}
