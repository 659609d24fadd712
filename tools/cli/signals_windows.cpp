// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "signals.hpp"

#include <atomic>
#include <csignal>

#include <comcp/net/windows.hpp>

namespace cli {
namespace {

std::atomic<int> seen = 0;

[[noreturn]] void end_at_once(int signal) noexcept {
  ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(128 + signal));
  for (;;) ::Sleep(INFINITE);  // it does not return for one's own process
}

// On a thread of the system's own, before the C library's. FALSE: it is asked next, and knows what the signals are for.
BOOL WINAPI count_and_go_on(DWORD event) noexcept {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) return FALSE;
  int const signal = event == CTRL_C_EVENT ? SIGINT : SIGBREAK;
  auto const now = ++seen;
  if (now > 2) end_at_once(signal);
  if (now < 2) return FALSE;
  auto const later = [](void* number) -> DWORD {
    ::Sleep(1000);
    end_at_once(static_cast<int>(reinterpret_cast<INT_PTR>(number)));
  };
  HANDLE const thread =
      ::CreateThread(nullptr, 0, later, reinterpret_cast<void*>(static_cast<INT_PTR>(signal)), 0, nullptr);
  if (thread == nullptr) end_at_once(signal);
  ::CloseHandle(thread);
  return FALSE;
}

}  // namespace

last_resort::last_resort() {
  seen = 0;
  ::SetConsoleCtrlHandler(count_and_go_on, TRUE);
}

last_resort::~last_resort() { ::SetConsoleCtrlHandler(count_and_go_on, FALSE); }

}  // namespace cli

#endif
