// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The authorization seam: which headers a request gets, and what a 401 or 403 means. And no_auth, which has nothing
// to say. Specification: 2026-07-28, basic/authorization
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

#include <comcp/http/message.hpp>

namespace comcp {

/// What an authenticator is told of a request. The views are valid for the call and what it awaits.
struct auth_request {
  auth_request(http_url const& endpoint, http_url const& where, std::string_view how, unsigned before)
      : server(endpoint), url(where), method(how), challenges(before) {}
  http_url const& server;     ///< The MCP endpoint as the user gave it.
  http_url const& url;        ///< Where this request goes: of the same origin.
  std::string_view method;  ///< "POST", "GET" or "DELETE".
  unsigned challenges;      ///< How often this very request was challenged before.
};

/// What to do after a 401 or 403.
enum class auth_verdict { give_up, try_again };

/// Decides headers, and what a challenge means. Asked on the client's executor for every request, GET and DELETE too;
/// several requests may ask at once. `sent` are the headers that it gave for the request that failed.
/// An error from either ends the request with it; a challenge is put to it three times at most.
/// Where there is observed(request, head), it is told of every answer, in time for the next request; it must not throw.
/// Where there is extensions(), giving a std::vector<std::string>, these are declared as capabilities of the client.
/// identity() is an opaque key for caches and pools: equal where the credentials are; it never reveals them.
template <class A>
concept authenticator = std::move_constructible<A> &&
    requires(A a, A const& ca, auth_request const& r, http_headers const& sent, http_response_head const& got) {
      { a.headers(r) } -> std::same_as<asio::awaitable<result<http_headers>>>;
      { a.challenged(r, sent, got) } -> std::same_as<asio::awaitable<result<auth_verdict>>>;
      { ca.identity() } -> std::same_as<std::string>;
    };

/// Sends nothing and gives up.
class no_auth {
 public:
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const&);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const&, http_headers const&,
                                                                 http_response_head const&);
  [[nodiscard]] std::string identity() const { return {}; }
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/authenticator.ipp>
#endif
