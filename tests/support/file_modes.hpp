// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Modes of files, where there are any.
#pragma once

#if !defined(_WIN32)

#include <filesystem>
#include <fstream>
#include <string_view>

#include <sys/stat.h>

#include "support/catch.hpp"

namespace comcp_test {

inline void write_text(std::filesystem::path const& file, std::string_view text, unsigned mode) {
  std::ofstream(file) << text;
  REQUIRE(::chmod(file.c_str(), static_cast<::mode_t>(mode)) == 0);
}
inline unsigned mode_of(std::filesystem::path const& file) {
  struct ::stat about {};
  REQUIRE(::stat(file.c_str(), &about) == 0);
  return about.st_mode & 07777U;
}

}  // namespace comcp_test

#endif
