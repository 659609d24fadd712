// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the protocol says of each method that a client calls: one table, looked at once for a call. Methods that are not in
// it are the vendors', and may be sent.
#pragma once

#include <string>
#include <string_view>

#include <comcp/protocol/capabilities.hpp>
#include <comcp/protocol/lifecycle.hpp>

namespace comcp::wire {

struct method_rules {
  std::string_view name = {};
  bool in_legacy = true;
  bool in_modern = true;
  protocol_version since = version::v2024_11_05;  ///< Of the legacy era.
  /// What the server would have to declare for it and did not; null where it did.
  char const* (*missing)(server_capabilities const&) = nullptr;
  protocol_version declared_since = version::v2024_11_05;  ///< Before that there was nothing to declare.
  bool wants_sight = false;       ///< A server that was not asked what it can do counts as one that cannot.
  char const* subject = nullptr;  ///< The parameter that says what it is about.
  bool is_mirrored = false;       ///< Modern era, HTTP: the subject is its Mcp-Name.
  bool may_ask = false;           ///< Modern era: its result may be input_required.
};

namespace detail {
inline char const* tools_missing(server_capabilities const& c) { return c.tools ? nullptr : "tools"; }
inline char const* prompts_missing(server_capabilities const& c) { return c.prompts ? nullptr : "prompts"; }
inline char const* resources_missing(server_capabilities const& c) { return c.resources ? nullptr : "resources"; }
inline char const* subscribe_missing(server_capabilities const& c) {
  return !c.resources ? "resources" : c.supports_subscribe() ? nullptr : "resources.subscribe";
}
inline char const* completions_missing(server_capabilities const& c) { return c.completions.is_null() ? "completions" : nullptr; }
inline char const* logging_missing(server_capabilities const& c) { return c.logging.is_null() ? "logging" : nullptr; }
}  // namespace detail

namespace methods {
inline constexpr method_rules
    initialize{.name = "initialize", .in_modern = false},
    ping{.name = "ping", .in_modern = false},
    discover{.name = "server/discover", .in_legacy = false},
    list_tools{.name = "tools/list", .missing = detail::tools_missing},
    call_tool{.name = "tools/call", .missing = detail::tools_missing, .subject = "name", .is_mirrored = true, .may_ask = true},
    list_resources{.name = "resources/list", .missing = detail::resources_missing},
    list_resource_templates{.name = "resources/templates/list", .missing = detail::resources_missing},
    read_resource{.name = "resources/read", .missing = detail::resources_missing, .subject = "uri", .is_mirrored = true, .may_ask = true},
    subscribe{.name = "resources/subscribe", .in_modern = false, .missing = detail::subscribe_missing, .subject = "uri"},
    unsubscribe{.name = "resources/unsubscribe", .in_modern = false, .missing = detail::resources_missing, .subject = "uri"},
    list_prompts{.name = "prompts/list", .missing = detail::prompts_missing},
    get_prompt{.name = "prompts/get", .missing = detail::prompts_missing, .subject = "name", .is_mirrored = true, .may_ask = true},
    complete{.name = "completion/complete", .missing = detail::completions_missing, .declared_since = version::v2025_03_26},
    set_level{.name = "logging/setLevel", .in_modern = false, .missing = detail::logging_missing},
    listen{.name = "subscriptions/listen", .in_legacy = false},
    get_task{.name = "tasks/get", .in_modern = false, .since = version::v2025_11_25},
    task_result{.name = "tasks/result", .in_modern = false, .since = version::v2025_11_25},
    list_tasks{.name = "tasks/list", .in_modern = false, .since = version::v2025_11_25},
    cancel_task{.name = "tasks/cancel", .in_modern = false, .since = version::v2025_11_25},
    // A server's own: no client sends them.
    create_message{.name = "sampling/createMessage", .in_legacy = false, .in_modern = false},
    list_roots{.name = "roots/list", .in_legacy = false, .in_modern = false},
    elicit{.name = "elicitation/create", .in_legacy = false, .in_modern = false},
    // The tasks extension's, which brings its own rules.
    update_task{.name = "tasks/update", .in_legacy = false, .in_modern = false},
    vendor{};
}  // namespace methods

/// The name of a method, with what the protocol says of it.
class method {
 public:
  method() noexcept : rules_(&methods::vendor) {}
  /// The rules live as long as the program; an extension has its own.
  method(method_rules const& rules) noexcept : rules_(&rules) {}
  method(std::string_view name);
  method(std::string const& name) : method(std::string_view(name)) {}
  method(char const* name) : method(std::string_view(name)) {}

  [[nodiscard]] std::string_view name() const noexcept { return own_.empty() ? rules_->name : std::string_view(own_); }
  [[nodiscard]] std::string text() const { return std::string(name()); }
  operator std::string_view() const noexcept { return name(); }
  [[nodiscard]] method_rules const& rules() const noexcept { return *rules_; }
  [[nodiscard]] bool is(method_rules const& rules) const noexcept { return rules_ == &rules; }
  [[nodiscard]] bool is_vendors() const noexcept { return rules_ == &methods::vendor; }

 private:
  method_rules const* rules_;
  std::string own_;  // a vendor's
};

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/wire/impl/method.ipp>
#endif
