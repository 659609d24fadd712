// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One client for all threads of a pool. Nothing of it is locked by the program: the client lives on a strand of its
// own, what is asked of it finds the way there, and each coroutine resumes on its own executor. What the client knows
// of its server is a snapshot, to be asked on any thread.
//
//   thread_pool SERVER [ARGUMENT...]
#include <atomic>
#include <exception>
#include <future>
#include <iostream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <asio/co_spawn.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>

#include <comcp/comcp.hpp>

namespace {

struct seen {
  void here() {
    std::lock_guard const lock(mutex);
    threads.insert(std::this_thread::get_id());
  }
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<int> right = 0;
};

asio::awaitable<void> work(comcp::client const& client, int number, seen& s) {
  for (int i = 0; i != 20; ++i) {
    auto const text = std::to_string(number) + '.' + std::to_string(i);
    auto const answer = co_await client.call_tool("echo", comcp::args("text", text));
    s.here();
    s.right += answer.text() == text && client.server_info().name == "comcp_demo_server";
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  asio::thread_pool pool(4);
  seen s;
  {
    std::vector<std::string> const command(argv + 1, argv + argc);
    auto const client = asio::co_spawn(pool, comcp::connect(comcp::stdio{command}), asio::use_future).get();
    std::vector<std::future<void>> all;
    for (int i = 0; i != 50; ++i) all.push_back(asio::co_spawn(pool, work(client, i, s), asio::use_future));
    for (auto& each : all) each.get();
    asio::co_spawn(pool, client.close(), asio::use_future).get();
  }
  pool.join();
  std::cout << s.right << " of 1000 answers, on " << s.threads.size() << " threads\n";
  return s.right == 1000 ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
