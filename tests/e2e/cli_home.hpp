// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool in a home directory of its own, which is the project's folder too.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <stdlib.h>

#include <comcp/json/value.hpp>

#include "support/catch.hpp"
#include "support/command.hpp"

#if defined(COMCP_CLI) && defined(COMCP_DEMO_SERVER)

namespace cli_home {

using strings = std::vector<std::string>;

struct ended {
  int status;
  std::string out, err;
};

class home {
 public:
  home() {
    auto pattern = (std::filesystem::temp_directory_path() / "comcp-home-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  home(home const&) = delete;
  home& operator=(home const&) = delete;
  ~home() { std::filesystem::remove_all(path); }

  std::string write(std::string const& name, std::string const& text) const {
    auto const file = path / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  [[nodiscard]] std::string own() const { return (path / ".config/comcp/mcp.json").string(); }
  [[nodiscard]] comcp::json::value own_json() const {
    std::ifstream in(own());
    std::ostringstream text;
    text << in.rdbuf();
    return comcp::json::parse(text.str()).value();
  }
  // In the home directory, which is the project too.
  [[nodiscard]] strings line(strings arguments, strings const& variables = {}) const {
    strings all{"/usr/bin/env",    "-C", path.string(),       "-u",
                "XDG_CONFIG_HOME", "-u", "CLAUDE_CONFIG_DIR", "HOME=" + path.string()};
    all.insert(all.end(), variables.begin(), variables.end());
    all.emplace_back(COMCP_CLI);
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  [[nodiscard]] ended comcp(strings arguments, strings const& variables = {}) const {
    comcp_test::command c(line(std::move(arguments), variables));
    auto const status = c.finish();
    UNSCOPED_INFO("stdout: " << c.out() << "\nstderr: " << c.err());
    return {status, c.out(), c.err()};
  }
  std::filesystem::path path;
};

inline std::string demo_entry(std::string const& more = "") { return R"({"command": ")" COMCP_DEMO_SERVER "\"" + more + "}"; }

inline std::string servers(std::string const& entries) { return "{\"mcpServers\": {" + entries + "}}"; }

}  // namespace cli_home

#endif
