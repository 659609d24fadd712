// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys, signatures and JSON Web Tokens (RFC 7515, 7517, 7518, 7519), as far as a client makes them; and randomness. Over
// OpenSSL. Nothing here verifies a token: those are for servers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/auth/registration.hpp>
#include <comcp/json/value.hpp>
#include <comcp/result.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// Bytes of a cryptographic random generator. Throws comcp::exception where there is none.
std::string random_bytes(std::size_t count);
/// A random text of 43 characters of base64url: 256 bits.
std::string random_token();

/// A key that signs, ES256 or RS256. Copies share it; may be used from any thread.
class signing_key {
 public:
  /// A fresh key for ES256.
  static signing_key generate();
  /// errc::invalid_argument for text that is no private key, or none for ES256 (P-256) or RS256 (2048 bits at least).
  static result<signing_key> load(private_key const& key);

  [[nodiscard]] std::string const& algorithm() const noexcept;
  [[nodiscard]] std::string const& id() const noexcept;  ///< Empty: none.
  /// The public JWK as JSON text, its members in the order of RFC 7638.
  [[nodiscard]] std::string public_jwk() const;
  /// Its thumbprint (RFC 7638), base64url.
  [[nodiscard]] std::string thumbprint() const;
  /// The private JWK, for a store.
  [[nodiscard]] secret private_jwk() const;

  /// A compact JWT. `header` and `claims` are JSON objects; alg, and kid where the key has one, are added to the header.
  [[nodiscard]] secret sign(std::string_view header, std::string_view claims) const;

 private:
  struct state;
  explicit signing_key(std::shared_ptr<state const> s) : state_(std::move(s)) {}
  std::shared_ptr<state const> state_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/jose.ipp>
#endif
