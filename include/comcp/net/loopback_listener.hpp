// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An HTTP listener on 127.0.0.1 for one redirect of a browser. It answers one request of the expected path and 404s the
// rest. What the redirect says is judged elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/net/time_source.hpp>
#include <comcp/result.hpp>
#include <comcp/secret.hpp>

namespace comcp::net {

/// Where to listen.
class loopback_place {
 public:
  loopback_place() {}
  /// 0, the default: the system chooses.
  loopback_place& port(std::uint16_t p) { return port_ = p, *this; }
  /// "/callback" by default: letters, digits and -._~/ after a slash, without "." and ".." as parts.
  loopback_place& path(std::string p) { return path_ = std::move(p), *this; }
  /// What uri() calls this machine: "127.0.0.1", the default, or "localhost", at which another program may listen on ::1.
  loopback_place& host(std::string h) { return host_ = std::move(h), *this; }
  loopback_place& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] std::string const& host() const noexcept { return host_; }
  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }

 private:
  std::uint16_t port_ = 0;
  std::string path_ = "/callback", host_ = "127.0.0.1";
  std::shared_ptr<time_source> time_ = steady_time();
};

/// Listens from open() until its last copy is destroyed. Used from its executor only.
class loopback_listener {
 public:
  /// errc::connect_failed where the port is taken, invalid_argument for another path or host than loopback_place says.
  COMCP_LAZY static result<loopback_listener> open(asio::any_io_executor executor, loopback_place place);

  /// "http://127.0.0.1:PORT/PATH".
  COMCP_LAZY [[nodiscard]] std::string uri() const;

  /// A page of ours that sends a browser on to `where`, once: whoever asks for it again is refused, and the wait ends with
  /// errc::denied, as somebody may have been there before the user. `path` is hard to guess, and both are as a header
  /// carries them; gives the page's URL.
  COMCP_LAZY std::string lead(std::string path, std::string where);

  /// The first GET of the path whose Host is ours, and whose query `accepts` takes: uri() with that query. Everything else
  /// is answered (404, 405, 400) and waited past, however much of it comes: 8 KiB of head, 10 s each, 64 connections at
  /// once, of which the oldest gives way to a new one. The browser gets a small page without scripts that says whether to
  /// go back to the program. One wait at a time; it may be cancelled.
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<secret>> wait(std::function<bool(std::string_view query)> accepts);

 private:
  struct state;
  explicit loopback_listener(std::shared_ptr<state> s) : state_(std::move(s)) {}
  std::shared_ptr<state> state_;
};

}  // namespace comcp::net

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/net/impl/loopback_listener.ipp>
#endif
