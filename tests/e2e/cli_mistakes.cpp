// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool where something is not as it should be: a mistyped command line, output that nobody takes, servers
// that want something first or tell nothing.
#include <comcp/json/describe.hpp>

#include "e2e/cli_run.hpp"

#if defined(COMCP_CLI) && defined(COMCP_DEMO_SERVER)

using namespace cli_run;

TEST_CASE("cli: a mistyped command, option, tool or argument is told with what was meant", "[e2e]") {
  auto const says = [](strings const& line, std::string const& hint) {
    auto const r = run(line);
    CAPTURE(r.err);
    CHECK(r.status != 0);
    CHECK(r.out.empty());
    CHECK_THAT(r.err, starts_with("comcp: ") && contains(hint));
  };
  says(demo({"tolls"}), "there is no command 'tolls'; did you mean 'tools'?");
  says(demo({"tools", "--tiemout", "5"}), "there is no option '--tiemout'; did you mean '--timeout'?");
  says({COMCP_CLI, "config", "chekc"}, "there is no command 'chekc'; did you mean 'check'?");
  says(demo({"call", "ad", "a=2"}), "the server lists no tool 'ad'; did you mean 'add'?");
  says(demo({"call", "ad"}), "the server lists no tool 'ad'; did you mean 'add'?");
  says(demo({"call", "echo", "txt=a"}), "the tool has no argument 'txt'; did you mean 'text'?");
  says(demo({"call", "echo", "txt:=1"}), "the tool has no argument 'txt'; did you mean 'text'?");
  says(demo({"prompt", "greet", "nmae=Ann"}), "the prompt has no argument 'nmae'; did you mean 'name'?");
  says(demo({"prompt", "gret", "name=Ann"}), "the server lists no prompt 'gret'; did you mean 'greet'?");
  says({COMCP_CLI, "tools", COMCP_DEMO_SERVER, "-y"}, "as in: comcp tools -- " COMCP_DEMO_SERVER " -y");
  says({COMCP_CLI, "call", "add", "a=2", "b=3", "./server", "x"}, "did you mean: comcp call add a=2 b=3 -- ./server x");
  says({COMCP_CLI, "listen", "test://a", "./server"}, "did you mean: comcp listen test://a -- ./server");
  auto const sent = run(demo({"call", "echo", "--args", R"({"text":"a","txt":1})"}));
  CHECK_THAT(sent.err, contains("the tool's schema has no argument 'txt'"));
}

TEST_CASE("cli: output that cannot be written is a failure", "[e2e]") {
  for (std::string const line : {" --help", " tools -- " COMCP_DEMO_SERVER, " ping -- " COMCP_DEMO_SERVER,
                                 " call echo text=x --json -- " COMCP_DEMO_SERVER, " config list --json"}) {
    CAPTURE(line);
    auto const full = run({"/bin/sh", "-c", COMCP_CLI + line + " > /dev/full"});
    CHECK(full.status == 8);
    CHECK_THAT(full.err, contains("the output could not be written"));
  }
}

TEST_CASE("cli: with --json, what went wrong is JSON too", "[e2e]") {
  auto const code = [](strings const& line) {
    auto const r = run(line);
    auto const told = parsed(r.err)["error"]["exit"].as_int64();
    CHECK(told == r.status);
    return told;
  };
  CHECK(code(demo({"call", "fail", "--json"})) == 1);
  CHECK(code({COMCP_CLI, "tools", "--json"}) == 2);
  CHECK(code({COMCP_CLI, "tolls", "--json"}) == 2);
  CHECK(code({COMCP_CLI, "tools", "--json", "--config", "/no/such/file"}) == 2);
  CHECK(code({COMCP_CLI, "tools", "--timeout", "abc", "--json"}) == 2);
  CHECK(code({COMCP_CLI, "tools", "--url", "http://127.0.0.1:1", "--bearer-file", "/no/such/file", "--json"}) == 2);
  CHECK(code({COMCP_CLI, "tools", "--json", "--config", "/no/such/\xff"}) == 2);
  CHECK(code(demo({"call", "echo", "txt=1", "--json"})) == 2);
  CHECK(code(with_server({"tools", "--json"}, {"/no/such/server"})) == 3);
}

TEST_CASE("cli: a terminal that is dumb gets no escapes", "[e2e]") {
  auto line = demo({"call", "ask_login"});
  line.insert(line.begin(), {"/usr/bin/env", "TERM=dumb"});
  command c(line, input::terminal);
  REQUIRE(c.wait_for_screen("[y]es"));
  c.type("y\n");
  CHECK(c.finish() == 0);
  CHECK(c.screen().find('\x1b') == std::string::npos);
}

TEST_CASE("cli: a call that wants pages to be seen first is sent again, when the user or the server says so", "[e2e]") {
  bool const told = GENERATE(false, true);
  CAPTURE(told);
  command c(announcer({"call", told ? "visit_told" : "visit"}, {"legacy"}), input::terminal);
  REQUIRE(c.wait_for_screen("https://visit.example/"));
  REQUIRE(c.wait_for_screen("[y]es"));
  c.type("y\n");
  if (!told) {
    REQUIRE(c.wait_for_screen("Press Enter when you are done there"));
    c.type("\n");
  }
  CHECK(c.finish() == 0);
  CHECK(c.out() == "visited\n");
}

TEST_CASE("cli: what is read or prompted is sent again after its pages, too", "[e2e]") {
  auto const line = GENERATE(strings{"read", "a://b"}, strings{"prompt", "p"});
  CAPTURE(line);
  command c(announcer(line, {"legacy"}), input::terminal);
  REQUIRE(c.wait_for_screen("[y]es"));
  c.type("y\n");
  REQUIRE(c.wait_for_screen("Press Enter when you are done there"));
  c.type("\n");
  CHECK(c.finish() == 0);
  CHECK_THAT(c.out(), contains("visited"));
}

TEST_CASE("cli: a call that wants pages to be seen first fails where the user does not go there", "[e2e]") {
  command c(announcer({"call", "visit"}, {"legacy"}), input::terminal);
  REQUIRE(c.wait_for_screen("[y]es"));
  c.type("d\n");
  CHECK(c.finish() == 4);
  CHECK(run(announcer({"call", "visit"}, {"legacy"})).status == 4);
}

TEST_CASE("cli: a limit is told in words, not as the name of an option in C++", "[e2e]") {
  auto const r = run(announcer({"tools"}, {"legacy", "endless"}));
  CHECK(r.status == 4);
  CHECK_THAT(r.err, contains("more pages than the limit of pages"));
  CHECK(r.err.find("()") == std::string::npos);
}

TEST_CASE("cli: tools says which tool runs as a task", "[e2e]") {
  CHECK_THAT(run(announcer({"tools"}, {"legacy"})).out, contains("(it runs as a task)"));
}

TEST_CASE("cli: listen says when a server tells no changes, and ends with 3 with its server", "[e2e]") {
  auto const era = GENERATE(as<std::string>(), "legacy", "modern");
  CAPTURE(era);
  auto const nothing = run(announcer({"listen"}, {era, "changeless"}));
  CHECK(nothing.status == 4);
  CHECK_THAT(nothing.err, contains("the server tells no changes"));
  CHECK(run(announcer({"listen", "test://a"}, {era, "leaves"})).status == 3);
}

#endif
