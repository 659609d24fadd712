// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool with configuration files: --config and --server against the demo server, and what
// comcp config list, check and import say and write. Each test has a home directory of its own.
#include <filesystem>

#include <sys/stat.h>

#include <comcp/json/describe.hpp>
#include <comcp/json/value.hpp>

#include "e2e/cli_home.hpp"
#include "support/catch.hpp"
#include "support/command.hpp"
#if defined(COMCP_DEMO_HTTP)
#include "support/http_demo.hpp"
#endif

#if defined(COMCP_CLI) && defined(COMCP_DEMO_SERVER)

using comcp_test::command;
using comcp_test::input;
using match::contains;
using namespace cli_home;

TEST_CASE("cli: --config and --server reach a configured server", "[e2e]") {
  home const h;
  auto const file = h.write("mcp.json", "{ // two\n\"mcpServers\": {\"demo\": " + demo_entry() + ",\n\"old\": " +
                                            demo_entry(R"(, "args": ["${FLAG:---legacy-only}"])") + ",}}");
  strings const add{"--config", file, "--server", "demo", "call", "add", "a=2", "b=3"};
  CHECK(h.comcp(add).out == "{\"sum\":5}\n");
  CHECK_THAT(h.comcp({"info", "--yes", "--config", "mcp.json", "--server", "old"}).out, contains("legacy"));
  CHECK_THAT(h.comcp({"info", "--yes", "--config", "mcp.json", "--server", "old"}, {"FLAG=--modern-only"}).out,
             contains("modern"));
  auto const unnamed = h.comcp({"--config", file, "ping"});
  CHECK(unnamed.status == 2);
  CHECK_THAT(unnamed.err, contains("demo, old"));
  auto const none = h.comcp({"--config", file, "--server", "fly", "tools"});
  CHECK(none.status == 2);
  CHECK_THAT(none.err, contains("there is no server 'fly' that can be used; there are: demo, old"));
}

TEST_CASE("cli: the only enabled server needs no name; the first file that has a name counts", "[e2e]") {
  home const h;
  auto const one =
      h.write("one.json", servers("\"a\": " + demo_entry() + ", \"off\": " + demo_entry(", \"disabled\": true")));
  CHECK(h.comcp({"--config", one, "call", "echo", "text=x"}).out == "x\n");
  CHECK(h.comcp({"--config", one, "--server", "off", "call", "echo", "text=y"}).out == "y\n");
  auto const two = h.write("two.json", servers(R"("a": {"command": "/no/such/server"})"));
  CHECK(h.comcp({"--config", one, "--config", two, "--server", "a", "ping", "-n1"}).status == 0);
  CHECK(h.comcp({"--config", two, "--config", one, "--server", "a", "ping", "-n1"}).status == 3);
}

TEST_CASE("cli: what cannot be used of a configuration is exit status 2, with its place", "[e2e]") {
  home const h;
  h.write("mcp.json", servers("\"a\": {\"command\": 7},\n\"b\": " + demo_entry(R"(, "env": {"T": "${NO_SUCH_ONE}"})")));
  auto const wrong = h.comcp({"--config", "mcp.json", "--server", "a", "tools"});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, contains("mcp.json:1:34: mcpServers.a.command: not a string"));
  auto const unset = h.comcp({"--config", "mcp.json", "--server", "b", "--yes", "tools"});
  CHECK(unset.status == 2);
  CHECK_THAT(unset.err, contains("mcpServers.b.env.T: the environment variable NO_SUCH_ONE is not set"));
  h.write("broken.json", "{\n\"mcpServers\": {\n");
  CHECK_THAT(h.comcp({"--config", "broken.json", "tools"}).err, contains("broken.json:3:1: "));
  for (auto const& line : {strings{"--config", "none.json", "tools"},
                           {"--server", "b", "tools"},
                           {"--config", "mcp.json", "tools", "--", "server"},
                           {"--config", "mcp.json", "tools", "--url", "http://127.0.0.1:1/"},
                           {"--config", "mcp.json", "--server", "b", "--header", "X: y", "tools"}}) {
    auto const r = h.comcp(line, {"NO_SUCH_ONE=there"});
    CAPTURE(r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
  }
}

