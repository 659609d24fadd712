// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <variant>

#include <comcp/sansio/oauth_flow.hpp>
#include <comcp/version.hpp>

namespace comcp::sansio {
namespace detail {

constexpr std::string_view jwt_bearer_grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// Whether registering as the other application type may help: the redirect URI, or the metadata, is what was refused.
COMCP_DECL bool about_client_metadata(oauth_refusal const& refusal) {
  return refusal.code == "invalid_redirect_uri" || refusal.code == "invalid_client_metadata";
}

COMCP_DECL bool is_usable(oauth_client const& stored, std::string_view issuer, token_set::time_point now) {
  if (stored.id().empty() || stored.issuer() != issuer) return false;
  return !stored.secret_expires_at() || *stored.secret_expires_at() > now;
}

}  // namespace detail

COMCP_DECL oauth_flow::oauth_flow(oauth_profile profile, oauth_start start)
    : profile_(std::move(profile)), start_(std::move(start)), discovery_(start_.server, profile_, start_.challenge) {
  auto const& document = profile_.client_metadata_url;
  auto const usable = document.empty() ? result<void>() : check_client_metadata_url(document);
  if (usable) {
    go_on_discovering();
  } else {
    fail(usable.error());
  }
}

COMCP_DECL void oauth_flow::answered(int status, http_headers const& headers, std::string_view body,
                                     token_set::time_point now) {
  now_ = now;
  switch (next_) {
    case want::get: discovery_.answered(status, headers, body); return go_on_discovering();
    case want::post_json: return registration_answered(status, body, now);
    case want::post_token: return token_answered(status, body, now);
    default: return;
  }
}

COMCP_DECL void oauth_flow::failed(error why) {
  if (next_ == want::done || next_ == want::failed) return;
  if (next_ != want::get) return fail(std::move(why));
  discovery_.failed(why);
  go_on_discovering();
}

COMCP_DECL void oauth_flow::go_on_discovering() {
  if (auto next = discovery_.next()) {
    url_ = std::move(*next);
    return;
  }
  auto found = discovery_.found();
  if (!found) return fail(found.error());
  at_ = std::move(*found);
  if (auto const ready = prepare(); !ready) return fail(ready.error());
  if (binding_.of.empty()) return start_grant();
  next_ = want::binding;
}

COMCP_DECL void oauth_flow::bound() {
  if (next_ == want::binding) start_grant();
}

/// Everything that can be decided without another answer, so that what cannot succeed ends before anybody is asked.
COMCP_DECL result<void> oauth_flow::prepare() {
  auto const& server = at_.authorization_server;
  grant_.server = at_.server;
  grant_.resource = at_.resource;
  grant_.issuer = issuer_key(at_);
  auto token = endpoint("token endpoint", server.token_endpoint);
  if (!token) return token.error();
  grant_.token_endpoint = std::move(*token);
  if (!server.revocation_endpoint.empty()) {
    if (auto revocation = endpoint("revocation endpoint", server.revocation_endpoint)) {
      grant_.revocation_endpoint = std::move(*revocation);
    }
  }
  if (profile_.kind == oauth_profile::grant::authorization_code) {
    if (!server.supports_s256()) {
      return error(errc::unauthorized, "the authorization server " + detail::shown(grant_.issuer) +
                                           " does not support PKCE with S256 (code_challenge_methods_supported)");
    }
    auto authorization = endpoint("authorization endpoint", server.authorization_endpoint);
    if (!authorization) return authorization.error();
    pending_.authorization_endpoint = std::move(*authorization);
  }
  auto const dpop = choose_dpop(profile_, at_);
  if (!dpop) return dpop.error();
  dpop_ = *dpop;
  grant_.scope = choose_scope(profile_, at_, start_.granted_scope, start_.step_up);

  auto choice = choose_client(profile_, at_);
  if (!choice) return choice.error();
  binding_ = client_binding(profile_, at_, *choice);
  // A source may not look at whom its assertion is for.
  if (binding_.of.empty() && profile_.kind == oauth_profile::grant::jwt_bearer) {
    binding_ = server_binding(profile_, at_, "assertions");
  }
  known_ = std::move(choice->client);
  grant_.registered_by = std::move(choice->registered_by);
  if (known_) return {};
  auto registration = endpoint("registration endpoint", server.registration_endpoint);
  if (!registration) return registration.error();
  registration_endpoint_ = std::move(*registration);
  grant_.registered_by = "dynamic";
  return {};
}

/// An endpoint of the metadata, once it passed the policy.
COMCP_DECL result<std::string> oauth_flow::endpoint(std::string_view what, std::string const& url) const {
  auto const name = "the " + std::string(what) + " of " + detail::shown(grant_.issuer);
  if (url.empty()) return error(errc::unauthorized, name + " is missing in its metadata");
  auto const checked = profile_.policy.check(url, start_.server);
  if (!checked) return error(errc::unauthorized, name + " is refused: " + detail::shown(checked.error().message()));
  return checked->text();
}

COMCP_DECL void oauth_flow::start_grant() {
  using grant = oauth_profile::grant;
  if (profile_.kind == grant::authorization_code) {
    next_ = known_ ? want::redirect_uri : want::stored_client;
    return;
  }
  grant_.client = *known_;
  if (!choose_method()) return;
  if (profile_.kind == grant::jwt_bearer) {
    next_ = want::assertion;
    return;
  }
  if (grant_.auth_method == "none") {
    return fail(error(errc::unauthorized, "client credentials need a secret or a key of the client"));
  }
  start_token_request("client_credentials");
}

/// Fails the flow where client and server have none in common.
COMCP_DECL bool oauth_flow::choose_method() {
  auto const& supported = at_.authorization_server.token_endpoint_auth_methods_supported;
  bool const nobody = grant_.client.id().empty();
  auto method = nobody ? result<std::string>("none") : choose_auth_method(grant_.client, supported);
  if (method) {
    grant_.auth_method = std::move(*method);
  } else {
    fail(method.error());
  }
  return next_ != want::failed;
}

COMCP_DECL void oauth_flow::registration_found(std::optional<oauth_client> stored) {
  if (next_ != want::stored_client) return;
  if (stored && detail::is_usable(*stored, grant_.issuer, now_)) known_ = std::move(stored);
  next_ = want::redirect_uri;
}

COMCP_DECL std::vector<std::string> oauth_question::known_redirects() const {
  return known_ ? known_->redirect_uris() : std::vector<std::string>();
}

COMCP_DECL void oauth_flow::redirecting_to(std::string redirect_uri, secret state, secret verifier) {
  if (next_ != want::redirect_uri) return;
  if (auto const usable = check_redirect_uri(redirect_uri); !usable) return fail(usable.error());
  if (state.empty() || verifier.empty())
    return fail(error(errc::invalid_argument, "a flow needs a state and a verifier"));
  pending_.redirect_uri = std::move(redirect_uri);
  pending_.state = std::move(state);
  pending_.verifier = std::move(verifier);
  // A stored registration that does not know this redirect is of no use: its server would show the user an error.
  auto const known = known_redirects();
  bool const foreign = !known.empty() && !detail::has(known, pending_.redirect_uri);
  if (foreign && grant_.registered_by == "dynamic") known_.reset();
  if (!known_) {
    registering_ = registration_metadata(profile_, at_, pending_.redirect_uri);
    return start_registration();
  }
  grant_.client = *known_;
  start_user();
}

COMCP_DECL void oauth_flow::start_registration() {
  auto url = http_url::parse(registration_endpoint_);
  if (!url) return fail(url.error());
  url_ = std::move(*url);
  body_ = registering_.to_json();
  next_ = want::post_json;
}

COMCP_DECL void oauth_flow::registration_answered(int status, std::string_view body, token_set::time_point now) {
  auto const where = "registration at " + url_->origin();
  if (status / 100 == 3) {
    return fail(error(errc::unauthorized, where + " was refused: its endpoint redirects, which is not followed"));
  }
  auto read = read_registration_answer(status, body, grant_.issuer, now);
  if (!read && at_.assumed) {
    return fail(discovery_.not_found("no metadata is published, and " + url_->text() + " is no registration endpoint (" +
                                     std::to_string(status) + ')'));
  }
  if (!read) return fail(read.error());
  if (auto const* const refusal = std::get_if<oauth_refusal>(&*read)) {
    if (!detail::about_client_metadata(*refusal) || registered_twice_) return fail(refusal->as_error(where));
    registered_twice_ = true;
    registering_.application_type = registering_.application_type == "native" ? "web" : "native";
    return start_registration();
  }
  auto& client = std::get<oauth_client>(*read);
  if (client.redirect_uris().empty()) client.redirect_uris({pending_.redirect_uri});
  registered_ = client;
  grant_.client = std::move(client);
  start_user();
}

COMCP_DECL void oauth_flow::start_user() {
  if (!choose_method()) return;
  pending_.server = at_.server;
  pending_.resource = grant_.resource;
  pending_.issuer = at_.authorization_server.issuer;
  pending_.iss_required = at_.authorization_server.authorization_response_iss_parameter_supported;
  pending_.token_endpoint = grant_.token_endpoint;
  pending_.auth_method = grant_.auth_method;
  pending_.client = grant_.client;
  pending_.scope = grant_.scope;
  pending_.dpop = dpop_;
  next_ = want::user;
}

COMCP_DECL void oauth_flow::redirected(std::string_view redirect) {
  if (next_ != want::user) return;
  auto read = read_redirect(pending_, redirect);
  if (!read) return fail(read.error());
  if (auto const* const refusal = std::get_if<oauth_refusal>(&*read)) return fail(refusal->as_error("authorization"));
  start_token_request("authorization_code");
  form_.add("code", std::get<secret>(*read).reveal());
  form_.add("redirect_uri", pending_.redirect_uri);
  form_.add("code_verifier", pending_.verifier.reveal());
}

COMCP_DECL void oauth_flow::asserted(secret assertion) {
  if (next_ != want::assertion) return;
  if (assertion.empty()) return fail(error(errc::unauthorized, "the source of assertions gave none"));
  start_token_request(detail::jwt_bearer_grant);
  form_.add("assertion", assertion.reveal());
}

COMCP_DECL void oauth_flow::start_token_request(std::string_view grant_type) {
  auto url = http_url::parse(grant_.token_endpoint);
  if (!url) return fail(url.error());
  url_ = std::move(*url);
  form_ = form_fields();
  form_.add("grant_type", grant_type);
  form_.add("resource", grant_.resource);
  if (grant_type != "authorization_code" && !grant_.scope.empty()) form_.add("scope", grant_.scope);
  next_ = want::post_token;
}

COMCP_DECL void oauth_flow::token_answered(int status, std::string_view body, token_set::time_point now) {
  auto const where = "the token request to " + url_->origin();
  if (status / 100 == 3) {
    return fail(error(errc::unauthorized, where + " was refused: its endpoint redirects, which is not followed"));
  }
  auto read = read_token_answer(status, body, now);
  if (!read) return fail(read.error());
  if (auto const* const refusal = std::get_if<oauth_refusal>(&*read)) return fail(refusal->as_error(where));
  auto& tokens = std::get<token_set>(*read);
  if (auto const usable = check_usable(tokens, dpop_); !usable) {
    return fail(error(errc::unauthorized, where + ": " + std::string(usable.error().message())));
  }
  if (tokens.scope) grant_.scope = unite_scopes(grant_.scope, *tokens.scope);
  grant_.tokens = std::move(tokens);
  form_ = form_fields();
  next_ = want::done;
}

COMCP_DECL void oauth_flow::fail(error why) {
  failure_ = std::move(why);
  form_ = form_fields();
  next_ = want::failed;
}

}  // namespace comcp::sansio
