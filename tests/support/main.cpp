// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The main function of every Catch2 test executable, for version 2 and version 3. Exit status 77 says that a test
// case passed as far as it went and skipped the rest; ctest shows it as skipped.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "support/skip.hpp"

int main(int argc, char* argv[]) {
  Catch::Session session;
#if !__has_include(<catch2/catch_session.hpp>)
  session.configData().warnings = Catch::WarnAbout::NoTests;  // a name that selects nothing fails, as in version 3
#endif
  if (session.run(argc, argv) != 0) return 1;
  return comcp_test::skipped ? 77 : 0;
}
