// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a fuzz target is made of: libFuzzer's entry, and hold(), which ends the process where a property does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace comcp_test {

inline void hold(bool holds, char const* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

inline std::string_view text_of(std::uint8_t const* data, std::size_t size) {
  return {reinterpret_cast<char const*>(data), size};
}

/// Printable ASCII without spaces: what may go to a browser or a request line.
inline bool is_plain(std::string_view text) {
  for (char const c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return true;
}

}  // namespace comcp_test
