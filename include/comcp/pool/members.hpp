// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who is in a pool, how they stand, and who of them takes the next call. Home alone changes the list, and reads it without
// the mutex; every other thread reads under it. Internal.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/pool/lease.hpp>
#include <comcp/pool/options.hpp>
#include <comcp/server/live_server.hpp>

namespace comcp::detail {

struct pool_member {
  pool_member(std::size_t n, server_state first) : id(n), load(std::make_shared<pool_load>(std::to_string(n))), state(first) {}

  std::size_t const id;
  std::shared_ptr<pool_load> const load;
  std::shared_ptr<live_server> live;
  std::atomic<server_state> state;  // as the pool sees it: ready once it was found to belong here
  error refused;                    // why it does not; under the mutex
  std::optional<log_level> told;    // by the pool, over whichever connection
};

/// A member that was chosen for one call.
class pool_turn {
 public:
  pool_turn(lease l, std::shared_ptr<live_server> live) noexcept : lease_(std::move(l)), live_(std::move(live)) {}
  [[nodiscard]] client const& connection() const noexcept { return *lease_; }
  [[nodiscard]] lease take_lease() && noexcept { return std::move(lease_); }
  COMCP_LAZY void ended() const { live_->call_ended(nullptr); }
  COMCP_LAZY void ended(error const& failure) const { live_->call_ended(&failure); }

 private:
  lease lease_;
  std::shared_ptr<live_server> live_;
};

/// Counts one that waits, as long as it is there.
class pool_waiter {
 public:
  explicit pool_waiter(std::atomic<std::size_t>& all) noexcept : all_(all) { all_.fetch_add(1, std::memory_order_relaxed); }
  pool_waiter(pool_waiter const&) = delete;
  pool_waiter& operator=(pool_waiter const&) = delete;
  ~pool_waiter() { all_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t>& all_;
};

class pool_members {
 public:
  using member = std::shared_ptr<pool_member>;

  explicit pool_members(pool_options const& options) : pick_(options.strategy()) {}

  // On home.
  [[nodiscard]] std::vector<member> const& all() const noexcept { return all_; }
  COMCP_LAZY [[nodiscard]] member find(std::string_view name) const;
  COMCP_LAZY void add(member m);
  COMCP_LAZY bool remove(member const& m);  ///< False where another did it before.
  COMCP_LAZY std::vector<member> remove_all();
  COMCP_LAZY void refuse(pool_member& m, error why);
  /// None where none is ready. Throws where the strategy fails.
  COMCP_LAZY [[nodiscard]] std::optional<pool_turn> pick();
  /// Whether one may become ready by itself.
  COMCP_LAZY [[nodiscard]] bool is_hopeful() const noexcept;
  /// Why there is nobody.
  COMCP_LAZY [[nodiscard]] error nobody() const;

  [[nodiscard]] pool_waiter one_waits() noexcept { return pool_waiter(waiting_); }

  // From any thread.
  COMCP_LAZY [[nodiscard]] std::vector<server_status> status() const;
  COMCP_LAZY [[nodiscard]] pool_statistics statistics() const;
  COMCP_LAZY void cut() noexcept;

 private:
  COMCP_LAZY [[nodiscard]] std::size_t choose();

  std::function<std::size_t(std::span<pool_candidate const>)> pick_;
  std::vector<pool_candidate> candidates_;  // while one is chosen, and who they are
  std::vector<pool_member*> ready_;
  mutable std::mutex mutex_;
  std::vector<member> all_;  // by id
  std::atomic<std::size_t> waiting_{0};
};

}  // namespace comcp::detail
