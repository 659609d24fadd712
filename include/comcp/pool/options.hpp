// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a pool may be told, and what it tells about itself. What a connection is told is its configuration's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <comcp/client/statistics.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/pool/strategy.hpp>
#include <comcp/sansio/server_life.hpp>
#include <comcp/trace/span.hpp>

namespace comcp {

class pool_options {
 public:
  pool_options() {}

  /// How many connections are made with each configuration (default 1).
  pool_options& size(std::size_t n) { return size_ = n, *this; }
  /// Who takes the next call (default: round_robin()). An index that is none of a candidate's, or an exception, is
  /// errc::invalid_argument for the call that asked.
  template <class Strategy>
  pool_options& strategy(Strategy s) {
    static_assert(pool_strategy<Strategy>,
                  "comcp: this type is no pool strategy: it needs pick(std::span<pool_candidate const>) that gives an "
                  "index, and to be copyable, as comcp/pool/strategy.hpp says");
    pick_ = [own = std::move(s)](std::span<pool_candidate const> ready) mutable {
      return static_cast<std::size_t>(own.pick(ready));
    };
    return *this;
  }
  /// A span for each call, from before a member is waited for; the client's own is below it (comcp/trace/span.hpp).
  pool_options& spans(span_hook hook) { return spans_ = std::move(hook), *this; }
  /// Default: steady_time().
  pool_options& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] auto const& strategy() const noexcept { return pick_; }
  [[nodiscard]] auto const& time() const noexcept { return time_; }
  [[nodiscard]] span_hook const& spans() const noexcept { return spans_; }

 private:
  std::size_t size_ = 1;
  std::function<std::size_t(std::span<pool_candidate const>)> pick_ = [own = round_robin()](auto ready) mutable {
    return own.pick(ready);
  };
  std::shared_ptr<time_source> time_;
  span_hook spans_;
};

/// A pool as it was at one moment.
struct pool_statistics {
  struct member {
    std::string name;
    server_state state = server_state::stopped;
    std::size_t in_flight = 0;        ///< Calls made through the pool, and leases.
    std::uint64_t starts = 0;         ///< Connections that became ready.
    std::optional<statistics> calls;  ///< Its client's, while it is ready. A member that failed has a new client later.
  };
  std::size_t total = 0, ready = 0, busy = 0;  ///< busy: ready members with something in flight.
  std::size_t waiting = 0;                     ///< Calls and checkouts that wait for a member.
  std::vector<member> members;                 ///< In the order in which they were added.
};

}  // namespace comcp
