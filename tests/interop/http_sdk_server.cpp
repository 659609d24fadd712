// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Against a server on @modelcontextprotocol/server 2.x over Streamable HTTP: modern only, both eras without sessions,
// and both eras with sessions, whose answers are event streams or JSON.
#include "interop/http_peers.hpp"

using namespace interop;

namespace {

/// How to start the peer, which era to speak, and what works then.
struct way {
  char const* mode;
  bool legacy;
  bool streams;  ///< Calls have a stream on which more than the answer can come.
  bool unasked;  ///< There is a stream for what belongs to no call.
};
std::vector<way> ways() {
  return {{"modern", false, true, true},  {"stateless", false, true, true}, {"stateless", true, true, false},
          {"sessions", false, true, true}, {"sessions", true, true, true},   {"json", true, false, true}};
}

connect_options options_of(way const& w) {
  connect_options options;
  if (w.legacy) options.legacy();
  return options;
}

template <class Talk>
void each_way(Talk conversation) {
  for (auto const& w : ways()) {
    CAPTURE(w.mode, w.legacy);
    talk([&]() -> asio::awaitable<void> {
      auto server = co_await server_process::start(sdk_http_server(w.mode));
      co_await conversation(w, server);
    });
  }
}

}  // namespace

TEST_CASE("sdk_http_server: the era is found out, tools are listed and called", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w, server_process& server) -> asio::awaitable<void> {
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), options_of(w));
    CHECK(client.protocol_version() == (w.legacy ? comcp::version::latest_legacy : comcp::version::latest));
    CHECK(client.server_info().name == "comcp-sdk-peer");
    CHECK(client.instructions() == "A peer for tests.");
    auto const tools = co_await client.list_tools();
    REQUIRE(tools.find("add") != nullptr);
    auto const sum = co_await client.call_tool("add", args("a", 2, "b", 3));
    CHECK(sum.structured_content["sum"].as_int64() == 5);
    auto const echo = co_await client.call_tool("echo", args("text", "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"));
    CHECK(echo.text() == "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
    auto const unknown = co_await as_result(client.call_tool("nope"));
    REQUIRE(unknown.error().peer() != nullptr);
    CHECK(unknown.error().peer()->code == -32602);
    auto const text = co_await client.read_resource("test://text");
    CHECK(text.text() == "gr\xc3\xbc\xc3\x9f" "e");
    auto const none = co_await as_result(client.read_resource("test://nothing"));
    CHECK(none.error() == errc::not_found);
    auto const review = co_await client.get_prompt("review", args("language", "c", "code", "x"));
    CHECK(std::get<comcp::text_content>(review.messages.at(0).content).text == "Review this c: x");
    co_await client.close();
    bool const in_session = w.legacy && w.unasked;
    auto const ended = co_await eventually([&] { return server.printed("session ends") == in_session; });
    CHECK(ended);
    CHECK(server.printed("DELETE") == in_session);
  });
}

TEST_CASE("sdk_http_server: every legacy version", "[interop]") {
  COMCP_NEEDS_PEERS();
  for (std::string const mode : {"sessions", "json"}) {
    talk([&]() -> asio::awaitable<void> {
      auto const server = co_await server_process::start(sdk_http_server(mode));
      for (auto const version : comcp::supported_versions()) {
        if (version.era() == comcp::era::modern) continue;
        connect_options options;
        options.allowed_versions({version});
        auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), options);
        CHECK(client.protocol_version() == version);
        auto const sum = co_await client.call_tool("add", args("a", 2, "b", 3));
        CHECK(sum.text() == "5");
        co_await client.close();
      }
    });
  }
}

