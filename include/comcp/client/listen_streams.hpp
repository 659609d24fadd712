// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The open subscriptions/listen requests of the modern era, what comes on each, and who reads it (2026-07-28,
// basic/patterns/subscriptions). On home only. Internal.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/listen_stream.hpp>
#include <comcp/client/pipeline.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/subscriptions.hpp>

namespace comcp {
class client_core;

namespace detail {

class listen_streams {
 public:
  using pointer = std::shared_ptr<listen_stream>;
  enum class route { taken, shared, untagged };

  /// `over` hears of each that ends.
  listen_streams(client_core& core, std::function<void(pointer const&)> over) : core_(core), over_(std::move(over)) {}

  /// Sends the request; it lives until the server or we end it.
  COMCP_LAZY void open(pointer const& s);
  COMCP_LAZY asio::awaitable<error> acknowledged(pointer s, call_options options);
  COMCP_LAZY void close(listen_stream& s);
  /// A user's own stream.
  COMCP_LAZY asio::awaitable<pointer> listen(subscription_filter filter, call_options options);
  COMCP_LAZY asio::awaitable<std::optional<any_notification>> next(pointer s);

  /// Whose notification it was: of an independent stream (or nobody's), of the shared one, or of no stream.
  COMCP_LAZY route routed(std::string const& method, json::value const& params);
  COMCP_LAZY void cancelled_by_server(json::view request);
  COMCP_LAZY void end_all(error const& reason);
  COMCP_LAZY void shut_down() noexcept;

 private:
  COMCP_LAZY void stream_over(pointer const& s, reply r);
  COMCP_LAZY asio::awaitable<reply> open_for(pointer s, prepared_call& c);
  COMCP_LAZY [[nodiscard]] pointer by_id(std::uint64_t id) const;

  client_core& core_;
  std::function<void(pointer const&)> over_;
  std::vector<pointer> open_;
};

/// By way of the interceptors, which may deny and record it. Throws what it fails with.
COMCP_LAZY asio::awaitable<void> ask_subscription(client_core& core, prepared_call c, performer::function how);

inline bool is_other_version(error const& e) { return e.peer() && e.peer()->code == -32022; }

}  // namespace detail
}  // namespace comcp
