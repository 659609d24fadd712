// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of one connection as the Asio engines use them, without TLS. What is written on it, and when it may be used
// again, is the engine's business.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/socket_base.hpp>

#include <comcp/http/proxy.hpp>

namespace comcp {

/// A connected TCP socket. Used from the socket's executor; never moved, as operations name it.
class plain_stream {
 public:
  using executor_type = asio::ip::tcp::socket::executor_type;

  explicit plain_stream(asio::ip::tcp::socket connected) : socket_(std::move(connected)) {}
  plain_stream(plain_stream const&) = delete;
  plain_stream& operator=(plain_stream const&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }

  /// As Asio's streams have it. asio::error::eof is the peer's orderly end; any other error is a broken connection.
  template <class Token>
  auto async_read_some(asio::mutable_buffer into, Token&& token) {
    return socket_.async_read_some(into, std::forward<Token>(token));
  }
  template <class Token>
  auto async_write_some(asio::const_buffer from, Token&& token) {
    return socket_.async_write_some(from, std::forward<Token>(token));
  }

  /// Takes what is possible without waiting; asio::error::would_block where nothing is.
  std::size_t try_write(asio::const_buffer from, std::error_code& ec) { return socket_.write_some(from, ec); }

  /// Whether the peer sent nothing and closed nothing since: what an idle connection must be to be used again.
  [[nodiscard]] bool quiet() {
    char byte;
    std::error_code ec;
    socket_.receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, ec);
    return ec == asio::error::would_block || ec == asio::error::try_again;
  }

  /// Ends what runs on it with asio::error::operation_aborted.
  void close() noexcept {
    std::error_code ignored;
    socket_.close(ignored);
  }

  /// The proxy that reads the requests on this connection, null where the server itself does. Such requests name their
  /// target in absolute form and carry the route's Proxy-Authorization.
  [[nodiscard]] proxy_route const* forwarded_by() const noexcept { return proxy_ ? &*proxy_ : nullptr; }
  void forwarded_by(proxy_route route) { proxy_.emplace(std::move(route)); }

  /// The address of the server, empty where this leads to a proxy.
  [[nodiscard]] std::string const& server_address() const noexcept { return server_address_; }
  void leads_to_server() {
    std::error_code ec;
    auto const there = socket_.remote_endpoint(ec);
    if (!ec) server_address_ = there.address().to_string();
  }

  [[nodiscard]] asio::ip::tcp::socket& socket() noexcept { return socket_; }

 private:
  asio::ip::tcp::socket socket_;
  std::string server_address_;
  std::optional<proxy_route> proxy_;
};

}  // namespace comcp
