// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include <comcp/auth/client_authentication.hpp>
#include <comcp/auth/jose.hpp>
#include <comcp/json/build.hpp>
#include <comcp/protocol/base64.hpp>
#include <comcp/version.hpp>

namespace comcp {
namespace jose_detail {

COMCP_DECL std::string assertion_claims(assertion_request const& about, assertion_options const& options,
                                        std::chrono::system_clock::time_point now) {
  auto const& named = about.audience.empty() ? about.token_endpoint : about.audience;
  auto const since = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
  json::object claims;
  claims.set("iss", about.client_id).set("sub", about.client_id);
  claims.set("aud", options.audience().empty() ? named : options.audience());
  claims.set("iat", since.count()).set("exp", (since + options.lifetime()).count()).set("jti", random_token());
  static constexpr std::array<std::string_view, 6> own{"iss", "sub", "aud", "iat", "exp", "jti"};
  auto const& extra = options.extra_claims();
  if (extra.is_object()) {
    for (auto const& [name, value] : extra.members()) {
      if (std::find(own.begin(), own.end(), name) == own.end()) claims.set(name, value);
    }
  }
  return claims.text();
}

COMCP_DECL secret basic_credentials(std::string const& id, secret const& password) {
  // RFC 6749, section 2.3.1: both parts are form-encoded first, so that the one equals sign is between them.
  auto pair = form_fields().add(id, password.reveal()).text();
  pair[pair.find('=')] = ':';
  return secret("Basic " + to_base64(std::as_bytes(std::span(pair))));
}

}  // namespace jose_detail

COMCP_DECL result<secret> sign_client_assertion(oauth_client const& client, assertion_request const& about,
                                                assertion_options const& options,
                                                std::chrono::system_clock::time_point now) {
  using namespace std::chrono_literals;
  if (!client.key()) return error(errc::invalid_argument, "private_key_jwt needs the client's private key");
  if (options.lifetime() <= 0s || options.lifetime() > 1h) {
    return error(errc::invalid_argument, "a client assertion lives for an hour at most");
  }
  if (!options.extra_claims().is_null() && !options.extra_claims().is_object()) {
    return error(errc::invalid_argument, "the extra claims of client assertions are no JSON object");
  }
  auto const key = signing_key::load(*client.key());
  if (!key) return key.error();
  assertion_request named = about;
  if (named.client_id.empty()) named.client_id = client.id();
  try {
    return key->sign(json::object().set("typ", std::string_view("JWT")).text(),
                     jose_detail::assertion_claims(named, options, now));
  } catch (exception const& e) {
    return e.error();
  }
}

COMCP_DECL result<void> authenticate(form_fields& body, http_headers& headers, oauth_client const& client,
                                     std::string_view method, secret const& assertion) {
  bool const with_secret = method == "client_secret_basic" || method == "client_secret_post";
  if (client.id().empty()) return error(errc::invalid_argument, "the client has no id");
  if (with_secret && client.client_secret().empty()) {
    return error(errc::invalid_argument, "the client has no secret for " + std::string(method));
  }
  if (method == "client_secret_basic") {
    return headers.set("Authorization", jose_detail::basic_credentials(client.id(), client.client_secret()).reveal());
  }
  if (method == "private_key_jwt") {
    if (assertion.empty()) return error(errc::invalid_argument, "private_key_jwt needs an assertion");
    body.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    body.set("client_assertion", assertion.reveal());
  } else if (!with_secret && method != "none") {
    return error(errc::invalid_argument, "comcp knows no such way for a client to authenticate");
  }
  // With an assertion it may be left out (RFC 7521, section 4.2), but Microsoft's servers want it.
  body.set("client_id", client.id());
  if (with_secret) body.set("client_secret", client.client_secret().reveal());
  return {};
}

}  // namespace comcp
