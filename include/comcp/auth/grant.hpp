// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where assertions for machine grants come from. Specification: extensions
// io.modelcontextprotocol/enterprise-managed-authorization and io.modelcontextprotocol/auth/wif
#pragma once

#include <functional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/auth/registration.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// For whom an assertion is wanted.
struct grant_request {
  grant_request() = default;
  std::string issuer;    ///< The authorization server, as the MCP server names it: the audience of what is given.
  std::string resource;  ///< The MCP server.
  std::string scope;     ///< What will be asked for; empty: nothing.
};

/// Gives a JWT that the authorization server trusts (RFC 7523, section 2.1), or a user's identity for an
/// identity_provider; called on the client's executor each time one is wanted. What it throws ends the flow with
/// errc::unauthorized, a comcp::exception with its own error.
using grant_source = std::function<asio::awaitable<secret>(grant_request)>;

/// Enterprise-managed authorization: where the identity provider exchanges the user's identity for a grant (RFC 8693).
class identity_provider {
 public:
  identity_provider(std::string token_endpoint, oauth_client client, grant_source identity)
      : endpoint_(std::move(token_endpoint)), client_(std::move(client)), identity_(std::move(identity)) {}
  /// "urn:ietf:params:oauth:token-type:id_token" by default.
  identity_provider& subject_token_type(std::string t) & { return type_ = std::move(t), *this; }
  identity_provider&& subject_token_type(std::string t) && { return std::move(subject_token_type(std::move(t))); }

  [[nodiscard]] std::string const& token_endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] oauth_client const& client() const noexcept { return client_; }
  [[nodiscard]] grant_source const& identity() const noexcept { return identity_; }
  [[nodiscard]] std::string const& subject_token_type() const noexcept { return type_; }

 private:
  std::string endpoint_;
  oauth_client client_;
  grant_source identity_;
  std::string type_ = "urn:ietf:params:oauth:token-type:id_token";
};

}  // namespace comcp
