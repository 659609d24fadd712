// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Every server feature as an operation, against the demo server process in both eras.
#include "e2e/fixture.hpp"

using namespace e2e;

namespace {

struct numbers {
  double a = 0, b = 0;
};
constexpr auto describe(std::type_identity<numbers>) {
  return comcp::json::fields(comcp::json::field("a", &numbers::a), comcp::json::field("b", &numbers::b));
}
struct total {
  double sum = 0;
};
constexpr auto describe(std::type_identity<total>) { return comcp::json::fields(comcp::json::field("sum", &total::sum)); }

}  // namespace

TEST_CASE("operations: lists of many pages, whole, page by page and lazily", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag, "--page-size", "2"));
    auto const tools = co_await client.list_tools();
    CHECK(tools.size() == 18);
    CHECK(tools.set_aside().empty());
    REQUIRE(tools.find("add") != nullptr);
    CHECK(tools.find("add")->output_schema.is_object());
    CHECK(tools.find("nothing") == nullptr);
    auto const resources = co_await client.list_resources();
    CHECK(resources.size() == 3);
    auto const templates = co_await client.list_resource_templates();
    REQUIRE(templates.size() == 1);
    CHECK(templates[0].uri_template == "demo://notes/{topic}");
    auto const prompts = co_await client.list_prompts();
    REQUIRE(prompts.size() == 2);
    CHECK(prompts[1].arguments.size() == 2);

    auto const first = co_await client.list_tools_page();
    CHECK(first.tools.size() == 2);
    REQUIRE(first.next_cursor);
    auto const second = co_await client.list_tools_page(first.next_cursor);
    CHECK(second.tools.at(0).name == tools[2].name);
    auto const bad = co_await as_result(client.list_tools_page("no such cursor"));
    CHECK(bad.error().peer() != nullptr);
    auto const empty = co_await as_result(client.list_prompts_page(""));  // is sent as it is
    CHECK(empty.error().peer() != nullptr);
    auto const last = co_await client.list_resources_page("from:2");
    CHECK(last.resources.size() == 1);
    CHECK_FALSE(last.next_cursor);
    auto const only = co_await client.list_resource_templates_page();
    CHECK(only.resource_templates.size() == 1);

    auto walk = client.pages<comcp::resource>();
    auto const one = co_await walk.next();
    auto const two = co_await walk.next();
    auto const end = co_await walk.next();
    REQUIRE(one);
    REQUIRE(two);
    CHECK(one->resources.size() + two->resources.size() == 3);
    CHECK_FALSE(end);
    co_await client.close();
  });
}

TEST_CASE("operations: a list that is longer than the limits is an error", "[e2e]") {
  talk([&]() -> asio::awaitable<void> {
    connect_options few;
    few.limits(comcp::connection_limits().pages(3));
    auto client = co_await comcp::connect(demo("--page-size", "1"), few);
    auto const all = co_await as_result(client.list_tools());
    CHECK(all.error() == errc::limit_exceeded);
    auto const prompts = co_await client.list_prompts();
    CHECK(prompts.size() == 2);
    co_await client.close();
  });
}

TEST_CASE("operations: tools, plain and typed", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag));
    std::string const text = "gr\xc3\xbc\xc3\x9f \"dich\" \\ \n\t\x01 \xf0\x9f\x98\x80";
    auto const echo = co_await client.call_tool("echo", args("text", text));
    CHECK(echo.text() == text);
    auto const sum = co_await client.call_tool("add", comcp::json::raw("{ \"a\": 1.5,\n \"b\": 2 }"));
    CHECK(sum.structured<total>()->sum == 3.5);
    numbers const in{0.25, 0.5};
    auto const typed = co_await client.call_tool<total>("add", in);
    CHECK(typed.sum == 0.75);
    auto const shape = co_await as_result(client.call_tool<numbers>("add", in));
    CHECK(shape.error() == errc::wrong_shape);

    auto const failed = co_await client.call_tool("fail", args("message", "on purpose"));
    CHECK(failed.is_error);
    CHECK(failed.text() == "on purpose");
    CHECK_THROWS_AS(failed.or_throw(), comcp::exception);
    auto const typed_failure = co_await as_result(client.call_tool<total>("fail", in));
    CHECK(typed_failure.error() == errc::tool_failed);
    auto const bad = co_await client.call_tool("add", args("a", "x", "b", 1));
    CHECK(bad.is_error);
    auto const unknown = co_await as_result(client.call_tool("no such tool"));
    REQUIRE(unknown.error().peer() != nullptr);
    CHECK(unknown.error().peer()->code == comcp::error_codes::invalid_params);
    co_await client.close();
  });
}

