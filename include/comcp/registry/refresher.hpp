// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeps what a registry's servers offer current: reads their lists, as sansio/list_refresh says when. What is wrong with
// one definition, list or server costs no other. On home only. Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <asio/awaitable.hpp>

#include <comcp/registry/member.hpp>

namespace comcp::detail {

/// Which lists are to be read.
namespace list_kinds {
inline constexpr unsigned tools = 1, resources = 2, prompts = 4, all = 7;
}

class registry_refresher {
 public:
  using member = std::shared_ptr<registry_member>;

  explicit registry_refresher(registry_core& core) noexcept : core_(core) {}

  /// These list_kinds are read: at once, or with what else changes within the debounce.
  COMCP_LAZY void touch(member const& m, unsigned kinds, bool at_once);
  /// Nothing that listing meets is an error, and nor is that it takes too long; only that the server, which was ready, is
  /// lost, and not back in time.
  COMCP_LAZY asio::awaitable<void> until_listed(member m, patience p);

  // Operations.
  COMCP_LAZY asio::awaitable<void> refresh(std::string name);
  COMCP_LAZY asio::awaitable<void> refresh_all();

 private:
  COMCP_LAZY asio::awaitable<void> keep_current(member m);
  COMCP_LAZY asio::awaitable<void> gather_changes(member m);
  COMCP_LAZY asio::awaitable<void> read_lists(member m, client c, unsigned kinds);
  COMCP_LAZY void watch(member const& m, client const& c, server_capabilities const& can);
  COMCP_LAZY [[nodiscard]] std::uint64_t ask(member const& m);
  COMCP_LAZY asio::awaitable<void> until_read(member m, std::uint64_t mine, patience p);

  registry_core& core_;
};

}  // namespace comcp::detail
