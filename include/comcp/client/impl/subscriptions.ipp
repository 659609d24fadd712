// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <comcp/client/core.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/sansio/backoff.hpp>
#include <comcp/client/subscriptions.hpp>

namespace comcp::detail {

COMCP_DECL subscription_hub::~subscription_hub() = default;

COMCP_DECL subscription_filter subscription_hub::wanted() const {
  subscription_filter f;
  auto const& h = core_.handler();
  f.tools_list_changed = h.receives("notifications/tools/list_changed");
  f.prompts_list_changed = h.receives("notifications/prompts/list_changed");
  f.resources_list_changed = h.receives("notifications/resources/list_changed");
  for (auto const& step : core_.pipeline().steps()) {
    if (step->wants("tools") && core_.facts().capabilities.supports_list_changed("tools")) f.tools_list_changed = true;
  }
  for (auto const& w : watchers_) {
    if (w.kind == "tools") f.tools_list_changed = true;
    if (w.kind == "prompts") f.prompts_list_changed = true;
    if (w.kind == "resources") f.resources_list_changed = true;
  }
  for (auto const& [uri, t] : resources_) f.resource_subscriptions.push_back(uri);
  return f;
}

// All at once: calls that wait for a restart go out after them.
COMCP_DECL void subscription_hub::connected() {
  gap_ = false;
  if (core_.is_modern()) deaf_ = error();
  else silent_.clear();
  tell_watchers();  // a new session, or another process: it may have other lists
  if (core_.is_modern()) return refresh_shared();
  auto const resources = resources_;
  for (auto const& [uri, t] : resources) {
    if (t.confirmed) core_.spawn(restore_legacy(uri));
  }
}

COMCP_DECL asio::awaitable<void> subscription_hub::restore_legacy(std::string uri) {
  auto const hold = core_.shared_from_this();
  prepared_call again("resources/subscribe", args("uri", uri).text(), {});
  again.internal = true;
  auto const done = co_await core_.round_trip(again);
  if (!done) core_.fault(done.error());
}

COMCP_DECL void subscription_hub::ended(error const& reason) {
  reopened_ = 0;
  auto const streams = streams_;
  shared_.reset();
  for (auto const& s : streams) {
    if (!s->ended) s->ended = reason;
    core_.calls().end(s->entry.id, reason);  // by way of stream_over()
  }
  wake(waiting_, reason);
}

COMCP_DECL void subscription_hub::shut_down() noexcept {
  for (auto const& s : std::exchange(streams_, {})) {
    if (!s->ended) s->ended = error(errc::closed);
  }
}

COMCP_DECL std::shared_ptr<listen_stream> subscription_hub::by_id(std::uint64_t id) const {
  for (auto const& s : streams_) {
    if (s->entry.id == id && id != 0) return s;
  }
  return {};
}

// Sends the listen request; its entry lives until the server or we end it.
COMCP_DECL void subscription_hub::open(std::shared_ptr<listen_stream> const& s) {
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
  streams_.push_back(s);
  if (!core_.calls().enlist(s->entry, core_.calls().now(), forever, never, !s->independent)) return stream_over(s, error(errc::queue_full));
  ++core_.calls().counters().tracked;
  if (auto const sent = core_.transmit(s->entry); !sent) core_.calls().end(s->entry.id, sent.error());
}

inline error unacknowledged() {
  return {errc::protocol_violation, "the server ended subscriptions/listen before it acknowledged it"};
}

COMCP_DECL void subscription_hub::stream_over(std::shared_ptr<listen_stream> const& s, reply r) {
  std::erase(streams_, s);
  if (!s->ended) s->ended = r ? error() : r.error();
  if (s->acknowledgment.id) core_.calls().end(s->acknowledgment.id, r ? reply(unacknowledged()) : std::move(r));
  wake(s->readers, {});
  if (shared_ != s) return;
  shared_.reset();
  if (core_.status() != connection_status::ready || !s->is_acknowledged) return;
  gap_ = true;
  // One that was open for a while was no failure: over HTTP an idle stream may be cut by whoever is on the way.
  if (core_.calls().now() - s->acknowledged_at >= sansio::backoff::lasting) reopened_ = 0;
  reopen_later();
}

// After 1 s, 2 s, 4 s ... 30 s. After two minutes, in which a server may start again, it is said.
COMCP_DECL void subscription_hub::reopen_later() {
  constexpr unsigned many = 8;
  if (std::exchange(reopening_, true)) return;
  if (++reopened_ == many + 1) {
    error const why(errc::transport_failed, "the stream of subscriptions breaks again and again: no updates for now");
    core_.fault(why);
    tell_silence({}, why);
  }
  auto again = [](subscription_hub* self, std::shared_ptr<client_core> hold, unsigned tries) -> asio::awaitable<void> {
    bool const slept = co_await hold->sleep(std::chrono::seconds(std::min(1U << (tries - 1), 30U)));
    self->reopening_ = false;
    if (slept) self->refresh_shared();
  };
  core_.spawn(again(this, core_.shared_from_this(), std::min(reopened_, many)));
}

COMCP_DECL asio::awaitable<error> subscription_hub::acknowledged(std::shared_ptr<listen_stream> s,
                                                                  call_options options) {
  if (s->is_acknowledged) co_return error();
  if (s->ended) co_return *s->ended ? *s->ended : unacknowledged();
  auto const timeout = core_.calls().timeout(options);
  if (!core_.calls().enlist(s->acknowledgment, std::min(timeout, core_.calls().hard_limit(options)))) co_return error(errc::queue_full);
  core_.calls().end_with(options.stop(), s->acknowledgment);
  auto const waited = co_await core_.calls().wait(s->acknowledgment);
  if (waited) co_return error();
  if (waited.error() == errc::timeout) co_return error(errc::timeout, "subscriptions/listen was not acknowledged");
  co_return waited.error();
}

COMCP_DECL bool subscription_hub::is_other_version(error const& e) {
  return e.peer() && e.peer()->code == -32022;
}

COMCP_DECL void subscription_hub::refresh_shared() {
  if (std::exchange(reconciling_, true)) return give_up_opening();
  core_.spawn(reconcile());
}

// Who asked for something may have gone before it was acknowledged: the others do not wait behind that.
COMCP_DECL void subscription_hub::give_up_opening() {
  if (!opening_) return;
  auto give_up = [this, hold = core_.weak_from_this()] {
    auto const core = hold.lock();
    if (!core || !opening_ || !opening_->acknowledgment.id || wanted().covers(opening_->asked)) return;
    core->calls().end(opening_->acknowledgment.id, error(errc::cancelled));
  };
  detail::post(core_.home(), std::move(give_up));
}

// Opens the stream that is wanted now, and ends the old one only after the new one is acknowledged.
COMCP_DECL asio::awaitable<void> subscription_hub::reconcile() {
  auto const hold = core_.shared_from_this();
  error failure;
  bool followed = false;
  for (;;) {
    auto const filter = wanted();
    auto const old = shared_;
    if (core_.end_reason()) {
      failure = *core_.end_reason();
      break;
    }
    if (core_.status() != connection_status::ready) {
      reconciling_ = false;
      co_return;  // connected() or ended() sees to those who wait
    }
    if (filter.empty()) reopened_ = 0;
    if (old ? old->asked == filter : filter.empty()) break;
    if (filter.empty()) {
      shared_.reset();
      close(*old);
      break;
    }
    auto const fresh = std::make_shared<listen_stream>(filter);
    opening_ = fresh;
    open(fresh);
    failure = co_await acknowledged(fresh, patience_);
    opening_.reset();
    if (failure) {
      bool const given_up = failure == errc::cancelled && !fresh->ended;
      close(*fresh);
      if (given_up) failure = error();
      if (given_up) continue;
      if (is_other_version(failure) && !std::exchange(followed, true) && core_.exchange().follow_version(failure)) continue;
      break;
    }
    shared_ = fresh;
    tell_left_out(*fresh);
    if (std::exchange(gap_, false)) missed_changes();
    if (old) close(*old);
  }
  reconciling_ = false;
  patience_ = call_options();
  if (failure && !core_.end_reason()) {
    core_.fault(failure);
    tell_silence({}, failure);
    if (!failure.peer()) reopen_later();
  }
  wake(waiting_, failure);
}

COMCP_DECL asio::awaitable<std::shared_ptr<listen_stream>> subscription_hub::listen(subscription_filter filter,
                                                                                    call_options options) {
  auto const hold = core_.shared_from_this();
  auto const s = std::make_shared<listen_stream>(std::move(filter));
  s->independent = true;
  prepared_call c("subscriptions/listen", args("notifications", s->asked).text(), std::move(options));
  performer how = [this, s](prepared_call& call) { return open_for(s, call); };
  try {
    co_await ask(std::move(c), std::move(how));
  } catch (...) {
    close(*s);
    throw;
  }
  co_return s;
}

COMCP_DECL asio::awaitable<reply> subscription_hub::open_for(std::shared_ptr<listen_stream> s, prepared_call& c) {
  auto bad = co_await core_.recovery().settled(c);
  if (!bad) bad = core_.check(c);
  if (bad) co_return bad;
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled);
  s->call.params = c.params;
  s->call.options = c.options;
  s->call.options.extend_on_progress(false);
  open(s);
  auto failure = co_await acknowledged(s, c.options);
  if (is_other_version(failure) && core_.exchange().follow_version(failure)) {
    s->ended.reset();
    open(s);
    failure = co_await acknowledged(s, c.options);
  }
  if (!failure) co_return json::value();
  close(*s);
  co_return failure;
}

