// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <comcp/auth/endpoint_policy.hpp>
#include <comcp/auth/registration.hpp>
#include <comcp/http/url.hpp>
#include <comcp/json/build.hpp>

namespace comcp {
namespace detail {

struct stored_key {
  std::string text, algorithm, id;
  bool jwk = false;
};
constexpr auto describe(std::type_identity<stored_key>) {
  using t = stored_key;
  return json::fields(json::field("text", &t::text), json::field("jwk", &t::jwk), json::defaulted("alg", &t::algorithm),
                      json::defaulted("kid", &t::id));
}

/// A client as it is stored, and, but for the key, as a registration endpoint answers.
struct client_body {
  std::string client_id, client_secret, issuer, auth_method;
  std::optional<double> expires_at;
  std::vector<std::string> redirect_uris;
  std::optional<stored_key> key;
};
constexpr auto describe(std::type_identity<client_body>) {
  using t = client_body;
  return json::fields(json::field("client_id", &t::client_id), json::defaulted("client_secret", &t::client_secret),
                      json::defaulted("issuer", &t::issuer),
                      json::defaulted("token_endpoint_auth_method", &t::auth_method),
                      json::field("client_secret_expires_at", &t::expires_at),
                      json::defaulted("redirect_uris", &t::redirect_uris), json::field("private_key", &t::key));
}

COMCP_DECL oauth_client to_client(client_body body) {
  oauth_client out(std::move(body.client_id));
  out.client_secret(secret(std::move(body.client_secret))).issuer(std::move(body.issuer));
  out.auth_method(std::move(body.auth_method)).redirect_uris(std::move(body.redirect_uris));
  if (body.expires_at && *body.expires_at != 0) out.secret_expires_at(clamped_time(*body.expires_at));
  if (body.key) {
    auto key = body.key->jwk ? private_key::jwk(secret(std::move(body.key->text)))
                             : private_key::pem(secret(std::move(body.key->text)));
    key.algorithm(std::move(body.key->algorithm)).id(std::move(body.key->id));
    out.key(std::move(key));
  }
  return out;
}

/// Whether a browser that is sent there stays on this machine.
COMCP_DECL bool is_native_redirect(std::string_view uri) {
  auto const url = http_url::parse(uri);
  return !url || reach_of(url->host()) == address_reach::loopback;
}

}  // namespace detail

COMCP_DECL secret oauth_client::to_json() const {
  detail::client_body body;
  body.client_id = id_;
  body.client_secret = secret_.reveal();
  body.issuer = issuer_;
  body.auth_method = method_;
  if (expires_at_) {
    auto const seconds = std::chrono::floor<std::chrono::seconds>(*expires_at_).time_since_epoch().count();
    body.expires_at = static_cast<double>(seconds);
  }
  body.redirect_uris = redirect_uris_;
  if (key_) {
    auto& key = body.key.emplace();
    key.text = key_->text().reveal();
    key.jwk = key_->is_jwk();
    key.algorithm = key_->algorithm();
    key.id = key_->id();
  }
  return secret(json::to_text(body));
}

COMCP_DECL result<oauth_client> oauth_client::from_json(secret const& text) {
  auto const parsed = json::parse(text.reveal());
  if (!parsed) return error(errc::wrong_shape, "a stored client is no JSON");
  auto body = parsed->get<detail::client_body>();
  if (!body) return error(errc::wrong_shape, "a stored client: " + std::string(body.error().message()));
  return detail::to_client(std::move(*body));
}

COMCP_DECL std::string client_metadata::to_json() const {
  auto const code = std::find(grant_types.begin(), grant_types.end(), "authorization_code") != grant_types.end();
  bool const native = std::all_of(redirect_uris.begin(), redirect_uris.end(), detail::is_native_redirect);
  json::object out;
  out.set("client_name", client_name);
  if (!redirect_uris.empty()) out.set("redirect_uris", redirect_uris);
  out.set("grant_types", grant_types);
  out.set("response_types", code ? std::vector<std::string>(1, "code") : std::vector<std::string>());
  out.set("token_endpoint_auth_method", token_endpoint_auth_method);
  out.set("application_type", !application_type.empty() ? application_type : std::string(native ? "native" : "web"));
  auto const maybe = [&out](std::string_view key, std::string const& value) {
    if (!value.empty()) out.set(key, value);
  };
  maybe("scope", scope);
  maybe("client_uri", client_uri);
  maybe("logo_uri", logo_uri);
  maybe("software_id", software_id);
  maybe("software_version", software_version);
  return out.text();
}

COMCP_DECL result<registration_answer> read_registration_answer(int status, std::string_view body, std::string issuer,
                                                                token_set::time_point now) {
  constexpr std::string_view who = "the registration endpoint";
  auto answer = detail::read_oauth_answer(who, status, body);
  if (!answer) return answer.error();
  if (auto* const refusal = std::get_if<oauth_refusal>(&*answer)) return registration_answer(std::move(*refusal));
  auto read = std::get<json::value>(*answer).get<detail::client_body>();
  if (!read) return detail::bad_oauth_answer(who, status, read.error().message());
  if (read->client_id.empty()) return detail::bad_oauth_answer(who, status, "with an empty client_id");
  read->issuer = std::move(issuer);
  read->key.reset();
  auto client = detail::to_client(std::move(*read));
  if (client.secret_expires_at() && *client.secret_expires_at() <= now)
    return detail::bad_oauth_answer(who, status, "with a secret that has expired");
  return registration_answer(std::move(client));
}

COMCP_DECL result<std::string> choose_auth_method(oauth_client const& client,
                                                  std::optional<std::vector<std::string>> const& supported) {
  auto const& wanted = client.auth_method();
  bool const with_secret = wanted == "client_secret_basic" || wanted == "client_secret_post";
  if (with_secret && client.client_secret().empty()) return error(errc::unauthorized, "the client has no secret for " + wanted);
  if (with_secret || wanted == "none" || wanted == "private_key_jwt") return wanted;
  if (!wanted.empty()) return error(errc::unauthorized, "comcp does not know the way in which this client is to authenticate");
  bool const said = supported && !supported->empty();
  auto const has = [&](std::string_view method) {
    return said && std::find(supported->begin(), supported->end(), method) != supported->end();
  };
  bool const has_secret = !client.client_secret().empty();
  // A key alone is used with a server that says nothing, too: the user must know.
  if (client.key() && (has("private_key_jwt") || (!said && !has_secret))) return std::string("private_key_jwt");
  if (has_secret) {
    if (!said || has("client_secret_basic")) return std::string("client_secret_basic");
    if (has("client_secret_post")) return std::string("client_secret_post");
  }
  // Public clients have nothing else, and many servers that take them do not list it.
  if (has("none") || (!client.key() && !has_secret)) return std::string("none");
  return error(errc::unauthorized, "the authorization server supports no way in which this client can authenticate");
}

}  // namespace comcp
