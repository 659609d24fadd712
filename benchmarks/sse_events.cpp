// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast an event stream is cut into events of 1 KB, in reads of 16 KiB.
#include <cstdlib>
#include <string>

#include <comcp/sansio/sse_parser.hpp>

#include "measure.hpp"

namespace {

double gigabytes_per_second(std::string_view stream, std::size_t expected) {
  comcp::sansio::sse_parser parser;
  std::size_t events = 0;
  auto const start = std::chrono::steady_clock::now();
  for (std::size_t at = 0; at < stream.size(); at += 16 * 1024) {
    parser.feed(stream.substr(at, 16 * 1024));
    while (auto event = parser.next()) events += event->is_message();
  }
  auto const seconds = bench::seconds_since(start);
  if (events != expected) std::abort();
  return static_cast<double>(stream.size()) / seconds * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  bench::pinned const here;
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 31;
  std::string stream;
  std::size_t const count = 32 * 1024;
  for (std::size_t i = 0; i != count; ++i) {
    stream += "event: message\nid: " + std::to_string(i) + "\ndata: " + std::string(1000, 'x') + "\n\n";
  }
  std::vector<double> speeds;
  for (int i = 0; i < rounds; ++i) speeds.push_back(gigabytes_per_second(stream, count));
  bench::print("sse_events.gb_s", bench::median(speeds));
}
