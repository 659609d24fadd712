// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A call's way through the interceptors: in a coroutine of its own, so that a hook that hangs holds nobody longer than
// the call's hard timeout, its stop token, its caller's patience or close() allow.
#pragma once

#include <asio/this_coro.hpp>

#include <comcp/client/core.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp {

/// Shared by who waits for the call and the coroutine that walks it through its interceptors.
struct client_core::interception {
  interception(detail::prepared_call c, detail::performer p) : call(std::move(c)), perform(std::move(p)) {
    call.counted = true;
    out.method = call.method;
    out.name = wire::name_in(call.method, call.params).value_or("");
    out.params = json::fragment::trusted(call.params);
  }
  // An interceptor that changes the params changes the name: the next ones see what goes out.
  void rename() {
    if (out.params.text() == call.params) return;
    call.params = out.params.text();
    out.name = wire::name_in(call.method, call.params).value_or("");
  }
  detail::pending_entry done{detail::pending_entry::span::client};
  detail::prepared_call call;
  detail::performer perform;
  outgoing_call out;
  detail::reply outcome = error(errc::cancelled);
  std::size_t reached = 0;  // interceptors
  bool performed = false;
  asio::cancellation_signal signal;
};

COMCP_DECL asio::awaitable<detail::reply> client_core::intercept(detail::prepared_call c, detail::performer perform) {
  if (settings_.interceptors.empty() || c.internal) {
    auto work = perform(c);
    auto r = co_await std::move(work);
    if (!r) r = judged(c, r.error());
    co_return r;
  }
  if (end_reason_) co_return end_reason_->with_outcome(call_outcome::not_sent);
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled).with_outcome(call_outcome::not_sent);
  auto const now = calls_.now();
  auto const limit = calls_.hard_limit(c.options);
  auto const i = std::make_shared<interception>(std::move(c), std::move(perform));
  if (!calls_.enlist(i->done, now, limit, detail::later(now, limit), false))
    co_return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
  calls_.end_with(i->call.options.stop(), i->done);
  // Posted, so that nothing ends before the wait below has begun.
  auto start = [this, hold = shared_from_this(), i, work = std::make_shared<asio::awaitable<void>>(walk(i))] {
    detail::spawn(home_, std::move(*work), i->signal.slot(), i);
  };
  detail::post(home_, std::move(start));
  auto const waited = co_await calls_.wait(i->done);
  if (waited && !i->outcome) co_return judged(i->call, i->outcome.error());
  if (waited) co_return i->outcome;
  auto give_up = [i] { i->signal.emit(asio::cancellation_type::terminal); };
  detail::post(home_, std::move(give_up));
  if (i->performed && !i->outcome) co_return judged(i->call, i->outcome.error());
  auto const why = waited.error() == errc::timeout ? error(errc::timeout, i->call.method) : waited.error();
  bool const begun = i->call.started != std::chrono::steady_clock::time_point();
  co_return why.with_outcome(begun ? call_outcome::open : call_outcome::not_sent);
}

COMCP_DECL asio::awaitable<void> client_core::walk(std::shared_ptr<interception> i) {
  auto const hold = shared_from_this();
  co_await ask_interceptors(i);
  co_await asio::this_coro::reset_cancellation_state();  // it would end the way back before its first step
  co_await tell_interceptors(i);
  calls_.end(i->done.id, json::value());
}

COMCP_DECL asio::awaitable<void> client_core::ask_interceptors(std::shared_ptr<interception> i) {
  try {
    for (auto const& each : settings_.interceptors) {
      ++i->reached;
      if (!each.before) continue;
      auto asked = each.before(i->out);
      auto answer = co_await std::move(asked);
      if (answer) i->outcome = std::move(*answer);
      i->rename();
      if (answer || !i->done.id) co_return;  // an approval that comes too late sends nothing
    }
    auto work = i->perform(i->call);
    auto r = co_await std::move(work);
    i->performed = true;
    i->outcome = std::move(r);
  } catch (...) {
    i->outcome = detail::current_error();
  }
}

// The way back: whoever was asked is told, also of what was denied, cancelled or late.
COMCP_DECL asio::awaitable<void> client_core::tell_interceptors(std::shared_ptr<interception> i) {
  while (i->reached > 0) {
    auto const& each = settings_.interceptors[--i->reached];
    if (!each.after) continue;
    try {
      auto told = each.after(i->out, i->outcome);
      co_await std::move(told);
    } catch (...) {
      i->outcome = detail::current_error();
    }
    co_await asio::this_coro::reset_cancellation_state();
  }
}

}  // namespace comcp
