// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which addresses authorization may talk to: https, loopback apart, and no private networks unless the MCP server is
// there. What a server's metadata names is hostile until it passed here. Pure.
// Specification: 2026-07-28, basic/authorization/security-considerations, "Communication Security"
#pragma once

#include <string_view>

#include <comcp/http/address_reach.hpp>
#include <comcp/http/url.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// Options of what discovery may reach. Regular.
/// Nothing may be nearer than the MCP server: one on loopback may name anything, one in a private network private and public
/// addresses, but no loopback of this machine, a public one public addresses alone. A server with a name is public as far as
/// check() knows, so that in a company's network either both are names, which allows_address() then decides by what they
/// resolve to, or allow_private() is set.
class endpoint_policy {
 public:
  endpoint_policy() {}
  /// Plain http to a host that is not loopback, for a closed test network. Off by default.
  endpoint_policy& allow_http(bool yes = true) { return allow_http_ = yes, *this; }
  /// Loopback and private addresses although the MCP server has a public one. Off by default.
  endpoint_policy& allow_private(bool yes = true) { return allow_private_ = yes, *this; }

  /// The URL parsed and written anew, if it may be used for authorization to `server`. errc::denied says what is wrong
  /// with it; invalid_argument that it is no URL. The error has its origin at most.
  [[nodiscard]] result<http_url> check(std::string_view url, http_url const& server) const;
  /// Whether a connection to this resolved address may be made for authorization to `server`, whose own addresses
  /// reach as far as `server_reach`.
  [[nodiscard]] bool allows_address(std::string_view address, address_reach server_reach) const noexcept;

 private:
  bool allow_http_ = false, allow_private_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/endpoint_policy.ipp>
#endif
