// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists outlive a broken definition.
#include <comcp/protocol/prompts.hpp>
#include <comcp/protocol/resources.hpp>
#include <comcp/protocol/tools.hpp>

#include "support/catch.hpp"

using namespace comcp;

TEST_CASE("lists: a broken tool is set aside with its reason, and the rest is delivered", "[protocol]") {
  auto const v = json::parse(R"({"tools":[
    {"name":"first","inputSchema":{"type":"object"}}, {"name":"no schema"},
    {"name":"second","inputSchema":{}}, {"name":7,"inputSchema":{}},
    {"name":"bad","inputSchema":{},"annotations":{"readOnlyHint":"yes"}}, {"name":"third","inputSchema":{}}, null],
    "nextCursor":"more"})")
                     .value();
  auto const list = v.as<list_tools_result>();
  REQUIRE(list.tools.size() == 3);
  CHECK(list.tools[0].name == "first");
  CHECK(list.tools[2].name == "third");
  CHECK(list.next_cursor == "more");
  REQUIRE(list.set_aside.size() == 4);
  CHECK(list.set_aside[0].index == 1);
  CHECK_THAT(list.set_aside[0].reason, match::contains("inputSchema"));
  CHECK(list.set_aside[1].index == 3);
  CHECK_THAT(list.set_aside[1].reason, match::contains("string at /name"));
  CHECK_THAT(list.set_aside[2].reason, match::contains("boolean at /annotations/readOnlyHint"));
  CHECK(list.set_aside[2].raw["name"].as<std::string>() == "bad");
  CHECK(list.set_aside[3].index == 6);
  CHECK(json::to_value(list) == v);
}

TEST_CASE("lists: an object schema is required of a tool", "[protocol]") {
  auto const list =
      json::parse(R"({"tools":[{"name":"a","inputSchema":"x"},{"name":"b","inputSchema":{},"outputSchema":true}]})")
          .value()
          .as<list_tools_result>();
  CHECK(list.tools.empty());
  CHECK(list.set_aside.size() == 2);
}

TEST_CASE("lists: a result without its list is refused", "[protocol]") {
  auto const nothing = json::parse("{}").value();
  CHECK(nothing.get<list_tools_result>().error() == errc::wrong_shape);
  CHECK(nothing.get<list_prompts_result>().error() == errc::wrong_shape);
  CHECK(nothing.get<list_resources_result>().error() == errc::wrong_shape);
  CHECK(nothing.get<list_resource_templates_result>().error() == errc::wrong_shape);
  auto const wrong = json::parse(R"({"tools":{}})").value();
  CHECK(wrong.get<list_tools_result>().error() == errc::wrong_shape);
}

TEST_CASE("lists: a lifetime that is absent or negative is none, and a day is the longest", "[protocol]") {
  using namespace std::chrono_literals;
  CHECK(comcp::time_to_live({}) == 0ms);
  CHECK(comcp::time_to_live(-1) == 0ms);
  CHECK(comcp::time_to_live(5) == 5ms);
  CHECK(comcp::time_to_live(std::numeric_limits<std::int64_t>::max()) == 24h);
}

TEST_CASE("lists: resources, templates and prompts are set aside too", "[protocol]") {
  auto const resources = json::parse(R"({"resources":[{"uri":"u","name":"n"},{"uri":"u"}],"ttlMs":5,
    "cacheScope":"odd"})")
                             .value()
                             .as<list_resources_result>();
  CHECK(resources.resources.size() == 1);
  CHECK(resources.set_aside.size() == 1);
  CHECK(resources.ttl_ms == 5);
  CHECK(resources.cache_scope == cache_scope::private_);
  auto const templates = json::parse(R"({"resourceTemplates":[{"uriTemplate":"u/{x}","name":"n"},4]})")
                             .value()
                             .as<list_resource_templates_result>();
  CHECK(templates.resource_templates.size() == 1);
  CHECK(templates.set_aside.size() == 1);
  auto const prompts = json::parse(R"({"prompts":[{},{"name":"p","arguments":[{"name":"a","required":true}]}]})")
                           .value()
                           .as<list_prompts_result>();
  REQUIRE(prompts.prompts.size() == 1);
  CHECK(prompts.prompts[0].arguments.at(0).required);
  CHECK(prompts.set_aside.size() == 1);
}

