// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The string of a temporary value owns its text; a view of it would dangle.
// EXPECT: deleted
// EXPECT: comcp: it would dangle
#include <comcp/json/value.hpp>

std::size_t length(comcp::json::value const& v) {
#if defined(COMCP_CONTROL)
  std::string const name = v["name"].as_string();
#else
  std::string_view const name = v["name"].as_string();
#endif
  return name.size();
}
