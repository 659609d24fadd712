// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/net/tcp_connect.hpp>
#include <comcp/version.hpp>

namespace comcp::net {

COMCP_DECL result<void> keep_allowed(endpoints& addresses, address_filter const& allowed, std::string const& name) {
  if (!allowed) return {};
  endpoints kept;
  std::string refused;
  for (auto const& e : addresses) {
    if (allowed(e.address())) {
      kept.push_back(e);
    } else {
      refused += (refused.empty() ? "" : ", ") + e.address().to_string();
    }
  }
  if (kept.empty()) {
    return error(errc::denied, "no address of " + name + " is one that may be connected to (" + refused + ")");
  }
  addresses = std::move(kept);
  return {};
}

}  // namespace comcp::net
