// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <comcp/config/locations.hpp>

namespace comcp {
namespace detail {

/// The folders below which programs keep their files; empty where there is none.
class config_folders {
 public:
  config_folders(config_environment const& environment, config_platform platform)
      : environment_(environment), platform_(platform) {
    home = value(platform == config_platform::windows ? "USERPROFILE" : "HOME");
    bool const mac = platform == config_platform::mac_os;
    xdg = value("XDG_CONFIG_HOME");
    if (!xdg.starts_with('/')) xdg = below(home, mac ? "/Library/Application Support" : "/.config");
    if (platform == config_platform::windows) xdg = value("APPDATA");
    applications = mac ? below(home, "/Library/Application Support") : xdg;
  }
  std::string value(char const* name) const { return environment_ ? environment_(name).value_or("") : std::string(); }
  std::string below(std::string const& folder, char const* rest) const {
    if (folder.empty()) return {};
    std::string out = folder + rest;
    if (platform_ != config_platform::windows) return out;
    for (char& c : out) {
      if (c == '/') c = '\\';
    }
    return out;
  }

  std::string home, xdg, applications;

 private:
  config_environment const& environment_;
  config_platform platform_;
};

}  // namespace detail

COMCP_DECL char const* to_string(config_program p) noexcept {
  switch (p) {
    case config_program::own: return "comcp";
    case config_program::claude_code: return "claude-code";
    case config_program::vscode: return "vscode";
    case config_program::cursor_editor: return "cursor";
    case config_program::claude_desktop: break;
  }
  return "claude-desktop";
}

COMCP_DECL std::optional<config_program> config_program_from(std::string_view text) {
  auto const plain = [](std::string_view t) {
    std::string out;
    for (char const c : t) {
      if (c >= 'A' && c <= 'Z') {
        out += static_cast<char>(c - 'A' + 'a');
      } else if (c != ' ' && c != '-' && c != '_') {
        out += c;
      }
    }
    return out;
  };
  auto const wanted = plain(text);
  for (auto const p : {config_program::own, config_program::claude_code, config_program::vscode,
                       config_program::cursor_editor, config_program::claude_desktop}) {
    if (plain(to_string(p)) == wanted) return p;
  }
  return {};
}

COMCP_DECL std::optional<std::string> own_config_path(config_environment const& environment, config_platform platform) {
  detail::config_folders const at(environment, platform);
  auto path = at.below(at.xdg, "/comcp/mcp.json");
  return path.empty() ? std::nullopt : std::optional(std::move(path));
}

COMCP_DECL std::vector<config_location> config_locations(config_environment const& environment,
                                                         std::string const& directory, config_platform platform) {
  detail::config_folders const at(environment, platform);
  auto const claude = at.value("CLAUDE_CONFIG_DIR");
  using enum config_program;
  using enum config_scope;
  std::vector<config_location> out{
      {config_program::own, project, at.below(directory, "/mcp.json")},
      {config_program::own, user, at.below(at.xdg, "/comcp/mcp.json")},
      {claude_code, project, at.below(directory, "/.mcp.json")},
      {claude_code, user, at.below(claude.empty() ? at.home : claude, "/.claude.json")},
      {vscode, project, at.below(directory, "/.vscode/mcp.json")},
      {vscode, user, at.below(at.applications, "/Code/User/mcp.json")},
      {vscode, user, at.below(at.applications, "/Code/User/settings.json")},
      {cursor_editor, project, at.below(directory, "/.cursor/mcp.json")},
      {cursor_editor, user, at.below(at.home, "/.cursor/mcp.json")},
      {claude_desktop, user, at.below(at.applications, "/Claude/claude_desktop_config.json")},
  };
  std::erase_if(out, [](auto const& l) { return l.path.empty(); });
  return out;
}

}  // namespace comcp
