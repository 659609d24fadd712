// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding into a type that nobody described is told in words.
// EXPECT: comcp: describe this type for JSON, or specialise comcp::json::codec for it
#include <comcp/json/describe.hpp>

struct point {
  int x = 0;
};
#if defined(COMCP_CONTROL)
constexpr auto describe(std::type_identity<point>) { return comcp::json::fields(comcp::json::field("x", &point::x)); }
#endif

comcp::result<point> decode(comcp::json::value const& v) { return v.get<point>(); }
