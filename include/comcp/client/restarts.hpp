// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A connection that was lost, or is to be another, is begun anew: after the pauses of the reconnect_policy, or at once
// and by hand. Compiled by programs that restart. On home only. Internal.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/link.hpp>
#include <comcp/net/chance.hpp>
#include <comcp/sansio/backoff.hpp>

namespace comcp {
class client_core;

namespace detail {
class connection;

class restarts {
 public:
  using nanoseconds = restarts_link::nanoseconds;

  COMCP_LAZY explicit restarts(client_core& core);

  // As for restarts_link.
  COMCP_LAZY bool begin(error const& why);
  COMCP_LAZY error begin_anew(error why, nanoseconds wait);
  COMCP_LAZY asio::awaitable<void> reconnect(error why);
  void on_attempt(std::function<void()> f) { on_attempt_ = std::move(f); }
  void proved() noexcept { delays_.proved(); }
  [[nodiscard]] std::vector<request_id> take_waiting() noexcept { return std::exchange(waiting_, {}); }

 private:
  COMCP_LAZY [[nodiscard]] std::optional<nanoseconds> next(error const& why);
  COMCP_LAZY void give_way(error const& why, nanoseconds wait);
  COMCP_LAZY asio::awaitable<void> run(nanoseconds first_wait);
  COMCP_LAZY asio::awaitable<error> attempt();

  client_core& core_;
  connection& connection_;
  std::vector<request_id> waiting_;  // for the outcome of the next attempt
  std::function<void()> on_attempt_;
  request_id pause_ = 0;    // before the next attempt
  bool at_once_ = false;    // without that
  detail::chance chance_;
  sansio::backoff delays_;  // of attempts in a row
};

/// Them behind their link: that it is virtual is said here alone.
template <class Restarts>
class restarts_behind_link final : public restarts_link {
 public:
  explicit restarts_behind_link(client_core& core) : restarts_(core) {}

  bool begin(error const& why) override { return restarts_.begin(why); }
  error begin_anew(error why, nanoseconds wait) override { return restarts_.begin_anew(std::move(why), wait); }
  asio::awaitable<void> reconnect(error why) override { return restarts_.reconnect(std::move(why)); }
  void on_attempt(std::function<void()> f) override { restarts_.on_attempt(std::move(f)); }
  void proved() noexcept override { restarts_.proved(); }
  std::vector<request_id> take_waiting() noexcept override { return restarts_.take_waiting(); }

 private:
  Restarts restarts_;
};

}  // namespace detail
}  // namespace comcp
