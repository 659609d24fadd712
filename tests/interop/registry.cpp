// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A registry of three servers that people use, which are killed again and again while calls run.
#include <csignal>
#include <set>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include <comcp/registry/registry.hpp>

#include "interop/peers.hpp"

using namespace interop;
using comcp::server_state;

namespace {

constexpr int kills = 9;

struct tally {
  int begun = 0, answered = 0, unknown = 0, not_ready = 0, other = 0;
  int callers = 0;
  bool over = false;
  void count(comcp::result<comcp::call_tool_result> const& r) {
    if (r) ++answered;
    else if (r.error() == errc::outcome_unknown) ++unknown;
    else if (r.error() == errc::not_ready) ++not_ready;
    else unexpected(r.error());
  }
  void unexpected(comcp::error const& e) {
    ++other;
    WARN(e.to_string());
  }
};

// One call after the other until all is over.
asio::awaitable<void> call_on(comcp::registry const& r, std::string tool, comcp::json::fragment arguments, tally& t) {
  ++t.callers;
  while (!t.over) {
    ++t.begun;
    auto const outcome = co_await as_result(r.call(tool, arguments));
    t.count(outcome);
    if (outcome) CHECK_FALSE(outcome->is_error);
  }
  --t.callers;
}

comcp::server_config config(comcp::stdio server) {
  return comcp::server_config(std::move(server)).reconnect(comcp::reconnect_policy::forever().delay(20ms, 200ms));
}

}  // namespace

TEST_CASE("registry: servers killed again and again while calls run: each call ends once, the catalog heals",
          "[interop][slow]") {
  COMCP_NEEDS_PEERS();
  temporary_directory dir;
  talk([&]() -> asio::awaitable<void> {
    auto const here = co_await asio::this_coro::executor;
    comcp::registry const r(here);
    std::vector<asio::awaitable<void>> starts;
    starts.push_back(r.add("everything", config(everything())));
    starts.push_back(r.add("files", config(node(package("server-filesystem"), dir.path().string()))));
    auto const memory = node(package("server-memory")).env("MEMORY_FILE_PATH", dir.file("memory.jsonl"));
    starts.push_back(r.add("memory", config(memory)));
    auto const started = co_await comcp::all(std::move(starts));
    for (auto const& s : started) REQUIRE(s.has_value());
    auto const before = r.tools().size();
    CHECK(before > 30);
    CHECK(r.tools().find("memory/read_graph") != nullptr);
    CHECK_FALSE(r.prompts().empty());
    CHECK(r.resources().size() > 5);

    tally t;
    asio::co_spawn(here, call_on(r, "everything/echo", args("message", "hi"), t), asio::detached);
    asio::co_spawn(here, call_on(r, "echo", args("message", "bare"), t), asio::detached);
    asio::co_spawn(here, call_on(r, "files/list_allowed_directories", args(), t), asio::detached);
    asio::co_spawn(here, call_on(r, "memory/read_graph", args(), t), asio::detached);
    std::set<int> pids;
    auto const names = r.servers();
    for (int i = 0; i != kills; ++i) {
      auto const& name = names[static_cast<std::size_t>(i) % names.size()];
      auto const victim = r.status(name).value();
      REQUIRE(victim.transport.pid.has_value());
      pids.insert(*victim.transport.pid);
      auto const answered = t.answered;
      ::kill(*victim.transport.pid, SIGKILL);
      auto const healed = co_await eventually([&] {
        auto const now = r.status(name).value();
        return now.state == server_state::ready && now.starts == victim.starts + 1 && t.answered > answered + 20;
      });
      REQUIRE(healed);
    }
    t.over = true;
    auto const ended = co_await eventually([&] { return t.callers == 0; });
    REQUIRE(ended);
    CHECK(t.begun == t.answered + t.unknown + t.not_ready + t.other);
    CHECK(t.other == 0);
    CHECK(t.not_ready == 0);
    CHECK(t.unknown <= 2 * kills);
    auto const whole = co_await r.settled(30s);
    CHECK(whole);
    CHECK(r.tools().size() == before);
    for (auto const& name : names) {
      auto const now = r.status(name).value();
      CHECK(now.starts == 1 + kills / 3);
      pids.insert(now.transport.pid.value());
    }
    CHECK(pids.size() == kills + 3);
    co_await r.close();
    for (auto const pid : pids) CHECK(is_gone(pid));
  }, 5min);
}

TEST_CASE("registry: destroyed while its servers work, no process is left", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto const here = co_await asio::this_coro::executor;
    int pid = 0;
    {
      comcp::registry const r(here);
      co_await r.add("everything", config(everything()));
      pid = r.status("everything")->transport.pid.value();
      co_await r.add("lazy", config(everything()).lazy());
      co_await r.add("starting", config(everything()).background());
    }
    CHECK(is_gone(pid));
  });
}
