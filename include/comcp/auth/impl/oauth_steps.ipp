// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <variant>

#include <comcp/auth/jose.hpp>
#include <comcp/auth/oauth_send.hpp>
#include <comcp/auth/oauth_steps.hpp>
#include <comcp/sansio/oauth_choices.hpp>

namespace comcp::oauth_steps {

namespace step_detail {

inline form_fields grant_form(std::string_view type, std::string const& resource, std::string const& scope) {
  form_fields form;
  form.add("grant_type", type);
  if (!resource.empty()) form.add("resource", resource);
  if (!scope.empty()) form.add("scope", scope);
  return form;
}

COMCP_LAZY inline asio::awaitable<token_set> tokens(oauth_sender send, token_endpoint at, form_fields form) {
  auto answer = co_await detail::ask_for_tokens(detail::oauth_io(std::move(send)), std::move(at), std::move(form));
  if (!answer) throw exception(answer.error());
  if (auto const* const refused = std::get_if<oauth_refusal>(&*answer)) throw exception(refused->as_error("the token endpoint"));
  co_return std::get<token_set>(std::move(*answer));
}

}  // namespace step_detail

COMCP_LAZY_DECL asio::awaitable<sansio::discovered> discover(oauth_sender send, http_url server, oauth_profile profile,
                                                             std::optional<auth_challenge> challenge) {
  sansio::oauth_discovery machine(std::move(server), profile, challenge);
  machine = co_await detail::run_discovery(detail::oauth_io(std::move(send)), std::move(machine));
  co_return machine.found().value();
}

COMCP_LAZY_DECL asio::awaitable<oauth_client> register_client(oauth_sender send, http_url endpoint, std::string issuer,
                                                              client_metadata about) {
  detail::oauth_io const io(std::move(send));
  auto const got = co_await detail::send_one(io, detail::json_request(std::move(endpoint), about.to_json()));
  if (!got) throw exception(got.error());
  auto answer = read_registration_answer(got->status, got->body, std::move(issuer), io.now()).value();
  if (auto const* const refused = std::get_if<oauth_refusal>(&answer)) throw exception(refused->as_error("registration"));
  co_return std::get<oauth_client>(std::move(answer));
}

COMCP_LAZY_DECL pending_authorization authorization_request(sansio::discovered const& at, oauth_client client,
                                                            std::string redirect_uri, std::string scope,
                                                            endpoint_policy policy) {
  auto const& as = at.authorization_server;
  if (as.authorization_endpoint.empty() || as.token_endpoint.empty()) {
    throw exception(error(errc::unauthorized, "the authorization server has no authorization or no token endpoint"));
  }
  if (!as.supports_s256()) throw exception(error(errc::unauthorized, "the authorization server does not support PKCE with S256"));
  if (!client.issuer().empty() && client.issuer() != as.issuer) {
    throw exception(error(errc::unauthorized, "the client is registered with another authorization server, " + client.issuer() +
                                                  ", and not with " + sansio::detail::shown(as.issuer)));
  }
  bool const has_proof = !client.client_secret().empty() || client.key();
  if (has_proof && client.issuer().empty()) {
    throw exception(error(errc::unauthorized, "a client with a secret or a key needs the issuer that it is registered with"));
  }
  pending_authorization out;
  out.server = at.server;
  out.resource = at.resource;
  out.issuer = as.issuer;
  out.iss_required = as.authorization_response_iss_parameter_supported;
  auto const server = http_url::parse(at.server).value();
  out.authorization_endpoint = policy.check(as.authorization_endpoint, server).value().text();
  out.token_endpoint = policy.check(as.token_endpoint, server).value().text();
  sansio::check_redirect_uri(redirect_uri).value();
  out.auth_method = choose_auth_method(client, as.token_endpoint_auth_methods_supported).value();
  out.client = std::move(client);
  out.redirect_uri = std::move(redirect_uri);
  out.scope = std::move(scope);
  out.state = secret(random_token());
  out.verifier = secret(random_token());
  return out;
}

COMCP_LAZY_DECL asio::awaitable<token_set> exchange_code(oauth_sender send, token_endpoint at,
                                                         pending_authorization pending, secret redirect) {
  auto const named = http_url::parse(pending.token_endpoint);
  if (!named || !(*named == at.url())) {
    throw exception(error(errc::invalid_argument, "this is not the token endpoint that the authorization was asked for"));
  }
  auto answer = read_redirect(pending, redirect.reveal()).value();
  if (auto const* const refused = std::get_if<oauth_refusal>(&answer)) throw exception(refused->as_error("authorization"));
  auto form = step_detail::grant_form("authorization_code", pending.resource, {});
  form.add("code", std::get<secret>(answer).reveal());
  form.add("redirect_uri", pending.redirect_uri);
  form.add("code_verifier", pending.verifier.reveal());
  auto got = co_await step_detail::tokens(std::move(send), std::move(at), std::move(form));
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<token_set> refresh(oauth_sender send, token_endpoint at, secret refresh_token,
                                                   std::string resource, std::string scope) {
  auto form = step_detail::grant_form("refresh_token", resource, scope);
  form.add("refresh_token", refresh_token.reveal());
  auto got = co_await step_detail::tokens(std::move(send), std::move(at), std::move(form));
  if (got.refresh_token.empty()) got.refresh_token = std::move(refresh_token);
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<token_set> client_credentials(oauth_sender send, token_endpoint at,
                                                              std::string resource, std::string scope) {
  auto form = step_detail::grant_form("client_credentials", resource, scope);
  auto got = co_await step_detail::tokens(std::move(send), std::move(at), std::move(form));
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<token_set> jwt_bearer(oauth_sender send, token_endpoint at, secret assertion,
                                                      std::string resource, std::string scope) {
  auto form = step_detail::grant_form("urn:ietf:params:oauth:grant-type:jwt-bearer", resource, scope);
  form.add("assertion", assertion.reveal());
  auto got = co_await step_detail::tokens(std::move(send), std::move(at), std::move(form));
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<token_set> exchange_token(oauth_sender send, token_endpoint at, exchange_request what) {
  auto form = step_detail::grant_form("urn:ietf:params:oauth:grant-type:token-exchange", what.resource, what.scope);
  if (!what.requested_token_type.empty()) form.add("requested_token_type", what.requested_token_type);
  if (!what.audience.empty()) form.add("audience", what.audience);
  form.add("subject_token", what.subject_token.reveal());
  form.add("subject_token_type", what.subject_token_type);
  auto got = co_await step_detail::tokens(std::move(send), std::move(at), std::move(form));
  co_return got;
}

COMCP_LAZY_DECL asio::awaitable<void> revoke(oauth_sender send, token_endpoint at, secret token,
                                             std::string token_type_hint) {
  form_fields form;
  form.add("token", token.reveal());
  if (!token_type_hint.empty()) form.add("token_type_hint", token_type_hint);
  auto const got = co_await detail::post_form(detail::oauth_io(std::move(send)), std::move(at), std::move(form));
  if (!got) throw exception(got.error());
  if (got->status >= 400) {
    throw exception(error(errc::unauthorized, "the token was not revoked: HTTP status " + std::to_string(got->status)));
  }
}

}  // namespace comcp::oauth_steps
