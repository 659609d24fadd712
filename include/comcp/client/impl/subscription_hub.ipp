// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <comcp/client/core.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/client/subscription_hub.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL subscription_hub::subscription_hub(client_core& core)
    : core_(core),
      streams_(core, [this](listen_streams::pointer const& s) { shared_.over(s); }),
      shared_(core, *this, streams_),
      watchers_([&core](error e) { core.fault(std::move(e)); }) {
  shared_.gap(static_cast<bool>(core.subscriptions.deafness()));
}

COMCP_LAZY_DECL std::unique_ptr<subscriptions_link> make_subscriptions(client_core& core) {
  return std::make_unique<subscription_hub_link<subscription_hub>>(core);
}

COMCP_LAZY_DECL subscription_filter subscription_hub::wanted() const {
  subscription_filter f;
  auto const& h = core_.handler;
  f.tools_list_changed = h.receives("notifications/tools/list_changed");
  f.prompts_list_changed = h.receives("notifications/prompts/list_changed");
  f.resources_list_changed = h.receives("notifications/resources/list_changed");
  for (auto const& step : core_.pipeline.steps()) {
    if (step->wants("tools") && core_.facts.capabilities.supports_list_changed("tools")) f.tools_list_changed = true;
  }
  if (watchers_.wants("tools")) f.tools_list_changed = true;
  if (watchers_.wants("prompts")) f.prompts_list_changed = true;
  if (watchers_.wants("resources")) f.resources_list_changed = true;
  for (auto const& [uri, t] : resources_) f.resource_subscriptions.push_back(uri);
  for (auto const& step : core_.pipeline.steps()) step->listens(f);
  return f;
}

// All at once: calls that wait for a restart go out after them.
COMCP_LAZY_DECL void subscription_hub::connected() {
  shared_.gap(false);
  if (!core_.is_modern()) silent_.clear();
  tell_watchers();  // a new session, or another process: it may have other lists
  if (core_.is_modern()) return shared_.refresh();
  auto const resources = resources_;
  for (auto const& [uri, t] : resources) {
    if (t.confirmed) core_.spawn(restore_legacy(uri));
  }
}

COMCP_LAZY_DECL void subscription_hub::refresh() { shared_.refresh(); }

COMCP_LAZY_DECL void subscription_hub::ended(error const& reason) { shared_.ended(reason); }

COMCP_LAZY_DECL asio::awaitable<void> subscription_hub::restore_legacy(std::string uri) {
  auto const hold = core_.shared_from_this();
  prepared_call again(wire::methods::subscribe, args("uri", uri).text(), {});
  again.internal = true;
  auto const done = co_await core_.exchange.round_trip(again);
  if (!done) core_.fault(done.error());
}

COMCP_LAZY_DECL bool subscription_hub::notified(std::string const& method, json::value const& params) {
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

COMCP_LAZY_DECL void subscription_hub::tell(std::string const& method, json::value const& params) {
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
COMCP_LAZY_DECL void subscription_hub::missed_changes() {
  for (auto const* const method : list_changes) core_.pipeline.notified(method, json::value());
  tell_watchers();
}

COMCP_LAZY_DECL void subscription_hub::tell_watchers() {
  for (auto const* const method : list_changes) tell(method, json::value());
}

}  // namespace comcp::detail
