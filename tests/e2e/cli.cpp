// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool against the demo server, as a user runs it: output, exit status, Ctrl-C, the terminal.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <comcp/json/describe.hpp>
#include <comcp/json/value.hpp>
#include <comcp/version.hpp>

#include "e2e/cli_run.hpp"

#if defined(COMCP_CLI) && defined(COMCP_DEMO_SERVER)

using namespace cli_run;

namespace {

class temporary_file {
 public:
  temporary_file() {
    auto pattern = (std::filesystem::temp_directory_path() / "comcp-cli-XXXXXX").string();
    int const fd = ::mkstemp(pattern.data());
    REQUIRE(fd >= 0);
    ::close(fd);
    path = pattern;
  }
  ~temporary_file() { std::filesystem::remove(path); }
  [[nodiscard]] strings lines() const {
    std::ifstream in(path);
    std::ostringstream all;
    all << in.rdbuf();
    return lines_of(all.str());
  }
  std::string path;
};

}  // namespace

TEST_CASE("cli: help explains every command, and a wrong command line is exit status 2", "[e2e]") {
  auto const all = run({COMCP_CLI, "--help"});
  CHECK(all.status == 0);
  for (auto const* const name : {"tools", "resources", "templates", "prompts", "call", "read", "prompt", "complete",
                                 "ping", "info", "listen", "tasks"}) {
    CAPTURE(name);
    CHECK_THAT(all.out, contains(std::string("  ") + name + " "));
    auto const one = run({COMCP_CLI, name, "--help"});
    CHECK(one.status == 0);
    CHECK_THAT(one.out, contains("Examples:"));
    CHECK_THAT(one.out, contains("--timeout"));
    CHECK(lines_of(one.out).size() < 50);
    CHECK(one.out.find("--max-time") == std::string::npos);
    CHECK_THAT(run({COMCP_CLI, name, "--help-all"}).out, contains("--max-time") && contains("--client-cert"));
  }
  CHECK_THAT(all.out, contains("Exit status:"));
  CHECK(run({COMCP_CLI, "--version"}).out == "comcp " COMCP_VERSION_STRING "\n");
  for (auto const& wrong :
       {strings{COMCP_CLI}, strings{COMCP_CLI, "tools"}, strings{COMCP_CLI, "tools", "--"}, demo({"fly"}),
        demo({"tools", "--era", "2020-01-01"}), demo({"tools", "--timeout", "soon"}), demo({"tools", "--no-such"}),
        demo({"call"}), demo({"tools", "--root", "/no/such/directory"}), demo({"tools", "--env", "=x"}),
        demo({"tools", "--trace", "/no/such/directory/file"})}) {
    auto const r = run(wrong);
    CAPTURE(r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK_THAT(r.err, starts_with("comcp: "));
  }
}

TEST_CASE("cli: info tells who the server is, in both eras", "[e2e]") {
  auto const modern = run(demo({"info"}));
  CHECK(modern.status == 0);
  CHECK_THAT(modern.out, contains("protocol      2026-07-28"));
  CHECK_THAT(modern.out, contains("Call `echo`"));
  auto const legacy = run(demo({"info", "--era", "legacy", "--json"}));
  CHECK(legacy.status == 0);
  auto const v = parsed(legacy.out);
  CHECK(v["era"].as<std::string>() == "legacy");
  CHECK(v["protocolVersion"].as<std::string>() == "2025-11-25");
  CHECK(v["capabilities"].contains("tools"));
  CHECK(run(demo({"--json", "--era=2025-03-26", "info"})).out.find("2025-03-26") != std::string::npos);
}

TEST_CASE("cli: lists are tables that fit, or the items as JSON", "[e2e]") {
  auto const tools = run(demo({"tools"}), {"COLUMNS=60"});
  CHECK(tools.status == 0);
  CHECK_THAT(tools.out, contains("countdown"));
  CHECK_THAT(tools.out, contains("number, required"));
  for (auto const& line : lines_of(tools.out)) CHECK(line.size() <= 60);
  auto const all = parsed(run(demo({"tools", "--json"})).out);
  auto const has = [&](char const* name) {
    return std::any_of(all.begin(), all.end(), [&](auto const t) { return t.find("name")->get_string() == name; });
  };
  CHECK(has("echo"));
  CHECK(has("add"));
  CHECK_THAT(run(demo({"resources"})).out, contains("demo://greeting"));
  CHECK_THAT(run(demo({"templates"})).out, contains("demo://notes/{topic}"));
  CHECK_THAT(run(demo({"prompts"}, {"--legacy-only"})).out, contains("required"));
}

TEST_CASE("cli: call reads its arguments as the tool's schema says", "[e2e]") {
  CHECK(run(demo({"call", "add", "a=2", "b=3"})).out == "{\"sum\":5}\n");
  CHECK(run(demo({"call", "add", "a=2", "b=3"}, {"--legacy-only"})).out == "{\"sum\":5}\n");
  CHECK(run(demo({"call", "add", "a:=2", "b:=-3.5e0"})).out == "{\"sum\":-1.5}\n");
  CHECK(run(demo({"call", "add", "--args", R"({ "a": 2, "b": 1 })", "b=5"})).out == "{\"sum\":7}\n");
  CHECK(run(demo({"call", "echo", "text=7"})).out == "7\n");
  std::string const nasty = "a 'b' \"c\" $HOME `id` ; | \\ * \n = := grüße";
  CHECK(run(demo({"call", "echo", "text=" + nasty})).out == nasty + "\n");
  auto const json = run(demo({"call", "add", "a=2", "b=3", "--json"}));
  CHECK(parsed(json.out).pointer("/structuredContent/sum")->as_int64() == 5);
  for (auto const& wrong : {strings{"add", "a=two", "b=3"}, {"add", "a"}, {"add", "=1"}, {"add", "a:=two"},
                            {"add", "--args", "{"}, {"add", "--args", "[1]"}, {"echo", "text=a", "text=b"}}) {
    auto line = wrong;
    line.insert(line.begin(), "call");
    auto const r = run(demo(line));
    CAPTURE(r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK_THAT(r.err, starts_with("comcp: "));
  }
}

TEST_CASE("cli: each kind of failure has its exit status", "[e2e]") {
  auto const failed = run(demo({"call", "fail", "message=no luck"}));
  CHECK(failed.status == 1);
  CHECK(failed.out == "no luck\n");
  CHECK(run(demo({"call", "fail", "--json"})).status == 1);
  auto const missing = run(with_server({"tools"}, {"/no/such/server"}));
  CHECK(missing.status == 3);
  CHECK_THAT(missing.err, contains("/no/such/server"));
  CHECK(run(demo({"call", "crash"})).status == 3);
  CHECK(run(demo({"prompt", "no_such_prompt"})).status == 4);
  CHECK(run(demo({"tools", "--era", "modern"}, {"--legacy-only"})).status == 4);
  CHECK(run(demo({"listen", "demo://no-such-thing"})).status == 4);
  auto const late = run(demo({"call", "wait", "--timeout", "200ms"}));
  CHECK(late.status == 5);
  auto const json = run(demo({"read", "demo://nothing", "--json"}));
  CHECK(json.status == 4);
  CHECK(parsed(json.err)["error"]["exit"].as_int64() == 4);
}

TEST_CASE("cli: read gives text and bytes as they are", "[e2e]") {
  CHECK_FALSE(run(demo({"read", "demo://greeting"})).out.empty());
  auto const logo = run(demo({"read", "demo://logo"}));
  CHECK(logo.status == 0);
  CHECK(logo.out.substr(0, 4) == "\x89PNG");
  auto const note = run(demo({"read", "demo://notes/{topic}", "topic=two words"}));
  CHECK(note.status == 0);
  CHECK_THAT(note.out, contains("two%20words"));
}

TEST_CASE("cli: prompts and completions", "[e2e]") {
  auto const greeting = run(demo({"prompt", "greet", "name=Ann"}));
  CHECK(greeting.status == 0);
  CHECK_THAT(greeting.out, contains("user:"));
  CHECK_THAT(greeting.out, contains("Ann"));
  auto const languages = run(demo({"complete", "code_review", "language=py"}));
  CHECK(languages.status == 0);
  CHECK(languages.out == "python\n");
  auto const frameworks = run(demo({"complete", "code_review", "framework=", "language=python", "--json"}));
  CHECK(parsed(frameworks.out).pointer("/completion/values")->size() > 0);
  CHECK(run(demo({"complete", "demo://notes/{topic}", "topic="})).status == 0);
}

TEST_CASE("cli: progress and log messages go to stderr", "[e2e]") {
  auto const era = GENERATE(as<std::string>(), "legacy", "modern");
  CAPTURE(era);
  auto const counted = run(demo({"call", "countdown", "steps=3", "delay_ms=1", "--era", era}));
  CHECK(counted.out == "Counted down from 3.\n");
  CHECK_THAT(counted.err, contains("progress: 1/3"));
  CHECK_THAT(counted.err, contains("progress: 3/3"));
  auto const logged = run(demo({"call", "log", "level=warning", "message=hot", "--log-level", "info", "--era", era}));
  CHECK_THAT(logged.err, contains("[warning] demo: hot"));
  auto const hidden = run(demo({"call", "log", "level=warning", "message=hot", "--log-level", "error", "--era", era}));
  CHECK(hidden.err.find("hot") == std::string::npos);
}

TEST_CASE("cli: Ctrl-C cancels the call, tells the server and ends with 130", "[e2e]") {
  auto const era = GENERATE(as<std::string>(), "legacy", "modern");
  CAPTURE(era);
  temporary_file trace;
  command c(demo({"call", "countdown", "steps=100000", "delay_ms=20", "--era", era, "--trace", trace.path}));
  REQUIRE(c.wait_for_err("progress: "));
  c.signal(SIGINT);
  CHECK(c.finish() == 130);
  CHECK(c.out().empty());
  auto const lines = trace.lines();
  CHECK(std::any_of(lines.begin(), lines.end(), [](auto const& line) {
    return line.find("notifications/cancelled") != std::string::npos && line.find("\"sent\"") != std::string::npos;
  }));
}

TEST_CASE("cli: SIGTERM ends it with 143", "[e2e]") {
  command c(demo({"call", "countdown", "steps=100000", "delay_ms=20"}));
  REQUIRE(c.wait_for_err("progress: "));
  c.signal(SIGTERM);
  CHECK(c.finish() == 143);
}

TEST_CASE("cli: a trace has every message and no secret", "[e2e]") {
  temporary_file trace;
  CHECK(run(demo({"call", "echo", "text=API_KEY=hunter2", "--trace", trace.path})).out == "API_KEY=hunter2\n");
  auto const lines = trace.lines();
  CHECK(lines.size() >= 4);
  bool called = false;
  for (auto const& line : lines) {
    CAPTURE(line);
    auto const v = parsed(line);
    CHECK(v["time"].as<std::string>().size() == 27);
    CHECK(v["message"]["jsonrpc"].as<std::string>() == "2.0");
    CHECK(line.find("hunter2") == std::string::npos);
    called = called || line.find("API_KEY=***") != std::string::npos;
  }
  CHECK(called);
}

TEST_CASE("cli: questions are declined where nobody sits at a terminal", "[e2e]") {
  auto const era = GENERATE(as<std::string>(), "legacy", "modern");
  CAPTURE(era);
  auto const form = run(demo({"call", "ask_name", "--era", era}));
  CHECK(form.status == 0);
  CHECK(form.out == "No name was given (decline).\n");
  CHECK_THAT(form.err, contains("declined"));
  CHECK(run(demo({"call", "ask_login", "--era", era})).out == "Not logged in (decline).\n");
}

TEST_CASE("cli: a form is asked field by field at the terminal", "[e2e]") {
  auto const era = GENERATE(as<std::string>(), "legacy", "modern");
  CAPTURE(era);
  command c(demo({"call", "ask_name", "--era", era}), input::terminal);
  REQUIRE(c.wait_for_screen("What is your name?"));
  REQUIRE(c.wait_for_screen("(name: text, required)"));
  c.type("\n");
  REQUIRE(c.wait_for_screen("an answer is required"));
  c.type("Ann\n");
  REQUIRE(c.wait_for_screen("[yes] > "));
  c.type("maybe\n");
  REQUIRE(c.wait_for_screen("answer yes or no"));
  c.type("no\n");
  REQUIRE(c.wait_for_screen("Send this?"));
  c.type("y\n");
  CHECK(c.finish() == 0);
  CHECK(c.out() == "Hello, Ann.\n");
}

TEST_CASE("cli: a form can be refused, and Ctrl-D answers nothing", "[e2e]") {
  auto const [typed, said] = GENERATE(table<std::string, std::string>({{"!decline\n", "decline"}, {"\x04", "cancel"}}));
  command c(demo({"call", "ask_name"}), input::terminal);
  REQUIRE(c.wait_for_screen("required)"));
  REQUIRE(c.wait_for_screen("> "));
  c.type(typed);
  CHECK(c.finish() == 0);
  CHECK(c.out() == "No name was given (" + said + ").\n");
}

TEST_CASE("cli: Ctrl-C ends it while a question is open", "[e2e]") {
  command c(demo({"call", "ask_name"}), input::terminal);
  REQUIRE(c.wait_for_screen("required)"));
  c.signal(SIGINT);
  CHECK(c.finish() == 130);
}

TEST_CASE("cli: an address is shown whole and never opened", "[e2e]") {
  command c(demo({"call", "ask_login"}), input::terminal);
  REQUIRE(c.wait_for_screen("https://login.example.com/start?session=demo"));
  REQUIRE(c.wait_for_screen("login.example.com"));
  REQUIRE(c.wait_for_screen("[y]es"));
  c.type("y\n");
  CHECK(c.finish() == 0);
  CHECK(c.out() == "Logged in.\n");
}

TEST_CASE("cli: listen prints what the server tells, in both eras", "[e2e]") {
  auto const era = GENERATE(as<std::string>(), "legacy", "modern");
  CAPTURE(era);
  auto const three = run(announcer({"listen", "test://a", "--count", "3"}, {era}));
  CHECK(three.status == 0);
  std::string const updated = "resources/updated  test://a";
  CHECK(lines_of(three.out) == strings{updated, "tools/list_changed", updated});
  auto const one = run(announcer({"listen", "test://a", "-n1", "--json"}, {era}));
  CHECK(one.status == 0);
  CHECK(parsed(one.out)["params"]["uri"].as<std::string>() == "test://a");
  command c(announcer({"listen", "test://a", "-v"}, {era, "quiet"}));
  REQUIRE(c.wait_for_err("status: ready"));
  c.signal(SIGINT);
  CHECK(c.finish() == 130);
}

TEST_CASE("cli: ping measures round trips", "[e2e]") {
  auto const era = GENERATE(as<std::string>(), "legacy", "modern");
  auto const r = run(demo({"ping", "--count", "3", "--json", "--era", era}));
  CHECK(r.status == 0);
  auto const v = parsed(r.out);
  REQUIRE(v["milliseconds"].size() == 3);
  CHECK(v["milliseconds"][0].as_double() > 0);
  CHECK_THAT(run(demo({"ping"})).out, starts_with("4 round trips: fastest "));
}

TEST_CASE("cli: roots are what --root says, and are not declared without", "[e2e]") {
  auto const directory = std::filesystem::canonical(std::filesystem::temp_directory_path());
  auto const given = run(demo({"call", "list_my_roots", "--root", directory.string()}));
  CHECK(given.status == 0);
  CHECK_THAT(given.out, contains("file://" + directory.string()));
  CHECK(run(demo({"call", "list_my_roots"})).status != 0);
  CHECK(run(demo({"call", "list_my_roots"}, {"--legacy-only"})).status == 1);
}

#endif