TEST_CASE("lists: an empty cursor is a cursor, null is none", "[protocol]") {
  CHECK(json::parse(R"({"tools":[],"nextCursor":""})").value().as<list_tools_result>().next_cursor == "");
  CHECK_FALSE(json::parse(R"({"tools":[],"nextCursor":null})").value().as<list_tools_result>().next_cursor.has_value());
  CHECK(json::to_text(paginated_params("")) == R"({"cursor":""})");
  CHECK(json::to_text(paginated_params()) == "{}");
}

TEST_CASE("lists: a definition in which an object has a key twice is set aside", "[protocol]") {
  auto const list = json::parse(R"({"tools":[
    {"name":"a","inputSchema":{},"description":"good","description":"evil"},
    {"name":"b","inputSchema":{"properties":{"p/q":{"type":"string","t":[{"x":1,"\u0078":2}]}}}},
    {"name":"c","inputSchema":{},"inputSchema":{}}, {"name":"d","inputSchema":{},"_meta":{"k":1,"k":1}},
    {"name":"e","inputSchema":{"a":{"x":1},"b":{"x":1}}}]})").value().as<list_tools_result>();
  REQUIRE(list.tools.size() == 1);
  CHECK(list.tools[0].name == "e");
  REQUIRE(list.set_aside.size() == 4);
  CHECK(list.set_aside[0].reason == "the key \"description\" comes twice at its root");
  CHECK(list.set_aside[1].reason == "the key \"x\" comes twice at /inputSchema/properties/p~1q/t/0");
  CHECK(json::parse(R"({"prompts":[{"name":"p","name":"q"}]})").value().as<list_prompts_result>().prompts.empty());
  CHECK(json::parse(R"({"resources":[{"uri":"a:b","name":"n","uri":"a:c"}]})").value().as<list_resources_result>().resources.empty());
}

TEST_CASE("lists: looking for keys that come twice takes no square of their number", "[protocol]") {
  std::string text = R"({"tools":[{"name":"a","inputSchema":{)";
  for (int i = 0; i < 400'000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  auto const list = json::parse(text + R"("k0":1}}]})").value().as<list_tools_result>();
  REQUIRE(list.set_aside.size() == 1);
  CHECK(list.set_aside[0].reason == "the key \"k0\" comes twice at /inputSchema");
}

TEST_CASE("lists: a key that comes twice is found wherever it stands, among few keys and many", "[protocol]") {
  for (int keys : {1, 2, 11, 12, 13, 14, 30}) {
    for (int twice = -1; twice < keys; ++twice) {
      CAPTURE(keys, twice);
      std::string text = R"({"tools":[{"name":"a","inputSchema":{"x":[{)";
      for (int i = 0; i < keys; ++i) text += "\"k" + std::to_string(i) + "\":{},";
      text += twice < 0 ? R"("z":1)" : "\"k" + std::to_string(twice) + "\":1";
      auto const list = json::parse(text + "}]}}]}").value().as<list_tools_result>();
      CHECK(list.set_aside.size() == (twice < 0 ? 0U : 1U));
      CHECK(list.tools.size() == (twice < 0 ? 1U : 0U));
    }
  }
}

TEST_CASE("lists: many broken definitions cost no more than walking each", "[protocol]") {
  std::string text = R"({"tools":[)";
  for (int i = 0; i < 20000; ++i) text += R"({"name":null,"inputSchema":{"a":[1,2,3]}},)";
  text.back() = ']';
  auto const v = json::parse(text + "}").value();
  auto const list = v.as<list_tools_result>();  // quadratic work would take minutes
  CHECK(list.set_aside.size() == 20000);
  CHECK_THAT(list.set_aside.back().reason, match::contains("/name"));
}
