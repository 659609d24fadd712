// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a handler's on(...) may take: one type for each notification, and any_notification for the rest.
#pragma once

#include <string>
#include <utility>

#include <comcp/protocol/elicitation.hpp>
#include <comcp/protocol/logging.hpp>
#include <comcp/protocol/progress.hpp>
#include <comcp/protocol/resources.hpp>
#include <comcp/protocol/subscriptions.hpp>
#include <comcp/protocol/tasks.hpp>

namespace comcp {

/// notifications/tools/list_changed. Spec: server/tools.
struct tools_list_changed {
  tools_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<tools_list_changed>) {
  return json::fields(detail::meta_of(&tools_list_changed::meta), json::rest(&tools_list_changed::raw));
}

/// notifications/prompts/list_changed. Spec: server/prompts.
struct prompts_list_changed {
  prompts_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompts_list_changed>) {
  return json::fields(detail::meta_of(&prompts_list_changed::meta), json::rest(&prompts_list_changed::raw));
}

/// notifications/resources/list_changed. Spec: server/resources.
struct resources_list_changed {
  resources_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resources_list_changed>) {
  return json::fields(detail::meta_of(&resources_list_changed::meta), json::rest(&resources_list_changed::raw));
}

/// notifications/roots/list_changed, which the client sends (legacy). Spec: client/roots.
struct roots_list_changed {
  roots_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<roots_list_changed>) {
  return json::fields(detail::meta_of(&roots_list_changed::meta), json::rest(&roots_list_changed::raw));
}

/// notifications/initialized, which the client sends (legacy).
struct initialized {
  initialized() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<initialized>) {
  return json::fields(detail::meta_of(&initialized::meta), json::rest(&initialized::raw));
}

/// Any notification, for the catch-all.
struct any_notification {
  any_notification() = default;
  any_notification(std::string its_method, json::value its_params)
      : method(std::move(its_method)), params(std::move(its_params)) {}

  std::string method;
  json::value params;  ///< Null where absent.

  friend bool operator==(any_notification const&, any_notification const&) = default;
};

}  // namespace comcp
