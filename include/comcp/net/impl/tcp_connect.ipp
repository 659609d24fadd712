// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <comcp/net/tcp_connect.hpp>
#include <comcp/version.hpp>

namespace comcp::net {

COMCP_DECL std::error_code open_socket(asio::ip::tcp::socket& socket, asio::ip::tcp protocol) {
#if defined(SOCK_CLOEXEC)
  int const fd = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC, protocol.protocol());
#else
  int const fd = ::socket(protocol.family(), SOCK_STREAM, protocol.protocol());
  if (fd >= 0) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
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

COMCP_DECL result<void> keep_allowed(endpoints& addresses, address_filter const& allowed, std::string const& name) {
  if (!allowed) return {};
  endpoints kept;
  std::string refused;
  for (auto const& e : addresses) {
    if (allowed(e.address())) {
      kept.push_back(e);
    } else {
      refused += (refused.empty() ? "" : ", ") + e.address().to_string();
    }
  }
  if (kept.empty()) {
    return error(errc::denied, "no address of " + name + " is one that may be connected to (" + refused + ")");
  }
  addresses = std::move(kept);
  return {};
}

}  // namespace comcp::net
