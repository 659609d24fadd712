// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What each side says it can do. Spec: basic/lifecycle (legacy), 2026-07-28 basic (_meta) and server/discover.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <comcp/protocol/codec.hpp>

namespace comcp {

/// Entries of `experimental` and `extensions`: their name and their settings (an object).
using capability_entries = std::map<std::string, json::value>;

/// A feature whose list may change. Used for roots, tools and prompts.
struct list_capability {
  list_capability() = default;
  explicit list_capability(bool tells_changes) : list_changed(tells_changes) {}

  bool list_changed = false;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_capability>) {
  using t = list_capability;
  return json::fields(json::defaulted("listChanged", &t::list_changed), json::rest(&t::raw));
}

struct resources_capability {
  resources_capability() = default;

  bool subscribe = false;
  bool list_changed = false;
  json::value raw;
};
constexpr auto describe(std::type_identity<resources_capability>) {
  using t = resources_capability;
  return json::fields(json::defaulted("subscribe", &t::subscribe), json::defaulted("listChanged", &t::list_changed),
                      json::rest(&t::raw));
}

struct sampling_capability {
  sampling_capability() = default;

  bool context = false;  ///< includeContext other than "none" is understood.
  bool tools = false;    ///< Requests may offer tools.
  json::value raw;
};
constexpr auto describe(std::type_identity<sampling_capability>) {
  using t = sampling_capability;
  return json::fields(detail::presence("context", &t::context), detail::presence("tools", &t::tools),
                      json::rest(&t::raw));
}

struct elicitation_capability {
  elicitation_capability() = default;

  bool form = false;
  bool url = false;
  json::value raw;

  /// An empty object means form, as in 2025-06-18.
  [[nodiscard]] bool supports_form() const noexcept { return form || !url; }
  [[nodiscard]] bool supports_url() const noexcept { return url; }
};
constexpr auto describe(std::type_identity<elicitation_capability>) {
  using t = elicitation_capability;
  return json::fields(detail::presence("form", &t::form), detail::presence("url", &t::url), json::rest(&t::raw));
}

/// Tasks as 2025-11-25 has them, for either side; `requests` says which requests may become tasks.
struct tasks_capability {
  tasks_capability() = default;

  bool list = false;
  bool cancel = false;
  json::value requests;  ///< As {"tools": {"call": {}}}; null where absent.
  json::value raw;

  /// Whether such a request may become a task: supports("tools", "call"), supports("sampling", "createMessage").
  [[nodiscard]] bool supports(std::string_view area, std::string_view request) const;
};
constexpr auto describe(std::type_identity<tasks_capability>) {
  using t = tasks_capability;
  return json::fields(detail::presence("list", &t::list), detail::presence("cancel", &t::cancel),
                      detail::optional_object("requests", &t::requests), json::rest(&t::raw));
}

/// What a client declares; comcp deduces it from the handler.
struct client_capabilities {
  client_capabilities() = default;

  std::optional<list_capability> roots;
  std::optional<sampling_capability> sampling;
  std::optional<elicitation_capability> elicitation;
  std::optional<tasks_capability> tasks;
  capability_entries experimental;
  capability_entries extensions;
  json::value raw;

  [[nodiscard]] bool supports_elicitation_form() const noexcept { return elicitation && elicitation->supports_form(); }
  [[nodiscard]] bool supports_elicitation_url() const noexcept { return elicitation && elicitation->supports_url(); }
};
constexpr auto describe(std::type_identity<client_capabilities>) {
  using t = client_capabilities;
  return json::fields(json::field("roots", &t::roots), json::field("sampling", &t::sampling),
                      json::field("elicitation", &t::elicitation), json::field("tasks", &t::tasks),
                      json::defaulted("experimental", &t::experimental), json::defaulted("extensions", &t::extensions),
                      json::rest(&t::raw));
}

/// What a server declares.
struct server_capabilities {
  server_capabilities() = default;

  std::optional<list_capability> tools;
  std::optional<list_capability> prompts;
  std::optional<resources_capability> resources;
  json::value logging;      ///< Null where absent.
  json::value completions;  ///< Null where absent.
  std::optional<tasks_capability> tasks;
  capability_entries experimental;
  capability_entries extensions;
  json::value raw;

  /// Whether the server declared it: "tools", "prompts", "resources", "logging", "completions", "tasks", an
  /// extension's or experimental entry's name, or any other key of the object as it came.
  [[nodiscard]] bool supports(std::string_view name) const;
  /// Whether it tells when the list changes: "tools", "prompts" or "resources".
  [[nodiscard]] bool supports_list_changed(std::string_view name) const noexcept;
  /// Whether single resources can be subscribed to.
  [[nodiscard]] bool supports_subscribe() const noexcept { return resources && resources->subscribe; }
};
constexpr auto describe(std::type_identity<server_capabilities>) {
  using t = server_capabilities;
  return json::fields(json::field("tools", &t::tools), json::field("prompts", &t::prompts),
                      json::field("resources", &t::resources), detail::optional_object("logging", &t::logging),
                      detail::optional_object("completions", &t::completions), json::field("tasks", &t::tasks),
                      json::defaulted("experimental", &t::experimental), json::defaulted("extensions", &t::extensions),
                      json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/capabilities.ipp>
#endif
