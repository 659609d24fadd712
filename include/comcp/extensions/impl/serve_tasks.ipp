// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include <asio/cancellation_signal.hpp>
#include <asio/this_coro.hpp>

#include <comcp/client/client.hpp>
#include <comcp/extensions/serve_tasks.hpp>
#include <comcp/later.hpp>
#include <comcp/net/gate.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/protocol/meta.hpp>
#include <comcp/protocol/tasks.hpp>

namespace comcp::detail {

inline std::string timestamp_now() {
  std::time_t const now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
#if defined(_WIN32)
  ::gmtime_s(&parts, &now);
#else
  ::gmtime_r(&now, &parts);
#endif
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// 128 bits that nobody guesses.
inline std::string unguessable_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    auto n = static_cast<std::uint32_t>(random());
    for (int digit = 0; digit < 8; ++digit, n >>= 4) id += "0123456789abcdef"[n & 15];
  }
  return id;
}

/// One request that became a task.
struct served_task {
  served_task(asio::any_io_executor home, std::string m, json::value p) : method(std::move(m)), params(std::move(p)), done(std::move(home)) {}

  std::string const method;
  json::value const params;
  comcp::task state;
  std::chrono::steady_clock::time_point end;  // of its ttl
  std::shared_ptr<bool> cancelled = std::make_shared<bool>(false);
  asio::cancellation_signal signal;
  result<json::fragment> outcome = error(errc::cancelled);
  gate done;

