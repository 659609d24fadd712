// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/secret.hpp>

#include <new>
#include <sstream>
#include <string_view>
#include <utility>

#include "support/catch.hpp"

using comcp::secret;

TEST_CASE("secret: its text is overwritten where it was when it ends, moves or is replaced", "[errors]") {
  std::string const text = "the-password";  // so short that it is inside the string
  alignas(secret) unsigned char place[sizeof(secret)] = {};
  auto const holds = [&] {
    std::string_view const bytes(reinterpret_cast<char const*>(place), sizeof place);
    return bytes.find("password") != bytes.npos;
  };
  auto* const one = new (place) secret(text);
  REQUIRE(holds());
  SECTION("moves") {
    secret const other(std::move(*one));
    CHECK(other.reveal() == text);
  }
  SECTION("is moved to another") {
    secret other("which-is-longer-than-what-fits-into-a-string-itself");
    other = std::move(*one);
    CHECK(other.reveal() == text);
  }
  SECTION("is replaced by a copy") {
    secret const other("x");
    *one = other;
    CHECK(one->reveal() == "x");
  }
  SECTION("is replaced by nothing") { *one = secret(); }
  SECTION("ends") {
    one->~secret();
    CHECK_FALSE(holds());
    new (place) secret();
  }
  CHECK_FALSE(holds());
  one->~secret();
}

TEST_CASE("secret: it is a value that prints as stars", "[errors]") {
  secret a("the-password");
  secret const b = a;
  auto& same = a;
  a = same;
  CHECK(a == b);
  std::ostringstream out;
  out << a;
  CHECK(out.str() == "***");
  CHECK(secret().empty());
}
