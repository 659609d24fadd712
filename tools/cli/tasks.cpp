// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// `tasks list|get|result|cancel`, and `call --task`.
#include <iostream>
#include <utility>

#include <comcp/extensions/tasks.hpp>

#include "arguments.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "printers.hpp"

namespace cli {
namespace {

comcp::task_handle task_of(session& s) {
  auto task = s.client.extension<comcp::tasks>().resume_task(comcp::args("taskId", s.opts().name));
  task.detach();
  return task;
}

template <class Task>
row row_of_task(Task const& t) {
  row r;
  r.name = t.task_id;
  r.description = std::string(comcp::json::to_text(t.status));
  r.description = r.description.substr(1, r.description.size() - 2);  // a JSON string
  if (t.status_message) r.description += ": " + one_line(*t.status_message);
  return r;
}

asio::awaitable<int> list(session& s) {
  auto const own = s.client.extension<comcp::tasks>();
  auto const all = co_await own.list_tasks(s.call_options());
  if (s.opts().json) {
    comcp::json::array items;
    for (auto const& t : all) items.add(t);
    std::cout << json_text(items.text()) << '\n';
    co_return exit_ok;
  }
  std::vector<row> rows;
  for (auto const& t : all) rows.push_back(row_of_task(t));
  print_rows(rows, "The server has no tasks.");
  co_return exit_ok;
}

asio::awaitable<int> get(session& s) {
  auto const task = task_of(s);
  auto const state = co_await task.status(s.call_options());
  if (s.opts().json) std::cout << json_text(state.raw.dump()) << '\n';
  else print_rows({row_of_task(state)}, "");
  co_return exit_ok;
}

asio::awaitable<int> print_outcome(session& s, comcp::task_handle const& task) {
  auto waiting = comcp::as_result(task.result(s.call_options()));
  auto const outcome = co_await std::move(waiting);
  s.around->err.clear();
  if (!outcome && outcome.error() == comcp::errc::cancelled) {  // by the server, or it is no matter what is said
    s.around->err.line(failure_text(s.opts(), exit_protocol, one_line(outcome.error().message())));
    co_return exit_protocol;
  }
  auto const& r = outcome.value();
  if (r.is_error) s.around->err.line(failure_text(s.opts(), exit_tool_failed, "the tool failed"));
  if (s.opts().json) std::cout << json_text(r.raw.dump()) << '\n';
  else print_result(r);
  co_return r.is_error ? exit_tool_failed : exit_ok;
}

asio::awaitable<int> result(session& s) {
  auto const task = task_of(s);
  auto const code = co_await print_outcome(s, task);
  co_return code;
}

asio::awaitable<int> cancel(session& s) {
  auto const task = task_of(s);
  co_await task.cancel(s.call_options());
  co_return exit_ok;
}

}  // namespace

asio::awaitable<int> tasks(session& s) {
  auto const& what = s.opts().action;
  if (what == "list") return list(s);
  if (s.opts().name.empty()) throw usage_error("tasks " + what + ": which one? Its id is missing");
  if (what == "get") return get(s);
  return what == "result" ? result(s) : cancel(s);
}

asio::awaitable<int> call_as_task(session& s, comcp::json::fragment arguments) {
  auto const own = s.client.extension<comcp::tasks>();
  auto starting = own.start_tool(s.opts().name, std::move(arguments), s.call_options());
  auto task = co_await std::move(starting);
  if (s.opts().detach) {
    task.detach();
    if (task.id().empty()) throw comcp::exception(comcp::error(comcp::errc::not_found, "the server answered at once: there is no task"));
    std::cout << (s.opts().json ? json_text(task.to_json().dump()) : one_line(task.id())) << '\n';
    co_return exit_ok;
  }
  if (!task.id().empty()) s.around->err.line("comcp: task " + one_line(task.id()));
  auto const code = co_await print_outcome(s, task);
  co_return code;
}

}  // namespace cli
