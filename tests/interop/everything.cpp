// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Against @modelcontextprotocol/server-everything, which speaks the legacy era and asks back a lot.
#include <csignal>

#include "interop/peers.hpp"

using namespace interop;

TEST_CASE("everything: lists, and tools of every kind of content", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(everything());
    CHECK(client.era() == comcp::era::legacy);
    CHECK(client.server_info().name == "mcp-servers/everything");
    CHECK(client.capabilities().supports("tasks"));
    CHECK_FALSE(client.instructions().empty());
    co_await client.ping();
    auto const tools = co_await client.list_tools();
    CHECK(tools.size() > 10);
    CHECK(tools.set_aside().empty());
    auto const echo = co_await client.call_tool("echo", args("message", "hi"));
    CHECK(echo.text() == "Echo: hi");
    auto const sum = co_await client.call_tool("get-sum", args("a", 2, "b", 3));
    CHECK(sum.text() == "The sum of 2 and 3 is 5.");
    auto const weather = co_await client.call_tool("get-structured-content", args("location", "New York"));
    CHECK(weather.structured_content["temperature"].as_int64() == 33);
    auto const image = co_await client.call_tool("get-tiny-image");
    REQUIRE(image.images().size() == 1);
    CHECK(image.images()[0].mime_type == "image/png");
    CHECK(image.images()[0].bytes()->at(1) == std::byte{'P'});
    auto const links = co_await client.call_tool("get-resource-links", args("count", 3));
    CHECK(links.links().size() == 3);
    auto const embedded = co_await client.call_tool("get-resource-reference", args("resourceType", "Blob", "resourceId", 1));
    REQUIRE(embedded.resources().size() == 1);
    CHECK(embedded.resources()[0].resource.bytes());
    auto const annotated = co_await client.call_tool("get-annotated-message", args("messageType", "error"));
    REQUIRE_FALSE(annotated.content.empty());
    CHECK(std::get<comcp::text_content>(annotated.content[0]).annotations->priority == 1.0);
    auto const unknown = co_await client.call_tool("nope");  // an SDK 1.x server says so in the result
    CHECK(unknown.is_error);
    co_await client.close();
  });
}

TEST_CASE("everything: resources, templates, prompts and completion", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(everything());
    auto const resources = co_await client.list_resources();
    CHECK(resources.size() >= 7);
    auto const document = co_await client.read_resource("demo://resource/static/document/features.md");
    CHECK_FALSE(document.text().empty());
    auto const templates = co_await client.list_resource_templates();
    CHECK(templates.size() == 2);
    for (auto const& t : templates) {
      auto const read = co_await client.read_resource(t, args("resourceId", 3));
      CHECK_FALSE(read.contents.at(0).bytes()->empty());
    }
    auto const none = co_await as_result(client.read_resource("demo://none"));
    CHECK(none.error() == errc::not_found);
    auto const prompts = co_await client.list_prompts();
    CHECK(prompts.size() == 4);
    auto const weather = co_await client.get_prompt("args-prompt", args("city", "Oslo"));
    CHECK(std::get<comcp::text_content>(weather.messages.at(0).content).text == "What's weather in Oslo?");
    comcp::complete_params typing(comcp::prompt_reference("completable-prompt"), comcp::completion_argument("department", ""));
    auto const departments = co_await client.complete(typing);
    CHECK(departments.values() == std::vector<std::string>{"Engineering", "Sales", "Marketing", "Support"});
    co_await client.close();
  });
}

