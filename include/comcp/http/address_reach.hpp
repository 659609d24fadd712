// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which addresses are this machine's, a private network's, or everybody's. Pure: names are not looked up.
#pragma once

#include <optional>
#include <string_view>

#include <comcp/version.hpp>

namespace comcp {

/// How far an address is, the nearest first.
enum class address_reach { loopback, private_network, public_network };

/// Of a literal address in brackets or not, of "localhost" and *.localhost; a name is public_network as far as its text
/// says. private_network is everything that is neither global unicast nor loopback: RFC 1918, link-local, unique local,
/// shared, multicast, reserved, unspecified, and IPv6 forms that carry such an IPv4 address.
address_reach reach_of(std::string_view host) noexcept;

namespace detail {
/// Nothing for a name.
std::optional<address_reach> reach_of_literal(std::string_view host) noexcept;
}  // namespace detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/address_reach.ipp>
#endif
