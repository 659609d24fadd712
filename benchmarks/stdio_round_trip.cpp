// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One call over stdio, 64 in flight, and the large answers, against the echo server in a process of its own; beside it
// as many bytes exchanged with the same server in its raw mode by plain write and read. Rounds are interleaved, figures
// are medians.
//
//   stdio_round_trip SERVER [ROUNDS]
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <comcp/transport/stdio.hpp>

#include "calls.hpp"
#include "large_answers.hpp"

namespace {

constexpr std::size_t trips = 2'000, calls = 50'000;
constexpr std::string_view request =
    R"({"jsonrpc":"2.0","id":1048577,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}})"
    "\n";

/// The server in raw mode, with the descriptors that comcp::stdio gives a server: a socket and a pipe.
class raw_server {
 public:
  /// It answers each `request` with so many bytes.
  explicit raw_server(char const* path, std::size_t answer = request.size()) : answer_(answer) {
    int in[2], out[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, in) != 0 || ::pipe(out) != 0) bench::stop_here("no descriptors");
    auto const asked = std::to_string(request.size()), given = std::to_string(answer);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[1], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (int const fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      ::execl(path, path, "raw", asked.c_str(), given.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(in[1]);
    ::close(out[1]);
    to_ = in[0];
    from_ = out[0];
  }
  raw_server(raw_server const&) = delete;
  raw_server& operator=(raw_server const&) = delete;
  ~raw_server() {
    ::close(to_);
    ::close(from_);
    ::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

  /// So many at a time.
  void exchange(std::size_t requests = 1) {
    while (requests_.size() < requests * request.size()) requests_ += request;
    auto const size = requests * request.size();
    if (::write(to_, requests_.data(), size) != static_cast<ssize_t>(size))
      bench::stop_here("the raw server does not read");
    for (std::size_t got = 0; got < requests * answer_;) {
      auto const n = ::read(from_, buffer_.data(), buffer_.size());
      if (n <= 0) bench::stop_here("the raw server is gone");
      got += static_cast<std::size_t>(n);
    }
  }

 private:
  std::size_t answer_;
  int to_ = -1, from_ = -1;
  pid_t pid_ = -1;
  std::string requests_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 20);
};

/// The median of single round trips, in seconds.
double raw_trips(raw_server& server) {
  std::vector<double> each;
  for (std::size_t i = 0; i < trips; ++i) {
    auto const start = std::chrono::steady_clock::now();
    server.exchange();
    each.push_back(bench::seconds_since(start));
  }
  return bench::median(std::move(each));
}

double raw_many(raw_server& server, std::size_t wanted, std::size_t in_flight) {
  auto const start = std::chrono::steady_clock::now();
  for (std::size_t done = 0; done < wanted; done += in_flight) server.exchange(in_flight);
  return bench::seconds_since(start);
}

/// With `here`, the servers run on other cores; nothing is measured where there are none.
asio::awaitable<void> measure(std::string prefix, char const* path, int rounds, bench::pinned const* here) {
  raw_server raw(path);
  comcp::connect_options options;
  options.legacy();
  comcp::client const c = co_await comcp::connect(comcp::stdio(path), options);
  if (here) {
    auto const served = co_await c.transport_info();
    bool const moved = here->move_away(raw.pid()) && here->move_away(static_cast<pid_t>(*served.pid));
    if (!moved) co_return;
  }
  (void)raw_trips(raw);
  (void)co_await bench::client_trips(c, trips);
  bench::times all;
  for (int i = 0; i < rounds; ++i) {
    double const plain = raw_trips(raw);
    double const ours = co_await bench::client_trips(c, trips);
    all.add(plain, ours);
  }
  all.print(prefix);
  co_await c.close();
}

asio::awaitable<void> measure_many(char const* path, int rounds) {
  raw_server raw(path);
  comcp::client const c = co_await comcp::connect(comcp::stdio(path), comcp::connect_options().legacy());
  (void)co_await bench::many_calls(c, calls, 64);
  auto const plain = [&raw](std::size_t n) { return raw_many(raw, n, 64); };
  co_await bench::many_beside_raw("stdio_round_trip.pinned", c, calls, 64, rounds, plain);
  co_await c.close();
}

asio::awaitable<void> measure_large(char const* path, int rounds) {
  raw_server list(path, large::tools_result().size() + 40), text(path, large::text_result().size() + 40);
  comcp::client const c = co_await comcp::connect(comcp::stdio(path, "large"), comcp::connect_options().legacy());
  auto const raw_list = [&list] { list.exchange(); };
  auto const raw_text = [&text] { text.exchange(); };
  co_await bench::large_answers("stdio_round_trip.pinned", c, rounds, raw_list, raw_text);
  co_await c.close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) bench::stop_here("usage: stdio_round_trip SERVER [ROUNDS]");
  int const rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 15;
  {
    bench::pinned const here;
    bench::run(measure("stdio_round_trip.pinned", argv[1], rounds, nullptr));
    bench::run(measure_many(argv[1], rounds));
    bench::run(measure_large(argv[1], 3 * rounds));
    bench::run(measure("stdio_round_trip.two_cores", argv[1], rounds, &here));
  }
  // Where the system puts a pair of processes, on one core or on two, it often leaves them: this says little alone.
  bench::run(measure("stdio_round_trip.unpinned", argv[1], rounds, nullptr));
}
