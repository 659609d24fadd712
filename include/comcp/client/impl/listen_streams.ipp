// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/client/listen_streams.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<void> ask_subscription(client_core& core, prepared_call c, performer::function how) {
  auto const performed = std::make_shared<bool>(false);
  performer::function marked = [performed, how = std::move(how)](prepared_call& call) {
    *performed = true;
    return how(call);
  };
  auto const r = co_await core.pipeline.run(c, std::move(marked));
  if (!r) throw exception(judged(c, r.error()));
  if (!*performed) throw exception(error(errc::invalid_argument, "an interceptor cannot answer a subscription"));
}

COMCP_LAZY_DECL void listen_streams::open(pointer const& s) {
  if (s->call.params.empty()) s->call.params = args("notifications", s->asked).text();
  s->call.internal = true;
  s->entry.open_ended = true;
  s->entry.call = &s->call;
  s->entry.on_end = [this, hold = core_.weak_from_this(), weak = std::weak_ptr(s)](reply r) {
    auto const core = hold.lock();
    auto const alive = weak.lock();
    if (core && alive) stream_over(alive, std::move(r));
  };
  constexpr auto forever = std::chrono::nanoseconds::max();
  constexpr auto never = std::chrono::steady_clock::time_point::max();
  open_.push_back(s);
  if (!core_.calls.enlist(s->entry, core_.calls.now(), forever, never, !s->independent)) return stream_over(s, error(errc::queue_full));
  ++core_.calls.counters().tracked;
  if (auto const sent = core_.outbound.transmit(s->entry); !sent) core_.calls.end(s->entry.id, sent.error());
}

inline error unacknowledged() {
  return {errc::protocol_violation, "the server ended subscriptions/listen before it acknowledged it"};
}

COMCP_LAZY_DECL void listen_streams::stream_over(pointer const& s, reply r) {
  std::erase(open_, s);
  s->end(r ? error() : r.error());
  if (s->acknowledgment.id) core_.calls.end(s->acknowledgment.id, r ? reply(unacknowledged()) : std::move(r));
  core_.calls.wake(s->readers, json::value());
  over_(s);
}

COMCP_LAZY_DECL asio::awaitable<error> listen_streams::acknowledged(pointer s, call_options options) {
  if (s->is_acknowledged) co_return error();
  if (auto const why = s->ended()) co_return *why ? *why : unacknowledged();
  auto const timeout = core_.calls.timeout(options);
  if (!core_.calls.enlist(s->acknowledgment, std::min(timeout, core_.calls.hard_limit(options)))) co_return error(errc::queue_full);
  core_.calls.end_with(options.stop(), s->acknowledgment);
  auto const waited = co_await core_.calls.wait(s->acknowledgment);
  if (waited) co_return error();
  if (waited.error() == errc::timeout) co_return error(errc::timeout, "subscriptions/listen was not acknowledged");
  co_return waited.error();
}

COMCP_LAZY_DECL void listen_streams::close(listen_stream& s) {
  s.end(error());
  if (s.entry.id) core_.calls.cancel(s.entry.id);
}

COMCP_LAZY_DECL asio::awaitable<listen_streams::pointer> listen_streams::listen(subscription_filter filter,
                                                                                call_options options) {
  auto const hold = core_.shared_from_this();
  auto const s = std::make_shared<listen_stream>(std::move(filter));
  s->independent = true;
  prepared_call c(wire::methods::listen, args("notifications", s->asked).text(), std::move(options));
  performer::function how = [this, s](prepared_call& call) { return open_for(s, call); };
  try {
    co_await ask_subscription(core_, std::move(c), std::move(how));
  } catch (...) {
    close(*s);
    throw;
  }
  co_return s;
}

COMCP_LAZY_DECL asio::awaitable<reply> listen_streams::open_for(pointer s, prepared_call& c) {
  auto bad = co_await core_.recovery.settled(c);
  if (!bad) bad = core_.exchange.check(c);
  if (bad) co_return bad;
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled);
  s->call.params = c.params;
  s->call.options = c.options;
  s->call.options.extend_on_progress(false);
  open(s);
  auto failure = co_await acknowledged(s, c.options);
  if (is_other_version(failure) && core_.exchange.follow_version(failure)) {
    s->begin_again();
    open(s);
    failure = co_await acknowledged(s, c.options);
  }
  if (!failure) co_return json::value();
  close(*s);
  co_return failure;
}

COMCP_LAZY_DECL asio::awaitable<std::optional<any_notification>> listen_streams::next(pointer s) {
  auto const hold = core_.shared_from_this();
  while (s->queue.empty()) {
    if (s->ended()) co_return std::nullopt;
    pending_entry e(pending_entry::span::last);
    if (!core_.calls.enlist(e, std::chrono::nanoseconds::max())) throw exception(error(errc::queue_full));
    core_.calls.table().line_up(s->readers, e.id);
    auto const woken = co_await core_.calls.wait(e);
    if (!woken) throw exception(woken.error());
  }
  auto first = std::move(s->queue.front());
  s->queue.pop_front();
  co_return first;
}

COMCP_LAZY_DECL listen_streams::pointer listen_streams::by_id(std::uint64_t id) const {
  for (auto const& s : open_) {
    if (s->entry.id == id && id != 0) return s;
  }
  return {};
}

COMCP_LAZY_DECL listen_streams::route listen_streams::routed(std::string const& method, json::value const& params) {
  auto const meta = params.view().find("_meta");
  auto const id = meta ? subscription_id_of(*meta) : std::nullopt;
  if (!id) return method == "notifications/subscriptions/acknowledged" ? route::taken : route::untagged;
  auto const s = id->integer() ? by_id(static_cast<std::uint64_t>(*id->integer())) : nullptr;
  if (!s) {
    ++core_.calls.counters().dropped;
    return route::taken;
  }
  if (method == "notifications/subscriptions/acknowledged") {
    auto ack = json::read<subscriptions_acknowledged>(params.view());
    if (ack) s->acknowledged = std::move(ack->notifications);
    s->is_acknowledged = true;
    s->acknowledged_at = core_.calls.now();
    if (s->acknowledgment.id) core_.calls.end(s->acknowledgment.id, json::value());
    return route::taken;
  }
  if (!s->independent) return route::shared;
  if (s->queue.size() >= core_.settings.limits.subscription_queue()) {
    ++s->dropped;
    ++core_.calls.counters().dropped;
  } else {
    s->queue.emplace_back(method, params);
  }
  core_.calls.wake(s->readers, json::value());
  return route::taken;
}

COMCP_LAZY_DECL void listen_streams::cancelled_by_server(json::view request) {
  auto const id = request.get_uint64();
  auto const s = id ? by_id(*id) : nullptr;
  if (s) core_.calls.end(s->entry.id, error(errc::closed, "the server ended the subscription"));
}

COMCP_LAZY_DECL void listen_streams::end_all(error const& reason) {
  auto const all = open_;
  for (auto const& s : all) {
    s->end(reason);
    core_.calls.end(s->entry.id, reason);  // by way of stream_over()
  }
}

COMCP_LAZY_DECL void listen_streams::shut_down() noexcept {
  for (auto const& s : std::exchange(open_, {})) {
    s->end(error(errc::closed));
  }
}

}  // namespace comcp::detail
