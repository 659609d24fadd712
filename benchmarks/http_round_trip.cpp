// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One call over HTTP on a kept connection, answered with JSON by a server in a process of its own; beside it as many
// bytes sent to the same server, and sent back unread, by plain system calls. Rounds are interleaved, figures are
// medians.
//
//   http_round_trip SERVER [ROUNDS [TRIPS]]
#include <algorithm>
#include <cstdlib>

#include <comcp/transport/http.hpp>

#include "http_bench.hpp"

int main(int argc, char** argv) {
  if (argc < 2) bench::stop_here("usage: http_round_trip SERVER [ROUNDS [TRIPS]]");
  int const rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 15;
  std::size_t const trips = argc > 3 ? std::stoul(argv[3]) : 2'000;
  auto const make = [](std::string const& url) { return comcp::http(url); };
  bench::pinned const here;
  bench::round_trips one_core, modern, two_cores;
  auto const legacy = comcp::connect_options().legacy();
  bench::run(bench::measure_trips(one_core, argv[1], rounds, trips, legacy, nullptr, make));
  one_core.print("http_round_trip.pinned");
  bench::run(bench::measure_trips(modern, argv[1], rounds, trips, comcp::connect_options(), nullptr, make));
  modern.print("http_round_trip.modern");
  bench::run(bench::measure_trips(two_cores, argv[1], rounds, trips, legacy, &here, make));
  two_cores.print("http_round_trip.two_cores");
}