TEST_CASE("sdk_http_server: no common version, and no such path", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(sdk_http_server("modern"));
    connect_options options;
    options.legacy();
    auto const r = co_await as_result(comcp::connect(comcp::http(server.url("/mcp")), options));
    CHECK(r.error() == errc::no_common_version);
    auto const elsewhere = co_await as_result(comcp::connect(comcp::http(server.url("/elsewhere"))));
    REQUIRE(elsewhere.error().detail() != nullptr);
    CHECK(elsewhere.error().detail()->http_status == 404);
  });
}

TEST_CASE("sdk_http_server: progress and log messages", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w, server_process& server) -> asio::awaitable<void> {
    auto options = options_of(w);
    // Without sessions there is nobody to remember a level.
    if (!w.legacy || w.unasked) options.log_level(comcp::log_level::info);
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler(), options);
    std::vector<double> steps;
    call_options watched;
    watched.on_progress([&steps](comcp::progress_notification const& p) { steps.push_back(p.progress); });
    auto const progressed = co_await client.call_tool("progress", args("n", 3), watched);
    CHECK(progressed.text() == "3 steps");
    CHECK(steps == (w.streams ? std::vector<double>{1, 2, 3} : std::vector<double>()));
    auto const high = co_await client.call_tool("log", args("level", "warning", "message", "heard"));
    CHECK(high.text() == "logged");
    if (w.streams) {
      auto& logs = client.handler().seen->logs;
      auto const heard = co_await eventually([&] { return !logs.empty(); });
      CHECK(heard);
      REQUIRE(logs.size() == 1);
      CHECK(logs[0].data.as_string() == "heard");
    }
    co_await client.close();
  });
}

TEST_CASE("sdk_http_server: cancelling, by closing the stream or by saying so", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w, server_process& server) -> asio::awaitable<void> {
    if (w.legacy && !w.unasked) co_return;  // without a session there is no way to name the call
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler(), options_of(w));
    auto const cut = co_await begin_and_give_up(client, "slow", [&] { return server.printed("slow started"); });
    CHECK(cut == errc::cancelled);
    auto const told = co_await eventually([&] { return server.printed("slow cancelled"); });
    CHECK(told);
    auto const echo = co_await client.call_tool("echo", args("text", "on"));
    CHECK(echo.text() == "on");
    co_await client.close();
  });
}

TEST_CASE("sdk_http_server: elicitation of several rounds, sampling and roots", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w, server_process& server) -> asio::awaitable<void> {
    bool const can_ask = !w.legacy || (w.streams && w.unasked);
    if (!can_ask) co_return;
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler(), options_of(w));
    auto const thrice = co_await client.call_tool("ask", args("times", 3));
    CHECK(thrice.text() == "hello Ann and Ann and Ann");
    auto const sampled = co_await client.call_tool("sample", args("prompt", "whales"));
    CHECK(sampled.text() == "model-1: about whales");
    auto const roots = co_await client.call_tool("roots");
    CHECK(roots.text() == "file:///one\nfile:///two");
    co_await client.close();
  });
}

TEST_CASE("sdk_http_server: what the client did not declare is refused, with its name", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(sdk_http_server("modern"));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")));
    auto const asked = co_await as_result(client.call_tool("ask"));  // HTTP status 400
    auto const missing = comcp::missing_capability_of(asked.error());
    REQUIRE(missing);
    CHECK(missing->required_capabilities.elicitation.has_value());
    co_await client.close();
  });
}

TEST_CASE("sdk_http_server: subscriptions and changed lists", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w, server_process& server) -> asio::awaitable<void> {
    if (!w.unasked) co_return;
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler(), options_of(w));
    int updates = 0;
    co_await client.subscribe("test://counter", [&updates](comcp::resource_updated const&) { ++updates; });
    auto const touched = co_await client.call_tool("touch");
    CHECK_FALSE(touched.is_error);
    auto const updated = co_await eventually([&] { return updates == 1; });
    CHECK(updated);
    co_await client.subscribe("test://text");
    auto const again = co_await client.call_tool("touch");
    CHECK(again.text() == "2");
    auto const updated_again = co_await eventually([&] { return updates == 2; });
    CHECK(updated_again);
    auto const changed = co_await client.call_tool("change_tools");
    CHECK(changed.text() == "added");
    auto const told = co_await eventually([&] { return client.handler().seen->tools_changed == 1; });
    CHECK(told);
    auto const tools = co_await client.list_tools();
    CHECK(tools.find("extra") != nullptr);
    co_await client.unsubscribe("test://counter");
    co_await client.close();
  });
}

