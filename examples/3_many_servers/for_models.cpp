// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tools for a language model: the catalog in the shape that a provider's API takes, the calls that the model makes, and
// the results that go back. Here with Anthropic's shape; providers/openai.hpp and providers/gemini.hpp have the others.
//
//   for_models SERVER [ARGUMENT...]
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <comcp/comcp.hpp>
#include <comcp/providers/anthropic.hpp>
#include <comcp/registry/registry.hpp>

namespace model = comcp::providers;

// Stands for the answer of the provider's API to a request with these tools.
comcp::json::value ask_model(comcp::json::fragment const& tools) {
  std::cout << "tools: " << tools.text().substr(0, 100) << "...\n";
  return comcp::json::parse(R"({"role":"assistant","content":[{"type":"text","text":"Let me see."},
      {"type":"tool_use","id":"toolu_1","name":"demo__add","input":{"a":20,"b":22}},
      {"type":"tool_use","id":"toolu_2","name":"demo__unheard_of","input":{}}]})").value();
}

asio::awaitable<comcp::call_tool_result> carry_out(comcp::registry const& servers, model::tool_names const& names,
                                                   model::model_call const& call) {
  auto const origin = names.origin(call.name);
  if (!origin) co_return model::failure(origin.error());
  if (!call.arguments) co_return model::failure(call.arguments.error());  // no JSON: the model is to be told
  auto const name = comcp::qualified_name(origin->server, origin->tool);
  auto answer = co_await comcp::as_result(servers.call(name, *call.arguments));
  if (!answer) co_return model::failure(answer.error());
  co_return std::move(*answer);
}

asio::awaitable<bool> chat(std::vector<std::string> command) {
  auto const home = co_await asio::this_coro::executor;
  comcp::registry servers(home);
  comcp::server_config const config(comcp::stdio{command});
  co_await servers.add("demo", config);

  auto const catalog = servers.tools();
  std::vector<model::offered_tool> offered;
  model::tool_names names;
  for (auto const& tool : catalog) {
    if (!comcp::is_for_model(tool.definition)) continue;  // not written anyway, and no model shall call it by its name
    offered.emplace_back(tool.server_name, tool.definition);
    names.add(tool.server_name, tool.original_name);
  }
  auto const reply = ask_model(model::anthropic::write_tools(offered));

  std::vector<std::string> results;
  auto const calls = model::anthropic::read_calls(reply).value();
  for (auto const& call : calls) {
    auto const answer = co_await carry_out(servers, names, call);
    results.push_back(model::anthropic::write_result(call, answer).text());
    std::cout << results.back() << '\n';  // goes into the next message to the model
  }
  co_await servers.close();
  co_return results.size() == 2 && results[0].find("42") != std::string::npos;
}

int main(int argc, char* argv[]) try {
  return comcp::run(chat({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
