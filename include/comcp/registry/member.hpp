// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One server of a registry, and how long a caller waits for it. On home only. Internal.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <comcp/net/gate.hpp>
#include <comcp/registry/offers.hpp>
#include <comcp/sansio/list_refresh.hpp>
#include <comcp/server/bell.hpp>
#include <comcp/server/live_server.hpp>

namespace comcp::detail {

class registry_core;

struct registry_member final : live_server_owner_of<registry_member>, std::enable_shared_from_this<registry_member> {
  COMCP_LAZY registry_member(std::weak_ptr<registry_core> r, std::string n, std::shared_ptr<server_offers> o)
      : registry(std::move(r)), name(std::move(n)), offers(std::move(o)) {}

  COMCP_LAZY void member_changed(std::string const&);
  COMCP_LAZY void member_ready(std::string const&);
  COMCP_LAZY void member_gave_up(std::string const&);

  [[nodiscard]] bool is_lazy() const noexcept { return server->config().start() == start_mode::lazy; }
  [[nodiscard]] bool is_listed() const { return server->connection() && lists.is_current(server->look()->starts); }

  std::weak_ptr<registry_core> registry;
  std::string name;
  std::shared_ptr<live_server> server;
  bell rung;
  error gone;            // why it is no member any more
  bool stopped = false;  // its end is complete

  std::shared_ptr<server_offers> offers;
  sansio::list_refresh lists;
  std::shared_ptr<gate> gathering;     // of changes of its lists
  std::weak_ptr<client_link> watched;  // the connection whose list changes are heard
  std::multimap<std::string, updated_callback, std::less<>> subscribed;  // by uri, for a client to come
};

/// How long a caller waits for a server.
struct patience {
  patience(std::chrono::steady_clock::time_point now, std::chrono::nanoseconds d, std::stop_token s = std::stop_token())
      : start(now), until(later(now, d)), stop(std::move(s)) {}
  std::chrono::steady_clock::time_point start, until;
  std::stop_token stop;
};

}  // namespace comcp::detail
