// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <comcp/config/expand.hpp>
#include <comcp/config/read.hpp>

#include "config/samples.hpp"
#include "support/catch.hpp"

using comcp::config_input;
using comcp::config_variables;
using comcp::configured_server;
using comcp::errc;
using comcp::expand_server;
using match::contains;
using pairs = std::vector<std::pair<std::string, std::string>>;
using strings = std::vector<std::string>;

namespace {

config_variables with(std::map<std::string, std::string, std::less<>> values) {
  config_variables v;
  v.environment([all = std::move(values)](std::string_view name) -> std::optional<std::string> {
    auto const found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  });
  return v.workspace_folder("/work/shop").home("/home/ann");
}

configured_server server(std::string const& argument) {
  configured_server s;
  s.name = "a";
  s.path = "mcpServers.a";
  s.file = "mcp.json";
  s.command = "x";
  s.args = {argument};
  s.places = {{"", 2, 3}, {"args[0]", 4, 5}};
  return s;
}

std::string expanded(std::string const& argument, config_variables const& v) {
  auto const e = expand_server(server(argument), {}, v);
  for (auto const& p : e.problems) UNSCOPED_INFO(p.to_string());
  REQUIRE(e.ok());
  return e.server.args[0];
}

std::string complaint(std::string const& argument, config_variables const& v = with({})) {
  auto const e = expand_server(server(argument), {}, v);
  REQUIRE(e.problems.size() == 1);
  return e.problems[0].to_string();
}

}  // namespace

TEST_CASE("config: variables have values, defaults, or a problem that names them", "[config]") {
  auto const v = with({{"A", "1"}, {"EMPTY", ""}});
  CHECK(expanded("${A}", v) == "1");
  CHECK(expanded("-${A}-${A}-", v) == "-1-1-");
  CHECK(expanded("${env:A}", v) == "1");
  CHECK(expanded("${A:-2}", v) == "1");
  CHECK(expanded("${B:-2}", v) == "2");
  CHECK(expanded("${B:-}", v).empty());
  CHECK(expanded("${B:-a:-b c}", v) == "a:-b c");
  CHECK(expanded("${env:B:-x}", v) == "x");
  CHECK(expanded("${EMPTY}${EMPTY:-x}", v).empty());
  CHECK(complaint("${B}") == "mcp.json:4:5: mcpServers.a.args[0]: the environment variable B is not set");
  CHECK_THAT(complaint("${env:B}"), contains("the environment variable B is not set"));
  CHECK_THAT(complaint("${B}", config_variables()), contains("the environment variable B is not set"));
}

TEST_CASE("config: VS Code's and Cursor's variables", "[config]") {
  auto const v = with({});
  CHECK(expanded("${workspaceFolder}/x", v) == "/work/shop/x");
  CHECK(expanded("${cwd}", v) == "/work/shop");
  CHECK(expanded("${workspaceFolderBasename}", v) == "shop");
  CHECK(expanded("${userHome}${pathSeparator}${/}", v) == "/home/ann//");
  CHECK(complaint("${userHome}", config_variables()) ==
        "mcp.json:4:5: mcpServers.a.args[0]: ${userHome} has no value here");
  CHECK(expanded("${workspaceFolder:-.}", config_variables()) == ".");
}

TEST_CASE("config: a value is not expanded again, and no shell sees it", "[config]") {
  auto const v = with({{"A", "${B} $(id) `id` \"; rm"}, {"B", "2"}});
  CHECK(expanded("${A}", v) == "${B} $(id) `id` \"; rm");
  CHECK(expanded("$A $ {A} \\${A}$", v) == "$A $ {A} \\${B} $(id) `id` \"; rm$");
  CHECK_THAT(complaint("${C:-${B}}", v), contains("a variable inside of a variable"));
}

TEST_CASE("config: what is no variable is told without quoting it", "[config]") {
  CHECK_THAT(complaint("${A"), contains("does not end"));
  CHECK_THAT(complaint("${}"), contains("no name of a variable"));
  CHECK_THAT(complaint("${s3cret x}"), contains("no name of a variable"));
  CHECK(complaint("${s3cret x}").find("s3cret") == std::string::npos);
  CHECK_THAT(complaint("${config:editor.font}"), contains("${config:...} is no variable that comcp knows"));
  CHECK_THAT(complaint("${command:s3cret}"), contains("${command:...}"));
}