  [[nodiscard]] bool is_over() const noexcept { return done.is_open(); }
  void finish(task_status how) {
    state.status = how;
    state.last_updated_at = timestamp_now();
    done.open();
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

class task_desk : public std::enable_shared_from_this<task_desk> {
 public:
  using entry = std::shared_ptr<served_task>;

  task_desk(any_handler inner, task_service bounds) : inner_(std::move(inner)), bounds_(bounds) {}
  task_desk(task_desk const&) = delete;
  task_desk& operator=(task_desk const&) = delete;
  ~task_desk() { cancel_all(); }

  [[nodiscard]] any_handler const& inner() const noexcept { return inner_; }
  COMCP_LAZY void declare(client_capabilities& c) const;
  [[nodiscard]] bool answers(std::string_view method) const {
    return method == "tasks/get" || method == "tasks/result" || method == "tasks/cancel" || method == "tasks/list" ||
           inner_.answers(method);
  }
  COMCP_LAZY asio::awaitable<result<json::fragment>> answer(std::string const& method, json::value const& params,
                                                            context& ctx);

 private:
  COMCP_LAZY result<json::fragment> begin(std::string const& method, json::value const& params, context const& ctx);
  COMCP_LAZY static asio::awaitable<void> carry_out(any_handler inner, entry e, context ctx);
  COMCP_LAZY static asio::awaitable<void> outlive(std::weak_ptr<task_desk> desk, context ctx);
  COMCP_LAZY static asio::awaitable<result<json::fragment>> fetch(entry e);
  COMCP_LAZY result<json::fragment> cancel(entry const& e);
  COMCP_LAZY json::fragment list() const;
  COMCP_LAZY void forget_old(std::chrono::steady_clock::time_point now);
  void cancel_all() noexcept {
    for (auto const& [id, e] : tasks_) stop(*e);
    tasks_.clear();
  }
  static void stop(served_task& e) noexcept {
    if (e.is_over()) return;
    *e.cancelled = true;
    e.signal.emit(asio::cancellation_type::terminal);
  }

  any_handler const inner_;
  task_service const bounds_;
  std::map<std::string, entry, std::less<>> tasks_;
  bool watches_ = false;  // for the client's end
};

/// As a handler: that it is virtual is said here alone.
template <class Desk>
class task_desk_handler final : public raw_handler {
 public:
  explicit task_desk_handler(std::shared_ptr<Desk> desk) : desk_(std::move(desk)) {}

  void declare(client_capabilities& c) const override { desk_->declare(c); }
  [[nodiscard]] bool answers(std::string_view m) const override { return desk_->answers(m); }
  [[nodiscard]] bool elicits(elicit_mode mode) const override { return desk_->inner().elicits(mode); }
  [[nodiscard]] bool receives(std::string_view m) const override { return desk_->inner().receives(m); }
  [[nodiscard]] handler_parts parts() const override { return desk_->inner().parts(); }
  asio::awaitable<result<json::fragment>> answer(std::string const& m, json::value const& p, context& c) override {
    return desk_->answer(m, p, c);
  }
  asio::awaitable<void> notify(std::string const& m, json::value const& p, context& c) override {
    return desk_->inner().notify(m, p, c);
  }

 private:
  std::shared_ptr<Desk> desk_;
};

COMCP_LAZY_DECL handler_chain make_task_desk(any_handler inner, task_service bounds) {
  auto desk = std::make_shared<task_desk>(std::move(inner), bounds);
  std::shared_ptr<raw_handler> h = std::make_shared<task_desk_handler<task_desk>>(std::move(desk));
  return handler_chain({any_handler(std::move(h))});
}

COMCP_LAZY_DECL void task_desk::declare(client_capabilities& c) const {
  inner_.declare(c);
  json::object requests;
  if (c.sampling) requests.set("sampling", args("createMessage", json::object()));
  if (c.elicitation) requests.set("elicitation", args("create", json::object()));
  auto& own = c.tasks.emplace();
  own.list = own.cancel = true;
  own.requests = json::parse(requests.text()).value();
}

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> task_desk::answer(std::string const& method,
                                                                          json::value const& params, context& ctx) {
  bool const is_own = method == "tasks/get" || method == "tasks/result" || method == "tasks/cancel" || method == "tasks/list";
  if (!is_own) {
    auto const task = params.view().find("task");
    bool const may_be = method == "sampling/createMessage" || method == "elicitation/create";
    if (!may_be || !task || !task->is_object()) return inner_.answer(method, params, ctx);
    return as_answer(begin(method, params, ctx));
  }
  if (auto const core = ctx.core_.lock()) forget_old(core->bounds({}).now);
  if (method == "tasks/list") return as_answer(result<json::fragment>(list()));
  auto const id = params.view().find("taskId");
  auto const found = tasks_.find(id ? id->get_string().value_or("") : "");
  if (found == tasks_.end()) return as_answer(result<json::fragment>(unknown_task()));
  if (method == "tasks/result") return fetch(found->second);
  if (method == "tasks/cancel") return as_answer(cancel(found->second));
  return as_answer(result<json::fragment>(json::fragment::of(found->second->state)));
}

COMCP_LAZY_DECL result<json::fragment> task_desk::begin(std::string const& method, json::value const& params,
                                                        context const& ctx) {
  auto const core = ctx.core_.lock();
  if (!core) return error(errc::closed);
  auto const now = core->bounds({}).now;
  forget_old(now);
  if (tasks_.size() >= bounds_.most()) return error::from_peer({-32603, "Too many tasks at once", {}});
  auto const task = params["task"];
  auto const asked = task.view().find("ttl");
  auto const wanted = asked ? asked->get_int64() : std::nullopt;
  using std::chrono::milliseconds, std::chrono::duration_cast;
  auto const longest = duration_cast<milliseconds>(bounds_.longest());
  auto const usual = std::min(duration_cast<milliseconds>(bounds_.usual()), longest);
  auto const ttl = wanted && *wanted >= 0 ? std::min(*wanted, longest.count()) : usual.count();
  auto const e = std::make_shared<served_task>(core->home(), method, params);
  e->state.task_id = unguessable_id();
  e->state.created_at = e->state.last_updated_at = timestamp_now();
  e->state.ttl = task_ttl(ttl);
  e->state.poll_interval = 500;
  e->end = later(now, milliseconds(ttl));
  tasks_.emplace(e->state.task_id, e);
  auto own = ctx;
  own.cancelled_ = e->cancelled;
  spawn(core->home(), carry_out(inner_, e, own), e->signal.slot(), e);
  if (!std::exchange(watches_, true)) spawn(core->home(), outlive(weak_from_this(), ctx));
  create_task_result created;
  created.task = e->state;
  created.task.status = task_status::working;
  return json::fragment::of(created);
}

COMCP_LAZY_DECL asio::awaitable<void> task_desk::carry_out(any_handler inner, entry e, context ctx) {
  result<json::fragment> answered = error(errc::cancelled);
  try {
    auto answering = inner.answer(e->method, e->params, ctx);
    answered = co_await std::move(answering);
  } catch (...) {
    answered = current_error();
    if (!*e->cancelled) ctx.fault(answered.error());
  }
  if (e->is_over()) co_return;
  if (!answered && !answered.error().peer()) answered = error::from_peer({-32603, "Internal error", {}});
  bool const well = answered.has_value();
  e->outcome = std::move(answered);
  e->finish(*e->cancelled ? task_status::cancelled : well ? task_status::completed : task_status::failed);
  if (auto const core = ctx.core_.lock()) core->notify_now("notifications/tasks/status", json::to_text(e->state));
}

// What goes on for nobody is cancelled when the client ends.
COMCP_LAZY_DECL asio::awaitable<void> task_desk::outlive(std::weak_ptr<task_desk> desk, context ctx) {
  auto const core = ctx.core_.lock();
  if (!core) co_return;
  auto ending = core->life().ended();
  (void)co_await std::move(ending);
  if (auto const alive = desk.lock()) alive->cancel_all();
}

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> task_desk::fetch(entry e) {
  auto waiting = e->done.wait();
  co_await std::move(waiting);
  if (!e->outcome) co_return e->outcome;
  co_return with_related_task(*e->outcome, e->state.task_id);
}

COMCP_LAZY_DECL result<json::fragment> task_desk::cancel(entry const& e) {
  if (e->is_over()) return error::from_peer({-32602, "The task is over", {}});
  stop(*e);
  e->outcome = error::from_peer({-32603, "The task was cancelled", {}});
  e->finish(task_status::cancelled);
  return json::fragment::of(e->state);
}

COMCP_LAZY_DECL json::fragment task_desk::list() const {
  list_tasks_result all;
  for (auto const& [id, e] : tasks_) all.tasks.push_back(e->state);
  return json::fragment::of(all);
}

COMCP_LAZY_DECL void task_desk::forget_old(std::chrono::steady_clock::time_point now) {
  std::erase_if(tasks_, [now](auto const& each) {
    if (each.second->end > now) return false;
    stop(*each.second);
    return true;
  });
}

}  // namespace comcp::detail
