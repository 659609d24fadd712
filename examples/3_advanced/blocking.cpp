// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A program without coroutines: every call waits for its answer. Pings, the server's own requests and callbacks go on
// meanwhile, on the client's thread.
//
//   blocking SERVER [ARGUMENT...]
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <comcp/client/blocking_client.hpp>
#include <comcp/comcp.hpp>

struct assistant {
  // Called on the client's thread, while the program waits for the tool that asks.
  comcp::elicit_result elicit(comcp::elicit_params const& form) {
    std::cout << "  the server asks: " << form.message << '\n';
    return comcp::elicit_result::accept(comcp::args("name", "Ada"));
  }
};

int main(int argc, char* argv[]) try {
  std::vector<std::string> const command(argv + 1, argv + argc);
  comcp::blocking_client client{comcp::stdio(command), assistant()};

  for (auto const& tool : client.list_tools()) std::cout << tool.name << '\n';
  auto const hello = client.call_tool("echo", comcp::args("text", "hello"));
  auto const greeting = client.call_tool("ask_name");
  std::cout << hello.text() << '\n' << greeting.text() << '\n';

  // What has no function of its own: any operation of comcp::client, and several at once.
  auto const both = client.wait([](comcp::client const& c) {
    std::vector<asio::awaitable<comcp::call_tool_result>> calls;
    calls.push_back(c.call_tool("echo", comcp::args("text", "one")));
    calls.push_back(c.call_tool("echo", comcp::args("text", "two")));
    return comcp::all(std::move(calls));
  });
  for (auto const& each : both) std::cout << each.value().text() << '\n';

  client.close();
  return hello.text() == "hello" && greeting.text() == "A very good day to you, Ada." && both.size() == 2 ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
