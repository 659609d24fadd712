// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Durations as options take them.
#pragma once

#include <chrono>

namespace comcp {

/// A duration of any unit; what nanoseconds cannot hold, such as std::chrono::seconds::max(), is the longest one, which
/// options take for "never".
class timespan {
 public:
  template <class Rep, class Period>
  constexpr timespan(std::chrono::duration<Rep, Period> d) noexcept : span_(of(d)) {}  // NOLINT: converting on purpose
  constexpr operator std::chrono::nanoseconds() const noexcept { return span_; }       // NOLINT: likewise

  /// As a timeout: there is none where zero is given.
  [[nodiscard]] constexpr std::chrono::nanoseconds as_timeout() const noexcept {
    return span_ == std::chrono::nanoseconds(0) ? std::chrono::nanoseconds::max() : span_;
  }

 private:
  template <class Rep, class Period>
  static constexpr std::chrono::nanoseconds of(std::chrono::duration<Rep, Period> d) noexcept {
    using std::chrono::nanoseconds;
    using seconds = std::chrono::duration<double>;
    if (seconds(d) >= seconds(nanoseconds::max())) return nanoseconds::max();
    if (seconds(d) <= seconds(nanoseconds::min())) return nanoseconds::min();
    return std::chrono::duration_cast<nanoseconds>(d);
  }

  std::chrono::nanoseconds span_;
};

}  // namespace comcp