COMCP_DECL asio::awaitable<std::optional<any_notification>> subscription_hub::next(std::shared_ptr<listen_stream> s) {
  auto const hold = core_.shared_from_this();
  while (s->queue.empty()) {
    if (s->ended) co_return std::nullopt;
    pending_entry e(pending_entry::span::last);
    if (!core_.calls().enlist(e, std::chrono::nanoseconds::max())) throw exception(error(errc::queue_full));
    core_.calls().table().line_up(s->readers, e.id);
    auto const woken = co_await core_.calls().wait(e);
    if (!woken) throw exception(woken.error());
  }
  auto first = std::move(s->queue.front());
  s->queue.pop_front();
  co_return first;
}

COMCP_DECL void subscription_hub::close(listen_stream& s) {
  if (!s.ended) s.ended = error();
  if (s.entry.id) core_.calls().cancel(s.entry.id);
}

COMCP_DECL bool subscription_hub::notified(std::string const& method, json::value const& params) {
  if (method == "notifications/cancelled") {
    auto const which = params.view().find("requestId");
    if (which && core_.is_modern()) cancelled_by_server(*which);
    return !which || core_.is_modern();
  }
  if (core_.is_modern()) return routed(method, params);
  tell(method, params);
  return false;
}

COMCP_DECL bool subscription_hub::routed(std::string const& method, json::value const& params) {
  auto const meta = params.view().find("_meta");
  auto const id = meta ? subscription_id_of(*meta) : std::nullopt;
  if (!id) return method == "notifications/subscriptions/acknowledged";
  auto const s = id->integer() ? by_id(static_cast<std::uint64_t>(*id->integer())) : nullptr;
  if (!s) {
    ++core_.calls().counters().dropped;
    return true;
  }
  if (method == "notifications/subscriptions/acknowledged") {
    auto ack = json::read<subscriptions_acknowledged>(params.view());
    if (ack) s->acknowledged = std::move(ack->notifications);
    s->is_acknowledged = true;
    s->acknowledged_at = core_.calls().now();
    if (s->acknowledgment.id) core_.calls().end(s->acknowledgment.id, json::value());
    return true;
  }
  if (!s->independent) {
    tell(method, params);
    return false;
  }
  if (s->queue.size() >= core_.limits().subscription_queue()) {
    ++s->dropped;
    ++core_.calls().counters().dropped;
  } else {
    s->queue.emplace_back(method, params);
  }
  wake(s->readers, {});
  return true;
}

