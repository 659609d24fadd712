// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "prompt_terminal.hpp"

#include "console_windows.hpp"
#include "platform.hpp"
#include "text.hpp"

namespace cli {
namespace {

HANDLE console_handle(std::intptr_t number) noexcept { return reinterpret_cast<HANDLE>(number); }

}  // namespace

prompt_terminal::prompt_terminal() {
  if (!is_terminal(standard_input)) return;
  out_ = reinterpret_cast<std::intptr_t>(open_console(L"CONOUT$"));
  if (out_ != -1) in_ = reinterpret_cast<std::intptr_t>(open_console(L"CONIN$"));
}

prompt_terminal::~prompt_terminal() {
  if (out_ != -1) ::CloseHandle(console_handle(out_));
  if (in_ != -1) ::CloseHandle(console_handle(in_));
}

void prompt_terminal::print(std::string_view text) const {
  auto const wide = comcp::detail::to_wide(text);
  DWORD written = 0;
  ::WriteConsoleW(console_handle(out_), wide.data(), static_cast<DWORD>(wide.size()), &written, nullptr);
}

std::optional<std::string> prompt_terminal::ask(std::string_view question, bool hidden) const {
  print(question);
  auto const in = console_handle(in_);
  if (!hidden) return read_console_line(in);
  quiet_console const quiet(in);
  auto text = read_console_line(in);
  print("\n");
  return text;
}

}  // namespace cli

#endif
