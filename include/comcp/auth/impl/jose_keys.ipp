// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// OpenSSL's keys: read from PEM and JWK, written as JWK, used to sign. What a JSON Web Token is made of is jose.ipp's.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <comcp/auth/jose.hpp>
#include <comcp/auth/pkce.hpp>
#include <comcp/json/build.hpp>
#include <comcp/version.hpp>

namespace comcp::jose_detail {

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* p) const noexcept {
    Free(p);
  }
};
template <class T, auto Free>
using owned = std::unique_ptr<T, freed_by<Free>>;

using key_ptr = owned<EVP_PKEY, &::EVP_PKEY_free>;
using number_ptr = owned<BIGNUM, &::BN_clear_free>;

/// Leaves OpenSSL's queue of errors as it was: what failed here is told in comcp's words.
class error_mark {
 public:
  error_mark() noexcept { ::ERR_set_mark(); }
  error_mark(error_mark const&) = delete;
  error_mark& operator=(error_mark const&) = delete;
  ~error_mark() { ::ERR_pop_to_mark(); }
};

/// How a member of a JWK is called in OpenSSL, and how many bytes it has (0: as many as it needs).
struct key_part {
  char const* member;
  char const* name;
  int width;
  bool is_private;
};

inline constexpr std::array<key_part, 3> ec_parts = {{{"x", OSSL_PKEY_PARAM_EC_PUB_X, 32, false},
                                                      {"y", OSSL_PKEY_PARAM_EC_PUB_Y, 32, false},
                                                      {"d", OSSL_PKEY_PARAM_PRIV_KEY, 32, true}}};
