// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages as lines over a Unix domain socket, found by its path.
#pragma once

#include <string>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/local/stream_protocol.hpp>

#include <comcp/transport/byte_stream.hpp>

namespace comcp {
namespace detail {
asio::awaitable<result<asio::local::stream_protocol::socket>> connect_unix(std::string path);
}  // namespace detail

/// A server that listens on a Unix domain socket. open() connects, again and again if asked to. A copy has the path and
/// the options, never the connection.
class unix_socket : public byte_stream<asio::local::stream_protocol::socket> {
 public:
  explicit unix_socket(std::string path, stream_options options = stream_options())
      : byte_stream(connector([path] { return detail::connect_unix(path); }), options.label("unix", path)),
        path_(std::move(path)),
        options_(std::move(options)) {}
  unix_socket(unix_socket const& other) : unix_socket(other.path_, other.options_) {}
  unix_socket& operator=(unix_socket const& other) { return *this = unix_socket(other); }
  unix_socket(unix_socket&&) noexcept = default;
  unix_socket& operator=(unix_socket&&) noexcept = default;

 private:
  std::string path_;
  stream_options options_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/unix_socket.ipp>
#endif
