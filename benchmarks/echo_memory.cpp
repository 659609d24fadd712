// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory a client takes: the peak resident size of this process after 20,000 and after 200,000 echo calls,
// one by one or so many in flight. At most 12 MB, and the second as the first.
//
//   comcp_bench_echo_memory [IN_FLIGHT [SERVER ARGUMENT...]]
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <comcp/comcp.hpp>

namespace {

/// VmHWM: since the start of this program, whatever started it.
long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
  }
  return 0;
}

asio::awaitable<void> echo(comcp::client const& client, long calls) {
  for (long i = 0; i < calls; ++i) {
    auto const answer = co_await client.call_tool("echo", comcp::args("text", "a text of some length, as it comes"));
    if (answer.text().empty()) std::abort();
  }
}

asio::awaitable<void> measure(std::vector<std::string> command, long in_flight) {
  auto client = co_await comcp::connect(comcp::stdio(command));
  long done = 0;
  for (long const goal : {20'000L, 200'000L}) {
    std::vector<asio::awaitable<void>> workers;
    for (long i = 0; i < in_flight; ++i) workers.push_back(echo(client, (goal - done) / in_flight));
    (void)co_await comcp::all(std::move(workers));
    done = goal;
    std::cout << "echo_memory." << goal << ".mb " << static_cast<double>(peak_kib()) / 1024 << '\n';
  }
  co_await client.close();
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto const here = std::filesystem::path(argv[0]).parent_path();
  std::vector<std::string> command{(here / "../tests/servers/comcp_test_echo_server").string()};
  if (argc > 2) command.assign(argv + 2, argv + argc);
  comcp::run(measure(command, argc > 1 ? std::atol(argv[1]) : 64));
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
