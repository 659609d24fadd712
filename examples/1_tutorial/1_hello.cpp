// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Starts a server, lists its tools, and calls one.
//
//   1_hello SERVER [ARGUMENT...]
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <comcp/comcp.hpp>

asio::awaitable<bool> hello(std::vector<std::string> command) {
  // The server is a child process. What version of the protocol it speaks, connect() finds out.
  auto client = co_await comcp::connect(comcp::stdio(command));
  std::cout << "Connected to " << client.server_info().name << ", which speaks " << client.protocol_version().text()
            << "\nIts tools:\n";

  auto tools = co_await client.list_tools();  // every page of them
  for (auto const& tool : tools) std::cout << "  " << tool.name << ": " << tool.description.value_or("") << '\n';

  auto answer = co_await client.call_tool("echo", comcp::args("text", "Hello, world"));
  std::cout << "It says: " << answer.text() << '\n';

  co_await client.close();
  co_return answer.text() == "Hello, world";
}

int main(int argc, char* argv[]) try {
  return comcp::run(hello({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
