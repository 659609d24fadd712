// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Header-only, what serves a handler that answers is compiled by sources that make one: its header alone does not
// bring it.
// EXPECT: comcp: a source that makes a handler which answers or hears of lists includes comcp/comcp.hpp
#undef COMCP_SEPARATE_COMPILATION  // this is about definitions
#include <comcp/client/handlers.hpp>

struct listener {
  void on(comcp::logging_message const&) {}
};
struct answerer {
  comcp::list_roots_result list_roots() { return {}; }
};

#if defined(COMCP_CONTROL)
auto make() { return comcp::handlers(listener()); }
#else
auto make() { return comcp::handlers(answerer()); }
#endif