TEST_CASE("config: every text of a server is expanded, and every problem told", "[config]") {
  auto const f = comcp::read_config(config_samples::claude_code_project, comcp::config_options().file("m"));
  auto const v = with({{"HOME", "/home/ann"}, {"API_KEY", "s3cret-key"}, {"DB_URL", "db://x"}});
  auto const api = expand_server(f.servers[0], f.inputs, v);
  REQUIRE(api.ok());
  CHECK(api.server.url == "https://api.example.com/mcp");
  CHECK(api.server.headers == pairs{{"Authorization", "Bearer s3cret-key"}});
  CHECK(to_string(api.server).find("s3cret") == std::string::npos);
  auto const db = expand_server(f.servers[2], f.inputs, v);
  REQUIRE(db.ok());
  CHECK(db.server.command == "/home/ann/bin/db-server");
  CHECK(db.server.args == strings{"--config", "./db.json", "costs $5 {x}"});
  CHECK(db.server.env == pairs{{"DB_URL", "db://x"}, {"CACHE_DIR", "/tmp"}});
  auto const none = expand_server(f.servers[2], f.inputs, with({}));
  REQUIRE(none.problems.size() == 2);
  CHECK(none.problems[0].to_string() ==
        "m:11:18: mcpServers.database.command: the environment variable HOME is not set");
  CHECK_THAT(none.problems[1].to_string(), contains("m:13:26: mcpServers.database.env.DB_URL: "));
}

TEST_CASE("config: inputs are asked for with their definition; the answer is a secret", "[config]") {
  auto const f = comcp::read_config(config_samples::vscode);
  strings asked;
  auto v = with({});
  v.inputs([&asked](config_input const& in) -> comcp::result<comcp::secret> {
    asked.push_back(in.id + "|" + in.description + "|" + (in.password ? "hidden" : "shown"));
    return comcp::secret("s3cret-answer");
  });
  auto const github = expand_server(f.servers[0], f.inputs, v);
  REQUIRE(github.ok());
  CHECK(github.server.headers == pairs{{"Authorization", "Bearer s3cret-answer"}});
  CHECK(asked == strings{"github-token|GitHub token|hidden"});
  CHECK(to_string(github.server).find("s3cret") == std::string::npos);

  v.inputs(
      [](config_input const&) -> comcp::result<comcp::secret> { return comcp::error(errc::cancelled, "refused"); });
  auto const refused = expand_server(f.servers[0], f.inputs, v);
  REQUIRE(refused.problems.size() == 1);
  CHECK_THAT(refused.problems[0].to_string(), contains("no answer to the input \"github-token\": refused"));
}

TEST_CASE("config: an input that nobody answers has its default, or is a problem", "[config]") {
  auto const f = comcp::read_config(config_samples::vscode);
  auto v = with({});
  v.files([](std::string const&) -> comcp::result<std::string> { return std::string(); });
  auto const playwright = expand_server(f.servers[1], f.inputs, v);
  REQUIRE(playwright.ok());
  CHECK(playwright.server.args[2] == "--region=eu");
  auto const github = expand_server(f.servers[0], f.inputs, v);
  REQUIRE(github.problems.size() == 1);
  CHECK_THAT(github.problems[0].text, contains("nobody is there to answer the input \"github-token\""));
  CHECK_THAT(complaint("${input:none}"), contains("there is no input \"none\""));
}

