// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <comcp/json/build.hpp>
#include <comcp/json/writer.hpp>
#include <comcp/protocol/subscriptions.hpp>

namespace comcp {
namespace detail {

// What a value in a filter asks for: the elements of a list, or itself. Nothing where it is false, null or empty.
COMCP_DECL std::set<std::string> wishes(json::view v) {
  std::set<std::string> all;
  if (v.is_array()) {
    for (auto const each : v.elements()) all.insert(each.dump());
  } else if (!v.is_null() && v.get_bool() != false) {
    all.insert(v.dump());
  }
  return all;
}

inline constexpr std::array<std::string_view, 4> own_filter_keys = {"toolsListChanged", "promptsListChanged",
                                                                    "resourcesListChanged", "resourceSubscriptions"};

// By key of an extension, and whether it is a list.
struct filter_wish {
  std::set<std::string> values;
  bool is_list = false;
};
COMCP_DECL std::map<std::string, filter_wish> extension_wishes(json::value const& raw) {
  std::map<std::string, filter_wish> all;
  if (!raw.is_object()) return all;
  for (auto const m : raw.view().members()) {
    if (std::find(own_filter_keys.begin(), own_filter_keys.end(), m.key) != own_filter_keys.end()) continue;
    filter_wish w{wishes(m.value), m.value.is_array()};
    if (!w.values.empty()) all.emplace(m.key, std::move(w));
  }
  return all;
}

}  // namespace detail

COMCP_DECL bool subscription_filter::empty() const {
  return !tools_list_changed && !prompts_list_changed && !resources_list_changed && resource_subscriptions.empty() &&
         detail::extension_wishes(raw).empty();
}

COMCP_DECL subscription_filter& subscription_filter::add(std::string_view key, json::fragment const& value) {
  subscription_filter more;
  more.raw = json::parse(json::object().set(key, value).text()).value();
  return unite(more);
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
  auto const theirs = detail::extension_wishes(other.raw);
  if (theirs.empty()) return *this;
  auto all = detail::extension_wishes(raw);
  for (auto const& [key, wish] : theirs) {
    auto& mine = all[key];
    if (mine.is_list && wish.is_list) mine.values.insert(wish.values.begin(), wish.values.end());
    else mine = wish;
  }
  json::writer w;
  w.begin_object();
  for (auto const& [key, wish] : all) {
    w.key(key);
    if (wish.is_list) w.begin_array();
    for (auto const& value : wish.values) w.raw(value);
    if (wish.is_list) w.end_array();
  }
  w.end_object();
  auto text = std::move(w).text();
  raw = json::parse(pad(text)).value();
  return *this;
}

COMCP_DECL bool subscription_filter::covers(subscription_filter const& other) const {
  if (other.tools_list_changed && !tools_list_changed) return false;
  if (other.prompts_list_changed && !prompts_list_changed) return false;
  if (other.resources_list_changed && !resources_list_changed) return false;
  if (auto const theirs = detail::extension_wishes(other.raw); !theirs.empty()) {
    auto const mine = detail::extension_wishes(raw);
    for (auto const& [key, wish] : theirs) {
      auto const found = mine.find(key);
      if (found == mine.end() || !std::includes(found->second.values.begin(), found->second.values.end(),
                                                wish.values.begin(), wish.values.end()))
        return false;
    }
  }
  std::vector<std::string_view> ours(resource_subscriptions.begin(), resource_subscriptions.end());
  std::sort(ours.begin(), ours.end());
  return std::all_of(other.resource_subscriptions.begin(), other.resource_subscriptions.end(),
                     [&](std::string const& uri) { return std::binary_search(ours.begin(), ours.end(), uri); });
}

}  // namespace comcp
