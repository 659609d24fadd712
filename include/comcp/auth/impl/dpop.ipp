// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/auth/challenge.hpp>
#include <comcp/auth/dpop.hpp>
#include <comcp/auth/pkce.hpp>
#include <comcp/hash/sha256.hpp>
#include <comcp/json/build.hpp>
#include <comcp/version.hpp>

namespace comcp {
namespace jose_detail {

/// The nonce that an answer brings; null where it is none that a proof can carry (RFC 9449, section 8.1).
COMCP_DECL std::string const* dpop_nonce(http_headers const& answer) noexcept {
  constexpr std::size_t longest = 4096;
  auto const* const nonce = answer.find("DPoP-Nonce");
  auto const fits = [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (!nonce || nonce->empty() || nonce->size() > longest) return nullptr;
  return std::all_of(nonce->begin(), nonce->end(), fits) ? nonce : nullptr;
}

}  // namespace jose_detail

COMCP_DECL std::string dpop_prover::proof(std::string_view method, http_url const& url,
                                          std::chrono::system_clock::time_point now, secret const& access_token) const {
  json::object header;
  header.set("typ", std::string_view("dpop+jwt")).set("jwk", json::fragment::trusted(key_.public_jwk()));
  json::object claims;
  auto const origin = url.origin();
  claims.set("jti", random_token()).set("htm", method).set("htu", origin + url.path());
  claims.set("iat", std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count());
  if (!access_token.empty()) claims.set("ath", to_base64url(sha256(access_token.reveal())));
  auto const known = std::find_if(nonces_.begin(), nonces_.end(), [&](auto const& n) { return n.origin == origin; });
  if (known != nonces_.end()) claims.set("nonce", known->text);
  return key_.sign(header.text(), claims.text()).reveal();
}

COMCP_DECL bool dpop_prover::observed(http_url const& url, http_headers const& answer) {
  auto const* const brought = jose_detail::dpop_nonce(answer);
  if (!brought) return false;
  auto const origin = url.origin();
  auto const known = std::find_if(nonces_.begin(), nonces_.end(), [&](auto const& n) { return n.origin == origin; });
  if (known != nonces_.end()) {
    if (known->text == *brought) return false;
    nonces_.erase(known);
  } else if (nonces_.size() >= 64) {
    nonces_.erase(nonces_.begin());
  }
  nonces_.emplace_back(origin, *brought);
  return true;
}

COMCP_DECL bool wants_dpop_nonce(int status, http_headers const& headers, std::string_view body) {
  if ((status != 400 && status != 401) || !jose_detail::dpop_nonce(headers)) return false;
  for (auto const& challenge : parse_challenges(headers)) {
    auto const* const why = challenge.find("error");
    if (status == 401 && challenge.is("DPoP") && why && *why == "use_dpop_nonce") return true;
  }
  // Some token endpoints answer with a 401, too.
  auto const answer = json::parse(body, json::parse_options().max_bytes(std::size_t{64} << 10));
  auto const why = answer ? answer->view().find("error") : std::nullopt;
  return why && why->get_string() == "use_dpop_nonce";
}

}  // namespace comcp
