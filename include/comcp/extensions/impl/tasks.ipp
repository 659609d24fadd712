// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <stop_token>
#include <vector>

#include <comcp/extensions/tasks.hpp>
#include <comcp/jsonrpc/decode.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/sansio/task_life.hpp>
#include <comcp/visible.hpp>

namespace comcp {
namespace detail {

struct live_task {
  std::optional<task_state> news;
  bool is_told = false;
  std::stop_source wake;
};

/// The tasks of one connection that somebody waits for. On its home.
class task_watch {
 public:
  using map = std::multimap<std::string, live_task, std::less<>>;
  map live;
};

/// One of them, as long as somebody does.
class watched_task {
 public:
  watched_task(std::shared_ptr<task_watch> w, std::string id)
      : watch_(std::move(w)), here_(watch_->live.emplace(std::move(id), live_task())) {}
  watched_task(watched_task const&) = delete;
  watched_task& operator=(watched_task const&) = delete;
  ~watched_task() { watch_->live.erase(here_); }

  [[nodiscard]] std::string const& id() const noexcept { return here_->first; }
  live_task* operator->() noexcept { return &here_->second; }

 private:
  std::shared_ptr<task_watch> watch_;
  task_watch::map::iterator here_;
};

inline call_options repeatable() { return call_options().idempotent(); }

// What the server says of it, once it is time to ask or it tells by itself.
COMCP_LAZY asio::awaitable<task_state> next_state(unfinished_call& c, watched_task& task, sansio::task_life& life) {
  for (;;) {
    if (!task->news) {
      task->wake = std::stop_source();
      bool const last = life.is_outlived(c.now());
      if (!last) {
        auto waiting = c.wait(life.pause(c.now()), task->wake.get_token());
        co_await std::move(waiting);
      }
    }
    if (task->is_told) life.told_by_itself();
    if (auto news = std::exchange(task->news, std::nullopt)) co_return std::move(*news);
    bool const outlived = life.is_outlived(c.now());
    error why;
    try {
      auto asking = c.request(tasks::methods[tasks::get], args("taskId", task.id()), repeatable());
      auto const answer = co_await std::move(asking);
      auto state = read_task(answer.view());
      if (!state) throw exception(state.error());
      if (!outlived || state->is_over()) co_return *std::move(state);
    } catch (exception const& e) {
      why = e.error();
    }
    if (outlived) throw exception(error(errc::timeout, "the task's ttl is over"));
    if (!life.goes_on(why)) throw exception(why);
  }
}

// Legacy era: waits at the server for the end, which asks what it has to ask meanwhile.
COMCP_LAZY asio::awaitable<json::value> fetch_result(unfinished_call& c, std::string id, sansio::task_life& life) {
  for (;;) {
    error why;
    try {
      auto asking = c.request(tasks::methods[tasks::result], args("taskId", id),
                              repeatable().timeout(std::chrono::nanoseconds::max()));
      auto result = co_await std::move(asking);
      co_return result;
    } catch (exception const& e) {
      why = e.error();
    }
    if (why.peer() || !life.goes_on(why)) throw exception(why);
    auto waiting = c.wait(life.pause(c.now()));
    co_await std::move(waiting);
  }
}

COMCP_LAZY asio::awaitable<void> answer_task(unfinished_call& c, std::string id, input_requests asked,
                                             sansio::task_life& life) {
  if (asked.empty()) co_return;
  auto asking = c.answer(std::move(asked));
  auto const answers = co_await std::move(asking);
  for (;;) {
    error why;
    try {
      auto telling = c.request(tasks::methods[tasks::update], args("taskId", id, "inputResponses", answers), repeatable());
      (void)co_await std::move(telling);
      co_return;
    } catch (exception const& e) {
      why = e.error();
    }
    if (!life.goes_on(why)) throw exception(why);
    auto waiting = c.wait(life.pause(c.now()));
    co_await std::move(waiting);
  }
}

/// Tells the caller what the server says of its task, each word once.
class task_progress {
 public:
  void tell(unfinished_call const& c, task_state const& s) {
    if (!s.status_message || s.status_message == last_) return;
    last_ = s.status_message;
    progress_notification p;
    p.progress = ++told_;
    p.message = s.status_message;
    c.progress(p);
  }

