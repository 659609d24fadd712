// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a test case of this process ended early because what it needs is not here.
#pragma once

#include <cstdio>
#include <string>

namespace comcp_test {

inline bool skipped = false;

inline void skip(std::string const& why) {
  skipped = true;
  std::fprintf(stderr, "SKIPPED: %s\n", why.c_str());
}

}  // namespace comcp_test
