// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files share that describe the command line. Only these know CLI11.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "options.hpp"

namespace cli {

/// An option that may come before and after the command, and more than once where that makes sense.
CLI::Option* take(CLI::App& app, std::string const& names, std::function<void(std::string const&)> f,
                  std::string const& help, std::string const& value);
/// A command with the options that all have.
CLI::App* add_command(CLI::App& app, options& o, command what, char const* name, char const* help, char const* footer);

// login_options.cpp
/// Who the client is to an authorization server; every command has these.
void add_login_options(CLI::App& app, login_choice& login);
/// login, logout, whoami and doctor.
void add_login_commands(CLI::App& app, options& o);
/// Throws usage_error for options that do not go together.
void check_login(options const& o);

}  // namespace cli
