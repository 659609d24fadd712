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

TEST_CASE("elicitation: a form whose schema takes much is refused, not compiled", "[schema]") {
  std::string fields;
  for (int i = 0; i < 3'900; ++i)
    fields += (i ? ",\"f" : "\"f") + std::to_string(i) + R"(":{"type":"string","pattern":"a{19900}"})";
  auto const asked = json(R"({"type":"object","properties":{)" + fields + "}}");
  auto const content = json("{}");
  auto const checked = check_content(asked, content);
  REQUIRE_FALSE(checked);
  CHECK(checked.error() == errc::limit_exceeded);
}

TEST_CASE("elicitation: defaults are filled in without looking through the answer for each", "[schema]") {
  std::string fields, given;
  for (int i = 0; i < 20'000; ++i) {
    fields += (i ? ",\"f" : "\"f") + std::to_string(i) + R"(":{"type":"integer","default":1})";
    if (i % 2) given += (given.empty() ? "\"f" : ",\"f") + std::to_string(i) + "\":2";
  }
  auto const asked = json("{\"properties\":{" + fields + "}}");
  auto const content = json("{" + given + "}");
  auto const filled = fill_defaults(asked, content).value();
  CHECK(filled.size() == 20'000);
  CHECK(filled["f0"].as_int64() == 1);
  CHECK(filled["f1"].as_int64() == 2);
}
