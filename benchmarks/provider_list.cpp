// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// 10,000 tools of 100 servers in the shapes of model providers, their names among it; beside the text of the same tools
// as a server would send it. Rounds are interleaved.
#include <comcp/providers/anthropic.hpp>
#include <comcp/providers/openai.hpp>

#include "many_tools.hpp"
#include "measure.hpp"

namespace {

constexpr std::size_t servers = 100, each = 100;

using offers = std::vector<comcp::providers::offered_tool>;

offers offer_all(comcp::list_tools_result const& page) {
  offers out;
  out.reserve(servers * each);
  for (std::size_t s = 0; s < servers; ++s) {
    auto const name = bench::server_name(s);
    for (auto const& tool : page.tools) out.emplace_back(name, tool);
  }
  return out;
}

template <class Work>
double milliseconds_of(Work work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return bench::seconds_since(start) * 1e3;
}

}  // namespace

int main(int argc, char** argv) {
  bench::pinned const here;
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  comcp::list_tools_result page;
  page.tools = bench::tools(each);
  comcp::providers::tool_names known;
  for (std::size_t s = 0; s < servers; ++s) {
    for (auto const& tool : page.tools) known.add(bench::server_name(s), tool.name);
  }
  std::vector<double> plain, names, anthropic, openai, ratios, origins;
  for (int i = 0; i < rounds; ++i) {
    std::size_t bytes = 0;
    plain.push_back(milliseconds_of([&] {
      for (std::size_t s = 0; s < servers; ++s) bytes += comcp::json::to_text(page).size();
    }));
    offers all;
    names.push_back(milliseconds_of([&] { all = offer_all(page); }));
    anthropic.push_back(milliseconds_of([&] { bytes += comcp::providers::anthropic::write_tools(all).text().size(); }));
    openai.push_back(milliseconds_of([&] { bytes += comcp::providers::openai_chat::write_tools(all).text().size(); }));
    ratios.push_back((names.back() + anthropic.back()) / plain.back());
    origins.push_back(milliseconds_of([&] {
      for (auto const& o : all) bench::require(known.origin(o.name()).has_value(), "a name was not found");
    }));
    bench::require(bytes > 3 * servers * each * 300, "tools are missing");
  }
  bench::print("provider_list.names.ms", bench::median(names));
  bench::print("provider_list.anthropic.ms", bench::median(anthropic));
  bench::print("provider_list.openai.ms", bench::median(openai));
  bench::print("provider_list.plain_ms", bench::median(plain));
  bench::print("provider_list.ratio", bench::median(ratios));
  bench::print("provider_list.origin.ns", bench::median(origins) / static_cast<double>(servers * each) * 1e6);
}
