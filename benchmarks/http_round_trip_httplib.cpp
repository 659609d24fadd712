// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// As http_round_trip, over httplib_engine.
//
//   http_round_trip_httplib SERVER [ROUNDS [TRIPS]]
#include <algorithm>
#include <cstdlib>

#include <comcp/http/httplib_engine.hpp>
#include <comcp/transport/streamable_http.hpp>

#include "http_bench.hpp"

int main(int argc, char** argv) {
  if (argc < 2) bench::stop_here("usage: http_round_trip_httplib SERVER [ROUNDS [TRIPS]]");
  int const rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 15;
  std::size_t const trips = argc > 3 ? std::stoul(argv[3]) : 2'000;
  auto const make = [](std::string const& url) {
    return comcp::streamable_http<comcp::httplib_engine>(url, comcp::httplib_engine());
  };
  bench::pinned const here;
  bench::times one_core;
  auto const legacy = comcp::connect_options().legacy();
  bench::run(bench::measure_trips(one_core, argv[1], rounds, trips, legacy, nullptr, make));
  one_core.print("http_round_trip_httplib.pinned");
}
