// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp doctor against good, broken and hostile servers: what it says, its exit status, and that it only looks.
#if defined(COMCP_CLI) && defined(COMCP_WITH_TLS)

#include <comcp/json/value.hpp>

#include "e2e/cli_auth.hpp"

using namespace cli_http;
using comcp_test::http_answer;
using comcp_test::peer_plan;
using comcp_test::recorded_request;
using match::contains;

namespace {

using answer = std::optional<std::string>;

std::string json_answer(std::string const& text) { return http_answer(200, text, "Content-Type: application/json\r\n"); }

constexpr auto* resource_path = "/.well-known/oauth-protected-resource/mcp";
constexpr auto* server_path = "/.well-known/oauth-authorization-server";

/// One path answers so.
peer_plan at_path(std::string path, std::string bytes) {
  return peer_plan().instead([path = std::move(path), bytes = std::move(bytes)](recorded_request const& r) -> answer {
    if (r.target == path) return bytes;
    return {};
  });
}

/// The authorization server says this of itself. Its issuer is where the request went.
peer_plan server_says(std::string more) {
  return peer_plan().instead([more = std::move(more)](recorded_request const& r) -> answer {
    if (r.target != server_path) return {};
    auto const origin = "http://" + *r.header("host");
    return json_answer(R"({"issuer":")" + origin + R"(","token_endpoint":")" + origin + R"(/token",)" + more + "}");
  });
}

/// Nothing was asked for that changes anything.
void only_looked(guarded& at) {
  for (auto const* path : {"/register", "/token", "/authorize", "/revoke"}) CHECK(at.peer.requests(path).empty());
}

}  // namespace

TEST_CASE("cli: doctor shows the way of a login that can succeed, and only looks", "[e2e]") {
  guarded at;
  auto const r = at.comcp({"doctor"});
  CAPTURE(r.err);
  CHECK(r.status == 0);
  CHECK_THAT(r.out, contains("POST " + at.peer.url() + "\n"));
  CHECK_THAT(r.out, contains("401"));
  CHECK_THAT(r.out, contains("GET " + at.peer.origin() + resource_path));
  CHECK_THAT(r.out, contains("GET " + at.peer.origin() + server_path));
  CHECK_THAT(r.out, contains("register itself"));
  CHECK_THAT(r.out, contains("files:read"));
  CHECK_THAT(r.out, contains("stands in the way of a login: comcp --url " + at.peer.url() + " "));
  CHECK(r.out.find("!!") == std::string::npos);
  only_looked(at);
  CHECK_FALSE(std::filesystem::exists(at.store));

  auto const json = comcp::json::parse(at.comcp({"doctor", "--json", "--client-id", "known"}).out).value();
  CHECK(json.view().find("ok")->get_bool() == true);
  CHECK(json.view().find("wantsLogin")->get_bool() == true);
  CHECK(json.view().find("discovery")->size() == 2);
  CHECK_THAT(json.dump(), contains("registered client known"));
  only_looked(at);
}

TEST_CASE("cli: doctor knows what needs no login, and what is no MCP server", "[e2e]") {
  guarded open(peer_plan().open());
  auto const none = open.comcp({"doctor"});
  CHECK(none.status == 0);
  CHECK_THAT(none.out, contains("No login is needed"));
  CHECK(open.peer.requests(resource_path).empty());

  guarded page(at_path("/mcp", http_answer(200, "<html>hi</html>", "Content-Type: text/html\r\n")));
  auto const html = page.comcp({"doctor"});
  CHECK(html.status == 4);
  CHECK_THAT(html.out, contains("web page"));

  guarded gone(at_path("/mcp", http_answer(404, "")));
  CHECK_THAT(gone.comcp({"doctor"}).out, contains("no MCP server at this address"));

  auto const dead = run({"doctor", "--url", "http://127.0.0.1:1/mcp"});
  CHECK(dead.status == 3);
  CHECK_THAT(dead.out, contains("cannot be reached"));
  auto const told = comcp::json::parse(run({"doctor", "--url", "http://127.0.0.1:1/mcp", "--json"}).out).value();
  CHECK(told.view().find("reached")->get_bool() == false);
}

