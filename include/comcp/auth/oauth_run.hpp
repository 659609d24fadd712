// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What oauth does for one server: whole flows, their two halves, refreshes, and the answer to a challenge. Internal.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/auth/authenticator.hpp>
#include <comcp/auth/challenge.hpp>
#include <comcp/auth/oauth_session.hpp>
#include <comcp/auth/oauth_spans.hpp>

namespace comcp::detail {

/// One flow under way. Lives in the coroutine that drives it.
struct flow_run {
  flow_run(core_ptr c, session_ptr s, sansio::oauth_start start)
      : core(std::move(c)), session(std::move(s)), flow(core->options.profile(), std::move(start)) {}

  core_ptr core;
  session_ptr session;
  sansio::oauth_flow flow;
  std::string redirect_uri;     ///< Of begin(), which stops when the user is wanted; else empty.
  any_visit visit;
  open_span* work = nullptr;
  std::shared_ptr<dpop_prover> prover;
  bool forget_stored = false;   ///< A stored registration was refused.
  bool used_stored = false;
  bool client_refused = false;  ///< With invalid_client.
  bool saved = false;
};

/// Drives it until it is done or failed, or the user is wanted and redirect_uri says to stop there.
COMCP_LAZY asio::awaitable<void> drive(flow_run& run);

/// Whether this may go to its issuer, by what the store has of it; what is first, or named, is stored.
COMCP_LAZY asio::awaitable<result<void>> hold_to_issuer(core_ptr core, sansio::issuer_binding what);

/// A whole flow, its tokens stored and in use. `challenge` is what the server said.
COMCP_LAZY asio::awaitable<result<void>> authorize(core_ptr core, session_ptr s,
                                                   std::optional<auth_challenge> challenge, bool step_up);
/// What the server says to a request without a token, as far as it says it.
COMCP_LAZY asio::awaitable<std::optional<auth_challenge>> ask_for_challenge(core_ptr core, session_ptr s,
                                                                            trace_context above = trace_context());
/// The assertion of a machine's grant.
COMCP_LAZY asio::awaitable<result<secret>> grant_assertion(core_ptr core, grant_request about, trace_context above);

COMCP_LAZY asio::awaitable<result<pending_authorization>> begin_flow(core_ptr core, session_ptr s,
                                                                     std::string redirect_uri);
COMCP_LAZY asio::awaitable<result<void>> finish_flow(core_ptr core, session_ptr s, pending_authorization state,
                                                     secret redirect);

/// What is stored, or given by the options, is in use then.
COMCP_LAZY asio::awaitable<result<void>> load_session(core_ptr core, session_ptr s);
/// Loads what is stored, if that was not done, and renews what ends soon.
COMCP_LAZY asio::awaitable<result<void>> prepare(core_ptr core, session_ptr s);
COMCP_LAZY [[nodiscard]] bool must_prepare(oauth_core const& core, oauth_session const& s);
/// Another token than `refused` (a value of Authorization): from the store, where another process put it, or by a refresh.
/// After success there is none where the refresh token is worthless.
COMCP_LAZY asio::awaitable<result<void>> renew(core_ptr core, session_ptr s, std::string refused);
COMCP_LAZY asio::awaitable<result<void>> forget(core_ptr core, session_ptr s);

/// The one that counts of a 401 or 403.
COMCP_LAZY std::optional<auth_challenge> pick_challenge(http_headers const& headers);
COMCP_LAZY asio::awaitable<result<http_headers>> headers_for(core_ptr core, http_url server, http_url url,
                                                             std::string method);
COMCP_LAZY asio::awaitable<result<auth_verdict>> answer_challenge(core_ptr core, http_url server, http_url url,
                                                                  std::string used, http_response_head got);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/oauth_challenge.ipp>
#include <comcp/auth/impl/oauth_flow_run.ipp>
#include <comcp/auth/impl/oauth_renewal.ipp>
#endif