TEST_CASE("everything: it asks for roots, samples, forms and pages", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(everything(), handler());
    auto& h = client.handler();
    auto const asked = co_await eventually([&] { return h.seen->roots_asked == 1; });  // unasked, after a moment
    CHECK(asked);
    auto const roots = co_await client.call_tool("get-roots-list");
    CHECK_THAT(roots.text(), match::contains("file:///two"));
    co_await client.notify_roots_changed();
    auto const again = co_await eventually([&] { return h.seen->roots_asked == 2; });
    CHECK(again);
    auto const sampled = co_await client.call_tool("trigger-sampling-request", args("prompt", "whales", "maxTokens", 10));
    CHECK_THAT(sampled.text(), match::contains("model-1"));
    CHECK(h.seen->samplings.at(0).temperature == 0.7);
    auto const form = co_await client.call_tool("trigger-elicitation-request");
    CHECK_THAT(form.text(), match::contains("provided the requested information"));
    CHECK(h.seen->forms.at(0).fields()->size() == 13);
    auto const page = co_await client.call_tool("trigger-url-elicitation", args("url", "https://example.com/login"));
    CHECK_FALSE(page.is_error);
    CHECK(h.seen->pages.size() == 1);
    auto const first = co_await as_result(
        client.call_tool("trigger-url-elicitation", args("url", "https://example.com/login", "errorPath", true)));
    CHECK(first.error() == errc::url_elicitation_required);
    CHECK(comcp::url_elicitation_required_of(first.error()).has_value());
    CHECK(h.seen->pages.size() == 2);  // the user was asked for the error's list too
    co_await client.close();
  });
}

TEST_CASE("everything: progress, log messages, updates and changed lists", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    connect_options options;
    options.log_level(comcp::log_level::debug);
    auto client = co_await comcp::connect(everything(), handler(), options);
    auto& seen = *client.handler().seen;
    std::vector<double> steps;
    call_options watched;
    watched.on_progress([&steps](comcp::progress_notification const& p) { steps.push_back(p.progress); });
    auto const slow = co_await client.call_tool("trigger-long-running-operation", args("duration", 0.3, "steps", 3), watched);
    CHECK_THAT(slow.text(), match::contains("completed"));
    CHECK(steps == std::vector<double>{1, 2, 3});

    auto const before = seen.logs.size();
    auto const on = co_await client.call_tool("toggle-simulated-logging");
    CHECK_FALSE(on.is_error);
    auto const logged = co_await eventually([&] { return seen.logs.size() > before; });
    CHECK(logged);
    auto const off = co_await client.call_tool("toggle-simulated-logging");
    CHECK_FALSE(off.is_error);
    co_await client.set_log_level(comcp::log_level::emergency);

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
    CHECK(seen.tools_changed > 0);
    CHECK(client.statistics().bad_messages == 0);
    co_await client.close();
  });
}

TEST_CASE("everything: a cancelled call ends at once, and its late progress is dropped", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(everything().exit_wait(100ms));
    call_options short_one;
    int steps = 0;
    short_one.timeout(400ms).extend_on_progress(false).on_progress([&steps](auto const&) { ++steps; });
    auto const cut = co_await as_result(
        client.call_tool("trigger-long-running-operation", args("duration", 30, "steps", 300), short_one));
    CHECK(cut.error() == errc::timeout);
    auto const heard = steps;
    auto const echo = co_await client.call_tool("echo", args("message", "on"));
    CHECK(echo.text() == "Echo: on");
    auto const late = co_await eventually([&] { return client.statistics().dropped > 0; });  // it goes on telling
    CHECK(late);
    CHECK(steps == heard);
    co_await client.close();
  });
}

namespace {
struct mute {
  // Never answers; ends with its connection.
  asio::awaitable<std::vector<comcp::root>> list_roots() {
    asked = true;
    asio::steady_timer never(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
    co_await never.async_wait(asio::use_awaitable);
    co_return std::vector<comcp::root>();
  }
  bool asked = false;
};
}  // namespace

TEST_CASE("everything: a server that outlives the end of its stdin is ended by signals, in bounded time", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(everything().exit_wait(200ms).term_wait(40s), mute());
    auto const asked = co_await eventually([&] { return client.handler().asked; });
    CHECK(asked);
    // It has an unanswered question and an interval: it stays when its stdin ends.
    auto const toggled = co_await client.call_tool("toggle-simulated-logging");
    CHECK_FALSE(toggled.is_error);
    auto const began = std::chrono::steady_clock::now();
    co_await client.close();
    auto const took = std::chrono::steady_clock::now() - began;
    CHECK(took >= 200ms);
    CHECK(took < 30s);
    auto const transport = co_await client.transport_info();
    CHECK(transport.term_signal == SIGTERM);
  });
}

TEST_CASE("everything: dropping the client ends the server at once", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(everything(), mute());
    auto const toggled = co_await client.call_tool("toggle-simulated-logging");
    CHECK_FALSE(toggled.is_error);
  });
}
