// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who waits for a place among the calls in flight, first come first served. On home only. Internal.
#pragma once

#include <cstddef>
#include <deque>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>

namespace comcp::detail {
class calls;

class capacity {
 public:
  explicit capacity(calls& table) noexcept : table_(table) {}

  /// Waits as long as a call may. No error is a turn: there is room, and no more turns than that, until turn_over().
  COMCP_LAZY asio::awaitable<error> wait(call_options options);
  /// Its call has begun, or none will.
  void turn_over() {
    --turns_;
    offer();
  }
  /// Nobody is to hear of anything any more.
  void close() noexcept { line_.clear(); }
  [[nodiscard]] bool is_awaited() const noexcept { return !line_.empty(); }
  /// There may be room: the first in line hears of it.
  COMCP_LAZY void offer();

 private:
  COMCP_LAZY [[nodiscard]] bool has_room() const noexcept;

  calls& table_;
  std::deque<request_id> line_;
  std::size_t turns_ = 0;
};

}  // namespace comcp::detail
