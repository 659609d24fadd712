// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The life of one server: when it is started, tried again, given up, and why. Whoever drives it starts and ends the
// connections, waits, and gives the time and the randomness.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include <comcp/error.hpp>
#include <comcp/sansio/backoff.hpp>

namespace comcp {

/// Where a server stands.
enum class server_state : std::uint8_t {
  stopped,   ///< Not started yet, or stopped by hand.
  starting,  ///< A connection is being made.
  ready,
  backing_off,  ///< Waits before it is started again.
  failed,       ///< Given up: reconnect() begins anew.
};

std::string_view to_string(server_state s) noexcept;

/// A moment of a server's life.
struct server_event {
  server_event() = default;
  std::chrono::steady_clock::time_point at;  ///< As the time source tells it.
  server_state state = server_state::stopped;  ///< What it came to be.
  error reason;                                ///< Why: empty where all went well.
};

namespace sansio {

/// What the end of a call says about the connection.
enum class call_end : std::uint8_t {
  answered,     ///< The server said something, be it an error or unusable.
  no_verdict,   ///< It was cancelled, timed out (a tool may be slow: pings find a dead server), or never went out.
  undelivered,  ///< The transport failed.
};

/// Without a failure: answered.
call_end end_of_call(error const* failure) noexcept;

/// What to do next.
struct life_step {
  enum class action : std::uint8_t {
    none,
    start,      ///< Begin an attempt to connect.
    rest,       ///< It is stopped: the attempt was the only one.
    wait,       ///< Until `until`; then due() says so.
    give_up,    ///< It has failed.
    reconnect,  ///< End the connection because of `why`, wait until `until`, then due().
  };
  action what = action::none;
  std::chrono::steady_clock::time_point until{};
  error why;
};

/// One server. `random` is from 0 to 1. An event that means nothing in the present state changes nothing.
class server_life {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::size_t history_length = 32;

  explicit server_life(reconnect_policy const& policy) : policy_(policy), backoff_(policy) {}

  /// It is to run: for the first time, or again by hand, which forgets earlier failures. A connection that is ready
  /// stays. `once`: if the attempt fails, that is the end.
  [[nodiscard]] life_step start(time_point now, bool once = false);
  /// The same, but a connection that is ready is to be replaced.
  [[nodiscard]] life_step restart(time_point now);
  /// The attempt made a connection.
  void started(time_point now);
  /// The connection was lost, or the attempt failed.
  [[nodiscard]] life_step lost(time_point now, error why, double random);
  /// The time of a wait has come: an attempt begins. One that comes too early is told to wait on.
  [[nodiscard]] life_step due(time_point now);
  /// A call ended. reconnect_policy::circuit_breaker() undelivered ones in a row open the circuit: what comes after the
  /// wait is a trial, as it is after a loss.
  [[nodiscard]] life_step call_ended(time_point now, call_end how, error const& why, double random);
  /// It is not to run any more.
  void stop(time_point now, error why);

  [[nodiscard]] server_state state() const noexcept { return state_; }
  /// Why it is not ready, or was not when it was not last.
  [[nodiscard]] error const& reason() const noexcept { return reason_; }
  /// In a row: a connection counts as a success once it lived for reconnect_policy::proven_after().
  [[nodiscard]] unsigned failures() const noexcept { return backoff_.failures(); }
  [[nodiscard]] std::uint64_t starts() const noexcept { return starts_; }
  /// While it backs off.
  [[nodiscard]] std::optional<time_point> reconnects_at() const noexcept;
  /// The last 32 events, the oldest first.
  [[nodiscard]] std::deque<server_event> const& history() const noexcept { return history_; }

 private:
  life_step begin(time_point now, life_step::action how);
  void become(server_state s, time_point now, error why);
  life_step fail(time_point now, error why, double random, life_step::action otherwise);

  reconnect_policy policy_;
  backoff backoff_;
  server_state state_ = server_state::stopped;
  error reason_;
  bool once_ = false;
  unsigned undelivered_ = 0;
  std::uint64_t starts_ = 0;
  time_point ready_since_{}, until_{};
  std::deque<server_event> history_;
};

}  // namespace sansio
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/sansio/impl/server_life.ipp>
#endif
