// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How long to wait before connecting again, and when to stop trying. Waiting itself, and the randomness, are others'.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace comcp {

/// When a broken stream is opened again.
class reconnect_options {
 public:
  using milliseconds = std::chrono::milliseconds;

  reconnect_options() {}
  /// The first wait (default 1 s), how it grows with each failure (2), and its bound (30 s), which also bounds what a
  /// server asks for with `retry`; 100 ms is the least that it gets.
  reconnect_options& delay(milliseconds initial, double factor, milliseconds maximum) {
    return initial_ = initial, factor_ = factor, maximum_ = maximum, *this;
  }
  /// Failures in a row before it is given up (default 5). 0: a stream that breaks is never opened again.
  reconnect_options& attempts(unsigned n) { return attempts_ = n, *this; }
  /// The share of a wait that is left to chance, 0 to 1 (default 0.25). What a server asked for is never shortened.
  reconnect_options& jitter(double share) { return jitter_ = std::clamp(share, 0.0, 1.0), *this; }

  [[nodiscard]] milliseconds initial() const noexcept { return initial_; }
  [[nodiscard]] double factor() const noexcept { return factor_; }
  [[nodiscard]] milliseconds maximum() const noexcept { return maximum_; }
  [[nodiscard]] unsigned attempts() const noexcept { return attempts_; }
  [[nodiscard]] double jitter() const noexcept { return jitter_; }

 private:
  milliseconds initial_{1000}, maximum_{30'000};
  double factor_ = 2, jitter_ = 0.25;
  unsigned attempts_ = 5;
};

namespace sansio {

/// Exponential backoff. `random` is from 0 to 1; `asked` is what the server asked for.
class backoff {
 public:
  using milliseconds = std::chrono::milliseconds;

  static constexpr milliseconds shortest{100};

  explicit backoff(reconnect_options options) : options_(options) {}

  /// It could not be opened: the next wait, or nothing when the attempts are used up.
  [[nodiscard]] std::optional<milliseconds> failed(double random, std::optional<milliseconds> asked = {}) {
    if (failures_ >= options_.attempts()) return {};
    ++failures_;
    return wait(failures_ - 1, random, asked);
  }
  /// It was open and ended: no failure, but no reason to start from the beginning either.
  [[nodiscard]] std::optional<milliseconds> ended(double random, std::optional<milliseconds> asked = {}) const {
    if (options_.attempts() == 0) return {};
    return wait(failures_, random, asked);
  }
  /// Something came on it.
  void proved() noexcept { failures_ = 0; }

 private:
  [[nodiscard]] milliseconds wait(unsigned step, double random, std::optional<milliseconds> asked) const {
    auto const most = options_.maximum();
    // No server may ask for a busy loop.
    if (asked) return std::clamp(*asked, std::min({shortest, options_.initial(), most}), most);
    double const grown = static_cast<double>(options_.initial().count()) * std::pow(options_.factor(), std::min(step, 64U));
    double const bounded = std::min(grown, static_cast<double>(most.count()));
    return milliseconds(static_cast<milliseconds::rep>(bounded * (1 - options_.jitter() * random)));
  }

  reconnect_options options_;
  unsigned failures_ = 0;
};

}  // namespace sansio
}  // namespace comcp
