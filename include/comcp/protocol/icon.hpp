// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Icons, and which of them may be loaded.
// Spec: https://modelcontextprotocol.io/specification/2026-07-28/basic (icons, "Security considerations")
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/protocol/codec.hpp>

namespace comcp {

/// Which icons a host takes. Regular.
class icon_policy {
 public:
  icon_policy() {}
  /// SVG too, which may hold scripts and links: for hosts that show it without running or following any. Off by default.
  icon_policy& svg(bool allowed = true) { return svg_ = allowed, *this; }
  /// How long a data URI may be, in bytes of its text (default 256 KiB).
  icon_policy& max_data(std::size_t bytes) { return max_data_ = bytes, *this; }

  [[nodiscard]] std::size_t max_data() const noexcept { return max_data_; }
  /// Whether it is image/png, image/jpeg (or image/jpg), image/webp or image/gif, or with svg() image/svg+xml; in any case
  /// of letters, parameters are left aside. To be asked about a response's Content-Type, too.
  [[nodiscard]] bool allows_type(std::string_view mime_type) const;

 private:
  bool svg_ = false;
  std::size_t max_data_ = 256 * 1024;
};

/// A picture for a server, tool, prompt or resource. Untrusted: see safe().
struct icon {
  icon() = default;
  explicit icon(std::string address) : src(std::move(address)) {}

  std::string src;  ///< An https or data URI, if safe() is to be true.
  std::optional<std::string> mime_type;
  std::vector<std::string> sizes;    ///< "48x48", ..., or "any".
  std::optional<std::string> theme;  ///< "light" or "dark".
  json::value raw;

  /// Whether the icon may be loaded, as the specification has it: an https address of the same origin as the server's
  /// ("https://host[:port]", or the server's URL; empty for servers that have none, such as a child process), or a data URI
  /// in Base64 of a type that the policy allows, not longer than it says, whose first bytes are that type's. No other
  /// scheme, and no mime_type that the policy does not allow. Linear in the URI; nothing is fetched.
  /// What is left to the host: to fetch without cookies and credentials, to follow no redirect to another origin, to check
  /// the type of what comes by its bytes, and to bound its size, dimensions and frames.
  [[nodiscard]] bool safe(std::string_view origin, icon_policy const& policy = icon_policy()) const;
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
