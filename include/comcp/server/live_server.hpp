// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One server that is kept alive: started, watched, started again. What a registry's entry and a pool's member are;
// what is known of the server, and which call goes where, is theirs. Internal but for server_status.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/net/gate.hpp>
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
  comcp::transport_info transport;     ///< Without the session's id.
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

/// Everything but status() and connection() is to be called on home, which runs one handler at a time.
///
/// A connection that is lost is restored by its client, so that handles, subscriptions and log level outlive it. A
/// server that has failed or was stopped has a new client afterwards, which takes over the log level; subscriptions of
/// the old one have ended.
class live_server final : private tenant, public std::enable_shared_from_this<live_server> {
 public:
  /// `owner` may go away before.
  live_server(std::string name, server_config config, asio::any_io_executor home, std::shared_ptr<time_source> time,
              std::weak_ptr<live_server_owner> owner);
  /// As abandon().
  ~live_server() {
    if (core_ && !core_->end_reason()) core_->abandon();
  }
  live_server(live_server const&) = delete;
  live_server& operator=(live_server const&) = delete;

  /// One attempt; throws what it failed with, and is stopped then. So it is when the wait is cancelled.
  asio::awaitable<void> start();
  /// Attempts as the policy says.
  void start_in_background();
  /// Waits until the server is ready, starting one that is stopped (lazy). Ends when it fails, is stopped, or `until`
  /// comes: with the reason, errc::closed, errc::timeout. A deliberate stop() is not undone by it.
  asio::awaitable<client> ready(std::chrono::steady_clock::time_point until);
  /// How a call ended, for the circuit: null, or its error.
  void call_ended(error const* failure);
  /// Ends the connection and begins a new one now. Completes when that is ready; throws what the attempt failed with,
  /// after which the policy goes on. Cancelling it stops only the waiting.
  asio::awaitable<void> restart();
  /// Graceful and bounded by the client's close timeout, until it is started or restarted. Cancelling it stops only
  /// the waiting.
  asio::awaitable<void> stop();
  /// Abrupt, for destructors.
  void abandon() noexcept {
    cut();
    at_home([self = shared_from_this()] { self->abrupt(); });
  }

  /// From any thread: what abandon() does to a process of the server, at once and though home may never run again.
  void cut() noexcept { cut_.pull(); }
  /// From any thread.
  [[nodiscard]] server_status status() const;
  /// From any thread: the connection if it is ready; it does not own it.
  [[nodiscard]] std::optional<client> connection() const;
  [[nodiscard]] server_config const& config() const noexcept { return config_; }
  [[nodiscard]] std::string const& name() const noexcept { return name_; }

 private:
  struct attempts;
  struct waiting;
  struct snapshot {
    snapshot() = default;
    server_status status;
    std::shared_ptr<client_core> core;  // while it is ready
  };
  using step = sansio::life_step;

  [[nodiscard]] connect_options options();
  [[nodiscard]] any_transport make_transport() {
    auto made = config_.make_transport();
    cut_.connect(made.cutter());
    return made;
  }
  void begin();
  asio::awaitable<void> run(std::shared_ptr<attempts> a);
  asio::awaitable<void> try_until_ready(std::shared_ptr<attempts> a);
  asio::awaitable<void> pause(std::shared_ptr<attempts> a);
  void adopt(std::shared_ptr<client_core> core);
  std::shared_ptr<client_core> take_core() {
    if (core_) level_ = core_->settings.log_level;
    return std::exchange(core_, nullptr);
  }
  void core_changed(std::uint64_t epoch, connection_status s);
  void attempt_begins(std::uint64_t epoch);
  step lost(error why);
  void go();
  asio::awaitable<void> outcome();
  void release(error const& why, bool attempt_failed);
  void changed();
  void publish();
  std::shared_ptr<gate> end_connection();
  std::shared_ptr<gate> end_all(error const& why);
  asio::awaitable<void> wind_up(std::shared_ptr<client_core> core, std::shared_ptr<attempts> a, std::shared_ptr<gate> before,
                                std::shared_ptr<gate> over);
  void abrupt() noexcept;
  [[nodiscard]] std::shared_ptr<void> itself() noexcept override { return weak_from_this().lock(); }
  COMCP_DECL void context_gone() noexcept override;
  void tell(void (live_server_owner::*what)(std::string const&));
  [[nodiscard]] std::chrono::steady_clock::time_point now() const noexcept { return time_->now(); }
  [[nodiscard]] double chance() { return std::uniform_real_distribution<double>()(random_); }

  std::string const name_;
  server_config const config_;
  std::shared_ptr<time_source> time_;
  std::weak_ptr<live_server_owner> owner_;
  sansio::server_life life_;
  std::minstd_rand random_{std::random_device()()};

  std::shared_ptr<client_core> core_;    // of the connection, or one that restores it
  kill_switch cut_;                      // of its transport, also while one is being made
  std::shared_ptr<attempts> attempts_;   // to make one, under way
  std::optional<log_level> level_;       // of the last connection
  std::shared_ptr<gate> winding_up_;     // opens when what was ended before is gone
  std::weak_ptr<client_core> leaving_;   // of that
  std::vector<waiting*> waiting_;
  std::uint64_t epoch_ = 0;  // what an earlier one started has no say any more
  bool once_ = false;        // start(): a failure is the end
  bool stopped_by_hand_ = false;

  std::mutex mutable mutex_;
  std::shared_ptr<snapshot const> published_;
};

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/server/impl/live_server.ipp>
#endif
