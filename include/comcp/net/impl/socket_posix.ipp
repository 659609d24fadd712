// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/net/socket.hpp>
#include <comcp/version.hpp>

#if !defined(_WIN32)

#include <cerrno>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace comcp::net {

COMCP_DECL std::error_code open_socket(asio::ip::tcp::socket& socket, asio::ip::tcp::endpoint const& to) {
  auto const protocol = to.protocol();
#if defined(SOCK_CLOEXEC)
  int const fd = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC, protocol.protocol());
#else
  int const fd = ::socket(protocol.family(), SOCK_STREAM, protocol.protocol());
  if (fd >= 0) keep_from_children(fd);
#endif
  if (fd < 0) return {errno, std::system_category()};
#if defined(SO_NOSIGPIPE)
  int const on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  std::error_code ec;
  socket.assign(protocol, fd, ec);
  if (ec) {
    ::close(fd);
    return ec;
  }
  socket.non_blocking(true, ec);
  return ec;
}

COMCP_DECL void keep_from_children(asio::ip::tcp::socket::native_handle_type socket) noexcept {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
}

COMCP_DECL std::error_code claim_port(asio::ip::tcp::acceptor& acceptor) {
  std::error_code ec;
  acceptor.set_option(asio::ip::tcp::acceptor::reuse_address(true), ec);
  return ec;
}

}  // namespace comcp::net

#endif
