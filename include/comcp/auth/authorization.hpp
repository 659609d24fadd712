// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The authorization request, what must be remembered until its answer comes, and that answer, which is hostile until it
// passed here. Pure. Specification: 2026-07-28, basic/authorization, "Authorization Response Validation"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <comcp/auth/registration.hpp>
#include <comcp/auth/token.hpp>
#include <comcp/http/url.hpp>
#include <comcp/result.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// One authorization request under way. Regular. Whoever has its text can finish it: to_json() is a secret.
struct pending_authorization {
  pending_authorization() = default;

  std::string server;                 ///< The MCP endpoint for which it is.
  std::string resource;               ///< As it is sent.
  std::string issuer;                 ///< Of the validated metadata; empty where there was none (2025-03-26).
  bool iss_required = false;          ///< authorization_response_iss_parameter_supported
  std::string authorization_endpoint, token_endpoint;
  std::string auth_method;            ///< At the token endpoint.
  oauth_client client;
  std::string redirect_uri;
  std::string scope;                  ///< Empty: left out.
  secret state, verifier;
  bool dpop = false;
  secret dpop_key;                    ///< A private JWK; empty without DPoP.

  /// What the user's browser has to open.
  [[nodiscard]] result<http_url> url() const;

  [[nodiscard]] secret to_json() const;
  static result<pending_authorization> from_json(secret const& text);
};

/// The code of an authorization response, or the refusal, both after every check.
using authorization_answer = std::variant<secret, oauth_refusal>;

/// Reads a redirect: a whole URL, or its query with or without the question mark. Each of these is errc::unauthorized, and
/// nothing of the response is then in the error: another address than redirect_uri (scheme, host, path; the port too), a
/// wrong or missing state, a repeated parameter, an iss that differs or is missing although promised, neither code nor
/// error. Parameters are compared in constant time where they are secret.
result<authorization_answer> read_redirect(pending_authorization const& pending, std::string_view redirect);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/authorization.ipp>
#endif
