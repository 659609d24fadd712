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
  /// server asks for with `retry`; 100 ms is the least that it gets, and it grows too. A stream that lived for less than
  /// 5 s has failed.
  reconnect_options& delay(milliseconds initial, double factor, milliseconds maximum) {
    return initial_ = initial, factor_ = factor, maximum_ = maximum, *this;
  }
  /// Failures in a row before a broken answer is given up (default 5). The stream on which servers speak unasked is then
  /// said to be gone (observer::on_fault, watches) and tried on at the longest wait, or when calls succeed again.
  /// 0: a stream that breaks is never opened again.
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
  /// What was open for less long has failed.
  static constexpr std::chrono::seconds lasting{5};

  explicit backoff(reconnect_options options) : options_(options) {}

  /// It could not be opened: the next wait, or nothing when the attempts are used up.
  [[nodiscard]] std::optional<milliseconds> failed(double random, std::optional<milliseconds> asked = {}) {
    if (++failures_ > options_.attempts()) return {};
    return wait(random, asked);
  }
  /// It was open for so long and ended, cleanly or not. Whether it brought something new, which uses up no attempt but is
  /// no reason to come back sooner: a server may end each stream after one event.
  [[nodiscard]] std::optional<milliseconds> ended(std::chrono::nanoseconds lived, bool brought, double random,
                                                  std::optional<milliseconds> asked = {}) {
    if (lived < lasting && !brought) return failed(random, asked);
    if (lived >= lasting) proved();
    failures_ = 0;
    if (options_.attempts() == 0) return {};
    return wait(random, asked);
  }
  /// All is well: the next failure is the first.
  void proved() noexcept { failures_ = steps_ = 0; }
  /// In a row, the last one too that found the attempts used up.
  [[nodiscard]] unsigned failures() const noexcept { return failures_; }

 private:
  [[nodiscard]] milliseconds wait(double random, std::optional<milliseconds> asked) {
    auto const most = options_.maximum();
    // No server may ask for a busy loop.
    if (asked) asked = std::clamp(*asked, std::min({shortest, options_.initial(), most}), most);
    auto const first = std::min(asked.value_or(most), options_.initial());
    double const grown = static_cast<double>(first.count()) * std::pow(options_.factor(), std::min(steps_++, 64U));
    double const bounded = std::min(grown, static_cast<double>(most.count()));
    auto const chosen = milliseconds(static_cast<milliseconds::rep>(bounded * (1 - options_.jitter() * random)));
    return std::max(chosen, asked.value_or(chosen));
  }

  reconnect_options options_;
  unsigned failures_ = 0;  // that use up the attempts
  unsigned steps_ = 0;     // by which the wait has grown
};

}  // namespace sansio
}  // namespace comcp
