// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a command on any system.
#pragma once

#include <algorithm>
#include <string>

#include <comcp/net/child_process.hpp>

namespace comcp::net::detail {

COMCP_DECL error cannot_start(spawn_options const& o, std::string const& why) {
  return {errc::connect_failed, "cannot start '" + (o.command.empty() ? std::string() : o.command.front()) + "': " + why};
}

COMCP_DECL bool has_nul(spawn_options const& o) {
  auto const nul = [](std::string const& s) { return s.find('\0') != std::string::npos; };
  return std::any_of(o.command.begin(), o.command.end(), nul) || nul(o.working_directory) ||
         std::any_of(o.environment.begin(), o.environment.end(),
                     [&](auto const& kv) { return nul(kv.first) || nul(kv.second); });
}

}  // namespace comcp::net::detail
