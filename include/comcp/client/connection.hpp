// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The life of one connection: it opens, finds the era, becomes ready, and ends. sansio/connection_life says where it
// stands; what follows a loss is client/recovery's. On home only. Internal.
#pragma once

#include <memory>
#include <optional>

#include <asio/awaitable.hpp>

#include <comcp/client/attempt.hpp>
#include <comcp/client/calls.hpp>
#include <comcp/client/channel.hpp>
#include <comcp/client/options.hpp>
#include <comcp/client/status_listeners.hpp>
#include <comcp/sansio/connection_life.hpp>

namespace comcp {
class client_core;

namespace detail {
class negotiation;

class connection {
 public:
  COMCP_LAZY connection(client_core& core, connect_settings const& settings, any_transport t);

  /// The first time. Throws; nothing is left behind then.
  COMCP_LAZY asio::awaitable<void> open();
  // An attempt, in its parts.
  COMCP_LAZY asio::awaitable<result<void>> open_channel();
  COMCP_LAZY asio::awaitable<result<void>> negotiate();
  COMCP_LAZY asio::awaitable<bool> close_channel();
  /// The server is told what it has to be told. True when it became ready then, and was not lost meanwhile.
  COMCP_LAZY asio::awaitable<bool> settle();
  [[nodiscard]] attempt& clock() noexcept { return attempt_; }

  /// The channel closed by itself.
  COMCP_LAZY void closed(error reason);
  COMCP_LAZY asio::awaitable<void> close(error reason);
  /// Waits for the end.
  COMCP_LAZY asio::awaitable<error> ended();
  COMCP_LAZY void finish(error reason);
  /// The owning client went away.
  COMCP_LAZY void abandon() noexcept;
  COMCP_LAZY void context_gone() noexcept;
  /// What the server asked ends, and the authorization that its connection waited for.
  COMCP_LAZY void cancel_inbound();
  /// First the calls, then what else waits for their ends.
  COMCP_LAZY void fail_all(error const& reason);

  /// Whoever listens is told of the new status.
  COMCP_LAZY void on(sansio::life_event e);
  [[nodiscard]] std::shared_ptr<status_listeners> const& listeners() const noexcept { return status_; }
  [[nodiscard]] sansio::connection_life const& life() const noexcept { return life_; }
  [[nodiscard]] connection_status status() const noexcept { return status_->now(); }
  [[nodiscard]] std::optional<error> const& end_reason() const noexcept { return end_reason_; }
  [[nodiscard]] detail::channel& channel() noexcept { return channel_; }
  [[nodiscard]] detail::channel const& channel() const noexcept { return channel_; }
  /// Before the verdict the server may be a legacy one that asks early.
  COMCP_LAZY [[nodiscard]] bool refuses_requests() const;

 private:
  COMCP_LAZY [[nodiscard]] calls::spared spared() const noexcept;
  COMCP_LAZY void tell_status();
  COMCP_LAZY asio::awaitable<void> keep_alive();

  client_core& core_;
  detail::channel channel_;
  sansio::connection_life life_;
  std::shared_ptr<status_listeners> const status_ = std::make_shared<status_listeners>();  // as it was told
  std::optional<error> end_reason_;
  std::weak_ptr<negotiation> negotiation_;
  attempt attempt_;
  bool resumed_ = false;  // it goes on with a saved session
  bool keeping_alive_ = false;
};

}  // namespace detail
}  // namespace comcp
