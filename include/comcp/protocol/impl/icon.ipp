// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/protocol/icon.hpp>

namespace comcp {
namespace detail {

COMCP_DECL std::string icon_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// "host:port" of an https address, in lower case with the port spelled out; empty when it is none, or when
/// readers could disagree on its host.
COMCP_DECL std::string https_authority(std::string_view url) {
  for (char const c : url) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '\\') return {};
  }
  if (icon_lower(url.substr(0, 8)) != "https://") return {};
  url.remove_prefix(8);
  auto authority = icon_lower(url.substr(0, url.find_first_of("/?#")));
  if (authority.empty() || authority.find('@') != authority.npos) return {};
  auto const bracket = authority.rfind(']');
  auto const colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
  if (colon == 0) return {};
  if (colon == authority.npos) return authority + ":443";
  return colon + 1 == authority.size() ? authority + "443" : authority;
}

}  // namespace detail

COMCP_DECL bool icon::safe(std::string_view origin) const {
  if (detail::icon_lower(std::string_view(src).substr(0, 11)) == "data:image/") return true;
  auto const ours = detail::https_authority(src);
  return !ours.empty() && ours == detail::https_authority(origin);
}

}  // namespace comcp
