// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What this process has open, and which children.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>
#include <thread>

#if defined(_WIN32)
#include <asio/detail/socket_types.hpp>  // before windows.h

#include <windows.h>

#include <tlhelp32.h>
#else
#include <cerrno>

#include <dirent.h>
#include <sys/wait.h>
#endif

namespace comcp_test {

/// What net::exit_status has for SIGKILL, and for the end of a job.
inline constexpr int killed = 9;
/// What it has for SIGTERM, and for CTRL_BREAK_EVENT.
inline constexpr int terminated = 15;

#if defined(_WIN32)

/// Not counted here: the pool of threads, whose handles come and go, belongs to the system.
inline std::size_t open_descriptors() { return 0; }

inline bool has_children_now() {
  HANDLE const all = ::CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  PROCESSENTRY32W entry{};
  entry.dwSize = sizeof entry;
  DWORD const self = ::GetCurrentProcessId();
  bool found = false;
  for (BOOL more = ::Process32FirstW(all, &entry); more && !found; more = ::Process32NextW(all, &entry)) {
    found = entry.th32ParentProcessID == self && std::wstring_view(entry.szExeFile) != L"conhost.exe";
  }
  ::CloseHandle(all);
  return found;
}

#else

/// Open descriptors of this process.
inline std::size_t open_descriptors() {
  std::size_t n = 0;
  DIR* const d = ::opendir("/proc/self/fd");
  while (::readdir(d) != nullptr) ++n;
  ::closedir(d);
  return n;
}

/// Whether this process has a child, dead or alive.
inline bool has_children_now() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG) == 0 || errno != ECHILD;
}

#endif

/// Whether it keeps one: what was killed may take a moment until it is dead and reaped.
inline bool has_children() {
  auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (has_children_now() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  return has_children_now();
}

}  // namespace comcp_test
