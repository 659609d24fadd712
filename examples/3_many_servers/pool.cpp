// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Several connections to one server: calls are spread over them, and a connection that is lost is made anew.
//
//   pool SERVER [ARGUMENT...]
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <comcp/comcp.hpp>
#include <comcp/pool/pool.hpp>

asio::awaitable<std::string> greet(comcp::client const& server) {
  // What belongs together goes to one connection.
  auto const found = co_await server.read_resource("demo://greeting");
  co_return found.text();
}

asio::awaitable<bool> work(std::vector<std::string> command) {
  auto const home = co_await asio::this_coro::executor;
  comcp::server_config const config(comcp::stdio{command});
  comcp::pool servers(home, config, comcp::pool_options().size(3).strategy(comcp::least_busy()));
  co_await servers.warm_up();

  // The pool has the operations of a client; each call goes to one of the connections.
  std::vector<asio::awaitable<comcp::call_tool_result>> calls;
  for (int i = 0; i != 30; ++i) calls.push_back(servers.call_tool("add", comcp::args("a", i, "b", 1)));
  auto const sums = co_await comcp::all(std::move(calls));
  bool well = true;
  for (int i = 0; i != 30; ++i) {
    auto const& sum = sums[static_cast<std::size_t>(i)];
    well = well && sum && sum->structured_content["sum"].as_int64() == i + 1;
  }

  auto const text = co_await servers.with_connection(greet);
  std::cout << text << '\n';
  for (auto const& member : servers.stats().members) std::cout << member.name << ": " << to_string(member.state) << '\n';
  co_await servers.close();
  co_return well;
}

int main(int argc, char* argv[]) try {
  return comcp::run(work({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
