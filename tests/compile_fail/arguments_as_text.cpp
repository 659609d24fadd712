// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON in a text is validated first.
// EXPECT: deleted
// EXPECT: comcp: JSON in a text is json::raw(text)
#include <comcp/client/client.hpp>

#if defined(COMCP_CONTROL)
auto begin(comcp::client const& c) { return c.call_tool("x", comcp::json::raw("{\"a\":1}")); }
#else
auto begin(comcp::client const& c) { return c.call_tool("x", "{\"a\":1}"); }
#endif
