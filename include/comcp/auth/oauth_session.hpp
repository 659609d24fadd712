// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What oauth knows: its options, and for each MCP server the tokens, the key that they are bound to, and the work under way.
// Loading and keeping them. When they are renewed is decided in oauth_run.hpp. Internal.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

#include <comcp/auth/dpop.hpp>
#include <comcp/auth/oauth_options.hpp>
#include <comcp/auth/oauth_send.hpp>
#include <comcp/net/gate.hpp>
#include <comcp/sansio/oauth_flow.hpp>
#include <comcp/trace/propagation.hpp>

namespace comcp::detail {

/// Tokens with all that using and renewing them takes. Regular.
struct oauth_record {
  oauth_record() = default;
  sansio::oauth_grant grant;
  std::optional<token_set::time_point> granted_at;  ///< Of the tokens, when they were stored here; else not known.
  secret dpop_key;  ///< A private JWK; empty without DPoP.

  /// A pre-registered client leaves nothing but its id: its secrets stay where the user keeps them.
  COMCP_LAZY [[nodiscard]] secret to_json() const;
  COMCP_LAZY static result<oauth_record> from_json(secret const& text);
};

/// Work that several wait for, in a coroutine of its own.
struct oauth_flight {
  explicit oauth_flight(asio::any_io_executor executor) : on(std::move(executor)), over(on) {}
  asio::any_io_executor on;
  gate over;
  error failure;
  asio::cancellation_signal signal;
  unsigned waiting = 0;    ///< In fly().
  bool with_user = false;  ///< The user is waited for: not longer than somebody waits for the outcome.
  bool given_up = false;   ///< As nobody did.
};

/// One MCP server.
struct oauth_session {
  explicit oauth_session(http_url s) : server(std::move(s)) {}

  http_url server;  ///< Without query and fragment.
  oauth_sender send;  ///< Empty until something is sent.
  std::shared_ptr<oauth_addresses> addresses;  ///< That the sender may use.
  bool loaded = false;
  bool stored = false;  ///< The store has the record, as far as we know.
  std::optional<oauth_record> record;
  std::shared_ptr<dpop_prover> prover;
  std::shared_ptr<oauth_flight> renewing, authorizing;
  bool unproven = false;  ///< The token came by a refresh, and the server did not take it yet.
  std::string superseded;  ///< What the store still has (a value of Authorization), as storing its successor failed.
  std::string also_wanted;  ///< Scopes of challenges that met a flow for others.
  unsigned attempts = 0;  ///< Flows since a challenged request succeeded, or the hour began.
  unsigned visits = 0;    ///< To the user's browser since the hour began.
  time_source::time_point hour_began;
  std::optional<token_set::time_point> renew_after;  ///< A refresh failed: not at once again.
};

/// What authorization to `server` is sent over.
COMCP_LAZY oauth_sender sender_for(oauth_options const& options, http_url const& server,
                                   std::shared_ptr<oauth_addresses> addresses = nullptr);

struct oauth_core {
  COMCP_LAZY explicit oauth_core(oauth_options o);

  COMCP_LAZY std::shared_ptr<oauth_session> session(http_url const& server);
  COMCP_LAZY [[nodiscard]] std::string tokens_name(oauth_session const& s) const;
  COMCP_LAZY [[nodiscard]] std::string client_name(std::string const& issuer) const;
  COMCP_LAZY [[nodiscard]] std::string issuer_name(std::string const& of) const;  ///< of: as issuer_binding has it
  /// How requests on behalf of this server are sent, as part of this trace.
  COMCP_LAZY [[nodiscard]] oauth_io io_for(oauth_session& s, trace_context const& above = trace_context()) const;
  /// How requests to an identity provider of the user's own choice are sent.
  COMCP_LAZY [[nodiscard]] oauth_io io_for_provider(http_url const& endpoint, trace_context const& above);
  /// With the options' signatures and sources.
  COMCP_LAZY [[nodiscard]] oauth_steps::token_endpoint endpoint(http_url url, oauth_client client, std::string method,
                                                                std::string issuer, dpop_prover* prover) const;

  oauth_options options;
  oauth_io io;
  oauth_sender to_provider;
  std::map<std::string, std::shared_ptr<oauth_session>> sessions;
  std::optional<token_set> given;  ///< Until a server takes them.
  std::uint64_t number;
};

using core_ptr = std::shared_ptr<oauth_core>;
using session_ptr = std::shared_ptr<oauth_session>;

/// Makes it what the session uses.
COMCP_LAZY void install(oauth_session& s, std::optional<oauth_record> record);
/// The header fields of a request with the session's tokens; none where there are no tokens.
COMCP_LAZY result<http_headers> credentials(oauth_core const& core, oauth_session const& s, http_url const& url,
                                            std::string const& method);
/// The value of Authorization; empty without tokens.
COMCP_LAZY std::string authorization_value(oauth_session const& s);
COMCP_LAZY std::string authorization_value(oauth_record const& r);

/// Flows that the user sees, or in which a token endpoint answers a machine. However a server behaves there are not many of
/// them, unless login() asks for one.
COMCP_LAZY void count_flow(oauth_core const& core, oauth_session& s, bool with_user);
COMCP_LAZY [[nodiscard]] bool may_start_flow(oauth_core const& core, oauth_session const& s);

/// Every call of the store is bounded.
COMCP_LAZY asio::awaitable<result<std::optional<secret>>> load_text(core_ptr core, std::string name);
COMCP_LAZY asio::awaitable<result<void>> save_text(core_ptr core, std::string name, secret text);
COMCP_LAZY asio::awaitable<result<void>> remove_text(core_ptr core, std::string name);
COMCP_LAZY asio::awaitable<result<std::shared_ptr<void>>> lock_name(core_ptr core, std::string name);

/// What the store has for this server.
COMCP_LAZY asio::awaitable<result<std::optional<oauth_record>>> load_record(core_ptr core, session_ptr s);
/// Stores it, then uses it. Where storing fails it is used all the same, as what it replaces may be worthless.
COMCP_LAZY asio::awaitable<result<void>> keep_record(core_ptr core, session_ptr s, oauth_record record);

/// Starts work on the caller's executor, which goes on whoever stops waiting; its failure is the flight's.
COMCP_LAZY asio::awaitable<std::shared_ptr<oauth_flight>> take_off(asio::awaitable<result<void>> work);
/// The same in a slot of the session, which is emptied at its end; joins what is there. Where the user is waited for, it
/// ends when the last of those who wait here goes.
COMCP_LAZY asio::awaitable<result<void>> fly(session_ptr s, std::shared_ptr<oauth_flight> oauth_session::* slot,
                                             asio::awaitable<result<void>> work);
COMCP_LAZY asio::awaitable<result<void>> landed(std::shared_ptr<oauth_flight> f);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/oauth_session.ipp>
#endif
