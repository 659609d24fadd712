// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Header-only, who sees to subscriptions is compiled by sources that subscribe: the facade alone does not bring it.
// EXPECT: comcp: a source that subscribes, listens or watches includes comcp/comcp.hpp
#undef COMCP_SEPARATE_COMPILATION  // this is about definitions
#include <comcp/client/client.hpp>

#if defined(COMCP_CONTROL)
auto begin(comcp::client& c) { return c.call_tool("add"); }
#else
auto begin(comcp::client& c) { return c.subscribe("file:///a"); }
#endif
