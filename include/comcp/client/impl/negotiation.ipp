// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The state of a handshake under way: the pure machine and the entries that feed it. Internal to the core.
#pragma once

#include <optional>

#include <comcp/client/core.hpp>

namespace comcp {

struct client_core::negotiation {
  negotiation(client_core& c, sansio::handshake m) : core(c), machine(std::move(m)) {}
  negotiation(negotiation const&) = delete;
  negotiation& operator=(negotiation const&) = delete;

  void drop(detail::pending_entry& e) { core.calls_.withdraw(e); }
  void drop_all() {
    drop(probe_entry);
    drop(initialize_entry);
    drop(probe_timer);
    drop(done);
  }

  client_core& core;
  sansio::handshake machine;
  detail::prepared_call probe{"server/discover", {}, {}};
  detail::prepared_call init{"initialize", {}, {}};
  detail::pending_entry probe_entry, initialize_entry, probe_timer, done;
  std::optional<result<void>> outcome;

  // What it found; commit() makes it the core's.
  std::unique_ptr<wire::codec> codec;
  std::optional<discover_result> discovered;
  std::optional<comcp::initialize_result> initialized;
  json::value initialize_result;  // the same, as it came
};

}  // namespace comcp
