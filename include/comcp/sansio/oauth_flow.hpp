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
#include <comcp/sansio/oauth_choices.hpp>
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

/// What a flow asks for, and all that who answers it may want to know.
class oauth_question {
 public:
  enum class want {
    get,             ///< GET url(), answered().
    binding,         ///< Look whether binding() holds in the store, and keep it there: bound(), or failed().
    stored_client,   ///< Look for a registration for issuer(), then registration_found().
    redirect_uri,    ///< Start the user agent: known_redirects(), then redirecting_to().
    post_json,       ///< POST body() to url() as JSON, answered(): registration.
    user,            ///< Take the user to pending().url(), then redirected().
    assertion,       ///< A grant_source's assertion for issuer(), resource(), scope(), then asserted().
    post_token,      ///< POST form() to url(), the client authenticated by auth_method(), answered().
    done,            ///< grant() is there.
    failed,          ///< failure() is there.
  };

  [[nodiscard]] want next() const noexcept { return next_; }

  /// Precondition of url(): next() is get, post_json or post_token. The others are empty as long as they are not known.
  [[nodiscard]] http_url const& url() const { return *url_; }
  [[nodiscard]] std::string const& body() const noexcept { return body_; }
  [[nodiscard]] form_fields const& form() const noexcept { return form_; }  ///< Without the client's credentials and id.
  [[nodiscard]] oauth_client const& client() const noexcept { return grant_.client; }
  [[nodiscard]] std::string const& auth_method() const noexcept { return grant_.auth_method; }
  [[nodiscard]] std::string const& issuer() const noexcept { return grant_.issuer; }  ///< Its origin where it publishes none.
  [[nodiscard]] std::string const& resource() const noexcept { return grant_.resource; }
  [[nodiscard]] std::string const& scope() const noexcept { return grant_.scope; }
  [[nodiscard]] issuer_binding const& binding() const noexcept { return binding_; }
  [[nodiscard]] std::vector<std::string> known_redirects() const;
  [[nodiscard]] pending_authorization const& pending() const noexcept { return pending_; }
  [[nodiscard]] bool wants_dpop() const noexcept { return dpop_; }  ///< By the profile, or because the resource requires it.

  /// A new registration that should be stored under issuer(), also when the flow fails later; nothing where none was made.
  [[nodiscard]] std::optional<oauth_client> const& registered() const noexcept { return registered_; }
  [[nodiscard]] oauth_grant const& grant() const noexcept { return grant_; }
  [[nodiscard]] error const& failure() const noexcept { return failure_; }

 protected:
  oauth_question() = default;

  want next_ = want::get;
  std::optional<http_url> url_;
  std::string body_;
  form_fields form_;
  std::optional<oauth_client> known_;     // chosen, or stored; else a registration is made
  std::optional<oauth_client> registered_;
  issuer_binding binding_;
  bool dpop_ = false;
  pending_authorization pending_;
  oauth_grant grant_;
  error failure_;
};

/// Asked step by step: next() says what to do, and the member of that kind's name takes the answer.
class oauth_flow : public oauth_question {
 public:
  oauth_flow(oauth_profile profile, oauth_start start);

  void answered(int status, http_headers const& headers, std::string_view body, token_set::time_point now);
  /// A request got no answer, or the policy, the user agent or a source failed: the flow fails, or tries what is left.
  void failed(error why);
  void bound();
  void registration_found(std::optional<oauth_client> stored);
  /// `state` and `verifier` are random, one use only.
  void redirecting_to(std::string redirect_uri, secret state, secret verifier);
  void redirected(std::string_view redirect);
  void asserted(secret assertion);

  [[nodiscard]] std::vector<discovery_step> const& steps() const noexcept { return discovery_.steps(); }

 private:
  void go_on_discovering();
  result<void> prepare();
  result<std::string> endpoint(std::string_view what, std::string const& url) const;
  void start_grant();
  bool choose_method();
  void start_registration();
  void registration_answered(int status, std::string_view body, token_set::time_point now);
  void start_user();
  void start_token_request(std::string_view grant_type);
  void token_answered(int status, std::string_view body, token_set::time_point now);
  void fail(error why);

  oauth_profile profile_;
  oauth_start start_;
  oauth_discovery discovery_;
  discovered at_;
  token_set::time_point now_;             // of the last answer
  client_metadata registering_;
  bool registered_twice_ = false;
  std::string registration_endpoint_;
};

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/sansio/impl/oauth_flow.ipp>
#endif
