// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "terminal.hpp"

#include <array>

#include <fcntl.h>
#include <unistd.h>

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

#include "text.hpp"

namespace cli {

struct terminal::input {
  asio::posix::stream_descriptor descriptor;
  std::string unread;
};

std::unique_ptr<terminal> terminal::open(asio::any_io_executor const& executor) {
  std::array<char, 256> name{};
  if (!is_terminal(STDIN_FILENO) || ::ttyname_r(STDIN_FILENO, name.data(), name.size()) != 0) return {};
  int const fd = ::open(name.data(), O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  std::unique_ptr<input> in(new input{asio::posix::stream_descriptor(executor, fd), {}});
  return std::unique_ptr<terminal>(new terminal(std::move(in), name.data()));
}

terminal::terminal(std::unique_ptr<input> in, std::string const& out) : in_(std::move(in)), out_(out) {}
terminal::~terminal() = default;

void terminal::stop_asking() {
  std::error_code ignored;
  in_->descriptor.cancel(ignored);
}

asio::awaitable<std::optional<std::string>> terminal::ask(std::string question) {
  print(question);
  auto& unread = in_->unread;
  for (;;) {
    if (auto const end = unread.find('\n'); end != std::string::npos) {
      auto line = unread.substr(0, end);
      unread.erase(0, end + 1);
      co_return line;
    }
    std::array<char, 4096> piece;
    std::error_code failed;
    auto const n =
        co_await in_->descriptor.async_read_some(asio::buffer(piece), asio::redirect_error(asio::use_awaitable, failed));
    if (failed == asio::error::operation_aborted) throw std::system_error(failed);
    if (failed || n == 0) co_return std::nullopt;
    unread.append(piece.data(), n);
  }
}

}  // namespace cli

#endif
