// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which URL is asked next, and what each answer means.
#include <comcp/sansio/oauth_discovery.hpp>

#include "support/oauth_site.hpp"

using namespace comcp;
using namespace comcp_test;
using sansio::discovered;
using sansio::oauth_discovery;
using urls = std::vector<std::string>;

namespace {

struct attempt {
  explicit attempt(site web_, oauth_profile profile = {}, std::optional<auth_challenge> said = {},
               char const* server = mcp_url)
      : web(std::move(web_)), machine(url_of(server), profile, said), found(discover(machine, web)) {}
  site web;
  oauth_discovery machine;
  result<discovered> found;

  [[nodiscard]] std::string why() const {
    REQUIRE_FALSE(found);
    CHECK(found.error() == errc::unauthorized);
    return found.error().to_string();
  }
};

}  // namespace

TEST_CASE("oauth_discovery: the metadata that the challenge names is used first, and nothing else then", "[sansio]") {
  auto web = usual_site();
  web.pages["https://mcp.example.com/custom.json"] = page::json(resource_json());
  attempt const r(web, {}, challenge("https://mcp.example.com/custom.json", "files:read"));
  REQUIRE(r.found);
  CHECK(r.web.asked == urls{"https://mcp.example.com/custom.json", server_metadata_url});
  CHECK(r.found->server == mcp_url);
  CHECK(r.found->resource == mcp_url);
  CHECK(r.found->authorization_server.issuer == issuer_url);
  CHECK(r.found->challenge_scope == "files:read");
  CHECK_FALSE(r.found->assumed);
}

TEST_CASE("oauth_discovery: without a challenge the path form comes first, then the root form", "[sansio]") {
  attempt const by_path(usual_site());
  REQUIRE(by_path.found);
  CHECK(by_path.web.asked == urls{resource_metadata_url, server_metadata_url});

  auto web = usual_site();
  web.pages.erase(resource_metadata_url);
  web.pages[root_metadata_url] = page::json(resource_json({}, "https://mcp.example.com"));
  attempt const by_root(web);
  REQUIRE(by_root.found);
  CHECK(by_root.web.asked == urls{resource_metadata_url, root_metadata_url, server_metadata_url});
  CHECK(by_root.found->resource == "https://mcp.example.com");
  REQUIRE(by_root.machine.steps().size() == 3);
  CHECK(by_root.machine.steps()[0].outcome == "404");
  CHECK(by_root.machine.steps()[1].outcome == "used");
  CHECK(by_root.machine.steps()[2].what == sansio::discovery_step::kind::authorization_server_metadata);
}

TEST_CASE("oauth_discovery: named metadata that cannot be used leads to the server's own places, never to 2025-03-26",
          "[sansio]") {
  auto const said = challenge("https://mcp.example.com/gone.json");
  attempt const own(usual_site(), {}, said);
  REQUIRE(own.found);
  CHECK(own.web.asked == urls{"https://mcp.example.com/gone.json", resource_metadata_url, server_metadata_url});

  attempt const none(site(), {}, said);
  CHECK_THAT(none.why(), match::contains("it has no resource metadata"));
  CHECK(none.web.asked == urls{"https://mcp.example.com/gone.json", resource_metadata_url, root_metadata_url});
}

TEST_CASE("oauth_discovery: the resource is byte for byte as published", "[sansio]") {
  for (auto const* const published :
       {"https://MCP.example.com/mcp", "https://mcp.example.com:443/mcp", "https://mcp.example.com/mcp/",
        "https://mcp.example.com/", "https://mcp.example.com"}) {
    auto web = usual_site();
    web.pages[resource_metadata_url] = page::json(resource_json({}, published));
    attempt const r(web);
    INFO(published);
    REQUIRE(r.found);
    CHECK(r.found->resource == published);
  }
}

TEST_CASE("oauth_discovery: metadata for another resource is refused", "[sansio]") {
  for (auto const* const other :
       {"https://evil.example.com/mcp", "https://mcp.example.com/other", "https://mcp.example.com/mc",
        "http://mcp.example.com/mcp", "https://mcp.example.com:8443/mcp", ""}) {
    auto web = usual_site();
    web.pages[resource_metadata_url] = page::json(resource_json({}, other));
    attempt const r(web);
    INFO(other);
    CHECK_THAT(r.why(), match::contains("it is for " + std::string(other)));
    CHECK(r.web.asked == urls{resource_metadata_url, root_metadata_url});
  }
}

