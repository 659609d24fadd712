// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <asio/cancellation_signal.hpp>

#include <comcp/client/operation.hpp>
#include <comcp/client/waiter.hpp>

namespace comcp::detail {

COMCP_DECL json::value outcome_of(prepared_call const& c, reply&& r) {
  if (!r) throw exception(failure_of(c, std::move(r).error()));
  return *std::move(r);
}

COMCP_DECL error failure_of(prepared_call const& c, error why) {
  why = judged(c, std::move(why));
  // Both mean that there is no such resource (2026-07-28, server/resources, error handling).
  auto const* const peer = c.method.is(wire::methods::read_resource) ? why.peer() : nullptr;
  bool const unknown = peer && (peer->code == -32002 || peer->code == -32602);
  return unknown ? why.with_code(make_error_code(errc::not_found)) : why;
}

COMCP_DECL std::string with_answers(std::string_view params, std::string const& responses,
                                    std::optional<std::string> const& state) {
  json::writer w;
  if (!responses.empty()) w.plain_key("inputResponses").raw(responses);
  if (state) w.plain_key("requestState").string(*state);
  std::string out(params.size() > 2 ? params.substr(0, params.size() - 1) : "{");
  if (out.size() > 1 && !w.text().empty()) out += ',';
  return out + w.text() + "}";
}

COMCP_LAZY_DECL asio::awaitable<void> as_failure(asio::awaitable<error> operation) {
  auto why = co_await std::move(operation);
  throw exception(std::move(why));
}

COMCP_LAZY_DECL asio::awaitable<json::value> resume_rounds(std::shared_ptr<client_link> core, prepared_call c,
                                                           json::value required, json::fragment responses) {
  auto const of = required.view().find("comcp/call");
  if (!of) throw exception(error(errc::invalid_argument, "not a value that manual_input() gave"));
  auto const method = of->find("method");
  c.method = method ? method->get_string().value_or("") : "";
  std::optional<std::string> state;
  if (auto const came = required.view().find("requestState")) state = std::string(came->get_string().value_or(""));
  auto const params = of->find("params");
  c.params = with_answers(params ? params->dump() : "{}", responses.text(), state);
  auto v = co_await typed_call<json::value>(core, std::move(c));
  co_return v;
}

// Owned by what runs, and so is who waits for it: when the execution context goes away, all of them do.
struct gathering {
  explicit gathering(asio::any_io_executor on) : executor(std::move(on)) {}
  asio::any_io_executor executor;
  std::atomic<std::size_t> open{0};
  waiter<bool> waiting;
  std::vector<std::unique_ptr<asio::cancellation_signal>> signals;
};

// One that has ended, however: also one that was cancelled before its first step, or destroyed.
struct arrival {
  explicit arrival(std::shared_ptr<gathering> g) : all(std::move(g)) { ++all->open; }
  arrival(arrival const&) = delete;
  arrival& operator=(arrival const&) = delete;
  ~arrival() {
    if (--all->open > 0) return;
    auto const g = std::move(all);
    try {  // posted: this is a thread of the executor, but inside whatever ended
      detail::post(g->executor, [g] { g->waiting.complete(true, g->executor); });
    } catch (std::exception const&) {  // no memory for that
      g->waiting.complete(true, g->executor);
    }
  }
  std::shared_ptr<gathering> all;
};

COMCP_DECL void cancel_gathered(std::weak_ptr<gathering> const& weak) {
  auto const alive = weak.lock();
  if (!alive) return;
  auto emit = [weak] {
    auto const g = weak.lock();
    if (!g) return;
    for (auto const& s : g->signals) s->emit(asio::cancellation_type::terminal);
  };
  detail::post(alive->executor, std::move(emit));
}

struct gather_initiation {
  std::shared_ptr<gathering> all;
  std::vector<asio::awaitable<void>> work;
  // Starts the work when who waits for it is in its place. From then on another thread may resume it, and with it
  // destroy this object.
  template <class Handler>
  void operator()(Handler handler) {
    auto const g = std::move(all);
    auto mine = std::move(work);
    auto const cancel = [weak = std::weak_ptr(g)] { cancel_gathered(weak); };
    g->waiting = handler_waiter<bool, Handler>::create(std::move(handler), cancel);
    auto const all_started = std::make_shared<arrival>(g);
    for (auto& each : mine) {
      auto& signal = *g->signals.emplace_back(std::make_unique<asio::cancellation_signal>());
      spawn(g->executor, std::move(each), signal.slot(), std::make_shared<arrival>(g));
    }
  }
};

COMCP_LAZY_DECL asio::awaitable<void> gather(std::vector<asio::awaitable<void>> work) {
  auto const here = co_await asio::this_coro::executor;
  gather_initiation start{std::make_shared<gathering>(here), std::move(work)};
  auto waiting =
      asio::async_initiate<asio::use_awaitable_t<> const, void(bool)>(std::move(start), asio::use_awaitable);
  (void)co_await std::move(waiting);
}

}  // namespace comcp::detail
