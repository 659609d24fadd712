// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Compile-time questions about a handler type: which members it has, and whether they can be called as the
// handler concept says.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include <comcp/json/build.hpp>
#include <comcp/protocol/capabilities.hpp>
#include <comcp/protocol/elicitation.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/roots.hpp>
#include <comcp/protocol/sampling.hpp>

namespace comcp {
class context;
class handler_chain;

namespace detail {

// Whether H has a member of a name at all, whatever its type: a second base with the same name makes the
// name ambiguous. A final class cannot be asked; for it only the callable forms count.
#define COMCP_HAS_MEMBER(name)                                                     \
  struct name##_probe {                                                            \
    int name;                                                                      \
  };                                                                               \
  template <class H>                                                               \
  struct name##_joined : H, name##_probe {};                                       \
  template <class H>                                                               \
  constexpr bool names_##name() {                                                  \
    if constexpr (std::is_class_v<H> && !std::is_final_v<H>)                       \
      return !requires { &name##_joined<H>::name; };                               \
    else                                                                           \
      return false;                                                                \
  }
COMCP_HAS_MEMBER(create_message)
COMCP_HAS_MEMBER(list_roots)
COMCP_HAS_MEMBER(elicit)
COMCP_HAS_MEMBER(elicit_url)
COMCP_HAS_MEMBER(on)
COMCP_HAS_MEMBER(on_request)
COMCP_HAS_MEMBER(capabilities)
#undef COMCP_HAS_MEMBER

template <class H>
concept has_create_message = requires(H& h, create_message_params p) { h.create_message(std::move(p)); } ||
                             requires(H& h, create_message_params p, context& c) { h.create_message(std::move(p), c); };
template <class H>
concept has_list_roots = requires(H& h) { h.list_roots(); } || requires(H& h, context& c) { h.list_roots(c); };
template <class H>
concept has_elicit = requires(H& h, elicit_params p) { h.elicit(std::move(p)); } ||
                     requires(H& h, elicit_params p, context& c) { h.elicit(std::move(p), c); };
template <class H>
concept has_elicit_url = requires(H& h, elicit_params p) { h.elicit_url(std::move(p)); } ||
                         requires(H& h, elicit_params p, context& c) { h.elicit_url(std::move(p), c); };
template <class H>
concept has_on_request =
    requires(H& h, std::string m, json::value p) { h.on_request(std::move(m), std::move(p)); } ||
    requires(H& h, std::string m, json::value p, context& c) { h.on_request(std::move(m), std::move(p), c); };
template <class H>
concept has_capabilities = requires(H& h, client_capabilities& c) { h.capabilities(c); };

// An argument that converts to exactly N, so that a catch-all with a wide parameter does not count for all.
template <class N>
struct exactly {
  template <class T>
    requires std::same_as<T, N>
  operator T() const;
};
template <class H, class N>
concept has_on =
    requires(H& h, exactly<N> n) { h.on(n); } || requires(H& h, exactly<N> n, context& c) { h.on(n, c); };

template <class H>
concept has_any_on = has_on<H, tools_list_changed> || has_on<H, prompts_list_changed> ||
                     has_on<H, resources_list_changed> || has_on<H, resource_updated> || has_on<H, logging_message> ||
                     has_on<H, elicitation_complete> || has_on<H, cancelled> ||
                     has_on<H, progress_notification> || has_on<H, any_notification>;

template <class H>
constexpr bool check_handler() {
  static_assert(has_create_message<H> || !names_create_message<H>(),
                "comcp: this handler's create_message() cannot be called: it takes (create_message_params) or "
                "(create_message_params, context&)");
  static_assert(has_list_roots<H> || !names_list_roots<H>(),
                "comcp: this handler's list_roots() cannot be called: it takes () or (context&)");
  static_assert(has_elicit<H> || !names_elicit<H>(),
                "comcp: this handler's elicit() cannot be called: it takes (elicit_params) or (elicit_params, context&)");
  static_assert(has_elicit_url<H> || !names_elicit_url<H>(),
                "comcp: this handler's elicit_url() cannot be called: it takes (elicit_params) or "
                "(elicit_params, context&)");
  static_assert(has_on_request<H> || !names_on_request<H>(),
                "comcp: this handler's on_request() cannot be called: it takes (std::string, json::value) or "
                "(std::string, json::value, context&)");
  static_assert(has_capabilities<H> || !names_capabilities<H>(),
                "comcp: this handler's capabilities() cannot be called: it takes (client_capabilities&)");
  static_assert(has_any_on<H> || !names_on<H>(),
                "comcp: this handler's on() takes none of the notification types of comcp/protocol/notifications.hpp");
  return true;
}

}  // namespace detail
}  // namespace comcp
