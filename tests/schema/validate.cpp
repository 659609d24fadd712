// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/schema/validate.hpp>

#include "support/catch.hpp"

TEST_CASE("validate: the bundled validator compiles and checks in one step", "[schema]") {
  comcp::bundled_validator const v(comcp::schema_options().assert_formats(true));
  auto const text = comcp::json::parse(R"({"type":"string","format":"date"})").value();
  auto const good = comcp::json::parse(R"("2026-07-28")").value();
  auto const bad = comcp::json::parse(R"("soon")").value();
  auto const broken = comcp::json::parse(R"({"type":1})").value();
  CHECK(v.validate(text, good));
  CHECK(v.validate(text, bad).error() == comcp::errc::validation_failed);
  CHECK(v.validate(broken, good).error() == comcp::errc::invalid_argument);
}
