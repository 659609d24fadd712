// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What client.watch_tools(), on_status() and their like give: who listens until it goes away.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace comcp {

/// Listens as long as a copy of it lives, or until stop(). Both may happen on any thread, also once the client is gone; a
/// listener that is being called on the client's executor just then ends first or goes on, but is not called again.
class watch_handle {
 public:
  watch_handle() = default;
  explicit watch_handle(std::function<void()> stop) : stop_(std::make_shared<stopper>(std::move(stop))) {}
  /// Of all copies.
  void stop() noexcept {
    if (auto const last = std::exchange(stop_, nullptr)) last->stop();
  }

 private:
  class stopper {
   public:
    explicit stopper(std::function<void()> f) : call_(std::move(f)) {}
    stopper(stopper const&) = delete;
    stopper& operator=(stopper const&) = delete;
    ~stopper() { stop(); }
    void stop() noexcept {
      if (!stopped_.exchange(true)) call_();
    }

   private:
    std::function<void()> const call_;
    std::atomic<bool> stopped_{false};
  };
  std::shared_ptr<stopper> stop_;
};

}  // namespace comcp
