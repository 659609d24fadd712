// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Hooks on what the server sends unasked: requests before the handler and answers before they go out, and notifications
// before anybody hears of them. They may see, change, answer, deny or drop. Ready ones are in client/guards.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/client/context.hpp>
#include <comcp/client/options.hpp>
#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>
#include <comcp/result.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp {

/// A request of the server on its way to the handler. `params` may be replaced.
struct incoming_request {
  incoming_request(json::value p, context c) : method(c.method()), params(std::move(p)), about(std::move(c)) {}
  incoming_request(incoming_request&&) = default;
  incoming_request(incoming_request const&) = delete;
  incoming_request& operator=(incoming_request const&) = delete;
  std::string const method;
  json::value params;
  context const about;  ///< Who asks, whether that was withdrawn, and whether it belongs to a call of ours.
  /// What a hook needs of it again in its `after`, by an address of the hook's own. Gone with the request.
  std::map<void const*, std::shared_ptr<void>> kept;
};

/// A notification of the server before anybody heard of it. `params` may be replaced.
struct incoming_notification {
  incoming_notification(std::string m, json::value p) : method(std::move(m)), params(std::move(p)) {}
  std::string const method;
  json::value params;
  std::chrono::steady_clock::time_point at{};  ///< By the client's clock.
  std::uint64_t client = 0;                    ///< A number that no other client of this process has.
  std::optional<request_id> call;              ///< Of progress: the call that waits for it.
};

/// Each hook is optional and runs on the client's executor. Several are asked in the order in which they were added.
///
/// Requests: in the legacy era all, also those that the handler has no member for, but `ping`, which comcp answers, and what
/// is refused unread (no JSON, an id in use, more than limits().handlers_in_flight(), an elicitation or a sampling of a kind
/// that was not declared). In the modern era the input requests of a call: one that was not declared ends the call before.
/// Notifications: all, progress among them.
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
