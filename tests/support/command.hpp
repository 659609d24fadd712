// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a program with an argv of its own (no shell): what it prints, its exit status, signals to it, and a terminal
// for its stdin where it is to think that a person sits there. Nothing here waits longer than two minutes.
#pragma once

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace comcp_test {

/// `screen`: stdout and stderr are the terminal, too.
enum class input { nothing, terminal, screen };

class command {
 public:
  explicit command(std::vector<std::string> argv, input from = input::nothing,
                   std::vector<std::string> const& variables = {}) {
    std::array<int, 2> out_pipe{}, err_pipe{};
    REQUIRE(::pipe2(out_pipe.data(), O_CLOEXEC) == 0);
    REQUIRE(::pipe2(err_pipe.data(), O_CLOEXEC) == 0);
    std::string stdin_name = "/dev/null";
    if (from != input::nothing) {
      tty_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
      REQUIRE(tty_ >= 0);
      REQUIRE(::grantpt(tty_) == 0);
      REQUIRE(::unlockpt(tty_) == 0);
      stdin_name = ::ptsname(tty_);
    }
    ::posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, stdin_name.c_str(), O_RDWR | O_NOCTTY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, from == input::screen ? 0 : out_pipe[1], 1);
    ::posix_spawn_file_actions_adddup2(&actions, from == input::screen ? 0 : err_pipe[1], 2);
    std::vector<char*> arguments, environment;
    for (auto& a : argv) arguments.push_back(a.data());
    arguments.push_back(nullptr);
    for (char** e = environ; *e; ++e) {
      std::string_view const set = *e;
      if (!set.starts_with("COLUMNS=") && !set.starts_with("TERM=")) environment.push_back(*e);
    }
    auto added = variables;
    for (auto& v : added) environment.push_back(v.data());
    environment.push_back(nullptr);
    int const failed = ::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(out_pipe[1]);
    ::close(err_pipe[1]);
    is_screen_ = from == input::screen;
    ends_ = {{{out_pipe[0], POLLIN, 0}, {err_pipe[0], POLLIN, 0}, {tty_, POLLIN, 0}}};
    REQUIRE(failed == 0);
  }
  command(command const&) = delete;
  command& operator=(command const&) = delete;
  ~command() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    for (auto const& e : ends_) {
      if (e.fd >= 0) ::close(e.fd);
    }
  }

  [[nodiscard]] std::string const& out() const noexcept { return texts_[0]; }
  [[nodiscard]] std::string const& err() const noexcept { return texts_[1]; }
  /// What it wrote to the terminal, and the echo of what was typed.
  [[nodiscard]] std::string const& screen() const noexcept { return texts_[2]; }

  /// Waits until the text shows up anywhere in that output, behind what wait_for() found before.
  bool wait_for_out(std::string_view text) { return wait_for(0, text); }
  bool wait_for_err(std::string_view text) { return wait_for(1, text); }
  bool wait_for_screen(std::string_view text) { return wait_for(2, text); }
  void type(std::string_view text) {
    REQUIRE(::write(tty_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void signal(int number) const { ::kill(pid_, number); }

  /// Whether it ends though nobody reads what it writes; finish() then gives the status.
  bool ends_unread() {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    ::pollfd end{static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)), POLLIN, 0};
    REQUIRE(end.fd >= 0);
    bool const ended = ::poll(&end, 1, static_cast<int>(left.count())) == 1;
    ::close(end.fd);
    return ended;
  }
  /// Waits for its end; 128 + signal for one that a signal ended, as shells say it.
  int finish() {
    while (ends_[0].fd >= 0 || ends_[1].fd >= 0 || (is_screen_ && ends_[2].fd >= 0)) {
      if (!read_more()) return -1;
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  bool wait_for(std::size_t which, std::string_view text) {
    for (;;) {
      auto const found = texts_[which].find(text, seen_[which]);
      if (found != std::string::npos) return seen_[which] = found + text.size(), true;
      if (ends_[which].fd < 0 || !read_more()) return false;
    }
  }

  // False when the time is over.
  bool read_more() {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    auto const ready = ::poll(ends_.data(), ends_.size(), static_cast<int>(left.count()));
    if (ready <= 0) return ready < 0 && errno == EINTR;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      if (ends_[i].fd < 0 || ends_[i].revents == 0) continue;
      std::array<char, 4096> piece;
      auto const n = ::read(ends_[i].fd, piece.data(), piece.size());
      if (n > 0) {
        texts_[i].append(piece.data(), static_cast<std::size_t>(n));
      } else if (n == 0 || errno != EINTR) {
        ::close(ends_[i].fd);
        ends_[i].fd = -1;
      }
    }
    return true;
  }

  ::pid_t pid_ = -1;
  bool is_screen_ = false;
  int tty_ = -1;
  std::array<::pollfd, 3> ends_{{{-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}}};
  std::array<std::string, 3> texts_;
  std::array<std::size_t, 3> seen_{};
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + std::chrono::minutes(2);
};

}  // namespace comcp_test
