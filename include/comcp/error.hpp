// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong, as values: errc, the error that travels below the facade, and the exception that
// public operations throw. The peer's data stays text here, so that errors need no JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include <comcp/version.hpp>

namespace comcp {

/// comcp's own error codes. "Retry" says whether sending the same call again is safe.
enum class errc {
  timeout = 1,          ///< A documented wait ended. Retry: only for what has no side effect.
  cancelled,            ///< The caller cancelled. Retry: as for timeout.
  closed,               ///< Closed by this side, or before the call was sent. Retry: if it was never sent.
  outcome_unknown,      ///< The connection broke after the call was sent: it may have run. Retry: only if idempotent.
  protocol_violation,   ///< The peer broke the protocol. Retry: no.
  limit_exceeded,       ///< A documented bound was met; the text names it. Retry: not unchanged.
  not_in_protocol,      ///< The negotiated version has no such operation; nothing was sent. Retry: no.
  capability_missing,   ///< The server did not declare what the call needs; nothing was sent. Retry: no.
  unauthorized,         ///< The server wants other credentials, or authorization failed. Retry: after authorization.
  invalid_argument,     ///< The caller's input is unusable; nothing was sent. Retry: no.
  invalid_json,         ///< Text is not JSON. Retry: no.
  wrong_shape,          ///< JSON of another shape than the type needs; the text has the path. Retry: no.
  not_found,            ///< No such key, element, resource or name. Retry: no.
  no_common_version,    ///< Client and server share no protocol version; the text names both lists. Retry: no.
  connect_failed,       ///< The channel could not be opened (no such command, refused, ...). Retry: yes.
  transport_failed,     ///< The channel broke: the server exited, the stream ended or failed. Retry: as outcome_unknown.
  queue_full,           ///< The outgoing queue is at its bound; nothing was sent. Retry: later, yes.
  tool_failed,          ///< or_throw() met a tool result with isError. Retry: the tool decides.
  input_refused,        ///< A handler failed or declined an input request, which ended the call. Retry: yes.
  url_elicitation_required,  ///< -32042: complete the listed elicitations first. Retry: then, yes.
  denied,               ///< An interceptor denied the call, or a policy an address; nothing was sent. Retry: no.
  validation_failed,    ///< A value does not match its JSON Schema. Nothing was sent, unless the text says so. Retry: no.
  unsupported_dialect,  ///< A schema names a dialect that comcp does not know. Retry: no.

  // HTTP. Each is a failure of one exchange; the connection to the server as such goes on.
  connect_timeout,      ///< No connection (name, TCP, proxy, TLS) in time; nothing was sent. Retry: yes.
  response_timeout,     ///< The request was sent, and no response began in time. Retry: as for transport_failed.
  idle_timeout,         ///< A response stopped coming. Retry: as for transport_failed.
  exchange_timeout,     ///< The whole exchange took too long. Retry: as for transport_failed.
  tls_failed,           ///< No trusted TLS connection; nothing was sent. Retry: not unchanged.
  proxy_failed,         ///< The proxy refused the way; nothing was sent. Retry: not unchanged.
  redirect_refused,     ///< A redirect that is not followed: another origin, or one too many. Retry: no.
  http_status,          ///< An error status without a JSON-RPC error, see detail(). Retry: see is_retriable().
  wrong_content_type,   ///< A success whose body is neither JSON nor an event stream. Retry: as for transport_failed.
  missing_answer,       ///< A success without the answer to the request. Retry: as for transport_failed.
  unsupported_encoding, ///< A body in an encoding that was not asked for. Retry: as for transport_failed.

  // Registry and pool. Nothing was sent.
  already_registered,   ///< A server of this name is there. Retry: after remove().
  unknown_server,       ///< No server of this name. Retry: after add().
  unknown_tool,         ///< No server, or not the named one, has this tool. Retry: after a refresh.
  ambiguous_name,       ///< Several servers have a tool of this bare name; the text names them. Retry: no.
  no_separator,         ///< A qualified name is wanted, and this is none. Retry: no.
  not_ready,            ///< The server was not ready, or not in time. Retry: yes.
  tool_blocked,         ///< The tool's definition is not approved. Retry: after approval.
  no_connections,       ///< No member of the pool became ready in time. Retry: yes.

  login_required,       ///< The server wants a user to log in, and nobody can be asked here. Retry: after a login.

  verification_failed,  ///< A skill's file is not what its entry says, or not in it. Retry: with a new entry.

