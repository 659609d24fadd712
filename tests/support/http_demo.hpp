// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The demo server over HTTP, for as long as this lives.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/command.hpp"

namespace comcp_test {

class http_demo {
 public:
  explicit http_demo(std::vector<std::string> flags = {}) : process_(argv(std::move(flags))) {
    REQUIRE(process_.wait_for_out("/mcp\n"));
    url = process_.out().substr(0, process_.out().find('\n'));
  }
  /// Another path of the same server.
  [[nodiscard]] std::string at(std::string const& path) const { return url.substr(0, url.rfind('/')) + path; }

  std::string url;

 private:
  static std::vector<std::string> argv(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {COMCP_DEMO_SERVER, "--http", "0"});
    return flags;
  }
  command process_;
};

}  // namespace comcp_test
