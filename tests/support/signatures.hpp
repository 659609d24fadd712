// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a server does with the JSON Web Tokens of a client, and keys in the forms in which users have them. Reads JWKs
// and signatures by itself, so that a mistake of comcp's does not undo itself.
#pragma once

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <comcp/json/describe.hpp>

namespace comcp_test {

using pkey = std::shared_ptr<EVP_PKEY>;

inline pkey own(EVP_PKEY* raw) {
  if (raw == nullptr) throw std::runtime_error("OpenSSL gave no key");
  return pkey(raw, ::EVP_PKEY_free);
}
inline pkey ec_key(char const* curve = "P-256") { return own(::EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve)); }
inline pkey rsa_key(std::size_t bits = 2048) { return own(::EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", bits)); }

/// The forms of PEM.
enum class pem_form { pkcs8, traditional, public_key, pkcs8_encrypted, traditional_encrypted };

inline std::string pem_of(pkey const& key, pem_form form) {
  std::unique_ptr<BIO, void (*)(BIO*)> const out(::BIO_new(::BIO_s_mem()), [](BIO* b) { ::BIO_free(b); });
  unsigned char word[] = {'w', 'o', 'r', 'd'};
  auto* const aes = const_cast<EVP_CIPHER*>(::EVP_aes_128_cbc());
  bool const encrypted = form == pem_form::pkcs8_encrypted || form == pem_form::traditional_encrypted;
  auto const* const cipher = encrypted ? aes : nullptr;
  auto* const secret = encrypted ? word : nullptr;
  int const size = encrypted ? 4 : 0;
  int ok = 0;
  if (form == pem_form::public_key) {
    ok = ::PEM_write_bio_PUBKEY(out.get(), key.get());
  } else if (form == pem_form::traditional || form == pem_form::traditional_encrypted) {
    ok = ::PEM_write_bio_PrivateKey_traditional(out.get(), key.get(), cipher, secret, size, nullptr, nullptr);
  } else {
    ok = ::PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), cipher, reinterpret_cast<char*>(secret), size, nullptr, nullptr);
  }
  char* data = nullptr;
  auto const length = BIO_get_mem_data(out.get(), &data);
  if (ok != 1) throw std::runtime_error("OpenSSL wrote no PEM");
  return std::string(data, static_cast<std::size_t>(length));
}

inline std::string from_url64(std::string_view text) {
  std::string out;
  unsigned buffer = 0;
  int bits = 0;
  for (char const c : text) {
    std::string_view const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    auto const value = digits.find(c);
    if (value == digits.npos) throw std::runtime_error("no base64url");
    buffer = (buffer << 6) | static_cast<unsigned>(value);
    if ((bits += 6) >= 8) out += static_cast<char>((buffer >> (bits -= 8)) & 0xff);
  }
  return out;
}

/// The parts of a compact token.
struct token_parts {
  explicit token_parts(std::string const& jwt) {
    auto const first = jwt.find('.'), second = jwt.find('.', first + 1);
    if (second == jwt.npos || jwt.find('.', second + 1) != jwt.npos) throw std::runtime_error("no compact token");
    signed_part = jwt.substr(0, second);
    header_text = from_url64(jwt.substr(0, first));
    claims_text = from_url64(jwt.substr(first + 1, second - first - 1));
    signature = from_url64(jwt.substr(second + 1));
    header = comcp::json::parse(header_text).value();
    claims = comcp::json::parse(claims_text).value();
  }
  std::string signed_part, header_text, claims_text, signature;
  comcp::json::value header, claims;
};

namespace signature_detail {

inline std::shared_ptr<BIGNUM> number(std::string const& bytes) {
  auto const* const from = reinterpret_cast<unsigned char const*>(bytes.data());
  return {::BN_bin2bn(from, static_cast<int>(bytes.size()), nullptr), ::BN_free};
}

inline pkey public_key(comcp::json::value const& jwk) {
  std::shared_ptr<OSSL_PARAM_BLD> const build(::OSSL_PARAM_BLD_new(), ::OSSL_PARAM_BLD_free);
  bool const rsa = jwk["kty"].as<std::string>() == "RSA";
  auto const part = [&](char const* name) { return from_url64(jwk[name].as<std::string>()); };
  std::vector<std::shared_ptr<BIGNUM>> numbers;
  std::string point;
  if (rsa) {
    numbers = {number(part("n")), number(part("e"))};
    ::OSSL_PARAM_BLD_push_BN(build.get(), OSSL_PKEY_PARAM_RSA_N, numbers[0].get());
    ::OSSL_PARAM_BLD_push_BN(build.get(), OSSL_PKEY_PARAM_RSA_E, numbers[1].get());
  } else {
    point = '\x04' + part("x") + part("y");
    ::OSSL_PARAM_BLD_push_utf8_string(build.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
    ::OSSL_PARAM_BLD_push_octet_string(build.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
  }
  std::shared_ptr<OSSL_PARAM> const all(::OSSL_PARAM_BLD_to_param(build.get()), ::OSSL_PARAM_free);
  std::shared_ptr<EVP_PKEY_CTX> const context(::EVP_PKEY_CTX_new_from_name(nullptr, rsa ? "RSA" : "EC", nullptr),
                                              ::EVP_PKEY_CTX_free);
  EVP_PKEY* out = nullptr;
  ::EVP_PKEY_fromdata_init(context.get());
  ::EVP_PKEY_fromdata(context.get(), &out, EVP_PKEY_PUBLIC_KEY, all.get());
  return own(out);
}

inline std::string der_of(std::string const& rs) {
  std::shared_ptr<ECDSA_SIG> const signature(::ECDSA_SIG_new(), ::ECDSA_SIG_free);
  auto const* const from = reinterpret_cast<unsigned char const*>(rs.data());
  ::ECDSA_SIG_set0(signature.get(), ::BN_bin2bn(from, 32, nullptr), ::BN_bin2bn(from + 32, 32, nullptr));
  unsigned char* der = nullptr;
  int const size = ::i2d_ECDSA_SIG(signature.get(), &der);
  std::string const out(reinterpret_cast<char*>(der), static_cast<std::size_t>(size));
  ::OPENSSL_free(der);
  return out;
}

}  // namespace signature_detail

/// Whether the token's signature is that of the key, by the algorithm that its header names.
inline bool verifies(std::string const& jwk_text, std::string const& jwt) {
  auto const jwk = comcp::json::parse(jwk_text).value();
  token_parts const parts(jwt);
  bool const ec = jwk["kty"].as<std::string>() == "EC";
  if (parts.header["alg"].as<std::string>() != (ec ? "ES256" : "RS256")) return false;
  if (ec && parts.signature.size() != 64) return false;
  auto const signature = ec ? signature_detail::der_of(parts.signature) : parts.signature;
  auto const key = signature_detail::public_key(jwk);
  std::shared_ptr<EVP_MD_CTX> const context(::EVP_MD_CTX_new(), ::EVP_MD_CTX_free);
  ::EVP_DigestVerifyInit(context.get(), nullptr, ::EVP_sha256(), nullptr, key.get());
  return ::EVP_DigestVerify(context.get(), reinterpret_cast<unsigned char const*>(signature.data()), signature.size(),
                            reinterpret_cast<unsigned char const*>(parts.signed_part.data()),
                            parts.signed_part.size()) == 1;
}

}  // namespace comcp_test
