// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/later.hpp>

#include "support/catch.hpp"

using namespace std::chrono_literals;
using comcp::detail::later;
using time_point = std::chrono::steady_clock::time_point;

TEST_CASE("later: sums end with time itself", "[errors]") {
  time_point const now(5s);
  CHECK(later(now, 3ms) == now + 3ms);
  CHECK(later(now, -3ms) == now - 3ms);
  CHECK(later(now, std::chrono::nanoseconds::max()) == time_point::max());
  CHECK(later(now, std::chrono::milliseconds::max()) == time_point::max());
  CHECK(later(time_point::max(), 0ns) == time_point::max());
  CHECK(later(time_point::max(), -1s) == time_point::max());
}
