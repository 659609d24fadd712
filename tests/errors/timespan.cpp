// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/timespan.hpp>

#include <cstdint>
#include <ratio>

#include "support/catch.hpp"

using namespace std::chrono_literals;
using comcp::timespan;
using std::chrono::nanoseconds;

TEST_CASE("timespan: what is too long is the longest", "[errors]") {
  CHECK(nanoseconds(timespan(3ms)) == 3ms);
  CHECK(nanoseconds(timespan(nanoseconds::max())) == nanoseconds::max());
  CHECK(nanoseconds(timespan(std::chrono::seconds::max())) == nanoseconds::max());
  CHECK(nanoseconds(timespan(std::chrono::hours::max())) == nanoseconds::max());
  CHECK(nanoseconds(timespan(std::chrono::seconds::min())) == nanoseconds::min());
  CHECK(nanoseconds(timespan(std::chrono::duration<double>(1e300))) == nanoseconds::max());
  CHECK(nanoseconds(timespan(std::chrono::duration<double>(0.25))) == 250ms);
  CHECK(nanoseconds(timespan(std::chrono::duration<std::int64_t, std::pico>::max())) == 9'223'372'036'854'775ns);
}

TEST_CASE("timespan: a timeout of zero is none", "[errors]") {
  CHECK(timespan(0s).as_timeout() == nanoseconds::max());
  CHECK(timespan(std::chrono::seconds::max()).as_timeout() == nanoseconds::max());
  CHECK(timespan(1ns).as_timeout() == 1ns);
  CHECK(timespan(-1s).as_timeout() == -1s);
}