inline constexpr std::array<key_part, 8> rsa_parts = {{{"n", OSSL_PKEY_PARAM_RSA_N, 0, false},
                                                       {"e", OSSL_PKEY_PARAM_RSA_E, 0, false},
                                                       {"d", OSSL_PKEY_PARAM_RSA_D, 0, true},
                                                       {"p", OSSL_PKEY_PARAM_RSA_FACTOR1, 0, true},
                                                       {"q", OSSL_PKEY_PARAM_RSA_FACTOR2, 0, true},
                                                       {"dp", OSSL_PKEY_PARAM_RSA_EXPONENT1, 0, true},
                                                       {"dq", OSSL_PKEY_PARAM_RSA_EXPONENT2, 0, true},
                                                       {"qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT1, 0, true}}};

inline error unusable_key(std::string why) { return {errc::invalid_argument, "the private key cannot be used: " + why}; }

inline bool is_rsa(EVP_PKEY const* key) { return ::EVP_PKEY_is_a(key, "RSA") == 1; }

/// A part of a key as a JWK has it; empty where the key has none.
COMCP_DECL std::string part_text(EVP_PKEY const* key, key_part const& part) {
  BIGNUM* raw = nullptr;
  if (::EVP_PKEY_get_bn_param(key, part.name, &raw) != 1) return {};
  number_ptr const number(raw);
  std::string bytes(static_cast<std::size_t>(part.width > 0 ? part.width : BN_num_bytes(raw)), '\0');
  auto* const to = reinterpret_cast<unsigned char*>(bytes.data());
  if (::BN_bn2binpad(raw, to, static_cast<int>(bytes.size())) < 0) return {};
  return to_base64url(bytes);
}

/// The members that make a JWK public, in the order of RFC 7638.
COMCP_DECL json::object public_members(EVP_PKEY const* key) {
  json::object out;
  if (is_rsa(key)) {
    out.set("e", part_text(key, rsa_parts[1])).set("kty", std::string_view("RSA"));
    out.set("n", part_text(key, rsa_parts[0]));
  } else {
    out.set("crv", std::string_view("P-256")).set("kty", std::string_view("EC"));
    out.set("x", part_text(key, ec_parts[0])).set("y", part_text(key, ec_parts[1]));
  }
  return out;
}

template <std::size_t N>
void add_private(json::object& to, EVP_PKEY const* key, std::array<key_part, N> const& parts) {
  for (auto const& part : parts) {
    auto const text = part.is_private ? part_text(key, part) : std::string();
    if (!text.empty()) to.set(part.member, text);
  }
}

/// The numbers of a JWK on their way into OpenSSL, which wants them until the key is made.
class key_builder {
 public:
  key_builder() : to_(::OSSL_PARAM_BLD_new()) {}

  /// False where OpenSSL has no room.
  bool add(char const* name, std::string const& bytes) {
    numbers_.emplace_back(::BN_secure_new());
    auto* const n = numbers_.back().get();
    auto const* const from = reinterpret_cast<unsigned char const*>(bytes.data());
    return to_ && n && ::BN_bin2bn(from, static_cast<int>(bytes.size()), n) &&
           ::OSSL_PARAM_BLD_push_BN(to_.get(), name, n) == 1;
  }
  /// The point of the public key, 65 bytes, and its curve. Both outlive the builder.
  bool add_point(std::string const& point) {
    return to_ && ::OSSL_PARAM_BLD_push_utf8_string(to_.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
           ::OSSL_PARAM_BLD_push_octet_string(to_.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) == 1;
  }

  /// Null where the numbers are no key.
  key_ptr make(char const* type) {
    owned<OSSL_PARAM, &::OSSL_PARAM_free> const parameters(to_ ? ::OSSL_PARAM_BLD_to_param(to_.get()) : nullptr);
    owned<EVP_PKEY_CTX, &::EVP_PKEY_CTX_free> const context(::EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
    EVP_PKEY* out = nullptr;
    if (!parameters || !context || ::EVP_PKEY_fromdata_init(context.get()) != 1) return nullptr;
    if (::EVP_PKEY_fromdata(context.get(), &out, EVP_PKEY_KEYPAIR, parameters.get()) != 1) return nullptr;
    return key_ptr(out);
  }

 private:
  std::vector<number_ptr> numbers_;
  owned<OSSL_PARAM_BLD, &::OSSL_PARAM_BLD_free> to_;
};

/// The bytes of a JWK's member; empty where it is missing, too long or no base64url.
COMCP_DECL std::string part_bytes(json::view jwk, key_part const& part) {
  auto const member = jwk.find(part.member);
  auto const text = member ? member->get_string() : std::nullopt;
  if (!text || text->size() > 4096) return {};
  auto bytes = from_base64url(*text);
  if (!bytes || (part.width > 0 && bytes->size() != static_cast<std::size_t>(part.width))) return {};
  return std::move(*bytes);
}

COMCP_DECL result<key_ptr> ec_from_jwk(json::view jwk) {
  auto const curve = jwk.find("crv");
  if (!curve || curve->get_string() != "P-256") return unusable_key("its curve is not P-256");
  std::array<std::string, ec_parts.size()> bytes;
  for (std::size_t i = 0; i < ec_parts.size(); ++i) {
    auto const& part = ec_parts[i];
    bytes[i] = part_bytes(jwk, part);
    if (bytes[i].empty()) return unusable_key(std::string(part.member) + " of the JWK is not 32 bytes of base64url");
  }
  key_builder builder;
  auto const point = '\x04' + bytes[0] + bytes[1];
  key_ptr key;
  if (builder.add_point(point) && builder.add(OSSL_PKEY_PARAM_PRIV_KEY, bytes[2])) key = builder.make("EC");
  if (!key) return unusable_key("the numbers of the JWK are no key of P-256");
  return key;
}

COMCP_DECL result<key_ptr> rsa_from_jwk(json::view jwk) {
  if (jwk.find("oth")) return unusable_key("RSA with more than two primes is not supported");
  bool const with_primes = jwk.find("p").has_value();
  key_builder builder;
  key_ptr key;
  for (auto const& part : rsa_parts) {
    if (&part == &rsa_parts[3] && !with_primes) break;
    auto const bytes = part_bytes(jwk, part);
    if (bytes.empty()) return unusable_key(std::string(part.member) + " of the JWK is no number in base64url");
    if (!builder.add(part.name, bytes)) return unusable_key("OpenSSL does not take its numbers");
  }
  key = builder.make("RSA");
  if (!key) return unusable_key("the numbers of the JWK are no RSA key");
  return key;
}

COMCP_DECL result<key_ptr> key_from_jwk(json::view jwk) {
  auto const kind = jwk.find("kty");
  auto const type = kind ? kind->get_string() : std::nullopt;
  if (!jwk.is_object() || !type) return unusable_key("it is no JWK: one JSON object with kty is wanted");
  if (!jwk.find("d")) return unusable_key("the JWK has no private part");
  if (type == "EC") return ec_from_jwk(jwk);
  if (type == "RSA") return rsa_from_jwk(jwk);
  return unusable_key("the kty of the JWK is neither EC nor RSA");
}

COMCP_DECL result<key_ptr> key_from_pem(std::string const& text) {
  constexpr std::size_t most = std::size_t{64} << 10;
  if (text.size() > most) return unusable_key("more than 64 KiB are no PEM of a key");
  if (text.find("ENCRYPTED") != text.npos) return unusable_key("it is encrypted; write it without its passphrase");
  owned<BIO, &::BIO_free> const from(::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  // Without the callback OpenSSL asks the terminal for a passphrase.
  auto const no_passphrase = [](char*, int, int, void*) { return -1; };
  key_ptr key(from ? ::PEM_read_bio_PrivateKey(from.get(), nullptr, no_passphrase, nullptr) : nullptr);
  if (key) return key;
  if (text.find("PUBLIC KEY-----") != text.npos || text.find("CERTIFICATE-----") != text.npos) {
    return unusable_key("it is a public one");
  }
  return unusable_key("it is no PEM of PKCS#8, SEC 1 or PKCS#1");
}

/// "ES256" or "RS256", as the key is.
COMCP_DECL result<std::string> algorithm_of(EVP_PKEY const* key) {
  if (is_rsa(key)) {
    if (::EVP_PKEY_get_bits(key) < 2048) return unusable_key("RS256 needs 2048 bits at least");
    return std::string("RS256");
  }
  if (::EVP_PKEY_is_a(key, "EC") != 1) return unusable_key("it is neither an EC nor an RSA key");
  char group[64] = {};
  std::size_t length = 0;
  if (::EVP_PKEY_get_group_name(key, group, sizeof group, &length) != 1 || std::string_view(group) != "prime256v1") {
    return unusable_key("its curve is not P-256");
  }
  return std::string("ES256");
}

/// The signature as OpenSSL gives it, empty where it does not.
COMCP_DECL std::string raw_signature(EVP_PKEY* key, std::string_view data) {
  owned<EVP_MD_CTX, &::EVP_MD_CTX_free> const context(::EVP_MD_CTX_new());
  auto const* const from = reinterpret_cast<unsigned char const*>(data.data());
  std::size_t size = 0;
  if (!context || ::EVP_DigestSignInit(context.get(), nullptr, ::EVP_sha256(), nullptr, key) != 1) return {};
  if (::EVP_DigestSign(context.get(), nullptr, &size, from, data.size()) != 1) return {};
  std::string out(size, '\0');
  auto* const to = reinterpret_cast<unsigned char*>(out.data());
  if (::EVP_DigestSign(context.get(), to, &size, from, data.size()) != 1) return {};
  out.resize(size);
  return out;
}

/// Whether the public part belongs to the private one.
COMCP_DECL bool fits_together(EVP_PKEY* key) {
  std::string_view const data = "comcp";
  auto const signature = raw_signature(key, data);
  owned<EVP_MD_CTX, &::EVP_MD_CTX_free> const context(::EVP_MD_CTX_new());
  if (signature.empty() || !context) return false;
  if (::EVP_DigestVerifyInit(context.get(), nullptr, ::EVP_sha256(), nullptr, key) != 1) return false;
  return ::EVP_DigestVerify(context.get(), reinterpret_cast<unsigned char const*>(signature.data()), signature.size(),
                            reinterpret_cast<unsigned char const*>(data.data()), data.size()) == 1;
}

/// ECDSA's signature in DER as JOSE has it: r and s, 32 bytes each. Empty where it is none.
COMCP_DECL std::string jose_signature(std::string const& der) {
  auto const* from = reinterpret_cast<unsigned char const*>(der.data());
  owned<ECDSA_SIG, &::ECDSA_SIG_free> const signature(::d2i_ECDSA_SIG(nullptr, &from, static_cast<long>(der.size())));
  std::string out(64, '\0');
  auto* const to = reinterpret_cast<unsigned char*>(out.data());
  if (!signature || ::BN_bn2binpad(::ECDSA_SIG_get0_r(signature.get()), to, 32) != 32 ||
      ::BN_bn2binpad(::ECDSA_SIG_get0_s(signature.get()), to + 32, 32) != 32) {
    return {};
  }
  return out;
}

}  // namespace comcp::jose_detail
