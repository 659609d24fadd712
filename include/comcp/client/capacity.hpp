// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who waits for a place among the calls in flight: made when a program waits for the first time, so that others do not
// compile it. On home only. Internal.
#pragma once

#include <memory>

#include <asio/awaitable.hpp>

#include <comcp/client/call_options.hpp>

namespace comcp {
class client_core;

namespace detail {

class capacity_link {
 public:
  virtual ~capacity_link() = default;
  /// Waits as long as a call may: there is room then, and no more turns than that, until the object is gone, wherever.
  /// Throws.
  virtual asio::awaitable<std::shared_ptr<void>> turn(call_options options) = 0;
  [[nodiscard]] virtual bool is_awaited() const noexcept = 0;
  /// There may be room: the first in line hears of it.
  virtual void offer() = 0;
  /// Nobody is to hear of anything any more.
  virtual void close() noexcept = 0;
};

using capacity_maker = std::unique_ptr<capacity_link> (*)(client_core&);
COMCP_LAZY std::unique_ptr<capacity_link> make_capacity(client_core& core);

}  // namespace detail
}  // namespace comcp
