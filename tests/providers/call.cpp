// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/providers/call.hpp>

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/providers/anthropic.hpp>
#include <comcp/providers/gemini.hpp>
#include <comcp/providers/openai.hpp>

#include "providers/samples.hpp"
#include "support/catch.hpp"

using comcp::errc;
namespace json = comcp::json;
namespace providers = comcp::providers;

namespace {

comcp::result<json::fragment> arguments(std::string_view given) {
  auto const value = json::parse(given).value();
  return providers::detail::read_arguments(value.view(), "t");
}

using reader = comcp::result<std::vector<providers::model_call>> (*)(json::view);
using one_reader = comcp::result<providers::model_call> (*)(json::view);

struct shape {
  char const* name;
  reader all;
  one_reader one;
  std::string message;  // a good message with two calls
};

std::vector<shape> shapes() {
  return {
      {"anthropic", providers::anthropic::read_calls, providers::anthropic::read_call,
       R"({"role":"assistant","content":[{"type":"text","text":"Let me see"},
           {"type":"tool_use","id":"toolu_1","name":"a__x","input":{"n":1}},
           {"type":"tool_use","id":"toolu_2","name":"a__y","input":{}}]})"},
      {"chat", providers::openai_chat::read_calls, providers::openai_chat::read_call,
       R"({"role":"assistant","content":null,"tool_calls":[
           {"id":"call_1","type":"function","function":{"name":"a__x","arguments":"{\"n\": 1}"}},
           {"id":"call_2","type":"function","function":{"name":"a__y","arguments":""}}]})"},
      {"responses", providers::openai_responses::read_calls, providers::openai_responses::read_call,
       R"({"id":"resp_1","output":[{"type":"reasoning","id":"rs_1","summary":[]},
           {"type":"function_call","id":"fc_1","call_id":"call_1","name":"a__x","arguments":"{\"n\": 1}"},
           {"type":"function_call","id":"fc_2","call_id":"call_2","name":"a__y","arguments":"{}"}]})"},
      {"gemini", providers::gemini::read_calls, providers::gemini::read_call,
       R"({"role":"model","parts":[{"text":"Let me see"},
           {"functionCall":{"id":"c1","name":"a__x","args":{"n":1}},"thoughtSignature":"c2ln"},
           {"functionCall":{"name":"a__y"}}]})"},
  };
}

}  // namespace

