// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/net/socket.hpp>
#include <comcp/net/windows.hpp>
#include <comcp/version.hpp>

#if defined(_WIN32)

#include <mstcpip.h>

namespace comcp::net {
namespace detail {

// A refusal is taken for a mistake and asked again for two seconds, and localhost is ::1 before it is 127.0.0.1.
COMCP_DECL void ask_once(asio::ip::tcp::socket::native_handle_type socket) noexcept {
  TCP_INITIAL_RTO_PARAMETERS once{};
  once.Rtt = TCP_INITIAL_RTO_UNSPECIFIED_RTT;
  once.MaxSynRetransmissions = TCP_INITIAL_RTO_NO_SYN_RETRANSMISSIONS;
  DWORD unused = 0;
  ::WSAIoctl(socket, SIO_TCP_INITIAL_RTO, &once, sizeof once, nullptr, 0, &unused, nullptr, nullptr);
}

}  // namespace detail

COMCP_DECL std::error_code open_socket(asio::ip::tcp::socket& socket, asio::ip::tcp::endpoint const& to) {
  std::error_code ec;
  socket.open(to.protocol(), ec);
  if (ec) return ec;
  keep_from_children(socket.native_handle());
  if (to.address().is_loopback()) detail::ask_once(socket.native_handle());
  socket.non_blocking(true, ec);
  return ec;
}

COMCP_DECL void keep_from_children(asio::ip::tcp::socket::native_handle_type socket) noexcept {
  ::SetHandleInformation(reinterpret_cast<HANDLE>(static_cast<SOCKET>(socket)), HANDLE_FLAG_INHERIT, 0);
}

// SO_REUSEADDR is another thing here: it lets every program take a port that is in use.
COMCP_DECL std::error_code claim_port(asio::ip::tcp::acceptor& acceptor) {
  BOOL const on = TRUE;
  auto const failed = ::setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_EXCLUSIVEADDRUSE,
                                   reinterpret_cast<char const*>(&on), sizeof on);
  return failed == 0 ? std::error_code() : std::error_code(::WSAGetLastError(), std::system_category());
}

}  // namespace comcp::net

#endif
