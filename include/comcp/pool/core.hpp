// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is behind a pool: how its members come, are admitted and go, and who waits for one. Runs on the pool's home
// executor. How a member is kept alive is live_server's. Internal.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/pool/members.hpp>
#include <comcp/pool/options.hpp>
#include <comcp/server/bell.hpp>
#include <comcp/server/live_server.hpp>

namespace comcp::detail {

class pool_core final : public live_server_owner_of<pool_core>,
                        private tenant_of<pool_core>,
                        public std::enable_shared_from_this<pool_core> {
 public:
  COMCP_LAZY pool_core(asio::any_io_executor home, pool_options const& options);
  pool_core(pool_core const&) = delete;
  pool_core& operator=(pool_core const&) = delete;

  /// Once, right after it was made: so many connections with each.
  COMCP_LAZY void begin(std::vector<server_config> const& configs, std::size_t size);

  // On home.
  COMCP_LAZY asio::awaitable<pool_turn> take(std::chrono::nanoseconds timeout,
                                             std::stop_token stop = std::stop_token());
  /// Of a call, which carries it from here on; none without a hook.
  COMCP_LAZY [[nodiscard]] open_span begin_span(call_options& options) const;
  /// Waits within the options' timeout, and takes what was waited off it.
  COMCP_LAZY asio::awaitable<pool_turn> take_for_call(call_options& options);
  COMCP_LAZY asio::awaitable<std::string> add(server_config config);
  COMCP_LAZY asio::awaitable<void> remove(std::string name);
  COMCP_LAZY asio::awaitable<void> warm_up();
  COMCP_LAZY asio::awaitable<void> set_log_level(log_level level, call_options options);
  COMCP_LAZY asio::awaitable<void> close();

  // From any thread.
  COMCP_LAZY void abandon() noexcept;
  [[nodiscard]] pool_members const& members() const noexcept { return members_; }
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }

  // live_server_owner
  COMCP_LAZY void member_changed(std::string const& name);
  COMCP_LAZY void member_ready(std::string const& name);
  COMCP_LAZY void member_gave_up(std::string const& name);

 private:
  using member = pool_members::member;
  struct ending;

  COMCP_LAZY member enter(server_config config, server_state first);
  COMCP_LAZY bool take_out(member const& m);
  COMCP_LAZY void launch(pool_member& m);
  COMCP_LAZY bool admit(member const& m);
  COMCP_LAZY void tell_level(pool_member& m, client const& c);
  COMCP_LAZY void set_state(pool_member& m, server_state s);
  COMCP_LAZY void require_open() const;
  COMCP_LAZY [[nodiscard]] std::shared_ptr<ending> stop(std::vector<member> const& members);
  COMCP_LAZY void abrupt() noexcept;
  friend tenant_of<pool_core>;
  COMCP_LAZY void lose_context() noexcept;

  std::shared_ptr<time_source> time_;
  span_hook const spans_;
  std::chrono::nanoseconds timeout_{0};  // of calls that say none: the longest of the members'
  pool_members members_;
  std::size_t last_id_ = 0;
  bell rung_;                            // something about the members changed
  std::optional<std::string> identity_;  // of all sessions; known from the first
  std::optional<log_level> level_;
  std::shared_ptr<ending> ending_;
  bool closed_ = false;
};

COMCP_LAZY asio::awaitable<lease> check_out(std::shared_ptr<pool_core> core, std::chrono::nanoseconds timeout);

}  // namespace comcp::detail
