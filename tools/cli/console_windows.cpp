// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "console_windows.hpp"

#include <array>
#include <atomic>
#include <exception>
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
      : executor(std::move(on)), from(std::move(f)), bell(std::in_place, executor, asio::steady_timer::time_point::max()) {}

  struct piece {
    std::optional<std::string> text;
    std::exception_ptr failed;
  };

  [[nodiscard]] piece read() const noexcept {
    piece next;
    try {
      next.text = from();
    } catch (...) {
      next.failed = std::current_exception();
    }
    return next;
  }

  // On its own thread.
  static void read_for(std::shared_ptr<state> self) {
    auto next = self->read();
    std::scoped_lock const lock(self->alive);
    if (!self->bell) return;
    asio::post(self->executor, [self, next = std::move(next)]() mutable {
      self->reading = false;
      self->got.emplace(std::move(next));
      self->ring();
    });
  }

  void ring() {
    if (bell) bell->cancel();
  }

  // The executor may be gone from now on.
  void leave() {
    std::scoped_lock const lock(alive);
    bell.reset();
  }

  asio::any_io_executor executor;
  source from;
  std::optional<asio::steady_timer> bell;
  bool reading = false, stopped = false;
  std::optional<piece> got;  // that nobody has taken
  std::mutex alive;
};

blocking_input::blocking_input(asio::any_io_executor executor, source from)
    : state_(std::make_shared<state>(std::move(executor), std::move(from))) {}

blocking_input::~blocking_input() { state_->leave(); }

void blocking_input::stop() {
  state_->stopped = true;
  state_->ring();
}

asio::awaitable<std::optional<std::string>> blocking_input::next() {
  auto const self = state_;
  self->stopped = false;
  if (!self->got && !self->reading) {
    std::thread(state::read_for, self).detach();
    self->reading = true;
  }
  while (!self->got && self->bell && !self->stopped) {
    std::error_code woken;
    co_await self->bell->async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
  if (!self->got) throw std::system_error(asio::error::operation_aborted);
  auto got = std::move(*self->got);
  self->got.reset();
  if (got.failed) std::rethrow_exception(got.failed);
  co_return std::move(got.text);
}

}  // namespace cli

#endif
