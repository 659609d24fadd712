// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A value of a type that nobody described is told at compile time.
// EXPECT: comcp: args(): this value cannot be written as JSON; describe its type
#include <comcp/json/build.hpp>

struct point {
  int x = 0;
};
#if defined(COMCP_CONTROL)
constexpr auto describe(std::type_identity<point>) { return comcp::json::fields(comcp::json::field("x", &point::x)); }
#endif

auto const made = comcp::args("p", point());
