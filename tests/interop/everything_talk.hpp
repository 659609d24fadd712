// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversations with server-everything that must go the same way on every wire. Each takes a connected client; the
// handler is e2e's.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "interop/peers.hpp"

namespace interop {

/// Lists, and tools that answer in several shapes.
template <class Client>
asio::awaitable<void> use_everything(Client& client) {
  CHECK(client.server_info().name == "mcp-servers/everything");
  co_await client.ping();
  auto const tools = co_await client.list_tools();
  CHECK(tools.size() > 10);
  CHECK(tools.find("echo") != nullptr);
  CHECK(tools.set_aside().empty());
  auto const echo = co_await client.call_tool("echo", args("message", "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"));
  CHECK(echo.text() == "Echo: gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
  auto const sum = co_await client.call_tool("get-sum", args("a", 2, "b", 3));
  CHECK(sum.text() == "The sum of 2 and 3 is 5.");
  auto const image = co_await client.call_tool("get-tiny-image");
  REQUIRE(image.images().size() == 1);
  CHECK(image.images()[0].bytes()->at(1) == std::byte{'P'});
  auto const document = co_await client.read_resource("demo://resource/static/document/features.md");
  CHECK_FALSE(document.text().empty());
  auto const weather = co_await client.get_prompt("args-prompt", args("city", "Oslo"));
  CHECK(std::get<comcp::text_content>(weather.messages.at(0).content).text == "What's weather in Oslo?");
}

/// It asks for roots by itself after the handshake, and samples and elicits in the middle of calls.
template <class Client>
asio::awaitable<void> be_asked(Client& client) {
  auto& h = client.handler();
  auto const asked = co_await eventually([&] { return h.seen->roots_asked == 1; });
  CHECK(asked);
  auto const roots = co_await client.call_tool("get-roots-list");
  CHECK_THAT(roots.text(), match::contains("file:///two"));
  auto const sampled = co_await client.call_tool("trigger-sampling-request", args("prompt", "whales", "maxTokens", 10));
  CHECK_THAT(sampled.text(), match::contains("model-1"));
  auto const form = co_await client.call_tool("trigger-elicitation-request");
  CHECK_THAT(form.text(), match::contains("provided the requested information"));
  CHECK(h.seen->forms.size() == 1);
}

/// The steps that a call of `steps` steps told of.
template <class Client>
asio::awaitable<std::vector<double>> watch_progress(Client& client, int steps, double duration = 0.3) {
  std::vector<double> heard;
  call_options watched;
  watched.on_progress([&heard](comcp::progress_notification const& p) { heard.push_back(p.progress); });
  auto const slow = co_await client.call_tool("trigger-long-running-operation",
                                              args("duration", duration, "steps", steps), watched);
  CHECK_THAT(slow.text(), match::contains("completed"));
  co_return heard;
}

/// Updates of a resource that was subscribed to, and log messages, which come unasked.
template <class Client>
asio::awaitable<void> hear_news(Client& client) {
  co_await client.set_log_level(comcp::log_level::debug);
  int updates = 0;
  std::string const uri = "demo://resource/dynamic/text/1";
  co_await client.subscribe(uri, [&updates](comcp::resource_updated const&) { ++updates; });
  auto const updating = co_await client.call_tool("toggle-subscriber-updates");
  CHECK_FALSE(updating.is_error);
  auto const updated = co_await eventually([&] { return updates > 0; });
  CHECK(updated);
  auto const quiet = co_await client.call_tool("toggle-subscriber-updates");
  CHECK_FALSE(quiet.is_error);
  co_await client.unsubscribe(uri);
  auto const logged = co_await eventually([&] { return !client.handler().seen->logs.empty(); });
  CHECK(logged);
}

}  // namespace interop
