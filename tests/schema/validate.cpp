// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/schema/validate.hpp>

#include "support/catch.hpp"

TEST_CASE("validate: the bundled validator compiles with its options", "[schema]") {
  comcp::bundled_validator const v(comcp::schema_options().assert_formats(true));
  auto const text = comcp::json::parse(R"({"type":"string","format":"date"})").value();
  auto const good = comcp::json::parse(R"("2026-07-28")").value();
  auto const bad = comcp::json::parse(R"("soon")").value();
  auto const broken = comcp::json::parse(R"({"type":1})").value();
  auto const compiled = v.compile(text);
  REQUIRE(compiled);
  CHECK(compiled->validate(good));
  CHECK(compiled->validate(bad).error() == comcp::errc::validation_failed);
  CHECK(v.compile(broken).error() == comcp::errc::invalid_argument);
}

TEST_CASE("validate: a validator compiles to what checks", "[schema]") {
  struct checks {
    comcp::result<void> validate(comcp::json::view) const { return {}; }
  };
  struct good {
    comcp::result<checks> compile(comcp::json::value const&) const { return checks(); }
  };
  struct no_result {
    checks compile(comcp::json::value const&) const { return {}; }
  };
  struct changes_itself {
    comcp::result<checks> compile(comcp::json::value const&) { return checks(); }
  };
  struct checks_nothing {
    comcp::result<int> compile(comcp::json::value const&) const { return 1; }
  };
  STATIC_REQUIRE(comcp::schema_validator<good>);
  STATIC_REQUIRE_FALSE(comcp::schema_validator<no_result>);
  STATIC_REQUIRE_FALSE(comcp::schema_validator<changes_itself>);
  STATIC_REQUIRE_FALSE(comcp::schema_validator<checks_nothing>);
  STATIC_REQUIRE_FALSE(comcp::schema_validator<int>);
}