TEST_CASE("oauth_discovery: authorization server metadata is looked for in the specified order", "[sansio]") {
  auto web = usual_site();
  web.pages[resource_metadata_url] = page::json(
      R"({"resource":"https://mcp.example.com/mcp","authorization_servers":["https://as.example.com/tenant1"]})");
  urls const order{"https://as.example.com/.well-known/oauth-authorization-server/tenant1",
                   "https://as.example.com/.well-known/openid-configuration/tenant1",
                   "https://as.example.com/tenant1/.well-known/openid-configuration"};
  for (std::size_t n = 0; n != order.size(); ++n) {
    auto some = web;
    some.pages[order[n]] = page::json(server_json({}, "https://as.example.com/tenant1"));
    attempt const r(some);
    REQUIRE(r.found);
    urls expected{resource_metadata_url};
    expected.insert(expected.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n) + 1);
    CHECK(r.web.asked == expected);
  }
  auto rooted = usual_site();
  rooted.pages.erase(server_metadata_url);
  rooted.pages["https://as.example.com/.well-known/openid-configuration"] = page::json(server_json());
  attempt const r(rooted);
  REQUIRE(r.found);
  CHECK(r.web.asked.size() == 3);
}

TEST_CASE("oauth_discovery: of several authorization servers the hook chooses, by default the first", "[sansio]") {
  auto web = usual_site();
  web.pages[resource_metadata_url] = page::json(
      R"({"resource":"https://mcp.example.com/mcp","authorization_servers":["https://as.example.com","https://two.example.com"]})");
  web.pages["https://two.example.com/.well-known/oauth-authorization-server"] =
      page::json(server_json({}, "https://two.example.com"));
  CHECK(attempt(web).found.value().authorization_server.issuer == issuer_url);

  oauth_profile profile;
  profile.choose = [](protected_resource_metadata const& m) {
    return std::optional(m.authorization_servers.size() - 1);
  };
  CHECK(attempt(web, profile).found.value().authorization_server.issuer == "https://two.example.com");
  profile.choose = [](protected_resource_metadata const&) { return std::optional<std::size_t>(); };
  CHECK_THAT(attempt(web, profile).why(), match::contains("none of its authorization servers was chosen"));
  profile.choose = [](protected_resource_metadata const&) { return std::optional<std::size_t>(2); };
  CHECK_THAT(attempt(web, profile).why(), match::contains("does not exist"));
}

TEST_CASE("oauth_discovery: metadata that names no authorization server is not enough", "[sansio]") {
  auto web = usual_site();
  web.pages[resource_metadata_url] = page::json(R"({"resource":"https://mcp.example.com/mcp"})");
  CHECK_THAT(attempt(web).why(), match::contains("names no authorization server"));
  oauth_profile pinned;
  pinned.issuer = issuer_url;
  CHECK(attempt(web, pinned).found);
}

TEST_CASE("oauth_discovery: a pinned issuer is the only one that is accepted", "[sansio]") {
  oauth_profile profile;
  profile.issuer = issuer_url;
  CHECK(attempt(usual_site(), profile).found);
  profile.issuer = "https://as.example.com/";  // plain comparison
  CHECK_THAT(attempt(usual_site(), profile).why(),
             match::contains("does not name the authorization server that is pinned"));

  profile.issuer = issuer_url;
  auto web = usual_site();
  web.pages.erase(resource_metadata_url);
  attempt const nothing_named(web, profile);
  REQUIRE(nothing_named.found);
  CHECK(nothing_named.found->authorization_server.issuer == issuer_url);
  CHECK(nothing_named.found->resource == mcp_url);
  CHECK_FALSE(nothing_named.found->resource_metadata);
}

TEST_CASE("oauth_discovery: a pinned resource is the one that metadata must name", "[sansio]") {
  oauth_profile profile;
  profile.resource = "https://mcp.example.com";
  CHECK_THAT(attempt(usual_site(), profile).why(), match::contains("it is for https://mcp.example.com/mcp"));
  profile.resource = "https://gateway.example.com/mcp";
  auto web = usual_site();
  web.pages[resource_metadata_url] = page::json(resource_json({}, "https://gateway.example.com/mcp"));
  CHECK(attempt(web, profile).found.value().resource == "https://gateway.example.com/mcp");
}

TEST_CASE("oauth_discovery: without resource metadata, metadata at the server's origin is used", "[sansio]") {
  site web;
  web.pages["https://mcp.example.com/.well-known/oauth-authorization-server"] =
      page::json(server_json({}, "https://mcp.example.com"));
  attempt const r(web, {}, challenge({}, "a"), "https://MCP.example.com/mcp/?x=1");
  REQUIRE(r.found);
  CHECK_FALSE(r.found->assumed);
  CHECK(r.found->resource == "https://mcp.example.com/mcp");
  CHECK(r.found->authorization_server.issuer == "https://mcp.example.com");
  CHECK(r.web.asked.size() == 3);
}

TEST_CASE("oauth_discovery: an issuer with a path of the same origin is accepted there, another origin's is not",
          "[sansio]") {
  site web;
  auto& metadata = web.pages["https://mcp.example.com/.well-known/oauth-authorization-server"];
  metadata = page::json(server_json({}, "https://mcp.example.com/oauth"));
  CHECK(attempt(web).found);
  for (auto const* const elsewhere :
       {"https://as.example.com", "http://mcp.example.com", "https://mcp.example.com:444", ""}) {
    metadata = page::json(server_json({}, elsewhere));
    CHECK_THAT(attempt(web).why(), match::contains("which is not at https://mcp.example.com"));
  }
}

TEST_CASE("oauth_discovery: a server without any metadata has the endpoints of 2025-03-26", "[sansio]") {
  attempt const r{site()};
  REQUIRE(r.found);
  CHECK(r.found->assumed);
  CHECK(r.found->authorization_server.token_endpoint == "https://mcp.example.com/token");
  CHECK(r.found->authorization_server.issuer.empty());
  CHECK(r.found->authorization_server.supports_s256());
  CHECK(r.web.asked == urls{resource_metadata_url, root_metadata_url,
                            "https://mcp.example.com/.well-known/oauth-authorization-server"});

  oauth_profile strict;
  strict.legacy_fallback = false;
  CHECK_THAT(attempt(site(), strict).why(), match::contains("it has no resource metadata"));
}

TEST_CASE("oauth_discovery: what is broken is not absent: 2025-03-26 needs a 4xx everywhere", "[sansio]") {
  std::vector<page> const broken{page("oops", 500),
                                 page("<html>", 200),
                                 page("{}", 200),
                                 page("{\"resource\":", 200),
                                 page("[]", 200),
                                 page("", 204),
                                 page::dead(),
                                 page::redirect("https://x.example/"),
                                 page("{\"resource\":1}", 200)};
  for (auto const& answer : broken) {
    for (auto const* const where :
         {resource_metadata_url, root_metadata_url, "https://mcp.example.com/.well-known/oauth-authorization-server"}) {
      site web;
      web.pages[where] = answer;
      attempt const r(web);
      INFO(where << " " << answer.status << " " << answer.body);
      CHECK_FALSE(r.found);
    }
  }
}

TEST_CASE("oauth_discovery: redirects of metadata are followed within one origin, three at most", "[sansio]") {
  auto web = usual_site();
  auto const at = [](int n) { return "https://mcp.example.com/r" + std::to_string(n); };
  web.pages[resource_metadata_url] = page::redirect("/r1", 301);
  web.pages[at(1)] = page::redirect("r2", 307);
  web.pages[at(2)] = page::redirect("https://mcp.example.com/r3", 308);
  web.pages[at(3)] = page::json(resource_json());
  attempt const three(web);
  REQUIRE(three.found);
  CHECK(three.web.asked == urls{resource_metadata_url, at(1), at(2), at(3), server_metadata_url});
  CHECK(three.machine.steps()[0].outcome == "301, followed");

  web.pages[at(3)] = page::redirect("/r4");
  CHECK_THAT(attempt(web).why(), match::contains("302, one redirect too many"));
  web.pages[resource_metadata_url] = page("", 302);
  CHECK_THAT(attempt(web).why(), match::contains("302 without an address"));
}

TEST_CASE("oauth_discovery: a host that does not answer is asked once, another one is still asked", "[sansio]") {
  site dead;
  dead.pages[resource_metadata_url] = page::dead();
  attempt const r(dead);
  CHECK_THAT(r.why(), match::contains("connection refused"));
  CHECK(r.web.asked == urls{resource_metadata_url});

  auto web = usual_site();
  web.pages["https://meta.example.com/prm"] = page::dead();
  attempt const other(web, {}, challenge("https://meta.example.com/prm"));
  REQUIRE(other.found);
  CHECK(other.machine.steps()[0].status == 0);
}

TEST_CASE("oauth_discovery: a failure lists every URL and what it answered, no body and no query", "[sansio]") {
  auto web = usual_site();
  web.pages["https://mcp.example.com/prm?key=hunter2"] = page("hunter2", 503);
  web.pages[resource_metadata_url] = page("hunter2 <html>", 200);
  web.pages[resource_metadata_url].headers.add("Content-Type", "text/html; charset=utf-8").value();
  web.pages[root_metadata_url] = page::json(R"({"resource":["hunter2"]})");
  attempt const r(web, {}, challenge("https://mcp.example.com/prm?key=hunter2"));
  auto const why = r.why();
  CHECK_THAT(why, match::contains("https://mcp.example.com/prm (503)"));
  CHECK_THAT(why, match::contains(std::string(resource_metadata_url) + " (text/html instead of JSON)"));
  CHECK_THAT(why, match::contains(std::string(root_metadata_url) + " (expected string at /resource"));
  CHECK(why.find("hunter2") == why.npos);
}

TEST_CASE("oauth_discovery: answers after the end, and huge ones, change nothing", "[sansio]") {
  attempt done(usual_site());
  done.machine.answered(200, http_headers(), "{}");
  done.machine.failed(dead_host);
  CHECK(done.machine.found());
  CHECK(done.machine.steps().size() == 2);

  auto web = usual_site();
  web.pages[resource_metadata_url] =
      page::json(resource_json(R"(,"x":")" + std::string(std::size_t{10} << 20, 'x') + '"'));
  CHECK_THAT(attempt(web).why(), match::contains("too large"));
  web.pages[resource_metadata_url] = page::json(std::string(1000, '[') + std::string(1000, ']'));
  CHECK_THAT(attempt(web).why(), match::contains("too large"));
}
