// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the facade of a client reaches of its core: each operation by the part that does it. Internal.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

#include <comcp/client/link.hpp>

namespace comcp {
class client_core;

namespace detail {

class core_subscriptions_link final : public subscriptions_link {
 public:
  explicit core_subscriptions_link(client_core& core) noexcept : core_(core) {}

  COMCP_DECL asio::awaitable<void> subscribe(std::string uri, updated_callback f, call_options options) override;
  COMCP_DECL asio::awaitable<void> unsubscribe(std::string uri, call_options options) override;
  COMCP_DECL asio::awaitable<std::shared_ptr<listen_stream>> listen(subscription_filter filter, call_options options) override;
  COMCP_DECL asio::awaitable<std::optional<any_notification>> next(std::shared_ptr<listen_stream> s) override;
  COMCP_DECL void close(listen_stream& s) override;
  COMCP_DECL std::uint64_t watch(std::string kind, std::function<void()> changed,
                                 std::function<void(error const&)> silent) override;
  COMCP_DECL void unwatch(std::uint64_t handle) override;
  COMCP_DECL void on_status(std::function<void(connection_status)> listener) override;
  COMCP_DECL asio::awaitable<bool> sleep(std::chrono::nanoseconds d) override;

 private:
  client_core& core_;
};

class core_link final : public client_link {
 public:
  explicit core_link(client_core& core) noexcept : core_(core), subscriptions_(core) {}

  COMCP_DECL asio::awaitable<reply> begin(asio::any_io_executor const& here, prepared_call& c, pending_entry& e,
                                          bool& plain) override;
  [[nodiscard]] COMCP_DECL bool needs_settling(prepared_call const& c, reply const& r) const override;
  COMCP_DECL asio::awaitable<reply> settle(prepared_call& c, reply r) override;
  COMCP_DECL asio::awaitable<void> set_level(log_level level, call_options options) override;
  COMCP_DECL asio::awaitable<void> notify(std::string method, std::string params) override;
  COMCP_DECL asio::awaitable<void> notify_roots_changed() override;
  COMCP_DECL void notify_now(std::string_view method, std::string_view params) override;
  COMCP_DECL asio::awaitable<void> adopt_tools(list_tools_result& page) override;
  [[nodiscard]] COMCP_DECL list_bounds bounds(call_options const& options) const override;
  [[nodiscard]] subscriptions_link& subscriptions() noexcept override { return subscriptions_; }
  COMCP_DECL asio::awaitable<void> close() override;
  COMCP_DECL asio::awaitable<void> restart() override;
  COMCP_DECL asio::awaitable<error> ended() override;
  COMCP_DECL void abandon() noexcept override;
  [[nodiscard]] COMCP_DECL connection_status status() const noexcept override;
  [[nodiscard]] COMCP_DECL server_profile const& server() const noexcept override;
  [[nodiscard]] COMCP_DECL std::optional<protocol_version> version() const noexcept override;
  [[nodiscard]] COMCP_DECL era_verdict verdict() const override;
  [[nodiscard]] COMCP_DECL std::optional<saved_session> session() const override;
  [[nodiscard]] COMCP_DECL comcp::transport_info transport_info() const override;
  [[nodiscard]] COMCP_DECL comcp::statistics statistics() const override;
  [[nodiscard]] COMCP_DECL asio::any_io_executor const& home() const noexcept override;
  COMCP_DECL void fault(error what) override;

 private:
  client_core& core_;
  core_subscriptions_link subscriptions_;
};

}  // namespace detail
}  // namespace comcp
