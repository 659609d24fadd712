// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <comcp/auth/endpoint_policy.hpp>

namespace comcp {

COMCP_DECL result<http_url> endpoint_policy::check(std::string_view url, http_url const& server) const {
  auto const control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::any_of(url.begin(), url.end(), control))
    return error(errc::denied, "an authorization URL has a control character");
  auto parsed = http_url::parse(url);
  if (!parsed) return parsed;
  auto const refuse = [&](char const* why) {
    return error(errc::denied, "authorization may not use " + parsed->origin() + ": " + why);
  };
  auto const reach = reach_of(parsed->host());
  if (!parsed->secure() && reach != address_reach::loopback && !allow_http_) return refuse("it is not https");
  if (parsed->fragment()) return refuse("the URL has a fragment");
  if (reach < reach_of(server.host()) && !allow_private_)
    return refuse("it is a private address, and the MCP server is farther away (see endpoint_policy::allow_private)");
  return parsed;
}

COMCP_DECL bool endpoint_policy::allows_address(std::string_view address, address_reach server_reach) const noexcept {
  auto const reach = detail::reach_of_literal(address);
  return reach && (allow_private_ || *reach >= server_reach);
}

}  // namespace comcp
