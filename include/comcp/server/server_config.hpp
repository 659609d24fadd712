// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How to reach one server, again and again: what a registry and a pool are given.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>

#include <comcp/client/connect.hpp>
#include <comcp/sansio/reconnect.hpp>
#include <comcp/timespan.hpp>

namespace comcp {

/// When a server is started.
enum class start_mode {
  waits,       ///< At once; adding it returns when it is ready, and throws at the first failure.
  background,  ///< At once; adding it does not wait, and failures are retried as the policy says.
  lazy,        ///< At its first use, which waits for it.
};

/// A transport, a handler, options and a policy. Regular: copies share nothing but the handler.
class server_config {
 public:
  /// Each connection is made with a copy of the transport: comcp::stdio(...), comcp::http(...).
  template <class Transport>
    requires(!std::same_as<Transport, server_config>) && transport<Transport> && std::copy_constructible<Transport>
  server_config(Transport t) {
    auto const original = std::make_shared<Transport const>(std::move(t));
    make_ = [original] { return any_transport(Transport(*original)); };
  }
  /// `make` gives the transport, anew for each connection.
  static server_config from(std::function<any_transport()> make) {
    server_config c;
    c.make_ = std::move(make);
    return c;
  }

  /// Who answers this server. Shared by all connections that are made with copies of this configuration.
  template <comcp::handler Handler>
  server_config& handler(Handler h) {
    return handler_ = any_handler(std::move(h)), *this;
  }
  /// The executor and the policy of reconnect() among them are not used: those below are.
  server_config& options(connect_options o) { return options_ = std::move(o), *this; }
  /// When the server is started again, and when its circuit opens (default: reconnect_policy::forever()). Under never()
  /// a server that is lost is removed. After the last attempt it has failed, and stays so until registry::reconnect().
  server_config& reconnect(reconnect_policy p) { return reconnect_ = p, *this; }
  /// Default: waits.
  server_config& start(start_mode m) { return start_ = m, *this; }
  server_config& background() { return start(start_mode::background); }
  server_config& lazy() { return start(start_mode::lazy); }
  /// Of a registry's server: where its client lives, and its callbacks and handler are called (default: the registry's
  /// own executor). It runs one handler at a time; that of a thread_pool is wrapped in a strand. It is run as long as
  /// the registry is there. A pool's servers are all on the pool's.
  server_config& executor(asio::any_io_executor e) { return executor_ = std::move(e), *this; }
  /// How long one attempt to connect may take, the server's start and the handshake included (default 60 s). The
  /// open_timeout() and handshake_timeout() of the options hold within it.
  server_config& start_timeout(timespan d) { return start_timeout_ = d.as_timeout(), *this; }

  [[nodiscard]] any_transport make_transport() const { return make_(); }
  [[nodiscard]] any_handler const& handler() const noexcept { return handler_; }
  [[nodiscard]] connect_options const& options() const noexcept { return options_; }
  [[nodiscard]] reconnect_policy const& reconnect() const noexcept { return reconnect_; }
  [[nodiscard]] asio::any_io_executor const& executor() const noexcept { return executor_; }
  [[nodiscard]] start_mode start() const noexcept { return start_; }
  [[nodiscard]] std::chrono::nanoseconds start_timeout() const noexcept { return start_timeout_; }

 private:
  server_config() = default;

  std::function<any_transport()> make_;
  any_handler handler_;
  connect_options options_;
  reconnect_policy reconnect_ = reconnect_policy::forever();
  asio::any_io_executor executor_;
  start_mode start_ = start_mode::waits;
  std::chrono::nanoseconds start_timeout_ = std::chrono::seconds(60);
};

}  // namespace comcp
