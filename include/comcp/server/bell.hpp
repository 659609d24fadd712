// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Waiting for something to change that changes again and again, on one executor. Internal.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/net/gate.hpp>
#include <comcp/net/time_source.hpp>

namespace comcp::detail {

/// Something happened: whoever waits goes on, and looks whether it was what he waits for. It outlives the waits.
class bell {
 public:
  using time_point = time_source::time_point;

  COMCP_LAZY void ring() noexcept;
  /// Until it rings, `until` comes or a stop is requested.
  COMCP_LAZY asio::awaitable<void> wait(std::shared_ptr<time_source> time, time_point until = time_point::max(),
                                        std::stop_token stop = std::stop_token());

 private:
  std::vector<std::weak_ptr<gate>> waiting_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/server/impl/bell.ipp>
#endif
