// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "paste_input.hpp"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <asio/error.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/error.hpp>

#include "text.hpp"

namespace cli {

struct quiet_terminal::state {
  ::termios before{};
};

quiet_terminal::quiet_terminal() {
  auto now = std::make_unique<state>();
  if (!is_terminal(STDIN_FILENO) || ::tcgetattr(STDIN_FILENO, &now->before) != 0) return;
  state_ = std::move(now);
  auto quiet = state_->before;
  quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
}

quiet_terminal::~quiet_terminal() {
  if (state_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &state_->before);
}

namespace {

// A description of its own where there can be one: Asio makes it non-blocking, which others who share it would notice.
int open_stdin() {
  int const own = ::open("/proc/self/fd/0", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  return own >= 0 ? own : ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

class descriptor_input final : public paste_input {
 public:
  explicit descriptor_input(asio::any_io_executor const& on) : descriptor_(on, open_stdin()) {}

  void give_up() override {
    late_ = true;
    descriptor_.cancel();
  }
  asio::awaitable<bool> read_more(std::string& text) override {
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

}  // namespace

std::unique_ptr<paste_input> paste_input::open(asio::any_io_executor const& on) {
  return std::make_unique<descriptor_input>(on);
}

}  // namespace cli

#endif
