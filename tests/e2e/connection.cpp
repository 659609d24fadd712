// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Connecting to a real server process, in every version and against servers that dislike the probe; and the ways in
// which a connection ends.
#include <asio/bind_cancellation_slot.hpp>
#include <asio/detached.hpp>

#include "e2e/fixture.hpp"

using namespace e2e;

TEST_CASE("connection: it tells who is there, in both eras", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    std::vector<comcp::connection_status> seen;
    comcp::observer watching;
    watching.on_status = [&seen](comcp::connection_status s) { seen.push_back(s); };
    connect_options options;
    options.observe(watching);
    auto client = co_await comcp::connect(demo(flag), options);
    bool const modern = flag == "--modern-only";
    CHECK(client.status() == comcp::connection_status::ready);
    CHECK(client.era() == (modern ? comcp::era::modern : comcp::era::legacy));
    CHECK(client.protocol_version() == (modern ? comcp::version::latest : comcp::version::latest_legacy));
    CHECK(client.server_info().name == "comcp_demo_server");
    CHECK(client.server_info().title == "comcp demo server");
    CHECK(client.capabilities().supports("tools"));
    CHECK(client.capabilities().supports_list_changed("tools"));
    CHECK(client.capabilities().supports_subscribe());
    CHECK(client.capabilities().supports("tasks") == !modern);
    CHECK_THAT(client.instructions(), match::contains("echo"));
    auto const open = co_await client.transport_info();
    CHECK(open.kind == "stdio");
    CHECK(open.pid.value_or(0) > 0);
    CHECK_THAT(open.target, match::contains("demo"));
    CHECK(open.messages_in > 0);
    CHECK_FALSE(open.exit_code);

    co_await client.close();
    co_await client.close();
    CHECK(client.status() == comcp::connection_status::disconnected);
    auto const transport = co_await client.transport_info();
    CHECK(transport.exit_code == 0);
    auto const reason = co_await client.closed();
    CHECK(reason == errc::closed);
    auto late = co_await as_result(client.list_tools());
    CHECK(late.error() == errc::closed);
    using s = comcp::connection_status;
    CHECK(seen == std::vector<s>{s::connecting, s::initializing, s::ready, s::closing, s::disconnected});
  });
}

TEST_CASE("connection: every version can be agreed on", "[e2e]") {
  for (auto const version : comcp::supported_versions()) {
    CAPTURE(std::string(version.text()));
    talk([&]() -> asio::awaitable<void> {
      connect_options options;
      options.allowed_versions({version});
      auto client = co_await comcp::connect(demo(), options);
      CHECK(client.protocol_version() == version);
      auto const tools = co_await client.list_tools();
      CHECK(tools.size() == 18);
      auto const sum = co_await client.call_tool("add", args("a", 2, "b", 3));
      CHECK(sum.text() == R"({"sum":5})");
      co_await client.close();
    });
    talk([&]() -> asio::awaitable<void> {  // the server has only this one
      auto client = co_await comcp::connect(demo("--version-list", std::string(version.text())));
      CHECK(client.protocol_version() == version);
      co_await client.close();
    });
  }
}

TEST_CASE("connection: no common version names both sides", "[e2e]") {
  talk([&]() -> asio::awaitable<void> {
    connect_options options;
    options.pinned(comcp::version::latest);
    auto const r = co_await as_result(comcp::connect(demo("--legacy-only"), options));
    CHECK_FALSE(r);
    CAPTURE(r.error().to_string());
    CHECK((r.error() == errc::no_common_version || r.error().peer() != nullptr));
  });
  talk([&]() -> asio::awaitable<void> {
    connect_options options;
    options.legacy();
    auto const r = co_await as_result(comcp::connect(demo("--modern-only"), options));
    CHECK(r.error() == errc::no_common_version);
    CHECK_THAT(r.error().to_string(), match::contains("2026-07-28"));
  });
}

TEST_CASE("connection: a legacy server may exit or be silent when it is probed", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--exit-on-probe", "--silent-on-probe");
  talk([&]() -> asio::awaitable<void> {
    connect_options options;
    options.probe_timeout(100ms);
    auto client = co_await comcp::connect(demo(flag), options);
    CHECK(client.era() == comcp::era::legacy);
    auto const said = co_await client.call_tool("echo", args("text", "still here"));
    CHECK(said.text() == "still here");
    auto const verdict = client.verdict();
    co_await client.close();

    connect_options known;
    known.prior(verdict).probe_timeout(20s);
    auto const started = std::chrono::steady_clock::now();
    auto again = co_await comcp::connect(demo(flag), known);
    CHECK(again.era() == comcp::era::legacy);
    CHECK(std::chrono::steady_clock::now() - started < 10s);  // was not probed
    co_await again.close();
  });
}

