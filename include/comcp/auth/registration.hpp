// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who the client is to an authorization server: credentials, and what dynamic registration (RFC 7591) sends and gets.
// Pure: keys are text here. Specification: 2026-07-28, basic/authorization/client-registration
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <comcp/auth/token.hpp>
#include <comcp/json/value.hpp>
#include <comcp/result.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// A private key as text, for private_key_jwt. Regular. It is read when it is used first: errc::invalid_argument then.
class private_key {
 public:
  /// PKCS#8, SEC 1 or PKCS#1.
  static private_key pem(secret text) { return private_key(std::move(text), false); }
  /// One JSON Web Key (RFC 7517).
  static private_key jwk(secret text) { return private_key(std::move(text), true); }

  /// "ES256" or "RS256"; by default what fits the key.
  private_key& algorithm(std::string name) & { return algorithm_ = std::move(name), *this; }
  private_key&& algorithm(std::string name) && { return std::move(algorithm(std::move(name))); }
  /// The kid of the header; by default the JWK's, else none.
  private_key& id(std::string kid) & { return id_ = std::move(kid), *this; }
  private_key&& id(std::string kid) && { return std::move(id(std::move(kid))); }

  [[nodiscard]] secret const& text() const noexcept { return text_; }
  [[nodiscard]] bool is_jwk() const noexcept { return jwk_; }
  [[nodiscard]] std::string const& algorithm() const noexcept { return algorithm_; }
  [[nodiscard]] std::string const& id() const noexcept { return id_; }
  friend bool operator==(private_key const&, private_key const&) = default;

 private:
  private_key(secret text, bool jwk) : text_(std::move(text)), jwk_(jwk) {}
  secret text_;
  bool jwk_ = false;
  std::string algorithm_, id_;
};

/// A client that an authorization server knows. Regular.
class oauth_client {
 public:
  oauth_client() = default;
  explicit oauth_client(std::string id) : id_(std::move(id)) {}

  oauth_client& client_secret(secret s) & { return secret_ = std::move(s), *this; }
  oauth_client& key(private_key k) & { return key_ = std::move(k), *this; }
  /// The authorization server that knows it. Where it is set, every other one is refused. Where it is not, oauth binds the
  /// client to the first one that it meets, in its token_store, and refuses others with both names; addresses that nothing
  /// publishes get no secret. Metadata documents' ids need none.
  oauth_client& issuer(std::string i) & { return issuer_ = std::move(i), *this; }
  /// "none", "client_secret_basic", "client_secret_post" or "private_key_jwt"; by default what fits and the server supports.
  oauth_client& auth_method(std::string m) & { return method_ = std::move(m), *this; }
  oauth_client& secret_expires_at(token_set::time_point t) & { return expires_at_ = t, *this; }
  oauth_client& redirect_uris(std::vector<std::string> u) & { return redirect_uris_ = std::move(u), *this; }
  oauth_client&& client_secret(secret s) && { return std::move(client_secret(std::move(s))); }
  oauth_client&& key(private_key k) && { return std::move(key(std::move(k))); }
  oauth_client&& issuer(std::string i) && { return std::move(issuer(std::move(i))); }
  oauth_client&& auth_method(std::string m) && { return std::move(auth_method(std::move(m))); }

  [[nodiscard]] std::string const& id() const noexcept { return id_; }
  [[nodiscard]] secret const& client_secret() const noexcept { return secret_; }
  [[nodiscard]] std::optional<private_key> const& key() const noexcept { return key_; }
  [[nodiscard]] std::string const& issuer() const noexcept { return issuer_; }
  [[nodiscard]] std::string const& auth_method() const noexcept { return method_; }
  [[nodiscard]] std::optional<token_set::time_point> secret_expires_at() const noexcept { return expires_at_; }
  [[nodiscard]] std::vector<std::string> const& redirect_uris() const noexcept { return redirect_uris_; }

  /// For a token_store: its text is secret. from_json: errc::wrong_shape.
  [[nodiscard]] secret to_json() const;
  static result<oauth_client> from_json(secret const& text);

  friend bool operator==(oauth_client const&, oauth_client const&) = default;

 private:
  std::string id_;
  secret secret_;
  std::optional<private_key> key_;
  std::string issuer_, method_;
  std::optional<token_set::time_point> expires_at_;
  std::vector<std::string> redirect_uris_;
};

/// What a client tells of itself when it registers.
class client_metadata {
 public:
  client_metadata() = default;
  explicit client_metadata(std::string name) : client_name(std::move(name)) {}

  std::string client_name = "comcp";
  std::string client_uri, logo_uri, software_id, software_version;
  std::vector<std::string> redirect_uris;
  std::vector<std::string> grant_types = {"authorization_code", "refresh_token"};
  std::string application_type;  ///< "native" or "web"; empty: native where every redirect is loopback or no http URL.
  std::string token_endpoint_auth_method = "none";
  std::string scope;

  /// The body of a registration request.
  [[nodiscard]] std::string to_json() const;
};

using registration_answer = std::variant<oauth_client, oauth_refusal>;

/// Reads an answer of the registration endpoint; the client knows `issuer` as its own. Errors as in read_token_answer().
result<registration_answer> read_registration_answer(int status, std::string_view body, std::string issuer,
                                                     token_set::time_point now);

/// How this client authenticates at a token endpoint that supports these methods (absent: client_secret_basic by RFC 8414).
/// errc::unauthorized where nothing fits.
result<std::string> choose_auth_method(oauth_client const& client, std::optional<std::vector<std::string>> const& supported);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/registration.ipp>
#endif
