// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool in a repository that somebody else wrote: what its configuration may replace, read and open.
#include <filesystem>

#include <sys/stat.h>

#include <comcp/json/describe.hpp>

#include "e2e/cli_home.hpp"

#if defined(COMCP_CLI) && defined(COMCP_DEMO_SERVER)

using comcp_test::command;
using comcp_test::input;
using match::contains;
using namespace cli_home;

TEST_CASE("cli: a project's file is imported only by its own name, the user's files without it", "[e2e]") {
  home const h;
  h.write(".mcp.json", servers(R"("github": {"command": "theirs"}, "more": {"command": "theirs"})"));
  h.write(".vscode/mcp.json", R"({"servers": {"github": {"command": "theirs"}}})");
  h.write(".config/Code/User/mcp.json", R"({"servers": {"github": {"command": "mine"}}})");
  for (auto const& line : {strings{"config", "import", "--yes"}, {"config", "import", "claude-code", "--force", "--yes"},
                           {"config", "import", "vscode", "--force", "--yes"}}) {
    auto const r = h.comcp(line);
    CHECK(r.status == 0);
    CHECK_THAT(r.err, contains("left alone: ") && contains("name the file to import it"));
    CHECK(h.own_json()["mcpServers"].dump() == R"({"github":{"command":"mine"}})");
  }
  auto const json = comcp::json::parse(h.comcp({"config", "import", "--json"}).out).value();
  CHECK(json["leftAlone"].size() == 2);
}

TEST_CASE("cli: an import shows what would be started, and writes nothing without a yes", "[e2e]") {
  home const h;
  h.write(".config/comcp/mcp.json", servers(R"("github": {"command": "mine"})"));
  h.write(".mcp.json", servers(R"("github": {"command": "theirs", "args": ["-x"], "env": {"T": "${TOKEN}"}})"));
  strings const line{"config", "import", ".mcp.json", "--force"};
  auto const nobody = h.comcp(line);
  CHECK(nobody.status == 2);
  CHECK_THAT(nobody.err, contains("nothing was written") && contains("--yes"));
  CHECK_THAT(nobody.out, contains("replaced: github of .mcp.json\n    starts: theirs -x\n    sets: T\n"
                                  "    reads of your environment: TOKEN\n  in place of:\n    starts: mine\n"));
  auto const mine = h.own_json().dump();
  for (auto const* const answer : {"n\n", "\n", "\x04"}) {
    command no(h.line(line), input::terminal);
    REQUIRE(no.wait_for_screen("[y/N]"));
    no.type(answer);
    CHECK(no.finish() == 2);
    CHECK_THAT(no.out(), contains("not changed: "));
    CHECK(h.own_json().dump() == mine);
  }
  command yes(h.line(line), input::terminal);
  REQUIRE(yes.wait_for_screen("[y/N]"));
  yes.type("y\n");
  CHECK(yes.finish() == 0);
  CHECK(h.own_json()["mcpServers"]["github"]["command"].as<std::string>() == "theirs");
}

TEST_CASE("cli: what a project's file reads of the environment is shown and approved, once for each content", "[e2e]") {
  home const h;
  auto const file = [&h](std::string const& more) {
    h.write(".mcp.json", servers(R"("far": {"url": "http://127.0.0.1:1/${SECRET}", "headers": {"X": "${env:OTHER}"}})" + more));
  };
  file("");
  strings const line{"--config", ".mcp.json", "tools"}, variables{"SECRET=s3cret", "OTHER=x"};
  auto const nobody = h.comcp(line, variables);
  CHECK(nobody.status == 2);
  CHECK_THAT(nobody.err, contains("talks to: http://127.0.0.1:1/${SECRET}") &&
                             contains("reads of your environment: OTHER, SECRET") && contains("--yes"));
  auto const ask = [&](char const* answer) {
    strings all{"/usr/bin/env", "SECRET=s3cret", "OTHER=x"};
    auto const rest = h.line(line);
    all.insert(all.end(), rest.begin(), rest.end());
    command c(all, input::terminal);
    REQUIRE(c.wait_for_screen("OTHER, SECRET"));
    REQUIRE(c.wait_for_screen("[y/N]"));
    c.type(answer);
    auto const status = c.finish();
    CHECK((c.screen() + c.out() + c.err()).find("s3cret") == std::string::npos);
    return status;
  };
  CHECK(ask("n\n") == 2);
  CHECK(ask("y\n") == 3);                       // there is no such server
  CHECK(h.comcp(line, variables).status == 3);  // it was approved
  auto const approved = h.path / ".config/comcp/approved";
  struct ::stat about {};
  REQUIRE(::stat(approved.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  file(R"(, "new": {"command": "x", "args": ["${THIRD:-}"]})");
  CHECK(h.comcp(line, variables).status == 2);
  file("");
  CHECK(h.comcp(line, variables).status == 3);
  std::filesystem::create_directories(h.path / "elsewhere");
  std::filesystem::copy(h.path / ".mcp.json", h.path / "elsewhere/.mcp.json");
  CHECK(h.comcp({"--config", "elsewhere/.mcp.json", "tools"}, variables).status == 2);
  CHECK(h.comcp({"--config", "elsewhere/.mcp.json", "--yes", "tools"}, variables).status == 3);
  CHECK(h.comcp({"--config", "elsewhere/.mcp.json", "tools"}, variables).status == 3);
}

TEST_CASE("cli: nobody is asked about the user's own files, nor about a file that reads nothing", "[e2e]") {
  home const h;
  h.write(".config/comcp/mcp.json", servers("\"demo\": " + demo_entry(R"(, "env": {"A": "${SECRET}"})")));
  CHECK(h.comcp({"--server", "demo", "call", "echo", "text=x"}, {"SECRET=s"}).out == "x\n");
  h.write(".mcp.json", servers("\"demo\": " + demo_entry(R"(, "cwd": "${workspaceFolder}")") +
                               ", \"other\": " + demo_entry(R"(, "env": {"A": "${SECRET}"})")));
  CHECK(h.comcp({"--config", ".mcp.json", "--server", "demo", "call", "echo", "text=x"}).out == "x\n");
  CHECK(h.comcp({"--config", ".mcp.json", "--server", "other", "call", "echo", "text=x"}, {"SECRET=s"}).status == 2);
}

// Whoever opens a FIFO to read waits for a writer: here, for ever.
TEST_CASE("cli: files that are named are regular ones: a FIFO is an error at once", "[e2e]") {
  home const h;
  auto const pipe = (h.path / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  h.write("mcp.json", servers("\"demo\": " + demo_entry(R"(, "envFile": "${workspaceFolder}/pipe")")));
  auto const env_file = h.comcp({"--config", "mcp.json", "ping", "-n1"});
  CHECK(env_file.status == 2);
  CHECK_THAT(env_file.err, contains("mcpServers.demo.envFile: cannot be read: it is no regular file"));
  CHECK(h.comcp({"--config", pipe, "tools"}).status == 2);
  std::filesystem::create_symlink(pipe, h.path / ".mcp.json");
  CHECK_THAT(h.comcp({"config", "list"}).out, contains("it is no regular file"));
  CHECK(h.comcp({"config", "check", ".mcp.json"}).status == 2);
}

#endif
