// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "console_windows.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <asio/error.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

namespace cli {
namespace {

// What a console was like before it was made quiet, for the handler that undoes it.
std::atomic<HANDLE> quiet = nullptr;
std::atomic<DWORD> mode_before = 0;

void show_again() noexcept {
  if (auto const console = quiet.exchange(nullptr); console != nullptr) ::SetConsoleMode(console, mode_before);
}

BOOL WINAPI undo_and_go_on(DWORD) noexcept {
  show_again();
  return FALSE;
}

}  // namespace

HANDLE open_console(wchar_t const* name) noexcept {
  return ::CreateFileW(name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0,
                       nullptr);
}

std::optional<std::string> read_console_line(HANDLE console) {
  std::wstring line;
  std::array<wchar_t, 1024> piece;
  while (line.find(L'\n') == line.npos) {
    DWORD count = 0;
    if (::ReadConsoleW(console, piece.data(), static_cast<DWORD>(piece.size()), &count, nullptr) == 0 || count == 0) return {};
    line.append(piece.data(), count);
    if (line.front() == 0x1A) return {};
  }
  line.erase(line.find(L'\n'));
  if (line.ends_with(L'\r')) line.pop_back();
  return comcp::detail::to_utf8(line);
}

quiet_console::quiet_console(HANDLE console) noexcept : on_(false) {
  DWORD mode = 0;
  if (::GetConsoleMode(console, &mode) == 0) return;
  on_ = true;
  mode_before = mode;
  quiet = console;
  ::SetConsoleCtrlHandler(undo_and_go_on, TRUE);
  ::SetConsoleMode(console, mode & ~static_cast<DWORD>(ENABLE_ECHO_INPUT));
}

quiet_console::~quiet_console() {
  if (!on_) return;
  show_again();
  ::SetConsoleCtrlHandler(undo_and_go_on, FALSE);
}

struct blocking_input::state {
  state(asio::any_io_executor on, source f)
      : executor(std::move(on)), from(std::move(f)), bell(executor, asio::steady_timer::time_point::max()) {}

  // On its own thread.
  static void read(std::shared_ptr<state> self) {
    auto got = self->from();
    std::scoped_lock const lock(self->alive);
    if (self->over) return;
    asio::post(self->executor, [self, got = std::move(got)]() mutable {
      self->reading = false;
      self->piece.emplace(std::move(got));
      self->bell.cancel();
    });
  }

  asio::any_io_executor executor;
  source from;
  asio::steady_timer bell;
  bool reading = false, stopped = false;
  std::optional<std::optional<std::string>> piece;  // that nobody has taken
  std::mutex alive;
  bool over = false;  // the executor may be gone
};

blocking_input::blocking_input(asio::any_io_executor executor, source from)
    : state_(std::make_shared<state>(std::move(executor), std::move(from))) {}

blocking_input::~blocking_input() {
  std::scoped_lock const lock(state_->alive);
  state_->over = true;
}

void blocking_input::stop() {
  state_->stopped = true;
  state_->bell.cancel();
}

asio::awaitable<std::optional<std::string>> blocking_input::next() {
  auto const self = state_;
  self->stopped = false;
  if (!self->piece && !std::exchange(self->reading, true)) std::thread(state::read, self).detach();
  while (!self->piece && !self->stopped) {
    std::error_code woken;
    co_await self->bell.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
  if (!self->piece) throw std::system_error(asio::error::operation_aborted);
  auto got = std::move(*self->piece);
  self->piece.reset();
  co_return got;
}

}  // namespace cli

#endif
