// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/rand.h>

#include <comcp/auth/impl/jose_keys.ipp>
#include <comcp/hash/sha256.hpp>

namespace comcp {

COMCP_DECL std::string random_bytes(std::size_t count) {
  jose_detail::error_mark const mark;
  std::string out(count, '\0');
  auto* const to = reinterpret_cast<unsigned char*>(out.data());
  if (::RAND_bytes_ex(nullptr, to, count, 0) != 1) {
    throw exception(error(std::make_error_code(std::errc::io_error), "OpenSSL has no randomness"));
  }
  return out;
}

COMCP_DECL std::string random_token() { return to_base64url(random_bytes(32)); }

struct signing_key::state {
  jose_detail::key_ptr key;
  std::string algorithm, id, jwk;
};

COMCP_DECL signing_key signing_key::generate() {
  jose_detail::error_mark const mark;
  auto s = std::make_shared<state>();
  s->key.reset(::EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  if (!s->key) throw exception(error(std::make_error_code(std::errc::io_error), "OpenSSL makes no key"));
  s->algorithm = "ES256";
  s->jwk = jose_detail::public_members(s->key.get()).text();
  return signing_key(std::move(s));
}

namespace jose_detail {

// `id` and `algorithm` become what a JWK says, where they are not said.
COMCP_DECL result<key_ptr> read_key(private_key const& key, std::string& id, std::string& algorithm) {
  if (!key.is_jwk()) return key_from_pem(key.text().reveal());
  auto const jwk = json::parse(key.text().reveal(), json::parse_options().max_bytes(std::size_t{64} << 10));
  if (!jwk) return unusable_key("it is no JSON");
  auto const text_of = [&](std::string_view member) {
    auto const found = jwk->view().find(member);
    return std::string(found ? found->get_string().value_or("") : "");
  };
  if (id.empty()) id = text_of("kid");
  auto const meant = text_of("alg");
  if (algorithm.empty()) algorithm = meant;
  if (!meant.empty() && meant != algorithm) return unusable_key("its JWK is for another algorithm");
  return key_from_jwk(*jwk);
}

}  // namespace jose_detail

COMCP_DECL result<signing_key> signing_key::load(private_key const& key) {
  jose_detail::error_mark const mark;
  auto s = std::make_shared<state>();
  s->id = key.id();
  auto wanted = key.algorithm();
  auto read = jose_detail::read_key(key, s->id, wanted);
  if (!read) return read.error();
  s->key = std::move(*read);
  auto const fits = jose_detail::algorithm_of(s->key.get());
  if (!fits) return fits.error();
  if (!wanted.empty() && wanted != *fits) return jose_detail::unusable_key("it signs " + *fits + " and nothing else");
  if (!jose_detail::fits_together(s->key.get())) return jose_detail::unusable_key("its parts do not fit together");
  s->algorithm = *fits;
  s->jwk = jose_detail::public_members(s->key.get()).text();
  return signing_key(std::move(s));
}

COMCP_DECL std::string const& signing_key::algorithm() const noexcept { return state_->algorithm; }
COMCP_DECL std::string const& signing_key::id() const noexcept { return state_->id; }
COMCP_DECL std::string signing_key::public_jwk() const { return state_->jwk; }

COMCP_DECL std::string signing_key::thumbprint() const { return to_base64url(sha256(state_->jwk)); }

COMCP_DECL secret signing_key::private_jwk() const {
  jose_detail::error_mark const mark;
  auto const* const key = state_->key.get();
  auto out = jose_detail::public_members(key);
  if (jose_detail::is_rsa(key)) {
    jose_detail::add_private(out, key, jose_detail::rsa_parts);
  } else {
    jose_detail::add_private(out, key, jose_detail::ec_parts);
  }
  out.set("alg", state_->algorithm);
  if (!state_->id.empty()) out.set("kid", state_->id);
  return secret(out.text());
}

COMCP_DECL secret signing_key::sign(std::string_view header, std::string_view claims) const {
  jose_detail::error_mark const mark;
  auto const given = json::parse(header), said = json::parse(claims);
  if (!given || !said || !given->is_object() || !said->is_object()) {
    throw exception(error(errc::invalid_argument, "header and claims of a JWT must be JSON objects"));
  }
  json::object whole;
  whole.set("alg", state_->algorithm);
  if (!state_->id.empty()) whole.set("kid", state_->id);
  for (auto const& [name, value] : given->members()) {
    if (name != "alg" && (name != "kid" || state_->id.empty())) whole.set(name, value);
  }
  auto out = to_base64url(whole.text()) + '.' + to_base64url(claims);
  auto signature = jose_detail::raw_signature(state_->key.get(), out);
  if (state_->algorithm == "ES256") signature = jose_detail::jose_signature(signature);
  if (signature.empty()) throw exception(error(errc::invalid_argument, "OpenSSL cannot sign with this key"));
  out += '.';
  out += to_base64url(signature);
  return secret(std::move(out));
}

}  // namespace comcp
