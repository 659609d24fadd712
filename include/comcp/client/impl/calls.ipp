// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/client/calls.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

// Cancels a call from its cancellation slot or a stop token: by way of home, and only while its table lives.
struct calls::cancel_hook {
  std::weak_ptr<calls> table;
  request_id id;
  void operator()(asio::cancellation_type how = asio::cancellation_type::terminal) const {
    auto alive = table.lock();
    if (!alive) return;
    auto const home = alive->home_;
    // Moved: the last reference may end on home only, not on the thread that asked to stop.
    auto post = [alive = std::move(alive), id = id, how] { alive->cancel(id, how); };
    detail::post(home, std::move(post));
  }
};

struct calls::cancel_request {
  calls* table;
  request_id id;
  bool by_slot = true;
  [[nodiscard]] bool is_wanted() const noexcept { return by_slot; }
  [[nodiscard]] cancel_hook hook() const {
    return {std::shared_ptr<calls>(table->owner_.itself(), table), id};
  }
};

COMCP_LAZY_DECL calls::calls(owner& o, asio::any_io_executor const& home, connect_settings const& settings,
                             std::shared_ptr<time_source> time)
    : owner_(o),
      home_(home),
      settings_(settings),
      time_(std::move(time)),
      deadline_(time_->make_deadline(home_)),
      table_(settings_.limits.pending_calls()) {}

COMCP_LAZY_DECL request_id calls::enlist(pending_entry& e, std::chrono::nanoseconds timeout) {
  auto const now = time_->now();
  return enlist(e, now, timeout, later(now, timeout), true);
}

COMCP_LAZY_DECL request_id calls::enlist(pending_entry& e, time_point now, std::chrono::nanoseconds timeout,
                                         time_point hard, bool extra) {
  e.table = this;
  e.id = table_.add(&e, now, std::chrono::duration_cast<time_point::duration>(timeout), hard, extra);
  if (!e.id) return 0;
  counters_.began(e, now);
  arm();
  return e.id;
}

COMCP_LAZY_DECL result<void> calls::enlist(pending_entry& e, prepared_call const& c) {
  e.call = &c;
  auto const now = time_->now();
  if (c.started == time_point()) c.started = now;
  auto const hard = later(c.started, hard_limit(c.options));
  if (!enlist(e, now, timeout(c.options), hard, c.internal || c.counted))
    return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
  ++counters_.tracked;
  return {};
}

COMCP_LAZY_DECL std::chrono::nanoseconds calls::timeout(call_options const& o) const {
  return o.timeout().value_or(settings_.timeout);
}

COMCP_LAZY_DECL std::chrono::nanoseconds calls::hard_limit(call_options const& o) const {
  return o.hard_timeout().value_or(std::max(settings_.hard_timeout, timeout(o)));
}

COMCP_LAZY_DECL asio::awaitable<reply> calls::wait(pending_entry& e, waiter_room* room) {
  if (e.call) end_with(e.call->options.stop(), e);
  return suspend<reply>(e.waiting, cancel_request{this, e.id, !e.by_id}, e.told ? room : &e.room);
}

COMCP_LAZY_DECL void calls::end_with(std::stop_token const& stop, pending_entry& e) {
  if (!stop.stop_possible()) return;
  std::function<void()> end_waiting = cancel_request{this, e.id}.hook();
  e.stop = std::make_unique<std::stop_callback<std::function<void()>>>(stop, std::move(end_waiting));
}

COMCP_LAZY_DECL asio::awaitable<error> calls::wait_in(std::vector<request_id>& line, prepared_call const& c) {
  pending_entry e(pending_entry::span::client);
  auto const start = now();
  if (!enlist(e, start, timeout(c.options), later(start, hard_limit(c.options)), c.counted))
    co_return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
  end_with(c.options.stop(), e);
  table_.line_up(line, e.id);
  auto const waited = co_await wait(e);
  if (waited) co_return error();
  if (waited.error() == errc::timeout) co_return error(errc::timeout, c.method.text());
  co_return waited.error();
}

COMCP_LAZY_DECL pending_entry* calls::take(request_id id) noexcept {
  auto const taken = table_.take(id);
  if (!taken) return nullptr;
  (*taken)->id = 0;
  counters_.ended(**taken);
  if (!room_ || !room_->is_awaited()) return *taken;
  try {  // not here: who hears of it may end the client
    auto offer = [this, hold = owner_.itself()] {
      if (hold) room_->offer();
    };
    detail::post(home_, std::move(offer));
  } catch (...) {  // no memory for that: the next that ends offers, too
  }
  return *taken;
}

COMCP_DECL void calls::withdraw(pending_entry& e) noexcept {
  auto const id = std::exchange(e.id, 0);
  if (!id || !take(id)) return;
  if (e.call && !e.handshake) ++counters_.cancelled;
  try {
    owner_.given_up(id, e, {});
  } catch (...) {  // no memory for the message
  }
}

// What is known of a call when one of its attempts failed: said here, for whoever asks later.
COMCP_LAZY error judged(pending_entry const& e, error why) {
  auto const says = why.outcome() == call_outcome::unstated ? call_outcome::open : why.outcome();
  auto& known = e.call->outcome;
  known = std::max(known, e.sent ? says : call_outcome::not_sent);
  bool const nameless = why.peer() && why.message().empty() && why.code().message().starts_with("JSON-RPC error");
  return (nameless ? why.with_message(e.call->method.text()) : why).with_outcome(known);
}

