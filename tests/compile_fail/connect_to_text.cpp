// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An address alone is no transport.
// EXPECT: deleted
// EXPECT: comcp: connect(comcp::http(
#include <comcp/client/connect.hpp>
#include <comcp/transport/memory.hpp>

#if defined(COMCP_CONTROL)
auto begin(comcp::memory_transport t) { return comcp::connect(std::move(t)); }
#else
auto begin() { return comcp::connect("https://example.com/mcp"); }
#endif
