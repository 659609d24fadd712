// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which servers a registry has: how they come and go, and what is heard of their lives. Home alone writes, and reads
// without the mutex; every other thread reads under it, so that a member's last reference ends on home. Internal.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/registry/member.hpp>

namespace comcp::detail {

class registry_servers {
 public:
  using member = std::shared_ptr<registry_member>;
  using by_name = std::map<std::string, member, std::less<>>;

  explicit registry_servers(registry_core& core) noexcept : core_(core) {}

  // Operations.
  COMCP_LAZY asio::awaitable<void> add(std::string name, server_config config);
  COMCP_LAZY asio::awaitable<void> remove(std::string name);
  COMCP_LAZY asio::awaitable<void> restart(std::string name);
  COMCP_LAZY asio::awaitable<void> close();
  COMCP_LAZY asio::awaitable<bool> settled(std::chrono::nanoseconds limit);

  // From any thread.
  COMCP_LAZY [[nodiscard]] std::vector<std::string> names() const;
  COMCP_LAZY [[nodiscard]] result<server_status> status(std::string_view name) const;
  COMCP_LAZY [[nodiscard]] result<server_config> config(std::string_view name) const;
  COMCP_LAZY [[nodiscard]] result<client> connection(std::string_view name) const;
  /// The servers' processes end at once.
  COMCP_LAZY void cut() noexcept;

  // On home.
  [[nodiscard]] by_name const& all() const noexcept { return all_; }
  COMCP_LAZY [[nodiscard]] member find(std::string_view name) const noexcept;
  COMCP_LAZY [[nodiscard]] member require(std::string_view name) const;
  /// Why there is no such server.
  COMCP_LAZY [[nodiscard]] error absent(std::string_view name) const;
  [[nodiscard]] bool is_closing() const noexcept { return phase_ != phase::open; }
  COMCP_LAZY void ring(registry_member& m) noexcept;
  COMCP_LAZY void state_changed(member const& m);
  COMCP_LAZY void gave_up(member const& m);
  COMCP_LAZY void abrupt() noexcept;
  COMCP_LAZY void context_gone() noexcept;

 private:
  enum class phase { open, closing, closed };

  template <class Look>
  auto look_at(std::string_view name, Look look) const -> decltype(look(std::declval<live_server const&>()));
  COMCP_LAZY void detach(member const& m, error why);
  COMCP_LAZY void let_go(member const& m, error why);
  COMCP_LAZY asio::awaitable<void> stop(member m);
  COMCP_LAZY asio::awaitable<void> close_all();

  registry_core& core_;
  mutable std::mutex mutex_;
  by_name all_;
  std::vector<member> leaving_;  // no members any more, and not stopped yet
  bell rung_;                    // something happened to one of them
  phase phase_ = phase::open;
};

}  // namespace comcp::detail
