// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How the servers from npm are started (package.json pins them), and a directory of a test's own. Without
// tests/interop/node_modules, which `npm ci` there makes, the tests skip.
#pragma once

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <stdlib.h>

#include "e2e/fixture.hpp"

#define COMCP_NEEDS_PEERS()                                                             \
  do {                                                                                  \
    if (!std::filesystem::exists(std::string(COMCP_INTEROP_DIR) + "/node_modules"))     \
      COMCP_SKIP("no tests/interop/node_modules: run `npm ci` in tests/interop first"); \
  } while (false)

namespace interop {

using namespace e2e;

/// Whether no process has this id: what was killed may take a moment until it is dead and reaped.
inline bool is_gone(int pid) {
  auto const gone = [pid] { return ::kill(pid, 0) == -1 && errno == ESRCH; };
  auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!gone() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  return gone();
}

template <class... Arguments>
comcp::stdio node(Arguments... arguments) {
  return comcp::stdio(std::vector<std::string>{COMCP_NODE, arguments...});
}

inline std::string package(std::string const& name) {
  return std::string(COMCP_INTEROP_DIR) + "/node_modules/@modelcontextprotocol/" + name + "/dist/index.js";
}

inline comcp::stdio everything() { return node(package("server-everything"), "stdio"); }
inline comcp::stdio sdk_server(std::string mode) {
  return node(std::string(COMCP_INTEROP_DIR) + "/sdk_server.mjs", std::move(mode));
}

/// An empty directory that goes away with this.
class temporary_directory {
 public:
  temporary_directory() {
    auto pattern = (std::filesystem::temp_directory_path() / "comcp-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = std::filesystem::canonical(pattern);
  }
  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_directory(temporary_directory const&) = delete;
  temporary_directory& operator=(temporary_directory const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
  [[nodiscard]] std::string file(std::string const& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace interop
