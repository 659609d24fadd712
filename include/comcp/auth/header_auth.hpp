// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Credentials in header fields of the user's own: API keys and the like.
#pragma once

#include <memory>
#include <string>

#include <comcp/auth/authenticator.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// Sends the same fields with every request, and gives up at a challenge. Copies share them, and are one identity.
class header_auth {
 public:
  /// errc::invalid_argument at the first request for a name that is no token, a value that no header carries, and the
  /// names that the protocol sets itself. A value is never in an error.
  COMCP_LAZY header_auth(std::string name, secret value);
  /// One more field; of one name the last one counts.
  header_auth& add(std::string name, secret value) &;
  header_auth&& add(std::string name, secret value) &&;

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const& request);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const& request,
                                                                            http_headers const& sent,
                                                                            http_response_head const& got);
  COMCP_LAZY [[nodiscard]] std::string identity() const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/header_auth.ipp>
#endif
