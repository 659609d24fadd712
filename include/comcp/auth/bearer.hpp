// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A bearer token that the user has, or gets somewhere. Discovery, registration and grants are for oauth.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <asio/awaitable.hpp>

#include <comcp/auth/authenticator.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// Why a token is asked for.
enum class token_need {
  first,    ///< There is none yet.
  refused,  ///< The server refused the last one with a 401.
};

/// Gives a token; called on the client's executor, one call at a time. What it throws, and an empty token, end the
/// requests that wait for it with errc::unauthorized (a comcp::exception with its own error).
using token_source = std::function<asio::awaitable<secret>(token_need)>;

/// Sends `Authorization: Bearer`. With a source, a 401 asks it for another token, once for each request, and all
/// requests that wait share the answer. Copies share the token, and are one identity: keep one for connections that may
/// share what is learned, on one executor.
class bearer {
 public:
  COMCP_LAZY explicit bearer(secret token);
  explicit bearer(std::string token) : bearer(secret(std::move(token))) {}
  COMCP_LAZY explicit bearer(token_source source);

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const& request);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const& request, http_headers const& sent,
                                                                 http_response_head const& got);
  COMCP_LAZY [[nodiscard]] std::string identity() const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/bearer.ipp>
#endif
