// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A gateway: 2,000 calls in flight at once, over a registry whose four servers live on executors of their own, each an
// io_context with a thread. Requests come in on a thread pool and are answered there. The demo server's tool `gather`
// answers no call before all 500 that go to it are there.
//
//   gateway SERVER [ARGUMENT...]
#include <array>
#include <atomic>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <asio/co_spawn.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>

#include <comcp/comcp.hpp>
#include <comcp/registry/registry.hpp>

namespace {

constexpr int calls = 2000;

// Where one server's client lives.
class worker {
 public:
  worker() : work_(asio::make_work_guard(io_)), thread_([this] { io_.run(); }) {}
  ~worker() {
    work_.reset();  // what is under way is finished
    thread_.join();
  }
  [[nodiscard]] asio::any_io_executor executor() { return io_.get_executor(); }

 private:
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
};

struct tally {
  std::atomic<int> right = 0, wrong = 0;
};

// A request that came in: the registry finds the server by the tool's name, the answer resumes this coroutine here.
asio::awaitable<void> handle(comcp::registry const& servers, int number, tally& t) {
  auto const text = std::to_string(number);
  auto const tool = "server" + std::to_string(number % 4) + "/gather";
  try {
    auto const answer = co_await servers.call(tool, comcp::args("text", text, "count", calls / 4));
    ++(answer.text() == text ? t.right : t.wrong);
  } catch (std::exception const& e) {
    std::cerr << tool << ": " << e.what() << '\n';
    ++t.wrong;
  }
}

asio::awaitable<void> start(comcp::registry const& servers, std::array<worker, 4>& workers,
                            std::vector<std::string> command) {
  for (std::size_t i = 0; i != workers.size(); ++i) {
    comcp::server_config config(comcp::stdio{command});
    co_await servers.add("server" + std::to_string(i), config.executor(workers[i].executor()));
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  std::array<worker, 4> workers;
  asio::thread_pool front(2);
  tally t;
  {
    comcp::registry servers(front.get_executor());
    asio::co_spawn(front, start(servers, workers, {argv + 1, argv + argc}), asio::use_future).get();
    std::vector<std::future<void>> requests;
    for (int i = 0; i != calls; ++i) requests.push_back(asio::co_spawn(front, handle(servers, i, t), asio::use_future));
    for (auto& each : requests) each.get();

    for (auto const& name : servers.servers()) {
      auto const s = servers.find(name).value();
      std::cout << name << ", " << s.server_info().name << ": " << to_string(servers.status(name).value().state)
                << '\n';
    }
    asio::co_spawn(front, servers.close(), asio::use_future).get();
  }
  front.join();
  std::cout << t.right << " of " << calls << " answers\n";
  return t.right == calls ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
