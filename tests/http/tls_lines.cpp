// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A byte_stream over asio::ssl::stream, which Asio closes by its lowest layer, and other streams with ways of their
// own.
#include <asio/detached.hpp>
#include <asio/local/connect_pair.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/read_until.hpp>
#include <asio/ssl/context.hpp>
#include <asio/ssl/stream.hpp>
#include <asio/write.hpp>

#include <comcp/transport/byte_stream.hpp>

#include "support/certificates.hpp"
#include "support/transport_box.hpp"

using comcp::errc;
using comcp::outgoing;
using comcp_test::run;
using comcp_test::transport_box;
using socket_type = asio::local::stream_protocol::socket;
using tls = asio::ssl::stream<socket_type>;

static_assert(comcp::line_stream<tls>);
static_assert(comcp::line_stream<socket_type>);
static_assert(comcp::transport<comcp::byte_stream<tls>>);
static_assert(!comcp::line_stream<int>);

namespace {

// A stream that ends in a way of its own.
struct hanging_up {
  explicit hanging_up(socket_type s) : socket(std::move(s)) {}
  template <class Buffers, class Token>
  auto async_read_some(Buffers const& to, Token&& token) {
    return socket.async_read_some(to, std::forward<Token>(token));
  }
  template <class Buffers, class Token>
  auto async_write_some(Buffers const& from, Token&& token) {
    return socket.async_write_some(from, std::forward<Token>(token));
  }
  void hang_up() noexcept {
    std::error_code ignored;
    socket.close(ignored);
    *ended = true;
  }
  socket_type socket;
  std::shared_ptr<bool> ended = std::make_shared<bool>(false);
};

}  // namespace

static_assert(!comcp::line_stream<hanging_up>);  // nobody would know how to close it

struct closes_otherwise : hanging_up {
  using hanging_up::hanging_up;
};

template <>
struct comcp::stream_closer<closes_otherwise> {
  static void close(closes_otherwise& s) noexcept { s.hang_up(); }
};

static_assert(comcp::line_stream<closes_otherwise>);

TEST_CASE("byte_stream: over TLS, whose end is said on both sides", "[transport][tls]") {
  asio::io_context io;
  transport_box box(io.get_executor());
  socket_type here(io), there(io);
  asio::local::connect_pair(here, there);
  auto const who = comcp_test::issue({});
  asio::ssl::context server(asio::ssl::context::tls_server), client(asio::ssl::context::tls_client);
  ::SSL_CTX_use_certificate(server.native_handle(), who.certificate.get());
  ::SSL_CTX_use_PrivateKey(server.native_handle(), who.key.get());
  tls peer(std::move(there), server);
  tls ours(std::move(here), client);

  std::string heard;
  std::error_code how_it_ended;
  auto serve = [&]() -> asio::awaitable<void> {
    co_await peer.async_handshake(asio::ssl::stream_base::server, asio::use_awaitable);
    for (;;) {
      std::string line;
      auto [ec, n] =
          co_await asio::async_read_until(peer, asio::dynamic_buffer(line), '\n', comcp::net::tuple_awaitable);
      if (ec) {
        how_it_ended = ec;
        co_return;
      }
      heard += line;
      co_await asio::async_write(peer, asio::buffer("echo " + line.substr(0, n)), asio::use_awaitable);
    }
  };
  asio::co_spawn(io, serve(), asio::detached);
  auto body = [&]() -> asio::awaitable<void> {
    co_await ours.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
    comcp::byte_stream<tls> t(std::move(ours));
    (co_await t.open(box)).value();
    CHECK(t.send(outgoing(std::string(100'000, 'x'))));
    co_await box.until_lines(1);
    co_await t.close();
  };
  run(io, body());
  io.restart();
  io.run();
  CHECK(heard == std::string(100'000, 'x') + '\n');
  CHECK(box.lines == std::vector<std::string>{"echo " + std::string(100'000, 'x')});
  CHECK(*box.reason == errc::closed);
  CHECK(how_it_ended == asio::error::eof);  // a close_notify: without one it is stream_truncated
}

TEST_CASE("byte_stream: a stream_closer of the user's", "[transport]") {
  asio::io_context io;
  transport_box box(io.get_executor());
  socket_type here(io), there(io);
  asio::local::connect_pair(here, there);
  closes_otherwise stream(std::move(here));
  auto const ended = stream.ended;
  comcp::byte_stream<closes_otherwise> t(std::move(stream));
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t.open(box)).value();
    co_await t.close();
  };
  run(io, body());
  CHECK(*ended);
  CHECK(*box.reason == errc::closed);
}
