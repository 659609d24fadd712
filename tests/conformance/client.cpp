// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The client that the official conformance suite watches: which calls each scenario wants, and nothing else of it.
// The suite's runner gives the server's address, and in the environment the scenario, the revision and test data.
//
//   comcp_conformance_client URL
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <comcp/comcp.hpp>
#include <comcp/extensions/skills.hpp>
#include <comcp/transport/http.hpp>

#include "authorized.hpp"
#include "skills.hpp"

namespace {

using namespace std::chrono_literals;
using asio::awaitable;

// Accepts every form without filling in a field, and has a model and a directory to offer.
struct user {
  comcp::elicit_result elicit(comcp::elicit_params const&) { return comcp::elicit_result::accept(comcp::args()); }
  comcp::create_message_result create_message(comcp::create_message_params const&) {
    return comcp::create_message_result("none", "I am a test.");
  }
  std::vector<comcp::root> list_roots() { return {comcp::root("file:///tmp", "tmp")}; }
};

std::optional<std::string> environment(char const* name) {
  char const* const text = std::getenv(name);
  return text ? std::optional<std::string>(text) : std::nullopt;
}

// The suite's older version names no revision: then comcp finds out by itself. Else the revisions of the one era up to
// the one named, for a scenario's server may answer with an older one.
comcp::connect_options options_of_run() {
  comcp::connect_options options;
  options.client_info(comcp::implementation("comcp-conformance-client", COMCP_VERSION_STRING)).timeout(10s);
  auto const named = environment("MCP_CONFORMANCE_PROTOCOL_VERSION");
  if (!named) return options;
  auto const newest = comcp::protocol_version::parse(*named);
  if (!newest) throw std::runtime_error("unknown revision " + *named);
  std::vector<comcp::protocol_version> allowed;
  for (auto const& v : comcp::supported_versions()) {
    if (v <= *newest && v.era() == newest->era()) allowed.push_back(v);
  }
  options.allowed_versions(allowed);
  return options;
}

// The scenario's own data.
comcp::json::value context_of_run() {
  auto const text = environment("MCP_CONFORMANCE_CONTEXT");
  if (!text) return {};
  auto parsed = comcp::json::parse(*text);
  if (!parsed) throw comcp::exception(parsed.error());
  return std::move(*parsed);
}

awaitable<void> only_ping(comcp::client& client) { co_await client.ping(); }

awaitable<void> only_discover(comcp::client& client) { (void)co_await client.discover(); }

awaitable<void> only_list(comcp::client& client) { (void)co_await client.list_tools(); }

awaitable<void> add_numbers(comcp::client& client) {
  (void)co_await client.list_tools();
  auto const sum = co_await client.call_tool("add_numbers", comcp::args("a", 5, "b", 3));
  sum.or_throw();
}

// Every tool that the list has, all at once, with an argument that one of them wants mirrored.
awaitable<void> call_every_tool(comcp::client& client) {
  auto const tools = co_await client.list_tools();
  std::vector<awaitable<comcp::call_tool_result>> calls;
  for (auto const& tool : tools) calls.push_back(client.call_tool(tool.name, comcp::args("region", "eu-north-1")));
  auto const results = co_await comcp::all(std::move(calls));
  for (auto const& r : results) {
    if (!r) throw comcp::exception(r.error());
    r->or_throw();
  }
}

awaitable<void> use_everything(comcp::client& client) {
  co_await call_every_tool(client);
  auto const resources = co_await client.list_resources();
  for (auto const& resource : resources) (void)co_await client.read_resource(resource.uri);
  auto const prompts = co_await client.list_prompts();
  for (auto const& prompt : prompts) (void)co_await client.get_prompt(prompt.name);
}

// The calls that the scenario's data asks for.
awaitable<void> call_as_told(comcp::client& client) {
  (void)co_await client.list_tools();
  auto const context = context_of_run();
  auto const calls = context.view().find("toolCalls").value_or(comcp::json::view());
  for (auto const call : calls.elements()) {
    auto const name = call.find("name").value().get_string().value();
    auto const arguments = comcp::json::raw(call.find("arguments").value().dump());
    auto const result = co_await client.call_tool(name, arguments);
    result.or_throw();
  }
}

awaitable<void> echo_schema(comcp::client& client) {
  auto const tools = co_await client.list_tools();
  auto const* const rich = tools.find("json_schema_2020_12_tool");
  if (!rich) throw std::runtime_error("the tool with the schema is not in the list");
  (void)co_await client.call_tool("json_schema_echo", comcp::args("schema", rich->input_schema));
}

awaitable<void> list_and_call(comcp::client& client) {
  (void)co_await client.list_tools();
  (void)co_await client.call_tool("test-tool");
}

using conversation = awaitable<void> (*)(comcp::client&);

conversation conversation_for(std::string const& scenario) {
  static std::map<std::string, conversation> const all = {
      {"initialize", only_ping},
      {"tools_call", add_numbers},
      {"elicitation-sep1034-client-defaults", call_every_tool},
      {"sse-retry", call_every_tool},
      {"request-metadata", only_discover},
      {"sep-2322-client-request-state", call_every_tool},
      {"http-standard-headers", use_everything},
      {"http-custom-headers", call_as_told},
      {"http-invalid-tool-headers", call_every_tool},
      {"json-schema-ref-no-deref", only_list},
      {"json-schema-2020-12-preservation", echo_schema},
      {"sep-2640-client-no-prefetch", conformance::list_skills},
      {"sep-2640-client-verify-digest", conformance::load_bad_skill},
      {"sep-2640-client-verify-size", conformance::load_bad_skill},
      {"sep-2640-client-verify-frontmatter", conformance::load_bad_skill},
  };
  if (scenario.starts_with("auth/")) return list_and_call;
  auto const found = all.find(scenario);
  if (found == all.end()) throw std::runtime_error("no calls are known for the scenario " + scenario);
  return found->second;
}

awaitable<comcp::client> connect_for(std::string scenario, std::string url) {
  auto options = options_of_run();
  if (scenario.starts_with("sep-2640")) options.extension(comcp::skills());
  if (scenario.starts_with("auth/")) {
    auto context = context_of_run();
    auto client = co_await conformance::connect_authorized(url, scenario, std::move(context), std::move(options));
    co_return client;
  }
  auto client = co_await comcp::connect(comcp::http(url), user(), std::move(options));
  co_return comcp::client(std::move(client));
}

awaitable<void> take_part(std::string scenario, std::string url) {
  auto const calls = conversation_for(scenario);
  auto client = co_await connect_for(scenario, url);
  co_await calls(client);
  co_await client.close();
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc != 2) throw std::runtime_error("usage: comcp_conformance_client URL");
  comcp::run(take_part(environment("MCP_CONFORMANCE_SCENARIO").value_or("initialize"), argv[1]));
  return 0;
} catch (std::exception const& e) {
  std::cerr << "comcp_conformance_client: " << e.what() << '\n';
  return 1;
}
