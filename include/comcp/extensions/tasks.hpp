// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks: calls of tools that a server carries out in its own time, in both eras.
// Specifications: extension io.modelcontextprotocol/tasks (repository ext-tasks); 2025-11-25 basic/utilities/tasks.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/client/call_options.hpp>
#include <comcp/client/extension.hpp>
#include <comcp/client/listing.hpp>
#include <comcp/json/build.hpp>
#include <comcp/protocol/capabilities.hpp>
#include <comcp/protocol/task_state.hpp>
#include <comcp/protocol/tools.hpp>
#include <comcp/timespan.hpp>

namespace comcp {
class task_operations;

/// What a server tells unasked of a task: the extension's notification, and that of 2025-11-25.
struct task_changed {
  static constexpr std::string_view method = "notifications/tasks";
  task_state state;
};
struct task_status_changed {
  static constexpr std::string_view method = "notifications/tasks/status";
  task_state state;
};

namespace detail {
template <class N>
struct task_notification_codec {
  static bool read(json::view v, N& out, json::read_error& e) {
    if (!json::codec<task_state>::read(v, out.state, e)) return false;
    if (auto again = read_task(v)) out.state = *std::move(again);  // with the members of the other era
    return true;
  }
};
struct task_watch;

inline char const* tasks_missing(server_capabilities const& c) {
  return c.tasks || c.supports("io.modelcontextprotocol/tasks") ? nullptr : "tasks";
}
inline char const* cancel_missing(server_capabilities const& c) {
  return c.supports("io.modelcontextprotocol/tasks") || (c.tasks && c.tasks->cancel) ? nullptr : "tasks.cancel";
}
inline char const* list_missing(server_capabilities const& c) {
  return c.tasks && c.tasks->list ? nullptr : "tasks.list";
}
}  // namespace detail
template <>
struct json::codec<task_changed> : comcp::detail::task_notification_codec<task_changed> {};
template <>
struct json::codec<task_status_changed> : comcp::detail::task_notification_codec<task_status_changed> {};

namespace detail {
template <>
struct list_traits<comcp::task> {
  using page = list_tasks_result;
  static constexpr auto const& method = wire::methods::list_tasks;
  static constexpr std::string_view kind = "tasks";
  static auto& items(page& p) { return p.tasks; }
};
}  // namespace detail

/// `connect_options().extension(tasks())`: a tool's call that becomes a task, or that can only be one, ends as any call
/// does, with the tool's result. Meanwhile the server is asked how it goes as often as it says, or tells of it where it does
/// that (modern era, for up to 128 of them); its words and its progress come to on_progress(), and what it wants to know
/// the client's handler is asked, each thing once. The call's hard timeout and the task's ttl bound it: errc::timeout. A
/// caller that cancels or runs out of time has the task cancelled, as far as the server can (where the server says only
/// later that there is one: for 10 s, and not over HTTP in the modern era, where a call that is left has no answer). One
/// that the server cancelled ends with errc::cancelled and call_outcome::open; one that failed with the server's error, or
/// with protocol_violation where that is none. A state that cannot be read (see read_task()) ends it so, too. It is asked
/// for once each 10 ms at most, whatever the server says; a ttl of 0 or below is over at once.
class tasks {
 public:
  static constexpr std::string_view identifier = "io.modelcontextprotocol/tasks";
  static constexpr std::array methods = {
      extension_method{.name = "tasks/get", .since = version::v2025_11_25, .missing = detail::tasks_missing,
                       .subject = "taskId", .is_mirrored = true},
      extension_method{.name = "tasks/cancel", .since = version::v2025_11_25, .missing = detail::cancel_missing,
                       .subject = "taskId", .is_mirrored = true},
      extension_method{.name = "tasks/update", .in_legacy = false, .missing = undeclared<tasks>, .subject = "taskId",
                       .is_mirrored = true},
      extension_method{.name = "tasks/result", .in_modern = false, .since = version::v2025_11_25,
                       .missing = detail::tasks_missing, .subject = "taskId"},
      extension_method{.name = "tasks/list", .in_modern = false, .since = version::v2025_11_25,
                       .missing = detail::list_missing}};
  enum : std::size_t { get, cancel, update, result, list };
  using operations = task_operations;
  using notifications = std::tuple<task_changed, task_status_changed>;

  COMCP_LAZY tasks();
  tasks(tasks const& other);
  tasks& operator=(tasks const&) = delete;

