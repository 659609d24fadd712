// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Listen streams of the modern era: what a client wants to hear of. Spec: 2026-07-28 basic/patterns/subscriptions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/json/build.hpp>
#include <comcp/protocol/meta.hpp>

namespace comcp {

/// Which notifications a listen stream brings. Compared as a set: the order of the uris does not matter.
struct subscription_filter {
  subscription_filter() = default;

  bool tools_list_changed = false;
  bool prompts_list_changed = false;
  bool resources_list_changed = false;
  std::vector<std::string> resource_subscriptions;  ///< The uris of resources whose updates are wanted.
  json::value raw;                                  ///< Its other members count, too: keys of extensions.

  /// Asks for what an extension has there: a list, or any other value than false.
  subscription_filter& add(std::string_view key, json::fragment const& value);

  /// Whether nothing is asked for.
  [[nodiscard]] bool empty() const;
  [[nodiscard]] bool has_resource(std::string_view uri) const noexcept;
  /// Asks for what `other` asks for too; the uris end up sorted, each once, and so do texts in lists of extensions. Where
  /// both have another value for one key, that of `other` counts.
  subscription_filter& unite(subscription_filter const& other);
  /// Whether everything that `other` asks for is asked for here.
  [[nodiscard]] bool covers(subscription_filter const& other) const;

  friend bool operator==(subscription_filter const& a, subscription_filter const& b) {
    return a.covers(b) && b.covers(a);
  }
};
constexpr auto describe(std::type_identity<subscription_filter>) {
  using t = subscription_filter;
  return json::fields(json::defaulted("toolsListChanged", &t::tools_list_changed),
                      json::defaulted("promptsListChanged", &t::prompts_list_changed),
                      json::defaulted("resourcesListChanged", &t::resources_list_changed),
                      json::defaulted("resourceSubscriptions", &t::resource_subscriptions), json::rest(&t::raw));
}

struct subscriptions_listen_params {
  subscriptions_listen_params() = default;
  explicit subscriptions_listen_params(subscription_filter filter) : notifications(std::move(filter)) {}

  subscription_filter notifications;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<subscriptions_listen_params>) {
  using t = subscriptions_listen_params;
  return json::fields(json::field("notifications", &t::notifications), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// notifications/subscriptions/acknowledged: what the server agreed to send.
struct subscriptions_acknowledged {
  subscriptions_acknowledged() = default;

  subscription_filter notifications;
  json::value meta;
  json::value raw;

  [[nodiscard]] std::optional<peer_id> subscription_id() const { return subscription_id_of(meta); }
};
constexpr auto describe(std::type_identity<subscriptions_acknowledged>) {
  using t = subscriptions_acknowledged;
  return json::fields(json::field("notifications", &t::notifications), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The end of a listen stream, as the server ends it.
struct subscriptions_listen_result {
  subscriptions_listen_result() = default;

  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  [[nodiscard]] std::optional<peer_id> subscription_id() const { return subscription_id_of(meta); }
};
constexpr auto describe(std::type_identity<subscriptions_listen_result>) {
  using t = subscriptions_listen_result;
  return json::fields(json::field("resultType", &t::result_type), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/subscriptions.ipp>
#endif
