// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// 100 servers over memory, each with 10 tools, added to a registry at once; beside 100 clients that connect at once and
// ask for the same lists. Rounds are interleaved.
#include <memory>
#include <vector>

#include <comcp/registry/registry.hpp>
#include <comcp/test/fake_server.hpp>

#include "calls.hpp"
#include "many_tools.hpp"
#include "measure.hpp"

namespace {

constexpr std::size_t count = 100;
using fleet = std::vector<comcp::test::fake_server>;

asio::awaitable<int> by_hand(comcp::test::fake_server server) {
  auto const c = co_await comcp::connect(server.transport());
  auto const tools = co_await c.list_tools();
  bench::require(tools.size() == 10, "tools are missing");
  (void)co_await c.list_resources();
  (void)co_await c.list_resource_templates();
  (void)co_await c.list_prompts();
  co_await c.close();
  co_return 0;
}

asio::awaitable<double> all_by_hand(fleet const& servers) {
  auto const start = bench::wall_clock();
  std::vector<asio::awaitable<int>> work;
  for (auto const& s : servers) work.push_back(by_hand(s));
  auto const ends = co_await comcp::all(std::move(work));
  for (auto const& e : ends) bench::require(e.has_value(), "a client failed");
  co_return bench::wall_clock() - start;
}

asio::awaitable<double> all_added(fleet const& servers) {
  auto const executor = co_await asio::this_coro::executor;
  comcp::registry registry(executor);
  auto const start = bench::wall_clock();
  std::vector<asio::awaitable<void>> work;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    auto make = [s = servers[i]] { return comcp::any_transport(s.transport()); };
    work.push_back(registry.add(bench::server_name(i), comcp::server_config::from(std::move(make))));
  }
  auto const ends = co_await comcp::all(std::move(work));
  auto const seconds = bench::wall_clock() - start;
  for (auto const& e : ends) bench::require(e.has_value(), "a server failed");
  bench::require(registry.tools().size() == count * 10, "tools are missing");
  co_await registry.close();
  co_return seconds;
}

asio::awaitable<void> measure(int rounds) {
  auto const executor = co_await asio::this_coro::executor;
  fleet servers;
  auto const tools = comcp::json::raw(bench::tools_text(10));
  for (std::size_t i = 0; i < count; ++i) {
    servers.emplace_back(executor);
    servers.back().legacy().answer("tools/list", tools);
    servers.back().answer("resources/list", comcp::json::raw(R"({"resources":[]})"));
    servers.back().answer("resources/templates/list", comcp::json::raw(R"({"resourceTemplates":[]})"));
    servers.back().answer("prompts/list", comcp::json::raw(R"({"prompts":[]})"));
  }
  std::vector<double> added, plain, ratios;
  for (int i = 0; i < rounds; ++i) {
    auto const by_hand_s = co_await all_by_hand(servers);
    auto const added_s = co_await all_added(servers);
    plain.push_back(by_hand_s);
    added.push_back(added_s);
    ratios.push_back(added_s / by_hand_s);
  }
  bench::print("add_servers.ms", bench::median(added) * 1e3);
  bench::print("add_servers.by_hand_ms", bench::median(plain) * 1e3);
  bench::print("add_servers.ratio", bench::median(ratios));
}

}  // namespace

int main(int argc, char** argv) {
  bench::pinned const here;
  bench::run(measure(argc > 1 ? std::atoi(argv[1]) : 15));
}