  out_of_memory,        ///< Memory ran out while something was read. Retry: as for outcome_unknown.
};

/// The category of comcp::errc, named "comcp".
std::error_category const& comcp_category() noexcept;

/// The category of JSON-RPC error codes as the peer sent them, named "jsonrpc".
std::error_category const& jsonrpc_category() noexcept;

inline std::error_code make_error_code(errc e) noexcept { return {static_cast<int>(e), comcp_category()}; }

/// The error object of a JSON-RPC answer. `data` is its JSON text, empty where absent.
struct peer_error {
  std::int64_t code = 0;
  std::string message;
  std::string data;
};

/// What the transport knows about a failure.
struct transport_detail {
  std::optional<int> http_status;
  std::string snippet;              ///< Start of an HTTP body that was no answer.
  std::optional<std::chrono::seconds> retry_after;  ///< When the server asked to try again.
  std::optional<int> exit_code;     ///< Exit status of the server process.
  std::optional<int> term_signal;   ///< Signal that ended the server process.
  std::string stderr_tail;          ///< Last bytes that the server process wrote to stderr.
};

/// What is known of the request that an error ended: of all its attempts, the one of which the least is known.
enum class call_outcome : unsigned char {
  unstated,  ///< The error belongs to no request.
  not_sent,  ///< Nothing of it was sent, or the server gave it back unread: sending it again can double nothing.
  known,     ///< The server answered: it was refused, it failed, or it waits for input that it did not get.
  open,      ///< It was sent and may have been carried out: no answer came, or none that can be used.
};

/// One failure: a code, comcp's own text, the peer's error and the transport's detail, kept apart.
/// Copies share their contents and are cheap. Safe to read from any thread.
class error {
 public:
  error() = default;
  error(errc code, std::string message = {}) : error(make_error_code(code), std::move(message)) {}
  error(std::error_code code, std::string message = {});

  /// An error that the peer answered with; its code is in jsonrpc_category().
  static error from_peer(peer_error peer);

  [[nodiscard]] std::error_code code() const noexcept { return code_; }
  [[nodiscard]] std::string_view message() const noexcept;
  [[nodiscard]] peer_error const* peer() const noexcept;
  [[nodiscard]] transport_detail const* detail() const noexcept;
  /// Every error that ends a call says it. Of others it is what their code says, which is mostly nothing.
  [[nodiscard]] call_outcome outcome() const noexcept;
  [[nodiscard]] bool states_outcome() const noexcept { return outcome_ != call_outcome::unstated; }

  /// The same error with more known about it.
  [[nodiscard]] error with_message(std::string message) const;
  [[nodiscard]] error with_peer(peer_error peer) const;
  [[nodiscard]] error with_detail(transport_detail detail) const;
  [[nodiscard]] error with_code(std::error_code code) const;
  [[nodiscard]] error with_outcome(call_outcome outcome) const;

  /// One readable line: code, text, the peer's message, exit status; stderr follows on its own lines. For logs and
  /// terminals: what these might obey or hide is written out (see visible()). message(), peer() and detail() are as
  /// they came.
  [[nodiscard]] std::string to_string() const;

  explicit operator bool() const noexcept { return static_cast<bool>(code_); }
  friend bool operator==(error const& e, std::error_code c) noexcept { return e.code_ == c; }
  friend bool operator==(error const& e, errc c) noexcept { return e.code_ == make_error_code(c); }

 private:
  struct contents;
  std::error_code code_;
  std::shared_ptr<contents const> contents_;
  call_outcome outcome_ = call_outcome::unstated;
};

/// Whether sending again what failed so makes sense and cannot double a side effect: it was certainly not carried out.
bool is_retriable(error const& e) noexcept;

/// Whether the operation that failed so may have been carried out: outcome() is open.
bool leaves_outcome_open(error const& e) noexcept;

/// What public operations throw. `what()` is error().to_string().
class exception : public std::system_error {
 public:
  explicit exception(comcp::error e) : std::system_error(e.code()), error_(std::move(e)), text_(error_.to_string()) {}
  [[nodiscard]] comcp::error const& error() const noexcept { return error_; }
  [[nodiscard]] char const* what() const noexcept override { return text_.c_str(); }

 private:
  comcp::error error_;
  std::string text_;
};

}  // namespace comcp

template <>
struct std::is_error_code_enum<comcp::errc> : std::true_type {};

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/impl/error.ipp>
#endif
