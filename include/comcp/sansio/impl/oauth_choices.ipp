// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <comcp/auth/endpoint_policy.hpp>
#include <comcp/auth/token.hpp>
#include <comcp/sansio/oauth_choices.hpp>
#include <comcp/version.hpp>

namespace comcp::sansio {
namespace detail {

COMCP_DECL bool has(std::vector<std::string> const& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

COMCP_DECL std::string joined(std::vector<std::string> const& list, std::string_view between) {
  std::string out;
  for (auto const& one : list) {
    if (!out.empty()) out += between;
    out += one;
  }
  return out;
}

COMCP_DECL oauth_client const* pre_registered(std::vector<oauth_client> const& clients, std::string_view issuer) {
  auto const exact = std::find_if(clients.begin(), clients.end(), [&](auto const& c) { return c.issuer() == issuer; });
  if (exact != clients.end()) return &*exact;
  auto const any = std::find_if(clients.begin(), clients.end(), [](auto const& c) { return c.issuer().empty(); });
  return any != clients.end() ? &*any : nullptr;
}

COMCP_DECL error no_client(oauth_profile const& profile, discovered const& at) {
  auto text = "no way to become a client of the authorization server " + shown(issuer_key(at)) + ": ";
  if (!profile.clients.empty()) {
    std::vector<std::string> others;
    for (auto const& client : profile.clients) others.push_back(shown(client.issuer()));
    return error(errc::unauthorized, text + "the pre-registered clients are for " + joined(others, ", ") + " only");
  }
  if (profile.kind == oauth_profile::grant::client_credentials) {
    return error(errc::unauthorized, text + "client credentials need a pre-registered client");
  }
  auto const& server = at.authorization_server;
  text += server.client_id_metadata_document_supported
              ? "it takes client id metadata documents, and none is configured; "
              : "it takes no client id metadata documents; ";
  text += server.registration_endpoint.empty() ? "it registers no clients" : "dynamic registration is turned off here";
  return error(errc::unauthorized, text + "; register one there by hand and configure its client id");
}

}  // namespace detail

COMCP_DECL std::string issuer_key(discovered const& at) {
  if (!at.authorization_server.issuer.empty()) return at.authorization_server.issuer;
  auto const server = http_url::parse(at.server);
  return server ? server->origin() : std::string();
}

COMCP_DECL result<void> issuer_binding::check(std::optional<std::string> const& bound) const {
  if (named || bound == issuer) return {};
  auto const what = detail::shown(of), there = detail::shown(issuer);
  if (bound) {
    return error(errc::unauthorized, what + " belongs to the authorization server " + detail::shown(*bound) +
                                         ", and the MCP server now names " + there +
                                         ": nothing was sent there. If that is right, name that issuer");
  }
  if (found) return {};
  return error(errc::unauthorized, what + " would go to " + there +
                                       ", which publishes no metadata: that needs the issuer to be named");
}

COMCP_DECL issuer_binding client_binding(oauth_profile const& profile, discovered const& at,
                                         client_choice const& choice) {
  issuer_binding out;
  if (!choice.client || choice.registered_by != "pre-registered") return out;
  auto const& client = *choice.client;
  bool const open = client.client_secret().empty();
  if (open && client.id().starts_with("https://")) return out;
  out.of = "client " + client.id();
  out.issuer = issuer_key(at);
  out.named = profile.issuer || client.issuer() == out.issuer;
  bool const signs = client.key() || client.auth_method() == "private_key_jwt";
  out.found = !at.assumed || (open && !signs);
  return out;
}

COMCP_DECL issuer_binding server_binding(oauth_profile const& profile, discovered const& at, char const* what) {
  issuer_binding out;
  out.of = what + (" for " + at.server);
  out.issuer = issuer_key(at);
  auto const& clients = profile.clients;  // whose client is named has named whose tokens these are
  out.named = profile.issuer || (clients.size() == 1 && clients.front().issuer() == out.issuer);
  out.found = !at.assumed;
  return out;
}

COMCP_DECL result<client_choice> choose_client(oauth_profile const& profile, discovered const& at) {
  using grant = oauth_profile::grant;
  client_choice choice;
  auto const& server = at.authorization_server;
  if (auto const* const known = detail::pre_registered(profile.clients, issuer_key(at))) {
    choice.client = *known;
    choice.registered_by = "pre-registered";
    return choice;
  }
  if (!profile.clients.empty() || profile.kind == grant::client_credentials) return detail::no_client(profile, at);
  if (!profile.client_metadata_url.empty() && server.client_id_metadata_document_supported) {
    choice.client = oauth_client(profile.client_metadata_url).auth_method("none");
    choice.registered_by = "metadata document";
    return choice;
  }
  if (profile.kind == grant::jwt_bearer) {
    // The assertion says who asks (RFC 7521, section 4.1): a client of its own is optional.
    choice.client = oauth_client().auth_method("none");
    return choice;
  }
  if (!profile.dynamic_registration || server.registration_endpoint.empty()) return detail::no_client(profile, at);
  return choice;
}

COMCP_DECL std::string choose_scope(oauth_profile const& profile, discovered const& at, std::string_view granted,
                                    bool step_up) {
  auto wanted = at.challenge_scope;
  auto const& metadata = at.resource_metadata;
  if (wanted.empty() && metadata && metadata->scopes_supported)
    wanted = detail::joined(*metadata->scopes_supported, " ");
  if (profile.scope)
    wanted = unite_scopes(*profile.scope, step_up ? std::string_view(at.challenge_scope) : std::string_view());
  auto scope = unite_scopes(granted, wanted);
  // Asked for alone it would take the place of the scopes that a server gives by default.
  auto const& offered = at.authorization_server.scopes_supported;
  bool const offline = profile.offline_access && profile.kind == oauth_profile::grant::authorization_code &&
                       !scope.empty() && offered && detail::has(*offered, "offline_access");
  return offline ? unite_scopes(scope, "offline_access") : scope;
}

COMCP_DECL result<bool> choose_dpop(oauth_profile const& profile, discovered const& at) {
  auto const& resource = at.resource_metadata;
  bool const required = at.dpop_challenged || (resource && resource->dpop_bound_access_tokens_required);
  if (!profile.dpop && !required) return false;
  auto const& algorithms = at.authorization_server.dpop_signing_alg_values_supported;
  if (!algorithms || !detail::has(*algorithms, "ES256")) {
    return error(errc::unauthorized, "DPoP is " + std::string(required ? "required by the server" : "asked for") +
                                         ", and the authorization server " + detail::shown(issuer_key(at)) +
                                         (algorithms ? " does not take ES256 for it" : " does not offer it"));
  }
  if (resource && !resource->dpop_signing_alg_values_supported.empty() &&
      !detail::has(resource->dpop_signing_alg_values_supported, "ES256")) {
    return error(errc::unauthorized, "DPoP is wanted, and the server does not take ES256 for it");
  }
  return true;
}

COMCP_DECL client_metadata registration_metadata(oauth_profile const& profile, discovered const& at,
                                                 std::string const& redirect_uri) {
  auto out = profile.metadata;
  out.redirect_uris = {redirect_uri};
  if (out.application_type.empty()) {
    auto const url = http_url::parse(redirect_uri);
    out.application_type = url && reach_of(url->host()) != address_reach::loopback ? "web" : "native";
  }
  auto const& supported = at.authorization_server.token_endpoint_auth_methods_supported;
  if (supported && !detail::has(*supported, out.token_endpoint_auth_method)) {
    for (auto const* const method : {"none", "client_secret_basic", "client_secret_post"}) {
      if (!detail::has(*supported, method)) continue;
      out.token_endpoint_auth_method = method;
      break;
    }
  }
  return out;
}

COMCP_DECL result<void> check_client_metadata_url(std::string_view url) {
  auto const parsed = http_url::parse(url);
  bool const usable =
      parsed && parsed->secure() && parsed->path() != "/" && !parsed->fragment() && parsed->text() == url;
  if (usable) return {};
  return error(errc::invalid_argument,
               "the URL of a client id metadata document is https with a path, in its normal form, without a fragment");
}

COMCP_DECL result<void> check_redirect_uri(std::string_view uri) {
  auto const url = http_url::parse(uri);
  bool const plain = std::all_of(uri.begin(), uri.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (url && plain && !url->fragment() && (url->secure() || reach_of(url->host()) == address_reach::loopback)) return {};
  return error(errc::invalid_argument, "a redirect URI is http of loopback or https, without a fragment");
}

}  // namespace comcp::sansio
