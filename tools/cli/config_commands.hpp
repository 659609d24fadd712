// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp config list, check and import. They connect to nothing and start nothing.
#pragma once

#include <string>
#include <string_view>

#include <comcp/json/build.hpp>

#include "configured.hpp"
#include "options.hpp"

namespace cli {

/// Gives the exit code. Throws usage_error.
int run_config(options const& o);
/// config_import.cpp
int import_config(options const& o);

/// "path (claude-code, project)"
std::string title_of(found_file const& f);
/// Kind, endpoint, names of env and headers, variables that are read.
comcp::json::object json_of(comcp::configured_server const& s);
/// Replaces the file in one step by one that its owner alone can read; directories are made. Throws usage_error.
void write_private_file(std::string const& path, std::string_view text);

}  // namespace cli
