// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server whose tool becomes a task, of either era.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <comcp/extensions/tasks.hpp>

#include "support/conversation.hpp"

namespace comcp_test {

using namespace comcp;
using comcp::test::fake_request;
using comcp::test::fake_server;

inline constexpr char const* modern_caps = R"({"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";
inline constexpr char const* legacy_caps =
    R"({"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}})";
inline constexpr char const* slow_tool =
    R"({"tools":[{"name":"slow","inputSchema":{"type":"object","required":["n"]},"execution":{"taskSupport":"required"}}]})";

// What a server tells of task 7.
inline json::fragment task_text(bool modern, std::string const& status, std::string const& more = "", int pause = 1000) {
  auto const n = std::to_string(pause);
  return json::fragment::trusted(R"({"taskId":"7","status":")" + status + R"(","createdAt":"c","lastUpdatedAt":"l",)" +
                                 (modern ? R"("ttlMs":null,"pollIntervalMs":)" : R"("ttl":null,"pollInterval":)") + n + more + "}");
}

// A server with one tool, which becomes a task; `steps` are the states that it tells of, one after the other.
struct task_server {
  task_server(conversation& c, bool is_modern) : modern(is_modern), server(c.io.get_executor()) {
    if (modern) server.modern().capabilities(modern_caps);
    else server.legacy().capabilities(legacy_caps);
    server.answer("tools/list", json::fragment::trusted(slow_tool));
    server.on("tools/call", [this](fake_request const& r) {
      auto const first = json::parse(task_text(modern, "working").text()).value();
      if (!modern && !r.params().contains("task")) return r.fail(-32601, "a task is required");
      if (modern) {
        json::object o;
        for (auto const m : first.members()) o.set(m.key, json::raw(m.value.dump()));
        r.reply(o.set("resultType", "task"));
      } else {
        r.reply(args("task", first));
      }
    });
    server.on("tasks/get", [this](fake_request const& r) {
      r.reply(at < steps.size() ? steps[at++] : steps.back());
    });
    server.on("tasks/result", [](fake_request const& r) { r.reply(json::raw(tool_text)); });
    server.answer("tasks/cancel", modern ? json::fragment::trusted("{}") : task_text(false, "cancelled"));
    server.answer("tasks/update", json::fragment::trusted("{}"));
  }
  [[nodiscard]] json::fragment working(std::string const& more = "", int pause = 1000) const { return task_text(modern, "working", more, pause); }
  [[nodiscard]] json::fragment completed() const {
    return task_text(modern, "completed", modern ? R"(,"result":)" + tool_text : "");
  }

  bool modern;
  fake_server server;
  std::vector<json::fragment> steps;
  std::size_t at = 0;
};

inline client connected(conversation& c, task_server& s, tasks t = tasks()) {
  auto client = c.connect(s.server.transport(), c.options().extension(std::move(t)));
  REQUIRE(client);
  return std::move(client).value();
}

}  // namespace comcp_test
