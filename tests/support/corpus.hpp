// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Test material that others wrote: a sample is in tests/corpus, all of it in the shared folder (the CMake option
// COMCP_SHARED_DIR), which need not be there. Both have the same layout; a test goes over both.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "support/catch.hpp"

/// Skips the test case where only the sample is at hand.
#define COMCP_NEEDS_SHARED(relative)                                                           \
  do {                                                                                         \
    std::error_code missing_;                                                                  \
    std::string const wanted_ = std::string(COMCP_SHARED_DIR) + "/" + (relative);              \
    if (!std::filesystem::exists(wanted_, missing_))                                           \
      COMCP_SKIP("no " + wanted_ + " (set the CMake option COMCP_SHARED_DIR)");                \
  } while (false)

namespace comcp_test {

/// Where `relative` is: in tests/corpus, and in the shared folder.
inline std::vector<std::filesystem::path> corpora(std::string const& relative) {
  std::vector<std::filesystem::path> found;
  for (char const* const root : {COMCP_SOURCE_DIR "/tests/corpus", COMCP_SHARED_DIR}) {
    std::error_code missing;
    auto const path = std::filesystem::path(root) / relative;
    if (std::filesystem::exists(path, missing)) found.push_back(path);
  }
  return found;
}

inline std::string content_of(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace comcp_test
