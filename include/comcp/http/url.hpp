// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Absolute http and https URLs, parsed and resolved as the WHATWG URL Standard says. What it repairs silently and a
// client rather hears of is refused: user names, control characters, missing slashes, escapes in the host, port 0.
// Neither IDNA nor the network: names beyond ASCII are refused, write them as xn--.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// One valid URL in its normal form. Regular; equal when the texts are. Safe to read from any thread.
class http_url {
 public:
  /// Spaces and control characters around the text are dropped, backslashes before the query are slashes. Anything that
  /// is no http or https URL is errc::invalid_argument; the error never quotes the text, which may hold secrets.
  static result<http_url> parse(std::string_view text);

  /// What `reference` means on this page: an absolute URL, "//host/path", "/path", "path", "?query" or "#fragment".
  /// It may lead to another origin; ask same_origin(). Errors as in parse().
  [[nodiscard]] result<http_url> resolve(std::string_view reference) const;

  /// "http" or "https".
  [[nodiscard]] std::string_view scheme() const noexcept { return secure_ ? "https" : "http"; }
  [[nodiscard]] bool secure() const noexcept { return secure_; }
  /// Lower-case; an IPv4 address has four decimal parts, an IPv6 address has brackets and its shortest form.
  [[nodiscard]] std::string const& host() const noexcept { return host_; }
  /// The host without brackets, as resolvers take it.
  [[nodiscard]] std::string_view host_name() const noexcept;
  /// 1 to 65535: the scheme's own where the text has none.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] bool has_default_port() const noexcept { return port_ == default_port(secure_); }
  /// Starts with a slash; free of dot segments, escaped where it must be.
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// Without its question mark; "" and absent differ.
  [[nodiscard]] std::optional<std::string> const& query() const noexcept { return query_; }
  /// Without its hash.
  [[nodiscard]] std::optional<std::string> const& fragment() const noexcept { return fragment_; }

  /// Scheme, host and port, the default one left out: "https://example.com".
  [[nodiscard]] std::string origin() const;
  /// The value of a Host header: the host, and the port unless it is the default one.
  [[nodiscard]] std::string authority() const;
  /// What a request line names: path and query.
  [[nodiscard]] std::string target() const;
  /// The whole URL. Its query may hold secrets: origin() is the part for logs.
  [[nodiscard]] std::string text() const;

  friend bool operator==(http_url const&, http_url const&) = default;
  friend bool same_origin(http_url const& a, http_url const& b) noexcept;

 private:
  http_url() = default;
  static constexpr std::uint16_t default_port(bool secure) noexcept { return secure ? 443 : 80; }
  static result<http_url> from_authority(bool secure, std::string_view text);

  bool secure_ = false;
  std::string host_;
  std::uint16_t port_ = 0;
  std::string path_;
  std::optional<std::string> query_, fragment_;
};

/// Whether scheme, host and port are the same.
bool same_origin(http_url const& a, http_url const& b) noexcept;

namespace http_detail {
std::string_view without_blank_ends(std::string_view text) noexcept;
/// The scheme that a text begins with; nothing for a relative reference.
std::optional<std::string_view> scheme_of(std::string_view text) noexcept;
/// `lower` is in lower case.
bool is_scheme(std::string_view scheme, std::string_view lower) noexcept;
/// Whether a host can only be an IPv4 address: its last part is a number.
bool ends_in_number(std::string_view host) noexcept;
/// As browsers read them: fewer than four parts, octal and hexadecimal ones too.
std::optional<std::uint32_t> parse_ipv4(std::string_view host) noexcept;
/// Without brackets.
std::optional<std::array<std::uint16_t, 8>> parse_ipv6(std::string_view text) noexcept;
}  // namespace http_detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/url.ipp>
#endif
