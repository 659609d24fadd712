// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool with --url, against the demo server over HTTP: both eras, HTTP+SSE, headers, tokens, errors.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>

#include <comcp/json/describe.hpp>
#include <comcp/json/value.hpp>

#if defined(COMCP_CLI) && defined(COMCP_DEMO_HTTP)

#include "e2e/cli_http.hpp"
#include "support/http_peer.hpp"

using namespace cli_http;
using comcp_test::command;
using match::contains;

namespace {

class token_file {
 public:
  explicit token_file(std::string const& text) {
    auto pattern = (std::filesystem::temp_directory_path() / "comcp-token-XXXXXX").string();
    int const fd = ::mkstemp(pattern.data());
    REQUIRE(fd >= 0);
    ::close(fd);
    path = pattern;
    std::ofstream(path) << text;
  }
  ~token_file() { std::filesystem::remove(path); }
  std::string path;
};

}  // namespace

TEST_CASE("cli: --url reaches a server over HTTP in both eras", "[e2e]") {
  auto const [flag, era] = GENERATE(table<std::string, std::string>(
      {{"--modern-only", "modern"}, {"--legacy-only", "legacy"}, {"--page-size=2", "modern"}}));
  CAPTURE(flag);
  demo const server({flag});
  CHECK_THAT(server.comcp({"info"}).out, contains("era           " + era));
  CHECK_THAT(server.comcp({"tools"}).out, contains("countdown"));
  CHECK(server.comcp({"call", "add", "a=2", "b=3"}).out == "{\"sum\":5}\n");
  CHECK_FALSE(server.comcp({"read", "demo://greeting"}).out.empty());
  CHECK_THAT(server.comcp({"prompt", "greet", "name=Ann"}).out, contains("Ann"));
  CHECK(server.comcp({"complete", "code_review", "language=py"}).out == "python\n");
  CHECK(server.comcp({"ping", "--count", "2"}).status == 0);
  auto const counted = server.comcp({"call", "countdown", "steps=2", "delay_ms=80"});  // an event stream
  CHECK(counted.out == "Counted down from 2.\n");
  CHECK_THAT(counted.err, contains("progress: 2/2"));
  CHECK(server.comcp({"call", "ask_name"}).out == "No name was given (decline).\n");
  CHECK(server.comcp({"call", "fail"}).status == 1);
  CHECK(server.comcp({"read", "demo://nothing"}).status == 4);
  CHECK(server.comcp({"call", "wait", "--timeout", "300ms"}).status == 5);
}

TEST_CASE("cli: --url speaks HTTP+SSE, told to and by itself", "[e2e]") {
  demo const server({"--legacy-only"});
  for (auto const& how : {strings{"--sse"}, strings{}}) {
    auto line = strings{"call", "add", "a=2", "b=3", "--url", server.at("/sse")};
    line.insert(line.end(), how.begin(), how.end());
    auto const r = run(line);
    CAPTURE(r.err);
    CHECK(r.out == "{\"sum\":5}\n");
  }
}

TEST_CASE("cli: listen over HTTP prints what another client causes", "[e2e]") {
  demo const server;
  command listening({COMCP_CLI, "listen", "demo://changes", "demo://none", "--count", "1", "--url", server.url});
  REQUIRE(listening.wait_for_err("will not report on demo://none"));  // so the rest is agreed
  CHECK(server.comcp({"call", "touch", "uri=demo://changes"}).status == 0);
  CHECK(listening.finish() == 0);
  CHECK(listening.out() == "resources/updated  demo://changes\n");
}

