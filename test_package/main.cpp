// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A coroutine, JSON and, where comcp has it, TLS: what needs Asio, simdjson, threads and OpenSSL. All of comcp/comcp.hpp
// would show no more of a package, and takes a minute to compile where comcp is header-only.
#include <iostream>

#include <comcp/json/value.hpp>
#include <comcp/run.hpp>

#if defined(COMCP_WITH_TLS)
#include <asio/ssl/context.hpp>
#endif

asio::awaitable<bool> works() {
#if defined(COMCP_WITH_TLS)
  asio::ssl::context const tls(asio::ssl::context::tls_client);
#endif
  auto const value = comcp::json::parse(R"({"package": [1, 2]})");
  co_return value && value->dump() == R"({"package":[1,2]})";
}

int main() {
  bool const ok = comcp::run(works());
  std::cout << "comcp " << COMCP_VERSION_STRING << ": " << (ok ? "works" : "does not work") << '\n';
  return ok ? 0 : 1;
}