TEST_CASE("cli: an input is asked for at the terminal, a password without echo", "[e2e]") {
  home const h;
  h.write("mcp.json", R"({"inputs": [{"type": "promptString", "id": "t", "description": "The token", "password": true},
    {"type": "pickString", "id": "era", "description": "Which era?", "options": ["legacy", "modern"],
     "default": "modern"}],
    "servers": {"a": {"command": "sh",
                      "args": ["-c", "case \"$T\" in s3cre?) exec \"$0\" \"$1\";; esac", ")" COMCP_DEMO_SERVER
                      R"(", "--${input:era}-only"], "env": {"T": "${input:t}"}}}})");
  command c(h.line({"--config", "mcp.json", "info"}), input::terminal);
  REQUIRE(c.wait_for_screen("[modern]"));
  REQUIRE(c.wait_for_screen("> "));
  c.type("none\n");
  REQUIRE(c.wait_for_screen("one of these"));
  REQUIRE(c.wait_for_screen("> "));
  c.type("legacy\n");
  REQUIRE(c.wait_for_screen("The token\r\n> "));
  c.type("s3cret\n");
  CHECK(c.finish() == 0);
  CHECK_THAT(c.out(), contains("legacy"));
  CHECK((c.screen() + c.out() + c.err()).find("s3cret") == std::string::npos);
  auto const nobody = h.comcp({"--config", "mcp.json", "info"});
  CHECK(nobody.status == 2);
  CHECK_THAT(nobody.err, contains("servers.a.env.T: no answer to the input \"t\""));
}

TEST_CASE("cli: inputs of one id in two files are two questions", "[e2e]") {
  home const h;
  auto const file = [](std::string const& server, std::string const& answer) {
    return R"({"inputs": [{"type": "promptString", "id": "era", "default": ")" + answer + R"("}], "servers": {")" +
           server + R"(": {"command": ")" COMCP_DEMO_SERVER R"(", "args": ["--${input:era}-only"]}}})";
  };
  h.write("one.json", file("one", "legacy"));
  h.write("two.json", file("two", "modern"));
  auto const r = h.comcp({"--config", "one.json", "--config", "two.json", "info"});
  CHECK(r.status == 0);
  CHECK_THAT(r.out, contains("(legacy)") && contains("(modern)"));
}

#if defined(COMCP_DEMO_HTTP)
TEST_CASE("cli: a configured server over HTTP gets its headers, and nobody else sees them", "[e2e]") {
  home const h;
  comcp_test::http_demo const server({"--token", "s3cret"});
  h.write("mcp.json",
          servers("\"demo\": {\"url\": \"" + server.url + R"(", "headers": {"Authorization": "Bearer ${T}"}})"));
  CHECK(h.comcp({"--config", "mcp.json", "--yes", "call", "echo", "text=x"}, {"T=s3cret"}).out == "x\n");
  auto const wrong = h.comcp({"--config", "mcp.json", "tools", "-v"}, {"T=wr0ng"});
  CHECK(wrong.status == 4);
  CHECK(wrong.err.find("wr0ng") == std::string::npos);
  CHECK(h.comcp({"--config", "mcp.json", "--header", "Authorization: Bearer s3cret", "ping", "-n1"}, {"T=wr0ng"})
            .status == 0);
  CHECK(h.comcp({"--config", "mcp.json", "--cwd", "/", "ping"}, {"T=s3cret"}).status == 2);
}
#endif

