// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include <asio/cancellation_signal.hpp>
#include <asio/this_coro.hpp>

#include <comcp/client/client.hpp>
#include <comcp/extensions/serve_tasks.hpp>
#include <comcp/later.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/protocol/meta.hpp>
#include <comcp/protocol/tasks.hpp>
#include <comcp/system.hpp>

namespace comcp::detail {

inline std::string timestamp_now() {
  using namespace std::chrono;
  auto const now = floor<seconds>(system_clock::now());
  auto const midnight = floor<days>(now);
  year_month_day const date(midnight);
  hh_mm_ss const time(now - midnight);
  char text[80];
  auto const size = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                                  static_cast<int>(time.seconds().count()));
  return {text, static_cast<std::size_t>(size)};
}

/// One request that became a task. It has nothing of Asio's but the signal, which goes with its connection's desk.
struct served_task {
  served_task(std::string m, json::value p) : method(std::move(m)), params(std::move(p)) {}

  std::string const method;
  json::value const params;
  comcp::task state;
  std::chrono::steady_clock::time_point end;  // of its ttl
  std::shared_ptr<bool> cancelled = std::make_shared<bool>(false);
  asio::cancellation_signal signal;
  result<json::fragment> outcome = error(errc::cancelled);
  std::stop_source finished;

  [[nodiscard]] bool is_over() const noexcept { return finished.stop_requested(); }
  void finish(task_status how) {
    state.status = how;
    state.last_updated_at = timestamp_now();
    finished.request_stop();
  }
};

inline error unknown_task() { return error::from_peer({-32602, "Task not found", {}}); }

