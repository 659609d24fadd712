// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Proofs of possession (RFC 9449): a fresh one for each request, and the nonces that servers want in them. Over OpenSSL.
// Specification: extension io.modelcontextprotocol/auth/dpop
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/auth/jose.hpp>
#include <comcp/http/message.hpp>
#include <comcp/http/url.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// One key, and the last nonce of each origin (64 at most). Used from one executor.
class dpop_prover {
 public:
  explicit dpop_prover(signing_key key = signing_key::generate()) : key_(std::move(key)) {}

  [[nodiscard]] signing_key const& key() const noexcept { return key_; }
  /// The value of a DPoP header for one request, signed now; with a token, bound to it by its hash. The URL's query and
  /// fragment are left out of it.
  [[nodiscard]] std::string proof(std::string_view method, http_url const& url, std::chrono::system_clock::time_point now,
                                  secret const& access_token = {}) const;
  /// Any answer may bring the nonce of the next requests to its origin. Whether it brought another one.
  bool observed(http_url const& url, http_headers const& answer);

 private:
  struct nonce {
    nonce(std::string of, std::string value) : origin(std::move(of)), text(std::move(value)) {}
    std::string origin, text;
  };

  signing_key key_;
  std::vector<nonce> nonces_;  // of one origin one at most; the newest is the last
};

/// Whether this answer asks for a proof with the nonce that it brings: a 400 of a token endpoint, or a 401 of a server.
bool wants_dpop_nonce(int status, http_headers const& headers, std::string_view body);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/dpop.ipp>
#endif
