// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a token request goes, and who makes it.
#pragma once

#include <string>
#include <utility>

#include <comcp/auth/client_authentication.hpp>
#include <comcp/auth/dpop.hpp>
#include <comcp/auth/registration.hpp>
#include <comcp/http/url.hpp>

namespace comcp::oauth_steps {

/// What a token request needs beside its own parameters. Regular; nothing of it is kept.
class token_endpoint {
 public:
  token_endpoint(http_url url, oauth_client client, std::string auth_method)
      : url_(std::move(url)), client_(std::move(client)), method_(std::move(auth_method)) {}
  /// The issuer, for client assertions.
  token_endpoint& issuer(std::string i) & { return issuer_ = std::move(i), *this; }
  token_endpoint& assertions(assertion_options o) & { return signing_ = std::move(o), *this; }
  token_endpoint& assertions(assertion_source s) & { return source_ = std::move(s), *this; }
  /// Proofs of possession; outlives the request.
  token_endpoint& dpop(dpop_prover* p) & { return dpop_ = p, *this; }

  [[nodiscard]] http_url const& url() const noexcept { return url_; }
  [[nodiscard]] oauth_client const& client() const noexcept { return client_; }
  [[nodiscard]] std::string const& auth_method() const noexcept { return method_; }
  [[nodiscard]] std::string const& issuer() const noexcept { return issuer_; }
  [[nodiscard]] assertion_options const& signing() const noexcept { return signing_; }
  [[nodiscard]] assertion_source const& source() const noexcept { return source_; }
  [[nodiscard]] dpop_prover* dpop() const noexcept { return dpop_; }

 private:
  http_url url_;
  oauth_client client_;
  std::string method_, issuer_;
  assertion_options signing_;
  assertion_source source_;
  dpop_prover* dpop_ = nullptr;
};

}  // namespace comcp::oauth_steps
