// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages as lines over a named pipe of Windows, found by its name. Elsewhere this header is empty: a unix_socket is
// what other systems have.
#pragma once

#include <comcp/transport/byte_stream.hpp>

#if defined(_WIN32)

#include <string>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/windows/stream_handle.hpp>

namespace comcp {
namespace detail {
COMCP_LAZY asio::awaitable<result<asio::windows::stream_handle>> connect_pipe(std::string name);

struct pipe_connector {
  std::string name;
  COMCP_LAZY asio::awaitable<result<asio::windows::stream_handle>> operator()() const { return connect_pipe(name); }
};
}  // namespace detail

/// As named_pipe says. A template, so that only who uses it compiles it.
template <class Connector>
class basic_named_pipe : public byte_stream<asio::windows::stream_handle> {
 public:
  explicit basic_named_pipe(std::string name, stream_options options = stream_options())
      : byte_stream(connector(Connector{name}), options.label("pipe", name)),
        name_(std::move(name)),
        options_(std::move(options)) {}
  basic_named_pipe(basic_named_pipe const& other) : basic_named_pipe(other.name_, other.options_) {}
  basic_named_pipe& operator=(basic_named_pipe const& other) { return *this = basic_named_pipe(other); }
  basic_named_pipe(basic_named_pipe&&) noexcept = default;
  basic_named_pipe& operator=(basic_named_pipe&&) noexcept = default;

 private:
  std::string name_;
  stream_options options_;
};

/// A server of this machine that has made a named pipe: "name", or the whole of "\\.\pipe\name"; any other path, and a pipe
/// of another machine, is refused. open() connects, again and again if asked to, and waits a second for a server that has
/// no instance free. The server can see who this user is but not act as them. A copy has the name and the options, never
/// the connection.
using named_pipe = basic_named_pipe<detail::pipe_connector>;

}  // namespace comcp

#endif

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/named_pipe.ipp>
#endif
