// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Chance enough to keep clients from coming back all at once. Never for secrets. Internal.
#pragma once

#include <chrono>
#include <cstdint>

namespace comcp::detail {

/// Numbers from 0 to 1 (splitmix64), others for each instance.
class chance {
 public:
  double operator()() noexcept {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
                         reinterpret_cast<std::uintptr_t>(this);
};

}  // namespace comcp::detail
