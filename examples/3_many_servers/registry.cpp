// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Many servers under one roof: a registry starts them, starts them again when they are lost, keeps the catalog of what
// they offer together, and finds the server of a tool by its name.
//
//   registry SERVER [ARGUMENT...]
#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <comcp/comcp.hpp>
#include <comcp/registry/registry.hpp>

using namespace std::chrono_literals;

asio::awaitable<bool> host(std::vector<std::string> command) {
  comcp::registry_options options;
  options.on_status([](comcp::server_status const& s) {
    std::cout << s.name << " is " << to_string(s.state) << '\n';  // with s.reason where something went wrong
  });
  options.on_change([](comcp::catalog_change const& c) {
    std::cout << c.server_name << ": " << c.added.size() << " " << c.kind << " came, " << c.removed.size() << " went\n";
  });
  auto const home = co_await asio::this_coro::executor;
  comcp::registry servers(home, options);

  // One is waited for, one starts while we go on, one starts when it is needed.
  comcp::server_config const config(comcp::stdio{command});
  auto background = config;
  background.background().reconnect(comcp::reconnect_policy().attempts(3).delay(500ms, 30s));
  auto lazy = config;
  lazy.lazy();
  co_await servers.add("one", config);
  co_await servers.add("two", background);
  co_await servers.add("three", lazy);
  auto const all_ready = co_await servers.settled(30s);

  for (auto const& tool : servers.tools()) std::cout << tool.name << '\n';  // one/add, one/fail, ..., two/add, ...

  auto const sum = co_await servers.call("two/add", comcp::args("a", 2, "b", 3));
  std::cout << "two says " << sum.text() << '\n';

  // A bare name will do where one server alone has it.
  auto const unclear = co_await comcp::as_result(servers.call("add", comcp::args("a", 2, "b", 3)));
  std::cout << unclear.error().to_string() << '\n';

  co_await servers.close();
  co_return all_ready && !sum.is_error && unclear.error() == comcp::errc::ambiguous_name;
}

int main(int argc, char* argv[]) try {
  return comcp::run(host({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
