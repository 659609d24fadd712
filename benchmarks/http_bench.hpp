// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the HTTP benchmarks share: their server in a process of its own, and single round trips.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <comcp/client/connect.hpp>

#include "calls.hpp"

namespace bench {

/// Descriptors as many as the system lets us have.
inline void many_files() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

/// comcp_bench_http_server, which ends with this.
class http_server {
 public:
  explicit http_server(char const* path) {
    int in[2], out[2];
    if (::pipe(in) != 0 || ::pipe(out) != 0) stop_here("no descriptors");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (int const fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      ::execl(path, path, nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    keeps_it_ = in[1];
    char text[16] = {};
    if (::read(out[0], text, sizeof text - 1) <= 0) stop_here("the server does not start");
    ::close(out[0]);
    port_ = static_cast<in_port_t>(std::atoi(text));
  }
  http_server(http_server const&) = delete;
  http_server& operator=(http_server const&) = delete;
  ~http_server() {
    ::close(keeps_it_);
    ::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] in_port_t port() const noexcept { return port_; }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/mcp"; }

 private:
  pid_t pid_ = -1;
  int keeps_it_ = -1;
  in_port_t port_ = 0;
};

/// The bytes of an exchange, sent and awaited by plain system calls.
class raw_exchange {
 public:
  raw_exchange(http_server const& server, std::size_t request, std::size_t answer)
      : request_(request, 'x'), answer_(answer, ' ') {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(server.port());
    int const yes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    auto const hello = "raw " + std::to_string(request) + " " + std::to_string(answer) + "\n";
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 ||
        ::write(socket_, hello.data(), hello.size()) < 0)
      stop_here("the server does not take the raw connection");
    ::usleep(10'000);  // so that it is read alone
  }
  raw_exchange(raw_exchange const&) = delete;
  raw_exchange& operator=(raw_exchange const&) = delete;
  ~raw_exchange() { ::close(socket_); }

  void run() {
    send();
    for (std::size_t got = 0; got < answer_.size();) got += receive(got);
  }
  void send() {
    if (::write(socket_, request_.data(), request_.size()) != static_cast<ssize_t>(request_.size()))
      stop_here("the raw server does not read");
  }
  /// What comes of an answer of which so much is there.
  std::size_t receive(std::size_t got) {
    auto const n = ::read(socket_, answer_.data() + got, answer_.size() - got);
    if (n <= 0) stop_here("the raw server is gone");
    return static_cast<std::size_t>(n);
  }
  [[nodiscard]] std::size_t answer_size() const noexcept { return answer_.size(); }
  [[nodiscard]] int socket() const noexcept { return socket_; }

 private:
  int socket_ = -1;
  std::string request_, answer_;
};

/// The median of so many single round trips, in seconds.
inline double raw_trips(raw_exchange& raw, std::size_t trips) {
  std::vector<double> each;
  for (std::size_t i = 0; i < trips; ++i) {
    auto const start = std::chrono::steady_clock::now();
    raw.run();
    each.push_back(seconds_since(start));
  }
  return median(std::move(each));
}

// As many bytes as comcp and the server exchange for one call of the legacy era.
inline constexpr std::size_t request_bytes = 420, answer_bytes = 200;

/// With `here`, the server runs on other cores; nothing is measured where there are none. `make` gives a transport.
template <class Make>
asio::awaitable<void> measure_trips(times& f, char const* path, int rounds, std::size_t trips,
                                    comcp::connect_options options, pinned const* here, Make const& make) {
  http_server const server(path);
  raw_exchange raw(server, request_bytes, answer_bytes);
  auto transport = make(server.url());
  comcp::client const c = co_await comcp::connect(std::move(transport), std::move(options));
  if (here && !here->move_away(server.pid())) co_return;
  (void)raw_trips(raw, trips / 4);
  (void)co_await client_trips(c, trips / 4);
  for (int i = 0; i < rounds; ++i) {
    double const plain = raw_trips(raw, trips);
    double const ours = co_await client_trips(c, trips);
    f.add(plain, ours);
  }
  co_await c.close();
}

}  // namespace bench
