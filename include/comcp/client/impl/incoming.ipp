// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is received goes through the hooks in what stands for the user's handler, so that dispatcher and rounds know
// nothing of them, and in the first of the sinks of notifications.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <asio/this_coro.hpp>

#include <comcp/client/core.hpp>
#include <comcp/client/incoming.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp {
namespace detail {

COMCP_LAZY_DECL asio::awaitable<hook_answer> goes_on() { co_return hook_answer(); }
COMCP_LAZY_DECL asio::awaitable<void> no_more() { co_return; }

template <class Core>
class incoming_guard final : public raw_handler, public incoming_filter {
 public:
  incoming_guard(any_handler inner, Core& core) noexcept : inner_(std::move(inner)), core_(core) {}

  void declare(client_capabilities& c) const override { inner_.declare(c); }
  [[nodiscard]] bool answers(std::string_view m) const override { return inner_.answers(m); }
  [[nodiscard]] bool elicits(elicit_mode mode) const override { return inner_.elicits(mode); }
  [[nodiscard]] bool receives(std::string_view m) const override { return inner_.receives(m); }
  [[nodiscard]] handler_parts parts() const override {
    auto all = inner_.parts();
    all.filter = const_cast<incoming_guard*>(this);
    return all;
  }
  asio::awaitable<result<json::fragment>> answer(std::string const&, json::value const& p, context& c) override {
    return walk(*core_.settings.incoming, inner_, incoming_request(p, c), c);
  }
  asio::awaitable<void> notify(std::string const& m, json::value const& p, context& c) override {
    return inner_ ? inner_.notify(m, p, c) : nothing();
  }
  bool notified(std::string const& method, json::value& params) override {
    incoming_notification n(method, std::move(params));
    n.at = core_.calls.now();
    n.client = number_;
    if (method == "notifications/progress") n.call = core_.exchange.call_of(n.params.view());
    for (auto const& hook : *core_.settings.incoming) {
      if (hook.notified && !passes(hook, n)) return ++core_.calls.counters().dropped, true;
    }
    params = std::move(n.params);
    return false;
  }

 private:
  using hooks = std::vector<incoming_hook>;

  [[nodiscard]] bool passes(incoming_hook const& hook, incoming_notification& n) const {
    try {
      return hook.notified(n);
    } catch (...) {
      core_.fault(error(errc::invalid_argument, "a hook for notifications threw"));
      return false;
    }
  }
  static asio::awaitable<result<json::fragment>> walk(hooks const& all, any_handler inner, incoming_request r, context& c);

  static std::uint64_t next_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  any_handler const inner_;
  Core& core_;
  std::uint64_t const number_ = next_number();
};

template <class Core>
asio::awaitable<result<json::fragment>> incoming_guard<Core>::walk(hooks const& all, any_handler inner,
                                                                   incoming_request r, context& c) {
  std::size_t reached = 0;
  result<json::fragment> outcome = method_not_found(r.method);
  try {
    bool goes_on = true;
    while (goes_on && reached < all.size()) {
      auto const& hook = all[reached++];
      if (!hook.before) continue;
      auto asked = hook.before(r);
      auto answer = co_await std::move(asked);
      if (answer) outcome = std::move(*answer);
      goes_on = !answer;
    }
    if (goes_on && inner.answers(r.method)) {
      auto answering = inner.answer(r.method, r.params, c);
      outcome = co_await std::move(answering);
    }
  } catch (...) {
    outcome = handler_failure(c);
  }
  while (reached > 0) {
    auto const& hook = all[--reached];
    if (!hook.after) continue;
    co_await asio::this_coro::reset_cancellation_state();  // a withdrawn request would end the way back
    try {
      auto told = hook.after(r, outcome);
      co_await std::move(told);
    } catch (...) {
      outcome = handler_failure(c);
    }
  }
  co_return outcome;
}

COMCP_LAZY_DECL void add_hook(connect_settings& settings, incoming_hook h, bool first) {
  std::vector<incoming_hook> all;
  if (settings.incoming) all = *settings.incoming;
  all.insert(first ? all.begin() : all.end(), std::move(h));
  settings.incoming = std::make_shared<std::vector<incoming_hook> const>(std::move(all));
  settings.guard = [](any_handler inner, client_core& core) {
    return any_handler(
        std::shared_ptr<raw_handler>(std::make_shared<incoming_guard<client_core>>(std::move(inner), core)));
  };
}

}  // namespace detail

COMCP_LAZY_DECL connect_options& connect_options::intercept(incoming_hook h) {
  detail::add_hook(settings_, std::move(h), false);
  return *this;
}

}  // namespace comcp
