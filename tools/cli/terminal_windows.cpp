// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "terminal.hpp"

#include <utility>

#include "console_windows.hpp"
#include "platform.hpp"
#include "text.hpp"

namespace cli {

// The thread that waits may outlive it, so that its handle is closed by whichever is the last.
struct terminal::input {
  explicit input(asio::any_io_executor const& executor, std::shared_ptr<void> console)
      : lines(executor, [console] { return read_console_line(console.get()); }) {}
  blocking_input lines;
};

std::unique_ptr<terminal> terminal::open(asio::any_io_executor const& executor) {
  if (!is_terminal(standard_input)) return {};
  HANDLE const opened = open_console(L"CONIN$");
  if (opened == INVALID_HANDLE_VALUE) return {};
  std::shared_ptr<void> console(opened, [](void* h) { ::CloseHandle(h); });
  return std::unique_ptr<terminal>(new terminal(std::make_unique<input>(executor, std::move(console)), "CONOUT$"));
}

terminal::terminal(std::unique_ptr<input> in, std::string const& out)
    : in_(std::move(in)), out_(out, std::ios::binary) {}
terminal::~terminal() = default;

void terminal::stop_asking() { in_->lines.stop(); }

asio::awaitable<std::optional<std::string>> terminal::ask(std::string question) {
  print(question);
  return in_->lines.next();
}

}  // namespace cli

#endif
