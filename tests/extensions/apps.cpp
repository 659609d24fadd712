// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/extensions/apps.hpp>

#include <string>

#include "extensions/app_server.hpp"

using namespace comcp_test;

namespace {

constexpr auto html_type = R"("mimeType":"text/html;profile=mcp-app",)";

result<app_resource> read(std::string const& members, std::size_t most = 1000, std::string const& listed = "") {
  conversation c;
  app_server s(c);
  s.server.answer("resources/read", content_of("ui://a/b", members));
  auto const client = c.connect(s.server.transport(), c.options().extension(apps()));
  REQUIRE(client);
  if (listed.empty()) return c.finish(client->extension<apps>().read("ui://a/b", most));
  resource entry("ui://a/b", "b");
  entry.meta = json::parse(listed).value();
  return c.finish(client->extension<apps>().read(entry, most));
}

app_csp csp(std::string const& text) { return json::parse(text).value().as<app_csp>(); }

}  // namespace

TEST_CASE("apps: the client declares the MIME type, and the server need declare nothing", "[extensions]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  app_server s(c);
  if (!modern) s.server.legacy();
  auto const client = c.connect(s.server.transport(), c.options().extension(apps()));
  REQUIRE(client);
  auto const app = c.finish(client->extension<apps>().read("ui://a/b"));
  REQUIRE(app);
  CHECK(app->html == "<p>hello");
  CHECK_FALSE(app->ui.csp);
  auto const said = modern ? s.server.last("resources/read")["_meta"]["io.modelcontextprotocol/clientCapabilities"]
                           : s.server.last("initialize")["capabilities"];
  CHECK(said["extensions"]["io.modelcontextprotocol/ui"].dump() == R"({"mimeTypes":["text/html;profile=mcp-app"]})");
}

TEST_CASE("apps: what was not declared cannot be asked for", "[extensions]") {
  conversation c;
  app_server s(c);
  auto const client = c.connect(s.server.transport());
  REQUIRE(client);
  CHECK_THROWS_AS(client->extension<apps>(), comcp::exception);
}

TEST_CASE("apps: no other scheme is read", "[extensions]") {
  conversation c;
  app_server s(c);
  auto const client = c.connect(s.server.transport(), c.options().extension(apps()));
  for (auto const* const uri : {"", "ui:", "ui://", "UI://a", "file:///etc/passwd", "https://ui://a"}) {
    CAPTURE(uri);
    auto const app = c.finish(client->extension<apps>().read(uri));
    REQUIRE_FALSE(app);
    CHECK(app.error() == errc::invalid_argument);
  }
  CHECK(s.server.count("resources/read") == 0);
  auto const other = c.finish(client->extension<apps>().read("ui://another"));  // is given ui://a/b
  CHECK(other.error() == errc::protocol_violation);
}

TEST_CASE("apps: text and Base64 are read, with all that _meta.ui says", "[extensions]") {
  std::string const meta = R"(,"_meta":{"ui":{"csp":{"connectDomains":["https://a.example"],"future":1},)"
                           R"("permissions":{"camera":{},"clipboardWrite":{}},"domain":"d","prefersBorder":false}})";
  auto const content = GENERATE(R"("text":"<p>\u00fc")", R"("blob":"PHA+w7w=")");
  auto const app = read(html_type + std::string(content) + meta);
  REQUIRE(app);
  CHECK(app->uri == "ui://a/b");
  CHECK(app->html == "<p>\xc3\xbc");
  REQUIRE(app->ui.csp);
  CHECK(app->ui.csp->connect_domains == std::vector<std::string>{"https://a.example"});
  CHECK(app->ui.csp->raw["future"].as<int>() == 1);
  CHECK(app->ui.permissions->camera);
  CHECK_FALSE(app->ui.permissions->microphone);
  CHECK(app->ui.domain == "d");
  CHECK(app->ui.prefers_border == false);
  CHECK(allow_attribute(*app->ui.permissions) == "camera; clipboard-write");
}

TEST_CASE("apps: a listed entry's _meta.ui counts where the content has none", "[extensions]") {
  auto const own = html_type + std::string(R"("text":"x","_meta":{"ui":{"domain":"own"}})");
  auto const listed = R"({"ui":{"domain":"listed","prefersBorder":true}})";
  CHECK(read(own, 1000, listed)->ui.domain == "own");
  CHECK_FALSE(read(own, 1000, listed)->ui.prefers_border);
  CHECK(read(html_type + std::string(R"("text":"x")"), 1000, listed)->ui.domain == "listed");
}

TEST_CASE("apps: what is no app is an error", "[extensions]") {
  std::string const t = html_type;
  for (std::string const& members :
       {std::string(R"("text":"<p>")"), std::string(R"("mimeType":"text/html","text":"<p>")"),
        std::string(R"("mimeType":"text/html;profile=mcp-app; charset=utf-8","text":"<p>")"),
        t + R"("text":" \n\t")", t + R"("text":"")", t + R"("text":"<p>","blob":"PHA+")", t + R"("uri2":"x")",
        t + R"("blob":"PHA")", t + R"("blob":"/////w==")", t + R"("text":"<p>","_meta":{"ui":"x"})",
        t + R"("text":"<p>","_meta":{"ui":{"csp":[]}})", t + R"("text":"<p>","_meta":{"ui":{"csp":{"connectDomains":"*"}}})",
        t + R"("text":"<p>","_meta":{"ui":{"csp":{},"csp":{"connectDomains":["https://a"]}}})",
        t + R"("text":"<p>","_meta":{"ui":{"prefersBorder":"yes"}})"}) {
    CAPTURE(members);
    auto const app = read(members);
    REQUIRE_FALSE(app);
    CHECK(app.error() == errc::protocol_violation);
  }
}

TEST_CASE("apps: a long one is refused before it is decoded", "[extensions]") {
  CHECK(read(html_type + std::string(R"("text":"12345")"), 5));
  CHECK(read(html_type + std::string(R"("text":"123456")"), 5).error() == errc::limit_exceeded);
  CHECK(read(html_type + std::string(R"("blob":"MTIzNDU=")"), 5));
  CHECK(read(html_type + std::string(R"("blob":"MTIzNDU2")"), 5).error() == errc::limit_exceeded);
  CHECK(read(html_type + std::string(R"("blob":")") + std::string(4000, '!') + "\"", 5).error() == errc::limit_exceeded);
}

TEST_CASE("apps: the policy is the specification's", "[extensions]") {
  CHECK(*content_security_policy({}) ==
        "default-src 'none'; object-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; base-uri 'self'");
  auto const all = csp(R"({"connectDomains":["https://api.example","wss://a.example:8443"],"resourceDomains":["https://*.cdn.example/lib/"],)"
                       R"("frameDomains":["http://localhost:3000"],"baseUriDomains":["https://[::1]:8080"]})");
  CHECK(*content_security_policy(all) ==
        "default-src 'none'; object-src 'none'; script-src 'self' 'unsafe-inline' https://*.cdn.example/lib/; "
        "style-src 'self' 'unsafe-inline' https://*.cdn.example/lib/; img-src 'self' data: https://*.cdn.example/lib/; "
        "media-src 'self' data: https://*.cdn.example/lib/; font-src 'self' https://*.cdn.example/lib/; "
        "connect-src 'self' https://api.example wss://a.example:8443; frame-src http://localhost:3000; base-uri https://[::1]:8080");
}

TEST_CASE("apps: what could be a policy of its own is no origin", "[extensions]") {
  for (std::string const& bad :
       {std::string("*"), std::string("https:"), std::string("data:"), std::string("'unsafe-eval'"), std::string("https://"),
        std::string("https://*"), std::string("https://*."), std::string("https://a.example; script-src *"), std::string("https://a,b"),
        std::string("https://a b"), std::string("https://a\tb"), std::string("https://a\nb"), std::string("https://a\0b", 11),
        std::string("https://a\"b"), std::string("https://a'b"), std::string("https://\xc3\xbc.example"), std::string("javascript://a"),
        std::string("https://a:"), std::string("https://a:b"), std::string("https://a:*"), std::string("https://u@a"),
        std::string("https://a/?q"), std::string("https://[a"), std::string("https://a.*.b"), std::string(100'000, 'a')}) {
    for (auto const member : {&app_csp::connect_domains, &app_csp::resource_domains, &app_csp::frame_domains, &app_csp::base_uri_domains}) {
      app_csp wanted;
      (wanted.*member) = {"https://good.example", bad};
      auto const policy = content_security_policy(wanted);
      CAPTURE(bad.substr(0, 40));
      REQUIRE_FALSE(policy);
      CHECK(policy.error() == errc::denied);
      CHECK(policy.error().message().size() < 300);
    }
  }
}
