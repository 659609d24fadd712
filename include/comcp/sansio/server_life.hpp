// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The life of one server: when it is started, tried again, given up, and why. Whoever drives it starts and ends the
// connections, waits, and gives the time and the randomness.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include <comcp/error.hpp>
#include <comcp/sansio/backoff.hpp>

namespace comcp {

/// Where a server stands.
enum class server_state : std::uint8_t {
  stopped,      ///< Not started yet, or stopped by hand.
  starting,     ///< A connection is being made.
  ready,
  backing_off,  ///< Waits before it is started again.
  failed,       ///< Given up: restart() begins anew.
};

std::string_view to_string(server_state s) noexcept;

/// A moment of a server's life.
struct server_event {
  server_event() = default;
  std::chrono::steady_clock::time_point at;  ///< As the time source tells it.
  server_state state = server_state::stopped;  ///< What it came to be.
  error reason;                                ///< Why: empty where all went well.
};

}  // namespace comcp