TEST_CASE("cli: listen says when a server of the older versions has no stream for what it tells", "[e2e]") {
  comcp_test::threaded_http_peer peer([](comcp_test::peer_connection& c) -> asio::awaitable<void> {
    for (;;) {
      auto const r = co_await c.read_request();
      if (!r) co_return;
      auto answer = comcp_test::http_answer(r->method == "GET" ? 405 : 202, "");
      if (r->body.find("server/discover") != r->body.npos) answer = comcp_test::http_answer(404, "no");
      if (r->body.find("\"initialize\"") != r->body.npos) {
        auto const asked = comcp::json::parse(r->body).value();
        answer = comcp_test::http_answer(200, R"({"jsonrpc":"2.0","id":)" + asked.view().find("id")->dump() +
                                         R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":)"
                                         R"({"listChanged":true}},"serverInfo":{"name":"deaf","version":"1"}}})",
                                         "Content-Type: application/json\r\n");
      }
      co_await c.write(answer);
    }
  });
  auto const r = run({"listen", "--url", peer->url("/mcp")});
  CHECK(r.status == 4);
  CHECK_THAT(r.err, contains("no stream for what it says unasked"));
}

TEST_CASE("cli: listen over HTTP ends with Ctrl-C", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  CAPTURE(flag);
  demo const server({flag});
  command listening({COMCP_CLI, "listen", "demo://changes", "-v", "--url", server.url});
  REQUIRE(listening.wait_for_err("status: ready"));
  listening.signal(SIGINT);
  CHECK(listening.finish() == 130);
}

TEST_CASE("cli: Ctrl-C ends a call over HTTP", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  CAPTURE(flag);
  demo const server({flag});
  command c({COMCP_CLI, "call", "countdown", "steps=100000", "delay_ms=20", "--url", server.url});
  REQUIRE(c.wait_for_err("progress: "));
  c.signal(SIGINT);
  CHECK(c.finish() == 130);
  CHECK(server.comcp({"call", "echo", "text=on"}).out == "on\n");
}

TEST_CASE("cli: tokens and headers go along, and are never shown", "[e2e]") {
  demo const server({"--token", "s3cret"});
  auto const none = server.comcp({"tools"});
  CHECK(none.status == 6);
  CHECK_THAT(none.err, contains("HTTP 401"));
  CHECK_THAT(none.err, contains("A token is needed"));
  CHECK_THAT(none.err, contains("--bearer-env"));
  token_file const file("s3cret\n"), other("wr0ng");
  CHECK(server.comcp({"tools", "--bearer-file", file.path}).status == 0);
  CHECK(server.comcp({"tools", "--bearer", "s3cret"}).status == 0);
  CHECK(server.comcp({"tools", "--header", "Authorization: Bearer s3cret", "--header", "X-More: 1"}).status == 0);
  auto const in_line = server.comcp({"tools", "--header", "Authorization: Bearer s3cret"});
  CHECK_THAT(in_line.err, contains("--header Authorization") && contains("--header-env"));
  strings const header_env{"tools", "--url", server.url, "--header-env", "Authorization: COMCP_TEST_HEADER"};
  auto const by_variable = run(header_env, {"COMCP_TEST_HEADER=Bearer s3cret"});
  CHECK(by_variable.status == 0);
  CHECK(by_variable.err.find("--header") == std::string::npos);
  CHECK(run(header_env).status == 2);
  REQUIRE(::chmod(other.path.c_str(), 0640) == 0);
  auto const loose = server.comcp({"tools", "--bearer-file", other.path});
  CHECK(loose.status == 2);
  CHECK_THAT(loose.err, contains("--bearer-file: others can read or change"));
  REQUIRE(::chmod(other.path.c_str(), 0600) == 0);
  strings const from_env{"tools", "--url", server.url, "--bearer-env", "COMCP_TEST_TOKEN"};
  CHECK(run(from_env, {"COMCP_TEST_TOKEN=s3cret"}).status == 0);
  for (auto const& wrong : {strings{"--bearer-file", other.path, "--verbose"}, {"--bearer", "wr0ng", "--json"},
                            {"--header", "Authorization: Bearer wr0ng"}}) {
    auto line = wrong;
    line.insert(line.begin(), "tools");
    auto const r = server.comcp(line);
    CAPTURE(r.err);
    CHECK(r.status == 4);
    CHECK_THAT(r.err, contains("401"));
    CHECK(r.err.find("wr0ng") == std::string::npos);
  }
}

