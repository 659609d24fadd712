// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Many calls over HTTP at once, each of which the server answers after a second: how long after that second all of
// them are done, in how many threads, and with how much memory. Calls are started together, on new connections.
//
//   http_in_flight SERVER CALLS
#include <cstdlib>
#include <fstream>

#include <comcp/transport/http.hpp>

#include "http_bench.hpp"

namespace {

double of_status(std::string const& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::atof(line.c_str() + field.size());
  }
  return 0;
}

asio::awaitable<void> slow(comcp::client const& c) {
  auto const r = co_await comcp::as_result(c.call_tool("slow"));
  if (!r) bench::stop_here(r.error().to_string().c_str());
}

asio::awaitable<void> measure(char const* path, std::size_t calls) {
  bench::http_server const server(path);
  comcp::connect_options options;
  options.legacy();
  comcp::client const c = co_await comcp::connect(comcp::http(server.url()), options);
  (void)co_await c.call_tool("echo", comcp::args("text", "hello"));
  double const before = of_status("VmRSS:");
  auto const start = std::chrono::steady_clock::now();
  std::vector<asio::awaitable<void>> all;
  all.reserve(calls);
  for (std::size_t i = 0; i < calls; ++i) all.push_back(slow(c));
  (void)co_await comcp::all(std::move(all));
  auto const seconds = bench::seconds_since(start);
  auto const prefix = "http_in_flight." + std::to_string(calls);
  bench::print((prefix + ".s").c_str(), seconds - 1);
  bench::print((prefix + ".threads").c_str(), of_status("Threads:"));
  bench::print((prefix + ".mb").c_str(), of_status("VmHWM:") / 1024);
  bench::print((prefix + ".kb_per_call").c_str(), (of_status("VmHWM:") - before) / static_cast<double>(calls));
  co_await c.close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) bench::stop_here("usage: http_in_flight SERVER CALLS");
  bench::many_files();
  bench::run(measure(argv[1], std::stoul(argv[2])));
}
