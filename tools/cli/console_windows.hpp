// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The console of Windows, and input that can only be waited for by a thread. Empty elsewhere.
#pragma once

#if defined(_WIN32)

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/net/windows.hpp>

namespace cli {

/// CONIN$ or CONOUT$, whatever the streams are redirected to; -1 as a number where there is no console.
HANDLE open_console(wchar_t const* name) noexcept;

/// A line as it was typed, without its end; nothing at the end (Ctrl-Z at its beginning), or where it was interrupted.
std::optional<std::string> read_console_line(HANDLE console);

/// While it lives, what is typed is not shown. Undone too where Ctrl-C ends the process meanwhile.
class quiet_console {
 public:
  explicit quiet_console(HANDLE console) noexcept;
  ~quiet_console();
  quiet_console(quiet_console const&) = delete;
  quiet_console& operator=(quiet_console const&) = delete;

 private:
  bool on_;
};

/// Calls a function that blocks on a thread of its own, again for each piece that is asked for. A thread that waits when
/// this ends is left behind; what it gets then is lost, and what it gets while nobody asks goes to who asks next.
class blocking_input {
 public:
  /// Gives nothing at the end.
  using source = std::function<std::optional<std::string>()>;
  blocking_input(asio::any_io_executor executor, source from);
  ~blocking_input();
  blocking_input(blocking_input const&) = delete;
  blocking_input& operator=(blocking_input const&) = delete;

  /// Ends with std::system_error, operation_aborted, where stop() comes first.
  asio::awaitable<std::optional<std::string>> next();
  void stop();

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace cli

#endif
