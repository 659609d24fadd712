// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <system_error>
#include <utility>

#include <asio/steady_timer.hpp>

#include <comcp/net/time_source.hpp>
#include <comcp/version.hpp>

namespace comcp {
namespace detail {

class steady_deadline final : public deadline {
 public:
  explicit steady_deadline(asio::any_io_executor executor) : state_(std::make_shared<state>(std::move(executor))) {}
  ~steady_deadline() override { disarm(); }
  steady_deadline(steady_deadline const&) = delete;
  steady_deadline& operator=(steady_deadline const&) = delete;

  void arm(time_point at, std::function<void()> fire) override {
    auto const round = ++state_->round;
    state_->fire.swap(fire);
    state_->timer.expires_at(at);
    state_->timer.async_wait([state = state_, round](std::error_code) { run(*state, round); });
  }

  void disarm() noexcept override {
    ++state_->round;
    auto const replaced = std::exchange(state_->fire, nullptr);
    try {
      state_->timer.cancel();
    } catch (std::system_error const&) {
      // The wait then ends at its time, and its round is over.
    }
  }

 private:
  struct state {
    explicit state(asio::any_io_executor executor) : timer(std::move(executor)) {}
    asio::steady_timer timer;
    std::function<void()> fire;
    std::uint64_t round = 0;  // a wait that was replaced after it had completed is known by its round
  };

  static void run(state& s, std::uint64_t round) {
    if (s.round != round) return;
    ++s.round;
    auto fire = std::exchange(s.fire, nullptr);
    if (fire) fire();
  }

  std::shared_ptr<state> state_;
};

class steady_time_source final : public time_source {
 public:
  [[nodiscard]] time_point now() const noexcept override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] std::unique_ptr<deadline> make_deadline(asio::any_io_executor executor) override {
    return std::make_unique<steady_deadline>(std::move(executor));
  }
};

}  // namespace detail

COMCP_DECL std::shared_ptr<time_source> steady_time() {
  static auto const instance = std::make_shared<detail::steady_time_source>();
  return instance;
}

}  // namespace comcp
