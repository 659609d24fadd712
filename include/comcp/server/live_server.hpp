// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One server that is kept alive: started, watched, started again. What a registry's entry and a pool's member are;
// what is known of the server, and which call goes where, is theirs. Internal but for server_status.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/net/chance.hpp>
#include <comcp/net/gate.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/sansio/server_life.hpp>
#include <comcp/server/connection.hpp>
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
  std::optional<std::chrono::steady_clock::time_point> reconnects_at;  ///< While backing off.
  std::vector<server_event> history;   ///< The last 32 events, the oldest first.
  implementation server_info;          ///< Of the last connection, and so are the next two.
  std::optional<protocol_version> version;
  comcp::transport_info transport;     ///< Without the session's id.
};

namespace detail {

/// What its owner hears of, on the owner's home, never from inside a call to live_server.
class live_server_owner {
 public:
  virtual void state_changed(std::string const& name) = 0;
  /// It is ready: for the first time or again, the connection's subscriptions and log level restored.
  virtual void became_ready(std::string const& name) = 0;
  /// It will not be tried again: under reconnect_policy::never() it is to be removed.
  virtual void gave_up(std::string const& name) = 0;

 protected:
  ~live_server_owner() = default;
};

/// Where the owner of a server that lives elsewhere is told, as long as its context is there. From any thread.
class owner_home {
 public:
  explicit owner_home(asio::any_io_executor home) : home_(std::move(home)) {}

  template <class F>
  void post(F work) {
    std::lock_guard const lock(mutex_);
    detail::post(home_, std::move(work));
  }
  [[nodiscard]] bool is(asio::any_io_executor const& other) {
    std::lock_guard const lock(mutex_);
    return home_ == other;
  }
  void gone() noexcept {
    std::lock_guard const lock(mutex_);
    home_ = {};
  }

 private:
  std::mutex mutex_;
  asio::any_io_executor home_;
};

/// An owner that is a T with these functions: what of it is virtual is said here, so that a T is compiled by who makes
/// one.
template <class T>
class live_server_owner_of : public live_server_owner {
  void state_changed(std::string const& name) override { static_cast<T&>(*this).member_changed(name); }
  void became_ready(std::string const& name) override { static_cast<T&>(*this).member_ready(name); }
  void gave_up(std::string const& name) override { static_cast<T&>(*this).member_gave_up(name); }
};

/// Everything but status(), look(), connection(), start_in_background(), call_ended(), abandon() and cut() is to be
/// called on home, which runs one handler at a time.
///
/// A connection that is lost is restored by its client, so that handles, subscriptions and log level outlive it. A
/// server that has failed or was stopped has a new client afterwards, which takes over the log level; subscriptions of
/// the old one have ended.
class live_server final : private tenant_of<live_server>, public std::enable_shared_from_this<live_server> {
 public:
  using step = sansio::life_step;

  /// `owner` may go away before. Destroying it is as abandon(). Without `told_at` the owner has the same home.
  COMCP_LAZY live_server(std::string name, server_config config, asio::any_io_executor home,
                         std::shared_ptr<time_source> time, std::weak_ptr<live_server_owner> owner,
                         std::shared_ptr<owner_home> told_at = nullptr);

  /// One attempt; throws what it failed with, and is stopped then. So it is when the wait is cancelled.
  COMCP_LAZY asio::awaitable<void> start();
  /// Attempts as the policy says.
  COMCP_LAZY void start_in_background();
  /// How a call ended, for the circuit: null, or its error.
  COMCP_LAZY void call_ended(error const* failure);
  /// Ends the connection and begins a new one now. Completes when that is ready; throws what the attempt failed with,
  /// after which the policy goes on. Cancelling it stops only the waiting.
  COMCP_LAZY asio::awaitable<void> restart();
  /// Graceful and bounded by the client's close timeout, until it is started or restarted. Cancelling it stops only
  /// the waiting.
  COMCP_LAZY asio::awaitable<void> stop();
  /// Abrupt, for destructors.
  COMCP_LAZY void abandon() noexcept {
    at_home([self = shared_from_this()] { self->abrupt(); });
    cut();  // home may never run again
  }
  void cut() noexcept { connection_.cut(); }

  COMCP_LAZY [[nodiscard]] server_status status() const { return *look(); }
  COMCP_LAZY [[nodiscard]] std::shared_ptr<server_status const> look() const;
  /// The connection if it is ready; it does not own it.
  COMCP_LAZY [[nodiscard]] std::optional<client> connection() const;
  [[nodiscard]] sansio::server_life const& life() const noexcept { return life_; }
  [[nodiscard]] server_config const& config() const noexcept { return config_; }
  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }

  // From its connection.
  COMCP_LAZY void became_ready();
  COMCP_LAZY step lost(error why);
  /// After a pause; or in the client that restores its connection, or that a user told to.
  COMCP_LAZY void attempt_begins();

 private:
  struct outcome;
  struct snapshot {
    snapshot() = default;
    server_status status;
    std::shared_ptr<client_core> core;  // while it is ready
  };

  COMCP_LAZY void carry_out(step const& next);
  /// Waits for what comes of the attempt that is made.
  COMCP_LAZY asio::awaitable<void> attempted();
  COMCP_LAZY void release(error const& why);
  COMCP_LAZY void changed();
  COMCP_LAZY void publish();
  COMCP_LAZY std::shared_ptr<gate> end_all(error const& why);
  COMCP_LAZY void abrupt() noexcept;
  friend tenant_of<live_server>;
  COMCP_LAZY void lose_context() noexcept;

  std::string const name_;
  server_config const config_;
  std::shared_ptr<time_source> time_;
  std::weak_ptr<live_server_owner> owner_;
  std::shared_ptr<owner_home> told_at_;  // where that is elsewhere
  std::atomic<bool> doubtful_ = false;   // calls in a row have failed
  sansio::server_life life_;
  server_connection connection_;
  chance chance_;
  std::shared_ptr<outcome> awaited_;  // of the attempt that is made, where somebody waits for it

  std::mutex mutable mutex_;
  std::shared_ptr<snapshot const> published_;
};

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/server/impl/connection.ipp>
#include <comcp/server/impl/live_server.ipp>
#endif
