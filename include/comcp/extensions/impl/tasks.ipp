// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  bool is_listened_for = false;
  std::optional<task_state> news;
  bool is_told = false;
  std::stop_source wake;
};

/// The tasks of one connection that somebody waits for. On its home.
struct task_watch {
  using map = std::multimap<std::string, live_task, std::less<>>;
  // Each change of a listen stream names them all again.
  static constexpr std::size_t most_listened_for = 128;
  map live;
  std::size_t listened_for = 0;
};

/// One of them, as long as somebody does.
class watched_task {
 public:
  watched_task(std::shared_ptr<task_watch> w, std::string id)
      : watch_(std::move(w)), here_(watch_->live.emplace(std::move(id), live_task())) {
    here_->second.is_listened_for = watch_->listened_for < task_watch::most_listened_for;
    watch_->listened_for += here_->second.is_listened_for;
  }
  watched_task(watched_task const&) = delete;
  watched_task& operator=(watched_task const&) = delete;
  ~watched_task() {
    watch_->listened_for -= here_->second.is_listened_for;
    watch_->live.erase(here_);
  }

  [[nodiscard]] std::string const& id() const noexcept { return here_->first; }
  live_task* operator->() noexcept { return &here_->second; }

 private:
  std::shared_ptr<task_watch> watch_;
  task_watch::map::iterator here_;
};

inline call_options repeatable() { return call_options().idempotent(); }
inline error outlived_task() { return {errc::timeout, "the task's ttl is over"}; }

// The answer to a tools/call, or a notification, need not have what its status brings.
inline bool lacks_its_end(task_state const& s) {
  return (s.status == task_status::completed && s.result.is_null()) || (s.status == task_status::failed && s.error.is_null());
}

// What the tool's own answer would have been.
inline json::value const& checked_result(json::value const& v) {
  auto const type = v.is_object() ? v.view().find("resultType") : std::nullopt;
  if (!v.is_object() || (type && type->get_string() != "complete"))
    throw exception(error(errc::protocol_violation, "the task's result is no result of its tool"));
  return v;
}

COMCP_LAZY asio::awaitable<task_state> ask_state(unfinished_call& c, std::string id) {
  auto asking = c.request(tasks::methods[tasks::get], args("taskId", id), repeatable());
  auto const answer = co_await std::move(asking);
  auto state = read_task(answer.view());
  if (!state) throw exception(state.error());
  if (state->task_id != id) throw exception(error(errc::protocol_violation, "the server told of another task"));
  co_return *std::move(state);
}

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
      auto asking = ask_state(c, task.id());
      auto state = co_await std::move(asking);
      if (!outlived || state.is_over()) co_return state;
    } catch (exception const& e) {
      why = e.error();
    }
    if (outlived) throw exception(outlived_task());
    if (!life.goes_on(why)) throw exception(why);
  }
}

// Legacy era: waits at the server for the end, which asks what it has to ask meanwhile.
COMCP_LAZY asio::awaitable<json::value> fetch_result(unfinished_call& c, std::string id, sansio::task_life& life) {
  for (;;) {
    error why;
    try {
      auto asking = c.request(tasks::methods[tasks::result], args("taskId", id), repeatable().timeout(life.left(c.now())));
      auto result = co_await std::move(asking);
      c.settled();
      co_return result;
    } catch (exception const& e) {
      why = e.error();
    }
    if (why.peer()) c.settled();  // it is the task's end
    if (why == errc::timeout && life.is_outlived(c.now())) throw exception(outlived_task());
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
  void tell(unfinished_call& c, task_state const& s) {
    if (!s.status_message || s.status_message == last_) return;
    last_ = s.status_message;
    auto p = c.last_progress();
    if (!p.total) p.progress += 1;  // nothing of the whole is known: it goes on
    p.message = s.status_message;
    c.progress(std::move(p));
  }

 private:
  std::optional<std::string> last_;
};

COMCP_LAZY asio::awaitable<json::value> follow_task(unfinished_call& c, watched_task& task, task_state s,
                                                    sansio::task_life life) {
  using action = sansio::task_action;
  task_progress words;
  bool const modern = c.era() == era::modern;
  if (modern && lacks_its_end(s)) {
    auto asking = ask_state(c, task.id());
    s = co_await std::move(asking);
  }
  for (;;) {
    words.tell(c, s);
    auto const what = life.learned(s);
    if (s.is_over()) c.settled();
    switch (what) {
      case action::deliver: co_return checked_result(s.result);
      case action::fail: throw exception(jsonrpc::decode_error(s.error.dump()));
      case action::cancelled: {
        auto const text = s.status_message ? ": " + visible(*s.status_message, line_breaks::blank) : std::string();
        throw exception(error(errc::cancelled, "the server cancelled the task" + text));
      }
      case action::fetch_result: {
        auto fetching = fetch_result(c, task.id(), life);
        auto result = co_await std::move(fetching);
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
    if (!modern || !lacks_its_end(s)) continue;
    auto asking = ask_state(c, task.id());
    s = co_await std::move(asking);
  }
}

}  // namespace detail

COMCP_LAZY_DECL tasks::tasks() : watch_(std::make_shared<detail::task_watch>()) {}
COMCP_DECL tasks::tasks(tasks const& other)
    : ttl_(other.ttl_), poll_interval_(other.poll_interval_), watch_(std::make_shared<detail::task_watch>()) {}

COMCP_LAZY_DECL bool tasks::is_offered(server_capabilities const& c) {
  return c.supports(identifier) || (c.tasks && c.tasks->supports("tools", "call"));
}

COMCP_LAZY_DECL json::fragment tasks::params(unsent_call const& c) const {
  if (c.era() != era::legacy || c.method() != "tools/call") return {};
  auto const& own = c.capabilities().tasks;
  bool const may_be = own && own->supports("tools", "call");
  bool const must_be = c.task_support() == task_support::required;
  if (!must_be && (!may_be || !c.is_begun_only() || c.task_support() == task_support::forbidden)) return {};
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
  if (!state || detail::cancel_missing(c.capabilities())) co_return;
  auto telling = c.request(methods[cancel], args("taskId", state->task_id), detail::repeatable());
  (void)co_await std::move(telling);
}

COMCP_LAZY_DECL subscription_filter tasks::listen() const {
  subscription_filter f;
  if (watch_->listened_for == 0) return f;
  json::array ids;
  for (auto const& [id, task] : watch_->live) {
    if (task.is_listened_for) ids.add(id);
  }
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

}  // namespace comcp
