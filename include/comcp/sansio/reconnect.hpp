// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// When what was lost is connected again: one vocabulary for a client, for a registry's and a pool's servers, and for
// the event streams of HTTP. How the waits are computed is backoff.hpp's.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace comcp {

/// When to connect again. Each use has a default of its own: connect_options().reconnect() (never),
/// server_config().reconnect() (forever), http_options().reconnect() (five times, the first wait 1 s).
class reconnect_policy {
 public:
  using milliseconds = std::chrono::milliseconds;

  reconnect_policy() {}
  static reconnect_policy never() { return reconnect_policy().attempts(0); }
  static reconnect_policy forever() { return reconnect_policy().attempts(std::numeric_limits<unsigned>::max()); }

  /// Attempts in a row before it is given up (default 5); 0 is never(). What counts as a success, after which the count
  /// begins anew: of a client a call that was answered; of a server proven_after(); of a stream that it lived for 5 s.
  reconnect_policy& attempts(unsigned n) { return attempts_ = n, *this; }
  /// The first wait (default 500 ms), and the longest (30 s). Each is `factor` times (2) the one before. The longest
  /// bounds what a server asks for, too, by Retry-After or a stream's `retry`; 100 ms is the least that it gets.
  reconnect_policy& delay(milliseconds first, milliseconds longest, double factor = 2) {
    return first_ = first, longest_ = longest, factor_ = factor, *this;
  }
  /// The share of a wait by which chance shortens it, 0 to 1 (default 0.25), so that many clients do not come back at
  /// one moment. What a server asked for is never shortened.
  reconnect_policy& jitter(double share) { return jitter_ = std::clamp(share, 0.0, 1.0), *this; }

  /// Servers of a registry or a pool: how long a connection must have lived before its end counts as a first failure
  /// again (default 30 s).
  reconnect_policy& proven_after(std::chrono::nanoseconds d) { return proven_after_ = d, *this; }
  /// Servers of a registry or a pool: calls in a row that end with a failure of the transport before the connection is
  /// given up and begun anew (default 5; 0: never). A tool's isError and JSON-RPC errors are answers, and no failures.
  reconnect_policy& circuit_breaker(unsigned failures) { return breaker_ = failures, *this; }

  [[nodiscard]] unsigned attempts() const noexcept { return attempts_; }
  [[nodiscard]] milliseconds first() const noexcept { return first_; }
  [[nodiscard]] milliseconds longest() const noexcept { return longest_; }
  [[nodiscard]] double factor() const noexcept { return factor_; }
  [[nodiscard]] double jitter() const noexcept { return jitter_; }
  [[nodiscard]] std::chrono::nanoseconds proven_after() const noexcept { return proven_after_; }
  [[nodiscard]] unsigned circuit_breaker() const noexcept { return breaker_; }

 private:
  milliseconds first_{500}, longest_{30'000};
  double factor_ = 2, jitter_ = 0.25;
  std::chrono::nanoseconds proven_after_ = std::chrono::seconds(30);
  unsigned attempts_ = 5, breaker_ = 5;
};

}  // namespace comcp
