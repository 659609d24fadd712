// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Against a server built on @modelcontextprotocol/server 2.x: modern only, and dual in both eras.
#include "interop/peers.hpp"

using namespace interop;

namespace {

/// How to start the peer, and what to ask for, so that one era is spoken.
struct way {
  char const* mode;
  bool legacy;
};
std::vector<way> ways() { return {{"modern", false}, {"dual", false}, {"dual", true}}; }

connect_options options_of(way const& w) {
  connect_options options;
  if (w.legacy) options.legacy();
  return options;
}

template <class Talk>
void each_way(Talk conversation) {
  for (auto const& w : ways()) {
    CAPTURE(w.mode, w.legacy);
    talk([&]() -> asio::awaitable<void> { return conversation(w); });
  }
}

}  // namespace

TEST_CASE("sdk_server: the version is found out, tools are listed and called", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w) -> asio::awaitable<void> {
    auto client = co_await comcp::connect(sdk_server(w.mode), options_of(w));
    CHECK(client.protocol_version() == (w.legacy ? comcp::version::latest_legacy : comcp::version::latest));
    CHECK(client.server_info().name == "comcp-sdk-peer");
    CHECK(client.instructions() == "A peer for tests.");
    auto const tools = co_await client.list_tools();
    REQUIRE(tools.find("add") != nullptr);
    CHECK(tools.find("add")->output_schema.is_object());
    auto const sum = co_await client.call_tool("add", args("a", 2, "b", 3));
    CHECK(sum.text() == "5");
    CHECK(sum.structured_content["sum"].as_int64() == 5);
    auto const echo = co_await client.call_tool("echo", args("text", "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"));
    CHECK(echo.text() == "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
    auto const failed = co_await client.call_tool("fail");
    CHECK(failed.is_error);
    CHECK(failed.text() == "it failed");
    auto const unknown = co_await as_result(client.call_tool("nope"));
    REQUIRE(unknown.error().peer() != nullptr);
    CHECK(unknown.error().peer()->code == -32602);
    auto const bad = co_await client.call_tool("add", args("a", "x"));
    CHECK(bad.is_error);
    co_await client.close();
    auto const transport = co_await client.transport_info();
    CHECK(transport.exit_code == 0);
  });
}

TEST_CASE("sdk_server: every legacy version", "[interop]") {
  COMCP_NEEDS_PEERS();
  for (auto const version : comcp::supported_versions()) {
    if (version.era() == comcp::era::modern) continue;
    talk([&]() -> asio::awaitable<void> {
      connect_options options;
      options.allowed_versions({version});
      auto client = co_await comcp::connect(sdk_server("dual"), options);
      CHECK(client.protocol_version() == version);
      auto const sum = co_await client.call_tool("add", args("a", 2, "b", 3));
      CHECK(sum.text() == "5");
      co_await client.close();
    });
  }
}

TEST_CASE("sdk_server: no common version", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    connect_options options;
    options.legacy();
    auto const r = co_await as_result(comcp::connect(sdk_server("modern"), options));
    CHECK(r.error() == errc::no_common_version);
  });
}

TEST_CASE("sdk_server: progress, log messages and cancelling", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w) -> asio::awaitable<void> {
    std::string out;
    auto options = options_of(w);
    options.log_level(comcp::log_level::info);
    auto server = sdk_server(w.mode).stderr_to(comcp::stderr_target::sink([&out](std::string_view s) { out += s; }));
    auto client = co_await comcp::connect(std::move(server), handler(), options);
    std::vector<double> steps;
    call_options watched;
    watched.on_progress([&steps](comcp::progress_notification const& p) { steps.push_back(p.progress); });
    auto const progressed = co_await client.call_tool("progress", args("n", 3), watched);
    CHECK(progressed.text() == "3 steps");
    CHECK(steps == std::vector<double>{1, 2, 3});

    auto const low = co_await client.call_tool("log", args("level", "debug", "message", "unheard"));
    CHECK(low.text() == "logged");
    auto const high = co_await client.call_tool("log", args("level", "warning", "message", "heard"));
    CHECK(high.text() == "logged");
    auto& logs = client.handler().seen->logs;
    auto const heard = co_await eventually([&] { return !logs.empty(); });
    CHECK(heard);
    REQUIRE(logs.size() == 1);
    CHECK(logs[0].data.as_string() == "heard");

    auto const cut = co_await begin_and_give_up(
        client, "slow", [&] { return out.find("slow started") != std::string::npos; });
    CHECK(cut == errc::cancelled);
    auto const told = co_await eventually([&] { return out.find("slow cancelled") != std::string::npos; });
    CHECK(told);
    auto const echo = co_await client.call_tool("echo", args("text", "on"));
    CHECK(echo.text() == "on");
    co_await client.close();
  });
}

