// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks the other way round: a server asks to sample or to elicit, and comes back for the answer.
// Specification: 2025-11-25 basic/utilities/tasks.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include <comcp/client/handler.hpp>
#include <comcp/timespan.hpp>

namespace comcp {

/// What bounds the tasks that a server makes of its requests.
class task_service {
 public:
  /// Tasks at once, with those whose answers still wait to be fetched (default 64); more: an error answer.
  task_service& most(std::size_t n) { return most_ = n, *this; }
  /// How long a task is kept where the server asks for nothing, and the longest that it gets (default 5 min, 1 h). One
  /// that is not over by then is cancelled.
  task_service& ttl(timespan usual, timespan longest) { return usual_ = usual, longest_ = longest, *this; }

  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  [[nodiscard]] std::chrono::nanoseconds usual() const noexcept { return usual_; }
  [[nodiscard]] std::chrono::nanoseconds longest() const noexcept { return longest_; }

 private:
  std::size_t most_ = 64;
  std::chrono::nanoseconds usual_ = std::chrono::minutes(5), longest_ = std::chrono::hours(1);
};

namespace detail {
COMCP_LAZY handler_chain make_task_desk(any_handler inner, task_service bounds);
}

/// A handler like the given one, whose create_message(), elicit() and elicit_url() a server of 2025-11-25 may have carried
/// out as tasks: it is answered at once, asks how it goes (tasks/get, tasks/list), is told of the end, whatever it is
/// (notifications/tasks/status), and fetches the answer (tasks/result). tasks/cancel cancels the member's coroutine. Hooks
/// see the request before it becomes a task. For other versions nothing changes.
template <handler H>
[[nodiscard]] handler_chain serve_tasks(H h, task_service bounds = task_service()) {
  return detail::make_task_desk(any_handler(std::move(h)), bounds);
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/extensions/impl/serve_tasks.ipp>
#endif
