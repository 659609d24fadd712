// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/schema/formats.hpp>

#include "support/catch.hpp"

using comcp::is_format;

TEST_CASE("formats: the formats of elicitation", "[schema]") {
  CHECK(is_format("date", "2024-02-29"));
  CHECK(!is_format("date", "2023-02-29"));
  CHECK(!is_format("date", "2024-2-9"));
  CHECK(is_format("date-time", "2026-07-28T23:59:60Z"));
  CHECK(is_format("date-time", "2026-07-28t10:00:00.5+02:00"));
  CHECK(!is_format("date-time", "2026-07-28 10:00:00Z"));
  CHECK(!is_format("date-time", "2026-07-28T10:00:00"));
  CHECK(is_format("email", "a.b+c@example.org"));
  CHECK(!is_format("email", "a..b@example.org"));
  CHECK(!is_format("email", "example.org"));
  CHECK(is_format("uri", "https://user@example.org:8080/a?b=c#d"));
  CHECK(is_format("uri", "urn:isbn:0451450523"));
  CHECK(!is_format("uri", "/relative"));
  CHECK(!is_format("uri", "http://exa mple.org/"));
}

TEST_CASE("formats: addresses, identifiers and pointers", "[schema]") {
  CHECK(is_format("ipv4", "192.168.0.1"));
  CHECK(!is_format("ipv4", "192.168.0.01"));
  CHECK(!is_format("ipv4", "1.2.3.4.5"));
  CHECK(is_format("ipv6", "::ffff:1.2.3.4"));
  CHECK(is_format("ipv6", "::"));
  CHECK(!is_format("ipv6", "1::2::3"));
  CHECK(!is_format("ipv6", "1:2:3:4:5:6:7"));
  CHECK(is_format("uuid", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"));
  CHECK(!is_format("uuid", "2eb8aa08aa9811eab4aa73b441d16380"));
  CHECK(is_format("duration", "P4DT12H30M5S"));
  CHECK(!is_format("duration", "PT"));
  CHECK(is_format("json-pointer", "/a~1b/0"));
  CHECK(!is_format("json-pointer", "a"));
  CHECK(is_format("regex", "^a|b$"));
  CHECK(!is_format("regex", "^(abc]"));
}

TEST_CASE("formats: an unknown format holds for everything", "[schema]") {
  CHECK(is_format("colour", "?"));
  CHECK(!comcp::is_known_format("colour"));
  CHECK(comcp::is_known_format("date"));
}
