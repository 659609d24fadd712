// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The connection of a live_server: attempts until there is a client, which restores its connection from then on, and the
// end of all that. Whether there is to be one is the server's life to say. On home only. Internal.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include <asio/awaitable.hpp>

#include <comcp/client/core.hpp>
#include <comcp/net/gate.hpp>

namespace comcp::detail {

class live_server;

class server_connection {
 public:
  explicit server_connection(live_server& s) noexcept : server_(s) {}
  ~server_connection() {
    if (core_) let_go_(*core_);
  }
  server_connection(server_connection const&) = delete;
  server_connection& operator=(server_connection const&) = delete;

  /// In the client that is there, if it can, once `wait` is over; else by attempts.
  COMCP_LAZY void begin_anew(error why, std::chrono::nanoseconds wait);
  /// Attempts begin, or go on after a pause that is cut short.
  COMCP_LAZY void attempt();
  /// What it gives back opens when the connection and the attempts are gone; null where there is nothing to wait for.
  COMCP_LAZY std::shared_ptr<gate> end();
  COMCP_LAZY void abandon() noexcept;
  COMCP_LAZY void context_gone() noexcept;
  /// From any thread: what abandon() does to a process of the server, at once and though home may never run again.
  void cut() noexcept { cut_.pull(); }

  [[nodiscard]] bool is_idle() const noexcept { return !core_ && !attempts_; }
  /// Of the connection, or one that restores it.
  [[nodiscard]] std::shared_ptr<client_core> const& core() const noexcept { return core_; }

 private:
  struct attempts;

  COMCP_LAZY [[nodiscard]] any_transport make_transport();
  COMCP_LAZY [[nodiscard]] connect_options options();
  COMCP_LAZY asio::awaitable<void> run(std::shared_ptr<attempts> a);
  COMCP_LAZY asio::awaitable<void> try_until_ready(std::shared_ptr<attempts> a);
  COMCP_LAZY asio::awaitable<void> pause(std::shared_ptr<attempts> a);
  COMCP_LAZY void adopt(std::shared_ptr<client_core> core);
  COMCP_LAZY std::shared_ptr<client_core> take_core();
  COMCP_LAZY void status_changed(connection_status s);
  COMCP_LAZY asio::awaitable<void> wind_up(std::shared_ptr<client_core> core, std::shared_ptr<attempts> a,
                                           std::shared_ptr<gate> before, std::shared_ptr<gate> over);

  live_server& server_;
  std::shared_ptr<client_core> core_;
  void (*let_go_)(client_core&) = nullptr;  // set with the core: who has none compiles none
  kill_switch cut_;                      // of its transport, also while one is being made
  std::shared_ptr<attempts> attempts_;   // to make one, under way
  std::optional<log_level> level_;       // of the last connection
  std::shared_ptr<gate> winding_up_;     // opens when what was ended before is gone
  std::weak_ptr<client_core> leaving_;   // of that
  std::uint64_t epoch_ = 0;  // what an earlier one started has no say any more
};

}  // namespace comcp::detail
