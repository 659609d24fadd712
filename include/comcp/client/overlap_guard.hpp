// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds an executor that runs two handlers of one client at once, which no client survives: a multi-threaded
// io_context needs connect_options().executor(asio::make_strand(io)). Active in debug builds. Internal.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

namespace comcp::detail {

class overlap_guard {
 public:
  /// Held while a handler of the client runs; the same thread may hold it again.
  class scope {
   public:
    explicit scope([[maybe_unused]] overlap_guard& g) noexcept : guard_(g) {
#if !defined(NDEBUG)
      guard_.enter();
#endif
    }
    scope(scope const&) = delete;
    scope& operator=(scope const&) = delete;
    ~scope() {
#if !defined(NDEBUG)
      guard_.leave();
#endif
    }

   private:
    [[maybe_unused]] overlap_guard& guard_;
  };

  void enter() noexcept {
    auto const me = std::this_thread::get_id();
    if (owner_.load(std::memory_order_relaxed) != me) {
      std::thread::id nobody;
      if (!owner_.compare_exchange_strong(nobody, me, std::memory_order_acquire)) {
        std::fputs("comcp: two handlers of one client run at once; on a multi-threaded io_context pass "
                   "connect_options().executor(asio::make_strand(io))\n",
                   stderr);
        std::abort();
      }
    }
    ++depth_;
  }
  void leave() noexcept {
    if (--depth_ == 0) owner_.store(std::thread::id(), std::memory_order_release);
  }

 private:
  std::atomic<std::thread::id> owner_{};
  int depth_ = 0;  // touched by the owner alone
};

}  // namespace comcp::detail
