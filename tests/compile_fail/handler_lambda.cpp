// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A lambda has no member that a handler could be known by.
// EXPECT: comcp: this handler handles nothing
#include <comcp/client/handler.hpp>

#if defined(COMCP_CONTROL)
struct asks {
  comcp::elicit_result elicit(comcp::elicit_params);
};
auto const handler = asks();
#else
auto const handler = [](comcp::elicit_params) { return comcp::elicit_result::accept(); };
#endif

comcp::any_handler erase() { return comcp::any_handler(handler); }
