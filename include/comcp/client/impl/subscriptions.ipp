// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <comcp/client/core.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/sansio/backoff.hpp>
#include <comcp/client/subscriptions.hpp>

namespace comcp::detail {

COMCP_DECL subscription_hub::subscription_hub(client_core& core)
    : core_(core),
      streams_(core, [this](std::shared_ptr<listen_stream> const& s) { stream_over(s); }),
      watchers_([&core](error e) { core.fault(std::move(e)); }) {}
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
  if (watchers_.wants("tools")) f.tools_list_changed = true;
  if (watchers_.wants("prompts")) f.prompts_list_changed = true;
  if (watchers_.wants("resources")) f.resources_list_changed = true;
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
  shared_.reset();
  streams_.end_all(reason);
  wake(waiting_, reason);
}

COMCP_DECL void subscription_hub::stream_over(std::shared_ptr<listen_stream> const& s) {
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
    watchers_.tell_silence({}, why);
  }
  auto again = [](subscription_hub* self, std::shared_ptr<client_core> hold, unsigned tries) -> asio::awaitable<void> {
    bool const slept = co_await hold->sleep(std::chrono::seconds(std::min(1U << (tries - 1), 30U)));
    self->reopening_ = false;
    if (slept) self->refresh_shared();
  };
  core_.spawn(again(this, core_.shared_from_this(), std::min(reopened_, many)));
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
      streams_.close(*old);
      break;
    }
    auto const fresh = std::make_shared<listen_stream>(filter);
    opening_ = fresh;
    streams_.open(fresh);
    failure = co_await streams_.acknowledged(fresh, patience_);
    opening_.reset();
    if (failure) {
      bool const given_up = failure == errc::cancelled && !fresh->ended;
      streams_.close(*fresh);
      if (given_up) failure = error();
      if (given_up) continue;
      if (is_other_version(failure) && !std::exchange(followed, true) && core_.exchange().follow_version(failure)) continue;
      break;
    }
    shared_ = fresh;
    tell_left_out(*fresh);
    if (std::exchange(gap_, false)) missed_changes();
    if (old) streams_.close(*old);
  }
  reconciling_ = false;
  patience_ = call_options();
  if (failure && !core_.end_reason()) {
    core_.fault(failure);
    watchers_.tell_silence({}, failure);
    if (!failure.peer()) reopen_later();
  }
  wake(waiting_, failure);
}

COMCP_DECL bool subscription_hub::notified(std::string const& method, json::value const& params) {
  if (method == "notifications/cancelled") {
    auto const which = params.view().find("requestId");
    if (which && core_.is_modern()) streams_.cancelled_by_server(*which);
    return !which || core_.is_modern();
  }
  using route = listen_streams::route;
  auto const to = core_.is_modern() ? streams_.routed(method, params) : route::shared;
  if (to == route::shared) tell(method, params);
  return to == route::taken;
}

inline constexpr std::array<char const*, 3> list_changes = {
    "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed"};

COMCP_DECL void subscription_hub::tell(std::string const& method, json::value const& params) {
  if (method == "notifications/resources/updated") {
    auto const update = json::read<resource_updated>(params.view());
    if (!update) return core_.fault(update.error());
    auto const found = resources_.find(update->uri);
    if (found == resources_.end()) return;
    auto const callbacks = found->second.callbacks;
    for (auto const& f : callbacks) {
      if (*f) watchers_.guarded([&] { (*f)(*update); });
    }
    return;
  }
  std::string_view const kind = method == "notifications/tools/list_changed"       ? "tools"
                                : method == "notifications/prompts/list_changed"   ? "prompts"
                                : method == "notifications/resources/list_changed" ? "resources"
                                                                                   : "";
  if (kind.empty()) return;
  watchers_.tell(kind);
}

// There was no stream for a while: as though every list had changed.
COMCP_DECL void subscription_hub::missed_changes() {
  for (auto const* const method : list_changes) core_.pipeline().notified(method, json::value());
  tell_watchers();
}

COMCP_DECL void subscription_hub::tell_watchers() {
  for (auto const* const method : list_changes) tell(method, json::value());
}

}  // namespace comcp::detail
