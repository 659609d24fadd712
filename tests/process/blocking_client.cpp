// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/blocking_client.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/json/describe.hpp>
#include <comcp/transport/stdio.hpp>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;

#if defined(COMCP_DEMO_SERVER)

namespace {

stdio demo() { return stdio(COMCP_DEMO_SERVER); }

struct sum {
  double value = 0;
};
constexpr auto describe(std::type_identity<sum>) { return json::fields(json::field("sum", &sum::value)); }

struct adder {
  double a = 0, b = 0;
};
constexpr auto describe(std::type_identity<adder>) {
  return json::fields(json::field("a", &adder::a), json::field("b", &adder::b));
}

errc code_of(std::function<void()> const& f) {
  try {
    f();
  } catch (exception const& e) {
    return static_cast<errc>(e.error().code().value());
  }
  return errc();
}

}  // namespace

static_assert(std::is_nothrow_move_constructible_v<blocking_client> && !std::is_copy_constructible_v<blocking_client>);

TEST_CASE("blocking_client: it waits for each answer", "[process][threads]") {
  blocking_client c(demo());
  CHECK(c.list_tools().find("add") != nullptr);
  CHECK_FALSE(c.list_resources().empty());
  CHECK_FALSE(c.list_prompts().empty());
  CHECK_FALSE(c.list_resource_templates().empty());
  CHECK(c.call_tool("echo", args("text", "hello")).text() == "hello");
  CHECK(c.call_tool<sum>("add", adder{1, 2}).value == 3);
  blocking_client moved = std::move(c);
  CHECK(moved.wait([](client const& of) { return of.call_tool("echo", args("text", "again")); }).text() == "again");
  CHECK(code_of([&] { (void)c.list_tools(); }) == errc::closed);  // NOLINT: moved from, on purpose
  moved.close();
  CHECK(code_of([&] { (void)moved.list_tools(); }) == errc::closed);
}

TEST_CASE("blocking_client: threads share one, and may stop their calls", "[process][threads]") {
  blocking_client const c(demo());
  std::vector<std::future<std::string>> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(std::async(std::launch::async, [&c, i] {
      return std::string(c.call_tool("echo", args("text", std::to_string(i))).text());
    }));
  }
  for (int i = 0; i < 4; ++i) CHECK(all[static_cast<std::size_t>(i)].get() == std::to_string(i));
  std::stop_source stop;
  std::promise<void> counting;
  auto const counts = [&] {
    (void)c.call_tool("countdown", args("steps", 1000, "delay_ms", 1000),
                      call_options().stop(stop.get_token()).on_progress([&, told = false](auto const&) mutable {
                        if (!std::exchange(told, true)) counting.set_value();
                      }));
  };
  auto ended = std::async(std::launch::async, [&] { return code_of(counts); });
  counting.get_future().wait();
  stop.request_stop();
  CHECK(ended.get() == errc::cancelled);
}

TEST_CASE("blocking_client: its thread cannot wait for itself, and what a callback throws is told",
          "[process][threads]") {
  blocking_client const c(demo());
  errc inside{};
  auto const look = [&](auto const&) { inside = code_of([&] { (void)c.list_tools(); }); };
  (void)c.call_tool("countdown", args("steps", 1, "delay_ms", 0), call_options().on_progress(look));
  CHECK(inside == errc::invalid_argument);
  c.wait([](client const&) -> asio::awaitable<void> {
    auto const on = co_await asio::this_coro::executor;
    asio::post(on, [] { throw std::runtime_error("from a callback"); });
    co_await asio::post(on, asio::use_awaitable);
  });
  CHECK_THROWS_WITH(c.list_tools(), "from a callback");
  CHECK_NOTHROW(c.list_tools());
}

TEST_CASE("blocking_client: who cannot connect is told why, and nothing is left", "[process][threads]") {
  CHECK(code_of([] { blocking_client c(stdio("/nonexistent/server")); }) == errc::connect_failed);
  for (int i = 0; i < 5; ++i) blocking_client const c(demo(), connect_options().legacy());
}

#endif
