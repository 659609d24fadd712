// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Work at a client's home for whoever waits elsewhere: one hop to begin, one to tell how it ended. Internal.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/cancellation_type.hpp>
#include <asio/execution/outstanding_work.hpp>
#include <asio/prefer.hpp>

#include <comcp/client/waiter.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/result.hpp>

namespace comcp::detail {

/// R is the result that it ends with.
template <class R>
class away : public task, public std::enable_shared_from_this<away<R>> {
 public:
  /// `here` is the executor of who waits.
  away(asio::any_io_executor home, asio::any_io_executor const& here)
      : home_(std::move(home)),
        here_(asio::prefer(here, asio::execution::outstanding_work.tracked)),
        at_home_(here == home_) {}
  away(away const&) = delete;
  away& operator=(away const&) = delete;
  // Its work was destroyed, or could not begin: with the execution context of home.
  ~away() override {
    if (caller_ && !at_home_)
      complete_later(std::move(caller_), here_, error(errc::closed, "the execution context is gone"));
  }

  /// From anywhere. `caller` is completed on its executor, never inside this.
  void begin(waiter<R> caller) {
    caller_ = std::move(caller);
    post(home_, this->shared_from_this());
  }
  /// From anywhere.
  void cancel(asio::cancellation_type how) {
    called_off_ = true;  // seen where it has not begun
    post(home_, [self = this->shared_from_this(), how] {
      if (self->phase_ != phase::ended) self->stop(how);
    });
  }

  // At home to begin, then on the caller's executor to end.
  void run() final {
    if (phase_ == phase::waiting) {
      phase_ = phase::begun;
      return called_off_ ? end(error(errc::cancelled).with_outcome(call_outcome::not_sent)) : start();
    }
    auto caller = std::move(caller_);
    caller.complete(std::move(outcome_), here_);
  }

 protected:
  // All on home.
  virtual void start() = 0;
  virtual void stop(asio::cancellation_type how) = 0;
  void end(R outcome) {
    phase_ = phase::ended;
    outcome_ = std::move(outcome);
    if (at_home_)
      run();
    else
      post(here_, this->shared_from_this());
  }
  /// It ends with what this ends with.
  void walk(asio::awaitable<void> work) { spawn(home_, std::move(work), signal_.slot(), this->shared_from_this()); }
  void stop_walking() { signal_.emit(asio::cancellation_type::terminal); }
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }

 private:
  asio::any_io_executor const home_;
  asio::any_io_executor const here_;
  R outcome_;
  waiter<R> caller_;
  asio::cancellation_signal signal_;
  bool const at_home_;
  enum class phase : std::uint8_t { waiting, begun, ended } phase_ = phase::waiting;
  std::atomic<bool> called_off_{false};
};

/// A coroutine as such work. What it throws is its outcome.
template <class T>
class away_walk final : public away<result<T>> {
 public:
  away_walk(asio::any_io_executor home, asio::any_io_executor const& here, asio::awaitable<T> work)
      : away<result<T>>(std::move(home), here), work_(std::move(work)) {}

 private:
  void start() override {
    this->walk(
        carry(std::static_pointer_cast<away_walk>(this->shared_from_this()), *std::exchange(work_, std::nullopt)));
  }
  // What it did so far is not known, so that it cannot be called off without an effect.
  void stop(asio::cancellation_type how) override {
    if (!is_total_alone(how)) this->stop_walking();
  }
  static asio::awaitable<void> carry(std::shared_ptr<away_walk> self, asio::awaitable<T> work) {
    result<T> r = errc::cancelled;
    try {
      if constexpr (std::is_void_v<T>) {
        co_await std::move(work);
        r = result<T>();
      } else {
        r = co_await std::move(work);
      }
    } catch (...) {
      r = current_error();
    }
    self->end(std::move(r));
  }

  std::optional<asio::awaitable<T>> work_;
};

}  // namespace comcp::detail
