// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalog of 100 servers with 100 tools each: making it of their lists, taking in one server's new list, and finding
// a tool in it, beside a std::map of the same names. Rounds are interleaved.
#include <map>

#include <comcp/registry/catalog.hpp>

#include "many_tools.hpp"
#include "measure.hpp"

namespace {

constexpr std::size_t servers = 100, each = 100;

using view = comcp::catalog_view<comcp::tool>;
using list = std::vector<comcp::tool>;

view take_in(view const& from, std::size_t server, list definitions) {
  std::vector<comcp::catalog_fault> faults;
  auto const name = bench::server_name(server);
  auto part = comcp::detail::make_part<comcp::tool>(name, "/", std::move(definitions), faults);
  bench::require(faults.empty(), "a tool was left out");
  return from.with(name, std::move(part));
}

template <class Work>
double nanoseconds_each(std::size_t count, Work work) {
  auto const start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; ++i) work(i);
  return bench::seconds_since(start) / static_cast<double>(count) * 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  bench::pinned const here;
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 31;
  auto const given = bench::tools(each);
  std::vector<std::string> qualified, bare;
  for (std::size_t i = 0; i < servers * each; ++i) {
    auto const at = i * 7919 % (servers * each);  // not in order
    qualified.push_back(comcp::qualified_name(bench::server_name(at / each), given[at % each].name));
    bare.push_back(given[at % each].name);
  }

  std::vector<double> build, copies, refresh, plain, lookup, map_lookup, by_bare;
  for (int round = 0; round < rounds; ++round) {
    std::vector<list> lists(servers, given);
    auto start = std::chrono::steady_clock::now();
    view all;
    for (std::size_t i = 0; i < servers; ++i) all = take_in(all, i, std::move(lists[i]));
    build.push_back(bench::seconds_since(start));
    bench::require(all.size() == servers * each, "tools are missing");

    auto again = given;
    start = std::chrono::steady_clock::now();
    auto const after = take_in(all, 42, std::move(again));
    auto const change = comcp::detail::difference<comcp::tool>("server_42", all.of("server_42"), after.of("server_42"));
    refresh.push_back(bench::seconds_since(start));
    bench::require(change.empty(), "a tool changed");

    start = std::chrono::steady_clock::now();
    std::map<std::string, comcp::tool const*, std::less<>> map;
    for (auto const& e : all) map.emplace(e.name, &e.definition);
    plain.push_back(bench::seconds_since(start));

    std::size_t found = 0;
    lookup.push_back(nanoseconds_each(qualified.size(), [&](std::size_t i) { found += all.find(qualified[i]) != nullptr; }));
    map_lookup.push_back(nanoseconds_each(qualified.size(), [&](std::size_t i) { found += map.find(qualified[i]) != map.end(); }));
    by_bare.push_back(nanoseconds_each(200, [&](std::size_t i) { found += all.find_all(bare[i]).size(); }));
    bench::require(found == 2 * servers * each + 200 * servers, "a tool was not found");
  }
  bench::print("catalog.build.ms", bench::median(build) * 1e3);
  bench::print("catalog.build.map_ms", bench::median(plain) * 1e3);
  bench::print("catalog.build.ratio", bench::median(build) / bench::median(plain));
  bench::print("catalog.refresh.ms", bench::median(refresh) * 1e3);
  bench::print("catalog.refresh.ratio", bench::median(refresh) / bench::median(build));
  bench::print("catalog.lookup.ns", bench::median(lookup));
  bench::print("catalog.lookup.map_ns", bench::median(map_lookup));
  bench::print("catalog.lookup.ratio", bench::median(lookup) / bench::median(map_lookup));
  bench::print("catalog.bare.ns", bench::median(by_bare));
}
