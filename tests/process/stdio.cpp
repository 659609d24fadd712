// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The stdio transport against servers that misbehave: a clear reason each, no zombie, no descriptor, no hang.
#include <comcp/transport/stdio.hpp>

#include <stdexcept>

#include "process/stdio_fixture.hpp"

using namespace stdio_test;

TEST_CASE("stdio: lines go to the server and come back; close ends it with its status", "[process]") {
  fixture f(server("echo").exit_wait(30s));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    for (int i = 0; i != 2000; ++i) CHECK(f.transport->send(outgoing("message " + std::to_string(i))));
    co_await f.box->until_lines(2000);
    CHECK(f.transport->info().kind == "stdio");
    CHECK(f.transport->info().pid.value_or(0) > 0);
    CHECK_FALSE(f.transport->info().exit_code);
    CHECK(f.transport->info().messages_out == 2000);
    CHECK(f.transport->info().messages_in == 2000);
    CHECK(f.transport->send(outgoing("on its way")));
    co_await f.transport->close();
    CHECK(f.transport->info().exit_code == 0);
    CHECK(f.transport->send(outgoing("late")).error() == errc::closed);
  });
  CHECK(f.lines.size() == 2001);
  CHECK(f.lines.back() == "on its way");
  CHECK(*f.reason == errc::closed);
  REQUIRE(f.reason->detail() != nullptr);
  CHECK(f.reason->detail()->exit_code == 0);
}

TEST_CASE("stdio: it opens again after closed, with a new process", "[process]") {
  fixture f(server("echo").exit_wait(30s));
  f.run([&]() -> asio::awaitable<void> {
    std::optional<int> first;
    for (std::size_t round = 1; round <= 2; ++round) {
      f.box->reason.reset();
      (co_await f.transport->open(*f.box)).value();
      auto twice = co_await f.transport->open(*f.box);
      CHECK(twice.error() == errc::connect_failed);
      CHECK(f.transport->info().pid != first);
      first = f.transport->info().pid;
      CHECK(f.transport->send(outgoing("hello")));
      co_await f.box->until_lines(round);
      co_await f.transport->close();
      co_await f.transport->close();
    }
  });
  CHECK(f.lines == strings{"hello", "hello"});
}

TEST_CASE("stdio: a copy has the settings and starts a process of its own", "[process]") {
  fixture f(server("echo").exit_wait(30s));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    comcp::stdio copy(*f.transport);
    CHECK_FALSE(copy.info().pid);
    CHECK(copy.info().target == f.transport->info().target);
    co_await f.transport->close();
    *f.transport = copy;
    f.box->reason.reset();
    (co_await f.transport->open(*f.box)).value();
    CHECK(f.transport->send(outgoing("to the copy")));
    co_await f.box->until_lines(1);
    co_await f.transport->close();
  });
}

TEST_CASE("stdio: a command that does not exist is connect_failed", "[process]") {
  fixture f(comcp::stdio("comcp-no-such-command"));
  f.run([&]() -> asio::awaitable<void> {
    auto opened = co_await f.transport->open(*f.box);
    CHECK(opened.error() == errc::connect_failed);
    CHECK_THAT(opened.error().to_string(), match::contains("comcp-no-such-command"));
    co_await f.transport->close();
  });
  CHECK_FALSE(f.reason);
}

TEST_CASE("stdio: a server that exits at once gives its status", "[process]") {
  fixture f(server("exit_at_once", "17"));
  f.run([&] { return until_closed(f); });
  CHECK(*f.reason == errc::transport_failed);
  CHECK(f.reason->detail()->exit_code == 17);
}

TEST_CASE("stdio: a server that exits mid-call gives its status and its stderr", "[process]") {
  fixture f(server("exit_mid_call"));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    CHECK(f.transport->send(outgoing("call", 1)));
    co_await f.box->until_closed();
  });
  CHECK(*f.reason == errc::transport_failed);
  CHECK(f.reason->detail()->exit_code == 9);
  CHECK(f.reason->detail()->stderr_tail == "boom: call\n");
}

TEST_CASE("stdio: all that was written before the exit is delivered before closed", "[process]") {
  fixture f(server("burst_and_exit"));
  f.run([&] { return until_closed(f); });
  CHECK(f.lines.size() == 1500);
  CHECK(f.reason->detail()->exit_code == 5);
  CHECK(f.reason->detail()->stderr_tail == "last words");
}

