// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// From a file to a connection, with the demo server; the options that reach the server as it sees them.
#include <filesystem>

#include <comcp/comcp.hpp>
#include <comcp/config/connect.hpp>
#include <comcp/config/load.hpp>

#include "support/catch.hpp"
#if defined(COMCP_DEMO_HTTP)
#include "support/http_demo.hpp"
#endif

#if defined(COMCP_DEMO_SERVER)

namespace {

comcp::configured_server configured(std::string const& entry) {
  auto const f = comcp::read_config("{\"mcpServers\": {\"demo\": " + entry + "}}");
  REQUIRE(f.problems.empty());
  auto e = comcp::expand_server(f.servers.at(0), f.inputs, comcp::process_variables());
  REQUIRE(e.ok());
  return e.server;
}

asio::awaitable<comcp::client> connected(comcp::server_config config) {
  auto options = config.options();
  auto handler = config.handler();
  auto transport = config.make_transport();
  auto made = co_await comcp::connect(std::move(transport), std::move(handler), std::move(options));
  comcp::client client = std::move(made);
  co_return client;
}

asio::awaitable<std::string> echo(comcp::server_config config, std::string text) {
  auto client = co_await connected(std::move(config));
  auto const said = co_await client.call_tool("echo", comcp::args("text", text));
  auto out = said.text();
  co_await client.close();
  co_return out;
}

asio::awaitable<comcp::error> outcome_of_waiting(comcp::server_config config) {
  auto client = co_await connected(std::move(config));
  auto const r = co_await comcp::as_result(client.call_tool("wait"));
  co_await client.close();
  comcp::error e;
  if (!r) e = r.error();
  co_return e;
}

}  // namespace

TEST_CASE("config: a stdio server is started with its arguments, environment and directory", "[config]") {
  auto const s = configured(R"({"command": ")" COMCP_DEMO_SERVER R"(", "args": ["--legacy-only"]})");
  auto const config = comcp::to_server_config(s);
  CHECK(comcp::run(echo(config, "one")) == "one");
  CHECK(comcp::run(echo(config, "two")) == "two");  // each connection has a transport of its own
}

TEST_CASE("config: a server's timeout is that of its requests", "[config]") {
  auto const s = configured(R"({"command": ")" COMCP_DEMO_SERVER R"(", "timeout": 150})");
  CHECK(comcp::run(outcome_of_waiting(comcp::to_server_config(s))) == comcp::errc::timeout);
}

TEST_CASE("config: env and cwd reach the server", "[config]") {
  auto const s = configured(R"({"command": "sh", "cwd": "/", "env": {"A": "two words"},)"
                            R"( "args": ["-c", "test \"$PWD$A\" = '/two words' && exec )" COMCP_DEMO_SERVER R"("]})");
  CHECK(comcp::run(echo(comcp::to_server_config(s), "there")) == "there");
}

#if defined(COMCP_DEMO_HTTP)
TEST_CASE("config: an http server gets its headers; sse speaks HTTP+SSE", "[config]") {
  comcp_test::http_demo const server({"--token", "s3cret", "--legacy-only"});
  std::string const headers = R"("headers": {"Authorization": "Bearer s3cret"}})";
  CHECK(comcp::run(echo(comcp::to_server_config(configured("{\"url\": \"" + server.url + "\", " + headers)), "x")) ==
        "x");
  auto const sse = configured("{\"type\": \"sse\", \"url\": \"" + server.at("/sse") + "\", " + headers);
  CHECK(comcp::run(echo(comcp::to_server_config(sse), "y")) == "y");
}
#endif

#endif
