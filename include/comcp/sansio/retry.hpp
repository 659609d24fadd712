// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a server that could not be started or was lost: whether and when it is tried again.
#pragma once

#include <chrono>
#include <limits>
#include <optional>

#include <comcp/sansio/backoff.hpp>

namespace comcp {

/// When a server is started again, and when its circuit opens. Made by no_retry(), retry() and retry_forever().
class retry_policy {
 public:
  using milliseconds = std::chrono::milliseconds;

  retry_policy(reconnect_options delays) : delays_(delays) {}

  /// How long a connection must have lived before its end counts as a first failure again (default 30 s).
  retry_policy& proven_after(std::chrono::nanoseconds d) { return proven_after_ = d, *this; }
  /// Calls in a row that end with a failure of the transport before the connection is given up and begun anew (default
  /// 5; 0: never). A tool's isError and the server's JSON-RPC errors are answers, and no failures.
  retry_policy& circuit_breaker(unsigned failures) { return breaker_ = failures, *this; }

  [[nodiscard]] reconnect_options const& delays() const noexcept { return delays_; }
  [[nodiscard]] bool evicts() const noexcept { return delays_.attempts() == 0; }
  [[nodiscard]] std::chrono::nanoseconds proven_after() const noexcept { return proven_after_; }
  [[nodiscard]] unsigned circuit_breaker() const noexcept { return breaker_; }

 private:
  reconnect_options delays_;
  std::chrono::nanoseconds proven_after_ = std::chrono::seconds(30);
  unsigned breaker_ = 5;
};

/// A server that is lost is removed.
inline retry_policy no_retry() { return {reconnect_options().attempts(0)}; }

/// Tries `attempts` times again, after base, 2 * base, 4 * base, ..., at most `max`, each shortened by chance by up to the
/// share `jitter`. Then the server has failed, and stays so until restart(). A connection that lived for proven_after()
/// begins the count anew.
inline retry_policy retry(unsigned attempts, std::chrono::milliseconds base = std::chrono::milliseconds(500),
                          std::chrono::milliseconds max = std::chrono::seconds(30), double jitter = 0) {
  return {reconnect_options().attempts(attempts).delay(base, 2, max).jitter(jitter)};
}

/// The same without an end: the default.
inline retry_policy retry_forever(std::chrono::milliseconds base = std::chrono::milliseconds(500),
                                  std::chrono::milliseconds max = std::chrono::seconds(30), double jitter = 0.25) {
  return retry(std::numeric_limits<unsigned>::max(), base, max, jitter);
}

}  // namespace comcp
