// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of moments and users' durations, which may be as good as never. Internal.
#pragma once

#include <chrono>

namespace comcp::detail {

/// `d` after `from`; the end of time where that is later than any.
template <class Rep, class Period>
std::chrono::steady_clock::time_point later(std::chrono::steady_clock::time_point from,
                                            std::chrono::duration<Rep, Period> d) noexcept {
  using std::chrono::duration_cast, std::chrono::steady_clock;
  constexpr auto never = steady_clock::time_point::max();
  if (from == never || d >= duration_cast<decltype(d)>(never - from)) return never;
  return from + duration_cast<steady_clock::duration>(d);
}

}  // namespace comcp::detail
