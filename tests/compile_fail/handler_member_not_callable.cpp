// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A member of a handler's name that cannot be called as the concept says is a mistake, not a missing capability.
// EXPECT: comcp: this handler's elicit() cannot be called
#include <comcp/client/handler.hpp>

struct misspells {
#if defined(COMCP_CONTROL)
  comcp::elicit_result elicit(comcp::elicit_params);
#else
  comcp::elicit_result elicit(int, int);
#endif
};

comcp::any_handler erase(misspells h) { return comcp::any_handler(std::move(h)); }