inline constexpr std::array<char const*, 3> list_changes = {
    "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed"};

COMCP_DECL void subscription_hub::guarded(std::function<void()> const& f) {
  try {
    f();
  } catch (...) {
    core_.fault(error(errc::invalid_argument, "a subscription callback threw"));
  }
}

COMCP_DECL void subscription_hub::tell(std::string const& method, json::value const& params) {
  if (method == "notifications/resources/updated") {
    auto const update = json::read<resource_updated>(params.view());
    if (!update) return core_.fault(update.error());
    auto const found = resources_.find(update->uri);
    if (found == resources_.end()) return;
    auto const callbacks = found->second.callbacks;
    for (auto const& f : callbacks) {
      if (*f) guarded([&] { (*f)(*update); });
    }
    return;
  }
  std::string_view const kind = method == "notifications/tools/list_changed"       ? "tools"
                                : method == "notifications/prompts/list_changed"   ? "prompts"
                                : method == "notifications/resources/list_changed" ? "resources"
                                                                                   : "";
  if (kind.empty()) return;
  auto const all = watchers_;
  for (auto const& w : all) {
    if (w.kind == kind) guarded(w.call);
  }
}

// There was no stream for a while: as though every list had changed.
COMCP_DECL void subscription_hub::missed_changes() {
  for (auto const* const method : list_changes) core_.pipeline().notified(method, json::value());
  tell_watchers();
}

COMCP_DECL void subscription_hub::tell_watchers() {
  for (auto const* const method : list_changes) tell(method, json::value());
}

COMCP_DECL void subscription_hub::cancelled_by_server(json::view request) {
  auto const id = request.get_uint64();
  auto const s = id ? by_id(*id) : nullptr;
  if (s) core_.calls().end(s->entry.id, error(errc::closed, "the server ended the subscription"));
}

}  // namespace comcp::detail
