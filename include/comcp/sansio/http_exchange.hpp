// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the head of an HTTP response means to MCP, and what its body makes of a failure. Carrying out the verdict is
// the transport's. Specification: 2026-07-28 basic/transports/streamable-http, 2025-11-25 basic/transports
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <comcp/error.hpp>
#include <comcp/http/message.hpp>
#include <comcp/http/url.hpp>

namespace comcp::sansio {

/// What was sent, as far as the meaning of its answer depends on it.
struct http_sent {
  bool request = false;     ///< A POST that is to bring an answer; else a notification or an answer.
  bool repeatable = false;  ///< It may be sent again after the server refused it for now.
  bool in_session = false;  ///< A session id went along.
  unsigned redirects = 0;   ///< Followed so far.
  unsigned challenges = 0;  ///< 401 and 403 answered so far.
  unsigned waits = 0;       ///< Retry-After obeyed so far.
};

struct http_verdict {
  enum class action {
    json,          ///< The body is one JSON text.
    stream,        ///< The body is an event stream.
    accepted,      ///< Done; the body does not matter.
    authorize,     ///< Ask the authenticator; `why` holds if it has no answer.
    redirect,      ///< The same again to `where`.
    wait,          ///< The same again after `delay`; `why` holds if there is no time for it.
    session_lost,  ///< The server does not know the session any more.
    none,          ///< GET only: the server has no such stream.
    fail,          ///< `why`, once with_body() has looked at the body.
  };
  action what = action::fail;
  error why;
  std::optional<http_url> where;
  std::chrono::seconds delay{};
};

inline constexpr unsigned most_redirects = 3, most_challenges = 3, most_waits = 3;
inline constexpr std::chrono::seconds longest_retry_after{60};
inline constexpr std::size_t snippet_size = 256;

[[nodiscard]] http_verdict judge_post(http_sent const& sent, http_url const& at, http_response_head const& got,
                                      std::chrono::system_clock::time_point now);
/// For a GET that asks for an event stream.
[[nodiscard]] http_verdict judge_get(http_sent const& sent, http_url const& at, http_response_head const& got,
                                     std::chrono::system_clock::time_point now);

/// What the first challenge that says anything of it gives as error, error_description and scope, each bounded and made
/// printable, to go on after who said it; else empty.
[[nodiscard]] std::string told_by_challenge(http_headers const& headers);

/// A failure with what its body says: the JSON-RPC error that it holds, or its first bytes, made printable.
[[nodiscard]] error with_body(error const& why, std::string_view body);

/// Why a JSON answer answered nothing: it is no JSON, no message, or belongs to another request.
[[nodiscard]] error unanswered(http_response_head const& got, std::string_view body);

/// Whether `initialize` that failed so may have met a server of 2024-11-05, which a GET would show.
[[nodiscard]] bool may_be_http_sse(error const& e);

/// Whether a message of a session was refused for that session in the way of servers built after the examples of the
/// TypeScript SDK: 400 and -32000, where the specification wants 404.
[[nodiscard]] bool means_session_lost(error const& e);

/// Whether what was refused so will be refused again.
[[nodiscard]] bool is_final(error const& e);

/// Session ids are visible ASCII.
[[nodiscard]] bool is_session_id(std::string_view text) noexcept;

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/sansio/impl/http_exchange.ipp>
#endif
