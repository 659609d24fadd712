// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A connection of a pool on loan.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <comcp/client/client.hpp>

namespace comcp {
namespace detail {

/// What a member of a pool shares with its leases: nothing that would keep the member alive.
struct pool_load {
  explicit pool_load(std::string n) : name(std::move(n)) {}
  std::string const name;
  std::atomic<std::size_t> in_flight{0};
};

}  // namespace detail

/// A connection on loan, for what belongs to one connection: subscriptions, pages, several calls to one server. It counts
/// as one in flight until it is destroyed, from whatever thread. Others may use the same connection meanwhile.
/// It may outlive the pool, though not the pool's execution context; once its connection is closed (the pool too, or the
/// member removed or started anew) its operations fail with errc::closed. Calls made through it are not seen by the
/// circuit breaker. Move-only; one that was moved from holds nothing.
class lease {
 public:
  lease() = default;
  lease(std::shared_ptr<detail::pool_load> load, client connection) noexcept
      : load_(std::move(load)), connection_(std::move(connection)) {
    load_->in_flight.fetch_add(1, std::memory_order_relaxed);
  }
  lease(lease&&) noexcept = default;
  lease& operator=(lease&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    load_ = std::move(other.load_);
    connection_ = std::move(other.connection_);
    return *this;
  }
  ~lease() { give_back(); }

  [[nodiscard]] client const* operator->() const noexcept { return &connection_; }
  [[nodiscard]] client const& operator*() const noexcept { return connection_; }
  /// The member's, as in pool.connections(). Not to be asked of an empty lease.
  [[nodiscard]] std::string const& name() const noexcept { return load_->name; }
  [[nodiscard]] explicit operator bool() const noexcept { return load_ != nullptr; }

  /// At once; its operations fail with errc::closed from now on. Twice is fine.
  void give_back() noexcept {
    connection_ = client();
    if (auto const load = std::exchange(load_, nullptr)) load->in_flight.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  std::shared_ptr<detail::pool_load> load_;
  client connection_;
};

}  // namespace comcp
