// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Against what puts stdio servers on HTTP: mcp-proxy, which speaks both eras whatever stands behind it, and
// supergateway, which starts one process for each session.
#include "interop/everything_talk.hpp"
#include "interop/http_peers.hpp"

using namespace interop;

namespace {

program proxied_sdk_server() { return mcp_proxy(std::string(COMCP_INTEROP_DIR) + "/sdk_server.mjs", "dual"); }

connect_options era_options(bool legacy) {
  connect_options options;
  if (legacy) options.legacy();
  return options;
}

}  // namespace

TEST_CASE("mcp-proxy: both eras at one endpoint", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(proxied_sdk_server());
    for (bool const legacy : {false, true}) {
      CAPTURE(legacy);
      auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler(), era_options(legacy));
      CHECK(client.protocol_version() == (legacy ? comcp::version::latest_legacy : comcp::version::latest));
      CHECK(client.server_info().name == "comcp-sdk-peer");
      auto const transport = co_await client.transport_info();
      CHECK(transport.session_id.empty() == !legacy);
      auto const tools = co_await client.list_tools();
      CHECK(tools.find("add") != nullptr);
      auto const sum = co_await client.call_tool("add", args("a", 2, "b", 3));
      CHECK(sum.text() == "5");
      CHECK(sum.structured_content["sum"].as_int64() == 5);
      auto const text = co_await client.read_resource("test://text");
      CHECK(text.text() == "gr\xc3\xbc\xc3\x9f" "e");
      co_await client.close();
    }
    auto const ended = co_await eventually([&] { return server.printed("received delete request for session"); });
    CHECK(ended);
  });
}

TEST_CASE("mcp-proxy: progress of the server behind it", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(mcp_proxy(package("server-everything"), "stdio"));
    for (bool const legacy : {false, true}) {
      CAPTURE(legacy);
      auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler(), era_options(legacy));
      auto const steps = co_await watch_progress(client, 20, 1.0);
      CHECK(steps.size() >= 2);  // the proxy loses what comes right before the answer
      co_await client.close();
    }
  });
}

TEST_CASE("mcp-proxy: updates of a resource, on a listen stream or on the GET stream", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(proxied_sdk_server());
    for (bool const legacy : {false, true}) {
      CAPTURE(legacy);
      auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler(), era_options(legacy));
      int updates = 0;
      co_await client.subscribe("test://counter", [&updates](comcp::resource_updated const&) { ++updates; });
      auto const touched = co_await client.call_tool("touch");
      CHECK_FALSE(touched.is_error);
      auto const updated = co_await eventually([&] { return updates == 1; });
      CHECK(updated);
      co_await client.close();
    }
  });
}

TEST_CASE("mcp-proxy: a call that is given up is cancelled behind the proxy", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(proxied_sdk_server());
    std::size_t cancelled = 0;
    for (bool const legacy : {false, true}) {
      CAPTURE(legacy);
      auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler(), era_options(legacy));
      ++cancelled;
      auto const begun = [&] { return server.times_printed("slow started") == cancelled; };
      auto const cut = co_await begin_and_give_up(client, "slow", begun);
      CHECK(cut == errc::cancelled);
      auto const told = co_await eventually([&] { return server.times_printed("slow cancelled") == cancelled; });
      CHECK(told);
      co_await client.close();
    }
  });
}

TEST_CASE("mcp-proxy: a restarted proxy gets a new session", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto server = co_await server_process::start(proxied_sdk_server());
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler(), era_options(true));
    auto const transport_2 = co_await client.transport_info();
    auto const before = transport_2.session_id;
    co_await server.restart();
    auto const sum = co_await client.call_tool("add", args("a", 2, "b", 3));
    CHECK(sum.text() == "5");
    auto const transport_3 = co_await client.transport_info();
    CHECK(transport_3.session_id != before);
    co_await client.close();
  });
}

TEST_CASE("supergateway: server-everything behind it, as over stdio", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(supergateway());
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler());
    CHECK(client.era() == comcp::era::legacy);
    auto const transport_4 = co_await client.transport_info();
    CHECK(transport_4.kind == "http");
    co_await use_everything(client);
    co_await be_asked(client);
    auto const steps = co_await watch_progress(client, 3);
    CHECK(steps == std::vector<double>{1, 2, 3});
    co_await hear_news(client);
    auto const transport_5 = co_await client.transport_info();
    auto const id = transport_5.session_id;
    co_await client.close();
    auto const ended = co_await eventually([&] { return server.printed(id + ", caused by DELETE response finished"); });
    CHECK(ended);
  });
}

TEST_CASE("supergateway: two clients have a session each", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(supergateway());
    auto one = co_await comcp::connect(comcp::http(server.url("/mcp")), handler());
    auto two = co_await comcp::connect(comcp::http(server.url("/mcp")), handler());
    auto const transport_6 = co_await two.transport_info();
    auto const transport_7 = co_await one.transport_info();
    CHECK(transport_7.session_id != transport_6.session_id);
    co_await one.close();
    auto const echo = co_await two.call_tool("echo", args("message", "still here"));
    CHECK(echo.text() == "Echo: still here");
    co_await two.close();
  });
}
