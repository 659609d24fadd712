// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How long to wait before connecting again, and when to stop trying. Waiting itself, and the randomness, are others'.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <comcp/sansio/reconnect.hpp>

namespace comcp {

namespace sansio {

/// Exponential backoff. `random` is from 0 to 1; `asked` is what the server asked for.
class backoff {
 public:
  using milliseconds = std::chrono::milliseconds;

  static constexpr milliseconds shortest{100};
  /// What was open for less long has failed.
  static constexpr std::chrono::seconds lasting{5};

  explicit backoff(reconnect_policy const& policy) : policy_(policy) {}

  /// It could not be opened: the next wait, or nothing when the attempts are used up.
  [[nodiscard]] std::optional<milliseconds> failed(double random, std::optional<milliseconds> asked = {}) {
    if (++failures_ > policy_.attempts()) return {};
    return wait(random, asked);
  }
  /// It was open for so long and ended, cleanly or not. Whether it brought something new, which uses up no attempt but is
  /// no reason to come back sooner: a server may end each stream after one event.
  [[nodiscard]] std::optional<milliseconds> ended(std::chrono::nanoseconds lived, bool brought, double random,
                                                  std::optional<milliseconds> asked = {}) {
    if (lived < lasting && !brought) return failed(random, asked);
    if (lived >= lasting) proved();
    failures_ = 0;
    if (policy_.attempts() == 0) return {};
    return wait(random, asked);
  }
  /// All is well: the next failure is the first.
  void proved() noexcept { failures_ = steps_ = 0; }
  /// In a row, the last one too that found the attempts used up.
  [[nodiscard]] unsigned failures() const noexcept { return failures_; }

 private:
  [[nodiscard]] milliseconds wait(double random, std::optional<milliseconds> asked) {
    auto const most = policy_.longest();
    // No server may ask for a busy loop.
    if (asked) asked = std::clamp(*asked, std::min({shortest, policy_.first(), most}), most);
    auto const first = std::min(asked.value_or(most), policy_.first());
    double const grown = static_cast<double>(first.count()) * std::pow(policy_.factor(), std::min(steps_++, 64U));
    double const bounded = std::min(grown, static_cast<double>(most.count()));
    auto const chosen = milliseconds(static_cast<milliseconds::rep>(bounded * (1 - policy_.jitter() * random)));
    return std::max(chosen, asked.value_or(chosen));
  }

  reconnect_policy policy_;
  unsigned failures_ = 0;  // that use up the attempts
  unsigned steps_ = 0;     // by which the wait has grown
};

}  // namespace sansio
}  // namespace comcp