// The one door through which every call ends.
COMCP_LAZY_DECL void calls::end(request_id id, reply&& r) {
  if (!r.has_value()) {  // first: where that throws, whoever waits can still be found
    auto const* const found = table_.find(id);
    if (found && (*found)->call && !(*found)->handshake) r = judged(**found, std::move(r).error());
  }
  auto* const taken = take(id);
  if (!taken) return;
  auto& e = *taken;
  e.stop.reset();
  if (e.call && !e.handshake) {  // as `tracked` counts
    if (r.has_value()) e.call->outcome = std::max(e.call->outcome, call_outcome::known);
    if (r.has_value()) ++counters_.completed;
    else if (r.error() == errc::timeout) ++counters_.timed_out;
    else if (r.error() == errc::cancelled) ++counters_.cancelled;
    else ++counters_.failed;
  }
  if (e.on_end) {
    auto const on_end = std::move(e.on_end);
    on_end(std::move(r));
  } else if (e.waiting) {
    if (e.told) r = e.told(e, std::move(r));
    auto waiting = std::move(e.waiting);  // the frame that `e` is in may go away
    waiting.complete(std::move(r), home_);
  }
}

COMCP_LAZY_DECL void calls::cancel(request_id id, asio::cancellation_type how) {
  auto const* found = table_.find(id);
  if (!found) return;
  auto const& e = **found;
  if (is_total_alone(how) && (!e.call || e.sent || e.call->outcome != call_outcome::not_sent)) return;
  owner_.given_up(id, e, {});
  end(id, error(errc::cancelled));
}

COMCP_LAZY_DECL void calls::wake(std::vector<request_id>& line, reply const& r) {
  for (auto const id : std::exchange(line, {})) end(id, reply(r));
}

COMCP_LAZY_DECL void calls::fail(error const& reason, pending_entry::span those, spared left) {
  bool const by_us = reason == errc::closed;
  for (auto const id : table_.ids()) {
    auto const* const found = table_.find(id);
    if (!found) continue;
    auto const& e = **found;
    bool const waits_on = left != spared::nothing && e.call && !e.sent;
    bool const negotiation_s = left == spared::unsent_and_handshake && (!e.call || e.handshake);
    if (e.lasts != those || waits_on || negotiation_s) continue;
    if (!e.call) {
      end(id, reason);
    } else if (!e.sent) {
      end(id, reason.with_code(make_error_code(errc::closed)));
    } else {
      bool const keeps_code = by_us || e.call->repeatable || e.call->options.is_idempotent() || e.handshake;
      auto const why = reason.with_outcome(call_outcome::open);  // whatever it says of another call
      end(id, keeps_code ? why : why.with_code(make_error_code(errc::outcome_unknown)));
    }
  }
}

COMCP_LAZY_DECL void calls::shut_down() noexcept {
  if (room_) room_->close();
  while (auto const id = table_.any()) {
    auto* const e = take(id);
    if (e->call && !e->handshake) ++counters_.failed;
    e->stop.reset();
    e->on_end = nullptr;
    auto const gone = std::move(e->waiting);  // and the frame, which `e` may be in
  }
  deadline_.reset();
}

COMCP_LAZY_DECL void calls::disarm() noexcept {
  deadline_->disarm();
  armed_.reset();
}

COMCP_LAZY_DECL void calls::arm() {
  if (!deadline_) return;
  auto const next = table_.next_deadline();
  if (!next || (armed_ && *armed_ <= *next)) return;  // an early alarm re-arms itself
  armed_ = next;
  std::function<void()> fire = [weak = std::weak_ptr(std::shared_ptr<calls>(owner_.itself(), this))] {
    if (auto const self = weak.lock()) self->expire();
  };
  deadline_->arm(*next, std::move(fire));
}

COMCP_LAZY_DECL void calls::expire() {
  overlap_guard::scope const alone(guard_);
  armed_.reset();
  auto const now = time_->now();
  while (auto const id = table_.expired(now)) {
    auto const& e = **table_.find(id);
    owner_.given_up(id, e, "timed out");
    end(id, error(errc::timeout, e.call ? e.call->method.text() : std::string()));
  }
  arm();
}

COMCP_LAZY_DECL void calls::hold_clocks(bool yes) {
  if (yes) table_.pause(time_->now());
  else table_.resume(time_->now());
  arm();
}

COMCP_LAZY_DECL void calls::extend(request_id id) {
  table_.extend(id, time_->now());
  arm();
}

COMCP_LAZY_DECL comcp::statistics call_records::statistics(time_point now) const noexcept {
  comcp::statistics s;
  // Ends before beginnings: none has ended that has not begun. Again where some began meanwhile, but not for ever.
  for (int attempts = 8; attempts-- > 0;) {
    std::uint64_t const before = tracked;
    s.completed = completed;
    s.failed = failed;
    s.timed_out = timed_out;
    s.cancelled = cancelled;
    s.tracked = tracked;
    if (s.tracked == before) break;
  }
  s.pending = s.tracked - s.completed - s.failed - s.timed_out - s.cancelled;
  s.oldest_pending = now - std::min(now, waiting_.oldest());
  s.late = late;
  s.unknown = unknown;
  s.dropped = dropped;
  s.bad_messages = bad_messages;
  s.notifications = notifications;
  s.requests = requests;
  s.messages_in = messages_in;
  s.messages_out = messages_out;
  s.bytes_in = bytes_in;
  s.bytes_out = bytes_out;
  s.reconnects = reconnects;
  s.renewals = renewals;
  s.cache_hits = cache_hits;
  s.cache_misses = cache_misses;
  s.cache_stores = cache_stores;
  s.cache_invalidations = cache_invalidations;
  s.cache_stale = cache_stale;
  s.coalesced = coalesced;
  return s;
}

}  // namespace comcp::detail
