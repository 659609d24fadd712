// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <comcp/config/read.hpp>

#include "config/samples.hpp"
#include "support/catch.hpp"

using comcp::config_file;
using comcp::config_options;
using comcp::configured_kind;
using comcp::read_config;
using match::contains;
using pairs = std::vector<std::pair<std::string, std::string>>;
using strings = std::vector<std::string>;

namespace {

strings names(config_file const& f) {
  strings all;
  for (auto const& s : f.servers) all.push_back(s.name);
  return all;
}

config_file read(std::string_view text) { return read_config(text, config_options().file("mcp.json")); }

// The one problem that `text` has.
std::string complaint(std::string_view text) {
  auto const f = read(text);
  INFO(text);
  REQUIRE(f.problems.size() == 1);
  return f.problems[0].to_string();
}

std::string entry(std::string const& text) {
  return "{\"mcpServers\": {\n\"a\": " + text + ",\n\"b\": {\"url\": \"https://b\"}}}";
}

}  // namespace

TEST_CASE("config: Claude Desktop's file", "[config]") {
  auto const f = read(config_samples::claude_desktop);
  CHECK(f.problems.empty());
  REQUIRE(names(f) == strings{"filesystem", "github"});
  CHECK(f.servers[0].kind == configured_kind::stdio);
  CHECK(f.servers[0].command == "npx");
  CHECK(f.servers[0].args == strings{"-y", "@modelcontextprotocol/server-filesystem", "/Users/ann/Desktop"});
  CHECK(f.servers[1].env == pairs{{"GITHUB_PERSONAL_ACCESS_TOKEN", "s3cret-desktop"}});
  CHECK(f.servers[1].file == "mcp.json");
  CHECK(f.servers[1].path == "mcpServers.github");
  CHECK(f.raw["globalShortcut"].is_string());
  CHECK(f.find("github") == &f.servers[1]);
  CHECK(f.find("none") == nullptr);
}

TEST_CASE("config: Claude Code's project file keeps variables and unknown keys", "[config]") {
  auto const f = read(config_samples::claude_code_project);
  CHECK(f.problems.empty());
  REQUIRE(names(f) == strings{"api-server", "docs", "database"});
  CHECK(f.servers[0].kind == configured_kind::sse);
  CHECK(f.servers[0].headers == pairs{{"Authorization", "Bearer ${API_KEY}"}});
  CHECK(f.servers[1].kind == configured_kind::http);
  CHECK(f.servers[1].timeout == std::chrono::minutes(10));
  CHECK(f.servers[2].args[2] == "costs $5 {x}");
  CHECK(f.servers[2].raw["alwaysLoad"].as_bool());
}

TEST_CASE("config: of Claude Code's user file the servers of one project can be read too, and win", "[config]") {
  auto const f = read(config_samples::claude_code_user);
  CHECK(names(f) == strings{"shared", "notes"});
  auto const with = read_config(config_samples::claude_code_user, config_options().project("/home/ann/shop"));
  CHECK(with.problems.empty());
  REQUIRE(names(with) == strings{"tickets", "shared", "notes"});
  CHECK(with.servers[1].url == "https://local.example.com/mcp");
  CHECK(names(read_config(config_samples::claude_code_user, config_options().project("/home/ann/none"))) == names(f));
}

TEST_CASE("config: VS Code's file has comments, trailing commas, inputs, numbers and null", "[config]") {
  auto const f = read(config_samples::vscode);
  CHECK(f.problems.empty());
  REQUIRE(names(f) == strings{"github", "playwright"});
  CHECK(f.servers[0].kind == configured_kind::http);
  auto const& p = f.servers[1];
  CHECK(p.cwd == "${workspaceFolder}/web");
  CHECK(p.env_file == "${workspaceFolder}/.env");
  CHECK(p.env == pairs{{"PORT", "8931"}, {"HOST", "http://localhost//x"}});
  CHECK(p.raw["dev"]["watch"].dump() == R"("src/**/*.ts")");
  REQUIRE(f.inputs.size() == 2);
  CHECK(f.inputs[0].id == "github-token");
  CHECK(f.inputs[0].password);
  CHECK(f.inputs[0].description == "GitHub token");
  CHECK_FALSE(f.inputs[0].default_value);
  CHECK(f.inputs[1].type == "pickString");
  CHECK(f.inputs[1].options == strings{"eu", "us"});
  CHECK(f.inputs[1].default_value == "eu");
}

TEST_CASE("config: VS Code's settings have servers and inputs below mcp", "[config]") {
  auto const f = read(config_samples::vscode_settings);
  CHECK(f.problems.empty());
  CHECK(names(f) == strings{"time"});
  CHECK(f.servers[0].path == "mcp.servers.time");
  CHECK(f.inputs.size() == 1);
}

