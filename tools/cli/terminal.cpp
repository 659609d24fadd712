// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <array>

#include <fcntl.h>
#include <unistd.h>

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

#include "text.hpp"

namespace cli {

std::unique_ptr<terminal> terminal::open(asio::any_io_executor const& executor) {
  std::array<char, 256> name{};
  if (!is_terminal(STDIN_FILENO) || ::ttyname_r(STDIN_FILENO, name.data(), name.size()) != 0) return {};
  int const input = ::open(name.data(), O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (input < 0) return {};
  return std::unique_ptr<terminal>(new terminal(executor, input, name.data()));
}

terminal::terminal(asio::any_io_executor const& executor, int input, std::string const& name)
    : in_(executor, input), out_(name) {}

void terminal::stop_asking() {
  std::error_code ignored;
  in_.cancel(ignored);
}

asio::awaitable<std::optional<std::string>> terminal::ask(std::string question) {
  print(question);
  for (;;) {
    if (auto const end = unread_.find('\n'); end != std::string::npos) {
      auto line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      co_return line;
    }
    std::array<char, 4096> piece;
    std::error_code failed;
    auto const n = co_await in_.async_read_some(asio::buffer(piece), asio::redirect_error(asio::use_awaitable, failed));
    if (failed == asio::error::operation_aborted) throw std::system_error(failed);
    if (failed || n == 0) co_return std::nullopt;
    unread_.append(piece.data(), n);
  }
}

}  // namespace cli
