// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a token endpoint answers with (RFC 6749, section 5). Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <comcp/json/value.hpp>
#include <comcp/result.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// Tokens as they were granted. Regular; prints nothing of them.
struct token_set {
  using time_point = std::chrono::system_clock::time_point;

  token_set() = default;
  /// Tokens that were obtained elsewhere.
  explicit token_set(secret access, secret refresh = {}) : access_token(std::move(access)), refresh_token(std::move(refresh)) {}

  secret access_token;
  std::string token_type = "Bearer";  ///< As the server said, "Bearer" or "DPoP" where it differs in case.
  std::optional<time_point> expires_at;
  secret refresh_token;               ///< Empty where none was granted.
  std::optional<std::string> scope;   ///< Absent: as requested.
  std::string issued_token_type;      ///< Of a token exchange.
  secret id_token;

  friend bool operator==(token_set const&, token_set const&) = default;
};

/// How an OAuth endpoint refuses. The description is the server's own text, cut to 512 bytes of printable characters.
struct oauth_refusal {
  oauth_refusal() = default;
  std::string code;  ///< "invalid_grant", "access_denied", ...
  std::string description;

  /// As an error of comcp: errc::unauthorized with both in the text.
  [[nodiscard]] error as_error(std::string_view what) const;
};

using token_answer = std::variant<token_set, oauth_refusal>;

/// Reads an answer of the token endpoint. What is neither tokens nor a refusal (HTML, wrong types, no access token) is
/// errc::protocol_violation with the status in its detail, and never quotes the body of a success.
result<token_answer> read_token_answer(int status, std::string_view body, token_set::time_point now);

/// The scopes of both, each once, in order of first appearance; scopes are separated by spaces.
std::string unite_scopes(std::string_view a, std::string_view b);

}  // namespace comcp