TEST_CASE("config: Cursor's file names no kinds", "[config]") {
  auto const f = read(config_samples::cursor);
  CHECK(f.problems.empty());
  REQUIRE(names(f) == strings{"local", "remote", "off"});
  CHECK(f.servers[1].kind == configured_kind::http);
  CHECK_FALSE(f.servers[1].disabled);
  CHECK(f.servers[2].disabled);
  CHECK(read(entry(R"({"command": "x", "enabled": false})")).servers[0].disabled);
  CHECK_FALSE(read(entry(R"({"command": "x", "enabled": true, "disabled": false})")).servers[0].disabled);
}

TEST_CASE("config: each problem names file, line, column and key", "[config]") {
  CHECK(complaint(entry(R"({"command": "x", "args": ["-y", 7]})")) ==
        "mcp.json:2:38: mcpServers.a.args[1]: not a string");
  CHECK(complaint(entry("{\n  \"command\": 7}")) == "mcp.json:3:14: mcpServers.a.command: not a string");
  CHECK(complaint(entry("7")) == "mcp.json:2:6: mcpServers.a: not an object");
  CHECK_THAT(complaint(entry("{}")), contains("mcp.json:2:6: mcpServers.a: has neither command nor url"));
  CHECK_THAT(complaint(entry(R"({"type": "stdio", "url": "https://x"})")), contains("mcpServers.a: has no command"));
  CHECK_THAT(complaint(entry(R"({"type": "http", "command": "x"})")), contains("mcpServers.a: has no url"));
  CHECK_THAT(complaint(entry(R"({"command": "x", "url": "https://x"})")), contains("both command and url"));
  CHECK_THAT(complaint(entry(R"({"type": "ws", "url": "wss://x"})")), contains("mcpServers.a.type: not one of stdio"));
  CHECK_THAT(complaint(entry(R"({"type": 1, "url": "https://x"})")), contains("mcpServers.a.type: not a string"));
  CHECK_THAT(complaint(entry(R"({"command": ""})")), contains("mcpServers.a.command: empty"));
  CHECK_THAT(complaint(entry(R"({"command": "x", "args": "-y"})")), contains("a.args: not an array of strings"));
  CHECK_THAT(complaint(entry(R"({"command": "x", "env": []})")), contains("a.env: not an object of strings"));
  CHECK_THAT(complaint(entry(R"({"command": "x", "env": {"A B": true}})")), contains("a.env[\"A B\"]: not a string"));
  CHECK_THAT(complaint(entry(R"({"url": "https://x", "headers": {"X": 1}})")), contains("a.headers.X: not a string"));
  CHECK_THAT(complaint(entry(R"({"command": "x", "timeout": "1s"})")), contains("a.timeout: not a number of milli"));
  CHECK_THAT(complaint(entry(R"({"command": "x", "timeout": -1})")), contains("a.timeout: not a number of milli"));
  CHECK_THAT(complaint(entry(R"({"command": "x", "disabled": "no"})")), contains("a.disabled: neither true nor"));
  CHECK_THAT(complaint(entry(R"({"command": "x", "command": "y"})")), contains("a.command: is there twice"));
  CHECK_THAT(complaint(entry(R"({"command": "x", "env": {"A": "1", "A": "2"}})")), contains("a.env.A: is there twice"));
  CHECK_THAT(complaint(R"({"mcpServers": {"": {"command": "x"}}})"), contains("mcpServers[\"\"]: a server without"));
  CHECK_THAT(complaint(R"({"servers": []})"), contains("mcp.json:1:13: servers: not an object of servers"));
  CHECK_THAT(complaint("[]"), contains("mcp.json:1:1: not a JSON object"));
  CHECK_THAT(complaint(R"({"inputs": {}})"), contains("inputs: not an array"));
  CHECK_THAT(complaint(R"({"inputs": [{"type": "promptString"}]})"), contains("inputs[0]: an input without an id"));
  CHECK_THAT(complaint(R"({"inputs": [{"id": "a"}, {"id": "a"}]})"), contains("inputs[1]: there is an input"));
}

TEST_CASE("config: one broken entry does not spoil the others", "[config]") {
  auto const f = read(entry(R"({"command": 7, "args": [1, 2], "env": {"A": []}})"));
  CHECK(names(f) == strings{"b"});
  CHECK(f.problems.size() == 4);
  auto const twice =
      read(R"({"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}, "servers": {"a": {"url": "https://z"}}})");
  CHECK(names(twice) == strings{"a"});
  CHECK(twice.servers[0].command == "x");
  REQUIRE(twice.problems.size() == 2);
  CHECK_THAT(twice.problems[1].to_string(), contains("servers.a: there is a server of this name already"));
}

TEST_CASE("config: syntax errors name their place", "[config]") {
  CHECK(complaint("") == "mcp.json:1:1: the text ends here, too early");
  CHECK(complaint("{\n  \"mcpServers\": {\n") == "mcp.json:3:1: the text ends here, too early");
  CHECK(complaint("{\n  \"a\": 1\n  \"b\": 2}") == "mcp.json:3:3: expected ',' or '}' here");
  CHECK(complaint("{\n  mcpServers: {}}") == "mcp.json:2:3: expected a key in double quotes here");
  CHECK(complaint("{\"a\": 'x'}") == "mcp.json:1:7: expected a value here");
  CHECK(complaint("{\"a\": \"x\n\"}") ==
        "mcp.json:1:9: a line break or control character in a string; is a quotation mark missing?");
  CHECK(complaint(R"({"a": "C:\dir"})") == "mcp.json:1:11: an unknown escape; a backslash itself is written as two");
  CHECK(complaint("{\"a\": 1} x") == "mcp.json:1:10: something behind the end of the JSON value");
  CHECK(complaint("{\"a\": 1} /* x") == "mcp.json:1:10: something behind the end of the JSON value");
  CHECK_THAT(complaint("{\n\"a\": \"\xff\"}"), contains("mcp.json:2:6: not UTF-8"));
  CHECK_THAT(complaint("{\n\"a\": [1, \"\\ud800\"]}"), contains("mcp.json:2:10: a malformed string"));
  CHECK_THAT(complaint("{\n\"a\": 1e999}"), contains("mcp.json:2:6: a malformed number"));
  CHECK_THAT(complaint(std::string(5000, '[')), contains("mcp.json:1:202: too many brackets"));
}

TEST_CASE("config: limits are told", "[config]") {
  std::string many = "{\"servers\": {";
  for (int i = 0; i < 300; ++i) many.append(i ? "," : "").append("\"s" + std::to_string(i) + "\":{\"command\":\"x\"}");
  many += "}}";
  auto const f = read(many);
  CHECK(f.servers.size() == 256);
  REQUIRE(f.problems.size() == 1);
  CHECK(f.problems[0].code == comcp::errc::limit_exceeded);
  CHECK_THAT(f.problems[0].to_string(), contains("max_servers (256)"));
  CHECK(read_config(many, config_options().max_servers(300)).problems.empty());
  auto const large = read_config(many, config_options().max_bytes(100).file("x"));
  REQUIRE(large.problems.size() == 1);
  CHECK(large.problems[0].to_string() == "x:1:1: larger than max_bytes (100)");
  std::string wrong = "{\"servers\": {\"a\": {\"args\": [";
  for (int i = 0; i < 5000; ++i) wrong.append(i ? ",1" : "1");
  auto const capped = read(wrong + "]}}}");
  CHECK(capped.problems.size() == 101);
  CHECK_THAT(capped.problems.back().text, contains("more problems"));
}

TEST_CASE("config: a file without servers is no problem", "[config]") {
  for (auto const* const text : {"{}", "{\"mcp\": 1}", "\xEF\xBB\xBF{\"editor.fontSize\": 14}", "// nothing\n{}"}) {
    CHECK(read(text).problems.empty());
    CHECK(read(text).servers.empty());
  }
}

TEST_CASE("config: what is shown of a server has no secrets", "[config]") {
  auto const f = read(config_samples::cursor);
  CHECK(to_string(f.servers[1]) == "remote (http): https://mcp.example.com/mcp?***; headers: X-Key");
  CHECK(to_string(f.servers[2]) == "off (http, disabled): https://off.example.com/mcp");
  CHECK_THAT(to_string(f.servers[0]), contains("; env: API_KEY, FIXED"));
  auto const shown = [](std::string const& args) {
    return shown_endpoint(read(entry("{\"command\": \"x\", \"args\": " + args + "}")).servers.at(0));
  };
  CHECK(shown(R"(["--api-key", "hunter2", "-v"])") == "x --api-key *** -v");
  CHECK(shown(R"(["--token=hunter2", "a b"])") == "x --token=*** \"a b\"");
  CHECK(shown(R"(["--header", "Authorization: hunter2"])") == "x --header \"Authorization: ***\"");
  CHECK(shown(R"(["postgres://ann:hunter2@db/x?password=hunter2"])") == "x postgres://***@db/x?***");
  CHECK(shown(R"(["-e", "API_KEY=hunter2", "${API_KEY:-hunter2}"])") == "x -e API_KEY=*** ${API_KEY:-***}");
  for (auto const text : config_samples::all) {
    for (auto const& s : read(text).servers) CHECK(to_string(s).find("s3cret") == std::string::npos);
  }
}

TEST_CASE("config: servers are regular", "[config]") {
  auto const f = read(config_samples::vscode);
  auto copy = f.servers;
  CHECK(copy == f.servers);
  copy[0].url = "https://other";
  CHECK_FALSE(copy == f.servers);
}
