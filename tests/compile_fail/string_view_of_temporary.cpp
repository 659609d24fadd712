// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A view into a temporary value would dangle: the overload is deleted.
// EXPECT: deleted
// EXPECT: as_string
#include <comcp/json/value.hpp>

std::size_t length(comcp::json::value const& v) {
#if defined(COMCP_CONTROL)
  auto const name = v["name"];
  return name.as_string().size();
#else
  return v["name"].as_string().size();
#endif
}
