// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "paste_input.hpp"

#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include <comcp/error.hpp>

#include "console_windows.hpp"
#include "platform.hpp"
#include "text.hpp"

namespace cli {

struct quiet_terminal::state {
  quiet_console quiet{::GetStdHandle(STD_INPUT_HANDLE)};
};

quiet_terminal::quiet_terminal() : state_(std::make_unique<state>()) {}
quiet_terminal::~quiet_terminal() = default;

namespace {

std::optional<std::string> read_stdin() {
  auto const in = ::GetStdHandle(STD_INPUT_HANDLE);
  if (is_terminal(standard_input)) {
    auto line = read_console_line(in);
    if (line) *line += '\n';
    return line;
  }
  std::array<char, 4096> piece;
  DWORD count = 0;
  if (::ReadFile(in, piece.data(), static_cast<DWORD>(piece.size()), &count, nullptr) == 0 || count == 0) return {};
  return std::string(piece.data(), count);
}

class thread_input final : public paste_input {
 public:
  explicit thread_input(asio::any_io_executor const& on) : pieces_(on, read_stdin) {}

  void give_up() override {
    late_ = true;
    pieces_.stop();
  }
  asio::awaitable<bool> read_more(std::string& text) override {
    std::optional<std::string> piece;
    try {
      piece = co_await pieces_.next();
    } catch (std::system_error const&) {
      if (!late_) throw;
    }
    if (late_) throw comcp::exception(comcp::error(comcp::errc::timeout, "nothing was pasted in time"));
    if (piece) text.append(*piece);
    co_return piece.has_value();
  }

 private:
  blocking_input pieces_;
  bool late_ = false;
};

}  // namespace

std::unique_ptr<paste_input> paste_input::open(asio::any_io_executor const& on) {
  return std::make_unique<thread_input>(on);
}

}  // namespace cli

#endif
