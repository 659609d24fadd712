// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The ways to call a tool: with keys and values, with your own types, with JSON text that a language model wrote;
// and what its answer holds.
//
//   2_tools SERVER [ARGUMENT...]
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <comcp/comcp.hpp>

// One list of fields makes a struct readable from JSON and writable as JSON.
struct numbers {
  int a = 0, b = 0;
};
constexpr auto describe(std::type_identity<numbers>) {
  return comcp::json::fields(comcp::json::field("a", &numbers::a), comcp::json::field("b", &numbers::b));
}

struct total {
  int sum = 0;
};
constexpr auto describe(std::type_identity<total>) {
  return comcp::json::fields(comcp::json::field("sum", &total::sum));
}

asio::awaitable<bool> call_tools(std::vector<std::string> command) {
  auto client = co_await comcp::connect(comcp::stdio(command));

  // A tool says what it takes: a JSON Schema, as comcp::json::value.
  auto const tools = co_await client.list_tools();
  auto const* const add = tools.find("add");
  if (!add) co_return false;
  std::cout << "add takes " << add->input_schema.dump() << '\n';

  // Keys and values; the answer has content for people and models, and structured content for programs.
  auto const by_hand = co_await client.call_tool("add", comcp::args("a", 2, "b", 3));
  std::cout << "content: " << by_hand.text() << ", structured: " << by_hand.structured_content.dump() << '\n';

  // Your own types, both ways.
  numbers const in{20, 22};
  auto const typed = co_await client.call_tool<total>("add", in);
  std::cout << "typed: " << typed.sum << '\n';

  // What a language model wrote. raw() checks it, and throws if it is no JSON.
  auto const by_model = co_await client.call_tool("add", comcp::json::raw(R"( { "a": 1,  "b": 1 } )"));
  std::cout << "by a model: " << by_model.text() << '\n';

  // A tool's own failure is for the model to see: a value. or_throw() makes it an exception.
  auto const failed = co_await client.call_tool("fail", comcp::args("message", "not today"));
  std::cout << "failed: " << std::boolalpha << failed.is_error << ", " << failed.text() << '\n';

  co_await client.close();
  bool const sums = by_hand.structured_content["sum"].as_int64() == 5 && typed.sum == 42;
  co_return sums && by_model.structured<total>().value().sum == 2 && failed.is_error;
}

int main(int argc, char* argv[]) try {
  return comcp::run(call_tools({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
