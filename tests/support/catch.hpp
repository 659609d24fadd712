// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The one door to Catch2: version 2 (Debian 12) and version 3 look alike behind it. Matchers that were renamed
// are under `match`; COMCP_SKIP ends a test case that cannot run here, and ctest shows it as skipped.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_message.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

#include <string>
#include <system_error>

#include <comcp/error.hpp>
#include <comcp/result.hpp>

#include "support/skip.hpp"

/// Ends the current test case as skipped. For void functions only (a TEST_CASE or SECTION).
#define COMCP_SKIP(why)     \
  do {                      \
    comcp_test::skip(why);  \
    SUCCEED("skipped");     \
    return;                 \
  } while (false)

namespace match {
#if __has_include(<catch2/catch_test_macros.hpp>)
inline auto contains(std::string const& text) { return Catch::Matchers::ContainsSubstring(text); }
#else
inline auto contains(std::string const& text) { return Catch::Matchers::Contains(text); }
#endif
inline auto starts_with(std::string const& text) { return Catch::Matchers::StartsWith(text); }
inline auto ends_with(std::string const& text) { return Catch::Matchers::EndsWith(text); }
}  // namespace match

namespace Catch {

template <>
struct StringMaker<std::error_code> {
  static std::string convert(std::error_code const& code) {
    return std::string(code.category().name()) + ": " + code.message();
  }
};

template <>
struct StringMaker<comcp::errc> {
  static std::string convert(comcp::errc code) { return comcp::make_error_code(code).message(); }
};

template <>
struct StringMaker<comcp::error> {
  static std::string convert(comcp::error const& e) { return e ? e.to_string() : std::string("no error"); }
};

}  // namespace Catch
