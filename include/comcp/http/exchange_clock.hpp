// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// By when something must come on a connection of an Asio engine. Internal.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>

#include <comcp/later.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp::http_detail {

/// The times of one exchange, all of them decided.
struct exchange_times {
  time_source::time_point total_at = time_source::time_point::max();
  std::chrono::nanoseconds connect{}, response{}, idle{};
};

/// Without end, no clock is looked at.
inline time_source::time_point after(time_source const& time, std::chrono::nanoseconds wait) {
  if (wait == std::chrono::nanoseconds::max()) return time_source::time_point::max();
  return comcp::detail::later(time.now(), wait);
}

/// Arming costs more than looking at a clock: an alarm that is early finds out and sets itself again.
class exchange_clock {
 public:
  using time_point = time_source::time_point;

  /// Calls `late` on that executor, at most once for each time that is set, and never once stopped.
  exchange_clock(std::shared_ptr<time_source> time, asio::any_io_executor on, std::function<void()> late)
      : time_(std::move(time)), on_(std::move(on)), late_(std::move(late)) {}
  exchange_clock(exchange_clock const&) = delete;
  exchange_clock& operator=(exchange_clock const&) = delete;

  void begin(exchange_times const& times) {
    times_ = times;
    expect_head();
  }
  /// The response must begin in time.
  void expect_head() { expect(times_.response, errc::response_timeout, times_.total_at); }
  /// A piece of the body must come in time. What is endless has no end to be late for.
  void expect_piece(bool endless) { expect(times_.idle, errc::idle_timeout, end(endless)); }
  /// Nobody waits for bytes now.
  void pause(bool endless) { due(end(endless), errc::exchange_timeout); }
  /// It rests until then.
  void rest(time_point until) { due(until, errc::exchange_timeout); }
  void stop() noexcept {
    due_ = armed_ = time_point::max();
    alarm_.reset();
  }

  [[nodiscard]] bool is_due() const { return due_ <= time_->now(); }
  /// What is late.
  [[nodiscard]] error why() const;

 private:
  [[nodiscard]] time_point end(bool endless) const noexcept { return endless ? time_point::max() : times_.total_at; }
  void expect(std::chrono::nanoseconds wait, errc why, time_point total) {
    auto const at = after(*time_, wait);
    due(std::min(at, total), total < at ? errc::exchange_timeout : why);
  }
  void due(time_point at, errc why) {
    due_ = at;
    why_ = why;
    if (due_ < armed_) arm();
  }
  void arm();
  void on_alarm();

  std::shared_ptr<time_source> time_;
  asio::any_io_executor on_;
  std::function<void()> late_;
  std::unique_ptr<deadline> alarm_;
  exchange_times times_;
  time_point due_ = time_point::max(), armed_ = time_point::max();
  errc why_ = errc::exchange_timeout;
};

}  // namespace comcp::http_detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/exchange_clock.ipp>
#endif
