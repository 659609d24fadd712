// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/registry/qualified_name.hpp>

#include "support/catch.hpp"

using namespace comcp;

TEST_CASE("qualified_name: what is put together comes apart again", "[registry]") {
  CHECK(qualified_name("files", "read") == "files/read");
  CHECK(qualified_name("files", "read", "__") == "files__read");
  auto const parts = split_name("files/read");
  REQUIRE(parts);
  CHECK(parts->first == "files");
  CHECK(parts->second == "read");
}

TEST_CASE("qualified_name: the first separator counts, so that a tool's name may have more", "[registry]") {
  auto const parts = split_name("a/b/c");
  REQUIRE(parts);
  CHECK(parts->first == "a");
  CHECK(parts->second == "b/c");
  auto const wide = split_name("a::b:c", "::");
  REQUIRE(wide);
  CHECK(wide->second == "b:c");
}

TEST_CASE("qualified_name: what is none has a typed error", "[registry]") {
  CHECK(split_name("read").error() == errc::no_separator);
  CHECK(split_name("").error() == errc::no_separator);
  CHECK(split_name("/read").error() == errc::invalid_argument);
  CHECK(split_name("files/").error() == errc::invalid_argument);
  CHECK(split_name("a/b", "").error() == errc::invalid_argument);
}

TEST_CASE("qualified_name: which names a server may have", "[registry]") {
  CHECK(check_server_name("my files (2)"));
  CHECK(check_server_name("fichiers-\xc3\xa9t\xc3\xa9"));
  CHECK(check_server_name("a/b", "::"));
  CHECK(check_server_name(std::string(128, 'x')));
  CHECK(check_server_name("").error() == errc::invalid_argument);
  CHECK(check_server_name(std::string(129, 'x')).error() == errc::invalid_argument);
  CHECK(check_server_name("a\nb").error() == errc::invalid_argument);
  CHECK(check_server_name("a\x7f").error() == errc::invalid_argument);
  CHECK(check_server_name("a/b").error() == errc::invalid_argument);
  // "a:" + "::" + "b" would be taken apart as "a" and ":b".
  CHECK(check_server_name("a:", "::").error() == errc::invalid_argument);
  CHECK(check_server_name("a_", "__").error() == errc::invalid_argument);
  CHECK(check_server_name(":a", "::"));
}
