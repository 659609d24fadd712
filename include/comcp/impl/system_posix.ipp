// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/system.hpp>
#include <comcp/version.hpp>

#if !defined(_WIN32)

#include <cstdlib>
#include <random>

namespace comcp::detail {

COMCP_DECL std::optional<std::string> environment_variable(std::string_view name) {
  char const* const value = std::getenv(std::string(name).c_str());
  if (value == nullptr) return {};
  return value;
}

COMCP_DECL std::filesystem::path path_from_text(std::string_view text) { return {text}; }
COMCP_DECL std::string text_of_path(std::filesystem::path const& path) { return path.string(); }

COMCP_DECL std::string unguessable_hex(std::size_t bytes) {
  std::random_device random;
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) {
    auto const byte = random() & 0xFF;
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

}  // namespace comcp::detail

#endif