/// The answer with the task's id in its `_meta`.
inline json::fragment with_related_task(json::fragment const& answer, std::string const& id) {
  auto const v = json::parse(answer.text()).value();
  json::writer w;
  w.begin_object();
  auto const meta = v.view().find("_meta");
  for (auto const m : v.view().members()) {
    if (m.key != "_meta") w.key(m.key).value(m.value);
  }
  w.key("_meta").begin_object();
  if (meta && meta->is_object()) {
    for (auto const m : meta->members()) w.key(m.key).value(m.value);
  }
  w.key(meta_key::related_task).raw(args("taskId", id).text());
  w.end_object().end_object();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_LAZY asio::awaitable<result<json::fragment>> as_answer(result<json::fragment> r) { co_return r; }

constexpr bool is_about_tasks(std::string_view method) noexcept {
  return method == "tasks/get" || method == "tasks/result" || method == "tasks/cancel" || method == "tasks/list";
}

inline bool wants_task(std::string_view method, json::value const& params) {
  if (method != "sampling/createMessage" && method != "elicitation/create") return false;
  auto const task = params.is_object() ? params.view().find("task") : std::nullopt;
  return task && task->is_object();
}

inline void declare_tasks(any_handler const& inner, client_capabilities& c) {
  inner.declare(c);
  json::object requests;
  if (c.sampling) requests.set("sampling", args("createMessage", json::object()));
  if (c.elicitation) requests.set("elicitation", args("create", json::object()));
  auto& own = c.tasks.emplace();
  own.list = own.cancel = true;
  own.requests = json::parse(requests.text()).value();
}

/// The tasks of one connection, on its home. It ends with that: its owner is a coroutine there.
class task_desk {
 public:
  using entry = std::shared_ptr<served_task>;
  using link = std::shared_ptr<client_link>;

  task_desk(any_handler inner, task_service bounds) : inner_(std::move(inner)), bounds_(bounds) {}
  task_desk(task_desk const&) = delete;
  task_desk& operator=(task_desk const&) = delete;

  COMCP_LAZY asio::awaitable<result<json::fragment>> answer(std::string const& method, json::value const& params,
                                                            context const& ctx, link core);
  COMCP_LAZY static asio::awaitable<void> live(std::shared_ptr<task_desk> desk, link core);

 private:
  COMCP_LAZY result<json::fragment> begin(std::string const& method, json::value const& params, context const& ctx,
                                          link const& core);
  COMCP_LAZY static asio::awaitable<void> carry_out(any_handler inner, entry e, context ctx, link core);
  COMCP_LAZY static asio::awaitable<void> outlive(entry e, std::chrono::nanoseconds ttl, link core);
  COMCP_LAZY static asio::awaitable<result<json::fragment>> fetch(entry e, link core);
  COMCP_LAZY static result<json::fragment> cancel(entry const& e);
  COMCP_LAZY static result<json::fragment> cancel_and_tell(entry const& e, link const& core);
  COMCP_LAZY static void tell(entry const& e, link const& core);
  COMCP_LAZY json::fragment list() const;
  void forget_old(std::chrono::steady_clock::time_point now) {
    std::erase_if(tasks_, [now](auto const& each) { return each.second->end <= now; });
  }

  any_handler const inner_;
  task_service const bounds_;
  std::map<std::string, entry, std::less<>> tasks_;
};

/// The handler, for all of its connections. That it is virtual is said here alone.
template <class Desk>
class task_handler final : public raw_handler {
 public:
  task_handler(any_handler inner, task_service bounds) : inner_(std::move(inner)), bounds_(bounds) {}

  void declare(client_capabilities& c) const override { declare_tasks(inner_, c); }
  [[nodiscard]] bool answers(std::string_view m) const override { return is_about_tasks(m) || inner_.answers(m); }
  [[nodiscard]] bool elicits(elicit_mode mode) const override { return inner_.elicits(mode); }
  [[nodiscard]] bool receives(std::string_view m) const override { return inner_.receives(m); }
  [[nodiscard]] handler_parts parts() const override { return inner_.parts(); }
  asio::awaitable<result<json::fragment>> answer(std::string const& m, json::value const& p, context& c) override {
    auto const core = link_of(c);
    bool const has_tasks = core && core->server()->version == version::v2025_11_25;
    if (is_about_tasks(m) && !has_tasks) return refuse(method_not_found(m));
    if (!has_tasks || !(is_about_tasks(m) || wants_task(m, p))) return inner_.answer(m, p, c);
    return desk_of(core)->answer(m, p, c, core);
  }
  asio::awaitable<void> notify(std::string const& m, json::value const& p, context& c) override {
    return inner_.notify(m, p, c);
  }

 private:
  // Connections may have homes of their own.
  std::shared_ptr<Desk> desk_of(std::shared_ptr<client_link> const& core) {
    std::scoped_lock const alone(mutex_);
    std::erase_if(desks_, [](auto const& each) { return each.second.expired(); });
    auto& known = desks_[core];
    auto desk = known.lock();
    if (desk) return desk;
    desk = std::make_shared<Desk>(inner_, bounds_);
    known = desk;
    spawn(core->home(), Desk::live(desk, core));
    return desk;
  }

  any_handler const inner_;
  task_service const bounds_;
  std::mutex mutex_;
  std::map<std::weak_ptr<client_link>, std::weak_ptr<Desk>, std::owner_less<>> desks_;
};

COMCP_LAZY_DECL handler_chain make_task_desk(any_handler inner, task_service bounds) {
  std::shared_ptr<raw_handler> h = std::make_shared<task_handler<task_desk>>(std::move(inner), bounds);
  return handler_chain({any_handler(std::move(h))});
}

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> task_desk::answer(std::string const& method,
                                                                          json::value const& params,
                                                                          context const& ctx, link core) {
  forget_old(core->bounds({}).now);
  if (!is_about_tasks(method)) return as_answer(begin(method, params, ctx, core));
  if (method == "tasks/list") return as_answer(list());
  auto const id = params.is_object() ? params.view().find("taskId") : std::nullopt;
  auto const found = tasks_.find(id ? id->get_string().value_or("") : "");
  if (found == tasks_.end()) return as_answer(unknown_task());
  if (method == "tasks/result") return fetch(found->second, std::move(core));
  if (method == "tasks/cancel") return as_answer(cancel_and_tell(found->second, core));
  return as_answer(json::fragment::of(found->second->state));
}

COMCP_LAZY_DECL result<json::fragment> task_desk::begin(std::string const& method, json::value const& params,
                                                        context const& ctx, link const& core) {
  if (tasks_.size() >= bounds_.most()) return error::from_peer({-32603, "Too many tasks at once", {}});
  auto const task = params["task"];
  auto const asked = task.view().find("ttl");
  auto const wanted = asked ? asked->get_int64() : std::nullopt;
  using std::chrono::milliseconds, std::chrono::duration_cast;
  auto const longest = duration_cast<milliseconds>(bounds_.longest());
  auto const usual = std::min(duration_cast<milliseconds>(bounds_.usual()), longest);
  milliseconds const ttl(wanted && *wanted >= 0 ? std::min<std::int64_t>(*wanted, longest.count()) : usual.count());
  auto const e = std::make_shared<served_task>(method, params);
  e->state.task_id = unguessable_hex(16);
  e->state.created_at = e->state.last_updated_at = timestamp_now();
  e->state.ttl = task_ttl(ttl.count());
  e->state.poll_interval = 500;
  e->end = later(core->bounds({}).now, ttl);
  tasks_.emplace(e->state.task_id, e);
  create_task_result created;
  created.task = e->state;
  spawn(core->home(), carry_out(inner_, e, with_flag(ctx, e->cancelled), core), e->signal.slot(), e);
  spawn(core->home(), outlive(e, ttl, core));
  return json::fragment::of(created);
}

COMCP_LAZY_DECL asio::awaitable<void> task_desk::carry_out(any_handler inner, entry e, context ctx, link core) {
  result<json::fragment> answered = error(errc::cancelled);
  try {
    auto answering = inner.answer(e->method, e->params, ctx);
    answered = co_await std::move(answering);
  } catch (...) {
    answered = current_error();
    if (!*e->cancelled) core->fault(answered.error());
  }
  if (e->is_over()) co_return;
  if (!answered && !answered.error().peer()) answered = error::from_peer({-32603, "Internal error", {}});
  bool const well = answered.has_value();
  e->outcome = std::move(answered);
  e->finish(well ? task_status::completed : task_status::failed);
  tell(e, core);
}

COMCP_LAZY_DECL void task_desk::tell(entry const& e, link const& core) {
  core->notify_now("notifications/tasks/status", json::to_text(e->state));
}

// One that is not over by the end of its ttl is cancelled.
COMCP_LAZY_DECL asio::awaitable<void> task_desk::outlive(entry e, std::chrono::nanoseconds ttl, link core) {
  auto waiting = core->life().sleep(ttl, e->finished.get_token());
  auto const ended = co_await std::move(waiting);
  if (!ended) (void)cancel_and_tell(e, core);
}

COMCP_LAZY_DECL asio::awaitable<void> task_desk::live(std::shared_ptr<task_desk> desk, link core) {
  auto ending = core->life().ended();
  (void)co_await std::move(ending);
  for (auto const& [id, e] : std::exchange(desk->tasks_, {})) (void)cancel(e);
}

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> task_desk::fetch(entry e, link core) {
  if (!e->is_over()) {
    auto waiting = core->life().sleep(std::chrono::nanoseconds::max(), e->finished.get_token());
    (void)co_await std::move(waiting);
  }
  if (!e->outcome) co_return e->outcome;
  co_return with_related_task(*e->outcome, e->state.task_id);
}

COMCP_LAZY_DECL result<json::fragment> task_desk::cancel(entry const& e) {
  if (e->is_over()) return error::from_peer({-32602, "The task is over", {}});
  *e->cancelled = true;
  e->outcome = error::from_peer({-32603, "The task was cancelled", {}});
  e->finish(task_status::cancelled);
  e->signal.emit(asio::cancellation_type::terminal);
  return json::fragment::of(e->state);
}

COMCP_LAZY_DECL result<json::fragment> task_desk::cancel_and_tell(entry const& e, link const& core) {
  auto cancelled = cancel(e);
  if (cancelled) tell(e, core);
  return cancelled;
}

COMCP_LAZY_DECL json::fragment task_desk::list() const {
  list_tasks_result all;
  for (auto const& [id, e] : tasks_) all.tasks.push_back(e->state);
  return json::fragment::of(all);
}

}  // namespace comcp::detail
