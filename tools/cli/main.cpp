// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool `comcp`.
#include <clocale>
#include <exception>
#include <iostream>

#include "config_commands.hpp"
#include "exit_codes.hpp"
#include "options.hpp"
#include "session.hpp"

int main(int argc, char* argv[]) {
  cli::options given;
  std::setlocale(LC_CTYPE, "C.UTF-8");  // wide letters take two columns
  try {
    if (auto const over = cli::parse_command_line(argc, argv, given)) return *over;
    return given.config.action ? cli::run_config(given) : cli::run_session(given);
  } catch (cli::usage_error const& e) {
    std::cerr << "comcp: " << e.what() << '\n';
    return cli::exit_usage;
  } catch (std::exception const& e) {
    std::cerr << "comcp: " << e.what() << '\n';
    return cli::exit_connection;
  }
}
