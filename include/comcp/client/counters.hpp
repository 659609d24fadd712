// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a client counts, to be read on any thread. Internal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include <comcp/client/call.hpp>
#include <comcp/client/statistics.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

/// Changed on home alone, which costs what a plain number does.
class counter {
 public:
  counter& operator+=(std::uint64_t n) noexcept {
    n_.store(n_.load(std::memory_order_relaxed) + n, std::memory_order_release);
    return *this;
  }
  counter& operator++() noexcept { return *this += 1; }
  operator std::uint64_t() const noexcept { return n_.load(std::memory_order_acquire); }  // NOLINT: what it stands for

 private:
  std::atomic<std::uint64_t> n_{0};
};

/// The calls that wait, as long as they do; changed on home alone.
class by_age {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  void add(pending_entry& e, time_point now) noexcept {
    e.age.since = now;
    e.age.older = last_;
    (last_ ? last_->age.younger : first_) = &e;
    last_ = &e;
    if (first_ == &e) publish();
  }
  void remove(pending_entry& e) noexcept {
    auto const [older, younger, since] = std::exchange(e.age, {});
    bool const oldest = first_ == &e;
    if (!older && !oldest) return;  // never added
    (older ? older->age.younger : first_) = younger;
    (younger ? younger->age.older : last_) = older;
    if (oldest) publish();
  }
  /// Whether one that is not the client's own is among them.
  [[nodiscard]] bool has_users() const noexcept {
    auto const* e = first_;
    while (e && e->call->internal) e = e->age.younger;
    return e != nullptr;
  }
  /// When the oldest began; the end of time where none waits. On any thread.
  [[nodiscard]] time_point oldest() const noexcept { return oldest_.load(std::memory_order_relaxed); }

 private:
  void publish() noexcept { oldest_.store(first_ ? first_->age.since : time_point::max(), std::memory_order_relaxed); }

  pending_entry* first_ = nullptr;
  pending_entry* last_ = nullptr;
  std::atomic<time_point> oldest_{time_point::max()};
};

/// As comcp::statistics has them.
struct counters {
  counter tracked, completed, failed, timed_out, cancelled;
  counter late, unknown, dropped, bad_messages, notifications, requests;
  counter messages_in, messages_out, bytes_in, bytes_out, reconnects, renewals;
  counter cache_hits, cache_misses, cache_stores, cache_invalidations, cache_stale, coalesced;
};

/// What happened, and what of it goes on.
class call_records : public counters {
 public:
  using time_point = by_age::time_point;

  /// An entry of the table of calls.
  void began(pending_entry& e, time_point now) noexcept {
    if (e.call && !e.handshake) waiting_.add(e, now);
  }
  void ended(pending_entry& e) noexcept { waiting_.remove(e); }
  /// Whether a call that a user made waits.
  [[nodiscard]] bool serves_user() const noexcept { return waiting_.has_users(); }
  /// On any thread.
  COMCP_LAZY [[nodiscard]] comcp::statistics statistics(time_point now) const noexcept;

 private:
  by_age waiting_;
};

}  // namespace comcp::detail
