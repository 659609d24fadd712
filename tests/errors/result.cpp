// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/result.hpp>

#include <memory>
#include <string>

#include "support/catch.hpp"

using comcp::errc;
using comcp::result;

TEST_CASE("result: a value is there and is given out", "[errors]") {
  result<std::string> r(std::string("here"));
  REQUIRE(r);
  CHECK(*r == "here");
  CHECK(r->size() == 4);
  CHECK(r.value() == "here");
  CHECK(r.value_or("there") == "here");
}

TEST_CASE("result: an error is kept, and value throws it", "[errors]") {
  result<std::string> const r(comcp::error(errc::not_found, "no such key"));
  REQUIRE_FALSE(r);
  CHECK(r.error() == errc::not_found);
  CHECK(r.value_or("there") == "there");
  CHECK_THROWS_AS(r.value(), comcp::exception);
  CHECK_THROWS_WITH(r.value(), match::contains("no such key"));
}

TEST_CASE("result: a value that only moves can be taken out", "[errors]") {
  result<std::unique_ptr<int>> r(std::make_unique<int>(7));
  auto const taken = std::move(r).value();
  REQUIRE(taken);
  CHECK(*taken == 7);
}

TEST_CASE("result: what is made of an error is no success, whatever its code", "[errors]") {
  result<void> const nothing{comcp::error()};
  CHECK_FALSE(nothing);
  CHECK_THROWS_AS(nothing.value(), comcp::exception);
  CHECK_FALSE(result<int>(comcp::error()));
}

TEST_CASE("result<void>: success carries nothing, an error is thrown", "[errors]") {
  result<void> const good;
  CHECK(good);
  CHECK_NOTHROW(good.value());

  result<void> const bad(errc::queue_full);
  CHECK_FALSE(bad);
  CHECK(bad.error() == errc::queue_full);
  CHECK_THROWS_AS(bad.value(), comcp::exception);
}
