// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Hooks on what the server sends unasked: requests before the handler and answers before they go out, and notifications
// before anybody hears of them. They may see, change, answer, deny or drop. Ready ones are in client/guards.hpp.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/client/context.hpp>
#include <comcp/client/options.hpp>
#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// A request of the server on its way to the handler. `params` may be replaced.
struct incoming_request {
  incoming_request(json::value p, context c) : method(c.method()), params(std::move(p)), about(std::move(c)) {}
  std::string const method;
  json::value params;
  context const about;  ///< Who asks, whether that was withdrawn, and whether it belongs to a call of ours.
};

/// A notification of the server before anybody heard of it. `params` may be replaced.
struct incoming_notification {
  incoming_notification(std::string m, json::value p, std::chrono::steady_clock::time_point now)
      : method(std::move(m)), params(std::move(p)), at(now) {}
  std::string const method;
  json::value params;
  std::chrono::steady_clock::time_point const at;  ///< By the client's clock.
};

/// Each hook is optional and runs on the client's executor. Several are asked in the order in which they were added.
///
/// Requests: all of both eras (the modern one's come as input requests of a call), also those that the handler has no
/// member for, but `ping`, which comcp answers. Notifications: all, progress among them.
struct incoming_hook {
  incoming_hook() {}
  /// Before the handler, and may take its time, as that may. A value is the answer in its place; throwing comcp::exception
  /// denies: with error::from_peer() the server gets exactly that, with any other -32603, and the observer is told.
  std::function<asio::awaitable<std::optional<json::fragment>>(incoming_request&)> before;
  /// Before the answer goes out, also where it is an error: may replace it. In reverse order, for each hook whose turn had
  /// come, also where the request was withdrawn (and is not answered any more).
  std::function<asio::awaitable<void>(incoming_request const&, result<json::fragment>&)> after;
  /// False drops it, which statistics() count; so does one that throws, and the observer is told. The read loop waits for
  /// it: be quick.
  std::function<bool(incoming_notification&)> notified;
};

namespace detail {

using hook_answer = std::optional<json::fragment>;
COMCP_LAZY asio::awaitable<hook_answer> goes_on();
COMCP_LAZY asio::awaitable<void> no_more();
COMCP_LAZY void add_hook(connect_settings& settings, incoming_hook h, bool first);

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/incoming.ipp>
#endif
