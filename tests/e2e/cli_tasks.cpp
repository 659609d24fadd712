// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool and the demo server's tasks, in both eras.
#include <comcp/json/describe.hpp>

#include "e2e/cli_run.hpp"
#include "support/http_demo.hpp"

#if defined(COMCP_CLI) && defined(COMCP_DEMO_SERVER)

using namespace cli_run;

namespace {

std::string first_line(std::string const& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TEST_CASE("cli: call --task tells the task's id and prints what the tool says", "[e2e]") {
  auto const era = GENERATE(as<std::string>(), "legacy", "modern");
  CAPTURE(era);
  auto const r = run(demo({"call", "research", "topic=bees", "--task", "--era", era}));
  CHECK(r.status == 0);
  CHECK(r.out == "All that is known of bees.\n");
  CHECK_THAT(r.err, contains("comcp: task task-1\n"));
  // Tools that are no tasks, and one that fails.
  auto const plain = run(demo({"call", "echo", "text=x", "--task", "--era", era}));
  CHECK(plain.status == 0);
  CHECK(plain.out == "x\n");
  CHECK(run(demo({"call", "fail", "--task", "--era", era})).status == run(demo({"call", "fail", "--era", era})).status);
  auto const alone = run(demo({"call", "echo", "text=x", "--task", "--detach", "--era", era}));
  CHECK(alone.status != 0);
  CHECK_THAT(alone.err, contains("there is no task"));
}

TEST_CASE("cli: a task is begun by one process, and looked at, cancelled and waited for by others", "[e2e]") {
  auto const era = GENERATE(as<std::string>(), "legacy", "modern");
  CAPTURE(era);
  comcp_test::http_demo const server;
  auto const comcp = [&](strings arguments) {
    arguments.insert(arguments.begin(), COMCP_CLI);
    arguments.insert(arguments.end(), {"--url", server.url, "--era", era});
    return run(std::move(arguments));
  };
  auto const begun = comcp({"call", "research", "topic=bees", "--task", "--detach"});
  CHECK(begun.status == 0);
  auto const id = first_line(begun.out);
  CHECK(id == "task-1");
  CHECK_THAT(comcp({"tasks", "get", id}).out, contains("working: Reading"));
  auto const result = comcp({"tasks", "result", id});
  CHECK(result.status == 0);
  CHECK(result.out == "All that is known of bees.\n");
  CHECK_THAT(comcp({"tasks", "get", id}).out, contains("completed"));
  auto const other = parsed(comcp({"call", "research", "topic=ants", "--task", "--detach", "--json"}).out);
  auto const second = other["taskId"].as<std::string>();
  CHECK(second == "task-2");
  CHECK(comcp({"tasks", "cancel", second}).status == 0);
  CHECK_THAT(comcp({"tasks", "get", second}).out, contains("cancelled"));
  CHECK(comcp({"tasks", "result", second}).status == 4);
  auto const all = comcp({"tasks", "list"});
  if (era == "legacy") {
    CHECK(all.status == 0);
    CHECK_THAT(all.out, contains("task-1") && contains("task-2") && contains("completed") && contains("cancelled"));
  } else {
    CHECK(all.status == 4);
  }
}

TEST_CASE("cli: Ctrl-C has a task cancelled, whose words were on the screen", "[e2e]") {
  comcp_test::http_demo const server;
  auto const detached = GENERATE(false, true);
  strings argv{COMCP_CLI, "call", "research", "topic=bees", "looks=1000000", "--task", "--url", server.url};
  if (detached) {
    CHECK(run({COMCP_CLI, "call", "research", "topic=bees", "looks=1000000", "--task", "--detach", "--url", server.url}).status == 0);
    argv = {COMCP_CLI, "tasks", "result", "task-1", "--url", server.url};
  }
  command c(argv, input::screen, {"TERM=xterm"});
  REQUIRE(c.wait_for_screen("Writing"));
  c.signal(SIGINT);
  CHECK(c.finish() == 130);
  auto const state = run({COMCP_CLI, "tasks", "get", "task-1", "--url", server.url});
  CHECK_THAT(state.out, contains(detached ? "working" : "cancelled"));
}

#endif
