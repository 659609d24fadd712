// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The time of one attempt to connect, and of its parts; it stands still while a user logs in. On home only. Internal.
#pragma once

#include <algorithm>
#include <chrono>

#include <comcp/client/calls.hpp>

namespace comcp::detail {

class attempt {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  using time_point = std::chrono::steady_clock::time_point;

  attempt(calls& table, connect_settings const& settings, bool http) noexcept
      : calls_(table), settings_(settings), http_(http) {}

  void begin() { until_ = later(calls_.now(), settings_.connect_timeout); }
  /// A part takes no longer than what is left for the whole.
  [[nodiscard]] nanoseconds bounded(nanoseconds d) const {
    return std::min(d, std::max<nanoseconds>(until_ - calls_.now(), nanoseconds()));
  }
  /// The end that no pause moves, of a part that begins now.
  [[nodiscard]] time_point hard_end(nanoseconds timeout) const {
    auto const soft = later(calls_.now(), timeout);
    return http_ ? later(soft, settings_.hard_timeout) : soft;
  }
  request_id enlist(pending_entry& e, nanoseconds timeout) {
    return calls_.enlist(e, calls_.now(), timeout, hard_end(timeout), true);
  }

  void authorizing(bool begins) {
    if (begins) {
      if (authorizing_++ == 0) since_ = calls_.now();
      return calls_.hold_clocks(true);
    }
    if (authorizing_ == 0) return;  // stop_authorizing() came before
    if (--authorizing_ == 0 && until_ != time_point::max()) until_ = later(until_, calls_.now() - since_);
    calls_.hold_clocks(false);
  }
  void stop_authorizing() {
    while (authorizing_ > 0) authorizing(false);
  }

 private:
  calls& calls_;
  connect_settings const& settings_;
  bool const http_;
  time_point until_ = time_point::max(), since_;
  unsigned authorizing_ = 0;  // exchanges that wait for credentials
};

}  // namespace comcp::detail
