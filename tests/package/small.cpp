// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a road's consumer builds where main.cpp would show no more and compile longer: Asio with comcp's macros, threads
// and JSON, which links simdjson.
#include <cstdio>
#include <thread>

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <comcp/json/value.hpp>
#include <comcp/version.hpp>

#if !defined(ASIO_STANDALONE) || !defined(ASIO_HAS_CO_AWAIT) || !defined(ASIO_HAS_STD_COROUTINE)
#error "the macros of comcp did not come along"
#endif
#if defined(__linux__) && !defined(ASIO_HAS_STD_ALIGNED_ALLOC)
#error "the macro of comcp for Linux did not come along"
#endif

int main() {
  asio::io_context io;
  std::string text;
  asio::post(io, [&] {
    auto const value = comcp::json::parse(R"({"road": [1, 2]})");
    text = value ? value->dump() : value.error().to_string();
  });
  std::thread([&] { io.run(); }).join();
  std::printf("comcp %s: %s\n", COMCP_VERSION_STRING, text.c_str());
  return text == R"({"road":[1,2]})" ? 0 : 1;
}
