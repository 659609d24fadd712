// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// barrel_mcp_tool_format (Erlang) and what barrel_mcp_agent makes of it: tools in the shapes of model providers, and a
// model's call back to the server that it means.
#include <comcp/providers/anthropic.hpp>
#include <comcp/providers/openai.hpp>

#include "coming_from/servers.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

json::value parsed(char const* text) { return json::parse(text).value(); }
json::value parsed(std::string const& text) { return json::parse(text).value(); }
json::value parsed(json::fragment const& f) { return parsed(f.text()); }

tool tool_of(std::string const& text) { return parsed(text).get<tool>().value(); }

/// One definition, without a server's name before its own.
template <class Write>
json::value offered(tool const& definition, Write write) {
  std::vector<providers::offered_tool> const tools{providers::offered_tool("", definition)};
  return parsed(write(tools))[0];
}

std::vector<providers::offered_tool> offers(registry const& all, providers::tool_names& names) {
  std::vector<providers::offered_tool> out;
  for (auto const& e : all.tools()) {
    names.add(e.server_name, e.original_name);
    out.emplace_back(e.server_name, e.definition);
  }
  return out;
}

}  // namespace

TEST_CASE("barrel_mcp: tool formats for providers, to_anthropic", "[coming_from]") {
  auto const search = tool_of(R"({"name":"search","title":"Search","description":"Search the index",
      "inputSchema":{"type":"object","required":["q"]},"annotations":{"readOnlyHint":true}})");
  CHECK(offered(search, providers::anthropic::write_tools) ==
        parsed(R"({"name":"search","description":"Search the index","input_schema":{"type":"object","required":["q"]}})"));
  tool bare;  // neither description nor schema
  bare.name = "x";
  CHECK(offered(bare, providers::anthropic::write_tools) ==
        parsed(R"({"name":"x","description":"","input_schema":{"type":"object"}})"));
}

TEST_CASE("barrel_mcp: tool formats for providers, to_openai", "[coming_from]") {
  auto const search = tool_of(R"({"name":"search","description":"Search","inputSchema":{"type":"object",
      "properties":{"q":{"type":"string"}}}})");
  auto const chat = offered(search, providers::openai_chat::write_tools);
  CHECK(chat["type"].as<std::string>() == "function");
  CHECK(chat["function"]["name"].as<std::string>() == "search");
  CHECK(chat["function"]["description"].as<std::string>() == "Search");
  CHECK(chat["function"]["parameters"]["properties"]["q"]["type"].as<std::string>() == "string");
  tool bare;
  bare.name = "x";
  auto const empty = offered(bare, providers::openai_chat::write_tools);
  CHECK(empty["function"]["description"].as<std::string>().empty());
  CHECK(empty["function"]["parameters"]["type"].as<std::string>() == "object");
}

TEST_CASE("barrel_mcp: tool formats for providers, from_anthropic_call", "[coming_from]") {
  auto const block = parsed(R"({"type":"tool_use","id":"abc","name":"search","input":{"q":"hello"}})");
  auto const call = providers::anthropic::read_call(block.view());
  REQUIRE(call);
  CHECK(call->id == "abc");
  CHECK(call->name == "search");
  REQUIRE(call->arguments);
  CHECK(call->arguments->text() == R"({"q":"hello"})");
  auto const text = parsed(R"({"type":"text","text":"no call"})");
  CHECK(providers::anthropic::read_call(text.view()).error() == errc::wrong_shape);
}

TEST_CASE("barrel_mcp: tool formats for providers, from_openai_call with arguments as object, text or nothing",
          "[coming_from]") {
  auto const arguments = [](std::string const& given) {
    auto const call = parsed(R"({"id":"call_1","type":"function","function":{"name":"search")" + given + "}}");
    auto const read = providers::openai_chat::read_call(call.view());
    REQUIRE(read);
    CHECK(read->name == "search");
    return read->arguments;
  };
  CHECK(arguments(R"(,"arguments":{"q":"hi"})")->text() == R"({"q":"hi"})");
  CHECK(arguments(R"(,"arguments":"{\"q\": \"hi\"}")")->text() == R"({"q":"hi"})");
  CHECK(arguments("")->text() == "{}");
  CHECK_FALSE(arguments(R"(,"arguments":"{\"q\": ")"));    // there the process crashes
  CHECK_FALSE(arguments(R"(,"arguments":"[1, 2, 3]")"));   // there this is #{}
}

TEST_CASE("barrel_mcp: the aggregated catalog goes to a model, and its call to the right server", "[coming_from]") {
  conversation c;
  flaky_server alpha(c), beta(c);
  registry all(c.io.get_executor(), std::move(registry_options().time(c.clock)));
  providers::tool_names names;
  CHECK(parsed(providers::anthropic::write_tools(offers(all, names))) == parsed("[]"));
  REQUIRE(c.finish(all.add("alpha", alpha.config(c))));
  REQUIRE(c.finish(all.add("beta", beta.config(c))));

  auto const tools = parsed(providers::anthropic::write_tools(offers(all, names)));
  REQUIRE(tools.size() == 2);
  CHECK(providers::is_safe_name(tools[1]["name"].as<std::string>()));  // "beta:echo" is none
  auto const model_says = parsed(args("type", "tool_use", "id", "t1", "name", tools[1]["name"], "input",
                                      args("text", "hello from beta")));
  auto const call = providers::anthropic::read_call(model_says.view());
  REQUIRE(call);
  auto const origin = names.origin(call->name);
  REQUIRE(origin);
  CHECK(origin->server == "beta");
  auto const answer = c.finish(all.call(qualified_name(origin->server, origin->tool), call->arguments.value()));
  REQUIRE(answer);
  CHECK(beta.server.count("tools/call") == 1);
  CHECK(alpha.server.count("tools/call") == 0);
  auto const back = parsed(providers::anthropic::write_result(*call, *answer));
  CHECK(back["type"].as<std::string>() == "tool_result");
  CHECK(back["tool_use_id"].as<std::string>() == "t1");
  CHECK(names.origin("ghost").error() == errc::unknown_tool);
  CHECK(c.finish(all.close()));
}
