// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool over all servers of a configuration: one list under names that model providers accept, calls
// by those names, and lists that go on while servers end and come back.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <stdlib.h>

#include <comcp/json/describe.hpp>
#include <comcp/json/value.hpp>
#include <comcp/providers/names.hpp>

#include "support/catch.hpp"
#include "support/command.hpp"

#if defined(COMCP_CLI) && defined(COMCP_DEMO_SERVER)

using comcp_test::command;
using match::contains;
using strings = std::vector<std::string>;

namespace {

class config {
 public:
  explicit config(std::string const& entries) {
    auto pattern = (std::filesystem::temp_directory_path() / "comcp-many-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    std::ofstream(file()) << "{\"mcpServers\": {" << entries << "}}";
  }
  config(config const&) = delete;
  config& operator=(config const&) = delete;
  ~config() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file() const { return (folder_ / "mcp.json").string(); }
  [[nodiscard]] strings line(strings const& arguments) const {
    strings all{COMCP_CLI, "--config", file()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }

 private:
  std::filesystem::path folder_;
};

struct ended {
  int status;
  std::string out, err;
};

ended run(config const& c, strings const& arguments) {
  command tool(c.line(arguments));
  auto const status = tool.finish();
  UNSCOPED_INFO("stdout: " << tool.out() << "\nstderr: " << tool.err());
  return {status, tool.out(), tool.err()};
}

std::string stdio_entry(std::string const& name) { return "\"" + name + R"(": {"command": ")" COMCP_DEMO_SERVER "\"}"; }

strings names_in(std::string const& json_line) {
  auto const list = comcp::json::parse(json_line).value();
  strings names;
  for (auto const item : list) {
    if (auto const name = item.find("name")) names.emplace_back(*name->get_string());  // else: a server is missing
  }
  return names;
}

bool has(strings const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("cli: every tool of every server is listed under a name that model providers accept", "[e2e]") {
  config const c(stdio_entry("b") + ", " + stdio_entry("a server") + R"(, "broken": {"command": "/no/such/server"})");
  auto const all = run(c, {"tools", "--json"});
  CHECK(all.status == 7);
  CHECK_THAT(run(c, {"tools"}).err, contains("comcp: broken: backing off: could not connect: cannot start '/no/such/server'"));
  auto const names = names_in(all.out);
  CHECK(has(names, "b__add"));
  CHECK(std::count_if(names.begin(), names.end(), [](auto const& n) { return n.starts_with("a_server__add--"); }) == 1);
  CHECK(std::all_of(names.begin(), names.end(), comcp::providers::is_safe_name));
  CHECK(strings(names) == names_in(run(c, {"tools", "--json"}).out));
  CHECK_THAT(run(c, {"tools"}).out, contains("b__add") && contains("[a server] Adds two numbers"));
  auto const info = run(c, {"info"});
  CHECK(info.status == 7);
  CHECK_THAT(info.out, contains("comcp_demo_server") && contains("backing off"));
}

TEST_CASE("cli: tools of many servers are called by safe, qualified and unique bare names", "[e2e]") {
  config const two(stdio_entry("one") + ", " + stdio_entry("two"));
  CHECK(run(two, {"call", "two__add", "a=2", "b=3"}).out == "{\"sum\":5}\n");
  CHECK(run(two, {"call", "one/add", "a=2", "b=3"}).out == "{\"sum\":5}\n");
  auto const unclear = run(two, {"call", "add", "a=2", "b=3"});
  CHECK(unclear.status == 2);
  CHECK_THAT(unclear.err, contains("one") && contains("two"));
  CHECK(run(two, {"call", "three/add"}).status == 2);
  auto const mistyped = run(two, {"call", "two__ad", "a=2"});
  CHECK(mistyped.status == 2);
  CHECK_THAT(mistyped.err, contains("no server lists the tool 'two__ad'; did you mean 'two__add'?"));
  CHECK(run(two, {"call", "one/no_such_tool"}).status == 2);
  CHECK(run(two, {"call", "two__fail", "message=no"}).status == 1);
  CHECK(run(two, {"call", "two__crash"}).status == 3);
  config const one(stdio_entry("one"));
  CHECK(run(one, {"call", "add", "a=2", "b=3"}).out == "{\"sum\":5}\n");
  CHECK(run(one, {"read", "demo://greeting"}).status == 0);
  CHECK(run(two, {"read", "demo://greeting"}).status == 2);
  CHECK(run(two, {"read", "demo://greeting", "--server", "two"}).status == 0);
}

TEST_CASE("cli: without any server that can be reached, lists over all of them fail", "[e2e]") {
  config const c(R"("broken": {"command": "/no/such/server"})");
  auto const r = run(c, {"tools"});
  CHECK(r.status == 3);
  CHECK_THAT(r.err, contains("/no/such/server"));
  auto const json = run(c, {"tools", "--json"});
  CHECK(json.status == 3);
  auto const entries = comcp::json::parse(json.out).value();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0]["server"].as<std::string>() == "broken");
  CHECK(entries[0]["error"]["exit"].as<int>() == 3);
  auto const told = comcp::json::parse(json.err).value();  // one line, and nothing else
  CHECK(told["error"]["server"].as<std::string>() == "broken");
}

TEST_CASE("cli: a server that does not come is named, with an exit status and an entry in the list", "[e2e]") {
  config const c(stdio_entry("quick") + R"(, "silent": {"command": "sleep", "args": ["1000"]},)"
                                        R"( "unset": {"command": "x", "args": ["${input:none}"]}, "bad": 7)");
  auto const text = run(c, {"tools", "--timeout", "700ms"});
  CHECK(text.status == 7);
  CHECK_THAT(text.err, contains("silent: ") && contains("unset: ") && contains("mcpServers.bad: not an object"));
  CHECK_THAT(text.out, contains("quick__add"));
  auto const json = run(c, {"tools", "--timeout", "700ms", "--json"});
  CHECK(json.status == 7);
  auto const all = comcp::json::parse(json.out).value();
  auto const entry = [&all](std::string_view server) {
    for (auto const item : all) {
      if (item.find("error") && item.find("server") && item.find("server")->get_string() == server) return item;
    }
    return comcp::json::view();
  };
  CHECK(entry("silent").find("error")->find("exit")->get_int64() == 5);
  CHECK(entry("unset").find("error")->find("exit")->get_int64() == 2);
  CHECK(entry("unset").find("error")->find("message")->get_string()->find("input") != std::string_view::npos);
  CHECK(has(names_in(json.out), "quick__add"));
  std::istringstream lines(json.err);
  for (std::string line; std::getline(lines, line);) CHECK(comcp::json::parse(line));
  auto const found = run(c, {"prompt", "no_such_prompt", "--timeout", "700ms"});
  CHECK(found.status == 3);
  CHECK_THAT(found.err, contains("not all are there: ") && contains("silent"));
}

TEST_CASE("cli: names that a registry refuses spoil nothing, and those with a slash are used", "[e2e]") {
  auto const longest = std::string(200, 'x');
  config const c(stdio_entry("github.com/a/b") + ", " + stdio_entry("plain") + ", " + stdio_entry(longest));
  auto const all = run(c, {"tools", "--json"});
  CHECK(all.status == 7);
  CHECK_THAT(all.err, contains("a server's name has at most 128 bytes"));
  CHECK(has(names_in(all.out), "plain__add"));
  CHECK(run(c, {"call", "github.com/a/b::add", "a=2", "b=3"}).out == "{\"sum\":5}\n");
  config const none(stdio_entry(longest));
  CHECK(run(none, {"tools"}).status == 2);
}

TEST_CASE("cli: a server that left its group and ends for SIGKILL only holds nothing up", "[e2e]") {
  std::string const program = std::string(COMCP_TEST_SERVERS_DIR) + "/comcp_test_misbehaving";
  config const c(stdio_entry("local") + R"(, "stuck": {"command": ")" + program + R"(", "args": ["leave_group"]})");
  command tools(c.line({"tools", "--json", "--timeout", "1"}));
  CHECK(tools.finish() != -1);
  CHECK_THAT(tools.out(), contains("local__add"));
}

TEST_CASE("cli: a call by a tool's whole name waits for its own server alone", "[e2e]") {
  config const c(stdio_entry("quick") + R"(, "silent": {"command": "sleep", "args": ["1000"]})");
  // Nobody waits for the silent one, or the test would take as long as its start may.
  CHECK(run(c, {"call", "quick__add", "a=2", "b=3"}).out == "{\"sum\":5}\n");
  CHECK(run(c, {"call", "quick/add", "a=2", "b=3"}).out == "{\"sum\":5}\n");
}

#if defined(COMCP_DEMO_HTTP)
TEST_CASE("cli: --watch lists again after each change, while a server is killed and comes back", "[e2e]") {
  auto const serve = [](std::string const& port) { return strings{COMCP_DEMO_SERVER, "--http", port}; };
  auto first = std::make_unique<command>(serve("0"));
  REQUIRE(first->wait_for_out("/mcp\n"));
  auto const url = first->out().substr(0, first->out().find('\n'));
  auto const port = url.substr(url.rfind(':') + 1, url.rfind('/') - url.rfind(':') - 1);
  config const c(stdio_entry("local") + R"(, "remote": {"url": ")" + url + "\"}");

  command watch(c.line({"tools", "--watch", "--json"}));
  REQUIRE(watch.wait_for_out("\n"));
  auto const before = names_in(watch.out());
  CHECK(has(before, "remote__add"));
  CHECK(run(c, {"--server", "remote", "call", "add_tool", "name=brand_new"}).status == 0);
  REQUIRE(watch.wait_for_out("remote__brand_new"));
  REQUIRE(watch.wait_for_out("\n"));

  first->signal(SIGKILL);
  first.reset();
  command second(serve(port));
  REQUIRE(second.wait_for_out("/mcp\n"));
  REQUIRE(watch.wait_for_out("\n"));  // the tool that was added is gone with that process
  watch.signal(SIGINT);
  CHECK(watch.finish() == 128 + SIGINT);
  auto const lists = watch.out();
  auto const last = names_in(lists.substr(lists.rfind('\n', lists.size() - 2) + 1));
  CHECK(last == before);
}
#endif

#endif
