// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Several connections to one server, or to a set of equal ones, behind the client's own interface.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/pool/strategy.hpp>
#include <comcp/server/live_server.hpp>

namespace comcp {

/// A connection on loan: gives itself back when it is destroyed. Others may use the same connection meanwhile.
class lease {
 public:
  client* operator->() noexcept;
  client& operator*() noexcept;
  [[nodiscard]] std::string const& name() const noexcept;  ///< The member's.
};

struct pool_statistics {
  struct member {
    std::string name;
    server_state state;
    std::size_t in_flight;  ///< Calls, and leases.
  };
  std::size_t total, ready, busy;  ///< busy: ready members with something in flight.
  std::vector<member> members;
};

/// Move-only; destroying it is abrupt.
class pool {
 public:
  /// `size` connections made with copies of one configuration.
  pool(asio::any_io_executor home, server_config config, std::size_t size /*, pool_options options*/);
  pool(asio::any_io_executor home, std::vector<server_config> configs /*, pool_options options*/);

  /// Starts every member: completes when each is ready or its first attempt has failed; throws if none is ready.
  asio::awaitable<void> warm_up();
  /// Waits for a ready member (default 5 s). Errors: no_connections.
  asio::awaitable<lease> checkout(std::chrono::nanoseconds timeout = std::chrono::seconds(5));
  // list_tools, call_tool, read_resource, ... : those of client, each on the member that the strategy picks.
  // with_connection(fn), add(config), remove(name), connections(), stats(), close().
};

}  // namespace comcp
