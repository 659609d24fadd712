// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The client's memory does not grow with the number of calls.
#include <cstdlib>
#include <fstream>

#include "e2e/fixture.hpp"

using namespace e2e;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool has_sanitizer = true;
#else
constexpr bool has_sanitizer = false;
#endif
#else
constexpr bool has_sanitizer = false;
#endif

/// The peak resident size in KiB since forget_peak().
long peak() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
  }
  return 0;
}
bool forget_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

asio::awaitable<void> echo(comcp::client const& client, int calls) {
  for (int i = 0; i != calls; ++i) {
    auto const answer = co_await client.call_tool("echo", args("text", "a text of some length, as it comes"));
    if (answer.text().size() != 34) throw std::runtime_error("another text came back");
  }
}

asio::awaitable<void> calls_at_once(comcp::client const& client, int each) {
  std::vector<asio::awaitable<void>> workers;
  for (int i = 0; i != 50; ++i) workers.push_back(echo(client, each));
  auto const done = co_await comcp::all(std::move(workers));
  for (auto const& r : done) CHECK(r);
}

}  // namespace

TEST_CASE("memory: flat from 20,000 to 200,000 calls", "[process][slow][serial]") {
  if (has_sanitizer) COMCP_SKIP("a sanitizer keeps freed memory");
  if (!forget_peak()) COMCP_SKIP("no /proc/self/clear_refs");
  auto const many_calls = []() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(comcp::stdio(std::string(COMCP_TEST_SERVERS_DIR) + "/comcp_test_echo_server"));
    co_await calls_at_once(client, 20'000 / 50);
    auto const early = peak();
    co_await calls_at_once(client, 180'000 / 50);
    auto const late = peak();
    CAPTURE(early, late);
    CHECK(early > 0);
    CHECK(late <= early + 512);
    CHECK(client.statistics().completed >= 200'000);
    co_await client.close();
  };
  talk(many_calls, 240s);
}
