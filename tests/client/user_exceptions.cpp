// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user's completion handler throws leaves io_context::run(), whatever home is and whatever the transport, and
// the connection lives on.
#include <comcp/client/connect.hpp>

#include <stdexcept>

#include <asio/strand.hpp>

#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_server;

namespace {

// What a conversation threw while it ran; empty for nothing.
std::string thrown_by(conversation& c) {
  try {
    c.settle();
  } catch (std::exception const& e) {
    return e.what();
  }
  return {};
}

template <class T>
void start_and_throw(asio::any_io_executor const& on, asio::awaitable<T> operation) {
  auto throws = [](std::exception_ptr, auto const&...) { throw std::runtime_error("the user's"); };
  asio::co_spawn(on, std::move(operation), throws);
}

}  // namespace

TEST_CASE("user exceptions: one that leaves a call's completion handler ends nothing but itself", "[client]") {
  bool const on_strand = GENERATE(true, false);
  conversation c;
  asio::any_io_executor home = c.io.get_executor();
  if (on_strand) home = asio::make_strand(c.io);
  fake_server server(home);
  server.legacy().answer("tools/call", json::raw(tool_text));
  auto client = c.connect(server.transport(), c.options().executor(home));
  for (int i = 0; i < 3; ++i) {
    start_and_throw(home, client->call_tool("a"));
    CHECK(thrown_by(c) == "the user's");
    CHECK(c.finish(client->call_tool("b")));
  }
  CHECK(client->statistics().pending == 0);
}

TEST_CASE("user exceptions: close() and whoever else waits come to their end", "[client]") {
  bool const on_strand = GENERATE(true, false);
  conversation c;
  asio::any_io_executor home = c.io.get_executor();
  if (on_strand) home = asio::make_strand(c.io);
  fake_server server(home);
  server.legacy().silent("tools/call");
  auto client = c.connect(server.transport(), c.options().executor(home));
  for (int i = 0; i < 3; ++i) start_and_throw(home, client->call_tool("a"));
  start_and_throw(home, end_of(*client));
  auto const ended = c.start(end_of(*client));
  auto const call = c.start(client->call_tool("a"));
  asio::co_spawn(home, client->close(), asio::detached);
  int thrown = 0;
  while (!thrown_by(c).empty()) ++thrown;
  CHECK(thrown == (on_strand ? 4 : 2));  // an io_context gathers what one handler of it throws
  CHECK(call->error() == errc::closed);
  CHECK(ended->ok());
  CHECK(client->status() == connection_status::disconnected);
}

TEST_CASE("user exceptions: who waits for all, or for a subscription, may throw too", "[client]") {
  conversation c;
  asio::any_io_executor const home = asio::make_strand(c.io);
  fake_server server(home);
  server.modern().answer("tools/call", json::raw(tool_text));
  auto client = c.connect(server.transport(), c.options().executor(home));
  auto const several = [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<call_tool_result>> calls;
    for (int i = 0; i < 3; ++i) calls.push_back(client->call_tool("a"));
    (void)co_await all(std::move(calls));
  };
  start_and_throw(home, several());
  CHECK(thrown_by(c) == "the user's");
  subscription_filter f;
  f.tools_list_changed = true;
  auto stream = c.finish(client->listen(f));
  start_and_throw(home, stream->next());
  CHECK(thrown_by(c).empty());
  server.notify_listeners("notifications/tools/list_changed");
  CHECK(thrown_by(c) == "the user's");
  CHECK(c.finish(client->call_tool("b")));
}

TEST_CASE("user exceptions: over HTTP it is the same", "[client]") {
  http_talk c;
  auto client = c.legacy();
  start_and_throw(c.io.get_executor(), client.call_tool("a"));
  auto const request = c.take("tools/call");
  request->result(tool_text);
  CHECK(thrown_by(c) == "the user's");
  auto const next = c.start(client.call_tool("b"));
  c.take("tools/call")->result(tool_text);
  c.settle();
  CHECK(next->ok());
}
