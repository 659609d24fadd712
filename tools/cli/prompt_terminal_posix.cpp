// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "prompt_terminal.hpp"

#include <array>
#include <csignal>

#include <fcntl.h>
#include <signal.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

#include "text.hpp"

namespace cli {
namespace {

volatile std::sig_atomic_t interrupted_by = 0;
extern "C" void note_signal(int number) { interrupted_by = number; }

// Whether there is something to read, before a signal comes that is let through while nothing is there.
bool is_readable(int fd, sigset_t const& meanwhile) {
  ::fd_set wanted;
  FD_ZERO(&wanted);
  FD_SET(fd, &wanted);
  return ::pselect(fd + 1, &wanted, nullptr, nullptr, nullptr, &meanwhile) == 1;
}

std::optional<std::string> read_line(int fd, sigset_t const* while_waiting = nullptr) {
  std::string text;
  for (char c = 0; (while_waiting == nullptr || is_readable(fd, *while_waiting)) && ::read(fd, &c, 1) == 1;) {
    if (c == '\n') return text;
    text += c;
  }
  return {};
}

}  // namespace

prompt_terminal::prompt_terminal() {
  std::array<char, 256> name{};
  if (is_terminal(STDIN_FILENO) && ::ttyname_r(STDIN_FILENO, name.data(), name.size()) == 0)
    in_ = out_ = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
}

prompt_terminal::~prompt_terminal() {
  if (in_ >= 0) ::close(static_cast<int>(in_));
}

void prompt_terminal::print(std::string_view text) const {
  while (!text.empty()) {
    auto const n = ::write(static_cast<int>(out_), text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::optional<std::string> prompt_terminal::ask(std::string_view question, bool hidden) const {
  int const fd = static_cast<int>(in_);
  if (!hidden) return print(question), read_line(fd);
  ::termios before{};
  if (::tcgetattr(fd, &before) != 0) return {};
  // Blocked but for the moments of waiting, so that none is noted and then waited for all the same.
  sigset_t ends, unblocked;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &ends, &unblocked);
  struct sigaction watch {
  }, on_interrupt{}, on_end{};
  watch.sa_handler = note_signal;
  ::sigaction(SIGINT, &watch, &on_interrupt);
  ::sigaction(SIGTERM, &watch, &on_end);
  auto silent = before;
  silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ::tcsetattr(fd, TCSAFLUSH, &silent);
  print(question);
  interrupted_by = 0;
  auto text = read_line(fd, &unblocked);
  ::tcsetattr(fd, TCSAFLUSH, &before);
  print("\n");
  ::sigaction(SIGINT, &on_interrupt, nullptr);
  ::sigaction(SIGTERM, &on_end, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &unblocked, nullptr);
  if (interrupted_by != 0) std::raise(interrupted_by);
  return text;
}

}  // namespace cli

#endif
