// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <core_dumps.hpp>

#include "support/catch.hpp"

#if defined(__linux__)
#include <sys/wait.h>
#include <unistd.h>

TEST_CASE("core_dumps: the tool's memory is in none, and no other process reads it", "[cli]") {
  auto const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    bool const before = ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1;
    cli::keep_memory_out_of_core_dumps();
    ::_exit(before ? ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) : 77);
  }
  int how = 0;
  REQUIRE(::waitpid(child, &how, 0) == child);
  CHECK(WIFEXITED(how));
  CHECK(WEXITSTATUS(how) == 0);
}
#endif
