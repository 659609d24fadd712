// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is about CTRL_BREAK_EVENT and jobs.
#include <comcp/transport/stdio.hpp>

#if defined(_WIN32)

#include "process/stdio_fixture.hpp"

using namespace stdio_test;

namespace {

// Where there is a console, CTRL_BREAK_EVENT ends what does not heed it, with STATUS_CONTROL_C_EXIT, but with 0 under
// wine; without one the job's end does.
bool was_ended(comcp::transport_detail const& detail) {
  return detail.term_signal == comcp_test::terminated || detail.term_signal == comcp_test::killed || detail.exit_code == 0;
}

}  // namespace

TEST_CASE("stdio: what heeds neither the end of its input nor CTRL_BREAK is ended with its job", "[process]") {
  fixture f(server("ignore_term").term_wait(50ms));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    co_await f.box->until_lines(1);
    co_await f.transport->close();
  });
  CHECK(*f.reason == errc::closed);
  CHECK(f.reason->detail()->term_signal == comcp_test::killed);
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
  CHECK(was_ended(*f.reason->detail()));
}

TEST_CASE("stdio: a grandchild that holds the pipe does not hold us", "[process]") {
  fixture f(server(GENERATE(false, true) ? "grandchild_escaped" : "grandchild"));
  f.run([&] { return until_closed(f); });
  CHECK(f.lines == strings{"parent done"});
  CHECK(*f.reason == errc::transport_failed);
  CHECK(f.reason->detail()->exit_code == 7);
}

TEST_CASE("stdio: a server that closes its stdout or stdin is ended", "[process][console]") {
  bool const output = GENERATE(false, true);
  if (!comcp_test::sees_closed_streams()) COMCP_SKIP(comcp_test::streams_stay_open);
  fixture f(server(output ? "close_stdout" : "close_stdin"));
  f.run([&]() -> asio::awaitable<void> {
    (co_await f.transport->open(*f.box)).value();
    co_await f.box->until_lines(1);
    static_cast<void>(f.transport->send(outgoing("into the void")));
    co_await f.box->until_closed();
  });
  CHECK(*f.reason == errc::transport_failed);
  CHECK(was_ended(*f.reason->detail()));
}

TEST_CASE("stdio: the directory reaches the server", "[process]") {
  fixture f(server("directory").working_directory("C:\\windows").env("A", "b"));
  f.run([&] { return until_closed(f); });
  CHECK(f.lines == strings{"C:\\windows"});
}

#endif
