// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A list of 100 tools out of the cache, beside the same list over memory. Rounds are interleaved.
#include <comcp/client/cache.hpp>
#include <comcp/test/fake_server.hpp>

#include "calls.hpp"
#include "many_tools.hpp"
#include "measure.hpp"

namespace {

asio::awaitable<double> nanoseconds_each(comcp::client const& c, int count, comcp::call_options options) {
  auto const start = bench::wall_clock();
  for (int i = 0; i < count; ++i) {
    auto const all = co_await c.list_tools(options);
    bench::require(all.size() == 100, "tools are missing");
  }
  co_return (bench::wall_clock() - start) / count * 1e9;
}

asio::awaitable<void> measure(int rounds) {
  auto const executor = co_await asio::this_coro::executor;
  comcp::test::fake_server server(executor);
  server.modern().answer("tools/list", comcp::json::raw(bench::tools_text(100, true)));
  comcp::connect_options with_cache;
  with_cache.cache(comcp::cache_options());
  auto client = co_await comcp::connect(server.transport(), with_cache);
  comcp::call_options uncached;
  uncached.cache(comcp::cache_use::bypass);
  (void)co_await client.list_tools();
  std::vector<double> hits, asked, ratios;
  for (int i = 0; i < rounds; ++i) {
    auto const out_of_cache = co_await nanoseconds_each(client, 200, comcp::call_options());
    auto const over_memory = co_await nanoseconds_each(client, 50, uncached);
    hits.push_back(out_of_cache);
    asked.push_back(over_memory);
    ratios.push_back(out_of_cache / over_memory);
  }
  bench::require(server.count("tools/list") == 1 + 50 * static_cast<std::size_t>(rounds), "the cache was not used");
  bench::print("cached_list.ns", bench::median(hits));
  bench::print("cached_list.asked_ns", bench::median(asked));
  bench::print("cached_list.ratio", bench::median(ratios));
  co_await client.close();
}

}  // namespace

int main(int argc, char** argv) {
  bench::pinned const here;
  bench::run(measure(argc > 1 ? std::atoi(argv[1]) : 31));
}
