// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How the command line is explained: help that shows what is common, all of it on demand, and what a wrong command line
// was probably meant to be.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command_line.hpp"

namespace cli {

namespace option_group {
inline constexpr auto* output = "Output and time";
inline constexpr auto* server = "Server";
inline constexpr auto* http = "Server over HTTP";
inline constexpr auto* login = "Login to a server over HTTP";
inline constexpr auto* config = "Server of a configuration file";
}  // namespace option_group

std::shared_ptr<CLI::Formatter> help_format();

/// What is wrong with a command line that CLI11 refused. `server_given`: there is something behind --.
std::string explained(CLI::App const& app, CLI::ParseError const& e, bool server_given);

/// The command line with -- before the word at which a server's begins.
std::string with_dashes(std::string const& command, std::vector<std::string> const& words, std::size_t server);

}  // namespace cli