TEST_CASE("call: arguments are an object, or the text of one", "[providers]") {
  CHECK(arguments(R"({"a":{"b":[1,2.5,"x"]}})").value().text() == R"({"a":{"b":[1,2.5,"x"]}})");
  CHECK(arguments(R"("{\"a\": [1, 2]}")").value().text() == R"({"a":[1,2]})");
  CHECK(arguments(R"(" \n{ } ")").value().text() == "{}");
  CHECK(arguments(R"({"big":9007199254740993})").value().text() == R"({"big":9007199254740993})");
}

TEST_CASE("call: no arguments are none, however models say so", "[providers]") {
  CHECK(providers::detail::read_arguments(std::nullopt, "t").value().text() == "{}");
  for (char const* const given : {"null", "\"\"", R"(" \t\r\n")", "\"null\"", "{}", "\"{}\""}) {
    CAPTURE(given);
    CHECK(arguments(given).value().text() == "{}");
  }
}

TEST_CASE("call: malformed arguments are a clear error", "[providers]") {
  for (char const* const given : {R"("{\"a\":")", R"("{'a':1}")", R"("{} {}")", R"("a=1")", R"("{\"a\":1,}")",
                                  R"("```json\n{}\n```")", R"("\u0000")"}) {
    CAPTURE(given);
    auto const read = arguments(given);
    REQUIRE(!read);
    CHECK(read.error() == errc::invalid_json);
    CHECK(read.error().message().find("\"t\"") != std::string_view::npos);
  }
  for (char const* const given : {"1", "true", "[]", "\"[]\"", "\"1\"", "\"\\\"{}\\\"\""}) {
    CAPTURE(given);
    auto const read = arguments(given);
    REQUIRE(!read);
    CHECK(read.error() == errc::wrong_shape);
  }
  auto const deep = json::to_value(std::string(5000, '['));
  auto const read = providers::detail::read_arguments(deep.view(), std::string(100'000, 'n'));
  REQUIRE(!read);
  CHECK(read.error().message().size() < 400);
}

TEST_CASE("call: a key that comes twice is an error, wherever it is", "[providers]") {
  for (char const* const given : {R"({"a":1,"a":2})", R"("{\"a\":1,\"a\":1}")", R"({"l":[{},{"b":1,"\u0062":2}]})"}) {
    CAPTURE(given);
    auto const read = arguments(given);
    REQUIRE(!read);
    CHECK(read.error() == errc::wrong_shape);
    CHECK(read.error().message().find("twice") != std::string_view::npos);
  }
  CHECK(arguments(R"({"a":{"a":1},"l":[{"a":1},{"a":1}]})"));
}

TEST_CASE("call: arguments that no JSON parser should take are typed errors", "[providers]") {
  CHECK(arguments('"' + std::string(300, '[') + std::string(300, ']') + '"').error() == errc::limit_exceeded);
  CHECK(arguments(R"("{\"n\":1e999}")").error() == errc::invalid_json);
  CHECK(arguments(R"("{\"s\":\"\\ud800\"}")").error() == errc::invalid_json);
  CHECK(arguments(R"("{\"n\":12345678901234567890123456789}")").error() == errc::invalid_json);
}

TEST_CASE("call: every shape gives id, name and arguments", "[providers]") {
  for (auto const& s : shapes()) {
    CAPTURE(s.name);
    auto const message = json::parse(s.message).value();
    auto const calls = s.all(message).value();
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].name == "a__x");
    CHECK(!calls[0].id.empty());
    CHECK(calls[0].arguments.value().text() == R"({"n":1})");
    CHECK(calls[1].name == "a__y");
    CHECK(calls[1].id != calls[0].id);
    CHECK(calls[1].arguments.value().text() == "{}");
  }
}

TEST_CASE("call: a message without calls has none", "[providers]") {
  for (auto const& s : shapes()) {
    CAPTURE(s.name);
    for (char const* const text : {"{}", "[]", "[{}]", "[1,null,\"x\"]", R"({"content":null,"tool_calls":null,"parts":null,"output":null})"}) {
      CAPTURE(text);
      auto const message = json::parse(text).value();
      auto const calls = s.all(message);
      if (std::string_view(s.name) == "chat" && text[0] == '[' && text[1] != ']') {
        CHECK(calls.error() == errc::wrong_shape);  // what is no call does not belong into tool_calls
      } else {
        REQUIRE(calls);
        CHECK(calls->empty());
      }
    }
    for (char const* const text : {"null", "1", "\"x\"", "true"}) {
      auto const message = json::parse(text).value();
      CHECK(s.all(message).error() == errc::wrong_shape);
      CHECK(s.one(message).error() == errc::wrong_shape);
    }
  }
  auto const plain = json::parse(R"({"role":"assistant","content":"Hello"})").value();
  CHECK(providers::anthropic::read_calls(plain).value().empty());
  CHECK(providers::openai_chat::read_calls(plain).value().empty());
}

TEST_CASE("call: one without name or id, or of a wrong type, is wrong_shape and says what is missing", "[providers]") {
  std::vector<std::pair<one_reader, std::vector<std::pair<char const*, char const*>>>> const cases = {
      {providers::anthropic::read_call,
       {{R"({"type":"tool_use","name":"x","input":{}})", "\"id\" is missing"},
        {R"({"type":"tool_use","id":"1","input":{}})", "\"name\" is missing"},
        {R"({"type":"tool_use","id":"1","name":7})", "\"name\" is no string"},
        {R"({"type":"text","text":"x"})", "tool_use"},
        {R"({"id":"1","name":"x","input":{}})", "tool_use"}}},
      {providers::openai_chat::read_call,
       {{R"({"type":"function","function":{"name":"x","arguments":"{}"}})", "\"id\" is missing"},
        {R"({"id":"1","type":"function","function":{"arguments":"{}"}})", "\"name\" is missing"},
        {R"({"id":"1","type":"custom","custom":{"name":"x","input":"y"}})", "function"},
        {R"({"id":"1","type":"function","function":"x"})", "function"}}},
      {providers::openai_responses::read_call,
       {{R"({"type":"function_call","id":"fc_1","name":"x","arguments":"{}"})", "\"call_id\" is missing"},
        {R"({"type":"function_call","call_id":"1","arguments":"{}"})", "\"name\" is missing"},
        {R"({"type":"message","content":[]})", "function_call"}}},
      {providers::gemini::read_call,
       {{R"({"functionCall":{"args":{}}})", "\"name\" is missing"},
        {R"({"functionCall":{"id":1,"name":"x"}})", "\"id\" is no string"},
        {R"({"functionCall":"x"})", "functionCall"},
        {R"({"text":"x"})", "functionCall"}}},
  };
  for (auto const& [read, bad] : cases) {
    for (auto const& [text, part] : bad) {
      CAPTURE(text);
      auto const value = json::parse(text).value();
      auto const got = read(value);
      REQUIRE(!got);
      CHECK(got.error() == errc::wrong_shape);
      CHECK(got.error().message().find(part) != std::string_view::npos);
    }
  }
}

TEST_CASE("call: malformed arguments spoil neither the id nor the other calls", "[providers]") {
  for (auto const& s : shapes()) {
    auto text = s.message;
    for (auto const& [from, to] : std::vector<std::pair<std::string, std::string>>{{R"("{\"n\": 1}")", R"("{\"n\": ")"},
                                                                                  {R"({"n":1})", R"("{n:1")"}}) {
      if (auto const at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
    }
    CAPTURE(text);
    auto const message = json::parse(text).value();
    auto const calls = s.all(message).value();
    REQUIRE(calls.size() == 2);
    CHECK(!calls[0].id.empty());
    CHECK(calls[0].name == "a__x");
    REQUIRE(!calls[0].arguments);
    CHECK(calls[0].arguments.error() == errc::invalid_json);
    CHECK(calls[1].arguments);
    CHECK_THROWS_AS(calls[0].arguments.value(), comcp::exception);
  }
}

TEST_CASE("call: whatever a provider sends is calls or a typed error", "[providers]") {
  std::mt19937 random(4711);
  int read_well = 0, refused = 0;
  for (auto const& s : shapes()) {
    for (int i = 0; i < 4000; ++i) {
      auto text = s.message;
      for (auto n = random() % 4 + 1; n > 0; --n) {
        auto const at = random() % text.size();
        switch (random() % 4) {
          case 0: text.erase(at, random() % 12 + 1); break;
          case 1: text.insert(at, 1, "{}[]\",:0nt\\ "[random() % 12]); break;
          case 2: text[at] = static_cast<char>(random() % 256); break;
          default: text += text.substr(at, random() % 20);
        }
      }
      auto const value = json::parse(text);
      if (!value) continue;
      auto const calls = s.all(*value);
      if (!calls) {
        REQUIRE(calls.error() == errc::wrong_shape);
        ++refused;
        continue;
      }
      ++read_well;
      for (auto const& call : *calls) {
        if (!call.arguments) continue;
        REQUIRE(json::parse(call.arguments.value().text()).value().is_object());
      }
    }
  }
  CHECK(read_well > 500);
  CHECK(refused > 20);
}

TEST_CASE("call: from a catalog to a model and back to server, tool and arguments", "[providers]") {
  std::vector<std::pair<std::string, std::string>> const catalog = {
      {"github", "create_issue"}, {"files", "read a/file"}, {"", "sum"}, {"büro", std::string(70, 'x')}, {"a_", "_b"}};
  auto const given = json::args("text", "\"quoted\"\n\\", "n", 9007199254740993, "deep", json::args("a", 1.5));
  providers::tool_names names;
  for (auto const& [server, name] : catalog) names.add(server, name);
  for (auto const& [server, name] : catalog) {
    providers::model_call const call("id-1", providers::provider_name(server, name), given);
    std::vector<std::pair<one_reader, json::fragment>> const shapes = {
        {providers::anthropic::read_call, providers::anthropic::write_call(call)},
        {providers::openai_chat::read_call, providers::openai_chat::write_call(call)},
        {providers::openai_responses::read_call, providers::openai_responses::write_call(call)},
        {providers::gemini::read_call, providers::gemini::write_call(call)}};
    for (auto const& [read, written] : shapes) {
      auto const value = comcp_test::parsed(written);
      auto const back = read(value).value();
      CHECK(back.id == call.id);
      CHECK(names.origin(back.name).value() == providers::tool_origin(server, name));
      CHECK(back.arguments.value().text() == given.text());
    }
  }
}

TEST_CASE("call: a tool is offered under its name for providers", "[providers]") {
  auto const t = comcp_test::bare_tool();
  providers::offered_tool const offered("demo", t);
  CHECK(offered.name() == providers::provider_name("demo", "list regions"));
  CHECK(&offered.definition() == &t);
}

TEST_CASE("call: a failure tells the model what happened, without the transport's detail", "[providers]") {
  comcp::transport_detail detail;
  detail.stderr_tail = "SECRET=1";
  detail.snippet = "<html>";
  auto const e = comcp::error(errc::transport_failed, "the server exited").with_detail(detail);
  auto const said = providers::failure(e);
  CHECK(said.is_error);
  CHECK(said.text() == "transport failed: the server exited");
  comcp::peer_error peer;
  peer.code = -32602;
  peer.message = "unknown city";
  CHECK(providers::failure(comcp::error::from_peer(peer)).text() == "invalid params: unknown city");
}

TEST_CASE("call: a failure that quotes what is no UTF-8 can be sent all the same", "[providers]") {
  auto const said = providers::failure(comcp::error(errc::connect_failed, "no such command: \xff-tool"));
  CHECK(said.text() == "could not connect: no such command: ?-tool");
  CHECK_NOTHROW(providers::gemini::write_result(providers::model_call(), said));
  CHECK(providers::failure(comcp::error(errc::not_found, "Zürich")).text() == "not found: Zürich");
}

TEST_CASE("call: a default-made call has no arguments", "[providers]") {
  CHECK(providers::detail::arguments_of(providers::model_call()).text() == "{}");
}
