// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls the members of a concrete handler: decodes what came, passes the context where it is wanted, and
// turns whatever the member returned into the text of an answer.
#pragma once

#include <asio/awaitable.hpp>

#include <comcp/client/answers.hpp>
#include <comcp/client/context.hpp>
#include <comcp/client/handler_parts.hpp>
#include <comcp/client/handler_traits.hpp>
#include <comcp/result.hpp>

namespace comcp::detail {

template <class T>
inline constexpr bool is_awaitable = false;
template <class T>
inline constexpr bool is_awaitable<asio::awaitable<T>> = true;
template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<result<T>> = true;

inline error invalid_params(error const& why) {
  return error::from_peer({-32602, "Invalid params: " + std::string(why.message()), {}});
}
inline error method_not_found(std::string const& method) {
  return error::from_peer({-32601, "Method not found: " + method, {}});
}

inline json::fragment answer_text(std::vector<root> const& roots) {
  list_roots_result r;
  r.roots = roots;
  return json::fragment::of(r);
}
template <class V>
json::fragment answer_text(V const& v) {
  return json::fragment::of(v);
}

template <class V>
result<json::fragment> encode_answer(V const& v) {
  if constexpr (is_result<V>) {
    if (!v) return v.error();
    return answer_text(*v);
  } else {
    return answer_text(v);
  }
}

template <class R>
asio::awaitable<result<json::fragment>> settle(R returned) {
  if constexpr (is_awaitable<R>) {
    auto const value = co_await std::move(returned);
    co_return encode_answer(value);
  } else {
    co_return encode_answer(returned);
  }
}

template <class R>
asio::awaitable<result<json::fragment>> settle_elicitation(context ctx, json::value request, R returned) {
  auto settled = settle(std::move(returned));
  auto answered = co_await std::move(settled);
  if (!answered) co_return answered;
  auto completed = complete_elicitation(ctx, request.view(), *answered);
  co_return completed;
}

template <class R>
asio::awaitable<result<json::fragment>> settle_roots(R returned) {
  auto settled = settle(std::move(returned));
  auto answered = co_await std::move(settled);
  if (!answered) co_return answered;
  if (auto const ok = check_roots(*answered); !ok) co_return ok.error();
  co_return answered;
}

COMCP_LAZY asio::awaitable<result<json::fragment>> refuse(error e);

// Calls f(args..., ctx) or f(args...), whichever the member takes.
template <class F, class... A>
auto with_context(F&& f, context& ctx, A&&... args) {
  if constexpr (requires { f(std::forward<A>(args)..., ctx); }) {
    return f(std::forward<A>(args)..., ctx);
  } else {
    return f(std::forward<A>(args)...);
  }
}

template <class H>
void declare(H& h, client_capabilities& c) {
  if constexpr (has_create_message<H>) {
    if (!c.sampling) c.sampling.emplace();
  }
  if constexpr (has_list_roots<H>) {
    if (!c.roots) c.roots.emplace();
  }
  if constexpr (has_elicit<H> || has_elicit_url<H>) {
    if (!c.elicitation) c.elicitation.emplace();
    if constexpr (has_elicit<H>) c.elicitation->form = true;
    if constexpr (has_elicit_url<H>) c.elicitation->url = true;
  }
  if constexpr (requires { h.roots_list_changed(); }) c.roots->list_changed = true;
  if constexpr (has_capabilities<H>) h.capabilities(c);
}

template <class H>
bool answers(H const&, std::string_view method) {
  if (method == "sampling/createMessage") return has_create_message<H>;
  if (method == "roots/list") return has_list_roots<H>;
  if (method == "elicitation/create") return has_elicit<H> || has_elicit_url<H>;
  return has_on_request<H>;
}

template <class H>
bool elicits(H const&, elicit_mode mode) {
  return mode == elicit_mode::url ? has_elicit_url<H> : has_elicit<H>;
}

template <class H>
bool receives(H const&, std::string_view method) {
  if (method == "notifications/tools/list_changed") return has_on<H, tools_list_changed>;
  if (method == "notifications/prompts/list_changed") return has_on<H, prompts_list_changed>;
  if (method == "notifications/resources/list_changed") return has_on<H, resources_list_changed>;
  if (method == "notifications/resources/updated") return has_on<H, resource_updated>;
  if (method == "notifications/message") return has_on<H, logging_message>;
  return method.empty() && has_on<H, any_notification>;  // empty: the catch-all
}

/// Core is client_core.
template <class H, class Core = client_core>
handler_parts parts_of(H const&) {
  static_assert((!has_list_changes<H> && !has_answers<H> && !has_capabilities<H>) || has_definition<Core>,
                "comcp: a source that makes a handler which answers or hears of lists includes comcp/comcp.hpp");
  handler_parts parts;
  if constexpr (has_list_changes<H>) parts.subscriptions = [](client_core& c) { return make_subscriptions(c); };
  if constexpr (has_answers<H> || has_capabilities<H>) parts.rounds = [](client_core& c) { return make_rounds(c); };
  return parts;
}

template <class H>
asio::awaitable<result<json::fragment>> answer_elicitation(H& h, json::value const& params, context& ctx) {
  auto request = json::read<elicit_params>(params.view());
  if (!request) return refuse(invalid_params(request.error()));
  if (request->mode == elicit_mode::url) {
    if constexpr (has_elicit_url<H>) {
      auto const member = [&h](auto&&... a) -> decltype(h.elicit_url(std::forward<decltype(a)>(a)...)) {
        return h.elicit_url(std::forward<decltype(a)>(a)...);
      };
      return settle_elicitation(ctx, params, with_context(member, ctx, *std::move(request)));
    }
  } else {
    if constexpr (has_elicit<H>) {
      auto const member = [&h](auto&&... a) -> decltype(h.elicit(std::forward<decltype(a)>(a)...)) {
        return h.elicit(std::forward<decltype(a)>(a)...);
      };
      return settle_elicitation(ctx, params, with_context(member, ctx, *std::move(request)));
    }
  }
  return refuse(error::from_peer({-32602, "Invalid params: this elicitation mode was not declared", {}}));
}

template <class H>
asio::awaitable<result<json::fragment>> answer(H& h, std::string const& method, json::value const& params,
                                               context& ctx) {
  if (method == "sampling/createMessage") {
    if constexpr (has_create_message<H>) {
      auto request = json::read<create_message_params>(params.view());
      if (!request) return refuse(invalid_params(request.error()));
      if (auto const ok = request->check_tool_results(); !ok) return refuse(invalid_params(ok.error()));
      auto const member = [&h](auto&&... a) -> decltype(h.create_message(std::forward<decltype(a)>(a)...)) {
        return h.create_message(std::forward<decltype(a)>(a)...);
      };
      return settle(with_context(member, ctx, *std::move(request)));
    }
  } else if (method == "roots/list") {
    if constexpr (has_list_roots<H>) {
      auto const member = [&h](auto&&... a) -> decltype(h.list_roots(std::forward<decltype(a)>(a)...)) {
        return h.list_roots(std::forward<decltype(a)>(a)...);
      };
      return settle_roots(with_context(member, ctx));
    }
  } else if (method == "elicitation/create") {
    if constexpr (has_elicit<H> || has_elicit_url<H>) return answer_elicitation(h, params, ctx);
  }
  if constexpr (has_on_request<H>) {
    auto const member = [&h](auto&&... a) -> decltype(h.on_request(std::forward<decltype(a)>(a)...)) {
      return h.on_request(std::forward<decltype(a)>(a)...);
    };
    return settle(with_context(member, ctx, std::string(method), json::value(params)));
  } else {
    return refuse(method_not_found(method));
  }
}

template <class R>
asio::awaitable<void> wait_for(R returned) {
  co_await std::move(returned);
}
COMCP_LAZY asio::awaitable<void> nothing();

// Hands one notification over; the member may be a coroutine.
template <class H, class N>
asio::awaitable<void> hand_over(H& h, N n, context& ctx) {
  auto const member = [&h](auto&&... a) -> decltype(h.on(std::forward<decltype(a)>(a)...)) {
    return h.on(std::forward<decltype(a)>(a)...);
  };
  static_assert(answers_nothing<decltype(with_context(member, ctx, std::move(n)))>,
                "comcp: this handler's on() returns neither void nor asio::awaitable<void>: nobody looks at what it says");
  if constexpr (is_awaitable<decltype(with_context(member, ctx, std::move(n)))>) {
    return wait_for(with_context(member, ctx, std::move(n)));
  } else {
    with_context(member, ctx, std::move(n));
    return nothing();
  }
}

template <class N, class H>
asio::awaitable<void> notify_as(H& h, std::string const& method, json::value const& params, context& ctx) {
  if constexpr (has_on<H, N> && !std::same_as<N, any_notification>) {
    if (params.is_null()) return hand_over(h, N(), ctx);
    return hand_over(h, json::read<N>(params.view()).value(), ctx);
  } else if constexpr (has_on<H, any_notification>) {
    return hand_over(h, any_notification(method, params), ctx);
  } else {
    return nothing();
  }
}

template <class H>
asio::awaitable<void> notify(H& h, std::string const& method, json::value const& params, context& ctx) {
  if (method == "notifications/tools/list_changed") return notify_as<tools_list_changed>(h, method, params, ctx);
  if (method == "notifications/prompts/list_changed") return notify_as<prompts_list_changed>(h, method, params, ctx);
  if (method == "notifications/resources/list_changed")
    return notify_as<resources_list_changed>(h, method, params, ctx);
  if (method == "notifications/resources/updated") return notify_as<resource_updated>(h, method, params, ctx);
  if (method == "notifications/message") return notify_as<logging_message>(h, method, params, ctx);
  if (method == "notifications/elicitation/complete") return notify_as<elicitation_complete>(h, method, params, ctx);
  if (method == "notifications/cancelled") return notify_as<cancelled>(h, method, params, ctx);
  if (method == "notifications/progress") return notify_as<progress_notification>(h, method, params, ctx);
  return notify_as<any_notification>(h, method, params, ctx);
}

// A chain is a handler too; defined where any_handler is complete.
void declare(handler_chain& chain, client_capabilities& c);
bool answers(handler_chain const& chain, std::string_view method);
bool elicits(handler_chain const& chain, elicit_mode mode);
bool receives(handler_chain const& chain, std::string_view method);
handler_parts parts_of(handler_chain const& chain);
COMCP_LAZY asio::awaitable<result<json::fragment>> answer(handler_chain& chain, std::string const& method,
                                                          json::value const& params, context& ctx);
COMCP_LAZY asio::awaitable<void> notify(handler_chain& chain, std::string const& method, json::value const& params,
                                        context& ctx);

}  // namespace comcp::detail
