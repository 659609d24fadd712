// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the end-to-end and interop tests share: one conversation under a watchdog, after which nothing may be left
// behind, and a handler that answers everything and keeps what it heard.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <comcp/comcp.hpp>

#include "support/transport_box.hpp"

namespace e2e {

using namespace std::chrono_literals;
using comcp::args;
using comcp::as_result;
using comcp::call_options;
using comcp::connect_options;
using comcp::errc;

/// Runs one coroutine to its end. Afterwards no work, no child process and no descriptor may be left.
template <class Talk>
void talk(Talk conversation, std::chrono::seconds most = 2min) {
  auto const descriptors = comcp_test::open_descriptors();
  {
    asio::io_context io(1);
    comcp_test::run(io, conversation(), most);
    io.restart();
    io.run_for(30s);
    CHECK(io.stopped());  // nothing waits any more
  }
  CHECK_FALSE(comcp_test::has_children());
  CHECK(comcp_test::open_descriptors() == descriptors);
}

/// The bundled demo server.
template <class... Flags>
comcp::stdio demo(Flags... flags) {
  return comcp::stdio(std::vector<std::string>{COMCP_DEMO_SERVER, flags...});
}

/// Looks again every few milliseconds; for what has no event to wait for. False after a minute. The condition gives a bool
/// or an awaitable of one.
template <class Condition>
asio::awaitable<bool> eventually(Condition condition) {
  auto const ex = co_await asio::this_coro::executor;
  asio::steady_timer timer(ex);
  for (auto const limit = std::chrono::steady_clock::now() + 1min; std::chrono::steady_clock::now() < limit;) {
    bool met = false;
    if constexpr (std::same_as<decltype(condition()), bool>) {
      met = condition();
    } else {
      auto asking = condition();
      met = co_await std::move(asking);
    }
    if (met) co_return true;
    timer.expires_after(5ms);
    co_await timer.async_wait(comcp::net::tuple_awaitable);
  }
  co_return false;
}

/// Calls a tool that does not answer and gives the call up once it has `begun` there. Why the call ended.
template <class Client, class Begun>
asio::awaitable<comcp::error> begin_and_give_up(Client const& client, std::string tool, Begun begun) {
  std::stop_source stop;
  auto const how = std::make_shared<std::optional<comcp::error>>();
  auto const ended = [how](std::exception_ptr failed, comcp::call_tool_result const&) {
    try {
      how->emplace();
      if (failed) std::rethrow_exception(failed);
    } catch (comcp::exception const& e) {
      *how = e.error();
    }
  };
  auto const ex = co_await asio::this_coro::executor;
  asio::co_spawn(ex, client.call_tool(tool, {}, call_options().stop(stop.get_token())), ended);
  auto const under_way = co_await eventually(std::move(begun));
  CHECK(under_way);
  stop.request_stop();
  auto const over = co_await eventually([&how] { return how->has_value(); });
  CHECK(over);
  co_return how->value_or(comcp::error());
}

/// What `handler` was asked and told.
struct record {
  std::vector<comcp::elicit_params> forms, pages;
  std::vector<comcp::create_message_params> samplings;
  std::vector<comcp::logging_message> logs;
  std::vector<std::string> completed;
  int tools_changed = 0;
  int roots_asked = 0;
  std::vector<std::string> others;
};

/// Answers everything. Copies share one record.
struct handler {
  std::shared_ptr<record> seen = std::make_shared<record>();
  comcp::elicit_result form_answer = comcp::elicit_result::accept(args("name", "Ann"));
  comcp::elicit_result page_answer = comcp::elicit_result::accept();

  comcp::elicit_result elicit(comcp::elicit_params p) {
    seen->forms.push_back(std::move(p));
    return form_answer;
  }
  comcp::elicit_result elicit_url(comcp::elicit_params p) {
    seen->pages.push_back(std::move(p));
    return page_answer;
  }
  asio::awaitable<comcp::create_message_result> create_message(comcp::create_message_params p) {
    auto const text = p.messages.at(0).content.text();
    seen->samplings.push_back(std::move(p));
    bool const later = co_await eventually([n = 0]() mutable { return ++n == 2; });
    co_return comcp::create_message_result("model-1", later ? "about " + text : "?");
  }
  std::vector<comcp::root> list_roots() {
    ++seen->roots_asked;
    return {comcp::root("file:///one"), comcp::root("file:///two", "two")};
  }
  void on(comcp::logging_message m) { seen->logs.push_back(std::move(m)); }
  void on(comcp::tools_list_changed const&) { ++seen->tools_changed; }
  void on(comcp::elicitation_complete const& c) { seen->completed.push_back(c.elicitation_id); }
  void on(comcp::any_notification const& n) { seen->others.push_back(n.method); }
};

/// Both ways to start the demo server so that one era is spoken.
inline std::vector<std::string> eras() { return {"--modern-only", "--legacy-only"}; }

}  // namespace e2e
