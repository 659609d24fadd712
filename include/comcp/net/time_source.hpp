// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The one seam through which comcp learns the time and waits for it. Tests replace it with
// test/manual_clock.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <asio/any_io_executor.hpp>

namespace comcp {

/// One deadline that can be armed again and again. Used from its executor only.
class deadline {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~deadline() = default;
  /// Calls `fire` on the executor once `at` has come, never from inside arm(). A later arm() or disarm()
  /// replaces it, and the replaced one does not fire. The destructor disarms.
  virtual void arm(time_point at, std::function<void()> fire) = 0;
  virtual void disarm() noexcept = 0;
};

/// Tells the time and makes deadlines. Shared by clients; now() and make_deadline() are safe from any thread.
class time_source {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~time_source() = default;
  [[nodiscard]] virtual time_point now() const noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<deadline> make_deadline(asio::any_io_executor executor) = 0;
};

/// The default: std::chrono::steady_clock and asio::steady_timer.
std::shared_ptr<time_source> steady_time();

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/net/impl/time_source.ipp>
#endif
