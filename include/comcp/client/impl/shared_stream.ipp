// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/client/shared_stream.hpp>
#include <comcp/client/subscription_hub.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL void shared_stream::refresh() {
  if (std::exchange(reconciling_, true)) return give_up_opening();
  core_.spawn(reconcile());
}

COMCP_LAZY_DECL asio::awaitable<error> shared_stream::join(std::string uri, prepared_call& c) {
  // Posted: with nothing to do it would be over before the wait below has begun.
  auto begin = [this, weak = core_.weak_from_this()] {
    if (auto const core = weak.lock()) refresh();
  };
  detail::post(core_.home(), std::move(begin));
  auto const timeout = core_.calls.timeout(c.options);
  if (timeout > patience_.timeout().value_or(core_.calls.timeout({}))) patience_.timeout(timeout);
  auto failure = co_await core_.calls.wait_in(waiting_, c);
  if (failure) co_return failure;
  if (open_ && open_->acknowledged.has_resource(uri)) co_return error();
  co_return error(errc::not_found, "the server did not acknowledge the subscription to " + uri);
}

COMCP_LAZY_DECL void shared_stream::over(pointer const& s) {
  if (open_ != s) return;
  open_.reset();
  if (core_.connection.status() != connection_status::ready || !s->is_acknowledged) return;
  gap_ = true;
  // One that was open for a while was no failure: over HTTP an idle stream may be cut by whoever is on the way.
  if (core_.calls.now() - s->acknowledged_at >= sansio::backoff::lasting) delays_.proved();
  reopen_later();
}

COMCP_LAZY_DECL void shared_stream::ended(error const& reason) {
  delays_.proved();
  open_.reset();
  streams_.end_all(reason);
  core_.calls.wake(waiting_, reason);
}

// After 1 s, 2 s, 4 s ... 30 s. After two minutes, in which a server may start again, it is said.
COMCP_LAZY_DECL void shared_stream::reopen_later() {
  constexpr unsigned many = 8;
  if (std::exchange(reopening_, true)) return;
  auto const wait = delays_.failed(0);
  if (delays_.failures() == many + 1) {
    error const why(errc::transport_failed, "the stream of subscriptions breaks again and again: no updates for now");
    core_.fault(why);
    hub_.silent(why);
  }
  auto again = [](shared_stream* self, std::shared_ptr<client_core> hold,
                  std::chrono::milliseconds after) -> asio::awaitable<void> {
    auto const ended = co_await hold->sleep(after);
    self->reopening_ = false;
    if (!ended) self->refresh();
  };
  core_.spawn(again(this, core_.shared_from_this(), *wait));
}

// Who asked for something may have gone before it was acknowledged: the others do not wait behind that.
COMCP_LAZY_DECL void shared_stream::give_up_opening() {
  if (!opening_) return;
  auto give_up = [this, hold = core_.weak_from_this()] {
    auto const core = hold.lock();
    if (!core || !opening_ || !opening_->acknowledgment.id || hub_.wanted().covers(opening_->asked)) return;
    core->calls.end(opening_->acknowledgment.id, error(errc::cancelled));
  };
  detail::post(core_.home(), std::move(give_up));
}

// Opens the stream that is wanted now, and ends the old one only after the new one is acknowledged.
COMCP_LAZY_DECL asio::awaitable<void> shared_stream::reconcile() {
  auto const hold = core_.shared_from_this();
  error failure;
  bool followed = false;
  for (;;) {
    auto const filter = hub_.wanted();
    auto const old = open_;
    if (core_.end_reason()) {
      failure = *core_.end_reason();
      break;
    }
    if (core_.connection.status() != connection_status::ready) {
      reconciling_ = false;
      co_return;  // connected() or ended() sees to those who wait
    }
    if (filter.empty()) delays_.proved();
    if (old ? old->asked == filter : filter.empty()) break;
    if (filter.empty()) {
      open_.reset();
      streams_.close(*old);
      break;
    }
    auto const fresh = std::make_shared<listen_stream>(filter);
    opening_ = fresh;
    streams_.open(fresh);
    failure = co_await streams_.acknowledged(fresh, patience_);
    opening_.reset();
    if (failure) {
      bool const given_up = failure == errc::cancelled && !fresh->ended();
      streams_.close(*fresh);
      if (given_up) failure = error();
      if (given_up) continue;
      if (is_other_version(failure) && !std::exchange(followed, true) && core_.exchange.follow_version(failure)) continue;
      break;
    }
    open_ = fresh;
    hub_.adopt(*fresh);
    if (close_gap()) hub_.missed_changes();
    if (old) streams_.close(*old);
  }
  reconciling_ = false;
  patience_ = call_options();
  if (failure && !core_.end_reason()) {
    core_.fault(failure);
    if (!open_) hub_.silent(failure);  // else it brings what it brought
    if (!failure.peer()) reopen_later();
  }
  reply outcome = json::value();
  if (failure) outcome = failure;
  core_.calls.wake(waiting_, outcome);
}

}  // namespace comcp::detail
