// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Asking for the inputs of a configured server, before there is anything else to do.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include "configured.hpp"
#include "text.hpp"

namespace cli {
namespace {

volatile std::sig_atomic_t interrupted_by = 0;
extern "C" void note_signal(int number) { interrupted_by = number; }

// The terminal of stdin under its own name. What is typed is not shown while `hidden`; a signal that comes meanwhile
// waits until that is undone, then does what it does.
class prompt_terminal {
 public:
  prompt_terminal() {
    std::array<char, 256> name{};
    if (is_terminal(STDIN_FILENO) && ::ttyname_r(STDIN_FILENO, name.data(), name.size()) == 0)
      fd_ = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  }
  ~prompt_terminal() {
    if (fd_ >= 0) ::close(fd_);
  }
  prompt_terminal(prompt_terminal const&) = delete;
  prompt_terminal& operator=(prompt_terminal const&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  void print(std::string_view text) const {
    while (!text.empty()) {
      auto const n = ::write(fd_, text.data(), text.size());
      if (n <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  [[nodiscard]] std::optional<std::string> ask(std::string_view question, bool hidden) const {
    if (!hidden) return print(question), read_line();
    ::termios before{};
    if (::tcgetattr(fd_, &before) != 0) return {};
    struct sigaction watch {
    }, on_interrupt{}, on_end{};
    watch.sa_handler = note_signal;
    ::sigaction(SIGINT, &watch, &on_interrupt);
    ::sigaction(SIGTERM, &watch, &on_end);
    auto silent = before;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(fd_, TCSAFLUSH, &silent);
    print(question);
    auto text = read_line();
    ::tcsetattr(fd_, TCSAFLUSH, &before);
    print("\n");
    ::sigaction(SIGINT, &on_interrupt, nullptr);
    ::sigaction(SIGTERM, &on_end, nullptr);
    if (interrupted_by != 0) std::raise(interrupted_by);
    return text;
  }

 private:
  [[nodiscard]] std::optional<std::string> read_line() const {
    std::string text;
    for (char c = 0; ::read(fd_, &c, 1) == 1;) {
      if (c == '\n') return text;
      text += c;
    }
    return {};
  }
  int fd_ = -1;
};

std::string question(comcp::config_input const& asked) {
  std::string text = printable(asked.description.empty() ? asked.id : asked.description);
  for (auto const& o : asked.options) text.append("\n  ").append(one_line(o));
  if (asked.default_value && !asked.password) text.append(" [").append(one_line(*asked.default_value)).append("]");
  return text + "\n> ";
}

}  // namespace

std::optional<bool> ask_yes(std::string_view question) {
  prompt_terminal const at;
  if (!at.is_open()) return {};
  auto const answer = at.ask(question, false);
  return answer == "y" || answer == "yes";
}

comcp::result<comcp::secret> ask_input(comcp::config_input const& asked) {
  prompt_terminal const at;
  while (at.is_open()) {
    auto answer = at.ask(question(asked), asked.password);
    if (!answer) return comcp::error(comcp::errc::cancelled, "it was not answered");
    if (answer->empty() && asked.default_value) answer = asked.default_value;
    auto const& allowed = asked.options;
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), *answer) != allowed.end())
      return comcp::secret(std::move(*answer));
    at.print("one of these, please\n");
  }
  if (asked.default_value) return comcp::secret(*asked.default_value);
  return comcp::error(comcp::errc::not_found, "nobody sits at a terminal to be asked");
}

}  // namespace cli