TEST_CASE("operations: a thousand calls at once keep their answers apart", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag));
    std::vector<asio::awaitable<comcp::call_tool_result>> calls;
    for (int i = 0; i != 1000; ++i) calls.push_back(client.call_tool("echo", args("text", std::to_string(i))));
    auto const answers = co_await comcp::all(std::move(calls));
    bool right = true;
    for (std::size_t i = 0; i != 1000; ++i) right = right && answers[i] && answers[i]->text() == std::to_string(i);
    CHECK(right);
    auto const counted = client.statistics();
    CHECK(counted.completed >= 1000);
    CHECK(counted.pending == 0);
    CHECK(counted.failed + counted.late + counted.unknown + counted.bad_messages == 0);
    co_await client.close();
  });
}

TEST_CASE("operations: results of many megabytes, and one that is too long", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag));
    auto const megabyte = co_await client.call_tool("big");
    CHECK(megabyte.text().size() == 1U << 20);
    auto const ten = co_await client.call_tool("big", args("bytes", 10'000'000));
    auto const text = ten.text();
    CHECK(text.size() == 10'000'000);
    CHECK(text.substr(0, 27) == "abcdefghijklmnopqrstuvwxyza");
    std::string const large(5'000'000, 'x');
    auto const echo = co_await client.call_tool("echo", args("text", large));
    CHECK(echo.text() == large);
    auto const over = co_await as_result(client.call_tool("big", args("bytes", 17 << 20)));
    CHECK_FALSE(over);
    auto const reason = co_await client.closed();
    CHECK(reason == errc::limit_exceeded);
    CHECK_THAT(reason.to_string(), match::contains("max_line"));
  });
}

TEST_CASE("operations: resources and templates", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag));
    auto const text = co_await client.read_resource("demo://greeting");
    CHECK(text.text() == "Hello from the comcp demo server.");
    auto const picture = co_await client.read_resource("demo://logo");
    auto const bytes = picture.contents.at(0).bytes();
    REQUIRE(bytes);
    CHECK(bytes->at(1) == std::byte{'P'});
    auto const templates = co_await client.list_resource_templates();
    auto const note = co_await client.read_resource(templates[0], args("topic", "a/b c"));
    CHECK(note.contents.at(0).uri == "demo://notes/a%2Fb%20c");
    auto const none = co_await as_result(client.read_resource("demo://none"));
    CHECK(none.error() == errc::not_found);
    CHECK(none.error().peer() != nullptr);
    comcp::resource_template broken;
    broken.uri_template = "demo://{";
    auto const unreadable = co_await as_result(client.read_resource(broken, args()));
    CHECK(unreadable.error() == errc::invalid_argument);
    co_await client.close();
  });
}

TEST_CASE("operations: prompts and completion", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag));
    auto const review = co_await client.get_prompt("code_review", args("language", "c++", "framework", "asio"));
    REQUIRE(review.messages.size() == 1);
    auto const* const words = std::get_if<comcp::text_content>(&review.messages[0].content);
    REQUIRE(words != nullptr);
    CHECK_THAT(words->text, match::contains("asio"));
    auto const lacking = co_await as_result(client.get_prompt("code_review"));
    CHECK(lacking.error().peer() != nullptr);

    comcp::complete_params of_prompt(comcp::prompt_reference("code_review"), comcp::completion_argument("language", "c"));
    auto const languages = co_await client.complete(of_prompt);
    CHECK(languages.values() == std::vector<std::string>{"c", "c++"});
    comcp::complete_params with_context(comcp::prompt_reference("code_review"),
                                        comcp::completion_argument("framework", ""));
    with_context.context.emplace().arguments["language"] = "python";
    auto const frameworks = co_await client.complete(with_context);
    CHECK(frameworks.values() == std::vector<std::string>{"django", "fastapi", "flask"});
    comcp::complete_params of_template(comcp::resource_template_reference("demo://notes/{topic}"),
                                       comcp::completion_argument("topic", "j"));
    auto const topics = co_await client.complete(of_template);
    CHECK(topics.values() == std::vector<std::string>{"json"});
    comcp::complete_params of_nothing(comcp::prompt_reference("nothing"), comcp::completion_argument("x", ""));
    auto const nothing = co_await as_result(client.complete(of_nothing));
    CHECK(nothing.error().peer() != nullptr);
    co_await client.close();
  });
}

