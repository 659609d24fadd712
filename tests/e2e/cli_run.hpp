// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs of the command-line tool against the demo server and others.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <comcp/json/value.hpp>

#include "support/catch.hpp"
#include "support/command.hpp"

#if defined(COMCP_CLI) && defined(COMCP_DEMO_SERVER)

namespace cli_run {

using comcp_test::command;
using comcp_test::input;
using match::contains;
using match::starts_with;
using strings = std::vector<std::string>;

inline strings with_server(strings arguments, strings const& server) {
  arguments.insert(arguments.begin(), COMCP_CLI);
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), server.begin(), server.end());
  return arguments;
}

inline strings demo(strings arguments, strings const& flags = {}) {
  strings server{COMCP_DEMO_SERVER};
  server.insert(server.end(), flags.begin(), flags.end());
  return with_server(std::move(arguments), server);
}

inline strings announcer(strings arguments, strings const& flags) {
  strings server{std::string(COMCP_TEST_SERVERS_DIR) + "/comcp_test_announcer"};
  server.insert(server.end(), flags.begin(), flags.end());
  return with_server(std::move(arguments), server);
}

struct ended {
  int status;
  std::string out, err;
};

inline ended run(strings argv, strings const& variables = {}) {
  command c(std::move(argv), input::nothing, variables);
  auto const status = c.finish();
  INFO("stdout: " << c.out() << "\nstderr: " << c.err());
  CHECK(status >= 0);
  return {status, c.out(), c.err()};
}

inline comcp::json::value parsed(std::string const& text) {
  auto v = comcp::json::parse(text);
  INFO(text);
  REQUIRE(v);
  return *v;
}

inline strings lines_of(std::string const& text) {
  strings all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

}  // namespace cli_run

#endif
