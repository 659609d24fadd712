// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The documents of discovery: protected resource metadata (RFC 9728), authorization server metadata (RFC 8414, OpenID
// Connect Discovery 1.0), and where they are looked for. Pure.
// Specification: 2026-07-28, basic/authorization/authorization-server-discovery
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/http/url.hpp>
#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// What a protected MCP server says of itself. Fields that it does not have are empty; raw has them all.
struct protected_resource_metadata {
  protected_resource_metadata() = default;
  /// errc::wrong_shape where a field that is there has the wrong type, or `resource` is missing.
  static result<protected_resource_metadata> from_json(json::value document);

  std::string resource;  ///< Byte for byte as published.
  std::vector<std::string> authorization_servers;
  std::optional<std::vector<std::string>> scopes_supported;
  bool dpop_bound_access_tokens_required = false;
  std::vector<std::string> dpop_signing_alg_values_supported;
  json::value raw;
};

/// What an authorization server says of itself.
struct authorization_server_metadata {
  authorization_server_metadata() = default;
  /// errc::wrong_shape where a field that is there has the wrong type, or `issuer` is missing.
  static result<authorization_server_metadata> from_json(json::value document);
  /// The endpoints that revision 2025-03-26 assumes where a server publishes nothing: /authorize, /token, /register at
  /// its origin, PKCE S256. Its issuer is empty: there is none to compare with.
  static authorization_server_metadata assumed_at(http_url const& server);

  [[nodiscard]] bool supports_s256() const;

  std::string issuer;  ///< Byte for byte as published.
  std::string authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint;
  std::optional<std::vector<std::string>> scopes_supported, grant_types_supported, code_challenge_methods_supported,
      token_endpoint_auth_methods_supported, token_endpoint_auth_signing_alg_values_supported,
      dpop_signing_alg_values_supported;
  bool client_id_metadata_document_supported = false;
  bool authorization_response_iss_parameter_supported = false;
  json::value raw;
};

/// Where the metadata of a server may be, in the order to ask: by path, then at the root (once where both are one).
std::vector<http_url> protected_resource_metadata_urls(http_url const& server);
/// The same for an issuer: RFC 8414, then OpenID, with the path inserted, then appended.
std::vector<http_url> authorization_server_metadata_urls(http_url const& issuer);
/// The server's canonical URI: lower-case scheme and host, no query, no fragment, no trailing slash.
std::string canonical_resource(http_url const& server);
/// Whether metadata that names this resource speaks for this server: same origin, and its path is the server's path or
/// a parent of it (whole segments). Queries do not count: a server's identifier has none, unless it gives itself one.
bool covers(std::string_view resource, http_url const& server);
/// Whether a resource that covers the server is more than the server: tokens for it are good elsewhere too.
bool is_wider(std::string_view resource, http_url const& server);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/metadata.ipp>
#endif
