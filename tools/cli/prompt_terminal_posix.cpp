// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "prompt_terminal.hpp"

#include <array>
#include <csignal>

#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include "text.hpp"

namespace cli {
namespace {

volatile std::sig_atomic_t interrupted_by = 0;
extern "C" void note_signal(int number) { interrupted_by = number; }

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
  if (!hidden) return print(question), read_line();
  int const fd = static_cast<int>(in_);
  ::termios before{};
  if (::tcgetattr(fd, &before) != 0) return {};
  struct sigaction watch {
  }, on_interrupt{}, on_end{};
  watch.sa_handler = note_signal;
  ::sigaction(SIGINT, &watch, &on_interrupt);
  ::sigaction(SIGTERM, &watch, &on_end);
  auto silent = before;
  silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ::tcsetattr(fd, TCSAFLUSH, &silent);
  print(question);
  auto text = read_line();
  ::tcsetattr(fd, TCSAFLUSH, &before);
  print("\n");
  ::sigaction(SIGINT, &on_interrupt, nullptr);
  ::sigaction(SIGTERM, &on_end, nullptr);
  if (interrupted_by != 0) std::raise(interrupted_by);
  return text;
}

std::optional<std::string> prompt_terminal::read_line() const {
  std::string text;
  for (char c = 0; ::read(static_cast<int>(in_), &c, 1) == 1;) {
    if (c == '\n') return text;
    text += c;
  }
  return {};
}

}  // namespace cli

#endif
