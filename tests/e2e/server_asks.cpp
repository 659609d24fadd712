// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the demo server asks of its client, in both eras: forms, pages, samples and roots; and its log messages.
#include "e2e/fixture.hpp"

using namespace e2e;

TEST_CASE("server asks: a form is answered, with its defaults filled in", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag), handler());
    auto& h = client.handler();
    auto const polite = co_await client.call_tool("ask_name");
    CHECK(polite.text() == "A very good day to you, Ann.");
    REQUIRE(h.seen->forms.size() == 1);
    CHECK(h.seen->forms[0].message == "What is your name?");
    CHECK(h.seen->forms[0].mode == comcp::elicit_mode::form);
    auto const fields = h.seen->forms[0].fields();
    REQUIRE(fields);
    REQUIRE(fields->size() == 2);
    CHECK(fields->at(0).name == "name");
    CHECK(fields->at(0).required);

    h.form_answer = comcp::elicit_result::accept(args("name", "Bob", "polite", false));
    auto const short_of_words = co_await client.call_tool("ask_name");
    CHECK(short_of_words.text() == "Hello, Bob.");
    h.form_answer = comcp::elicit_result::decline();
    auto const declined = co_await client.call_tool("ask_name");
    CHECK(declined.text() == "No name was given (decline).");
    h.form_answer = comcp::elicit_result::cancel();
    auto const cancelled = co_await client.call_tool("ask_name");
    CHECK(cancelled.text() == "No name was given (cancel).");

    h.form_answer = comcp::elicit_result::accept(args("name", 7));  // is not what the schema asks for
    auto const wrong = co_await as_result(client.call_tool("ask_name"));
    if (client.era() == comcp::era::modern) {
      CHECK(wrong.error() == errc::validation_failed);
    } else {
      CHECK((!wrong || wrong->is_error));
    }
    h.form_answer = comcp::elicit_result::accept(args("name", "Eve"));
    auto const well = co_await client.call_tool("ask_name");
    CHECK(well.text() == "A very good day to you, Eve.");
    co_await client.close();
  });
}

TEST_CASE("server asks: pages, samples and roots", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag), handler());
    auto& h = client.handler();
    auto const logged_in = co_await client.call_tool("ask_login");
    CHECK(logged_in.text() == "Logged in.");
    REQUIRE(h.seen->pages.size() == 1);
    CHECK(h.seen->pages[0].url == "https://login.example.com/start?session=demo");
    if (client.era() == comcp::era::legacy) {
      auto const told = co_await eventually([&] { return h.seen->completed.size() == 1; });
      CHECK(told);
      CHECK(h.seen->completed.at(0) == h.seen->pages[0].elicitation_id);
    }
    h.page_answer = comcp::elicit_result::decline();
    auto const not_in = co_await client.call_tool("ask_login");
    CHECK(not_in.text() == "Not logged in (decline).");

    auto const summary = co_await client.call_tool("summarize", args("text", "whales"));
    CHECK(summary.text() == "model-1 says: about Summarize in one sentence: whales");
    REQUIRE(h.seen->samplings.size() == 1);
    CHECK(h.seen->samplings[0].max_tokens == 200);
    CHECK(h.seen->samplings[0].system_prompt == "You write short summaries.");

    auto const roots = co_await client.call_tool("list_my_roots");
    CHECK(roots.text() == "2 roots\nfile:///one\nfile:///two");
    co_await client.close();
  });
}

TEST_CASE("server asks: ten questions at once", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag), handler());
    std::vector<asio::awaitable<comcp::call_tool_result>> calls;
    for (int i = 0; i != 10; ++i) calls.push_back(client.call_tool("summarize", args("text", std::to_string(i))));
    auto const answers = co_await comcp::all(std::move(calls));
    for (std::size_t i = 0; i != answers.size(); ++i) {
      REQUIRE(answers[i]);
      CHECK_THAT(answers[i]->text(), match::ends_with(": " + std::to_string(i)));
    }
    co_await client.close();
  });
}

TEST_CASE("server asks: what was not offered is not asked for", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag));
    for (auto const* const tool : {"ask_name", "ask_login", "list_my_roots"}) {
      auto const r = co_await as_result(client.call_tool(tool));
      if (client.era() == comcp::era::legacy) {
        CHECK((r && r->is_error));
      } else {
        REQUIRE(r.error().peer() != nullptr);
        CHECK(r.error().peer()->code == comcp::error_codes::missing_required_client_capability);
        CHECK(comcp::missing_capability_of(r.error()).has_value());
      }
    }
    co_await client.close();
  });
}

namespace {
struct refusing {
  comcp::create_message_result create_message(comcp::create_message_params const&) {
    throw comcp::exception(comcp::error::from_peer({comcp::error_codes::user_rejected, "not today", {}}));
  }
  comcp::elicit_result elicit(comcp::elicit_params const&) { throw std::runtime_error("a secret"); }
};
}  // namespace

