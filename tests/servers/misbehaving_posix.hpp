// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the misbehaving server asks of POSIX.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" char** environ;

namespace {

void put(std::string const& text) {
  for (std::size_t at = 0; at != text.size();) {
    auto const n = ::write(STDOUT_FILENO, text.data() + at, text.size() - at);
    if (n < 0) std::_Exit(41);
    at += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void wait_for_ever() {
  while (true) ::pause();
}

int list_descriptors() {
  DIR* const d = ::opendir("/proc/self/fd");
  std::vector<int> open_ones;
  while (auto const* e = ::readdir(d)) {
    if (e->d_name[0] != '.' && std::atoi(e->d_name) != ::dirfd(d)) open_ones.push_back(std::atoi(e->d_name));
  }
  std::sort(open_ones.begin(), open_ones.end());
  for (int fd : open_ones) {
    struct stat s {};
    ::fstat(fd, &s);
    put(std::to_string(fd) + (S_ISSOCK(s.st_mode) ? " socket" : S_ISFIFO(s.st_mode) ? " pipe" : " other") + "\n");
  }
  return 0;
}

int tell_signals() {
  sigset_t blocked;
  ::sigprocmask(SIG_SETMASK, nullptr, &blocked);
  struct sigaction pipe_action {};
  ::sigaction(SIGPIPE, nullptr, &pipe_action);
  put(std::string(sigismember(&blocked, SIGTERM) == 1 ? "blocked" : "open") +
      (pipe_action.sa_handler == SIG_DFL ? " default" : " changed") + (::getpgrp() == ::getpid() ? " leader" : " member") +
      "\n");
  return 0;
}

// A child that keeps stdout open; with `escape` outside the group, where the kill does not find it.
int grandchild(bool escape) {
  if (::fork() == 0) {
    if (escape) ::setsid();
    if (escape) ::alarm(20);
    wait_for_ever();
  }
  put("parent done\n");
  return 7;
}

// Out of its own group, into that of its parent: a signal to the group that it was started in finds nobody.
void leave_group() {
  if (::setpgid(0, ::getpgid(::getppid())) != 0) std::_Exit(42);
}

// Out and back again without a pause: whether it is in its group is known to nobody.
[[noreturn]] void hop_groups() {
  pid_t const other = ::getpgid(::getppid());
  for (;;) {
    ::setpgid(0, other);
    ::setpgid(0, 0);
  }
}

void tell_term(int) {
  constexpr char told[] = "term\n";
  if (::write(STDOUT_FILENO, told, sizeof told - 1) < 0) std::_Exit(41);
}


int tell_environment() {
  for (char** e = environ; *e != nullptr; ++e) put(std::string(*e) + "\n");
  return 0;
}

int tell_directory() {
  char path[4096];
  put(std::string(::getcwd(path, sizeof path)) + "\n");
  return 0;
}

void answer_term_by_telling() { std::signal(SIGTERM, tell_term); }
void ignore_term() { std::signal(SIGTERM, SIG_IGN); }
[[noreturn]] void die() {
  std::raise(SIGKILL);
  std::_Exit(43);
}
void close_stdin() { ::close(STDIN_FILENO); }
void close_stdout() { ::close(STDOUT_FILENO); }

void prepare() {}
std::vector<std::string> arguments(int argc, char** argv) { return {argv + std::min(argc, 1), argv + argc}; }

}  // namespace
