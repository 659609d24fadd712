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
  /// Cuts both: what servers say is shown to users.
  oauth_refusal(std::string_view server_code, std::string_view server_description);
  std::string code;  ///< "invalid_grant", "access_denied", ...
  std::string description;

  /// As an error of comcp: errc::unauthorized with both in the text.
  [[nodiscard]] error as_error(std::string_view what) const;
};

using token_answer = std::variant<token_set, oauth_refusal>;

/// Reads an answer of the token endpoint. What is neither tokens nor a refusal (HTML, wrong types, no access token) is
/// errc::protocol_violation with the status in its detail, and never quotes the body of a success.
result<token_answer> read_token_answer(int status, std::string_view body, token_set::time_point now);

namespace detail {
/// What `body` says: JSON in which an error is a refusal, whatever the status is; a success without one is the object
/// itself. Anything else is errc::protocol_violation, as `who` answered with it.
result<std::variant<json::value, oauth_refusal>> read_oauth_answer(std::string_view who, int status, std::string_view body);
error bad_oauth_answer(std::string_view who, int status, std::string_view why);
/// Seconds since 1970 that are within four digits of a year; absurd ones are brought there.
token_set::time_point clamped_time(double seconds);
}  // namespace detail

/// Whether they can be sent as they must: bound to a key or not, and in characters that a header carries (RFC 6749,
/// section 7.1). errc::unauthorized.
result<void> check_usable(token_set const& tokens, bool bound);

/// The scopes of both, each once, in order of first appearance; scopes are separated by spaces.
std::string unite_scopes(std::string_view a, std::string_view b);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/token.ipp>
#endif
