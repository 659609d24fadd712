// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One server that is kept alive: started, watched, started again. What a registry's entry and a pool's member are;
// what is known of the server, and which call goes where, is theirs. Internal but for server_status.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/sansio/server_life.hpp>
#include <comcp/server/server_config.hpp>

namespace comcp {

/// A server as it was at one moment.
struct server_status {
  server_status() = default;
  std::string name;
  server_state state = server_state::stopped;
  error reason;                        ///< The last failure, while the server is not ready.
  unsigned failures = 0;               ///< In a row.
  std::uint64_t starts = 0;            ///< Connections that became ready.
  std::optional<std::chrono::steady_clock::time_point> retry_at;  ///< While backing off.
  std::vector<server_event> history;   ///< The last 32 events, the oldest first.
  implementation server_info;          ///< Of the last connection, and so are the next two.
  std::optional<protocol_version> version;
  comcp::transport_info transport;
};

namespace detail {

/// What its owner hears of, on home, never from inside a call to live_server.
class live_server_owner {
 public:
  virtual void state_changed(std::string const& name) = 0;
  /// It is ready: for the first time or again, the connection's subscriptions and log level restored.
  virtual void became_ready(std::string const& name) = 0;
  /// It will not be tried again: under no_retry() it is to be removed.
  virtual void gave_up(std::string const& name) = 0;

 protected:
  ~live_server_owner() = default;
};

/// Everything but status() and connection() is to be called on home.
class live_server : public std::enable_shared_from_this<live_server> {
 public:
  /// `owner` may go away before.
  live_server(std::string name, server_config config, asio::any_io_executor home, std::shared_ptr<time_source> time,
              std::weak_ptr<live_server_owner> owner);

  /// One attempt; throws what it failed with, and is stopped then.
  asio::awaitable<void> start();
  /// Attempts as the policy says.
  void start_in_background();
  /// Waits until the server is ready, starting one that is stopped (lazy). Ends when it fails, is stopped, or `until`
  /// comes: with the reason, errc::closed, errc::timeout. A deliberate stop() is not undone by it.
  asio::awaitable<client> ready(std::chrono::steady_clock::time_point until);
  /// How a call ended, for the circuit: null, or its error.
  void call_ended(error const* failure);
  /// Ends the connection and begins a new one now. Completes when that is ready; throws as start() does.
  asio::awaitable<void> restart();
  /// Graceful and bounded by the client's close timeout; for good.
  asio::awaitable<void> stop();
  /// Abrupt, for destructors.
  void abandon() noexcept;

  /// From any thread.
  [[nodiscard]] server_status status() const;
  /// From any thread: the connection if it is ready; it does not own it.
  [[nodiscard]] std::optional<client> connection() const;
  [[nodiscard]] server_config const& config() const noexcept;
  [[nodiscard]] std::string const& name() const noexcept;
};

}  // namespace detail
}  // namespace comcp
