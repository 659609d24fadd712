// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The example app_host in a browser: the page of a server on the apps extension's SDK, in headless Chromium.
#include "interop/http_peers.hpp"
#include "support/command.hpp"

#if defined(COMCP_APP_HOST)

TEST_CASE("apps: a click in a browser calls a tool, and its answer is on the page", "[interop]") {
  COMCP_NEEDS_PEERS();
  COMCP_NEEDS_PROGRAM("chromium");
  std::string const folder = COMCP_INTEROP_DIR;
  comcp_test::command browser({COMCP_NODE, folder + "/apps_browser.mjs", interop::system_program("chromium"), COMCP_APP_HOST,
                               "show_counter", R"({"by":1})", COMCP_NODE, folder + "/apps_server.mjs"});
  auto const status = browser.finish();
  INFO(browser.err());
  CHECK(browser.out() ==
        "input: by 1\n"
        "result: shown by 1\n"
        "blocked: connect-src http://127.0.0.1:9/\n"
        "answer: the total is 42\n"
        "refused: The app may not call this tool\n"
        "origins: 3 of 3\n"
        "app_host: 0\n");
  CHECK(status == 0);
}

#endif
