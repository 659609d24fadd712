// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Another process with the same file of credentials: "count FILE NAME N" adds one to a number N times, each time under
// the lock of its name; "hold FILE NAME" takes that lock, says so, and keeps it until it is killed.
#include <comcp/auth/file_token_store.hpp>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include <unistd.h>

#include <comcp/run.hpp>

using namespace std::chrono_literals;

namespace {

asio::awaitable<void> count(comcp::file_token_store store, std::string name, int times) {
  for (int i = 0; i != times; ++i) {
    auto lock = co_await store.lock(name, 60s);
    auto const held = lock.value();
    auto loaded = co_await store.load(name);
    auto const before = loaded.value();
    auto const n = before ? std::stoi(before->reveal()) : 0;
    auto const saved = co_await store.save(name, comcp::secret(std::to_string(n + 1)));
    saved.value();
  }
}

asio::awaitable<void> hold(comcp::file_token_store store, std::string name) {
  auto lock = co_await store.lock(name, 60s);
  auto const held = lock.value();
  std::cout << "held" << std::endl;
  for (;;) ::pause();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  comcp::file_token_store store(argv[2]);
  try {
    if (argv[1] == std::string_view("hold")) comcp::run(hold(store, argv[3]));
    if (argv[1] == std::string_view("count") && argc == 5) comcp::run(count(store, argv[3], std::atoi(argv[4])));
  } catch (std::exception const& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