  /// 2025-11-25: how long the server is asked to keep a task (default: as it likes).
  tasks& ttl(timespan d) { return ttl_ = d, *this; }
  /// The time between two questions where the server says none (default 1 s).
  tasks& poll_interval(timespan d) { return poll_interval_ = d, *this; }

  // For the client; see client_extension.
  COMCP_LAZY static bool is_offered(server_capabilities const& c);
  [[nodiscard]] bool claims(std::string_view method, std::string_view result_type) const {
    return method == "tools/call" && result_type == "task";
  }
  COMCP_LAZY [[nodiscard]] json::fragment params(unsent_call const& c) const;
  COMCP_LAZY asio::awaitable<json::value> complete(unfinished_call& c);
  COMCP_LAZY asio::awaitable<void> abandon(unfinished_call& c);
  void on(task_changed const& n) { changed(n.state); }
  void on(task_status_changed const& n) { changed(n.state); }
  COMCP_LAZY [[nodiscard]] subscription_filter listen() const;

 private:
  COMCP_LAZY void changed(task_state const& s);

  std::optional<std::chrono::nanoseconds> ttl_;
  std::chrono::nanoseconds poll_interval_ = std::chrono::seconds(1);
  std::shared_ptr<detail::task_watch> watch_;  // each copy's own
};

/// One task. Move-only: destroying it has the task cancelled, unless it is over, or detach() was called. Its functions
/// may be called on any thread, one at a time; its operations resume on the caller's executor, as a client's do, and fail
/// as its calls do (the server's -32602 where it does not know the task any more). It outlives a restart of the server and a
/// new session where the server's tasks do.
class task_handle {
 public:
  task_handle() = default;  ///< Of no task: its operations fail with errc::closed.
  COMCP_LAZY task_handle(extension_client client, std::string tool, std::string id, json::value result);
  task_handle(task_handle&&) noexcept = default;
  task_handle& operator=(task_handle&& other) noexcept;
  ~task_handle();

  /// Empty where the server answered at once, without a task.
  COMCP_LAZY [[nodiscard]] std::string id() const;
  COMCP_LAZY [[nodiscard]] std::string tool() const;
  /// Asks the server.
  COMCP_LAZY [[nodiscard]] asio::awaitable<task_state> status(call_options options = call_options()) const;
  /// Waits for the tool's result, as call_tool() does. Cancelling it stops only the waiting. The task's ttl counts from here
  /// (createdAt is by the server's clock): one that the server has forgotten meanwhile ends with the server's -32602.
  COMCP_LAZY [[nodiscard]] asio::awaitable<call_tool_result> result(call_options options = call_options()) const;
  /// Tells the server, which may go on all the same. An error of the server's where it is over in 2025-11-25.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> cancel(call_options options = call_options()) const;
  /// The task is no longer this handle's to cancel.
  COMCP_LAZY void detach() noexcept;
  /// For task_operations::resume_task() in this process or another, after detach(). Its id may be all that one needs to
  /// see the task: a secret.
  COMCP_LAZY [[nodiscard]] json::value to_json() const;

 private:
  struct state;
  void let_go() noexcept;

  std::shared_ptr<state> state_;
};

/// `client.extension<tasks>()`.
class task_operations {
 public:
  explicit task_operations(extension_client c) noexcept : client_(std::move(c)) {}

  /// Calls a tool without waiting for its result: as a task, where the server makes it one (modern era), or may
  /// (2025-11-25: not where its tool was listed with an execution.taskSupport that forbids it, as none does). Where it is
  /// none, this ends with the tool's result, and the handle has it.
  COMCP_LAZY [[nodiscard]] asio::awaitable<task_handle> start_tool(std::string_view name,
                                                                   json::fragment arguments = json::fragment(),
                                                                   call_options options = call_options()) const;
  /// A task that was begun elsewhere: what to_json() gave, or args("taskId", id). With the same login as there: servers bind
  /// tasks to who began them, and others get -32602, as for a task that is not there. Throws invalid_argument.
  COMCP_LAZY [[nodiscard]] task_handle resume_task(json::fragment const& saved) const;
  /// 2025-11-25 alone: all tasks of the server, or a page of them.
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<task>> list_tasks(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<list_tasks_result> list_tasks_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;

 private:
  extension_client client_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/extensions/impl/tasks.ipp>
#include <comcp/extensions/impl/task_handles.ipp>
#endif
