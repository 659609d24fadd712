// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which member of a pool takes the next call: the concept, and the three strategies that come with it.
#pragma once

#include <concepts>
#include <cstddef>
#include <random>
#include <span>
#include <utility>

namespace comcp {

/// What a strategy sees of a member that is ready.
struct pool_candidate {
  std::size_t id = 0;         ///< Of the member, for as long as it is in the pool. Never given to another.
  std::size_t in_flight = 0;  ///< Calls made through the pool, and leases.
};

/// Gives the index of the chosen candidate; there is at least one, and they come in the order of their ids. Called on
/// the pool's executor, one call at a time. Copyable: each pool has its own.
template <class S>
concept pool_strategy = std::copy_constructible<S> && requires(S s, std::span<pool_candidate const> ready) {
  { s.pick(ready) } -> std::convertible_to<std::size_t>;
};

namespace detail {

/// Who is next after the one that was chosen last: by ids, so that members may come and go in between.
class turn_of {
 public:
  /// `eligible(candidate)` holds for at least one of them.
  template <class Eligible>
  std::size_t next(std::span<pool_candidate const> ready, Eligible const& eligible) {
    std::size_t chosen = ready.size();
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (!eligible(ready[i])) continue;
      if (chosen == ready.size()) chosen = i;
      if (ready[i].id >= from_) {
        chosen = i;
        break;
      }
    }
    from_ = ready[chosen].id + 1;
    return chosen;
  }

 private:
  std::size_t from_ = 0;
};

}  // namespace detail

/// One after the other.
class round_robin {
 public:
  std::size_t pick(std::span<pool_candidate const> ready) {
    return turn_.next(ready, [](pool_candidate const&) { return true; });
  }

 private:
  detail::turn_of turn_;
};

/// Any, each as likely as the others. Give it an engine to have the choices repeat: random(std::minstd_rand(7)).
template <std::uniform_random_bit_generator Engine = std::minstd_rand>
class random {
 public:
  random() : engine_(std::random_device{}()) {}
  explicit random(Engine engine) : engine_(std::move(engine)) {}

  std::size_t pick(std::span<pool_candidate const> ready) {
    return std::uniform_int_distribution<std::size_t>(0, ready.size() - 1)(engine_);
  }

 private:
  Engine engine_;
};

/// The one with the fewest in flight; of several such, one after the other.
class least_busy {
 public:
  std::size_t pick(std::span<pool_candidate const> ready) {
    auto fewest = ready.front().in_flight;
    for (auto const& c : ready) fewest = c.in_flight < fewest ? c.in_flight : fewest;
    return turn_.next(ready, [fewest](pool_candidate const& c) { return c.in_flight == fewest; });
  }

 private:
  detail::turn_of turn_;
};

}  // namespace comcp
