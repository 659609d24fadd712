// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/schema/elicitation.hpp>

#include "support/catch.hpp"

using comcp::check_content;
using comcp::errc;
using comcp::fill_defaults;

namespace {

comcp::json::value json(std::string_view text) { return comcp::json::parse(text).value(); }

comcp::json::value form() {
  return json(R"({"type":"object","properties":{
    "name":{"type":"string","minLength":1},
    "email":{"type":"string","format":"email"},
    "age":{"type":"integer","minimum":0,"default":18},
    "news":{"type":"boolean","default":false},
    "color":{"type":"string","enum":["red","green"],"default":"green"},
    "size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]},
    "tags":{"type":"array","items":{"type":"string","enum":["a","b"]},"maxItems":2,"default":["a"]}
  },"required":["name"]})");
}

comcp::error fault(std::string_view content) {
  auto const schema = form();
  auto const value = json(content);
  auto const checked = check_content(schema, value);
  return checked ? comcp::error() : checked.error();
}

}  // namespace

TEST_CASE("elicitation: omitted fields take the schema's defaults, given ones stay", "[schema]") {
  auto const schema = form();
  auto const given = json(R"({"name":"Ann","age":7})");
  auto const filled = fill_defaults(schema, given).value();
  CHECK(filled == json(R"({"name":"Ann","age":7,"news":false,"color":"green","tags":["a"]})"));
  CHECK(check_content(schema, filled));
  auto const nothing = fill_defaults(schema, comcp::json::view()).value();
  CHECK(nothing == json(R"({"age":18,"news":false,"color":"green","tags":["a"]})"));
  auto const list = json("[]");
  CHECK(fill_defaults(schema, list).error() == errc::invalid_argument);
}

TEST_CASE("elicitation: content must match the schema, formats included", "[schema]") {
  CHECK(!fault(R"({"name":"Ann","email":"ann@example.org","size":"s","tags":["a","b"],"more":1})"));
  CHECK(fault("{}") == errc::validation_failed);
  CHECK(fault(R"({"name":""})") == errc::validation_failed);
  CHECK(fault(R"({"name":"Ann","email":"nowhere"})") == errc::validation_failed);
  CHECK(fault(R"({"name":"Ann","age":1.5})") == errc::validation_failed);
  CHECK(fault(R"({"name":"Ann","size":"m"})") == errc::validation_failed);
  CHECK(fault(R"({"name":"Ann","tags":["c"]})") == errc::validation_failed);
  CHECK_THAT(std::string(fault(R"({"name":"Ann","age":-1})").message()), match::contains("/age"));
}

TEST_CASE("elicitation: nested or null members are refused, whatever the schema says", "[schema]") {
  CHECK(fault(R"({"name":"Ann","more":{}})") == errc::validation_failed);
  CHECK(fault(R"({"name":"Ann","more":null})") == errc::validation_failed);
  CHECK(fault(R"({"name":"Ann","more":[1]})") == errc::validation_failed);
  CHECK(fault("[]") == errc::validation_failed);
}
