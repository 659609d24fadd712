// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/providers/openai.hpp>

#include <string>
#include <vector>

#include "providers/samples.hpp"
#include "support/catch.hpp"

namespace chat = comcp::providers::openai_chat;
namespace responses = comcp::providers::openai_responses;
using namespace comcp_test;
using comcp::providers::offered_tool;

TEST_CASE("openai: chat tools are functions with name, description and parameters", "[providers]") {
  auto const weather = weather_tool();
  auto const bare = bare_tool();
  std::vector<offered_tool> const tools = {{"demo", weather}, {"demo", bare}};
  CHECK(chat::write_tools(tools).text() ==
        R"([{"type":"function","function":{"name":"demo__get_weather","description":"Current weather of a city",)"
        R"("parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}},)"
        R"({"type":"function","function":{"name":")" + tools[1].name() +
            R"(","description":"","parameters":{"type":"object","properties":{}}}}])");
  CHECK(chat::write_tools({}).text() == "[]");
}

TEST_CASE("openai: responses tools are flat, and not strict", "[providers]") {
  auto const weather = weather_tool();
  std::vector<offered_tool> const tools = {{"demo", weather}};
  CHECK(responses::write_tools(tools).text() ==
        R"([{"type":"function","name":"demo__get_weather","description":"Current weather of a city",)"
        R"("parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]},"strict":false}])");
}

TEST_CASE("openai: schemas get the properties that the API insists on, and keep the rest", "[providers]") {
  auto const t = tool_of(R"({"name":"t","inputSchema":{"$schema":"x","type":"object","additionalProperties":false}})");
  std::vector<offered_tool> const tools = {{"s", t}};
  for (auto const& parameters : {parsed(chat::write_tools(tools))[0]["function"]["parameters"],
                                 parsed(responses::write_tools(tools))[0]["parameters"]}) {
    CHECK(parameters.dump() == R"({"$schema":"x","type":"object","additionalProperties":false,"properties":{}})");
  }
}

TEST_CASE("openai: a chat call is read and written", "[providers]") {
  auto const text = R"({"id":"call_abc123","type":"function","function":{"name":"demo__get_weather",)"
                    R"("arguments":"{\"city\":\"Zürich\"}"}})";
  auto const value = json::parse(text).value();
  auto const call = chat::read_call(value).value();
  CHECK(call.id == "call_abc123");
  CHECK(call.name == "demo__get_weather");
  CHECK(call.arguments.value().text() == R"({"city":"Zürich"})");
  CHECK(chat::write_call(call).text() == text);
}

TEST_CASE("openai: imitators send objects for arguments and leave the type out", "[providers]") {
  auto const value = json::parse(R"({"id":"1","function":{"name":"x","arguments":{"a":1}}})").value();
  CHECK(chat::read_call(value).value().arguments.value().text() == R"({"a":1})");
  auto const item = json::parse(R"({"type":"function_call","call_id":"1","name":"x","arguments":{"a":1}})").value();
  CHECK(responses::read_call(item).value().arguments.value().text() == R"({"a":1})");
}

TEST_CASE("openai: calls of custom tools are passed over", "[providers]") {
  auto const message = json::parse(R"({"tool_calls":[{"id":"1","type":"custom","custom":{"name":"x","input":"y"}},
                                       {"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}]})")
                           .value();
  auto const calls = chat::read_calls(message).value();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].id == "2");
}

TEST_CASE("openai: a responses call is read and written; its id is call_id", "[providers]") {
  auto const value = json::parse(R"({"type":"function_call","id":"fc_1","call_id":"call_1","name":"demo__get_weather",
                                     "arguments":"{\"city\":\"Zürich\"}","status":"completed"})")
                         .value();
  auto const call = responses::read_call(value).value();
  CHECK(call.id == "call_1");
  CHECK(responses::write_call(call).text() == R"({"type":"function_call","call_id":"call_1",)"
                                              R"("name":"demo__get_weather","arguments":"{\"city\":\"Zürich\"}"})");
}

