// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a connection stands, and who is told when that changes: to be asked and changed on any thread. Internal.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <comcp/client/observer.hpp>

namespace comcp::detail {

class status_listeners {
 public:
  using listener = std::function<void(connection_status)>;

  [[nodiscard]] connection_status now() const noexcept { return now_; }
  void become(connection_status s) noexcept { now_ = s; }
  std::uint64_t add(listener f) {
    std::lock_guard const lock(mutex_);
    all_.emplace_back(++last_, std::make_shared<listener const>(std::move(f)));
    return last_;
  }
  void remove(std::uint64_t id) noexcept {
    std::shared_ptr<listener const> last;  // destroyed outside
    std::lock_guard const lock(mutex_);
    std::erase_if(all_, [&](auto const& each) { return each.first == id && (last = each.second, true); });
  }
  /// On home: tells those who listen when it begins, and still do when it is their turn.
  template <class OnThrow>
  void tell(OnThrow const& threw) const {
    auto const now = now_.load();
    for (std::uint64_t after = 0, end = last(); auto const each = next(after, end);) {
      try {
        (*each)(now);
      } catch (...) {
        threw();
      }
    }
  }

 private:
  [[nodiscard]] std::uint64_t last() const {
    std::lock_guard const lock(mutex_);
    return last_;
  }
  // They stand in the order of their ids.
  [[nodiscard]] std::shared_ptr<listener const> next(std::uint64_t& after, std::uint64_t end) const {
    std::lock_guard const lock(mutex_);
    auto const found = std::find_if(all_.begin(), all_.end(), [&](auto const& each) { return each.first > after; });
    if (found == all_.end() || found->first > end) return {};
    after = found->first;
    return found->second;
  }

  mutable std::mutex mutex_;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<listener const>>> all_;
  std::uint64_t last_ = 0;
  std::atomic<connection_status> now_{connection_status::disconnected};
};

}  // namespace comcp::detail