TEST_CASE("sdk_server: elicitation of several rounds, sampling and roots", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w) -> asio::awaitable<void> {
    auto client = co_await comcp::connect(sdk_server(w.mode), handler(), options_of(w));
    auto const once = co_await client.call_tool("ask");
    CHECK(once.text() == "hello Ann");
    auto const thrice = co_await client.call_tool("ask", args("times", 3));
    CHECK(thrice.text() == "hello Ann and Ann and Ann");
    CHECK(client.handler().seen->forms.size() == 4);
    client.handler().form_answer = comcp::elicit_result::decline();
    auto const declined = co_await client.call_tool("ask");
    CHECK(declined.text() == "user chose decline");
    auto const sampled = co_await client.call_tool("sample", args("prompt", "whales"));
    CHECK(sampled.text() == "model-1: about whales");
    auto const roots = co_await client.call_tool("roots");
    CHECK(roots.text() == "file:///one\nfile:///two");
    co_await client.close();
  });
}

TEST_CASE("sdk_server: what the client did not declare is refused", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w) -> asio::awaitable<void> {
    auto client = co_await comcp::connect(sdk_server(w.mode), options_of(w));
    auto const asked = co_await as_result(client.call_tool("ask"));
    if (w.legacy) {
      CHECK((asked && asked->is_error));
    } else {
      auto const missing = comcp::missing_capability_of(asked.error());
      REQUIRE(missing);
      CHECK(missing->required_capabilities.elicitation.has_value());
    }
    co_await client.close();
  });
}

TEST_CASE("sdk_server: resources, templates, prompts and completion", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w) -> asio::awaitable<void> {
    auto client = co_await comcp::connect(sdk_server(w.mode), options_of(w));
    auto const resources = co_await client.list_resources();
    CHECK(resources.size() >= 3);
    auto const text = co_await client.read_resource("test://text");
    CHECK(text.text() == "gr\xc3\xbc\xc3\x9f" "e");
    auto const pixel = co_await client.read_resource("test://pixel");
    CHECK(pixel.contents.at(0).bytes()->size() == 70);
    auto const none = co_await as_result(client.read_resource("test://nothing"));
    CHECK(none.error() == errc::not_found);
    auto const templates = co_await client.list_resource_templates();
    REQUIRE(templates.size() == 1);
    auto const about = co_await client.read_resource(templates[0], args("name", "c++"));
    CHECK_THAT(about.text(), match::contains("about c"));
    comcp::complete_params typing(comcp::resource_template_reference(templates[0].uri_template),
                                  comcp::completion_argument("name", "c"));
    auto const names = co_await client.complete(typing);
    CHECK(names.values() == std::vector<std::string>{"c", "c++", "cobol"});
    CHECK(names.completion.total == 3);
    auto const prompts = co_await client.list_prompts();
    REQUIRE(prompts.size() == 1);
    auto const review = co_await client.get_prompt("review", args("language", "c", "code", "x"));
    CHECK(std::get<comcp::text_content>(review.messages.at(0).content).text == "Review this c: x");
    auto const lacking = co_await as_result(client.get_prompt("review"));
    CHECK(lacking.error().peer() != nullptr);
    co_await client.close();
  });
}

TEST_CASE("sdk_server: subscriptions and changed lists", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w) -> asio::awaitable<void> {
    auto client = co_await comcp::connect(sdk_server(w.mode), handler(), options_of(w));
    int updates = 0;
    co_await client.subscribe("test://counter", [&updates](comcp::resource_updated const&) { ++updates; });
    auto const first = co_await client.call_tool("touch");
    CHECK(updates == 1);
    co_await client.subscribe("test://text");
    auto const second = co_await client.call_tool("touch");
    CHECK(updates == 2);
    CHECK(second.text() != first.text());
    auto const changed = co_await client.call_tool("change_tools");
    CHECK(changed.text() == "added");
    auto const told = co_await eventually([&] { return client.handler().seen->tools_changed == 1; });
    CHECK(told);
    auto const tools = co_await client.list_tools();
    CHECK(tools.find("extra") != nullptr);
    co_await client.unsubscribe("test://counter");
    auto const third = co_await client.call_tool("touch");
    CHECK_FALSE(third.is_error);
    CHECK(updates == 2);
    co_await client.close();
  });
}

TEST_CASE("sdk_server: a listen stream, which the server ends", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(sdk_server("dual"));
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
    auto const bye = co_await client.call_tool("quit");
    CHECK(bye.text() == "bye");
    auto const none = co_await stream.next();
    CHECK_FALSE(none);
    REQUIRE(stream.closed());
    CHECK_FALSE(*stream.closed());  // it ended with a result
    auto const reason = co_await client.closed();
    REQUIRE(reason.detail() != nullptr);
    CHECK(reason.detail()->exit_code == 0);
  });
}

TEST_CASE("sdk_server: a hundred calls at once, with questions among them", "[interop]") {
  COMCP_NEEDS_PEERS();
  each_way([](way const& w) -> asio::awaitable<void> {
    auto client = co_await comcp::connect(sdk_server(w.mode), handler(), options_of(w));
    std::vector<asio::awaitable<comcp::call_tool_result>> calls;
    for (int i = 0; i != 100; ++i) {
      if (i % 10 == 0) {
        calls.push_back(client.call_tool("ask"));
      } else {
        calls.push_back(client.call_tool("echo", args("text", std::to_string(i))));
      }
    }
    auto const all = co_await comcp::all(std::move(calls));
    for (std::size_t i = 0; i != all.size(); ++i) {
      REQUIRE(all[i]);
      CHECK(all[i]->text() == (i % 10 == 0 ? "hello Ann" : std::to_string(i)));
    }
    co_await client.close();
  });
}
