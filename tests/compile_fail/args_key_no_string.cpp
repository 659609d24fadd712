// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Only strings are keys.
// EXPECT: comcp: args() takes a key, a value, a key, a value, ...: this key is no string
#include <comcp/json/build.hpp>

#if defined(COMCP_CONTROL)
auto const made = comcp::args("a", 1, "2", "b");
#else
auto const made = comcp::args("a", 1, 2, "b");
#endif
