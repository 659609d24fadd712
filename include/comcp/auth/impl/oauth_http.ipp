// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/auth/oauth_http.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

COMCP_DECL void oauth_addresses::resolved(net::endpoints const& found) {
  if (connected) return;  // asked before it answered: a name's owner may be slow on purpose
  reach = address_reach::loopback;
  for (auto const& e : found) reach = std::max(reach, reach_of(e.address().to_string()));
  looked_up = true;
}

COMCP_DECL void oauth_addresses::answered_from(std::string const& address) {
  if (address.empty()) return;
  auto const here = reach_of(address);
  reach = connected ? std::max(reach, here) : here;
  looked_up = connected = true;
}

COMCP_DECL bool oauth_addresses::allows(asio::ip::address const& address) const {
  return policy.allows_address(address.to_string(), reach);
}

#if defined(COMCP_SEPARATE_COMPILATION)
template oauth_sender default_oauth_sender<default_http_engine>(endpoint_policy, std::size_t, http_url,
                                                                asio_engine_options, proxy_options, tls_options const&,
                                                                net::lookup_function, std::shared_ptr<oauth_addresses>);
#endif

}  // namespace comcp::detail
