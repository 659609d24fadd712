// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A time_source whose time stands still until a test moves it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <asio/post.hpp>

#include <comcp/net/time_source.hpp>

namespace comcp::test {

/// Time moves by advance() alone. Deadlines that come due are posted to their executor, in the order of their
/// time. Safe from any thread; the deadlines themselves are used from their executor, as the contract says.
class manual_clock final : public time_source {
 public:
  using duration = std::chrono::steady_clock::duration;

  explicit manual_clock(time_point start = time_point(std::chrono::hours(1)))
      : shared_(std::make_shared<shared>()) {
    shared_->now = start;
  }

  [[nodiscard]] time_point now() const noexcept override {
    std::lock_guard const lock(shared_->mutex);
    return shared_->now;
  }

  [[nodiscard]] std::unique_ptr<deadline> make_deadline(asio::any_io_executor executor) override {
    return std::make_unique<manual_deadline>(shared_, std::move(executor));
  }

  /// Moves the time on by `d`.
  void advance(duration d) {
    std::lock_guard const lock(shared_->mutex);
    shared_->now += d;
    shared_->fire_due();
  }

  /// The earliest armed deadline, if there is one.
  [[nodiscard]] std::optional<time_point> next_deadline() const {
    std::lock_guard const lock(shared_->mutex);
    if (shared_->armed.empty()) return {};
    return shared_->armed.begin()->first;
  }

  /// Moves the time to the earliest deadline; false if none is armed.
  bool advance_to_next() {
    std::lock_guard const lock(shared_->mutex);
    if (shared_->armed.empty()) return false;
    if (shared_->armed.begin()->first > shared_->now) shared_->now = shared_->armed.begin()->first;
    shared_->fire_due();
    return true;
  }

 private:
  struct slot {
    explicit slot(asio::any_io_executor ex) : executor(std::move(ex)) {}
    asio::any_io_executor executor;
    std::function<void()> fire;
    std::uint64_t round = 0;
  };

  struct shared : std::enable_shared_from_this<shared> {
    void fire_due() {
      while (!armed.empty() && armed.begin()->first <= now) {
        auto target = armed.begin()->second;
        armed.erase(armed.begin());
        post_fire(std::move(target));
      }
    }

    void post_fire(std::shared_ptr<slot> target) {
      auto const round = target->round;
      auto executor = target->executor;
      asio::post(executor, [owner = this->shared_from_this(), target = std::move(target), round] {
        std::function<void()> fire;
        {
          std::lock_guard const lock(owner->mutex);
          if (target->round != round) return;
          fire = std::exchange(target->fire, nullptr);
        }
        if (fire) fire();
      });
    }

    // What it gives back is destroyed by the caller without the lock: it may own other deadlines.
    [[nodiscard]] std::function<void()> remove(std::shared_ptr<slot> const& s) {
      ++s->round;
      std::erase_if(armed, [&](auto const& entry) { return entry.second == s; });
      return std::exchange(s->fire, nullptr);
    }

    std::mutex mutable mutex;
    time_point now;
    std::multimap<time_point, std::shared_ptr<slot>> armed;
  };

  class manual_deadline final : public deadline {
   public:
    manual_deadline(std::shared_ptr<shared> owner, asio::any_io_executor executor)
        : shared_(std::move(owner)), slot_(std::make_shared<slot>(std::move(executor))) {}
    ~manual_deadline() override { disarm(); }
    manual_deadline(manual_deadline const&) = delete;
    manual_deadline& operator=(manual_deadline const&) = delete;

    void arm(time_point at, std::function<void()> fire) override {
      std::function<void()> replaced;
      std::lock_guard const lock(shared_->mutex);
      replaced = shared_->remove(slot_);
      slot_->fire = std::move(fire);
      shared_->armed.emplace(at, slot_);
      shared_->fire_due();
    }

    void disarm() noexcept override {
      std::function<void()> replaced;
      std::lock_guard const lock(shared_->mutex);
      replaced = shared_->remove(slot_);
    }

   private:
    std::shared_ptr<shared> shared_;
    std::shared_ptr<slot> slot_;
  };

  std::shared_ptr<shared> shared_;
};

}  // namespace comcp::test
