// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/client/subscriptions.hpp>
#include <comcp/protocol/subscriptions.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL subscriptions_link& subscriptions::hub(subscriptions_maker make) {
  if (!hub_) hub_ = make(core_);
  return *hub_;
}

COMCP_LAZY_DECL void subscriptions::connected() {
  if (core_.is_modern()) deaf_ = error();
  if (hub_) hub_->connected();
}

COMCP_LAZY_DECL void subscriptions::ended(error const& reason) {
  if (hub_) hub_->ended(reason);
}

COMCP_LAZY_DECL void subscriptions::shut_down() noexcept {
  if (hub_) hub_->shut_down();
}

// Without a hub there is no stream of ours that a notification could belong to.
COMCP_LAZY_DECL bool subscriptions::notified(std::string const& method, json::value const& params) {
  if (hub_) return hub_->notified(method, params);
  bool const modern = core_.is_modern();
  if (method == "notifications/cancelled") return modern || !params.view().find("requestId");
  if (!modern) return false;
  auto const meta = params.view().find("_meta");
  bool const of_a_stream = meta && subscription_id_of(*meta);
  if (of_a_stream) ++core_.calls.counters().dropped;
  return of_a_stream || method == "notifications/subscriptions/acknowledged";
}

COMCP_LAZY_DECL bool subscriptions::is_awaited() const {
  auto const& h = core_.handler;
  bool const heard = h.receives("") || h.receives("notifications/resources/updated") || h.receives("notifications/message");
  return heard || (hub_ && hub_->is_awaited());
}

COMCP_LAZY_DECL void subscriptions::deaf(error const& why) {
  auto const before = std::exchange(deaf_, why);
  // That a server has no such stream is a fault only where somebody waits for what would come on it.
  if (deaf_ && (is_awaited() || !(deaf_ == errc::capability_missing))) core_.fault(deaf_);
  if (hub_) hub_->deaf(before);
}

}  // namespace comcp::detail
