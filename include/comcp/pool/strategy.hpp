// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which member of a pool takes the next call.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

namespace comcp {

/// What a strategy sees of a member that is ready.
struct pool_candidate {
  std::size_t id = 0;         ///< Of the member, for as long as it is in the pool.
  std::size_t in_flight = 0;  ///< Calls and leases.
};

/// Gives the index of the chosen candidate; there is at least one. Called on the pool's executor.
template <class S>
concept pool_strategy = requires(S s, std::span<pool_candidate const> ready) {
  { s.pick(ready) } -> std::convertible_to<std::size_t>;
};

}  // namespace comcp