TEST_CASE("server asks: a handler may refuse, or throw, and the connection lives on", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag), refusing());
    auto const refused = co_await as_result(client.call_tool("summarize", args("text", "x")));
    auto const thrown = co_await as_result(client.call_tool("ask_name"));
    if (client.era() == comcp::era::modern) {
      CHECK(refused.error() == errc::input_refused);
      CHECK_THAT(refused.error().to_string(), match::contains("not today"));
      CHECK(thrown.error() == errc::input_refused);
    } else {
      CHECK((!refused || refused->is_error));
      CHECK((!thrown || thrown->is_error));
      auto const text = thrown ? thrown->text() : thrown.error().to_string();
      CHECK_THAT(text, !match::contains("secret"));
    }
    auto const echo = co_await client.call_tool("echo", args("text", "alive"));
    CHECK(echo.text() == "alive");
    co_await client.close();
  });
}

TEST_CASE("server asks: root_list can be changed, and the server is told", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    comcp::root_list roots({comcp::root("file:///a")});
    auto client = co_await comcp::connect(demo(flag), roots);
    auto const before = co_await client.call_tool("list_my_roots");
    CHECK(before.text() == "1 roots\nfile:///a");
    roots.add(comcp::root("file:///b"));
    co_await roots.notify(client);
    auto const after = co_await client.call_tool("list_my_roots");
    CHECK(after.text() == "2 roots\nfile:///a\nfile:///b");
    CHECK(roots.remove("file:///a"));
    CHECK_FALSE(roots.remove("file:///a"));
    CHECK_THROWS_AS(roots.add(comcp::root("http://x")), comcp::exception);
    auto const direct = co_await as_result(client.notify_roots_changed());
    CHECK(direct.has_value() == (client.era() == comcp::era::legacy));
    co_await client.close();
  });
}

TEST_CASE("server asks: manual_input hands the question to the caller, and resume goes on", "[e2e]") {
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo("--modern-only"), handler());
    auto const stopped = co_await client.call_tool("ask_name", {}, call_options().manual_input());
    CHECK(stopped.result_type == "input_required");
    CHECK(client.handler().seen->forms.empty());
    auto const asked = stopped.raw.pointer("/inputRequests/name/params/message");
    REQUIRE(asked);
    CHECK(asked->as_string() == "What is your name?");
    auto const answer = args("action", "accept", "content", args("name", "Zoe", "polite", false));
    auto const done = co_await client.resume<comcp::call_tool_result>(stopped.raw, args("name", answer));
    CHECK(done.text() == "Hello, Zoe.");
    auto const foreign = co_await as_result(client.resume<comcp::call_tool_result>(done.raw, args()));
    CHECK(foreign.error() == errc::invalid_argument);
    co_await client.close();
  });
}

TEST_CASE("server asks: log messages from the wanted level on", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    connect_options options;
    options.log_level(comcp::log_level::warning);
    auto client = co_await comcp::connect(demo(flag), handler(), options);
    auto& logs = client.handler().seen->logs;
    for (auto const* const level : {"debug", "warning", "emergency"}) {
      auto const logged = co_await client.call_tool("log", args("level", level, "message", level));
      CHECK(logged.text() == "Logged.");
    }
    auto const two = co_await eventually([&] { return logs.size() == 2; });
    CHECK(two);
    REQUIRE(logs.size() == 2);
    CHECK(logs[0].level == comcp::log_level::warning);
    CHECK(logs[1].data.as_string() == "emergency");
    CHECK(logs[1].logger == "demo");
    co_await client.set_log_level(comcp::log_level::debug);
    auto const fine = co_await client.call_tool("log", args("level", "debug", "message", "small"));
    CHECK(fine.text() == "Logged.");
    auto const three = co_await eventually([&] { return logs.size() == 3; });
    CHECK(three);
    if (client.era() == comcp::era::modern) {
      auto const quiet = call_options().log_level(comcp::log_level::error);
      auto const unheard = co_await client.call_tool("log", args("level", "debug", "message", "smaller"), quiet);
      CHECK(unheard.text() == "Logged.");
      CHECK(logs.size() == 3);
    }
    co_await client.close();
  });
}

TEST_CASE("server asks: chained handlers, and a broadcast to several listeners", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    comcp::broadcast news;
    auto const wide = news.listen();
    auto const narrow = news.listen(1);
    std::vector<std::string> lines;
    comcp::log_handler log([&lines](comcp::logging_message const& m) { lines.push_back(m.data.dump()); });
    connect_options options;
    options.log_level(comcp::log_level::debug);
    auto chain = comcp::handlers(comcp::root_list({comcp::root("file:///r")}), log, news);
    auto client = co_await comcp::connect(demo(flag), chain, options);
    auto const roots = co_await client.call_tool("list_my_roots");
    CHECK(roots.text() == "1 roots\nfile:///r");
    for (int i = 0; i != 3; ++i) {
      auto const logged = co_await client.call_tool("log", args("level", "info", "message", std::to_string(i)));
      CHECK_FALSE(logged.is_error);
    }
    auto const first = co_await wide.next();
    CHECK(first.method == "notifications/message");
    auto const rest = co_await eventually([&] { return wide.size() == 2 && narrow.size() == 1; });
    CHECK(rest);
    CHECK(narrow.dropped() == 2);
    CHECK(lines == std::vector<std::string>{"\"0\"", "\"1\"", "\"2\""});
    co_await client.close();
  });
}
