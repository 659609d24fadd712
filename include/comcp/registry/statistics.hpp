// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a registry counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <comcp/client/statistics.hpp>
#include <comcp/sansio/server_life.hpp>

namespace comcp {

/// A registry, each server as it was at one moment. Regular.
struct registry_statistics {
  struct server {
    server() = default;
    std::string name;
    server_state state = server_state::stopped;
    unsigned failures = 0;                    ///< In a row.
    std::uint64_t starts = 0;                 ///< Connections that became ready.
    std::size_t tools = 0, resources = 0, resource_templates = 0, prompts = 0;  ///< In the catalog.
    std::size_t blocked = 0;                  ///< Tools that pins hold back.
    std::size_t faults = 0;                   ///< What its last refresh could not bring into the catalog.
    std::optional<statistics> calls;          ///< Its client's, while it is ready. A server that failed has a new client later.
  };
  std::size_t total = 0, ready = 0;
  std::vector<server> servers;  ///< By name.
};

}  // namespace comcp
