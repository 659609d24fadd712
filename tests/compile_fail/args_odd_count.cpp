// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A key without a value is told at compile time.
// EXPECT: comcp: args() takes a value for each key
#include <comcp/json/build.hpp>

#if defined(COMCP_CONTROL)
auto const made = comcp::args("a", 1, "b", 2);
#else
auto const made = comcp::args("a", 1, "b");
#endif
