// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/transport/unix_socket.hpp>

#include <string>

#include <asio/read.hpp>
#include <asio/write.hpp>

#include <comcp/system.hpp>

#include "support/temporary_folder.hpp"
#include "support/transport_box.hpp"
#include "support/under_wine.hpp"

using comcp::errc;
using comcp::outgoing;
using comcp_test::run;
using comcp_test::transport_box;
using asio::local::stream_protocol;

static_assert(comcp::transport<comcp::unix_socket>);

namespace {

struct directory {
  comcp_test::temporary_folder folder;
  std::string path = comcp::detail::text_of_path(folder.path);
};

}  // namespace

TEST_CASE("unix_socket: connects, talks, and connects again after closed", "[transport]") {
  if (comcp_test::is_wine()) COMCP_SKIP("Wine 8 has no unix sockets");
  directory const d;
  asio::io_context io;
  stream_protocol::acceptor acceptor(io, stream_protocol::endpoint(d.path + "/s"));
  transport_box box(io.get_executor());
  comcp::unix_socket t(d.path + "/s");
  auto body = [&]() -> asio::awaitable<void> {
    for (std::size_t round = 1; round <= 2; ++round) {
      box.reason.reset();
      (co_await t.open(box)).value();
      auto twice = co_await t.open(box);
      CHECK(twice.error() == errc::connect_failed);
      CHECK(t.send(outgoing("question")));
      stream_protocol::socket peer = co_await acceptor.async_accept(asio::use_awaitable);
      std::string got(9, '\0');
      co_await asio::async_read(peer, asio::buffer(got), asio::use_awaitable);
      CHECK(got == "question\n");
      std::string const answer = "answer\n";
      co_await asio::async_write(peer, asio::buffer(answer), asio::use_awaitable);
      co_await box.until_lines(round);
      co_await t.close();
      CHECK(*box.reason == errc::closed);
      comcp::unix_socket const copy(t);
      t = copy;
    }
  };
  run(io, body());
  CHECK(box.lines == std::vector<std::string>{"answer", "answer"});
  CHECK(t.info().kind == "unix");
  CHECK(t.info().target == d.path + "/s");
}

TEST_CASE("unix_socket: no server and an impossible path are connect_failed", "[transport]") {
  directory const d;
  asio::io_context io;
  transport_box box(io.get_executor());
  std::string const path = GENERATE(false, true) ? std::string(500, 'p') : d.path + "/none";
  comcp::unix_socket t(path);
  auto body = [&]() -> asio::awaitable<void> {
    auto opened = co_await t.open(box);
    CHECK(opened.error() == errc::connect_failed);
    CHECK(t.send(outgoing("x")).error() == errc::closed);
    co_await t.close();
  };
  run(io, body());
  CHECK_FALSE(box.reason);
}
