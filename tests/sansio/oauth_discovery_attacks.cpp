// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Metadata that lies: each test is one attack.
#include <comcp/sansio/oauth_discovery.hpp>

#include <algorithm>

#include "support/oauth_site.hpp"

using namespace comcp;
using namespace comcp_test;
using sansio::oauth_discovery;

namespace {

/// Places that a server on the Internet must not be able to have asked, and texts that are no places.
std::vector<std::string> const forbidden{"https://127.0.0.1/x",
                                         "http://localhost:8080/x",
                                         "https://10.0.0.1/x",
                                         "https://192.168.1.1/x",
                                         "http://169.254.169.254/x",
                                         "https://169.254.169.254/x",
                                         "https://[::1]/x",
                                         "https://[fe80::1]/x",
                                         "https://[::ffff:10.0.0.1]/x",
                                         "https://0x7f.1/x",
                                         "https://2130706433/x",
                                         "https://0.0.0.0/x",
                                         "http://as.example.com/x",
                                         "https://user:pass@as.example.com/x",
                                         "javascript:alert(1)",
                                         "file:///etc/passwd",
                                         "gopher://as.example.com/",
                                         "//as.example.com",
                                         "as.example.com",
                                         "https://as.example.com/#x",
                                         "https://as.example.com/\r\nHost: evil",
                                         ""};

struct attempt {
  attempt(site web_, std::optional<auth_challenge> said, char const* server = mcp_url)
      : web(std::move(web_)), machine(url_of(server), oauth_profile(), said), found(discover(machine, web)) {}
  site web;
  oauth_discovery machine;
  result<sansio::discovered> found;

  [[nodiscard]] bool asked_outside() const {
    return std::any_of(web.asked.begin(), web.asked.end(), [](auto const& url) {
      return !url.starts_with("https://mcp.example.com/") && !url.starts_with("https://as.example.com/.well-known/");
    });
  }
};

}  // namespace

TEST_CASE("oauth_discovery: attack: SSRF through resource_metadata of the challenge", "[sansio]") {
  for (auto const& url : forbidden) {
    auth_challenge said("Bearer");
    said.add("resource_metadata", url);
    attempt const r(usual_site(), said);
    INFO(url);
    REQUIRE(r.found);  // by the server's own well-known place
    CHECK_FALSE(r.asked_outside());
    auto const& first = r.machine.steps().front();
    CHECK(first.status == 0);
    CHECK_THAT(first.outcome, match::contains("refused"));
    CHECK((first.url + first.outcome).find("user:pass") == std::string::npos);

    attempt const alone(site(), said);
    CHECK_FALSE(alone.found);  // not the endpoints of 2025-03-26: the server named metadata
  }
}

