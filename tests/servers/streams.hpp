// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// stdin and stdout of a test's server as bytes, with no buffer between, and how it outstays its welcome.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#if defined(_WIN32)
#include <algorithm>

#if !defined(WIN32_LEAN_AND_MEAN)
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#else
#include <csignal>

#include <unistd.h>
#endif

namespace streams {

#if defined(_WIN32)

inline void use_plain() {
  for (int const fd : {0, 1, 2}) ::_setmode(fd, _O_BINARY);
}
inline std::ptrdiff_t read(char* to, std::size_t size) {
  return ::_read(0, to, static_cast<unsigned>(std::min(size, std::size_t{1} << 20)));
}
inline std::ptrdiff_t write(char const* from, std::size_t size) {
  return ::_write(1, from, static_cast<unsigned>(std::min(size, std::size_t{1} << 20)));
}
inline void ignore_term() {
  ::SetConsoleCtrlHandler([](DWORD) -> BOOL { return TRUE; }, TRUE);
}
[[noreturn]] inline void wait_for_ever() {
  for (;;) ::Sleep(INFINITE);
}

#else

inline void use_plain() {}
inline std::ptrdiff_t read(char* to, std::size_t size) { return ::read(STDIN_FILENO, to, size); }
inline std::ptrdiff_t write(char const* from, std::size_t size) { return ::write(STDOUT_FILENO, from, size); }
inline void ignore_term() { std::signal(SIGTERM, SIG_IGN); }
[[noreturn]] inline void wait_for_ever() {
  for (;;) ::pause();
}

#endif

}  // namespace streams
