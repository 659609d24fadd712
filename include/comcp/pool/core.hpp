// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is behind a pool: its members, who of them may be chosen, who waits for one. Runs on the pool's home executor.
// How a member is kept alive is live_server's. Internal.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/net/gate.hpp>
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
  error refused;                    // why it does not; under the core's mutex
  std::optional<log_level> told;    // by the pool, over whichever connection
};

/// A member that was chosen for one call.
class pool_turn {
 public:
  pool_turn(lease l, std::shared_ptr<live_server> live) noexcept : lease_(std::move(l)), live_(std::move(live)) {}
  [[nodiscard]] client const& connection() const noexcept { return *lease_; }
  [[nodiscard]] lease take_lease() && noexcept { return std::move(lease_); }
  void ended() const { live_->call_ended(nullptr); }
  void ended(error const& failure) const { live_->call_ended(&failure); }

 private:
  lease lease_;
  std::shared_ptr<live_server> live_;
};

class pool_core final : public live_server_owner, private tenant, public std::enable_shared_from_this<pool_core> {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using self_type = std::shared_ptr<pool_core>;

  pool_core(asio::any_io_executor home, pool_options options);
  pool_core(pool_core const&) = delete;
  pool_core& operator=(pool_core const&) = delete;
  COMCP_DECL virtual ~pool_core();

  /// Once, right after it was made.
  void begin(std::vector<server_config> const& configs);

  // On home.
  static asio::awaitable<pool_turn> take(self_type self, std::chrono::nanoseconds timeout, std::stop_token stop);
  static asio::awaitable<lease> checkout(self_type self, std::chrono::nanoseconds timeout);
  /// Waits within the options' timeout, and takes what was waited off it.
  static asio::awaitable<pool_turn> take_for_call(self_type self, call_options& options);
  static asio::awaitable<std::string> add(self_type self, server_config config);
  static asio::awaitable<void> remove(self_type self, std::string name);
  static asio::awaitable<void> warm_up(self_type self);
  static asio::awaitable<void> set_log_level(self_type self, log_level level, call_options options);
  static asio::awaitable<void> close(self_type self);

  // From any thread.
  void abandon() noexcept;
  [[nodiscard]] std::vector<server_status> connections() const;
  [[nodiscard]] pool_statistics statistics() const;
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }

  // live_server_owner
  COMCP_DECL void state_changed(std::string const& name) override;
  COMCP_DECL void became_ready(std::string const& name) override;
  COMCP_DECL void gave_up(std::string const& name) override;

 private:
  using member_ptr = std::shared_ptr<pool_member>;
  struct ending;

  member_ptr enter(server_config config, server_state first);
  [[nodiscard]] member_ptr find(std::string_view name) const;
  bool take_out(member_ptr const& m);
  void launch(pool_member& m);
  void launch_lazy();
  bool admit(member_ptr const& m);
  void tell_level(pool_member& m, client const& c);
  void set_state(pool_member& m, server_state s);
  [[nodiscard]] std::optional<pool_turn> pick();
  [[nodiscard]] std::size_t choose();
  [[nodiscard]] bool is_hopeful() const noexcept;
  [[nodiscard]] error nobody() const;
  [[nodiscard]] server_status status_of(pool_member const& m) const;
  void require_open() const;
  void abrupt() noexcept;

  void changed();
  static asio::awaitable<void> change(self_type self, time_point until, std::stop_token stop);
  [[nodiscard]] std::shared_ptr<ending> stop(std::vector<member_ptr> members);
  static asio::awaitable<void> stop_one(std::shared_ptr<live_server> live, std::shared_ptr<ending> all);

  [[nodiscard]] std::shared_ptr<void> itself() noexcept override { return weak_from_this().lock(); }
  COMCP_DECL void context_gone() noexcept override;

  pool_options options_;
  std::function<std::size_t(std::span<pool_candidate const>)> pick_;
  std::shared_ptr<time_source> time_;
  std::chrono::nanoseconds timeout_{0};  // of calls that say none: the longest of the members'
  mutable std::mutex mutex_;             // over changes of members_, which only home makes, and of pool_member::refused
  std::vector<member_ptr> members_;      // by id
  std::size_t last_id_ = 0;
  std::set<gate*> waiting_;
  std::optional<std::string> identity_;  // of all sessions; known from the first
  std::optional<log_level> level_;
  std::vector<pool_candidate> candidates_;  // while one is chosen, and who they are
  std::vector<pool_member*> ready_;
  std::shared_ptr<ending> ending_;
  bool closed_ = false;
};

}  // namespace comcp::detail