TEST_CASE("cli: config list shows the files that are found, their servers and no secret", "[e2e]") {
  home const h;
  auto const nothing = h.comcp({"config", "list"});
  CHECK(nothing.status == 0);
  CHECK_THAT(nothing.err, contains(".cursor/mcp.json (cursor)"));
  h.write(
      ".mcp.json",
      servers(R"("api": {"type": "sse", "url": "https://x.example/sse?key=s3cret", "headers": {"X-Key": "s3cret"}})"));
  h.write(
      ".cursor/mcp.json",
      servers(R"("db": {"command": "db", "args": ["--token", "s3cret"], "env": {"PW": "s3cret"}, "disabled": true},)"
              R"( "bad": {})"));
  h.write(".claude.json",
          "{\"projects\": {\"" + h.path.string() + "\": " + servers(R"("mine": {"command": "m"})") + "}}");
  h.write(".vscode/mcp.json", R"({"servers": {}})");
  auto const all = h.comcp({"config", "list"});
  CHECK(all.status == 0);
  CHECK_THAT(all.out,
             contains("/.mcp.json (claude-code, project)\n  api  sse    https://x.example/sse?***  headers: X-Key\n"));
  CHECK_THAT(all.out, contains("  db  stdio  db --token ***  env: PW  (disabled)\n"));
  CHECK_THAT(all.out, contains("  mine  stdio  m\n"));
  CHECK_THAT(all.out, contains("mcp.json (vscode, project)\n  no servers\n"));
  CHECK_THAT(all.out, contains("wrong: " + h.path.string() + "/.cursor/mcp.json:1:"));
  auto const json = h.comcp({"config", "list", "--json"});
  CHECK((all.out + all.err + json.out).find("s3cret") == std::string::npos);
  auto const v = comcp::json::parse(json.out).value();
  REQUIRE(v.size() == 4);
  CHECK(v[0]["program"].as<std::string>() == "claude-code");
  CHECK(v[0]["servers"][0]["headers"][0].as<std::string>() == "X-Key");
  CHECK(comcp::json::parse(h.comcp({"config", "list", "cursor", "--json"}).out).value().size() == 1);
  CHECK_THAT(h.comcp({"config", "list", ".mcp.json"}).out, contains(".mcp.json\n  api"));
  CHECK(h.comcp({"config", "list", "no-such-file"}).status == 2);
  CHECK(h.comcp({"config"}).status == 2);
}

TEST_CASE("cli: config check expands and validates, and says where something is wrong", "[e2e]") {
  home const h;
  h.write(".mcp.json", R"({"inputs": [{"id": "host", "type": "promptString"}], "mcpServers": {
    "good": {"url": "https://${input:host}/mcp", "headers": {"X": "${env:TOKEN}"}},
    "bad": {"url": "nowhere", "headers": {"Mcp-Session-Id": "1"}},
    "reserved": {"url": "https://x.example", "headers": {"Mcp-Session-Id": "s3cret"}}}})");
  auto const bad = h.comcp({"config", "check"}, {"TOKEN=s3cret"});
  CHECK(bad.status == 2);
  CHECK_THAT(bad.err, contains("/.mcp.json:3:20: mcpServers.bad.url: "));
  CHECK_THAT(bad.err, contains("/.mcp.json:4:17: mcpServers.reserved.headers: a header that only comcp may set"));
  CHECK_THAT(bad.out, contains("3 servers, 2 problems"));
  auto const unset = h.comcp({"config", "check", ".mcp.json"});
  CHECK_THAT(unset.err, contains("mcpServers.good.headers.X: the environment variable TOKEN is not set"));
  CHECK((bad.out + bad.err + unset.err).find("s3cret") == std::string::npos);
  auto const json = comcp::json::parse(h.comcp({"config", "check", "--json", ".mcp.json"}).out).value();
  CHECK(json[0]["problems"].size() == 3);
  CHECK(json[0]["problems"][0]["line"].as<int>() == 2);
  h.write("ok.json", servers("\"demo\": " + demo_entry()));
  CHECK(h.comcp({"config", "check", "ok.json"}).status == 0);
}

