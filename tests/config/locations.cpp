// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <comcp/config/locations.hpp>

#include "support/catch.hpp"

using comcp::config_locations;
using comcp::config_platform;
using comcp::config_program;
using strings = std::vector<std::string>;

namespace {

auto environment(std::map<std::string, std::string, std::less<>> all) {
  return [all = std::move(all)](std::string_view name) -> std::optional<std::string> {
    auto const found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  };
}

strings described(std::vector<comcp::config_location> const& all) {
  strings out;
  for (auto const& l : all) {
    auto const* const scope = l.scope == comcp::config_scope::project ? " project " : " user ";
    out.push_back(std::string(to_string(l.program)) + scope + l.path);
  }
  return out;
}

}  // namespace

TEST_CASE("config: the usual places on Linux", "[config]") {
  auto const all = config_locations(environment({{"HOME", "/home/ann"}}), "/work", config_platform::unix_like);
  CHECK(described(all) == strings{
                              "comcp project /work/mcp.json",
                              "comcp user /home/ann/.config/comcp/mcp.json",
                              "claude-code project /work/.mcp.json",
                              "claude-code user /home/ann/.claude.json",
                              "vscode project /work/.vscode/mcp.json",
                              "vscode user /home/ann/.config/Code/User/mcp.json",
                              "vscode user /home/ann/.config/Code/User/settings.json",
                              "cursor project /work/.cursor/mcp.json",
                              "cursor user /home/ann/.cursor/mcp.json",
                              "claude-desktop user /home/ann/.config/Claude/claude_desktop_config.json",
                          });
}

TEST_CASE("config: XDG_CONFIG_HOME and CLAUDE_CONFIG_DIR move files", "[config]") {
  auto const all =
      described(config_locations(environment({{"HOME", "/h"}, {"XDG_CONFIG_HOME", "/x"}, {"CLAUDE_CONFIG_DIR", "/c"}}),
                                 "/w", config_platform::unix_like));
  CHECK(all[1] == "comcp user /x/comcp/mcp.json");
  CHECK(all[3] == "claude-code user /c/.claude.json");
  CHECK(all[9] == "claude-desktop user /x/Claude/claude_desktop_config.json");
  auto const relative = environment({{"HOME", "/h"}, {"XDG_CONFIG_HOME", "x"}});
  CHECK(comcp::own_config_path(relative, config_platform::unix_like) == "/h/.config/comcp/mcp.json");
}

TEST_CASE("config: the usual places on macOS and Windows", "[config]") {
  auto const mac = described(config_locations(environment({{"HOME", "/Users/ann"}}), "/w", config_platform::mac_os));
  CHECK(mac[1] == "comcp user /Users/ann/Library/Application Support/comcp/mcp.json");
  auto const moved = environment({{"HOME", "/Users/ann"}, {"XDG_CONFIG_HOME", "/x"}});
  CHECK(comcp::own_config_path(moved, config_platform::mac_os) == "/x/comcp/mcp.json");
  CHECK(mac[5] == "vscode user /Users/ann/Library/Application Support/Code/User/mcp.json");
  CHECK(mac[9] == "claude-desktop user /Users/ann/Library/Application Support/Claude/claude_desktop_config.json");
  auto const windows = described(config_locations(
      environment({{"USERPROFILE", "C:\\Users\\ann"}, {"APPDATA", "C:\\Users\\ann\\AppData\\Roaming"}}), "D:\\w",
      config_platform::windows));
  CHECK(windows[1] == "comcp user C:\\Users\\ann\\AppData\\Roaming\\comcp\\mcp.json");
  CHECK(windows[3] == "claude-code user C:\\Users\\ann\\.claude.json");
  CHECK(windows[4] == "vscode project D:\\w\\.vscode\\mcp.json");
  CHECK(windows[9] == "claude-desktop user C:\\Users\\ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json");
}

TEST_CASE("config: without a home directory the user's files are left out", "[config]") {
  auto const all = config_locations({}, "/w", config_platform::unix_like);
  CHECK(all.size() == 4);
  CHECK_FALSE(comcp::own_config_path({}, config_platform::unix_like));
}

TEST_CASE("config: programs have names in both directions", "[config]") {
  for (auto const p : {config_program::own, config_program::claude_code, config_program::vscode,
                       config_program::cursor_editor, config_program::claude_desktop})
    CHECK(comcp::config_program_from(to_string(p)) == p);
  CHECK(comcp::config_program_from("VS Code") == config_program::vscode);
  CHECK(comcp::config_program_from("Claude Desktop") == config_program::claude_desktop);
  CHECK_FALSE(comcp::config_program_from("emacs"));
}
