// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is about signals, process groups and users.
#include <comcp/transport/stdio.hpp>

#if !defined(_WIN32)

#include <csignal>

#include <unistd.h>

#include "process/stdio_fixture.hpp"
#include "support/as_nobody.hpp"

using namespace stdio_test;

TEST_CASE("stdio: a server that a signal ends gives the signal", "[process]") {
  fixture f(server("die"));
  f.run([&] { return until_closed(f); });
  CHECK(*f.reason == errc::transport_failed);
  CHECK(f.reason->detail()->term_signal == SIGKILL);
}

TEST_CASE("stdio: a server that ignores SIGTERM is killed", "[process]") {
  auto const clock = std::make_shared<comcp::test::manual_clock>();
  fixture f(server("ignore_term").exit_wait(1s).term_wait(2s).time(clock));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    co_await f.box->until_lines(1);
    asio::co_spawn(f.io(), f.transport->close(), [](std::exception_ptr) {});
    for (auto step : {1s, 2s}) {
      while (!clock->next_deadline()) co_await asio::post(f.io(), asio::use_awaitable);
      CHECK_FALSE(f.box->reason);
      clock->advance(step);
    }
    co_await f.box->until_closed();
  });
  CHECK(*f.reason == errc::closed);
  CHECK(f.reason->detail()->term_signal == SIGKILL);
}

TEST_CASE("stdio: a server that never reads fills the queue, and close is bounded", "[process]") {
  fixture f(server("never_read").queue(comcp::queue_limits().bytes(1 << 20)));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    co_await f.box->until_lines(1);
    comcp::result<void> sent;
    for (int i = 0; i != 1000 && sent; ++i) {
      sent = f.transport->send(outgoing(std::string(10000, 'x'), 1));
      co_await asio::post(f.io(), asio::use_awaitable);
    }
    CHECK(sent.error() == errc::queue_full);
    CHECK(f.transport->abandon(1));
    co_await f.transport->close();
  });
  CHECK(*f.reason == errc::closed);
  CHECK(f.reason->detail()->term_signal == SIGTERM);
}

TEST_CASE("stdio: a grandchild that holds the pipe does not hold us", "[process]") {
  bool const escaped = GENERATE(false, true);
  fixture f(server(escaped ? "grandchild_escaped" : "grandchild"));
  f.run([&] { return until_closed(f); });
  CHECK(f.lines == strings{"parent done"});
  CHECK(*f.reason == errc::transport_failed);
  CHECK(f.reason->detail()->exit_code == 7);
}

TEST_CASE("stdio: a server that closes its stdout or stdin is ended", "[process]") {
  bool const output = GENERATE(true, false);
  fixture f(server(output ? "close_stdout" : "close_stdin"));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    co_await f.box->until_lines(1);
    static_cast<void>(f.transport->send(outgoing("into the void")));
    co_await f.box->until_closed();
  });
  CHECK(*f.reason == errc::transport_failed);
  CHECK(f.reason->message() == (output ? "the server closed its stdout" : "the server closed its stdin"));
  CHECK(f.reason->detail()->term_signal == SIGTERM);
}

TEST_CASE("stdio: a server that may not be killed is told of, and close ends in time", "[process]") {
  if (::geteuid() != 0) COMCP_SKIP("only root can start what it may not kill afterwards");
  auto const clock = std::make_shared<comcp::test::manual_clock>();
  bool const closing = GENERATE(true, false);
  fixture f(server(closing ? "ignore_term" : "mute").exit_wait(2s).term_wait(2s).time(clock));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    int const pid = f.transport->info().pid.value();
    co_await f.box->until_lines(1);
    auto const start = clock->now();
    {
      comcp_test::as_nobody const powerless;
      if (closing) asio::co_spawn(f.io(), f.transport->close(), [](std::exception_ptr) {});
      while (!f.box->reason) {
        if (clock->next_deadline()) clock->advance_to_next();
        co_await asio::post(f.io(), asio::use_awaitable);
      }
    }
    CHECK(clock->now() - start == (closing ? 4s : 2500ms));
    CHECK(f.box->faults.size() == 1);
    CHECK_THAT(std::string(f.box->faults.at(0).message()),
               match::contains("the server process " + std::to_string(pid) + " could not be ended: Operation not permitted"));
    CHECK_THAT(std::string(f.box->reason->message()), match::contains("Operation not permitted"));
    CHECK(::kill(pid, SIGKILL) == 0);
  });
  CHECK(*f.reason == (closing ? errc::closed : errc::transport_failed));
}

TEST_CASE("stdio: environment, directory and arguments reach the server", "[process]") {
  fixture f(server("directory").working_directory("/usr").env("A", "b"));
  f.run([&] { return until_closed(f); });
  CHECK(f.lines == strings{"/usr"});
}

#endif
