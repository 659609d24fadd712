// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client's operations as awaitables. What happens underneath is client_core's, which a
// source that is only given a client does not compile; connect() is in client/connect.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/client/call_options.hpp>
#include <comcp/client/operation.hpp>
#include <comcp/client/prepared.hpp>
#include <comcp/client/server_lists.hpp>
#include <comcp/client/subscription.hpp>
#include <comcp/json/build.hpp>
#include <comcp/protocol/completion.hpp>

namespace comcp {
class extension_client;
namespace detail {
template <class E>
extension_client negotiated(std::shared_ptr<client_link> const& core);
}  // namespace detail

/// What every comcp::client can do. Operations return asio::awaitable<T>, may be started, stored and awaited on any
/// executor, and resume there. They throw comcp::exception; co_await as_result(op) gives a result<T> instead. Their
/// arguments are copied or encoded before they return.
class awaitable_client : public server_lists {
 public:
  awaitable_client() = default;
  using server_lists::server_lists;

  // Server features. Specification: server/tools, server/resources, server/prompts, server/utilities/*.

  /// Calls a tool. A result with is_error set is a value: or_throw() on it where that is wanted.
  COMCP_LAZY [[nodiscard]] asio::awaitable<call_tool_result> call_tool(std::string_view name,
                                                                       json::fragment arguments = json::fragment(),
                                                                       call_options options = call_options()) const;
  /// The same, typed: `in` is any writable, Out any readable of the structured content. A tool's error is
  /// errc::tool_failed.
  template <json::readable Out, json::writable In>
  [[nodiscard]] asio::awaitable<Out> call_tool(std::string_view name, In const& in,
                                               call_options options = call_options()) const;

  COMCP_LAZY [[nodiscard]] asio::awaitable<read_resource_result> read_resource(
      std::string_view uri, call_options options = call_options()) const;
  /// Expands the template (RFC 6570) and reads that. Errors: invalid_argument for a bad template.
  COMCP_LAZY [[nodiscard]] asio::awaitable<read_resource_result> read_resource(
      resource_template const& t, json::fragment const& variables, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<get_prompt_result> get_prompt(std::string_view name,
                                                                         json::fragment arguments = json::fragment(),
                                                                         call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<complete_result> complete(complete_params const& what,
                                                                     call_options options = call_options()) const;

  /// Legacy: logging/setLevel. Modern: the level that each later request asks for.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> set_log_level(log_level level,
                                                               call_options options = call_options()) const;
  /// Legacy only; keep-alive uses server/discover in the modern era.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> ping(call_options options = call_options()) const;
  /// Modern only.
  COMCP_LAZY [[nodiscard]] asio::awaitable<discover_result> discover(call_options options = call_options()) const;

  /// Calls `f` at each update of the resource. Completes when the server has acknowledged it, which the options'
  /// timeouts and stop token bound. Several local subscribers of one uri share one subscription on the wire (in the
  /// modern era one for all uris, which carries nobody's `_meta`).
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> subscribe(std::string_view uri,
                                                           updated_callback f = updated_callback(),
                                                           call_options options = call_options()) const;
  /// Ends all local subscriptions to this uri; in the modern era without waiting for the server.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> unsubscribe(std::string_view uri,
                                                             call_options options = call_options()) const;
  /// Modern only: a stream of its own. The options' timeouts and stop token bound its beginning, not its life.
  COMCP_LAZY [[nodiscard]] asio::awaitable<subscription> listen(subscription_filter filter,
                                                                call_options options = call_options()) const;

  /// Any request, such as a vendor's; `params` is an object or absent.
  COMCP_LAZY [[nodiscard]] asio::awaitable<json::value> request(std::string_view method,
                                                                json::fragment params = json::fragment(),
                                                                call_options options = call_options()) const;
  /// Any notification. Not sent (and no error) once the connection is closed.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> notify(std::string_view method,
                                                        json::fragment params = json::fragment()) const;
  /// Tells the server that the roots changed, where the era has that.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> notify_roots_changed() const;

  /// Goes on with a call that manual_input() stopped: `required` is the `raw` of its result, `responses` an object
  /// with an answer for each key of its inputRequests.
  template <json::readable Result>
  [[nodiscard]] asio::awaitable<Result> resume(json::value required, json::fragment responses,
                                               call_options options = call_options()) const;

  /// The operations of an extension that both sides declared: E::operations. Needs the extension's header. Throws:
  /// not_in_protocol where connect_options().extension() was not given it, capability_missing where the server did not
  /// declare it.
  template <class E>
  [[nodiscard]] auto extension() const {
    return typename E::operations(detail::negotiated<E>(core_));
  }

  // The connection.

  /// What the transport says of itself now; after the end, what it said last.
  COMCP_LAZY [[nodiscard]] asio::awaitable<comcp::transport_info> transport_info() const;
  /// Waits until a call would find room under limits().pending_calls(), for as long as the options' timeouts and stop
  /// token let a call wait. First come, first served; who comes back on an executor that runs one at a time (a
  /// strand) begins its call before the next one hears of room. Nothing is reserved: calls that begin without waiting here
  /// may take the place. Errors: timeout, cancelled, closed and why.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> capacity(call_options options = call_options()) const;
  /// Graceful and bounded; cancelling it stops only the waiting. Twice is fine.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close() const;
  /// Ends the connection gracefully and begins a new one at once, as after a crash: what is under way ends with
  /// outcome_unknown, what begins meanwhile waits; handshake, log level and subscriptions are repeated. Completes when
  /// that is ready; throws what it failed with, and then connect_options().reconnect() decides whether it is tried
  /// again (without one the client has ended). Ends the wait before an attempt, too. Cancelling it stops only the
  /// waiting.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> reconnect() const;
  /// Waits for the end and gives its reason.
  COMCP_LAZY [[nodiscard]] asio::awaitable<error> closed() const;
};

template <json::readable Out, json::writable In>
asio::awaitable<Out> awaitable_client::call_tool(std::string_view name, In const& in, call_options options) const {
  auto prepared = detail::tool_call(name, json::fragment::of(in), std::move(options));
  return detail::structured_call<Out>(core_, std::move(prepared));
}

template <json::readable Result>
asio::awaitable<Result> awaitable_client::resume(json::value required, json::fragment responses,
                                                 call_options options) const {
  return detail::resumed<Result>(core_, std::move(required), std::move(responses), std::move(options));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/awaitable_client.ipp>
#endif
