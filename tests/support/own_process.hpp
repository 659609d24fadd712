// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What this process has of the system: descriptors, or handles, and children.
#pragma once

#if !defined(_WIN32)

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <thread>

#include <dirent.h>
#include <sys/wait.h>

namespace comcp_test {

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

/// Whether it keeps one: what was killed may take a moment until it is dead and reaped.
inline bool has_children() {
  auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (has_children_now() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  return has_children_now();
}

}  // namespace comcp_test

#endif
