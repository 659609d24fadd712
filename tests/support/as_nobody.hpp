// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// This process with the rights of nobody for a while, so that it may not signal what it started as root.
#pragma once

#include <unistd.h>

#include "support/catch.hpp"

namespace comcp_test {

class as_nobody {
 public:
  as_nobody() { REQUIRE(::setresuid(65534, 65534, 0) == 0); }
  as_nobody(as_nobody const&) = delete;
  as_nobody& operator=(as_nobody const&) = delete;
  ~as_nobody() {
    if (::setresuid(0, 0, 0) != 0) std::terminate();
  }
};

}  // namespace comcp_test
