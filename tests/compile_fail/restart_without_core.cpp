// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Header-only, reconnecting is compiled by sources that reconnect: the facade alone does not bring it.
// EXPECT: comcp: a source that reconnects a client includes comcp/comcp.hpp
#undef COMCP_SEPARATE_COMPILATION  // this is about definitions
#include <comcp/client/client.hpp>

#if defined(COMCP_CONTROL)
auto begin(comcp::client& c) { return c.close(); }
#else
auto begin(comcp::client& c) { return c.reconnect(); }
#endif
