// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What Prometheus' own program says about metrics.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/catch.hpp"
#include "support/command.hpp"
#include "support/temporary_folder.hpp"

namespace comcp_test {

/// The program's path: from PATH, or where tools/install-deps put it; "" where there is none.
inline std::string promtool() {
  std::string folders = std::getenv("PATH") ? std::getenv("PATH") : "";
  folders += ":" COMCP_SOURCE_DIR "/build/promtool/usr/bin";
  for (std::size_t at = 0; at < folders.size();) {
    auto const end = std::min(folders.find(':', at), folders.size());
    auto const file = folders.substr(at, end - at) + "/promtool";
    if (std::filesystem::exists(file)) return file;
    at = end + 1;
  }
  return {};
}

/// What it has to complain of: "" for good metrics.
inline std::string complaints(std::string const& metrics) {
  temporary_folder const folder;
  auto const file = (folder.path / "metrics").string();
  std::ofstream(file, std::ios::binary) << metrics;
  command checking({"/bin/sh", "-c", R"("$0" check metrics < "$1")", promtool(), file});
  auto const status = checking.finish();
  return status == 0 ? checking.out() + checking.err() : checking.out() + checking.err() + " (status " + std::to_string(status) + ")";
}

}  // namespace comcp_test

/// Ends a test case that needs it as skipped where there is none.
#define COMCP_NEED_PROMTOOL()                                                                       \
  do {                                                                                              \
    if (comcp_test::promtool().empty()) COMCP_SKIP("no promtool: run tools/install-deps promtool"); \
  } while (false)