 private:
  std::optional<std::string> last_;
  double told_ = 0;
};

COMCP_LAZY asio::awaitable<json::value> follow_task(unfinished_call& c, watched_task& task, task_state s,
                                                    sansio::task_life life) {
  using action = sansio::task_action;
  task_progress words;
  for (;;) {
    words.tell(c, s);
    auto const what = life.learned(s);
    if (s.is_over()) c.settled();
    switch (what) {
      case action::deliver: co_return s.result;
      case action::fail: throw exception(jsonrpc::decode_error(s.error.dump()));
      case action::cancelled: {
        auto const text = s.status_message ? ": " + visible(*s.status_message, line_breaks::blank) : std::string();
        throw exception(error(errc::cancelled, "the server cancelled the task" + text));
      }
      case action::fetch_result: {
        auto fetching = fetch_result(c, task.id(), life);
        auto result = co_await std::move(fetching);
        c.settled();
        co_return result;
      }
      case action::answer: {
        auto answering = answer_task(c, task.id(), life.take_requests(s), life);
        co_await std::move(answering);
        break;
      }
      case action::wait: break;
    }
    auto next = next_state(c, task, life);
    s = co_await std::move(next);
    if (s.task_id != task.id()) throw exception(error(errc::protocol_violation, "the server told of another task"));
  }
}

}  // namespace detail

COMCP_LAZY_DECL tasks::tasks() : watch_(std::make_shared<detail::task_watch>()) {}
COMCP_LAZY_DECL tasks::tasks(tasks const& other)
    : ttl_(other.ttl_), poll_interval_(other.poll_interval_), watch_(std::make_shared<detail::task_watch>()) {}

COMCP_LAZY_DECL bool tasks::is_offered(server_capabilities const& c) {
  return c.supports(identifier) || (c.tasks && c.tasks->supports("tools", "call"));
}

COMCP_LAZY_DECL json::fragment tasks::params(unsent_call const& c) const {
  if (c.era() != era::legacy || c.method() != "tools/call") return {};
  if (!c.is_begun_only() && !c.is_only_as_task()) return {};
  json::object task;
  if (ttl_) task.set("ttl", std::chrono::duration_cast<std::chrono::milliseconds>(*ttl_).count());
  return args("task", task);
}

COMCP_LAZY_DECL asio::awaitable<json::value> tasks::complete(unfinished_call& c) {
  // A server may do without.
  if (c.era() == era::legacy && c.result().contains("content")) co_return c.result();
  auto state = read_task(c.result().view());
  if (!state) throw exception(state.error());
  std::optional<detail::watched_task> task(std::in_place, watch_, state->task_id);
  c.listen_again();
  sansio::task_life life(c.era() == era::modern, poll_interval_, c.now());
  auto following = as_result(detail::follow_task(c, *task, *std::move(state), std::move(life)));
  auto outcome = co_await std::move(following);
  task.reset();
  c.listen_again();
  co_return std::move(outcome).value();
}

COMCP_LAZY_DECL asio::awaitable<void> tasks::abandon(unfinished_call& c) {
  auto const state = read_task(c.result().view());
  if (!state) co_return;
  auto telling = c.request(methods[cancel], args("taskId", state->task_id), detail::repeatable());
  (void)co_await std::move(telling);
}

COMCP_LAZY_DECL subscription_filter tasks::listen() const {
  subscription_filter f;
  if (watch_->live.empty()) return f;
  json::array ids;
  for (auto const& [id, task] : watch_->live) ids.add(id);
  return f.add("taskIds", ids);
}

COMCP_LAZY_DECL void tasks::changed(task_state const& s) {
  auto const [first, last] = watch_->live.equal_range(s.task_id);
  for (auto each = first; each != last; ++each) {
    each->second.news = s;
    each->second.is_told = true;
    each->second.wake.request_stop();
  }
}

struct task_handle::state {
  enum class care : unsigned char { ours, let_go, over };

  state(extension_client c, std::string t, std::string i, json::value r)
      : client(std::move(c)), tool(std::move(t)), id(std::move(i)), result(std::move(r)) {}

  extension_client client;
  std::string tool, id;
  json::value result;  // where there is no task
  std::atomic<care> is{care::ours};
};

namespace detail {
inline error no_task() { return {errc::closed, "this handle has no task"}; }

COMCP_LAZY asio::awaitable<void> cancel_quietly(extension_client client, std::string id) {
  try {
    auto telling = client.call(tasks::methods[tasks::cancel], args("taskId", id), repeatable());
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
    auto const& core = s->client.core();
    detail::spawn(core->home(), detail::cancel_quietly(s->client, s->id));
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
  co_return answer;
}

template <class State>
asio::awaitable<task_state> status_of(std::shared_ptr<State> s, call_options options) {
  auto asking = ask_task(s, std::move(options));
  auto const answer = co_await std::move(asking);
  auto state = read_task(answer.view());
  if (!state) throw exception(state.error());
  if (state->is_over()) s->is = State::care::over;
  co_return *std::move(state);
}

template <class State>
asio::awaitable<call_tool_result> result_of(std::shared_ptr<State> s, call_options options) {
  if (s && s->id.empty()) co_return decode_result<call_tool_result>(s->result, false);
  auto asking = ask_task(s, options);
  auto const now = co_await std::move(asking);
  auto finishing = s->client.finish_tool(s->tool, as_first_answer(now.view()), std::move(options));
  auto result = co_await std::move(finishing);
  s->is = State::care::over;
  co_return result;
}

template <class State>
asio::awaitable<void> cancel_of(std::shared_ptr<State> s, call_options options) {
  if (!s) throw exception(no_task());
  if (s->id.empty()) co_return;
  auto telling = s->client.call(tasks::methods[tasks::cancel], args("taskId", s->id), std::move(options.idempotent()));
  (void)co_await std::move(telling);
  s->is = State::care::over;
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