TEST_CASE("oauth_discovery: attack: SSRF through authorization_servers", "[sansio]") {
  for (auto const& url : forbidden) {
    if (url.find('\r') != url.npos) continue;  // no JSON
    auto web = usual_site();
    web.pages[resource_metadata_url] =
        page::json(R"({"resource":"https://mcp.example.com/mcp","authorization_servers":[")" + url + R"("]})");
    attempt const r(web, {});
    INFO(url);
    REQUIRE_FALSE(r.found);
    CHECK(r.web.asked == std::vector<std::string>{resource_metadata_url});
    CHECK_THAT(r.found.error().to_string(), match::contains("refused"));
    CHECK(r.found.error().to_string().find("pass@") == std::string::npos);
  }
  auto web = usual_site();
  web.pages[resource_metadata_url] = page::json(
      R"({"resource":"https://mcp.example.com/mcp","authorization_servers":["https://as.example.com/\r\nX: y"]})");
  CHECK_FALSE(attempt(web, {}).found);
}

TEST_CASE("oauth_discovery: attack: SSRF through a redirect of metadata", "[sansio]") {
  for (auto const* const to : {"http://169.254.169.254/latest/meta-data", "https://evil.example.com/prm",
                               "//evil.example.com/", "http://mcp.example.com/prm", "https://mcp.example.com:8443/prm",
                               "file:///etc/passwd", "https://user@mcp.example.com/prm"}) {
    auto web = usual_site();
    web.pages[resource_metadata_url] = page::redirect(to);
    attempt const r(web, {});
    INFO(to);
    CHECK_FALSE(r.found);
    CHECK_FALSE(r.asked_outside());
  }
}

TEST_CASE("oauth_discovery: attack: metadata that redirects to itself for ever ends", "[sansio]") {
  auto web = usual_site();
  web.pages[resource_metadata_url] = page::redirect(resource_metadata_url);
  web.pages[root_metadata_url] = page::redirect(root_metadata_url);
  attempt const r(web, {});
  CHECK_FALSE(r.found);
  CHECK(r.web.asked.size() == 8);
}

TEST_CASE("oauth_discovery: attack: spoofed metadata, whose issuer is another one", "[sansio]") {
  for (auto const* const issuer :
       {"https://honest.example", "https://as.example.com/", "https://AS.example.com", "https://as.example.com:443",
        "https://as.example.com/tenant", "http://as.example.com", ""}) {
    auto web = usual_site();
    web.pages[server_metadata_url] = page::json(server_json({}, issuer));
    attempt const r(web, {});
    INFO(issuer);
    REQUIRE_FALSE(r.found);
    CHECK_THAT(r.found.error().to_string(),
               match::contains("its issuer is " + std::string(issuer) + " instead of " + issuer_url));
  }
}

TEST_CASE("oauth_discovery: attack: metadata at a server's origin that speaks for another issuer", "[sansio]") {
  site web;
  web.pages["https://mcp.example.com/.well-known/oauth-authorization-server"] =
      page::json(server_json({}, "https://honest.example"));
  attempt const r(web, {});
  REQUIRE_FALSE(r.found);
  CHECK_THAT(r.found.error().to_string(), match::contains("its issuer is https://honest.example"));
}

TEST_CASE("oauth_discovery: attack: resource metadata of another server", "[sansio]") {
  auto web = usual_site();
  web.pages["https://evil.example.com/prm"] = page::json(resource_json({}, "https://honest.example/mcp"));
  web.pages.erase(resource_metadata_url);
  attempt const r(web, challenge("https://evil.example.com/prm"));
  CHECK_FALSE(r.found);
  CHECK_THAT(r.found.error().to_string(), match::contains("it is for https://honest.example/mcp"));
}

TEST_CASE("oauth_discovery: attack: hostile texts come to one bounded line of an error", "[sansio]") {
  auto web = usual_site();
  std::string const hostile = "https://x.example/\\u001b[2J\\n\\u0000" + std::string(5000, 'A');
  web.pages[resource_metadata_url] = page::json(resource_json({}, hostile));
  attempt const r(web, {});
  REQUIRE_FALSE(r.found);
  auto const text = r.found.error().to_string();
  CHECK(text.size() < 1000);
  CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }));
}

TEST_CASE("oauth_discovery: a server on loopback or in a private network may have its authorization there",
          "[sansio]") {
  for (std::string const host : {"http://127.0.0.1:9000", "https://10.1.2.3"}) {
    site web;
    web.pages[host + "/.well-known/oauth-protected-resource/mcp"] =
        page::json(R"({"resource":")" + host + R"(/mcp","authorization_servers":[")" + host + R"("]})");
    web.pages[host + "/.well-known/oauth-authorization-server"] = page::json(server_json({}, host));
    CHECK(attempt(web, {}, (host + "/mcp").c_str()).found);
  }
}

TEST_CASE("oauth_discovery: a public server without https is refused before anything is asked", "[sansio]") {
  attempt const r(site(), {}, "http://mcp.example.com/mcp");
  CHECK(r.web.asked.empty());
  REQUIRE_FALSE(r.found);
  CHECK_THAT(r.found.error().to_string(), match::contains("it is not https"));
}
