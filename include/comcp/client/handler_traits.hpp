// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Compile-time questions about a handler type: which members it has, and whether they can be called as the
// handler concept says.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/json/build.hpp>
#include <comcp/protocol/capabilities.hpp>
#include <comcp/protocol/elicitation.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/roots.hpp>
#include <comcp/protocol/sampling.hpp>
#include <comcp/result.hpp>

namespace comcp {
class any_handler;
class context;
class handler_chain;

/// Handles nothing and declares nothing.
struct no_handler {};

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
COMCP_HAS_MEMBER(createMessage)
COMCP_HAS_MEMBER(create_messages)
COMCP_HAS_MEMBER(listRoots)
COMCP_HAS_MEMBER(list_root)
COMCP_HAS_MEMBER(elicitation)
COMCP_HAS_MEMBER(elicitUrl)
COMCP_HAS_MEMBER(onRequest)
COMCP_HAS_MEMBER(on_notification)
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
concept has_list_changes =
    has_on<H, tools_list_changed> || has_on<H, prompts_list_changed> || has_on<H, resources_list_changed>;

template <class H>
concept has_answers = has_create_message<H> || has_list_roots<H> || has_elicit<H> || has_elicit_url<H>;

// What a member gives in the end: behind an awaitable, and behind a result.
template <class R>
struct answer_of {
  using type = std::remove_cvref_t<R>;
};
template <class T>
struct answer_of<result<T>> : answer_of<T> {};
template <class T>
struct answer_of<asio::awaitable<T>> : answer_of<T> {};
template <class R, class... T>
concept answers_as = (std::same_as<typename answer_of<R>::type, T> || ...);
template <class R>
concept answers_nothing = std::is_void_v<R> || std::same_as<R, asio::awaitable<void>>;

// What the member returns, whichever of its two forms there is.
#define COMCP_RETURNED_BY(name, ...)                                                                             \
  template <class H, class... A>                                                                                 \
  auto name##_returned([[maybe_unused]] H& h, [[maybe_unused]] context& c, std::type_identity<void(A...)>) {     \
    if constexpr (requires { h.name(std::declval<A>()...); })                                                    \
      return std::type_identity<decltype(h.name(std::declval<A>()...))>();                                       \
    else return std::type_identity<decltype(h.name(std::declval<A>()..., c))>();                                 \
  }                                                                                                              \
  template <class H>                                                                                             \
  using name##_answer = typename decltype(name##_returned(std::declval<H&>(), std::declval<context&>(),          \
                                                          std::type_identity<void(__VA_ARGS__)>()))::type;
COMCP_RETURNED_BY(create_message, create_message_params)
COMCP_RETURNED_BY(list_roots)
COMCP_RETURNED_BY(elicit, elicit_params)
COMCP_RETURNED_BY(elicit_url, elicit_params)
COMCP_RETURNED_BY(on_request, std::string, json::value)
#undef COMCP_RETURNED_BY

template <class H>
concept handles_something = has_create_message<H> || has_list_roots<H> || has_elicit<H> || has_elicit_url<H> ||
                            has_on_request<H> || has_any_on<H> || has_capabilities<H>;

template <class H>
constexpr bool check_answers() {
  if constexpr (has_create_message<H>)
    static_assert(answers_as<create_message_answer<H>, create_message_result>,
                  "comcp: this handler's create_message() returns no create_message_result");
  if constexpr (has_list_roots<H>)
    static_assert(answers_as<list_roots_answer<H>, std::vector<root>, list_roots_result>,
                  "comcp: this handler's list_roots() returns no std::vector<root>");
  if constexpr (has_elicit<H>)
    static_assert(answers_as<elicit_answer<H>, elicit_result>, "comcp: this handler's elicit() returns no elicit_result");
  if constexpr (has_elicit_url<H>)
    static_assert(answers_as<elicit_url_answer<H>, elicit_result>,
                  "comcp: this handler's elicit_url() returns no elicit_result");
  if constexpr (has_on_request<H>)
    static_assert(json::writable<typename answer_of<on_request_answer<H>>::type>,
                  "comcp: this handler's on_request() returns nothing that can be written as JSON: json::fragment");
  return true;
}

// Names that come from other languages' SDKs, or from a slip.
template <class H>
constexpr bool names_nearly() {
  return names_createMessage<H>() || names_create_messages<H>() || names_listRoots<H>() || names_list_root<H>() ||
         names_elicitation<H>() || names_elicitUrl<H>() || names_onRequest<H>() || names_on_notification<H>();
}

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

// Of a type that is used as a handler. No part of the concept, which is asked about other arguments of connect() too.
template <class H>
constexpr bool check_members() {
  static_assert(!names_nearly<H>(),
                "comcp: a member of this handler has nearly a handler's name: create_message, list_roots, elicit, "
                "elicit_url, on, on_request");
  static_assert(names_nearly<H>() || handles_something<H> || std::derived_from<H, no_handler> ||
                    std::same_as<H, handler_chain> || std::same_as<H, any_handler>,
                "comcp: this handler handles nothing: it is a class with members such as elicit(elicit_params), "
                "list_roots() or on(tools_list_changed), as comcp/client/handler.hpp lists them; a lambda is none");
  return check_answers<H>();
}

}  // namespace detail
}  // namespace comcp
