// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool and a server that puts what a terminal obeys, or nobody sees, into all that it says; and the way
// out of a run that is stuck.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <comcp/json/value.hpp>
#include <comcp/visible.hpp>

#include "support/catch.hpp"
#include "support/command.hpp"
#include "support/temporary_folder.hpp"

#if defined(COMCP_CLI) && defined(COMCP_DEMO_SERVER)

using comcp_test::command;
using comcp_test::input;
using match::contains;
using strings = std::vector<std::string>;

namespace {

strings poisoner(strings arguments, strings const& flags = {}) {
  arguments.insert(arguments.begin(), COMCP_CLI);
  arguments.emplace_back("--");
  arguments.push_back(std::string(COMCP_TEST_SERVERS_DIR) + "/comcp_test_poisoner");
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return arguments;
}

// What is on the screen that should not; empty: nothing. The terminal itself puts carriage returns before newlines.
std::string harm_in(std::string const& screen) {
  for (comcp::detail::character_scan at(screen); at.next();) {
    bool const return_alone = at.code() == '\r' && screen.compare(at.start(), 2, "\r\n") != 0;
    if (!at.why() && !return_alone) continue;
    auto const from = at.start() < 40 ? 0 : at.start() - 40;
    return comcp::detail::code_point_name(at.code()) + " behind " + comcp::visible(screen.substr(from, at.start() - from));
  }
  return {};
}

}  // namespace

TEST_CASE("cli: nothing that a server says is obeyed by the terminal, whatever the command", "[e2e]") {
  std::vector<strings> const commands = {
      {"tools"}, {"resources"}, {"templates"}, {"prompts"}, {"info"}, {"info", "--stderr", "inherit"}, {"call", "ok"}, {"call", "fail"},
      {"call", "ok", "e=1"}, {"call", "ok", "zzz=1"}, {"call", "ok", "n=1", "n=2"}, {"read", "a:b"}, {"prompt", "p"},
      {"complete", "p", "a=b"}, {"listen", "a:b", "-n2"}, {"ping", "-v"}, {"tools", "-v"}};
  for (auto const& one : commands) {
    for (bool const json : {false, true}) {
      auto arguments = one;
      if (json) arguments.emplace_back("--json");
      CAPTURE(arguments);
      command c(poisoner(arguments), input::screen, {"TERM=dumb", "COLUMNS=100"});
      CHECK(c.finish() >= 0);
      INFO(comcp::visible(c.screen()));
      CHECK(harm_in(c.screen()) == "");
      bool const silent = one.front() == "ping" || one.size() == 4;  // there the server has nothing to say
      CHECK((c.screen().find("001B>") == std::string::npos && c.screen().find("\\u001b") == std::string::npos) == silent);
    }
  }
}

TEST_CASE("cli: a question is as harmless as an answer", "[e2e]") {
  auto const name = GENERATE(as<std::string>(), "ask", "visit");
  command c(poisoner({"call", name}), input::screen, {"TERM=dumb", "COLUMNS=100"});
  REQUIRE(c.wait_for_screen("> "));
  if (name == "ask") REQUIRE(c.wait_for_screen("> "));
  c.type("!decline\n");
  CHECK(c.finish() == 0);
  CHECK(harm_in(c.screen()) == "");
  CHECK_THAT(c.screen(), contains("U+202E"));
}

TEST_CASE("cli: what goes into a pipe is what the server sent, and JSON is equal to it", "[e2e]") {
  command text(poisoner({"read", "a:b"}));
  CHECK(text.finish() == 0);
  CHECK_THAT(text.out(), contains("\x1b[31m"));
  CHECK_THAT(text.out(), contains("\xf3\xa0\x81\x81"));
  command c(poisoner({"read", "a:b", "--json"}));
  CHECK(c.finish() == 0);
  CHECK(harm_in(c.out()) == "");
  auto const all = comcp::json::parse(c.out()).value();
  auto const first = all["contents"][0]["text"];
  CHECK_THAT(std::string(first.as_string()), contains("\xc2\x9b" "32m"));
}

TEST_CASE("cli: a second signal ends a run that is stuck, here in output that nobody reads", "[e2e]") {
  command c(poisoner({"call", "big"}, {"big"}));
  REQUIRE(c.wait_for_out("xxxx"));
  c.signal(SIGINT);
  c.signal(SIGTERM);
  CHECK(c.ends_unread());
  auto const status = c.finish();
  CHECK((status == 130 || status == 143));
}

TEST_CASE("cli: a progress bar does not come back after an interrupt", "[e2e]") {
  command c({COMCP_CLI, "call", "countdown", "steps=200", "delay_ms=20", "--", COMCP_DEMO_SERVER}, input::screen, {"TERM=xterm"});
  REQUIRE(c.wait_for_screen("[#"));
  c.signal(SIGINT);
  REQUIRE(c.wait_for_screen("interrupted"));
  auto const before = c.screen().rfind("interrupted");
  CHECK(c.finish() == 130);
  CHECK(c.screen().find("[#", before) == std::string::npos);
}

TEST_CASE("cli: a trace goes into a file of its own, which others cannot read", "[e2e]") {
  comcp_test::temporary_folder const folder;
  auto const file = (folder.path / "trace").string(), link = (folder.path / "link").string();
  auto const traced = [](std::string const& to) {
    command c(poisoner({"ping", "-n", "1", "--trace", to}));
    auto const status = c.finish();
    return std::pair(status, c.err());
  };
  std::ofstream(file) << "precious";
  std::filesystem::permissions(file, std::filesystem::perms(0644));
  std::filesystem::create_symlink(file, link);
  auto const refused = traced(link);
  CHECK(refused.first == 2);
  CHECK_THAT(refused.second, contains("--trace") && contains("symbolic link"));
  std::string kept;
  std::ifstream(file) >> kept;
  CHECK(kept == "precious");
  CHECK(traced(file).first == 0);
  CHECK(std::filesystem::status(file).permissions() == std::filesystem::perms(0600));
  REQUIRE(::mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  CHECK(traced((folder.path / "pipe").string()).first == 2);
}

#endif
