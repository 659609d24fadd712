// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/providers/anthropic.hpp>

#include <array>
#include <string>
#include <vector>

#include "providers/samples.hpp"
#include "support/catch.hpp"

namespace anthropic = comcp::providers::anthropic;
using namespace comcp_test;
using comcp::providers::model_call;
using comcp::providers::offered_tool;

TEST_CASE("anthropic: tools have name, description and input_schema", "[providers]") {
  auto const weather = weather_tool();
  auto const bare = bare_tool();
  std::vector<offered_tool> const tools = {{"demo", weather}, {"demo", bare}};
  CHECK(anthropic::write_tools(tools).text() ==
        R"([{"name":"demo__get_weather","description":"Current weather of a city","input_schema":{"type":"object",)"
        R"("properties":{"city":{"type":"string"}},"required":["city"]}},{"name":")" +
            tools[1].name() + R"(","description":"","input_schema":{"type":"object"}}])");
  CHECK(anthropic::write_tools({}).text() == "[]");
}

TEST_CASE("anthropic: a schema without a type gets one", "[providers]") {
  auto const t = tool_of(R"({"name":"t","inputSchema":{"properties":{}}})");
  std::vector<offered_tool> const tools = {{"s", t}};
  auto const written = parsed(anthropic::write_tools(tools));
  CHECK(written[0]["input_schema"].dump() == R"({"type":"object","properties":{}})");
}

TEST_CASE("anthropic: a call is read and written", "[providers]") {
  auto const block = json::parse(R"({"type":"tool_use","id":"toolu_01A09q90qw90lq917835lq9","name":"demo__get_weather",
                                     "input":{"city":"Zürich"},"cache_control":{"type":"ephemeral"}})")
                         .value();
  auto const call = anthropic::read_call(block).value();
  CHECK(call.id == "toolu_01A09q90qw90lq917835lq9");
  CHECK(call.name == "demo__get_weather");
  CHECK(call.arguments.value().text() == R"({"city":"Zürich"})");
  CHECK(anthropic::write_call(call).text() == R"({"type":"tool_use","id":"toolu_01A09q90qw90lq917835lq9",)"
                                              R"("name":"demo__get_weather","input":{"city":"Zürich"}})");
  auto const again = parsed(anthropic::write_call(call));
  CHECK(anthropic::read_call(again).value().arguments.value().text() == call.arguments.value().text());
}

TEST_CASE("anthropic: input that streaming left as text is read", "[providers]") {
  auto const block = json::parse(R"({"type":"tool_use","id":"1","name":"x","input":"{\"a\":1}"})").value();
  CHECK(anthropic::read_call(block).value().arguments.value().text() == R"({"a":1})");
}

TEST_CASE("anthropic: a call without readable arguments cannot be written", "[providers]") {
  CHECK_THROWS_AS(anthropic::write_call(model_call("1", "x", comcp::errc::invalid_json)), comcp::exception);
  CHECK(parsed(anthropic::write_call(model_call()))["input"].dump() == "{}");
}

TEST_CASE("anthropic: a result keeps its pieces, and says what had no place", "[providers]") {
  CHECK(anthropic::write_result(weather_call("toolu_1"), result_of_all_kinds()).text() ==
        R"({"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"two files"},)"
        R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}},)"
        R"({"type":"text","text":")" + lost_audio + R"("},{"type":"text","text":")" + said_link +
            R"("},{"type":"text","text":")" + said_text +
            R"("},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERg=="}},)"
            R"({"type":"text","text":")" + lost_blob + R"("},{"type":"text","text":")" + lost_kind + R"("}]})");
}

TEST_CASE("anthropic: a failure has is_error and always some words", "[providers]") {
  comcp::call_tool_result failed(comcp::text_content("no such city"));
  failed.is_error = true;
  CHECK(anthropic::write_result(weather_call("1"), failed).text() ==
        R"({"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"no such city"}],"is_error":true})");
  failed.content = {comcp::text_content(" \n")};
  auto const written = parsed(anthropic::write_result(weather_call("1"), failed));
  CHECK(written["content"].size() == 1);
  CHECK(written["content"][0]["text"].dump() == "\"the tool failed and said nothing\"");
}

TEST_CASE("anthropic: a failure has texts alone, or the API would refuse the request", "[providers]") {
  comcp::image_content image;
  image.data = "AAEC";
  image.mime_type = "image/png";
  comcp::call_tool_result failed({image});
  failed.is_error = true;
  CHECK(anthropic::write_result(weather_call("1"), failed).text() ==
        R"({"type":"tool_result","tool_use_id":"1","content":[{"type":"text",)"
        R"("text":"[left out: image, image/png, 3 bytes]"}],"is_error":true})");
}

TEST_CASE("anthropic: blank texts are dropped, an empty result has no content", "[providers]") {
  comcp::call_tool_result blank({comcp::text_content(""), comcp::text_content("\n"), comcp::text_content("x")});
  CHECK(parsed(anthropic::write_result(weather_call("1"), blank))["content"].size() == 1);
  CHECK(anthropic::write_result(weather_call("1"), comcp::call_tool_result()).text() ==
        R"({"type":"tool_result","tool_use_id":"1","content":[]})");
}

TEST_CASE("anthropic: structured content is a text, once", "[providers]") {
  comcp::call_tool_result structured;
  structured.structured_content = json::parse(R"({"celsius":21.5,"sunny":true})").value();
  CHECK(parsed(anthropic::write_result(weather_call("1"), structured))["content"].dump() ==
        R"([{"type":"text","text":"{\"celsius\":21.5,\"sunny\":true}"}])");
  structured.content = {comcp::text_content("{ \"sunny\": true, \"celsius\": 21.50 }")};
  CHECK(parsed(anthropic::write_result(weather_call("1"), structured))["content"].size() == 1);
  structured.content = {comcp::text_content("sunny")};
  CHECK(parsed(anthropic::write_result(weather_call("1"), structured))["content"].size() == 2);
}

TEST_CASE("anthropic: types of media are taken as they are meant", "[providers]") {
  for (char const* const type : {"image/jpg", "IMAGE/JPEG", "image/jpeg; q=1"}) {
    comcp::image_content image;
    image.data = "AAEC";
    image.mime_type = type;
    auto const written = parsed(anthropic::write_result(weather_call("1"), comcp::call_tool_result({image})));
    CHECK(written["content"][0]["source"]["media_type"].dump() == "\"image/jpeg\"");
  }
}

TEST_CASE("anthropic: media that would make the API refuse the request are left out", "[providers]") {
  for (auto const& [data, type, words] : std::vector<std::array<char const*, 3>>{
           {"not Base64!", "image/png", "[left out: image, image/png, no valid Base64]"},
           {"", "image/png", "[left out: image, image/png, 0 bytes]"},
           {"AAEC", "image/tiff", "[left out: image, image/tiff, 3 bytes]"},
           {"AAEC", "", "[left out: image, , 3 bytes]"}}) {
    comcp::image_content image;
    image.data = data;
    image.mime_type = type;
    auto const written = parsed(anthropic::write_result(weather_call("1"), comcp::call_tool_result({image})));
    CHECK(written["content"].dump() == std::string(R"([{"type":"text","text":")") + words + "\"}]");
  }
}
