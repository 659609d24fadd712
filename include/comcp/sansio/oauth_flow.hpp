// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole authorization, from a server's refusal to tokens: every next HTTP request, and when the user or an assertion is
// needed. Pure: randomness, time and signatures are arguments or left to who drives it.
// Specification: 2026-07-28, basic/authorization, "Authorization Flow Steps"
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/auth/authorization.hpp>
#include <comcp/auth/form.hpp>
#include <comcp/auth/registration.hpp>
#include <comcp/auth/token.hpp>
#include <comcp/sansio/oauth_discovery.hpp>

namespace comcp::sansio {

/// What a flow starts from.
struct oauth_start {
  explicit oauth_start(http_url where) : server(std::move(where)) {}
  http_url server;
  std::optional<auth_challenge> challenge;
  std::string granted_scope;          ///< What was asked for before: step-up unites.
  bool step_up = false;               ///< The challenge is a 403 with insufficient_scope.
};

/// What came of a flow, to be used and stored.
struct oauth_grant {
  oauth_grant() = default;
  token_set tokens;
  oauth_client client;
  std::string registered_by;          ///< As in login_status.
  std::string server, resource, issuer, token_endpoint, revocation_endpoint, auth_method;
  std::string scope;                  ///< What was asked for, united with what was granted.
};

/// Asked step by step: next() says what to do, and the member of that kind's name takes the answer.
class oauth_flow {
 public:
  enum class want {
    get,             ///< GET url(), answered().
    stored_client,   ///< Look for a registration for issuer(), then registration_found().
    redirect_uri,    ///< Start the user agent: known_redirects(), then redirecting_to().
    post_json,       ///< POST body() to url() as JSON, answered(): registration.
    user,            ///< Take the user to pending().url(), then redirected().
    assertion,       ///< A grant_source's assertion for issuer(), resource(), scope(), then asserted().
    post_token,      ///< POST form() to url(), the client authenticated by auth_method(), answered().
    done,            ///< grant() is there.
    failed,          ///< failure() is there.
  };

  oauth_flow(oauth_profile profile, oauth_start start);

  [[nodiscard]] want next() const noexcept;

  [[nodiscard]] http_url const& url() const;
  [[nodiscard]] std::string const& body() const;
  [[nodiscard]] form_fields const& form() const;
  [[nodiscard]] oauth_client const& client() const;
  [[nodiscard]] std::string const& auth_method() const;
  [[nodiscard]] std::string const& issuer() const;
  [[nodiscard]] std::string const& resource() const;
  [[nodiscard]] std::string const& scope() const;
  [[nodiscard]] std::vector<std::string> known_redirects() const;
  [[nodiscard]] pending_authorization const& pending() const;
  [[nodiscard]] bool wants_dpop() const;  ///< By the profile, or because the resource requires it.

  void answered(int status, http_headers const& headers, std::string_view body, token_set::time_point now);
  /// A request got no answer, or the policy, the user agent or a source failed: the flow fails, or tries what is left.
  void failed(error why);
  void registration_found(std::optional<oauth_client> stored);
  /// `state` and `verifier` are random, one use only.
  void redirecting_to(std::string redirect_uri, secret state, secret verifier);
  void redirected(std::string_view redirect);
  void asserted(secret assertion);

  /// A new registration that should be stored under issuer(); nothing where none was made.
  [[nodiscard]] std::optional<oauth_client> const& registered() const noexcept;
  [[nodiscard]] oauth_grant const& grant() const;
  [[nodiscard]] error const& failure() const;
  [[nodiscard]] std::vector<discovery_step> const& steps() const noexcept;

 private:
};

}  // namespace comcp::sansio
