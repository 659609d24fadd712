// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include <comcp/auth/authorization.hpp>
#include <comcp/auth/form.hpp>
#include <comcp/auth/pkce.hpp>
#include <comcp/json/build.hpp>

namespace comcp {
namespace detail {

struct stored_authorization {
  std::string server, resource, issuer, authorization_endpoint, token_endpoint, auth_method, redirect_uri, scope, state,
      verifier, dpop_key;
  bool iss_required = false, dpop = false;
  json::value client;
};
constexpr auto describe(std::type_identity<stored_authorization>) {
  using t = stored_authorization;
  return json::fields(
      json::field("server", &t::server), json::field("resource", &t::resource), json::field("issuer", &t::issuer),
      json::field("iss_required", &t::iss_required),
      json::field("authorization_endpoint", &t::authorization_endpoint),
      json::field("token_endpoint", &t::token_endpoint), json::field("auth_method", &t::auth_method),
      json::field("client", &t::client), json::field("redirect_uri", &t::redirect_uri),
      json::field("scope", &t::scope), json::field("state", &t::state), json::field("verifier", &t::verifier),
      json::field("dpop", &t::dpop), json::field("dpop_key", &t::dpop_key));
}

COMCP_DECL error bad_redirect(char const* why) {
  return {errc::unauthorized, std::string("the redirect was refused: ") + why};
}

/// Whether a text begins with a scheme; a query does not, as its first part has an equals sign before any colon.
COMCP_DECL bool is_whole_uri(std::string_view text) noexcept {
  auto const scheme = text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."));
  return !scheme.empty() && scheme.size() < text.size() && text[scheme.size()] == ':';
}

/// Without query and fragment.
COMCP_DECL bool same_place(std::string_view a, std::string_view b) {
  auto const x = http_url::parse(a), y = http_url::parse(b);
  return x && y && same_origin(*x, *y) && x->path() == y->path();
}

}  // namespace detail

COMCP_DECL result<http_url> pending_authorization::url() const {
  auto const endpoint = http_url::parse(authorization_endpoint);
  if (!endpoint) return endpoint.error();
  form_fields added;
  added.add("response_type", "code").add("client_id", client.id()).add("redirect_uri", redirect_uri);
  added.add("state", state.reveal()).add("code_challenge", pkce_challenge(verifier));
  added.add("code_challenge_method", "S256");
  if (!resource.empty()) added.add("resource", resource);
  if (!scope.empty()) added.add("scope", scope);
  auto query = endpoint->query().value_or("");
  auto const there = form_fields::parse(query);
  if (!there) return there.error();
  for (auto const& f : *there) {
    if (added.count(f.name) != 0 || f.name == "scope" || f.name == "resource")
      return error(errc::denied, "the query of the authorization endpoint sets a parameter of the request");
  }
  // OpenID Connect Core, section 11: without it a server drops the scope, and there is no refresh token.
  bool const offline = (' ' + scope + ' ').find(" offline_access ") != std::string::npos;
  if (offline && there->count("prompt") == 0) added.add("prompt", "consent");
  if (!query.empty()) query += '&';
  return http_url::parse(endpoint->origin() + endpoint->path() + '?' + query + added.text());
}

COMCP_DECL secret pending_authorization::to_json() const {
  detail::stored_authorization out;
  out.server = server;
  out.resource = resource;
  out.issuer = issuer;
  out.iss_required = iss_required;
  out.authorization_endpoint = authorization_endpoint;
  out.token_endpoint = token_endpoint;
  out.auth_method = auth_method;
  out.client = json::parse(client.to_json().reveal()).value();
  out.redirect_uri = redirect_uri;
  out.scope = scope;
  out.state = state.reveal();
  out.verifier = verifier.reveal();
  out.dpop = dpop;
  out.dpop_key = dpop_key.reveal();
  return secret(json::to_text(out));
}

COMCP_DECL result<pending_authorization> pending_authorization::from_json(secret const& text) {
  auto const parsed = json::parse(text.reveal());
  if (!parsed) return error(errc::wrong_shape, "a pending authorization is no JSON");
  auto read = parsed->get<detail::stored_authorization>();
  if (!read) return error(errc::wrong_shape, "a pending authorization: " + std::string(read.error().message()));
  auto client = oauth_client::from_json(secret(read->client.dump()));
  if (!client) return client.error();
  pending_authorization out;
  out.server = std::move(read->server);
  out.resource = std::move(read->resource);
  out.issuer = std::move(read->issuer);
  out.iss_required = read->iss_required;
  out.authorization_endpoint = std::move(read->authorization_endpoint);
  out.token_endpoint = std::move(read->token_endpoint);
  out.auth_method = std::move(read->auth_method);
  out.client = std::move(*client);
  out.redirect_uri = std::move(read->redirect_uri);
  out.scope = std::move(read->scope);
  out.state = secret(std::move(read->state));
  out.verifier = secret(std::move(read->verifier));
  out.dpop = read->dpop;
  out.dpop_key = secret(std::move(read->dpop_key));
  return out;
}

COMCP_DECL result<authorization_answer> read_redirect(pending_authorization const& pending, std::string_view redirect) {
  // As people paste it.
  while (!redirect.empty() && static_cast<unsigned char>(redirect.front()) <= ' ') redirect.remove_prefix(1);
  while (!redirect.empty() && static_cast<unsigned char>(redirect.back()) <= ' ') redirect.remove_suffix(1);
  auto query = redirect.substr(0, redirect.find('#'));
  if (detail::is_whole_uri(redirect)) {
    if (!detail::same_place(redirect, pending.redirect_uri)) return detail::bad_redirect("it went to another address");
    auto const mark = query.find('?');
    query.remove_prefix(mark == query.npos ? query.size() : mark);
  }
  if (query.starts_with('?')) query.remove_prefix(1);
  auto const form = form_fields::parse(query);
  if (!form) return detail::bad_redirect("its query is malformed");
  for (auto const name : {"state", "iss", "code", "error", "error_description"}) {
    if (form->count(name) > 1) return detail::bad_redirect("a parameter comes twice");
  }
  auto const* const state = form->find("state");
  if (!state || pending.state.empty() || !detail::same_secret(*state, pending.state.reveal()))
    return detail::bad_redirect("its state is not that of this request");
  auto const* const iss = form->find("iss");
  if (iss ? *iss != pending.issuer : pending.iss_required)
    return detail::bad_redirect(iss ? "it comes from another issuer" : "its issuer is missing");
  if (auto const* const code = form->find("error"); code && !code->empty()) {
    auto const* const description = form->find("error_description");
    return authorization_answer(oauth_refusal(*code, description ? std::string_view(*description) : std::string_view()));
  }
  auto const* const code = form->find("code");
  if (!code || code->empty()) return detail::bad_redirect("it has neither a code nor an error");
  return authorization_answer(secret(*code));
}

}  // namespace comcp
