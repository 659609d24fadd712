// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One call over stdio, and 64 in flight, against the echo server in a process of its own; beside it the same bytes
// sent to the same server in its raw mode by plain write and read. Rounds are interleaved, figures are medians.
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

namespace {

constexpr std::size_t trips = 2'000, calls = 50'000;
constexpr std::string_view request =
    R"({"jsonrpc":"2.0","id":1048577,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}})"
    "\n";

/// The server in raw mode, with the descriptors that comcp::stdio gives a server: a socket and a pipe.
class raw_server {
 public:
  explicit raw_server(char const* path) {
    int in[2], out[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, in) != 0 || ::pipe(out) != 0) bench::stop_here("no descriptors");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[1], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (int const fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      ::execl(path, path, "raw", nullptr);
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

  void exchange() {
    if (::write(to_, request.data(), request.size()) != static_cast<ssize_t>(request.size()))
      bench::stop_here("the raw server does not read");
    for (std::size_t got = 0; got < request.size();) {
      auto const n = ::read(from_, buffer_, sizeof buffer_);
      if (n <= 0) bench::stop_here("the raw server is gone");
      got += static_cast<std::size_t>(n);
    }
  }

 private:
  int to_ = -1, from_ = -1;
  pid_t pid_ = -1;
  char buffer_[4096];
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

asio::awaitable<double> client_trips(comcp::client const& c) {
  std::vector<double> each;
  for (std::size_t i = 0; i < trips; ++i) {
    auto const start = std::chrono::steady_clock::now();
    auto const r = co_await c.call_tool("echo", comcp::args("text", "hello"));
    each.push_back(bench::seconds_since(start));
    if (r.is_error) bench::stop_here("the tool failed");
  }
  co_return bench::median(std::move(each));
}

struct figures {
  std::vector<double> plain, ours, ratios, rates;

  void print(std::string const& prefix) const {
    if (plain.empty()) return;
    bench::print((prefix + ".raw.us").c_str(), bench::median(plain) * 1e6);
    bench::print((prefix + ".us").c_str(), bench::median(ours) * 1e6);
    bench::print((prefix + ".ratio").c_str(), bench::median(ratios));
    if (!rates.empty()) bench::print((prefix + ".calls_per_second").c_str(), bench::median(rates));
  }
};

/// With `here`, the servers run on other cores; nothing is measured where there are none.
asio::awaitable<void> measure(figures& f, char const* path, int rounds, bench::pinned const* here, bool throughput) {
  raw_server raw(path);
  comcp::connect_options options;
  options.legacy();
  comcp::client const c = co_await comcp::connect(comcp::stdio(path), options);
  if (here) {
    bool const moved = here->move_away(raw.pid()) && here->move_away(static_cast<pid_t>(*c.transport_info().pid));
    if (!moved) co_return;
  }
  (void)raw_trips(raw);
  (void)co_await client_trips(c);
  for (int i = 0; i < rounds; ++i) {
    f.plain.push_back(raw_trips(raw));
    f.ours.push_back(co_await client_trips(c));
    f.ratios.push_back(f.ours.back() / f.plain.back());
    if (throughput) f.rates.push_back(calls / co_await bench::many_calls(c, calls, 64));
  }
  co_await c.close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) bench::stop_here("usage: stdio_round_trip SERVER [ROUNDS]");
  int const rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 15;
  {
    bench::pinned const here;
    figures one_core, two_cores;
    bench::run(measure(one_core, argv[1], rounds, nullptr, true));
    one_core.print("stdio_round_trip.pinned");
    bench::run(measure(two_cores, argv[1], rounds, &here, false));
    two_cores.print("stdio_round_trip.two_cores");
  }
  // Where the system puts a pair of processes, on one core or on two, it often leaves them: this says little alone.
  figures unpinned;
  bench::run(measure(unpinned, argv[1], rounds, nullptr, false));
  unpinned.print("stdio_round_trip.unpinned");
}
