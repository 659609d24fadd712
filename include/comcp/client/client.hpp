// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The client as users see it: every operation of MCP as an awaitable (client/awaitable_client.hpp), and the same for
// any completion token of Asio. connect() is in client/connect.hpp.
#pragma once

#include <string_view>
#include <utility>

#include <comcp/client/awaitable_client.hpp>
#include <comcp/client/initiate.hpp>

namespace comcp {

/// A connection to one MCP server. Move-only; destroying it is abrupt (pending calls end with errc::closed, a
/// server process is killed and reaped), close() is graceful.
///
/// Each operation `x` has a form `async_x(..., token)` for Asio's completion tokens, with all arguments said. Its
/// signature is `void(comcp::error, T)` (`void(comcp::error)` where there is no value), T being what the awaitable form
/// gives; the value is T() where the error is set. asio::use_awaitable_t<E> (for any executor type E) and
/// asio::use_future give a T and throw comcp::exception instead.
///
/// These may be called from any thread, and copy their arguments. The handler is called once, never inside the call
/// that began the operation, on its associated executor (default: the client's), with its associated allocator used for
/// what waits. An exception that leaves it leaves that executor's run(). Its cancellation slot is heeded: terminal and
/// partial end the operation with errc::cancelled, total does where nothing of it was sent yet (where it has not begun,
/// of an operation of several requests or with interceptors). Slots are not thread-safe: emit on the handler's
/// executor. Errors: as the awaitable form.
class client : public awaitable_client {
 public:
  client() = default;  ///< Not connected: every operation fails with errc::closed.
  using awaitable_client::awaitable_client;

  template <class Token>
  auto async_call_tool(std::string_view name, json::fragment arguments, call_options options, Token&& token) const {
    return detail::async_call<call_tool_result>(
        core_, detail::tool_call(name, std::move(arguments), std::move(options)), std::forward<Token>(token));
  }
  template <json::readable Out, json::writable In, class Token>
  auto async_call_tool(std::string_view name, In const& in, call_options options, Token&& token) const {
    return detail::async_walk<Out>(get_executor(), call_tool<Out>(name, in, std::move(options)),
                                   std::forward<Token>(token));
  }
  template <class Token>
  auto async_read_resource(std::string_view uri, call_options options, Token&& token) const {
    return detail::async_call<read_resource_result>(core_, detail::resource_call(uri, std::move(options)),
                                                    std::forward<Token>(token));
  }
  template <class Token>
  auto async_read_resource(resource_template const& t, json::fragment const& variables, call_options options,
                           Token&& token) const {
    return detail::async_call<read_resource_result>(core_, detail::resource_call(t, variables, std::move(options)),
                                                    std::forward<Token>(token));
  }
  template <class Token>
  auto async_get_prompt(std::string_view name, json::fragment arguments, call_options options, Token&& token) const {
    return detail::async_call<get_prompt_result>(
        core_, detail::prompt_call(name, std::move(arguments), std::move(options)), std::forward<Token>(token));
  }
  template <class Token>
  auto async_complete(complete_params const& what, call_options options, Token&& token) const {
    return detail::async_call<complete_result>(core_, detail::complete_call(what, std::move(options)),
                                               std::forward<Token>(token));
  }
  template <class Token>
  auto async_set_log_level(log_level level, call_options options, Token&& token) const {
    return detail::async_walk<void>(get_executor(), set_log_level(level, std::move(options)),
                                    std::forward<Token>(token));
  }
  template <class Token>
  auto async_ping(call_options options, Token&& token) const {
    return detail::async_call<void>(core_, detail::prepared_call(wire::methods::ping, {}, std::move(options)),
                                    std::forward<Token>(token));
  }
  template <class Token>
  auto async_discover(call_options options, Token&& token) const {
    return detail::async_call<discover_result>(core_, detail::discover_call(std::move(options)),
                                               std::forward<Token>(token));
  }
  template <class Token>
  auto async_subscribe(std::string_view uri, updated_callback f, call_options options, Token&& token) const {
    return detail::async_walk<void>(get_executor(), subscribe(uri, std::move(f), std::move(options)),
                                    std::forward<Token>(token));
  }
  template <class Token>
  auto async_unsubscribe(std::string_view uri, call_options options, Token&& token) const {
    return detail::async_walk<void>(get_executor(), unsubscribe(uri, std::move(options)), std::forward<Token>(token));
  }
  template <class Token>
  auto async_listen(subscription_filter filter, call_options options, Token&& token) const {
    return detail::async_walk<subscription>(get_executor(), listen(std::move(filter), std::move(options)),
                                            std::forward<Token>(token));
  }
  template <class Token>
  auto async_request(std::string_view method, json::fragment params, call_options options, Token&& token) const {
    return detail::async_call<json::value>(core_, detail::any_call(method, std::move(params), std::move(options)),
                                           std::forward<Token>(token));
  }
  template <class Token>
  auto async_notify(std::string_view method, json::fragment params, Token&& token) const {
    return detail::async_walk<void>(get_executor(), notify(method, std::move(params)), std::forward<Token>(token));
  }
  template <class Token>
  auto async_notify_roots_changed(Token&& token) const {
    return detail::async_walk<void>(get_executor(), notify_roots_changed(), std::forward<Token>(token));
  }
  template <json::readable Result, class Token>
  auto async_resume(json::value required, json::fragment responses, call_options options, Token&& token) const {
    return detail::async_walk<Result>(get_executor(),
                                      resume<Result>(std::move(required), std::move(responses), std::move(options)),
                                      std::forward<Token>(token));
  }
  template <class Token>
  auto async_transport_info(Token&& token) const {
    return detail::async_walk<comcp::transport_info>(get_executor(), this->transport_info(), std::forward<Token>(token));
  }
  template <class Token>
  auto async_capacity(call_options options, Token&& token) const {
    return detail::async_walk<void>(get_executor(), capacity(std::move(options)), std::forward<Token>(token), true);
  }
  template <class Token>
  auto async_close(Token&& token) const {
    return detail::async_walk<void>(get_executor(), close(), std::forward<Token>(token));
  }
  template <class Token>
  auto async_reconnect(Token&& token) const {
    return detail::async_walk<void>(get_executor(), this->reconnect(), std::forward<Token>(token));
  }
  /// The handler is given the reason: `void(comcp::error)`.
  template <class Token>
  auto async_closed(Token&& token) const {
    return detail::async_walk<void>(get_executor(), detail::as_failure(closed()), std::forward<Token>(token));
  }
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/context.ipp>
#endif
