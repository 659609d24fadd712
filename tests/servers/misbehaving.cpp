// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that does one thing wrong, or tells what it was given: the first argument says which. It speaks
// lines, not JSON.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
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

int echo() {
  for (std::string line; std::getline(std::cin, line);) put(line + "\n");
  return 0;
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

int burst_and_exit() {
  std::string all;
  for (int i = 0; i != 1500; ++i) all += "line " + std::to_string(i) + " of a burst\n";
  put(all);  // fits the pipe: nobody needs to read
  std::cerr << "last words" << std::flush;
  return 5;
}

int run(std::string const& what, std::vector<std::string> const& rest) {
  if (what == "echo") return echo();
  if (what == "exit_at_once") return rest.empty() ? 3 : std::atoi(rest[0].c_str());
  if (what == "exit_mid_call") {
    std::string line;
    std::getline(std::cin, line);
    std::cerr << "boom: " << line << std::endl;
    return 9;
  }
  if (what == "die") std::raise(SIGKILL);
  if (what == "ignore_term" || what == "leave_group") {
    std::signal(SIGTERM, tell_term);
    if (what == "leave_group") leave_group();
    put("ready\n");
    wait_for_ever();
  }
  if (what == "hop_groups") {
    put("ready\n");
    hop_groups();
  }
  if (what == "ignore_eof") {
    put("ready\n");
    wait_for_ever();
  }
  if (what == "flood_stderr") {
    std::string const block(4096, 'e');
    for (int i = 0; i != 1000; ++i) std::cerr << block;
    std::cerr << "end of flood" << std::flush;
    put("flooded\n");
    return echo();
  }
  if (what == "never_read") {
    put("ready\n");
    wait_for_ever();
  }
  if (what == "noise") {
    put("\xEF\xBB\xBF" "first\r\n\n   \nnot json at all\n");
    put(std::string("nul \0 inside\n", 13));
    put("cut off");
    return 0;
  }
  if (what == "long_line") {
    std::string const megabyte(std::size_t{1} << 20, 'x');
    for (int i = 0; i != 64; ++i) put(megabyte);
    put("\n");
    return 0;
  }
  if (what == "close_stdout" || what == "mute") {
    if (what == "mute") std::signal(SIGTERM, SIG_IGN);
    put("bye\n");
    ::close(STDOUT_FILENO);
    wait_for_ever();
  }
  if (what == "close_stdin") {
    ::close(STDIN_FILENO);
    put("ready\n");
    wait_for_ever();
  }
  if (what == "grandchild") return grandchild(false);
  if (what == "grandchild_escaped") return grandchild(true);
  if (what == "burst_and_exit") return burst_and_exit();
  if (what == "descriptors") return list_descriptors();
  if (what == "signals") return tell_signals();
  if (what == "environment") {
    for (char** e = environ; *e != nullptr; ++e) put(std::string(*e) + "\n");
    return 0;
  }
  if (what == "directory") {
    char path[4096];
    put(std::string(::getcwd(path, sizeof path)) + "\n");
    return 0;
  }
  if (what == "arguments") {
    for (auto const& a : rest) put("[" + a + "]\n");
    return 0;
  }
  return 99;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> const rest(argv + std::min(argc, 2), argv + argc);
  return run(argc > 1 ? argv[1] : "", rest);
}
