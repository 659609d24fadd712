// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include <comcp/auth/metadata.hpp>
#include <comcp/json/describe.hpp>

namespace comcp {

constexpr auto describe(std::type_identity<protected_resource_metadata>) {
  using t = protected_resource_metadata;
  return json::fields(json::field("resource", &t::resource),
                      json::defaulted("authorization_servers", &t::authorization_servers),
                      json::field("scopes_supported", &t::scopes_supported),
                      json::defaulted("dpop_bound_access_tokens_required", &t::dpop_bound_access_tokens_required),
                      json::defaulted("dpop_signing_alg_values_supported", &t::dpop_signing_alg_values_supported),
                      json::rest(&t::raw));
}

constexpr auto describe(std::type_identity<authorization_server_metadata>) {
  using t = authorization_server_metadata;
  return json::fields(
      json::field("issuer", &t::issuer), json::defaulted("authorization_endpoint", &t::authorization_endpoint),
      json::defaulted("token_endpoint", &t::token_endpoint),
      json::defaulted("registration_endpoint", &t::registration_endpoint),
      json::defaulted("revocation_endpoint", &t::revocation_endpoint),
      json::field("scopes_supported", &t::scopes_supported),
      json::field("grant_types_supported", &t::grant_types_supported),
      json::field("code_challenge_methods_supported", &t::code_challenge_methods_supported),
      json::field("token_endpoint_auth_methods_supported", &t::token_endpoint_auth_methods_supported),
      json::field("token_endpoint_auth_signing_alg_values_supported",
                  &t::token_endpoint_auth_signing_alg_values_supported),
      json::field("dpop_signing_alg_values_supported", &t::dpop_signing_alg_values_supported),
      json::defaulted("client_id_metadata_document_supported", &t::client_id_metadata_document_supported),
      json::defaulted("authorization_response_iss_parameter_supported",
                      &t::authorization_response_iss_parameter_supported),
      json::rest(&t::raw));
}

namespace detail {

inline constexpr std::size_t max_metadata_list = 1024;

template <class T>
result<T> read_metadata(json::value const& document, std::initializer_list<std::string_view> lists) {
  for (auto const key : lists) {
    auto const list = document.view().find(key);
    if (list && list->size() > max_metadata_list)
      return error(errc::wrong_shape, "more than 1024 elements at /" + std::string(key));
  }
  return json::read<T>(document.view());
}

/// "" for the root.
COMCP_DECL std::string_view path_without_end(http_url const& url) noexcept {
  std::string_view path = url.path();
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

inline http_url at_origin(http_url const& of, std::string path) { return http_url::parse(of.origin() + std::move(path)).value(); }

}  // namespace detail

COMCP_DECL result<protected_resource_metadata> protected_resource_metadata::from_json(json::value document) {
  auto const lists = {std::string_view("authorization_servers"), std::string_view("scopes_supported"),
                      std::string_view("dpop_signing_alg_values_supported")};
  return detail::read_metadata<protected_resource_metadata>(document, lists);
}

COMCP_DECL result<authorization_server_metadata> authorization_server_metadata::from_json(json::value document) {
  auto const lists = {std::string_view("scopes_supported"),
                      std::string_view("grant_types_supported"),
                      std::string_view("code_challenge_methods_supported"),
                      std::string_view("token_endpoint_auth_methods_supported"),
                      std::string_view("token_endpoint_auth_signing_alg_values_supported"),
                      std::string_view("dpop_signing_alg_values_supported")};
  return detail::read_metadata<authorization_server_metadata>(document, lists);
}

COMCP_DECL authorization_server_metadata authorization_server_metadata::assumed_at(http_url const& server) {
  authorization_server_metadata out;
  out.authorization_endpoint = server.origin() + "/authorize";
  out.token_endpoint = server.origin() + "/token";
  out.registration_endpoint = server.origin() + "/register";
  out.code_challenge_methods_supported.emplace(1, "S256");
  return out;
}

COMCP_DECL bool authorization_server_metadata::supports_s256() const {
  if (!code_challenge_methods_supported) return false;
  auto const& methods = *code_challenge_methods_supported;
  return std::find(methods.begin(), methods.end(), "S256") != methods.end();
}

COMCP_DECL std::vector<http_url> protected_resource_metadata_urls(http_url const& server) {
  std::string const known = "/.well-known/oauth-protected-resource";
  auto const path = detail::path_without_end(server);
  std::vector<http_url> out;
  if (!path.empty()) out.push_back(detail::at_origin(server, known + std::string(path)));
  out.push_back(detail::at_origin(server, known));
  return out;
}

COMCP_DECL std::vector<http_url> authorization_server_metadata_urls(http_url const& issuer) {
  std::string const oauth = "/.well-known/oauth-authorization-server", openid = "/.well-known/openid-configuration";
  std::string const path(detail::path_without_end(issuer));
  std::vector<http_url> out;
  out.push_back(detail::at_origin(issuer, oauth + path));
  out.push_back(detail::at_origin(issuer, openid + path));
  // The last two are one for an issuer whose path is `openid` itself.
  if (!path.empty() && path + openid != openid + path) out.push_back(detail::at_origin(issuer, path + openid));
  return out;
}

COMCP_DECL std::string canonical_resource(http_url const& server) {
  return server.origin().append(detail::path_without_end(server));
}

COMCP_DECL bool covers(std::string_view resource, http_url const& server) {
  auto const named = http_url::parse(resource);
  if (!named || !same_origin(*named, server) || named->fragment()) return false;
  auto const parent = detail::path_without_end(*named), path = detail::path_without_end(server);
  return path.starts_with(parent) && (path.size() == parent.size() || path[parent.size()] == '/');
}

COMCP_DECL bool is_wider(std::string_view resource, http_url const& server) {
  auto const named = http_url::parse(resource);
  return named && detail::path_without_end(*named).size() < detail::path_without_end(server).size();
}

}  // namespace comcp
