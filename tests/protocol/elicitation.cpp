// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/json/build.hpp>
#include <comcp/protocol/elicitation.hpp>

#include "support/catch.hpp"

using namespace comcp;

namespace {

template <class T>
T from(std::string_view text) {
  return json::parse(text).value().as<T>();
}

}  // namespace

TEST_CASE("elicitation: absent mode is form, an unknown one is refused", "[protocol]") {
  auto const form = from<elicit_params>(R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})");
  CHECK(form.mode == elicit_mode::form);
  CHECK_FALSE(json::to_value(form).contains("mode"));
  auto const url = from<elicit_params>(R"({"mode":"url","message":"m","url":"https://x.org","elicitationId":"e"})");
  CHECK(url.mode == elicit_mode::url);
  CHECK(url.url == "https://x.org");
  CHECK(url.elicitation_id == "e");
  auto const odd = json::parse(R"({"mode":"voice","message":"m"})").value();
  CHECK_THAT(odd.get<elicit_params>().error().to_string(), match::contains("/mode"));
}

TEST_CASE("elicitation: the fields of a form are typed, in their order", "[protocol]") {
  auto const params = from<elicit_params>(R"({"message":"m","requestedSchema":{"type":"object","required":["z","l"],
    "properties":{"z":{"type":"string","minLength":1,"default":"d"},"i":{"type":"integer","maximum":9},
    "n":{"type":"number","default":0.5},"b":{"type":"boolean","default":true},
    "e":{"type":"string","enum":["x","y"]},"t":{"type":"string","oneOf":[{"const":"x","title":"X"}]},
    "l":{"type":"string","enum":["x"],"enumNames":["X"]},"m":{"type":"array","items":{"type":"string","enum":["x"]}},
    "tm":{"type":"array","minItems":1,"items":{"anyOf":[{"const":"x","title":"X"}]},"default":["x"]},
    "o":{"type":"object"}}}})");
  auto const fields = params.fields().value();
  REQUIRE(fields.size() == 10);
  CHECK(fields[0].name == "z");
  CHECK(fields[0].required);
  CHECK(std::get<string_schema>(fields[0].schema).default_value == "d");
  CHECK_FALSE(fields[1].required);
  CHECK(std::get<number_schema>(fields[1].schema).type == number_kind::integer);
  CHECK(std::get<number_schema>(fields[2].schema).default_value == 0.5);
  CHECK(std::get<boolean_schema>(fields[3].schema).default_value == true);
  CHECK(std::get<untitled_single_select_enum_schema>(fields[4].schema).values == std::vector<std::string>{"x", "y"});
  CHECK(std::get<titled_single_select_enum_schema>(fields[5].schema).options.at(0).title == "X");
  CHECK(fields[6].required);
  CHECK(std::get<legacy_titled_enum_schema>(fields[6].schema).names.at(0) == "X");
  CHECK(std::get<untitled_multi_select_enum_schema>(fields[7].schema).items.values.at(0) == "x");
  CHECK(std::get<titled_multi_select_enum_schema>(fields[8].schema).min_items == 1);
  CHECK(std::holds_alternative<unknown_schema>(fields[9].schema));
  for (auto const& field : fields)
    CHECK(json::to_value(field.schema) == params.requested_schema["properties"][field.name]);
}

TEST_CASE("elicitation: a broken field is an error with its place", "[protocol]") {
  auto const params = from<elicit_params>(R"({"message":"m","requestedSchema":{"properties":{"a":{"type":"array"}}}})");
  CHECK_THAT(params.fields().error().to_string(), match::contains("items") && match::contains("/properties/a"));
  CHECK(elicit_params().fields().value().empty());
}

TEST_CASE("elicitation: answers carry content on accept only", "[protocol]") {
  CHECK(json::to_text(elicit_result::accept(json::args("name", "octocat", "age", 30))) ==
        R"({"action":"accept","content":{"name":"octocat","age":30}})");
  CHECK(json::to_text(elicit_result::accept()) == R"({"action":"accept"})");
  CHECK(json::to_text(elicit_result::decline()) == R"({"action":"decline"})");
  CHECK(json::to_text(elicit_result::cancel()) == R"({"action":"cancel"})");
  CHECK(elicit_result().action == elicit_action::cancel);
}
