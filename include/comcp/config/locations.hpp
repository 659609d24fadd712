// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where MCP hosts keep their configuration. Names files; whether they exist is for others to find out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/version.hpp>

namespace comcp {

/// Whose configuration a file is.
enum class config_program { own, claude_code, vscode, cursor_editor, claude_desktop };
/// comcp's own is "comcp"; then "claude-code", "vscode", "cursor", "claude-desktop".
char const* to_string(config_program p) noexcept;
/// The other way round; also "Claude Code", "VS Code" and the like.
std::optional<config_program> config_program_from(std::string_view text);

enum class config_platform { unix_like, mac_os, windows };
constexpr config_platform this_platform() noexcept {
#if defined(_WIN32)
  return config_platform::windows;
#elif defined(__APPLE__)
  return config_platform::mac_os;
#else
  return config_platform::unix_like;
#endif
}

/// Who a file is for.
enum class config_scope { project, user };

/// One file that may hold servers.
struct config_location {
  config_program program = config_program::own;
  config_scope scope = config_scope::user;
  std::string path;
  friend bool operator==(config_location const&, config_location const&) = default;
};

/// Gives the value of an environment variable.
using config_environment = std::function<std::optional<std::string>(std::string_view name)>;

/// The files in which each program looks, of `directory` and of the user, in the order of config_program, a project's
/// before the user's. What needs a variable that is not set (HOME, APPDATA) is left out.
[[nodiscard]] std::vector<config_location> config_locations(config_environment const& environment,
                                                            std::string const& directory,
                                                            config_platform platform = this_platform());

/// comcp's own file of the user: comcp/mcp.json in $XDG_CONFIG_HOME, or ~/.config, ~/Library/Application Support on macOS;
/// %APPDATA%\comcp\mcp.json on Windows. Nothing without a home directory.
[[nodiscard]] std::optional<std::string> own_config_path(config_environment const& environment,
                                                         config_platform platform = this_platform());

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/config/impl/locations.ipp>
#endif
