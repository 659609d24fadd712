// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include <cerrno>

#include <poll.h>
#include <unistd.h>

#include "standard_streams.hpp"

namespace demo {

void use_plain_streams() {}

std::size_t read_stdin(std::span<char> into) {
  for (;;) {
    auto const n = ::read(STDIN_FILENO, into.data(), into.size());
    if (n < 0 && errno == EINTR) continue;
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }
}

bool write_stdout(std::string_view bytes) {
  while (!bytes.empty()) {
    auto const n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) return false;
  }
  return true;
}

bool stdout_is_idle() {
  pollfd stdout_is{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&stdout_is, 1, 0) == 1 && (stdout_is.revents & POLLOUT) != 0;
}

bool stdin_is_terminal() { return ::isatty(STDIN_FILENO) == 1; }

}  // namespace demo

#endif
