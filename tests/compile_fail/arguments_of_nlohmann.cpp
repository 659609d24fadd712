// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// nlohmann's values need their header.
// EXPECT: deleted
// EXPECT: #include <comcp/json/nlohmann.hpp>
#include <comcp/client/client.hpp>

namespace stranger {
struct json {  // as nlohmann::json is known by
  struct json_pointer {};
  int value = 0;
};
}  // namespace stranger

#if defined(COMCP_CONTROL)
auto begin(comcp::client const& c, stranger::json const& j) { return c.call_tool("x", comcp::args("a", j.value)); }
#else
auto begin(comcp::client const& c, stranger::json const& j) { return c.call_tool("x", j); }
#endif
