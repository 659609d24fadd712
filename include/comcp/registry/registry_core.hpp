// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A registry without its surface, put together of its parts: servers (who is there), refresher (when their lists are
// read), offers (what came of it), calls (which server one goes to). Internal.
#pragma once

#include <memory>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/client/tenant.hpp>
#include <comcp/registry/calls.hpp>
#include <comcp/registry/offers.hpp>
#include <comcp/registry/refresher.hpp>
#include <comcp/registry/registry_options.hpp>
#include <comcp/registry/servers.hpp>

namespace comcp::detail {

class registry_core final : private tenant_of<registry_core>, public std::enable_shared_from_this<registry_core> {
 public:
  COMCP_LAZY registry_core(asio::any_io_executor home, registry_options o);

  COMCP_LAZY void abandon() noexcept;                 ///< The registry went away.
  COMCP_LAZY void spawn(asio::awaitable<void> work);  ///< Detached; keeps the core.
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }

  registry_options const options;
  std::shared_ptr<time_source> const time;
  std::shared_ptr<owner_home> const told_at;  // for what happens on the servers' executors
  registry_servers servers;
  registry_offers offers;
  registry_refresher refresher;
  registry_calls calls;

 private:
  friend tenant_of<registry_core>;
  COMCP_LAZY void lose_context() noexcept;
};

}  // namespace comcp::detail
