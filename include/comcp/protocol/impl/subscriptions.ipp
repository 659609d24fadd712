// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/protocol/subscriptions.hpp>

namespace comcp {

COMCP_DECL bool subscription_filter::empty() const noexcept {
  return !tools_list_changed && !prompts_list_changed && !resources_list_changed && resource_subscriptions.empty();
}

COMCP_DECL bool subscription_filter::has_resource(std::string_view uri) const noexcept {
  return std::find(resource_subscriptions.begin(), resource_subscriptions.end(), uri) != resource_subscriptions.end();
}

COMCP_DECL subscription_filter& subscription_filter::unite(subscription_filter const& other) {
  tools_list_changed |= other.tools_list_changed;
  prompts_list_changed |= other.prompts_list_changed;
  resources_list_changed |= other.resources_list_changed;
  auto uris = other.resource_subscriptions;
  auto& ours = resource_subscriptions;
  ours.insert(ours.end(), uris.begin(), uris.end());
  std::sort(ours.begin(), ours.end());
  ours.erase(std::unique(ours.begin(), ours.end()), ours.end());
  return *this;
}

COMCP_DECL bool subscription_filter::covers(subscription_filter const& other) const {
  if (other.tools_list_changed && !tools_list_changed) return false;
  if (other.prompts_list_changed && !prompts_list_changed) return false;
  if (other.resources_list_changed && !resources_list_changed) return false;
  std::vector<std::string_view> ours(resource_subscriptions.begin(), resource_subscriptions.end());
  std::sort(ours.begin(), ours.end());
  return std::all_of(other.resource_subscriptions.begin(), other.resource_subscriptions.end(),
                     [&](std::string const& uri) { return std::binary_search(ours.begin(), ours.end(), uri); });
}

}  // namespace comcp
