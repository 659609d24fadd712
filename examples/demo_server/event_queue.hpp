// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages that wait for the HTTP response which takes them to the client.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "channel.hpp"

namespace demo {

class event_queue final : public channel {
 public:
  /// Dropped once closed; the oldest go where nobody takes them.
  void send(std::string message) override {
    std::lock_guard const lock(lock_);
    if (closed_) return;
    if (waiting_.size() == most_waiting) waiting_.pop_front();
    waiting_.push_back(std::move(message));
    changed_.notify_one();
  }

  /// Nothing when none came in time.
  std::optional<std::string> next(std::chrono::milliseconds time) {
    std::unique_lock lock(lock_);
    if (!changed_.wait_for(lock, time, [this] { return closed_ || !waiting_.empty(); }) || closed_) return {};
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }

  void close() {
    std::lock_guard const lock(lock_);
    closed_ = true;
    changed_.notify_one();
  }
  [[nodiscard]] bool closed() const {
    std::lock_guard const lock(lock_);
    return closed_;
  }

 private:
  static constexpr std::size_t most_waiting = 10'000;

  mutable std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  bool closed_ = false;
};

}  // namespace demo
