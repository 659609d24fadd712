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
COMCP_LAZY asio::awaitable<result<asio::local::stream_protocol::socket>> connect_unix(std::string path);

struct unix_connector {
  std::string path;
  COMCP_LAZY asio::awaitable<result<asio::local::stream_protocol::socket>> operator()() const {
    return connect_unix(path);
  }
};
}  // namespace detail

/// As unix_socket says. A template, so that only who uses it compiles it.
template <class Connector>
class basic_unix_socket : public byte_stream<asio::local::stream_protocol::socket> {
 public:
  explicit basic_unix_socket(std::string path, stream_options options = stream_options())
      : byte_stream(connector(Connector{path}), options.label("unix", path)),
        path_(std::move(path)),
        options_(std::move(options)) {}
  basic_unix_socket(basic_unix_socket const& other) : basic_unix_socket(other.path_, other.options_) {}
  basic_unix_socket& operator=(basic_unix_socket const& other) { return *this = basic_unix_socket(other); }
  basic_unix_socket(basic_unix_socket&&) noexcept = default;
  basic_unix_socket& operator=(basic_unix_socket&&) noexcept = default;

 private:
  std::string path_;
  stream_options options_;
};

/// A server that listens on a Unix domain socket. open() connects, again and again if asked to. A copy has the path and
/// the options, never the connection.
using unix_socket = basic_unix_socket<detail::unix_connector>;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/unix_socket.ipp>
#endif
