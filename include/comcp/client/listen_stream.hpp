// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One stream of notifications, as its reader and listen_streams share it. Internal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include <comcp/client/call.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/subscriptions.hpp>

namespace comcp::detail {

/// One subscriptions/listen request and what came on it.
struct listen_stream {
  explicit listen_stream(subscription_filter f) : asked(std::move(f)) {}

  prepared_call call{"subscriptions/listen", {}, {}};
  pending_entry entry;
  pending_entry acknowledgment;  // waited for while it is outstanding
  subscription_filter asked, acknowledged;
  bool is_acknowledged = false;
  std::chrono::steady_clock::time_point acknowledged_at{};
  bool independent = false;  // made by listen(): has a queue and its own reader
  std::deque<any_notification> queue;
  std::atomic<std::uint64_t> dropped{0};
  std::vector<request_id> readers;  // those that wait

  // On any thread.
  [[nodiscard]] std::optional<error> ended() const {
    std::lock_guard const lock(mutex_);
    return ended_;
  }
  /// An empty error: gracefully. The first counts.
  void end(error why) {
    std::lock_guard const lock(mutex_);
    if (!ended_) ended_ = std::move(why);
  }
  void begin_again() {
    std::lock_guard const lock(mutex_);
    ended_.reset();
  }

 private:
  mutable std::mutex mutex_;
  std::optional<error> ended_;
};

}  // namespace comcp::detail
