// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool `comcp`.
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "config_commands.hpp"
#include "core_dumps.hpp"
#include "exit_codes.hpp"
#include "options.hpp"
#include "platform.hpp"
#include "printers.hpp"
#include "session.hpp"

namespace {

// What was printed may still be on its way, to a disk that is full. That a reader went away is no fault.
int finished(cli::options const& o, int code) {
  std::cout.flush();
  std::fflush(stdout);
  if (std::cout && std::ferror(stdout) == 0) return code;
  if (cli::reader_of_output_left()) return code;
  std::cerr << cli::failure_text(o, cli::exit_output, "the output could not be written") << '\n';
  return code == cli::exit_ok ? cli::exit_output : code;
}

int run(int argc, char const* const* argv, cli::options& given) {
  try {
    if (auto const over = cli::parse_command_line(argc, argv, given)) return *over;
    return given.config.action ? cli::run_config(given) : cli::run_session(given);
  } catch (cli::usage_error const& e) {
    std::cerr << cli::failure_text(given, cli::exit_usage, e.what()) << '\n';
    return cli::exit_usage;
  } catch (std::exception const& e) {
    std::cerr << cli::failure_text(given, cli::exit_connection, e.what()) << '\n';
    return cli::exit_connection;
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  cli::keep_memory_out_of_core_dumps();
  cli::text_streams const streams;
  auto const arguments = cli::utf8_arguments(argc, argv);
  std::vector<char const*> all;
  for (auto const& each : arguments) all.push_back(each.c_str());
  all.push_back(nullptr);
  cli::options given;
  return finished(given, run(static_cast<int>(arguments.size()), all.data(), given));
}
