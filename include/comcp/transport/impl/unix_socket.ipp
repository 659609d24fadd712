// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <system_error>

#include <asio/this_coro.hpp>

#include <comcp/net/asio_compat.hpp>
#include <comcp/transport/unix_socket.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<result<asio::local::stream_protocol::socket>> connect_unix(std::string path) {
  auto executor = co_await asio::this_coro::executor;
  asio::local::stream_protocol::endpoint endpoint;
  try {
    endpoint.path(path);
  } catch (std::system_error const&) {
    co_return error(errc::connect_failed, "the socket path is too long: " + path);
  }
  asio::local::stream_protocol::socket socket(executor);
  auto [ec] = co_await net::async_connect(socket, endpoint);
  if (ec) co_return error(errc::connect_failed, path + ": " + ec.message());
  co_return std::move(socket);
}

}  // namespace comcp::detail