TEST_CASE("sdk_http_server: a listen stream of one's own", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto server = co_await server_process::start(sdk_http_server("modern"));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")));
    comcp::subscription_filter filter;
    filter.tools_list_changed = true;
    filter.resource_subscriptions = {"test://counter"};
    auto stream = co_await client.listen(filter);
    CHECK(stream.acknowledged() == filter);
    auto const touched = co_await client.call_tool("touch");
    CHECK_FALSE(touched.is_error);
    auto const first = co_await stream.next();
    REQUIRE(first);
    CHECK(first->method == "notifications/resources/updated");
    co_await client.close();
  });
}

TEST_CASE("sdk_http_server: a stream that ends before its answer is resumed", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(sdk_http_server("sessions"));
    connect_options options;
    options.legacy();
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), options);
    auto const answer = co_await client.call_tool("hang_up");
    CHECK(answer.text() == "still here");
    // What another process prints may come later than what it answers.
    asio::steady_timer pause(co_await asio::this_coro::executor);
    for (int i = 0; i != 100 && !server.printed("GET resumes"); ++i) {
      pause.expires_after(std::chrono::milliseconds(50));
      (void)co_await pause.async_wait(comcp::net::tuple_awaitable);
    }
    CHECK(server.printed("GET resumes"));
    CHECK(server.times_printed("POST") == 3);  // initialize, initialized and the call: it went out once
    co_await client.close();
  });
}

TEST_CASE("sdk_http_server: 404 for the session brings a new one", "[interop]") {
  COMCP_NEEDS_PEERS();
  for (std::string const mode : {"sessions", "json"}) {
    talk([&]() -> asio::awaitable<void> {
      auto server = co_await server_process::start(sdk_http_server(mode));
      connect_options options;
      options.legacy();
      auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler(), options);
      int updates = 0;
      co_await client.subscribe("test://counter", [&updates](comcp::resource_updated const&) { ++updates; });
      auto const transport = co_await client.transport_info();
      auto const before = transport.session_id;
      co_await server.restart();
      auto const touched = co_await client.call_tool("touch");
      CHECK(touched.text() == "1");
      auto const transport_2 = co_await client.transport_info();
      CHECK(transport_2.session_id != before);
      auto const again = co_await client.call_tool("touch");
      CHECK(again.text() == "2");
      auto const updated = co_await eventually([&] { return updates > 0; });
      CHECK(updated);
      CHECK(server.times_printed("session begins") == 2);
      co_await client.close();
    });
  }
}

TEST_CASE("sdk_http_server: a hundred calls at once, with questions among them", "[interop][slow]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w, server_process& server) -> asio::awaitable<void> {
    bool const can_ask = !w.legacy || (w.streams && w.unasked);
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), handler(), options_of(w));
    std::vector<asio::awaitable<comcp::call_tool_result>> calls;
    for (int i = 0; i != 100; ++i) {
      if (i % 10 == 0 && can_ask) {
        calls.push_back(client.call_tool("ask"));
      } else {
        calls.push_back(client.call_tool("echo", args("text", std::to_string(i))));
      }
    }
    auto const all = co_await comcp::all(std::move(calls));
    for (std::size_t i = 0; i != all.size(); ++i) {
      REQUIRE(all[i]);
      CHECK(all[i]->text() == (i % 10 == 0 && can_ask ? "hello Ann" : std::to_string(i)));
    }
    co_await client.close();
  });
}
