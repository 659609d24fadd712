// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that streams 100,000 progress notifications to one call: how many of them the caller hears in a second,
// client and server on a core each where there are two, and how long the client computes for one.
//
//   http_progress SERVER [ROUNDS]
#include <cstdlib>

#include <comcp/transport/http.hpp>

#include "http_bench.hpp"

namespace {

constexpr int count = 100'000;

asio::awaitable<void> measure(char const* path, int rounds, bench::pinned const& here) {
  bench::http_server const server(path);
  (void)here.move_away(server.pid());
  comcp::connect_options options;
  options.legacy();
  comcp::client const c = co_await comcp::connect(comcp::http(server.url()), options);
  std::vector<double> rates, costs;
  for (int i = 0; i < rounds; ++i) {
    int heard = 0;
    auto const o = comcp::call_options().on_progress([&heard](comcp::progress_notification const&) { ++heard; });
    auto const start = std::chrono::steady_clock::now();
    auto const cpu = bench::thread_clock();
    (void)co_await c.call_tool("stream", comcp::args("count", count), o);
    rates.push_back(count / bench::seconds_since(start));
    costs.push_back((bench::thread_clock() - cpu) / count);
    if (heard != count) bench::stop_here(("of 100,000 notifications were heard " + std::to_string(heard)).c_str());
  }
  bench::print("http_progress.per_second", bench::median(rates));
  bench::print("http_progress.ns", bench::median(costs) * 1e9);
  co_await c.close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) bench::stop_here("usage: http_progress SERVER [ROUNDS]");
  bench::pinned const here;
  bench::run(measure(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 9, here));
}
