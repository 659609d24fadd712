// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading the configuration of MCP hosts: `mcpServers` (Claude Desktop, Claude Code, Cursor), `servers` (VS Code), both
// also below `mcp` (VS Code's settings.json), and the projects of ~/.claude.json. Variables are left for expand.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/config/configured_server.hpp>

namespace comcp {

/// Bounds of a configuration file, and what to look for in it. Exceeding a bound is a problem with
/// errc::limit_exceeded.
class config_options {
 public:
  config_options() {}
  /// The name of the file in problems.
  config_options& file(std::string name) { return file_ = std::move(name), *this; }
  /// Reads the servers of this directory in ~/.claude.json too (`projects`). They come first and win over others of
  /// their name. Default: none.
  config_options& project(std::string directory) { return project_ = std::move(directory), *this; }
  /// Largest file in bytes, below 4 GiB (default 1 MiB).
  config_options& max_bytes(std::size_t n) { return max_bytes_ = n, *this; }
  /// Most servers (default 256).
  config_options& max_servers(std::size_t n) { return max_servers_ = n, *this; }
  /// Most problems that are told (default 100).
  config_options& max_problems(std::size_t n) { return max_problems_ = n, *this; }

  [[nodiscard]] std::string const& file() const noexcept { return file_; }
  [[nodiscard]] std::string const& project() const noexcept { return project_; }
  [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
  [[nodiscard]] std::size_t max_servers() const noexcept { return max_servers_; }
  [[nodiscard]] std::size_t max_problems() const noexcept { return max_problems_; }

 private:
  std::string file_, project_;
  std::size_t max_bytes_ = std::size_t{1} << 20;
  std::size_t max_servers_ = 256;
  std::size_t max_problems_ = 100;
};

/// Reads the text of a configuration file. Comments and trailing commas are accepted, unknown keys kept in `raw`. Every
/// entry that can be used is among the servers; for each that cannot, there is a problem. A text without any section of
/// servers is no problem. Pure; safe from any thread.
[[nodiscard]] config_file read_config(std::string_view text, config_options const& options = {});

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/config/impl/read.ipp>
#endif
