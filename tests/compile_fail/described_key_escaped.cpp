// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of described structs are written as they stand, so they must be plain.
// EXPECT: comcp: the key of a described field must need no escaping
#include <comcp/json/describe.hpp>

struct point {
  int x = 0;
};
#if defined(COMCP_CONTROL)
constexpr char const* key = "x";
#else
constexpr char const* key = "x\"";
#endif
constexpr auto describe(std::type_identity<point>) { return comcp::json::fields(comcp::json::field(key, &point::x)); }

std::string text(point const& p) { return comcp::json::to_text(p); }
