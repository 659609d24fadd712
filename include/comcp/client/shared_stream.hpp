// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The one subscriptions/listen stream of the modern era that all local subscribers share: it always asks for what they
// want now, and is opened again when it breaks. On home only. Internal.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/listen_streams.hpp>
#include <comcp/sansio/backoff.hpp>

namespace comcp::detail {
class subscription_hub;

class shared_stream {
 public:
  using pointer = listen_streams::pointer;

  shared_stream(client_core& core, subscription_hub& hub, listen_streams& streams) noexcept
      : core_(core), hub_(hub), streams_(streams) {}

  /// What is wanted may have changed, or the connection is a new one.
  COMCP_LAZY void refresh();
  /// Waits until what is wanted now, this resource with it, is acknowledged.
  COMCP_LAZY asio::awaitable<error> join(std::string uri, prepared_call& c);
  /// One of the open streams ended.
  COMCP_LAZY void over(pointer const& s);
  COMCP_LAZY void ended(error const& reason);
  /// It broke, or what it brings did not come: what changes until the next one is open, nobody tells.
  void gap(bool is) noexcept { gap_ = is; }
  /// Whether there was one, which ends.
  [[nodiscard]] bool close_gap() noexcept { return std::exchange(gap_, false); }

 private:
  COMCP_LAZY void reopen_later();
  COMCP_LAZY void give_up_opening();
  COMCP_LAZY asio::awaitable<void> reconcile();

  client_core& core_;
  subscription_hub& hub_;
  listen_streams& streams_;
  pointer open_, opening_;           // the latter is not acknowledged yet
  std::vector<request_id> waiting_;  // for the end of a reconciliation
  call_options patience_;            // the longest timeout of those
  sansio::backoff delays_{reconnect_policy::forever().delay(std::chrono::seconds(1),
                                                            std::chrono::seconds(30))};  // while the server ends it
  bool reconciling_ = false;
  bool reopening_ = false;  // the wait before the next attempt is under way
  bool gap_ = false;
};

}  // namespace comcp::detail
