// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp::http against the demo server over HTTP: updates, questions of the server, sessions, a server that goes away.

#include "e2e/fixture.hpp"

#if defined(COMCP_DEMO_HTTP)

#include <comcp/transport/http.hpp>

#include "support/http_demo.hpp"

using namespace e2e;
using comcp_test::http_demo;

namespace {

/// As talk(), with a server that outlives the conversation.
template <class Talk>
void visit(Talk conversation) {
  auto const descriptors = comcp_test::open_descriptors();
  {
    asio::io_context io(1);
    comcp_test::run(io, conversation());
    io.restart();
    io.run_for(30s);
    CHECK(io.stopped());
  }
  CHECK(comcp_test::open_descriptors() == descriptors);
}

}  // namespace

TEST_CASE("http: updates and changed lists reach the client in both eras", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  CAPTURE(flag);
  http_demo const server({flag});
  visit([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(comcp::http(server.url), handler());
    int updates = 0;
    co_await client.subscribe("demo://changes", [&updates](comcp::resource_updated const&) { ++updates; });
    auto const touched = co_await client.call_tool("touch", args("uri", "demo://changes"));
    CHECK_FALSE(touched.is_error);
    auto const updated = co_await eventually([&] { return updates == 1; });
    CHECK(updated);
    auto const added = co_await client.call_tool("add_tool", args("name", "late"));
    CHECK_FALSE(added.is_error);
    auto const changed = co_await eventually([&] { return client.handler().seen->tools_changed == 1; });
    CHECK(changed);
    auto const transport = co_await client.transport_info();
    CHECK(transport.open_streams == 1);
    co_await client.close();
  });
}

TEST_CASE("http: a server asks over the stream of a call, in both eras", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  CAPTURE(flag);
  http_demo const server({flag});
  visit([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(comcp::http(server.url), handler());
    auto const name = co_await client.call_tool("ask_name");
    CHECK(name.text() == "A very good day to you, Ann.");
    auto const summary = co_await client.call_tool("summarize", args("text", "whales"));
    CHECK_THAT(summary.text(), match::contains("about "));
    auto const roots = co_await client.call_tool("list_my_roots");
    CHECK_THAT(roots.text(), match::contains("file:///two"));
    co_await client.close();
  });
}

TEST_CASE("http: a session goes on in another client, and ends with close()", "[e2e]") {
  http_demo const server({"--token", "t"});
  visit([&]() -> asio::awaitable<void> {
    std::optional<comcp::saved_session> saved;
    {
      connect_options legacy;
      legacy.legacy();
      auto client = co_await comcp::connect(comcp::http(server.url, comcp::bearer("t")), legacy);
      auto const added = co_await client.call_tool("add_tool", args("name", "mine"));
      CHECK_FALSE(added.is_error);
      saved = client.session();
    }
    REQUIRE(saved);
    auto again = co_await comcp::connect(comcp::http(server.url, comcp::bearer("t")).resume(*saved));
    auto const mine = co_await again.call_tool("mine");  // known to that session alone
    CHECK(mine.text() == "I am mine.");
    co_await again.close();
    // That has ended: the next one gets a new session when it first asks for something, which knows no such tool.
    auto late = co_await comcp::connect(comcp::http(server.url, comcp::bearer("t")).resume(*saved));
    auto renewed = late.call_tool("mine");
    auto const unknown = co_await as_result(std::move(renewed));
    CHECK(unknown.error().peer());
    CHECK(late.session());
    CHECK(late.session()->id != saved->id);
    co_await late.close();
  });
}

TEST_CASE("http: many calls at once are answered each with its own", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  CAPTURE(flag);
  http_demo const server({flag});
  visit([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(comcp::http(server.url));
    std::vector<asio::awaitable<comcp::call_tool_result>> calls;
    for (int i = 0; i != 20; ++i) calls.push_back(client.call_tool("add", args("a", i, "b", 1)));
    auto const all = co_await comcp::all(std::move(calls));
    for (int i = 0; i != 20; ++i) {
      REQUIRE(all.at(static_cast<std::size_t>(i)));
      CHECK(all.at(static_cast<std::size_t>(i))->structured_content["sum"].as_int64() == i + 1);
    }
    co_await client.close();
  });
}

TEST_CASE("http: a server that dies in a call leaves an open outcome, not a hang", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  CAPTURE(flag);
  http_demo const server({flag});
  visit([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(comcp::http(server.url));
    auto fatal = client.call_tool("crash");
    auto const crashed = co_await as_result(std::move(fatal));
    CHECK(crashed.error() == errc::outcome_unknown);
    auto later = client.call_tool("echo", args("text", "anybody there?"));
    auto const after = co_await as_result(std::move(later));
    CHECK_FALSE(after);  // refused, or reset where it dies in that moment
    co_await client.close();
  });
}

#endif
