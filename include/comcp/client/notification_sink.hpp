// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What registers with inbound to hear of notifications. Internal.
#pragma once

#include <string>

#include <comcp/error.hpp>
#include <comcp/json/value.hpp>

namespace comcp::detail {

/// Hears what the server tells unasked.
class notification_sink {
 public:
  /// True: it was for this one alone.
  virtual bool notified(std::string const& method, json::value const& params) = 0;
  /// The stream that brings it is gone, or came back: no error.
  virtual void deaf(error const& why) { (void)why; }
  /// Whether that stream is worth its opening.
  [[nodiscard]] virtual bool is_awaited() const { return false; }

 protected:
  ~notification_sink() = default;
};

}  // namespace comcp::detail
