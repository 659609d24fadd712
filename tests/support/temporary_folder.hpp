// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A folder of its own for one test, gone with it.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <comcp/system.hpp>

#include "support/catch.hpp"
#include "support/file_modes.hpp"

namespace comcp_test {

class temporary_folder {
 public:
  temporary_folder() {
    auto const parent = std::filesystem::canonical(std::filesystem::temp_directory_path());
    do {
      path = parent / ("comcp-" + comcp::detail::unguessable_hex(6));
    } while (!std::filesystem::create_directory(path));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::filesystem::path path;
};

inline std::string text_of(std::filesystem::path const& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

}  // namespace comcp_test
