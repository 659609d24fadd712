// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include <comcp/protocol/base64.hpp>
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

/// "image/png" for "Image/PNG ; x=y".
COMCP_DECL std::string icon_type(std::string_view mime_type) {
  mime_type = mime_type.substr(0, std::min<std::size_t>(mime_type.find(';'), 64));
  while (mime_type.ends_with(' ') || mime_type.ends_with('\t')) mime_type.remove_suffix(1);
  while (mime_type.starts_with(' ') || mime_type.starts_with('\t')) mime_type.remove_prefix(1);
  return icon_lower(mime_type);
}

/// Whether a picture of this type begins so.
COMCP_DECL bool begins_as_icon(std::span<std::byte const> bytes, std::string_view type) noexcept {
  std::string_view const text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  if (type == "image/png") return text.starts_with("\x89PNG\r\n\x1A\n");
  if (type == "image/jpeg" || type == "image/jpg") return text.starts_with("\xFF\xD8\xFF");
  if (type == "image/gif") return text.starts_with("GIF87a") || text.starts_with("GIF89a");
  if (type == "image/webp") return text.starts_with("RIFF") && text.size() >= 12 && text.substr(8, 4) == "WEBP";
  return text.starts_with("<");
}

COMCP_DECL bool is_safe_icon_data(std::string_view uri, icon_policy const& policy) {
  if (uri.size() > policy.max_data()) return false;
  auto const comma = uri.find(',');
  if (comma == uri.npos || comma > 64) return false;
  auto const head = icon_lower(uri.substr(5, comma - 5));  // behind "data:"
  constexpr std::string_view coded = ";base64";
  if (!head.ends_with(coded)) return false;
  auto const type = std::string_view(head).substr(0, head.size() - coded.size());
  if (type.find(';') != type.npos || !policy.allows_type(type)) return false;
  auto const bytes = from_base64(uri.substr(comma + 1));
  return bytes && begins_as_icon(*bytes, type);
}

}  // namespace detail

COMCP_DECL bool icon_policy::allows_type(std::string_view mime_type) const {
  auto const type = detail::icon_type(mime_type);
  if (type == "image/svg+xml") return svg_;
  return type == "image/png" || type == "image/jpeg" || type == "image/jpg" || type == "image/webp" || type == "image/gif";
}

COMCP_DECL bool icon::safe(std::string_view origin, icon_policy const& policy) const {
  if (mime_type && !policy.allows_type(*mime_type)) return false;
  if (detail::icon_lower(std::string_view(src).substr(0, 5)) == "data:") return detail::is_safe_icon_data(src, policy);
  auto const ours = detail::https_authority(src);
  return !ours.empty() && ours == detail::https_authority(origin);
}

}  // namespace comcp
