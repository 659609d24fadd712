// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What Asio's sockets do not do by themselves: no child process inherits them, no other program takes their port, and a
// refusal is one at once.
#pragma once

#include <system_error>

#include <asio/ip/tcp.hpp>

#include <comcp/version.hpp>

namespace comcp::net {

/// Opens a non-blocking socket for a connection to `to` that no child inherits, from its beginning where the system can.
std::error_code open_socket(asio::ip::tcp::socket& socket, asio::ip::tcp::endpoint const& to);

/// The same for one that Asio opened or accepted. A child that is started at this moment may have it.
void keep_from_children(asio::ip::tcp::socket::native_handle_type socket) noexcept;

/// Before bind(): the port of a listener that has just ended can be had, that of one that listens cannot.
std::error_code claim_port(asio::ip::tcp::acceptor& acceptor);

}  // namespace comcp::net

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/net/impl/socket_posix.ipp>
#include <comcp/net/impl/socket_windows.ipp>
#endif
