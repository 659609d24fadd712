// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include <comcp/client/handler.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> refuse(error e) {
  co_return result<json::fragment>(std::move(e));
}

COMCP_LAZY_DECL asio::awaitable<void> nothing() { co_return; }

COMCP_DECL void declare(handler_chain& chain, client_capabilities& c) {
  for (auto const& h : chain.list()) h.declare(c);
}

COMCP_DECL bool answers(handler_chain const& chain, std::string_view method) {
  for (auto const& h : chain.list()) {
    if (h.answers(method)) return true;
  }
  return false;
}

COMCP_DECL bool receives(handler_chain const& chain, std::string_view method) {
  for (auto const& h : chain.list()) {
    if (h.receives(method)) return true;
  }
  return false;
}

COMCP_DECL handler_parts parts_of(handler_chain const& chain) {
  handler_parts all;
  for (auto const& h : chain.list()) {
    auto const one = h.parts();
    if (one.subscriptions) all.subscriptions = one.subscriptions;
    if (one.rounds) all.rounds = one.rounds;
  }
  return all;
}

COMCP_DECL bool elicits(handler_chain const& chain, elicit_mode mode) {
  for (auto const& h : chain.list()) {
    if (h.elicits(mode)) return true;
  }
  return false;
}

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> answer(handler_chain& chain, std::string const& method,
                                                               json::value const& params, context& ctx) {
  bool const asks_user = method == "elicitation/create";
  auto const mode = asks_user ? params.view().find("mode") : std::nullopt;
  auto const wanted = mode && mode->get_string() == "url" ? elicit_mode::url : elicit_mode::form;
  for (auto const& h : chain.list()) {
    if (asks_user ? h.elicits(wanted) : h.answers(method)) return h.answer(method, params, ctx);
  }
  return refuse(method_not_found(method));
}

// What one of them throws is thrown once all were told.
COMCP_LAZY_DECL asio::awaitable<void> notify(handler_chain& chain, std::string const& method, json::value const& params,
                                             context& ctx) {
  std::exception_ptr thrown;
  for (auto const& h : chain.list()) {
    try {
      auto told = h.notify(method, params, ctx);
      co_await std::move(told);
    } catch (...) {
      if (!thrown) thrown = std::current_exception();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace comcp::detail
