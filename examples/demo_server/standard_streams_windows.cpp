// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include <algorithm>

#include <fcntl.h>
#include <io.h>

#include "standard_streams.hpp"

namespace demo {

namespace {
constexpr std::size_t most = std::size_t{1} << 20;
}

void use_plain_streams() {
  for (int const stream : {0, 1, 2}) ::_setmode(stream, _O_BINARY);
}

std::size_t read_stdin(std::span<char> into) {
  auto const n = ::_read(0, into.data(), static_cast<unsigned>(std::min(into.size(), most)));
  return n > 0 ? static_cast<std::size_t>(n) : 0;
}

bool write_stdout(std::string_view bytes) {
  while (!bytes.empty()) {
    auto const n = ::_write(1, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), most)));
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool stdout_is_idle() { return true; }  // who asks has half a second, and ends then

bool stdin_is_terminal() { return ::_isatty(0) != 0; }

}  // namespace demo

#endif
