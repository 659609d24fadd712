// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A source of a program in which another one holds all of comcp: it calls for the core, for both transports and for
// what compiled mode instantiates once, and every answer is an error.
#include <comcp/http.hpp>

asio::awaitable<bool> nobody_is_there() {
  auto child = comcp::connect(comcp::stdio("/nonexistent/server"));
  auto const local = co_await comcp::as_result(std::move(child));
  auto server = comcp::http("http://127.0.0.1:1/mcp");
  server.proxy(comcp::proxy_options::none());
  auto attempt = comcp::connect(std::move(server));
  auto const remote = co_await comcp::as_result(std::move(attempt));
  co_return !local && !remote && remote.error() == comcp::errc::connect_failed;
}

int main() { return comcp::run(nobody_is_there()) ? 0 : 1; }
