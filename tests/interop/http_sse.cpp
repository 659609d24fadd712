// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Against servers of HTTP+SSE (2024-11-05): server-everything in its mode sse, and the /sse of mcp-proxy. Both answer a
// POST to the stream's URL with 404, which brings the automatic mode to the older transport.
#include "interop/everything_talk.hpp"
#include "interop/http_peers.hpp"

using namespace interop;

TEST_CASE("http+sse: the automatic mode falls back, and everything works as elsewhere", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("sse"));
    auto client = co_await comcp::connect(comcp::http(server.url("/sse")), handler());
    CHECK(client.era() == comcp::era::legacy);
    auto const transport = co_await client.transport_info();
    CHECK(transport.kind == "http+sse");
    auto const transport_2 = co_await client.transport_info();
    CHECK(transport_2.open_streams == 1);
    co_await use_everything(client);
    co_await be_asked(client);
    auto const steps = co_await watch_progress(client, 3);
    CHECK(steps == std::vector<double>{1, 2, 3});
    co_await hear_news(client);
    co_await client.close();
    auto const ended = co_await eventually([&] { return server.printed("Client Disconnected"); });
    CHECK(ended);
    CHECK(server.times_printed("Client Connected") == 1);
  });
}

TEST_CASE("http+sse: asked for by name there is no probe over the other transport", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("sse"));
    auto const options = comcp::http_options().kind(comcp::http_kind::sse);
    auto client = co_await comcp::connect(comcp::http(server.url("/sse")).options(options));
    co_await use_everything(client);
    co_await client.close();
  });
}

TEST_CASE("http+sse: Streamable HTTP alone is refused by such a server", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("sse"));
    auto const options = comcp::http_options().kind(comcp::http_kind::streamable);
    auto const refused = co_await as_result(comcp::connect(comcp::http(server.url("/sse")).options(options)));
    REQUIRE(refused.error().detail() != nullptr);
    CHECK(refused.error().detail()->http_status == 404);
  });
}

TEST_CASE("http+sse: the end of the stream ends the client and its calls", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto server = co_await server_process::start(everything_over("sse"));
    auto client = co_await comcp::connect(comcp::http(server.url("/sse")));
    call_options watched;
    watched.on_progress([&server](auto const&) { server.stop(); });
    auto const lost = co_await as_result(
        client.call_tool("trigger-long-running-operation", args("duration", 30, "steps", 100), watched));
    CHECK_FALSE(lost);
    auto const why = co_await client.closed();
    CHECK(why);
  });
}

TEST_CASE("http+sse: mcp-proxy, which speaks before the handshake", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(mcp_proxy(package("server-everything"), "stdio"));
    auto client = co_await comcp::connect(comcp::http(server.url("/sse")), handler());
    auto const transport_3 = co_await client.transport_info();
    CHECK(transport_3.kind == "http+sse");
    co_await use_everything(client);
    auto const steps = co_await watch_progress(client, 20, 1.0);
    CHECK(steps.size() >= 2);  // the proxy loses what comes right before the answer
    co_await client.close();
  });
}
