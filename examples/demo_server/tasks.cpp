// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks.hpp"

#include "tools.hpp"

namespace demo {

namespace {

json::object report(std::string const& topic) { return text_result("All that is known of " + topic + '.'); }

}  // namespace

task_book& task_book::shared() {
  static task_book all;
  return all;
}

std::string task_book::status(entry const& e) {
  return e.is_cancelled ? "cancelled" : e.looks < e.wanted ? "working" : "completed";
}

json::object task_book::state(call const& c, std::string const& id, entry const& e) {
  auto const words = e.looks < 2 ? "Reading" : "Writing";
  auto s = json::object().set("taskId", id).set("status", status(e)).set("statusMessage", words);
  s.set("createdAt", "2026-07-28T00:00:00Z").set("lastUpdatedAt", "2026-07-28T00:00:00Z");
  s.set(c.modern() ? "ttlMs" : "ttl", 600'000).set(c.modern() ? "pollIntervalMs" : "pollInterval", 20);
  if (c.modern() && status(e) == "completed") s.set("result", report(e.topic).set("resultType", "complete"));
  return s;
}

json::object task_book::begin(call& c) {
  auto const topic = c.text("topic");
  bool const becomes_one = c.modern() ? c.declares(tasks_extension) : c.params().contains("task");
  if (!becomes_one) return report(topic);
  std::lock_guard const lock(lock_);
  if (all_.size() >= 1000) throw tool_failure{"there are too many tasks"};
  auto const id = "task-" + std::to_string(all_.size() + 1);
  auto const own = state(c, id, all_.emplace(id, entry{topic, c.integer("looks", 3)}).first->second);
  if (!c.modern()) return json::object().set("task", own);
  throw other_result{"task", own};
}

task_book::entry& task_book::find(call& c, std::string const& id) {
  auto const found = all_.find(id);
  if (found == all_.end()) throw rpc_error{invalid_params, "No such task: " + c.text_param("taskId")};
  return found->second;
}

json::object task_book::get(call& c) {
  auto const id = c.text_param("taskId");
  std::lock_guard const lock(lock_);
  auto& own = find(c, id);
  ++own.looks;
  return state(c, id, own);
}

json::object task_book::result(call& c) {
  auto const id = c.text_param("taskId");
  std::lock_guard const lock(lock_);
  auto& own = find(c, id);
  if (own.is_cancelled) throw rpc_error{internal_error, "The task was cancelled"};
  own.looks = own.wanted;
  auto const task = json::object().set("taskId", id);
  return report(own.topic).set("_meta", json::object().set("io.modelcontextprotocol/related-task", task));
}

json::object task_book::cancel(call& c) {
  auto const id = c.text_param("taskId");
  std::lock_guard const lock(lock_);
  auto& own = find(c, id);
  if (!c.modern() && status(own) != "working") throw rpc_error{invalid_params, "The task is over"};
  if (status(own) == "working") own.is_cancelled = true;
  return c.modern() ? json::object() : state(c, id, own);
}

json::object task_book::list(call& c) {
  std::lock_guard const lock(lock_);
  json::array tasks;
  for (auto const& [id, own] : all_) tasks.add(state(c, id, own));
  return json::object().set("tasks", tasks);
}

}  // namespace demo
