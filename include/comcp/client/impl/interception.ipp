// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A call's way through the interceptors: in a coroutine of its own, so that a hook that hangs holds nobody longer than
// the call's hard timeout, its stop token, its caller's patience or close() allow.
#pragma once

#include <asio/this_coro.hpp>

#include <comcp/client/core.hpp>
#include <comcp/client/pipeline.hpp>
#include <comcp/client/prepared.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp {
namespace detail {

/// The call and its walk; who waits for it may be gone before that ends.
template <class Core>
struct interception final : pending_entry, task, std::enable_shared_from_this<interception<Core>> {
  interception(std::shared_ptr<Core> c, prepared_call of, performer p)
      : pending_entry(span::client), core(std::move(c)), call(std::move(of)), perform(std::move(p)) {
    told = &means;
    call.counted = true;
    out.method = call.method.text();
    std::string text;
    text.reserve(call.params.size() + padded_text::spare);  // as pad() would ask of it
    text = call.params;
    out.name = wire::name_in(call.method, pad(text)).value_or("");
    out.params = json::fragment::trusted(std::move(text));
    out.options = call.options;
  }
  // An interceptor that changes the params changes the name: the next ones see what goes out.
  void rename() {
    auto const callers = call.options.stop();
    call.options = out.options;
    if (callers.stop_possible() || call.options.stop().stop_possible()) call.options.stop(callers);
    if (out.params.text() == call.params) return;
    call.params = out.params.text();
    if (auto bad = check_params(out.params)) call.unusable = std::move(bad);
    out.name = wire::name_in(call.method, pad(call.params)).value_or("");
  }
  void run() override { spawn(core->home(), walk(this->shared_from_this()), signal.slot(), this->shared_from_this()); }
  interception(interception const&) = delete;
  interception& operator=(interception const&) = delete;
  // A hook that let go of its coroutine has ended the walk.
  ~interception() {
    if (waiting) complete_later(std::move(waiting), core->home(), error(errc::cancelled, "an interceptor was abandoned"));
  }
  // The request that was sent is taken back here: its wait has no slot of its own, which would be one allocation more.
  void give_up() {
    signal.emit(asio::cancellation_type::terminal);
    if (sent) core->calls.cancel(sent->id);
  }
  static asio::awaitable<void> walk(std::shared_ptr<interception> i);
  static reply means(pending_entry& e, reply&& r);

  std::shared_ptr<Core> const core;
  prepared_call call;
  performer perform;
  outgoing_call out;
  reply outcome = error(errc::cancelled);
  std::size_t reached = 0;  // interceptors
  bool performed = false;
  pending_entry* sent = nullptr;  // in the walk's frame
  asio::cancellation_signal signal;
};

class interception_step {
 public:
  explicit interception_step(client_core& core) noexcept : core_(core) {}

  [[nodiscard]] bool concerns(std::string_view) const noexcept { return true; }
  COMCP_LAZY asio::awaitable<reply> perform(prepared_call& c, performer next);

 private:
  client_core& core_;
};

COMCP_LAZY_DECL asio::awaitable<reply> interception_step::perform(prepared_call& c, performer next) {
  if (c.internal) return next(c);
  auto& calls = core_.calls;
  if (core_.end_reason()) return ended(core_.end_reason()->with_outcome(call_outcome::not_sent));
  if (core_.is_closing()) return ended(error(errc::closed, "the client is closing").with_outcome(call_outcome::not_sent));
  if (c.options.stop().stop_requested()) return ended(error(errc::cancelled).with_outcome(call_outcome::not_sent));
  auto const now = calls.now();
  auto const limit = calls.hard_limit(c.options);
  asio::recycling_allocator<interception<client_core>> const memory;
  auto const i =
      std::allocate_shared<interception<client_core>>(memory, core_.shared_from_this(), std::move(c), std::move(next));
  if (!calls.enlist(*i, now, limit, later(now, limit), false))
    return ended(error(errc::queue_full, "more calls in flight than limits().pending_calls()"));
  calls.end_with(i->call.options.stop(), *i);
  auto waiting = calls.wait(*i, std::exchange(i->call.room, nullptr));
  post(core_.home(), i);  // so that nothing ends before the wait has begun
  return waiting;
}

template <class Core>
reply interception<Core>::means(pending_entry& e, reply&& r) {
  auto& i = static_cast<interception&>(e);
  if (!r) {  // it ends before its walk
    auto give_up = [self = i.shared_from_this()] { self->give_up(); };
    post(i.core->home(), std::move(give_up));
  }
  if (r && i.outcome) return i.outcome;
  if (r || (i.performed && !i.outcome)) return judged(i.call, i.outcome.error());
  auto const why = r.error() == errc::timeout ? error(errc::timeout, i.call.method.text()) : r.error();
  bool const begun = i.call.started != std::chrono::steady_clock::time_point();
  return why.with_outcome(begun ? call_outcome::open : call_outcome::not_sent);
}

template <class Core>
asio::awaitable<void> interception<Core>::walk(std::shared_ptr<interception> i) {
  auto const& hooks = i->core->settings.interceptors;
  try {
    bool goes_on = true;
    while (goes_on && i->reached < hooks.size()) {
      auto const& each = hooks[i->reached++];
      if (!each.before) continue;
      auto asked = each.before(i->out);
      auto answer = co_await std::move(asked);
      if (answer) i->outcome = std::move(*answer);
      i->rename();
      goes_on = !answer && i->id;  // an approval that comes too late sends nothing
    }
    if (goes_on) {
      pending_entry sent;
      sent.by_id = true;
      bool plain = false;
      i->sent = &sent;
      auto work = i->perform.begin(i->call, sent, plain);
      auto r = co_await std::move(work);
      if (plain && i->core->exchange.needs_settling(i->call, r)) {
        auto rest = i->core->exchange.settle(i->call, std::move(r));
        r = co_await std::move(rest);
      }
      i->performed = true;
      i->outcome = std::move(r);
    }
  } catch (...) {
    i->outcome = current_error();
  }
  i->sent = nullptr;
  // The way back: whoever was asked is told, also of what was denied, cancelled or late.
  while (i->reached > 0) {
    auto const& each = hooks[--i->reached];
    if (!each.after) continue;
    co_await asio::this_coro::reset_cancellation_state();  // it would end the way back before its first step
    try {
      auto told = each.after(i->out, i->outcome);
      co_await std::move(told);
    } catch (...) {
      i->outcome = current_error();
    }
  }
  i->core->calls.end(i->id, json::value());
}

}  // namespace detail

COMCP_LAZY_DECL connect_options& connect_options::intercept(interceptor i) {
  settings_.interceptors.push_back(std::move(i));
  settings_.steps[detail::connect_settings::interception] = [](client_core& core) {
    return std::make_unique<detail::step_of<detail::interception_step>>(core);
  };
  return *this;
}

}  // namespace comcp