TEST_CASE("cli: what goes wrong over HTTP is told with its status and exit status", "[e2e]") {
  demo const server;
  auto const elsewhere = run({"tools", "--url", server.at("/nothing-here")});
  CHECK(elsewhere.status == 4);
  CHECK_THAT(elsewhere.err, contains("HTTP 404"));
  CHECK_THAT(elsewhere.err, contains("endpoint?"));
  CHECK(run({"tools", "--url", "http://127.0.0.1:1/mcp"}).status == 3);
  CHECK(run({"tools", "--url", "http://127.0.0.1:1/mcp", "--proxy", "http://127.0.0.1:1"}).status == 3);
  CHECK(run({"tools", "--url", "ftp://127.0.0.1/mcp"}).status == 2);
  CHECK(server.comcp({"tools", "--header", "Mcp-Session-Id: x"}).status == 2);  // only comcp may set it
}

TEST_CASE("cli: the proxy is what --proxy says, or the environment, or none", "[e2e]") {
  demo const server;
  strings const line{"tools", "--url", server.url};
  auto const with = [&](strings more) {
    more.insert(more.begin(), line.begin(), line.end());
    return more;
  };
  // Nobody listens on port 1, so whoever goes through such a proxy fails. Loopback goes direct, unless told otherwise.
  CHECK(run(line, {"http_proxy=http://127.0.0.1:1"}).status == 0);
  CHECK(run(with({"--no-proxy"}), {"http_proxy=http://127.0.0.1:1"}).status == 0);
  auto const through = run(with({"--proxy", "http://user:hunter2@127.0.0.1:1"}));
  CHECK(through.status == 3);
  CHECK(through.err.find("hunter2") == std::string::npos);
  CHECK(run(with({"--proxy", "socks5://127.0.0.1:1"})).status == 2);
}

TEST_CASE("cli: options that do not go together are exit status 2", "[e2e]") {
  std::string const url = "http://127.0.0.1:1/mcp";
  for (auto const& wrong :
       {strings{"tools", "--url", url, "--", "server"}, strings{"tools", "--url", url, "--env", "A=b"},
        strings{"tools", "--url", url, "--cwd", "/tmp"}, strings{"tools", "--insecure", "--", "server"},
        strings{"tools", "--bearer", "s3cret", "--", "server"}, strings{"tools", "--url", url, "--header", "s3cret"},
        strings{"tools", "--url", url, "--client-cert", "a.pem"},
        strings{"tools", "--url", url, "--proxy", "p", "--no-proxy"},
        strings{"tools", "--url", url, "--bearer-env", "COMCP_NO_SUCH_VARIABLE"},
        strings{"tools", "--url", url, "--bearer-file", "/no/such/file"},
        strings{"tools", "--url", url, "--bearer-file", "/tmp"}}) {
    auto const r = run(wrong);
    CAPTURE(r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK_FALSE(r.err.empty());
    CHECK(r.err.find("s3cret") == std::string::npos);
  }
}

TEST_CASE("cli: --help says how not to pass a token, and --insecure is loud", "[e2e]") {
  auto const help = run({"tools", "--help-all"});
  CHECK_THAT(help.out, contains("--url"));
  CHECK_THAT(help.out, contains("list of processes"));
  CHECK_THAT(help.out, contains("DANGEROUS"));
  CHECK_THAT(run({"tools", "--url", "https://127.0.0.1:1/mcp", "--insecure"}).err, contains("WARNING: --insecure"));
  auto const open =
      run({"tools", "--url", "http://192.0.2.1:1/mcp", "--bearer", "x", "--timeout", "100ms", "--no-proxy"});
  CHECK_THAT(open.err, contains("WARNING: the token goes to the server unencrypted"));
}

#endif
