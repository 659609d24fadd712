// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include <comcp/transport/named_pipe.hpp>

#include <string>

#include <asio/read.hpp>
#include <asio/windows/object_handle.hpp>
#include <asio/windows/overlapped_ptr.hpp>
#include <asio/write.hpp>

#include <comcp/net/windows.hpp>
#include <comcp/system.hpp>

#include "support/transport_box.hpp"

using asio::windows::stream_handle;
using comcp::errc;
using comcp::outgoing;
using comcp_test::run;
using comcp_test::transport_box;

static_assert(comcp::transport<comcp::named_pipe>);

namespace {

// The server's side of one connection, made before the client comes.
class pipe_server {
 public:
  pipe_server(asio::io_context& io, std::string const& name) : handle_(io) {
    auto const path = comcp::detail::to_wide("\\\\.\\pipe\\" + name);
    HANDLE const made = ::CreateNamedPipeW(path.c_str(), PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED,
                                           PIPE_TYPE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 4, 4096, 4096, 0, nullptr);
    REQUIRE(made != INVALID_HANDLE_VALUE);
    handle_.assign(made);
  }
  // Starts to wait for the client.
  template <class Done>
  void accept(Done done) {
    asio::windows::overlapped_ptr waiting(handle_.get_executor(), [done](std::error_code ec, std::size_t) { done(ec); });
    bool const now = ::ConnectNamedPipe(handle_.native_handle(), waiting.get()) != 0;
    auto const why = ::GetLastError();
    if (!now && why == ERROR_IO_PENDING) {
      waiting.release();
    } else {
      waiting.complete(now || why == ERROR_PIPE_CONNECTED ? std::error_code() : comcp::detail::windows_error(why), 0);
    }
  }
  [[nodiscard]] stream_handle& stream() noexcept { return handle_; }

 private:
  stream_handle handle_;
};

std::string new_name() { return "comcp-test-" + comcp::detail::unguessable_hex(8); }

}  // namespace

TEST_CASE("named_pipe: connects, talks, and connects again after closed", "[transport]") {
  auto const name = new_name();
  asio::io_context io;
  transport_box box(io.get_executor());
  comcp::named_pipe t(GENERATE(false, true) ? name : "\\\\.\\pipe\\" + name);
  auto body = [&]() -> asio::awaitable<void> {
    for (std::size_t round = 1; round <= 2; ++round) {
      pipe_server server(io, name);
      bool accepted = false;
      server.accept([&](std::error_code ec) { accepted = !ec; });
      box.reason.reset();
      (co_await t.open(box)).value();
      CHECK(t.send(outgoing("question")));
      std::string got(9, '\0');
      co_await asio::async_read(server.stream(), asio::buffer(got), asio::use_awaitable);
      CHECK(accepted);
      CHECK(got == "question\n");
      std::string const answer = "answer\n";
      co_await asio::async_write(server.stream(), asio::buffer(answer), asio::use_awaitable);
      co_await box.until_lines(round);
      co_await t.close();
      CHECK(*box.reason == errc::closed);
      comcp::named_pipe const copy(t);
      t = copy;
    }
  };
  run(io, body());
  CHECK(box.lines == std::vector<std::string>{"answer", "answer"});
  CHECK(t.info().kind == "pipe");
}

TEST_CASE("named_pipe: a message larger than the pipe goes through whole, both ways", "[transport]") {
  auto const name = new_name();
  asio::io_context io;
  transport_box box(io.get_executor());
  pipe_server server(io, name);
  server.accept([](std::error_code) {});
  comcp::named_pipe t(name);
  std::string const large(300'000, 'x');
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t.open(box)).value();
    CHECK(t.send(outgoing(large)));
    CHECK(t.send(outgoing("small")));
    std::string got(large.size() + 7, '\0');
    co_await asio::async_read(server.stream(), asio::buffer(got), asio::use_awaitable);
    CHECK((got == large + "\nsmall\n"));
    co_await asio::async_write(server.stream(), asio::buffer(got), asio::use_awaitable);
    co_await box.until_lines(2);
    co_await t.close();
  };
  run(io, body());
  REQUIRE(box.lines.size() == 2);
  CHECK((box.lines[0] == large));
  CHECK(box.lines[1] == "small");
}

TEST_CASE("named_pipe: the end of the server is the end of the stream", "[transport]") {
  auto const name = new_name();
  asio::io_context io;
  transport_box box(io.get_executor());
  auto server = std::make_unique<pipe_server>(io, name);
  server->accept([](std::error_code) {});
  comcp::named_pipe t(name);
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t.open(box)).value();
    server.reset();
    co_await box.until_closed();
    co_await t.close();
  };
  run(io, body());
  CHECK(*box.reason == errc::transport_failed);
  CHECK_THAT(std::string(box.reason->message()), match::contains("the server ended the stream"));
}

TEST_CASE("named_pipe: no server, and what is no pipe of this machine, are not connected to", "[transport]") {
  asio::io_context io;
  transport_box box(io.get_executor());
  auto body = [&]() -> asio::awaitable<void> {
    comcp::named_pipe none(new_name());
    auto opened = co_await none.open(box);
    CHECK(opened.error() == errc::connect_failed);
    for (std::string const name : {"", "\\\\.\\pipe\\", "\\\\elsewhere\\pipe\\x", "C:\\file", "a/b", "\\\\.\\pipe\\a\\b"}) {
      CAPTURE(name);
      comcp::named_pipe refused(name);
      opened = co_await refused.open(box);
      CHECK(opened.error() == errc::invalid_argument);
    }
  };
  run(io, body());
  CHECK_FALSE(box.reason);
}

#endif
