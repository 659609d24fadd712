// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/extensions/tasks.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp {

struct task_handle::state {
  enum class care : unsigned char { ours, let_go, over };

  state(extension_client c, std::string t, std::string i, json::value r)
      : client(std::move(c)), tool(std::move(t)), id(std::move(i)), result(std::move(r)) {}

  extension_client client;
  std::string tool, id;
  json::value result;  // where there is no task
  void (*give_up)(state&) = nullptr;  // a program without handles does not compile it
  std::atomic<care> is{care::ours};
};

namespace detail {
inline error no_task() { return {errc::closed, "this handle has no task"}; }

COMCP_LAZY asio::awaitable<void> cancel_quietly(extension_client client, std::string id) {
  try {
    auto telling = client.call(tasks::methods[tasks::cancel], args("taskId", id), call_options().idempotent());
    (void)co_await std::move(telling);
  } catch (...) {  // it is only a courtesy
  }
}

// As the first answer of a call, which tasks::complete() goes on from.
COMCP_LAZY json::value as_first_answer(json::view state) {
  json::writer w;
  w.begin_object();
  for (auto const m : state.members()) {
    if (m.key != "resultType") w.key(m.key).value(m.value);
  }
  w.key("resultType").string("task").end_object();
  return json::parse(std::move(w).text()).value();
}
}  // namespace detail

COMCP_LAZY_DECL task_handle::task_handle(extension_client client, std::string tool, std::string id, json::value result)
    : state_(std::make_shared<state>(std::move(client), std::move(tool), std::move(id), std::move(result))) {
  if (state_->id.empty()) state_->is = state::care::over;
  state_->give_up = [](state& s) {
    detail::spawn(s.client.core()->home(), detail::cancel_quietly(s.client, s.id));
  };
}

COMCP_DECL task_handle& task_handle::operator=(task_handle&& other) noexcept {
  if (this != &other) {
    let_go();
    state_ = std::move(other.state_);
  }
  return *this;
}

COMCP_DECL task_handle::~task_handle() { let_go(); }

COMCP_DECL void task_handle::let_go() noexcept {
  auto const s = std::exchange(state_, nullptr);
  if (!s || s->is != state::care::ours) return;
  try {
    s->give_up(*s);
  } catch (...) {  // no memory: the server keeps it for its ttl
  }
}

COMCP_LAZY_DECL std::string task_handle::id() const { return state_ ? state_->id : std::string(); }
COMCP_LAZY_DECL std::string task_handle::tool() const { return state_ ? state_->tool : std::string(); }
COMCP_LAZY_DECL void task_handle::detach() noexcept {
  if (state_ && state_->is == state::care::ours) state_->is = state::care::let_go;
}

COMCP_LAZY_DECL json::value task_handle::to_json() const {
  if (!state_) throw exception(detail::no_task());
  return json::parse(args("taskId", state_->id, "tool", state_->tool).text()).value();
}

namespace detail {
template <class State>
asio::awaitable<json::value> ask_task(std::shared_ptr<State> s, call_options options) {
  if (!s) throw exception(no_task());
  if (s->id.empty()) {
    json::writer w;
    w.begin_object().key("taskId").string("").key("status").string("completed");
    w.key("result").value(s->result.view()).end_object();
    co_return json::parse(std::move(w).text()).value();
  }
  auto asking = s->client.call(tasks::methods[tasks::get], args("taskId", s->id), std::move(options.idempotent()));
  auto const answer = co_await std::move(asking);
  auto const state = read_task(answer.view());
  if (!state) throw exception(state.error());
  if (state->task_id != s->id) throw exception(error(errc::protocol_violation, "the server told of another task"));
  if (state->is_over()) s->is = State::care::over;
  co_return answer;
}

template <class State>
asio::awaitable<task_state> status_of(std::shared_ptr<State> s, call_options options) {
  auto asking = ask_task(s, std::move(options));
  auto const answer = co_await std::move(asking);
  auto state = json::read<task_state>(answer.view());  // of no task
  if (s->id.empty()) co_return std::move(state).value();
  co_return read_task(answer.view()).value();
}

template <class State>
asio::awaitable<call_tool_result> result_of(std::shared_ptr<State> s, call_options options) {
  if (s && s->id.empty()) co_return decode_result<call_tool_result>(s->result, false);
  auto asking = ask_task(s, options);
  auto const now = co_await std::move(asking);
  auto const first = std::make_shared<earlier_answer>(as_first_answer(now.view()));
  auto finishing = as_result(s->client.finish_tool(s->tool, first, std::move(options)));
  auto result = co_await std::move(finishing);
  if (first->settled) s->is = State::care::over;
  co_return std::move(result).value();
}

template <class State>
asio::awaitable<void> cancel_of(std::shared_ptr<State> s, call_options options) {
  if (!s) throw exception(no_task());
  if (s->id.empty()) co_return;
  auto const before = s->is.exchange(State::care::over);  // a handle that goes away meanwhile does not tell it twice
  auto telling = as_result(s->client.call(tasks::methods[tasks::cancel], args("taskId", s->id), std::move(options.idempotent())));
  auto const told = co_await std::move(telling);
  if (!told) s->is = before;
  (void)told.value();
}

COMCP_LAZY asio::awaitable<task_handle> start_task(extension_client client, std::string tool, json::fragment arguments,
                                                   call_options options) {
  auto beginning = client.begin_tool(tool, std::move(arguments), std::move(options));
  auto const first = co_await std::move(beginning);
  auto const type = first.view().find("resultType");
  bool const is_task = type ? type->get_string() == "task" : first.contains("task");
  if (!is_task) co_return task_handle(std::move(client), std::move(tool), {}, first);
  auto state = read_task(first.view());
  if (!state) throw exception(state.error().with_outcome(call_outcome::open));
  co_return task_handle(std::move(client), std::move(tool), std::move(state->task_id), {});
}
}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<task_state> task_handle::status(call_options options) const {
  return detail::status_of(state_, std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<call_tool_result> task_handle::result(call_options options) const {
  return detail::result_of(state_, std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<void> task_handle::cancel(call_options options) const {
  return detail::cancel_of(state_, std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<task_handle> task_operations::start_tool(std::string_view name, json::fragment arguments,
                                                                         call_options options) const {
  return detail::start_task(client_, std::string(name), std::move(arguments), std::move(options));
}

COMCP_LAZY_DECL task_handle task_operations::resume_task(json::fragment const& saved) const {
  auto const object = json::parse(saved.text());
  bool const usable = object && object->is_object();
  auto const id = usable ? object->view().find("taskId") : std::nullopt;
  auto const tool = usable ? object->view().find("tool") : std::nullopt;
  auto const text = id ? id->get_string() : std::nullopt;
  if (!text || text->empty()) throw exception(error(errc::invalid_argument, "a saved task has a taskId, a text"));
  return {client_, std::string(tool ? tool->get_string().value_or("") : ""), std::string(*text), {}};
}

COMCP_LAZY_DECL asio::awaitable<listing<task>> task_operations::list_tasks(call_options options) const {
  return detail::list_all<task>(client_.core(), std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<list_tasks_result> task_operations::list_tasks_page(std::optional<std::string> from,
                                                                                   call_options options) const {
  return detail::list_page<task>(client_.core(), std::move(from), std::move(options));
}

}  // namespace comcp
