// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Icons, and which of them may be shown without asking. Spec: 2026-07-28 basic (icons).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/protocol/codec.hpp>

namespace comcp {

/// A picture for a server, tool, prompt or resource. Untrusted: see safe().
struct icon {
  icon() = default;
  explicit icon(std::string address) : src(std::move(address)) {}

  std::string src;  ///< An https or data URI, if safe() is to be true.
  std::optional<std::string> mime_type;
  std::vector<std::string> sizes;    ///< "48x48", ..., or "any".
  std::optional<std::string> theme;  ///< "light" or "dark".
  json::value raw;

  /// Whether the icon may be loaded: a data URI of an image, or an https address of the same origin as the server's
  /// ("https://host[:port]", or the server's URL; empty for servers that have none, such as a child process).
  /// SVG may hold scripts: show it without running them.
  [[nodiscard]] bool safe(std::string_view origin) const;
};
constexpr auto describe(std::type_identity<icon>) {
  using t = icon;
  return json::fields(json::field("src", &t::src), json::field("mimeType", &t::mime_type),
                      json::defaulted("sizes", &t::sizes), json::field("theme", &t::theme), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/icon.ipp>
#endif