TEST_CASE("cli: config check sees a command that is not there, in the PATH that the server gets", "[e2e]") {
  home const h;
  auto const folder = h.path / "bin";
  std::filesystem::create_directories(folder);
  std::filesystem::create_symlink(COMCP_DEMO_SERVER, folder / "my-server");
  h.write("bin/no-program", "text");
  h.write("mcp.json", servers(R"("a": {"command": "my-server", "args": ["x"]}, "b": {"command": "my-server", "env": {"PATH": ")" +
                              folder.string() + R"("}}, "c": {"command": "./bin/my-server"}, "d": {"command": "bin/no-program"},)"
                              R"( "e": {"command": "./my-server", "cwd": "bin"}, "f": {"command": "sh", "cwd": "/no/such"})"));
  auto const r = h.comcp({"config", "check", "mcp.json"});
  CHECK(r.status == 2);
  CHECK_THAT(r.err, contains("mcp.json:1:34: mcpServers.a.command: is not in PATH: my-server x"));
  CHECK_THAT(r.err, contains("mcpServers.d.command: no program: bin/no-program"));
  CHECK_THAT(r.err, contains("mcpServers.f.cwd: there is no such directory"));
  CHECK_THAT(r.out, contains("6 servers, 3 problems"));
}

TEST_CASE("cli: config import copies servers into a private file, which --server reads", "[e2e]") {
  home const h;
  h.write("one.json",
          "{\"inputs\": [{\"id\": \"i\", \"type\": \"promptString\", \"default\": \"x\"}], \"servers\": {\"demo\": " +
              demo_entry(R"(, "args": [], "env": {"A": "${input:i}"})") +
              R"(, "bad": 7, "far": {"url": "https://far.example", "headers": {"K": "${KEY}"}}}})");
  auto const dry = h.comcp({"config", "import", "one.json", "--dry-run"});
  CHECK_THAT(dry.out, contains("would be written: " + h.own()));
  CHECK_FALSE(std::filesystem::exists(h.own()));
  auto const first = h.comcp({"config", "import", "one.json", "--yes"});
  CHECK(first.status == 2);
  CHECK_THAT(first.out, contains("imported: demo of one.json\n    starts: " COMCP_DEMO_SERVER "\n    sets: A=${input:i}\n"));
  CHECK_THAT(first.out, contains("    talks to: https://far.example\n    header: K: ${KEY}\n    reads of your environment: KEY\n"));
  CHECK_THAT(first.err, contains("servers.bad: not an object"));
  auto const own = h.own_json();
  CHECK(own["mcpServers"].size() == 2);
  CHECK(own["mcpServers"]["demo"]["env"]["A"].as<std::string>() == "${input:i}");
  CHECK(own["inputs"][0]["id"].as<std::string>() == "i");
  struct ::stat about {};
  REQUIRE(::stat(h.own().c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  CHECK(h.comcp({"--server", "demo", "call", "echo", "text=x"}).out == "x\n");
  h.write("two.json", servers("\"demo\": " + demo_entry(R"(, "args": [], "env": {"A": "${input:i}"})")));
  auto const again = h.comcp({"config", "import", "two.json"});
  CHECK(again.status == 0);
  CHECK_THAT(again.out, contains("unchanged: demo") && contains("not changed: "));
}

TEST_CASE("cli: config import replaces only when forced, and keeps the rest of the file", "[e2e]") {
  home const h;
  h.write(".config/comcp/mcp.json",
          R"({"mine": [1], "servers": {"a": {"command": "old", "x": 1}, "b": {"command": "b"}}})");
  h.write("new.json", servers(R"("a": {"command": "new"}, "c": {"command": "c"})"));
  auto const refused = h.comcp({"config", "import", "new.json"});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.out, contains("left out: a of new.json: there is another one of this name; --force replaces it"));
  CHECK(h.own_json()["servers"]["a"]["command"].as<std::string>() == "old");
  auto const forced = h.comcp({"config", "import", "new.json", "--force", "--yes", "--json"});
  CHECK(forced.status == 0);
  CHECK(comcp::json::parse(forced.out).value()["servers"][0]["done"].as<std::string>() == "replaced");
  CHECK(h.own_json().dump() ==
        R"({"mine":[1],"servers":{"a":{"command":"new"},"b":{"command":"b"},"c":{"command":"c"}}})");
  CHECK(std::distance(std::filesystem::directory_iterator(h.path / ".config/comcp"), {}) == 1);
  h.write(".config/comcp/mcp.json", "{ broken");
  auto const broken = h.comcp({"config", "import", "new.json"});
  CHECK(broken.status == 2);
  CHECK_THAT(broken.err, contains("nothing was changed"));
}

#endif
