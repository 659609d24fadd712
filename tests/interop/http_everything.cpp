// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Against server-everything over Streamable HTTP: the legacy era on the TypeScript SDK 1.x, with sessions, a GET stream
// and an event store. It answers every request with an event stream, and 400 where a session is unknown.
#include "interop/everything_talk.hpp"
#include "interop/http_peers.hpp"

using namespace interop;

TEST_CASE("everything over http: the probe, the handshake and the end of its session", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler());
    CHECK(client.era() == comcp::era::legacy);
    CHECK(client.protocol_version() == comcp::version::latest_legacy);
    co_await use_everything(client);
    auto const info = co_await client.transport_info();
    CHECK(info.kind == "http");
    CHECK(info.origin == server.url(""));
    CHECK(info.session_id.size() == 36);
    auto const streaming = co_await eventually([&]() -> asio::awaitable<bool> {
      auto const transport = co_await client.transport_info();
      co_return transport.open_streams == 1;
    });
    CHECK(streaming);
    co_await client.close();
    auto const ended = co_await eventually(
        [&] { return server.printed("Received session termination request for session " + info.session_id); });
    CHECK(ended);
    CHECK(server.times_printed("Establishing new SSE stream") == 1);
  });
}

TEST_CASE("everything over http: it asks on the GET stream and on the streams of calls", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler());
    co_await be_asked(client);
    co_await client.close();
  });
}

TEST_CASE("everything over http: progress, log messages and updates", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler());
    auto const steps = co_await watch_progress(client, 3);
    CHECK(steps == std::vector<double>{1, 2, 3});
    co_await hear_news(client);
    CHECK(client.statistics().bad_messages == 0);
    co_await client.close();
  });
}

TEST_CASE("everything over http: without the GET stream calls work, and nothing comes unasked", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const options = comcp::http_options().get_stream(false);
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")).options(options), handler());
    co_await use_everything(client);
    auto const sampled = co_await client.call_tool("trigger-sampling-request", args("prompt", "x", "maxTokens", 10));
    CHECK_THAT(sampled.text(), match::contains("model-1"));
    CHECK(client.handler().seen->roots_asked == 0);
    auto const silent = co_await eventually([&]() -> asio::awaitable<bool> {
      auto const transport = co_await client.transport_info();
      co_return transport.open_streams == 0;
    });
    CHECK(silent);
    co_await client.close();
    CHECK(server.times_printed("Received MCP GET request") == 0);
  });
}

TEST_CASE("everything over http: a call that takes too long ends, and the next one works", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")));
    call_options short_one;
    int steps = 0;
    short_one.timeout(1500ms).extend_on_progress(false).on_progress([&steps](auto const&) { ++steps; });
    auto const cut = co_await as_result(
        client.call_tool("trigger-long-running-operation", args("duration", 30, "steps", 300), short_one));
    CHECK(cut.error() == errc::timeout);
    CHECK(steps > 0);
    auto const echo = co_await client.call_tool("echo", args("message", "on"));
    CHECK(echo.text() == "Echo: on");
    co_await client.close();
  });
}

TEST_CASE("everything over http: a restarted server gets a new session, with what was subscribed to", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto server = co_await server_process::start(everything_over("streamableHttp"));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler());
    int updates = 0;
    co_await client.subscribe("demo://resource/dynamic/text/1", [&updates](auto const&) { ++updates; });
    auto const transport = co_await client.transport_info();
    auto const before = transport.session_id;
    co_await server.restart();
    auto const echo = co_await client.call_tool("echo", args("message", "again"));
    CHECK(echo.text() == "Echo: again");
    auto const transport_2 = co_await client.transport_info();
    CHECK(transport_2.session_id != before);
    auto const updating = co_await client.call_tool("toggle-subscriber-updates");
    CHECK_FALSE(updating.is_error);
    auto const updated = co_await eventually([&] { return updates > 0; });
    CHECK(updated);
    CHECK(server.times_printed("Session initialized") == 2);
    co_await client.close();
  });
}

TEST_CASE("everything over http: a hundred calls at once", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler());
    std::vector<asio::awaitable<comcp::call_tool_result>> calls;
    for (int i = 0; i != 100; ++i) {
      if (i % 10 == 0) {
        calls.push_back(client.call_tool("trigger-sampling-request", args("prompt", "x", "maxTokens", 10)));
      } else {
        calls.push_back(client.call_tool("echo", args("message", std::to_string(i))));
      }
    }
    auto const all = co_await comcp::all(std::move(calls));
    for (std::size_t i = 0; i != all.size(); ++i) {
      REQUIRE(all[i]);
      if (i % 10 != 0) CHECK(all[i]->text() == "Echo: " + std::to_string(i));
    }
    CHECK(client.handler().seen->samplings.size() == 10);
    co_await client.close();
  });
}

TEST_CASE("everything over http: a server that dies ends its calls with an error, not a hang", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto server = co_await server_process::start(everything_over("streamableHttp"));
    auto const options = comcp::http_options().reconnect(comcp::reconnect_policy().delay(10ms, 10ms, 1).attempts(2));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")).options(options));
    call_options watched;
    watched.on_progress([&server](auto const&) { server.stop(); });
    auto const lost = co_await as_result(
        client.call_tool("trigger-long-running-operation", args("duration", 30, "steps", 100), watched));
    CHECK(lost.error() == errc::outcome_unknown);
    auto const refused = co_await as_result(client.call_tool("echo", args("message", "x")));
    CHECK(refused.error() == errc::connect_failed);
    co_await client.close();
  });
}
