// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Through nginx as reverse proxy before server-everything: with buffering off and on, with streams that it cuts,
// connections that it closes, redirects and refusals.
#include "interop/everything_talk.hpp"
#include "interop/http_peers.hpp"

using namespace interop;

namespace {

std::string proxied(server_process const& to, std::string const& more) {
  return "location / { proxy_pass " + to.url("") + "; " + more + " }";
}

// Servers on the SDK ask nginx not to buffer, which is switched off here.
char const* const buffering = "proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;";
char const* const no_buffering = "proxy_buffering off; proxy_http_version 1.1; proxy_set_header Connection \"\";";

}  // namespace

TEST_CASE("nginx: without buffering everything is as it is without nginx", "[interop]") {
  COMCP_NEEDS_PEERS();
  COMCP_NEEDS_PROGRAM("nginx");
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const front = co_await server_process::start(nginx(proxied(server, no_buffering)));
    auto client = co_await comcp::connect(comcp::http(front.url("/mcp")), handler());
    co_await use_everything(client);
    co_await be_asked(client);
    auto const steps = co_await watch_progress(client, 3);
    CHECK(steps == std::vector<double>{1, 2, 3});
    co_await hear_news(client);
    co_await client.close();
    auto const ended = co_await eventually([&] { return server.printed("Received session termination request"); });
    CHECK(ended);
  });
}

TEST_CASE("nginx: its defaults do not buffer a server that asks for that", "[interop]") {
  COMCP_NEEDS_PEERS();
  COMCP_NEEDS_PROGRAM("nginx");
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const front = co_await server_process::start(nginx(proxied(server, "")));
    auto client = co_await comcp::connect(comcp::http(front.url("/mcp")), handler());
    co_await be_asked(client);
    co_await client.close();
  });
}

TEST_CASE("nginx: with buffering calls work, and what belongs to them comes with their answer", "[interop]") {
  COMCP_NEEDS_PEERS();
  COMCP_NEEDS_PROGRAM("nginx");
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const front = co_await server_process::start(nginx(proxied(server, buffering)));
    // The head of the GET stream is held back: requests do not wait for it for ever.
    auto const options = comcp::http_options().get_stream_wait(300ms);
    auto client = co_await comcp::connect(comcp::http(front.url("/mcp")).options(options), handler());
    co_await use_everything(client);
    auto const steps = co_await watch_progress(client, 3);
    CHECK(steps == std::vector<double>{1, 2, 3});
    // A question in the middle of a call is held back too: the call ends by its own timeout.
    auto const asking = co_await as_result(client.call_tool(
        "trigger-sampling-request", args("prompt", "x", "maxTokens", 10), call_options().timeout(500ms)));
    CHECK(asking.error() == errc::timeout);
    co_await client.close();
  });
}

TEST_CASE("nginx: a call outlives the cutting of its silent stream", "[interop]") {
  COMCP_NEEDS_PEERS();
  COMCP_NEEDS_PROGRAM("nginx");
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const front = co_await server_process::start(nginx(proxied(server, "proxy_read_timeout 1s;")));
    auto const often = comcp::reconnect_policy().delay(50ms, 50ms, 1).attempts(20);
    auto const options = comcp::http_options().reconnect(often);
    auto client = co_await comcp::connect(comcp::http(front.url("/mcp")).options(options), handler());
    auto const slow = co_await client.call_tool("trigger-long-running-operation", args("duration", 2.5, "steps", 1));
    CHECK_THAT(slow.text(), match::contains("completed"));
    CHECK(server.printed("Client reconnecting with Last-Event-ID"));
    auto const echo = co_await client.call_tool("echo", args("message", "on"));
    CHECK(echo.text() == "Echo: on");
    co_await client.close();
  });
}

TEST_CASE("nginx: connections that end after each answer", "[interop]") {
  COMCP_NEEDS_PEERS();
  COMCP_NEEDS_PROGRAM("nginx");
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const front = co_await server_process::start(nginx("keepalive_timeout 0; " + proxied(server, "")));
    auto client = co_await comcp::connect(comcp::http(front.url("/mcp")), handler());
    co_await use_everything(client);
    co_await client.close();
  });
}

TEST_CASE("nginx: redirects of the same origin are followed, others are not", "[interop]") {
  COMCP_NEEDS_PEERS();
  COMCP_NEEDS_PROGRAM("nginx");
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const front = co_await server_process::start(
        nginx("location = /here { return 308 /mcp; } location = /moved { return 301 /mcp; } "
              "location = /there { return 307 " + server.url("/mcp") + "; } " + proxied(server, "")));
    auto client = co_await comcp::connect(comcp::http(front.url("/here")), handler());
    co_await use_everything(client);
    co_await client.close();
    for (std::string const path : {"/moved", "/there"}) {
      CAPTURE(path);
      auto const refused = co_await as_result(comcp::connect(comcp::http(front.url(path))));
      CHECK(refused.error() == errc::redirect_refused);
    }
  });
}

TEST_CASE("nginx: a page of HTML is an error that shows its status and its beginning", "[interop]") {
  COMCP_NEEDS_PROGRAM("nginx");
  talk([]() -> asio::awaitable<void> {
    reserved_port const nobody(co_await asio::this_coro::executor);
    auto const front = co_await server_process::start(
        nginx("location /ok { default_type text/html; return 200 '<h1>Welcome</h1>'; } "
              "location / { proxy_pass http://127.0.0.1:" + std::to_string(nobody.number()) + "; }"));
    auto const down = co_await as_result(comcp::connect(comcp::http(front.url("/mcp"))));
    CHECK(down.error() == errc::http_status);
    REQUIRE(down.error().detail() != nullptr);
    CHECK(down.error().detail()->http_status == 502);
    CHECK_THAT(down.error().detail()->snippet, match::contains("502 Bad Gateway"));
    auto const page = co_await as_result(comcp::connect(comcp::http(front.url("/ok"))));
    CHECK(page.error() == errc::wrong_content_type);
    REQUIRE(page.error().detail() != nullptr);
    CHECK(page.error().detail()->http_status == 200);
  });
}