TEST_CASE("operations: untyped requests, notifications, ping and discover, as the era has them", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag));
    bool const modern = client.era() == comcp::era::modern;
    auto const raw = co_await client.request("tools/call", args("name", "echo", "arguments", args("text", "raw")));
    auto const decoded = raw.get<comcp::call_tool_result>();
    REQUIRE(decoded);
    CHECK(decoded->text() == "raw");
    auto const vendor = co_await as_result(client.request("vendor/unknown"));
    REQUIRE(vendor.error().peer() != nullptr);
    CHECK(vendor.error().peer()->code == comcp::error_codes::method_not_found);
    co_await client.notify("vendor/hello", args("x", 1));
    auto const ping = co_await as_result(client.ping());
    auto const discovered = co_await as_result(client.discover());
    if (modern) {
      CHECK(ping.error() == errc::not_in_protocol);
      REQUIRE(discovered);
      CHECK(discovered->supported_versions == std::vector<std::string>{"2026-07-28"});
    } else {
      CHECK(ping);
      CHECK(discovered.error() == errc::not_in_protocol);
      auto const listened = co_await as_result(client.listen(comcp::subscription_filter()));
      CHECK(listened.error() == errc::not_in_protocol);
    }
    auto const sent = client.statistics().messages_out;
    auto const meta = co_await as_result(client.call_tool("echo", args("text", "x"), call_options().meta("bad key!", 1)));
    CHECK(meta.error() == errc::invalid_argument);
    CHECK(client.statistics().messages_out == sent);
    auto const good_meta = co_await client.call_tool("echo", args("text", "x"), call_options().meta("example.com/k", 1));
    CHECK(good_meta.text() == "x");
    co_await client.close();
  });
}

TEST_CASE("operations: interceptors see, change, answer and deny calls", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    std::vector<std::string> seen;
    comcp::interceptor approval;
    approval.before = [&seen](comcp::outgoing_call& c) -> asio::awaitable<std::optional<comcp::json::value>> {
      seen.push_back(c.method + " " + c.name);
      if (c.name == "crash") throw comcp::exception(comcp::error(errc::denied, "the user said no"));
      if (c.name == "add") co_return comcp::json::parse(R"({"content":[],"structuredContent":{"sum":-1}})").value();
      if (c.name == "echo") c.params = args("name", "echo", "arguments", args("text", "changed"));
      co_return std::nullopt;
    };
    approval.after = [&seen](comcp::outgoing_call const& c, comcp::result<comcp::json::value>& r) -> asio::awaitable<void> {
      seen.push_back("after " + c.name + (r ? "" : " failed"));
      co_return;
    };
    connect_options options;
    options.intercept(approval);
    auto client = co_await comcp::connect(demo(flag), options);
    auto const denied = co_await as_result(client.call_tool("crash"));
    CHECK(denied.error() == errc::denied);
    numbers const in{1, 2};
    auto const answered = co_await client.call_tool<total>("add", in);
    CHECK(answered.sum == -1);
    auto const changed = co_await client.call_tool("echo", args("text", "original"));
    CHECK(changed.text() == "changed");
    auto const unknown = co_await as_result(client.call_tool("nothing"));
    CHECK_FALSE(unknown);
    REQUIRE(seen.size() >= 7);
    CHECK(seen.front() == "tools/call crash");
    CHECK(seen.back() == "after nothing failed");
    co_await client.close();
  });
}
