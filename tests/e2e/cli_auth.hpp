// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool, run against a protected server, with a folder of its own for logins. The test is the browser.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "e2e/cli_http.hpp"
#include "support/authorization_peer.hpp"
#include "support/temporary_folder.hpp"

namespace cli_http {

struct guarded {
  explicit guarded(comcp_test::peer_plan plan = comcp_test::peer_plan()) : peer(std::move(plan)) {}

  [[nodiscard]] strings line(strings arguments) {
    arguments.insert(arguments.end(), {"--url", peer.url(), "--token-store", store});
    return arguments;
  }
  /// Runs a command to its end. None of its output has a secret in it.
  [[nodiscard]] ended comcp(strings arguments, strings const& variables = {}) {
    auto r = run(line(std::move(arguments)), variables);
    CHECK((r.out + r.err).find("s3cret") == std::string::npos);
    return r;
  }
  /// The same as one that is still running.
  [[nodiscard]] comcp_test::command start(strings arguments, comcp_test::input from = comcp_test::input::nothing) {
    auto argv = line(std::move(arguments));
    argv.insert(argv.begin(), COMCP_CLI);
    return comcp_test::command(std::move(argv), from);
  }
  /// Logs in as a user with a browser does.
  ended log_in(strings arguments = {}) {
    arguments.insert(arguments.begin(), {"login", "--no-browser"});
    auto c = start(std::move(arguments));
    auto const page = comcp_test::browse(address_of(c));
    CHECK(page.status == 200);
    auto const status = c.finish();
    CAPTURE(c.err());
    CHECK(status == 0);
    CHECK((c.out() + c.err()).find("s3cret") == std::string::npos);
    return {status, c.out(), c.err()};
  }
  /// The address that the user is asked to open.
  static std::string address_of(comcp_test::command& c) {
    auto const shown = c.wait_for_err("\n  http") && c.wait_for_err("\n");
    CAPTURE(c.err());
    REQUIRE(shown);
    auto const at = c.err().find("\n  http") + 3;
    return c.err().substr(at, c.err().find('\n', at) - at);
  }

  comcp_test::authorization_peer peer;
  comcp_test::temporary_folder folder;
  std::string store = (folder.path / "tokens.json").string();
};

}  // namespace cli_http
