// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks of 2025-11-25, as data only. Spec: 2025-11-25 basic/utilities/tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/protocol/codec.hpp>

namespace comcp {

enum class task_status { working, input_required, completed, failed, cancelled };
constexpr auto texts(std::type_identity<task_status>) {
  return std::array<std::string_view, 5>{"working", "input_required", "completed", "failed", "cancelled"};
}

/// A ttl that may be null: unlimited.
struct task_ttl {
  task_ttl() = default;
  explicit task_ttl(std::int64_t ms) : milliseconds(ms) {}
  std::optional<std::int64_t> milliseconds;
  friend bool operator==(task_ttl const&, task_ttl const&) = default;
};
template <>
struct json::codec<task_ttl> {
  static bool read(view v, task_ttl& out, read_error& e) {
    return codec<std::optional<std::int64_t>>::read(v, out.milliseconds, e);
  }
  static void write(writer& w, task_ttl const& ttl) { codec<std::optional<std::int64_t>>::write(w, ttl.milliseconds); }
};

/// Also the result of tasks/get and tasks/cancel and the parameters of notifications/tasks/status.
struct task {
  task() = default;

  std::string task_id;
  task_status status = task_status::working;
  std::optional<std::string> status_message;
  std::string created_at;
  std::string last_updated_at;
  task_ttl ttl;
  std::optional<std::int64_t> poll_interval;  ///< Milliseconds.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<task>) {
  using t = task;
  return json::fields(json::field("taskId", &t::task_id), json::field("status", &t::status),
                      json::field("statusMessage", &t::status_message), json::field("createdAt", &t::created_at),
                      json::field("lastUpdatedAt", &t::last_updated_at), json::always("ttl", &t::ttl),
                      json::field("pollInterval", &t::poll_interval), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Asks, in a request's parameters, for a task instead of a result.
struct task_metadata {
  task_metadata() = default;

  std::optional<std::int64_t> ttl;  ///< Milliseconds.
  json::value raw;
};
constexpr auto describe(std::type_identity<task_metadata>) {
  return json::fields(json::field("ttl", &task_metadata::ttl), json::rest(&task_metadata::raw));
}

/// Names the task that a message belongs to, under meta_key::related_task.
struct related_task_metadata {
  related_task_metadata() = default;

  std::string task_id;
  json::value raw;
};
constexpr auto describe(std::type_identity<related_task_metadata>) {
  using t = related_task_metadata;
  return json::fields(json::field("taskId", &t::task_id), json::rest(&t::raw));
}

struct create_task_result {
  create_task_result() = default;

  comcp::task task;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<create_task_result>) {
  using t = create_task_result;
  return json::fields(json::field("task", &t::task), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The parameters of tasks/get, tasks/result and tasks/cancel.
struct task_params {
  task_params() = default;
  explicit task_params(std::string id) : task_id(std::move(id)) {}

  std::string task_id;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<task_params>) {
  using t = task_params;
  return json::fields(json::field("taskId", &t::task_id), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_tasks_result {
  list_tasks_result() = default;

  std::vector<task> tasks;
  std::vector<comcp::set_aside> set_aside;
  std::optional<std::string> next_cursor;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_tasks_result>) {
  using t = list_tasks_result;
  return json::fields(detail::definitions("tasks", &t::tasks), json::field("nextCursor", &t::next_cursor),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp
