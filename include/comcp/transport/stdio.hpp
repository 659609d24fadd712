// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that runs as a child process and speaks lines on its stdin and stdout. Starting and ending the
// process is net/child_process, the lines are transport/stream_session; here is how the two fit together.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/jsonrpc/framing.hpp>
#include <comcp/net/child_process.hpp>
#include <comcp/timespan.hpp>
#include <comcp/transport/transport.hpp>
#include <comcp/transport/write_queue.hpp>

namespace comcp {

/// Where the server's stderr goes. It never stalls the server.
class stderr_target {
 public:
  enum class kind { ring, inherit, sink, discard };
  using sink_function = std::function<void(std::string_view)>;

  /// Keeps the last `bytes`, for errors and info().
  static stderr_target ring(std::size_t bytes = 64 * 1024) { return {kind::ring, bytes, {}}; }
  /// The stderr of this process.
  static stderr_target inherit() { return {kind::inherit, 0, {}}; }
  /// Calls `sink` on the transport's executor with each piece as it comes; the last 4 KiB are kept too. What it throws
  /// is dropped, and a fault for the observer.
  static stderr_target sink(sink_function sink) { return {kind::sink, 4096, std::move(sink)}; }
  static stderr_target discard() { return {kind::discard, 0, {}}; }

  [[nodiscard]] kind what() const noexcept { return kind_; }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_; }
  [[nodiscard]] sink_function const& call() const noexcept { return sink_; }

 private:
  stderr_target(kind k, std::size_t kept, sink_function sink) : kind_(k), kept_(kept), sink_(std::move(sink)) {}
  kind kind_;
  std::size_t kept_;
  sink_function sink_;
};

/// What a stdio transport is told before it opens.
class stdio_settings {
 public:
  stdio_settings() = default;
  net::spawn_options process;
  std::size_t max_line = jsonrpc::framer::default_max_line;
  queue_limits queue;
  stderr_target error_to = stderr_target::ring();
};

/// Starts a server and talks to it; on Windows what is said of its process group is true of its job, and SIGTERM is
/// CTRL_BREAK_EVENT (net::spawn_options). `closed` is told once everything that the server wrote was delivered, its
/// process has ended, its process group is killed and it is reaped; the error has the exit status and the tail
/// of stderr. close() is bounded by exit_wait + term_wait + child_process::kill_wait; a process that goes on even then
/// (another user's) is left to itself, as a fault and the error say. Destroying it kills the process and its group at
/// once, and never waits. Regular: keep one and connect copies of it.
class stdio {
 public:
  /// argv, never a shell. The command is looked up in the PATH that the server gets, on Windows with PATHEXT too: "npx" is
  /// npx.cmd, which cmd.exe runs, and what cannot be given to that safely is errc::invalid_argument.
  explicit stdio(std::vector<std::string> command);
  template <class... Args>
    requires(std::convertible_to<Args, std::string> && ...)
  explicit stdio(std::string command, Args&&... args)
      : stdio(argv(std::move(command), std::string(std::forward<Args>(args))...)) {}
  /// A copy has the settings, never the process.
  stdio(stdio const& other);
  stdio& operator=(stdio const& other) { return *this = stdio(other); }
  stdio(stdio&&) noexcept = default;
  stdio& operator=(stdio&& other) noexcept;
  ~stdio();

  /// One variable for the server, beside the safe default ones (net::spawn_options).
  stdio& env(std::string name, std::string value) &;
  /// The server gets the whole environment of this process.
  stdio& inherit_environment(bool on = true) & { return settings_.process.inherit_environment = on, *this; }
  stdio& working_directory(std::string path) & { return settings_.process.working_directory = std::move(path), *this; }
  /// Longest line accepted, in bytes; a longer one closes with errc::limit_exceeded. Default 16 MiB.
  stdio& max_line(std::size_t bytes) & { return settings_.max_line = bytes, *this; }
  /// Bounds of what waits to be written; beyond them send() says errc::queue_full.
  stdio& queue(queue_limits limits) & { return settings_.queue = limits, *this; }
  stdio& stderr_to(stderr_target target) & { return settings_.error_to = std::move(target), *this; }
  /// How long the server may take to exit after the end of its stdin before SIGTERM. Default 2 s. Both waits and half a
  /// second more should fit into connect_options().close_timeout(), which kills at once.
  stdio& exit_wait(timespan wait) & { return settings_.process.exit_wait = wait, *this; }
  /// How long after SIGTERM before SIGKILL. Default 2 s.
  stdio& term_wait(timespan wait) & { return settings_.process.term_wait = wait, *this; }
  stdio& time(std::shared_ptr<time_source> source) & { return settings_.process.time = std::move(source), *this; }

  stdio&& env(std::string name, std::string value) && { return std::move(env(std::move(name), std::move(value))); }
  stdio&& inherit_environment(bool on = true) && { return std::move(inherit_environment(on)); }
  stdio&& working_directory(std::string path) && { return std::move(working_directory(std::move(path))); }
  stdio&& max_line(std::size_t bytes) && { return std::move(max_line(bytes)); }
  stdio&& queue(queue_limits limits) && { return std::move(queue(limits)); }
  stdio&& stderr_to(stderr_target target) && { return std::move(stderr_to(std::move(target))); }
  stdio&& exit_wait(timespan wait) && { return std::move(exit_wait(wait)); }
  stdio&& term_wait(timespan wait) && { return std::move(term_wait(wait)); }
  stdio&& time(std::shared_ptr<time_source> source) && { return std::move(time(std::move(source))); }

  [[nodiscard]] stdio_settings const& settings() const noexcept { return settings_; }

  /// Starts the process, anew after each closed. errc::connect_failed when it cannot be started.
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> open(inbox& in);
  result<void> send(outgoing message);
  bool abandon(request_id id) noexcept;
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close();
  [[nodiscard]] transport_info info() const;
  /// What kills the process and its group from any thread, at once, also one that starts later.
  [[nodiscard]] std::function<void()> cutter() const;

 private:
  struct state;

  template <class... Args>
  static std::vector<std::string> argv(std::string command, Args... args) {
    std::vector<std::string> out;
    out.reserve(1 + sizeof...(args));
    out.push_back(std::move(command));
    (out.push_back(std::move(args)), ...);
    return out;
  }
  COMCP_LAZY static asio::awaitable<result<void>> open_impl(std::shared_ptr<state> s, stdio_settings settings, inbox& in);
  void abort() noexcept;

  stdio_settings settings_;
  std::shared_ptr<state> state_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/stdio.ipp>
#endif
