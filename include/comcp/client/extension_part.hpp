// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An extension at work on one connection, whatever its type. On home only. Internal.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/client/link.hpp>
#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>
#include <comcp/protocol/subscriptions.hpp>
#include <comcp/wire/method.hpp>

namespace comcp {
class unsent_call;
class unfinished_call;

namespace detail {
class client_link;
struct brought_extension;
struct connect_settings;

class extension_part {
 public:
  virtual ~extension_part() = default;
  [[nodiscard]] virtual std::string_view identifier() const noexcept = 0;
  /// Null for what is none of its methods.
  [[nodiscard]] virtual wire::method_rules const* method(std::string_view name) const noexcept = 0;
  [[nodiscard]] virtual bool claims(std::string_view method, std::string_view result_type) const = 0;
  /// Members for the parameters; where there are some, the result is this extension's.
  [[nodiscard]] virtual json::fragment params(unsent_call const& c) const = 0;
  virtual asio::awaitable<json::value> complete(unfinished_call& c) = 0;
  [[nodiscard]] virtual bool abandons() const noexcept = 0;
  virtual asio::awaitable<void> abandon(unfinished_call& c) = 0;
  virtual void notified(std::string const& method, json::value const& params) = 0;
  [[nodiscard]] virtual subscription_filter listen() const = 0;
  [[nodiscard]] virtual json::fragment meta(std::string_view method) const = 0;
};

inline era era_of(client_link const& core) {
  auto const server = core.server();
  return server->version ? server->version->era() : era::legacy;
}
COMCP_LAZY void add_extension(connect_settings& settings, brought_extension e);
COMCP_LAZY prepared_call extension_call(wire::method_rules const& m, json::fragment params, call_options options);
/// `own`, bounded by the call that such a request belongs to; and a wait that is.
COMCP_LAZY call_options within(client_link& core, call_options const& of, std::chrono::steady_clock::time_point end,
                               call_options own);
COMCP_LAZY asio::awaitable<void> wait_within(std::shared_ptr<client_link> core, std::chrono::nanoseconds d,
                                             std::stop_token wake, std::chrono::steady_clock::time_point end);
/// What the extensions want to hear of has changed.
COMCP_LAZY void listen_again(client_link& core);

}  // namespace detail
}  // namespace comcp
