// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "paste.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <asio/error.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/error.hpp>

#include "exit_codes.hpp"
#include "text.hpp"

namespace cli {
namespace {

// What is typed is neither shown nor cut at the 4,096 bytes of a terminal's line.
class quiet_terminal {
 public:
  quiet_terminal() : on_(is_terminal(STDIN_FILENO) && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!on_) return;
    auto quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
  }
  ~quiet_terminal() {
    if (on_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  quiet_terminal(quiet_terminal const&) = delete;
  quiet_terminal& operator=(quiet_terminal const&) = delete;

 private:
  ::termios before_{};
  bool on_;
};

// A description of its own where there can be one: Asio makes it non-blocking, which others who share it would notice.
int open_stdin() {
  int const own = ::open("/proc/self/fd/0", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  return own >= 0 ? own : ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

class line_reader {
 public:
  explicit line_reader(asio::any_io_executor const& on) : descriptor_(on, open_stdin()) {}

  // Whoever waits is told that it took too long.
  void give_up() {
    late_ = true;
    descriptor_.cancel();
  }
  // False at the end.
  asio::awaitable<bool> read_more(std::string& text) {
    for (;;) {
      std::error_code failed;
      auto const ready = asio::posix::stream_descriptor::wait_read;
      co_await descriptor_.async_wait(ready, asio::redirect_error(asio::use_awaitable, failed));
      if (late_) throw comcp::exception(comcp::error(comcp::errc::timeout, "nothing was pasted in time"));
      bool const is_file = failed == asio::error::operation_not_supported;  // always ready
      if (failed && !is_file) throw std::system_error(failed);
      std::array<char, 4096> piece;
      auto const n = ::read(descriptor_.native_handle(), piece.data(), piece.size());
      if (n < 0 && (errno == EINTR || (errno == EAGAIN && !is_file))) continue;
      if (n <= 0) co_return false;
      text.append(piece.data(), static_cast<std::size_t>(n));
      co_return true;
    }
  }

 private:
  asio::posix::stream_descriptor descriptor_;
  bool late_ = false;
};

constexpr std::size_t longest = 64 * 1024;
// Ctrl-D is a character of a terminal that is not asked for lines.
constexpr auto* line_ends = "\r\n\x04";

}  // namespace

asio::awaitable<comcp::secret> read_secret_line(console& err, std::string question, std::chrono::milliseconds most) {
  quiet_terminal const quiet;  // before anybody types
  err.line(question);
  auto const executor = co_await asio::this_coro::executor;
  auto const in = std::make_shared<line_reader>(executor);
  asio::steady_timer alarm(executor, most);
  alarm.async_wait([weak = std::weak_ptr(in)](std::error_code failed) {
    auto const reader = weak.lock();
    if (reader && !failed) reader->give_up();
  });
  std::string text;
  bool more = true;
  while (more && text.find_first_of(line_ends) == std::string::npos) {
    if (text.size() > longest) throw usage_error("what was pasted has no end");
    more = co_await in->read_more(text);
  }
  text.resize(std::min(text.find_first_of(line_ends), text.size()));
  auto const first = text.find_first_not_of(" \t");
  if (first == std::string::npos) throw usage_error("nothing was pasted");
  co_return comcp::secret(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

}  // namespace cli
