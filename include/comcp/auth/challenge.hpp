// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What WWW-Authenticate says: challenges, each a scheme with parameters (RFC 9110, section 11.6.1). Pure.
// Specification: 2026-07-28, basic/authorization, "Protected Resource Metadata Discovery Requirements"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <comcp/http/message.hpp>

namespace comcp {

/// One challenge. Regular.
class auth_challenge {
 public:
  explicit auth_challenge(std::string scheme) : scheme_(std::move(scheme)) {}

  /// As the server wrote it: compare with is().
  [[nodiscard]] std::string const& scheme() const noexcept { return scheme_; }
  /// Whether it is this scheme, without case.
  [[nodiscard]] bool is(std::string_view scheme) const noexcept;
  /// A parameter's value, unquoted; names are compared without case; the first of two wins. Null where there is none.
  [[nodiscard]] std::string const* find(std::string_view name) const noexcept;
  [[nodiscard]] std::string const& token68() const noexcept { return token68_; }

  void add(std::string name, std::string value) { parameters_.push_back({std::move(name), std::move(value)}); }
  void token68(std::string text) { token68_ = std::move(text); }

  friend bool operator==(auth_challenge const&, auth_challenge const&) = default;

 private:
  std::string scheme_, token68_;
  std::vector<http_field> parameters_;
};

/// Every challenge of every WWW-Authenticate field, in order. Never fails: what is malformed is passed over up to the
/// next comma, values that lack their quotes are taken as they are, and bounds (16 KiB of text, 16 challenges, 32
/// parameters each) cut what is too much.
std::vector<auth_challenge> parse_challenges(http_headers const& headers);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/challenge.ipp>
#endif
