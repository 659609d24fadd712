// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How a task is doing, in one form for both eras.
// Specifications: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <comcp/protocol/codec.hpp>
#include <comcp/protocol/input_required.hpp>
#include <comcp/protocol/tasks.hpp>

namespace comcp {

/// A task as its server last told of it.
struct task_state {
  task_state() = default;

  std::string task_id;
  task_status status = task_status::working;
  std::optional<std::string> status_message;  ///< The server's words, for people: show it as visible() does.
  std::string created_at;
  std::string last_updated_at;
  std::optional<std::int64_t> ttl;            ///< Milliseconds since its creation; nothing: unlimited, or not said.
  std::optional<std::int64_t> poll_interval;  ///< Milliseconds.
  // The extension's, by status.
  std::optional<comcp::input_requests> input_requests;
  json::value result;
  json::value error;  ///< A JSON-RPC error object.
  json::value raw;

  [[nodiscard]] bool is_over() const noexcept {
    return status != task_status::working && status != task_status::input_required;
  }
};
constexpr auto describe(std::type_identity<task_state>) {
  using t = task_state;
  return json::fields(json::field("taskId", &t::task_id), json::field("status", &t::status),
                      json::field("statusMessage", &t::status_message), json::defaulted("createdAt", &t::created_at),
                      json::defaulted("lastUpdatedAt", &t::last_updated_at), json::field("ttlMs", &t::ttl),
                      json::field("pollIntervalMs", &t::poll_interval),
                      json::field("inputRequests", &t::input_requests), json::defaulted("result", &t::result),
                      json::defaulted("error", &t::error), json::rest(&t::raw));
}

/// Of the result of tools/call, tasks/get or tasks/cancel, or the parameters of a notification, in either era. Errors:
/// protocol_violation, for a ttlMs or pollIntervalMs that is no integer too. Of 2025-11-25, whose reference SDK lets servers
/// write any number there, such a ttl or pollInterval counts as not said. Numbers below zero are for who uses them.
inline result<task_state> read_task(json::view v) {
  auto const inner = v.is_object() ? v.find("task") : std::nullopt;
  auto const own = inner && !v.find("taskId") ? *inner : v;
  auto state = json::read<task_state>(own);
  if (!state) return state.error().with_code(make_error_code(errc::protocol_violation));
  if (state->task_id.empty()) return error(errc::protocol_violation, "a task without an id");
  if (auto const ttl = own.find("ttl"); ttl && !state->ttl) state->ttl = ttl->get_int64();
  if (auto const pause = own.find("pollInterval"); pause && !state->poll_interval) state->poll_interval = pause->get_int64();
  return state;
}

}  // namespace comcp