TEST_CASE("cli: doctor says what is missing at the authorization server, and who can mend it", "[e2e]") {
  auto const [says, complaint] = GENERATE(table<std::string, std::string>({
      {R"("authorization_endpoint":"http://127.0.0.1:9/a","registration_endpoint":"http://127.0.0.1:9/r")",
       "code_challenge_methods_supported"},
      {R"("authorization_endpoint":"http://127.0.0.1:9/a","code_challenge_methods_supported":["plain"],)"
       R"("registration_endpoint":"http://127.0.0.1:9/r")",
       "protects nothing"},
      {R"("authorization_endpoint":"http://127.0.0.1:9/a","code_challenge_methods_supported":["S256"])", "--client-id"},
      {R"("code_challenge_methods_supported":["S256"],"registration_endpoint":"http://127.0.0.1:9/r")",
       "publishes no such address"},
      {R"-("authorization_endpoint":"javascript:alert(1)","code_challenge_methods_supported":["S256"],)-"
       R"("registration_endpoint":"http://127.0.0.1:9/r")",
       "login page"},
      {R"("authorization_endpoint":"http://as.example.com/a","code_challenge_methods_supported":["S256"],)"
       R"("registration_endpoint":"http://127.0.0.1:9/r")",
       "login page"},
  }));
  CAPTURE(says);
  guarded at(server_says(says));
  auto const r = at.comcp({"doctor"});
  CAPTURE(r.out);
  CHECK(r.status == 4);
  CHECK_THAT(r.out, contains("!!"));
  CHECK_THAT(r.out, contains(complaint));
  CHECK_THAT(r.out, contains("A login would fail"));
  only_looked(at);
}

TEST_CASE("cli: doctor tells of metadata that cannot be used, of every place that was tried", "[e2e]") {
  auto const [path, bytes, complaint] = GENERATE(table<std::string, std::string, std::string>({
      {resource_path, json_answer(R"({"resource":"https://other.example.com/mcp","authorization_servers":["https://a.b"]})"),
       "other.example.com"},
      {resource_path, http_answer(200, "<html>", "Content-Type: text/html\r\n"), "text/html"},
      {resource_path, json_answer(R"({"resource":1})"), "cannot be used"},
      {resource_path, http_answer(302, "", "Location: http://169.254.169.254/latest\r\n"), "another origin"},
      {server_path, json_answer(R"({"issuer":"https://evil.example.com"})"), "evil.example.com"},
      {server_path, http_answer(500, ""), "500"},
      {server_path, json_answer(std::string(2 << 20, ' ')), "longer"},
  }));
  CAPTURE(path, complaint);
  guarded at(at_path(path, bytes));
  auto const r = at.comcp({"doctor"});
  CAPTURE(r.out);
  CHECK(r.status == 4);
  CHECK_THAT(r.out, contains(complaint));
  CHECK_THAT(r.out, contains("GET " + at.peer.origin() + path));
  only_looked(at);
}

TEST_CASE("cli: doctor waits for no answer longer than --timeout", "[e2e]") {
  guarded at(at_path(server_path, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"));
  auto const r = at.comcp({"doctor", "--timeout", "2"});
  CHECK_THAT(r.out, contains("GET " + at.peer.origin() + server_path));
  CHECK(r.status != 0);
  only_looked(at);
}

TEST_CASE("cli: doctor shows a server that wants credentials and no login, and nothing that moves the cursor", "[e2e]") {
  guarded key(peer_plan().instead([](recorded_request const& r) -> answer {
    if (r.target == "/mcp") return http_answer(401, "", "WWW-Authenticate: Basic realm=\"\x9b[31mred\"\r\n");
    return http_answer(404, "");
  }));
  auto const r = key.comcp({"doctor"});
  CHECK_THAT(r.out, contains("credentials of the kind Basic"));
  CHECK_THAT(r.out, contains("--header"));
  CHECK(r.out.find('\x9b') == std::string::npos);
  CHECK(r.out.find('\x1b') == std::string::npos);

  guarded shut(at_path("/mcp", http_answer(403, "no")));
  CHECK_THAT(shut.comcp({"doctor"}).out, contains("403"));
}

#endif
