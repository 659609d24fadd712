// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Servers of configuration files: which files there are, and the servers that a command goes to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/config/configured_server.hpp>
#include <comcp/config/expand.hpp>
#include <comcp/config/locations.hpp>

#include "options.hpp"

namespace cli {

/// A configuration file, and whose it is where that is known.
struct found_file {
  std::optional<comcp::config_location> where;
  comcp::config_file file;
};

/// `source` is a file, a program whose files are meant, or empty for every file in its usual place. Throws usage_error
/// for a file that cannot be read.
std::vector<found_file> find_files(std::string const& source);
/// comcp's own file of the user. Throws usage_error without a home directory.
std::string own_file();
/// Reads a file with the limits of this tool, and with the servers that Claude Code has for the current directory.
comcp::config_file read_file(std::string const& path);

/// Makes the server that --server names the target; without it, every server of the --config files, for commands that
/// go to all. Asks at the terminal for their inputs. Throws usage_error.
void use_configured_server(options& o);

/// Makes an expanded server the target. What the options have already comes behind, and wins.
void fill(options& o, comcp::configured_server s);

/// prompts.cpp: a yes or no from the terminal; nothing where there is none.
std::optional<bool> ask_yes(std::string_view question);
/// prompts.cpp: asks at the terminal, without echo for passwords. No terminal: the default, else not_found.
comcp::result<comcp::secret> ask_input(comcp::config_input const& asked);

}  // namespace cli
