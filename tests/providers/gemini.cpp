// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/providers/gemini.hpp>

#include <string>
#include <vector>

#include "providers/samples.hpp"
#include "support/catch.hpp"

namespace gemini = comcp::providers::gemini;
using namespace comcp_test;
using comcp::providers::offered_tool;

namespace {

std::string response(comcp::call_tool_result const& answer, gemini::media where = gemini::media::nested) {
  return parsed(gemini::write_result(weather_call("c1"), answer, where))["functionResponse"]["response"].dump();
}

}  // namespace

TEST_CASE("gemini: tools are one list of declarations with JSON Schema", "[providers]") {
  auto const weather = weather_tool();
  auto const bare = bare_tool();
  std::vector<offered_tool> const tools = {{"demo", weather}, {"demo", bare}};
  CHECK(gemini::write_tools(tools).text() ==
        R"([{"functionDeclarations":[{"name":"demo__get_weather","description":"Current weather of a city",)"
        R"("parametersJsonSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}},{"name":")" +
            tools[1].name() + R"(","description":"","parametersJsonSchema":{"type":"object"}}]}])");
  CHECK(gemini::write_tools({}).text() == "[]");
}

TEST_CASE("gemini: a call is read and written, with and without id", "[providers]") {
  for (char const* const text : {R"({"functionCall":{"id":"c1","name":"demo__get_weather","args":{"city":"Zürich"}}})",
                                 R"({"functionCall":{"name":"demo__get_weather","args":{"city":"Zürich"}}})"}) {
    auto const part = json::parse(text).value();
    auto const call = gemini::read_call(part).value();
    CHECK(call.name == "demo__get_weather");
    CHECK(call.arguments.value().text() == R"({"city":"Zürich"})");
    CHECK(gemini::write_call(call).text() == text);
  }
  auto const no_id = json::parse(R"({"functionCall":{"id":null,"name":"x","args":null}})").value();
  CHECK(gemini::read_call(no_id).value().id.empty());
  CHECK(gemini::write_call(comcp::providers::model_call()).text() == R"({"functionCall":{"name":"","args":{}}})");
}

TEST_CASE("gemini: a result answers under the call's name and id", "[providers]") {
  comcp::call_tool_result const answer(comcp::text_content("21 °C"));
  CHECK(gemini::write_result(weather_call("c1"), answer).text() ==
        R"({"functionResponse":{"id":"c1","name":"demo__get_weather","response":{"output":"21 °C"}}})");
  CHECK(gemini::write_result(weather_call(""), answer).text() ==
        R"({"functionResponse":{"name":"demo__get_weather","response":{"output":"21 °C"}}})");
}

TEST_CASE("gemini: media are parts of the response", "[providers]") {
  CHECK(gemini::write_result(weather_call("c1"), result_of_all_kinds()).text() ==
        R"({"functionResponse":{"id":"c1","name":"demo__get_weather","response":{"output":"two files\n)" + lost_audio +
            R"(\n)" + said_link + R"(\n)" + said_text + R"(\n)" + lost_blob + R"(\n)" + lost_kind +
            R"("},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw=="}},)"
            R"({"inlineData":{"mimeType":"application/pdf","data":"JVBERg=="}}]}})");
}

TEST_CASE("gemini: for models that take no media in responses a text says so", "[providers]") {
  auto const written = gemini::write_result(weather_call("c1"), result_of_all_kinds(), gemini::media::left_out);
  CHECK(written.text().find("inlineData") == std::string::npos);
  CHECK(written.text().find(lost_image) != std::string::npos);
  CHECK(written.text().find(lost_pdf) != std::string::npos);
}

TEST_CASE("gemini: GIF images have no place", "[providers]") {
  comcp::image_content image;
  image.data = "AAEC";
  image.mime_type = "image/gif";
  CHECK(response(comcp::call_tool_result({image})) == R"({"output":"[left out: image, image/gif, 3 bytes]"})");
}

TEST_CASE("gemini: structured content is the output itself, without a text that repeats it", "[providers]") {
  comcp::call_tool_result structured;
  structured.structured_content = json::parse(R"({"sunny":true})").value();
  CHECK(response(structured) == R"({"output":{"sunny":true}})");
  structured.content = {comcp::text_content(R"({ "sunny": true })")};
  CHECK(response(structured) == R"({"output":{"sunny":true}})");
  structured.content.emplace_back(comcp::text_content("Take a hat"));
  CHECK(response(structured) == R"({"output":{"text":"Take a hat","structured":{"sunny":true}}})");
}

TEST_CASE("gemini: a failure is under the key error", "[providers]") {
  comcp::call_tool_result failed(comcp::text_content("no such city"));
  failed.is_error = true;
  CHECK(response(failed) == R"({"error":"no such city"})");
  failed.structured_content = json::parse(R"({"code":7})").value();
  CHECK(response(failed) == R"({"error":{"text":"no such city","structured":{"code":7}}})");
  failed.content.clear();
  CHECK(response(failed) == R"({"error":{"code":7}})");
  failed.structured_content = {};
  CHECK(response(failed) == R"({"error":"the tool failed and said nothing"})");
  CHECK(response(comcp::call_tool_result()) == R"({"output":""})");
}
