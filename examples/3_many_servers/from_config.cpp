// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The configuration files of other hosts (Claude Desktop, Claude Code, VS Code, Cursor): read, checked, connected.
//
//   from_config SERVER [ARGUMENT...]      writes such a file for that server, and uses it
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <comcp/comcp.hpp>
#include <comcp/config/connect.hpp>
#include <comcp/config/load.hpp>
#include <comcp/registry/registry.hpp>

using namespace std::chrono_literals;

asio::awaitable<bool> host(std::string file) {
  auto const found = comcp::load_config(file);
  for (auto const& problem : found.problems) std::cout << problem.to_string() << '\n';  // file, line, key

  auto const home = co_await asio::this_coro::executor;
  comcp::registry servers(home);
  auto const variables = comcp::process_variables();  // ${VAR} from the environment, and so on
  for (auto const& entry : found.servers) {
    auto const expanded = comcp::expand_server(entry, found.inputs, variables);
    for (auto const& problem : expanded.problems) std::cout << problem.to_string() << '\n';
    if (!expanded.ok() || entry.disabled) continue;
    auto config = comcp::to_server_config(expanded.server);
    config.background();
    co_await servers.add(entry.name, config);
  }
  (void)co_await servers.settled(30s);
  for (auto const& tool : servers.tools()) std::cout << tool.name << '\n';
  auto const count = servers.tools().size();
  co_await servers.close();
  co_return count > 0 && found.problems.size() == 1;
}

std::string write_config(std::vector<std::string> const& command) {
  auto const file = std::string("from_config_example.json");
  std::vector<std::string> const arguments(command.begin() + 1, command.end());
  comcp::json::object demo;
  demo.set("command", command.front()).set("args", arguments);
  std::ofstream(file) << "{\n  // comments are fine\n  \"mcpServers\": {\n    \"demo\": " << demo.text()
                      << ",\n    \"broken\": {\"command\": 7},\n  }\n}\n";
  return file;
}

int main(int argc, char* argv[]) try {
  if (argc < 2) return 1;
  auto const file = write_config({argv + 1, argv + argc});
  auto const well = comcp::run(host(file));
  std::remove(file.c_str());
  return well ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
