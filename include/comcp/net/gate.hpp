// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Waiting for something that happens once, and for a moment, on one executor. Internal.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <comcp/net/time_source.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

/// Closed until open() is called; whoever waits goes on then. Waits can be cancelled.
class gate {
 public:
  explicit gate(asio::any_io_executor on) : timer_(std::move(on), asio::steady_timer::time_point::max()) {}

  void open() noexcept;
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// The gate outlives the wait.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> wait();

 private:
  asio::steady_timer timer_;  // never expires; cancelled when the gate opens
  bool open_ = false;
};

/// Waits on the caller's executor until then, as the source tells the time.
COMCP_LAZY asio::awaitable<void> pause_until(std::shared_ptr<time_source> time, time_source::time_point until);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/net/impl/gate.ipp>
#endif
