// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user may watch: the status of a connection, and the faults that end nothing.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <comcp/error.hpp>

namespace comcp {

/// Where a connection stands.
enum class connection_status { disconnected, connecting, initializing, ready, closing };

inline std::string_view to_string(connection_status s) noexcept {
  switch (s) {
    case connection_status::disconnected: return "disconnected";
    case connection_status::connecting: return "connecting";
    case connection_status::initializing: return "initializing";
    case connection_status::ready: return "ready";
    case connection_status::closing: return "closing";
  }
  return "?";
}

/// Listeners, all optional, called on the client's executor, never while another handler of it runs. An
/// exception that leaves one ends nothing and is dropped.
struct observer {
  observer() {}
  /// A fault that lost nothing but itself: a bad line, an unknown id, a dropped notification, a handler's exception.
  std::function<void(error const&)> on_fault;
  std::function<void(connection_status)> on_status;
};

}  // namespace comcp
