// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What an extension does once a server's first answer is there: it completes the call, or has what was begun given up.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <asio/cancellation_signal.hpp>

#include <comcp/client/core.hpp>
#include <comcp/client/extension.hpp>
#include <comcp/client/extensions.hpp>
#include <comcp/json/padded_text.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

// What completes a call runs beside it, so that the call ends in time whatever that awaits.
template <class Core>
struct completion {
  completion(Core& c, prepared_call const& of, json::value result, std::chrono::steady_clock::time_point end)
      : core(c.shared_from_this()), call(c.facade(), of, std::move(result), end) {}

  // Progress under its first request's token is still the call's.
  class hearing {
   public:
    hearing(std::shared_ptr<completion> const& self, request_id id) : exchange_(self->core->exchange), id_(id) {
      auto told = [k = self.get()](progress_notification const& p) { k->call.progress(p); };
      if (id_) exchange_.hears_on(id_, std::move(told));
    }
    hearing(hearing const&) = delete;
    hearing& operator=(hearing const&) = delete;
    ~hearing() {
      if (id_) exchange_.hears_on(id_, {});
    }

   private:
    exchange& exchange_;
    request_id id_;
  };

  static asio::awaitable<void> carry_out(std::shared_ptr<completion> self, extension_part& part) {
    try {
      auto completing = part.complete(self->call);
      auto value = co_await std::move(completing);
      self->outcome = std::move(value);
    } catch (...) {
      self->outcome = current_error();
    }
    self->core->calls.end(self->done.id, json::value());
  }

  // Nobody waits any more. Whatever it needs of the call is in it; its bounds are new ones.
  static asio::awaitable<void> give_up(std::shared_ptr<completion> self, extension_part& part) {
    try {
      auto telling = part.abandon(self->call);
      co_await std::move(telling);
    } catch (...) {  // it is only a courtesy
    }
  }

  std::shared_ptr<Core> const core;  // which owns the part
  unfinished_call call;
  pending_entry done{pending_entry::span::client};
  reply outcome = error(errc::cancelled);
  asio::cancellation_signal signal;
};

COMCP_LAZY_DECL asio::awaitable<reply> extensions::complete(extension_part& part, prepared_call const& c,
                                                            json::value result) const {
  auto& calls = core_.calls;
  auto const end = later(c.earlier ? calls.now() : c.started, calls.hard_limit(c.options));
  auto const k = std::make_shared<completion<client_core>>(core_, c, std::move(result), end);
  typename completion<client_core>::hearing const hears(k, c.told_id && !c.earlier ? *c.told_id : 0);
  reply outcome = error(errc::queue_full, "too many calls in flight");
  if (calls.enlist(k->done, std::max<std::chrono::nanoseconds>(end - calls.now(), std::chrono::nanoseconds(1)))) {
    calls.end_with(c.options.stop(), k->done);
    k->call.waits_as(k->done);
    auto work = std::make_shared<asio::awaitable<void>>(completion<client_core>::carry_out(k, part));
    auto start = [k, work] {
      if (k->done.id) detail::spawn(k->core->home(), std::move(*work), k->signal.slot(), k);
    };
    detail::post(core_.home(), std::move(start));  // so that it does not end before it is waited for
    auto const waited = co_await calls.wait(k->done);
    outcome = waited ? std::move(k->outcome) : reply(waited.error());
    if (!waited) {
      if (waited.error() == errc::timeout) outcome = waited.error().with_message(c.method.text());
      auto stop = [k] { k->signal.emit(asio::cancellation_type::terminal); };
      detail::post(core_.home(), std::move(stop));
    }
  }
  if (c.earlier) c.earlier->settled = k->call.is_settled();
  if (!outcome && !c.earlier && !k->call.is_settled() && !core_.is_closing() && !core_.end_reason()) {
    abandon(part, c.method, c.params, k->call.result());
  }
  if (outcome) co_return outcome;
  // The server has begun, whatever is known of the requests since.
  co_return reply(outcome.error().with_outcome(call_outcome::open));
}

constexpr std::chrono::seconds after_life(10);

COMCP_LAZY_DECL void extensions::abandon(extension_part& part, wire::method m, std::string params, json::value result) const {
  prepared_call const bare(std::move(m), std::move(params), call_options());
  auto const late = later(core_.calls.now(), after_life);
  auto const rest = std::make_shared<completion<client_core>>(core_, bare, std::move(result), late);
  core_.spawn(completion<client_core>::give_up(rest, part));
}

COMCP_LAZY_DECL void extensions::left(request_id id, extension_part* part, prepared_call const& c) noexcept {
  if (!core_.home() || core_.is_closing() || core_.end_reason()) return;
  auto& channel = core_.connection.channel();
  constexpr std::size_t most = 1024, most_params = 65'536;
  try {
    if (left_.size() < most) {
      auto params = c.params.size() <= most_params ? c.params : std::string();
      auto const [here, fresh] = left_.try_emplace(id, left_call{part, c.method, std::move(params), {}});
      if (fresh) core_.spawn(forget(core_.shared_from_this(), *this, id, here->second.heard_of.get_token()));
      return;
    }
  } catch (...) {  // no memory
    left_.erase(id);
  }
  if (channel.is_open()) (void)channel.abandon(id);  // what the server began ends by itself
}

COMCP_LAZY_DECL asio::awaitable<void> extensions::forget(std::shared_ptr<void>, extensions& self, request_id id,
                                                         std::stop_token heard_of) {
  auto waiting = self.core_.sleep(after_life, std::move(heard_of));
  (void)co_await std::move(waiting);
  auto& channel = self.core_.connection.channel();
  if (self.left_.erase(id) && channel.is_open()) (void)channel.abandon(id);
}

COMCP_LAZY_DECL void extensions::answered_late(request_id id, std::string_view result) {
  auto of = left_.extract(id);
  if (!of) return;
  auto& call = of.mapped();
  call.heard_of.request_stop();
  try {
    auto value = json::parse(padded_text(result.data(), result.size()), core_.settings.limits.json());
    if (!value) return;
    auto* const part = call.part ? call.part : claimant(call.method.name(), value->view());
    if (part) abandon(*part, std::move(call.method), std::move(call.params), *std::move(value));
  } catch (...) {
    core_.fault(current_error());
  }
}

}  // namespace comcp::detail
