// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool, run against the demo server over HTTP.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/http_demo.hpp"

namespace cli_http {

using strings = std::vector<std::string>;

struct ended {
  int status;
  std::string out, err;
};

inline ended run(strings arguments, strings const& variables = {}) {
  arguments.insert(arguments.begin(), COMCP_CLI);
  comcp_test::command c(std::move(arguments), comcp_test::input::nothing, variables);
  auto const status = c.finish();
  INFO("stdout: " << c.out() << "\nstderr: " << c.err());
  CHECK(status >= 0);
  return {status, c.out(), c.err()};
}

/// The demo server, and the tool calling it.
struct demo : comcp_test::http_demo {
  using comcp_test::http_demo::http_demo;
  [[nodiscard]] ended comcp(strings arguments) const {
    arguments.insert(arguments.end(), {"--url", url});
    return run(std::move(arguments));
  }
};

}  // namespace cli_http