TEST_CASE("stdio: destroying it kills at once, and tells nobody", "[process]") {
  fixture f(server("ignore_term"));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    co_await f.box->until_lines(1);
    CHECK(f.transport->send(outgoing("pending")));
    f.transport.reset();
    CHECK_FALSE(comcp_test::has_children());
  });
  CHECK_FALSE(f.reason);
}

TEST_CASE("stdio: it may be destroyed from inside a delivery", "[process]") {
  fixture f(server("echo"));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    f.box->on_line = [&](std::string const&) { f.transport.reset(); };
    CHECK(f.transport->send(outgoing("one")));
    CHECK(f.transport->send(outgoing("two")));
    co_await f.box->until_lines(1);
  });
  CHECK(f.lines == strings{"one"});
  CHECK_FALSE(f.reason);
}

TEST_CASE("stdio: it may be destroyed from inside closed", "[process]") {
  fixture f(server("exit_at_once"));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    f.box->on_closed = [&] { f.transport.reset(); };
    co_await f.box->until_closed();
  });
  CHECK(f.reason->detail()->exit_code == 3);
}

TEST_CASE("stdio: a flood on stderr stalls nothing, and its end is kept", "[process]") {
  fixture f(server("flood_stderr").stderr_to(stderr_target::ring(100)).exit_wait(30s));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    co_await f.box->until_lines(1);
    co_await f.transport->close();
    CHECK(f.transport->info().stderr_tail == std::string(88, 'e') + "end of flood");
  });
  CHECK(f.lines == strings{"flooded"});
}

TEST_CASE("stdio: a sink gets all of stderr; discard keeps none", "[process]") {
  std::size_t got = 0;
  bool const sink = GENERATE(true, false);
  auto target = sink ? stderr_target::sink([&](std::string_view piece) { got += piece.size(); }) : stderr_target::discard();
  fixture f(server("flood_stderr").stderr_to(std::move(target)).exit_wait(30s));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    co_await f.transport->close();
    CHECK(f.transport->info().stderr_tail.size() == (sink ? 4096U : 0U));
  });
  CHECK(got == (sink ? 4096000U + 12U : 0U));
}

TEST_CASE("stdio: a sink that throws stops nothing", "[process]") {
  fixture f(server("flood_stderr").stderr_to(stderr_target::sink([](std::string_view) { throw std::runtime_error("mine"); })).exit_wait(30s));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    co_await f.box->until_lines(1);
    co_await f.transport->close();
  });
  CHECK(f.lines == strings{"flooded"});
}

TEST_CASE("stdio: noise comes as lines, the cut-off end too", "[process]") {
  fixture f(server("noise"));
  f.run([&] { return until_closed(f); });
  CHECK(f.lines == strings{"first", "not json at all", std::string("nul \0 inside", 12), "cut off"});
  CHECK(f.reason->detail()->exit_code == 0);
}

TEST_CASE("stdio: a 64 MB line closes with limit_exceeded, naming the limit", "[process]") {
  fixture f(server("long_line"));
  f.run([&] { return until_closed(f); });
  CHECK(f.lines.empty());
  CHECK(*f.reason == errc::limit_exceeded);
  CHECK_THAT(f.reason->to_string(), match::contains("max_line (16777216 bytes)"));
}

TEST_CASE("stdio: a 64 MB line passes under a larger limit", "[process]") {
  fixture f(server("long_line").max_line(std::size_t{100} << 20));
  f.run([&] { return until_closed(f); });
  REQUIRE(f.lines.size() == 1);
  CHECK(f.lines[0].size() == std::size_t{64} << 20);
}

TEST_CASE("stdio: a server that closes its stdout has half a second to exit, whatever exit_wait says", "[process][console]") {
  if (!comcp_test::sees_closed_streams()) COMCP_SKIP(comcp_test::streams_stay_open);
  auto const clock = std::make_shared<comcp::test::manual_clock>();
  fixture f(server("close_stdout").exit_wait(30s).time(clock));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    while (!clock->next_deadline()) co_await asio::post(f.io(), asio::use_awaitable);
    CHECK(f.transport->send(outgoing("x", 1)).error() == errc::closed);
    clock->advance(500ms);
    co_await f.box->until_closed();
  });
  CHECK(f.reason->message() == "the server closed its stdout");
}

TEST_CASE("stdio: info shows the command without what sounds secret", "[process]") {
  comcp::stdio const t("server", "--api-key", "hush", "--token=hush", "--verbose", "API_KEY=hush", "plain");
  CHECK(t.info().target == "server --api-key *** --token=*** --verbose API_KEY=*** plain");
}
