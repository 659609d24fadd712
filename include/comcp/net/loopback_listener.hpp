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

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/result.hpp>
#include <comcp/secret.hpp>

namespace comcp::net {

/// Listens from open() until it is destroyed.
class loopback_listener {
 public:
  /// Port 0: the system chooses. errc::connect_failed where the port is taken.
  static result<loopback_listener> open(asio::any_io_executor executor, std::uint16_t port, std::string path);

  /// "http://127.0.0.1:PORT/PATH".
  [[nodiscard]] std::string uri() const;

  /// The first GET of the path whose Host is ours, and whose query `accepts` takes: uri() with that query. Everything else is answered (404,
  /// 405, 400) and waited past: 16 connections at once, 8 KiB of head, 10 s each, 256 requests in all (errc::limit_exceeded). The
  /// browser gets a small page without scripts that says whether to go back to the program. May be cancelled.
  [[nodiscard]] asio::awaitable<result<secret>> wait(std::function<bool(std::string_view query)> accepts);

 private:
  struct state;
  explicit loopback_listener(std::shared_ptr<state> s) : state_(std::move(s)) {}
  std::shared_ptr<state> state_;
};

}  // namespace comcp::net
