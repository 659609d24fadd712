// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that take their time: progress, timeouts, and cancelling, of which the server's stderr tells whether it was told.
#include <stop_token>
#include <thread>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/detached.hpp>

#include "e2e/fixture.hpp"

using namespace e2e;

namespace {

/// A demo server whose stderr is appended to `out`.
comcp::stdio heard(std::string flag, std::string& out) {
  return demo(std::move(flag)).stderr_to(comcp::stderr_target::sink([&out](std::string_view s) { out += s; }));
}

}  // namespace

TEST_CASE("timing: progress comes to its call, in order", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag));
    std::vector<std::string> seen;
    call_options watched;
    watched.on_progress([&seen](comcp::progress_notification const& p) {
      CHECK(p.total == 4.0);
      seen.push_back(p.message.value_or(""));
    });
    auto const done = co_await client.call_tool("countdown", args("steps", 4, "delay_ms", 1), watched);
    CHECK(done.text() == "Counted down from 4.");
    CHECK(seen == std::vector<std::string>{"3 to go", "2 to go", "1 to go", "0 to go"});
    auto const unwatched = co_await client.call_tool("countdown", args("steps", 2, "delay_ms", 1));
    CHECK(unwatched.text() == "Counted down from 2.");
    CHECK(client.statistics().dropped == 0);

    std::vector<int> counts(10);
    std::vector<asio::awaitable<comcp::call_tool_result>> calls;
    for (std::size_t i = 0; i != counts.size(); ++i) {
      call_options own;
      own.on_progress([&counts, i](comcp::progress_notification const&) { ++counts[i]; });
      calls.push_back(client.call_tool("countdown", args("steps", i, "delay_ms", 1), own));
    }
    auto const all = co_await comcp::all(std::move(calls));
    for (std::size_t i = 0; i != counts.size(); ++i) CHECK((all[i] && counts[i] == static_cast<int>(i)));
    co_await client.close();
  });
}

TEST_CASE("timing: a timeout ends the call and tells the server; progress puts it off, up to the hard bound", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    std::string out;
    auto client = co_await comcp::connect(heard(flag, out));
    auto const waited = co_await as_result(client.call_tool("wait", {}, call_options().timeout(50ms)));
    CHECK(waited.error() == errc::timeout);
    auto const told = co_await eventually([&] { return out.find("was cancelled: timed out") != std::string::npos; });
    CHECK(told);

    auto const extended = call_options().timeout(1500ms);  // 1.9 s in all, 50 ms between two
    auto const slow = co_await client.call_tool("countdown", args("steps", 38, "delay_ms", 50), extended);
    CHECK(slow.text() == "Counted down from 38.");
    auto const bounded = call_options().timeout(400ms).hard_timeout(300ms);
    auto const cut = co_await as_result(client.call_tool("countdown", args("steps", 400, "delay_ms", 50), bounded));
    CHECK(cut.error() == errc::timeout);
    auto rigid = call_options().timeout(200ms).extend_on_progress(false);
    rigid.on_progress([](comcp::progress_notification const&) {});
    auto const stiff = co_await as_result(client.call_tool("countdown", args("steps", 400, "delay_ms", 50), rigid));
    CHECK(stiff.error() == errc::timeout);
    CHECK(client.statistics().timed_out == 3);
    auto const alive = co_await client.call_tool("echo", args("text", "alive"));
    CHECK(alive.text() == "alive");
    co_await client.close();
  });
}

TEST_CASE("timing: the connection's own timeout holds for every call", "[e2e]") {
  talk([&]() -> asio::awaitable<void> {
    connect_options hasty;
    hasty.timeout(50ms);
    auto client = co_await comcp::connect(demo(), hasty);
    auto const waited = co_await as_result(client.call_tool("wait"));
    CHECK(waited.error() == errc::timeout);
    co_await client.close();
  });
}

TEST_CASE("timing: cancelling by slot tells the server", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto const ex = co_await asio::this_coro::executor;
    std::string out;
    auto client = co_await comcp::connect(heard(flag, out));
    asio::cancellation_signal signal;
    std::optional<comcp::error> outcome;
    auto work = [&]() -> asio::awaitable<void> {
      auto const r = co_await as_result(client.call_tool("wait"));
      outcome = r.error();
    };
    asio::co_spawn(ex, work(), asio::bind_cancellation_slot(signal.slot(), asio::detached));
    auto const pending = co_await eventually([&] { return client.statistics().pending == 1; });
    CHECK(pending);
    signal.emit(asio::cancellation_type::terminal);
    auto const told = co_await eventually([&] { return out.find("was cancelled: ") != std::string::npos; });
    CHECK(told);
    REQUIRE(outcome);
    CHECK(*outcome == errc::cancelled);
    CHECK(client.statistics().cancelled == 1);
    co_await client.close();
  });
}

TEST_CASE("timing: one stop token cancels many calls, from another thread", "[e2e][threads]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    std::string out;
    auto client = co_await comcp::connect(heard(flag, out));
    std::stop_source source;
    std::vector<asio::awaitable<comcp::call_tool_result>> calls;
    for (int i = 0; i != 8; ++i)
      calls.push_back(client.call_tool("wait", {}, call_options().stop(source.get_token())));
    std::jthread const user([&source] { source.request_stop(); });
    auto const all = co_await comcp::all(std::move(calls));
    for (auto const& r : all) CHECK(r.error() == errc::cancelled);
    auto const before = co_await as_result(client.call_tool("wait", {}, call_options().stop(source.get_token())));
    CHECK(before.error() == errc::cancelled);  // was never sent
    auto const echo = co_await client.call_tool("echo", args("text", "on"));
    CHECK(echo.text() == "on");
    co_await client.close();
  });
}

TEST_CASE("timing: an idle connection is pinged", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    connect_options options;
    options.ping_interval(10ms);
    auto client = co_await comcp::connect(demo(flag), options);
    auto const before = client.statistics().messages_in;
    auto const answered = co_await eventually([&] { return client.statistics().messages_in >= before + 5; });
    CHECK(answered);
    CHECK(client.status() == comcp::connection_status::ready);
    co_await client.close();
  });
}
