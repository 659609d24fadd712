// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a consumer of comcp::http builds with TLS: all of it is there, and nobody listens.
#include <comcp/http.hpp>

#if !defined(COMCP_WITH_TLS)
#error "this is for a comcp with TLS"
#endif

asio::awaitable<bool> nobody_is_there() {
  auto server = comcp::http("https://127.0.0.1:1/mcp", comcp::bearer("token"));
  server.proxy(comcp::proxy_options::none());
  auto attempt = comcp::connect(std::move(server));
  auto const client = co_await comcp::as_result(std::move(attempt));
  co_return !client && client.error() == comcp::errc::connect_failed;
}

int main() { return comcp::run(nobody_is_there()) ? 0 : 1; }