TEST_CASE("openai: a chat result is text, and says what had no place", "[providers]") {
  CHECK(chat::write_result(weather_call("call_1"), result_of_all_kinds()).text() ==
        R"({"role":"tool","tool_call_id":"call_1","content":"two files\n)" + lost_image + R"(\n)" + lost_audio + R"(\n)" +
            said_link + R"(\n)" + said_text + R"(\n)" + lost_pdf + R"(\n)" + lost_blob + R"(\n)" + lost_kind + "\"}");
}

TEST_CASE("openai: a responses result is a text where that is enough", "[providers]") {
  CHECK(responses::write_result(weather_call("call_1"), comcp::call_tool_result(comcp::text_content("21 °C"))).text() ==
        R"({"type":"function_call_output","call_id":"call_1","output":"21 °C"})");
  CHECK(responses::write_result(weather_call("call_1"), comcp::call_tool_result()).text() ==
        R"({"type":"function_call_output","call_id":"call_1","output":""})");
}

TEST_CASE("openai: a responses result with media is a list", "[providers]") {
  CHECK(responses::write_result(weather_call("call_1"), result_of_all_kinds()).text() ==
        R"({"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"two files"},)"
        R"({"type":"input_image","image_url":"data:image/png;base64,iVBORw=="},{"type":"input_text","text":")" +
            lost_audio + R"("},{"type":"input_text","text":")" + said_link + R"("},{"type":"input_text","text":")" +
            said_text +
            R"("},{"type":"input_file","filename":"c.pdf","file_data":"data:application/pdf;base64,JVBERg=="},)"
            R"({"type":"input_text","text":")" + lost_blob + R"("},{"type":"input_text","text":")" + lost_kind + R"("}]})");
}

TEST_CASE("openai: a failure begins with a word that says so", "[providers]") {
  comcp::call_tool_result failed(comcp::text_content("no such city"));
  failed.is_error = true;
  CHECK(parsed(chat::write_result(weather_call("1"), failed))["content"].dump() == "\"Error: no such city\"");
  CHECK(parsed(responses::write_result(weather_call("1"), failed))["output"].dump() == "\"Error: no such city\"");
  failed = result_of_all_kinds();
  failed.is_error = true;
  CHECK(parsed(responses::write_result(weather_call("1"), failed))["output"][0].dump() ==
        R"({"type":"input_text","text":"Error: "})");
  failed.content.clear();
  CHECK(parsed(chat::write_result(weather_call("1"), failed))["content"].dump() ==
        "\"Error: the tool failed and said nothing\"");
}

TEST_CASE("openai: structured content is in the text, once", "[providers]") {
  comcp::call_tool_result structured(comcp::text_content("sunny"));
  structured.structured_content = json::parse(R"({"sunny":true})").value();
  CHECK(parsed(chat::write_result(weather_call("1"), structured))["content"].dump() == R"("sunny\n{\"sunny\":true}")");
  structured.content = {comcp::text_content(R"({"sunny": true})")};
  CHECK(parsed(responses::write_result(weather_call("1"), structured))["output"].dump() == R"("{\"sunny\": true}")");
}

TEST_CASE("openai: malformed arguments are answered with the call's id", "[providers]") {
  auto const value = json::parse(R"({"id":"call_9","type":"function","function":{"name":"f","arguments":"{\"a\":"}})").value();
  auto const call = chat::read_call(value).value();
  REQUIRE(!call.arguments);
  auto const answer = parsed(chat::write_result(call, comcp::providers::failure(call.arguments.error())));
  CHECK(answer["tool_call_id"].dump() == "\"call_9\"");
  auto const said = answer["content"].dump();
  CHECK(said.starts_with("\"Error: invalid JSON: the arguments for \\\"f\\\" are no JSON object"));
}
