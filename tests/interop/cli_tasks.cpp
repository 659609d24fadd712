// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool and tasks, over HTTP: of server-everything (2025-11-25) and of the extension on the SDK 2.x.
#include "e2e/cli_run.hpp"
#include "interop/http_peers.hpp"

#if defined(COMCP_CLI)

using namespace interop;

namespace {

// Run to its end while the server, a process of its own, answers.
cli_run::ended comcp_at(std::string const& url, cli_run::strings arguments) {
  arguments.insert(arguments.begin(), COMCP_CLI);
  arguments.insert(arguments.end(), {"--url", url});
  return cli_run::run(std::move(arguments));
}

std::string first_line(std::string const& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TEST_CASE("cli: tasks of 2025-11-25 are begun, listed, cancelled, and waited for", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const url = server.url("/mcp");
    auto const begun = comcp_at(url, {"call", "simulate-research-query", "topic=bees", "--task", "--detach"});
    CHECK(begun.status == 0);
    auto const id = first_line(begun.out);
    CHECK(id.size() >= 16);
    auto const all = comcp_at(url, {"tasks", "list", "--json"});
    CHECK(all.status == 0);
    auto const whole = comcp_at(url, {"call", "simulate-research-query", "topic=ants"});
    CHECK(whole.status == 0);
    CHECK(whole.out.find("# Research Report: ants") != std::string::npos);
    CHECK(whole.err.find("Gathering sources...") != std::string::npos);
  });
}

TEST_CASE("cli: tasks of the extension are begun, looked at, cancelled, and waited for", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    program p({COMCP_NODE, std::string(COMCP_INTEROP_DIR) + "/tasks_server.mjs"});
    auto const server = co_await server_process::start(p.env("PORT", "@PORT@"));
    auto const url = server.url("/mcp");
    auto const begun = comcp_at(url, {"call", "research", "topic=bees", "--task", "--detach"});
    CHECK(begun.status == 0);
    auto const id = first_line(begun.out);
    auto const state = comcp_at(url, {"tasks", "get", id});
    CHECK(state.out.find("working") != std::string::npos);
    auto const result = comcp_at(url, {"tasks", "result", id});
    CHECK(result.status == 0);
    CHECK(result.out == "bees, by nobody\n");
    auto const other = comcp_at(url, {"call", "research", "topic=ants", "--task", "--detach", "--json"});
    auto const saved = cli_run::parsed(other.out);
    auto const cancelled = comcp_at(url, {"tasks", "cancel", saved["taskId"].as<std::string>()});
    CHECK(cancelled.status == 0);
    auto const gone = comcp_at(url, {"tasks", "result", saved["taskId"].as<std::string>()});
    CHECK(gone.status == 4);
    auto const listed = comcp_at(url, {"tasks", "list"});
    CHECK(listed.status == 4);
    auto const unknown = comcp_at(url, {"tasks", "get", "none"});
    CHECK(unknown.status == 4);
    auto const nothing = comcp_at(url, {"tasks", "get"});
    CHECK(nothing.status == 2);
  });
}

#endif
