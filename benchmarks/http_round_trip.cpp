// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One call over HTTP on a kept connection, 64 in flight, and the large answers, answered with JSON by a server in a
// process of its own; beside it as many bytes sent to the same server, and sent back unread, by plain system calls.
// Rounds are interleaved, figures are medians.
//
//   http_round_trip SERVER [ROUNDS [TRIPS]]
#include <algorithm>
#include <cstdlib>
#include <deque>

#include <sys/epoll.h>

#include <comcp/transport/http.hpp>

#include "http_bench.hpp"
#include "large_answers.hpp"

namespace {

constexpr std::size_t in_flight = 64, calls = 20'000;

comcp::connect_options legacy() {
  comcp::connect_options options;
  options.legacy();
  return options;
}

/// One exchange at a time on each of these connections, from one thread.
class raw_crowd {
 public:
  explicit raw_crowd(bench::http_server const& server) : poller_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (std::size_t i = 0; i < in_flight; ++i) {
      auto& each = members_.emplace_back(server);
      epoll_event e{};
      e.events = EPOLLIN;
      e.data.ptr = &each;
      ::epoll_ctl(poller_, EPOLL_CTL_ADD, each.exchange.socket(), &e);
    }
  }
  raw_crowd(raw_crowd const&) = delete;
  raw_crowd& operator=(raw_crowd const&) = delete;
  ~raw_crowd() { ::close(poller_); }

  double run(std::size_t wanted) {
    auto const start = std::chrono::steady_clock::now();
    for (auto& each : members_) each.exchange.send();
    std::size_t to_send = wanted - in_flight;
    for (std::size_t done = 0; done < wanted;) {
      epoll_event events[in_flight];
      int const n = ::epoll_wait(poller_, events, in_flight, -1);
      for (int i = 0; i < n; ++i) {
        auto& each = *static_cast<member*>(events[i].data.ptr);
        each.got += each.exchange.receive(each.got);
        if (each.got < each.exchange.answer_size()) continue;
        each.got = 0;
        ++done;
        if (to_send > 0) --to_send, each.exchange.send();
      }
    }
    return bench::seconds_since(start);
  }

 private:
  struct member {
    explicit member(bench::http_server const& server) : exchange(server, bench::request_bytes, bench::answer_bytes) {}
    bench::raw_exchange exchange;
    std::size_t got = 0;
  };
  int poller_;
  std::deque<member> members_;
};

asio::awaitable<void> measure_many(char const* path, int rounds) {
  bench::http_server const server(path);
  raw_crowd raw(server);
  comcp::client const c = co_await comcp::connect(comcp::http(server.url()), legacy());
  (void)co_await bench::many_calls(c, calls, in_flight);
  auto const plain = [&raw](std::size_t n) { return raw.run(n); };
  co_await bench::many_beside_raw("http_round_trip.pinned", c, calls, in_flight, rounds, plain);
  co_await c.close();
}

asio::awaitable<void> measure_large(char const* path, int rounds) {
  bench::http_server const server(path);
  bench::raw_exchange list(server, bench::request_bytes, large::tools_result().size() + bench::answer_bytes);
  bench::raw_exchange text(server, bench::request_bytes, large::text_result().size() + bench::answer_bytes);
  comcp::client const c = co_await comcp::connect(comcp::http(server.url()), legacy());
  auto const raw_list = [&list] { list.run(); };
  auto const raw_text = [&text] { text.run(); };
  co_await bench::large_answers("http_round_trip.pinned", c, rounds, raw_list, raw_text);
  co_await c.close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) bench::stop_here("usage: http_round_trip SERVER [ROUNDS [TRIPS]]");
  int const rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 15;
  std::size_t const trips = argc > 3 ? std::stoul(argv[3]) : 2'000;
  auto const make = [](std::string const& url) { return comcp::http(url); };
  bench::pinned const here;
  bench::times one_core, modern, two_cores;
  bench::run(bench::measure_trips(one_core, argv[1], rounds, trips, legacy(), nullptr, make));
  one_core.print("http_round_trip.pinned");
  bench::run(measure_many(argv[1], rounds));
  bench::run(measure_large(argv[1], 3 * rounds));
  bench::run(bench::measure_trips(modern, argv[1], rounds, trips, comcp::connect_options(), nullptr, make));
  modern.print("http_round_trip.modern");
  bench::run(bench::measure_trips(two_cores, argv[1], rounds, trips, legacy(), &here, make));
  two_cores.print("http_round_trip.two_cores");
}
