// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Against a server on the apps extension's own SDK: over stdio in both eras, and over HTTP.
#include <comcp/extensions/app_bridge.hpp>
#include <comcp/providers/anthropic.hpp>
#include <comcp/registry/registry.hpp>

#include "interop/http_peers.hpp"

using namespace interop;

namespace {

constexpr auto page = "ui://counter/page.html";

std::string apps_server() { return std::string(COMCP_INTEROP_DIR) + "/apps_server.mjs"; }

asio::awaitable<void> look_at(comcp::client& client) {
  auto const apps = client.extension<comcp::apps>();
  auto const tools = co_await client.list_tools();
  REQUIRE(tools.size() == 3);
  for (auto const& t : tools) {
    auto const ui = comcp::ui_of(t);
    REQUIRE(ui);
    CHECK(ui->for_model == (t.name != "count"));
    CHECK(ui->for_app == (t.name != "think"));
    CHECK(ui->resource_uri.value_or(page) == page);
  }
  auto const app = co_await apps.read(page);
  CHECK(app.html.starts_with("<!DOCTYPE html>"));
  CHECK(app.ui.prefers_border == true);
  REQUIRE(app.ui.csp);
  CHECK(content_security_policy(app.ui.csp)->find("connect-src 'self' https://api.example;") != std::string::npos);
  CHECK(allow_attribute(app.ui.permissions.value()) == "clipboard-write");
  for (std::string const uri : {"ui://counter/plain", "ui://counter/none"}) {
    CAPTURE(uri);
    auto const other = co_await as_result(apps.read(uri));
    REQUIRE_FALSE(other);
    CHECK((other.error() == errc::protocol_violation || other.error().peer()));
  }
}

// What an app would say, one after the other, and what it hears.
class spoken {
 public:
  explicit spoken(asio::any_io_executor const& on) : came_(on, asio::steady_timer::time_point::max()) {}
  void operator()(std::string text) {
    answer_ = comcp::json::parse(text).value();
    came_.cancel();
  }
  asio::awaitable<comcp::json::value> ask(comcp::app_bridge& bridge, std::string method, std::string params) {
    bridge.receive(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}");
    while (!answer_) (void)co_await came_.async_wait(comcp::net::tuple_awaitable);
    co_return *std::exchange(answer_, {});
  }

 private:
  asio::steady_timer came_;
  std::optional<comcp::json::value> answer_;
};

asio::awaitable<void> speak_for_app(comcp::client& client) {
  auto const here = co_await asio::this_coro::executor;
  spoken app(here);
  comcp::app_bridge bridge(client.extension<comcp::apps>(), comcp::app_host("test", "1"), [&app](std::string text) { app(std::move(text)); });
  auto const hello = co_await app.ask(bridge, "ui/initialize", R"({"appCapabilities":{},"appInfo":{"name":"a","version":"1"},"protocolVersion":"2026-01-26"})");
  CHECK(hello["result"]["hostCapabilities"].contains("serverTools"));
  bridge.receive(R"({"jsonrpc":"2.0","method":"ui/notifications/initialized"})");
  auto const counted = co_await app.ask(bridge, "tools/call", R"({"name":"count","arguments":{"by":40}})");
  CHECK(counted["result"]["content"][0]["text"].as<std::string>() == "the total is 42");
  auto const refused = co_await app.ask(bridge, "tools/call", R"({"name":"think","arguments":{}})");
  CHECK(refused["error"]["code"].as<int>() == -32602);
  auto const read = co_await app.ask(bridge, "resources/read", std::string(R"({"uri":")") + page + R"("})");
  CHECK(read["result"]["contents"].size() == 1);
  auto const unknown = co_await app.ask(bridge, "prompts/list", "{}");
  CHECK(unknown["error"]["code"].as<int>() == -32601);
}

}  // namespace

TEST_CASE("apps: an app is found, read and spoken for over stdio", "[interop]") {
  COMCP_NEEDS_PEERS();
  auto const legacy = GENERATE(false, true);
  connect_options options;
  options.extension(comcp::apps());
  if (legacy) options.legacy();
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(node(apps_server()), options);
    co_await look_at(client);
    co_await speak_for_app(client);
    co_await client.close();
  });
}

TEST_CASE("apps: an app is found, read and spoken for over HTTP", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([&]() -> asio::awaitable<void> {
    auto p = program({COMCP_NODE, apps_server()});
    p.env("PORT", "@PORT@");
    auto const server = co_await server_process::start(std::move(p));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), connect_options().extension(comcp::apps()));
    co_await look_at(client);
    co_await speak_for_app(client);
    co_await client.close();
  });
}

TEST_CASE("apps: the catalog has what no model is told of", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([&]() -> asio::awaitable<void> {
    auto const here = co_await asio::this_coro::executor;
    comcp::registry servers(here);
    comcp::server_config const config(node(apps_server()));
    co_await servers.add("apps", config);
    auto const catalog = servers.tools();
    std::vector<comcp::providers::offered_tool> offered;
    for (auto const& tool : catalog) offered.emplace_back(tool.server_name, tool.definition);
    CHECK(offered.size() == 3);
    auto const told = comcp::providers::anthropic::write_tools(offered).text();
    CHECK(told.find("apps__show_counter") != std::string::npos);
    CHECK(told.find("apps__count") == std::string::npos);
    co_await servers.close();
  });
}
