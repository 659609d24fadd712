// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A call's way through the interceptors: in a coroutine of its own, so that a hook that hangs holds nobody longer than
// the call's hard timeout, its stop token, its caller's patience or close() allow.
#pragma once

#include <asio/this_coro.hpp>

#include <comcp/client/core.hpp>
#include <comcp/client/pipeline.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp {
namespace detail {

/// Shared by who waits for the call and the coroutine that walks it through its interceptors.
struct interception {
  interception(prepared_call c, performer p) : call(std::move(c)), perform(std::move(p)) {
    call.counted = true;
    out.method = call.method.text();
    out.name = wire::name_in(call.method, call.params).value_or("");
    out.params = json::fragment::trusted(call.params);
  }
  // An interceptor that changes the params changes the name: the next ones see what goes out.
  void rename() {
    if (out.params.text() == call.params) return;
    call.params = out.params.text();
    out.name = wire::name_in(call.method, call.params).value_or("");
  }
  pending_entry done{pending_entry::span::client};
  prepared_call call;
  performer perform;
  outgoing_call out;
  reply outcome = error(errc::cancelled);
  std::size_t reached = 0;  // interceptors
  bool performed = false;
  asio::cancellation_signal signal;
};

class interception_step final : public call_step {
 public:
  explicit interception_step(client_core& core) noexcept : core_(core), hooks_(core.settings.interceptors) {}

  [[nodiscard]] bool concerns(std::string_view) const noexcept override { return true; }
  COMCP_DECL asio::awaitable<reply> perform(prepared_call& c, performer next) override;

 private:
  asio::awaitable<void> walk(std::shared_ptr<interception> i);
  asio::awaitable<void> ask(std::shared_ptr<interception> i);
  asio::awaitable<void> tell(std::shared_ptr<interception> i);

  client_core& core_;
  std::vector<interceptor> const& hooks_;
};

COMCP_DECL asio::awaitable<reply> interception_step::perform(prepared_call& c, performer next) {
  if (c.internal) {
    auto work = next(c);
    auto r = co_await std::move(work);
    co_return r;
  }
  auto& calls = core_.calls;
  if (core_.end_reason()) co_return core_.end_reason()->with_outcome(call_outcome::not_sent);
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled).with_outcome(call_outcome::not_sent);
  auto const now = calls.now();
  auto const limit = calls.hard_limit(c.options);
  auto const i = std::make_shared<interception>(std::move(c), std::move(next));
  if (!calls.enlist(i->done, now, limit, later(now, limit), false))
    co_return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
  calls.end_with(i->call.options.stop(), i->done);
  // Posted, so that nothing ends before the wait below has begun.
  auto start = [home = core_.home(), i, work = std::make_shared<asio::awaitable<void>>(walk(i))] {
    detail::spawn(home, std::move(*work), i->signal.slot(), i);
  };
  detail::post(core_.home(), std::move(start));
  auto const waited = co_await calls.wait(i->done);
  if (waited && !i->outcome) co_return judged(i->call, i->outcome.error());
  if (waited) co_return i->outcome;
  auto give_up = [i] { i->signal.emit(asio::cancellation_type::terminal); };
  detail::post(core_.home(), std::move(give_up));
  if (i->performed && !i->outcome) co_return judged(i->call, i->outcome.error());
  auto const why = waited.error() == errc::timeout ? error(errc::timeout, i->call.method.text()) : waited.error();
  bool const begun = i->call.started != std::chrono::steady_clock::time_point();
  co_return why.with_outcome(begun ? call_outcome::open : call_outcome::not_sent);
}

COMCP_DECL asio::awaitable<void> interception_step::walk(std::shared_ptr<interception> i) {
  auto const hold = core_.shared_from_this();
  co_await ask(i);
  co_await asio::this_coro::reset_cancellation_state();  // it would end the way back before its first step
  co_await tell(i);
  core_.calls.end(i->done.id, json::value());
}

COMCP_DECL asio::awaitable<void> interception_step::ask(std::shared_ptr<interception> i) {
  try {
    for (auto const& each : hooks_) {
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
    i->outcome = current_error();
  }
}

// The way back: whoever was asked is told, also of what was denied, cancelled or late.
COMCP_DECL asio::awaitable<void> interception_step::tell(std::shared_ptr<interception> i) {
  while (i->reached > 0) {
    auto const& each = hooks_[--i->reached];
    if (!each.after) continue;
    try {
      auto told = each.after(i->out, i->outcome);
      co_await std::move(told);
    } catch (...) {
      i->outcome = current_error();
    }
    co_await asio::this_coro::reset_cancellation_state();
  }
}

}  // namespace detail

COMCP_DECL connect_options& connect_options::intercept(interceptor i) {
  settings_.interceptors.push_back(std::move(i));
  settings_.steps[detail::connect_settings::interception] = [](client_core& core) {
    return std::make_unique<detail::interception_step>(core);
  };
  return *this;
}

}  // namespace comcp