TEST_CASE("connection: a server that cannot be started, or that is none, is an error", "[e2e]") {
  talk([&]() -> asio::awaitable<void> {
    auto const missing = co_await as_result(comcp::connect(comcp::stdio("/no/such/command")));
    CHECK(missing.error() == errc::connect_failed);
    auto const quits = co_await as_result(comcp::connect(comcp::stdio("/bin/sh", "-c", "echo oh no >&2; exit 7")));
    CHECK(quits.error() == errc::transport_failed);
    REQUIRE(quits.error().detail() != nullptr);
    CHECK(quits.error().detail()->exit_code == 7);
    CHECK_THAT(quits.error().detail()->stderr_tail, match::contains("oh no"));
    connect_options hasty;
    hasty.handshake_timeout(200ms).probe_timeout(50ms);
    auto const mute = co_await as_result(comcp::connect(comcp::stdio("/bin/cat", "/dev/null", "-"), hasty));
    CHECK_FALSE(mute);
    auto const silent = co_await as_result(comcp::connect(comcp::stdio("/bin/sleep", "100").exit_wait(20ms), hasty));
    CHECK(silent.error() == errc::timeout);
  });
}

TEST_CASE("connection: a crash ends calls with outcome_unknown, exit status and stderr", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag));
    auto const cut = co_await as_result(client.call_tool("wait", {}, call_options().timeout(20ms)));
    CHECK(cut.error() == errc::timeout);
    auto const said = co_await eventually(
        [&]() -> asio::awaitable<bool> {
      auto const transport = co_await client.transport_info();
      co_return transport.stderr_tail.find("was cancelled: ") != std::string::npos;
    });
    CHECK(said);
    std::vector<asio::awaitable<comcp::call_tool_result>> calls;
    calls.push_back(client.call_tool("wait"));
    calls.push_back(client.call_tool("crash"));
    auto const crashed = co_await comcp::all(std::move(calls));
    for (auto const& r : crashed) {
      CHECK(r.error() == errc::outcome_unknown);
      REQUIRE(r.error().detail() != nullptr);
      CHECK(r.error().detail()->exit_code == 3);
      CHECK_THAT(r.error().detail()->stderr_tail, match::contains("was cancelled: "));
      CHECK_THAT(r.error().to_string(), match::contains("exit status 3"));
    }
    auto const reason = co_await client.closed();
    CHECK(reason.detail()->exit_code == 3);
    auto const late = co_await as_result(client.list_tools());
    CHECK(late.error().code() == reason.code());
    CHECK(client.status() == comcp::connection_status::disconnected);
    co_await client.close();
  });
}

TEST_CASE("connection: close and destruction end what is pending, each call once", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  bool const graceful = GENERATE(true, false);
  talk([&]() -> asio::awaitable<void> {
    auto const ex = co_await asio::this_coro::executor;
    int ended = 0;
    {
      auto client = co_await comcp::connect(demo(flag));
      for (int i = 0; i != 20; ++i) {
        auto done = [&ended](std::exception_ptr e, comcp::call_tool_result) {
          ++ended;
          REQUIRE(e);
          CHECK_THROWS_AS(std::rethrow_exception(e), comcp::exception);
        };
        asio::co_spawn(ex, client.call_tool("wait"), done);
      }
      auto const pending = co_await eventually([&] { return client.statistics().pending == 20; });
      CHECK(pending);
      if (graceful) co_await client.close();
    }
    auto const all = co_await eventually([&] { return ended == 20; });
    CHECK(all);
  });
}

TEST_CASE("connection: cancelling connect leaves nothing behind", "[e2e]") {
  talk([&]() -> asio::awaitable<void> {
    auto const ex = co_await asio::this_coro::executor;
    asio::cancellation_signal stop;
    std::optional<comcp::error> outcome;
    auto attempt = [&]() -> asio::awaitable<void> {
      auto const r = co_await as_result(comcp::connect(demo("--silent-on-probe")));
      outcome = r.error();
    };
    asio::co_spawn(ex, attempt(), asio::bind_cancellation_slot(stop.slot(), asio::detached));
    auto const begun = co_await eventually([n = 0]() mutable { return ++n == 10; });
    CHECK(begun);
    stop.emit(asio::cancellation_type::terminal);
    auto const ended = co_await eventually([&] { return outcome.has_value(); });
    CHECK(ended);
    CHECK(*outcome == errc::cancelled);
  });
}

TEST_CASE("connection: a dead server is started again where the policy says so", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    connect_options options;
    options.reconnect(comcp::reconnect_policy().jitter(0).attempts(3).delay(10ms, 100ms));
    auto client = co_await comcp::connect(demo(flag), options);
    auto const transport_2 = co_await client.transport_info();
    auto const first = transport_2.pid;
    int updates = 0;
    co_await client.subscribe("demo://changes", [&updates](comcp::resource_updated const&) { ++updates; });

    auto const crashed = co_await as_result(client.call_tool("crash"));
    CHECK(crashed.error() == errc::outcome_unknown);
    auto const tools = co_await client.list_tools();  // waits for the new server
    CHECK(tools.size() == 18);
    auto const transport_3 = co_await client.transport_info();
    CHECK(transport_3.pid != first);
    CHECK(client.statistics().reconnects == 1);

    bool heard = false;  // the subscription is back, a moment later
    for (int i = 0; i != 100 && !heard; ++i) {
      auto const touched = co_await client.call_tool("touch", args("uri", "demo://changes"));
      CHECK_FALSE(touched.is_error);
      heard = updates > 0;
    }
    CHECK(heard);
    co_await client.close();
  });
}