TEST_CASE("config: what a server reads of the environment is a list, and a list may be all that it gets", "[config]") {
  configured_server s;
  s.path = "mcpServers.a";
  s.kind = comcp::configured_kind::http;
  s.url = "https://${HOST:-x.example}/${workspaceFolderBasename}/${input:i}${IN_URL}";
  s.headers = {{"Authorization", "Bearer ${env:TOKEN}"}, {"X", "${HOST}${userHome}${/}${no name}"}};
  s.env = {{"E", "${E}"}};
  s.args = {"$PLAIN ${ARG", "${NESTED:-${INNER}}"};
  s.command = "${CMD}";
  s.cwd = "${CWD}/${cwd}";
  s.env_file = "${FILE}";
  CHECK(comcp::variables_read(s) ==
        strings{"ARG", "CMD", "CWD", "E", "FILE", "HOST", "INNER", "IN_URL", "NESTED", "TOKEN"});
  auto const all = with({{"ALLOWED", "1"}, {"SECRET", "s3cret"}});
  CHECK(expanded("${ALLOWED}", config_variables(all).only({"ALLOWED"})) == "1");
  for (auto const* const text : {"${SECRET}", "${env:SECRET}", "${SECRET:-otherwise}"}) {
    auto const e = expand_server(server(text), {}, config_variables(all).only({"ALLOWED"}));
    REQUIRE(e.problems.size() == 1);
    CHECK(e.problems[0].code == errc::denied);
    CHECK_THAT(e.problems[0].to_string(), contains("SECRET is none that may be read"));
    CHECK(expand_server(server(text), {}, config_variables(all).only({})).problems.size() == 1);
  }
  CHECK(comcp::variables_read(server("plain")).empty());
}

TEST_CASE("config: envFile gives variables, env wins over them", "[config]") {
  auto s = server("y");
  s.env_file = "${workspaceFolder}/.env";
  s.env = {{"B", "own"}};
  auto v = with({});
  std::string path;
  v.files([&path](std::string const& p) -> comcp::result<std::string> {
    path = p;
    return std::string("A=${X}\nB=file\n");
  });
  auto const e = expand_server(s, {}, v);
  REQUIRE(e.ok());
  CHECK(path == "/work/shop/.env");
  CHECK(e.server.env == pairs{{"A", "${X}"}, {"B", "file"}, {"B", "own"}});
  v.files([](std::string const&) -> comcp::result<std::string> { return std::string("A=1\ns3cret\n"); });
  auto const bad = expand_server(s, {}, v);
  REQUIRE(bad.problems.size() == 1);
  CHECK(bad.problems[0].to_string() == "mcp.json:2:3: mcpServers.a.envFile: line 2: not NAME=value");
  CHECK(expand_server(s, {}, with({})).problems.size() == 1);
}

TEST_CASE("config: the lines of an envFile", "[config]") {
  auto const read = [](std::string_view text) { return comcp::parse_env_file(text).value(); };
  CHECK(read("").empty());
  CHECK(read("\xEF\xBB\xBF# c\r\n\r\nA=1\r\nexport B = two words # c\n") == pairs{{"A", "1"}, {"B", "two words"}});
  CHECK(read("A='x # ${Y} \\n'\nB=\"a\\nb\\\"\\$\\\\\\x\" # c\nC=\nD=a#b") ==
        pairs{{"A", "x # ${Y} \\n"}, {"B", "a\nb\"$\\\\x"}, {"C", ""}, {"D", "a#b"}});
  for (auto const* const bad : {"A", "=1", "A B=1", "A=\"x", "A='x' y"}) {
    CAPTURE(bad);
    auto const r = comcp::parse_env_file(bad);
    REQUIRE_FALSE(r);
    CHECK(r.error() == errc::invalid_argument);
    CHECK_THAT(std::string(r.error().message()), contains("line 1: "));
  }
}

TEST_CASE("config: what comes out is checked", "[config]") {
  auto const v = with({{"URL", "ftp://s3cret"}, {"HEADER", "s3cret\r\nX: y"}, {"NOTHING", ""}});
  auto s = server("y");
  s.command = "${NOTHING}";
  s.env = {{"A=B", "1"}};
  CHECK(expand_server(s, {}, v).problems.size() == 2);
  configured_server h;
  h.kind = comcp::configured_kind::http;
  h.path = "servers.h";
  h.url = "${URL}";
  h.headers = {{"X", "${HEADER}"}, {"Y Z", "1"}};
  auto const e = expand_server(h, {}, v);
  REQUIRE(e.problems.size() == 3);
  CHECK_THAT(e.problems[0].to_string(), contains("servers.h.url: "));
  for (auto const& p : e.problems) CHECK(p.to_string().find("s3cret") == std::string::npos);
}
