// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A folder of its own for one test, gone with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "support/catch.hpp"

namespace comcp_test {

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::canonical(std::filesystem::temp_directory_path()) / "comcp-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::filesystem::path path;
};

inline void write_text(std::filesystem::path const& file, std::string_view text, unsigned mode) {
  std::ofstream(file) << text;
  REQUIRE(::chmod(file.c_str(), static_cast<::mode_t>(mode)) == 0);
}
inline std::string text_of(std::filesystem::path const& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}
inline unsigned mode_of(std::filesystem::path const& file) {
  struct ::stat about {};
  REQUIRE(::stat(file.c_str(), &about) == 0);
  return about.st_mode & 07777U;
}

}  // namespace comcp_test
