// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <comcp/http/address_reach.hpp>
#include <comcp/http/url.hpp>

namespace comcp {
namespace detail {

struct ipv4_range {
  std::uint32_t first;
  unsigned bits;
};

// RFC 6890 and what was added to its registries; 127.0.0.0/8 apart.
inline constexpr ipv4_range ipv4_not_global[] = {
    {0x00000000, 8},   // this network
    {0x0A000000, 8},   // private
    {0x64400000, 10},  // shared
    {0xA9FE0000, 16},  // link-local
    {0xAC100000, 12},  // private
    {0xC0000000, 24},  // protocol assignments
    {0xC0000200, 24},  // documentation
    {0xC0586300, 24},  // 6to4 relays
    {0xC0A80000, 16},  // private
    {0xC6120000, 15},  // benchmarks
    {0xC6336400, 24},  // documentation
    {0xCB007100, 24},  // documentation
    {0xE0000000, 3},   // multicast, reserved, broadcast
};

COMCP_DECL address_reach reach_of_ipv4(std::uint32_t address) noexcept {
  if (address >> 24 == 127) return address_reach::loopback;
  for (auto const& range : ipv4_not_global) {
    if ((address ^ range.first) >> (32 - range.bits) == 0) return address_reach::private_network;
  }
  return address_reach::public_network;
}

COMCP_DECL address_reach reach_of_ipv6(std::array<std::uint16_t, 8> const& a) noexcept {
  auto const zeros = [&a](std::size_t from, std::size_t to) {
    return std::all_of(a.begin() + from, a.begin() + to, [](std::uint16_t piece) { return piece == 0; });
  };
  auto const carried = [&a](std::size_t at) { return reach_of_ipv4(static_cast<std::uint32_t>(a[at]) << 16 | a[at + 1]); };
  if (zeros(0, 7) && a[7] == 1) return address_reach::loopback;
  if (zeros(0, 5) && a[5] == 0xFFFF) return carried(6);
  // Through a translator, loopback is that of another machine.
  if (a[0] == 0x64 && a[1] == 0xFF9B && zeros(2, 6)) return std::max(carried(6), address_reach::private_network);
  if (a[0] == 0x2002) return std::max(carried(1), address_reach::private_network);
  bool const global = a[0] >> 13 == 1 &&                      // 2000::/3, without
                      !(a[0] == 0x2001 && a[1] < 0x200) &&    // protocol assignments (Teredo among them),
                      !(a[0] == 0x2001 && a[1] == 0xDB8) &&   // documentation,
                      !(a[0] == 0x3FFF && a[1] < 0x1000);     // documentation
  return global ? address_reach::public_network : address_reach::private_network;
}

COMCP_DECL std::optional<address_reach> reach_of_literal(std::string_view host) noexcept {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.find(':') != host.npos) {
    auto const address = http_detail::parse_ipv6(host.substr(0, host.find('%')));
    return address ? reach_of_ipv6(*address) : address_reach::private_network;
  }
  if (!http_detail::ends_in_number(host)) return {};
  auto const address = http_detail::parse_ipv4(host);
  return address ? reach_of_ipv4(*address) : address_reach::private_network;
}

COMCP_DECL bool is_localhost(std::string_view host) noexcept {
  constexpr std::string_view name = "localhost";
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.size() < name.size()) return false;
  auto const end = host.substr(host.size() - name.size());
  bool const same = std::equal(end.begin(), end.end(), name.begin(), [](char c, char lower) { return (c | 0x20) == lower; });
  return same && (host.size() == name.size() || host[host.size() - name.size() - 1] == '.');
}

}  // namespace detail

COMCP_DECL address_reach reach_of(std::string_view host) noexcept {
  if (detail::is_localhost(host)) return address_reach::loopback;
  return detail::reach_of_literal(host).value_or(address_reach::public_network);
}

}  // namespace comcp
