// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp 0.1.0, all of a client in one header. Written by tools/amalgamate: change the files under include/ instead.
#pragma once

#if defined(COMCP_SEPARATE_COMPILATION)
#error "comcp: the single header is header-only; link comcp::compiled with the headers of include/ instead."
#endif

// comcp.hpp
// Everything that a user of comcp needs, in one include. Opt-in parts stay out: json/nlohmann.hpp, test/*.

// client/client.hpp
// The client as users see it: every operation of MCP as an awaitable. What happens underneath is client_core's.

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

// client/core.hpp
// The heart of a client, without templates: one transport, one handler, the pending calls, the handshake.
// Everything in it runs on its home executor, one handler at a time. Users meet it through comcp::client.

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

// client/call.hpp
// One call on its way: what it sends, who waits for it, how its end is told. Internal to the core.

#include <cassert>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

// client/options.hpp
// What a user may decide for a connection (connect_options) and for one call (call_options), with every
// default. Both are classes with setters: see DESIGN.md section 7 for why they are no aggregates.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>

// client/interceptor.hpp
// Interceptors: see each outgoing call before it is sent and each result before its caller, and may change,
// answer, deny or record them.

#include <functional>
#include <optional>
#include <string>

#include <asio/awaitable.hpp>

// json/build.hpp
// Building JSON to send: fragment (owned, valid text), args(...), the object and array builders, raw(text).

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// json/describe.hpp
// How C++ types become JSON and back. One field list per struct serves both directions:
//
//   struct point { int x = 0; std::optional<int> y; };
//   constexpr auto describe(std::type_identity<point>) {
//     return comcp::json::fields(comcp::json::field("x", &point::x), comcp::json::field("y", &point::y));
//   }
//
// Types of other shapes specialise json::codec.

#include <limits>
#include <string>
#include <utility>

// json/codecs.hpp
// The codecs of the standard types and of described structs.

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// json/field_table.hpp
// Field lists as tables that plain functions walk. For each member of a struct only a function to read it and one to
// write it are generated: a protocol has hundreds of members, and compilers take their time over each. Internal.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

// json/fields.hpp
// Field lists: how a struct says what its members are called in JSON. See json/describe.hpp.

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// json/value.hpp
// JSON values: `value` owns a share of an immutable parsed document, `view` looks at a part of one. Both are
// read-only; writing JSON is json/writer.hpp's and json/build.hpp's job.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// json/padded_text.hpp
// Text with room behind it: what simdjson needs to parse in place. Read buffers hand it out, nobody copies.

#include <cstddef>
#include <string>
#include <string_view>

namespace comcp {

/// Text with at least `spare` readable bytes behind its end. Does not own them.
class padded_text {
 public:
  static constexpr std::size_t spare = 64;

  /// Precondition: data[0 .. size + spare) is readable memory.
  padded_text(char const* data, std::size_t size) noexcept : data_(data), size_(size) {}
  [[nodiscard]] char const* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string_view view() const noexcept { return {data_, size_}; }

 private:
  char const* data_;
  std::size_t size_;
};

/// Gives `text` the spare capacity that padded_text asks for, and views it. Valid until `text` changes.
inline padded_text pad(std::string& text) {
  if (text.capacity() < text.size() + padded_text::spare) text.reserve(text.size() + padded_text::spare);
  return {text.data(), text.size()};
}

}  // namespace comcp

// result.hpp
// result<T>: a value or one error. The shape of std::expected, which C++20 lacks.

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

// error.hpp
// What can go wrong, as values: errc, the error that travels below the facade, and the exception that
// public operations throw. The peer's data stays text here, so that errors need no JSON.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

// version.hpp
// The version of comcp itself; CMake, Conan and vcpkg read it from here. Protocol versions are in
// protocol/lifecycle.hpp.

#define COMCP_VERSION_MAJOR 0
#define COMCP_VERSION_MINOR 1
#define COMCP_VERSION_PATCH 0
#define COMCP_VERSION_STRING "0.1.0"

/// Marks definitions that live in impl/*.ipp: inline when header-only, plain in compiled mode.
#if defined(COMCP_SEPARATE_COMPILATION)
#define COMCP_DECL
#else
#define COMCP_DECL inline
#endif

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

  verification_failed,  ///< A skill's file is not what its entry says, or not in it. Retry: with a new get_skill().
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

  /// The same error with more known about it.
  [[nodiscard]] error with_message(std::string message) const;
  [[nodiscard]] error with_peer(peer_error peer) const;
  [[nodiscard]] error with_detail(transport_detail detail) const;
  [[nodiscard]] error with_code(std::error_code code) const;

  /// One readable line: code, text, the peer's message, exit status; stderr follows on its own lines.
  [[nodiscard]] std::string to_string() const;

  explicit operator bool() const noexcept { return static_cast<bool>(code_); }
  friend bool operator==(error const& e, std::error_code c) noexcept { return e.code_ == c; }
  friend bool operator==(error const& e, errc c) noexcept { return e.code_ == make_error_code(c); }

 private:
  struct contents;
  std::error_code code_;
  std::shared_ptr<contents const> contents_;
};

/// Whether the operation that failed so was certainly not carried out, so that sending it again cannot
/// double a side effect.
bool is_retriable(error const& e) noexcept;

/// Whether the operation that failed so may have been carried out: the request went out, and no answer came, or none
/// that can be used.
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

// impl/error.ipp

namespace comcp {
namespace detail {

#if defined(__GNUC__)
#define COMCP_ONE_COPY __attribute__((visibility("default")))
#else
#define COMCP_ONE_COPY
#endif

COMCP_DECL char const* errc_text(errc e) noexcept {
  switch (e) {
    case errc::timeout: return "timed out";
    case errc::cancelled: return "cancelled";
    case errc::closed: return "connection closed";
    case errc::outcome_unknown: return "connection broke, outcome unknown";
    case errc::protocol_violation: return "protocol violation";
    case errc::limit_exceeded: return "limit exceeded";
    case errc::not_in_protocol: return "not in the negotiated protocol version";
    case errc::capability_missing: return "capability missing";
    case errc::unauthorized: return "unauthorized";
    case errc::invalid_argument: return "invalid argument";
    case errc::invalid_json: return "invalid JSON";
    case errc::wrong_shape: return "JSON of the wrong shape";
    case errc::not_found: return "not found";
    case errc::no_common_version: return "no common protocol version";
    case errc::connect_failed: return "could not connect";
    case errc::transport_failed: return "transport failed";
    case errc::queue_full: return "outgoing queue full";
    case errc::tool_failed: return "tool failed";
    case errc::input_refused: return "input refused";
    case errc::url_elicitation_required: return "URL elicitation required";
    case errc::denied: return "denied";
    case errc::validation_failed: return "validation failed";
    case errc::unsupported_dialect: return "unsupported JSON Schema dialect";
    case errc::connect_timeout: return "connecting timed out";
    case errc::response_timeout: return "no HTTP response in time";
    case errc::idle_timeout: return "HTTP response stalled";
    case errc::exchange_timeout: return "HTTP exchange timed out";
    case errc::tls_failed: return "TLS failed";
    case errc::proxy_failed: return "proxy failed";
    case errc::redirect_refused: return "redirect refused";
    case errc::http_status: return "HTTP error status";
    case errc::wrong_content_type: return "wrong content type";
    case errc::missing_answer: return "no answer in the HTTP response";
    case errc::unsupported_encoding: return "unsupported content encoding";
    case errc::already_registered: return "already registered";
    case errc::unknown_server: return "unknown server";
    case errc::unknown_tool: return "unknown tool";
    case errc::ambiguous_name: return "ambiguous name";
    case errc::no_separator: return "not a qualified name";
    case errc::not_ready: return "server not ready";
    case errc::tool_blocked: return "tool blocked until approved";
    case errc::no_connections: return "no connections";
    case errc::login_required: return "login required";
    case errc::verification_failed: return "verification failed";
  }
  return "unknown comcp error";
}

class COMCP_ONE_COPY comcp_category_impl final : public std::error_category {
 public:
  [[nodiscard]] char const* name() const noexcept override { return "comcp"; }
  [[nodiscard]] std::string message(int v) const override { return errc_text(static_cast<errc>(v)); }
  [[nodiscard]] std::error_condition default_error_condition(int v) const noexcept override {
    switch (static_cast<errc>(v)) {
      case errc::connect_timeout:
      case errc::response_timeout:
      case errc::idle_timeout:
      case errc::exchange_timeout:
      case errc::timeout: return std::errc::timed_out;
      case errc::cancelled: return std::errc::operation_canceled;
      case errc::not_ready:
      case errc::no_connections:
      case errc::closed: return std::errc::not_connected;
      case errc::outcome_unknown: return std::errc::connection_aborted;
      case errc::protocol_violation: return std::errc::protocol_error;
      case errc::limit_exceeded: return std::errc::message_size;
      case errc::not_in_protocol:
      case errc::capability_missing: return std::errc::operation_not_supported;
      case errc::unauthorized:
      case errc::login_required:
      case errc::tool_blocked:
      case errc::denied: return std::errc::permission_denied;
      case errc::invalid_argument:
      case errc::ambiguous_name:
      case errc::no_separator:
      case errc::validation_failed:
      case errc::unsupported_dialect: return std::errc::invalid_argument;
      case errc::wrong_content_type:
      case errc::missing_answer:
      case errc::unsupported_encoding:
      case errc::verification_failed:
      case errc::invalid_json:
      case errc::wrong_shape: return std::errc::bad_message;
      case errc::no_common_version: return std::errc::wrong_protocol_type;
      case errc::proxy_failed:
      case errc::connect_failed: return std::errc::connection_refused;
      case errc::transport_failed: return std::errc::broken_pipe;
      case errc::queue_full: return std::errc::no_buffer_space;
      default: return {v, *this};
    }
  }
};

class COMCP_ONE_COPY jsonrpc_category_impl final : public std::error_category {
 public:
  [[nodiscard]] char const* name() const noexcept override { return "jsonrpc"; }
  [[nodiscard]] std::string message(int v) const override {
    switch (v) {
      case -32700: return "parse error";
      case -32600: return "invalid request";
      case -32601: return "method not found";
      case -32602: return "invalid params";
      case -32603: return "internal error";
      case -32002: return "resource not found";
      case -32020: return "header mismatch";
      case -32021: return "missing required client capability";
      case -32022: return "unsupported protocol version";
      case -32042: return "URL elicitation required";
      default: return "JSON-RPC error " + std::to_string(v);
    }
  }
};

}  // namespace detail

COMCP_DECL std::error_category const& comcp_category() noexcept {
  static detail::comcp_category_impl const instance;
  return instance;
}

COMCP_DECL std::error_category const& jsonrpc_category() noexcept {
  static detail::jsonrpc_category_impl const instance;
  return instance;
}

struct error::contents {
  std::string message;
  std::optional<peer_error> peer;
  std::optional<transport_detail> detail;
};

COMCP_DECL error::error(std::error_code code, std::string message) : code_(code) {
  if (!message.empty()) contents_ = std::make_shared<contents const>(contents{std::move(message), {}, {}});
}

COMCP_DECL error error::from_peer(peer_error peer) {
  auto const code = peer.code >= INT32_MIN && peer.code <= INT32_MAX ? static_cast<int>(peer.code) : -32603;
  return error(std::error_code(code, jsonrpc_category())).with_peer(std::move(peer));
}

COMCP_DECL std::string_view error::message() const noexcept {
  return contents_ ? std::string_view(contents_->message) : std::string_view();
}

COMCP_DECL peer_error const* error::peer() const noexcept {
  return contents_ && contents_->peer ? &*contents_->peer : nullptr;
}

COMCP_DECL transport_detail const* error::detail() const noexcept {
  return contents_ && contents_->detail ? &*contents_->detail : nullptr;
}

COMCP_DECL error error::with_message(std::string message) const {
  auto c = contents_ ? *contents_ : contents{};
  c.message = std::move(message);
  error e = *this;
  e.contents_ = std::make_shared<contents const>(std::move(c));
  return e;
}

COMCP_DECL error error::with_peer(peer_error peer) const {
  auto c = contents_ ? *contents_ : contents{};
  c.peer = std::move(peer);
  error e = *this;
  e.contents_ = std::make_shared<contents const>(std::move(c));
  return e;
}

COMCP_DECL error error::with_detail(transport_detail detail) const {
  auto c = contents_ ? *contents_ : contents{};
  c.detail = std::move(detail);
  error e = *this;
  e.contents_ = std::make_shared<contents const>(std::move(c));
  return e;
}

COMCP_DECL error error::with_code(std::error_code code) const {
  error e = *this;
  e.code_ = code;
  return e;
}

COMCP_DECL std::string error::to_string() const {
  std::string out = code_.message();
  if (auto m = message(); !m.empty()) out.append(": ").append(m);
  if (auto const* p = peer(); p && !p->message.empty()) out.append(": ").append(p->message);
  if (auto const* d = detail()) {
    if (d->http_status) out.append(" (HTTP ").append(std::to_string(*d->http_status)).append(")");
    if (d->exit_code) out.append(" (exit status ").append(std::to_string(*d->exit_code)).append(")");
    if (d->term_signal) out.append(" (signal ").append(std::to_string(*d->term_signal)).append(")");
    if (!d->snippet.empty()) out.append("\n").append(d->snippet);
    if (!d->stderr_tail.empty()) out.append("\nstderr: ").append(d->stderr_tail);
  }
  return out;
}

COMCP_DECL bool is_retriable(error const& e) noexcept {
  if (e.code().category() != comcp_category()) return false;
  switch (static_cast<errc>(e.code().value())) {
    case errc::connect_failed:
    case errc::connect_timeout:
    case errc::not_ready:
    case errc::no_connections:
    case errc::queue_full: return true;
    case errc::http_status: {
      auto const* const d = e.detail();
      return d && (d->http_status == 429 || d->http_status == 503) && d->retry_after;
    }
    default: return false;
  }
}

COMCP_DECL bool leaves_outcome_open(error const& e) noexcept {
  if (e.code().category() != comcp_category()) return false;
  switch (static_cast<errc>(e.code().value())) {
    case errc::outcome_unknown:
    case errc::protocol_violation:
    case errc::transport_failed:
    case errc::response_timeout:
    case errc::idle_timeout:
    case errc::exchange_timeout:
    case errc::wrong_content_type:
    case errc::missing_answer:
    case errc::unsupported_encoding: return true;
    default: return false;
  }
}

}  // namespace comcp
#endif

namespace comcp {

/// A T or the error that kept it from being one. `value()` throws comcp::exception.
template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;

  result() requires std::is_default_constructible_v<T> : value_(), has_value_(true) {}
  result(T value) : value_(std::move(value)), has_value_(true) {}
  result(comcp::error e) noexcept : error_(std::move(e)), has_value_(false) {}
  result(errc e) : result(comcp::error(e)) {}

  result(result const& other) requires std::copy_constructible<T> : has_value_(other.has_value_) {
    if (has_value_) {
      std::construct_at(&value_, other.value_);
    } else {
      std::construct_at(&error_, other.error_);
    }
  }
  result(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : has_value_(other.has_value_) {
    if (has_value_) {
      std::construct_at(&value_, std::move(other.value_));
    } else {
      std::construct_at(&error_, std::move(other.error_));
    }
  }
  result& operator=(result const& other) requires std::copy_constructible<T> { return *this = result(other); }
  result& operator=(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (this == &other) return *this;
    if (!other.has_value_) {
      comcp::error e = std::move(other.error_);
      clear();
      std::construct_at(&error_, std::move(e));
      has_value_ = false;
    } else {
      replace(std::move(other.value_));
    }
    return *this;
  }
  ~result() { clear(); }

  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  explicit operator bool() const noexcept { return has_value_; }

  T& operator*() & noexcept { return value_; }
  T const& operator*() const& noexcept { return value_; }
  T&& operator*() && noexcept { return std::move(value_); }
  T* operator->() noexcept { return &value_; }
  T const* operator->() const noexcept { return &value_; }

  T& value() & { return check(), value_; }
  T const& value() const& { return check(), value_; }
  T&& value() && { return check(), std::move(value_); }

  template <class U>
  T value_or(U&& other) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }

  /// Precondition: !has_value().
  [[nodiscard]] comcp::error const& error() const& noexcept { return error_; }
  [[nodiscard]] comcp::error&& error() && noexcept { return std::move(error_); }

 private:
  void check() const {
    if (!has_value_) throw exception(error_);
  }
  void clear() noexcept {
    if (has_value_) {
      std::destroy_at(&value_);
    } else {
      std::destroy_at(&error_);
    }
  }
  void replace(T&& value) {
    clear();
    if constexpr (std::is_nothrow_move_constructible_v<T>) {
      std::construct_at(&value_, std::move(value));
    } else {
      try {
        std::construct_at(&value_, std::move(value));
      } catch (...) {
        std::construct_at(&error_);
        has_value_ = false;
        throw;
      }
    }
    has_value_ = true;
  }

  // Not std::variant: it costs a program with forty kinds of results seconds of compile time.
  union {
    T value_;
    comcp::error error_;
  };
  bool has_value_;
};

template <>
class [[nodiscard]] result<void> {
 public:
  using value_type = void;

  result() = default;
  result(comcp::error e) : error_(std::move(e)) {}
  result(errc e) : result(comcp::error(e)) {}

  [[nodiscard]] bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  void operator*() const noexcept {}
  void value() const {
    if (error_) throw exception(error_);
  }
  [[nodiscard]] comcp::error const& error() const noexcept { return error_; }

 private:
  comcp::error error_;
};

}  // namespace comcp

namespace comcp::json {

class document;  // a parsed text; never moves
class value;
class view;

/// The kinds of JSON value. Numbers without fraction and exponent that fit are integers.
enum class kind { null, boolean, integer, unsigned_integer, real, string, array, object };

/// Bounds for parsing; exceeding one is errc::limit_exceeded, with the limit's name in the text.
class parse_options {
 public:
  parse_options() noexcept {}
  /// Largest text in bytes. Default 64 MiB.
  parse_options& max_bytes(std::size_t n) noexcept { return max_bytes_ = n, *this; }
  /// Deepest nesting of arrays and objects; an empty one inside the deepest is let pass. Default 256. Reading is
  /// recursive: stay below some thousands.
  parse_options& max_depth(std::size_t n) noexcept { return max_depth_ = n, *this; }
  /// Most values in one text, keys not counted. Default 8 Mi.
  parse_options& max_nodes(std::size_t n) noexcept { return max_nodes_ = n, *this; }
  [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
  [[nodiscard]] std::size_t max_depth() const noexcept { return max_depth_; }
  [[nodiscard]] std::size_t max_nodes() const noexcept { return max_nodes_; }

 private:
  std::size_t max_bytes_ = std::size_t{64} << 20;
  std::size_t max_depth_ = 256;
  std::size_t max_nodes_ = std::size_t{8} << 20;
};

/// Parses strict UTF-8 JSON text (RFC 8259; a leading byte order mark is tolerated) into an owned document.
/// Errors: invalid_json, limit_exceeded. Safe from any thread.
result<value> parse(std::string_view text, parse_options const& options = {});
/// The same without copying the text first.
result<value> parse(padded_text text, parse_options const& options = {});

namespace detail {
/// A simdjson element (or iterator), opaque here so that simdjson stays in json/impl. Two words, not bytes: they
/// stay in registers.
struct node {
  void const* document = nullptr;
  std::size_t index = 0;
  friend bool operator==(node const&, node const&) = default;
};

/// One share of a document. Documents count their shares themselves, so that small ones can be used again.
class document_share {
 public:
  document_share() noexcept = default;
  /// Takes over a share that is counted already.
  explicit document_share(document const* counted) noexcept : document_(counted) {}
  document_share(document_share const& other) noexcept : document_share(one_more(other.document_)) {}
  document_share(document_share&& other) noexcept : document_(std::exchange(other.document_, nullptr)) {}
  document_share& operator=(document_share other) noexcept { return std::swap(document_, other.document_), *this; }
  ~document_share() {
    if (document_) give_back(document_);
  }

  [[nodiscard]] document const* get() const noexcept { return document_; }
  explicit operator bool() const noexcept { return document_ != nullptr; }
  /// Counts one share more; null stays null.
  static document const* one_more(document const* d) noexcept;

 private:
  static void give_back(document const* d) noexcept;

  document const* document_ = nullptr;
};
}  // namespace detail

/// Looks at one value inside a document that somebody else keeps alive. Cheap to copy; valid as long as some
/// `value` of the same document. Accessors named get_* return nothing when the kind does not fit.
class view {
 public:
  view() noexcept = default;  ///< null

  [[nodiscard]] json::kind kind() const noexcept;
  [[nodiscard]] bool is_null() const noexcept { return kind() == json::kind::null; }
  [[nodiscard]] bool is_object() const noexcept { return kind() == json::kind::object; }
  [[nodiscard]] bool is_array() const noexcept { return kind() == json::kind::array; }
  [[nodiscard]] bool is_string() const noexcept { return kind() == json::kind::string; }
  [[nodiscard]] bool is_number() const noexcept {
    auto const k = kind();
    return k == json::kind::integer || k == json::kind::unsigned_integer || k == json::kind::real;
  }

  [[nodiscard]] std::optional<bool> get_bool() const noexcept;
  /// Also a real without fraction, such as 5.0, when it fits exactly.
  [[nodiscard]] std::optional<std::int64_t> get_int64() const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> get_uint64() const noexcept;
  /// Any number; integers beyond 2^53 are rounded.
  [[nodiscard]] std::optional<double> get_double() const noexcept;
  [[nodiscard]] std::optional<std::string_view> get_string() const noexcept;

  /// Elements of an array or members of an object; 0 for anything else.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The first member with exactly this key.
  [[nodiscard]] std::optional<view> find(std::string_view key) const noexcept;
  [[nodiscard]] std::optional<view> at(std::size_t index) const noexcept;
  /// RFC 6901. Errors: invalid_argument (not a pointer), not_found.
  [[nodiscard]] result<view> pointer(std::string_view json_pointer) const;

  /// The place in the document as a JSON Pointer; "" is the root. Walks the document: for error texts.
  [[nodiscard]] std::string path() const;
  /// The same relative to `base`, which this is a part of; walks only `base`.
  [[nodiscard]] std::string path(view base) const;
  /// Minified text.
  [[nodiscard]] std::string dump() const;
  /// This part as a value of its own that shares the document.
  [[nodiscard]] value share() const;

  class element_iterator;
  class member_iterator;
  struct element_range;
  struct member_range;
  /// Elements of an array (none for anything else).
  [[nodiscard]] element_range elements() const noexcept;
  /// Members of an object in the order of the text (none for anything else).
  [[nodiscard]] member_range members() const noexcept;

  /// Equality of JSON values: objects unordered, numbers by exact value.
  friend bool operator==(view a, view b) noexcept { return same(a, b); }

 private:
  friend class value;
  friend class document;
  view(document const* owner, detail::node n) noexcept : owner_(owner), node_(n) {}
  static bool same(view a, view b) noexcept;

  document const* owner_ = nullptr;
  detail::node node_;
};

/// One immutable JSON value that keeps its document alive. Copies are cheap and may be used from any thread.
class value {
 public:
  value() noexcept = default;  ///< null

  [[nodiscard]] json::view view() const& noexcept;
  json::view view() const&& = delete;
  operator json::view() const& noexcept { return view(); }
  operator json::view() const&& = delete;

  [[nodiscard]] json::kind kind() const noexcept { return view().kind(); }
  [[nodiscard]] bool is_null() const noexcept { return !owner_ || view().is_null(); }
  [[nodiscard]] bool is_object() const noexcept { return view().is_object(); }
  [[nodiscard]] bool is_array() const noexcept { return view().is_array(); }
  [[nodiscard]] bool is_string() const noexcept { return view().is_string(); }
  [[nodiscard]] bool is_number() const noexcept { return view().is_number(); }
  [[nodiscard]] std::size_t size() const noexcept { return view().size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] bool contains(std::string_view key) const noexcept { return view().find(key).has_value(); }

  /// The typed accessors throw comcp::exception (errc::wrong_shape) with the path when the kind does not fit.
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] std::int64_t as_int64() const;
  [[nodiscard]] std::uint64_t as_uint64() const;
  [[nodiscard]] double as_double() const;
  [[nodiscard]] std::string_view as_string() const&;
  std::string_view as_string() const&& = delete;

  /// Member or element; throws errc::not_found with the path, or wrong_shape.
  [[nodiscard]] value operator[](std::string_view key) const;
  [[nodiscard]] value operator[](char const* key) const { return (*this)[std::string_view(key)]; }
  [[nodiscard]] value operator[](std::size_t index) const;
  [[nodiscard]] value operator[](int index) const { return (*this)[static_cast<std::size_t>(index)]; }
  [[nodiscard]] std::optional<value> find(std::string_view key) const;
  /// RFC 6901. Errors: invalid_argument, not_found.
  [[nodiscard]] result<value> pointer(std::string_view json_pointer) const;

  /// Any readable type (json/describe.hpp must be included). `get` returns errc::wrong_shape with the path.
  template <class T>
  [[nodiscard]] result<T> get() const;
  template <class T>
  [[nodiscard]] T as() const {
    return get<T>().value();
  }

  [[nodiscard]] json::view::element_range elements() const& noexcept;
  json::view::element_range elements() const&& = delete;
  [[nodiscard]] json::view::member_range members() const& noexcept;
  json::view::member_range members() const&& = delete;
  /// Iteration goes over the elements of an array.
  [[nodiscard]] json::view::element_iterator begin() const& noexcept;
  [[nodiscard]] json::view::element_iterator end() const& noexcept;

  [[nodiscard]] std::string dump() const { return view().dump(); }
  /// A copy in a document of its own, so that a small part does not keep a large page alive.
  [[nodiscard]] value compact() const;
  /// About how many bytes the document takes that it shares, all of it; 0 for a default-constructed null.
  [[nodiscard]] std::size_t memory() const noexcept;

  friend bool operator==(value const& a, value const& b) noexcept { return a.view() == b.view(); }

 private:
  friend class json::view;
  friend class document;
  value(detail::document_share owner, detail::node n) noexcept : owner_(std::move(owner)), node_(n) {}

  detail::document_share owner_;
  detail::node node_;
};

class view::element_iterator {
 public:
  using value_type = view;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;

  element_iterator() noexcept = default;
  view operator*() const noexcept;
  element_iterator& operator++() noexcept;
  element_iterator operator++(int) noexcept {
    auto old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(element_iterator const& a, element_iterator const& b) noexcept {
    return a.node_ == b.node_;
  }

 private:
  friend class view;
  document const* owner_ = nullptr;
  detail::node node_;
};

/// One member of an object. The key is valid as long as the document.
struct member {
  std::string_view key;
  view value;
};

class view::member_iterator {
 public:
  using value_type = member;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;

  member_iterator() noexcept = default;
  member operator*() const noexcept;
  member_iterator& operator++() noexcept;
  member_iterator operator++(int) noexcept {
    auto old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(member_iterator const& a, member_iterator const& b) noexcept {
    return a.node_ == b.node_;
  }

 private:
  friend class view;
  document const* owner_ = nullptr;
  detail::node node_;
};

struct view::element_range {
  element_iterator first, last;
  [[nodiscard]] element_iterator begin() const noexcept { return first; }
  [[nodiscard]] element_iterator end() const noexcept { return last; }
};

struct view::member_range {
  member_iterator first, last;
  [[nodiscard]] member_iterator begin() const noexcept { return first; }
  [[nodiscard]] member_iterator end() const noexcept { return last; }
};

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION)

// json/impl/value.ipp
// value and view on simdjson's DOM. The other users of simdjson are its neighbours in json/impl.

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

// json/impl/document.ipp
// What a value shares: a parsed text. Small ones are used again, which saves three allocations for each answer.

#include <atomic>
#include <bit>
#include <utility>

// json/impl/simdjson.hpp
// The one include of simdjson, the check that it is one we know (3.0 to 4.x), and what differs between them.

#include <simdjson.h>

#include <string_view>

static_assert(simdjson::SIMDJSON_VERSION_MAJOR >= 3, "comcp needs simdjson 3.0 or newer");

namespace comcp::json::detail {

/// Why a text is no JSON; simdjson's own texts change from version to version.
inline char const* parse_failure(simdjson::error_code code) noexcept {
  constexpr auto number = "a malformed number, or one that neither 64 bits nor a double hold";
  switch (code) {
    case simdjson::EMPTY: return "no JSON text";
    case simdjson::UTF8_ERROR: return "not UTF-8";
    case simdjson::UNCLOSED_STRING: return "a string does not end";
    case simdjson::UNESCAPED_CHARS: return "a raw control character in a string";
    case simdjson::STRING_ERROR: return "a malformed string or escape";
    case simdjson::NUMBER_ERROR: return number;
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR: return "a word other than true, false and null";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT: return "an array or object does not end";
    case simdjson::INCORRECT_TYPE: return "a value of another kind";
    default: break;
  }
  // 4.x has a code of its own for large integers, which 3.0 cannot name.
  if (std::string_view(simdjson::error_message(code)).starts_with("BIGINT_ERROR")) return number;
  return "a missing or superfluous comma, bracket, key or value";
}

}  // namespace comcp::json::detail

namespace comcp::json {

class document {
 public:
  simdjson::dom::document dom;
  mutable std::atomic<std::size_t> shares = 1;

  [[nodiscard]] view root() const noexcept { return {this, std::bit_cast<detail::node>(dom.root())}; }
  static value root_value(detail::document_share owner) noexcept {
    auto const root = std::bit_cast<detail::node>(owner.get()->dom.root());
    return {std::move(owner), root};
  }
};

namespace detail {

// A view that outlives its document must not go unseen there.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_asan = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool under_asan = true;
#else
inline constexpr bool under_asan = false;
#endif
#else
inline constexpr bool under_asan = false;
#endif

// The documents of small texts that this thread gave back, for its next ones. They keep at most 6 KiB each, so that
// one that is taken for a tiny text and kept for long wastes little.
struct spare_documents {
  static constexpr std::size_t most = 8, largest_text = 512;
  document* kept[most];
  std::size_t size;
  bool closed;  // the thread ends; what is given back after that is deleted

  static spare_documents& mine() noexcept {
    static constinit thread_local spare_documents spares{};
    return spares;
  }
  void empty() noexcept {
    while (size > 0) delete kept[--size];
  }
  bool keep(document* d) noexcept {
    struct at_thread_end {
      ~at_thread_end() {
        mine().closed = true;
        mine().empty();
      }
    };
    static thread_local at_thread_end const janitor;
    (void)janitor;
    if (under_asan || closed || size == most || d->dom.capacity() > largest_text) return false;
    kept[size++] = d;
    return true;
  }
};

COMCP_DECL document* new_document() {
  auto& spares = spare_documents::mine();
  if (spares.size == 0) return new document;
  auto* const d = spares.kept[--spares.size];
  d->shares.store(1, std::memory_order_relaxed);
  return d;
}

COMCP_DECL document const* document_share::one_more(document const* d) noexcept {
  if (d) d->shares.fetch_add(1, std::memory_order_relaxed);
  return d;
}

COMCP_DECL void document_share::give_back(document const* d) noexcept {
  // Nobody else can count one more share of a document that has a single one.
  bool const last = d->shares.load(std::memory_order_acquire) == 1 ||
                    d->shares.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (!last) return;
  auto* const mine = const_cast<document*>(d);
  if (!spare_documents::mine().keep(mine)) delete mine;
}

}  // namespace detail
}  // namespace comcp::json

// json/writer.hpp
// The append-only JSON writer. It places commas and escapes strings; what to write is the caller's decision.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace comcp::json {

class view;

namespace detail {
/// Appends `s` with quotes, escaped.
void append_string(std::string& out, std::string_view s);

/// The first growth takes what most messages need, so that there is no second one.
inline void make_room(std::string& out, std::size_t n) {
  auto const needed = out.size() + n;
  if (needed > out.capacity()) out.reserve(std::max({needed, 2 * out.capacity(), std::size_t{240}}));
}
}  // namespace detail

/// Writes minified JSON, which never contains a raw newline. Strings must be UTF-8: anything else throws
/// comcp::exception (errc::invalid_argument). Doubles are the shortest text that reads back equal; one that is
/// not finite becomes null.
class writer {
 public:
  writer() = default;
  /// Appends to `start`, whose capacity is used.
  explicit writer(std::string start) noexcept : out_(std::move(start)) {}

  writer& begin_object() { return open('{'); }
  writer& end_object() { return close('}'); }
  writer& begin_array() { return open('['); }
  writer& end_array() { return close(']'); }
  writer& key(std::string_view name);
  /// A key that is known to need no escaping.
  writer& plain_key(std::string_view name) {
    detail::make_room(out_, name.size() + 4);
    separate();
    out_ += '"';
    out_ += name;
    out_ += "\":";
    comma_ = false;
    return *this;
  }

  writer& null() { return token("null"); }
  writer& boolean(bool b) { return token(b ? "true" : "false"); }
  writer& integer(std::int64_t i);
  writer& unsigned_integer(std::uint64_t u);
  writer& real(double d);
  writer& string(std::string_view s);
  writer& value(view v);
  /// JSON text that is known to be valid and minified.
  writer& raw(std::string_view json) { return token(json); }

  [[nodiscard]] std::string const& text() const& noexcept { return out_; }
  [[nodiscard]] std::string text() && noexcept { return std::move(out_); }

 private:
  void separate() {
    if (comma_) out_ += ',';
    comma_ = true;
  }
  writer& open(char c) {
    separate();
    out_ += c;
    comma_ = false;
    return *this;
  }
  writer& close(char c) {
    out_ += c;
    comma_ = true;
    return *this;
  }
  writer& token(std::string_view t) {
    separate();
    out_ += t;
    return *this;
  }

  std::string out_;
  bool comma_ = false;
};

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION)

// json/impl/writer.ipp
#include <charconv>
#include <cmath>
#include <cstring>

namespace comcp::json {
namespace detail {

constexpr std::uint64_t high_bits = 0x8080808080808080;

// Nonzero when one of eight bytes is a quote, a backslash or a control character.
inline std::uint64_t special_bytes(std::uint64_t w) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101;
  auto const quote = w ^ (ones * '"');
  auto const slash = w ^ (ones * '\\');
  return ((w - ones * 0x20) | (quote - ones) | (slash - ones)) & ~w & high_bits;
}

// The length of the longest prefix that needs no escaping; sets `ascii` to false where it is not ASCII.
inline std::size_t plain_prefix(char const* p, std::size_t n, bool& ascii) noexcept {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    std::uint64_t w;
    std::memcpy(&w, p + i, 8);
    if (special_bytes(w)) break;
    if (w & high_bits) ascii = false;
  }
  for (; i < n; ++i) {
    auto const c = static_cast<unsigned char>(p[i]);
    if (c < 0x20 || c == '"' || c == '\\') break;
    if (c >= 0x80) ascii = false;
  }
  return i;
}

COMCP_DECL void append_escape(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    default: break;
  }
  constexpr char const* hex = "0123456789abcdef";
  auto const u = static_cast<unsigned char>(c);
  out += "\\u00";
  out += hex[u >> 4];
  out += hex[u & 15];
}

COMCP_DECL void append_string(std::string& out, std::string_view s) {
  bool ascii = true;
  auto rest = s;
  make_room(out, s.size() + 3);
  if (plain_prefix(s.data(), s.size(), ascii) == s.size() && ascii) {
    auto const start = out.size();
    out.resize(start + s.size() + 2, '"');
    s.copy(out.data() + start + 1, s.size());
    return;
  }
  out += '"';
  while (!rest.empty()) {
    auto const n = plain_prefix(rest.data(), rest.size(), ascii);
    out.append(rest.data(), n);
    rest.remove_prefix(n);
    if (!rest.empty()) {
      append_escape(out, rest.front());
      rest.remove_prefix(1);
    }
  }
  out += '"';
  if (!ascii && !simdjson::validate_utf8(s.data(), s.size()))
    throw exception(error(errc::invalid_argument, "a string for JSON is not UTF-8"));
}

template <class... Number>
void append_number(std::string& out, Number... number) {
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, number...).ptr;
  out.append(buffer, static_cast<std::size_t>(end - buffer));
}

COMCP_DECL void write_view(writer& w, view v) {
  switch (v.kind()) {
    case kind::null: w.null(); return;
    case kind::boolean: w.boolean(*v.get_bool()); return;
    case kind::integer: w.integer(*v.get_int64()); return;
    case kind::unsigned_integer: w.unsigned_integer(*v.get_uint64()); return;
    case kind::real: w.real(*v.get_double()); return;
    case kind::string: w.string(*v.get_string()); return;
    case kind::array:
      w.begin_array();
      for (auto const e : v.elements()) write_view(w, e);
      w.end_array();
      return;
    case kind::object:
      w.begin_object();
      for (auto const m : v.members()) {
        w.key(m.key);
        write_view(w, m.value);
      }
      w.end_object();
      return;
  }
}

}  // namespace detail

COMCP_DECL writer& writer::key(std::string_view name) {
  separate();
  detail::append_string(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}

COMCP_DECL writer& writer::integer(std::int64_t i) {
  separate();
  detail::append_number(out_, i);
  return *this;
}

COMCP_DECL writer& writer::unsigned_integer(std::uint64_t u) {
  separate();
  detail::append_number(out_, u);
  return *this;
}

COMCP_DECL writer& writer::real(double d) {
  if (!std::isfinite(d)) return null();
  separate();
  if (d == 0 && std::signbit(d)) {
    out_ += "-0.0";
  } else if (std::fabs(d) >= 0x1p63) {  // with an exponent: readers refuse integers beyond 64 bits
    detail::append_number(out_, d, std::chars_format::scientific);
  } else {
    detail::append_number(out_, d);
  }
  return *this;
}

COMCP_DECL writer& writer::string(std::string_view s) {
  separate();
  detail::append_string(out_, s);
  return *this;
}

COMCP_DECL writer& writer::value(view v) {
  detail::write_view(*this, v);
  return *this;
}

}  // namespace comcp::json
#endif

namespace comcp::json {

namespace detail {

using dom_element = simdjson::dom::element;
using dom_array = simdjson::dom::array;
using dom_object = simdjson::dom::object;
static_assert(sizeof(dom_element) == sizeof(node) && std::is_trivially_copyable_v<dom_element>);
static_assert(sizeof(dom_array::iterator) == sizeof(node) && std::is_trivially_copyable_v<dom_array::iterator>);
static_assert(sizeof(dom_object::iterator) == sizeof(node) && std::is_trivially_copyable_v<dom_object::iterator>);

inline dom_element element_of(node const& n) noexcept { return std::bit_cast<dom_element>(n); }

// One parser a thread; one that a huge text has grown is let go again.
COMCP_DECL simdjson::dom::parser& thread_parser() {
  thread_local simdjson::dom::parser parser;
  return parser;
}
inline constexpr std::size_t kept_parser_capacity = std::size_t{4} << 20;

COMCP_DECL error parse_error(simdjson::error_code code, parse_options const& options) {
  switch (code) {
    case simdjson::DEPTH_ERROR:
      return {errc::limit_exceeded, "JSON nested deeper than max_depth (" + std::to_string(options.max_depth()) + ")"};
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC: return {errc::limit_exceeded, "JSON text too large to parse"};
    default: return {errc::invalid_json, parse_failure(code)};
  }
}

COMCP_DECL std::size_t count_nodes(dom_element e, std::size_t stop_at) noexcept {
  std::size_t n = 1;
  if (e.is_array()) {
    for (auto child : dom_array(e.get_array().value_unsafe())) {
      n += count_nodes(child, stop_at - n);
      if (n > stop_at) break;
    }
  } else if (e.is_object()) {
    for (auto field : dom_object(e.get_object().value_unsafe())) {
      n += count_nodes(field.value, stop_at - n);
      if (n > stop_at) break;
    }
  }
  return n;
}

inline constexpr std::string_view bom = "\xEF\xBB\xBF";

COMCP_DECL std::string_view without_bom(std::string_view text) noexcept {
  return text.starts_with(bom) ? text.substr(3) : text;
}

// `copy` lets simdjson put the text into a padded buffer of its own, which the parser keeps.
COMCP_DECL result<value> parse_text(std::string_view text, bool copy, parse_options const& options) {
  if (text.size() > options.max_bytes())
    return error(errc::limit_exceeded, "JSON text larger than max_bytes (" + std::to_string(options.max_bytes()) + ")");
  text = without_bom(text);
  if (text.empty()) return parse_error(simdjson::EMPTY, options);
  if (text.starts_with(bom)) return parse_error(simdjson::TAPE_ERROR, options);  // simdjson 4 would skip it
  auto& parser = thread_parser();
  // simdjson refuses at its bound, not above it.
  auto const depth = std::min(options.max_depth(), std::size_t{1} << 24) + 1;
  if (parser.max_depth() != depth) {
    if (parser.allocate(parser.capacity(), depth)) return error(errc::limit_exceeded, "out of memory for JSON");
  }
  auto* const fresh = new_document();
  document_share owner(fresh);
  simdjson::dom::element root;
  auto const code = parser.parse_into_document(fresh->dom, text.data(), text.size(), copy).get(root);
  if (parser.capacity() > kept_parser_capacity) parser = simdjson::dom::parser();
  if (code) return parse_error(code, options);
  // A value takes at least one byte of text, so only longer texts can have too many.
  if (text.size() > options.max_nodes() && count_nodes(root, options.max_nodes()) > options.max_nodes())
    return error(errc::limit_exceeded, "more JSON values than max_nodes (" + std::to_string(options.max_nodes()) + ")");
  return document::root_value(std::move(owner));
}

}  // namespace detail

COMCP_DECL result<value> parse(padded_text text, parse_options const& options) {
  return detail::parse_text(text.view(), false, options);
}

COMCP_DECL result<value> parse(std::string_view text, parse_options const& options) {
  return detail::parse_text(text, true, options);
}

COMCP_DECL json::kind view::kind() const noexcept {
  if (!owner_) return json::kind::null;
  switch (detail::element_of(node_).type()) {
    case simdjson::dom::element_type::ARRAY: return json::kind::array;
    case simdjson::dom::element_type::OBJECT: return json::kind::object;
    case simdjson::dom::element_type::INT64: return json::kind::integer;
    case simdjson::dom::element_type::UINT64: return json::kind::unsigned_integer;
    case simdjson::dom::element_type::DOUBLE: return json::kind::real;
    case simdjson::dom::element_type::STRING: return json::kind::string;
    case simdjson::dom::element_type::BOOL: return json::kind::boolean;
    default: return json::kind::null;
  }
}

COMCP_DECL std::optional<bool> view::get_bool() const noexcept {
  if (kind() != json::kind::boolean) return {};
  return detail::element_of(node_).get_bool().value_unsafe();
}

COMCP_DECL std::optional<std::int64_t> view::get_int64() const noexcept {
  auto const k = kind();
  if (k == json::kind::integer) return detail::element_of(node_).get_int64().value_unsafe();
  if (k != json::kind::real) return {};
  double const d = detail::element_of(node_).get_double().value_unsafe();
  if (!(d >= -0x1p63 && d < 0x1p63) || d != std::trunc(d)) return {};
  return static_cast<std::int64_t>(d);
}

COMCP_DECL std::optional<std::uint64_t> view::get_uint64() const noexcept {
  if (kind() == json::kind::unsigned_integer) return detail::element_of(node_).get_uint64().value_unsafe();
  if (auto const i = get_int64()) return *i >= 0 ? std::optional(static_cast<std::uint64_t>(*i)) : std::nullopt;
  if (kind() != json::kind::real) return {};
  double const d = detail::element_of(node_).get_double().value_unsafe();
  if (!(d >= 0 && d < 0x1p64) || d != std::trunc(d)) return {};
  return static_cast<std::uint64_t>(d);
}

COMCP_DECL std::optional<double> view::get_double() const noexcept {
  if (!is_number()) return {};
  return detail::element_of(node_).get_double().value_unsafe();
}

COMCP_DECL std::optional<std::string_view> view::get_string() const noexcept {
  std::string_view s;
  if (!owner_ || detail::element_of(node_).get_string().get(s)) return {};
  return s;
}

COMCP_DECL std::size_t view::size() const noexcept {
  std::size_t n = 0;
  if (is_array()) {
    n = detail::element_of(node_).get_array().value_unsafe().size();
  } else if (is_object()) {
    n = detail::element_of(node_).get_object().value_unsafe().size();
  }
  if (n < 0xFFFFFF) return n;
  n = 0;  // simdjson's count saturates there
  for ([[maybe_unused]] auto e : elements()) ++n;
  for ([[maybe_unused]] auto m : members()) ++n;
  return n;
}

COMCP_DECL std::optional<view> view::find(std::string_view key) const noexcept {
  simdjson::dom::object object;
  simdjson::dom::element found;
  if (!owner_ || detail::element_of(node_).get_object().get(object) || object.at_key(key).get(found)) return {};
  return view(owner_, std::bit_cast<detail::node>(found));
}

COMCP_DECL std::optional<view> view::at(std::size_t index) const noexcept {
  if (!is_array()) return {};
  simdjson::dom::element found;
  if (detail::element_of(node_).get_array().value_unsafe().at(index).get(found)) return {};
  return view(owner_, std::bit_cast<detail::node>(found));
}

COMCP_DECL value view::share() const {
  if (!owner_) return {};
  return {detail::document_share(detail::document_share::one_more(owner_)), node_};
}

COMCP_DECL view::element_range view::elements() const noexcept {
  element_range range;
  simdjson::dom::array array;
  if (!owner_ || detail::element_of(node_).get_array().get(array)) return range;
  range.first.owner_ = range.last.owner_ = owner_;
  range.first.node_ = std::bit_cast<detail::node>(array.begin());
  range.last.node_ = std::bit_cast<detail::node>(array.end());
  return range;
}

COMCP_DECL view::member_range view::members() const noexcept {
  member_range range;
  simdjson::dom::object object;
  if (!owner_ || detail::element_of(node_).get_object().get(object)) return range;
  range.first.owner_ = range.last.owner_ = owner_;
  range.first.node_ = std::bit_cast<detail::node>(object.begin());
  range.last.node_ = std::bit_cast<detail::node>(object.end());
  return range;
}

COMCP_DECL view view::element_iterator::operator*() const noexcept {
  return {owner_, std::bit_cast<detail::node>(*std::bit_cast<detail::dom_array::iterator>(node_))};
}

COMCP_DECL view::element_iterator& view::element_iterator::operator++() noexcept {
  auto it = std::bit_cast<detail::dom_array::iterator>(node_);
  node_ = std::bit_cast<detail::node>(++it);
  return *this;
}

COMCP_DECL member view::member_iterator::operator*() const noexcept {
  auto const it = std::bit_cast<detail::dom_object::iterator>(node_);
  return {it.key(), view(owner_, std::bit_cast<detail::node>(it.value()))};
}

COMCP_DECL view::member_iterator& view::member_iterator::operator++() noexcept {
  auto it = std::bit_cast<detail::dom_object::iterator>(node_);
  node_ = std::bit_cast<detail::node>(++it);
  return *this;
}

namespace detail {

COMCP_DECL bool same_number(view a, view b) noexcept {
  if (a.kind() == b.kind()) {
    if (a.kind() == kind::integer) return a.get_int64() == b.get_int64();
    if (a.kind() == kind::unsigned_integer) return a.get_uint64() == b.get_uint64();
    return a.get_double() == b.get_double();
  }
  if (auto const x = a.get_int64()) return b.get_int64() == x;
  if (auto const x = a.get_uint64()) return b.get_uint64() == x;
  return false;
}

COMCP_DECL bool same_keys_in_order(view a, view b) noexcept {
  auto const x = a.members();
  auto const y = b.members();
  auto j = y.begin();
  for (auto i = x.begin(); i != x.end() && j != y.end(); ++i, ++j) {
    if ((*i).key != (*j).key) return false;
  }
  return true;
}

// Sorted by key when the orders differ, so that large objects cost no square; duplicates keep their order.
COMCP_DECL std::vector<member> members_by_key(view object) {
  std::vector<member> list;
  list.reserve(object.size());
  for (auto const m : object.members()) list.push_back(m);
  // Keys lie in memory in the order of the text. (Not stable_sort: clang warns of what libstdc++ 12 does there.)
  std::sort(list.begin(), list.end(), [](member const& x, member const& y) {
    auto const order = x.key <=> y.key;
    return order != 0 ? order < 0 : std::less<>()(x.key.data(), y.key.data());
  });
  return list;
}

COMCP_DECL bool same_object(view a, view b) {
  if (a.size() != b.size()) return false;
  if (same_keys_in_order(a, b)) {
    auto j = b.members().begin();
    for (auto const m : a.members()) {
      if (!(m.value == (*j).value)) return false;
      ++j;
    }
    return true;
  }
  auto const same = [](member const& x, member const& y) { return x.key == y.key && x.value == y.value; };
  auto const x = members_by_key(a);
  auto const y = members_by_key(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
}

COMCP_DECL bool same_array(view a, view b) noexcept {
  auto x = a.elements();
  auto y = b.elements();
  auto i = x.begin();
  auto j = y.begin();
  for (; i != x.end() && j != y.end(); ++i, ++j) {
    if (!(*i == *j)) return false;
  }
  return i == x.end() && j == y.end();
}

}  // namespace detail

COMCP_DECL bool view::same(view a, view b) noexcept {
  if (a.is_number() && b.is_number()) return detail::same_number(a, b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case json::kind::boolean: return a.get_bool() == b.get_bool();
    case json::kind::string: return a.get_string() == b.get_string();
    case json::kind::array: return detail::same_array(a, b);
    case json::kind::object: return detail::same_object(a, b);
    default: return true;
  }
}

COMCP_DECL std::string view::dump() const {
  writer w;
  w.value(*this);
  return std::move(w).text();
}

COMCP_DECL json::view value::view() const& noexcept { return {owner_.get(), node_}; }

COMCP_DECL std::size_t value::memory() const noexcept {
  // simdjson has a word of tape and room for 5/3 of a byte of strings for each byte of text.
  return owner_ ? sizeof(document) + owner_.get()->dom.capacity() * 29 / 3 : 0;
}

COMCP_DECL value value::compact() const {
  if (!owner_) return {};
  auto text = dump();
  constexpr auto any = std::numeric_limits<std::size_t>::max();
  return parse(pad(text), parse_options().max_bytes(any).max_nodes(any).max_depth(any)).value();
}

COMCP_DECL json::view::element_range value::elements() const& noexcept { return view().elements(); }
COMCP_DECL json::view::member_range value::members() const& noexcept { return view().members(); }
COMCP_DECL json::view::element_iterator value::begin() const& noexcept { return view().elements().begin(); }
COMCP_DECL json::view::element_iterator value::end() const& noexcept { return view().elements().end(); }

}  // namespace comcp::json

// json/impl/access.ipp
// Access that fails with a path in its text: the typed accessors of value, and JSON Pointer.

namespace comcp::json {
namespace detail {

COMCP_DECL char const* kind_name(kind k) noexcept {
  switch (k) {
    case kind::null: return "null";
    case kind::boolean: return "boolean";
    case kind::integer:
    case kind::unsigned_integer: return "integer";
    case kind::real: return "number";
    case kind::string: return "string";
    case kind::array: return "array";
    case kind::object: return "object";
  }
  return "?";
}

COMCP_DECL std::string place(view v) {
  auto path = v.path();
  return path.empty() ? std::string("the root") : path;
}

[[noreturn]] COMCP_DECL void throw_kind(view v, char const* wanted) {
  throw exception(error(errc::wrong_shape,
                        std::string("expected ") + wanted + " at " + place(v) + ", found " + kind_name(v.kind())));
}

COMCP_DECL void escape_pointer(std::string& out, std::string_view key) {
  out += '/';
  for (char const c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

COMCP_DECL std::optional<std::string> unescape_pointer(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
    } else if (i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else {
      return {};
    }
  }
  return out;
}

COMCP_DECL std::optional<std::size_t> pointer_index(std::string_view token) {
  if (token.empty() || token.size() > 18 || (token.size() > 1 && token[0] == '0')) return {};
  std::size_t n = 0;
  for (char const c : token) {
    if (c < '0' || c > '9') return {};
    n = n * 10 + static_cast<std::size_t>(c - '0');
  }
  return n;
}

}  // namespace detail

COMCP_DECL std::string view::path() const { return owner_ ? path(owner_->root()) : std::string(); }

COMCP_DECL std::string view::path(view base) const {
  if (!owner_) return {};
  std::string path;
  struct walk {
    static bool find(view at, detail::node const& sought, std::string& out) {
      if (at.node_ == sought) return true;
      auto const size = out.size();
      std::size_t index = 0;
      for (auto const e : at.elements()) {
        out.append("/").append(std::to_string(index++));
        if (find(e, sought, out)) return true;
        out.resize(size);
      }
      for (auto const m : at.members()) {
        detail::escape_pointer(out, m.key);
        if (find(m.value, sought, out)) return true;
        out.resize(size);
      }
      return false;
    }
  };
  walk::find(base, node_, path);
  return path;
}

COMCP_DECL result<view> view::pointer(std::string_view json_pointer) const {
  view at = *this;
  if (json_pointer.empty()) return at;
  if (json_pointer[0] != '/') return error(errc::invalid_argument, "a JSON Pointer starts with '/'");
  auto const whole = json_pointer;
  while (!json_pointer.empty()) {
    json_pointer.remove_prefix(1);
    auto const end = json_pointer.find('/');
    auto const token = detail::unescape_pointer(json_pointer.substr(0, end));
    if (!token) return error(errc::invalid_argument, "bad '~' in the JSON Pointer " + std::string(whole));
    auto const index = at.is_array() ? detail::pointer_index(*token) : std::nullopt;
    auto const next = index ? at.at(*index) : at.find(*token);
    if (!next) return error(errc::not_found, "nothing at " + std::string(whole));
    at = *next;
    json_pointer = end == json_pointer.npos ? std::string_view() : json_pointer.substr(end);
  }
  return at;
}

COMCP_DECL bool value::as_bool() const {
  auto const b = view().get_bool();
  if (!b) detail::throw_kind(view(), "boolean");
  return *b;
}

COMCP_DECL std::int64_t value::as_int64() const {
  auto const i = view().get_int64();
  if (!i) detail::throw_kind(view(), "a 64-bit integer");
  return *i;
}

COMCP_DECL std::uint64_t value::as_uint64() const {
  auto const i = view().get_uint64();
  if (!i) detail::throw_kind(view(), "an unsigned 64-bit integer");
  return *i;
}

COMCP_DECL double value::as_double() const {
  auto const d = view().get_double();
  if (!d) detail::throw_kind(view(), "number");
  return *d;
}

COMCP_DECL std::string_view value::as_string() const& {
  auto const s = view().get_string();
  if (!s) detail::throw_kind(view(), "string");
  return *s;
}

COMCP_DECL value value::operator[](std::string_view key) const {
  auto const v = view();
  if (!v.is_object()) detail::throw_kind(v, "object");
  auto const found = v.find(key);
  if (!found) throw exception(error(errc::not_found, "no member \"" + std::string(key) + "\" at " + detail::place(v)));
  return found->share();
}

COMCP_DECL value value::operator[](std::size_t index) const {
  auto const v = view();
  if (!v.is_array()) detail::throw_kind(v, "array");
  auto const found = v.at(index);
  if (!found)
    throw exception(error(errc::not_found, "no element " + std::to_string(index) + " at " + detail::place(v)));
  return found->share();
}

COMCP_DECL std::optional<value> value::find(std::string_view key) const {
  auto const found = view().find(key);
  return found ? std::optional(found->share()) : std::nullopt;
}

COMCP_DECL result<value> value::pointer(std::string_view json_pointer) const {
  auto const found = view().pointer(json_pointer);
  if (!found) return found.error();
  return found->share();
}

}  // namespace comcp::json
#endif

namespace comcp::json {

/// Collects the first failure of a decoding, with its place.
class read_error {
 public:
  read_error() = default;
  /// Places are told relative to `base`: finding them then costs no more than walking it.
  explicit read_error(view base) noexcept : base_(base) {}
  /// Always false, so that `return e.expected(v, "string");` reads well.
  bool expected(view at, std::string_view what);
  bool missing(view object, std::string_view key);
  [[nodiscard]] error to_error() const { return {errc::wrong_shape, text_}; }
  [[nodiscard]] std::string const& text() const noexcept { return text_; }

 private:
  [[nodiscard]] std::string place(view at) const;

  std::optional<view> base_;
  std::string text_;
};

/// How a T is read and written. Specialise it for types that a field list cannot describe:
///   static bool read(view from, T& to, read_error& e);   // false after e.expected(...) or e.missing(...)
///   static void write(writer& w, T const& value);
template <class T>
struct codec;

/// One member: its key and how absence is met. Made by field(), always() and defaulted().
template <class Struct, class Member>
struct field_of {
  std::string_view key;
  Member Struct::*member;
  bool required;
  bool skip_default;
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// A member that must be there, unless it is std::optional (then absent and null are both nullopt; an
/// std::optional<json::value> keeps null). Of several members with one key the first counts, as in view::find.
template <class S, class M>
constexpr field_of<S, M> field(std::string_view key, M S::*member) {
  return {key, member, !is_optional<M>, is_optional<M>};
}
/// A member that may be absent when reading (it keeps its default) and is always written.
template <class S, class M>
constexpr field_of<S, M> always(std::string_view key, M S::*member) {
  return {key, member, false, false};
}
/// A member that may be absent when reading and is written only when it differs from a fresh one (containers: unless
/// both are empty), or when it came with the object that rest() keeps.
template <class S, class M>
constexpr field_of<S, M> defaulted(std::string_view key, M S::*member) {
  return {key, member, false, true};
}
/// The member that keeps the whole object as it came; what no other field names is written again from it.
template <class S>
struct raw_field {
  json::value S::*member;
};
template <class S>
constexpr raw_field<S> rest(json::value S::*member) {
  return {member};
}
/// A constant member, such as "type": "text": checked when reading, written first.
struct tag_field {
  std::string_view key, text;
};
constexpr tag_field tag(std::string_view key, std::string_view text) { return {key, text}; }

/// A field of another sort: any literal type with a key and its own way to read, and to write key and value.
template <class F, class S>
concept own_field = requires(F const& f, view v, S& out, S const& from, read_error& e, writer& w) {
  { f.key } -> std::convertible_to<std::string_view>;
  { f.required } -> std::convertible_to<bool>;
  { f.read(v, out, e) } -> std::same_as<bool>;
  f.write(w, from);
};

namespace detail {
template <std::size_t I, class F>
struct field_slot {
  F field;
};
// As std::tuple, at a fraction of its compile time.
template <class Indices, class... F>
struct field_slots;
template <std::size_t... I, class... F>
struct field_slots<std::index_sequence<I...>, F...> : field_slot<I, F>... {};
}  // namespace detail

/// The field list of a struct, for its describe().
template <class... F>
struct field_list : detail::field_slots<std::index_sequence_for<F...>, F...> {};
template <class... F>
constexpr field_list<F...> fields(F... f) {
  return {{{f}...}};
}

template <class T>
concept described = requires { describe(std::type_identity<T>{}); };
template <class T>
concept readable = requires(view v, T& t, read_error& e) {
  { codec<T>::read(v, t, e) } -> std::same_as<bool>;
};
template <class T>
concept writable = requires(writer& w, T const& t) { codec<T>::write(w, t); };

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION)

// json/impl/fields.ipp

namespace comcp::json {

COMCP_DECL std::string read_error::place(view at) const {
  if (!base_) return detail::place(at);
  auto path = at.path(*base_);
  return path.empty() ? std::string("its root") : path;
}

COMCP_DECL bool read_error::expected(view at, std::string_view what) {
  if (text_.empty()) {
    text_ = "expected " + std::string(what) + " at " + place(at) + ", found " + detail::kind_name(at.kind());
  }
  return false;
}

COMCP_DECL bool read_error::missing(view object, std::string_view key) {
  if (text_.empty()) text_ = "no member \"" + std::string(key) + "\" at " + place(object);
  return false;
}

}  // namespace comcp::json
#endif

namespace comcp::json::detail {

struct read_entry {
  std::string_view key;
  bool required = false;
  bool (*read)(view from, void* object, read_error& e) = nullptr;
};
/// Reads an object's members into the struct at `object`, and all of it into its raw member if it has one.
bool read_fields(std::span<read_entry const> fields, value& (*raw)(void* object), view from, void* object,
                 read_error& e);

struct write_entry {
  std::string_view key;
  void (*write)(writer& w, void const* object, view raw) = nullptr;
};
/// Writes them, and what else `raw` keeps.
void write_fields(std::span<write_entry const> fields, value const& (*raw)(void const* object), writer& w,
                  void const* object);

bool read_tag(view from, std::string_view text, read_error& e);
/// Whether a member that equals its default was absent from the object that it came with.
bool was_absent(view raw, std::string_view key);

template <class F>
constexpr bool is_required(F const& f) {
  if constexpr (requires { f.required; }) return f.required;
  return std::same_as<F, tag_field>;
}
template <class F>
constexpr std::string_view key_of(F const& f) {
  if constexpr (requires { f.key; }) return f.key;
  return {};
}
constexpr bool is_plain(std::string_view key) {
  for (char const c : key) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') return false;
  }
  return true;
}

template <std::size_t I, class F>
constexpr F const& field_at(field_slot<I, F> const& slot) {
  return slot.field;
}
template <std::size_t I, class S>
constexpr auto raw_member(field_slot<I, raw_field<S>> const& slot) {
  return slot.field.member;
}
template <class F>
inline constexpr bool is_raw = false;
template <class S>
inline constexpr bool is_raw<raw_field<S>> = true;

template <std::size_t... I, class... F>
constexpr std::array<std::string_view, sizeof...(F)> keys_of(
    field_slots<std::index_sequence<I...>, F...> const& list) {
  return {key_of(field_at<I>(list))...};
}

template <class S, class M>
bool read_member(field_of<S, M> const& f, view v, S& out, read_error& e) {
  if constexpr (!is_optional<M> && !std::same_as<M, value>) {
    if (!f.required && v.is_null()) return true;
  }
  return codec<M>::read(v, out.*f.member, e);
}
template <class S>
bool read_member(tag_field const& f, view v, S&, read_error& e) {
  return read_tag(v, f.text, e);
}
template <class S, own_field<S> F>
bool read_member(F const& f, view v, S& out, read_error& e) {
  return f.read(v, out, e);
}

template <class T>
T const& fresh() {
  static T const value{};
  return value;
}

/// Whether a member that equals its default is left out: not when it came with the object.
template <class T, class M>
bool is_left_out(T const& from, field_of<T, M> const& f, view raw) {
  auto const& member = from.*f.member;
  if constexpr (is_optional<M>) {
    return !member;
  } else if constexpr (std::same_as<M, value>) {
    return member.is_null() && !raw.find(f.key);
  } else if constexpr (requires { member.empty(); } && !std::same_as<M, std::string>) {
    return member.empty() && (fresh<T>().*f.member).empty() && was_absent(raw, f.key);
  } else if constexpr (std::equality_comparable<M>) {
    return member == fresh<T>().*f.member && was_absent(raw, f.key);
  } else {
    return false;
  }
}

template <class T, class M>
void write_member(writer& w, T const& from, field_of<T, M> const& f, view raw) {
  if (f.skip_default && is_left_out(from, f, raw)) return;
  w.plain_key(f.key);
  codec<M>::write(w, from.*f.member);
}
template <class T>
void write_member(writer& w, T const&, tag_field const& f, view) {
  w.plain_key(f.key).string(f.text);
}
template <class T, own_field<T> F>
void write_member(writer& w, T const& from, F const& f, view) {
  f.write(w, from);
}

template <class T>
inline constexpr auto fields_of = describe(std::type_identity<T>{});

template <class T, std::size_t I>
bool read_nth(view v, void* object, read_error& e) {
  return read_member(field_at<I>(fields_of<T>), v, *static_cast<T*>(object), e);
}
template <class T, std::size_t I>
void write_nth(writer& w, void const* object, view raw) {
  write_member(w, *static_cast<T const*>(object), field_at<I>(fields_of<T>), raw);
}
template <class T>
value& raw_to_read(void* object) {
  return static_cast<T*>(object)->*raw_member(fields_of<T>);
}
template <class T>
value const& raw_to_write(void const* object) {
  return static_cast<T const*>(object)->*raw_member(fields_of<T>);
}

template <class T, std::size_t I, class F>
constexpr read_entry read_entry_of(field_slot<I, F> const& slot) {
  if constexpr (is_raw<F>) return {};
  else return {key_of(slot.field), is_required(slot.field), &read_nth<T, I>};
}
template <class T, std::size_t I, class F>
constexpr write_entry write_entry_of(field_slot<I, F> const& slot) {
  if constexpr (is_raw<F>) return {};
  else return {key_of(slot.field), &write_nth<T, I>};
}

// Two tables, so that what is only written needs no way to be read.
template <class T, std::size_t... I, class... F>
constexpr std::array<read_entry, sizeof...(F)> read_entries(field_slots<std::index_sequence<I...>, F...> const& list) {
  static_assert(sizeof...(F) <= 64, "comcp: a described struct has at most 64 fields");
  return {read_entry_of<T, I, F>(list)...};
}
template <class T, std::size_t... I, class... F>
constexpr std::array<write_entry, sizeof...(F)> write_entries(
    field_slots<std::index_sequence<I...>, F...> const& list) {
  static_assert((is_plain(key_of(field_at<I>(fields_of<T>))) && ...),
                "comcp: the key of a described field must need no escaping");
  return {write_entry_of<T, I, F>(list)...};
}
template <class... F>
constexpr bool has_raw(field_list<F...> const&) {
  return (is_raw<F> || ...);
}

template <class T>
inline constexpr auto read_table = read_entries<T>(fields_of<T>);
template <class T>
inline constexpr auto write_table = write_entries<T>(fields_of<T>);

}  // namespace comcp::json::detail

#if !defined(COMCP_SEPARATE_COMPILATION)

// json/impl/field_table.ipp
#include <cstdint>

namespace comcp::json::detail {

COMCP_DECL bool read_fields(std::span<read_entry const> fields, value& (*raw)(void* object), view from,
                            void* object, read_error& e) {
  if (!from.is_object()) return e.expected(from, "object");
  std::uint64_t seen = 0;
  for (auto const m : from.members()) {
    std::uint64_t bit = 1;
    for (auto const& f : fields) {
      if (f.key == m.key && f.read) {
        if (!(seen & bit) && !f.read(m.value, object, e)) return false;
        seen |= bit;
        break;
      }
      bit <<= 1;
    }
  }
  if (raw) raw(object) = from.share();
  std::uint64_t bit = 1;
  for (auto const& f : fields) {
    if (f.required && !(seen & bit)) return e.missing(from, f.key);
    bit <<= 1;
  }
  return true;
}

COMCP_DECL void write_fields(std::span<write_entry const> fields, value const& (*raw)(void const* object),
                             writer& w, void const* object) {
  static value const none;
  auto const& kept = raw ? raw(object) : none;
  w.begin_object();
  for (auto const& f : fields) {
    if (f.write) f.write(w, object, kept.view());
  }
  for (auto const m : kept.members()) {
    bool known = false;
    for (auto const& f : fields) known = known || (f.write && f.key == m.key);
    if (!known) w.key(m.key).value(m.value);
  }
  w.end_object();
}

COMCP_DECL bool read_tag(view from, std::string_view text, read_error& e) {
  return from.get_string() == text || e.expected(from, "\"" + std::string(text) + "\"");
}

COMCP_DECL bool was_absent(view raw, std::string_view key) {
  auto const came = raw.find(key);
  return !came || came->is_null();
}

}  // namespace comcp::json::detail
#endif

namespace comcp::json {

template <>
struct codec<bool> {
  static bool read(view v, bool& out, read_error& e) {
    auto const b = v.get_bool();
    if (!b) return e.expected(v, "boolean");
    return out = *b, true;
  }
  static void write(writer& w, bool b) { w.boolean(b); }
};

template <class T>
  requires(std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>)
struct codec<T> {
  static bool read(view v, T& out, read_error& e) {
    if constexpr (std::signed_integral<T>) {
      auto const i = v.get_int64();
      if (!i || *i < std::numeric_limits<T>::min() || *i > std::numeric_limits<T>::max())
        return e.expected(v, "an integer that fits");
      out = static_cast<T>(*i);
    } else {
      auto const u = v.get_uint64();
      if (!u || *u > std::numeric_limits<T>::max()) return e.expected(v, "a non-negative integer that fits");
      out = static_cast<T>(*u);
    }
    return true;
  }
  static void write(writer& w, T i) {
    if constexpr (std::signed_integral<T>) {
      w.integer(i);
    } else {
      w.unsigned_integer(i);
    }
  }
};

template <std::floating_point T>
struct codec<T> {
  static bool read(view v, T& out, read_error& e) {
    auto const d = v.get_double();
    if (!d) return e.expected(v, "number");
    return out = static_cast<T>(*d), true;
  }
  static void write(writer& w, T d) { w.real(static_cast<double>(d)); }
};

template <>
struct codec<std::string> {
  static bool read(view v, std::string& out, read_error& e) {
    auto const s = v.get_string();
    if (!s) return e.expected(v, "string");
    return out.assign(*s), true;
  }
  static void write(writer& w, std::string const& s) { w.string(s); }
};

template <>
struct codec<std::string_view> {
  static void write(writer& w, std::string_view s) { w.string(s); }
};
template <>
struct codec<char const*> {
  static void write(writer& w, char const* s) { w.string(s); }
};
template <std::size_t N>
struct codec<char[N]> {
  static void write(writer& w, char const (&s)[N]) { w.string(s); }
};
template <>
struct codec<std::nullptr_t> {
  static void write(writer& w, std::nullptr_t) { w.null(); }
};

template <>
struct codec<value> {
  static bool read(view v, value& out, read_error&) { return out = v.share(), true; }
  static void write(writer& w, value const& v) { w.value(v); }
};
template <>
struct codec<view> {
  static void write(writer& w, view v) { w.value(v); }
};

template <class T>
struct codec<std::optional<T>> {
  static bool read(view v, std::optional<T>& out, read_error& e)
    requires readable<T>
  {
    if constexpr (!std::same_as<T, value>) {
      if (v.is_null()) return out.reset(), true;
    }
    return codec<T>::read(v, out.emplace(), e);
  }
  static void write(writer& w, std::optional<T> const& o)
    requires writable<T>
  {
    if (o) {
      codec<T>::write(w, *o);
    } else {
      w.null();
    }
  }
};

template <class T>
struct codec<std::vector<T>> {
  static bool read(view v, std::vector<T>& out, read_error& e)
    requires readable<T>
  {
    if (!v.is_array()) return e.expected(v, "array");
    out = std::vector<T>(v.size());  // much less code than growing
    auto next = out.begin();
    for (auto const element : v.elements()) {
      if (!codec<T>::read(element, *next++, e)) return false;
    }
    return true;
  }
  static void write(writer& w, std::vector<T> const& list)
    requires writable<T>
  {
    w.begin_array();
    for (auto const& element : list) codec<T>::write(w, element);
    w.end_array();
  }
};

template <>
struct codec<std::vector<bool>> {
  static bool read(view v, std::vector<bool>& out, read_error& e) {
    if (!v.is_array()) return e.expected(v, "array");
    out.clear();
    for (auto const element : v.elements()) {
      bool b = false;
      if (!codec<bool>::read(element, b, e)) return false;
      out.push_back(b);
    }
    return true;
  }
  static void write(writer& w, std::vector<bool> const& list) {
    w.begin_array();
    for (bool const b : list) w.boolean(b);
    w.end_array();
  }
};

namespace detail {
template <class Map>
struct map_codec {
  using T = typename Map::mapped_type;
  static bool read(view v, Map& out, read_error& e)
    requires readable<T>
  {
    if (!v.is_object()) return e.expected(v, "object");
    out.clear();
    for (auto const m : v.members()) {
      auto const [place, added] = out.try_emplace(std::string(m.key));
      if (added && !codec<T>::read(m.value, place->second, e)) return false;
    }
    return true;
  }
  static void write(writer& w, Map const& map)
    requires writable<T>
  {
    w.begin_object();
    for (auto const& [key, mapped] : map) {
      w.key(key);
      codec<T>::write(w, mapped);
    }
    w.end_object();
  }
};
}  // namespace detail

template <class T, class C>
struct codec<std::map<std::string, T, C>> : detail::map_codec<std::map<std::string, T, C>> {};
template <class T>
struct codec<std::unordered_map<std::string, T>> : detail::map_codec<std::unordered_map<std::string, T>> {};

template <described T>
struct codec<T> {
  static bool read(view v, T& out, read_error& e) {
    if constexpr (detail::has_raw(detail::fields_of<T>)) {
      return detail::read_fields(detail::read_table<T>, &detail::raw_to_read<T>, v, &out, e);
    } else {
      return detail::read_fields(detail::read_table<T>, nullptr, v, &out, e);
    }
  }
  static void write(writer& w, T const& from) {
    if constexpr (detail::has_raw(detail::fields_of<T>)) {
      detail::write_fields(detail::write_table<T>, &detail::raw_to_write<T>, w, &from);
    } else {
      detail::write_fields(detail::write_table<T>, nullptr, w, &from);
    }
  }
};

/// The keys that T's field list names, in its order.
template <described T>
constexpr auto keys() {
  return detail::keys_of(detail::fields_of<T>);
}

}  // namespace comcp::json

namespace comcp::json {

/// Decodes a T out of a part of a document. Errors: wrong_shape, with the path.
template <readable T>
result<T> read(view from) {
  T out{};
  read_error e;
  if (!codec<T>::read(from, out, e)) return e.to_error();
  return out;
}

/// Encodes a value. Throws comcp::exception (invalid_argument) for strings that are not UTF-8.
template <writable T>
void write(writer& w, T const& value) {
  codec<T>::write(w, value);
}

template <writable T>
std::string to_text(T const& value) {
  writer w;
  codec<T>::write(w, value);
  return std::move(w).text();
}

/// Any writable as a json::value.
template <writable T>
value to_value(T const& from) {
  auto text = to_text(from);
  constexpr auto any = std::numeric_limits<std::size_t>::max();
  return parse(pad(text), parse_options().max_bytes(any).max_nodes(any).max_depth(any)).value();
}

template <class T>
result<T> value::get() const {
  static_assert(readable<T>, "comcp: describe this type for JSON, or specialise comcp::json::codec for it");
  return read<T>(view());
}

}  // namespace comcp::json

namespace comcp::json {

/// Owned JSON text that is known to be valid and minified: what operations take as arguments. A default
/// constructed one is absent (empty). Made by args(), object, array, raw() or of().
class fragment {
 public:
  fragment() = default;
  /// Any described struct, map, json::value, ... that writes as JSON.
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, fragment> && std::is_class_v<T> && writable<T>)
  fragment(T const& value) : text_(to_text(value)) {}

  template <writable T>
  static fragment of(T const& value) {
    return trusted(to_text(value));
  }
  /// Precondition: `text` is valid, minified JSON.
  static fragment trusted(std::string text) {
    fragment f;
    f.text_ = std::move(text);
    return f;
  }

  [[nodiscard]] std::string const& text() const& noexcept { return text_; }
  [[nodiscard]] std::string text() && noexcept { return std::move(text_); }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

 private:
  std::string text_;
};

template <>
struct codec<fragment> {
  static void write(writer& w, fragment const& f) {
    if (f.empty()) {
      w.null();
    } else {
      w.raw(f.text());
    }
  }
};

/// An object built member by member. Setting a key twice is the caller's mistake: both are written.
class object {
 public:
  object() { w_.begin_object(); }
  template <writable T>
  object& set(std::string_view key, T const& value) {
    w_.key(key);
    codec<T>::write(w_, value);
    return *this;
  }
  operator fragment() const { return fragment::trusted(w_.text() + "}"); }
  [[nodiscard]] std::string text() const { return w_.text() + "}"; }

 private:
  writer w_;
};

/// An array built element by element.
class array {
 public:
  array() { w_.begin_array(); }
  template <writable T>
  array& add(T const& value) {
    codec<T>::write(w_, value);
    return *this;
  }
  operator fragment() const { return fragment::trusted(w_.text() + "]"); }
  [[nodiscard]] std::string text() const { return w_.text() + "]"; }

 private:
  writer w_;
};

template <>
struct codec<object> {
  static void write(writer& w, object const& o) { w.raw(o.text()); }
};
template <>
struct codec<array> {
  static void write(writer& w, array const& a) { w.raw(a.text()); }
};

/// JSON text from elsewhere, such as the arguments that a language model wrote: validated and minified, so
/// that it can never break the framing. Throws comcp::exception (invalid_json, limit_exceeded).
fragment raw(std::string_view text, parse_options const& options = {});

namespace detail {
template <class T>
concept key = std::convertible_to<T const&, std::string_view>;

inline void write_pairs(writer&) {}
template <class K, class V, class... Rest>
void write_pairs(writer& w, K const& name, V const& value, Rest const&... more) {
  static_assert(key<K>, "comcp: args() takes a key, a value, a key, a value, ...: this key is no string");
  static_assert(writable<V>, "comcp: args(): this value cannot be written as JSON; describe its type");
  w.key(std::string_view(name));
  codec<V>::write(w, value);
  write_pairs(w, more...);
}
}  // namespace detail

/// An object from keys and values: args("a", 2, "b", "text").
template <class... A>
fragment args(A const&... keys_and_values) {
  static_assert(sizeof...(A) % 2 == 0, "comcp: args() takes a value for each key");
  std::string room;
  room.reserve(32 * sizeof...(A));
  writer w(std::move(room));
  w.begin_object();
  detail::write_pairs(w, keys_and_values...);
  w.end_object();
  return fragment::trusted(std::move(w).text());
}

}  // namespace comcp::json

namespace comcp {
using json::args;
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// json/impl/build.ipp

namespace comcp::json {

COMCP_DECL fragment raw(std::string_view text, parse_options const& options) {
  (void)parse(text, options).value();
  text = detail::without_bom(text);
  std::string minified(text.size() + padded_text::spare, '\0');
  std::size_t size = 0;
  if (auto const code = simdjson::minify(text.data(), text.size(), minified.data(), size))
    throw exception(error(errc::invalid_json, detail::parse_failure(code)));
  minified.resize(size);
  return fragment::trusted(std::move(minified));
}

}  // namespace comcp::json
#endif

namespace comcp {

/// A call on its way out. `name` is the tool's, prompt's or resource's; `params` may be replaced.
struct outgoing_call {
  outgoing_call() {}
  std::string method;
  std::string name;
  json::fragment params;
};

/// Both hooks are optional and run on the client's executor; they may take their time (human approval), within
/// the call's hard timeout: at its end, at a stop, a cancellation and close() their coroutines are cancelled, nobody
/// waits for them any longer, and nothing is sent any more.
///
/// They see what a user starts: every call, each page of a list, resources/subscribe and resources/unsubscribe (so
/// named in both eras) and subscriptions/listen, which they may deny and record, but not answer or change. They do not
/// see what the client does by itself (handshake, keep-alive, the modern era's shared listen stream, what a restart
/// restores), the further rounds of one call, and notifications.
struct interceptor {
  interceptor() {}
  /// Before sending. A value answers the call in the server's place; throwing comcp::exception (errc::denied, or
  /// any other) ends it with that error; nothing lets it go on.
  std::function<asio::awaitable<std::optional<json::value>>(outgoing_call&)> before;
  /// After the result came, also an error: may replace it. Runs in reverse order for each interceptor whose turn had
  /// come, also where it or a later one denied the call.
  std::function<asio::awaitable<void>(outgoing_call const&, result<json::value>&)> after;
};

}  // namespace comcp

// client/observer.hpp
// What a user may watch: the status of a connection, and the faults that end nothing.

#include <functional>
#include <string>
#include <string_view>

namespace comcp {

/// Where a connection stands.
enum class connection_status { disconnected, connecting, initializing, ready, closing };

inline std::string_view to_string(connection_status s) noexcept {
  switch (s) {
    case connection_status::disconnected: return "disconnected";
    case connection_status::connecting: return "connecting";
    case connection_status::initializing: return "initializing";
    case connection_status::ready: return "ready";
    case connection_status::closing: return "closing";
  }
  return "?";
}

/// Listeners, all optional, called on the client's executor, never while another handler of it runs. An
/// exception that leaves one ends nothing and is dropped.
struct observer {
  observer() {}
  /// A fault that lost nothing but itself: a bad line, an unknown id, a dropped notification, a handler's exception.
  std::function<void(error const&)> on_fault;
  std::function<void(connection_status)> on_status;
};

}  // namespace comcp

// net/time_source.hpp
// The one seam through which comcp learns the time and waits for it. Tests replace it with
// test/manual_clock.

#include <chrono>
#include <functional>
#include <memory>

#include <asio/any_io_executor.hpp>

namespace comcp {

/// One deadline that can be armed again and again. Used from its executor only.
class deadline {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~deadline() = default;
  /// Calls `fire` on the executor once `at` has come, never from inside arm(). A later arm() or disarm()
  /// replaces it, and the replaced one does not fire. The destructor disarms.
  virtual void arm(time_point at, std::function<void()> fire) = 0;
  virtual void disarm() noexcept = 0;
};

/// Tells the time and makes deadlines. Shared by clients; now() and make_deadline() are safe from any thread.
class time_source {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~time_source() = default;
  [[nodiscard]] virtual time_point now() const noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<deadline> make_deadline(asio::any_io_executor executor) = 0;
};

/// The default: std::chrono::steady_clock and asio::steady_timer.
std::shared_ptr<time_source> steady_time();

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// net/impl/time_source.ipp
#include <cstdint>
#include <utility>

#include <asio/steady_timer.hpp>

namespace comcp {
namespace detail {

class steady_deadline final : public deadline {
 public:
  explicit steady_deadline(asio::any_io_executor executor) : state_(std::make_shared<state>(std::move(executor))) {}
  ~steady_deadline() override { disarm(); }
  steady_deadline(steady_deadline const&) = delete;
  steady_deadline& operator=(steady_deadline const&) = delete;

  void arm(time_point at, std::function<void()> fire) override {
    auto const round = ++state_->round;
    state_->fire.swap(fire);
    state_->timer.expires_at(at);
    state_->timer.async_wait([state = state_, round](std::error_code) { run(*state, round); });
  }

  void disarm() noexcept override {
    ++state_->round;
    auto const replaced = std::exchange(state_->fire, nullptr);
    try {
      state_->timer.cancel();
    } catch (std::system_error const&) {
      // The wait then ends at its time, and its round is over.
    }
  }

 private:
  struct state {
    explicit state(asio::any_io_executor executor) : timer(std::move(executor)) {}
    asio::steady_timer timer;
    std::function<void()> fire;
    std::uint64_t round = 0;  // a wait that was replaced after it had completed is known by its round
  };

  static void run(state& s, std::uint64_t round) {
    if (s.round != round) return;
    ++s.round;
    auto fire = std::exchange(s.fire, nullptr);
    if (fire) fire();
  }

  std::shared_ptr<state> state_;
};

class steady_time_source final : public time_source {
 public:
  [[nodiscard]] time_point now() const noexcept override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] std::unique_ptr<deadline> make_deadline(asio::any_io_executor executor) override {
    return std::make_unique<steady_deadline>(std::move(executor));
  }
};

}  // namespace detail

COMCP_DECL std::shared_ptr<time_source> steady_time() {
  static auto const instance = std::make_shared<detail::steady_time_source>();
  return instance;
}

}  // namespace comcp
#endif

// protocol/lifecycle.hpp
// Protocol versions, who the two sides are, and what initialize and server/discover carry.
// Spec: basic/lifecycle (legacy), 2026-07-28 basic/versioning and server/discover.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// protocol/capabilities.hpp
// What each side says it can do. Spec: basic/lifecycle (legacy), 2026-07-28 basic (_meta) and server/discover.

#include <map>
#include <optional>
#include <string>
#include <string_view>

// protocol/codec.hpp
// How protocol types become JSON where json::field is not enough: members that must be objects, capability flags
// ("there or not"), enumerations by their texts, lists that outlive a broken definition; and equality by JSON.

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace comcp {

/// A definition of a list that could not be read: the rest of the list was delivered without it.
struct set_aside {
  set_aside() = default;

  std::size_t index = 0;  ///< Where it stood in its page.
  std::string reason;     ///< What is wrong with it, and where in it.
  json::value raw;        ///< The definition as it came.

  friend bool operator==(set_aside const&, set_aside const&) = default;
};

/// A described type that keeps what it was read from.
template <class T>
concept protocol_type = json::described<T> && requires(T& t) {
  { (t.raw) } -> std::same_as<json::value&>;
};

/// Protocol types are equal when they write equal JSON. For tests and rare decisions: it writes and parses both.
template <protocol_type T>
bool operator==(T const& a, T const& b) {
  return json::to_value(a) == json::to_value(b);
}

/// An enumeration whose enumerators 0, 1, 2, ... have texts: `constexpr auto texts(std::type_identity<E>)`.
template <class E>
concept text_enum = std::is_enum_v<E> && requires {
  texts(std::type_identity<E>{});
};

/// The protocol's text of an enumerator.
template <text_enum E>
constexpr std::string_view enum_text(E e) {
  constexpr auto all = texts(std::type_identity<E>{});
  auto const i = static_cast<std::size_t>(e);
  return i < all.size() ? all[i] : std::string_view();
}

/// The enumerator with this text.
template <text_enum E>
constexpr std::optional<E> enum_from_text(std::string_view text) {
  constexpr auto all = texts(std::type_identity<E>{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == text) return static_cast<E>(i);
  }
  return {};
}

namespace detail {

/// A json::value member that must hold an object when it is there; null means absent.
template <class S>
struct object_field {
  std::string_view key;
  json::value S::*member;
  bool required;

  bool read(json::view v, S& out, json::read_error& e) const {
    if (v.is_null() && !required) return true;
    if (!v.is_object()) return e.expected(v, "object");
    return out.*member = v.share(), true;
  }
  void write(json::writer& w, S const& from) const {
    auto const& v = from.*member;
    if (!v.is_null()) {
      w.plain_key(key).value(v);
    } else if (required) {
      w.plain_key(key).raw("{}");
    }
  }
};

/// A flag that is true when the key is there. What the peer put behind it is kept in the raw value.
template <class S>
struct presence_field {
  std::string_view key;
  bool S::*member;
  json::value S::*raw;
  static constexpr bool required = false;

  bool read(json::view v, S& out, json::read_error&) const { return out.*member = !v.is_null(), true; }
  void write(json::writer& w, S const& from) const {
    if (!(from.*member)) return;
    w.plain_key(key);
    json::view const whole = from.*raw;
    auto const came = whole.find(key);
    if (came && !came->is_null()) {
      w.value(*came);
    } else {
      w.raw("{}");
    }
  }
};

/// A list of definitions; a broken one goes into `aside`, and is written again where it stood.
template <class S, class T>
struct definitions_field {
  std::string_view key;
  std::vector<T> S::*items;
  std::vector<set_aside> S::*aside;
  static constexpr bool required = true;

  bool read(json::view v, S& out, json::read_error& e) const {
    if (!v.is_array()) return e.expected(v, "array");
    auto& list = out.*items;
    list.clear();
    list.reserve(v.size());
    std::size_t index = 0;
    for (auto const element : v.elements()) {
      json::read_error why(element);
      if (!json::codec<T>::read(element, list.emplace_back(), why)) {
        list.pop_back();
        auto& broken = (out.*aside).emplace_back();
        broken.index = index;
        broken.reason = why.text();
        broken.raw = element.share();
      }
      ++index;
    }
    return true;
  }

  void write(json::writer& w, S const& from) const {
    w.plain_key(key).begin_array();
    std::size_t index = 0;
    auto broken = (from.*aside).begin();
    auto const write_broken = [&] {
      for (; broken != (from.*aside).end() && broken->index <= index; ++broken, ++index) w.value(broken->raw);
    };
    for (auto const& item : from.*items) {
      write_broken();
      json::codec<T>::write(w, item);
      ++index;
    }
    for (; broken != (from.*aside).end(); ++broken) w.value(broken->raw);
    w.end_array();
  }
};

template <class S>
constexpr object_field<S> object(std::string_view key, json::value S::*member) {
  return {key, member, true};
}
template <class S>
constexpr object_field<S> optional_object(std::string_view key, json::value S::*member) {
  return {key, member, false};
}
template <class S>
constexpr object_field<S> meta_of(json::value S::*member) {
  return {"_meta", member, false};
}
template <class S>
constexpr presence_field<S> presence(std::string_view key, bool S::*member) {
  return {key, member, &S::raw};
}
template <class S, class T>
constexpr definitions_field<S, T> definitions(std::string_view key, std::vector<T> S::*items) {
  return {key, items, &S::set_aside};
}

}  // namespace detail

namespace json {

template <text_enum E>
struct codec<E> {
  static bool read(view v, E& out, read_error& e) {
    auto const text = v.get_string();
    auto const known = text ? enum_from_text<E>(*text) : std::nullopt;
    if (!known) return e.expected(v, expectation());
    return out = *known, true;
  }
  static void write(writer& w, E e) { w.string(enum_text(e)); }

 private:
  static std::string expectation() {
    std::string all = "one of";
    for (auto const text : texts(std::type_identity<E>{})) all.append(" \"").append(text).append("\"");
    return all;
  }
};

}  // namespace json
}  // namespace comcp

namespace comcp {

/// Entries of `experimental` and `extensions`: their name and their settings (an object).
using capability_entries = std::map<std::string, json::value>;

/// A feature whose list may change. Used for roots, tools and prompts.
struct list_capability {
  list_capability() = default;
  explicit list_capability(bool tells_changes) : list_changed(tells_changes) {}

  bool list_changed = false;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_capability>) {
  using t = list_capability;
  return json::fields(json::defaulted("listChanged", &t::list_changed), json::rest(&t::raw));
}

struct resources_capability {
  resources_capability() = default;

  bool subscribe = false;
  bool list_changed = false;
  json::value raw;
};
constexpr auto describe(std::type_identity<resources_capability>) {
  using t = resources_capability;
  return json::fields(json::defaulted("subscribe", &t::subscribe), json::defaulted("listChanged", &t::list_changed),
                      json::rest(&t::raw));
}

struct sampling_capability {
  sampling_capability() = default;

  bool context = false;  ///< includeContext other than "none" is understood.
  bool tools = false;    ///< Requests may offer tools.
  json::value raw;
};
constexpr auto describe(std::type_identity<sampling_capability>) {
  using t = sampling_capability;
  return json::fields(detail::presence("context", &t::context), detail::presence("tools", &t::tools),
                      json::rest(&t::raw));
}

struct elicitation_capability {
  elicitation_capability() = default;

  bool form = false;
  bool url = false;
  json::value raw;

  /// An empty object means form, as in 2025-06-18.
  [[nodiscard]] bool supports_form() const noexcept { return form || !url; }
  [[nodiscard]] bool supports_url() const noexcept { return url; }
};
constexpr auto describe(std::type_identity<elicitation_capability>) {
  using t = elicitation_capability;
  return json::fields(detail::presence("form", &t::form), detail::presence("url", &t::url), json::rest(&t::raw));
}

/// Tasks as 2025-11-25 has them, for either side; `requests` says which requests may become tasks.
struct tasks_capability {
  tasks_capability() = default;

  bool list = false;
  bool cancel = false;
  json::value requests;  ///< As {"tools": {"call": {}}}; null where absent.
  json::value raw;

  /// Whether such a request may become a task: supports("tools", "call"), supports("sampling", "createMessage").
  [[nodiscard]] bool supports(std::string_view area, std::string_view request) const;
};
constexpr auto describe(std::type_identity<tasks_capability>) {
  using t = tasks_capability;
  return json::fields(detail::presence("list", &t::list), detail::presence("cancel", &t::cancel),
                      detail::optional_object("requests", &t::requests), json::rest(&t::raw));
}

/// What a client declares; comcp deduces it from the handler.
struct client_capabilities {
  client_capabilities() = default;

  std::optional<list_capability> roots;
  std::optional<sampling_capability> sampling;
  std::optional<elicitation_capability> elicitation;
  std::optional<tasks_capability> tasks;
  capability_entries experimental;
  capability_entries extensions;
  json::value raw;

  [[nodiscard]] bool supports_elicitation_form() const noexcept { return elicitation && elicitation->supports_form(); }
  [[nodiscard]] bool supports_elicitation_url() const noexcept { return elicitation && elicitation->supports_url(); }
};
constexpr auto describe(std::type_identity<client_capabilities>) {
  using t = client_capabilities;
  return json::fields(json::field("roots", &t::roots), json::field("sampling", &t::sampling),
                      json::field("elicitation", &t::elicitation), json::field("tasks", &t::tasks),
                      json::defaulted("experimental", &t::experimental), json::defaulted("extensions", &t::extensions),
                      json::rest(&t::raw));
}

/// What a server declares.
struct server_capabilities {
  server_capabilities() = default;

  std::optional<list_capability> tools;
  std::optional<list_capability> prompts;
  std::optional<resources_capability> resources;
  json::value logging;      ///< Null where absent.
  json::value completions;  ///< Null where absent.
  std::optional<tasks_capability> tasks;
  capability_entries experimental;
  capability_entries extensions;
  json::value raw;

  /// Whether the server declared it: "tools", "prompts", "resources", "logging", "completions", "tasks", an
  /// extension's or experimental entry's name, or any other key of the object as it came.
  [[nodiscard]] bool supports(std::string_view name) const;
  /// Whether it tells when the list changes: "tools", "prompts" or "resources".
  [[nodiscard]] bool supports_list_changed(std::string_view name) const noexcept;
  /// Whether single resources can be subscribed to.
  [[nodiscard]] bool supports_subscribe() const noexcept { return resources && resources->subscribe; }
};
constexpr auto describe(std::type_identity<server_capabilities>) {
  using t = server_capabilities;
  return json::fields(json::field("tools", &t::tools), json::field("prompts", &t::prompts),
                      json::field("resources", &t::resources), detail::optional_object("logging", &t::logging),
                      detail::optional_object("completions", &t::completions), json::field("tasks", &t::tasks),
                      json::defaulted("experimental", &t::experimental), json::defaulted("extensions", &t::extensions),
                      json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/capabilities.ipp

namespace comcp {

COMCP_DECL bool tasks_capability::supports(std::string_view area, std::string_view request) const {
  auto const found = requests.view().find(area);
  auto const entry = found ? found->find(request) : std::nullopt;
  return entry && !entry->is_null();
}

COMCP_DECL bool server_capabilities::supports(std::string_view name) const {
  if (name == "tools") return tools.has_value();
  if (name == "prompts") return prompts.has_value();
  if (name == "resources") return resources.has_value();
  if (name == "logging") return !logging.is_null();
  if (name == "completions") return !completions.is_null();
  if (name == "tasks") return tasks.has_value();
  if (name == "experimental" || name == "extensions") return false;
  std::string const key(name);
  if (extensions.contains(key) || experimental.contains(key)) return true;
  auto const other = raw.view().find(name);
  return other && !other->is_null();
}

COMCP_DECL bool server_capabilities::supports_list_changed(std::string_view name) const noexcept {
  if (name == "tools") return tools && tools->list_changed;
  if (name == "prompts") return prompts && prompts->list_changed;
  if (name == "resources") return resources && resources->list_changed;
  return false;
}

}  // namespace comcp
#endif

// protocol/icon.hpp
// Icons, and which of them may be shown without asking. Spec: 2026-07-28 basic (icons).

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

/// A picture for a server, tool, prompt or resource. Untrusted: see safe().
struct icon {
  icon() = default;
  explicit icon(std::string address) : src(std::move(address)) {}

  std::string src;  ///< An https or data URI, if safe() is to be true.
  std::optional<std::string> mime_type;
  std::vector<std::string> sizes;    ///< "48x48", ..., or "any".
  std::optional<std::string> theme;  ///< "light" or "dark".
  json::value raw;

  /// Whether the icon may be loaded: a data URI of an image, or an https address of the same origin as the server's
  /// ("https://host[:port]", or the server's URL; empty for servers that have none, such as a child process).
  /// SVG may hold scripts: show it without running them.
  [[nodiscard]] bool safe(std::string_view origin) const;
};
constexpr auto describe(std::type_identity<icon>) {
  using t = icon;
  return json::fields(json::field("src", &t::src), json::field("mimeType", &t::mime_type),
                      json::defaulted("sizes", &t::sizes), json::field("theme", &t::theme), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/icon.ipp

namespace comcp {
namespace detail {

COMCP_DECL std::string icon_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// "host:port" of an https address, in lower case with the port spelled out; empty when it is none, or when
/// readers could disagree on its host.
COMCP_DECL std::string https_authority(std::string_view url) {
  for (char const c : url) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '\\') return {};
  }
  if (icon_lower(url.substr(0, 8)) != "https://") return {};
  url.remove_prefix(8);
  auto authority = icon_lower(url.substr(0, url.find_first_of("/?#")));
  if (authority.empty() || authority.find('@') != authority.npos) return {};
  auto const bracket = authority.rfind(']');
  auto const colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
  if (colon == 0) return {};
  if (colon == authority.npos) return authority + ":443";
  return colon + 1 == authority.size() ? authority + "443" : authority;
}

}  // namespace detail

COMCP_DECL bool icon::safe(std::string_view origin) const {
  if (detail::icon_lower(std::string_view(src).substr(0, 11)) == "data:image/") return true;
  auto const ours = detail::https_authority(src);
  return !ours.empty() && ours == detail::https_authority(origin);
}

}  // namespace comcp
#endif

// protocol/pagination.hpp
// Pages of lists. A cursor is opaque; an empty one is a cursor too. Spec: server/utilities/pagination.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace comcp {

/// Where a list continues, as the server said it.
using cursor = std::string;

/// The parameters of every */list request.
struct paginated_params {
  paginated_params() = default;
  explicit paginated_params(std::optional<comcp::cursor> from) : cursor(std::move(from)) {}

  std::optional<comcp::cursor> cursor;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<paginated_params>) {
  using t = paginated_params;
  return json::fields(json::field("cursor", &t::cursor), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Who may reuse a cached result. Anything but "public" counts as private. Spec: server/utilities/caching.
enum class cache_scope { private_, public_ };
constexpr auto texts(std::type_identity<cache_scope>) { return std::array<std::string_view, 2>{"private", "public"}; }

template <>
struct json::codec<cache_scope> {
  static bool read(view v, cache_scope& out, read_error&) {
    out = v.get_string() == "public" ? cache_scope::public_ : cache_scope::private_;
    return true;
  }
  static void write(writer& w, cache_scope scope) { w.string(enum_text(scope)); }
};

/// How long a result with this `ttl_ms` may be reused: not at all where it is absent or negative, a day at most.
constexpr std::chrono::milliseconds time_to_live(std::optional<std::int64_t> ttl_ms) noexcept {
  constexpr std::int64_t day = 24 * 60 * 60 * 1000;
  return std::chrono::milliseconds(std::clamp<std::int64_t>(ttl_ms.value_or(0), 0, day));
}

}  // namespace comcp

namespace comcp {

/// Legacy: initialize, sessions, requests from the server. Modern: no handshake, input rounds, listen streams.
enum class era { legacy, modern };

namespace detail {
inline constexpr std::array<std::string_view, 5> version_texts = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                                  "2025-11-25", "2026-07-28"};
}  // namespace detail

/// A protocol version that comcp speaks; ordered by age. Default: the newest.
class protocol_version {
 public:
  constexpr protocol_version() noexcept = default;

  /// The version of this text, if comcp speaks it.
  static constexpr std::optional<protocol_version> parse(std::string_view text) noexcept {
    for (std::size_t i = 0; i < detail::version_texts.size(); ++i) {
      if (detail::version_texts[i] == text) return at(i);
    }
    return {};
  }
  /// The index-th version, the oldest being 0. Precondition: it exists.
  static constexpr protocol_version at(std::size_t index) noexcept {
    protocol_version v;
    v.index_ = static_cast<std::uint8_t>(index);
    return v;
  }

  [[nodiscard]] constexpr std::string_view text() const noexcept { return detail::version_texts[index_]; }
  [[nodiscard]] constexpr comcp::era era() const noexcept {
    return index_ < 4 ? comcp::era::legacy : comcp::era::modern;
  }

  friend constexpr bool operator==(protocol_version, protocol_version) noexcept = default;
  friend constexpr auto operator<=>(protocol_version, protocol_version) noexcept = default;

 private:
  std::uint8_t index_ = 4;
};

namespace version {
inline constexpr auto v2024_11_05 = protocol_version::at(0);
inline constexpr auto v2025_03_26 = protocol_version::at(1);
inline constexpr auto v2025_06_18 = protocol_version::at(2);
inline constexpr auto v2025_11_25 = protocol_version::at(3);
inline constexpr auto v2026_07_28 = protocol_version::at(4);
inline constexpr auto latest_legacy = v2025_11_25;
inline constexpr auto latest = v2026_07_28;
}  // namespace version

/// Every version that comcp speaks, newest first.
constexpr std::array<protocol_version, 5> supported_versions() noexcept {
  return {version::v2026_07_28, version::v2025_11_25, version::v2025_06_18, version::v2025_03_26, version::v2024_11_05};
}

/// Names a client or a server. Self-reported and unverified: to show, never to decide by.
struct implementation {
  implementation() = default;
  implementation(std::string its_name, std::string its_version)
      : name(std::move(its_name)), version(std::move(its_version)) {}

  std::string name;
  std::string version;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> website_url;
  std::vector<icon> icons;
  json::value raw;
};
constexpr auto describe(std::type_identity<implementation>) {
  using t = implementation;
  return json::fields(json::field("name", &t::name), json::field("version", &t::version),
                      json::field("title", &t::title), json::field("description", &t::description),
                      json::field("websiteUrl", &t::website_url), json::defaulted("icons", &t::icons),
                      json::rest(&t::raw));
}

struct initialize_params {
  initialize_params() = default;

  std::string protocol_version;
  client_capabilities capabilities;
  implementation client_info;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<initialize_params>) {
  using t = initialize_params;
  return json::fields(json::field("protocolVersion", &t::protocol_version),
                      json::field("capabilities", &t::capabilities), json::field("clientInfo", &t::client_info),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct initialize_result {
  initialize_result() = default;

  std::string protocol_version;  ///< As the server said it: maybe one that comcp does not speak.
  server_capabilities capabilities;
  implementation server_info;
  std::optional<std::string> instructions;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<initialize_result>) {
  using t = initialize_result;
  return json::fields(json::field("protocolVersion", &t::protocol_version),
                      json::field("capabilities", &t::capabilities), json::field("serverInfo", &t::server_info),
                      json::field("instructions", &t::instructions), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The answer to server/discover. The server's name is in `meta`: see result_meta.
struct discover_result {
  discover_result() = default;

  std::vector<std::string> supported_versions;
  server_capabilities capabilities;
  std::optional<std::string> instructions;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<discover_result>) {
  using t = discover_result;
  return json::fields(json::field("resultType", &t::result_type),
                      json::field("supportedVersions", &t::supported_versions),
                      json::field("capabilities", &t::capabilities), json::field("instructions", &t::instructions),
                      json::field("ttlMs", &t::ttl_ms), json::field("cacheScope", &t::cache_scope),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

// protocol/logging.hpp
// Log messages of the server. Spec: server/utilities/logging.

#include <optional>
#include <string>

namespace comcp {

/// Severities of RFC 5424, least severe first, so that `level >= log_level::warning` reads as it should.
enum class log_level { debug, info, notice, warning, error, critical, alert, emergency };
constexpr auto texts(std::type_identity<log_level>) {
  return std::array<std::string_view, 8>{"debug", "info",     "notice", "warning",
                                         "error", "critical", "alert",  "emergency"};
}

/// The parameters of logging/setLevel (legacy).
struct set_level_params {
  set_level_params() = default;
  explicit set_level_params(log_level least) : level(least) {}

  log_level level = log_level::info;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<set_level_params>) {
  using t = set_level_params;
  return json::fields(json::field("level", &t::level), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// notifications/message.
struct logging_message {
  logging_message() = default;

  log_level level = log_level::info;
  std::optional<std::string> logger;
  json::value data;  ///< Anything; most often a string.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<logging_message>) {
  using t = logging_message;
  return json::fields(json::field("level", &t::level), json::field("logger", &t::logger), json::field("data", &t::data),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

// protocol/progress.hpp
// Progress of a request and its cancelling. Spec: basic/utilities (legacy), 2026-07-28 basic/patterns.

#include <optional>
#include <string>
#include <utility>

// protocol/peer_id.hpp
// Identifiers that the other side chooses: request ids and progress tokens, which may be strings or integers.

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace comcp {

/// A JSON-RPC id or progress token as it travels: a string or an integer, never converted.
class peer_id {
 public:
  peer_id() = default;
  peer_id(std::integral auto number) : value_(static_cast<std::int64_t>(number)) {}
  peer_id(std::string text) : value_(std::move(text)) {}
  peer_id(char const* text) : value_(std::string(text)) {}

  /// Null where it is the other kind.
  [[nodiscard]] std::int64_t const* integer() const noexcept { return std::get_if<std::int64_t>(&value_); }
  [[nodiscard]] std::string const* string() const noexcept { return std::get_if<std::string>(&value_); }
  /// For logs: the digits or the text.
  [[nodiscard]] std::string to_string() const { return integer() ? std::to_string(*integer()) : *string(); }

  friend bool operator==(peer_id const&, peer_id const&) = default;
  friend auto operator<=>(peer_id const&, peer_id const&) = default;

 private:
  std::variant<std::int64_t, std::string> value_;
};

using progress_token = peer_id;

template <>
struct json::codec<peer_id> {
  static bool read(view v, peer_id& out, read_error& e) {
    if (auto const i = v.get_int64()) return out = peer_id(*i), true;
    if (auto const s = v.get_string()) return out = peer_id(std::string(*s)), true;
    return e.expected(v, "a string or an integer");
  }
  static void write(writer& w, peer_id const& id) {
    if (auto const* const i = id.integer()) {
      w.integer(*i);
    } else {
      w.string(*id.string());
    }
  }
};

}  // namespace comcp

namespace comcp {

/// notifications/progress.
struct progress_notification {
  progress_notification() = default;

  comcp::progress_token progress_token;
  double progress = 0;
  std::optional<double> total;
  std::optional<std::string> message;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<progress_notification>) {
  using t = progress_notification;
  return json::fields(json::field("progressToken", &t::progress_token), json::field("progress", &t::progress),
                      json::field("total", &t::total), json::field("message", &t::message), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

/// notifications/cancelled, either way. 2025-11-25 allows it without id, for tasks.
struct cancelled {
  cancelled() = default;
  explicit cancelled(peer_id id, std::optional<std::string> why = {})
      : request_id(std::move(id)), reason(std::move(why)) {}

  std::optional<peer_id> request_id;
  std::optional<std::string> reason;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<cancelled>) {
  using t = cancelled;
  return json::fields(json::field("requestId", &t::request_id), json::field("reason", &t::reason),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

// protocol/tools.hpp
// Tools: what a server offers, how one is called, what it answers. Spec: server/tools.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// protocol/content.hpp
// What tools, prompts, resources and samples are made of. Kinds that comcp does not know are kept as they came.
// Spec: server/tools, server/resources, client/sampling.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// protocol/base64.hpp
// Base64 as MCP content carries it (RFC 4648 section 4): strict when reading.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace comcp {

/// Decodes padded Base64. Whitespace, other alphabets, missing padding and stray bits are errc::wrong_shape.
result<std::vector<std::byte>> from_base64(std::string_view text);

std::string to_base64(std::span<std::byte const> bytes);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/base64.ipp
#include <array>
#include <cstdint>

namespace comcp {
namespace detail {

inline constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// 64 for what is no digit.
inline constexpr auto base64_digits = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(64);
  for (std::size_t i = 0; i < base64_alphabet.size(); ++i)
    table[static_cast<unsigned char>(base64_alphabet[i])] = static_cast<std::uint8_t>(i);
  return table;
}();

inline std::uint32_t base64_digit(char c) noexcept { return base64_digits[static_cast<unsigned char>(c)]; }

}  // namespace detail

COMCP_DECL result<std::vector<std::byte>> from_base64(std::string_view text) {
  auto const refuse = [](char const* why) { return error(errc::wrong_shape, std::string("bad Base64: ") + why); };
  if (text.size() % 4 != 0) return refuse("the length is no multiple of four");
  std::size_t const padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::vector<std::byte> out(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  std::uint32_t bad = 0;
  for (std::size_t i = 0, o = 0; i < text.size(); i += 4, o += 3) {
    bits = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      bool const pad = i + k >= text.size() - padding;
      auto const digit = pad ? 0 : detail::base64_digit(text[i + k]);
      bad |= digit;
      bits = bits << 6 | (digit & 63);
    }
    out[o] = static_cast<std::byte>(bits >> 16 & 255);
    out[o + 1] = static_cast<std::byte>(bits >> 8 & 255);
    out[o + 2] = static_cast<std::byte>(bits & 255);
  }
  if (bad & 64) return refuse("a character outside the alphabet");
  if (bits & ((1U << (8 * padding)) - 1)) return refuse("stray bits before the padding");
  out.resize(out.size() - padding);
  return out;
}

COMCP_DECL std::string to_base64(std::span<std::byte const> bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    auto const at = [&](std::size_t k) { return k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[k]) : 0U; };
    std::uint32_t const bits = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    out += detail::base64_alphabet[bits >> 18];
    out += detail::base64_alphabet[bits >> 12 & 63];
    out += i + 1 < bytes.size() ? detail::base64_alphabet[bits >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? detail::base64_alphabet[bits & 63] : '=';
  }
  return out;
}

}  // namespace comcp
#endif

namespace comcp {

/// Who speaks, or for whom something is.
enum class role { user, assistant };
constexpr auto texts(std::type_identity<role>) { return std::array<std::string_view, 2>{"user", "assistant"}; }

/// Hints for whoever shows content; untrusted.
struct annotations {
  annotations() = default;

  std::vector<role> audience;
  std::optional<double> priority;            ///< 0 (least) to 1 (required).
  std::optional<std::string> last_modified;  ///< ISO 8601.
  json::value raw;
};
constexpr auto describe(std::type_identity<annotations>) {
  using t = annotations;
  return json::fields(json::defaulted("audience", &t::audience), json::field("priority", &t::priority),
                      json::field("lastModified", &t::last_modified), json::rest(&t::raw));
}

struct text_content {
  static constexpr std::string_view kind = "text";
  text_content() = default;
  text_content(std::string words) : text(std::move(words)) {}
  text_content(char const* words) : text(words) {}

  std::string text;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<text_content>) {
  using t = text_content;
  return json::fields(json::tag("type", t::kind), json::field("text", &t::text),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct image_content {
  static constexpr std::string_view kind = "image";
  image_content() = default;
  image_content(std::span<std::byte const> bytes, std::string type)
      : data(to_base64(bytes)), mime_type(std::move(type)) {}

  std::string data;  ///< Base64.
  std::string mime_type;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;

  /// The decoded data; bad Base64 is errc::wrong_shape.
  [[nodiscard]] result<std::vector<std::byte>> bytes() const { return from_base64(data); }
};
constexpr auto describe(std::type_identity<image_content>) {
  using t = image_content;
  return json::fields(json::tag("type", t::kind), json::field("data", &t::data), json::field("mimeType", &t::mime_type),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct audio_content {
  static constexpr std::string_view kind = "audio";
  audio_content() = default;
  audio_content(std::span<std::byte const> bytes, std::string type)
      : data(to_base64(bytes)), mime_type(std::move(type)) {}

  std::string data;  ///< Base64.
  std::string mime_type;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;

  /// The decoded data; bad Base64 is errc::wrong_shape.
  [[nodiscard]] result<std::vector<std::byte>> bytes() const { return from_base64(data); }
};
constexpr auto describe(std::type_identity<audio_content>) {
  using t = audio_content;
  return json::fields(json::tag("type", t::kind), json::field("data", &t::data), json::field("mimeType", &t::mime_type),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// A resource that the server names instead of sending it: read it with read_resource(uri).
struct resource_link {
  static constexpr std::string_view kind = "resource_link";
  resource_link() = default;
  resource_link(std::string address, std::string its_name) : uri(std::move(address)), name(std::move(its_name)) {}

  std::string uri;
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::optional<std::int64_t> size;  ///< Bytes, before any encoding.
  std::optional<comcp::annotations> annotations;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resource_link>) {
  using t = resource_link;
  return json::fields(json::tag("type", t::kind), json::field("uri", &t::uri), json::field("name", &t::name),
                      json::field("title", &t::title), json::field("description", &t::description),
                      json::field("mimeType", &t::mime_type), json::field("size", &t::size),
                      json::field("annotations", &t::annotations), json::defaulted("icons", &t::icons),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The contents of a resource: text or blob.
struct resource_contents {
  resource_contents() = default;
  resource_contents(std::string address, std::string words) : uri(std::move(address)), text(std::move(words)) {}

  std::string uri;
  std::optional<std::string> mime_type;
  std::optional<std::string> text;
  std::optional<std::string> blob;  ///< Base64.
  json::value meta;
  json::value raw;

  [[nodiscard]] bool is_text() const noexcept { return text.has_value(); }
  /// The decoded blob, or the bytes of the text. Bad Base64, or neither of both, is errc::wrong_shape.
  [[nodiscard]] result<std::vector<std::byte>> bytes() const;
};
constexpr auto describe(std::type_identity<resource_contents>) {
  using t = resource_contents;
  return json::fields(json::field("uri", &t::uri), json::field("mimeType", &t::mime_type),
                      json::field("text", &t::text), json::field("blob", &t::blob), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

struct embedded_resource {
  static constexpr std::string_view kind = "resource";
  embedded_resource() = default;
  explicit embedded_resource(resource_contents contents) : resource(std::move(contents)) {}

  resource_contents resource;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<embedded_resource>) {
  using t = embedded_resource;
  return json::fields(json::tag("type", t::kind), json::field("resource", &t::resource),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Content of a kind that comcp does not know; everything is in `raw`.
struct unknown_content {
  static constexpr std::string_view kind = "";
  unknown_content() = default;

  std::string type;
  json::value raw;
};
constexpr auto describe(std::type_identity<unknown_content>) {
  return json::fields(json::field("type", &unknown_content::type), json::rest(&unknown_content::raw));
}

/// One piece of a tool's result or of a prompt.
using content_block =
    std::variant<text_content, image_content, audio_content, resource_link, embedded_resource, unknown_content>;

/// The texts among these pieces, a newline between them.
std::string text_of(std::vector<content_block> const& content);

/// A model's wish to call a tool. Spec: client/sampling.
struct tool_use_content {
  static constexpr std::string_view kind = "tool_use";
  tool_use_content() = default;
  tool_use_content(std::string use_id, std::string tool_name, json::value arguments)
      : id(std::move(use_id)), name(std::move(tool_name)), input(std::move(arguments)) {}

  std::string id;
  std::string name;
  json::value input;  ///< An object.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_use_content>) {
  using t = tool_use_content;
  return json::fields(json::tag("type", t::kind), json::field("id", &t::id), json::field("name", &t::name),
                      detail::object("input", &t::input), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// What a tool answered to a tool_use_content. Spec: client/sampling.
struct tool_result_content {
  static constexpr std::string_view kind = "tool_result";
  tool_result_content() = default;
  tool_result_content(std::string use_id, std::vector<content_block> pieces)
      : tool_use_id(std::move(use_id)), content(std::move(pieces)) {}

  std::string tool_use_id;
  std::vector<content_block> content;
  json::value structured_content;  ///< Null where absent.
  bool is_error = false;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_result_content>) {
  using t = tool_result_content;
  return json::fields(json::tag("type", t::kind), json::field("toolUseId", &t::tool_use_id),
                      json::always("content", &t::content),
                      json::defaulted("structuredContent", &t::structured_content),
                      json::defaulted("isError", &t::is_error), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// One piece of a sampling message.
using sampling_message_content_block =
    std::variant<text_content, image_content, audio_content, tool_use_content, tool_result_content, unknown_content>;

namespace detail {
/// Content is told apart by its "type".
template <class... Kinds>
struct content_codec {
  using block = std::variant<Kinds...>;

  static bool read(json::view v, block& out, json::read_error& e) {
    if (!v.is_object()) return e.expected(v, "object");
    auto const type = v.find("type");
    if (!type) return e.missing(v, "type");
    auto const text = type->get_string();
    if (!text) return e.expected(*type, "string");
    bool ok = false;
    (void)(read_as<Kinds>(*text, v, out, e, ok) || ...);
    return ok;
  }
  static void write(json::writer& w, block const& from) {
    std::visit([&](auto const& piece) { json::write(w, piece); }, from);
  }

 private:
  template <class Kind>
  static bool read_as(std::string_view type, json::view v, block& out, json::read_error& e, bool& ok) {
    if (!Kind::kind.empty() && type != Kind::kind) return false;
    ok = json::codec<Kind>::read(v, out.template emplace<Kind>(), e);
    return true;
  }
};
}  // namespace detail

template <>
struct json::codec<content_block> : comcp::detail::content_codec<text_content, image_content, audio_content,
                                                                 resource_link, embedded_resource, unknown_content> {};
template <>
struct json::codec<sampling_message_content_block>
    : comcp::detail::content_codec<text_content, image_content, audio_content, tool_use_content, tool_result_content,
                                   unknown_content> {};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/content.ipp
#include <cstring>

namespace comcp {

COMCP_DECL result<std::vector<std::byte>> resource_contents::bytes() const {
  if (blob) return from_base64(*blob);
  if (!text) return error(errc::wrong_shape, "the resource " + uri + " has neither text nor blob");
  auto const* const first = reinterpret_cast<std::byte const*>(text->data());
  return std::vector<std::byte>(first, first + text->size());
}

COMCP_DECL std::string text_of(std::vector<content_block> const& content) {
  std::string all;
  bool first = true;
  for (auto const& block : content) {
    auto const* const piece = std::get_if<text_content>(&block);
    if (!piece) continue;
    if (!first) all += '\n';
    first = false;
    all += piece->text;
  }
  return all;
}

}  // namespace comcp
#endif

// protocol/input_required.hpp
// Rounds of the modern era: a result may ask for input first, and the retry carries the answers.
// Spec: 2026-07-28 basic/patterns/mrtr.

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace comcp {

/// One question of a round: sampling/createMessage, roots/list or elicitation/create, and its parameters.
struct input_request {
  input_request() = default;
  input_request(std::string its_method, json::value its_params)
      : method(std::move(its_method)), params(std::move(its_params)) {}

  std::string method;
  json::value params;  ///< Null where absent.
  json::value raw;
};
constexpr auto describe(std::type_identity<input_request>) {
  using t = input_request;
  return json::fields(json::field("method", &t::method), json::defaulted("params", &t::params), json::rest(&t::raw));
}

/// Questions and answers of a round under the server's keys; an answer is the result object of its method.
using input_requests = std::map<std::string, input_request>;
using input_responses = std::map<std::string, json::value>;

struct input_required_result {
  static constexpr std::string_view kind = "input_required";
  input_required_result() = default;

  std::optional<comcp::input_requests> input_requests;
  std::optional<std::string> request_state;  ///< Opaque; goes back byte for byte.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<input_required_result>) {
  using t = input_required_result;
  return json::fields(json::tag("resultType", t::kind), json::field("inputRequests", &t::input_requests),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

// protocol/tasks.hpp
// Tasks of 2025-11-25, as data only. Spec: 2025-11-25 basic/utilities/tasks.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

enum class task_status { working, input_required, completed, failed, cancelled };
constexpr auto texts(std::type_identity<task_status>) {
  return std::array<std::string_view, 5>{"working", "input_required", "completed", "failed", "cancelled"};
}

/// A ttl that may be null: unlimited.
struct task_ttl {
  task_ttl() = default;
  explicit task_ttl(std::int64_t ms) : milliseconds(ms) {}
  std::optional<std::int64_t> milliseconds;
  friend bool operator==(task_ttl const&, task_ttl const&) = default;
};
template <>
struct json::codec<task_ttl> {
  static bool read(view v, task_ttl& out, read_error& e) {
    return codec<std::optional<std::int64_t>>::read(v, out.milliseconds, e);
  }
  static void write(writer& w, task_ttl const& ttl) { codec<std::optional<std::int64_t>>::write(w, ttl.milliseconds); }
};

/// Also the result of tasks/get and tasks/cancel and the parameters of notifications/tasks/status.
struct task {
  task() = default;

  std::string task_id;
  task_status status = task_status::working;
  std::optional<std::string> status_message;
  std::string created_at;
  std::string last_updated_at;
  task_ttl ttl;
  std::optional<std::int64_t> poll_interval;  ///< Milliseconds.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<task>) {
  using t = task;
  return json::fields(json::field("taskId", &t::task_id), json::field("status", &t::status),
                      json::field("statusMessage", &t::status_message), json::field("createdAt", &t::created_at),
                      json::field("lastUpdatedAt", &t::last_updated_at), json::always("ttl", &t::ttl),
                      json::field("pollInterval", &t::poll_interval), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Asks, in a request's parameters, for a task instead of a result.
struct task_metadata {
  task_metadata() = default;

  std::optional<std::int64_t> ttl;  ///< Milliseconds.
  json::value raw;
};
constexpr auto describe(std::type_identity<task_metadata>) {
  return json::fields(json::field("ttl", &task_metadata::ttl), json::rest(&task_metadata::raw));
}

/// Names the task that a message belongs to, under meta_key::related_task.
struct related_task_metadata {
  related_task_metadata() = default;

  std::string task_id;
  json::value raw;
};
constexpr auto describe(std::type_identity<related_task_metadata>) {
  using t = related_task_metadata;
  return json::fields(json::field("taskId", &t::task_id), json::rest(&t::raw));
}

struct create_task_result {
  create_task_result() = default;

  comcp::task task;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<create_task_result>) {
  using t = create_task_result;
  return json::fields(json::field("task", &t::task), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The parameters of tasks/get, tasks/result and tasks/cancel.
struct task_params {
  task_params() = default;
  explicit task_params(std::string id) : task_id(std::move(id)) {}

  std::string task_id;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<task_params>) {
  using t = task_params;
  return json::fields(json::field("taskId", &t::task_id), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_tasks_result {
  list_tasks_result() = default;

  std::vector<task> tasks;
  std::vector<comcp::set_aside> set_aside;
  std::optional<std::string> next_cursor;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_tasks_result>) {
  using t = list_tasks_result;
  return json::fields(detail::definitions("tasks", &t::tasks), json::field("nextCursor", &t::next_cursor),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

namespace comcp {

/// The server's hints on a tool. Untrusted: never a reason to skip a confirmation.
struct tool_annotations {
  tool_annotations() = default;

  std::optional<std::string> title;
  std::optional<bool> read_only_hint;    ///< Absent: false.
  std::optional<bool> destructive_hint;  ///< Absent: true.
  std::optional<bool> idempotent_hint;   ///< Absent: false.
  std::optional<bool> open_world_hint;   ///< Absent: true.
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_annotations>) {
  using t = tool_annotations;
  return json::fields(json::field("title", &t::title), json::field("readOnlyHint", &t::read_only_hint),
                      json::field("destructiveHint", &t::destructive_hint),
                      json::field("idempotentHint", &t::idempotent_hint),
                      json::field("openWorldHint", &t::open_world_hint), json::rest(&t::raw));
}

/// How a tool runs (2025-11-25).
struct tool_execution {
  tool_execution() = default;

  std::optional<std::string> task_support;  ///< "forbidden" (the default), "optional" or "required".
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_execution>) {
  using t = tool_execution;
  return json::fields(json::field("taskSupport", &t::task_support), json::rest(&t::raw));
}

struct tool {
  tool() = default;

  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  json::value input_schema;   ///< JSON Schema, an object.
  json::value output_schema;  ///< JSON Schema of structured_content; null where absent.
  std::optional<tool_annotations> annotations;
  std::optional<tool_execution> execution;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;

  /// What to show: title, else the annotations' title, else name.
  [[nodiscard]] std::string const& display_name() const noexcept;
};
constexpr auto describe(std::type_identity<tool>) {
  using t = tool;
  return json::fields(json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), detail::object("inputSchema", &t::input_schema),
                      detail::optional_object("outputSchema", &t::output_schema),
                      json::field("annotations", &t::annotations), json::field("execution", &t::execution),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_tools_result {
  list_tools_result() = default;

  std::vector<tool> tools;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_tools_result>) {
  using t = list_tools_result;
  return json::fields(json::field("resultType", &t::result_type), detail::definitions("tools", &t::tools),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct call_tool_params {
  call_tool_params() = default;
  explicit call_tool_params(std::string tool_name, json::value args = {})
      : name(std::move(tool_name)), arguments(std::move(args)) {}

  std::string name;
  json::value arguments;  ///< An object; null where absent.
  std::optional<task_metadata> task;
  std::optional<comcp::input_responses> input_responses;
  std::optional<std::string> request_state;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<call_tool_params>) {
  using t = call_tool_params;
  return json::fields(json::field("name", &t::name), detail::optional_object("arguments", &t::arguments),
                      json::field("task", &t::task), json::field("inputResponses", &t::input_responses),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// What a tool answered. `is_error` is the tool's own failure, for the model to see: a value, no exception.
struct call_tool_result {
  call_tool_result() = default;
  call_tool_result(std::vector<content_block> pieces) : content(std::move(pieces)) {}
  explicit call_tool_result(text_content text) { content.emplace_back(std::move(text)); }

  std::vector<content_block> content;
  json::value structured_content;  ///< Null where absent.
  bool is_error = false;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  /// The texts among the content, a newline between them.
  [[nodiscard]] std::string text() const { return text_of(content); }
  /// The pieces of one kind, copied; their bytes() decode.
  [[nodiscard]] std::vector<image_content> images() const { return all<image_content>(); }
  [[nodiscard]] std::vector<audio_content> audio() const { return all<audio_content>(); }
  [[nodiscard]] std::vector<embedded_resource> resources() const { return all<embedded_resource>(); }
  [[nodiscard]] std::vector<resource_link> links() const { return all<resource_link>(); }

  /// The structured content as a T; errc::wrong_shape where it is absent or of another shape.
  template <class T>
  [[nodiscard]] result<T> structured() const {
    if (structured_content.is_null()) return error(errc::wrong_shape, "the tool gave no structured content");
    return structured_content.get<T>();
  }

  /// The result itself; throws comcp::exception (errc::tool_failed, with the text) when is_error is set.
  call_tool_result const& or_throw() const&;
  call_tool_result or_throw() &&;

 private:
  template <class Kind>
  std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (auto const& block : content) {
      if (auto const* const piece = std::get_if<Kind>(&block)) found.push_back(*piece);
    }
    return found;
  }
};
constexpr auto describe(std::type_identity<call_tool_result>) {
  using t = call_tool_result;
  return json::fields(json::field("resultType", &t::result_type), json::always("content", &t::content),
                      json::defaulted("structuredContent", &t::structured_content),
                      json::defaulted("isError", &t::is_error), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/tools.ipp

namespace comcp {

COMCP_DECL std::string const& tool::display_name() const noexcept {
  if (title) return *title;
  if (annotations && annotations->title) return *annotations->title;
  return name;
}

COMCP_DECL call_tool_result const& call_tool_result::or_throw() const& {
  if (is_error) {
    auto said = text();
    throw exception(error(errc::tool_failed, said.empty() ? std::string("the tool reported a failure") : said));
  }
  return *this;
}

COMCP_DECL call_tool_result call_tool_result::or_throw() && {
  std::as_const(*this).or_throw();
  return std::move(*this);
}

}  // namespace comcp
#endif

// client/era_cache.hpp
// What connections learned about the eras of their servers, for those that come after them.

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

// sansio/handshake.hpp
// Which era, which version: decides what to send next until a connection is ready or has failed. Sending,
// timing and decoding are the caller's. Specification: 2026-07-28, basic/versioning and basic/transports/stdio.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace comcp {

/// What a connection learned about its server's era; may be kept and given to connect_options::prior().
struct era_verdict {
  era_verdict() = default;
  comcp::era era = comcp::era::legacy;
  std::vector<protocol_version> versions;               ///< Modern: those that the server supports.
  std::chrono::system_clock::time_point date{};         ///< When it was learned; legacy ones expire.
  std::string authorization;                            ///< The context that it was learned in.
  std::optional<discover_result> discovered;            ///< Modern: what server/discover said.
};

namespace sansio {

inline constexpr auto all_versions = supported_versions();

enum class handshake_mode { automatic, legacy, pinned };

struct handshake_options {
  handshake_options() = default;
  handshake_mode mode = handshake_mode::automatic;
  std::vector<protocol_version> allowed{std::begin(all_versions), std::end(all_versions)};
  std::optional<era_verdict> prior;
  std::chrono::hours legacy_verdict_age{24};  ///< A saved legacy verdict older than this is not believed.
  bool over_http = false;  ///< Then the status of an answer counts, and silence is no verdict.
};

/// What to do next.
struct handshake_step {
  enum class action {
    wait,             ///< Nothing; an answer is still to come.
    discover,         ///< Send server/discover in `version`.
    initialize,       ///< Send initialize in `version`. The probe, if one was sent, stays live.
    reopen,           ///< Open the transport anew, then ask reopened().
    ready,            ///< Done: `version` holds. In the legacy era notifications/initialized goes out first.
    fail,             ///< Over: `why`.
  };
  action what = action::wait;
  std::optional<protocol_version> version;
  error why;
};

/// One handshake. Feed it what happened; each event returns the next step.
class handshake {
 public:
  handshake(handshake_options options, std::chrono::system_clock::time_point now);

  handshake_step start();
  /// An answer to server/discover: the versions that it names.
  handshake_step discovered(std::vector<std::string> const& versions);
  handshake_step discover_failed(error const& e);
  /// Silence past the probe timeout.
  handshake_step probe_timed_out();
  /// An answer to initialize: its protocolVersion, empty when missing.
  handshake_step initialized(std::string const& version);
  handshake_step initialize_failed(error const& e);
  /// The channel closed before an end was reached.
  handshake_step closed(error const& reason);
  handshake_step reopened();

  /// Whether the verdict came from `prior` and nothing was asked.
  [[nodiscard]] bool from_prior() const noexcept { return from_prior_; }

 private:
  enum class state { idle, probing, initializing, reopening, done };

  handshake_step discover(protocol_version v);
  handshake_step initialize();
  handshake_step ready(protocol_version v);
  handshake_step fail(error e);
  handshake_step modern(std::vector<std::string> const& offered, bool answered);
  handshake_step no_common(std::vector<std::string> const& offered);
  [[nodiscard]] std::optional<protocol_version> newest(era e) const;
  [[nodiscard]] std::optional<protocol_version> common(std::vector<std::string> const& offered, era e) const;

  handshake_options options_;
  std::chrono::system_clock::time_point now_;
  state state_ = state::idle;
  bool probed_ = false;       // a probe was sent on this channel
  bool reprobed_ = false;     // one -32022 was followed
  bool turned_ = false;       // an initialize error turned the verdict round
  bool reopened_ = false;
  bool from_prior_ = false;
};

/// The versions that a modern error names, when `e` is one that only a modern server sends; nothing else counts as
/// modern. Empty but present: modern, without a list.
std::optional<std::vector<std::string>> modern_versions(error const& e);

/// Whether an HTTP server of the legacy era may have answered a modern request so: a 4xx that is not about credentials,
/// time or load, or an error in a success; nothing that modern_versions() knows.
bool is_legacy_refusal(error const& e);

/// The text of an errc::no_common_version, which names both lists.
std::string no_common_text(std::vector<std::string> const& offered, std::vector<protocol_version> const& allowed);

}  // namespace sansio
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// sansio/impl/handshake.ipp
#include <algorithm>
#include <array>

namespace comcp::sansio {
namespace detail {

COMCP_DECL std::string joined(std::vector<std::string> const& list) {
  std::string out;
  for (auto const& s : list) out.append(out.empty() ? "" : ", ").append(s);
  return out.empty() ? std::string("none") : out;
}

COMCP_DECL std::string joined(std::vector<protocol_version> const& list) {
  std::vector<std::string> texts;
  for (auto const& v : list) texts.emplace_back(v.text());
  return joined(texts);
}

COMCP_DECL std::vector<std::string> strings_at(json::view data, std::string_view key) {
  std::vector<std::string> out;
  if (auto const list = data.find(key)) {
    for (auto const e : list->elements()) {
      if (auto const s = e.get_string()) out.emplace_back(*s);
    }
  }
  return out;
}

}  // namespace detail

COMCP_DECL std::optional<std::vector<std::string>> modern_versions(error const& e) {
  auto const* peer = e.peer();
  if (!peer) return {};
  auto const parsed = json::parse(peer->data);
  auto const data = parsed ? parsed->view() : json::view();
  auto supported = detail::strings_at(data, "supported");
  bool const capabilities = data.find("requiredCapabilities").has_value();
  switch (peer->code) {
    case -32022:
      if (!supported.empty()) return supported;
      return {};
    case -32020: return std::vector<std::string>();
    case -32021:
      if (capabilities) return std::vector<std::string>();
      return {};
    case -32003:  // the drafts' numbers, believed only with modern data
    case -32004:
      if (!supported.empty() || capabilities) return supported;
      return {};
    default: return {};
  }
}

COMCP_DECL bool is_legacy_refusal(error const& e) {
  if (modern_versions(e)) return false;
  auto const status = e.detail() ? e.detail()->http_status : std::nullopt;
  if (!status || *status < 300) return e.peer() != nullptr;
  if (*status < 400 || *status >= 500) return false;
  static constexpr std::array<int, 5> says_nothing{401, 403, 407, 408, 429};
  return std::find(says_nothing.begin(), says_nothing.end(), *status) == says_nothing.end();
}

COMCP_DECL std::string no_common_text(std::vector<std::string> const& offered,
                                      std::vector<protocol_version> const& allowed) {
  return "the server supports " + detail::joined(offered) + "; allowed here: " + detail::joined(allowed);
}

COMCP_DECL handshake::handshake(handshake_options options, std::chrono::system_clock::time_point now)
    : options_(std::move(options)), now_(now) {
  std::sort(options_.allowed.begin(), options_.allowed.end(), std::greater<>());
}

COMCP_DECL std::optional<protocol_version> handshake::newest(era e) const {
  auto const found = std::find_if(options_.allowed.begin(), options_.allowed.end(),
                                  [e](protocol_version const& v) { return v.era() == e; });
  return found == options_.allowed.end() ? std::nullopt : std::optional(*found);
}

COMCP_DECL std::optional<protocol_version> handshake::common(std::vector<std::string> const& offered, era e) const {
  for (auto const& v : options_.allowed) {
    if (v.era() == e && std::find(offered.begin(), offered.end(), v.text()) != offered.end()) return v;
  }
  return {};
}

COMCP_DECL handshake_step handshake::discover(protocol_version v) {
  state_ = state::probing;
  probed_ = true;
  return {handshake_step::action::discover, v, {}};
}

COMCP_DECL handshake_step handshake::initialize() {
  auto const v = newest(era::legacy);
  if (!v)
    return fail({errc::no_common_version, "the server speaks only versions before 2026-07-28; allowed here: " +
                                              detail::joined(options_.allowed)});
  state_ = state::initializing;
  return {handshake_step::action::initialize, v, {}};
}

COMCP_DECL handshake_step handshake::ready(protocol_version v) {
  state_ = state::done;
  return {handshake_step::action::ready, v, {}};
}

COMCP_DECL handshake_step handshake::fail(error e) {
  state_ = state::done;
  return {handshake_step::action::fail, {}, std::move(e)};
}

COMCP_DECL handshake_step handshake::no_common(std::vector<std::string> const& offered) {
  return fail({errc::no_common_version, no_common_text(offered, options_.allowed)});
}

COMCP_DECL handshake_step handshake::start() {
  bool const may_probe = options_.mode != handshake_mode::legacy && newest(era::modern);
  if (options_.allowed.empty()) return fail({errc::invalid_argument, "no protocol version is allowed"});
  if (auto const& prior = options_.prior; prior && may_probe) {
    if (prior->era == era::modern) {
      std::vector<std::string> offered;
      for (auto const& v : prior->versions) offered.emplace_back(v.text());
      auto const v = common(offered, era::modern);
      if (!v) return no_common(offered);
      from_prior_ = true;
      return ready(*v);
    }
    if (now_ - prior->date < options_.legacy_verdict_age && newest(era::legacy)) {
      from_prior_ = true;
      return initialize();
    }
  }
  return may_probe ? discover(*newest(era::modern)) : initialize();
}

// The server is modern: go on with a version that both have.
COMCP_DECL handshake_step handshake::modern(std::vector<std::string> const& offered, bool answered) {
  if (auto const v = common(offered, era::modern)) {
    if (answered) return ready(*v);
    if (reprobed_) return no_common(offered);
    reprobed_ = true;
    return discover(*v);
  }
  if (common(offered, era::legacy) && options_.mode == handshake_mode::automatic) return initialize();
  return no_common(offered);
}

COMCP_DECL handshake_step handshake::discovered(std::vector<std::string> const& versions) {
  // Also a late one, while initialize is under way: it decides for modern.
  if (state_ != state::probing && state_ != state::initializing) return {};
  return modern(versions, true);
}

COMCP_DECL handshake_step handshake::discover_failed(error const& e) {
  if (state_ != state::probing) return {};
  if (auto const versions = modern_versions(e)) {
    if (versions->empty()) return fail(e);
    return modern(*versions, false);
  }
  // Else there was no answer of the server at all, or none that says anything about its era.
  if (options_.over_http ? !is_legacy_refusal(e) : !e.peer()) return fail(e);
  if (options_.mode == handshake_mode::pinned || !newest(era::legacy)) {
    return fail(e.with_code(make_error_code(errc::no_common_version))
                    .with_message("the server does not speak " + detail::joined(options_.allowed) +
                                  ": it refused server/discover"));
  }
  return initialize();
}

COMCP_DECL handshake_step handshake::probe_timed_out() {
  if (state_ != state::probing) return {};
  if (options_.over_http || options_.mode == handshake_mode::pinned || !newest(era::legacy))
    return fail({errc::timeout, "no answer to server/discover within the probe timeout"});
  return initialize();
}

COMCP_DECL handshake_step handshake::initialized(std::string const& version) {
  if (state_ != state::initializing) return {};
  if (auto const v = common({version}, era::legacy)) return ready(*v);
  return no_common({version.empty() ? std::string("no version named") : version});
}

COMCP_DECL handshake_step handshake::initialize_failed(error const& e) {
  if (state_ != state::initializing) return {};
  if (auto const versions = modern_versions(e)) {
    auto const v = common(*versions, era::modern);
    if (v && !turned_ && options_.mode == handshake_mode::automatic) {
      turned_ = true;
      return discover(*v);
    }
    if (!versions->empty()) return no_common(*versions);
  }
  bool const refused = e.peer() || (options_.over_http && is_legacy_refusal(e));
  if (from_prior_ && refused && newest(era::modern)) {  // the saved verdict failed: ask
    from_prior_ = false;
    return discover(*newest(era::modern));
  }
  return fail(e);
}

COMCP_DECL handshake_step handshake::closed(error const& reason) {
  bool const may_be_the_probe = probed_ && !reopened_ && options_.mode == handshake_mode::automatic &&
                                newest(era::legacy) && !reprobed_ && !turned_;
  if ((state_ == state::probing || state_ == state::initializing) && may_be_the_probe) {
    reopened_ = true;
    state_ = state::reopening;
    return {handshake_step::action::reopen, {}, {}};
  }
  return state_ == state::done ? handshake_step() : fail(reason);
}

COMCP_DECL handshake_step handshake::reopened() {
  probed_ = false;
  return initialize();
}

}  // namespace comcp::sansio
#endif

namespace comcp {

/// Verdicts by server (origin or command line) and by whose credentials they were learned with. Give one to several
/// connections by connect_options().remember_eras(). Safe from any thread. A verdict that proves wrong is replaced; one
/// for the legacy era is believed for 24 hours. It holds one entry for each server, without a bound of its own.
class era_cache {
 public:
  [[nodiscard]] std::optional<era_verdict> find(std::string const& server) const {
    std::scoped_lock const lock(mutex_);
    auto const found = verdicts_.find(server);
    return found == verdicts_.end() ? std::nullopt : std::optional(found->second);
  }
  void store(std::string const& server, era_verdict verdict) {
    std::scoped_lock const lock(mutex_);
    verdicts_.insert_or_assign(server, std::move(verdict));
  }
  void forget(std::string const& server) {
    std::scoped_lock const lock(mutex_);
    verdicts_.erase(server);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, era_verdict> verdicts_;
};

}  // namespace comcp

// trace/tracer.hpp
// The hook that sees every message as text, both ways: for `comcp --trace`, recordings and logs.

#include <functional>
#include <string_view>

namespace comcp {

enum class direction { sent, received };

/// Called on the client's executor with each message; the text is valid for the call only. What it
/// throws is dropped, and a fault for the observer. Empty: no cost.
using tracer = std::function<void(direction, std::string_view message)>;

}  // namespace comcp

namespace comcp {
class validation_options;
namespace detail {
class validation_plan;
}

using std::chrono::milliseconds;

class client_core;
class cache_options;  // client/cache.hpp
namespace detail {
class call_cache;
}

/// Whether a call may be answered from the cache, where the client has one.
enum class cache_use : unsigned char {
  use,      ///< A fresh result is the answer; else the server's is, which is stored.
  refresh,  ///< The server's is, which is stored.
  bypass,   ///< The server's is, and nothing is stored.
};

/// What one call may be told. Unset values come from connect_options. Copyable; reusable for many calls.
class call_options {
 public:
  call_options() {}

  /// Ends the call with errc::timeout after this long without its answer (default 30 s). Progress extends it.
  call_options& timeout(std::chrono::nanoseconds d) { return timeout_ = d, *this; }
  /// Ends the call at this age whatever progress says (default 10 min).
  call_options& hard_timeout(std::chrono::nanoseconds d) { return hard_timeout_ = d, *this; }
  /// Whether progress restarts the timeout (default: when a timeout was set by hand or on_progress is set).
  call_options& extend_on_progress(bool yes) { return extend_ = yes, *this; }
  /// Called on the client's executor for each progress notification of this call, before the call ends.
  call_options& on_progress(std::function<void(progress_notification const&)> f) {
    return edit().on_progress = std::move(f), *this;
  }
  /// One `_meta` entry; the last of one key counts. The key is checked when the call starts: errc::invalid_argument.
  template <json::writable T>
  call_options& meta(std::string key, T const& value) {
    return set_meta(std::move(key), json::to_text(value)), *this;
  }
  /// The caller's word that sending this call twice does no harm: after a broken connection it may go again.
  call_options& idempotent(bool yes = true) { return idempotent_ = yes, *this; }
  /// Cancels every call that was given this token once stop is requested. Thread-safe.
  call_options& stop(std::stop_token token) { return edit().stop = std::move(token), *this; }
  /// Hands an input_required answer to the caller, who goes on with client.resume(), instead of asking the handler.
  call_options& manual_input(bool yes = true) { return manual_input_ = yes, *this; }
  /// The definition to go by instead of the one that was listed last: its annotated arguments are mirrored into headers
  /// (HTTP, modern era), and its schemas are those of connect_options().validate().
  call_options& tool(comcp::tool const& definition) {
    auto& own = edit();
    own.input_schema = definition.input_schema;
    own.output_schema = definition.output_schema;
    return *this;
  }
  /// Modern era: the log level asked for with this call.
  call_options& log_level(comcp::log_level level) { return log_level_ = level, *this; }

  /// For server/discover, lists and reads of a client with connect_options().cache() (default: use).
  call_options& cache(cache_use how) { return cache_ = how, *this; }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> timeout() const noexcept { return timeout_; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> hard_timeout() const noexcept { return hard_timeout_; }
  [[nodiscard]] auto const& on_progress() const noexcept { return rare().on_progress; }
  [[nodiscard]] bool extends_on_progress() const noexcept {
    return extend_.value_or(timeout_.has_value() || static_cast<bool>(on_progress()));
  }
  [[nodiscard]] bool wants_progress() const noexcept {
    return extends_on_progress() || static_cast<bool>(on_progress());
  }
  [[nodiscard]] auto const& meta() const noexcept { return rare().meta; }
  /// Of tool(): null where that was not said.
  [[nodiscard]] json::value const& input_schema() const noexcept { return rare().input_schema; }
  [[nodiscard]] json::value const& output_schema() const noexcept { return rare().output_schema; }
  void forget_tool() {
    if (!input_schema().is_null()) edit().input_schema = json::value();
  }
  [[nodiscard]] bool is_idempotent() const noexcept { return idempotent_; }
  [[nodiscard]] std::stop_token const& stop() const noexcept { return rare().stop; }
  [[nodiscard]] bool is_manual_input() const noexcept { return manual_input_; }
  [[nodiscard]] cache_use cache() const noexcept { return cache_; }
  [[nodiscard]] std::optional<comcp::log_level> log_level() const noexcept { return log_level_; }

 private:
  // What few calls set: shared by copies and never changed in place, so that options cost little where it is unset.
  struct rarities {
    std::function<void(progress_notification const&)> on_progress;
    std::vector<std::pair<std::string, std::string>> meta;
    std::stop_token stop;
    json::value input_schema, output_schema;
  };
  [[nodiscard]] rarities const& rare() const noexcept {
    static rarities const none;
    return rare_ ? *rare_ : none;
  }
  void set_meta(std::string key, std::string text) {
    auto& all = edit().meta;
    std::erase_if(all, [&key](auto const& entry) { return entry.first == key; });
    all.emplace_back(std::move(key), std::move(text));
  }
  rarities& edit() {
    auto own = std::make_shared<rarities>(rare());
    auto& changed = *own;
    rare_ = std::move(own);
    return changed;
  }

  std::optional<std::chrono::nanoseconds> timeout_, hard_timeout_;
  std::shared_ptr<rarities const> rare_;
  std::optional<bool> extend_;
  std::optional<comcp::log_level> log_level_;
  bool idempotent_ = false;
  bool manual_input_ = false;
  cache_use cache_ = cache_use::use;
};

/// When the client itself starts a dead server process again (default: never; registry and pool do).
class restart_policy {
 public:
  /// Asked on the client's executor each time the connection was lost, or an attempt to restore it failed: how long to
  /// wait before the next attempt, or nothing to give up. One that throws gives up.
  using hook = std::function<std::optional<std::chrono::nanoseconds>(error const& why)>;

  restart_policy() {}
  /// In place of attempts() and delay(). Such a client also begins anew where others close: when the server answers no
  /// ping any more, or sends too many unusable messages.
  explicit restart_policy(hook ask) : ask_(std::move(ask)) {}
  /// At most this many restarts without a successful call in between.
  restart_policy& attempts(unsigned n) { return attempts_ = n, *this; }
  /// Waits base, 2 * base, 4 * base ... up to max before a restart (default 100 ms, 10 s).
  restart_policy& delay(milliseconds base, milliseconds max) { return base_ = base, max_ = max, *this; }
  [[nodiscard]] unsigned attempts() const noexcept { return attempts_; }
  [[nodiscard]] milliseconds base() const noexcept { return base_; }
  [[nodiscard]] milliseconds max() const noexcept { return max_; }
  [[nodiscard]] hook const& ask() const noexcept { return ask_; }

 private:
  hook ask_;
  unsigned attempts_ = 0;
  milliseconds base_{100}, max_{10'000};
};

/// Bounds that keep one connection's memory and work finite. Exceeding one is an error or a counted drop, as said.
class connection_limits {
 public:
  connection_limits() {}
#define COMCP_LIMIT(type, name, preset)                                   \
  connection_limits& name(type n) { return name##_ = n, *this; }          \
  [[nodiscard]] type name() const noexcept { return name##_; }            \
                                                                          \
 private:                                                                 \
  type name##_ = preset;                                                  \
                                                                          \
 public:
  COMCP_LIMIT(std::size_t, pending_calls, 65536)       ///< Calls in flight; more: queue_full.
  COMCP_LIMIT(std::size_t, handlers_in_flight, 64)     ///< Requests of the server; more: an error answer.
  COMCP_LIMIT(std::size_t, queued_notifications, 1024) ///< Waiting for the handler; more: dropped, counted.
  COMCP_LIMIT(std::size_t, bad_lines, 100)             ///< Unusable messages; more: closed, protocol_violation.
  COMCP_LIMIT(std::size_t, pages, 1000)                ///< Pages of one list; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, items, 100'000)             ///< Items of one list; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, input_rounds, 10)           ///< Rounds of one call; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, subscription_queue, 256)    ///< Unread updates of one listen(); more: dropped, counted.
#undef COMCP_LIMIT
  connection_limits& json(json::parse_options o) { return json_ = o, *this; }
  [[nodiscard]] json::parse_options const& json() const noexcept { return json_; }

 private:
  json::parse_options json_;
};

/// What a connection is told. Everything has a default. Copyable.
class connect_options {
 public:
  connect_options() {}

  /// Who we are; without a call: name "comcp" and comcp's version.
  connect_options& client_info(implementation info) { return client_info_ = std::move(info), *this; }
  /// Sends no clientInfo in the modern era (the legacy handshake cannot go without).
  connect_options& anonymous(bool yes = true) { return anonymous_ = yes, *this; }

  /// automatic (default): finds out which era the server speaks.
  connect_options& automatic() { return handshake_.mode = sansio::handshake_mode::automatic, *this; }
  /// Only the initialize handshake.
  connect_options& legacy() { return handshake_.mode = sansio::handshake_mode::legacy, *this; }
  /// Exactly this version.
  connect_options& pinned(protocol_version v) {
    handshake_.mode = sansio::handshake_mode::pinned;
    handshake_.allowed = {v};
    return *this;
  }
  /// The versions that may be negotiated (default: all). Shapes automatic and legacy.
  connect_options& allowed_versions(std::vector<protocol_version> v) { return handshake_.allowed = std::move(v), *this; }
  /// What an earlier connection to the same server learned: skips the probe.
  connect_options& prior(era_verdict v) { return handshake_.prior = std::move(v), *this; }

  /// Remembers which era servers speak, here and in every other connection with the same cache.
  connect_options& remember_eras(std::shared_ptr<era_cache> cache) { return era_cache_ = std::move(cache), *this; }

  /// Of these, only hard_timeout() goes on while an authenticator looks at a challenge, for a user may have to log in.
  connect_options& probe_timeout(std::chrono::nanoseconds d) { return probe_timeout_ = d, *this; }          ///< 5 s
  connect_options& handshake_timeout(std::chrono::nanoseconds d) { return handshake_timeout_ = d, *this; }  ///< 30 s
  connect_options& open_timeout(std::chrono::nanoseconds d) { return open_timeout_ = d, *this; }            ///< 10 s
  /// Opening and handshake together, at the beginning and at each restart (default: no bound but those of its parts).
  connect_options& connect_timeout(std::chrono::nanoseconds d) { return connect_timeout_ = d, *this; }
  connect_options& timeout(std::chrono::nanoseconds d) { return timeout_ = d, *this; }                      ///< 30 s
  connect_options& hard_timeout(std::chrono::nanoseconds d) { return hard_timeout_ = d, *this; }            ///< 10 min
  connect_options& close_timeout(std::chrono::nanoseconds d) { return close_timeout_ = d, *this; }          ///< 5 s

  /// Pings an idle connection this often (default: never); server/discover in the modern era.
  connect_options& ping_interval(std::chrono::nanoseconds d) { return ping_interval_ = d, *this; }
  connect_options& ping_timeout(std::chrono::nanoseconds d) { return ping_timeout_ = d, *this; }  ///< 5 s
  /// Closes after this many failed pings in a row (default 3).
  connect_options& ping_failure_threshold(unsigned n) { return ping_failure_threshold_ = n, *this; }

  /// Asks for log messages from this level on: logging/setLevel, or logLevel on each modern request.
  connect_options& log_level(comcp::log_level level) { return log_level_ = level, *this; }
  /// One entry of capabilities.experimental, or of capabilities.extensions.
  connect_options& experimental(std::string name, json::fragment settings) {
    return experimental_.emplace_back(std::move(name), std::move(settings)), *this;
  }
  connect_options& extension(std::string name, json::fragment settings) {
    return extensions_.emplace_back(std::move(name), std::move(settings)), *this;
  }
  /// Sends calls also when the server did not declare the capability for them (default: fails at once).
  connect_options& check_capabilities(bool yes) { return check_capabilities_ = yes, *this; }

  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }

  connect_options& restart(restart_policy p) { return restart_ = std::move(p), *this; }
  connect_options& executor(asio::any_io_executor e) { return executor_ = std::move(e), *this; }
  connect_options& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }
  connect_options& limits(connection_limits l) { return limits_ = std::move(l), *this; }
  connect_options& observe(comcp::observer o) { return observer_ = std::move(o), *this; }
  /// Checks arguments, results and elicitation answers against their schemas. Needs <comcp/client/validation.hpp>.
  connect_options& validate(validation_options const& o);
  connect_options& trace(tracer t) { return tracer_ = std::move(t), *this; }
  /// Interceptors see calls in the order in which they were added.
  connect_options& intercept(interceptor i) { return interceptors_.push_back(std::move(i)), *this; }
  /// Results of lists and reads are used again, and equal ones in flight are one request (default: neither). Needs
  /// comcp/client/cache.hpp.
  connect_options& cache(cache_options options);

  /// Of calls that say none.
  [[nodiscard]] std::chrono::nanoseconds timeout() const noexcept { return timeout_; }
  [[nodiscard]] std::chrono::nanoseconds hard_timeout() const noexcept { return hard_timeout_; }

 private:
  friend class client_core;
  std::optional<implementation> client_info_;
  sansio::handshake_options handshake_;
  std::chrono::nanoseconds probe_timeout_ = std::chrono::seconds(5);
  std::chrono::nanoseconds handshake_timeout_ = std::chrono::seconds(30);
  std::chrono::nanoseconds open_timeout_ = std::chrono::seconds(10);
  std::chrono::nanoseconds connect_timeout_ = std::chrono::nanoseconds::max();
  std::chrono::nanoseconds timeout_ = std::chrono::seconds(30);
  std::chrono::nanoseconds hard_timeout_ = std::chrono::minutes(10);
  std::chrono::nanoseconds close_timeout_ = std::chrono::seconds(5);
  std::optional<std::chrono::nanoseconds> ping_interval_;
  std::chrono::nanoseconds ping_timeout_ = std::chrono::seconds(5);
  unsigned ping_failure_threshold_ = 3;
  std::optional<comcp::log_level> log_level_;
  std::vector<std::pair<std::string, json::fragment>> experimental_, extensions_;
  restart_policy restart_;
  asio::any_io_executor executor_;
  std::shared_ptr<time_source> time_;
  std::shared_ptr<era_cache> era_cache_;
  connection_limits limits_;
  comcp::observer observer_;
  tracer tracer_;
  std::vector<interceptor> interceptors_;
  std::function<std::unique_ptr<detail::call_cache>(client_core&)> cache_;
  std::shared_ptr<detail::validation_plan const> validation_;
  bool anonymous_ = false;
  bool check_capabilities_ = true;
};

}  // namespace comcp

// client/waiter.hpp
// Suspending a coroutine until somebody on the same executor completes it: the one place where comcp meets
// Asio's completion handlers. Internal.

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <asio/associated_allocator.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/use_awaitable.hpp>

namespace comcp::detail {

/// A suspended coroutine that waits for a T. Completed or destroyed exactly once.
template <class T>
class waiter {
 public:
  /// Frees itself, then resumes the coroutine inside this call.
  virtual void complete(T value) = 0;
  /// Frees itself and the coroutine without resuming it.
  virtual void destroy() noexcept = 0;

 protected:
  ~waiter() = default;
};

/// Memory for one waiter in the frame of the coroutine that waits, so that waiting need not allocate.
class waiter_room {
 public:
  waiter_room() noexcept {}
  [[nodiscard]] void* memory() noexcept { return bytes_; }
  static constexpr std::size_t size = 32;

 private:
  alignas(std::max_align_t) std::byte bytes_[size];
};

template <class T, class Handler>
class handler_waiter final : public waiter<T> {
 public:
  template <class OnCancel>
  static waiter<T>* create(Handler handler, OnCancel const& on_cancel, waiter_room* room = nullptr) {
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto allocator = allocator_of(handler);
    bool const fits = room != nullptr && sizeof(handler_waiter) <= waiter_room::size;
    void* const memory = fits ? room->memory() : std::allocator_traits<allocator_type>::allocate(allocator, 1);
    auto* const self = new (memory) handler_waiter(std::move(handler), !fits);
    if (slot.is_connected()) {
      slot.assign([hook = hook_of(on_cancel)](asio::cancellation_type type) {
        if (type != asio::cancellation_type::none) hook();
      });
    }
    return self;
  }

  void complete(T value) override {
    auto handler = release();
    auto slot = asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected()) slot.clear();
    std::move(handler)(std::move(value));
  }

  void destroy() noexcept override { [[maybe_unused]] auto handler = release(); }

 private:
  using allocator_type = typename std::allocator_traits<
      asio::associated_allocator_t<Handler>>::template rebind_alloc<handler_waiter>;
  static allocator_type allocator_of(Handler const& h) { return allocator_type(asio::get_associated_allocator(h)); }

  // What is costly to make is made only where a slot is connected.
  template <class OnCancel>
  static auto hook_of(OnCancel const& on_cancel) {
    if constexpr (requires { on_cancel.hook(); }) return on_cancel.hook();
    else return on_cancel;
  }

  handler_waiter(Handler h, bool allocated) : handler_(std::move(h)), allocated_(allocated) {}

  Handler release() noexcept {
    auto handler = std::move(handler_);
    bool const allocated = allocated_;
    this->~handler_waiter();
    if (allocated) {
      auto allocator = allocator_of(handler);
      std::allocator_traits<allocator_type>::deallocate(allocator, this, 1);
    }
    return handler;
  }

  Handler handler_;
  bool allocated_;
};

template <class T, class OnCancel>
struct suspend_initiation {
  waiter<T>** place;
  waiter_room* room;
  OnCancel on_cancel;
  template <class Handler>
  void operator()(Handler handler) const {
    *place = handler_waiter<T, Handler>::create(std::move(handler), on_cancel, room);
  }
};

/// Suspends until `place`, which is set meanwhile, is completed. `on_cancel` runs when the coroutine is cancelled
/// and must see to it that `place` is completed later, never inside itself. `room`, if given, lives as long as the
/// coroutine waits.
template <class T, class OnCancel>
asio::awaitable<T> suspend(waiter<T>*& place, OnCancel on_cancel, waiter_room* room = nullptr) {
  return asio::async_initiate<asio::use_awaitable_t<> const, void(T)>(
      suspend_initiation<T, OnCancel>{&place, room, std::move(on_cancel)}, asio::use_awaitable);
}

template <class T, class OnCancel>
struct listed_initiation {
  waiter<T>** place;
  std::vector<waiter<T>*>* list;
  OnCancel on_cancel;
  template <class Handler>
  void operator()(Handler handler) const {
    *place = handler_waiter<T, Handler>::create(std::move(handler), on_cancel);
    list->push_back(*place);
  }
};

/// The same for one of many that wait: enters itself into `list`, from which whoever completes it takes it.
template <class T, class OnCancel>
asio::awaitable<T> suspend_listed(waiter<T>*& place, std::vector<waiter<T>*>& list, OnCancel on_cancel) {
  return asio::async_initiate<asio::use_awaitable_t<> const, void(T)>(
      listed_initiation<T, OnCancel>{&place, &list, std::move(on_cancel)}, asio::use_awaitable);
}

}  // namespace comcp::detail

// transport/transport.hpp
// The transport seam: what carries messages. A transport knows no methods and no versions; what a message
// means is decided above it.

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp {

/// The id of one of our requests on the wire; 0 means none (a notification, an answer, a shared channel).
using request_id = std::uint64_t;

/// One message on its way out. `text` is a whole JSON-RPC message without a newline.
struct outgoing {
  outgoing() = default;
  explicit outgoing(std::string message, request_id request = 0) : text(std::move(message)), id(request) {}

  std::string text;
  request_id id = 0;           ///< Set for requests of ours.
  std::string method;          ///< Set for requests and notifications that an HTTP transport must label.
  std::string name;            ///< Tool name, prompt name or resource uri, for the same purpose.
  std::vector<std::pair<std::string, std::string>> headers;  ///< What the era wants in HTTP headers.
  bool handshake = false;      ///< `initialize` or the era probe: never cancelled on the wire.
  bool established = false;    ///< The last message of the handshake: streams for what the server says may open.
  bool stateless = false;      ///< Of an era without sessions, where closing its response stream cancels a request.
  bool repeatable = false;     ///< It may be sent again after the server refused it for now.
};

/// A session that outlives its connection (legacy era, HTTP), as client.session() gives it. Its id is a secret.
struct saved_session {
  saved_session() = default;
  std::string id;
  std::string initialize_result;  ///< JSON text: the negotiated version and what the server can do.
};

/// Where a transport delivers. Called on the transport's executor, one call at a time, never from inside
/// `open`'s initiation, `send` or `abandon`. What a call is given is valid for that call only. Any call may
/// close or destroy the transport: look at nothing of it afterwards without holding it.
class inbox {
 public:
  /// One whole message. `stream` is the request whose response stream brought it, 0 on a shared channel.
  virtual void delivered(padded_text text, request_id stream) = 0;
  /// The response of `id` ended (HTTP only). Where its answer is still awaited this is its end.
  virtual void stream_ended(request_id id, error why) = 0;
  /// Whether the answer to this request is still awaited.
  [[nodiscard]] virtual bool awaits(request_id) const { return true; }
  /// The server refused a message because it does not know its session any more: a new handshake is due. `id` is 0
  /// where that was no request.
  virtual void session_lost(request_id id, error why) { stream_ended(id, std::move(why)); }
  /// Credentials are being obtained, for which a user may be asked: until as many false as true came, and no longer than
  /// the connection lives, no deadline but the hard ones ends a request.
  virtual void authorizing(bool begins) { (void)begins; }
  /// The channel is gone. Exactly once for each successful `open`; nothing is delivered after it.
  virtual void closed(error reason) = 0;
  /// A fault that loses nothing but itself, for statistics and observers (a line over the limit, ...).
  virtual void fault(error what) = 0;

 protected:
  ~inbox() = default;
};

/// What a transport tells about itself; a snapshot.
struct transport_info {
  std::string kind;                      ///< "stdio", "memory", "unix", ...
  std::string target;                    ///< Command line or address, without secrets.
  std::string origin;                    ///< HTTP: scheme, host and port; what is learned of a server is kept by it.
  std::string identity;                  ///< HTTP: whose credentials, as authenticator.identity() says.
  std::string server;                    ///< HTTP: equal where all else in a request is; empty where that is not known.
  std::string session_id;                ///< HTTP, legacy era: a secret.
  std::size_t open_streams = 0;          ///< HTTP: event streams that are open.
  std::optional<int> pid;                ///< stdio: the server process.
  std::optional<int> exit_code;          ///< stdio: set once it exited.
  std::optional<int> term_signal;        ///< stdio: set when a signal ended it.
  std::string stderr_tail;               ///< stdio: the end of what it wrote to stderr.
  std::uint64_t messages_in = 0;
  std::uint64_t messages_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// Carries messages. `open` takes the executor from this_coro::executor and may be called again after
/// `closed`. `send` takes the message over whole or refuses it (errc::queue_full, errc::closed) and never
/// completes anything inside itself. `abandon(id)`: the caller of that request is gone; true says that closing
/// its stream has told the server, so that no notifications/cancelled is needed; a request that is still
/// queued is removed silently, which also counts as told. `close` is bounded, and is graceful; the destructor is
/// abrupt. After `close` completed `inbox::closed` has been called.
template <class T>
concept transport = std::move_constructible<T> &&
    requires(T t, T const& ct, inbox& in, outgoing message, request_id id) {
      { t.open(in) } -> std::same_as<asio::awaitable<result<void>>>;
      { t.send(std::move(message)) } -> std::same_as<result<void>>;
      { t.abandon(id) } noexcept -> std::same_as<bool>;
      { t.close() } -> std::same_as<asio::awaitable<void>>;
      { ct.info() } -> std::same_as<transport_info>;
    };

/// A transport over HTTP says so: its messages need headers, and the rules for finding the era are others.
template <class T>
concept over_http = requires(T const& t) {
  requires T::is_http;
  { t.resumed() } -> std::same_as<std::optional<saved_session>>;  // what it goes on with instead of a handshake
};

/// Any transport, type-erased: one allocation, one virtual call for each operation.
class any_transport {
 public:
  any_transport() = default;
  template <class T>
    requires(!std::same_as<T, any_transport>)
  explicit any_transport(T t) : self_(std::make_unique<model<T>>(std::move(t))) {
    static_assert(transport<T>,
                  "comcp: this type is no transport: it needs open(inbox&), send(outgoing), abandon(request_id) "
                  "noexcept, close() and info() as comcp/transport/transport.hpp says");
  }

  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in) { return self_->open(in); }
  result<void> send(outgoing&& message) { return self_->send(std::move(message)); }
  bool abandon(request_id id) noexcept { return self_->abandon(id); }
  [[nodiscard]] asio::awaitable<void> close() { return self_->close(); }
  [[nodiscard]] transport_info info() const { return self_->info(); }
  [[nodiscard]] bool is_http() const noexcept { return self_ && self_->http; }
  [[nodiscard]] std::optional<saved_session> resumed() const { return self_->resumed(); }
  explicit operator bool() const noexcept { return static_cast<bool>(self_); }

 private:
  struct base {
    virtual ~base() = default;
    virtual asio::awaitable<result<void>> open(inbox&) = 0;
    virtual result<void> send(outgoing&&) = 0;
    virtual bool abandon(request_id) noexcept = 0;
    virtual asio::awaitable<void> close() = 0;
    virtual transport_info info() const = 0;
    virtual std::optional<saved_session> resumed() const { return {}; }
    bool http = false;
  };

  template <class T>
  struct model final : base {
    explicit model(T t) : impl(std::move(t)) { this->http = over_http<T>; }
    asio::awaitable<result<void>> open(inbox& in) override { return impl.open(in); }
    result<void> send(outgoing&& m) override { return impl.send(std::move(m)); }
    bool abandon(request_id id) noexcept override { return impl.abandon(id); }
    asio::awaitable<void> close() override { return impl.close(); }
    transport_info info() const override { return impl.info(); }
    std::optional<saved_session> resumed() const override {
      if constexpr (over_http<T>) return impl.resumed();
      return {};
    }
    T impl;
  };

  std::unique_ptr<base> self_;
};

}  // namespace comcp

namespace comcp::detail {

using reply = result<json::value>;

/// A moment that may be as good as never: sums of user's durations do not overflow.
inline std::chrono::steady_clock::time_point later(std::chrono::steady_clock::time_point now, std::chrono::nanoseconds d) {
  using clock = std::chrono::steady_clock;
  if (d > clock::time_point::max() - now) return clock::time_point::max();
  return now + std::chrono::duration_cast<clock::duration>(d);
}

/// What an operation prepared: it owns everything, so that it can be started later and elsewhere.
struct prepared_call {
  prepared_call(std::string m, std::string p, call_options o) : method(std::move(m)), params(std::move(p)), options(std::move(o)) {}

  std::string method;
  std::string params;    // an object's text, or empty
  call_options options;
  std::string name;      // tool, prompt or uri
  error unusable;        // what is wrong with it from the start; the call ends with it
  bool repeatable = false;  // lists and reads: may be sent again after a broken connection
  bool internal = false;    // handshake, keep-alive: no capability check, no interceptors, no limit
  bool outdated = false;    // it was answered by what a change or its age had made stale
  bool counted = false;     // its interceptors' entry has its place under limits().pending_calls()
  mutable std::chrono::steady_clock::time_point started{};  // when the first round trip began
};

/// How a call is carried out once its interceptors let it go on.
using performer = std::function<asio::awaitable<reply>(prepared_call&)>;

/// What may answer calls from memory, beneath the interceptors. On home only.
class call_cache {
 public:
  virtual ~call_cache() = default;
  [[nodiscard]] virtual bool concerns(std::string_view method) const noexcept = 0;
  /// The call's outcome, wherever it comes from.
  virtual asio::awaitable<reply> answer(prepared_call& c) = 0;
  /// Before anybody else hears of it.
  virtual void notified(std::string_view method, json::value const& params) = 0;
  /// Another process is the server from now on.
  virtual void restarted() = 0;
};

/// One entry of the table of pending calls: a request on the wire, or a wait of our own. Lives in the frame of
/// the coroutine that waits.
struct pending_entry {
  pending_entry() = default;
  pending_entry(pending_entry const&) = delete;
  pending_entry& operator=(pending_entry const&) = delete;
  ~pending_entry() { assert(id == 0 && "comcp: a pending call was destroyed before its end"); }

  request_id id = 0;
  waiter<reply>* waiting = nullptr;
  waiter_room room;  // for `waiting`
  std::function<void(reply)> on_end;  // instead of a waiting coroutine
  prepared_call const* call = nullptr;  // null: a wait of our own
  bool sent = false;
  bool handshake = false;
  bool renewed = false;   // it waited for a new session once
  bool survives = false;  // a lost connection does not end it where a restart follows
  std::unique_ptr<std::stop_callback<std::function<void()>>> stop;
};

}  // namespace comcp::detail

// client/call_checks.hpp
// Where validation meets the core: what client/validation.hpp fills in, so that a program without it compiles none of
// it. Internal.

#include <cstdint>
#include <memory>

#include <asio/awaitable.hpp>

namespace comcp {
class client_core;

namespace detail {
struct prepared_call;
class tool_checks;  // the one implementation

/// What one client knows about its server's schemas. On home only.
class call_checks {
 public:
  virtual ~call_checks() = default;
  /// Carries a call out, checking on both sides of it what is to be checked.
  virtual asio::awaitable<result<json::value>> perform(prepared_call& c) = 0;
  /// Taken before a tools/list is sent, for learn().
  [[nodiscard]] virtual std::uint64_t moment() const noexcept = 0;
  /// One page of its result. What changed since counts for nothing.
  virtual void learn(json::view page, std::uint64_t asked) = 0;
  /// The tools changed, or may have.
  virtual void forget() noexcept = 0;
};

/// What the user asked for; shared by clients.
class validation_plan {
 public:
  virtual ~validation_plan() = default;
  /// Null where calls are not checked at all.
  [[nodiscard]] virtual std::unique_ptr<call_checks> start(client_core& core) const = 0;
  /// An accepted form elicitation's content, defaults filled in.
  [[nodiscard]] virtual result<void> check_answer(json::view requested_schema, json::view content) const = 0;
  /// Whether one that does not pass goes out nevertheless.
  [[nodiscard]] virtual bool only_warns_of_answers() const noexcept = 0;
};

}  // namespace detail
}  // namespace comcp

// client/dispatcher.hpp
// Brings what the server sends unasked to the handler: requests run concurrently up to a bound, notifications
// one at a time in the order of their arrival. The read loop never waits for either. Internal to the core.

#include <deque>
#include <map>
#include <memory>
#include <string>

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

// client/handler.hpp
// The handler seam: a handler declares by existing. What members a type has decides which capabilities the
// client declares and who answers which request.

#include <concepts>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

// client/context.hpp
// What a handler learns about the request or notification that it handles.

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace comcp {

class client;
class client_core;
class context;
namespace detail {
class dispatcher;
class validation_plan;
result<json::fragment> complete_elicitation(context const& ctx, json::view request, json::fragment const& answered);
}  // namespace detail

/// Given to handler members that take it as their last parameter. Copyable; use it on the client's executor.
class context {
 public:
  context();
  ~context();
  context(context const&);
  context& operator=(context const&);

  /// The server that asks, as it names itself; empty before it did.
  [[nodiscard]] std::string server_name() const;
  /// The method that is handled, such as "elicitation/create".
  [[nodiscard]] std::string const& method() const noexcept { return method_; }
  /// Whether the server withdrew its request, or the call that it belongs to ended. An awaiting handler is also
  /// cancelled through its coroutine.
  [[nodiscard]] bool cancelled() const noexcept { return cancelled_ && *cancelled_; }
  /// Tells the server how far the answer is; nothing happens where it did not ask for that.
  void progress(double progress, std::optional<double> total = {}, std::string message = {}) const;
  /// The client that this came to; empty (every operation fails with errc::closed) once it is gone.
  [[nodiscard]] comcp::client client() const;

 private:
  friend class client_core;
  friend class detail::dispatcher;
  friend result<json::fragment> detail::complete_elicitation(context const&, json::view, json::fragment const&);
  void fault(error const& what) const;
  std::weak_ptr<client_core> core_;
  std::string method_;
  std::string progress_token_;  // raw JSON; empty where none came
  std::shared_ptr<bool> cancelled_;
  std::shared_ptr<detail::validation_plan const> validation_;  // null: the default
};

}  // namespace comcp

// client/handler_traits.hpp
// Compile-time questions about a handler type: which members it has, and whether they can be called as the
// handler concept says.

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

// protocol/elicitation.hpp
// Elicitation: a server asks the user, by a form or by sending them to a page. Spec: client/elicitation.

#include <optional>
#include <string>
#include <utility>
#include <vector>

// protocol/elicitation_schema.hpp
// The small schemas of a form: one for each kind of field. Spec: client/elicitation (requested schema).

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace comcp {

struct string_schema {
  string_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::int64_t> min_length;
  std::optional<std::int64_t> max_length;
  std::optional<std::string> format;  ///< "email", "uri", "date" or "date-time".
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<string_schema>) {
  using t = string_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("minLength", &t::min_length),
                      json::field("maxLength", &t::max_length), json::field("format", &t::format),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

enum class number_kind { number, integer };
constexpr auto texts(std::type_identity<number_kind>) { return std::array<std::string_view, 2>{"number", "integer"}; }

struct number_schema {
  number_schema() = default;

  number_kind type = number_kind::number;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<double> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<number_schema>) {
  using t = number_schema;
  return json::fields(json::field("type", &t::type), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("minimum", &t::minimum),
                      json::field("maximum", &t::maximum), json::field("default", &t::default_value),
                      json::rest(&t::raw));
}

struct boolean_schema {
  boolean_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<bool> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<boolean_schema>) {
  using t = boolean_schema;
  return json::fields(json::tag("type", "boolean"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("default", &t::default_value),
                      json::rest(&t::raw));
}

/// One choice with the title to show for it.
struct titled_option {
  titled_option() = default;

  std::string value;
  std::string title;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_option>) {
  using t = titled_option;
  return json::fields(json::field("const", &t::value), json::field("title", &t::title), json::rest(&t::raw));
}

/// One of several values. 2025-06-18's EnumSchema is untitled, or legacy_titled where it has enumNames.
struct untitled_single_select_enum_schema {
  untitled_single_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<std::string> values;
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<untitled_single_select_enum_schema>) {
  using t = untitled_single_select_enum_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("enum", &t::values),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

struct titled_single_select_enum_schema {
  titled_single_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<titled_option> options;
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_single_select_enum_schema>) {
  using t = titled_single_select_enum_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("oneOf", &t::options),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

struct legacy_titled_enum_schema {
  legacy_titled_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<std::string> values;
  std::vector<std::string> names;  ///< What to show, in the order of `values`.
  std::optional<std::string> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<legacy_titled_enum_schema>) {
  using t = legacy_titled_enum_schema;
  return json::fields(json::tag("type", "string"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("enum", &t::values),
                      json::defaulted("enumNames", &t::names), json::field("default", &t::default_value),
                      json::rest(&t::raw));
}

/// The choices of an untitled multiple selection.
struct untitled_items {
  untitled_items() = default;

  std::vector<std::string> values;
  json::value raw;
};
constexpr auto describe(std::type_identity<untitled_items>) {
  using t = untitled_items;
  return json::fields(json::tag("type", "string"), json::field("enum", &t::values), json::rest(&t::raw));
}

/// The choices of a titled multiple selection.
struct titled_items {
  titled_items() = default;

  std::vector<titled_option> options;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_items>) {
  return json::fields(json::field("anyOf", &titled_items::options), json::rest(&titled_items::raw));
}

/// Several of several values.
struct untitled_multi_select_enum_schema {
  untitled_multi_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  untitled_items items;
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;
  std::optional<std::vector<std::string>> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<untitled_multi_select_enum_schema>) {
  using t = untitled_multi_select_enum_schema;
  return json::fields(json::tag("type", "array"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("items", &t::items),
                      json::field("minItems", &t::min_items), json::field("maxItems", &t::max_items),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

struct titled_multi_select_enum_schema {
  titled_multi_select_enum_schema() = default;

  std::optional<std::string> title;
  std::optional<std::string> description;
  titled_items items;
  std::optional<std::int64_t> min_items;
  std::optional<std::int64_t> max_items;
  std::optional<std::vector<std::string>> default_value;
  json::value raw;
};
constexpr auto describe(std::type_identity<titled_multi_select_enum_schema>) {
  using t = titled_multi_select_enum_schema;
  return json::fields(json::tag("type", "array"), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("items", &t::items),
                      json::field("minItems", &t::min_items), json::field("maxItems", &t::max_items),
                      json::field("default", &t::default_value), json::rest(&t::raw));
}

/// A field of a kind that comcp does not know.
struct unknown_schema {
  unknown_schema() = default;

  json::value raw;
};
constexpr auto describe(std::type_identity<unknown_schema>) { return json::fields(json::rest(&unknown_schema::raw)); }

/// What one field of a form may hold.
using primitive_schema_definition =
    std::variant<string_schema, number_schema, boolean_schema, untitled_single_select_enum_schema,
                 titled_single_select_enum_schema, legacy_titled_enum_schema, untitled_multi_select_enum_schema,
                 titled_multi_select_enum_schema, unknown_schema>;

template <>
struct json::codec<primitive_schema_definition> {
  static bool read(view v, primitive_schema_definition& out, read_error& e);
  static void write(writer& w, primitive_schema_definition const& from) {
    std::visit([&](auto const& schema) { json::write(w, schema); }, from);
  }
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/elicitation_schema.ipp

namespace comcp {

COMCP_DECL bool json::codec<primitive_schema_definition>::read(view v, primitive_schema_definition& out,
                                                               read_error& e) {
  if (!v.is_object()) return e.expected(v, "object");
  auto const as = [&]<class Kind>(std::type_identity<Kind>) { return codec<Kind>::read(v, out.emplace<Kind>(), e); };
  auto const found = v.find("type");
  auto const type = found ? found->get_string().value_or("") : std::string_view();
  if (type == "string") {
    if (v.find("oneOf")) return as(std::type_identity<titled_single_select_enum_schema>{});
    if (v.find("enumNames")) return as(std::type_identity<legacy_titled_enum_schema>{});
    if (v.find("enum")) return as(std::type_identity<untitled_single_select_enum_schema>{});
    return as(std::type_identity<string_schema>{});
  }
  if (type == "number" || type == "integer") return as(std::type_identity<number_schema>{});
  if (type == "boolean") return as(std::type_identity<boolean_schema>{});
  if (type == "array") {
    auto const items = v.find("items");
    if (items && items->find("anyOf")) return as(std::type_identity<titled_multi_select_enum_schema>{});
    return as(std::type_identity<untitled_multi_select_enum_schema>{});
  }
  return as(std::type_identity<unknown_schema>{});
}

}  // namespace comcp
#endif

namespace comcp {

enum class elicit_mode { form, url };
constexpr auto texts(std::type_identity<elicit_mode>) { return std::array<std::string_view, 2>{"form", "url"}; }

/// One field of a form, in the order in which the server wrote it.
struct form_field {
  form_field() = default;

  std::string name;
  bool required = false;
  primitive_schema_definition schema;
};

/// The question: a form (message, requested_schema), or a page to visit (message, url and, in 2025-11-25, its id).
struct elicit_params {
  elicit_params() = default;

  elicit_mode mode = elicit_mode::form;
  std::string message;
  json::value requested_schema;  ///< Form: a JSON Schema of a flat object; null where absent.
  std::optional<std::string> elicitation_id;
  std::optional<std::string> url;  ///< Url mode. Never open it without the user's consent to the whole address.
  std::optional<task_metadata> task;
  json::value meta;
  json::value raw;

  /// The fields of the form. Errors: wrong_shape, with the place.
  [[nodiscard]] result<std::vector<form_field>> fields() const;
};
constexpr auto describe(std::type_identity<elicit_params>) {
  using t = elicit_params;
  return json::fields(json::defaulted("mode", &t::mode), json::field("message", &t::message),
                      detail::optional_object("requestedSchema", &t::requested_schema),
                      json::field("elicitationId", &t::elicitation_id), json::field("url", &t::url),
                      json::field("task", &t::task), detail::meta_of(&t::meta), json::rest(&t::raw));
}

enum class elicit_action { accept, decline, cancel };
constexpr auto texts(std::type_identity<elicit_action>) {
  return std::array<std::string_view, 3>{"accept", "decline", "cancel"};
}

/// The user's answer. Make one with accept(), decline() or cancel().
struct elicit_result {
  elicit_result() = default;  ///< Cancelled.

  /// Url mode: the user went to the page.
  static elicit_result accept() { return elicit_result(elicit_action::accept, {}); }
  /// Form mode: the content, an object of strings, numbers, booleans and lists of strings; anything that writes as
  /// one: args("name", value, ...), a described type, a json::value.
  template <json::writable Content>
  static elicit_result accept(Content const& content) {
    return elicit_result(elicit_action::accept, json::to_value(content));
  }
  static elicit_result decline() { return elicit_result(elicit_action::decline, {}); }
  static elicit_result cancel() { return elicit_result(elicit_action::cancel, {}); }

  elicit_action action = elicit_action::cancel;
  json::value content;  ///< Null where absent.
  json::value meta;
  json::value raw;

 private:
  elicit_result(elicit_action what, json::value with) : action(what), content(std::move(with)) {}
};
constexpr auto describe(std::type_identity<elicit_result>) {
  using t = elicit_result;
  return json::fields(json::field("action", &t::action), detail::optional_object("content", &t::content),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// notifications/elicitation/complete (2025-11-25): the user finished on the page.
struct elicitation_complete {
  elicitation_complete() = default;
  explicit elicitation_complete(std::string id) : elicitation_id(std::move(id)) {}

  std::string elicitation_id;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<elicitation_complete>) {
  using t = elicitation_complete;
  return json::fields(json::field("elicitationId", &t::elicitation_id), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The data of error -32042 (2025-11-25): what the user must do before the request can succeed.
struct url_elicitation_required_data {
  url_elicitation_required_data() = default;

  std::vector<elicit_params> elicitations;
  json::value raw;
};
constexpr auto describe(std::type_identity<url_elicitation_required_data>) {
  using t = url_elicitation_required_data;
  return json::fields(json::field("elicitations", &t::elicitations), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/elicitation.ipp

namespace comcp {

COMCP_DECL result<std::vector<form_field>> elicit_params::fields() const {
  std::vector<form_field> all;
  auto const schema = requested_schema.view();
  auto const properties = schema.find("properties");
  if (!properties) return all;
  auto const required = schema.find("required").value_or(json::view());
  for (auto const property : properties->members()) {
    auto definition = json::read<primitive_schema_definition>(property.value);
    if (!definition) return definition.error();
    auto& field = all.emplace_back();
    field.name = property.key;
    field.schema = *std::move(definition);
    for (auto const name : required.elements()) field.required |= name.get_string() == property.key;
  }
  return all;
}

}  // namespace comcp
#endif

// protocol/notifications.hpp
// What a handler's on(...) may take: one type for each notification, and any_notification for the rest.

#include <string>
#include <utility>

// protocol/resources.hpp
// Resources, their templates and their contents. Spec: server/resources.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

struct resource {
  resource() = default;
  resource(std::string address, std::string its_name) : uri(std::move(address)), name(std::move(its_name)) {}

  std::string uri;
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::optional<std::int64_t> size;  ///< Bytes, before any encoding.
  std::optional<comcp::annotations> annotations;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resource>) {
  using t = resource;
  return json::fields(json::field("uri", &t::uri), json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("mimeType", &t::mime_type),
                      json::field("size", &t::size), json::field("annotations", &t::annotations),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Many resources under one pattern (RFC 6570).
struct resource_template {
  resource_template() = default;
  resource_template(std::string pattern, std::string its_name)
      : uri_template(std::move(pattern)), name(std::move(its_name)) {}

  std::string uri_template;
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::optional<comcp::annotations> annotations;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;

  /// The uri for these variables, an object: args("topic", "birds"). Errors: invalid_argument.
  [[nodiscard]] result<std::string> expand(json::fragment const& variables) const;
};
constexpr auto describe(std::type_identity<resource_template>) {
  using t = resource_template;
  return json::fields(json::field("uriTemplate", &t::uri_template), json::field("name", &t::name),
                      json::field("title", &t::title), json::field("description", &t::description),
                      json::field("mimeType", &t::mime_type), json::field("annotations", &t::annotations),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_resources_result {
  list_resources_result() = default;

  std::vector<resource> resources;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_resources_result>) {
  using t = list_resources_result;
  return json::fields(json::field("resultType", &t::result_type), detail::definitions("resources", &t::resources),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_resource_templates_result {
  list_resource_templates_result() = default;

  std::vector<resource_template> resource_templates;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_resource_templates_result>) {
  using t = list_resource_templates_result;
  return json::fields(json::field("resultType", &t::result_type),
                      detail::definitions("resourceTemplates", &t::resource_templates),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct read_resource_params {
  read_resource_params() = default;
  explicit read_resource_params(std::string address) : uri(std::move(address)) {}

  std::string uri;
  std::optional<comcp::input_responses> input_responses;
  std::optional<std::string> request_state;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<read_resource_params>) {
  using t = read_resource_params;
  return json::fields(json::field("uri", &t::uri), json::field("inputResponses", &t::input_responses),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct read_resource_result {
  read_resource_result() = default;
  read_resource_result(std::vector<resource_contents> all) : contents(std::move(all)) {}

  std::vector<resource_contents> contents;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  /// The texts among the contents, a newline between them.
  [[nodiscard]] std::string text() const;
};
constexpr auto describe(std::type_identity<read_resource_result>) {
  using t = read_resource_result;
  return json::fields(json::field("resultType", &t::result_type), json::field("contents", &t::contents),
                      json::field("ttlMs", &t::ttl_ms), json::field("cacheScope", &t::cache_scope),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The parameters of resources/subscribe and resources/unsubscribe (legacy).
struct subscribe_params {
  subscribe_params() = default;
  explicit subscribe_params(std::string address) : uri(std::move(address)) {}

  std::string uri;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<subscribe_params>) {
  using t = subscribe_params;
  return json::fields(json::field("uri", &t::uri), detail::meta_of(&t::meta), json::rest(&t::raw));
}
using unsubscribe_params = subscribe_params;

/// notifications/resources/updated. The uri may be that of a part of what was subscribed to.
struct resource_updated {
  resource_updated() = default;
  explicit resource_updated(std::string address) : uri(std::move(address)) {}

  std::string uri;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resource_updated>) {
  using t = resource_updated;
  return json::fields(json::field("uri", &t::uri), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/resources.ipp

// protocol/uri_template.hpp
// URI templates (RFC 6570, all four levels): what resource templates are made of. Parsing finds every fault of
// the template; expanding finds values that do not fit it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace comcp {

/// A parsed template. Immutable after parsing; safe to use from any thread.
class uri_template {
 public:
  /// Errors: invalid_argument, with the offset of the fault. Literal characters that no URI may hold (a space,
  /// say) are percent-encoded rather than refused.
  static result<uri_template> parse(std::string_view text);

  /// The names of the variables, each once, in the order of their first use.
  [[nodiscard]] std::vector<std::string> const& variables() const noexcept { return variables_; }
  [[nodiscard]] std::string const& text() const noexcept { return text_; }

  /// The URI for these variables: an object whose members are strings, numbers, booleans, arrays or objects of
  /// such. Absent and null members are undefined and leave no trace. Members that the template does not name are
  /// ignored. Errors: invalid_argument (not an object, nested too deep, a prefix of a list or object).
  [[nodiscard]] result<std::string> expand(json::view variables) const;
  [[nodiscard]] result<std::string> expand(json::value const& variables) const { return expand(variables.view()); }
  /// expand(args("id", 7)), or any described struct. An absent fragment has no variables.
  [[nodiscard]] result<std::string> expand(json::fragment const& variables) const;

 private:
  struct variable {
    std::string name;
    std::size_t prefix = 0;  // characters to keep; 0 is all
    bool explode = false;
  };
  struct part {  // literal text where `variables` is empty
    std::string literal;
    char op = 0;
    std::vector<variable> variables;
  };
  struct operators;

  result<void> parse_expression(std::string_view text, std::size_t offset);
  static result<void> expand_part(part const& p, json::view variables, std::string& out);

  std::string text_;
  std::vector<part> parts_;
  std::vector<std::string> variables_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/uri_template.ipp
#include <algorithm>
#include <optional>

namespace comcp {

// How each operator joins and encodes: RFC 6570, appendix A.
struct uri_template::operators {
  char op;
  char const* first;
  char separator;
  bool named;
  char const* if_empty;
  bool reserved;

  static operators const& of(char op) noexcept {
    static constexpr operators table[] = {
        {0, "", ',', false, "", false},    {'+', "", ',', false, "", true},   {'#', "#", ',', false, "", true},
        {'.', ".", '.', false, "", false}, {'/', "/", '/', false, "", false}, {';', ";", ';', true, "", false},
        {'?', "?", '&', true, "=", false}, {'&', "&", '&', true, "=", false},
    };
    return *std::find_if(std::begin(table), std::end(table) - 1, [op](auto const& o) { return o.op == op; });
  }
};

namespace uri_detail {

inline bool is_hex(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline bool is_alnum(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool is_unreserved(char c) noexcept { return is_alnum(c) || (c && std::string_view("-._~").find(c) < 4); }
inline bool is_reserved(char c) noexcept { return c && std::string_view(":/?#[]@!$&'()*+,;=").find(c) < 18; }
inline bool is_triplet(std::string_view s, std::size_t i) noexcept {
  return s[i] == '%' && i + 2 < s.size() && is_hex(s[i + 1]) && is_hex(s[i + 2]);
}

/// Appends `s`, percent-encoded; with `reserved`, reserved characters and percent triplets stay as they are.
COMCP_DECL void encode(std::string& out, std::string_view s, bool reserved) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    auto const c = s[i];
    if (is_unreserved(c) || (reserved && (is_reserved(c) || is_triplet(s, i)))) {
      out += c;
    } else {
      auto const byte = static_cast<unsigned char>(c);
      out += '%';
      out += "0123456789ABCDEF"[byte >> 4];
      out += "0123456789ABCDEF"[byte & 15];
    }
  }
}

/// The first `n` characters of UTF-8 text.
inline std::string_view prefix(std::string_view s, std::size_t n) noexcept {
  std::size_t i = 0;
  while (i < s.size() && n > 0) {
    ++i;
    while (i < s.size() && (static_cast<unsigned char>(s[i]) & 0xC0) == 0x80) ++i;
    --n;
  }
  return s.substr(0, i);
}

/// The text of a plain value; nothing for arrays and objects.
inline std::optional<std::string> scalar(json::view v) {
  if (auto const s = v.get_string()) return std::string(*s);
  if (v.is_array() || v.is_object()) return {};
  return v.dump();
}

/// varname of RFC 6570: letters, digits, underscores and triplets, single dots between them.
inline bool is_name(std::string_view s) noexcept {
  bool dot_allowed = false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '.') {
      if (!dot_allowed) return false;
      dot_allowed = false;
      continue;
    }
    if (is_triplet(s, i)) {
      i += 2;
    } else if (!is_alnum(s[i]) && s[i] != '_') {
      return false;
    }
    dot_allowed = true;
  }
  return dot_allowed;
}

inline error fault(std::string_view what, std::size_t offset) {
  return {errc::invalid_argument, "URI template: " + std::string(what) + " at offset " + std::to_string(offset)};
}

}  // namespace uri_detail

COMCP_DECL result<uri_template> uri_template::parse(std::string_view text) {
  uri_template t;
  t.text_ = text;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '}') return uri_detail::fault("'}' without '{'", i);
    if (text[i] != '{') {
      auto const end = std::min(text.find_first_of("{}", i), text.size());
      uri_detail::encode(t.parts_.emplace_back().literal, text.substr(i, end - i), true);
      i = end;
      continue;
    }
    auto const end = text.find_first_of("{}", i + 1);
    if (end == text.npos || text[end] == '{') return uri_detail::fault("'{' without '}'", i);
    if (auto parsed = t.parse_expression(text.substr(i + 1, end - i - 1), i + 1); !parsed) return parsed.error();
    i = end + 1;
  }
  return t;
}

COMCP_DECL result<void> uri_template::parse_expression(std::string_view text, std::size_t offset) {
  part p;
  if (!text.empty() && std::string_view("+#./;?&").find(text[0]) != text.npos) {
    p.op = text[0];
    text.remove_prefix(1);
    ++offset;
  }
  for (bool more = true; more;) {
    auto const comma = text.find(',');
    auto spec = text.substr(0, comma);
    variable v;
    if (spec.ends_with('*')) {
      v.explode = true;
      spec.remove_suffix(1);
    } else if (auto const colon = spec.find(':'); colon != spec.npos) {
      auto const digits = spec.substr(colon + 1);
      bool const good = !digits.empty() && digits.size() <= 4 && digits[0] != '0' &&
                        digits.find_first_not_of("0123456789") == digits.npos;
      if (!good) return uri_detail::fault("a prefix that is not 1 to 9999", offset + colon);
      for (char const d : digits) v.prefix = v.prefix * 10 + static_cast<std::size_t>(d - '0');
      spec = spec.substr(0, colon);
    }
    if (!uri_detail::is_name(spec)) return uri_detail::fault("no variable name", offset);
    v.name = spec;
    if (std::find(variables_.begin(), variables_.end(), v.name) == variables_.end()) variables_.push_back(v.name);
    p.variables.push_back(std::move(v));
    more = comma != text.npos;
    if (more) {
      text.remove_prefix(comma + 1);
      offset += comma + 1;
    }
  }
  parts_.push_back(std::move(p));
  return {};
}

namespace uri_detail {

/// One value among those of its expression: where separators and names go.
struct sink {
  std::string& out;
  char const* first;
  char separator;
  bool named;
  char const* if_empty;
  bool reserved;
  bool started = false;

  void begin() {
    if (started) {
      out += separator;
    } else {
      out += first;
    }
    started = true;
  }
  void pair(std::string_view key, bool key_reserved, std::string_view value, bool with_name) {
    begin();
    if (with_name) {
      encode(out, key, key_reserved);
      if (value.empty()) {
        out += if_empty;
        return;
      }
      out += '=';
    }
    encode(out, value, reserved);
  }
};

inline error nested(std::string_view name) {
  return {errc::invalid_argument, "URI template: the value of \"" + std::string(name) + "\" is nested too deep"};
}

/// The members of a list or object: texts, with keys for an object. Null members are left out.
COMCP_DECL result<std::vector<std::pair<std::string, std::string>>> members_of(json::view v, std::string_view name) {
  std::vector<std::pair<std::string, std::string>> all;
  auto const add = [&all](std::string_view key, json::view member) {
    if (member.is_null()) return true;
    auto text = scalar(member);
    if (text) all.emplace_back(key, std::move(*text));
    return text.has_value();
  };
  for (auto const e : v.elements()) {
    if (!add({}, e)) return nested(name);
  }
  for (auto const m : v.members()) {
    if (!add(m.key, m.value)) return nested(name);
  }
  return all;
}

/// A list or object without explode is one value with commas.
COMCP_DECL void join(sink& s, std::string_view name, bool object,
                     std::vector<std::pair<std::string, std::string>> const& all) {
  s.begin();
  if (s.named) {
    s.out += name;
    s.out += '=';
  }
  bool first = true;
  for (auto const& [key, value] : all) {
    if (!first) s.out += ',';
    first = false;
    if (object) {
      encode(s.out, key, s.reserved);
      s.out += ',';
    }
    encode(s.out, value, s.reserved);
  }
}

}  // namespace uri_detail

COMCP_DECL result<void> uri_template::expand_part(part const& p, json::view variables, std::string& out) {
  auto const& how = operators::of(p.op);
  uri_detail::sink s{out, how.first, how.separator, how.named, how.if_empty, how.reserved};
  for (auto const& v : p.variables) {
    auto const found = variables.find(v.name);
    if (!found || found->is_null()) continue;
    if (auto const text = uri_detail::scalar(*found)) {
      s.pair(v.name, true, v.prefix ? uri_detail::prefix(*text, v.prefix) : std::string_view(*text), how.named);
      continue;
    }
    if (v.prefix)
      return error(errc::invalid_argument, "URI template: \"" + v.name + "\" has a prefix, but its value is no string");
    auto const all = uri_detail::members_of(*found, v.name);
    if (!all) return all.error();
    if (all->empty()) continue;
    if (!v.explode) {
      uri_detail::join(s, v.name, found->is_object(), *all);
    } else {
      for (auto const& [key, value] : *all) {
        if (found->is_array()) {
          s.pair(v.name, true, value, how.named);
        } else if (how.named) {
          s.pair(key, how.reserved, value, true);
        } else {  // here an empty value keeps its '='
          s.begin();
          uri_detail::encode(out, key, how.reserved);
          out += '=';
          uri_detail::encode(out, value, how.reserved);
        }
      }
    }
  }
  return {};
}

COMCP_DECL result<std::string> uri_template::expand(json::view variables) const {
  if (!variables.is_object()) return error(errc::invalid_argument, "URI template: the variables are not an object");
  std::string out;
  for (auto const& p : parts_) {
    if (p.variables.empty()) {
      out += p.literal;
    } else if (auto expanded = expand_part(p, variables, out); !expanded) {
      return expanded.error();
    }
  }
  return out;
}

COMCP_DECL result<std::string> uri_template::expand(json::fragment const& variables) const {
  auto const parsed = json::parse(variables.empty() ? std::string_view("{}") : std::string_view(variables.text()));
  if (!parsed) return parsed.error();
  return expand(parsed->view());
}

}  // namespace comcp
#endif

namespace comcp {

COMCP_DECL result<std::string> resource_template::expand(json::fragment const& variables) const {
  auto const parsed = comcp::uri_template::parse(uri_template);
  if (!parsed) return parsed.error();
  return parsed->expand(variables);
}

COMCP_DECL std::string read_resource_result::text() const {
  std::string all;
  bool first = true;
  for (auto const& part : contents) {
    if (!part.text) continue;
    if (!first) all += '\n';
    first = false;
    all += *part.text;
  }
  return all;
}

}  // namespace comcp
#endif

// protocol/subscriptions.hpp
// Listen streams of the modern era: what a client wants to hear of. Spec: 2026-07-28 basic/patterns/subscriptions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// protocol/meta.hpp
// `_meta`: the keys that the protocol reserves, which keys users may set, and the reserved contents as types.
// Spec: 2026-07-28 basic (_meta).

#include <optional>
#include <string>
#include <string_view>

namespace comcp {

namespace meta_key {
inline constexpr std::string_view progress_token = "progressToken";
inline constexpr std::string_view protocol_version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view client_info = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view client_capabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view related_task = "io.modelcontextprotocol/related-task";
inline constexpr std::string_view traceparent = "traceparent";
inline constexpr std::string_view tracestate = "tracestate";
inline constexpr std::string_view baggage = "baggage";
}  // namespace meta_key

/// Whether a user may set this key: it follows the naming rule and is not the protocol's own. The trace context
/// keys are allowed. Errors: invalid_argument, which says why.
result<void> check_meta_key(std::string_view key);

/// check_meta_key for every key; `meta` must be an object, or null for none.
result<void> check_user_meta(json::view meta);

/// What `_meta` of a modern request carries; that of a legacy one has the progress token only.
struct request_meta {
  request_meta() = default;

  std::optional<std::string> protocol_version;
  std::optional<implementation> client_info;
  std::optional<comcp::client_capabilities> client_capabilities;
  std::optional<comcp::log_level> log_level;
  std::optional<comcp::progress_token> progress_token;
  json::value raw;
};
constexpr auto describe(std::type_identity<request_meta>) {
  using t = request_meta;
  return json::fields(json::field(meta_key::protocol_version, &t::protocol_version),
                      json::field(meta_key::client_info, &t::client_info),
                      json::field(meta_key::client_capabilities, &t::client_capabilities),
                      json::field(meta_key::log_level, &t::log_level),
                      json::field(meta_key::progress_token, &t::progress_token), json::rest(&t::raw));
}

/// What `_meta` of a modern result carries.
struct result_meta {
  result_meta() = default;

  std::optional<implementation> server_info;
  std::optional<peer_id> subscription_id;  ///< In the result of subscriptions/listen.
  json::value raw;
};
constexpr auto describe(std::type_identity<result_meta>) {
  using t = result_meta;
  return json::fields(json::field(meta_key::server_info, &t::server_info),
                      json::field(meta_key::subscription_id, &t::subscription_id), json::rest(&t::raw));
}

/// What `_meta` of a notification on a listen stream carries.
struct notification_meta {
  notification_meta() = default;

  std::optional<peer_id> subscription_id;
  json::value raw;
};
constexpr auto describe(std::type_identity<notification_meta>) {
  using t = notification_meta;
  return json::fields(json::field(meta_key::subscription_id, &t::subscription_id), json::rest(&t::raw));
}

/// The server's name in a result's `_meta`, if it is there and readable.
std::optional<implementation> server_info_of(json::view meta);

/// The listen request that a notification's or result's `_meta` belongs to.
std::optional<peer_id> subscription_id_of(json::view meta);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/meta.ipp

namespace comcp {
namespace detail {

inline bool is_meta_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_meta_alnum(char c) noexcept { return is_meta_letter(c) || (c >= '0' && c <= '9'); }

COMCP_DECL bool is_meta_label(std::string_view label) noexcept {
  if (label.empty() || !is_meta_letter(label.front()) || !is_meta_alnum(label.back())) return false;
  for (char const c : label) {
    if (!is_meta_alnum(c) && c != '-') return false;
  }
  return true;
}

COMCP_DECL bool is_meta_name(std::string_view name) noexcept {
  if (name.empty()) return true;
  if (!is_meta_alnum(name.front()) || !is_meta_alnum(name.back())) return false;
  for (char const c : name) {
    if (!is_meta_alnum(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

COMCP_DECL error meta_refusal(std::string_view key, char const* why) {
  return {errc::invalid_argument, "the _meta key \"" + std::string(key) + "\" " + why};
}

}  // namespace detail

COMCP_DECL result<void> check_meta_key(std::string_view key) {
  if (key == meta_key::progress_token) return detail::meta_refusal(key, "is set by comcp: ask for progress instead");
  auto const slash = key.find('/');
  auto const name = slash == key.npos ? key : key.substr(slash + 1);
  if (!detail::is_meta_name(name))
    return detail::meta_refusal(key, "has a bad name: letters, digits, '-', '_' and '.', alphanumeric at both ends");
  if (slash == key.npos) return {};
  auto prefix = key.substr(0, slash);
  for (std::size_t label = 0;; ++label) {
    auto const dot = prefix.find('.');
    auto const text = prefix.substr(0, dot);
    if (!detail::is_meta_label(text))
      return detail::meta_refusal(key, "has a bad prefix: labels of letters, digits and '-', dots between them");
    if (label == 1 && (text == "modelcontextprotocol" || text == "mcp"))
      return detail::meta_refusal(key, "has a prefix that the protocol reserves");
    if (dot == prefix.npos) return {};
    prefix.remove_prefix(dot + 1);
  }
}

COMCP_DECL result<void> check_user_meta(json::view meta) {
  if (meta.is_null()) return {};
  if (!meta.is_object()) return error(errc::invalid_argument, "_meta must be an object");
  for (auto const m : meta.members()) {
    auto ok = check_meta_key(m.key);
    if (!ok) return ok;
  }
  return {};
}

COMCP_DECL std::optional<implementation> server_info_of(json::view meta) {
  auto const found = meta.find(meta_key::server_info);
  if (!found) return {};
  auto info = json::read<implementation>(*found);
  return info ? std::optional(*std::move(info)) : std::nullopt;
}

COMCP_DECL std::optional<peer_id> subscription_id_of(json::view meta) {
  auto const found = meta.find(meta_key::subscription_id);
  if (!found) return {};
  auto id = json::read<peer_id>(*found);
  return id ? std::optional(*std::move(id)) : std::nullopt;
}

}  // namespace comcp
#endif

namespace comcp {

/// Which notifications a listen stream brings. Compared as a set: the order of the uris does not matter.
struct subscription_filter {
  subscription_filter() = default;

  bool tools_list_changed = false;
  bool prompts_list_changed = false;
  bool resources_list_changed = false;
  std::vector<std::string> resource_subscriptions;  ///< The uris of resources whose updates are wanted.
  json::value raw;

  /// Whether nothing is asked for.
  [[nodiscard]] bool empty() const noexcept;
  [[nodiscard]] bool has_resource(std::string_view uri) const noexcept;
  /// Asks for what `other` asks for too; the uris end up sorted, each once.
  subscription_filter& unite(subscription_filter const& other);
  /// Whether everything that `other` asks for is asked for here.
  [[nodiscard]] bool covers(subscription_filter const& other) const;

  friend bool operator==(subscription_filter const& a, subscription_filter const& b) {
    return a.covers(b) && b.covers(a);
  }
};
constexpr auto describe(std::type_identity<subscription_filter>) {
  using t = subscription_filter;
  return json::fields(json::defaulted("toolsListChanged", &t::tools_list_changed),
                      json::defaulted("promptsListChanged", &t::prompts_list_changed),
                      json::defaulted("resourcesListChanged", &t::resources_list_changed),
                      json::defaulted("resourceSubscriptions", &t::resource_subscriptions), json::rest(&t::raw));
}

struct subscriptions_listen_params {
  subscriptions_listen_params() = default;
  explicit subscriptions_listen_params(subscription_filter filter) : notifications(std::move(filter)) {}

  subscription_filter notifications;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<subscriptions_listen_params>) {
  using t = subscriptions_listen_params;
  return json::fields(json::field("notifications", &t::notifications), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// notifications/subscriptions/acknowledged: what the server agreed to send.
struct subscriptions_acknowledged {
  subscriptions_acknowledged() = default;

  subscription_filter notifications;
  json::value meta;
  json::value raw;

  [[nodiscard]] std::optional<peer_id> subscription_id() const { return subscription_id_of(meta); }
};
constexpr auto describe(std::type_identity<subscriptions_acknowledged>) {
  using t = subscriptions_acknowledged;
  return json::fields(json::field("notifications", &t::notifications), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The end of a listen stream, as the server ends it.
struct subscriptions_listen_result {
  subscriptions_listen_result() = default;

  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  [[nodiscard]] std::optional<peer_id> subscription_id() const { return subscription_id_of(meta); }
};
constexpr auto describe(std::type_identity<subscriptions_listen_result>) {
  using t = subscriptions_listen_result;
  return json::fields(json::field("resultType", &t::result_type), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/subscriptions.ipp
#include <algorithm>

namespace comcp {

COMCP_DECL bool subscription_filter::empty() const noexcept {
  return !tools_list_changed && !prompts_list_changed && !resources_list_changed && resource_subscriptions.empty();
}

COMCP_DECL bool subscription_filter::has_resource(std::string_view uri) const noexcept {
  return std::find(resource_subscriptions.begin(), resource_subscriptions.end(), uri) != resource_subscriptions.end();
}

COMCP_DECL subscription_filter& subscription_filter::unite(subscription_filter const& other) {
  tools_list_changed |= other.tools_list_changed;
  prompts_list_changed |= other.prompts_list_changed;
  resources_list_changed |= other.resources_list_changed;
  auto uris = other.resource_subscriptions;
  auto& ours = resource_subscriptions;
  ours.insert(ours.end(), uris.begin(), uris.end());
  std::sort(ours.begin(), ours.end());
  ours.erase(std::unique(ours.begin(), ours.end()), ours.end());
  return *this;
}

COMCP_DECL bool subscription_filter::covers(subscription_filter const& other) const {
  if (other.tools_list_changed && !tools_list_changed) return false;
  if (other.prompts_list_changed && !prompts_list_changed) return false;
  if (other.resources_list_changed && !resources_list_changed) return false;
  std::vector<std::string_view> ours(resource_subscriptions.begin(), resource_subscriptions.end());
  std::sort(ours.begin(), ours.end());
  return std::all_of(other.resource_subscriptions.begin(), other.resource_subscriptions.end(),
                     [&](std::string const& uri) { return std::binary_search(ours.begin(), ours.end(), uri); });
}

}  // namespace comcp
#endif

namespace comcp {

/// notifications/tools/list_changed. Spec: server/tools.
struct tools_list_changed {
  tools_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<tools_list_changed>) {
  return json::fields(detail::meta_of(&tools_list_changed::meta), json::rest(&tools_list_changed::raw));
}

/// notifications/prompts/list_changed. Spec: server/prompts.
struct prompts_list_changed {
  prompts_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompts_list_changed>) {
  return json::fields(detail::meta_of(&prompts_list_changed::meta), json::rest(&prompts_list_changed::raw));
}

/// notifications/resources/list_changed. Spec: server/resources.
struct resources_list_changed {
  resources_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resources_list_changed>) {
  return json::fields(detail::meta_of(&resources_list_changed::meta), json::rest(&resources_list_changed::raw));
}

/// notifications/roots/list_changed, which the client sends (legacy). Spec: client/roots.
struct roots_list_changed {
  roots_list_changed() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<roots_list_changed>) {
  return json::fields(detail::meta_of(&roots_list_changed::meta), json::rest(&roots_list_changed::raw));
}

/// notifications/initialized, which the client sends (legacy).
struct initialized {
  initialized() = default;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<initialized>) {
  return json::fields(detail::meta_of(&initialized::meta), json::rest(&initialized::raw));
}

/// Any notification, for the catch-all.
struct any_notification {
  any_notification() = default;
  any_notification(std::string its_method, json::value its_params)
      : method(std::move(its_method)), params(std::move(its_params)) {}

  std::string method;
  json::value params;  ///< Null where absent.

  friend bool operator==(any_notification const&, any_notification const&) = default;
};

}  // namespace comcp

// protocol/roots.hpp
// The places that a client lets servers work in. Spec: client/roots.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

struct root {
  root() = default;
  explicit root(std::string address, std::optional<std::string> shown = {})
      : uri(std::move(address)), name(std::move(shown)) {}

  std::string uri;  ///< A file:// URI.
  std::optional<std::string> name;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<root>) {
  using t = root;
  return json::fields(json::field("uri", &t::uri), json::field("name", &t::name), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

struct list_roots_result {
  list_roots_result() = default;
  list_roots_result(std::vector<root> all) : roots(std::move(all)) {}

  std::vector<root> roots;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_roots_result>) {
  using t = list_roots_result;
  return json::fields(json::field("roots", &t::roots), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

// protocol/sampling.hpp
// Sampling: a server asks for a message of the client's language model. Spec: client/sampling.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

/// The content of a message: one piece or several. A single one is written without a list, as every version
/// understands it.
class sampling_content {
 public:
  using block = sampling_message_content_block;
  sampling_content() = default;
  sampling_content(block piece) { blocks_.push_back(std::move(piece)); }
  sampling_content(text_content text) { blocks_.emplace_back(std::move(text)); }
  sampling_content(char const* text) : sampling_content(text_content(text)) {}
  sampling_content(std::string text) : sampling_content(text_content(std::move(text))) {}
  sampling_content(std::vector<block> pieces) : blocks_(std::move(pieces)), list_(true) {}

  [[nodiscard]] std::vector<block> const& blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
  [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
  [[nodiscard]] auto begin() const noexcept { return blocks_.begin(); }
  [[nodiscard]] auto end() const noexcept { return blocks_.end(); }
  [[nodiscard]] block const& operator[](std::size_t i) const noexcept { return blocks_[i]; }
  void push_back(block piece) { blocks_.push_back(std::move(piece)); }
  /// Whether it is written as a list: it came so, or has not exactly one piece.
  [[nodiscard]] bool is_list() const noexcept { return list_ || blocks_.size() != 1; }
  /// The texts among the pieces, a newline between them.
  [[nodiscard]] std::string text() const;

 private:
  friend struct json::codec<sampling_content>;
  std::vector<block> blocks_;
  bool list_ = false;
};

template <>
struct json::codec<sampling_content> {
  using block = sampling_message_content_block;
  static bool read(view v, sampling_content& out, read_error& e) {
    out.list_ = v.is_array();
    if (out.list_) return codec<std::vector<block>>::read(v, out.blocks_, e);
    out.blocks_.clear();
    return codec<block>::read(v, out.blocks_.emplace_back(), e);
  }
  static void write(writer& w, sampling_content const& content) {
    if (content.is_list()) {
      codec<std::vector<block>>::write(w, content.blocks_);
    } else {
      codec<block>::write(w, content.blocks_.front());
    }
  }
};

struct sampling_message {
  sampling_message() = default;
  sampling_message(comcp::role who, sampling_content what) : role(who), content(std::move(what)) {}

  comcp::role role = comcp::role::user;
  sampling_content content;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<sampling_message>) {
  using t = sampling_message;
  return json::fields(json::field("role", &t::role), json::field("content", &t::content), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

/// Part of a model's name, to be matched loosely.
struct model_hint {
  model_hint() = default;
  explicit model_hint(std::string part) : name(std::move(part)) {}

  std::optional<std::string> name;
  json::value raw;
};
constexpr auto describe(std::type_identity<model_hint>) {
  return json::fields(json::field("name", &model_hint::name), json::rest(&model_hint::raw));
}

/// What the server would like of the model; priorities go from 0 to 1.
struct model_preferences {
  model_preferences() = default;

  std::vector<model_hint> hints;
  std::optional<double> cost_priority;
  std::optional<double> speed_priority;
  std::optional<double> intelligence_priority;
  json::value raw;
};
constexpr auto describe(std::type_identity<model_preferences>) {
  using t = model_preferences;
  return json::fields(json::defaulted("hints", &t::hints), json::field("costPriority", &t::cost_priority),
                      json::field("speedPriority", &t::speed_priority),
                      json::field("intelligencePriority", &t::intelligence_priority), json::rest(&t::raw));
}

enum class tool_choice_mode { auto_, required, none };
constexpr auto texts(std::type_identity<tool_choice_mode>) {
  return std::array<std::string_view, 3>{"auto", "required", "none"};
}

/// Whether the model may, must or must not use the tools; absent means auto.
struct tool_choice {
  tool_choice() = default;
  explicit tool_choice(tool_choice_mode how) : mode(how) {}

  std::optional<tool_choice_mode> mode;
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_choice>) {
  return json::fields(json::field("mode", &tool_choice::mode), json::rest(&tool_choice::raw));
}

/// Which servers' context the server would like included.
enum class include_context { none, this_server, all_servers };
constexpr auto texts(std::type_identity<include_context>) {
  return std::array<std::string_view, 3>{"none", "thisServer", "allServers"};
}

struct create_message_params {
  create_message_params() = default;

  std::vector<sampling_message> messages;
  std::int64_t max_tokens = 0;
  std::optional<comcp::model_preferences> model_preferences;
  std::optional<std::string> system_prompt;
  std::optional<comcp::include_context> include_context;
  std::optional<double> temperature;
  std::vector<std::string> stop_sequences;
  json::value metadata;  ///< For the model's provider; an object, null where absent.
  std::optional<std::vector<tool>> tools;
  std::optional<comcp::tool_choice> tool_choice;
  std::optional<task_metadata> task;
  json::value meta;
  json::value raw;

  /// Each message with tool results must hold nothing else and answer exactly the tool uses of the message before
  /// it. Errors: wrong_shape, with what is unpaired.
  [[nodiscard]] result<void> check_tool_results() const;
};
constexpr auto describe(std::type_identity<create_message_params>) {
  using t = create_message_params;
  return json::fields(
      json::field("messages", &t::messages), json::field("maxTokens", &t::max_tokens),
      json::field("modelPreferences", &t::model_preferences), json::field("systemPrompt", &t::system_prompt),
      json::field("includeContext", &t::include_context), json::field("temperature", &t::temperature),
      json::defaulted("stopSequences", &t::stop_sequences), detail::optional_object("metadata", &t::metadata),
      json::field("tools", &t::tools), json::field("toolChoice", &t::tool_choice), json::field("task", &t::task),
      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The model's message. stop_reason: "endTurn", "stopSequence", "maxTokens", "toolUse", or the provider's own.
struct create_message_result {
  create_message_result() = default;
  create_message_result(std::string by_model, sampling_content what)
      : content(std::move(what)), model(std::move(by_model)) {}

  comcp::role role = comcp::role::assistant;
  sampling_content content;
  std::string model;
  std::optional<std::string> stop_reason;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<create_message_result>) {
  using t = create_message_result;
  return json::fields(json::field("role", &t::role), json::field("content", &t::content),
                      json::field("model", &t::model), json::field("stopReason", &t::stop_reason),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/sampling.ipp
#include <set>

namespace comcp {
namespace detail {

/// The ids of the tool uses (or results) in a message; nothing when one occurs twice.
template <class Kind, class Id>
std::optional<std::set<std::string>> sampled_ids(sampling_message const& message, Id id) {
  std::set<std::string> ids;
  for (auto const& block : message.content) {
    auto const* const piece = std::get_if<Kind>(&block);
    if (piece && !ids.insert(piece->*id).second) return {};
  }
  return ids;
}

}  // namespace detail

COMCP_DECL std::string sampling_content::text() const {
  std::string all;
  bool first = true;
  for (auto const& each : blocks_) {
    auto const* const piece = std::get_if<text_content>(&each);
    if (!piece) continue;
    if (!first) all += '\n';
    first = false;
    all += piece->text;
  }
  return all;
}

COMCP_DECL result<void> create_message_params::check_tool_results() const {
  auto const refuse = [](std::size_t i, char const* why) {
    return error(errc::wrong_shape, "message " + std::to_string(i) + why);
  };
  std::set<std::string> open;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    auto const& message = messages[i];
    auto const answers = detail::sampled_ids<tool_result_content>(message, &tool_result_content::tool_use_id);
    if (!answers) return refuse(i, " answers a tool use twice");
    if (*answers != open) return refuse(i, " does not answer exactly the tool uses before it");
    if (!answers->empty() && (message.role != comcp::role::user || answers->size() != message.content.size()))
      return refuse(i, " mixes tool results with other content, or is not the user's");
    auto uses = detail::sampled_ids<tool_use_content>(message, &tool_use_content::id);
    if (!uses) return refuse(i, " uses one tool use id twice");
    if (!uses->empty() && message.role != comcp::role::assistant) return refuse(i, " uses tools, and is the user's");
    open = std::move(*uses);
  }
  if (!open.empty()) return error(errc::wrong_shape, "the last message's tool uses have no results");
  return {};
}

}  // namespace comcp
#endif

namespace comcp {
class context;
class handler_chain;

namespace detail {

// Whether H has a member of a name at all, whatever its type: a second base with the same name makes the
// name ambiguous. A final class cannot be asked; for it only the callable forms count.
#define COMCP_HAS_MEMBER(name)                                                     \
  struct name##_probe {                                                            \
    int name;                                                                      \
  };                                                                               \
  template <class H>                                                               \
  struct name##_joined : H, name##_probe {};                                       \
  template <class H>                                                               \
  constexpr bool names_##name() {                                                  \
    if constexpr (std::is_class_v<H> && !std::is_final_v<H>)                       \
      return !requires { &name##_joined<H>::name; };                               \
    else                                                                           \
      return false;                                                                \
  }
COMCP_HAS_MEMBER(create_message)
COMCP_HAS_MEMBER(list_roots)
COMCP_HAS_MEMBER(elicit)
COMCP_HAS_MEMBER(elicit_url)
COMCP_HAS_MEMBER(on)
COMCP_HAS_MEMBER(on_request)
COMCP_HAS_MEMBER(capabilities)
#undef COMCP_HAS_MEMBER

template <class H>
concept has_create_message = requires(H& h, create_message_params p) { h.create_message(std::move(p)); } ||
                             requires(H& h, create_message_params p, context& c) { h.create_message(std::move(p), c); };
template <class H>
concept has_list_roots = requires(H& h) { h.list_roots(); } || requires(H& h, context& c) { h.list_roots(c); };
template <class H>
concept has_elicit = requires(H& h, elicit_params p) { h.elicit(std::move(p)); } ||
                     requires(H& h, elicit_params p, context& c) { h.elicit(std::move(p), c); };
template <class H>
concept has_elicit_url = requires(H& h, elicit_params p) { h.elicit_url(std::move(p)); } ||
                         requires(H& h, elicit_params p, context& c) { h.elicit_url(std::move(p), c); };
template <class H>
concept has_on_request =
    requires(H& h, std::string m, json::value p) { h.on_request(std::move(m), std::move(p)); } ||
    requires(H& h, std::string m, json::value p, context& c) { h.on_request(std::move(m), std::move(p), c); };
template <class H>
concept has_capabilities = requires(H& h, client_capabilities& c) { h.capabilities(c); };

// An argument that converts to exactly N, so that a catch-all with a wide parameter does not count for all.
template <class N>
struct exactly {
  template <class T>
    requires std::same_as<T, N>
  operator T() const;
};
template <class H, class N>
concept has_on =
    requires(H& h, exactly<N> n) { h.on(n); } || requires(H& h, exactly<N> n, context& c) { h.on(n, c); };

template <class H>
concept has_any_on = has_on<H, tools_list_changed> || has_on<H, prompts_list_changed> ||
                     has_on<H, resources_list_changed> || has_on<H, resource_updated> || has_on<H, logging_message> ||
                     has_on<H, elicitation_complete> || has_on<H, cancelled> ||
                     has_on<H, progress_notification> || has_on<H, any_notification>;

template <class H>
constexpr bool check_handler() {
  static_assert(has_create_message<H> || !names_create_message<H>(),
                "comcp: this handler's create_message() cannot be called: it takes (create_message_params) or "
                "(create_message_params, context&)");
  static_assert(has_list_roots<H> || !names_list_roots<H>(),
                "comcp: this handler's list_roots() cannot be called: it takes () or (context&)");
  static_assert(has_elicit<H> || !names_elicit<H>(),
                "comcp: this handler's elicit() cannot be called: it takes (elicit_params) or (elicit_params, context&)");
  static_assert(has_elicit_url<H> || !names_elicit_url<H>(),
                "comcp: this handler's elicit_url() cannot be called: it takes (elicit_params) or "
                "(elicit_params, context&)");
  static_assert(has_on_request<H> || !names_on_request<H>(),
                "comcp: this handler's on_request() cannot be called: it takes (std::string, json::value) or "
                "(std::string, json::value, context&)");
  static_assert(has_capabilities<H> || !names_capabilities<H>(),
                "comcp: this handler's capabilities() cannot be called: it takes (client_capabilities&)");
  static_assert(has_any_on<H> || !names_on<H>(),
                "comcp: this handler's on() takes none of the notification types of comcp/protocol/notifications.hpp");
  return true;
}

}  // namespace detail
}  // namespace comcp

// client/handler_calls.hpp
// Calls the members of a concrete handler: decodes what came, passes the context where it is wanted, and
// turns whatever the member returned into the text of an answer.

#include <asio/awaitable.hpp>

// client/answers.hpp
// What is done to a handler's answer before the server sees it. Called by templates only, so that a program without
// elicitation does not compile the schema validator. Internal.

namespace comcp::detail {

/// Form mode: content only on accept, its omitted fields filled with the schema's defaults, then checked against
/// the schema as the client's options say. Errors: validation_failed.
result<json::fragment> complete_elicitation(context const& ctx, json::view request, json::fragment const& answered);

/// Roots are file:// uris. Errors: invalid_argument.
result<void> check_roots(json::fragment const& answered);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)

// client/impl/answers.ipp

// schema/elicitation.hpp
// Form elicitation: what the answer to a requested schema (a flat object of primitive properties) must be.

namespace comcp {

/// The content with the schema's defaults for properties that it omits. A null content has none.
/// Errors: invalid_argument (the content is no object).
result<json::value> fill_defaults(json::view requested_schema, json::view content);

/// Whether the content is an object whose members are strings, numbers, booleans or arrays of strings, as the
/// specification asks whatever the schema says. Errors: validation_failed.
result<void> check_primitive_content(json::view content);

/// Whether the content (defaults filled in) may be sent: it is primitive, and it matches the schema, formats included.
/// Errors: validation_failed, and those of schema::compile.
result<void> check_content(json::view requested_schema, json::view content);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// schema/impl/elicitation.ipp
#include <algorithm>
#include <string>

// schema/schema.hpp
// JSON Schema: 2020-12, and draft-07 where $schema says so. Compiling resolves every reference and finds every
// fault of the schema; validating is bounded in depth and work. Nothing is ever fetched from a network. Bundled, as
// Debian 12 has no C++ library for 2020-12: libvalijson 1.0 stops at draft-07.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

namespace schema_detail {
struct program;
}

enum class schema_dialect : std::uint8_t { draft_2020_12, draft_7 };

/// How a schema is compiled, and the bounds for it.
class schema_options {
 public:
  schema_options() = default;
  /// The dialect of schemas without $schema. Default 2020-12, as MCP says.
  schema_options& default_dialect(schema_dialect d) noexcept { return default_dialect_ = d, *this; }
  /// Whether `format` is checked. Default: it is an annotation (unless a metaschema asks for format-assertion).
  schema_options& assert_formats(bool on) noexcept { return assert_formats_ = on, *this; }
  /// Deepest nesting of subschemas, at compiling and when one applies another at validating. Default 384. Each level
  /// takes about 1 KiB of stack.
  schema_options& max_depth(std::size_t n) noexcept { return max_depth_ = n, *this; }
  /// Most subschemas, those of referenced documents counted. Default 20,000.
  schema_options& max_subschemas(std::size_t n) noexcept { return max_subschemas_ = n, *this; }
  /// Most work in one validation: about one step for each keyword, value and state of a pattern. Default 20 million
  /// (below a second). Steps stand in for a time budget: they bound the time as well, and whether a value passes does
  /// not depend on the machine or its load.
  schema_options& max_steps(std::uint64_t n) noexcept { return max_steps_ = n, *this; }
  /// Most entries that violations() returns. Default 100.
  schema_options& max_violations(std::size_t n) noexcept { return max_violations_ = n, *this; }
  /// A document that references may name by `uri`; also a metaschema with $vocabulary.
  schema_options& add_document(std::string uri, json::value text) {
    return documents_.emplace_back(std::move(uri), std::move(text)), *this;
  }

  [[nodiscard]] schema_dialect default_dialect() const noexcept { return default_dialect_; }
  [[nodiscard]] bool assert_formats() const noexcept { return assert_formats_; }
  [[nodiscard]] std::size_t max_depth() const noexcept { return max_depth_; }
  [[nodiscard]] std::size_t max_subschemas() const noexcept { return max_subschemas_; }
  [[nodiscard]] std::uint64_t max_steps() const noexcept { return max_steps_; }
  [[nodiscard]] std::size_t max_violations() const noexcept { return max_violations_; }
  [[nodiscard]] std::vector<std::pair<std::string, json::value>> const& documents() const noexcept {
    return documents_;
  }

 private:
  schema_dialect default_dialect_ = schema_dialect::draft_2020_12;
  bool assert_formats_ = false;
  std::size_t max_depth_ = 384;
  std::size_t max_subschemas_ = 20'000;
  std::uint64_t max_steps_ = 20'000'000;
  std::size_t max_violations_ = 100;
  std::vector<std::pair<std::string, json::value>> documents_;
};

/// One place where an instance does not match.
struct violation {
  std::string instance;  ///< JSON Pointer into the instance; "" is the whole.
  std::string schema;    ///< JSON Pointer of the keyword; with the document's URI before '#' if it is another one.
  std::string text;      ///< What is wrong, without the value itself.

  /// One line: `/a/b: is shorter than 3 characters (/properties/a/minLength)`.
  [[nodiscard]] std::string to_string() const;
};

/// A compiled schema. Copies share it and are cheap; safe to use from any thread.
class schema {
 public:
  /// Errors: invalid_argument (not a schema, or a pattern that comcp::pattern refuses; the text has the place),
  /// unsupported_dialect, not_found (a reference to nothing known), limit_exceeded.
  static result<schema> compile(json::value const& text, schema_options const& options = {});

  /// Errors: validation_failed with the text of the first violations (three at most), limit_exceeded (max_depth,
  /// max_steps).
  [[nodiscard]] result<void> validate(json::view instance) const;
  /// Every violation, up to max_violations; empty if and only if validate() succeeds. Where a limit ended the check
  /// early, the last entry says so.
  [[nodiscard]] std::vector<violation> violations(json::view instance) const;

  /// The text that was compiled.
  [[nodiscard]] json::value const& text() const noexcept;
  [[nodiscard]] schema_dialect dialect() const noexcept;

 private:
  explicit schema(std::shared_ptr<schema_detail::program const> p) noexcept : program_(std::move(p)) {}
  std::shared_ptr<schema_detail::program const> program_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// schema/impl/schema.ipp

// schema/impl/compiler.ipp
// Turns each subschema that can be reached into its rules. A keyword of the wrong shape is a fault of the schema.

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// schema/impl/index.ipp
// Which subschemas, identifiers and anchors there are: the part of compiling that comes before any keyword means
// something. Documents are read when a reference first names them.

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// schema/impl/metaschemas.ipp
// The two dialects' own schemas, reduced to what they demand, so that a $ref to them resolves without a network.

namespace comcp::schema_detail {

inline constexpr char const* metaschema_2020_12 = R"json({
"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://json-schema.org/draft/2020-12/schema",
"$dynamicAnchor":"meta","type":["object","boolean"],
"allOf":[{"$ref":"meta/core"},{"$ref":"meta/applicator"},{"$ref":"meta/unevaluated"},{"$ref":"meta/validation"},
 {"$ref":"meta/meta-data"},{"$ref":"meta/format-annotation"},{"$ref":"meta/content"}],
"properties":{
 "definitions":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}},
 "dependencies":{"type":"object","additionalProperties":{"anyOf":[{"$dynamicRef":"#meta"},
  {"$ref":"meta/validation#/$defs/stringArray"}]}},
 "$recursiveAnchor":{"$ref":"meta/core#/$defs/anchorString"},"$recursiveRef":{"type":"string"}},
"$defs":{
"core":{"$id":"meta/core","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"$id":{"type":"string","pattern":"^[^#]*#?$"},"$schema":{"type":"string"},"$ref":{"type":"string"},
  "$anchor":{"$ref":"#/$defs/anchorString"},"$dynamicRef":{"type":"string"},
  "$dynamicAnchor":{"$ref":"#/$defs/anchorString"},
  "$vocabulary":{"type":"object","additionalProperties":{"type":"boolean"}},"$comment":{"type":"string"},
  "$defs":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}}},
 "$defs":{"anchorString":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"}}},
"applicator":{"$id":"meta/applicator","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"prefixItems":{"$ref":"#/$defs/schemaArray"},"items":{"$dynamicRef":"#meta"},
  "contains":{"$dynamicRef":"#meta"},"additionalProperties":{"$dynamicRef":"#meta"},
  "properties":{"$ref":"#/$defs/schemaMap"},"patternProperties":{"$ref":"#/$defs/schemaMap"},
  "dependentSchemas":{"$ref":"#/$defs/schemaMap"},"propertyNames":{"$dynamicRef":"#meta"},
  "if":{"$dynamicRef":"#meta"},"then":{"$dynamicRef":"#meta"},"else":{"$dynamicRef":"#meta"},
  "allOf":{"$ref":"#/$defs/schemaArray"},"anyOf":{"$ref":"#/$defs/schemaArray"},
  "oneOf":{"$ref":"#/$defs/schemaArray"},"not":{"$dynamicRef":"#meta"}},
 "$defs":{"schemaArray":{"type":"array","minItems":1,"items":{"$dynamicRef":"#meta"}},
  "schemaMap":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}}}},
"unevaluated":{"$id":"meta/unevaluated","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"unevaluatedItems":{"$dynamicRef":"#meta"},"unevaluatedProperties":{"$dynamicRef":"#meta"}}},
"validation":{"$id":"meta/validation","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"type":{"anyOf":[{"$ref":"#/$defs/simpleTypes"},
   {"type":"array","items":{"$ref":"#/$defs/simpleTypes"},"minItems":1,"uniqueItems":true}]},
  "const":true,"enum":{"type":"array"},"multipleOf":{"type":"number","exclusiveMinimum":0},
  "maximum":{"type":"number"},"exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},
  "exclusiveMinimum":{"type":"number"},"maxLength":{"$ref":"#/$defs/count"},"minLength":{"$ref":"#/$defs/count"},
  "pattern":{"type":"string","format":"regex"},"maxItems":{"$ref":"#/$defs/count"},
  "minItems":{"$ref":"#/$defs/count"},"uniqueItems":{"type":"boolean"},"maxContains":{"$ref":"#/$defs/count"},
  "minContains":{"$ref":"#/$defs/count"},"maxProperties":{"$ref":"#/$defs/count"},
  "minProperties":{"$ref":"#/$defs/count"},"required":{"$ref":"#/$defs/stringArray"},
  "dependentRequired":{"type":"object","additionalProperties":{"$ref":"#/$defs/stringArray"}}},
 "$defs":{"count":{"type":"integer","minimum":0},
  "simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},
  "stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true}}},
"meta-data":{"$id":"meta/meta-data","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"title":{"type":"string"},"description":{"type":"string"},"default":true,
  "deprecated":{"type":"boolean"},"readOnly":{"type":"boolean"},"writeOnly":{"type":"boolean"},
  "examples":{"type":"array"}}},
"format-annotation":{"$id":"meta/format-annotation","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"format":{"type":"string"}}},
"content":{"$id":"meta/content","$dynamicAnchor":"meta","type":["object","boolean"],
 "properties":{"contentEncoding":{"type":"string"},"contentMediaType":{"type":"string"},
  "contentSchema":{"$dynamicRef":"#meta"}}}
}})json";

inline constexpr char const* metaschema_7 = R"json({
"$schema":"http://json-schema.org/draft-07/schema#","$id":"http://json-schema.org/draft-07/schema#",
"type":["object","boolean"],
"properties":{"$id":{"type":"string"},"$schema":{"type":"string"},"$ref":{"type":"string"},
 "$comment":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},"default":true,
 "readOnly":{"type":"boolean"},"writeOnly":{"type":"boolean"},"examples":{"type":"array"},
 "multipleOf":{"type":"number","exclusiveMinimum":0},"maximum":{"type":"number"},
 "exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},"exclusiveMinimum":{"type":"number"},
 "maxLength":{"$ref":"#/definitions/count"},"minLength":{"$ref":"#/definitions/count"},
 "pattern":{"type":"string","format":"regex"},"additionalItems":{"$ref":"#"},
 "items":{"anyOf":[{"$ref":"#"},{"$ref":"#/definitions/schemaArray"}]},
 "maxItems":{"$ref":"#/definitions/count"},"minItems":{"$ref":"#/definitions/count"},
 "uniqueItems":{"type":"boolean"},"contains":{"$ref":"#"},"maxProperties":{"$ref":"#/definitions/count"},
 "minProperties":{"$ref":"#/definitions/count"},"required":{"$ref":"#/definitions/stringArray"},
 "additionalProperties":{"$ref":"#"},"definitions":{"$ref":"#/definitions/schemaMap"},
 "properties":{"$ref":"#/definitions/schemaMap"},"patternProperties":{"$ref":"#/definitions/schemaMap"},
 "dependencies":{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#"},
  {"$ref":"#/definitions/stringArray"}]}},
 "propertyNames":{"$ref":"#"},"const":true,"enum":{"type":"array"},
 "type":{"anyOf":[{"$ref":"#/definitions/simpleTypes"},
  {"type":"array","items":{"$ref":"#/definitions/simpleTypes"},"minItems":1,"uniqueItems":true}]},
 "format":{"type":"string"},"contentMediaType":{"type":"string"},"contentEncoding":{"type":"string"},
 "if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"},"allOf":{"$ref":"#/definitions/schemaArray"},
 "anyOf":{"$ref":"#/definitions/schemaArray"},"oneOf":{"$ref":"#/definitions/schemaArray"},"not":{"$ref":"#"}},
"definitions":{"count":{"type":"integer","minimum":0},
 "schemaArray":{"type":"array","minItems":1,"items":{"$ref":"#"}},
 "schemaMap":{"type":"object","additionalProperties":{"$ref":"#"}},
 "simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},
 "stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true}}
})json";

}  // namespace comcp::schema_detail

// schema/impl/program.ipp
// What a schema is compiled to: one node for each subschema, with one rule for each group of keywords.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// schema/pattern.hpp
// Regular expressions of JSON Schema (ECMA-262, Unicode mode) that run in linear time: all states are followed at
// once, so that no pattern and no text can make the search explode. Backreferences are refused for that reason.
// RE2 would be linear too, but has neither lookarounds nor ECMA-262's syntax, and is a library to link.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

namespace schema_detail {
class pattern_compiler;
class pattern_parser;
class pattern_run;

/// Code points as sorted, disjoint, inclusive ranges.
using char_ranges = std::vector<std::pair<char32_t, char32_t>>;
}  // namespace schema_detail

/// One compiled pattern. Immutable; safe to use from any thread.
class pattern {
 public:
  /// Largest program; a counted repetition such as x{1,500} takes as many copies of x.
  static constexpr std::size_t max_program = 20'000;

  /// Understood: all of ECMA-262 but backreferences, inline flags and \p{...} of other properties than the general
  /// category. A brace or bracket that begins nothing stands for itself. Errors: invalid_argument (with the reason),
  /// limit_exceeded (too large or nested too deep).
  static result<pattern> compile(std::string_view text);

  /// Whether the pattern matches anywhere in this UTF-8 text. The work done is taken from `steps`; nothing is
  /// returned when they do not suffice.
  [[nodiscard]] std::optional<bool> search(std::string_view text, std::uint64_t& steps) const;

 private:
  friend class schema_detail::pattern_compiler;
  friend class schema_detail::pattern_parser;
  friend class schema_detail::pattern_run;

  enum class code : std::uint8_t { set, split, jump, line_begin, line_end, word_edge, no_word_edge, look, match };
  struct instruction {
    code what;
    std::uint32_t x = 0, y = 0;  // set or look index, or targets
  };
  struct look {
    std::uint32_t start = 0;
    bool behind = false, negative = false;
  };

  std::vector<instruction> program_;
  std::vector<schema_detail::char_ranges> sets_;
  std::vector<look> looks_;  // inner ones after the outer ones
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// schema/impl/pattern.ipp
// Running a pattern. Lookarounds are solved first, innermost first: one pass each marks the places where they hold
// (a lookahead runs its reversed program from the end), so that the main pass reads a bit.

// schema/impl/pattern_compiler.ipp
// From the tree of a pattern to a program.

// schema/impl/pattern_parser.ipp
// From the text of a pattern to a tree.

#include <limits>

// schema/impl/unicode.ipp
// UTF-8, sets of code points and the general categories that \p{...} names.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

// schema/impl/unicode_table.ipp
// Written by tools/unicode_categories from Unicode 14.0.0: runs of code points with one general
// category, in order. A letter names the category (a = Cc, b = Cf, ... in the order of the array in unicode.ipp), a
// number the length of the run where it is not 1.

namespace comcp::schema_detail {

inline constexpr char unicode_runs[] =
    "a32Dv3xv3wsvzvrv2n10v2z3v2j26wvsyqyf26wzsza33Dvx4AvyAhuzbAyAzp2yfv2yphtp3vj23zj7f24zf8jfjfjfjfjfjfjfjfjfjfjfjf"
    "jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf2jfjfjfjfjfjfjfjf2jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfj2fjfjf3j2fjfj"
    "2fj3f2j4fj2fj3f3j2fj2fjfjfj2fjf2jfj2fj3fjfj2f2hjf3h4jifjifjifjfjfjfjfjfjfjfjf2jfjfjfjfjfjfjfjfjf2jifjfj3fjfjfj"
    "fjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf7j2fj2f2jfj4fjfjfjfjf69hf27g18y4g12y14g5y7gygy17m112jfjfg"
    "yjfc2gf3vjc4y2jvj3cjcj2fj17cj9f35jf2j3f3jfjfjfjfjfjfjfjfjfjfjfjf5jfzjfj2f2j51f48jfjfjfjfjfjfjfjfjfjfjfjfjfjfjf"
    "jfjfAm5l2jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfj2fjfjfjfjfjfjf2jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfj"
    "fjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfcj38c2gv6f41vrc2A2xcm45rmvm2vm2vmc8h27c4h4v2c"
    "11b6z3v2xv2A2m11vbv3h32gh10m21n10v4h2mh99vhm7bAm6g2m2Am4h2n10h3A2hv14cbhmh30m27c2h89m11hc14n10h33m9g2Av3gc2mx2"
    "h22m4gm9gm3gm5c2v15ch25m3c2vch11c5h24yh6cb2c6m8h41gm24bm32kh54mkmhk3m8k4mk2hm7h10m2v2n10vgh15mk2ch8c2h2c2h22ch"
    "7chc3h4c2mhk3m4c2k2c2k2mhc8kc4h2ch3m2c2n10h2x2p6Axhvmc2m2kch6c4h2c2h22ch7ch2ch2ch2c2mck3m2c4m2c2m3c3mc7h4chc7n"
    "10m2h3mvc10m2kch9ch3ch22ch7ch2ch5c2mhk3m5cm2kck2mc2hc15h2m2c2n10vxc7hm6cmk2ch8c2h2c2h22ch7ch2ch5c2mhkmkm4c2k2c"
    "2k2mc7m2kc4h2ch3m2c2n10Ahp6c10mhch6c3h3ch4c3h2chch2c3h2c3h3c3h12c4k2mk2c3k3ck3mc2hc6kc14n10p3A6xAc5mk3mh8ch3ch"
    "23ch16c2mhm3k4cm3cm4c7m2ch3c2hc2h2m2c2n10c7vp7Ahmk2vh8ch3ch23ch10ch5c2mhkmk5cmk2ck2m2c7k2c6h2ch2m2c2n10ch2c13m"
    "2k2h9ch3ch41m2hk3m4ck3ck3mhAc4h3kp7h3m2c2n10p9Ah6cmk2ch18c3h24ch9chc2h7c3mc4k3m3cmck8c6n10c2k2vc12h48mh2m7c4xh"
    "6gm8vn10v2c37h2chch5ch24chch10mh2m9hc2h5cgcm6c2n10c2h4c32hA3v15AvA3m2A6n10p10AmAmAmwswsk2h8ch36c4m14km5vm2h5m1"
    "1cm36cA8mA6cA2v5A4v2c37h43k2m4km6km2k2m2hn10v6h6k2m2h4m3hk3h2k7h3m4h13mk2m2k6mhkn10k3mA2j38cjc5jc2f43vgf3h329c"
    "h4c2h7chch4c2h41ch4c2h33ch4c2h7chch4c2h15ch57ch4c2h67c2m3v9p20c3h16A10c6j86c2f6c2rh620Avh17Dh26wsc3h75v3o3h8c7"
    "h18m3kc9h19m2kv2c9h18m2c12h13ch3cm2c12h52m2km7k8mk2m11v3gv3xhmc2n10c6p10c6v6rv4m3bmn10c6h35gh53c7h5m2h34mhc5h7"
    "0c10h31cm3k4m2k3c4k2mk6m3c4Ac3v2n10h30c2h5c11h44c4h26c6n10pc3A34h23m2k2mc2v2h53kmkm7cmkmk2m8k6m10c2mn10c6n10c6"
    "v7gv6c2m14lm16c49m4kh47mkm5kmk5mk2h8c3n10v7A10m9A9v2cm2kh30km4k2m2km3h2n10h44mkm2k3mkm3k2c8v4h36k8m8k2m2c3v5n1"
    "0c3h3n10h30g6v2f9c7j43c2j3v8c8m3vm13km7h4mh6mh2km2hc5f44g63f13gf34g37m64jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf"
    "jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf"
    "jf9jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf9j8f6c2j6"
    "c2f8j8f8j8f6c2j6c2f8cjcjcjcjf8j8f14c2f8i8f8i8f8i8f5cf2j4iyfy3f3cf2j4iy3f4c2f2j4cy3f8j5y3c2f3cf2j4iy2cD11b5r6v2"
    "utwu2twuv8BCb5Dv9utv4q2v3zwsv11zvqv10Db5cb10pgc2p6z3wsgp10z3wscg13c3x33c15m13l4ml3m12c15A2jA4jA2fj3f2j3fAjA2zj"
    "5A6jAjAjAj4Afj4fh4fA2f2j2z5jf4AzA2fAp16o35jfo4pA2c4z5A5z2A4zA2zA2zA7zA31z2A2zAzA31z268A8wswsA20z2A7wsA81zA30z2"
    "5A40z6A69c25A11c21p60A78p22A183zA9zA54z8A111zA248wswswswswswswsp30A44z5wsz31wswswswswsz16A256z131wswswswswswsw"
    "swswswswsz63wswsz32wsz258A48z21A2z6A39c2A32cA105j48f48jfj3f2jfjfjfj4fjf2jf6g2j3fjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf"
    "jfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjf2A6jfjfm3jfc5v4pv2f38cfc5fc2h56c7gvc14mh23"
    "c9h7ch7ch7ch7ch7ch7ch7ch7cm32v2ututv3utvutv9rv2rvutv2utwswswswsv5gv10r2v4rvwv13A2v3wswswswsrc34A26cA89c12A214c"
    "26A12c4Dv3AghowswswswswsA2wswswswsrws2Ao9m4k2rg5A2o3ghvA2ch86c2m2y2g2hrh90vg3hc5h43ch94cA2p4A10h32A36c12h16A31"
    "cp10A30p8Ap15A32p10A39p15A320h6592A64h21013gh1143c3A55c9h40g6v2h268gv3h16n10h2c20jfjfjfjfjfjfjfjfjfjfjfjfjfjfj"
    "fjfjfjfjfjfjfjfjfhml3vm10vgjfjfjfjfjfjfjfjfjfjfjfjfjfjfg2m2h70o10m2v6c8y23g9y2jfjfjfjfjfjfjf3jfjfjfjfjfjfjfjfj"
    "fjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfjfgf8jfjfj2fjfjfjfjfgy2jfjfhjfjf3jfjfjfjfjfjfjfjfjfjfj5fj5fjfjfjfjf"
    "jfjfjfj4fjfc5jfcfcfjfjfc24g3jfhg2fh7mh3mh4mh23k2m2kA4mc3p6A2xAc6h52v4c8k2h50k16m2c8v2n10c6m18h6v3hvh2mn10h28m8"
    "v2h23m11k2c11vh29c3m3kh47mk2m4k2m2k3v13cgn10c4v2h5mgh9n10h5ch41m6k2m2k2m2c9h3mh8mkc2n10c2v4h16gh6A3hkmkh50mhm3"
    "h2m2h5m2hmhc24h2gv2h11km2k2v2hg2kmc10h6c2h6c2h6c9h7ch7cf43yg4f9gy2c4f80h35k2mk2mk2vkmc2n10c6h11172c12h23c4h49c"
    "4e2048d6400h366c2h106c38f7c12f5c5hmh10zh13ch5chch2ch2ch108y17c16h363swA16h64c2h54c7Ac32h12xA3m16v7wsvc6m16vr2q"
    "2wswswswswswswswsv2wsv4q3v3cv4rwswswsv3zrz3cvxv2c4h5ch135c2bcv3xv3wsvzvrv2n10v2z3v2j26wvsyqyf26wzszwsvwsv2h10g"
    "h45g2h31c3h6c2h6c2h6c2h3c3x2zyAx2cAz4A2c10b3A2c2h12ch26ch19ch2ch15c2h14c34h123c5v3c4p45c3A9o53p4A17p2A3cA13c3A"
    "c47A45mc130h29c3h49c15mp27c4h32p4c9h20oh8oc5h38m5c5h30cvh36c4h8vo5c42j40f40h78c2n10c6j36c4f36c4h40c8h52c11vj11"
    "cj15cj7cj2cf11cf15cf7cf2c67h311c9h22c10h8c24g6cg42cg9c69h6c2hch44ch2c3hc2h23cvp8h23A2p7h31c8p9c48h19ch2c5p5h22"
    "p6c3vh26c5vc64h56c4p2h2p16c2p46hm3cm2c5m4h4ch3ch29c2m3c4mp9c7v9c7h29p2vh29p3c32h8Ah28m2c4p5v7c9h54c3v7h22c2p8h"
    "19c5p8h18c7v4c12p7c80h73c55j51c13f51c7p6h36m4c8n10c294p31ch42cm2rc2h2c78h29p10hc8h22m11p4v5c22h18m4v4c38h21p7c"
    "20h23c9kmkh53m15v7c4p20n10mh2m2hc9m3kh45k3m4k2m2v2bv4mc10bc2h25c7n10c6m3h36m5km8cn10v4hk2hc8h35mv2hc9m2kh48k3m"
    "9k2h4v4m4vkmn10hvhv3cp20c11h18ch25k3m3k2mkm2v6mc65h7chch4ch15ch10vc6h47mk3m8c5n10c6m2k2ch8c2h2c2h22ch7ch2ch5cm"
    "2hk2mk4c2k2c2k3c2hc6kc5h5k2c2m7c3m5c139h53k3m8k2m3kmh4v5n10v2cvmh3c30h48k3m6kmk4m2km2h2vhc8n10c166h47k3m4c2k4m"
    "2km2v23h4m2c34h48k3m8k2mkm2v3hc11n10c6v13c19h43mkmk2m6kmhvc6n10c54h27c2m3k2m4km5c4n10p2v3Ah7c185h44k3m9km2vc10"
    "0j32f32n10p9c12h8c2hc2h8ch2ch24k6ck2c2m2kmhkhkmv3c9n10c70h8c2h39k3m4c2m2k4mhvhkc27hm10h40m6khm4v8mc8hm6k2m3h46"
    "m13km2v3hv5c13h73c263h9ch37km7cm6kmhv5c10n10p19c3v2h30c2m22ckm7km2km2c73h7ch2ch38m6c3mcm2cm7hmc8n10c6h6ch2ch32"
    "k5cm2ck2mkmhc7n10c310h19m2k2v2c183hc15p21A8x4A17c13vh922c102o111cv5c11h196c2636h97v2c13h1071cb9c4039h583c8633h"
    "569c7h31cn10c4v2h79cn10c6h30c2m5vc10h48m7v5A4g4vAc10n10cp7ch21c5h19c688j32f32p23v4c101h75c4mhk55c7m4g13c64g2vg"
    "mc11k2c14h6136c8h1238c42h9c8935g4cg7cg2ch291c45h3c17h4c8h396c2308h107c5h13c3h9c7h10c2Am2vb4c4700m46c2m23c9A116"
    "c60A246c10A39c2A60k2m3A3k6b8m8A2m7A30m4A61c21A66m3Ac154p20c12A87c9p25c135j26f26j26f7cf18j26f26jcj2c2jc2j2c2j4c"
    "j8f4cfcf7cf11j26f26j2cj4c2j8cj7cf26j2cj4cj5cjc3j7cf26j26f26j26f26j26f26j26f26j26f26j26f28c2j25zf25zf6j25zf25zf"
    "6j25zf25zf6j25zf25zf6j25zf25zf6jfc2n50A512m55A4m50A8mA14mA2v5c15m5cm15c1104f10hf20c225m7cm17c2m7cm2cm5c213h45c"
    "3m7g7c2n10c4hAc320h30mc17h44m4n10c5xc1248h7ch4ch2ch15ch197c2p9m7c41j34f34m7gc4n10c4v2c785p59Ap3xp4c76p45Ap15c1"
    "94h4ch27ch2chc2hch10ch4chchc6hc4hchchch3ch2chc2hchchchchch2chc2h4ch7ch4ch4chch10ch17c5h3ch5ch17c52z2c270A44c4A"
    "100c12A15c2A15cA15cA37c10p13A161c56A29c13A44c4A9c7A2c14A6c154A251y5A728c5A16c3A13c3A116c12A89c7A12c4Ac15A12c4A"
    "56c8A10c6A40c8A30c2A2c78A340c12A14c2A5c3A5c3A7c9A29c3A11c5A6c10A10c6A8c8A7c9A147cA55c37n10c1030h42720c32h4153c"
    "7h222c2h5762c14h7473c3103h542c1506h4939c715958bc30b96c128m240c65040d65534c2d65534c2";

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

inline constexpr char32_t last_code_point = 0x10FFFF;

/// Decodes the character at `i` and moves past it. Precondition: valid UTF-8 (broken text yields its bytes).
inline char32_t next_code_point(std::string_view s, std::size_t& i) noexcept {
  auto const byte = [&](std::size_t at) { return static_cast<unsigned char>(s[at]); };
  unsigned char const lead = byte(i++);
  std::size_t const more = lead < 0xC0 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  if (more == 0 || i + more > s.size()) return lead;
  char32_t c = lead & (0x3Fu >> more);
  for (std::size_t k = 0; k < more; ++k) c = (c << 6) | (byte(i++) & 0x3Fu);
  return c;
}

inline std::size_t count_code_points(std::string_view s) noexcept {
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

inline bool contains(char_ranges const& set, char32_t c) noexcept {
  auto const after = std::upper_bound(set.begin(), set.end(), c, [](char32_t x, auto const& r) { return x < r.first; });
  return after != set.begin() && c <= std::prev(after)->second;
}

COMCP_DECL void normalise(char_ranges& set) {
  std::sort(set.begin(), set.end());
  char_ranges merged;
  for (auto const& r : set) {
    if (!merged.empty() && r.first <= merged.back().second + 1) {
      merged.back().second = std::max(merged.back().second, r.second);
    } else {
      merged.push_back(r);
    }
  }
  set = std::move(merged);
}

/// Precondition: normalised.
COMCP_DECL char_ranges complement(char_ranges const& set) {
  char_ranges out;
  char32_t next = 0;
  for (auto const& [first, last] : set) {
    if (first > next) out.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next <= last_code_point) out.emplace_back(next, last_code_point);
  return out;
}

struct category {
  std::string_view name, long_name, alias;
};

// The first thirty stand in the order of unicode_runs; the rest are groups, which begin like their members.
inline constexpr category categories[] = {
    {"Cc", "Control", "cntrl"},
    {"Cf", "Format", ""},
    {"Cn", "Unassigned", ""},
    {"Co", "Private_Use", ""},
    {"Cs", "Surrogate", ""},
    {"Ll", "Lowercase_Letter", ""},
    {"Lm", "Modifier_Letter", ""},
    {"Lo", "Other_Letter", ""},
    {"Lt", "Titlecase_Letter", ""},
    {"Lu", "Uppercase_Letter", ""},
    {"Mc", "Spacing_Mark", ""},
    {"Me", "Enclosing_Mark", ""},
    {"Mn", "Nonspacing_Mark", ""},
    {"Nd", "Decimal_Number", "digit"},
    {"Nl", "Letter_Number", ""},
    {"No", "Other_Number", ""},
    {"Pc", "Connector_Punctuation", ""},
    {"Pd", "Dash_Punctuation", ""},
    {"Pe", "Close_Punctuation", ""},
    {"Pf", "Final_Punctuation", ""},
    {"Pi", "Initial_Punctuation", ""},
    {"Po", "Other_Punctuation", ""},
    {"Ps", "Open_Punctuation", ""},
    {"Sc", "Currency_Symbol", ""},
    {"Sk", "Modifier_Symbol", ""},
    {"Sm", "Math_Symbol", ""},
    {"So", "Other_Symbol", ""},
    {"Zl", "Line_Separator", ""},
    {"Zp", "Paragraph_Separator", ""},
    {"Zs", "Space_Separator", ""},
    {"C", "Other", ""},
    {"L", "Letter", ""},
    {"LC", "Cased_Letter", ""},
    {"M", "Mark", "Combining_Mark"},
    {"N", "Number", ""},
    {"P", "Punctuation", "punct"},
    {"S", "Symbol", ""},
    {"Z", "Separator", ""},
};

inline bool in_category(std::string_view member, std::string_view wanted) noexcept {
  if (wanted == "LC") return member == "Ll" || member == "Lt" || member == "Lu";
  return member.starts_with(wanted);
}

/// The set that \p{name} stands for; nothing when the name is unknown.
COMCP_DECL std::optional<char_ranges> unicode_property(std::string_view name) {
  if (name == "Any") return char_ranges{{0, last_code_point}};
  if (name == "ASCII") return char_ranges{{0, 0x7F}};
  for (std::string_view const prefix : {"General_Category=", "gc="}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  auto const wanted = std::find_if(std::begin(categories), std::end(categories), [name](category const& c) {
    return c.name == name || c.long_name == name || (!c.alias.empty() && c.alias == name);
  });
  if (wanted == std::end(categories)) return {};
  char_ranges out;
  char32_t at = 0;
  for (char const* p = unicode_runs; *p;) {
    auto const index = static_cast<std::size_t>(*p >= 'a' ? *p - 'a' : *p - 'A' + 26);
    char32_t length = 0;
    for (++p; *p >= '0' && *p <= '9'; ++p) length = length * 10 + static_cast<char32_t>(*p - '0');
    if (length == 0) length = 1;
    if (in_category(categories[index].name, wanted->name)) out.emplace_back(at, at + length - 1);
    at += length;
  }
  normalise(out);
  return out;
}

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

class pattern_parser {
 public:
  enum class kind : std::uint8_t { nothing, set, sequence, choice, repeat, assertion, look };
  struct tree {
    kind what = kind::nothing;
    pattern::code assertion{};
    std::uint32_t set = 0, min = 0, max = 0;
    bool behind = false, negative = false;
    std::uint32_t look = unset;
    std::vector<std::uint32_t> children;
  };
  static constexpr std::uint32_t unset = std::numeric_limits<std::uint32_t>::max();

  explicit pattern_parser(std::string_view text) : text_(text) {
    for (std::size_t i = 0; i < text.size();) in_.push_back(next_code_point(text, i));
  }

  /// The root of the tree; the fault is set when there is none.
  std::uint32_t run() {
    auto const root = alternatives(0);
    if (!fault && i_ < in_.size()) fail("')' without '('");
    return root;
  }

  void fail(std::string_view why, errc code = errc::invalid_argument) {
    if (fault) return;
    auto shown = std::min<std::size_t>(text_.size(), 200);
    while (shown < text_.size() && shown > 0 && (static_cast<unsigned char>(text_[shown]) & 0xC0) == 0x80) --shown;
    fault = error(code, "pattern \"" + std::string(text_.substr(0, shown)) + "\": " + std::string(why));
  }

  error fault;
  std::vector<tree> nodes;
  std::vector<char_ranges> sets;

 private:
  static constexpr int max_nesting = 100;
  static constexpr std::uint32_t max_repeat = 100'000;

  [[nodiscard]] bool more() const noexcept { return i_ < in_.size() && !fault; }
  [[nodiscard]] bool at(char32_t c, std::size_t ahead = 0) const noexcept {
    return i_ + ahead < in_.size() && in_[i_ + ahead] == c;
  }
  bool take(char32_t c) {
    if (!at(c)) return false;
    ++i_;
    return true;
  }
  bool take(std::string_view s) {
    for (std::size_t k = 0; k < s.size(); ++k) {
      if (!at(static_cast<char32_t>(s[k]), k)) return false;
    }
    i_ += s.size();
    return true;
  }
  std::uint32_t node(kind what) {
    nodes.emplace_back().what = what;
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
  std::uint32_t set_node(char_ranges set) {
    normalise(set);
    auto const n = node(kind::set);
    nodes[n].set = static_cast<std::uint32_t>(sets.size());
    sets.push_back(std::move(set));
    return n;
  }
  std::uint32_t assertion(pattern::code what) {
    auto const n = node(kind::assertion);
    nodes[n].assertion = what;
    return n;
  }

  std::uint32_t alternatives(int depth) {
    if (depth > max_nesting) return fail("nested too deep", errc::limit_exceeded), 0;
    std::vector<std::uint32_t> all{sequence(depth)};
    while (more() && take(U'|')) all.push_back(sequence(depth));
    if (all.size() == 1) return all[0];
    auto const n = node(kind::choice);
    nodes[n].children = std::move(all);
    return n;
  }

  std::uint32_t sequence(int depth) {
    std::vector<std::uint32_t> all;
    while (more() && !at(U'|') && !at(U')')) all.push_back(quantified(atom(depth)));
    auto const n = node(kind::sequence);
    nodes[n].children = std::move(all);
    return n;
  }

  std::uint32_t quantified(std::uint32_t what) {
    std::uint32_t min = 0, max = unset;
    if (fault) return what;
    if (take(U'+')) {
      min = 1;
    } else if (take(U'?')) {
      max = 1;
    } else if (!take(U'*') && !counted(min, max)) {
      return what;
    }
    take(U'?');  // laziness does not matter to whether there is a match
    auto const n = node(kind::repeat);
    nodes[n].min = min;
    nodes[n].max = max;
    nodes[n].children.push_back(what);
    return n;
  }

  // {n} {n,} {n,m}; leaves everything as it is when this is not one.
  bool counted(std::uint32_t& min, std::uint32_t& max) {
    if (!at(U'{')) return false;
    auto const start = i_++;
    auto const first = number();
    auto last = first;
    if (first && take(U',')) last = at(U'}') ? std::optional(unset) : number();
    if (!first || !last || !take(U'}')) return i_ = start, false;
    if (*first > max_repeat || (*last != unset && *last > max_repeat))
      fail("a repetition is too large", errc::limit_exceeded);
    if (*first > *last) fail("a repetition's bounds are out of order");
    min = *first;
    max = *last;
    return true;
  }

  std::optional<std::uint32_t> number() {
    if (i_ >= in_.size() || in_[i_] < '0' || in_[i_] > '9') return {};
    std::uint32_t n = 0;
    for (; i_ < in_.size() && in_[i_] >= '0' && in_[i_] <= '9'; ++i_)
      n = std::min(n * 10 + static_cast<std::uint32_t>(in_[i_] - '0'), max_repeat + 1);
    return n;
  }

  std::uint32_t atom(int depth) {
    auto const c = in_[i_++];
    switch (c) {
      case U'^': return assertion(pattern::code::line_begin);
      case U'$': return assertion(pattern::code::line_end);
      case U'(': return group(depth);
      case U'[': return bracket();
      case U'\\': return escape();
      case U'.': return set_node(complement({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}));
      case U'*':
      case U'+':
      case U'?': return fail("nothing to repeat"), 0;
      case U'{': {
        std::uint32_t min = 0, max = 0;
        --i_;
        if (counted(min, max)) return fail("nothing to repeat"), 0;
        ++i_;
        [[fallthrough]];
      }
      default: return set_node({{c, c}});
    }
  }

  std::uint32_t group(int depth) {
    auto what = kind::nothing;
    bool behind = false, negative = false;
    if (take("?=") || take("?!")) {
      what = kind::look;
      negative = in_[i_ - 1] == U'!';
    } else if (take("?<=") || take("?<!")) {
      what = kind::look;
      behind = true;
      negative = in_[i_ - 1] == U'!';
    } else if (take("?<")) {
      while (more() && !at(U'>')) ++i_;
      if (!take(U'>')) fail("a group name without '>'");
    } else if (!take("?:") && at(U'?')) {
      fail("unknown group (inline flags are not supported)");
    }
    auto const body = alternatives(depth + 1);
    if (!take(U')')) fail("'(' without ')'");
    if (what != kind::look) return body;
    auto const n = node(kind::look);
    nodes[n].behind = behind;
    nodes[n].negative = negative;
    nodes[n].children.push_back(body);
    return n;
  }

  std::uint32_t escape() {
    if (take(U'b')) return assertion(pattern::code::word_edge);
    if (take(U'B')) return assertion(pattern::code::no_word_edge);
    if (at(U'k') || (i_ < in_.size() && in_[i_] >= '1' && in_[i_] <= '9'))
      return fail("backreferences are not supported"), 0;
    char_ranges set;
    escaped(set);
    return set_node(std::move(set));
  }

  // What follows a backslash, inside and outside of brackets. Returns the character if it is a single one.
  std::optional<char32_t> escaped(char_ranges& set) {
    if (!more()) return fail("ends with a backslash"), std::nullopt;
    auto const c = in_[i_++];
    switch (c) {
      case U'd':
      case U'D':
      case U'w':
      case U'W':
      case U's':
      case U'S': return merge(set, class_of(c)), std::nullopt;
      case U'p':
      case U'P': return merge(set, property(c == U'P')), std::nullopt;
      default: break;
    }
    auto const single = character(c);
    set.emplace_back(single, single);
    return single;
  }

  char32_t character(char32_t c) {
    switch (c) {
      case U't': return U'\t';
      case U'n': return U'\n';
      case U'v': return U'\v';
      case U'f': return U'\f';
      case U'r': return U'\r';
      case U'0': return U'\0';
      case U'x': return hex(2);
      case U'u': return unicode_escape();
      case U'c':
        if (i_ < in_.size() && ((in_[i_] >= 'a' && in_[i_] <= 'z') || (in_[i_] >= 'A' && in_[i_] <= 'Z')))
          return in_[i_++] & 0x1F;
        return fail("\\c without a letter"), 0;
      default: break;
    }
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
      fail(std::string("unknown escape \\") + static_cast<char>(c));
    return c;
  }

  char32_t hex(std::size_t digits) {
    char32_t value = 0;
    for (std::size_t k = 0; k < digits; ++k) {
      auto const c = i_ < in_.size() ? in_[i_] : 0;
      if (c >= '0' && c <= '9') {
        value = value * 16 + (c - '0');
      } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
        value = value * 16 + ((c | 0x20) - 'a' + 10);
      } else {
        return fail("too few hexadecimal digits"), 0;
      }
      ++i_;
    }
    return value;
  }

  char32_t unicode_escape() {
    if (take(U'{')) {
      char32_t value = 0;
      do {
        value = value * 16 + hex(1);
        if (value > last_code_point) fail("a code point is too large");
      } while (more() && !at(U'}'));
      if (!take(U'}')) fail("\\u{ without '}'");
      return value;
    }
    auto const high = hex(4);
    if (high < 0xD800 || high > 0xDBFF || !at(U'\\') || !at(U'u', 1)) return high;
    auto const back = i_;
    i_ += 2;
    auto const low = hex(4);
    if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    i_ = back;
    return high;
  }

  static void merge(char_ranges& into, char_ranges const& more) { into.insert(into.end(), more.begin(), more.end()); }

  static char_ranges class_of(char32_t c) {
    char_ranges set;
    switch (c | 0x20) {
      case U'd': set = {{'0', '9'}}; break;
      case U'w': set = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}; break;
      default:
        set = {{9, 13},          {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
               {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    }
    return c & 0x20 ? set : complement(set);
  }

  char_ranges property(bool negative) {
    std::string name;
    if (take(U'{')) {
      for (; more() && !at(U'}'); ++i_) name += in_[i_] < 0x80 ? static_cast<char>(in_[i_]) : '?';
    }
    auto set = take(U'}') ? unicode_property(name) : std::nullopt;
    if (!set) return fail("unknown Unicode property \"" + name + "\""), char_ranges();
    return negative ? complement(*set) : *set;
  }

  std::uint32_t bracket() {
    bool const negative = take(U'^');
    char_ranges set;
    while (more() && !at(U']')) {
      auto const first = member(set);
      if (!first || !at(U'-') || at(U']', 1)) continue;
      auto const dash = i_++;
      auto const last = more() ? member(set) : std::nullopt;
      if (!last) {  // [a-\d]: the dash is one of the set
        set.emplace_back('-', '-');
        continue;
      }
      if (*first > *last) return fail("a range is out of order"), 0;
      if (i_ > dash) set.emplace_back(*first, *last);
    }
    if (!take(U']')) return fail("'[' without ']'"), 0;
    normalise(set);
    return set_node(negative ? complement(set) : std::move(set));
  }

  // One member of a bracket, added to the set.
  std::optional<char32_t> member(char_ranges& set) {
    auto const c = in_[i_++];
    if (c == U'\\') {
      if (take(U'b')) return set.emplace_back(8, 8), U'\b';
      return escaped(set);
    }
    set.emplace_back(c, c);
    return c;
  }

  std::string_view text_;
  std::vector<char32_t> in_;
  std::size_t i_ = 0;
};

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

class pattern_compiler {
 public:
  explicit pattern_compiler(std::string_view text) : in_(text) {}

  result<pattern> run() {
    auto const root = in_.run();
    out_.sets_ = std::move(in_.sets);
    if (!in_.fault) {
      emit(root, false);
      add(pattern::code::match);
    }
    for (std::size_t k = 0; k < out_.looks_.size() && !in_.fault; ++k) {
      out_.looks_[k].start = here();
      emit(look_bodies_[k], !out_.looks_[k].behind);
      add(pattern::code::match);
    }
    if (in_.fault) return in_.fault;
    return std::move(out_);
  }

 private:
  using kind = pattern_parser::kind;
  static constexpr auto unset = pattern_parser::unset;

  [[nodiscard]] std::uint32_t here() const noexcept { return static_cast<std::uint32_t>(out_.program_.size()); }
  std::uint32_t add(pattern::code what, std::uint32_t x = 0) {
    out_.program_.push_back({what, x, 0});
    return here() - 1;
  }

  // Appends code that goes on behind itself after a match of `n`; for text that is read backwards if `reverse`.
  void emit(std::uint32_t n, bool reverse) {
    if (++work_ > 5 * pattern::max_program || out_.program_.size() > pattern::max_program)
      return in_.fail("too large", errc::limit_exceeded);
    auto const& t = in_.nodes[n];
    switch (t.what) {
      case kind::nothing: break;
      case kind::set: add(pattern::code::set, t.set); break;
      case kind::assertion: add(t.assertion); break;
      case kind::look: emit_look(n); break;
      case kind::sequence:
        for (std::size_t k = 0; k < t.children.size() && !in_.fault; ++k)
          emit(t.children[reverse ? t.children.size() - 1 - k : k], reverse);
        break;
      case kind::choice: emit_choice(t, reverse); break;
      case kind::repeat: emit_repeat(t, reverse); break;
    }
  }

  void emit_look(std::uint32_t n) {
    auto& t = in_.nodes[n];
    if (t.look == unset) {
      t.look = static_cast<std::uint32_t>(out_.looks_.size());
      out_.looks_.push_back({0, t.behind, t.negative});
      look_bodies_.push_back(t.children[0]);
    }
    add(pattern::code::look, t.look);
  }

  void emit_choice(pattern_parser::tree const& t, bool reverse) {
    std::vector<std::uint32_t> ends;
    for (std::size_t k = 0; k < t.children.size() && !in_.fault; ++k) {
      bool const last = k + 1 == t.children.size();
      auto const fork = last ? 0 : add(pattern::code::split);
      if (!last) out_.program_[fork].x = here();
      emit(t.children[k], reverse);
      if (last) break;
      ends.push_back(add(pattern::code::jump));
      out_.program_[fork].y = here();
    }
    for (auto const e : ends) out_.program_[e].x = here();
  }

  void emit_repeat(pattern_parser::tree const& t, bool reverse) {
    for (std::uint32_t k = 0; k < t.min && !in_.fault; ++k) emit(t.children[0], reverse);
    std::vector<std::uint32_t> forks;
    auto const optional_copies = t.max == unset ? 1 : t.max - t.min;
    for (std::uint32_t k = 0; k < optional_copies && !in_.fault; ++k) {
      forks.push_back(add(pattern::code::split));
      out_.program_[forks.back()].x = here();
      emit(t.children[0], reverse);
    }
    if (t.max == unset) out_.program_[add(pattern::code::jump)].x = forks.back();
    for (auto const f : forks) out_.program_[f].y = here();
  }

  pattern_parser in_;
  std::vector<std::uint32_t> look_bodies_;
  std::size_t work_ = 0;
  pattern out_;
};

}  // namespace comcp::schema_detail

namespace comcp {

COMCP_DECL result<pattern> pattern::compile(std::string_view text) {
  if (text.size() > max_program) return error(errc::limit_exceeded, "pattern longer than max_program");
  return schema_detail::pattern_compiler(text).run();
}

}  // namespace comcp

namespace comcp {
namespace schema_detail {

class pattern_run {
 public:
  pattern_run(pattern const& p, std::string_view text, std::uint64_t& steps)
      : p_(p), steps_(steps), seen_(p.program_.size(), 0), holds_(p.looks_.size()) {
    text_.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) text_.push_back(next_code_point(text, i));
  }

  std::optional<bool> search() {
    for (auto i = p_.looks_.size(); i-- > 0;) {
      holds_[i].assign(text_.size() + 1, false);
      if (!mark(p_.looks_[i], holds_[i])) return {};
    }
    bool const anchored = p_.program_.front().what == pattern::code::line_begin;
    start();
    for (std::size_t at = 0;; ++at) {
      if (at == 0 || !anchored) follow(0, at, states_);
      if (!pay()) return {};
      if (matched_) return true;
      if (at == text_.size() || (anchored && states_.empty())) return false;
      move(text_[at], at + 1);
    }
  }

 private:
  /// Marks every place where the lookaround's body matches; false when the steps are used up.
  bool mark(pattern::look const& l, std::vector<bool>& where) {
    start();
    for (std::size_t i = 0; i <= text_.size(); ++i) {
      auto const at = l.behind ? i : text_.size() - i;
      follow(l.start, at, states_);
      where[at] = matched_;
      if (!pay()) return false;
      if (i == text_.size()) break;
      if (l.behind) {
        move(text_[at], at + 1);
      } else {
        move(text_[at - 1], at - 1);
      }
    }
    return true;
  }

  void start() {
    ++round_;
    states_.clear();
    matched_ = false;
  }

  // Reads one character and arrives at the place `to`.
  void move(char32_t c, std::size_t to) {
    ++round_;
    matched_ = false;
    next_.clear();
    for (auto const pc : states_) {
      ++used_;
      if (contains(p_.sets_[p_.program_[pc].x], c)) follow(pc + 1, to, next_);
    }
    states_.swap(next_);
  }

  // Adds every state that is reached from `pc` without reading.
  void follow(std::uint32_t pc, std::size_t at, std::vector<std::uint32_t>& states) {
    stack_.push_back(pc);
    while (!stack_.empty()) {
      auto const i = stack_.back();
      stack_.pop_back();
      ++used_;
      if (seen_[i] == round_) continue;
      seen_[i] = round_;
      auto const& in = p_.program_[i];
      switch (in.what) {
        case pattern::code::set: states.push_back(i); break;
        case pattern::code::match: matched_ = true; break;
        case pattern::code::jump: stack_.push_back(in.x); break;
        case pattern::code::split:
          stack_.push_back(in.y);
          stack_.push_back(in.x);
          break;
        default:
          if (stands(in, at)) stack_.push_back(i + 1);
      }
    }
  }

  [[nodiscard]] bool stands(pattern::instruction const& in, std::size_t at) const {
    switch (in.what) {
      case pattern::code::line_begin: return at == 0;
      case pattern::code::line_end: return at == text_.size();
      case pattern::code::word_edge: return is_word_edge(at);
      case pattern::code::no_word_edge: return !is_word_edge(at);
      default: return holds_[in.x][at] != p_.looks_[in.x].negative;
    }
  }
  [[nodiscard]] bool is_word_edge(std::size_t at) const {
    return (at > 0 && is_word(text_[at - 1])) != (at < text_.size() && is_word(text_[at]));
  }
  static bool is_word(char32_t c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  bool pay() {
    bool const enough = used_ <= steps_;
    steps_ = enough ? steps_ - used_ : 0;
    used_ = 0;
    return enough;
  }

  pattern const& p_;
  std::uint64_t& steps_;
  std::uint64_t used_ = 0;
  std::vector<char32_t> text_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t round_ = 0;
  std::vector<std::uint32_t> states_, next_, stack_;
  bool matched_ = false;
  std::vector<std::vector<bool>> holds_;
};

}  // namespace schema_detail

COMCP_DECL std::optional<bool> pattern::search(std::string_view text, std::uint64_t& steps) const {
  auto const cost = text.size() / 8 + 1;
  if (cost > steps) return steps = 0, std::nullopt;
  steps -= cost;
  return schema_detail::pattern_run(*this, text, steps).search();
}

}  // namespace comcp
#endif

namespace comcp::schema_detail {

using node_id = std::uint32_t;
using resource_id = std::uint32_t;
inline constexpr node_id none = 0xFFFFFFFF;

enum class rule_kind : std::uint8_t {
  reference,
  dynamic_reference,
  type,
  enumeration,
  constant,
  number_bound,  // minimum and the like; `compare` says which
  multiple,
  length,  // strings, arrays, objects: `number` to `limit`
  text_pattern,
  format,
  unique,
  required,
  dependent_required,
  members,  // properties, patternProperties, additionalProperties
  member_names,
  items,
  contains,
  all_of,
  any_of,
  one_of,
  negation,
  condition,
  dependent_schemas,
  unevaluated_items,
  unevaluated_members,
};

enum class bound : std::uint8_t { at_least, above, at_most, below };
enum class counted : std::uint8_t { characters, items, members };

struct rule {
  rule_kind what;
  std::string_view keyword;  // a literal: for the schema path
  json::view arg;
  bound compare = bound::at_least;
  counted counts = counted::items;
  std::size_t number = 0;  // a bound, or the mask of types
  std::size_t limit = static_cast<std::size_t>(-1);
  node_id sub = none, then_sub = none, else_sub = none;
  std::vector<node_id> subs;
  std::vector<std::pair<std::string_view, node_id>> named;  // sorted
  std::vector<std::pair<pattern, node_id>> patterns;
  std::vector<std::string_view> names;
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> lists;
};

struct node {
  std::string path;  // of the subschema, as in violation::schema
  resource_id resource = 0;
  std::optional<bool> always;  // a boolean schema
  bool has_unevaluated = false;
  std::vector<rule> rules;
};

struct program {
  std::vector<json::value> documents;  // keep every view alive; the first is the schema's own text
  std::vector<node> nodes;             // the first is the root
  std::map<std::string, std::map<resource_id, node_id>, std::less<>> dynamic_anchors;
  schema_dialect dialect = schema_dialect::draft_2020_12;
  std::size_t max_depth = 0, max_violations = 0;
  std::uint64_t max_steps = 0;
};

}  // namespace comcp::schema_detail

// schema/impl/uri_reference.ipp
// Resolving URI references (RFC 3986, section 5.2) as far as schema identifiers need it.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace comcp::schema_detail {

struct uri_parts {
  std::optional<std::string_view> scheme, authority, query, fragment;
  std::string_view path;
};

COMCP_DECL uri_parts split_uri(std::string_view s) {
  uri_parts u;
  if (auto const hash = s.find('#'); hash != s.npos) {
    u.fragment = s.substr(hash + 1);
    s = s.substr(0, hash);
  }
  if (auto const mark = s.find('?'); mark != s.npos) {
    u.query = s.substr(mark + 1);
    s = s.substr(0, mark);
  }
  if (auto const colon = s.find(':'); colon != s.npos && colon > 0 && s.find('/') > colon) {
    u.scheme = s.substr(0, colon);
    s.remove_prefix(colon + 1);
  }
  if (s.starts_with("//")) {
    auto const end = std::min(s.find('/', 2), s.size());
    u.authority = s.substr(2, end - 2);
    s.remove_prefix(end);
  }
  u.path = s;
  return u;
}

COMCP_DECL std::string remove_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../") || path == "/..") {
      path = path.size() > 3 ? path.substr(3) : "/";
      auto const slash = out.rfind('/');
      out.erase(slash == out.npos ? 0 : slash);
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      auto const end = std::min(path.find('/', 1), path.size());
      out += path.substr(0, end);
      path.remove_prefix(end);
    }
  }
  return out;
}

/// The absolute form of `reference` with its fragment; an empty fragment is left out.
COMCP_DECL std::string resolve_uri(std::string_view base_text, std::string_view reference) {
  auto const base = split_uri(base_text);
  auto target = split_uri(reference);
  std::string path;
  if (target.scheme || target.authority) {
    path = target.scheme && !target.authority && !target.path.starts_with('/') ? std::string(target.path)
                                                                               : remove_dots(target.path);
  } else if (target.path.empty()) {
    path = base.path;
    if (!target.query) target.query = base.query;
  } else if (target.path.starts_with('/')) {
    path = remove_dots(target.path);
  } else {
    auto const slash = base.path.rfind('/');
    std::string merged(slash == base.path.npos ? "" : base.path.substr(0, slash + 1));
    if (base.authority && base.path.empty()) merged = "/";
    path = remove_dots(merged + std::string(target.path));
  }
  if (!target.authority && !target.scheme) target.authority = base.authority;
  if (!target.scheme) target.scheme = base.scheme;
  std::string out;
  if (target.scheme) out.append(*target.scheme) += ':';
  if (target.authority) out.append("//").append(*target.authority);
  out += path;
  if (target.query) out.append("?").append(*target.query);
  if (target.fragment && !target.fragment->empty()) out.append("#").append(*target.fragment);
  return out;
}

COMCP_DECL std::string percent_decoded(std::string_view s) {
  auto const digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '%' && i + 2 < s.size() && digit(s[i + 1]) >= 0 && digit(s[i + 2]) >= 0) {
      out += static_cast<char>(digit(s[i + 1]) * 16 + digit(s[i + 2]));
      i += 2;
    } else {
      out += s[i];
    }
  }
  return out;
}

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

/// What a resource's metaschema switches on.
struct profile {
  schema_dialect dialect = schema_dialect::draft_2020_12;
  bool applicator = true, validation = true, unevaluated = true, format_assertion = false;
};

struct resource {
  std::string uri;
  std::uint32_t document = 0;
  std::string pointer;
  json::view text;
  profile rules;
  std::unordered_map<std::string, node_id> anchors;  // dynamic ones too
  std::unordered_map<std::string, node_id> dynamic_anchors;
};

struct place {
  std::uint32_t document = 0;
  std::string pointer;
  json::view text;
  resource_id home = 0;
};

inline std::string pointer_token(std::string_view key) {
  std::string out = "/";
  for (char const c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

// Where subschemas stand: the keyword's value itself, the values of its members, its elements.
enum class holds : std::uint8_t { one = 1, map = 2, list = 4 };
struct applicator {
  std::string_view keyword;
  unsigned shape_2020, shape_7;
};
inline constexpr applicator applicators[] = {
    {"$defs", 2, 2},
    {"definitions", 2, 2},
    {"properties", 2, 2},
    {"patternProperties", 2, 2},
    {"additionalProperties", 1, 1},
    {"propertyNames", 1, 1},
    {"dependentSchemas", 2, 0},
    {"dependencies", 2, 2},
    {"items", 1, 5},
    {"prefixItems", 4, 0},
    {"additionalItems", 0, 1},
    {"contains", 1, 1},
    {"allOf", 4, 4},
    {"anyOf", 4, 4},
    {"oneOf", 4, 4},
    {"not", 1, 1},
    {"if", 1, 1},
    {"then", 1, 1},
    {"else", 1, 1},
    {"unevaluatedItems", 1, 0},
    {"unevaluatedProperties", 1, 0},
    {"contentSchema", 1, 0},
};

class schema_index {
 public:
  explicit schema_index(schema_options const& options) : options_(options) {}

  std::vector<place> places;  // one for each subschema
  std::vector<resource> resources;
  std::vector<json::value> documents;
  error fault;  // the first; once set, nothing else matters

  void fail(errc code, std::string text) {
    if (!fault) fault = error(code, "schema: " + std::move(text));
  }

  /// A violation's schema path for a place.
  [[nodiscard]] std::string path_of(place const& p) const {
    return p.document == 0 ? p.pointer : uris_[p.document] + "#" + p.pointer;
  }

  /// The subschema at `pointer` below another one; none if no keyword puts one there.
  [[nodiscard]] node_id at(std::uint32_t document, std::string const& pointer) const {
    auto const found = by_pointer_.find(key(document, pointer));
    return found == by_pointer_.end() ? none : found->second;
  }

  node_id add_document(std::string uri, json::value const& text, schema_dialect dialect) {
    auto const document = static_cast<std::uint32_t>(documents.size());
    documents.push_back(text);
    uris_.push_back(uri);
    auto const home = static_cast<resource_id>(resources.size());
    resource r;
    r.uri = uri;
    r.document = document;
    r.text = documents.back().view();
    r.rules.dialect = dialect;
    if (auto const named = r.text.find("$schema")) r.rules = profile_of(*named);
    resources.push_back(std::move(r));
    by_uri_.emplace(std::move(uri), home);
    return walk({document, "", documents.back().view(), home}, 0);
  }

  /// The subschema that an absolute URI names; sets the fault when there is none.
  node_id find(std::string const& uri, std::string_view referring) {
    auto const hash = std::min(uri.find('#'), uri.size());
    auto const home = find_resource(uri.substr(0, hash));
    auto const fragment = hash < uri.size() ? percent_decoded(std::string_view(uri).substr(hash + 1)) : std::string();
    auto found = none;
    if (home && fragment.empty()) {
      found = at(resources[*home].document, resources[*home].pointer);
    } else if (home && fragment.starts_with('/')) {
      found = find_pointer(*home, fragment);
    } else if (home) {
      auto const anchor = resources[*home].anchors.find(fragment);
      if (anchor != resources[*home].anchors.end()) found = anchor->second;
    }
    if (found == none)
      fail(errc::not_found, "unresolved reference \"" + uri + "\" at \"" + std::string(referring) +
                                "\" (comcp fetches no schemas; schema_options::add_document gives one)");
    return found;
  }

 private:
  static std::string key(std::uint32_t document, std::string const& pointer) {
    return std::to_string(document) + pointer;
  }

  static std::string_view without_empty_fragment(std::string_view uri) {
    return uri.ends_with('#') ? uri.substr(0, uri.size() - 1) : uri;
  }

  static std::optional<profile> known_dialect(std::string_view uri) {
    profile p;
    if (uri.starts_with("http://")) uri.remove_prefix(7);
    if (uri.starts_with("https://")) uri.remove_prefix(8);
    if (uri == "json-schema.org/draft/2020-12/schema") return p;
    p.dialect = schema_dialect::draft_7;
    if (uri == "json-schema.org/draft-07/schema") return p;
    return {};
  }

  profile profile_of(json::view named) {
    auto const text = named.get_string();
    if (!text) return fail(errc::invalid_argument, "$schema is no string"), profile();
    auto const uri = without_empty_fragment(*text);
    if (auto const known = known_dialect(uri)) return *known;
    for (auto const& [document_uri, document] : options_.documents()) {
      if (without_empty_fragment(document_uri) == uri) return custom_profile(document.view(), uri);
    }
    fail(errc::unsupported_dialect,
         "unsupported dialect \"" + std::string(uri) + "\" (comcp knows JSON Schema 2020-12 and draft-07)");
    return {};
  }

  profile custom_profile(json::view metaschema, std::string_view uri) {
    auto const base = metaschema.find("$schema");
    auto const base_uri = base ? base->get_string() : std::nullopt;
    auto p = base_uri ? known_dialect(without_empty_fragment(*base_uri)) : std::nullopt;
    if (!p) return fail(errc::unsupported_dialect, "unsupported dialect \"" + std::string(uri) + "\""), profile();
    auto const vocabulary = metaschema.find("$vocabulary");
    if (!vocabulary || p->dialect == schema_dialect::draft_7) return *p;
    p->applicator = p->validation = p->unevaluated = false;
    for (auto const m : vocabulary->members()) {
      std::string_view name = m.key;
      bool const standard = name.starts_with("https://json-schema.org/draft/2020-12/vocab/");
      if (standard) name.remove_prefix(name.rfind('/') + 1);
      if (standard && name == "applicator")
        p->applicator = true;
      else if (standard && name == "validation")
        p->validation = true;
      else if (standard && name == "unevaluated")
        p->unevaluated = true;
      else if (standard && name == "format-assertion")
        p->format_assertion = true;
      else if (!standard && m.value.get_bool() == true)
        fail(errc::unsupported_dialect, "unsupported vocabulary \"" + std::string(name) + "\"");
    }
    return *p;
  }

  node_id walk(place here, std::size_t depth) {
    if (fault) return none;
    auto const position = key(here.document, here.pointer);
    if (auto const known = by_pointer_.find(position); known != by_pointer_.end()) return known->second;
    if (depth > options_.max_depth())
      return fail(errc::limit_exceeded, "nested deeper than max_depth (" + std::to_string(options_.max_depth()) + ")"),
             none;
    if (places.size() >= options_.max_subschemas())
      return fail(errc::limit_exceeded, "more than max_subschemas (" + std::to_string(options_.max_subschemas()) + ")"),
             none;
    auto const id = static_cast<node_id>(places.size());
    by_pointer_.emplace(position, id);
    places.push_back(here);
    identify(here, id);
    places[id].home = here.home;
    if (here.text.is_object()) walk_children(here, depth);
    return id;
  }

  // $id, $schema and anchors: may move `here` to a new resource.
  void identify(place& here, node_id id) {
    bool const draft_7 = resources[here.home].rules.dialect == schema_dialect::draft_7;
    auto const text_of = [&](std::string_view keyword) {
      auto const v = here.text.find(keyword);
      return v ? v->get_string() : std::nullopt;
    };
    auto const given = draft_7 && here.text.find("$ref") ? std::nullopt : text_of("$id");
    if (given) {
      auto const uri = resolve_uri(resources[here.home].uri, *given);
      auto const hash = std::min(uri.find('#'), uri.size());
      if (!given->starts_with('#')) enter(here, uri.substr(0, hash));
      if (hash < uri.size()) resources[here.home].anchors.emplace(uri.substr(hash + 1), id);
    }
    if (resources[here.home].rules.dialect == schema_dialect::draft_7) return;
    if (auto const name = text_of("$anchor")) resources[here.home].anchors.emplace(*name, id);
    if (auto const name = text_of("$dynamicAnchor")) {
      resources[here.home].anchors.emplace(*name, id);
      resources[here.home].dynamic_anchors.emplace(*name, id);
    }
  }

  void enter(place& here, std::string uri) {
    auto& current = resources[here.home];
    if (here.pointer == current.pointer && here.document == current.document) {  // the root of its document
      current.uri = uri;
      by_uri_.emplace(std::move(uri), here.home);
      return;
    }
    resource r;
    r.uri = uri;
    r.document = here.document;
    r.pointer = here.pointer;
    r.text = here.text;
    r.rules = current.rules;
    if (auto const named = here.text.find("$schema")) r.rules = profile_of(*named);
    here.home = static_cast<resource_id>(resources.size());
    resources.push_back(std::move(r));
    by_uri_.emplace(std::move(uri), here.home);
  }

  void walk_children(place const& here, std::size_t depth) {
    bool const draft_7 = resources[here.home].rules.dialect == schema_dialect::draft_7;
    for (auto const& a : applicators) {
      auto const shape = draft_7 ? a.shape_7 : a.shape_2020;
      auto const value = shape ? here.text.find(a.keyword) : std::nullopt;
      if (!value) continue;
      auto const base = here.pointer + "/" + std::string(a.keyword);
      auto const child = [&](std::string pointer, json::view text) {
        if (text.is_object() || text.get_bool()) walk({here.document, std::move(pointer), text, here.home}, depth + 1);
      };
      if (shape & static_cast<unsigned>(holds::one)) child(base, *value);
      if (shape & static_cast<unsigned>(holds::map)) {
        for (auto const m : value->members()) child(base + pointer_token(m.key), m.value);
      }
      if (shape & static_cast<unsigned>(holds::list)) {
        std::size_t i = 0;
        for (auto const e : value->elements()) child(base + "/" + std::to_string(i++), e);
      }
    }
  }

  std::optional<resource_id> find_resource(std::string const& uri) {
    if (auto const known = by_uri_.find(uri); known != by_uri_.end()) return known->second;
    auto const dialect = resources.front().rules.dialect;
    for (auto const& [given, text] : options_.documents()) {
      if (without_empty_fragment(given) != uri) continue;
      add_document(uri, text, dialect);
    }
    if (uri.starts_with("https://json-schema.org/draft/2020-12/"))
      add_metaschema("https://json-schema.org/draft/2020-12/schema", metaschema_2020_12);
    if (uri == "http://json-schema.org/draft-07/schema") add_metaschema(uri, metaschema_7);
    auto const found = by_uri_.find(uri);
    if (found == by_uri_.end() || fault) return {};
    return found->second;
  }

  void add_metaschema(std::string const& uri, char const* text) {
    if (!by_uri_.contains(uri)) add_document(uri, json::parse(text).value(), schema_dialect::draft_2020_12);
  }

  node_id find_pointer(resource_id home, std::string const& fragment) {
    auto const document = resources[home].document;
    auto const target = resources[home].text.pointer(fragment);
    if (!target || !(target->is_object() || target->get_bool())) return none;
    auto const pointer = resources[home].pointer + fragment;
    if (auto const known = at(document, pointer); known != none) return known;
    // Below an unknown keyword: its base is that of the nearest subschema around it.
    for (auto outer = pointer; !outer.empty();) {
      outer.erase(outer.rfind('/'));
      auto const around = at(document, outer);
      if (around != none) return walk({document, pointer, *target, places[around].home}, 0);
    }
    return none;
  }

  schema_options const& options_;
  std::vector<std::string> uris_;
  std::unordered_map<std::string, node_id> by_pointer_;
  std::unordered_map<std::string, resource_id> by_uri_;
};

}  // namespace comcp::schema_detail

// schema/impl/numbers.ipp
// Types, and exact comparison and division of JSON numbers, whatever kind they were parsed as.

#include <charconv>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace comcp::schema_detail {

inline bool is_integer(json::view v) noexcept {
  if (v.kind() != json::kind::real) return v.is_number();
  auto const d = *v.get_double();
  return d == std::trunc(d);
}

inline constexpr std::string_view type_names[] = {"null", "boolean", "integer", "number", "string", "array", "object"};

/// Whether v has one of the types in the mask; the bits are those of type_names.
COMCP_DECL bool has_type(json::view v, std::size_t mask) noexcept {
  auto const has = [mask](std::size_t bit) { return (mask >> bit & 1) != 0; };
  switch (v.kind()) {
    case json::kind::null: return has(0);
    case json::kind::boolean: return has(1);
    case json::kind::string: return has(4);
    case json::kind::array: return has(5);
    case json::kind::object: return has(6);
    default: return has(3) || (has(2) && is_integer(v));
  }
}

/// Whether a < b. Precondition: numbers.
COMCP_DECL bool less(json::view a, json::view b) noexcept {
  if (a.kind() != json::kind::real && b.kind() != json::kind::real) {
    auto const x = a.get_int64();
    auto const y = b.get_int64();
    if (x && y) return *x < *y;
    if (!x && !y) return *a.get_uint64() < *b.get_uint64();
    return x.has_value();  // what does not fit a signed integer is larger
  }
  auto const x = *a.get_double();
  auto const y = *b.get_double();
  if (x != y || std::abs(x) < 0x1p53) return x < y;
  // Equal once rounded: integers decide, where both are such (reals of this size have no fraction).
  if (auto const i = a.get_int64(), j = b.get_int64(); i && j) return *i < *j;
  if (auto const i = a.get_uint64(), j = b.get_uint64(); i && j) return *i < *j;
  return false;
}

/// digits * 10^exponent, the shortest that reads back as the same number.
struct decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

COMCP_DECL decimal to_decimal(json::view v) noexcept {
  decimal out;
  if (auto const i = v.get_int64()) {
    out.digits = *i < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(*i) : static_cast<std::uint64_t>(*i);
    return out;
  }
  if (auto const u = v.get_uint64()) return {*u, 0};
  char text[40];
  auto const end =
      std::to_chars(text, text + sizeof text, std::abs(*v.get_double()), std::chars_format::scientific).ptr;
  bool fraction = false;
  for (char const* p = text; p != end; ++p) {
    if (*p == 'e') {
      if (p + 1 != end && p[1] == '+') ++p;
      int exponent = 0;
      std::from_chars(p + 1, end, exponent);
      out.exponent += exponent;
      break;
    }
    if (*p == '.') {
      fraction = true;
    } else {
      out.digits = out.digits * 10 + static_cast<std::uint64_t>(*p - '0');
      if (fraction) --out.exponent;
    }
  }
  return out;
}

/// value * 10^power modulo m, without overflow.
COMCP_DECL std::uint64_t scaled_remainder(std::uint64_t value, int power, std::uint64_t m) noexcept {
  auto const add = [m](std::uint64_t x, std::uint64_t y) { return x >= m - y ? x - (m - y) : x + y; };
  auto r = value % m;
  for (; power > 0 && r != 0; --power) {
    auto const twice = add(r, r);
    auto const four = add(twice, twice);
    r = add(add(four, four), twice);
  }
  return r;
}

/// Precondition: numbers, `step` above 0.
COMCP_DECL bool is_multiple(json::view value, json::view step) noexcept {
  auto const a = to_decimal(value);
  auto b = to_decimal(step);
  if (a.digits == 0) return true;
  if (b.digits == 0) return false;
  auto power = a.exponent - b.exponent;
  for (; power < 0; ++power) {  // a is divisible only by what is not larger
    if (b.digits > a.digits / 10) return false;
    b.digits *= 10;
  }
  return scaled_remainder(a.digits, power, b.digits) == 0;
}

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

class schema_compiler {
 public:
  explicit schema_compiler(schema_options const& options) : options_(options), index_(options) {}

  result<std::shared_ptr<program const>> run(json::value const& text) {
    if (!text.is_object() && text.kind() != json::kind::boolean)
      index_.fail(errc::invalid_argument, "neither an object nor a boolean");
    if (!index_.fault) want(index_.add_document("", text, options_.default_dialect()));
    while (!index_.fault && (!queue_.empty() || want_dynamic())) {
      if (queue_.empty()) continue;
      auto const next = queue_.back();
      queue_.pop_back();
      build(next);
    }
    if (index_.fault) return index_.fault;
    out_->documents = index_.documents;
    out_->nodes.resize(index_.places.size());
    out_->dialect = index_.resources.front().rules.dialect;
    out_->max_depth = options_.max_depth();
    out_->max_steps = options_.max_steps();
    out_->max_violations = options_.max_violations();
    return std::shared_ptr<program const>(out_);
  }

 private:
  // --- what has to be built ---

  void want(node_id id) {
    if (id == none || id >= index_.places.size()) return;
    if (wanted_.size() < index_.places.size()) wanted_.resize(index_.places.size(), false);
    if (wanted_[id]) return;
    wanted_[id] = true;
    queue_.push_back(id);
  }

  // The targets that dynamic references may turn out to have.
  bool want_dynamic() {
    for (auto const& name : dynamic_names_) {
      for (resource_id r = 0; r < index_.resources.size(); ++r) {
        auto const found = index_.resources[r].dynamic_anchors.find(name);
        if (found == index_.resources[r].dynamic_anchors.end()) continue;
        out_->dynamic_anchors[name].emplace(r, found->second);
        want(found->second);
      }
    }
    return !queue_.empty();
  }

  void build(node_id id) {
    here_ = index_.places[id];
    if (out_->nodes.size() < index_.places.size()) out_->nodes.resize(index_.places.size());
    node_.path = index_.path_of(here_);
    node_.resource = here_.home;
    node_.always = here_.text.get_bool();
    profile_ = index_.resources[here_.home].rules;
    draft_7_ = profile_.dialect == schema_dialect::draft_7;
    if (!node_.always) build_rules();
    if (out_->nodes.size() < index_.places.size()) out_->nodes.resize(index_.places.size());
    out_->nodes[id] = std::exchange(node_, node());
  }

  void build_rules() {
    if (build_references()) return;
    if (profile_.validation) {
      build_values();
      build_numbers();
      build_counts();
    }
    build_format();
    if (profile_.applicator) {
      build_members();
      build_items();
      build_combinators();
    }
    if (profile_.unevaluated && !draft_7_) build_unevaluated();
  }

  // --- helpers: reading keywords ---

  [[nodiscard]] std::optional<json::view> get(std::string_view keyword) const { return here_.text.find(keyword); }

  void bad(std::string_view keyword, std::string_view needed) {
    index_.fail(errc::invalid_argument,
                "\"" + node_.path + "/" + std::string(keyword) + "\" must be " + std::string(needed));
  }

  rule& add(rule_kind what, std::string_view keyword, json::view arg = {}) {
    auto& r = node_.rules.emplace_back();
    r.what = what;
    r.keyword = keyword;
    r.arg = arg;
    return r;
  }

  node_id child(std::string const& pointer) {
    auto const id = index_.at(here_.document, here_.pointer + pointer);
    want(id);
    return id;
  }

  node_id one(std::string_view keyword) {
    if (!get(keyword)) return none;
    auto const id = child("/" + std::string(keyword));
    if (id == none) bad(keyword, "a schema");
    return id;
  }

  std::vector<node_id> list(std::string_view keyword) {
    std::vector<node_id> out;
    auto const value = get(keyword);
    if (!value) return out;
    if (!value->is_array()) bad(keyword, "an array of schemas");
    for (std::size_t i = 0, n = value->size(); i < n && !index_.fault; ++i) {
      out.push_back(child("/" + std::string(keyword) + "/" + std::to_string(i)));
      if (out.back() == none) bad(keyword, "an array of schemas");
    }
    return out;
  }

  std::vector<std::pair<std::string_view, node_id>> map(std::string_view keyword) {
    std::vector<std::pair<std::string_view, node_id>> out;
    auto const value = get(keyword);
    if (!value) return out;
    if (!value->is_object()) bad(keyword, "an object of schemas");
    for (auto const m : value->members()) {
      out.emplace_back(m.key, child("/" + std::string(keyword) + pointer_token(m.key)));
      if (out.back().second == none) bad(keyword, "an object of schemas");
    }
    std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    return out;
  }

  std::vector<std::string_view> strings(json::view value, std::string_view keyword) {
    std::vector<std::string_view> out;
    if (!value.is_array()) bad(keyword, "an array of strings");
    for (auto const e : value.elements()) {
      auto const s = e.get_string();
      if (!s) bad(keyword, "an array of strings");
      out.push_back(s.value_or(""));
    }
    return out;
  }

  std::optional<std::size_t> count(std::string_view keyword) {
    auto const value = get(keyword);
    if (!value) return {};
    if (auto const n = value->get_uint64()) return static_cast<std::size_t>(*n);
    auto const d = value->get_double();
    if (d && *d >= 1e19) return static_cast<std::size_t>(-1);
    return bad(keyword, "a non-negative integer"), std::nullopt;
  }

  std::optional<pattern> compiled(std::string_view text, std::string_view keyword) {
    auto p = pattern::compile(text);
    if (p) return std::move(*p);
    auto const code = p.error() == errc::limit_exceeded ? errc::limit_exceeded : errc::invalid_argument;
    index_.fail(code, "\"" + node_.path + "/" + std::string(keyword) + "\": " + std::string(p.error().message()));
    return {};
  }

  // --- groups of keywords ---

  // True when nothing else in this subschema counts.
  bool build_references() {
    auto const target_of = [this](std::string_view keyword) {
      auto const text = get(keyword)->get_string();
      if (!text) return bad(keyword, "a string"), none;
      auto const& base = index_.resources[here_.home].uri;
      auto const target = index_.find(resolve_uri(base, *text), node_.path + "/" + std::string(keyword));
      want(target);
      return target;
    };
    if (get("$ref")) {
      auto const target = target_of("$ref");
      add(rule_kind::reference, "$ref").sub = target;
      if (draft_7_) return true;
    }
    if (draft_7_ || !get("$dynamicRef")) return false;
    auto const target = target_of("$dynamicRef");
    if (target == none) return false;
    auto const text = *get("$dynamicRef")->get_string();
    auto& r = add(rule_kind::dynamic_reference, "$dynamicRef");
    r.sub = target;
    auto const anchor = text.substr(std::min(text.find('#'), text.size() - 1) + 1);
    auto const& own = index_.resources[index_.places[target].home].dynamic_anchors;
    if (auto const found = own.find(std::string(anchor)); found != own.end() && found->second == target) {
      r.names.push_back(anchor);
      dynamic_names_.emplace(anchor);
    }
    return false;
  }

  void build_values() {
    if (auto const type = get("type")) {
      auto& r = add(rule_kind::type, "type", *type);
      auto const name = [&](json::view v) {
        auto const s = v.get_string();
        auto const found = s ? std::find(std::begin(type_names), std::end(type_names), *s) : std::end(type_names);
        if (found == std::end(type_names)) bad("type", "a type's name or an array of such");
        r.number |= std::size_t{1} << (found - std::begin(type_names));
      };
      if (type->is_array()) {
        for (auto const e : type->elements()) name(e);
      } else {
        name(*type);
      }
    }
    if (auto const values = get("enum")) {
      if (!values->is_array()) bad("enum", "an array");
      add(rule_kind::enumeration, "enum", *values);
    }
    if (auto const value = get("const")) add(rule_kind::constant, "const", *value);
  }

  void build_numbers() {
    auto const limit = [this](std::string_view keyword, bound b) {
      auto const value = get(keyword);
      if (!value) return;
      if (!value->is_number()) bad(keyword, "a number");
      add(rule_kind::number_bound, keyword, *value).compare = b;
    };
    limit("minimum", bound::at_least);
    limit("exclusiveMinimum", bound::above);
    limit("maximum", bound::at_most);
    limit("exclusiveMaximum", bound::below);
    if (auto const value = get("multipleOf")) {
      if (!(value->get_double().value_or(0) > 0)) bad("multipleOf", "a number above 0");
      add(rule_kind::multiple, "multipleOf", *value);
    }
  }

  void build_counts() {
    auto const length = [this](std::string_view keyword, counted what, bool upper) {
      auto const n = count(keyword);
      if (!n) return;
      auto& r = add(rule_kind::length, keyword);
      r.counts = what;
      (upper ? r.limit : r.number) = *n;
    };
    length("minLength", counted::characters, false);
    length("maxLength", counted::characters, true);
    length("minItems", counted::items, false);
    length("maxItems", counted::items, true);
    length("minProperties", counted::members, false);
    length("maxProperties", counted::members, true);
    if (auto const value = get("pattern")) {
      auto const text = value->get_string();
      if (!text) return bad("pattern", "a string");
      if (auto p = compiled(*text, "pattern"))
        add(rule_kind::text_pattern, "pattern", *value).patterns.emplace_back(std::move(*p), none);
    }
    if (auto const value = get("uniqueItems")) {
      if (!value->get_bool()) bad("uniqueItems", "a boolean");
      if (value->get_bool() == true) add(rule_kind::unique, "uniqueItems");
    }
    if (auto const value = get("required")) add(rule_kind::required, "required").names = strings(*value, "required");
    if (auto const value = get("dependentRequired"); value && !draft_7_) {
      if (!value->is_object()) bad("dependentRequired", "an object");
      auto& r = add(rule_kind::dependent_required, "dependentRequired");
      for (auto const m : value->members()) r.lists.emplace_back(m.key, strings(m.value, "dependentRequired"));
    }
  }

  void build_format() {
    auto const value = get("format");
    if (!value || !(options_.assert_formats() || profile_.format_assertion)) return;
    if (!value->is_string()) bad("format", "a string");
    add(rule_kind::format, "format", *value);
  }

  void build_members() {
    if (get("properties") || get("patternProperties") || get("additionalProperties")) {
      auto named = map("properties");
      auto by_pattern = map("patternProperties");
      auto const rest = one("additionalProperties");
      auto& r = add(rule_kind::members, "properties");
      r.named = std::move(named);
      r.sub = rest;
      for (auto const& [text, id] : by_pattern) {
        if (auto p = compiled(text, "patternProperties")) r.patterns.emplace_back(std::move(*p), id);
      }
    }
    if (auto const names = one("propertyNames"); names != none)
      add(rule_kind::member_names, "propertyNames").sub = names;
    if (!draft_7_ && get("dependentSchemas")) {
      auto named = map("dependentSchemas");
      add(rule_kind::dependent_schemas, "dependentSchemas").named = std::move(named);
    }
    build_dependencies();
  }

  // Of draft-07; in 2020-12 it is kept as its specification suggests for compatibility.
  void build_dependencies() {
    auto const value = get("dependencies");
    if (!value) return;
    if (!value->is_object()) return bad("dependencies", "an object");
    std::vector<std::pair<std::string_view, node_id>> schemas;
    std::vector<std::pair<std::string_view, std::vector<std::string_view>>> lists;
    for (auto const m : value->members()) {
      if (m.value.is_array()) {
        lists.emplace_back(m.key, strings(m.value, "dependencies"));
      } else {
        schemas.emplace_back(m.key, child("/dependencies" + pointer_token(m.key)));
        if (schemas.back().second == none) bad("dependencies", "an object of schemas and lists of names");
      }
    }
    if (!lists.empty()) add(rule_kind::dependent_required, "dependencies").lists = std::move(lists);
    if (!schemas.empty()) add(rule_kind::dependent_schemas, "dependencies").named = std::move(schemas);
  }

  void build_items() {
    auto const items = get("items");
    bool const tuple = draft_7_ && items && items->is_array();
    if (!draft_7_ && items && items->is_array())
      return bad("items", "a schema (an array of schemas is draft-07's; 2020-12 has prefixItems)");
    if (items || (!draft_7_ && get("prefixItems"))) {
      auto prefix = tuple ? list("items") : draft_7_ ? std::vector<node_id>() : list("prefixItems");
      auto const rest = tuple ? one("additionalItems") : one("items");
      auto& r = add(rule_kind::items, tuple ? "additionalItems" : "items");
      r.subs = std::move(prefix);
      r.sub = rest;
    }
    if (auto const sub = one("contains"); sub != none) {
      auto const min = draft_7_ || !profile_.validation ? std::nullopt : count("minContains");
      auto const max = draft_7_ || !profile_.validation ? std::nullopt : count("maxContains");
      auto& r = add(rule_kind::contains, "contains");
      r.sub = sub;
      r.number = min.value_or(1);
      r.limit = max.value_or(r.limit);
    }
  }

  void build_combinators() {
    auto const several = [this](std::string_view keyword, rule_kind what) {
      if (!get(keyword)) return;
      auto subs = list(keyword);
      if (subs.empty()) bad(keyword, "a non-empty array of schemas");
      add(what, keyword).subs = std::move(subs);
    };
    several("allOf", rule_kind::all_of);
    several("anyOf", rule_kind::any_of);
    several("oneOf", rule_kind::one_of);
    if (auto const sub = one("not"); sub != none) add(rule_kind::negation, "not").sub = sub;
    auto const condition = one("if");
    auto const then_sub = one("then");
    auto const else_sub = one("else");
    if (condition == none) return;
    auto& r = add(rule_kind::condition, "if");
    r.sub = condition;
    r.then_sub = then_sub;
    r.else_sub = else_sub;
  }

  // Last, because they look at what the others have seen.
  void build_unevaluated() {
    auto const items = one("unevaluatedItems");
    auto const members = one("unevaluatedProperties");
    if (items != none) add(rule_kind::unevaluated_items, "unevaluatedItems").sub = items;
    if (members != none) add(rule_kind::unevaluated_members, "unevaluatedProperties").sub = members;
    node_.has_unevaluated = items != none || members != none;
  }

  schema_options const& options_;
  schema_index index_;
  std::shared_ptr<program> out_ = std::make_shared<program>();
  std::vector<node_id> queue_;
  std::vector<bool> wanted_;
  std::set<std::string> dynamic_names_;
  place here_;
  node node_;
  profile profile_;
  bool draft_7_ = false;
};

}  // namespace comcp::schema_detail

// schema/impl/evaluator.ipp
// Applies a compiled schema to one instance. What unevaluatedItems and unevaluatedProperties need is tracked only
// below a subschema that has one of them.

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

// schema/formats.hpp
// The values of JSON Schema's `format` keyword, as assertions.

#include <string_view>

namespace comcp {

/// Whether comcp checks this format: date-time, date, time, duration, email, idn-email, hostname, idn-hostname, ipv4,
/// ipv6, uri, uri-reference, iri, iri-reference, uuid, uri-template, json-pointer, relative-json-pointer, regex.
/// Of internationalised host names only the shape is checked (no IDNA tables).
bool is_known_format(std::string_view name) noexcept;

/// Whether `text` is of the format; true for formats that comcp does not check. Safe from any thread.
bool is_format(std::string_view name, std::string_view text);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// schema/impl/formats.ipp
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace comcp {
namespace schema_detail {

// Formats whose grammar is regular share the bounded matcher.
inline bool fits(pattern const& p, std::string_view text) {
  std::uint64_t steps = 1'000'000 + 200 * text.size();
  return p.search(text, steps).value_or(false);
}
inline pattern shape(std::string_view text) { return pattern::compile(text).value(); }

/// Decimal digits at `at`, exactly `n` of them; moves behind them.
inline std::optional<int> digits(std::string_view s, std::size_t& at, std::size_t n) noexcept {
  if (at + n > s.size()) return {};
  int value = 0;
  for (auto const end = at + n; at < end; ++at) {
    if (s[at] < '0' || s[at] > '9') return {};
    value = value * 10 + (s[at] - '0');
  }
  return value;
}

COMCP_DECL bool is_date(std::string_view s) noexcept {
  if (s.size() != 10 || s[4] != '-' || s[7] != '-') return false;
  std::size_t y = 0, m = 5, d = 8;
  auto const year = digits(s, y, 4);
  auto const month = digits(s, m, 2);
  auto const day = digits(s, d, 2);
  if (!year || !month || !day || *month < 1 || *month > 12 || *day < 1) return false;
  bool const leap = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0);
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return *day <= days[*month - 1] + (leap && *month == 2 ? 1 : 0);
}

COMCP_DECL bool is_time(std::string_view s) noexcept {
  std::size_t at = 0;
  auto const clock = [&](int& hour, int& minute) {
    auto const h = digits(s, at, 2);
    if (!h || at >= s.size() || s[at] != ':') return false;
    auto const m = digits(s, ++at, 2);
    if (!m || *h > 23 || *m > 59) return false;
    hour = *h;
    minute = *m;
    return true;
  };
  int hour = 0, minute = 0, away_hour = 0, away_minute = 0;
  if (!clock(hour, minute) || at >= s.size() || s[at] != ':') return false;
  auto const second = digits(s, ++at, 2);
  if (!second || *second > 60) return false;
  if (at < s.size() && s[at] == '.') {
    auto const end = std::min(s.find_first_not_of("0123456789", at + 1), s.size());
    if (end == at + 1) return false;
    at = end;
  }
  if (at >= s.size()) return false;
  char const zone = s[at++];
  if (zone == '+' || zone == '-') {
    if (!clock(away_hour, away_minute)) return false;
  } else if (zone != 'Z' && zone != 'z') {
    return false;
  }
  if (at != s.size()) return false;
  int const away = (away_hour * 60 + away_minute) * (zone == '-' ? -1 : 1);
  return *second < 60 || (hour * 60 + minute - away + 2880) % 1440 == 1439;  // a leap second ends a UTC day
}

inline bool is_date_time(std::string_view s) noexcept {
  return s.size() > 11 && (s[10] == 'T' || s[10] == 't') && is_date(s.substr(0, 10)) && is_time(s.substr(11));
}

COMCP_DECL bool is_ipv4(std::string_view s) noexcept {
  for (int part = 0; part < 4; ++part) {
    auto const end = part < 3 ? s.find('.') : s.size();
    if (end == s.npos || end == 0 || end > 3 || (end > 1 && s[0] == '0')) return false;
    std::size_t at = 0;
    auto const n = digits(s, at, end);
    if (!n || *n > 255) return false;
    s.remove_prefix(std::min(end + 1, s.size()));
  }
  return s.empty();
}

COMCP_DECL bool is_ipv6(std::string_view s) noexcept {
  int groups = 0;
  bool gap = false;
  if (s.starts_with(':') && !s.starts_with("::")) return false;
  while (!s.empty()) {
    if (s.starts_with("::")) {
      if (gap) return false;
      gap = true;
      s.remove_prefix(2);
      continue;
    }
    auto const end = std::min(s.find(':'), s.size());
    if (end == s.size() && s.find('.') != s.npos) {
      if (!is_ipv4(s)) return false;
      groups += 2;
      break;
    }
    if (end == 0 || end > 4 || s.substr(0, end).find_first_not_of("0123456789abcdefABCDEF") != s.npos) return false;
    ++groups;
    s.remove_prefix(end);
    if (s == ":") return false;
    if (s.starts_with(':') && !s.starts_with("::")) s.remove_prefix(1);
  }
  return gap ? groups < 8 : groups == 8;
}

COMCP_DECL bool is_hostname(std::string_view s, bool international) {
  static pattern const ascii =
      shape("^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$");
  static pattern const any = [] {  // four characters are dots
    std::string const letters = "a-zA-Z0-9\\u0080-\\u3001\\u3003-\\uff0d\\uff0f-\\uff60\\uff62-\\u{10FFFF}";
    auto const label = "[" + letters + "]([" + letters + "-]{0,61}[" + letters + "])?";
    return shape("^" + label + "([.\\u3002\\uff0e\\uff61]" + label + ")*$");
  }();
  return s.size() <= 253 && fits(international ? any : ascii, s);
}

COMCP_DECL bool is_email(std::string_view s, bool international) {
  static auto const local_part = [](std::string const& more) {
    auto const atom = "[\\w!#$%&'*+/=?^`{|}~" + more + "-]+";
    return shape("^(" + atom + "(\\." + atom + ")*|\"([\\x20\\x21\\x23-\\x5b\\x5d-\\x7e" + more +
                 "]|\\\\[\\x20-\\x7e])*\")$");
  };
  static pattern const ascii = local_part("");
  static pattern const any = local_part("\\u0080-\\u{10FFFF}");
  auto const at = s.rfind('@');
  if (at == s.npos || !fits(international ? any : ascii, s.substr(0, at))) return false;
  auto host = s.substr(at + 1);
  if (!host.starts_with('[') || !host.ends_with(']')) return is_hostname(host, international);
  host = host.substr(1, host.size() - 2);
  return host.starts_with("IPv6:") ? is_ipv6(host.substr(5)) : is_ipv4(host);
}

/// Only unreserved characters, percent triplets and those of `extra`; beyond ASCII only if `international`.
COMCP_DECL bool is_uri_text(std::string_view s, std::string_view extra, bool international) noexcept {
  constexpr std::string_view hex = "0123456789abcdefABCDEF";
  for (std::size_t i = 0; i < s.size(); ++i) {
    char const c = s[i];
    bool const plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~!$&'()*+,;=").find(c) != s.npos || extra.find(c) != s.npos;
    if (plain || (international && static_cast<unsigned char>(c) >= 0x80)) continue;
    if (c != '%' || i + 2 >= s.size() || hex.find(s[i + 1]) == hex.npos || hex.find(s[i + 2]) == hex.npos) return false;
    i += 2;
  }
  return true;
}

inline bool is_future_ip(std::string_view s) {
  static pattern const p = shape("^[vV][0-9a-fA-F]+\\.[\\w.~!$&'()*+,;=:-]+$");
  return fits(p, s);
}

COMCP_DECL bool is_authority(std::string_view s, bool international) {
  if (auto const at = s.rfind('@'); at != s.npos) {
    if (!is_uri_text(s.substr(0, at), ":", international)) return false;
    s.remove_prefix(at + 1);
  }
  auto const host_end = s.starts_with('[') ? s.find(']') : std::min(s.find(':'), s.size());
  if (host_end == s.npos) return false;
  auto port = s.substr(host_end + (s.starts_with('[') ? 1 : 0));
  auto const host = s.substr(0, host_end);
  if (host.starts_with('[') ? !is_ipv6(host.substr(1)) && !is_future_ip(host.substr(1))
                            : !is_uri_text(host, "", international))
    return false;
  return port.empty() || (port[0] == ':' && port.find_first_not_of("0123456789", 1) == port.npos);
}

COMCP_DECL bool is_uri(std::string_view s, bool absolute, bool international) {
  auto const u = split_uri(s);
  if (absolute && !u.scheme) return false;
  if (u.scheme) {
    auto const letter = (*u.scheme)[0] | 0x20;
    constexpr std::string_view allowed = "0123456789+-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (letter < 'a' || letter > 'z' || u.scheme->find_first_not_of(allowed) != s.npos) return false;
  } else if (!u.authority && u.path.substr(0, u.path.find('/')).find(':') != s.npos) {
    return false;
  }
  return (!u.authority || is_authority(*u.authority, international)) && is_uri_text(u.path, ":@/", international) &&
         (!u.query || is_uri_text(*u.query, ":@/?", international)) &&
         (!u.fragment || is_uri_text(*u.fragment, ":@/?", international));
}

inline bool is_duration(std::string_view s) {
  static pattern const p = shape(
      "^P(?!$)(\\d+W|(\\d+Y(\\d+M(\\d+D)?)?|\\d+M(\\d+D)?|\\d+D)?"
      "(T(\\d+H(\\d+M(\\d+S)?)?|\\d+M(\\d+S)?|\\d+S))?)$");
  return fits(p, s);
}
inline bool is_uuid(std::string_view s) {
  static pattern const p = shape("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$");
  return fits(p, s);
}
inline bool is_pointer(std::string_view s) {
  static pattern const p = shape("^(/([^~/]|~[01])*)*$");
  return fits(p, s);
}
inline bool is_relative_pointer(std::string_view s) {
  static pattern const p = shape("^(0|[1-9]\\d*)(#|(/([^~/]|~[01])*)*)$");
  return fits(p, s);
}
inline bool is_template(std::string_view s) {
  static pattern const p = [] {
    std::string const triplet = "%[0-9A-Fa-f]{2}";
    auto const character = "(\\w|" + triplet + ")";
    auto const variable = character + "(\\.?" + character + ")*(:[1-9]\\d{0,3}|\\*)?";
    return shape("^([^\\x00-\\x20\"<>%\\\\^`{|}\\x7f]|" + triplet + "|\\{[+#./;?&=,!@|]?" + variable + "(," + variable +
                 ")*\\})*$");
  }();
  return fits(p, s);
}

struct format {
  std::string_view name;
  bool (*check)(std::string_view);
};
inline constexpr format formats[] = {
    {"date-time", [](std::string_view s) { return is_date_time(s); }},
    {"date", [](std::string_view s) { return is_date(s); }},
    {"time", [](std::string_view s) { return is_time(s); }},
    {"duration", [](std::string_view s) { return is_duration(s); }},
    {"email", [](std::string_view s) { return is_email(s, false); }},
    {"idn-email", [](std::string_view s) { return is_email(s, true); }},
    {"hostname", [](std::string_view s) { return is_hostname(s, false); }},
    {"idn-hostname", [](std::string_view s) { return is_hostname(s, true); }},
    {"ipv4", [](std::string_view s) { return is_ipv4(s); }},
    {"ipv6", [](std::string_view s) { return is_ipv6(s); }},
    {"uri", [](std::string_view s) { return is_uri(s, true, false); }},
    {"uri-reference", [](std::string_view s) { return is_uri(s, false, false); }},
    {"iri", [](std::string_view s) { return is_uri(s, true, true); }},
    {"iri-reference", [](std::string_view s) { return is_uri(s, false, true); }},
    {"uuid", [](std::string_view s) { return is_uuid(s); }},
    {"uri-template", [](std::string_view s) { return is_template(s); }},
    {"json-pointer", [](std::string_view s) { return is_pointer(s); }},
    {"relative-json-pointer", [](std::string_view s) { return is_relative_pointer(s); }},
    {"regex", [](std::string_view s) { return pattern::compile(s).has_value(); }},
};

inline format const* find_format(std::string_view name) noexcept {
  auto const found =
      std::find_if(std::begin(formats), std::end(formats), [name](auto const& f) { return f.name == name; });
  return found == std::end(formats) ? nullptr : found;
}

}  // namespace schema_detail

COMCP_DECL bool is_known_format(std::string_view name) noexcept { return schema_detail::find_format(name) != nullptr; }

COMCP_DECL bool is_format(std::string_view name, std::string_view text) {
  auto const* known = schema_detail::find_format(name);
  return !known || known->check(text);
}

}  // namespace comcp
#endif

// schema/impl/equality.ipp
// Equality of JSON values that counts its work and stays near linear for hostile ones, which json::view's does not.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace comcp::schema_detail {

/// Takes its work from `steps`; with none left the answers mean nothing.
class comparison {
 public:
  explicit comparison(std::uint64_t& steps) noexcept : steps_(steps) {}

  bool equal(json::view a, json::view b) {
    if (!step()) return false;
    if (a.is_array() && b.is_array()) {
      auto const x = a.elements();
      auto const y = b.elements();
      if (a.size() != b.size()) return false;
      return std::equal(x.begin(), x.end(), y.begin(), y.end(), [this](auto i, auto j) { return equal(i, j); });
    }
    if (!a.is_object() || !b.is_object()) return a == b;
    if (a.size() != b.size() || !step(2 * a.size())) return false;
    auto const x = sorted_members(a);
    auto const y = sorted_members(b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [this](auto const& i, auto const& j) { return i.key == j.key && equal(i.value, j.value); });
  }

  bool is_unique(json::view v) {
    std::unordered_multimap<std::size_t, json::view> known;
    for (auto const e : v.elements()) {
      auto const h = hash(e);
      auto const [first, last] = known.equal_range(h);
      for (auto i = first; i != last; ++i) {
        if (equal(i->second, e)) return false;
      }
      if (steps_ == 0) return true;
      known.emplace(h, e);
    }
    return true;
  }

 private:
  bool step(std::uint64_t n = 1) {
    bool const enough = n < steps_;
    steps_ = enough ? steps_ - n : 0;
    return enough;
  }

  static std::vector<json::member> sorted_members(json::view v) {
    std::vector<json::member> out;
    for (auto const m : v.members()) out.push_back(m);
    std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a.key < b.key; });
    return out;
  }

  std::size_t hash(json::view v) {
    if (!step()) return 0;
    auto const mix = [](std::size_t h, std::size_t more) { return (h ^ more) * 0x9E3779B1u + (h >> 7); };
    auto h = static_cast<std::size_t>(v.kind());
    if (v.is_number()) {
      if (auto const i = v.get_int64()) return mix(1, std::hash<std::int64_t>()(*i));
      if (auto const u = v.get_uint64()) return mix(2, std::hash<std::uint64_t>()(*u));
      return mix(3, std::hash<double>()(*v.get_double()));
    }
    if (auto const s = v.get_string()) return mix(h, std::hash<std::string_view>()(*s));
    if (auto const b = v.get_bool()) return mix(h, *b ? 2 : 1);
    for (auto const e : v.elements()) h = mix(h, hash(e));
    for (auto const m : v.members()) h += mix(std::hash<std::string_view>()(m.key), hash(m.value));
    return h;
  }

  std::uint64_t& steps_;
};

}  // namespace comcp::schema_detail

namespace comcp::schema_detail {

/// Which parts of one instance have been looked at by subschemas that matched.
struct evaluated {
  bool all_members = false, all_items = false;
  std::size_t first_items = 0;
  std::unordered_set<std::string_view> members;
  std::unordered_set<std::size_t> items;

  void merge(evaluated const& other) {
    all_members |= other.all_members;
    all_items |= other.all_items;
    first_items = std::max(first_items, other.first_items);
    members.insert(other.members.begin(), other.members.end());
    items.insert(other.items.begin(), other.items.end());
  }
};

class evaluator {
 public:
  /// Collects violations until there are `wanted`.
  evaluator(program const& p, std::size_t wanted) : p_(p), wanted_(wanted), steps_(p.max_steps) {}

  std::vector<violation> violations;
  char const* limit = nullptr;  // the name of the bound that ended the evaluation

  bool run(json::view instance) { return apply(0, {instance, nullptr, {}, 0}, nullptr, nullptr); }

 private:
  /// An instance and how it was reached.
  struct spot {
    json::view value;
    spot const* outer;
    std::string_view key;  // with null data: an index
    std::size_t index;
  };
  struct scope {
    resource_id resource;
    scope const* outer;
  };
  struct frame {
    node const& at;
    spot const& on;
    scope const* scopes;
    evaluated* seen;
  };

  static spot element(spot const& of, json::view value, std::size_t i) { return {value, &of, {}, i}; }
  static spot member(spot const& of, json::member const& m) {
    return {m.value, &of, m.key.data() ? m.key : std::string_view("", 0), 0};
  }

  bool step(std::uint64_t n = 1) {
    if (limit) return false;
    if (n > steps_) return limit = "max_steps", false;
    steps_ -= n;
    return true;
  }
  // For what counts its work by itself; running out shows as no steps being left.
  bool equal(json::view a, json::view b) { return comparison(steps_).equal(a, b) && enough(); }
  bool is_unique(json::view v) { return comparison(steps_).is_unique(v) && enough(); }
  bool enough() {
    if (steps_ == 0) limit = "max_steps";
    return !limit;
  }

  /// Whether the rest can change nothing any more.
  [[nodiscard]] bool stop(bool good) const { return limit || (!good && (quiet_ || violations.size() >= wanted_)); }

  bool apply(node_id id, spot const& on, scope const* outer, evaluated* seen) {
    if (!step()) return false;
    auto const& n = p_.nodes[id];
    if (n.always) return *n.always || report(n, {}, on, "is not allowed");
    if (depth_ >= p_.max_depth) return limit = "max_depth", false;
    ++depth_;
    scope const entered{n.resource, outer};
    evaluated own;
    bool const track = seen || n.has_unevaluated;
    frame const f{n, on, outer && outer->resource == n.resource ? outer : &entered, track ? &own : nullptr};
    bool good = true;
    for (auto const& r : n.rules) {
      bool const late = r.what == rule_kind::unevaluated_items || r.what == rule_kind::unevaluated_members;
      if (late && !good) break;
      if (!step() || !check(r, f)) good = false;
      if (stop(good)) break;
    }
    --depth_;
    if (good && seen) seen->merge(own);
    return good && !limit;
  }

  /// Whether a subschema matches, without telling anybody why not.
  bool matches(node_id id, spot const& on, frame const& f, evaluated* seen) {
    ++quiet_;
    bool const good = apply(id, on, f.scopes, seen);
    --quiet_;
    return good;
  }

  bool report(node const& at, std::string_view keyword, spot const& on, std::string text) {
    if (quiet_ || limit || violations.size() >= wanted_) return false;
    std::string path;
    for (auto const* s = &on; s->outer; s = s->outer)
      path.insert(0, s->key.data() ? pointer_token(s->key) : "/" + std::to_string(s->index));
    violations.push_back(
        {std::move(path), at.path + (keyword.empty() ? "" : "/" + std::string(keyword)), std::move(text)});
    return false;
  }
  bool report(rule const& r, frame const& f, std::string text) {
    return report(f.at, r.keyword, f.on, std::move(text));
  }

  bool check(rule const& r, frame const& f) {
    auto const v = f.on.value;
    switch (r.what) {
      case rule_kind::reference: return apply(r.sub, f.on, f.scopes, f.seen);
      case rule_kind::dynamic_reference: return apply(dynamic_target(r, f.scopes), f.on, f.scopes, f.seen);
      case rule_kind::type: return has_type(v, r.number) || report(r, f, "is not of type " + r.arg.dump());
      case rule_kind::enumeration: return check_enumeration(r, f);
      case rule_kind::constant: return equal(v, r.arg) || report(r, f, "is not the constant");
      case rule_kind::number_bound: return !v.is_number() || check_bound(r, f);
      case rule_kind::multiple:
        return !v.is_number() || is_multiple(v, r.arg) || report(r, f, "is not a multiple of " + r.arg.dump());
      case rule_kind::length: return check_length(r, f);
      case rule_kind::text_pattern:
        return !v.is_string() || search(r.patterns[0].first, *v.get_string()) ||
               report(r, f, "does not match the pattern " + r.arg.dump());
      case rule_kind::format:
        return !v.is_string() || !step(1 + v.get_string()->size()) || is_format(*r.arg.get_string(), *v.get_string()) ||
               report(r, f, "is not a valid " + r.arg.dump());
      case rule_kind::unique: return is_unique(v) || report(r, f, "has equal elements");
      case rule_kind::required: return !v.is_object() || check_required(r, f, r.names);
      case rule_kind::dependent_required: return check_dependent_required(r, f);
      case rule_kind::members: return check_members(r, f);
      case rule_kind::member_names: return check_member_names(r, f);
      case rule_kind::items: return check_items(r, f);
      case rule_kind::contains: return !v.is_array() || check_contains(r, f);
      case rule_kind::all_of: return check_all(r, f);
      case rule_kind::any_of: return check_any(r, f);
      case rule_kind::one_of: return check_one(r, f);
      case rule_kind::negation:
        return !matches(r.sub, f.on, f, nullptr) || report(r, f, "matches the schema of \"not\"");
      case rule_kind::condition: return check_condition(r, f);
      case rule_kind::dependent_schemas: return check_dependent_schemas(r, f);
      case rule_kind::unevaluated_items: return check_unevaluated_items(r, f);
      case rule_kind::unevaluated_members: return check_unevaluated_members(r, f);
    }
    return true;
  }

  // The outermost resource of the dynamic scope that has the anchor.
  node_id dynamic_target(rule const& r, scope const* scopes) {
    if (r.names.empty()) return r.sub;
    auto const& candidates = p_.dynamic_anchors.find(r.names[0])->second;
    auto target = r.sub;
    for (auto const* s = scopes; s; s = s->outer) {
      if (auto const found = candidates.find(s->resource); found != candidates.end()) target = found->second;
    }
    return target;
  }

  bool check_enumeration(rule const& r, frame const& f) {
    for (auto const e : r.arg.elements()) {
      if (equal(f.on.value, e)) return true;
    }
    return report(r, f, r.arg.size() <= 20 ? "is none of " + r.arg.dump() : "is none of the listed values");
  }

  bool check_bound(rule const& r, frame const& f) {
    auto const v = f.on.value;
    switch (r.compare) {
      case bound::at_least: return !less(v, r.arg) || report(r, f, "is less than " + r.arg.dump());
      case bound::above: return less(r.arg, v) || report(r, f, "is not greater than " + r.arg.dump());
      case bound::at_most: return !less(r.arg, v) || report(r, f, "is greater than " + r.arg.dump());
      case bound::below: return less(v, r.arg) || report(r, f, "is not less than " + r.arg.dump());
    }
    return true;
  }

  bool check_length(rule const& r, frame const& f) {
    auto const v = f.on.value;
    std::size_t n = 0;
    char const* what = " elements";
    if (r.counts == counted::characters) {
      if (!v.is_string() || !step(v.get_string()->size() / 64)) return true;
      n = count_code_points(*v.get_string());
      what = " characters";
    } else if (r.counts == counted::items) {
      if (!v.is_array()) return true;
      n = v.size();
    } else {
      if (!v.is_object()) return true;
      n = v.size();
      what = " members";
    }
    if (n < r.number) return report(r, f, "has fewer than " + std::to_string(r.number) + what);
    if (n > r.limit) return report(r, f, "has more than " + std::to_string(r.limit) + what);
    return true;
  }

  bool search(pattern const& p, std::string_view text) {
    auto const found = p.search(text, steps_);
    if (!found) limit = "max_steps";
    return found.value_or(false);
  }

  bool has_member(json::view v, std::string_view name) { return step(v.size() / 16 + 1) && v.find(name).has_value(); }

  bool check_required(rule const& r, frame const& f, std::vector<std::string_view> const& names) {
    bool good = true;
    for (auto const name : names) {
      if (!has_member(f.on.value, name)) good = report(r, f, "has no member \"" + std::string(name) + "\"");
      if (limit || (!good && quiet_)) break;
    }
    return good;
  }

  bool check_dependent_required(rule const& r, frame const& f) {
    bool good = true;
    for (auto const& [name, needed] : r.lists) {
      if (has_member(f.on.value, name)) good = check_required(r, f, needed) && good;
    }
    return good;
  }

  bool check_members(rule const& r, frame const& f) {
    bool good = true;
    for (auto const m : f.on.value.members()) {
      if (!step()) return false;
      auto const at = member(f.on, m);
      bool seen = false;
      auto named = std::lower_bound(r.named.begin(), r.named.end(), m.key,
                                    [](auto const& x, std::string_view key) { return x.first < key; });
      if (named != r.named.end() && named->first == m.key) {
        seen = true;
        good = apply(named->second, at, f.scopes, nullptr) && good;
      }
      for (auto const& [p, id] : r.patterns) {
        if (!search(p, m.key)) continue;
        seen = true;
        good = apply(id, at, f.scopes, nullptr) && good;
      }
      if (!seen && r.sub != none) {
        seen = true;
        good = apply(r.sub, at, f.scopes, nullptr) && good;
      }
      if (seen && f.seen) f.seen->members.insert(m.key);
      if (stop(good)) return false;
    }
    return good;
  }

  bool check_member_names(rule const& r, frame const& f) {
    for (auto const m : f.on.value.members()) {
      json::writer w;
      w.string(m.key);
      auto const name = json::parse(w.text());
      if (!name) continue;
      if (matches(r.sub, {name->view(), nullptr, {}, 0}, f, nullptr)) continue;
      if (limit) return false;
      return report(r, f, "has the member name \"" + std::string(m.key) + "\", which does not match");
    }
    return true;
  }

  bool check_items(rule const& r, frame const& f) {
    bool good = true;
    std::size_t i = 0;
    for (auto const e : f.on.value.elements()) {
      auto const sub = i < r.subs.size() ? r.subs[i] : r.sub;
      if (sub == none) break;
      good = apply(sub, element(f.on, e, i), f.scopes, nullptr) && good;
      if (stop(good)) return false;
      ++i;
    }
    if (f.seen) {
      f.seen->first_items = std::max(f.seen->first_items, i);
      if (r.sub != none) f.seen->all_items = true;
    }
    return good;
  }

  bool check_contains(rule const& r, frame const& f) {
    std::size_t found = 0, i = 0;
    for (auto const e : f.on.value.elements()) {
      if (matches(r.sub, element(f.on, e, i), f, nullptr)) {
        ++found;
        if (f.seen) f.seen->items.insert(i);
      }
      if (limit) return false;
      ++i;
    }
    if (found < r.number) return report(r, f, "has fewer than " + std::to_string(r.number) + " matching elements");
    if (found > r.limit) return report(r, f, "has more than " + std::to_string(r.limit) + " matching elements");
    return true;
  }

  bool check_all(rule const& r, frame const& f) {
    bool good = true;
    for (auto const sub : r.subs) {
      good = apply(sub, f.on, f.scopes, f.seen) && good;
      if (stop(good)) return false;
    }
    return good;
  }

  bool check_any(rule const& r, frame const& f) {
    bool good = false;
    for (auto const sub : r.subs) {
      good = matches(sub, f.on, f, f.seen) || good;
      if (limit) return false;
      if (good && !f.seen) return true;
    }
    return good || report(r, f, "matches none of the alternatives");
  }

  bool check_one(rule const& r, frame const& f) {
    std::size_t found = 0;
    for (auto const sub : r.subs) {
      if (matches(sub, f.on, f, f.seen)) ++found;
      if (limit) return false;
    }
    if (found == 1) return true;
    return report(r, f, found == 0 ? "matches none of the alternatives" : "matches more than one of the alternatives");
  }

  bool check_condition(rule const& r, frame const& f) {
    auto const next = matches(r.sub, f.on, f, f.seen) ? r.then_sub : r.else_sub;
    return next == none || apply(next, f.on, f.scopes, f.seen);
  }

  bool check_dependent_schemas(rule const& r, frame const& f) {
    bool good = true;
    for (auto const& [name, sub] : r.named) {
      if (has_member(f.on.value, name)) good = apply(sub, f.on, f.scopes, f.seen) && good;
      if (stop(good)) return false;
    }
    return good;
  }

  bool check_unevaluated_items(rule const& r, frame const& f) {
    bool good = true;
    std::size_t i = 0;
    for (auto const e : f.on.value.elements()) {
      if (f.seen->all_items) break;
      if (i >= f.seen->first_items && !f.seen->items.contains(i))
        good = apply(r.sub, element(f.on, e, i), f.scopes, nullptr) && good;
      if (stop(good)) return false;
      ++i;
    }
    f.seen->all_items = true;
    return good;
  }

  bool check_unevaluated_members(rule const& r, frame const& f) {
    bool good = true;
    for (auto const m : f.on.value.members()) {
      if (f.seen->all_members) break;
      if (!f.seen->members.contains(m.key)) good = apply(r.sub, member(f.on, m), f.scopes, nullptr) && good;
      if (stop(good)) return false;
    }
    f.seen->all_members = true;
    return good;
  }

  program const& p_;
  std::size_t wanted_;
  std::uint64_t steps_;
  std::size_t depth_ = 0;
  std::size_t quiet_ = 0;
};

}  // namespace comcp::schema_detail

namespace comcp {

COMCP_DECL std::string violation::to_string() const {
  return (instance.empty() ? "the value" : instance) + ": " + text + " (" + (schema.empty() ? "schema" : schema) + ")";
}

COMCP_DECL result<schema> schema::compile(json::value const& text, schema_options const& options) {
  auto compiled = schema_detail::schema_compiler(options).run(text);
  if (!compiled) return std::move(compiled).error();
  return schema(std::move(*compiled));
}

COMCP_DECL result<void> schema::validate(json::view instance) const {
  schema_detail::evaluator e(*program_, 1);
  if (e.run(instance)) return {};
  if (e.limit) return error(errc::limit_exceeded, std::string("schema validation: ") + e.limit);
  constexpr std::size_t named = 3;
  schema_detail::evaluator again(*program_, named);
  again.run(instance);
  std::string text;
  for (auto const& v : again.violations) text += (text.empty() ? "" : "; ") + v.to_string();
  return error(errc::validation_failed, std::move(text));
}

COMCP_DECL std::vector<violation> schema::violations(json::view instance) const {
  schema_detail::evaluator e(*program_, std::max<std::size_t>(program_->max_violations, 1));
  if (!e.run(instance) && e.limit)
    e.violations.push_back({"", "", std::string("was not checked to the end: limit exceeded, ") + e.limit});
  return std::move(e.violations);
}

COMCP_DECL json::value const& schema::text() const noexcept { return program_->documents.front(); }

COMCP_DECL schema_dialect schema::dialect() const noexcept { return program_->dialect; }

}  // namespace comcp
#endif

namespace comcp {

COMCP_DECL result<json::value> fill_defaults(json::view requested_schema, json::view content) {
  if (!content.is_object() && !content.is_null())
    return error(errc::invalid_argument, "elicitation: the content is no object");
  json::writer w;
  w.begin_object();
  for (auto const m : content.members()) w.key(m.key).value(m.value);
  if (auto const properties = requested_schema.find("properties")) {
    for (auto const p : properties->members()) {
      auto const fallback = p.value.find("default");
      if (fallback && !content.find(p.key)) w.key(p.key).value(*fallback);
    }
  }
  w.end_object();
  return json::parse(w.text(), json::parse_options().max_depth(1024));
}

COMCP_DECL result<void> check_primitive_content(json::view content) {
  if (!content.is_object()) return error(errc::validation_failed, "elicitation: the content is no object");
  for (auto const m : content.members()) {
    auto const elements = m.value.elements();
    bool const strings =
        m.value.is_array() && std::all_of(elements.begin(), elements.end(), [](json::view e) { return e.is_string(); });
    if (strings || m.value.is_string() || m.value.is_number() || m.value.get_bool()) continue;
    return error(errc::validation_failed,
                 "elicitation: \"" + std::string(m.key) + "\" is no string, number, boolean or array of strings");
  }
  return {};
}

COMCP_DECL result<void> check_content(json::view requested_schema, json::view content) {
  if (auto const ok = check_primitive_content(content); !ok) return ok.error();
  auto const text = requested_schema.share();
  auto const compiled = schema::compile(text, schema_options().assert_formats(true));
  if (!compiled) return compiled.error();
  return compiled->validate(content);
}

}  // namespace comcp
#endif

namespace comcp::detail {

COMCP_DECL result<json::fragment> complete_elicitation(context const& ctx, json::view request,
                                                       json::fragment const& answered) {
  auto const parsed = json::parse(answered.text());
  if (!parsed) return parsed.error();
  auto answer = parsed->get<elicit_result>();
  if (!answer) return answer.error();
  if (answer->action != elicit_action::accept) {
    answer->content = json::value();
    return json::fragment::of(*answer);
  }
  auto const asked = request.find("requestedSchema");
  if (!asked) return json::fragment::of(*answer);
  if (answer->content.is_null()) answer->content = json::parse("{}").value();
  auto filled = fill_defaults(*asked, answer->content.view());
  if (!filled) return filled.error();
  auto const* const plan = ctx.validation_.get();
  auto const ok = plan ? plan->check_answer(*asked, filled->view()) : check_content(*asked, filled->view());
  if (!ok) {
    if (!plan || !plan->only_warns_of_answers()) return ok.error();
    ctx.fault(ok.error());
  }
  answer->content = std::move(*filled);
  return json::fragment::of(*answer);
}

COMCP_DECL result<void> check_roots(json::fragment const& answered) {
  auto const parsed = json::parse(answered.text());
  auto const list = parsed ? parsed->get<list_roots_result>() : result<list_roots_result>(parsed.error());
  if (!list) return list.error();
  for (auto const& r : list->roots) {
    if (!r.uri.starts_with("file://")) return error(errc::invalid_argument, "a root is a file:// uri, not " + r.uri);
  }
  return {};
}

}  // namespace comcp::detail
#endif

namespace comcp::detail {

template <class T>
inline constexpr bool is_awaitable = false;
template <class T>
inline constexpr bool is_awaitable<asio::awaitable<T>> = true;
template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<result<T>> = true;

inline error invalid_params(error const& why) {
  return error::from_peer({-32602, "Invalid params: " + std::string(why.message()), {}});
}
inline error method_not_found(std::string const& method) {
  return error::from_peer({-32601, "Method not found: " + method, {}});
}

inline json::fragment answer_text(std::vector<root> const& roots) {
  list_roots_result r;
  r.roots = roots;
  return json::fragment::of(r);
}
template <class V>
json::fragment answer_text(V const& v) {
  return json::fragment::of(v);
}

template <class V>
result<json::fragment> encode_answer(V const& v) {
  if constexpr (is_result<V>) {
    if (!v) return v.error();
    return answer_text(*v);
  } else {
    return answer_text(v);
  }
}

template <class R>
asio::awaitable<result<json::fragment>> settle(R returned) {
  if constexpr (is_awaitable<R>) {
    auto const value = co_await std::move(returned);
    co_return encode_answer(value);
  } else {
    co_return encode_answer(returned);
  }
}

template <class R>
asio::awaitable<result<json::fragment>> settle_elicitation(context ctx, json::value request, R returned) {
  auto settled = settle(std::move(returned));
  auto answered = co_await std::move(settled);
  if (!answered) co_return answered;
  auto completed = complete_elicitation(ctx, request.view(), *answered);
  co_return completed;
}

template <class R>
asio::awaitable<result<json::fragment>> settle_roots(R returned) {
  auto settled = settle(std::move(returned));
  auto answered = co_await std::move(settled);
  if (!answered) co_return answered;
  if (auto const ok = check_roots(*answered); !ok) co_return ok.error();
  co_return answered;
}

inline asio::awaitable<result<json::fragment>> refuse(error e) { co_return result<json::fragment>(std::move(e)); }

// Calls f(args..., ctx) or f(args...), whichever the member takes.
template <class F, class... A>
auto with_context(F&& f, context& ctx, A&&... args) {
  if constexpr (requires { f(std::forward<A>(args)..., ctx); }) {
    return f(std::forward<A>(args)..., ctx);
  } else {
    return f(std::forward<A>(args)...);
  }
}

template <class H>
void declare(H& h, client_capabilities& c) {
  if constexpr (has_create_message<H>) {
    if (!c.sampling) c.sampling.emplace();
  }
  if constexpr (has_list_roots<H>) {
    if (!c.roots) c.roots.emplace();
  }
  if constexpr (has_elicit<H> || has_elicit_url<H>) {
    if (!c.elicitation) c.elicitation.emplace();
    if constexpr (has_elicit<H>) c.elicitation->form = true;
    if constexpr (has_elicit_url<H>) c.elicitation->url = true;
  }
  if constexpr (requires { h.roots_list_changed(); }) c.roots->list_changed = true;
  if constexpr (has_capabilities<H>) h.capabilities(c);
}

template <class H>
bool answers(H const&, std::string_view method) {
  if (method == "sampling/createMessage") return has_create_message<H>;
  if (method == "roots/list") return has_list_roots<H>;
  if (method == "elicitation/create") return has_elicit<H> || has_elicit_url<H>;
  return has_on_request<H>;
}

template <class H>
bool elicits(H const&, elicit_mode mode) {
  return mode == elicit_mode::url ? has_elicit_url<H> : has_elicit<H>;
}

template <class H>
bool receives(H const&, std::string_view method) {
  if (method == "notifications/tools/list_changed") return has_on<H, tools_list_changed>;
  if (method == "notifications/prompts/list_changed") return has_on<H, prompts_list_changed>;
  if (method == "notifications/resources/list_changed") return has_on<H, resources_list_changed>;
  if (method == "notifications/resources/updated") return has_on<H, resource_updated>;
  if (method == "notifications/message") return has_on<H, logging_message>;
  return false;
}

template <class H>
asio::awaitable<result<json::fragment>> answer_elicitation(H& h, json::value const& params, context& ctx) {
  auto request = json::read<elicit_params>(params.view());
  if (!request) return refuse(invalid_params(request.error()));
  if (request->mode == elicit_mode::url) {
    if constexpr (has_elicit_url<H>) {
      auto const member = [&h](auto&&... a) -> decltype(h.elicit_url(std::forward<decltype(a)>(a)...)) {
        return h.elicit_url(std::forward<decltype(a)>(a)...);
      };
      return settle(with_context(member, ctx, *std::move(request)));
    }
  } else {
    if constexpr (has_elicit<H>) {
      auto const member = [&h](auto&&... a) -> decltype(h.elicit(std::forward<decltype(a)>(a)...)) {
        return h.elicit(std::forward<decltype(a)>(a)...);
      };
      return settle_elicitation(ctx, params, with_context(member, ctx, *std::move(request)));
    }
  }
  return refuse(error::from_peer({-32602, "Invalid params: this elicitation mode was not declared", {}}));
}

template <class H>
asio::awaitable<result<json::fragment>> answer(H& h, std::string const& method, json::value const& params,
                                               context& ctx) {
  if (method == "sampling/createMessage") {
    if constexpr (has_create_message<H>) {
      auto request = json::read<create_message_params>(params.view());
      if (!request) return refuse(invalid_params(request.error()));
      if (auto const ok = request->check_tool_results(); !ok) return refuse(invalid_params(ok.error()));
      auto const member = [&h](auto&&... a) -> decltype(h.create_message(std::forward<decltype(a)>(a)...)) {
        return h.create_message(std::forward<decltype(a)>(a)...);
      };
      return settle(with_context(member, ctx, *std::move(request)));
    }
  } else if (method == "roots/list") {
    if constexpr (has_list_roots<H>) {
      auto const member = [&h](auto&&... a) -> decltype(h.list_roots(std::forward<decltype(a)>(a)...)) {
        return h.list_roots(std::forward<decltype(a)>(a)...);
      };
      return settle_roots(with_context(member, ctx));
    }
  } else if (method == "elicitation/create") {
    if constexpr (has_elicit<H> || has_elicit_url<H>) return answer_elicitation(h, params, ctx);
  }
  if constexpr (has_on_request<H>) {
    auto const member = [&h](auto&&... a) -> decltype(h.on_request(std::forward<decltype(a)>(a)...)) {
      return h.on_request(std::forward<decltype(a)>(a)...);
    };
    return settle(with_context(member, ctx, std::string(method), json::value(params)));
  } else {
    return refuse(method_not_found(method));
  }
}

template <class R>
asio::awaitable<void> wait_for(R returned) {
  co_await std::move(returned);
}
inline asio::awaitable<void> nothing() { co_return; }

// Hands one notification over; the member may be a coroutine.
template <class H, class N>
asio::awaitable<void> hand_over(H& h, N n, context& ctx) {
  auto const member = [&h](auto&&... a) -> decltype(h.on(std::forward<decltype(a)>(a)...)) {
    return h.on(std::forward<decltype(a)>(a)...);
  };
  if constexpr (is_awaitable<decltype(with_context(member, ctx, std::move(n)))>) {
    return wait_for(with_context(member, ctx, std::move(n)));
  } else {
    with_context(member, ctx, std::move(n));
    return nothing();
  }
}

template <class N, class H>
asio::awaitable<void> notify_as(H& h, std::string const& method, json::value const& params, context& ctx) {
  if constexpr (has_on<H, N> && !std::same_as<N, any_notification>) {
    if (params.is_null()) return hand_over(h, N(), ctx);
    return hand_over(h, json::read<N>(params.view()).value(), ctx);
  } else if constexpr (has_on<H, any_notification>) {
    return hand_over(h, any_notification(method, params), ctx);
  } else {
    return nothing();
  }
}

template <class H>
asio::awaitable<void> notify(H& h, std::string const& method, json::value const& params, context& ctx) {
  if (method == "notifications/tools/list_changed") return notify_as<tools_list_changed>(h, method, params, ctx);
  if (method == "notifications/prompts/list_changed") return notify_as<prompts_list_changed>(h, method, params, ctx);
  if (method == "notifications/resources/list_changed")
    return notify_as<resources_list_changed>(h, method, params, ctx);
  if (method == "notifications/resources/updated") return notify_as<resource_updated>(h, method, params, ctx);
  if (method == "notifications/message") return notify_as<logging_message>(h, method, params, ctx);
  if (method == "notifications/elicitation/complete") return notify_as<elicitation_complete>(h, method, params, ctx);
  if (method == "notifications/cancelled") return notify_as<cancelled>(h, method, params, ctx);
  if (method == "notifications/progress") return notify_as<progress_notification>(h, method, params, ctx);
  return notify_as<any_notification>(h, method, params, ctx);
}

// A chain is a handler too; defined where any_handler is complete.
void declare(handler_chain& chain, client_capabilities& c);
bool answers(handler_chain const& chain, std::string_view method);
bool elicits(handler_chain const& chain, elicit_mode mode);
bool receives(handler_chain const& chain, std::string_view method);
asio::awaitable<result<json::fragment>> answer(handler_chain& chain, std::string const& method,
                                               json::value const& params, context& ctx);
asio::awaitable<void> notify(handler_chain& chain, std::string const& method, json::value const& params, context& ctx);

}  // namespace comcp::detail

namespace comcp {

/// Handles nothing and declares nothing.
struct no_handler {};

/// What a handler may have, each member optional, each with an optional trailing `comcp::context&`, each
/// returning its value, a result<> of it, or an asio::awaitable of either:
///
///   create_message_result create_message(create_message_params);     declares sampling
///   std::vector<root>     list_roots();                               declares roots
///   elicit_result         elicit(elicit_params);                      declares elicitation, form mode
///   elicit_result         elicit_url(elicit_params);                  declares elicitation, url mode
///   json::fragment        on_request(std::string method, json::value params);   vendor requests
///   void                  on(tools_list_changed);  ... on(any_notification);    notifications
///   void                  capabilities(client_capabilities&);         narrows what is declared
///
/// To answer with an error, throw comcp::exception (or return a result) made by error::from_peer. Any other
/// exception becomes -32603 without its text, and a fault for the observer.
template <class H>
concept handler = std::move_constructible<H> && detail::check_handler<H>();

/// Any handler, type-erased and shared.
class any_handler {
 public:
  any_handler() = default;
  template <class H>
    requires(!std::same_as<H, any_handler>)
  explicit any_handler(H h) : any_handler(std::make_shared<H>(std::move(h))) {}
  template <class H>
  explicit any_handler(std::shared_ptr<H> h) : self_(std::make_shared<model<H>>(std::move(h))) {
    static_assert(handler<H>);
  }

  void declare(client_capabilities& c) const {
    if (self_) self_->declare(c);
  }
  [[nodiscard]] bool answers(std::string_view method) const { return self_ && self_->answers(method); }
  /// Of elicitation/create: whether there is a member for this mode.
  [[nodiscard]] bool elicits(elicit_mode mode) const { return self_ && self_->elicits(mode); }
  /// Whether some on(...) member takes this notification itself (the catch-all does not count).
  [[nodiscard]] bool receives(std::string_view method) const { return self_ && self_->receives(method); }
  /// The result's JSON text, or the error to answer with.
  asio::awaitable<result<json::fragment>> answer(std::string const& method, json::value const& params,
                                                 context& ctx) const {
    return self_->answer(method, params, ctx);
  }
  asio::awaitable<void> notify(std::string const& method, json::value const& params, context& ctx) const {
    return self_->notify(method, params, ctx);
  }
  explicit operator bool() const noexcept { return static_cast<bool>(self_); }

 private:
  struct base {
    virtual ~base() = default;
    virtual void declare(client_capabilities&) const = 0;
    virtual bool answers(std::string_view) const = 0;
    virtual bool elicits(elicit_mode) const = 0;
    virtual bool receives(std::string_view) const = 0;
    virtual asio::awaitable<result<json::fragment>> answer(std::string const&, json::value const&, context&) = 0;
    virtual asio::awaitable<void> notify(std::string const&, json::value const&, context&) = 0;
  };

  template <class H>
  struct model final : base {
    explicit model(std::shared_ptr<H> h) : impl(std::move(h)) {}
    void declare(client_capabilities& c) const override { detail::declare(*impl, c); }
    bool answers(std::string_view m) const override { return detail::answers(*impl, m); }
    bool elicits(elicit_mode mode) const override { return detail::elicits(*impl, mode); }
    bool receives(std::string_view m) const override { return detail::receives(*impl, m); }
    asio::awaitable<result<json::fragment>> answer(std::string const& m, json::value const& p, context& c) override {
      return detail::answer(*impl, m, p, c);
    }
    asio::awaitable<void> notify(std::string const& m, json::value const& p, context& c) override {
      return detail::notify(*impl, m, p, c);
    }
    std::shared_ptr<H> impl;
  };

  std::shared_ptr<base> self_;
};

/// Several handlers as one: a request goes to the first that has a member for it, a notification to all.
class handler_chain {
 public:
  explicit handler_chain(std::vector<any_handler> list) : list_(std::move(list)) {}
  [[nodiscard]] std::vector<any_handler> const& list() const noexcept { return list_; }

 private:
  std::vector<any_handler> list_;
};

template <class... H>
handler_chain handlers(H... h) {
  std::vector<any_handler> list;
  (list.push_back(any_handler(std::move(h))), ...);
  return handler_chain(std::move(list));
}

namespace detail {

inline void declare(handler_chain& chain, client_capabilities& c) {
  for (auto const& h : chain.list()) h.declare(c);
}
inline bool answers(handler_chain const& chain, std::string_view method) {
  for (auto const& h : chain.list()) {
    if (h.answers(method)) return true;
  }
  return false;
}
inline bool receives(handler_chain const& chain, std::string_view method) {
  for (auto const& h : chain.list()) {
    if (h.receives(method)) return true;
  }
  return false;
}
inline bool elicits(handler_chain const& chain, elicit_mode mode) {
  for (auto const& h : chain.list()) {
    if (h.elicits(mode)) return true;
  }
  return false;
}
inline asio::awaitable<result<json::fragment>> answer(handler_chain& chain, std::string const& method,
                                                      json::value const& params, context& ctx) {
  bool const asks_user = method == "elicitation/create";
  auto const mode = asks_user ? params.view().find("mode") : std::nullopt;
  auto const wanted = mode && mode->get_string() == "url" ? elicit_mode::url : elicit_mode::form;
  for (auto const& h : chain.list()) {
    if (asks_user ? h.elicits(wanted) : h.answers(method)) return h.answer(method, params, ctx);
  }
  return refuse(method_not_found(method));
}
// What one of them throws is thrown once all were told.
inline asio::awaitable<void> notify(handler_chain& chain, std::string const& method, json::value const& params,
                                    context& ctx) {
  std::exception_ptr thrown;
  for (auto const& h : chain.list()) {
    try {
      auto told = h.notify(method, params, ctx);
      co_await std::move(told);
    } catch (...) {
      if (!thrown) thrown = std::current_exception();
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace detail
}  // namespace comcp

// jsonrpc/decode.hpp
// Reads the envelope of one message: what it is, whose it is, and where its parts lie. The parts stay raw;
// whoever uses one parses it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace comcp::jsonrpc {

enum class message_kind { request, notification, response, error, batch, invalid };

/// One message, classified. The views point into the text that was decoded.
struct envelope {
  message_kind kind = message_kind::invalid;
  std::string method;                 ///< Requests and notifications.
  std::string_view raw_id;            ///< The id as it was written; empty where absent or null.
  std::optional<std::uint64_t> id;    ///< The id as a number of ours: an integer, or the string of one.
  std::string_view params;            ///< Raw; empty where absent.
  std::string_view result;            ///< Raw.
  std::string_view error;             ///< Raw.
  std::string reason;                 ///< Why it is invalid. With an id, that call must fail with it.
};

/// Classifies one message: exact keys, no duplicates of them, strict UTF-8. Never fails: what is no message is
/// `invalid`, with the id recovered where that is possible.
envelope decode(padded_text text);

/// The id and the raw result of an answer that is written in one of the two usual ways: nothing but the version, the
/// id and the result, in this order or with the result first.
struct plain_result {
  std::uint64_t id = 0;
  std::string_view result;
};
/// Looks at the start and the end of the text only: what lies between is the result if, and only if, it parses as one
/// value. Everything else is for decode().
std::optional<plain_result> find_result(std::string_view text) noexcept;

/// The error object of an answer, or errc::protocol_violation when it is not one.
comcp::error decode_error(std::string_view raw_error);

}  // namespace comcp::jsonrpc

#if !defined(COMCP_SEPARATE_COMPILATION)

// jsonrpc/impl/decode.ipp
#include <algorithm>

// json/reader.hpp
// On-demand reading of one object's or array's top level, without building a document: how envelopes are
// classified. What is skipped is not validated; parse() it before a user sees it.

#include <string_view>

namespace comcp::json {

/// Told each member of an object: its unescaped key and the raw text of its value, in place.
class member_sink {
 public:
  /// False stops the scan. Both are valid until the next call; `raw` is a part of the scanned text. May scan
  /// another text.
  virtual bool on_member(std::string_view key, std::string_view raw) = 0;

 protected:
  ~member_sink() = default;
};

/// Scans the members of the object that `text` is. Errors: invalid_json (with what was told before staying
/// told), wrong_shape when the text is no object.
result<void> scan_object(padded_text text, member_sink& sink);

/// Scans the elements of the array that `text` is; the keys given are empty.
result<void> scan_array(padded_text text, member_sink& sink);

/// The unescaped content of a raw JSON string such as "\"tools\\/call\"". Errors: invalid_json.
result<std::string> unescape(std::string_view raw_string);

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION)

// json/impl/reader.ipp
#include <optional>
#include <string>
#include <utility>

namespace comcp::json {
namespace detail {

namespace ondemand = simdjson::ondemand;

// One parser a thread, and one more for a scan inside a sink.
class scanner {
 public:
  scanner() noexcept : first_(!std::exchange(shared().busy, true)) {}
  scanner(scanner const&) = delete;
  scanner& operator=(scanner const&) = delete;
  ~scanner() {
    if (!first_) return;
    if (shared().parser.capacity() > (std::size_t{4} << 20)) shared().parser = ondemand::parser();
    shared().busy = false;
  }
  ondemand::parser& parser() { return first_ ? shared().parser : own_.emplace(); }

 private:
  struct state {
    ondemand::parser parser;
    bool busy = false;
  };
  static state& shared() noexcept {
    thread_local state s;
    return s;
  }
  bool first_;
  std::optional<ondemand::parser> own_;
};

COMCP_DECL std::string_view trimmed(std::string_view s) noexcept {
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\n' || s.back() == '\r'))
    s.remove_suffix(1);
  return s;
}

// The raw text of a value, which is thereby consumed.
COMCP_DECL simdjson::error_code raw_of(ondemand::value v, std::string_view& raw) noexcept {
  ondemand::json_type type;
  if (auto const code = v.type().get(type)) return code;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (auto const code = v.get_object().get(object)) return code;
    auto const code = object.raw_json().get(raw);
    return raw = trimmed(raw), code;
  }
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (auto const code = v.get_array().get(array)) return code;
    auto const code = array.raw_json().get(raw);
    return raw = trimmed(raw), code;
  }
  raw = trimmed(v.raw_json_token());
  return simdjson::SUCCESS;
}

inline error scan_error(simdjson::error_code code) {
  return {code == simdjson::INCORRECT_TYPE ? errc::wrong_shape : errc::invalid_json, parse_failure(code)};
}

COMCP_DECL simdjson::error_code scan_members(ondemand::document& doc, member_sink& sink) {
  ondemand::object object;
  if (auto const code = doc.get_object().get(object)) return code;
  for (auto item : object) {
    ondemand::field field;
    if (auto const code = std::move(item).get(field)) return code;
    std::string_view key, raw;
    if (auto const code = field.unescaped_key().get(key)) return code;
    if (auto const code = raw_of(field.value(), raw)) return code;
    if (!sink.on_member(key, raw)) return simdjson::SUCCESS;
  }
  return doc.current_location().error() == simdjson::OUT_OF_BOUNDS ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

COMCP_DECL simdjson::error_code scan_elements(ondemand::document& doc, member_sink& sink) {
  ondemand::array array;
  if (auto const code = doc.get_array().get(array)) return code;
  for (auto item : array) {
    ondemand::value element;
    if (auto const code = std::move(item).get(element)) return code;
    std::string_view raw;
    if (auto const code = raw_of(element, raw)) return code;
    if (!sink.on_member({}, raw)) return simdjson::SUCCESS;
  }
  return doc.current_location().error() == simdjson::OUT_OF_BOUNDS ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

using scan_function = simdjson::error_code (*)(ondemand::document&, member_sink&);

COMCP_DECL result<void> scan(padded_text text, member_sink& sink, scan_function function) {
  auto const view = without_bom(text.view());
  if (view.empty()) return scan_error(simdjson::EMPTY);
  if (view.starts_with(bom)) return scan_error(simdjson::TAPE_ERROR);
  scanner lease;
  ondemand::document doc;
  simdjson::padded_string_view const padded(view.data(), view.size(), view.size() + padded_text::spare);
  auto code = lease.parser().iterate(padded).get(doc);
  if (!code) code = function(doc, sink);
  if (code) return scan_error(code);
  return {};
}

}  // namespace detail

COMCP_DECL result<void> scan_object(padded_text text, member_sink& sink) {
  return detail::scan(text, sink, detail::scan_members);
}

COMCP_DECL result<void> scan_array(padded_text text, member_sink& sink) {
  return detail::scan(text, sink, detail::scan_elements);
}

COMCP_DECL result<std::string> unescape(std::string_view raw_string) {
  if (raw_string.size() < 2 || raw_string.front() != '"' || raw_string.back() != '"')
    return error(errc::wrong_shape, "not a JSON string");
  auto const inner = raw_string.substr(1, raw_string.size() - 2);
  bool ascii = true;
  if (detail::plain_prefix(inner.data(), inner.size(), ascii) == inner.size() && ascii) return std::string(inner);
  auto const parsed = parse(raw_string);
  if (!parsed) return parsed.error();
  return std::string(parsed->as_string());
}

}  // namespace comcp::json
#endif

namespace comcp::jsonrpc {
namespace detail {

inline constexpr std::uint64_t largest_id = (std::uint64_t{1} << 53) - 1;

// An id of ours: an integer, or a string that holds just that integer.
COMCP_DECL std::optional<std::uint64_t> own_id(std::string_view raw) noexcept {
  if (raw.size() >= 2 && raw.front() == '"' && raw.back() == '"') raw = raw.substr(1, raw.size() - 2);
  if (raw.empty() || raw.size() > 16 || (raw.size() > 1 && raw.front() == '0')) return {};
  std::uint64_t id = 0;
  for (char const c : raw) {
    if (c < '0' || c > '9') return {};
    id = 10 * id + static_cast<std::uint64_t>(c - '0');
  }
  if (id > largest_id) return {};
  return id;
}

struct envelope_reader final : json::member_sink {
  enum part : unsigned { version = 1, id = 2, method = 4, params = 8, result = 16, error = 32 };

  envelope out;
  unsigned seen = 0;
  bool versioned = false;

  static unsigned part_of(std::string_view key) noexcept {
    if (key == "jsonrpc") return version;
    if (key == "id") return id;
    if (key == "method") return method;
    if (key == "params") return params;
    if (key == "result") return result;
    if (key == "error") return error;
    return 0;
  }

  bool on_member(std::string_view key, std::string_view raw) override {
    auto const which = part_of(key);
    if (seen & which) out.reason = "duplicate key \"" + std::string(key) + "\"";
    seen |= which;
    switch (which) {
      case version: versioned = raw == "\"2.0\""; break;
      case id: read_id(raw); break;
      case method: read_method(raw); break;
      case params: out.params = raw; break;
      case result: out.result = raw; break;
      case error: out.error = raw; break;
      default: break;
    }
    return true;
  }

  void read_id(std::string_view raw) {
    if (raw == "null") return;
    bool const string = raw.front() == '"';
    bool const integer = raw.find_first_not_of("-0123456789") == raw.npos;
    if (!string && !integer) {
      out.reason = "the id is neither a string nor an integer";
      return;
    }
    out.raw_id = raw;
    out.id = own_id(raw);
  }

  void read_method(std::string_view raw) {
    auto text = json::unescape(raw);
    if (text) {
      out.method = *std::move(text);
    } else {
      out.reason = "the method is not a string";
    }
  }

  void classify() {
    if (!out.reason.empty()) return;
    if (!versioned) {
      out.reason = "no \"jsonrpc\": \"2.0\"";
    } else if (seen & method) {
      classify_call();
    } else if ((seen & result) && (seen & error)) {
      out.reason = "both result and error";
    } else if (seen & result) {
      out.kind = message_kind::response;
      if (out.raw_id.empty()) fail("a result without id");
    } else if (seen & error) {
      out.kind = message_kind::error;
    } else {
      out.reason = "neither method, result nor error";
    }
  }

  void classify_call() {
    if (seen & (result | error)) return fail("both a method and an answer");
    if (!out.params.empty() && out.params.front() != '{' && out.params.front() != '[')
      return fail("params are neither an object nor an array");
    if ((seen & id) && out.raw_id.empty()) return fail("the id of a request is null");
    out.kind = out.raw_id.empty() ? message_kind::notification : message_kind::request;
  }

  void fail(char const* why) {
    out.kind = message_kind::invalid;
    out.reason = why;
  }
};

// Where the string that starts at `at` ends (behind its quote), or the end of the text.
inline std::size_t skip_string(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// The id of an answer in text that cannot be parsed: cut off, not UTF-8, not quite JSON. Looks at the keys of the
// outermost object only.
COMCP_DECL std::optional<std::uint64_t> recover_id(std::string_view text) {
  std::optional<std::uint64_t> found;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    char const c = text[i];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') {
      ++i;
      continue;
    }
    auto const end = skip_string(text, i);
    auto const key = text.substr(i, end - i);
    i = end;
    auto const colon = text.find_first_not_of(" \t\r\n", end);
    if (depth != 1 || colon == text.npos || text[colon] != ':') continue;
    if (key == "\"method\"") return {};
    if (key != "\"id\"") continue;
    auto const value = text.find_first_not_of(" \t\r\n", colon + 1);
    if (value == text.npos) return {};
    auto const stop = text[value] == '"' ? skip_string(text, value) : text.find_first_not_of("0123456789", value);
    if (stop != text.npos) found = own_id(text.substr(value, stop - value));
  }
  return found;
}

}  // namespace detail

COMCP_DECL envelope decode(padded_text text) {
  auto const view = text.view();
  auto const start = view.find_first_not_of(" \t\r\n");
  if (start != view.npos && view[start] == '[') {
    envelope batch;
    batch.kind = message_kind::batch;
    return batch;
  }
  detail::envelope_reader reader;
  auto const scanned = json::scan_object(text, reader);
  if (!scanned) {
    reader.out.kind = message_kind::invalid;
    reader.out.reason = std::string(scanned.error().message());
    if (!reader.out.id) reader.out.id = detail::recover_id(view);
    if (reader.seen & detail::envelope_reader::method) reader.out.id.reset();
    return std::move(reader.out);
  }
  reader.classify();
  if (reader.out.kind == message_kind::invalid && (reader.seen & detail::envelope_reader::method)) reader.out.id.reset();
  return std::move(reader.out);
}

COMCP_DECL std::optional<plain_result> find_result(std::string_view text) noexcept {
  constexpr std::string_view version = R"({"jsonrpc":"2.0","id":)", result = R"(,"result":)";
  constexpr std::string_view result_first = R"({"result":)", version_last = R"(,"jsonrpc":"2.0","id":)";
  if (text.empty() || text.back() != '}') return {};
  text.remove_suffix(1);
  std::string_view id, inner;
  if (text.starts_with(version)) {
    text.remove_prefix(version.size());
    auto const digits = std::min(text.find(','), text.size());
    id = text.substr(0, digits);
    inner = text.substr(digits);
    if (!inner.starts_with(result)) return {};
    inner.remove_prefix(result.size());
  } else if (text.starts_with(result_first)) {
    auto const digits = text.find_last_not_of("0123456789") + 1;
    id = text.substr(digits);
    inner = text.substr(0, digits);
    if (!inner.ends_with(version_last)) return {};
    inner.remove_suffix(version_last.size());
    inner.remove_prefix(std::min(result_first.size(), inner.size()));
  }
  auto const own = detail::own_id(id);
  if (!own || id.front() == '"' || inner.starts_with("\xEF")) return {};  // json::parse would let a byte order mark pass
  return plain_result{*own, inner};
}

COMCP_DECL comcp::error decode_error(std::string_view raw_error) {
  auto const parsed = json::parse(raw_error);
  auto const object = parsed ? parsed->view() : json::view();
  auto const code = object.find("code");
  auto const number = code ? code->get_int64() : std::nullopt;
  if (!number) return {errc::protocol_violation, "an answer's error has no integer code"};
  peer_error peer;
  peer.code = *number;
  if (auto const message = object.find("message")) peer.message = message->get_string().value_or("");
  if (auto const data = object.find("data")) peer.data = data->dump();
  return comcp::error::from_peer(std::move(peer));
}

}  // namespace comcp::jsonrpc
#endif

namespace comcp {
class client_core;

namespace detail {

class dispatcher {
 public:
  explicit dispatcher(client_core& core) noexcept : core_(core) {}

  /// A request of the server, legacy era.
  void request(jsonrpc::envelope const& m);
  /// Runs the handler for one request of the server, whichever way it came; the error is what to answer.
  asio::awaitable<result<json::fragment>> answer(std::string method, json::value params, context& ctx);
  /// The server withdrew a request: its handler is cancelled, nothing is answered.
  void withdraw(std::string const& raw_id);
  void notification(std::string method, json::value params);
  [[nodiscard]] context make_context(std::string method, json::value const& params) const;
  [[nodiscard]] std::size_t open_requests() const noexcept { return running_.size(); }
  void cancel_all();

 private:
  struct running {
    asio::cancellation_signal signal;
    std::shared_ptr<bool> cancelled = std::make_shared<bool>(false);
  };
  struct queued {
    std::string method;
    json::value params;
  };

  asio::awaitable<void> serve(std::shared_ptr<client_core> hold, std::string raw_id, std::string method,
                              json::value params, std::shared_ptr<running> state);
  asio::awaitable<void> pump(std::shared_ptr<client_core> hold);
  [[nodiscard]] error check(std::string_view method, json::view request) const;

  client_core& core_;
  std::map<std::string, std::shared_ptr<running>> running_;  // by raw id
  std::deque<queued> notifications_;
  bool pumping_ = false;
};

}  // namespace detail
}  // namespace comcp

// client/overlap_guard.hpp
// Finds an executor that runs two handlers of one client at once, which no client survives: a multi-threaded
// io_context needs connect_options().executor(asio::make_strand(io)). Active in debug builds. Internal.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

namespace comcp::detail {

class overlap_guard {
 public:
  /// Held while a handler of the client runs; the same thread may hold it again.
  class scope {
   public:
    explicit scope([[maybe_unused]] overlap_guard& g) noexcept : guard_(g) {
#if !defined(NDEBUG)
      guard_.enter();
#endif
    }
    scope(scope const&) = delete;
    scope& operator=(scope const&) = delete;
    ~scope() {
#if !defined(NDEBUG)
      guard_.leave();
#endif
    }

   private:
    [[maybe_unused]] overlap_guard& guard_;
  };

  void enter() noexcept {
    auto const me = std::this_thread::get_id();
    if (owner_.load(std::memory_order_relaxed) != me) {
      std::thread::id nobody;
      if (!owner_.compare_exchange_strong(nobody, me, std::memory_order_acquire)) {
        std::fputs("comcp: two handlers of one client run at once; on a multi-threaded io_context pass "
                   "connect_options().executor(asio::make_strand(io))\n",
                   stderr);
        std::abort();
      }
    }
    ++depth_;
  }
  void leave() noexcept {
    if (--depth_ == 0) owner_.store(std::thread::id(), std::memory_order_release);
  }

 private:
  std::atomic<std::thread::id> owner_{};
  int depth_ = 0;  // touched by the owner alone
};

}  // namespace comcp::detail

// client/statistics.hpp
// What a client counts.

#include <chrono>
#include <cstdint>

namespace comcp {

/// A snapshot of one client's counters since connect. At every moment tracked is pending + completed + failed +
/// timed_out + cancelled; the handshake is in none of them.
struct statistics {
  std::uint64_t pending = 0;                       ///< Calls that wait now.
  std::chrono::nanoseconds oldest_pending{0};      ///< The age of the oldest of them.
  std::uint64_t tracked = 0;                       ///< Requests sent or waiting to be.
  std::uint64_t completed = 0;                     ///< Ended with a result.
  std::uint64_t failed = 0;                        ///< Ended with an error other than the next two.
  std::uint64_t timed_out = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t late = 0;                          ///< Answers to calls that had ended, dropped.
  std::uint64_t unknown = 0;                       ///< Answers to ids never used, dropped.
  std::uint64_t dropped = 0;                       ///< Notifications and requests dropped at a bound or by the era.
  std::uint64_t bad_messages = 0;                  ///< Lines that were no usable message.
  std::uint64_t notifications = 0;                 ///< Notifications received.
  std::uint64_t requests = 0;                      ///< Requests of the server received.
  std::uint64_t messages_in = 0, messages_out = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0;
  std::uint64_t restarts = 0;
  std::uint64_t renewals = 0;                      ///< HTTP sessions that were lost and begun anew.

  // With connect_options().cache(). Calls that were answered without a request of their own are not among `tracked`.
  std::uint64_t cache_hits = 0;                    ///< Answered by a fresh result.
  std::uint64_t cache_misses = 0;                  ///< Looked for, and not there or stale.
  std::uint64_t cache_stores = 0;                  ///< Results stored.
  std::uint64_t cache_invalidations = 0;           ///< Changes that ended the use of stored results.
  std::uint64_t cache_stale = 0;                   ///< Answered by a stale result in place of an error.
  std::uint64_t coalesced = 0;                     ///< Waited for a request that was under way already.
};

}  // namespace comcp

// client/subscriptions.hpp
// Who wants to hear of which change, in both eras: resources/subscribe in the legacy one, listen streams in the
// modern one (2026-07-28, basic/patterns/subscriptions). The wire subscription is shared by all local ones.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp {
class client_core;

/// Called on the client's executor with each update of a resource.
using updated_callback = std::function<void(resource_updated const&)>;

namespace detail {

/// One subscriptions/listen request and what came on it.
struct listen_stream {
  explicit listen_stream(subscription_filter f) : asked(std::move(f)) {}

  prepared_call call{"subscriptions/listen", {}, {}};
  pending_entry entry;
  pending_entry acknowledgment;  // waited for while it is outstanding
  subscription_filter asked, acknowledged;
  bool is_acknowledged = false;
  std::chrono::steady_clock::time_point acknowledged_at{};
  bool independent = false;  // made by listen(): has a queue and its own reader
  std::deque<any_notification> queue;
  std::uint64_t dropped = 0;
  waiter<bool>* reader = nullptr;
  std::optional<error> ended;  // errc{} value: gracefully
};

class subscription_hub {
 public:
  explicit subscription_hub(client_core& core) noexcept : core_(core) {}
  ~subscription_hub();

  // From users, on home.
  asio::awaitable<void> subscribe(std::string uri, updated_callback f, call_options options);
  asio::awaitable<void> unsubscribe(std::string uri, call_options options);
  asio::awaitable<std::shared_ptr<listen_stream>> listen(subscription_filter filter, call_options options);
  asio::awaitable<std::optional<any_notification>> next(std::shared_ptr<listen_stream> s);
  void close(listen_stream& s);
  /// `f` is called at each change of a list: "tools", "prompts" or "resources". Returns a handle to stop with.
  std::uint64_t watch(std::string kind, std::function<void()> f);
  void unwatch(std::uint64_t handle);

  // From the core.
  void connected();
  void ended(error const& reason);
  void shut_down() noexcept;
  /// Modern era: true when the notification belonged to an independent stream or was not for anybody else.
  bool routed(std::string const& method, json::value const& params);
  void notified(std::string const& method, json::value const& params);
  void cancelled_by_server(json::view request);

 private:
  struct topic {
    std::vector<std::shared_ptr<updated_callback const>> callbacks;
    bool confirmed = false;  // legacy: the server answered resources/subscribe
    bool asking = false;     // legacy: one subscriber asks for all
    std::vector<request_id> waiting;
  };
  struct watcher {
    std::uint64_t handle;
    std::string kind;
    std::function<void()> call;
  };

  [[nodiscard]] subscription_filter wanted() const;
  void open(std::shared_ptr<listen_stream> const& s);
  void stream_over(std::shared_ptr<listen_stream> const& s, reply r);
  asio::awaitable<error> acknowledged(std::shared_ptr<listen_stream> s, call_options options);
  void refresh_shared();
  void reopen_later();
  void missed_changes();
  void tell_watchers();
  asio::awaitable<void> reconcile();
  [[nodiscard]] static bool is_other_version(error const& e);
  struct membership;
  asio::awaitable<void> ask(prepared_call c, performer how);
  asio::awaitable<reply> join(std::string uri, std::shared_ptr<updated_callback const> mine, prepared_call& c);
  asio::awaitable<reply> leave(std::string uri, prepared_call& c);
  asio::awaitable<reply> open_for(std::shared_ptr<listen_stream> s, prepared_call& c);
  asio::awaitable<error> join_shared(std::string uri, prepared_call& c);
  asio::awaitable<error> join_legacy(std::string uri, prepared_call& c);
  asio::awaitable<error> wait_in(std::vector<request_id>& line, prepared_call const& c);
  void wake(std::vector<request_id>& line, error const& why);
  void answered(std::string const& uri, bool well);
  asio::awaitable<void> restore_legacy(std::string uri);
  void forget(std::string const& uri, std::shared_ptr<updated_callback const> const& callback);
  [[nodiscard]] std::shared_ptr<listen_stream> by_id(std::uint64_t id) const;
  void wake(listen_stream& s);

  client_core& core_;
  std::map<std::string, topic> resources_;
  std::vector<watcher> watchers_;
  std::uint64_t next_handle_ = 1;
  std::vector<std::shared_ptr<listen_stream>> streams_;  // open ones
  std::shared_ptr<listen_stream> shared_;
  std::vector<request_id> waiting_;      // for the end of a reconciliation
  call_options patience_;                // the longest timeout of those
  unsigned reopened_ = 0;                // times in a row that the server ended the shared stream
  bool reconciling_ = false;
  bool gap_ = false;  // the shared stream broke: what changes until the next one is open, nobody tells
};

}  // namespace detail
}  // namespace comcp

// sansio/pending_calls.hpp
// Who waits for what, and until when: the slot table behind every call. A slot's generation and index make
// the request id, so an id is used once; take() decides the one winner among reply, timeout, cancel and close.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace comcp::sansio {

/// Payload is what a waiting call is to the caller of this class: cheap to copy, such as a pointer.
template <class Payload>
class pending_calls {
 public:
  using clock = std::chrono::steady_clock;
  using time_point = clock::time_point;
  using duration = clock::duration;
  using id_type = std::uint64_t;  ///< below 2^53, never 0

  /// At most `bound` calls wait at once, and beside them what add() is told not to count.
  explicit pending_calls(std::size_t bound = 65536) : bound_(std::min<std::size_t>(bound, index_mask)) {}

  /// Registers a call that waits `timeout` from now, which progress may extend, and until `hard` at the latest.
  /// Returns 0 when the bound is met; an `extra` one does not count towards it.
  id_type add(Payload payload, time_point now, duration timeout, time_point hard, bool extra = false) {
    if (heap_.size() >= std::min<std::size_t>(extra ? index_mask : bound_ + extras_, index_mask)) return 0;
    auto const index = acquire();
    auto& s = slots_[index];
    s.payload = payload;
    s.extra = extra;
    extras_ += extra;
    s.started = now;
    s.timeout = timeout;
    s.hard = hard;
    s.soft = paused_at_ ? time_point::max() : saturating(now, timeout);
    s.remaining = timeout;
    s.position = static_cast<std::uint32_t>(heap_.size());
    heap_.push_back(index);
    sift_up(s.position);
    return (static_cast<id_type>(s.generation) << index_bits) | index;
  }

  /// The payload of this call, which thereby ends; nothing when it has ended before.
  std::optional<Payload> take(id_type id) noexcept {
    auto* s = slot_of(id);
    if (!s) return {};
    auto const payload = s->payload;
    release(static_cast<std::uint32_t>(id & index_mask));
    return payload;
  }

  [[nodiscard]] Payload const* find(id_type id) const noexcept {
    auto const* s = const_cast<pending_calls*>(this)->slot_of(id);
    return s ? &s->payload : nullptr;
  }

  /// Progress came: the timeout starts anew, the hard bound stays.
  void extend(id_type id, time_point now) noexcept {
    auto* s = slot_of(id);
    if (!s) return;
    s->remaining = s->timeout;
    if (!paused_at_) s->soft = saturating(now, s->timeout);
    restore(s->position);
  }

  /// Stops every clock but the hard bounds, until as many resume() calls came as pause() calls.
  void pause(time_point now) noexcept {
    if (pauses_++ > 0) return;
    paused_at_ = now;
    for (auto const index : heap_) {
      auto& s = slots_[index];
      s.remaining = s.soft > now ? s.soft - now : duration::zero();
      s.soft = time_point::max();
    }
    rebuild();
  }
  void resume(time_point now) noexcept {
    if (--pauses_ > 0) return;
    paused_at_.reset();
    for (auto const index : heap_) slots_[index].soft = saturating(now, slots_[index].remaining);
    rebuild();
  }

  /// The earliest moment at which expired() may have something.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    if (heap_.empty() || due(heap_.front()) == time_point::max()) return {};
    return due(heap_.front());
  }

  /// One call whose time is over at `now`, or 0. The caller takes it.
  [[nodiscard]] id_type expired(time_point now) const noexcept {
    if (heap_.empty() || due(heap_.front()) > now) return 0;
    return id_at(heap_.front());
  }

  /// Any call that still waits, or 0: for closing.
  [[nodiscard]] id_type any() const noexcept { return heap_.empty() ? 0 : id_at(heap_.front()); }

  /// Calls `f(payload, started)` for each that waits now.
  template <class F>
  void each(F f) const {
    for (auto const index : heap_) f(slots_[index].payload, slots_[index].started);
  }

  /// All calls that wait now.
  [[nodiscard]] std::vector<id_type> ids() const {
    std::vector<id_type> all;
    all.reserve(heap_.size());
    for (auto const index : heap_) all.push_back(id_at(index));
    return all;
  }

  /// Whether this id was given out once, so that an answer to it is late rather than unknown.
  [[nodiscard]] bool was_used(id_type id) const noexcept {
    auto const index = static_cast<std::size_t>(id & index_mask);
    auto const generation = id >> index_bits;
    return index < slots_.size() && generation > 0 && generation <= slots_[index].generation;
  }

  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }

 private:
  static constexpr unsigned index_bits = 20;
  static constexpr id_type index_mask = (id_type{1} << index_bits) - 1;
  static constexpr std::uint32_t idle = UINT32_MAX;

  struct slot {
    Payload payload{};
    time_point started{}, soft{}, hard{};
    duration timeout{}, remaining{};
    std::uint32_t generation = 0;
    std::uint32_t position = idle;  // in heap_
    bool extra = false;
  };

  static time_point saturating(time_point now, duration d) noexcept {
    return d > time_point::max() - now ? time_point::max() : now + d;
  }

  [[nodiscard]] time_point due(std::uint32_t index) const noexcept {
    return std::min(slots_[index].soft, slots_[index].hard);
  }
  [[nodiscard]] id_type id_at(std::uint32_t index) const noexcept {
    return (static_cast<id_type>(slots_[index].generation) << index_bits) | index;
  }

  slot* slot_of(id_type id) noexcept {
    auto const index = static_cast<std::size_t>(id & index_mask);
    if (index >= slots_.size()) return nullptr;
    auto& s = slots_[index];
    return s.position != idle && s.generation == id >> index_bits ? &s : nullptr;
  }

  std::uint32_t acquire() {
    if (free_.empty()) {
      slots_.emplace_back();
      free_.reserve(slots_.capacity());  // so that release() never allocates
      heap_.reserve(slots_.capacity());
      free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
    }
    auto const index = free_.back();
    free_.pop_back();
    ++slots_[index].generation;
    return index;
  }

  void release(std::uint32_t index) noexcept {
    auto const hole = slots_[index].position;
    slots_[index].position = idle;
    extras_ -= slots_[index].extra;
    auto const last = heap_.back();
    heap_.pop_back();
    // A generation that is used up retires its slot, so that no id ever comes twice.
    if (slots_[index].generation != UINT32_MAX) free_.push_back(index);
    if (last == index) return;
    place(hole, last);
    restore(hole);
  }

  void place(std::uint32_t position, std::uint32_t index) noexcept {
    heap_[position] = index;
    slots_[index].position = position;
  }

  void restore(std::uint32_t position) noexcept { sift_down(sift_up(position)); }

  std::uint32_t sift_up(std::uint32_t position) noexcept {
    auto const index = heap_[position];
    auto const key = due(index);
    while (position > 0) {
      auto const parent = (position - 1) / 2;
      if (due(heap_[parent]) <= key) break;
      place(position, heap_[parent]);
      position = parent;
    }
    place(position, index);
    return position;
  }

  void sift_down(std::uint32_t position) noexcept {
    auto const index = heap_[position];
    auto const key = due(index);
    auto const size = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      auto child = 2 * position + 1;
      if (child >= size) break;
      if (child + 1 < size && due(heap_[child + 1]) < due(heap_[child])) ++child;
      if (key <= due(heap_[child])) break;
      place(position, heap_[child]);
      position = child;
    }
    place(position, index);
  }

  void rebuild() noexcept {
    for (auto i = static_cast<std::uint32_t>(heap_.size()); i-- > 0;) sift_down(i);
  }

  std::size_t bound_;
  std::size_t extras_ = 0;  // of those that wait
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> heap_;  // slot indices, the earliest due first
  std::optional<time_point> paused_at_;
  int pauses_ = 0;
};

}  // namespace comcp::sansio

// wire/http_headers.hpp
// What the modern era mirrors from a message into the headers of its POST, and how values are written there. The
// rest of the request, and what to do with a tool whose definition is refused, is for others.
// Specification: 2026-07-28, basic/transports/streamable-http#request-metadata

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp::wire {

using header_list = std::vector<std::pair<std::string, std::string>>;

/// `text` as a header value: as it is where that is safe, else `=?base64?...?=`.
/// Specification: #value-encoding
[[nodiscard]] std::string header_value(std::string_view text);

/// MCP-Protocol-Version, Mcp-Method and, for tools/call, prompts/get and resources/read, Mcp-Name: the tool, the
/// prompt or the uri. Errors: invalid_argument (a method that no header can carry: it has no encoded form).
/// Specification: #protocol-version-header, #standard-request-headers
[[nodiscard]] result<header_list> request_headers(protocol_version version, std::string_view method,
                                                  std::string_view name);

/// One argument that a tool wants mirrored.
class param_header {
 public:
  param_header() = default;
  param_header(std::string header, std::vector<std::string> argument)
      : name(std::move(header)), path(std::move(argument)) {}

  std::string name;               ///< With its prefix: `Mcp-Param-Region`.
  std::vector<std::string> path;  ///< Keys that lead to the argument.
};

/// The `x-mcp-header` annotations of a tool's inputSchema, none for most tools. Errors: protocol_violation, with the
/// place and the reason: over HTTP the tool must be set aside.
/// Specification: #schema-extension
[[nodiscard]] result<std::vector<param_header>> find_param_headers(json::view input_schema);

/// The headers that mirror these arguments of a call. What is absent or null has none; an empty string has an empty
/// one. Errors: invalid_argument (an integer beyond 2^53 - 1, a fraction, an array or an object in such a place).
/// Specification: #custom-headers-from-tool-parameters
[[nodiscard]] result<header_list> param_headers(std::vector<param_header> const& wanted, json::view arguments);

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION)

// wire/impl/http_headers.ipp
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>

namespace comcp::wire {
namespace detail {

inline constexpr std::string_view param_annotation = "x-mcp-header";
inline constexpr std::string_view param_prefix = "Mcp-Param-";
inline constexpr std::int64_t largest_safe_integer = (std::int64_t{1} << 53) - 1;

// RFC 9110 section 5.6.2. Not isalnum: it asks the locale.
COMCP_DECL bool is_token(std::string_view text) noexcept {
  return !text.empty() && text.find_first_not_of("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
}

// A tab is a control character to some peers and may be rewritten on the way: it counts as unsafe everywhere.
COMCP_DECL bool is_plain(std::string_view text) noexcept {
  if (text.starts_with(' ') || text.ends_with(' ')) return false;
  if (text.starts_with("=?base64?") && text.ends_with("?=")) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

COMCP_DECL std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Keywords whose value is a schema or an array of them, and those whose value maps names to schemas. Other keywords
// hold data (`const`, `default`, `enum`, ...), where the annotation's name means nothing.
inline constexpr std::array<std::string_view, 16> keywords_of_schemas = {
    "items", "prefixItems", "additionalItems", "contains", "unevaluatedItems", "additionalProperties",
    "unevaluatedProperties", "propertyNames", "contentSchema", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"};
inline constexpr std::array<std::string_view, 5> keywords_of_named_schemas = {
    "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"};

class param_finder {
 public:
  explicit param_finder(json::view root) : root_(root) {}

  result<std::vector<param_header>> run() {
    visit(root_, true);
    if (fault_) return *fault_;
    return std::move(found_);
  }

 private:
  // `reachable`: only `properties` led here from the root.
  void visit(json::view schema, bool reachable) {
    if (fault_) return;
    if (auto const name = schema.find(param_annotation)) annotated(schema, *name, reachable);
    for (auto const [keyword, value] : schema.members()) {
      if (keyword == "properties") {
        properties(value, reachable);
      } else if (is_one_of(keyword, keywords_of_schemas)) {
        visit(value, false);
        for (auto const branch : value.elements()) visit(branch, false);
      } else if (is_one_of(keyword, keywords_of_named_schemas)) {
        for (auto const branch : value.members()) visit(branch.value, false);
      }
    }
  }

  void properties(json::view named, bool reachable) {
    for (auto const [name, schema] : named.members()) {
      path_.emplace_back(name);
      visit(schema, reachable);
      path_.pop_back();
    }
  }

  void annotated(json::view schema, json::view annotation, bool reachable) {
    auto const name = annotation.get_string();
    auto const type = schema.find("type");
    auto const type_name = type ? type->get_string() : std::nullopt;
    if (!reachable || path_.empty()) {
      refuse(schema, "it is no property that a chain of `properties` alone leads to");
    } else if (!name || !is_token(*name)) {
      refuse(schema, "its value is no header name");
    } else if (type_name != "string" && type_name != "integer" && type_name != "boolean") {
      refuse(schema, "the type is not string, integer or boolean");
    } else if (!names_.insert(lower(*name)).second) {
      refuse(schema, "another property has the header " + std::string(*name));
    } else {
      found_.emplace_back(std::string(param_prefix).append(*name), path_);
    }
  }

  void refuse(json::view schema, std::string const& why) {
    fault_ = error(errc::protocol_violation, "x-mcp-header of inputSchema" + schema.path(root_) + ": " + why);
  }

  static bool is_one_of(std::string_view keyword, std::span<std::string_view const> list) noexcept {
    return std::find(list.begin(), list.end(), keyword) != list.end();
  }

  json::view root_;
  std::vector<std::string> path_;
  std::set<std::string> names_;
  std::vector<param_header> found_;
  std::optional<error> fault_;
};

// Null where nothing is there.
COMCP_DECL json::view argument_at(json::view arguments, std::vector<std::string> const& path) noexcept {
  for (auto const& key : path) {
    auto const next = arguments.find(key);
    if (!next) return {};
    arguments = *next;
  }
  return arguments;
}

// The text that stands for a value; nothing for one that has none.
COMCP_DECL std::optional<std::string> header_text(json::view value) {
  if (auto const text = value.get_string()) return std::string(*text);
  if (auto const flag = value.get_bool()) return *flag ? "true" : "false";
  auto const number = value.get_int64();
  if (!number || *number > largest_safe_integer || *number < -largest_safe_integer) return {};
  return std::to_string(*number);
}

}  // namespace detail

COMCP_DECL std::string header_value(std::string_view text) {
  if (detail::is_plain(text)) return std::string(text);
  return "=?base64?" + to_base64(std::as_bytes(std::span(text))) + "?=";
}

COMCP_DECL result<header_list> request_headers(protocol_version version, std::string_view method,
                                               std::string_view name) {
  if (method.empty() || !detail::is_plain(method)) {
    return error(errc::invalid_argument, "the method cannot be carried by the header Mcp-Method");
  }
  header_list out;
  out.emplace_back("MCP-Protocol-Version", version.text());
  out.emplace_back("Mcp-Method", method);
  if (method == "tools/call" || method == "prompts/get" || method == "resources/read") {
    out.emplace_back("Mcp-Name", header_value(name));
  }
  return out;
}

COMCP_DECL result<std::vector<param_header>> find_param_headers(json::view input_schema) {
  return detail::param_finder(input_schema).run();
}

COMCP_DECL result<header_list> param_headers(std::vector<param_header> const& wanted, json::view arguments) {
  header_list out;
  for (auto const& header : wanted) {
    auto const value = detail::argument_at(arguments, header.path);
    if (value.is_null()) continue;
    auto const text = detail::header_text(value);
    if (!text) {
      return error(errc::invalid_argument, "the argument " + value.path(arguments) + " of the header " + header.name +
                                               " is no string, boolean or integer within 2^53 - 1");
    }
    out.emplace_back(header.name, header_value(*text));
  }
  return out;
}

}  // namespace comcp::wire
#endif

// wire/legacy.hpp
// The legacy era on the wire: 2024-11-05 to 2025-11-25. A handshake has settled version and capabilities, so
// requests carry nothing but what the caller wants.

// wire/codec.hpp
// The contract of an era: which methods it has, what a request of it looks like, and what a result means.
// wire/legacy and wire/modern fulfil it; what an era does not have is absent from its codec.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp::wire {

/// What a request carries besides its parameters.
struct request_meta {
  request_meta() = default;
  std::vector<std::pair<std::string, std::string>> const* user = nullptr;  ///< keys and JSON texts, checked
  bool progress = false;                                                   ///< send a progressToken: the id
  std::optional<log_level> level;                                          ///< modern only
};

/// How a result is to be taken.
enum class result_kind { complete, input_required };

class codec {
 public:
  virtual ~codec() = default;

  [[nodiscard]] virtual protocol_version version() const noexcept = 0;
  [[nodiscard]] bool is_modern() const noexcept { return version().era() == era::modern; }
  /// Whether this client method may be sent. Methods that no version of MCP knows are the vendors' and may.
  [[nodiscard]] virtual bool offers(std::string_view method) const noexcept = 0;
  /// A whole request. `params` is an object's text or empty, without `_meta`.
  [[nodiscard]] virtual std::string request(std::uint64_t id, std::string_view method, std::string_view params,
                                            request_meta const& meta) const = 0;
  /// A whole notification, with the meta of `meta.user` alone.
  [[nodiscard]] std::string notification(std::string_view method, std::string_view params,
                                         request_meta const& meta) const;
  /// Tells the server that a request is cancelled (byte streams in both eras, HTTP in the legacy one).
  [[nodiscard]] static std::string cancelled(std::uint64_t id, std::string_view reason);
  /// Errors: protocol_violation, for a kind that this era or this method does not have.
  [[nodiscard]] virtual result<result_kind> classify(std::string_view method, json::view result) const = 0;
};

/// Every client-to-server method of any version; anything else is a vendor's.
[[nodiscard]] bool is_known_method(std::string_view method) noexcept;

namespace detail {
/// A whole request, or a notification without an id; `params` is an object's text or empty, `meta` the members of
/// its `_meta`. What is empty is left out.
std::string message_text(std::optional<std::uint64_t> id, std::string_view method, std::string_view params,
                         std::string_view meta);
void append_user_meta(std::string& out, request_meta const& meta);
}  // namespace detail

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION)

// wire/impl/codec.ipp
#include <algorithm>
#include <array>
#include <charconv>

// jsonrpc/encode.hpp
// Writes messages around parts that are JSON text already. Which parts belong in is wire's decision.

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace comcp::jsonrpc {

inline void append_number(std::string& out, std::uint64_t n) {
  char buffer[24];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, n).ptr;
  out.append(buffer, static_cast<std::size_t>(end - buffer));
}

/// Starts `{"jsonrpc":"2.0","id":N,"method":"M"` in a string with room for `more` bytes, a newline and padding.
inline std::string begin_request(std::uint64_t id, std::string_view method, std::size_t more) {
  std::string out;
  out.reserve(64 + method.size() + more + padded_text::spare);
  out += R"({"jsonrpc":"2.0","id":)";
  append_number(out, id);
  out += R"(,"method":")";
  out += method;  // methods are checked to need no escaping
  out += '"';
  return out;
}

/// A notification; `params` is an object's text or empty.
inline std::string notification(std::string_view method, std::string_view params) {
  std::string out;
  out.reserve(64 + method.size() + params.size() + padded_text::spare);
  out += R"({"jsonrpc":"2.0","method":")";
  out += method;
  out += '"';
  if (!params.empty()) out.append(R"(,"params":)").append(params);
  out += '}';
  return out;
}

/// The answer to a request with this raw id.
inline std::string response(std::string_view raw_id, std::string_view result) {
  std::string out;
  out.reserve(48 + raw_id.size() + result.size() + padded_text::spare);
  out.append(R"({"jsonrpc":"2.0","id":)").append(raw_id).append(R"(,"result":)").append(result).append("}");
  return out;
}

inline std::string error_response(std::string_view raw_id, peer_error const& e) {
  json::writer w;
  w.begin_object().plain_key("code").integer(e.code).plain_key("message").string(e.message);
  if (!e.data.empty()) w.plain_key("data").raw(e.data);
  w.end_object();
  std::string out;
  out.append(R"({"jsonrpc":"2.0","id":)").append(raw_id).append(R"(,"error":)").append(w.text()).append("}");
  return out;
}

/// Whether a method name can be written between quotes as it is (every name of MCP can).
inline bool is_plain_method(std::string_view method) noexcept {
  bool plain = !method.empty();
  for (char const c : method) plain &= c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
  return plain;
}

}  // namespace comcp::jsonrpc

namespace comcp::wire {
namespace detail {

inline constexpr std::array<std::string_view, 22> known_methods = {
    "initialize",          "ping",
    "server/discover",     "tools/list",
    "tools/call",          "resources/list",
    "resources/read",      "resources/templates/list",
    "resources/subscribe", "resources/unsubscribe",
    "prompts/list",        "prompts/get",
    "completion/complete", "logging/setLevel",
    "subscriptions/listen", "tasks/get",
    "tasks/result",        "tasks/list",
    "tasks/cancel",        "sampling/createMessage",
    "roots/list",          "elicitation/create"};

// Appending a dozen short pieces to a string takes longer than all the rest of a request.
COMCP_DECL std::string message_text(std::optional<std::uint64_t> id, std::string_view method, std::string_view params,
                                    std::string_view meta) {
  params = params.size() > 2 ? params.substr(1, params.size() - 2) : std::string_view();
  std::string out;
  auto const most = 96 + method.size() + params.size() + meta.size();
  out.reserve(most + padded_text::spare);
  out.resize(most);
  char* to = out.data();
  auto const add = [&to](std::string_view piece) { to += piece.copy(to, piece.size()); };
  add(R"({"jsonrpc":"2.0",)");
  if (id) {
    add(R"("id":)");
    to = std::to_chars(to, to + 20, *id).ptr;
    add(",");
  }
  add(R"("method":")");
  add(method);  // methods are checked to need no escaping
  add("\"");
  if (!params.empty() || !meta.empty()) {
    add(R"(,"params":{)");
    add(params);
    if (!params.empty() && !meta.empty()) add(",");
    if (!meta.empty()) {
      add(R"("_meta":{)");
      add(meta);
      add("}");
    }
    add("}");
  }
  add("}");
  out.resize(static_cast<std::size_t>(to - out.data()));
  return out;
}

COMCP_DECL void append_user_meta(std::string& out, request_meta const& meta) {
  if (!meta.user) return;
  for (auto const& [key, text] : *meta.user) {
    if (!out.empty()) out += ',';
    json::detail::append_string(out, key);
    out.append(":").append(text);
  }
}

}  // namespace detail

COMCP_DECL bool is_known_method(std::string_view method) noexcept {
  return std::find(detail::known_methods.begin(), detail::known_methods.end(), method) != detail::known_methods.end();
}

COMCP_DECL std::string codec::notification(std::string_view method, std::string_view params,
                                           request_meta const& meta) const {
  std::string user;
  detail::append_user_meta(user, meta);
  return detail::message_text(std::nullopt, method, params, user);
}

COMCP_DECL std::string codec::cancelled(std::uint64_t id, std::string_view reason) {
  json::writer w;
  w.begin_object().plain_key("requestId").unsigned_integer(id);
  if (!reason.empty()) w.plain_key("reason").string(reason);
  w.end_object();
  return jsonrpc::notification("notifications/cancelled", w.text());
}

}  // namespace comcp::wire
#endif

namespace comcp::wire {

class legacy final : public codec {
 public:
  explicit legacy(protocol_version v) noexcept : version_(v) {}
  [[nodiscard]] protocol_version version() const noexcept override { return version_; }
  [[nodiscard]] bool offers(std::string_view method) const noexcept override;
  [[nodiscard]] std::string request(std::uint64_t id, std::string_view method, std::string_view params,
                                    request_meta const& meta) const override;
  [[nodiscard]] result<result_kind> classify(std::string_view method, json::view result) const override;
  /// Batches exist in 2025-03-26 alone.
  [[nodiscard]] bool has_batches() const noexcept { return version_ == version::v2025_03_26; }

 private:
  protocol_version version_;
};

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION)

// wire/impl/legacy.ipp

namespace comcp::wire {

COMCP_DECL bool legacy::offers(std::string_view method) const noexcept {
  if (method == "server/discover" || method == "subscriptions/listen") return false;
  if (method == "sampling/createMessage" || method == "roots/list" || method == "elicitation/create") return false;
  if (method.starts_with("tasks/")) return version_ >= version::v2025_11_25;
  return true;
}

COMCP_DECL std::string legacy::request(std::uint64_t id, std::string_view method, std::string_view params,
                                       request_meta const& meta) const {
  std::string extra;
  if (meta.progress) {
    extra = R"("progressToken":)";
    jsonrpc::append_number(extra, id);
  }
  detail::append_user_meta(extra, meta);
  return detail::message_text(id, method, params, extra);
}

COMCP_DECL result<result_kind> legacy::classify(std::string_view, json::view result) const {
  if (!result.is_object()) return error(errc::protocol_violation, "the result is not an object");
  return result_kind::complete;
}

}  // namespace comcp::wire
#endif

// wire/modern.hpp
// The modern era on the wire: 2026-07-28 and later. Every request carries version, client info and
// capabilities in `_meta`; results say what kind they are.

namespace comcp::wire {

class modern final : public codec {
 public:
  /// `info` is left out where it is null; `capabilities` is the JSON text of what the client declares.
  modern(protocol_version v, implementation const* info, std::string capabilities);
  [[nodiscard]] protocol_version version() const noexcept override { return version_; }
  [[nodiscard]] bool offers(std::string_view method) const noexcept override;
  [[nodiscard]] std::string request(std::uint64_t id, std::string_view method, std::string_view params,
                                    request_meta const& meta) const override;
  [[nodiscard]] result<result_kind> classify(std::string_view method, json::view result) const override;

 private:
  protocol_version version_;
  std::string standing_meta_;  // the members of `_meta` that every request carries
};

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION)

// wire/impl/modern.ipp

namespace comcp::wire {

COMCP_DECL modern::modern(protocol_version v, implementation const* info, std::string capabilities) : version_(v) {
  standing_meta_ = R"("io.modelcontextprotocol/protocolVersion":")" + std::string(v.text()) + '"';
  if (info) standing_meta_ += R"(,"io.modelcontextprotocol/clientInfo":)" + json::to_text(*info);
  standing_meta_ += R"(,"io.modelcontextprotocol/clientCapabilities":)" + std::move(capabilities);
}

COMCP_DECL bool modern::offers(std::string_view method) const noexcept {
  return !is_known_method(method) || method == "server/discover" || method == "tools/list" || method == "tools/call" ||
         method == "resources/list" || method == "resources/read" || method == "resources/templates/list" ||
         method == "prompts/list" || method == "prompts/get" || method == "completion/complete" ||
         method == "subscriptions/listen";
}

COMCP_DECL std::string modern::request(std::uint64_t id, std::string_view method, std::string_view params,
                                       request_meta const& meta) const {
  std::string extra;
  extra.reserve(standing_meta_.size() + 96);
  extra = standing_meta_;
  if (meta.level) {
    extra.append(R"(,"io.modelcontextprotocol/logLevel":")").append(enum_text(*meta.level)).append("\"");
  }
  if (meta.progress) {
    extra.append(R"(,"progressToken":)");
    jsonrpc::append_number(extra, id);
  }
  detail::append_user_meta(extra, meta);
  return detail::message_text(id, method, params, extra);
}

COMCP_DECL result<result_kind> modern::classify(std::string_view method, json::view result) const {
  if (!result.is_object()) return error(errc::protocol_violation, "the result is not an object");
  auto const type = result.find("resultType");
  if (!type) return result_kind::complete;
  auto const text = type->get_string().value_or("");
  if (text == "complete") return result_kind::complete;
  if (text != "input_required")
    return error(errc::protocol_violation, "unknown resultType \"" + std::string(text) + "\"");
  if (method != "tools/call" && method != "prompts/get" && method != "resources/read")
    return error(errc::protocol_violation, "input_required is not legal on " + std::string(method));
  return result_kind::input_required;
}

}  // namespace comcp::wire
#endif

namespace comcp {
namespace detail {
class core_registry;
class core_cache;
}

class client_core final : public inbox, public std::enable_shared_from_this<client_core> {
 public:
  client_core(any_transport transport, any_handler handler, connect_options options, asio::any_io_executor home);
  ~client_core();
  client_core(client_core const&) = delete;
  client_core& operator=(client_core const&) = delete;

  /// Opens and negotiates on the caller's executor (or the one in the options). Throws; nothing is left behind then.
  static asio::awaitable<std::shared_ptr<client_core>> connect(any_transport transport, any_handler handler,
                                                               connect_options options);

  // Calls: from any executor; they resume there.
  asio::awaitable<json::value> call(detail::prepared_call c);
  /// One round trip without interceptors, rounds or repetition; on home only.
  asio::awaitable<detail::reply> round_trip(detail::prepared_call const& c);
  /// What round_trip() does before it waits. When it fails nothing was sent; else wait(e) must follow at once.
  result<void> start(detail::prepared_call const& c, detail::pending_entry& e);
  asio::awaitable<detail::reply> wait(detail::pending_entry& e);
  /// The coroutine that waits for it goes away before its end.
  void withdraw(detail::pending_entry& e) noexcept;
  /// True where call() would do no more than round_trip(): a fast path for typed operations.
  [[nodiscard]] bool is_plain(asio::any_io_executor const& here, std::string_view method) const noexcept;
  /// What call() does with the outcome of a first round_trip().
  asio::awaitable<json::value> settle(detail::prepared_call c, detail::reply first);
  [[nodiscard]] bool needs_settling(detail::prepared_call const& c, detail::reply const& r) const;
  void notify(std::string_view method, std::string_view params, wire::request_meta const& meta = {});
  asio::awaitable<json::value> resume_rounds(detail::prepared_call c, json::value required, json::fragment responses);

  // The connection.
  asio::awaitable<void> close();
  void abandon() noexcept;  ///< The owning client went away.
  /// Ends the connection and begins anew, as after a crash with this reason, once `wait` is over; an attempt that waits
  /// already is made now. What forbids it, if anything does. On home.
  error begin_anew(error why, std::chrono::nanoseconds wait);
  /// The same at once, and waits until it is ready again. Throws what the attempt failed with. On home.
  asio::awaitable<void> reconnect(error why);
  /// Called on home whenever an attempt to restore the connection begins.
  void on_attempt(std::function<void()> f) { on_attempt_ = std::move(f); }
  asio::awaitable<error> closed();
  /// Once it has ended: why.
  [[nodiscard]] std::optional<error> const& end_reason() const noexcept { return end_reason_; }
  void set_log_level(log_level level) noexcept { level_ = level; }
  [[nodiscard]] std::optional<comcp::log_level> const& level() const noexcept { return level_; }
  /// Waits; false when the client closed meanwhile. On home only.
  asio::awaitable<bool> sleep(std::chrono::nanoseconds d);
  /// Sends a raw answer. Used by the dispatcher.
  void send_text(std::string text);
  asio::awaitable<void> run_on_home(asio::awaitable<void> work);

  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }
  [[nodiscard]] connection_status status() const noexcept { return status_; }
  [[nodiscard]] wire::codec const& codec() const noexcept { return *codec_; }
  [[nodiscard]] bool is_modern() const noexcept { return codec_ && codec_->is_modern(); }
  [[nodiscard]] std::optional<protocol_version> version() const noexcept;
  [[nodiscard]] implementation const& server_info() const noexcept { return server_info_; }
  [[nodiscard]] server_capabilities const& capabilities() const noexcept { return server_capabilities_; }
  [[nodiscard]] client_capabilities const& own_capabilities() const noexcept { return own_capabilities_; }
  [[nodiscard]] std::string const& instructions() const noexcept { return instructions_; }
  [[nodiscard]] era_verdict verdict() const;
  [[nodiscard]] comcp::transport_info transport_info() const;
  [[nodiscard]] comcp::statistics statistics() const;
  [[nodiscard]] any_handler const& handler() const noexcept { return handler_; }
  [[nodiscard]] connect_options const& options() const noexcept { return options_; }
  [[nodiscard]] auto const& validation() const noexcept { return options_.validation_; }
  [[nodiscard]] connection_limits const& limits() const noexcept { return options_.limits_; }
  [[nodiscard]] detail::subscription_hub& subscriptions() noexcept { return subscriptions_; }
  comcp::statistics& counters() noexcept { return counters_; }
  void spawn(asio::awaitable<void> work);  ///< On home, detached.
  [[nodiscard]] std::chrono::steady_clock::time_point now() const noexcept { return time_->now(); }
  [[nodiscard]] std::chrono::nanoseconds default_timeout() const noexcept { return options_.timeout_; }
  void pause_clocks();
  void resume_clocks();
  /// The age at which a call ends whatever progress says: never below its timeout.
  [[nodiscard]] std::chrono::nanoseconds hard_limit(call_options const& o) const {
    return o.hard_timeout().value_or(std::max(options_.hard_timeout_, o.timeout().value_or(options_.timeout_)));
  }
  void add_status_listener(std::function<void(connection_status)> f) { status_listeners_.push_back(std::move(f)); }

  [[nodiscard]] bool has_cache() const noexcept { return cache_ != nullptr; }

  // HTTP.
  [[nodiscard]] bool is_http() const noexcept { return is_http_; }
  /// Takes out the tools whose definition cannot be mirrored into headers, and learns how the others are. On home.
  void adopt_tools(list_tools_result& page);
  [[nodiscard]] std::optional<saved_session> session() const;

  // inbox
  void delivered(padded_text text, request_id stream) override;
  void stream_ended(request_id id, error why) override;
  [[nodiscard]] bool awaits(request_id id) const override;
  void session_lost(request_id id, error why) override;
  void authorizing(bool begins) override;
  void closed(error reason) override;
  void fault(error what) override;

 private:
  friend class detail::dispatcher;
  friend class detail::subscription_hub;
  friend class detail::core_registry;
  friend class detail::core_cache;
  friend class detail::tool_checks;
  struct negotiation;

  // core_connect.ipp
  asio::awaitable<void> open_and_negotiate();
  asio::awaitable<result<void>> negotiate();
  void take_step(std::shared_ptr<negotiation> const& n, sansio::handshake_step const& step);
  void send_probe(std::shared_ptr<negotiation> const& n, protocol_version v);
  void send_initialize(std::shared_ptr<negotiation> const& n, protocol_version v);
  void settle_handshake(negotiation& n, error why);
  asio::awaitable<void> reopen(std::shared_ptr<negotiation> n);
  asio::awaitable<result<void>> open_transport();
  asio::awaitable<void> after_handshake();
  asio::awaitable<void> keep_alive();
  asio::awaitable<void> restart(std::chrono::nanoseconds first_wait);
  asio::awaitable<bool> close_transport();
  [[nodiscard]] std::optional<std::chrono::nanoseconds> next_restart(error const& why);
  bool begin_restart(error const& why);
  void lost(error why);
  void give_way(error const& why, std::chrono::nanoseconds wait);
  void tell_restarted(detail::reply const& r);
  void break_off(error reason);
  void begin_attempt();
  [[nodiscard]] std::chrono::nanoseconds bounded(std::chrono::nanoseconds d) const;
  void adopt_discovery(discover_result const& d);
  void adopt_initialization(initialize_result const& r, json::value const& raw);
  void set_status(connection_status s);
  void finish(error reason);
  void abrupt() noexcept;
  void drop_transport() noexcept;
  void shut_down() noexcept;  // the executor's context goes away
  void declare_capabilities();
  asio::awaitable<void> close_on_home(error reason);
  [[nodiscard]] implementation own_info() const;

  // core_calls.ipp
  [[nodiscard]] bool discovered_unknown() const noexcept { return is_modern() && !discovered_; }
  void send_message(outgoing message);
  [[nodiscard]] error check(detail::prepared_call const& c) const;
  [[nodiscard]] error check_subscribe(call_options const& options) const;
  result<void> begin(detail::prepared_call const& c, detail::pending_entry& e);
  result<void> transmit(detail::pending_entry& e);
  /// A wait of our own.
  request_id enlist(detail::pending_entry& e, std::chrono::nanoseconds timeout);
  request_id enlist_part(detail::pending_entry& e, std::chrono::nanoseconds timeout);
  void cancel_inbound();
  request_id enlist(detail::pending_entry& e, std::chrono::steady_clock::time_point now, std::chrono::nanoseconds timeout,
                    std::chrono::steady_clock::time_point hard, bool extra);
  void end_with(std::stop_token const& stop, detail::pending_entry& e);
  void end(request_id id, detail::reply&& r);
  void cancel(request_id id);
  void tell_cancelled(request_id id, detail::pending_entry const& e, std::string_view why);
  void fail_all(error const& reason);
  void fail_each(error const& reason, bool survivors);
  void arm();
  void expire();
  asio::awaitable<json::value> call_on_home(detail::prepared_call c);
  asio::awaitable<detail::reply> perform(detail::prepared_call& c);
  asio::awaitable<detail::reply> carry_out(detail::prepared_call& c);  // by way of the cache, where there is one
  /// `perform` as the interceptors let it be.
  asio::awaitable<detail::reply> intercept(detail::prepared_call c, detail::performer perform);
  struct interception;
  asio::awaitable<void> ask_interceptors(std::shared_ptr<interception> i);
  asio::awaitable<void> tell_interceptors(std::shared_ptr<interception> i);
  asio::awaitable<void> walk(std::shared_ptr<interception> i);
  asio::awaitable<detail::reply> rounds(detail::prepared_call& c, detail::reply r);
  asio::awaitable<result<std::string>> answer_round(input_required_result required, std::stop_token stop,
                                                    std::chrono::steady_clock::time_point hard);
  struct round;
  asio::awaitable<void> answer_one(std::shared_ptr<round> r, std::string key, input_request asked);
  void start_answers(std::shared_ptr<round> const& r, input_required_result const& required);
  asio::awaitable<result<bool>> probe_again(detail::prepared_call const& c, error refusal);
  [[nodiscard]] error check_round(input_required_result const& required) const;
  asio::awaitable<detail::reply> ask_urls(detail::reply r, std::stop_token stop,
                                          std::chrono::steady_clock::time_point hard);
  [[nodiscard]] bool follow_version(error const& e);

  // core_http.ipp
  void label(outgoing& message) const;
  result<void> label(outgoing& message, detail::pending_entry const& e) const;
  [[nodiscard]] result<wire::header_list> mirrored(detail::prepared_call const& c) const;
  asio::awaitable<bool> list_again(detail::prepared_call const& c);
  void renew();
  asio::awaitable<void> renewal();
  void restored();
  void renewal_failed(protocol_version before, error const& why);
  [[nodiscard]] bool may_repeat(detail::prepared_call const& c, error const& e) const;
  [[nodiscard]] bool adopt_resumed(negotiation& n);
  void recall_era();
  void remember_era();
  void forget_era();

  // core_inbound.ipp
  void received(jsonrpc::envelope& m, request_id stream);
  void received_batch(padded_text text, request_id stream);
  bool received_plainly(padded_text text);
  void received_answer(jsonrpc::envelope& m, request_id stream);
  void received_reply(detail::pending_entry const& e, detail::reply&& r);
  void received_notification(jsonrpc::envelope& m);
  void received_progress(json::value const& params);
  void received_bad(jsonrpc::envelope const& m);
  [[nodiscard]] detail::reply result_of(jsonrpc::envelope const& m);
  void learn_server_info(json::value const& result);
  void trace(direction d, std::string_view message);

  any_transport transport_;
  any_handler handler_;
  connect_options options_;
  asio::any_io_executor home_;
  std::shared_ptr<time_source> time_;
  std::unique_ptr<deadline> deadline_;
  std::optional<std::chrono::steady_clock::time_point> armed_;
  sansio::pending_calls<detail::pending_entry*> pending_;
  std::vector<request_id> deferred_;  // calls that wait for a restart to be sent
  std::unique_ptr<wire::codec> codec_;
  detail::dispatcher dispatcher_;
  detail::subscription_hub subscriptions_;
  std::unique_ptr<detail::call_cache> cache_;  // null: none
  std::unique_ptr<detail::call_checks> checks_;  // null: nothing is validated

  implementation server_info_;
  server_capabilities server_capabilities_;
  client_capabilities own_capabilities_;
  std::string own_capabilities_text_;
  std::string instructions_;
  std::optional<discover_result> discovered_;
  std::chrono::system_clock::time_point era_learned_{};  // with a prior verdict, its date
  std::optional<log_level> level_;

  connection_status status_ = connection_status::disconnected;
  std::vector<std::function<void(connection_status)>> status_listeners_;
  std::optional<error> end_reason_;
  std::vector<detail::waiter<error>*> closed_waiters_;
  std::weak_ptr<negotiation> negotiation_;  // while a handshake is under way
  comcp::statistics counters_;
  detail::overlap_guard overlap_;
  comcp::transport_info last_info_;
  std::uint64_t messages_at_last_ping_ = 0;
  std::uint64_t bad_before_ = 0;  // unusable messages of earlier connections
  unsigned restarts_in_a_row_ = 0;
  std::function<void()> on_attempt_;
  std::chrono::steady_clock::time_point attempt_until_ = std::chrono::steady_clock::time_point::max();
  std::chrono::steady_clock::time_point authorizing_since_;
  unsigned authorizing_ = 0;                  // exchanges that wait for credentials
  request_id restart_pause_ = 0;              // the wait before the next attempt
  std::vector<request_id> restart_waits_;     // for what comes out of it
  bool restart_now_ = false;                  // without that wait
  json::value initialize_result_;
  std::map<std::string, std::vector<wire::param_header>, std::less<>> param_headers_;  // by tool, where it wants any
  unsigned renewals_in_a_row_ = 0;
  bool is_http_ = false;
  bool resumed_ = false;      // this connection goes on with a saved session
  bool renewal_due_ = false;  // the session is lost, and the last try to renew it failed
  bool transport_open_ = false;
  bool prior_unconfirmed_ = false;  // the era was taken from a prior verdict, and nothing has shown yet that it holds
  bool closing_ = false;
  bool restarting_ = false;
  error* restoring_ = nullptr;  // while a restart restores the connection: where it learns that this was lost again
  bool keeping_alive_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// client/impl/core_calls.ipp
// The core's calls: registering, sending, waiting, and the one way in which each of them ends.

#include <asio/this_coro.hpp>

// net/spawn.hpp
// What starts work on an executor, each with one set of types: every further instantiation of Asio's co_spawn and
// post costs a header-only user a third of a second. And what came out of it. Internal.

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

namespace comcp::detail {

/// Runs it later on that executor.
void post(asio::any_io_executor const& to, std::function<void()> work);

/// Starts it there and forgets it. What it throws is dropped.
void spawn(asio::any_io_executor const& on, asio::awaitable<void> work);
/// The same with a cancellation slot. Asio looks at the slot after the work has ended, so `owner` keeps its signal.
void spawn(asio::any_io_executor const& on, asio::awaitable<void> work, asio::cancellation_slot slot,
           std::shared_ptr<void const> owner);

/// Runs it there and waits, resuming on the caller's executor; cancelling the wait cancels it.
asio::awaitable<void> spawn_and_wait(asio::any_io_executor on, asio::awaitable<void> work);

/// What was caught, as an error; Asio's own operation_aborted is errc::cancelled.
error current_error();

template <class T>
asio::awaitable<void> store(asio::awaitable<T> work, std::optional<T>& out) {
  auto value = co_await std::move(work);
  out.emplace(std::move(value));
}

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)

// net/impl/spawn.ipp
#include <exception>
#include <system_error>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>
#include <asio/error.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

namespace comcp::detail {

COMCP_DECL void post(asio::any_io_executor const& to, std::function<void()> work) { asio::post(to, std::move(work)); }

COMCP_DECL void spawn(asio::any_io_executor const& on, asio::awaitable<void> work, asio::cancellation_slot slot,
                      std::shared_ptr<void const> owner) {
  auto done = [owner = std::move(owner)](std::exception_ptr) {};
  asio::co_spawn(on, std::move(work), asio::bind_cancellation_slot(slot, std::move(done)));
}

COMCP_DECL void spawn(asio::any_io_executor const& on, asio::awaitable<void> work) {
  spawn(on, std::move(work), {}, {});
}

COMCP_DECL asio::awaitable<void> spawn_and_wait(asio::any_io_executor on, asio::awaitable<void> work) {
  co_await asio::co_spawn(on, std::move(work), asio::use_awaitable);
}

COMCP_DECL error current_error() {
  try {
    throw;
  } catch (exception const& e) {
    return e.error();
  } catch (std::system_error const& e) {
    if (e.code() == asio::error::operation_aborted) return error(errc::cancelled);
    return error(e.code(), {});
  } catch (std::exception const& e) {
    return error(errc::invalid_argument, e.what());
  } catch (...) {
    return error(errc::invalid_argument, "an unknown exception");
  }
}

}  // namespace comcp::detail
#endif

namespace comcp {
namespace detail {

// Cancels a call from its cancellation slot or a stop token: by way of home, and only while the core lives.
struct cancel_hook {
  std::weak_ptr<client_core> core;
  request_id id;
  void (*cancel)(client_core&, request_id);
  void operator()() const {
    auto alive = core.lock();
    if (!alive) return;
    auto const home = alive->home();
    // Moved: the last reference may end on home only, not on the thread that asked to stop.
    auto post = [alive = std::move(alive), id = id, cancel = cancel] { cancel(*alive, id); };
    detail::post(home, std::move(post));
  }
};

struct cancel_request {
  client_core* core;
  request_id id;
  void (*cancel)(client_core&, request_id);
  [[nodiscard]] cancel_hook hook() const { return {core->weak_from_this(), id, cancel}; }
};

COMCP_DECL char const* capability_for(std::string_view method) noexcept {
  if (method.starts_with("tools/")) return "tools";
  if (method.starts_with("prompts/")) return "prompts";
  if (method.starts_with("resources/")) return "resources";
  if (method == "completion/complete") return "completions";
  if (method == "logging/setLevel") return "logging";
  if (method.starts_with("skills/")) return "io.modelcontextprotocol/skills";
  return nullptr;
}

COMCP_DECL bool reads_directories(server_capabilities const& declared) {
  auto const skills = declared.extensions.find("io.modelcontextprotocol/skills");
  if (skills == declared.extensions.end()) return false;
  auto const flag = skills->second.view().find("directoryRead");
  return flag && flag->get_bool() == true;
}

}  // namespace detail

COMCP_DECL error client_core::check(detail::prepared_call const& c) const {
  if (end_reason_) return *end_reason_;
  if (closing_) return {errc::closed, "the client is closing"};
  if (c.unusable) return c.unusable;
  if (c.internal) return {};
  if (!jsonrpc::is_plain_method(c.method)) return {errc::invalid_argument, "not a method name: " + c.method};
  if (codec_ && !codec_->offers(c.method))
    return {errc::not_in_protocol, c.method + " does not exist in " + std::string(codec_->version().text())};
  for (auto const& [key, text] : c.options.meta()) {
    if (auto const ok = check_meta_key(key); !ok) return ok.error();
  }
  if (!options_.check_capabilities_ || !codec_) return {};
  if (std::string_view(c.method) == "resources/directory/read" && !detail::reads_directories(server_capabilities_))
    return {errc::capability_missing, "the server did not declare directoryRead of io.modelcontextprotocol/skills"};
  if (discovered_unknown() && !c.method.starts_with("skills/")) return {};  // those want a declaration that was seen
  auto const* needed = detail::capability_for(c.method);
  if (!needed || server_capabilities_.supports(needed)) {
    if (std::string_view(c.method) == "resources/subscribe" && !server_capabilities_.supports_subscribe())
      return {errc::capability_missing, "the server did not declare resources.subscribe"};
    return {};
  }
  // 2024-11-05 has no completions capability to declare.
  if (c.method == "completion/complete" && codec_->version() == version::v2024_11_05) return {};
  return {errc::capability_missing, std::string("the server did not declare ") + needed + ", which " + c.method + " needs"};
}

// What check() looks at for resources/subscribe, which the modern era has not.
COMCP_DECL error client_core::check_subscribe(call_options const& options) const {
  detail::prepared_call const listen("subscriptions/listen", {}, options);
  if (auto bad = check(listen)) return bad;
  if (options_.check_capabilities_ && !discovered_unknown() && !server_capabilities_.supports_subscribe())
    return {errc::capability_missing, "the server did not declare resources.subscribe"};
  return {};
}

COMCP_DECL request_id client_core::enlist(detail::pending_entry& e, std::chrono::nanoseconds timeout) {
  auto const now = time_->now();
  return enlist(e, now, timeout, detail::later(now, timeout), true);
}

COMCP_DECL request_id client_core::enlist(detail::pending_entry& e, std::chrono::steady_clock::time_point now,
                                          std::chrono::nanoseconds timeout,
                                          std::chrono::steady_clock::time_point hard, bool extra) {
  e.id = pending_.add(&e, now, std::chrono::duration_cast<std::chrono::steady_clock::duration>(timeout), hard, extra);
  if (e.id) arm();
  return e.id;
}

COMCP_DECL result<void> client_core::begin(detail::prepared_call const& c, detail::pending_entry& e) {
  detail::overlap_guard::scope const alone(overlap_);
  e.call = &c;
  auto const now = time_->now();
  if (c.started == std::chrono::steady_clock::time_point()) c.started = now;
  auto const timeout = c.options.timeout().value_or(options_.timeout_);
  auto const hard = detail::later(c.started, hard_limit(c.options));
  if (!enlist(e, now, timeout, hard, c.internal || c.counted))
    return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
  ++counters_.tracked;
  if (renewal_due_ && !restarting_) renew();
  if (restarting_) {
    deferred_.push_back(e.id);
    return {};
  }
  auto sent = transmit(e);
  if (!sent) {
    pending_.take(std::exchange(e.id, 0));
    ++counters_.failed;
  }
  return sent;
}

COMCP_DECL result<void> client_core::transmit(detail::pending_entry& e) {
  if (!transport_) return error(errc::closed, "the client was destroyed");  // and its end is posted
  auto const& c = *e.call;
  wire::request_meta meta;
  meta.user = &c.options.meta();
  meta.progress = c.options.wants_progress();
  if (!e.handshake) meta.level = c.options.log_level() ? c.options.log_level() : level_;
  outgoing message(codec_->request(e.id, c.method, c.params, meta), e.id);
  message.method = c.method;
  message.name = c.name;
  message.handshake = e.handshake;
  if (is_http_) {
    if (auto const labelled = label(message, e); !labelled) return labelled.error();
  }
  if (options_.tracer_) trace(direction::sent, message.text);
  auto sent = transport_.send(std::move(message));
  e.sent = sent.has_value();
  return sent;
}

COMCP_DECL asio::awaitable<detail::reply> client_core::wait(detail::pending_entry& e) {
  detail::cancel_request const request{this, e.id, [](client_core& self, request_id id) { self.cancel(id); }};
  if (e.call && e.call->options.stop().stop_possible()) end_with(e.call->options.stop(), e);
  return detail::suspend<detail::reply>(e.waiting, request, &e.room);
}

// Before wait(): a stop that was requested already is posted.
COMCP_DECL void client_core::end_with(std::stop_token const& stop, detail::pending_entry& e) {
  if (!stop.stop_possible()) return;
  detail::cancel_request const request{this, e.id, [](client_core& self, request_id id) { self.cancel(id); }};
  std::function<void()> end_waiting = request.hook();
  e.stop = std::make_unique<std::stop_callback<std::function<void()>>>(stop, std::move(end_waiting));
}

COMCP_DECL void client_core::withdraw(detail::pending_entry& e) noexcept {
  auto const id = std::exchange(e.id, 0);
  if (!id || !pending_.take(id)) return;
  ++counters_.cancelled;
  tell_cancelled(id, e, "cancelled by the caller");
}

// The one door through which every call ends.
COMCP_DECL void client_core::end(request_id id, detail::reply&& r) {
  auto const taken = pending_.take(id);
  if (!taken) return;
  auto& e = **taken;
  e.id = 0;
  e.stop.reset();
  if (e.call && !e.handshake) {  // as `tracked` counts
    if (r.has_value()) ++counters_.completed;
    else if (r.error() == errc::timeout) ++counters_.timed_out;
    else if (r.error() == errc::cancelled) ++counters_.cancelled;
    else ++counters_.failed;
  }
  if (e.on_end) {
    auto const on_end = std::move(e.on_end);
    on_end(std::move(r));
  } else if (auto* const waiting = std::exchange(e.waiting, nullptr)) {
    waiting->complete(std::move(r));
  }
}

COMCP_DECL void client_core::cancel(request_id id) {
  auto const* found = pending_.find(id);
  if (!found) return;
  tell_cancelled(id, **found, "cancelled by the caller");
  end(id, error(errc::cancelled));
}

COMCP_DECL void client_core::tell_cancelled(request_id id, detail::pending_entry const& e, std::string_view why) {
  if (!e.call || !e.sent || !transport_open_) return;
  if (e.handshake) {  // never told; over HTTP there is a response that nobody waits for any more
    if (is_http_) transport_.abandon(id);
    return;
  }
  if (transport_.abandon(id) || (is_http_ && is_modern())) return;
  send_text(wire::codec::cancelled(id, why));
}

// First the calls, then what else waits for their ends.
COMCP_DECL void client_core::fail_all(error const& reason) {
  fail_each(reason, false);
  if (!restarting_ || closing_) fail_each(reason, true);
}

COMCP_DECL void client_core::fail_each(error const& reason, bool survivors) {
  bool const goes_on = restarting_ && !closing_;
  bool const by_us = reason == errc::closed;
  // Only those that wait now: a caller that resumes here may start the next call, for the server to come.
  for (auto const id : pending_.ids()) {
    auto const* const found = pending_.find(id);
    if (!found) continue;
    auto const& e = **found;
    bool const waits_for_restart = goes_on && e.call && !e.sent;
    if (e.survives != survivors || waits_for_restart) continue;
    if (!e.call || by_us || !e.sent) {
      end(id, e.call && !e.sent ? reason.with_code(make_error_code(errc::closed)) : reason);
    } else if (e.call->repeatable || e.call->options.is_idempotent() || e.handshake) {
      end(id, reason);
    } else {
      end(id, reason.with_code(make_error_code(errc::outcome_unknown)));
    }
  }
}

COMCP_DECL void client_core::arm() {
  auto const next = pending_.next_deadline();
  if (!next || (armed_ && *armed_ <= *next)) return;  // an early alarm re-arms itself
  armed_ = next;
  std::function<void()> fire = [weak = weak_from_this()] {
    if (auto const self = weak.lock()) self->expire();
  };
  deadline_->arm(*next, std::move(fire));
}

COMCP_DECL void client_core::expire() {
  auto const hold = shared_from_this();
  detail::overlap_guard::scope const alone(overlap_);
  armed_.reset();
  auto const now = time_->now();
  while (auto const id = pending_.expired(now)) {
    auto const& e = **pending_.find(id);
    tell_cancelled(id, e, "timed out");
    end(id, error(errc::timeout, e.call ? e.call->method : std::string()));
  }
  arm();
}

// A part of connecting, whose clock stops while a user logs in.
COMCP_DECL request_id client_core::enlist_part(detail::pending_entry& e, std::chrono::nanoseconds timeout) {
  auto const now = time_->now();
  auto const soft = detail::later(now, timeout);
  return enlist(e, now, timeout, is_http_ ? detail::later(soft, options_.hard_timeout_) : soft, true);
}

COMCP_DECL void client_core::authorizing(bool begins) {
  if (begins) {
    if (authorizing_++ == 0) authorizing_since_ = time_->now();
    return pause_clocks();
  }
  if (authorizing_ == 0) return;  // cancel_inbound() came before
  if (--authorizing_ == 0 && attempt_until_ != std::chrono::steady_clock::time_point::max()) {
    attempt_until_ = detail::later(attempt_until_, time_->now() - authorizing_since_);
  }
  resume_clocks();
}

COMCP_DECL void client_core::pause_clocks() {
  pending_.pause(time_->now());
  arm();
}

COMCP_DECL void client_core::resume_clocks() {
  pending_.resume(time_->now());
  arm();
}

COMCP_DECL asio::awaitable<bool> client_core::sleep(std::chrono::nanoseconds d) {
  detail::pending_entry e;
  e.survives = true;
  if (end_reason_ || closing_ || !enlist(e, d)) co_return false;
  auto const r = co_await wait(e);
  co_return r.error() == errc::timeout;
}

COMCP_DECL asio::awaitable<detail::reply> client_core::round_trip(detail::prepared_call const& c) {
  detail::pending_entry e;
  if (auto const started = start(c, e); !started) co_return detail::reply(started.error());
  auto r = co_await wait(e);
  co_return r;
}

COMCP_DECL result<void> client_core::start(detail::prepared_call const& c, detail::pending_entry& e) {
  if (auto bad = check(c)) return bad;
  if (c.options.stop().stop_requested()) return error(errc::cancelled);
  return begin(c, e);
}

COMCP_DECL bool client_core::is_plain(asio::any_io_executor const& here, std::string_view method) const noexcept {
  return options_.interceptors_.empty() && !checks_ && here == home_ && !(cache_ && cache_->concerns(method));
}

COMCP_DECL void client_core::spawn(asio::awaitable<void> work) {
  detail::spawn(home_, std::move(work));
}

COMCP_DECL asio::awaitable<json::value> client_core::call(detail::prepared_call c) {
  auto const hold = shared_from_this();
  auto const here = co_await asio::this_coro::executor;
  if (here == home_) {
    auto v = co_await call_on_home(std::move(c));
    co_return v;
  }
  std::optional<json::value> value;
  auto work = detail::store(call_on_home(std::move(c)), value);
  co_await detail::spawn_and_wait(home_, std::move(work));
  co_return std::move(*value);
}

COMCP_DECL asio::awaitable<void> client_core::run_on_home(asio::awaitable<void> work) {
  auto const hold = shared_from_this();
  auto const here = co_await asio::this_coro::executor;
  if (here == home_) {
    co_await std::move(work);
  } else {
    co_await detail::spawn_and_wait(home_, std::move(work));
  }
}

COMCP_DECL asio::awaitable<json::value> client_core::call_on_home(detail::prepared_call c) {
  detail::performer send = [this](detail::prepared_call& call) {
    return checks_ ? checks_->perform(call) : carry_out(call);
  };
  auto r = co_await intercept(std::move(c), std::move(send));
  co_return std::move(r).value();
}

COMCP_DECL asio::awaitable<detail::reply> client_core::carry_out(detail::prepared_call& c) {
  return cache_ && cache_->concerns(c.method) ? cache_->answer(c) : perform(c);
}

// Repeats what may be repeated, follows one version change, and goes through the input rounds.
COMCP_DECL asio::awaitable<detail::reply> client_core::perform(detail::prepared_call& c) {
  auto r = co_await round_trip(c);
  if (needs_settling(c, r)) r = co_await rounds(c, std::move(r));
  co_return r;
}

COMCP_DECL bool client_core::needs_settling(detail::prepared_call const& c, detail::reply const& r) const {
  if (!codec_) return false;
  if (!r.has_value()) {
    if (prior_unconfirmed_ && (r.error().peer() || (is_http_ && sansio::is_legacy_refusal(r.error())))) return true;
    if (auto const* const peer = r.error().peer())
      return is_modern() ? peer->code == -32022 || (peer->code == -32020 && is_http_) : peer->code == -32042;
    return may_repeat(c, r.error());
  }
  if (!is_modern()) return false;
  auto const kind = codec_->classify(c.method, r->view());
  return !kind || *kind != wire::result_kind::complete;
}

COMCP_DECL asio::awaitable<json::value> client_core::settle(detail::prepared_call c, detail::reply first) {
  auto const hold = shared_from_this();
  auto r = co_await rounds(c, std::move(first));
  co_return std::move(r).value();
}

COMCP_DECL void client_core::notify(std::string_view method, std::string_view params, wire::request_meta const& meta) {
  if (!codec_ || !transport_open_) return;
  outgoing message(codec_->notification(method, params, meta));
  message.method = method;
  send_message(std::move(message));
}

COMCP_DECL void client_core::send_text(std::string text) {
  if (transport_open_) send_message(outgoing(std::move(text)));
}

COMCP_DECL void client_core::send_message(outgoing message) {
  if (is_http_) label(message);
  if (options_.tracer_) trace(direction::sent, message.text);
  auto const sent = transport_.send(std::move(message));
  if (!sent) fault(sent.error());
}

}  // namespace comcp

// client/impl/core_close.ipp
// The end of a connection, wanted or not, and the way back where a restart policy allows one.

#include <asio/dispatch.hpp>
#include <asio/io_context.hpp>
#include <asio/this_coro.hpp>

// client/impl/core_registry.hpp
// Knows the cores that live on an execution context, so that coroutines which wait in them are destroyed with
// that context instead of keeping each other alive. Internal.

#include <algorithm>
#include <mutex>
#include <typeinfo>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/execution/context.hpp>
#include <asio/execution_context.hpp>
#include <asio/query.hpp>

namespace comcp {
class client_core;

namespace detail {

/// The executor inside, if it is an E. Asio 1.22's target() does not look.
template <class E>
E const* executor_as(asio::any_io_executor const& ex) noexcept {
  return ex.target_type() == typeid(E) ? ex.target<E>() : nullptr;
}

class core_registry final : public asio::execution_context::service {
 public:
  using key_type = core_registry;
  static inline asio::execution_context::id id;

  explicit core_registry(asio::execution_context& context) : service(context) {}

  static core_registry& of(asio::any_io_executor const& ex) {
    return asio::use_service<core_registry>(asio::query(ex, asio::execution::context));
  }

  void add(client_core* core) {
    std::lock_guard const lock(mutex_);
    cores_.push_back(core);
  }
  void remove(client_core* core) noexcept {
    std::lock_guard const lock(mutex_);
    std::erase(cores_, core);
  }

 private:
  void shutdown() noexcept override;

  std::mutex mutex_;
  std::vector<client_core*> cores_;
};

}  // namespace detail
}  // namespace comcp

// client/impl/negotiation.ipp
// The state of a handshake under way: the pure machine and the entries that feed it. Internal to the core.

#include <optional>

namespace comcp {

struct client_core::negotiation {
  negotiation(client_core& c, sansio::handshake m) : core(c), machine(std::move(m)) {}
  ~negotiation() { drop_all(); }
  negotiation(negotiation const&) = delete;
  negotiation& operator=(negotiation const&) = delete;

  void drop(detail::pending_entry& e) {
    auto const id = std::exchange(e.id, 0);
    if (id && core.pending_.take(id)) core.tell_cancelled(id, e, {});
  }
  void drop_all() {
    drop(probe_entry);
    drop(initialize_entry);
    drop(probe_timer);
    drop(done);
  }

  client_core& core;
  sansio::handshake machine;
  detail::prepared_call probe{"server/discover", {}, {}};
  detail::prepared_call init{"initialize", {}, {}};
  detail::pending_entry probe_entry, initialize_entry, probe_timer, done;
  std::optional<result<void>> outcome;
};

}  // namespace comcp

namespace comcp {

COMCP_DECL void client_core::closed(error reason) {
  auto const hold = shared_from_this();
  transport_open_ = false;
  if (auto const n = negotiation_.lock()) return take_step(n, n->machine.closed(reason));
  if (closing_ || end_reason_) return;
  if (restoring_) {
    *restoring_ = reason;
    restarting_ = true;
    cancel_inbound();
    return fail_all(reason);
  }
  if (status_ == connection_status::ready) return lost(std::move(reason));
  if (!restarting_) return finish(std::move(reason));
  cancel_inbound();  // what the server asked while its connection was being closed
}

// What the server asked, and the authorization that its connection waited for.
COMCP_DECL void client_core::cancel_inbound() {
  dispatcher_.cancel_all();
  while (authorizing_ > 0) authorizing(false);
}

COMCP_DECL void client_core::lost(error why) {
  if (!begin_restart(why)) finish(std::move(why));
}

COMCP_DECL std::optional<std::chrono::nanoseconds> client_core::next_restart(error const& why) {
  auto const& policy = options_.restart_;
  if (policy.ask()) {
    try {
      return policy.ask()(why);
    } catch (...) {
      fault(error(errc::invalid_argument, "a restart hook threw"));
      return {};
    }
  }
  if (restarts_in_a_row_ >= policy.attempts()) return {};
  auto const wanted = policy.base() * (std::int64_t{1} << std::min(restarts_in_a_row_, 20U));
  ++restarts_in_a_row_;
  return std::min<std::chrono::milliseconds>(wanted, policy.max());
}

// False when there is to be no restart.
COMCP_DECL bool client_core::begin_restart(error const& why) {
  auto const wait = next_restart(why);
  if (closing_ || end_reason_) return true;  // by whom it asked
  if (wait) give_way(why, *wait);
  return wait.has_value();
}

COMCP_DECL void client_core::give_way(error const& why, std::chrono::nanoseconds wait) {
  restarting_ = true;
  resumed_ = renewal_due_ = restart_now_ = false;
  set_status(connection_status::connecting);
  cancel_inbound();
  fail_all(why);
  if (!closing_ && !end_reason_) spawn(restart(wait));
}

// What an unusable peer ends: the connection where another may follow, else the client.
COMCP_DECL void client_core::break_off(error reason) {
  if (options_.restart_.ask()) {
    if (restarting_) return;  // it is being replaced, or the attempt's own timeouts end it
    if (status_ == connection_status::ready && begin_restart(reason)) return;
  }
  spawn(close_on_home(std::move(reason)));
}

COMCP_DECL error client_core::begin_anew(error why, std::chrono::nanoseconds wait) {
  if (end_reason_) return *end_reason_;
  if (closing_) return {errc::closed, "the client is closing"};
  if (restarting_ || restoring_) {
    restart_now_ = true;
    end(restart_pause_, json::value());
    return {};
  }
  if (status_ != connection_status::ready) return {errc::not_ready, "the first connection is still being made"};
  restarts_in_a_row_ = 0;
  give_way(why, wait);
  return end_reason_.value_or(error());
}

COMCP_DECL asio::awaitable<void> client_core::reconnect(error why) {
  auto const hold = shared_from_this();
  if (auto const bad = begin_anew(std::move(why), {})) throw exception(bad);
  detail::pending_entry outcome;
  outcome.survives = true;
  if (!enlist(outcome, std::chrono::nanoseconds::max())) throw exception(error(errc::queue_full));
  restart_waits_.push_back(outcome.id);
  auto const r = co_await wait(outcome);
  if (!r) throw exception(r.error());
}

COMCP_DECL void client_core::tell_restarted(detail::reply const& r) {
  auto const waiting = std::exchange(restart_waits_, {});
  for (auto const id : waiting) end(id, detail::reply(r));
}

COMCP_DECL void client_core::begin_attempt() {
  bad_before_ = counters_.bad_messages;
  attempt_until_ = detail::later(time_->now(), options_.connect_timeout_);
}

// A part of an attempt takes no longer than what is left for the whole.
COMCP_DECL std::chrono::nanoseconds client_core::bounded(std::chrono::nanoseconds d) const {
  return std::min<std::chrono::nanoseconds>(d, std::max(attempt_until_ - time_->now(), decltype(attempt_until_)::duration()));
}

COMCP_DECL asio::awaitable<void> client_core::restart(std::chrono::nanoseconds first_wait) {
  auto const hold = shared_from_this();
  std::optional<std::chrono::nanoseconds> until_next = first_wait;
  error last(errc::closed);
  for (;;) {
    if (transport_open_) {
      bool const through = co_await close_transport();
      if (closing_ || end_reason_) co_return;
      if (!through && until_next) co_return finish(error(errc::timeout, "the transport did not close in time"));
    }
    if (!until_next) co_return finish(last);
    detail::pending_entry pause;
    pause.survives = true;
    if (!restart_now_ && enlist(pause, *until_next)) {
      restart_pause_ = pause.id;
      (void)co_await wait(pause);
      if (closing_ || end_reason_) co_return;
    }
    begin_attempt();
    if (on_attempt_) on_attempt_();
    if (closing_ || end_reason_) co_return;
    auto again = co_await open_transport();
    if (again) again = co_await negotiate();
    if (closing_ || end_reason_) co_return;
    if (again) {
      ++counters_.restarts;
      if (cache_) cache_->restarted();
      restarting_ = false;
      restoring_ = &last;
      co_await after_handshake();
      restoring_ = nullptr;
      if (!restarting_) co_return restored();
    } else {
      last = again.error();
    }
    set_status(connection_status::connecting);
    restart_now_ = false;
    until_next = next_restart(last);
    tell_restarted(last);
    if (closing_ || end_reason_) co_return;
  }
}

COMCP_DECL asio::awaitable<void> client_core::close() {
  auto const hold = shared_from_this();
  auto const wait_closed = [](std::shared_ptr<client_core> self) -> asio::awaitable<void> {
    if (self->end_reason_) co_return;
    if (!self->closing_) self->spawn(self->close_on_home(error(errc::closed)));
    (void)co_await self->closed();
  };
  auto work = wait_closed(hold);
  co_await run_on_home(std::move(work));
}

COMCP_DECL asio::awaitable<void> client_core::close_on_home(error reason) {
  auto const hold = shared_from_this();
  if (closing_ || end_reason_) co_return;
  closing_ = true;
  set_status(connection_status::closing);
  cancel_inbound();
  fail_all(reason);
  co_await close_transport();
  finish(std::move(reason));
}

// Bounded by close_timeout: a transport that is not through by then is destroyed, and false.
COMCP_DECL asio::awaitable<bool> client_core::close_transport() {
  auto const hold = shared_from_this();
  auto const done = std::make_shared<detail::pending_entry>();
  enlist(*done, options_.close_timeout_);
  auto task = [](std::shared_ptr<client_core> self, std::shared_ptr<detail::pending_entry> entry) -> asio::awaitable<void> {
    if (self->transport_) co_await self->transport_.close();
    self->end(entry->id, json::value());
  };
  auto work = std::make_shared<asio::awaitable<void>>(task(hold, done));
  auto start = [this, hold, work] { spawn(std::move(*work)); };
  detail::post(home_, std::move(start));
  auto const waited = co_await wait(*done);
  if (!waited) drop_transport();
  transport_open_ = false;
  co_return waited.has_value();
}

COMCP_DECL void client_core::finish(error reason) {
  if (end_reason_) return;
  auto const hold = shared_from_this();
  end_reason_ = reason;
  closing_ = true;
  transport_open_ = false;
  deadline_->disarm();
  armed_.reset();
  cancel_inbound();
  subscriptions_.ended(reason);
  set_status(connection_status::disconnected);
  fail_all(reason);
  deadline_->disarm();
  for (auto* const w : std::exchange(closed_waiters_, {})) w->complete(reason);
}

COMCP_DECL asio::awaitable<error> client_core::closed() {
  auto const hold = shared_from_this();
  if (end_reason_) co_return *end_reason_;
  detail::waiter<error>* place = nullptr;
  auto const forget = [weak = weak_from_this(), &place] {
    auto const self = weak.lock();
    if (!self) return;
    auto drop = [self, which = place] {
      auto& all = self->closed_waiters_;
      auto const found = std::find(all.begin(), all.end(), which);
      if (found == all.end()) return;
      all.erase(found);
      which->complete(error(errc::cancelled));
    };
    detail::post(self->home_, std::move(drop));
  };
  auto reason = co_await detail::suspend_listed<error>(place, closed_waiters_, forget);
  if (reason == errc::cancelled && !end_reason_) throw exception(reason);
  co_return reason;
}

COMCP_DECL void client_core::abandon() noexcept {
  auto end = [self = shared_from_this()] { self->abrupt(); };
  auto const* const context = detail::executor_as<asio::io_context::executor_type>(home_);
  if (context && asio::query(*context, asio::execution::context).stopped()) return end();
  asio::dispatch(home_, std::move(end));
}

COMCP_DECL void client_core::drop_transport() noexcept {
  last_info_ = transport_info();
  transport_ = any_transport();
  transport_open_ = false;
}

COMCP_DECL void client_core::abrupt() noexcept {
  if (end_reason_) return;
  closing_ = true;
  drop_transport();
  auto end = [self = shared_from_this()] { self->finish(error(errc::closed, "the client was destroyed")); };
  detail::post(home_, std::move(end));
}

COMCP_DECL void client_core::shut_down() noexcept {
  drop_transport();
  closing_ = true;
  end_reason_ = error(errc::closed);
  while (auto const id = pending_.any()) {
    auto* const e = *pending_.take(id);
    e->id = 0;
    e->stop.reset();
    e->on_end = nullptr;
    if (auto* const w = std::exchange(e->waiting, nullptr)) w->destroy();
  }
  for (auto* const w : std::exchange(closed_waiters_, {})) w->destroy();
  subscriptions_.shut_down();
}

}  // namespace comcp

// client/impl/core_connect.ipp
// The core's life: opening, the handshake, becoming ready, closing, starting again.

#include <asio/dispatch.hpp>
#include <asio/io_context.hpp>
#include <asio/strand.hpp>
#include <asio/this_coro.hpp>
#include <asio/thread_pool.hpp>

namespace comcp {

COMCP_DECL client_core::client_core(any_transport transport, any_handler handler, connect_options options,
                                    asio::any_io_executor home)
    : transport_(std::move(transport)),
      handler_(std::move(handler)),
      options_(std::move(options)),
      home_(std::move(home)),
      time_(options_.time_ ? options_.time_ : steady_time()),
      deadline_(time_->make_deadline(home_)),
      pending_(options_.limits_.pending_calls()),
      dispatcher_(*this),
      subscriptions_(*this),
      level_(options_.log_level_) {
  is_http_ = transport_.is_http();
  options_.handshake_.over_http = is_http_;
  declare_capabilities();
  if (options_.cache_) cache_ = options_.cache_(*this);
  if (options_.validation_) checks_ = options_.validation_->start(*this);
  if (options_.observer_.on_status) status_listeners_.push_back(options_.observer_.on_status);
}

COMCP_DECL client_core::~client_core() { detail::core_registry::of(home_).remove(this); }

COMCP_DECL void client_core::declare_capabilities() {
  handler_.declare(own_capabilities_);
  auto const entries = [](auto const& from, capability_entries& to) {
    for (auto const& [name, settings] : from) to[name] = json::parse(settings.empty() ? "{}" : settings.text()).value();
  };
  entries(options_.experimental_, own_capabilities_.experimental);
  entries(options_.extensions_, own_capabilities_.extensions);
  own_capabilities_text_ = json::to_text(own_capabilities_);
  // capabilities() of a handler may narrow, and add what belongs to a member; it cannot promise what nobody answers.
  auto const unanswered = [this](bool declared, char const* method) {
    if (declared && !handler_.answers(method))
      throw exception(error(errc::invalid_argument, std::string("the handler declares what it has no member for: ") + method));
  };
  unanswered(own_capabilities_.sampling.has_value(), "sampling/createMessage");
  unanswered(own_capabilities_.roots.has_value(), "roots/list");
  unanswered(own_capabilities_.elicitation.has_value(), "elicitation/create");
}

COMCP_DECL asio::awaitable<std::shared_ptr<client_core>> client_core::connect(any_transport transport,
                                                                              any_handler handler,
                                                                              connect_options options) {
  auto const here = co_await asio::this_coro::executor;
  asio::any_io_executor home = here;
  if (options.executor_) home = options.executor_;
  if (detail::executor_as<asio::thread_pool::executor_type>(home)) home = asio::make_strand(home);
  auto core = std::make_shared<client_core>(std::move(transport), std::move(handler), std::move(options), home);
  detail::core_registry::of(home).add(core.get());
  // Never in the caller's own coroutine: what fails changes the cancellation state to close in peace.
  auto work = core->open_and_negotiate();
  co_await detail::spawn_and_wait(home, std::move(work));
  co_return core;
}

COMCP_DECL asio::awaitable<void> client_core::open_and_negotiate() {
  auto const hold = shared_from_this();
  error failure;
  try {
    set_status(connection_status::connecting);
    begin_attempt();
    auto done = co_await open_transport();
    if (done) done = co_await negotiate();
    if (done) co_await after_handshake();
    if (!done) failure = done.error();
  } catch (exception const& e) {
    failure = e.error();
  } catch (std::system_error const&) {
    failure = error(errc::cancelled);  // Asio's operation_aborted
  }
  if (!failure) co_return;
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  co_await close_on_home(failure);
  throw exception(failure);
}

// Opens within its timeout. What comes too late is dropped.
COMCP_DECL asio::awaitable<result<void>> client_core::open_transport() {
  struct opening {
    detail::pending_entry done;
    result<void> outcome = error(errc::connect_failed);
    asio::cancellation_signal signal;
  };
  auto const o = std::make_shared<opening>();
  auto const hold = shared_from_this();
  if (!enlist_part(o->done, bounded(options_.open_timeout_))) co_return error(errc::queue_full);
  auto task = [](std::shared_ptr<client_core> self, std::shared_ptr<opening> state) -> asio::awaitable<void> {
    try {
      if (!self->transport_) co_return;  // destroyed meanwhile, and so is the wait below
      auto opened = co_await self->transport_.open(*self);
      if (opened) self->transport_open_ = true;
      state->outcome = std::move(opened);
    } catch (...) {
      state->outcome = detail::current_error();
    }
    self->end(state->done.id, json::value());
  };
  auto work = task(hold, o);
  // Posted, so that nothing ends before the wait below has begun.
  auto start = [this, hold, o, work = std::make_shared<asio::awaitable<void>>(std::move(work))] {
    detail::spawn(home_, std::move(*work), o->signal.slot(), o);
  };
  detail::post(home_, std::move(start));
  auto const waited = co_await wait(o->done);
  if (waited) co_return o->outcome;
  auto give_up = [o] { o->signal.emit(asio::cancellation_type::terminal); };
  detail::post(home_, std::move(give_up));
  if (waited.error() == errc::timeout) co_return error(errc::timeout, "the transport did not open in time");
  co_return waited.error();
}

COMCP_DECL asio::awaitable<result<void>> client_core::negotiate() {
  set_status(connection_status::initializing);
  recall_era();
  auto const n = std::make_shared<negotiation>(
      *this, sansio::handshake(options_.handshake_, std::chrono::system_clock::now()));
  negotiation_ = n;
  if (!enlist_part(n->done, bounded(options_.handshake_timeout_))) co_return error(errc::queue_full);
  if (!adopt_resumed(*n)) take_step(n, n->machine.start());
  if (!n->outcome) {
    auto const waited = co_await wait(n->done);
    if (!n->outcome && !waited) {
      n->outcome = waited.error() == errc::timeout ? error(errc::timeout, "the handshake was not finished in time")
                                                   : waited.error();
    }
  }
  n->drop_all();
  if (*n->outcome) remember_era();
  co_return *n->outcome;
}

COMCP_DECL void client_core::settle_handshake(negotiation& n, error why) {
  if (n.outcome) return;
  n.outcome = why ? result<void>(std::move(why)) : result<void>();
  negotiation_.reset();
  if (n.done.id) end(n.done.id, json::value());
}

COMCP_DECL void client_core::take_step(std::shared_ptr<negotiation> const& n, sansio::handshake_step const& step) {
  using action = sansio::handshake_step::action;
  switch (step.what) {
    case action::wait: return;
    case action::discover: return send_probe(n, *step.version);
    case action::initialize: return send_initialize(n, *step.version);
    case action::reopen: return spawn(reopen(n));
    case action::fail: return settle_handshake(*n, step.why);
    case action::ready:
      era_learned_ = n->machine.from_prior() ? options_.handshake_.prior->date : std::chrono::system_clock::now();
      if (step.version->era() == era::modern) {
        auto const info = own_info();
        codec_ = std::make_unique<wire::modern>(*step.version, options_.anonymous_ ? nullptr : &info,
                                                own_capabilities_text_);
        prior_unconfirmed_ = n->machine.from_prior();
        if (auto const& prior = options_.handshake_.prior; prior && prior->discovered && n->machine.from_prior())
          adopt_discovery(*prior->discovered);
      } else {
        codec_ = std::make_unique<wire::legacy>(*step.version);
      }
      return settle_handshake(*n, {});
  }
}

COMCP_DECL void client_core::send_probe(std::shared_ptr<negotiation> const& n, protocol_version v) {
  auto const info = own_info();
  codec_ = std::make_unique<wire::modern>(v, options_.anonymous_ ? nullptr : &info, own_capabilities_text_);
  n->drop(n->probe_entry);
  n->probe.internal = true;
  n->probe_entry.call = &n->probe;
  n->probe_entry.handshake = true;
  n->probe_entry.on_end = [this, weak = std::weak_ptr(n)](detail::reply r) {
    auto const alive = weak.lock();
    if (!alive) return;
    alive->drop(alive->probe_timer);
    if (!r) return take_step(alive, alive->machine.discover_failed(r.error()));
    auto found = json::read<discover_result>(r->view());
    if (!found) return take_step(alive, alive->machine.discover_failed(error::from_peer({-32603, "no DiscoverResult", {}})));
    auto const step = alive->machine.discovered(found->supported_versions);
    adopt_discovery(*found);
    take_step(alive, step);
  };
  n->probe_timer.on_end = [this, weak = std::weak_ptr(n)](detail::reply const& r) {
    auto const alive = weak.lock();
    if (alive && r.error() == errc::timeout) take_step(alive, alive->machine.probe_timed_out());
  };
  enlist_part(n->probe_entry, options_.handshake_timeout_);
  n->drop(n->probe_timer);
  if (!is_http_) enlist(n->probe_timer, options_.probe_timeout_);  // silence of a process says it is legacy
  if (auto const sent = transmit(n->probe_entry); !sent) settle_handshake(*n, sent.error());
}

COMCP_DECL void client_core::send_initialize(std::shared_ptr<negotiation> const& n, protocol_version v) {
  codec_ = std::make_unique<wire::legacy>(v);
  json::writer w;
  w.begin_object().plain_key("protocolVersion").string(v.text());
  w.plain_key("capabilities").raw(own_capabilities_text_);
  w.plain_key("clientInfo");
  json::write(w, own_info());
  w.end_object();
  n->init.params = std::move(w).text();
  n->init.internal = true;
  n->drop(n->initialize_entry);
  n->initialize_entry.call = &n->init;
  n->initialize_entry.handshake = true;
  n->initialize_entry.on_end = [this, weak = std::weak_ptr(n)](detail::reply r) {
    auto const alive = weak.lock();
    if (!alive) return;
    if (!r) return take_step(alive, alive->machine.initialize_failed(r.error()));
    auto const named = r->view().find("protocolVersion");
    auto const step = alive->machine.initialized(named ? std::string(named->get_string().value_or("")) : std::string());
    auto const found = json::read<initialize_result>(r->view());
    if (step.what == sansio::handshake_step::action::ready) {
      if (!found) return settle_handshake(*alive, found.error().with_code(make_error_code(errc::protocol_violation)));
      adopt_initialization(*found, *r);
    }
    take_step(alive, step);
  };
  enlist_part(n->initialize_entry, options_.handshake_timeout_);
  if (auto const sent = transmit(n->initialize_entry); !sent) settle_handshake(*n, sent.error());
}

COMCP_DECL asio::awaitable<void> client_core::reopen(std::shared_ptr<negotiation> n) {
  auto const hold = shared_from_this();
  n->drop(n->probe_entry);
  n->drop(n->initialize_entry);
  n->drop(n->probe_timer);
  auto const opened = co_await open_transport();
  if (n->outcome) co_return;
  if (opened) {
    take_step(n, n->machine.reopened());
  } else {
    settle_handshake(*n, opened.error());
  }
}

COMCP_DECL void client_core::adopt_discovery(discover_result const& d) {
  discovered_ = d;
  server_capabilities_ = d.capabilities;
  instructions_ = d.instructions.value_or("");
  if (auto const info = server_info_of(d.meta)) server_info_ = *info;
}

COMCP_DECL void client_core::adopt_initialization(initialize_result const& r, json::value const& raw) {
  server_info_ = r.server_info;
  server_capabilities_ = r.capabilities;
  instructions_ = r.instructions.value_or("");
  discovered_.reset();
  initialize_result_ = raw;
}

COMCP_DECL implementation client_core::own_info() const {
  return options_.client_info_.value_or(implementation("comcp", COMCP_VERSION_STRING));
}

COMCP_DECL asio::awaitable<void> client_core::after_handshake() {
  if (checks_) checks_->forget();
  if (!is_modern()) {
    if (!resumed_) notify("notifications/initialized", {});
    if (level_ && server_capabilities_.supports("logging")) {
      call_options patience;
      patience.timeout(bounded(options_.timeout_)).extend_on_progress(false);
      detail::prepared_call set("logging/setLevel", args("level", enum_text(*level_)).text(), std::move(patience));
      set.internal = true;
      auto const done = co_await round_trip(set);
      if (!done) fault(done.error());
    }
  }
  if (end_reason_) throw exception(*end_reason_);
  if (restarting_) co_return;  // lost again meanwhile
  set_status(connection_status::ready);
  subscriptions_.connected();
  if (options_.ping_interval_ && !std::exchange(keeping_alive_, true)) spawn(keep_alive());
}

COMCP_DECL asio::awaitable<void> client_core::keep_alive() {
  auto const hold = shared_from_this();
  unsigned failures = 0;
  for (;;) {
    bool const awake = co_await sleep(*options_.ping_interval_);
    if (!awake) break;
    if (status_ != connection_status::ready) continue;
    if (counters_.messages_in != messages_at_last_ping_) {
      messages_at_last_ping_ = counters_.messages_in;
      failures = 0;
      continue;
    }
    call_options limited;
    limited.timeout(options_.ping_timeout_).extend_on_progress(false);
    detail::prepared_call ping(is_modern() ? "server/discover" : "ping", {}, std::move(limited));
    ping.internal = true;
    auto const r = co_await round_trip(ping);
    messages_at_last_ping_ = counters_.messages_in;
    if (r || r.error().peer()) {
      failures = 0;
    } else if (r.error() == errc::timeout && ++failures >= options_.ping_failure_threshold_) {
      break_off(error(errc::timeout, "the server answered " + std::to_string(failures) + " pings not at all"));
      failures = 0;
    }
  }
  keeping_alive_ = false;
}

COMCP_DECL void client_core::set_status(connection_status s) {
  if (status_ == s) return;
  status_ = s;
  auto const listeners = status_listeners_;
  for (auto const& listener : listeners) {
    try {
      listener(s);
    } catch (...) {
      fault(error(errc::invalid_argument, "a status listener threw"));
    }
  }
}

}  // namespace comcp

// client/impl/core_http.ipp
// What HTTP asks of the core beyond messages: headers that mirror them, sessions that are lost and renewed or saved
// and continued, verdicts that are remembered.

namespace comcp {

COMCP_DECL void client_core::label(outgoing& message) const {
  message.stateless = is_modern();
  if (!codec_) return;
  message.headers.emplace_back("MCP-Protocol-Version", codec_->version().text());
  if (message.method.empty()) return;
  message.established = !is_modern() && message.method == "notifications/initialized";
  if (!is_modern()) return;
  if (auto mirrors = wire::request_headers(codec_->version(), message.method, message.name))
    message.headers = std::move(*mirrors);
}

COMCP_DECL result<void> client_core::label(outgoing& message, detail::pending_entry const& e) const {
  auto const& c = *e.call;
  message.repeatable = c.repeatable || c.options.is_idempotent() || e.handshake;
  message.stateless = is_modern();
  if (!is_modern()) {
    if (!e.handshake) message.headers.emplace_back("MCP-Protocol-Version", codec_->version().text());
    return {};
  }
  auto mirrors = wire::request_headers(codec_->version(), message.method, message.name);
  if (!mirrors) return mirrors.error();
  message.headers = std::move(*mirrors);
  if (c.method != "tools/call") return {};
  auto arguments = mirrored(c);
  if (!arguments) return arguments.error();
  for (auto& header : *arguments) message.headers.push_back(std::move(header));
  return {};
}

// Specification: 2026-07-28, basic/transports/streamable-http#custom-headers-from-tool-parameters
COMCP_DECL result<wire::header_list> client_core::mirrored(detail::prepared_call const& c) const {
  std::vector<wire::param_header> given;
  auto const* wanted = &given;
  if (!c.options.input_schema().is_null()) {
    auto found = wire::find_param_headers(c.options.input_schema().view());
    if (!found) return found.error().with_code(make_error_code(errc::invalid_argument));
    given = std::move(*found);
  } else {
    auto const known = param_headers_.find(c.name);
    if (known == param_headers_.end()) return wire::header_list();
    wanted = &known->second;
  }
  if (wanted->empty()) return wire::header_list();
  auto text = c.params;
  auto const params = json::parse(pad(text));
  if (!params) return params.error();
  auto const arguments = params->view().find("arguments");
  return wire::param_headers(*wanted, arguments.value_or(json::view()));
}

COMCP_DECL void client_core::adopt_tools(list_tools_result& page) {
  if (!is_http_ || !is_modern()) return;
  auto const unusable = [this, &page](tool const& t) {
    auto wanted = wire::find_param_headers(t.input_schema.view());
    if (!wanted) {
      comcp::set_aside broken;
      broken.raw = t.raw;
      broken.reason = "the tool " + t.name + ": " + std::string(wanted.error().message());
      page.set_aside.push_back(std::move(broken));
      param_headers_.erase(t.name);
      return true;
    }
    if (wanted->empty()) {
      param_headers_.erase(t.name);
    } else {
      param_headers_.insert_or_assign(t.name, std::move(*wanted));
    }
    return false;
  };
  std::erase_if(page.tools, unusable);
}

// After a -32020: whether the tool is still there, and usable. Within the call's own bounds.
COMCP_DECL asio::awaitable<bool> client_core::list_again(detail::prepared_call const& c) {
  call_options bounds;
  bounds.timeout(c.options.timeout().value_or(options_.timeout_)).extend_on_progress(false).stop(c.options.stop());
  bounds.hard_timeout(hard_limit(c.options));
  std::optional<std::string> from;
  for (std::size_t pages = 0; pages < options_.limits_.pages(); ++pages) {
    detail::prepared_call again("tools/list", from ? args("cursor", *from).text() : std::string(), bounds);
    again.started = c.started;
    again.internal = true;
    again.repeatable = true;
    auto const asked = checks_ ? checks_->moment() : 0;
    auto const r = co_await round_trip(again);
    if (!r) co_return false;
    auto page = json::read<list_tools_result>(r->view());
    if (!page) co_return false;
    adopt_tools(*page);
    if (checks_) checks_->learn(r->view(), asked);
    for (auto const& t : page->tools) {
      if (t.name == c.name) co_return true;
    }
    if (!page->next_cursor || page->next_cursor == from) co_return false;
    from = page->next_cursor;
  }
  co_return false;
}

COMCP_DECL bool client_core::awaits(request_id id) const {
  auto const* const found = pending_.find(id);
  return found && (*found)->call && (*found)->sent;
}

// The server refused the message unread, so that it may go out again in the new session; a second time it may not.
COMCP_DECL void client_core::session_lost(request_id id, error why) {
  auto const hold = shared_from_this();
  constexpr unsigned most = 2;  // without one answer in between
  auto const* const found = id ? pending_.find(id) : nullptr;
  bool const hopeless = !restarting_ && (status_ != connection_status::ready || renewals_in_a_row_ >= most);
  if (found && (*found)->call) {
    if (hopeless) renewals_in_a_row_ = 0;  // for the next call to try again
    auto& e = **found;
    if (hopeless || e.handshake || std::exchange(e.renewed, true)) {
      end(id, std::move(why));
    } else {
      e.sent = false;
      deferred_.push_back(id);
    }
  }
  if (!hopeless) renew();
}

COMCP_DECL void client_core::renew() {
  if (restarting_ || closing_ || end_reason_ || status_ != connection_status::ready) return;
  restarting_ = true;
  resumed_ = false;
  renewal_due_ = false;
  ++renewals_in_a_row_;
  set_status(connection_status::connecting);
  spawn(renewal());
}

// Shared by all calls that met the lost session.
COMCP_DECL asio::awaitable<void> client_core::renewal() {
  auto const hold = shared_from_this();
  // The server is known: no probe. Should it have become a modern one, its answer to initialize says so.
  auto const before = std::exchange(options_.handshake_.prior, verdict());
  options_.handshake_.prior->date = std::chrono::system_clock::now();
  auto const version = codec_->version();
  begin_attempt();
  auto const done = co_await negotiate();
  options_.handshake_.prior = before;
  if (closing_ || end_reason_) co_return;
  restarting_ = false;
  if (!transport_open_) co_return lost(done ? error(errc::transport_failed, "lost while it was renewed") : done.error());
  if (!done) co_return renewal_failed(version, done.error());
  ++counters_.renewals;
  error why;
  restoring_ = &why;
  co_await after_handshake();
  restoring_ = nullptr;
  if (!std::exchange(restarting_, false)) co_return restored();
  lost(why);
}

// The connection is as it was: the next call tries again. Those that waited do not.
COMCP_DECL void client_core::renewal_failed(protocol_version before, error const& why) {
  if (before.era() == era::legacy) {
    codec_ = std::make_unique<wire::legacy>(before);
    renewal_due_ = is_http_;
  } else {
    auto const info = own_info();
    codec_ = std::make_unique<wire::modern>(before, options_.anonymous_ ? nullptr : &info, own_capabilities_text_);
  }
  set_status(connection_status::ready);
  auto const waiting = std::exchange(deferred_, {});
  for (auto const id : waiting) end(id, why);
  tell_restarted(why);
}

// The calls that waited for a restart or a new session go out.
COMCP_DECL void client_core::restored() {
  auto const waiting = std::exchange(deferred_, {});
  for (auto const id : waiting) {
    auto const* const entry = pending_.find(id);
    if (!entry) continue;
    if (auto const sent = transmit(**entry); !sent) end(id, sent.error());
  }
  tell_restarted(json::value());
}

// What is broken off may go out again under a new id only where the caller, or what it is, allows that.
COMCP_DECL bool client_core::may_repeat(detail::prepared_call const& c, error const& e) const {
  if (e.peer() || end_reason_ || closing_ || !(c.repeatable || c.options.is_idempotent())) return false;
  return restarting_ || (is_http_ && (e == errc::transport_failed || e == errc::idle_timeout));
}

COMCP_DECL std::optional<saved_session> client_core::session() const {
  if (!is_http_ || is_modern()) return {};
  saved_session s;
  s.id = transport_info().session_id;
  if (s.id.empty() || initialize_result_.is_null()) return {};
  s.initialize_result = initialize_result_.dump();
  return s;
}

COMCP_DECL bool client_core::adopt_resumed(negotiation& n) {
  auto const saved = restarting_ ? std::nullopt : transport_.resumed();
  if (!saved) return false;
  auto text = saved->initialize_result;
  auto const raw = json::parse(pad(text));
  auto const agreed = raw ? json::read<initialize_result>(raw->view()) : result<initialize_result>(error(errc::invalid_json));
  auto const named = agreed ? raw->view().find("protocolVersion") : std::nullopt;
  auto const version = named ? protocol_version::parse(named->get_string().value_or("")) : std::nullopt;
  if (!version || version->era() != era::legacy || saved->id.empty()) {
    settle_handshake(n, error(errc::invalid_argument, "not a session that client.session() gave"));
    return true;
  }
  codec_ = std::make_unique<wire::legacy>(*version);
  era_learned_ = std::chrono::system_clock::now();
  resumed_ = true;
  adopt_initialization(*agreed, *raw);
  settle_handshake(n, {});
  return true;
}

namespace detail {

COMCP_DECL std::string server_key(transport_info const& info) {
  return info.origin.empty() ? info.kind + ' ' + info.target : info.origin + ' ' + info.identity;
}

}  // namespace detail

COMCP_DECL void client_core::recall_era() {
  if (!options_.era_cache_ || options_.handshake_.prior) return;
  options_.handshake_.prior = options_.era_cache_->find(detail::server_key(transport_info()));
}

COMCP_DECL void client_core::forget_era() {
  options_.handshake_.prior.reset();
  if (options_.era_cache_) options_.era_cache_->forget(detail::server_key(transport_info()));
}

COMCP_DECL void client_core::remember_era() {
  if (!options_.era_cache_) return;
  auto learned = verdict();
  learned.authorization = transport_info().identity;
  options_.era_cache_->store(detail::server_key(transport_info()), std::move(learned));
}

}  // namespace comcp

// client/impl/core_inbound.ipp
// What the core does with each message that comes in. Nothing here waits.

namespace comcp {

COMCP_DECL void client_core::delivered(padded_text text, request_id stream) {
  auto const hold = shared_from_this();
  detail::overlap_guard::scope const alone(overlap_);
  ++counters_.messages_in;
  counters_.bytes_in += text.size();
  if (options_.tracer_) trace(direction::received, text.view());
  if (received_plainly(text)) return;
  auto m = jsonrpc::decode(text);
  if (m.kind == jsonrpc::message_kind::batch) return received_batch(text, stream);
  received(m, stream);
}

COMCP_DECL void client_core::received(jsonrpc::envelope& m, request_id stream) {
  switch (m.kind) {
    case jsonrpc::message_kind::response:
    case jsonrpc::message_kind::error: return received_answer(m, stream);
    case jsonrpc::message_kind::notification: return received_notification(m);
    case jsonrpc::message_kind::request:
      ++counters_.requests;
      // Before the verdict the server may be a legacy one that asks early.
      if (is_modern() && (status_ == connection_status::ready ||
                          options_.handshake_.mode == sansio::handshake_mode::pinned)) {
        ++counters_.dropped;
        return fault(error(errc::protocol_violation, "the server sent a request, which the modern era has not: " + m.method));
      }
      return dispatcher_.request(m);
    default: return received_bad(m);
  }
}

COMCP_DECL void client_core::received_batch(padded_text text, request_id stream) {
  auto const* const old = dynamic_cast<wire::legacy const*>(codec_.get());
  jsonrpc::envelope bad;
  if (!old || !old->has_batches()) {
    bad.reason = "a batch, which this protocol version has not";
    return received_bad(bad);
  }
  struct each final : json::member_sink {
    explicit each(client_core& c, request_id s) : core(c), from(s) {}
    bool on_member(std::string_view, std::string_view raw) override {
      texts.emplace_back(raw);
      return texts.size() < 10'000;
    }
    client_core& core;
    request_id from;
    std::vector<std::string> texts;
  } parts(*this, stream);
  auto const scanned = json::scan_array(text, parts);
  for (auto& part : parts.texts) {
    auto m = jsonrpc::decode(pad(part));
    if (m.kind == jsonrpc::message_kind::batch) m.reason = "a batch in a batch";
    received(m, stream);
    if (end_reason_) return;
  }
  if (!scanned) {
    bad.reason = std::string(scanned.error().message());
    received_bad(bad);
  }
}

COMCP_DECL detail::reply client_core::result_of(jsonrpc::envelope const& m) {
  if (m.kind == jsonrpc::message_kind::error) return jsonrpc::decode_error(m.error);
  auto parsed = json::parse(padded_text(m.result.data(), m.result.size()), options_.limits_.json());
  if (parsed) return std::move(*parsed);
  if (parsed.error() == errc::limit_exceeded) return parsed.error();
  return error(errc::protocol_violation, "the result cannot be read: " + std::string(parsed.error().message()));
}

// The result of a call that waits, written as nearly everyone writes it; false for all else. Parsing the result is
// what validates it: it is one value only if the rest of the message is what it looked like.
COMCP_DECL bool client_core::received_plainly(padded_text text) {
  auto const answer = jsonrpc::find_result(text.view());
  auto const* const found = answer ? pending_.find(answer->id) : nullptr;
  if (!found || !(*found)->call || !(*found)->sent) return false;
  detail::reply parsed = json::parse(padded_text(answer->result.data(), answer->result.size()), options_.limits_.json());
  if (!parsed) return false;
  received_reply(**found, std::move(parsed));
  return true;
}

COMCP_DECL void client_core::received_answer(jsonrpc::envelope& m, request_id stream) {
  auto const id = m.id.value_or(m.raw_id.empty() ? stream : 0);
  auto const* const found = id ? pending_.find(id) : nullptr;
  if (!found) {
    if (m.raw_id.empty()) {
      // No call owns it: an event of the whole connection.
      auto const e = m.kind == jsonrpc::message_kind::error ? jsonrpc::decode_error(m.error) : error(errc::protocol_violation);
      return fault(e);
    }
    if (pending_.was_used(id)) {
      ++counters_.late;
      return;
    }
  }
  if (!found || !(*found)->call || !(*found)->sent) {
    ++counters_.unknown;
    return fault(error(errc::protocol_violation, "an answer to a request that was never sent"));
  }
  received_reply(**found, result_of(m));
}

COMCP_DECL void client_core::received_reply(detail::pending_entry const& e, detail::reply&& r) {
  if (r && is_modern()) learn_server_info(*r);
  if (r) {
    if (!e.call->internal) restarts_in_a_row_ = renewals_in_a_row_ = 0;  // a handshake alone shows nothing: it may die of a call
    prior_unconfirmed_ = false;
  }
  end(e.id, std::move(r));
}

COMCP_DECL void client_core::learn_server_info(json::value const& result) {
  if (!server_info_.name.empty()) return;
  auto const meta = result.view().find("_meta");
  if (!meta) return;
  if (auto info = server_info_of(*meta)) server_info_ = std::move(*info);
}

COMCP_DECL void client_core::received_notification(jsonrpc::envelope& m) {
  ++counters_.notifications;
  json::value params;
  if (!m.params.empty()) {
    auto parsed = json::parse(padded_text(m.params.data(), m.params.size()), options_.limits_.json());
    if (!parsed) {
      m.reason = std::string(parsed.error().message());
      m.id.reset();
      return received_bad(m);
    }
    params = std::move(*parsed);
  }
  if (m.method == "notifications/progress") return received_progress(params);
  if (cache_) cache_->notified(m.method, params);
  if (m.method == "notifications/cancelled") {
    auto const which = params.view().find("requestId");
    if (!which) return;
    if (is_modern()) return subscriptions_.cancelled_by_server(*which);
    dispatcher_.withdraw(which->dump());
  }
  if (checks_ && m.method == "notifications/tools/list_changed") checks_->forget();
  if (is_modern() && subscriptions_.routed(m.method, params)) return;
  if (!is_modern()) subscriptions_.notified(m.method, params);
  dispatcher_.notification(std::move(m.method), std::move(params));
}

COMCP_DECL void client_core::received_progress(json::value const& params) {
  auto const token = params.view().find("progressToken");
  std::optional<std::uint64_t> id = token ? token->get_uint64() : std::nullopt;
  auto const* const found = id ? pending_.find(*id) : nullptr;
  if (!found || !(*found)->call) {
    ++counters_.dropped;
    return;
  }
  auto const& call_opts = (*found)->call->options;
  if (call_opts.extends_on_progress()) pending_.extend(*id, time_->now());
  arm();
  auto const on_progress = call_opts.on_progress();
  if (!on_progress) return;
  auto p = json::read<progress_notification>(params.view());
  if (!p) return fault(p.error());
  try {
    on_progress(*p);
  } catch (...) {
    fault(error(errc::invalid_argument, "a progress callback threw"));
  }
}

COMCP_DECL void client_core::received_bad(jsonrpc::envelope const& m) {
  ++counters_.bad_messages;
  if (m.id && pending_.find(*m.id) && (*pending_.find(*m.id))->sent) {
    return end(*m.id, error(errc::protocol_violation, "the answer cannot be read: " + m.reason));
  }
  fault(error(errc::protocol_violation, "an unusable message: " + m.reason));
  if (counters_.bad_messages - bad_before_ <= options_.limits_.bad_lines() || closing_) return;
  break_off(error(errc::protocol_violation, "more unusable messages than limits().bad_lines()"));
}

COMCP_DECL void client_core::stream_ended(request_id id, error why) {
  auto const hold = shared_from_this();
  auto const* const found = pending_.find(id);
  if (!found || !(*found)->call) return;
  auto const& c = *(*found)->call;
  // A wrong answer stays what it is: its code says that the outcome is open.
  bool const broken = why == errc::transport_failed || why == errc::response_timeout || why == errc::idle_timeout ||
                      why == errc::exchange_timeout;
  bool const unknown = broken && !c.repeatable && !c.options.is_idempotent() && !(*found)->handshake;
  end(id, unknown ? why.with_code(make_error_code(errc::outcome_unknown)) : why);
}

COMCP_DECL void client_core::fault(error e) {
  if (!options_.observer_.on_fault) return;
  try {
    options_.observer_.on_fault(e);
  } catch (...) {  // documented: dropped
  }
}

COMCP_DECL void client_core::trace(direction d, std::string_view message) {
  try {
    options_.tracer_(d, message);
  } catch (...) {
    fault(error(errc::invalid_argument, "a tracer threw"));
  }
}

COMCP_DECL std::optional<protocol_version> client_core::version() const noexcept {
  if (!codec_) return {};
  return codec_->version();
}

COMCP_DECL era_verdict client_core::verdict() const {
  era_verdict v;
  v.date = era_learned_;
  if (options_.handshake_.prior) v.authorization = options_.handshake_.prior->authorization;
  if (!is_modern()) return v;
  v.era = era::modern;
  v.discovered = discovered_;
  if (!discovered_) v.versions.push_back(codec_->version());
  else
    for (auto const& text : discovered_->supported_versions) {
      if (auto const known = protocol_version::parse(text)) v.versions.push_back(*known);
    }
  return v;
}

COMCP_DECL transport_info client_core::transport_info() const {
  return transport_ ? transport_.info() : last_info_;
}

COMCP_DECL statistics client_core::statistics() const {
  auto s = counters_;
  auto oldest = time_->now();
  pending_.each([&](detail::pending_entry const* e, std::chrono::steady_clock::time_point started) {
    if (!e->call || e->handshake) return;  // waits of our own, and what `tracked` does not count
    ++s.pending;
    oldest = std::min(oldest, started);
  });
  s.oldest_pending = time_->now() - oldest;
  auto const info = transport_info();
  s.messages_out = info.messages_out;
  s.bytes_out = info.bytes_out;
  return s;
}

}  // namespace comcp

// client/impl/core_intercept.ipp
// A call's way through the interceptors: in a coroutine of its own, so that a hook that hangs holds nobody longer than
// the call's hard timeout, its stop token, its caller's patience or close() allow.

#include <asio/this_coro.hpp>

namespace comcp {

/// Shared by who waits for the call and the coroutine that walks it through its interceptors.
struct client_core::interception {
  interception(detail::prepared_call c, detail::performer p) : call(std::move(c)), perform(std::move(p)) {
    done.survives = true;
    call.counted = true;
    out.method = call.method;
    out.name = call.name;
    out.params = json::fragment::trusted(call.params);
  }
  detail::pending_entry done;
  detail::prepared_call call;
  detail::performer perform;
  outgoing_call out;
  detail::reply outcome = error(errc::cancelled);
  std::size_t reached = 0;  // interceptors
  bool performed = false;
  asio::cancellation_signal signal;
};

COMCP_DECL asio::awaitable<detail::reply> client_core::intercept(detail::prepared_call c, detail::performer perform) {
  if (options_.interceptors_.empty() || c.internal) {
    auto work = perform(c);
    auto r = co_await std::move(work);
    co_return r;
  }
  if (end_reason_) co_return detail::reply(*end_reason_);
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled);
  auto const now = time_->now();
  auto const limit = hard_limit(c.options);
  auto const i = std::make_shared<interception>(std::move(c), std::move(perform));
  if (!enlist(i->done, now, limit, detail::later(now, limit), false))
    co_return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
  end_with(i->call.options.stop(), i->done);
  // Posted, so that nothing ends before the wait below has begun.
  auto start = [this, hold = shared_from_this(), i, work = std::make_shared<asio::awaitable<void>>(walk(i))] {
    detail::spawn(home_, std::move(*work), i->signal.slot(), i);
  };
  detail::post(home_, std::move(start));
  auto const waited = co_await wait(i->done);
  if (waited) co_return i->outcome;
  auto give_up = [i] { i->signal.emit(asio::cancellation_type::terminal); };
  detail::post(home_, std::move(give_up));
  if (i->performed && !i->outcome) co_return i->outcome;
  co_return waited.error() == errc::timeout ? error(errc::timeout, i->call.method) : waited.error();
}

COMCP_DECL asio::awaitable<void> client_core::walk(std::shared_ptr<interception> i) {
  auto const hold = shared_from_this();
  co_await ask_interceptors(i);
  co_await asio::this_coro::reset_cancellation_state();  // it would end the way back before its first step
  co_await tell_interceptors(i);
  end(i->done.id, json::value());
}

COMCP_DECL asio::awaitable<void> client_core::ask_interceptors(std::shared_ptr<interception> i) {
  try {
    for (auto const& each : options_.interceptors_) {
      ++i->reached;
      if (!each.before) continue;
      auto asked = each.before(i->out);
      auto answer = co_await std::move(asked);
      if (answer) i->outcome = std::move(*answer);
      if (answer || !i->done.id) co_return;  // an approval that comes too late sends nothing
    }
    i->call.params = i->out.params.text();
    auto work = i->perform(i->call);
    auto r = co_await std::move(work);
    i->performed = true;
    i->outcome = std::move(r);
  } catch (...) {
    i->outcome = detail::current_error();
  }
}

// The way back: whoever was asked is told, also of what was denied, cancelled or late.
COMCP_DECL asio::awaitable<void> client_core::tell_interceptors(std::shared_ptr<interception> i) {
  while (i->reached > 0) {
    auto const& each = options_.interceptors_[--i->reached];
    if (!each.after) continue;
    try {
      auto told = each.after(i->out, i->outcome);
      co_await std::move(told);
    } catch (...) {
      i->outcome = detail::current_error();
    }
    co_await asio::this_coro::reset_cancellation_state();
  }
}

}  // namespace comcp

// client/impl/core_rounds.ipp
// What a call may need beyond one round trip: input rounds (2026-07-28, basic/patterns/mrtr), one change of the
// version, one repetition after a restart, url elicitations of 2025-11-25.

namespace comcp {

/// The requests of one round, answered at once. Shared by the coroutines that answer.
struct client_core::round {
  detail::pending_entry done;
  std::map<std::string, std::string> answers;
  error failure;
  std::size_t open = 0;
  std::vector<std::unique_ptr<asio::cancellation_signal>> signals;
  std::vector<std::shared_ptr<bool>> cancelled;

  void cancel() {
    for (auto const& flag : cancelled) *flag = true;
    for (auto const& s : signals) s->emit(asio::cancellation_type::terminal);
  }
};

namespace detail {

// The original parameters with what a retry adds. Both texts are objects.
COMCP_DECL std::string with_answers(std::string_view params, std::string const& responses,
                                    std::optional<std::string> const& state) {
  json::writer w;
  if (!responses.empty()) w.plain_key("inputResponses").raw(responses);
  if (state) w.plain_key("requestState").string(*state);
  std::string out(params.size() > 2 ? params.substr(0, params.size() - 1) : "{");
  if (out.size() > 1 && !w.text().empty()) out += ',';
  return out + w.text() + "}";
}

COMCP_DECL std::string responses_text(std::map<std::string, std::string> const& answers) {
  json::writer w;
  w.begin_object();
  for (auto const& [key, text] : answers) w.key(key).raw(text);
  w.end_object();
  return std::move(w).text();
}

// A round that a caller takes over: the result, and the call that it belongs to.
COMCP_DECL json::value with_call(json::value const& required, prepared_call const& c, std::string const& params) {
  json::writer w;
  w.begin_object();
  for (auto const m : required.members()) {
    if (m.key != "comcp/call") w.key(m.key).value(m.value);  // the server's own would be found first
  }
  w.plain_key("comcp/call").begin_object().plain_key("method").string(c.method).plain_key("name").string(c.name);
  w.plain_key("params").raw(params.empty() ? "{}" : params).end_object().end_object();
  auto text = std::move(w).text();
  return json::parse(pad(text)).value();
}

}  // namespace detail

COMCP_DECL bool client_core::follow_version(error const& e) {
  auto const offered = sansio::modern_versions(e);
  if (!offered) return false;
  std::optional<protocol_version> best;
  for (auto const& text : *offered) {
    auto const v = protocol_version::parse(text);
    auto const& allowed = options_.handshake_.allowed;
    if (!v || v->era() != era::modern || std::find(allowed.begin(), allowed.end(), *v) == allowed.end()) continue;
    if (!best || *best < *v) best = v;
  }
  if (!best) return false;
  auto const info = own_info();
  codec_ = std::make_unique<wire::modern>(*best, options_.anonymous_ ? nullptr : &info, own_capabilities_text_);
  return true;
}

COMCP_DECL asio::awaitable<detail::reply> client_core::rounds(detail::prepared_call& c, detail::reply r) {
  using std::chrono::nanoseconds;
  auto const original = c.params;
  c.options.hard_timeout(hard_limit(c.options));  // said once: the timeout below shrinks
  auto const hard = detail::later(c.started, *c.options.hard_timeout());
  nanoseconds left = c.options.timeout().value_or(options_.timeout_);
  auto sent_at = c.started;
  c.options.extend_on_progress(c.options.extends_on_progress());
  bool followed = false, listed = false;
  unsigned repeats = 0;
  for (unsigned taken = 0;;) {
    if (!r) {
      auto const* const peer = r.error().peer();
      if (peer && !is_modern() && peer->code == -32042) {
        auto asked = co_await ask_urls(std::move(r), c.options.stop(), hard);
        co_return asked;
      }
      if (prior_unconfirmed_ && (peer || (is_http_ && sansio::is_legacy_refusal(r.error())))) {
        auto const repeat = co_await probe_again(c, r.error());
        if (!repeat) co_return repeat.error();
        if (!*repeat) co_return r;
        r = co_await round_trip(c);
        continue;
      }
      bool const other_version = peer && is_modern() && peer->code == -32022 && !followed;
      bool const again = may_repeat(c, r.error()) && ++repeats <= 3;
      bool const mismatch = peer && is_http_ && is_modern() && peer->code == -32020 && c.method == "tools/call";
      if (mismatch && !listed) {
        listed = true;
        c.options.forget_tool();
        auto const found = co_await list_again(c);
        if (!found) co_return r;
      } else if (other_version && follow_version(r.error())) {
        followed = true;
      } else if (other_version) {
        auto const list = sansio::modern_versions(r.error()).value_or(std::vector<std::string>());
        co_return detail::reply(
            error(errc::no_common_version, sansio::no_common_text(list, options_.handshake_.allowed)).with_peer(*peer));
      } else if (!again) {
        co_return r;
      }
      r = co_await round_trip(c);
      continue;
    }
    if (!is_modern()) co_return r;
    auto const kind = codec_->classify(c.method, r->view());
    if (!kind) co_return detail::reply(kind.error());
    if (*kind == wire::result_kind::complete) co_return r;
    if (c.options.is_manual_input()) co_return detail::reply(detail::with_call(*r, c, original));
    if (++taken > options_.limits_.input_rounds())
      co_return detail::reply(error(errc::limit_exceeded, "more input rounds than limits().input_rounds()"));
    auto required = json::read<input_required_result>(r->view());
    if (!required) co_return detail::reply(required.error().with_code(make_error_code(errc::protocol_violation)));
    if (auto const bad = check_round(*required)) co_return detail::reply(bad);
    left -= std::min(left, nanoseconds(time_->now() - sent_at));  // the clock stops while a handler answers
    auto state = required->request_state;
    auto answers = co_await answer_round(std::move(*required), c.options.stop(), hard);
    if (!answers) co_return detail::reply(answers.error());
    c.params = detail::with_answers(original, *answers, state);
    sent_at = time_->now();
    c.options.timeout(std::max(left, nanoseconds(1)));
    r = co_await round_trip(c);
  }
}

// A saved verdict may be out of date, which an error answer can be the sign of: the server is asked. True when the
// call is to go out again, in the other era; one that was refused unread did nothing yet.
COMCP_DECL asio::awaitable<result<bool>> client_core::probe_again(detail::prepared_call const& c, error refusal) {
  prior_unconfirmed_ = false;
  forget_era();
  auto const before = codec_->version();
  restarting_ = true;  // calls that begin now wait for what comes out
  begin_attempt();
  auto const done = co_await negotiate();
  restarting_ = false;
  if (closing_ || end_reason_) co_return end_reason_.value_or(error(errc::closed));
  if (!done) {
    if (!transport_open_) {
      lost(done.error());
      co_return done.error();
    }
    renewal_failed(before, done.error());
    co_return done.error();
  }
  co_await after_handshake();
  restored();
  auto const* const peer = refusal.peer();
  auto const status = refusal.detail() ? refusal.detail()->http_status.value_or(0) : 0;
  bool const unread = (status >= 400 && status < 500) || (peer && peer->code <= -32600 && peer->code >= -32602);
  co_return !is_modern() && (unread || c.repeatable || c.options.is_idempotent());
}

COMCP_DECL error client_core::check_round(input_required_result const& required) const {
  bool const asks = required.input_requests && !required.input_requests->empty();
  if (!asks && !required.request_state)
    return {errc::protocol_violation, "input_required with neither inputRequests nor requestState"};
  if (!asks) return {};
  for (auto const& [key, asked] : *required.input_requests) {
    bool declared = false;
    if (asked.method == "sampling/createMessage") declared = own_capabilities_.sampling.has_value();
    if (asked.method == "roots/list") declared = own_capabilities_.roots.has_value();
    if (asked.method == "elicitation/create") {
      auto const mode = asked.params.view().find("mode");
      bool const url = mode && mode->get_string() == "url";
      declared = url ? own_capabilities_.supports_elicitation_url() : own_capabilities_.supports_elicitation_form();
    }
    if (!declared)
      return {errc::protocol_violation, "the server asks for " + asked.method + ", which was not declared"};
  }
  return {};
}

COMCP_DECL asio::awaitable<void> client_core::answer_one(std::shared_ptr<round> r, std::string key,
                                                         input_request asked) {
  auto const hold = shared_from_this();
  auto ctx = dispatcher_.make_context(asked.method, asked.params);
  r->cancelled.push_back(ctx.cancelled_);
  result<json::fragment> answer = error(errc::cancelled);
  try {
    answer = co_await dispatcher_.answer(asked.method, asked.params, ctx);
  } catch (std::exception const&) {
    // A cancelled coroutine; its round has ended.
  }
  --r->open;
  if (!answer) {
    if (!r->failure) r->failure = answer.error();
  } else {
    r->answers.emplace(std::move(key), answer->text());
  }
  if (r->open == 0 || r->failure) end(r->done.id, json::value());
}

COMCP_DECL void client_core::start_answers(std::shared_ptr<round> const& r, input_required_result const& required) {
  r->open = required.input_requests->size();
  for (auto const& [key, asked] : *required.input_requests) {
    r->signals.push_back(std::make_unique<asio::cancellation_signal>());
    auto work = std::make_shared<asio::awaitable<void>>(answer_one(r, key, asked));
    auto* const signal = r->signals.back().get();
    // Posted: a handler that answers at once must not end the round before it is waited for.
    auto start = [this, hold = shared_from_this(), r, work, signal] {
      detail::spawn(home_, std::move(*work), signal->slot(), r);
    };
    detail::post(home_, std::move(start));
  }
}

COMCP_DECL asio::awaitable<result<std::string>> client_core::answer_round(input_required_result required,
                                                                          std::stop_token stop,
                                                                          std::chrono::steady_clock::time_point hard) {
  if (!required.input_requests || required.input_requests->empty()) co_return std::string();
  auto const r = std::make_shared<round>();
  auto const most = std::max(std::chrono::nanoseconds(hard - time_->now()), std::chrono::nanoseconds(1));
  if (!enlist(r->done, most)) co_return error(errc::queue_full, "too many calls in flight");
  end_with(stop, r->done);
  start_answers(r, required);
  auto const waited = co_await wait(r->done);
  if (waited && !r->failure) co_return detail::responses_text(r->answers);
  auto cancel_the_rest = [r] { r->cancel(); };
  detail::post(home_, std::move(cancel_the_rest));
  if (!waited) co_return waited.error();
  co_return r->failure.peer() ? r->failure.with_code(make_error_code(errc::input_refused)) : r->failure;
}

// One page after the other, each as a round of its own: bounded, and ended with the call.
COMCP_DECL asio::awaitable<detail::reply> client_core::ask_urls(detail::reply r, std::stop_token stop,
                                                                std::chrono::steady_clock::time_point hard) {
  auto const failure = r.error().with_code(make_error_code(errc::url_elicitation_required));
  auto const data = json::parse(r.error().peer()->data);
  auto const list = data ? data->find("elicitations") : std::nullopt;
  if (!list || !own_capabilities_.supports_elicitation_url()) co_return detail::reply(failure);
  for (auto const e : list->elements()) {
    input_request page;
    page.method = "elicitation/create";
    page.params = e.share();
    input_required_result one;
    one.input_requests.emplace().emplace("page", std::move(page));
    auto const answered = co_await answer_round(std::move(one), stop, hard);
    if (answered) continue;
    auto const& why = answered.error();
    bool const call_is_over = why == errc::cancelled || why == errc::closed || why == errc::timeout;
    if (call_is_over && !why.peer()) co_return detail::reply(why);
  }
  co_return detail::reply(failure);
}

COMCP_DECL asio::awaitable<json::value> client_core::resume_rounds(detail::prepared_call c, json::value required,
                                                                   json::fragment responses) {
  auto const hold = shared_from_this();
  auto const of = required.view().find("comcp/call");
  if (!of) throw exception(error(errc::invalid_argument, "not a value that manual_input() gave"));
  auto const text_at = [&of](std::string_view key) {
    auto const found = of->find(key);
    return found ? std::string(found->get_string().value_or("")) : std::string();
  };
  c.method = text_at("method");
  c.name = text_at("name");
  std::optional<std::string> state;
  if (auto const came = required.view().find("requestState")) state = std::string(came->get_string().value_or(""));
  auto const params = of->find("params");
  c.params = detail::with_answers(params ? params->dump() : "{}", responses.text(), state);
  auto v = co_await call(std::move(c));
  co_return v;
}

}  // namespace comcp

// client/impl/dispatcher.ipp

namespace comcp::detail {

COMCP_DECL context dispatcher::make_context(std::string method, json::value const& params) const {
  context ctx;
  ctx.core_ = core_.weak_from_this();
  ctx.validation_ = core_.validation();
  ctx.method_ = std::move(method);
  ctx.cancelled_ = std::make_shared<bool>(false);
  if (auto const meta = params.view().find("_meta")) {
    if (auto const token = meta->find("progressToken")) ctx.progress_token_ = token->dump();
  }
  return ctx;
}

COMCP_DECL void dispatcher::request(jsonrpc::envelope const& m) {
  std::string raw_id(m.raw_id);
  if (m.method == "ping") return core_.send_text(jsonrpc::response(raw_id, "{}"));
  if (running_.size() >= core_.limits().handlers_in_flight()) {
    ++core_.counters().dropped;
    return core_.send_text(jsonrpc::error_response(raw_id, {-32603, "Too many requests at once", {}}));
  }
  json::value params;
  if (!m.params.empty()) {
    auto parsed = json::parse(m.params, core_.limits().json());
    if (!parsed) return core_.send_text(jsonrpc::error_response(raw_id, {-32700, "Parse error", {}}));
    params = std::move(*parsed);
  }
  if (running_.contains(raw_id))
    return core_.send_text(jsonrpc::error_response(raw_id, {-32600, "This id is in use", {}}));
  auto const state = std::make_shared<running>();
  if (running_.empty()) core_.pause_clocks();
  running_.emplace(raw_id, state);
  auto work = serve(core_.shared_from_this(), raw_id, m.method, std::move(params), state);
  detail::spawn(core_.home(), std::move(work), state->signal.slot(), state);
}

COMCP_DECL asio::awaitable<void> dispatcher::serve(std::shared_ptr<client_core> hold, std::string raw_id,
                                                   std::string method, json::value params,
                                                   std::shared_ptr<running> state) {
  result<json::fragment> answered = error(errc::cancelled);
  try {
    auto ctx = make_context(method, params);
    ctx.cancelled_ = state->cancelled;
    answered = co_await answer(std::move(method), std::move(params), ctx);
  } catch (std::exception const&) {
    // Only a cancelled coroutine comes here: answer() turns what a handler throws into an error.
  }
  auto const found = running_.find(raw_id);
  if (found == running_.end() || found->second != state) co_return;  // withdrawn: nothing is answered
  running_.erase(found);
  if (running_.empty()) hold->resume_clocks();
  if (answered) {
    hold->send_text(jsonrpc::response(raw_id, answered->text()));
  } else if (auto const* const peer = answered.error().peer()) {
    hold->send_text(jsonrpc::error_response(raw_id, *peer));
  } else {
    hold->fault(answered.error());
    hold->send_text(jsonrpc::error_response(raw_id, {-32603, "Internal error", {}}));
  }
}

COMCP_DECL asio::awaitable<result<json::fragment>> dispatcher::answer(std::string method, json::value params,
                                                                      context& ctx) {
  if (!core_.handler().answers(method)) co_return method_not_found(method);
  try {
    if (auto const bad = check(method, params.view())) co_return bad;
    auto answered = co_await core_.handler().answer(method, params, ctx);
    co_return answered;
  } catch (exception const& e) {
    co_return e.error();
  } catch (std::system_error const& e) {
    if (ctx.cancelled()) co_return error(errc::cancelled);
    co_return error(e.code(), "a handler failed");
  } catch (std::exception const& e) {
    co_return error(errc::input_refused, std::string("a handler threw: ") + e.what());
  } catch (...) {
    co_return error(errc::input_refused, "a handler threw");
  }
}

// What the specification asks of every request, whoever answers it.
COMCP_DECL error dispatcher::check(std::string_view method, json::view request) const {
  auto const& own = core_.own_capabilities();
  auto const refused = [](char const* why) {
    return error::from_peer({-32602, std::string("Invalid params: ") + why, {}});
  };
  if (method == "elicitation/create") {
    auto const mode = request.find("mode");
    bool const form = !mode || mode->get_string() == "form";
    bool const declared = form ? own.supports_elicitation_form() : own.supports_elicitation_url();
    if (!declared || (mode && !form && mode->get_string() != "url")) return refused("this mode was not declared");
    auto const needed = request.find(form ? "requestedSchema" : "url");
    if (!needed || !(form ? needed->is_object() : needed->is_string()))
      return refused(form ? "no requestedSchema" : "no url");
  } else if (method == "sampling/createMessage" && (request.find("tools") || request.find("toolChoice"))) {
    if (!own.sampling || !own.sampling->tools) return refused("sampling.tools was not declared");
  }
  return {};
}

COMCP_DECL void dispatcher::withdraw(std::string const& raw_id) {
  auto const found = running_.find(raw_id);
  if (found == running_.end()) return;
  auto const state = found->second;
  running_.erase(found);
  if (running_.empty()) core_.resume_clocks();
  *state->cancelled = true;
  state->signal.emit(asio::cancellation_type::terminal);
}

COMCP_DECL void dispatcher::cancel_all() {
  auto const all = std::exchange(running_, {});
  notifications_.clear();
  if (!all.empty()) core_.resume_clocks();
  for (auto const& [id, state] : all) {
    *state->cancelled = true;
    state->signal.emit(asio::cancellation_type::terminal);
  }
}

COMCP_DECL void dispatcher::notification(std::string method, json::value params) {
  if (!core_.handler()) return;
  if (notifications_.size() >= core_.limits().queued_notifications()) {
    ++core_.counters().dropped;
    return core_.fault(error(errc::limit_exceeded, "a notification was dropped: limits().queued_notifications()"));
  }
  notifications_.push_back({std::move(method), std::move(params)});
  if (std::exchange(pumping_, true)) return;
  auto work = pump(core_.shared_from_this());
  detail::spawn(core_.home(), std::move(work));
}

COMCP_DECL asio::awaitable<void> dispatcher::pump(std::shared_ptr<client_core> hold) {
  while (!notifications_.empty()) {
    auto const next = std::move(notifications_.front());
    notifications_.pop_front();
    auto ctx = make_context(next.method, next.params);
    try {
      co_await hold->handler().notify(next.method, next.params, ctx);
    } catch (exception const& e) {
      hold->fault(e.error());
    } catch (std::exception const& e) {
      hold->fault(error(errc::invalid_argument, std::string("a notification handler threw: ") + e.what()));
    } catch (...) {
      hold->fault(error(errc::invalid_argument, "a notification handler threw"));
    }
  }
  pumping_ = false;
}

}  // namespace comcp::detail

// client/impl/subscribers.ipp
// Who subscribes to a resource and leaves again, alone or with others; what is shared is in subscriptions.ipp.

namespace comcp::detail {

COMCP_DECL void subscription_hub::forget(std::string const& uri,
                                         std::shared_ptr<updated_callback const> const& callback) {
  auto const found = resources_.find(uri);
  if (found == resources_.end()) return;
  std::erase(found->second.callbacks, callback);
  if (found->second.callbacks.empty()) resources_.erase(found);
}

// A subscriber from its first moment: it leaves again unless all went well.
struct subscription_hub::membership {
  membership(subscription_hub& h, std::string u, std::shared_ptr<updated_callback const> f)
      : hub(h), uri(std::move(u)), callback(std::move(f)) {
    hub.resources_[uri].callbacks.push_back(callback);
  }
  membership(membership const&) = delete;
  membership& operator=(membership const&) = delete;
  ~membership() {
    if (!stays) hub.forget(uri, callback);
  }
  subscription_hub& hub;
  std::string uri;
  std::shared_ptr<updated_callback const> callback;
  bool stays = false;
};

COMCP_DECL void subscription_hub::wake(std::vector<request_id>& line, error const& why) {
  for (auto const id : std::exchange(line, {})) core_.end(id, why ? reply(why) : reply(json::value()));
}

// Waits for what another does, as long as the call may; cancelling that stops only the waiting.
COMCP_DECL asio::awaitable<error> subscription_hub::wait_in(std::vector<request_id>& line, prepared_call const& c) {
  pending_entry e;
  e.survives = true;
  auto const now = core_.now();
  auto const timeout = c.options.timeout().value_or(core_.default_timeout());
  if (!core_.enlist(e, now, timeout, later(now, core_.hard_limit(c.options)), c.counted))
    co_return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
  core_.end_with(c.options.stop(), e);
  line.push_back(e.id);
  auto const waited = co_await core_.wait(e);
  if (waited) co_return error();
  if (waited.error() == errc::timeout) co_return error(errc::timeout, c.method);
  co_return waited.error();
}

// By way of the interceptors, which may deny and record it.
COMCP_DECL asio::awaitable<void> subscription_hub::ask(prepared_call c, performer how) {
  auto const performed = std::make_shared<bool>(false);
  performer marked = [performed, how = std::move(how)](prepared_call& call) {
    *performed = true;
    return how(call);
  };
  auto const r = co_await core_.intercept(std::move(c), std::move(marked));
  if (!r) throw exception(r.error());
  if (!*performed) throw exception(error(errc::invalid_argument, "an interceptor cannot answer a subscription"));
}

COMCP_DECL asio::awaitable<void> subscription_hub::subscribe(std::string uri, updated_callback f, call_options options) {
  auto const hold = core_.shared_from_this();
  auto const mine = std::make_shared<updated_callback const>(std::move(f));
  prepared_call c("resources/subscribe", args("uri", uri).text(), std::move(options));
  c.name = uri;
  performer how = [this, uri, mine](prepared_call& call) { return join(uri, mine, call); };
  co_await ask(std::move(c), std::move(how));
}

COMCP_DECL asio::awaitable<reply> subscription_hub::join(std::string uri, std::shared_ptr<updated_callback const> mine,
                                                         prepared_call& c) {
  bool const modern = core_.is_modern();
  error failure;
  if (core_.end_reason_) failure = *core_.end_reason_;
  else if (modern) failure = core_.check_subscribe(c.options);
  if (!failure && c.options.stop().stop_requested()) failure = error(errc::cancelled);
  if (failure) co_return failure;
  membership me(*this, uri, mine);
  if (modern) failure = co_await join_shared(uri, c);
  else failure = co_await join_legacy(uri, c);
  if (!failure) {
    me.stays = true;
    co_return json::value();
  }
  forget(uri, mine);
  if (modern) refresh_shared();
  co_return failure;
}

COMCP_DECL asio::awaitable<error> subscription_hub::join_shared(std::string uri, prepared_call& c) {
  // Posted: with nothing to do it would be over before the wait below has begun.
  auto begin = [this, weak = core_.weak_from_this()] {
    if (auto const core = weak.lock()) refresh_shared();
  };
  detail::post(core_.home(), std::move(begin));
  auto const timeout = c.options.timeout().value_or(core_.default_timeout());
  if (timeout > patience_.timeout().value_or(core_.default_timeout())) patience_.timeout(timeout);
  auto failure = co_await wait_in(waiting_, c);
  if (failure) co_return failure;
  if (shared_ && shared_->acknowledged.has_resource(uri)) co_return error();
  co_return error(errc::not_found, "the server did not acknowledge the subscription to " + uri);
}

// One asks for all that come meanwhile; if that goes wrong, the next one does.
COMCP_DECL asio::awaitable<error> subscription_hub::join_legacy(std::string uri, prepared_call& c) {
  for (;;) {
    auto& t = resources_[uri];
    if (t.confirmed) co_return error();
    if (!t.asking) break;
    auto failure = co_await wait_in(t.waiting, c);
    if (failure) co_return failure;
  }
  struct asking {
    asking(subscription_hub& h, std::string const& u) : hub(h), uri(u) { hub.resources_[uri].asking = true; }
    asking(asking const&) = delete;
    asking& operator=(asking const&) = delete;
    ~asking() { hub.answered(uri, well); }
    subscription_hub& hub;
    std::string const& uri;
    bool well = false;
  };
  asking now(*this, uri);
  auto const done = co_await core_.round_trip(c);
  now.well = done.has_value();
  if (done) co_return error();
  co_return done.error();
}

COMCP_DECL void subscription_hub::answered(std::string const& uri, bool well) {
  auto const found = resources_.find(uri);
  if (found == resources_.end()) return;
  found->second.asking = false;
  found->second.confirmed = well;
  auto line = std::exchange(found->second.waiting, {});
  wake(line, {});
}

COMCP_DECL asio::awaitable<void> subscription_hub::unsubscribe(std::string uri, call_options options) {
  auto const hold = core_.shared_from_this();
  if (core_.end_reason_) throw exception(*core_.end_reason_);
  if (!resources_.contains(uri)) throw exception(error(errc::not_found, "no subscription to " + uri));
  prepared_call c("resources/unsubscribe", args("uri", uri).text(), std::move(options));
  c.name = uri;
  performer how = [this, uri](prepared_call& call) { return leave(uri, call); };
  co_await ask(std::move(c), std::move(how));
}

COMCP_DECL asio::awaitable<reply> subscription_hub::leave(std::string uri, prepared_call& c) {
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled);
  auto const found = resources_.find(uri);
  if (found != resources_.end()) {
    auto line = std::move(found->second.waiting);
    resources_.erase(found);
    wake(line, error(errc::cancelled, "unsubscribed meanwhile"));
  }
  if (core_.is_modern()) {
    refresh_shared();
    co_return json::value();
  }
  auto r = co_await core_.round_trip(c);
  co_return r;
}

}  // namespace comcp::detail

// client/impl/subscriptions.ipp
#include <array>

namespace comcp::detail {

COMCP_DECL subscription_hub::~subscription_hub() = default;

COMCP_DECL subscription_filter subscription_hub::wanted() const {
  subscription_filter f;
  auto const& h = core_.handler();
  f.tools_list_changed = h.receives("notifications/tools/list_changed");
  f.prompts_list_changed = h.receives("notifications/prompts/list_changed");
  f.resources_list_changed = h.receives("notifications/resources/list_changed");
  if (core_.checks_ && core_.capabilities().supports_list_changed("tools")) f.tools_list_changed = true;
  for (auto const& w : watchers_) {
    if (w.kind == "tools") f.tools_list_changed = true;
    if (w.kind == "prompts") f.prompts_list_changed = true;
    if (w.kind == "resources") f.resources_list_changed = true;
  }
  for (auto const& [uri, t] : resources_) f.resource_subscriptions.push_back(uri);
  return f;
}

// All at once: calls that wait for a restart go out after them.
COMCP_DECL void subscription_hub::connected() {
  gap_ = false;
  tell_watchers();  // a new session, or another process: it may have other lists
  if (core_.is_modern()) return refresh_shared();
  auto const resources = resources_;
  for (auto const& [uri, t] : resources) {
    if (t.confirmed) core_.spawn(restore_legacy(uri));
  }
}

COMCP_DECL asio::awaitable<void> subscription_hub::restore_legacy(std::string uri) {
  auto const hold = core_.shared_from_this();
  prepared_call again("resources/subscribe", args("uri", uri).text(), {});
  again.internal = true;
  auto const done = co_await core_.round_trip(again);
  if (!done) core_.fault(done.error());
}

COMCP_DECL void subscription_hub::ended(error const& reason) {
  reopened_ = 0;
  auto const streams = streams_;
  shared_.reset();
  for (auto const& s : streams) {
    if (!s->ended) s->ended = reason;
    core_.end(s->entry.id, reason);  // by way of stream_over()
  }
  wake(waiting_, reason);
}

COMCP_DECL void subscription_hub::shut_down() noexcept {
  for (auto const& s : std::exchange(streams_, {})) {
    if (auto* const r = std::exchange(s->reader, nullptr)) r->destroy();
  }
}

COMCP_DECL void subscription_hub::wake(listen_stream& s) {
  if (auto* const r = std::exchange(s.reader, nullptr)) r->complete(true);
}

COMCP_DECL std::shared_ptr<listen_stream> subscription_hub::by_id(std::uint64_t id) const {
  for (auto const& s : streams_) {
    if (s->entry.id == id && id != 0) return s;
  }
  return {};
}

// Sends the listen request; its entry lives until the server or we end it.
COMCP_DECL void subscription_hub::open(std::shared_ptr<listen_stream> const& s) {
  if (s->call.params.empty()) s->call.params = args("notifications", s->asked).text();
  s->call.internal = true;
  s->entry.call = &s->call;
  s->entry.on_end = [this, hold = core_.weak_from_this(), weak = std::weak_ptr(s)](reply r) {
    auto const core = hold.lock();
    auto const alive = weak.lock();
    if (core && alive) stream_over(alive, std::move(r));
  };
  constexpr auto forever = std::chrono::nanoseconds::max();
  constexpr auto never = std::chrono::steady_clock::time_point::max();
  streams_.push_back(s);
  if (!core_.enlist(s->entry, core_.now(), forever, never, !s->independent)) return stream_over(s, error(errc::queue_full));
  ++core_.counters().tracked;
  if (auto const sent = core_.transmit(s->entry); !sent) core_.end(s->entry.id, sent.error());
}

COMCP_DECL void subscription_hub::stream_over(std::shared_ptr<listen_stream> const& s, reply r) {
  std::erase(streams_, s);
  if (!s->ended) s->ended = r ? error() : r.error();
  if (s->acknowledgment.id) core_.end(s->acknowledgment.id, r ? reply(error(errc::closed)) : std::move(r));
  wake(*s);
  if (shared_ != s) return;
  shared_.reset();
  if (core_.status() != connection_status::ready || !s->is_acknowledged) return;
  gap_ = true;
  // One that was silent for long was no failure: over HTTP an idle stream may be cut by whoever is on the way.
  if (core_.now() - s->acknowledged_at >= std::chrono::minutes(1)) reopened_ = 0;
  reopen_later();
}

// After 1 s, 2 s, 4 s ...: two minutes in all, in which a server may start again.
COMCP_DECL void subscription_hub::reopen_later() {
  constexpr unsigned most = 8;
  if (++reopened_ > most)
    return core_.fault(error(errc::transport_failed, "the stream of subscriptions breaks again and again: no more updates"));
  auto again = [](subscription_hub* self, std::shared_ptr<client_core> hold, unsigned tries) -> asio::awaitable<void> {
    bool const slept = co_await hold->sleep(std::chrono::seconds(std::min(1U << (tries - 1), 30U)));
    if (slept) self->refresh_shared();
  };
  core_.spawn(again(this, core_.shared_from_this(), reopened_));
}

COMCP_DECL asio::awaitable<error> subscription_hub::acknowledged(std::shared_ptr<listen_stream> s,
                                                                  call_options options) {
  if (s->is_acknowledged) co_return error();
  if (s->ended) co_return *s->ended ? *s->ended : error(errc::closed);
  auto const timeout = options.timeout().value_or(core_.default_timeout());
  if (!core_.enlist(s->acknowledgment, std::min(timeout, core_.hard_limit(options)))) co_return error(errc::queue_full);
  core_.end_with(options.stop(), s->acknowledgment);
  auto const waited = co_await core_.wait(s->acknowledgment);
  if (waited) co_return error();
  if (waited.error() == errc::timeout) co_return error(errc::timeout, "subscriptions/listen was not acknowledged");
  co_return waited.error();
}

COMCP_DECL bool subscription_hub::is_other_version(error const& e) {
  return e.peer() && e.peer()->code == -32022;
}

COMCP_DECL void subscription_hub::refresh_shared() {
  if (std::exchange(reconciling_, true)) return;
  core_.spawn(reconcile());
}

// Opens the stream that is wanted now, and ends the old one only after the new one is acknowledged.
COMCP_DECL asio::awaitable<void> subscription_hub::reconcile() {
  auto const hold = core_.shared_from_this();
  error failure;
  bool followed = false;
  for (;;) {
    auto const filter = wanted();
    auto const old = shared_;
    if (core_.end_reason_) {
      failure = *core_.end_reason_;
      break;
    }
    if (core_.status() != connection_status::ready) {
      reconciling_ = false;
      co_return;  // connected() or ended() sees to those who wait
    }
    if (old ? old->asked == filter : filter.empty()) break;
    if (filter.empty()) {
      shared_.reset();
      close(*old);
      break;
    }
    auto const fresh = std::make_shared<listen_stream>(filter);
    open(fresh);
    failure = co_await acknowledged(fresh, patience_);
    if (failure) {
      close(*fresh);
      if (is_other_version(failure) && !std::exchange(followed, true) && core_.follow_version(failure)) continue;
      break;
    }
    shared_ = fresh;
    if (std::exchange(gap_, false)) missed_changes();
    if (old) close(*old);
  }
  reconciling_ = false;
  patience_ = call_options();
  if (failure && !core_.end_reason_) {
    core_.fault(failure);
    if (reopened_ > 0 && !failure.peer()) reopen_later();
  }
  wake(waiting_, failure);
}

COMCP_DECL asio::awaitable<std::shared_ptr<listen_stream>> subscription_hub::listen(subscription_filter filter,
                                                                                    call_options options) {
  auto const hold = core_.shared_from_this();
  auto const s = std::make_shared<listen_stream>(std::move(filter));
  s->independent = true;
  prepared_call c("subscriptions/listen", args("notifications", s->asked).text(), std::move(options));
  performer how = [this, s](prepared_call& call) { return open_for(s, call); };
  try {
    co_await ask(std::move(c), std::move(how));
  } catch (...) {
    close(*s);
    throw;
  }
  co_return s;
}

COMCP_DECL asio::awaitable<reply> subscription_hub::open_for(std::shared_ptr<listen_stream> s, prepared_call& c) {
  if (auto const bad = core_.check(c)) co_return bad;
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled);
  s->call.params = c.params;
  s->call.options = c.options;
  s->call.options.extend_on_progress(false);
  open(s);
  auto failure = co_await acknowledged(s, c.options);
  if (is_other_version(failure) && core_.follow_version(failure)) {
    s->ended.reset();
    open(s);
    failure = co_await acknowledged(s, c.options);
  }
  if (!failure) co_return json::value();
  close(*s);
  co_return failure;
}

COMCP_DECL asio::awaitable<std::optional<any_notification>> subscription_hub::next(std::shared_ptr<listen_stream> s) {
  auto const hold = core_.shared_from_this();
  while (s->queue.empty()) {
    if (s->ended || s->reader) co_return std::nullopt;
    auto const stop = [weak = std::weak_ptr(s), home = core_.home()] {
      auto wake_up = [weak] {
        auto const alive = weak.lock();
        if (!alive) return;
        if (auto* const r = std::exchange(alive->reader, nullptr)) r->complete(false);
      };
      detail::post(home, std::move(wake_up));
    };
    auto woken = suspend<bool>(s->reader, stop);
    bool const more = co_await std::move(woken);
    if (!more) throw exception(error(errc::cancelled));
  }
  auto first = std::move(s->queue.front());
  s->queue.pop_front();
  co_return first;
}

COMCP_DECL void subscription_hub::close(listen_stream& s) {
  if (!s.ended) s.ended = error();
  if (s.entry.id) core_.cancel(s.entry.id);
}

COMCP_DECL std::uint64_t subscription_hub::watch(std::string kind, std::function<void()> f) {
  auto const handle = next_handle_++;
  watchers_.push_back({handle, std::move(kind), std::move(f)});
  if (core_.is_modern()) refresh_shared();
  return handle;
}

COMCP_DECL void subscription_hub::unwatch(std::uint64_t handle) {
  std::erase_if(watchers_, [handle](watcher const& w) { return w.handle == handle; });
  if (core_.is_modern() && core_.status() == connection_status::ready) refresh_shared();
}

COMCP_DECL bool subscription_hub::routed(std::string const& method, json::value const& params) {
  auto const meta = params.view().find("_meta");
  auto const id = meta ? subscription_id_of(*meta) : std::nullopt;
  if (!id) return method == "notifications/subscriptions/acknowledged";
  auto const s = id->integer() ? by_id(static_cast<std::uint64_t>(*id->integer())) : nullptr;
  if (!s) {
    ++core_.counters().dropped;
    return true;
  }
  if (method == "notifications/subscriptions/acknowledged") {
    auto ack = json::read<subscriptions_acknowledged>(params.view());
    if (ack) s->acknowledged = std::move(ack->notifications);
    s->is_acknowledged = true;
    s->acknowledged_at = core_.now();
    if (s->acknowledgment.id) core_.end(s->acknowledgment.id, json::value());
    return true;
  }
  reopened_ = 0;
  if (!s->independent) {
    notified(method, params);
    return false;
  }
  if (s->queue.size() >= core_.limits().subscription_queue()) {
    ++s->dropped;
    ++core_.counters().dropped;
  } else {
    s->queue.emplace_back(method, params);
  }
  wake(*s);
  return true;
}

inline constexpr std::array<char const*, 3> list_changes = {
    "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed"};

COMCP_DECL void subscription_hub::notified(std::string const& method, json::value const& params) {
  auto const guarded = [this](auto const& f) {
    try {
      f();
    } catch (...) {
      core_.fault(error(errc::invalid_argument, "a subscription callback threw"));
    }
  };
  if (method == "notifications/resources/updated") {
    auto const update = json::read<resource_updated>(params.view());
    if (!update) return core_.fault(update.error());
    auto const found = resources_.find(update->uri);
    if (found == resources_.end()) return;
    auto const callbacks = found->second.callbacks;
    for (auto const& f : callbacks) {
      if (*f) guarded([&] { (*f)(*update); });
    }
    return;
  }
  std::string_view const kind = method == "notifications/tools/list_changed"       ? "tools"
                                : method == "notifications/prompts/list_changed"   ? "prompts"
                                : method == "notifications/resources/list_changed" ? "resources"
                                                                                   : "";
  if (kind.empty()) return;
  auto const all = watchers_;
  for (auto const& w : all) {
    if (w.kind == kind) guarded(w.call);
  }
}

// There was no stream for a while: as though every list had changed.
COMCP_DECL void subscription_hub::missed_changes() {
  if (core_.checks_) core_.checks_->forget();
  for (auto const* const method : list_changes) {
    if (core_.cache_) core_.cache_->notified(method, json::value());
  }
  tell_watchers();
}

COMCP_DECL void subscription_hub::tell_watchers() {
  for (auto const* const method : list_changes) notified(method, json::value());
}

COMCP_DECL void subscription_hub::cancelled_by_server(json::view request) {
  auto const id = request.get_uint64();
  auto const s = id ? by_id(*id) : nullptr;
  if (s) core_.end(s->entry.id, error(errc::closed, "the server ended the subscription"));
}

}  // namespace comcp::detail
#endif

// client/listing.hpp
// A list that a server gave: all pages in one, with what was set aside. And the pager, which walks lazily.

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

// client/operation.hpp
// From a prepared call to a typed value: the coroutine behind every operation. Internal, but for as_result and
// all, which are users' tools.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/this_coro.hpp>

namespace comcp {
namespace detail {

inline error not_connected() { return {errc::closed, "this client is not connected"}; }
inline void require(std::shared_ptr<client_core> const& core) {
  if (!core) throw exception(not_connected());
}

/// An operation that ends with this error, so that even what is wrong from the start reaches whoever awaits it.
template <class T>
asio::awaitable<T> failed(error e) {
  (void)co_await asio::this_coro::executor;
  throw exception(std::move(e));
}

/// Decodes a result; one that manual_input() stopped keeps only its kind and its raw value.
template <class T>
T decode_result(json::value const& v, [[maybe_unused]] bool may_be_stopped = true) {
  if constexpr (requires(T& t) { t.result_type = std::string(); t.raw = v; }) {
    auto const kind = may_be_stopped ? v.view().find("resultType") : std::nullopt;
    if (kind && kind->get_string() == "input_required") {
      T stopped;
      stopped.result_type = "input_required";
      stopped.raw = v;
      return stopped;
    }
  }
  T out{};
  json::read_error e;
  if (!json::codec<T>::read(v.view(), out, e))
    throw exception(e.to_error().with_code(make_error_code(errc::protocol_violation)));
  return out;
}

/// Sees to it that no call is left in the table when its coroutine ends early.
struct withdrawal {
  explicit withdrawal(client_core& c) noexcept : core(c) {}
  withdrawal(withdrawal const&) = delete;
  withdrawal& operator=(withdrawal const&) = delete;
  ~withdrawal() {
    if (entry.id) core.withdraw(entry);
  }
  client_core& core;
  pending_entry entry;
};

// Plain functions, so that what they handle is not a part of every frame below: Asio recycles frames up to 1020 bytes.
bool start_call(client_core& core, prepared_call const& c, pending_entry& e, reply& outcome);
asio::awaitable<json::value> general_call(client_core& core, prepared_call& c);
asio::awaitable<json::value> settling(client_core& core, prepared_call& c, reply& first);

/// The call as a typed value. In the plain case it is one round trip on home without further coroutines.
template <class T>
asio::awaitable<T> typed_call(std::shared_ptr<client_core> core, prepared_call c) {
  require(core);
  auto const here = co_await asio::this_coro::executor;
  auto const state = co_await asio::this_coro::cancellation_state;
  reply r;
  if (core->is_plain(here, c.method) && state.cancelled() == asio::cancellation_type::none) {
    withdrawal call(*core);
    if (start_call(*core, c, call.entry, r)) {
      auto waiting = core->wait(call.entry);
      r = co_await std::move(waiting);
    }
    if (core->needs_settling(c, r)) {
      auto rest = settling(*core, c, r);
      r = co_await std::move(rest);
    }
  } else {
    auto all = general_call(*core, c);
    r = co_await std::move(all);
  }
  co_return decode_result<T>(r.value(), c.options.is_manual_input());
}

/// Runs work on the client's executor, wherever it is awaited.
template <class T>
asio::awaitable<T> on_home(std::shared_ptr<client_core> core, asio::awaitable<T> work) {
  auto const here = co_await asio::this_coro::executor;
  if (here == core->home()) {
    auto value = co_await std::move(work);
    co_return value;
  }
  std::optional<T> value;
  auto stored = store(std::move(work), value);
  co_await spawn_and_wait(core->home(), std::move(stored));
  co_return std::move(*value);
}

template <class T>
asio::awaitable<T> structured_call(std::shared_ptr<client_core> core, prepared_call c) {
  auto const r = co_await typed_call<call_tool_result>(std::move(core), std::move(c));
  r.or_throw();
  auto out = r.template structured<T>();
  co_return std::move(out).value();
}

template <class T>
asio::awaitable<T> resumed(std::shared_ptr<client_core> core, json::value required, json::fragment responses,
                           call_options options) {
  require(core);
  prepared_call c({}, {}, std::move(options));
  auto const v = co_await core->resume_rounds(std::move(c), std::move(required), std::move(responses));
  co_return decode_result<T>(v);
}

prepared_call tool_call(std::string_view name, json::fragment arguments, call_options options);

}  // namespace detail

/// Turns an operation that throws into one that gives a result.
template <class T>
asio::awaitable<result<T>> as_result(asio::awaitable<T> operation) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(operation);
      co_return result<void>();
    } else {
      auto value = co_await std::move(operation);
      co_return result<T>(std::move(value));
    }
  } catch (...) {
    co_return detail::current_error();
  }
}

/// The same for closed(), whose value is an error already.
inline asio::awaitable<error> as_result(asio::awaitable<error> operation) {
  try {
    auto reason = co_await std::move(operation);
    co_return reason;
  } catch (...) {
    co_return detail::current_error();
  }
}

namespace detail {
template <class T>
struct gathering {
  std::vector<result<T>> outcomes;
  std::size_t open = 0;
  waiter<bool>* waiting = nullptr;
  std::vector<std::unique_ptr<asio::cancellation_signal>> signals;
};

template <class T>
asio::awaitable<void> gather_one(std::shared_ptr<gathering<T>> g, std::size_t i, asio::awaitable<T> op) {
  auto outcome = co_await as_result(std::move(op));
  g->outcomes[i] = std::move(outcome);
  if (--g->open == 0 && g->waiting) std::exchange(g->waiting, nullptr)->complete(true);
}

template <class T>
void gather_start(std::shared_ptr<gathering<T>> const& g, asio::any_io_executor const& ex, std::size_t i,
                  asio::awaitable<T> op) {
  g->signals.push_back(std::make_unique<asio::cancellation_signal>());
  spawn(ex, gather_one(g, i, std::move(op)), g->signals.back()->slot(), g);
}
}  // namespace detail

/// Runs operations concurrently on this coroutine's executor; one failure cancels nobody, and cancelling the whole
/// cancels each. Results stand in the order of the operations.
template <class T>
asio::awaitable<std::vector<result<T>>> all(std::vector<asio::awaitable<T>> operations) {
  auto const ex = co_await asio::this_coro::executor;
  auto const g = std::make_shared<detail::gathering<T>>();
  g->outcomes.assign(operations.size(), result<T>(error(errc::cancelled)));
  g->open = operations.size();
  for (std::size_t i = 0; i < operations.size(); ++i) detail::gather_start(g, ex, i, std::move(operations[i]));
  if (g->open > 0) {
    auto const cancel = [weak = std::weak_ptr(g), ex] {
      auto emit = [weak] {
        auto const alive = weak.lock();
        if (!alive) return;
        for (auto const& s : alive->signals) s->emit(asio::cancellation_type::terminal);
      };
      detail::post(ex, std::move(emit));
    };
    auto finished = detail::suspend<bool>(g->waiting, cancel);
    co_await std::move(finished);
  }
  co_return std::move(g->outcomes);
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// client/impl/operation.ipp

namespace comcp::detail {

COMCP_DECL prepared_call tool_call(std::string_view name, json::fragment arguments, call_options options) {
  bool const object = arguments.empty() || arguments.text().front() == '{';
  // The arguments stand first, so that their own text can become the parameters'.
  std::string params = std::move(arguments).text();
  params.reserve(params.size() + name.size() + 32);
  if (params.empty()) {
    params += '{';
  } else {
    params.insert(0, std::string_view(R"({"arguments":)")) += ',';
  }
  params += std::string_view(R"("name":)");
  json::detail::append_string(params, name);
  params += '}';
  prepared_call c("tools/call", std::move(params), std::move(options));
  c.name = name;
  if (!object) c.unusable = error(errc::invalid_argument, "the arguments of a tool are an object");
  return c;
}

COMCP_DECL bool start_call(client_core& core, prepared_call const& c, pending_entry& e, reply& outcome) {
  auto const started = core.start(c, e);
  if (!started) outcome = started.error();
  return started.has_value();
}

COMCP_DECL asio::awaitable<json::value> general_call(client_core& core, prepared_call& c) {
  return core.call(std::move(c));
}

COMCP_DECL asio::awaitable<json::value> settling(client_core& core, prepared_call& c, reply& first) {
  return core.settle(std::move(c), std::move(first));
}

}  // namespace comcp::detail
#endif

// protocol/prompts.hpp
// Prompts: templates of messages that users choose. Spec: server/prompts.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

struct prompt_argument {
  prompt_argument() = default;

  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  bool required = false;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt_argument>) {
  using t = prompt_argument;
  return json::fields(json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), json::defaulted("required", &t::required),
                      json::rest(&t::raw));
}

struct prompt {
  prompt() = default;

  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<prompt_argument> arguments;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt>) {
  using t = prompt;
  return json::fields(json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), json::defaulted("arguments", &t::arguments),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_prompts_result {
  list_prompts_result() = default;

  std::vector<prompt> prompts;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_prompts_result>) {
  using t = list_prompts_result;
  return json::fields(json::field("resultType", &t::result_type), detail::definitions("prompts", &t::prompts),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The arguments of a prompt: strings by name.
using prompt_arguments = std::map<std::string, std::string>;

struct get_prompt_params {
  get_prompt_params() = default;
  explicit get_prompt_params(std::string prompt_name, prompt_arguments args = {})
      : name(std::move(prompt_name)), arguments(std::move(args)) {}

  std::string name;
  prompt_arguments arguments;
  std::optional<comcp::input_responses> input_responses;
  std::optional<std::string> request_state;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<get_prompt_params>) {
  using t = get_prompt_params;
  return json::fields(json::field("name", &t::name), json::defaulted("arguments", &t::arguments),
                      json::field("inputResponses", &t::input_responses),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct prompt_message {
  prompt_message() = default;
  prompt_message(comcp::role who, content_block piece) : role(who), content(std::move(piece)) {}

  comcp::role role = comcp::role::user;
  content_block content;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt_message>) {
  using t = prompt_message;
  return json::fields(json::field("role", &t::role), json::field("content", &t::content), json::rest(&t::raw));
}

struct get_prompt_result {
  get_prompt_result() = default;

  std::optional<std::string> description;
  std::vector<prompt_message> messages;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<get_prompt_result>) {
  using t = get_prompt_result;
  return json::fields(json::field("resultType", &t::result_type), json::field("description", &t::description),
                      json::field("messages", &t::messages), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

namespace comcp {

/// A whole list. One broken definition is set aside with its reason; the rest is here.
template <class T>
class listing {
 public:
  listing() = default;
  [[nodiscard]] auto begin() const noexcept { return items_.begin(); }
  [[nodiscard]] auto end() const noexcept { return items_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  [[nodiscard]] T const& operator[](std::size_t i) const noexcept { return items_[i]; }
  [[nodiscard]] std::vector<T> const& items() const& noexcept { return items_; }
  [[nodiscard]] std::vector<T> items() && noexcept { return std::move(items_); }
  [[nodiscard]] std::vector<comcp::set_aside> const& set_aside() const noexcept { return set_aside_; }
  /// The first with this name, or null.
  [[nodiscard]] T const* find(std::string_view name) const noexcept {
    for (auto const& item : items_) {
      if (item.name == name) return &item;
    }
    return nullptr;
  }

  void append(std::vector<T> items, std::vector<comcp::set_aside> aside) {
    if (items_.empty()) {
      items_ = std::move(items);
    } else {
      items_.insert(items_.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
    }
    set_aside_.insert(set_aside_.end(), aside.begin(), aside.end());
  }

 private:
  std::vector<T> items_;
  std::vector<comcp::set_aside> set_aside_;
};

namespace detail {

template <class T>
struct list_traits;
template <>
struct list_traits<tool> {
  using page = list_tools_result;
  static constexpr std::string_view method = "tools/list", kind = "tools";
  static auto& items(page& p) { return p.tools; }
};
template <>
struct list_traits<resource> {
  using page = list_resources_result;
  static constexpr std::string_view method = "resources/list", kind = "resources";
  static auto& items(page& p) { return p.resources; }
};
template <>
struct list_traits<resource_template> {
  using page = list_resource_templates_result;
  static constexpr std::string_view method = "resources/templates/list", kind = "resources";
  static auto& items(page& p) { return p.resource_templates; }
};
template <>
struct list_traits<prompt> {
  using page = list_prompts_result;
  static constexpr std::string_view method = "prompts/list", kind = "prompts";
  static auto& items(page& p) { return p.prompts; }
};

/// Tells the observer, on home.
inline void report_set_aside(std::shared_ptr<client_core> const& core, comcp::set_aside const& broken) {
  auto tell = [core, why = error(errc::wrong_shape, "a definition was set aside: " + broken.reason)] { core->fault(why); };
  detail::post(core->home(), std::move(tell));
}

/// One page, decoded. `of` is the uri of what is listed, where it is not the server's only list of its kind.
template <class T>
asio::awaitable<typename list_traits<T>::page> list_page(std::shared_ptr<client_core> core,
                                                         std::optional<std::string> from, call_options options,
                                                         std::string of = {}) {
  require(core);
  json::object asked;
  if (!of.empty()) asked.set("uri", of);
  if (from) asked.set("cursor", *from);
  std::string params = asked.text();
  if (params == "{}") params.clear();
  prepared_call c(std::string(list_traits<T>::method), std::move(params), std::move(options));
  c.repeatable = true;
  auto const v = co_await core->call(std::move(c));
  auto page = json::read<typename list_traits<T>::page>(v.view());
  if (!page) throw exception(page.error().with_code(make_error_code(errc::protocol_violation)));
  if constexpr (std::same_as<T, tool>) {
    if (core->is_http()) {
      auto const adopt = [](std::shared_ptr<client_core> self, list_tools_result* p) -> asio::awaitable<void> {
        self->adopt_tools(*p);
        co_return;
      };
      auto work = adopt(core, &*page);
      co_await core->run_on_home(std::move(work));
    }
  }
  for (auto const& broken : page->set_aside) report_set_aside(core, broken);
  co_return std::move(*page);
}

}  // namespace detail

/// Walks a list page by page, as far as the caller wants. Bounded by limits().pages() and items(); a cursor that
/// comes twice is errc::protocol_violation. One next() at a time.
template <class T>
class pager {
 public:
  using page_type = typename detail::list_traits<T>::page;

  pager(std::shared_ptr<client_core> core, call_options options, std::string of = {})
      : state_(std::make_shared<state>(std::move(core), std::move(options), std::move(of))) {}

  /// The next page, or nothing behind the last one.
  [[nodiscard]] asio::awaitable<std::optional<page_type>> next() { return step(state_); }

 private:
  struct state {
    state(std::shared_ptr<client_core> c, call_options o, std::string u)
        : core(std::move(c)), options(std::move(o)), of(std::move(u)) {}
    std::shared_ptr<client_core> core;
    call_options options;
    std::string of;
    std::optional<std::string> cursor;
    std::set<std::string> seen;
    std::size_t pages = 0, items = 0;
    bool done = false;
  };

  static asio::awaitable<std::optional<page_type>> step(std::shared_ptr<state> s) {
    if (s->done) co_return std::nullopt;
    auto const& limits = s->core->limits();
    if (++s->pages > limits.pages()) throw exception(error(errc::limit_exceeded, "more pages than limits().pages()"));
    auto page = co_await detail::list_page<T>(s->core, s->cursor, s->options, s->of);
    s->items += detail::list_traits<T>::items(page).size();
    if (s->items > limits.items()) throw exception(error(errc::limit_exceeded, "more items than limits().items()"));
    s->cursor = page.next_cursor;
    if (!s->cursor) {
      s->done = true;
    } else if (!s->seen.insert(*s->cursor).second) {
      throw exception(error(errc::protocol_violation, "the server gave one cursor twice"));
    }
    co_return std::optional<page_type>(std::move(page));
  }

  std::shared_ptr<state> state_;
};

namespace detail {

template <class T>
asio::awaitable<listing<T>> list_all(std::shared_ptr<client_core> core, call_options options) {
  require(core);
  auto const total = core->hard_limit(options);
  auto const end = later(core->now(), total);
  pager<T> pages(core, options);
  listing<T> all;
  bool inside = false;
  // Once: a cursor that the cache kept may be of a list that is no more.
  bool may_restart = core->has_cache() && options.cache() == cache_use::use;
  for (;;) {
    std::optional<typename list_traits<T>::page> page;
    bool lost = false;
    try {
      page = co_await pages.next();
    } catch (exception const& e) {
      lost = inside && may_restart && e.error().peer();
      if (!lost) throw;
    }
    if (lost) {
      may_restart = inside = false;
      pages = pager<T>(core, options);
      all = listing<T>();
      continue;
    }
    if (!page) co_return all;
    inside = true;
    all.append(std::move(list_traits<T>::items(*page)), std::move(page->set_aside));
    if (core->now() > end) throw exception(error(errc::timeout, "the list was not complete within the hard timeout"));
  }
}

}  // namespace detail

/// Keeps a list current: see client.watch_tools(). Stops with its last copy's destruction or stop().
class list_watch {
 public:
  list_watch() = default;
  explicit list_watch(std::function<void()> stop) : stop_(std::make_shared<stopper>(std::move(stop))) {}
  void stop() noexcept { stop_.reset(); }

 private:
  struct stopper {
    explicit stopper(std::function<void()> f) : call(std::move(f)) {}
    stopper(stopper const&) = delete;
    stopper& operator=(stopper const&) = delete;
    ~stopper() { call(); }
    std::function<void()> call;
  };
  std::shared_ptr<stopper> stop_;
};

namespace detail {

/// One refresh in flight, one trailing, debounced: after each change the listener gets the whole list.
template <class T>
struct list_watcher : std::enable_shared_from_this<list_watcher<T>> {
  using listener = std::function<void(result<listing<T>>)>;
  static constexpr std::chrono::milliseconds debounce{300};

  list_watcher(std::weak_ptr<client_core> c, listener f) : core(std::move(c)), call(std::move(f)) {}

  void changed() {
    dirty = true;
    auto const alive = core.lock();
    if (running || !alive || stopped) return;
    running = true;
    alive->spawn(refresh(this->shared_from_this(), alive));
  }

  static asio::awaitable<void> refresh(std::shared_ptr<list_watcher> self, std::shared_ptr<client_core> alive) {
    while (self->dirty && !self->stopped) {
      bool const slept = co_await alive->sleep(debounce);
      if (!slept || self->stopped) break;
      self->dirty = false;
      result<listing<T>> outcome = error(errc::closed);
      try {
        outcome = co_await list_all<T>(alive, call_options());
      } catch (exception const& e) {
        outcome = e.error();
      }
      if (self->stopped) break;
      try {
        self->call(std::move(outcome));
      } catch (...) {
        alive->fault(error(errc::invalid_argument, "a listener of a watched list threw"));
      }
    }
    self->running = false;
  }

  std::weak_ptr<client_core> core;
  listener call;
  bool dirty = false, running = false, stopped = false;
};

}  // namespace detail
}  // namespace comcp

// client/subscription.hpp
// What client.listen() gives: one stream of notifications of its own.

#include <memory>
#include <optional>

#include <asio/awaitable.hpp>

namespace comcp {

/// A listen stream (2026-07-28, basic/patterns/subscriptions). Move-only; destroying it ends it. Use it on the
/// client's executor. Unread notifications beyond limits().subscription_queue() are dropped and counted.
class subscription {
 public:
  subscription() = default;
  subscription(std::shared_ptr<client_core> core, std::shared_ptr<detail::listen_stream> s) noexcept
      : core_(std::move(core)), stream_(std::move(s)) {}
  subscription(subscription&&) noexcept = default;
  subscription& operator=(subscription&& other) noexcept {
    if (this != &other) {
      close();
      core_ = std::move(other.core_);
      stream_ = std::move(other.stream_);
    }
    return *this;
  }
  ~subscription() { close(); }

  /// The next notification, or nothing once the stream has ended and its queue is empty. One at a time. Errors:
  /// errc::closed after close(), and for an object that has no stream.
  [[nodiscard]] asio::awaitable<std::optional<any_notification>> next() {
    if (!stream_) return detail::failed<std::optional<any_notification>>(no_stream());
    return core_->subscriptions().next(stream_);
  }
  /// What the server agreed to send. Throws as next() does.
  [[nodiscard]] subscription_filter const& acknowledged() const { return stream().acknowledged; }
  [[nodiscard]] std::uint64_t dropped() const { return stream().dropped; }
  /// Set once the stream has ended: an empty error for a graceful end, else the reason.
  [[nodiscard]] std::optional<error> closed() const { return stream_ ? stream_->ended : std::optional(error(errc::closed)); }
  void close() noexcept {
    if (core_ && stream_ && !stream_->ended) core_->subscriptions().close(*stream_);
    stream_.reset();
  }

 private:
  static error no_stream() { return {errc::closed, "this subscription has no stream, or was closed"}; }
  [[nodiscard]] detail::listen_stream const& stream() const {
    if (!stream_) throw exception(no_stream());
    return *stream_;
  }

  std::shared_ptr<client_core> core_;
  std::shared_ptr<detail::listen_stream> stream_;
};

}  // namespace comcp

// protocol/completion.hpp
// Completion of the arguments of prompts and resource templates. Spec: server/utilities/completion.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace comcp {

struct prompt_reference {
  static constexpr std::string_view kind = "ref/prompt";
  prompt_reference() = default;
  explicit prompt_reference(std::string prompt_name) : name(std::move(prompt_name)) {}

  std::string name;
  std::optional<std::string> title;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt_reference>) {
  using t = prompt_reference;
  return json::fields(json::tag("type", t::kind), json::field("name", &t::name), json::field("title", &t::title),
                      json::rest(&t::raw));
}

struct resource_template_reference {
  static constexpr std::string_view kind = "ref/resource";
  resource_template_reference() = default;
  explicit resource_template_reference(std::string pattern) : uri(std::move(pattern)) {}

  std::string uri;  ///< A uri or a uri template.
  json::value raw;
};
constexpr auto describe(std::type_identity<resource_template_reference>) {
  using t = resource_template_reference;
  return json::fields(json::tag("type", t::kind), json::field("uri", &t::uri), json::rest(&t::raw));
}

using completion_reference = std::variant<prompt_reference, resource_template_reference>;

template <>
struct json::codec<completion_reference> {
  static bool read(view v, completion_reference& out, read_error& e) {
    auto const type = v.find("type");
    if (!v.is_object()) return e.expected(v, "object");
    if (!type) return e.missing(v, "type");
    if (type->get_string() == prompt_reference::kind)
      return codec<prompt_reference>::read(v, out.emplace<prompt_reference>(), e);
    return codec<resource_template_reference>::read(v, out.emplace<resource_template_reference>(), e);
  }
  static void write(writer& w, completion_reference const& ref) {
    std::visit([&](auto const& r) { json::write(w, r); }, ref);
  }
};

/// The argument that is being typed, and what is typed of it so far.
struct completion_argument {
  completion_argument() = default;
  completion_argument(std::string its_name, std::string so_far) : name(std::move(its_name)), value(std::move(so_far)) {}

  std::string name;
  std::string value;
  json::value raw;
};
constexpr auto describe(std::type_identity<completion_argument>) {
  using t = completion_argument;
  return json::fields(json::field("name", &t::name), json::field("value", &t::value), json::rest(&t::raw));
}

/// What is known already (from 2025-06-18 on).
struct completion_context {
  completion_context() = default;
  explicit completion_context(std::map<std::string, std::string> args) : arguments(std::move(args)) {}

  std::map<std::string, std::string> arguments;
  json::value raw;
};
constexpr auto describe(std::type_identity<completion_context>) {
  using t = completion_context;
  return json::fields(json::defaulted("arguments", &t::arguments), json::rest(&t::raw));
}

struct complete_params {
  complete_params() = default;
  complete_params(completion_reference what, completion_argument typed)
      : ref(std::move(what)), argument(std::move(typed)) {}

  completion_reference ref;
  completion_argument argument;
  std::optional<completion_context> context;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<complete_params>) {
  using t = complete_params;
  return json::fields(json::field("ref", &t::ref), json::field("argument", &t::argument),
                      json::field("context", &t::context), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Suggestions, best first; at most 100.
struct completion {
  completion() = default;
  explicit completion(std::vector<std::string> all) : values(std::move(all)) {}

  std::vector<std::string> values;
  std::optional<std::int64_t> total;
  std::optional<bool> has_more;
  json::value raw;
};
constexpr auto describe(std::type_identity<completion>) {
  using t = completion;
  return json::fields(json::field("values", &t::values), json::field("total", &t::total),
                      json::field("hasMore", &t::has_more), json::rest(&t::raw));
}

struct complete_result {
  complete_result() = default;
  explicit complete_result(comcp::completion found) : completion(std::move(found)) {}

  comcp::completion completion;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  [[nodiscard]] std::vector<std::string> const& values() const noexcept { return completion.values; }
};
constexpr auto describe(std::type_identity<complete_result>) {
  using t = complete_result;
  return json::fields(json::field("resultType", &t::result_type), json::field("completion", &t::completion),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

namespace comcp {
namespace detail {
struct client_access;
}

/// A connection to one MCP server. Move-only; destroying it is abrupt (pending calls end with errc::closed, a
/// server process is killed and reaped), close() is graceful.
///
/// Operations return asio::awaitable<T>, may be started, stored and awaited on any executor, and resume there. They
/// throw comcp::exception; co_await as_result(op) gives a result<T> instead. Their arguments are copied or encoded
/// before they return. Everything else is to be called on the client's executor.
class client {
 public:
  client() = default;  ///< Not connected: every operation fails with errc::closed.
  explicit client(std::shared_ptr<client_core> core, bool owner = true) noexcept
      : core_(std::move(core)), owner_(owner) {}
  client(client&& other) noexcept : core_(std::move(other.core_)), owner_(std::exchange(other.owner_, false)) {}
  client& operator=(client&& other) noexcept;
  ~client();

  // Server features. Specification: server/tools, server/resources, server/prompts, server/utilities/*.

  /// All tools, every page of them.
  [[nodiscard]] asio::awaitable<listing<tool>> list_tools(call_options options = call_options()) const;
  [[nodiscard]] asio::awaitable<listing<resource>> list_resources(call_options options = call_options()) const;
  [[nodiscard]] asio::awaitable<listing<resource_template>> list_resource_templates(
      call_options options = call_options()) const;
  [[nodiscard]] asio::awaitable<listing<prompt>> list_prompts(call_options options = call_options()) const;

  /// One page; an empty string is a cursor too.
  [[nodiscard]] asio::awaitable<list_tools_result> list_tools_page(std::optional<std::string> from = {},
                                                                   call_options options = call_options()) const;
  [[nodiscard]] asio::awaitable<list_resources_result> list_resources_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;
  [[nodiscard]] asio::awaitable<list_resource_templates_result> list_resource_templates_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;
  [[nodiscard]] asio::awaitable<list_prompts_result> list_prompts_page(std::optional<std::string> from = {},
                                                                       call_options options = call_options()) const;

  /// Walks lazily: pages<tool>(), pages<resource>(), pages<resource_template>(), pages<prompt>().
  template <class T>
  [[nodiscard]] pager<T> pages(call_options options = call_options()) const {
    return pager<T>(core(), std::move(options));
  }

  /// Calls a tool. A result with is_error set is a value: or_throw() on it where that is wanted.
  [[nodiscard]] asio::awaitable<call_tool_result> call_tool(std::string_view name,
                                                            json::fragment arguments = json::fragment(),
                                                            call_options options = call_options()) const;
  /// The same, typed: `in` is any writable, Out any readable of the structured content. A tool's error is
  /// errc::tool_failed.
  template <json::readable Out, json::writable In>
  [[nodiscard]] asio::awaitable<Out> call_tool(std::string_view name, In const& in,
                                               call_options options = call_options()) const;

  [[nodiscard]] asio::awaitable<read_resource_result> read_resource(std::string_view uri,
                                                                    call_options options = call_options()) const;
  /// Expands the template (RFC 6570) and reads that. Errors: invalid_argument for a bad template.
  [[nodiscard]] asio::awaitable<read_resource_result> read_resource(resource_template const& t,
                                                                    json::fragment const& variables,
                                                                    call_options options = call_options()) const;
  [[nodiscard]] asio::awaitable<get_prompt_result> get_prompt(std::string_view name,
                                                              json::fragment arguments = json::fragment(),
                                                              call_options options = call_options()) const;
  [[nodiscard]] asio::awaitable<complete_result> complete(complete_params const& what,
                                                          call_options options = call_options()) const;

  /// Legacy: logging/setLevel. Modern: the level that each later request asks for.
  [[nodiscard]] asio::awaitable<void> set_log_level(log_level level, call_options options = call_options()) const;
  /// Legacy only; keep-alive uses server/discover in the modern era.
  [[nodiscard]] asio::awaitable<void> ping(call_options options = call_options()) const;
  /// Modern only.
  [[nodiscard]] asio::awaitable<discover_result> discover(call_options options = call_options()) const;

  /// Calls `f` at each update of the resource. Completes when the server has acknowledged it, which the options'
  /// timeouts and stop token bound. Several local subscribers of one uri share one subscription on the wire (in the
  /// modern era one for all uris, which carries nobody's `_meta`).
  [[nodiscard]] asio::awaitable<void> subscribe(std::string_view uri, updated_callback f = updated_callback(),
                                                call_options options = call_options()) const;
  /// Ends all local subscriptions to this uri; in the modern era without waiting for the server.
  [[nodiscard]] asio::awaitable<void> unsubscribe(std::string_view uri, call_options options = call_options()) const;
  /// Modern only: a stream of its own. The options' timeouts and stop token bound its beginning, not its life.
  [[nodiscard]] asio::awaitable<subscription> listen(subscription_filter filter,
                                                     call_options options = call_options()) const;

  /// Gives `f` the whole list after each change (one refresh in flight, one trailing, 300 ms debounce), until the
  /// returned handle is destroyed.
  [[nodiscard]] list_watch watch_tools(std::function<void(result<listing<tool>>)> f) const;
  [[nodiscard]] list_watch watch_resources(std::function<void(result<listing<resource>>)> f) const;
  [[nodiscard]] list_watch watch_prompts(std::function<void(result<listing<prompt>>)> f) const;

  /// Any request, such as a vendor's; `params` is an object or absent.
  [[nodiscard]] asio::awaitable<json::value> request(std::string_view method, json::fragment params = json::fragment(),
                                                     call_options options = call_options()) const;
  /// Any notification. Not sent (and no error) once the connection is closed.
  [[nodiscard]] asio::awaitable<void> notify(std::string_view method, json::fragment params = json::fragment()) const;
  /// Tells the server that the roots changed, where the era has that.
  [[nodiscard]] asio::awaitable<void> notify_roots_changed() const;

  /// Goes on with a call that manual_input() stopped: `required` is the `raw` of its result, `responses` an object
  /// with an answer for each key of its inputRequests.
  template <json::readable Result>
  [[nodiscard]] asio::awaitable<Result> resume(json::value required, json::fragment responses,
                                               call_options options = call_options()) const;

  // The connection.

  /// Graceful and bounded; cancelling it stops only the waiting. Twice is fine.
  [[nodiscard]] asio::awaitable<void> close() const;
  /// Ends the connection gracefully and begins a new one at once, as after a crash: what is under way ends with
  /// outcome_unknown, what begins meanwhile waits; handshake, log level and subscriptions are repeated. Completes when
  /// that is ready; throws what it failed with, and then the restart policy decides whether it is tried again (without one
  /// the client has ended). Ends a restart's wait, too. Cancelling it stops only the waiting.
  [[nodiscard]] asio::awaitable<void> restart() const;
  /// Waits for the end and gives its reason.
  [[nodiscard]] asio::awaitable<error> closed() const;

  [[nodiscard]] connection_status status() const noexcept;
  void on_status(std::function<void(connection_status)> listener) const;
  [[nodiscard]] implementation const& server_info() const;
  [[nodiscard]] server_capabilities const& capabilities() const;
  [[nodiscard]] std::string const& instructions() const;
  [[nodiscard]] comcp::protocol_version protocol_version() const;
  [[nodiscard]] comcp::era era() const { return protocol_version().era(); }
  /// What a later connection can be given as connect_options().prior().
  [[nodiscard]] era_verdict verdict() const;
  [[nodiscard]] comcp::transport_info transport_info() const;
  /// Legacy era over HTTP: the session, for http_options().resume() in this process or another. Nothing where the server
  /// gave none. Its id is a secret. Leave such a client by destroying it: close() ends the session.
  [[nodiscard]] std::optional<saved_session> session() const;
  [[nodiscard]] comcp::statistics statistics() const;
  [[nodiscard]] asio::any_io_executor get_executor() const;

 private:
  friend struct detail::client_access;
  [[nodiscard]] std::shared_ptr<client_core> const& core() const;

  std::shared_ptr<client_core> core_;
  bool owner_ = false;
};

namespace detail {
/// For what is built upon clients. Internal.
struct client_access {
  static std::shared_ptr<client_core> const& core(client const& c) noexcept { return c.core_; }
};
}  // namespace detail

/// A client that knows the type of its handler. Converts to comcp::client by moving.
template <class Transport, class Handler>
class basic_client : public client {
 public:
  using transport_type = Transport;
  using handler_type = Handler;

  basic_client() = default;
  basic_client(std::shared_ptr<client_core> core, std::shared_ptr<Handler> h)
      : client(std::move(core)), handler_(std::move(h)) {}

  /// The handler; touch it on the client's executor.
  [[nodiscard]] Handler& handler() const noexcept { return *handler_; }

 private:
  std::shared_ptr<Handler> handler_;
};

/// Opens the transport, finds out what the server speaks, and returns a client that is ready. Throws; no process,
/// socket or coroutine is left behind then. Cancelling it closes.
template <transport Transport, handler Handler = no_handler>
asio::awaitable<basic_client<Transport, Handler>> connect(Transport transport, Handler handler = Handler(),
                                                          connect_options options = connect_options()) {
  auto const shared = std::make_shared<Handler>(std::move(handler));
  any_transport erased(std::move(transport));
  any_handler asked(shared);
  auto core = co_await client_core::connect(std::move(erased), std::move(asked), std::move(options));
  co_return basic_client<Transport, Handler>(std::move(core), shared);
}
template <transport Transport>
asio::awaitable<basic_client<Transport, no_handler>> connect(Transport transport, connect_options options) {
  return connect(std::move(transport), no_handler(), std::move(options));
}

template <json::readable Out, json::writable In>
asio::awaitable<Out> client::call_tool(std::string_view name, In const& in, call_options options) const {
  auto prepared = detail::tool_call(name, json::fragment::of(in), std::move(options));
  return detail::structured_call<Out>(core_, std::move(prepared));
}

template <json::readable Result>
asio::awaitable<Result> client::resume(json::value required, json::fragment responses, call_options options) const {
  return detail::resumed<Result>(core_, std::move(required), std::move(responses), std::move(options));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// client/impl/client.ipp

namespace comcp {
namespace detail {

// Parameters of the untyped operations: an object, whose `_meta` is the options' business.
COMCP_DECL error check_params(json::fragment const& params) {
  if (params.empty()) return {};
  auto const parsed = json::parse(params.text());
  if (!parsed || !parsed->is_object()) return {errc::invalid_argument, "params are not an object"};
  if (parsed->contains("_meta")) return {errc::invalid_argument, "params hold _meta: use call_options().meta()"};
  return {};
}

COMCP_DECL asio::awaitable<void> done_call(std::shared_ptr<client_core> core, prepared_call c) {
  require(core);
  (void)co_await core->call(std::move(c));
}

COMCP_DECL asio::awaitable<read_resource_result> read_call(std::shared_ptr<client_core> core, prepared_call c) {
  try {
    auto r = co_await typed_call<read_resource_result>(std::move(core), std::move(c));
    co_return r;
  } catch (exception const& e) {
    // Both mean that there is no such resource (2026-07-28, server/resources, error handling).
    auto const* const peer = e.error().peer();
    if (peer && (peer->code == -32002 || peer->code == -32602))
      throw exception(e.error().with_code(make_error_code(errc::not_found)));
    throw;
  }
}

COMCP_DECL asio::awaitable<void> set_level_at_home(std::shared_ptr<client_core> core, log_level level,
                                                   call_options options) {
  if (!core->is_modern()) {
    prepared_call c("logging/setLevel", args("level", enum_text(level)).text(), std::move(options));
    (void)co_await core->call(std::move(c));
  }
  core->set_log_level(level);
}

COMCP_DECL asio::awaitable<void> set_level(std::shared_ptr<client_core> core, log_level level, call_options options) {
  require(core);
  auto work = set_level_at_home(core, level, std::move(options));
  co_await core->run_on_home(std::move(work));
}

COMCP_DECL asio::awaitable<void> subscribe_on_home(std::shared_ptr<client_core> core, std::string uri,
                                                   updated_callback f, call_options options) {
  require(core);
  auto work = core->subscriptions().subscribe(std::move(uri), std::move(f), std::move(options));
  co_await core->run_on_home(std::move(work));
}

COMCP_DECL asio::awaitable<void> unsubscribe_on_home(std::shared_ptr<client_core> core, std::string uri,
                                                     call_options options) {
  require(core);
  auto work = core->subscriptions().unsubscribe(std::move(uri), std::move(options));
  co_await core->run_on_home(std::move(work));
}

COMCP_DECL asio::awaitable<subscription> listen_call(std::shared_ptr<client_core> core, subscription_filter filter,
                                                     call_options options) {
  require(core);
  auto work = core->subscriptions().listen(std::move(filter), std::move(options));
  auto stream = co_await on_home(core, std::move(work));
  co_return subscription(core, std::move(stream));
}

COMCP_DECL asio::awaitable<void> notify_call(std::shared_ptr<client_core> core, std::string method, json::fragment params) {
  require(core);
  auto const send = [](std::shared_ptr<client_core> c, std::string m, json::fragment p) -> asio::awaitable<void> {
    c->notify(m, p.text());
    co_return;
  };
  auto work = send(core, std::move(method), std::move(params));
  co_await core->run_on_home(std::move(work));
}

COMCP_DECL asio::awaitable<void> restart_call(std::shared_ptr<client_core> core) {
  require(core);
  auto work = core->reconnect(error(errc::transport_failed, "the connection is begun anew"));
  co_await core->run_on_home(std::move(work));
}

COMCP_DECL asio::awaitable<error> closed_call(std::shared_ptr<client_core> core) {
  require(core);
  auto work = core->closed();
  auto reason = co_await on_home(core, std::move(work));
  co_return reason;
}

template <class T>
list_watch watch_list(std::shared_ptr<client_core> const& core, typename list_watcher<T>::listener f) {
  auto const watcher = std::make_shared<list_watcher<T>>(core, std::move(f));
  auto const handle = core->subscriptions().watch(std::string(list_traits<T>::kind), [watcher] { watcher->changed(); });
  return list_watch([watcher, handle, weak = std::weak_ptr(core)] {
    watcher->stopped = true;
    if (auto const alive = weak.lock()) alive->subscriptions().unwatch(handle);
  });
}

}  // namespace detail

COMCP_DECL client& client::operator=(client&& other) noexcept {
  if (this == &other) return *this;
  if (owner_ && core_) core_->abandon();
  core_ = std::move(other.core_);
  owner_ = std::exchange(other.owner_, false);
  return *this;
}

COMCP_DECL client::~client() {
  if (owner_ && core_) core_->abandon();
}

COMCP_DECL std::shared_ptr<client_core> const& client::core() const {
  if (!core_) throw exception(detail::not_connected());
  return core_;
}

COMCP_DECL asio::awaitable<listing<tool>> client::list_tools(call_options options) const {
  return detail::list_all<tool>(core_, std::move(options));
}
COMCP_DECL asio::awaitable<listing<resource>> client::list_resources(call_options options) const {
  return detail::list_all<resource>(core_, std::move(options));
}
COMCP_DECL asio::awaitable<listing<resource_template>> client::list_resource_templates(call_options options) const {
  return detail::list_all<resource_template>(core_, std::move(options));
}
COMCP_DECL asio::awaitable<listing<prompt>> client::list_prompts(call_options options) const {
  return detail::list_all<prompt>(core_, std::move(options));
}

COMCP_DECL asio::awaitable<list_tools_result> client::list_tools_page(std::optional<std::string> from,
                                                                      call_options options) const {
  return detail::list_page<tool>(core_, std::move(from), std::move(options));
}
COMCP_DECL asio::awaitable<list_resources_result> client::list_resources_page(std::optional<std::string> from,
                                                                              call_options options) const {
  return detail::list_page<resource>(core_, std::move(from), std::move(options));
}
COMCP_DECL asio::awaitable<list_resource_templates_result> client::list_resource_templates_page(
    std::optional<std::string> from, call_options options) const {
  return detail::list_page<resource_template>(core_, std::move(from), std::move(options));
}
COMCP_DECL asio::awaitable<list_prompts_result> client::list_prompts_page(std::optional<std::string> from,
                                                                          call_options options) const {
  return detail::list_page<prompt>(core_, std::move(from), std::move(options));
}

COMCP_DECL asio::awaitable<call_tool_result> client::call_tool(std::string_view name, json::fragment arguments,
                                                               call_options options) const {
  return detail::typed_call<call_tool_result>(core_,
                                              detail::tool_call(name, std::move(arguments), std::move(options)));
}

COMCP_DECL asio::awaitable<read_resource_result> client::read_resource(std::string_view uri,
                                                                       call_options options) const {
  detail::prepared_call c("resources/read", args("uri", uri).text(), std::move(options));
  c.name = uri;
  c.repeatable = true;
  return detail::read_call(core_, std::move(c));
}

COMCP_DECL asio::awaitable<read_resource_result> client::read_resource(resource_template const& t,
                                                                       json::fragment const& variables,
                                                                       call_options options) const {
  auto const uri = t.expand(variables);
  if (!uri) return detail::failed<read_resource_result>(uri.error());
  return read_resource(*uri, std::move(options));
}

COMCP_DECL asio::awaitable<get_prompt_result> client::get_prompt(std::string_view name, json::fragment arguments,
                                                                 call_options options) const {
  json::object params;
  params.set("name", name);
  if (!arguments.empty()) params.set("arguments", arguments);
  detail::prepared_call c("prompts/get", params.text(), std::move(options));
  c.name = name;
  c.repeatable = true;
  return detail::typed_call<get_prompt_result>(core_, std::move(c));
}

COMCP_DECL asio::awaitable<complete_result> client::complete(complete_params const& what, call_options options) const {
  detail::prepared_call c("completion/complete", json::to_text(what), std::move(options));
  c.repeatable = true;
  return detail::typed_call<complete_result>(core_, std::move(c));
}

COMCP_DECL asio::awaitable<void> client::set_log_level(log_level level, call_options options) const {
  return detail::set_level(core_, level, std::move(options));
}

COMCP_DECL asio::awaitable<void> client::ping(call_options options) const {
  return detail::done_call(core_, detail::prepared_call("ping", {}, std::move(options)));
}

COMCP_DECL asio::awaitable<discover_result> client::discover(call_options options) const {
  detail::prepared_call c("server/discover", {}, std::move(options));
  c.repeatable = true;
  return detail::typed_call<discover_result>(core_, std::move(c));
}

COMCP_DECL asio::awaitable<void> client::subscribe(std::string_view uri, updated_callback f,
                                                   call_options options) const {
  return detail::subscribe_on_home(core_, std::string(uri), std::move(f), std::move(options));
}

COMCP_DECL asio::awaitable<void> client::unsubscribe(std::string_view uri, call_options options) const {
  return detail::unsubscribe_on_home(core_, std::string(uri), std::move(options));
}

COMCP_DECL asio::awaitable<subscription> client::listen(subscription_filter filter, call_options options) const {
  return detail::listen_call(core_, std::move(filter), std::move(options));
}

COMCP_DECL list_watch client::watch_tools(std::function<void(result<listing<tool>>)> f) const {
  return detail::watch_list<tool>(core(), std::move(f));
}
COMCP_DECL list_watch client::watch_resources(std::function<void(result<listing<resource>>)> f) const {
  return detail::watch_list<resource>(core(), std::move(f));
}
COMCP_DECL list_watch client::watch_prompts(std::function<void(result<listing<prompt>>)> f) const {
  return detail::watch_list<prompt>(core(), std::move(f));
}

COMCP_DECL asio::awaitable<json::value> client::request(std::string_view method, json::fragment params,
                                                        call_options options) const {
  if (auto const bad = detail::check_params(params)) return detail::failed<json::value>(bad);
  detail::prepared_call c(std::string(method), std::move(params).text(), std::move(options));
  return detail::typed_call<json::value>(core_, std::move(c));
}

COMCP_DECL asio::awaitable<void> client::notify(std::string_view method, json::fragment params) const {
  if (auto const bad = detail::check_params(params)) return detail::failed<void>(bad);
  if (!jsonrpc::is_plain_method(method)) return detail::failed<void>({errc::invalid_argument, "not a method name"});
  return detail::notify_call(core_, std::string(method), std::move(params));
}

COMCP_DECL asio::awaitable<void> client::notify_roots_changed() const {
  if (core_ && core_->is_modern())
    return detail::failed<void>({errc::not_in_protocol, "notifications/roots/list_changed"});
  return notify("notifications/roots/list_changed");
}

COMCP_DECL asio::awaitable<void> client::close() const {
  return core_ ? core_->close() : detail::failed<void>(detail::not_connected());
}
COMCP_DECL asio::awaitable<void> client::restart() const { return detail::restart_call(core_); }
COMCP_DECL asio::awaitable<error> client::closed() const { return detail::closed_call(core_); }
COMCP_DECL connection_status client::status() const noexcept {
  return core_ ? core_->status() : connection_status::disconnected;
}
COMCP_DECL void client::on_status(std::function<void(connection_status)> listener) const {
  core()->add_status_listener(std::move(listener));
}
COMCP_DECL implementation const& client::server_info() const { return core()->server_info(); }
COMCP_DECL server_capabilities const& client::capabilities() const { return core()->capabilities(); }
COMCP_DECL std::string const& client::instructions() const { return core()->instructions(); }
COMCP_DECL protocol_version client::protocol_version() const { return core()->version().value_or(version::latest); }
COMCP_DECL era_verdict client::verdict() const { return core()->verdict(); }
COMCP_DECL std::optional<saved_session> client::session() const { return core()->session(); }
COMCP_DECL transport_info client::transport_info() const { return core()->transport_info(); }
COMCP_DECL statistics client::statistics() const { return core()->statistics(); }
COMCP_DECL asio::any_io_executor client::get_executor() const { return core()->home(); }

}  // namespace comcp

// client/impl/context.ipp

namespace comcp {

COMCP_DECL context::context() = default;
COMCP_DECL context::~context() = default;
COMCP_DECL context::context(context const&) = default;
COMCP_DECL context& context::operator=(context const&) = default;

COMCP_DECL std::string context::server_name() const {
  auto const core = core_.lock();
  return core ? core->server_info().name : std::string();
}

COMCP_DECL void context::progress(double progress, std::optional<double> total, std::string message) const {
  auto const core = core_.lock();
  if (!core || progress_token_.empty() || cancelled() || core->is_modern()) return;
  json::writer w;
  w.begin_object().plain_key("progressToken").raw(progress_token_).plain_key("progress").real(progress);
  if (total) w.plain_key("total").real(*total);
  if (!message.empty()) w.plain_key("message").string(message);
  w.end_object();
  core->send_text(jsonrpc::notification("notifications/progress", w.text()));
}

COMCP_DECL void context::fault(error const& what) const {
  if (auto const core = core_.lock()) core->fault(what);
}

COMCP_DECL client context::client() const { return comcp::client(core_.lock(), false); }

namespace detail {

COMCP_DECL void core_registry::shutdown() noexcept {
  for (;;) {
    std::shared_ptr<client_core> core;
    {
      std::lock_guard const lock(mutex_);
      while (!core && !cores_.empty()) {
        core = cores_.back()->weak_from_this().lock();
        cores_.pop_back();
      }
    }
    if (!core) return;
    core->shut_down();
  }
}

}  // namespace detail
}  // namespace comcp
#endif

// client/handlers.hpp
// Ready handlers: a list of roots, a log listener, and a broadcast of notifications to any number of listeners.

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

// net/asio_compat.hpp
// The one place that knows what differs between Asio 1.22 and the newest: where as_tuple lives.

#include <asio/version.hpp>

#if !defined(ASIO_HAS_CO_AWAIT)
#include <asio/detail/config.hpp>
#if !defined(ASIO_HAS_CO_AWAIT)
#error "comcp: Asio does not see coroutines. Link the CMake target comcp::comcp, or define ASIO_HAS_CO_AWAIT and ASIO_HAS_STD_COROUTINE before the first Asio include."
#endif
#endif

#if ASIO_VERSION >= 102300
#include <asio/as_tuple.hpp>
#else
#include <asio/experimental/as_tuple.hpp>
#endif

#include <asio/use_awaitable.hpp>

namespace comcp::net {

#if ASIO_VERSION >= 102300
using asio::as_tuple;
#else
using asio::experimental::as_tuple;
#endif

/// Completion token: await, and get (error_code, values...) instead of an exception.
inline constexpr auto tuple_awaitable = as_tuple(asio::use_awaitable);

}  // namespace comcp::net

namespace comcp {

/// Offers roots. Copies share one list; change it on the client's executor.
class root_list {
 public:
  root_list() : roots_(std::make_shared<std::vector<root>>()) {}
  explicit root_list(std::vector<root> roots) : roots_(std::make_shared<std::vector<root>>(std::move(roots))) {}

  [[nodiscard]] std::vector<root> list_roots() const { return *roots_; }
  /// Declares listChanged.
  void capabilities(client_capabilities& c) const { c.roots->list_changed = true; }

  /// Errors: invalid_argument, thrown, for a uri that is not file://.
  void add(root r) {
    if (!r.uri.starts_with("file://")) throw exception(error(errc::invalid_argument, "a root is a file:// uri, not " + r.uri));
    remove(r.uri);
    roots_->push_back(std::move(r));
  }
  bool remove(std::string_view uri) {
    return std::erase_if(*roots_, [uri](root const& r) { return r.uri == uri; }) > 0;
  }
  /// Tells the server, where its era has that; call it after add() and remove().
  [[nodiscard]] asio::awaitable<void> notify(client const& c) const {
    if (c.era() == era::legacy) return c.notify_roots_changed();
    return nothing();
  }

 private:
  static asio::awaitable<void> nothing() { co_return; }
  std::shared_ptr<std::vector<root>> roots_;
};

/// Gives each log message of the server to a function, or writes it to a stream as one line.
class log_handler {
 public:
  explicit log_handler(std::function<void(logging_message const&)> f) : call_(std::move(f)) {}
  /// `out` outlives the client.
  explicit log_handler(std::ostream& out)
      : call_([&out](logging_message const& m) {
          out << '[' << enum_text(m.level) << ']';
          if (m.logger) out << ' ' << *m.logger << ':';
          auto const text = m.data.view().get_string();
          out << ' ' << (text ? std::string(*text) : m.data.dump()) << '\n';
        }) {}

  void on(logging_message const& m) { call_(m); }

 private:
  std::function<void(logging_message const&)> call_;
};

/// Hands every notification to any number of listeners, each with a bounded queue that counts what it dropped.
/// Copies share the listeners. Use it on the client's executor.
class broadcast {
  struct queue {
    explicit queue(std::size_t n) : bound(n) {}
    std::deque<any_notification> items;
    std::size_t bound;
    std::uint64_t dropped = 0;
    asio::steady_timer* reader = nullptr;  // lives in the coroutine that waits
  };

 public:
  /// One listener's end; it stops listening when it is destroyed.
  class listener {
   public:
    explicit listener(std::shared_ptr<queue> q) noexcept : queue_(std::move(q)) {}
    /// Waits for the next one, also when its client is closed: cancel it where that may be. One at a time.
    [[nodiscard]] asio::awaitable<any_notification> next() const { return take(queue_); }
    /// What had no place in the queue.
    [[nodiscard]] std::uint64_t dropped() const noexcept { return queue_->dropped; }
    [[nodiscard]] std::size_t size() const noexcept { return queue_->items.size(); }

   private:
    // Nothing but the executor holds the coroutine that waits, so that it goes with its io_context.
    struct reading {
      reading(queue& q, asio::any_io_executor const& ex) : of(q), woken(ex, asio::steady_timer::time_point::max()) {
        of.reader = &woken;
      }
      reading(reading const&) = delete;
      reading& operator=(reading const&) = delete;
      ~reading() { of.reader = nullptr; }
      queue& of;
      asio::steady_timer woken;
    };

    static asio::awaitable<any_notification> take(std::shared_ptr<queue> q) {
      if (q->reader) throw exception(error(errc::invalid_argument, "two readers of one listener"));
      auto const ex = co_await asio::this_coro::executor;
      while (q->items.empty()) {
        reading now(*q, ex);
        (void)co_await now.woken.async_wait(net::tuple_awaitable);
        auto const state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) throw exception(error(errc::cancelled));
      }
      auto first = std::move(q->items.front());
      q->items.pop_front();
      co_return first;
    }
    std::shared_ptr<queue> queue_;
  };

  broadcast() : queues_(std::make_shared<std::vector<std::weak_ptr<queue>>>()) {}

  [[nodiscard]] listener listen(std::size_t queue_bound = 256) {
    auto q = std::make_shared<queue>(queue_bound);
    queues_->push_back(q);
    return listener(std::move(q));
  }

  void on(any_notification const& n) {
    std::erase_if(*queues_, [](auto const& weak) { return weak.expired(); });
    auto const all = *queues_;
    for (auto const& weak : all) {
      auto const q = weak.lock();
      if (!q) continue;
      if (q->items.size() >= q->bound) {
        ++q->dropped;
      } else {
        q->items.push_back(n);
      }
      if (q->reader) q->reader->cancel();
    }
  }

 private:
  std::shared_ptr<std::vector<std::weak_ptr<queue>>> queues_;
};

}  // namespace comcp

// protocol/errors.hpp
// The error codes of JSON-RPC and MCP by name, and the data that some of them carry.
// Spec: 2026-07-28 basic (error codes), 2025-11-25 client/elicitation.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

namespace error_codes {
inline constexpr std::int64_t parse_error = -32700;
inline constexpr std::int64_t invalid_request = -32600;
inline constexpr std::int64_t method_not_found = -32601;
inline constexpr std::int64_t invalid_params = -32602;
inline constexpr std::int64_t internal_error = -32603;
inline constexpr std::int64_t resource_not_found = -32002;        ///< Legacy; modern servers say invalid_params.
inline constexpr std::int64_t url_elicitation_required = -32042;  ///< 2025-11-25.
inline constexpr std::int64_t header_mismatch = -32020;
inline constexpr std::int64_t missing_required_client_capability = -32021;
inline constexpr std::int64_t unsupported_protocol_version = -32022;
/// What drafts of 2026-07-28 used for missing_required_client_capability and unsupported_protocol_version.
inline constexpr std::int64_t draft_missing_required_client_capability = -32003;
inline constexpr std::int64_t draft_unsupported_protocol_version = -32004;
/// A client's answer when its user refused a sampling request.
inline constexpr std::int64_t user_rejected = -1;
}  // namespace error_codes

/// The name of a code as above; empty for codes without a fixed meaning.
std::string_view error_code_name(std::int64_t code) noexcept;

/// An error object as it travels.
struct error_object {
  error_object() = default;
  error_object(std::int64_t its_code, std::string text, json::value with = {})
      : code(its_code), message(std::move(text)), data(std::move(with)) {}

  std::int64_t code = 0;
  std::string message;
  json::value data;  ///< Null where absent.
  json::value raw;
};
constexpr auto describe(std::type_identity<error_object>) {
  using t = error_object;
  return json::fields(json::field("code", &t::code), json::field("message", &t::message),
                      json::defaulted("data", &t::data), json::rest(&t::raw));
}

/// The data of unsupported_protocol_version.
struct unsupported_version_data {
  unsupported_version_data() = default;

  std::vector<std::string> supported;
  std::optional<std::string> requested;
  json::value raw;
};
constexpr auto describe(std::type_identity<unsupported_version_data>) {
  using t = unsupported_version_data;
  return json::fields(json::field("supported", &t::supported), json::field("requested", &t::requested),
                      json::rest(&t::raw));
}

/// The data of missing_required_client_capability.
struct missing_capability_data {
  missing_capability_data() = default;

  client_capabilities required_capabilities;
  json::value raw;
};
constexpr auto describe(std::type_identity<missing_capability_data>) {
  using t = missing_capability_data;
  return json::fields(json::field("requiredCapabilities", &t::required_capabilities), json::rest(&t::raw));
}

/// The peer's data of an error as a T; nothing where there is none, or it has another shape.
template <json::readable T>
std::optional<T> error_data(error const& e) {
  if (!e.peer() || e.peer()->data.empty()) return {};
  auto const data = json::parse(e.peer()->data);
  if (!data) return {};
  auto typed = data->template get<T>();
  return typed ? std::optional(*std::move(typed)) : std::nullopt;
}

/// error_data, if the error has the code that goes with it (drafts' codes included).
std::optional<unsupported_version_data> unsupported_version_of(error const& e);
std::optional<missing_capability_data> missing_capability_of(error const& e);
std::optional<url_elicitation_required_data> url_elicitation_required_of(error const& e);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// protocol/impl/errors.ipp

namespace comcp {
namespace detail {

template <class T>
std::optional<T> data_for(error const& e, std::int64_t code, std::int64_t draft) {
  if (!e.peer() || (e.peer()->code != code && e.peer()->code != draft)) return {};
  return error_data<T>(e);
}

}  // namespace detail

COMCP_DECL std::string_view error_code_name(std::int64_t code) noexcept {
  switch (code) {
    case error_codes::parse_error: return "parse_error";
    case error_codes::invalid_request: return "invalid_request";
    case error_codes::method_not_found: return "method_not_found";
    case error_codes::invalid_params: return "invalid_params";
    case error_codes::internal_error: return "internal_error";
    case error_codes::resource_not_found: return "resource_not_found";
    case error_codes::url_elicitation_required: return "url_elicitation_required";
    case error_codes::header_mismatch: return "header_mismatch";
    case error_codes::missing_required_client_capability: return "missing_required_client_capability";
    case error_codes::unsupported_protocol_version: return "unsupported_protocol_version";
    default: return {};
  }
}

COMCP_DECL std::optional<unsupported_version_data> unsupported_version_of(error const& e) {
  return detail::data_for<unsupported_version_data>(e, error_codes::unsupported_protocol_version,
                                                    error_codes::draft_unsupported_protocol_version);
}

COMCP_DECL std::optional<missing_capability_data> missing_capability_of(error const& e) {
  return detail::data_for<missing_capability_data>(e, error_codes::missing_required_client_capability,
                                                   error_codes::draft_missing_required_client_capability);
}

COMCP_DECL std::optional<url_elicitation_required_data> url_elicitation_required_of(error const& e) {
  return detail::data_for<url_elicitation_required_data>(e, error_codes::url_elicitation_required,
                                                         error_codes::url_elicitation_required);
}

}  // namespace comcp
#endif

// run.hpp
// An io_context for those who have none.

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

namespace comcp {

/// Runs one coroutine, and all that it starts, on this thread until it is done; gives its value, or throws what
/// left it. Where a host name was given up on, the end waits until the system's lookup has returned.
template <class T>
T run(asio::awaitable<T> work) {
  asio::io_context io(1);
  std::exception_ptr failure;
  if constexpr (std::is_void_v<T>) {
    auto const done = [&](std::exception_ptr e) {
      failure = e;
      io.stop();
    };
    asio::co_spawn(io, std::move(work), done);
    io.run();
    if (failure) std::rethrow_exception(failure);
  } else {
    std::optional<T> value;
    auto const done = [&](std::exception_ptr e, T v) {
      failure = e;
      if (!e) value.emplace(std::move(v));
      io.stop();
    };
    asio::co_spawn(io, std::move(work), done);
    io.run();
    if (failure) std::rethrow_exception(failure);
    return std::move(*value);
  }
}

}  // namespace comcp

// trace/record.hpp
// Recording a connection as JSON lines, one for each message: {"time", "direction", "message"}. What looks like a
// secret is replaced before anything is written; where the lines go is the caller's decision.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace comcp {

/// Whether a member of this name is likely to hold a secret: passwords, secrets, tokens, API keys, credentials,
/// authorization, cookies, session ids. Case, '-' and '_' do not matter. `progressToken` and the like are none.
[[nodiscard]] bool is_secret_key(std::string_view key);

/// The JSON text of `v` in which "***" stands for secrets: strings and numbers below a secret key (in a schema only
/// its defaults and examples), the "value" of an object whose "name" is a secret key, and inside of any string:
/// bearer and basic credentials, NAME=value with a secret name, passwords of URLs, and JSON text with any of these.
/// A secret in prose, or under a harmless name, cannot be seen and stays.
[[nodiscard]] std::string redacted(json::view v);

/// One line of a recording, without its newline. A message that does not parse is told by its size alone, since
/// nothing can be redacted in it: {"time", "direction", "unreadable": bytes}.
[[nodiscard]] std::string record_line(direction way, std::string_view message,
                                      std::chrono::system_clock::time_point at);

/// A tracer for connect_options::trace() that gives each line to `write`, on the client's executor.
[[nodiscard]] tracer record_to(std::function<void(std::string_view line)> write,
                               std::function<std::chrono::system_clock::time_point()> now = {});

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// trace/impl/record.ipp
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace comcp {
namespace detail {

inline constexpr std::string_view hidden = "***";

inline char lower_ascii(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline bool is_name_char(char c) noexcept {
  auto const l = lower_ascii(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}
// Ends a value in a query string, an assignment or a header.
inline bool ends_value(char c) noexcept {
  return static_cast<unsigned char>(c) <= ' ' || std::string_view("&;,#\"'<>|)]}").find(c) != std::string_view::npos;
}

COMCP_DECL std::string redacted_text(std::string_view text, unsigned depth);

/// Walks a value and writes it again without its secrets.
class redactor {
 public:
  explicit redactor(unsigned depth) noexcept : depth_(depth) {}

  // `secret`: below a secret key. `schema`: inside a JSON Schema, whose keys are names of fields and no secrets.
  void value(json::view v, bool secret, bool schema) {
    switch (v.kind()) {
      case json::kind::object: return object(v, secret, schema);
      case json::kind::array:
        w_.begin_array();
        for (auto const e : v.elements()) value(e, secret, schema);
        w_.end_array();
        return;
      case json::kind::null:
      case json::kind::boolean: w_.value(v); return;
      case json::kind::string:
        w_.string(secret && !schema ? std::string(hidden) : redacted_text(*v.get_string(), depth_));
        return;
      default:
        if (secret && !schema) {
          w_.string(hidden);
        } else {
          w_.value(v);
        }
    }
  }
  [[nodiscard]] std::string text() && { return std::move(w_).text(); }

 private:
  void object(json::view v, bool secret, bool schema) {
    auto const name = v.find("name");
    bool const pair = name && v.find("value") && is_secret_key(name->get_string().value_or(""));
    w_.begin_object();
    for (auto const m : v.members()) {
      w_.key(m.key);
      if (schema) {
        field_of_schema(m.key, m.value, secret);
      } else {
        bool const opens = m.key == "inputSchema" || m.key == "outputSchema" || m.key == "requestedSchema";
        bool const hide = secret || (pair && m.key == "value") || secret_member(m.key, m.value);
        value(m.value, hide, opens && m.value.is_object() && !hide);
      }
    }
    w_.end_object();
  }

  void field_of_schema(std::string_view key, json::view v, bool secret) {
    bool const given = key == "default" || key == "const" || key == "examples";
    if (secret && given) return value(v, true, false);
    bool const named = secret_member(key, v);
    // A description of the field is an object; anything else under such a name is the secret itself.
    value(v, secret || named, !named || v.is_object());
  }

  static bool secret_member(std::string_view key, json::view v) {
    return is_secret_key(key) && !(v.is_number() && lower_ascii(key.back()) == 's');  // maxTokens: a count
  }

  json::writer w_;
  unsigned depth_;
};

inline bool starts_with_word(std::string_view text, std::string_view word) noexcept {
  if (text.size() < word.size()) return false;
  return std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return a == lower_ascii(b); });
}

// How long the secret is that begins at `text`, after a name and '=' or after a scheme; 0 for none. `quote`: the
// quotation mark that it stands behind, if any.
inline std::size_t secret_length(std::string_view text, char quote = 0) noexcept {
  if (quote != 0) return std::min(text.find(quote), text.size());
  std::size_t n = 0;
  while (n < text.size() && !ends_value(text[n])) ++n;
  return n;
}

// "Bearer eyJ..." and "Basic dXNl...": the length of the scheme with its blank, when credentials follow.
inline std::size_t scheme_length(std::string_view text) noexcept {
  for (std::string_view const scheme : {"bearer ", "basic "}) {
    if (starts_with_word(text, scheme) && secret_length(text.substr(scheme.size())) >= 12) return scheme.size();
  }
  return 0;
}

// "://user:password@": the length up to '@' when `text` begins behind "://".
inline std::size_t userinfo_length(std::string_view text) noexcept {
  auto const end = text.find_first_of("/?# \"'<>\n");
  auto const at = text.substr(0, end).rfind('@');
  return at == std::string_view::npos ? 0 : at;
}

inline std::string redacted_prose(std::string_view text) {
  std::string out;
  std::size_t name = 0;  // where the name that stands before text[i] begins in text
  for (std::size_t i = 0; i < text.size();) {
    std::size_t shown = 0, secret = 0;
    bool const starts_word = i == 0 || !is_name_char(text[i - 1]);
    if (text[i] == '=' && name < i && is_secret_key(text.substr(name, i - name))) {
      char const next = i + 1 < text.size() ? text[i + 1] : '\0';
      bool const quoted = next == '"' || next == '\'';
      shown = quoted ? 2 : 1;
      secret = secret_length(text.substr(i + shown), quoted ? next : '\0');
    } else if (text.substr(i).starts_with("://")) {
      shown = 3;
      secret = userinfo_length(text.substr(i + 3));
    } else if (starts_word && (shown = scheme_length(text.substr(i))) != 0) {
      secret = secret_length(text.substr(i + shown));
    }
    if (secret != 0) {
      out.append(text.substr(i, shown)).append(hidden);
      i += shown + secret;
      name = i;
      continue;
    }
    out += text[i];
    if (!is_name_char(text[i])) name = i + 1;
    ++i;
  }
  return out;
}

COMCP_DECL std::string redacted_text(std::string_view text, unsigned depth) {
  auto const start = text.find_first_not_of(" \t\r\n");
  if (depth > 0 && start != std::string_view::npos && (text[start] == '{' || text[start] == '[')) {
    if (auto const nested = json::parse(text)) {
      redactor r(depth - 1);
      r.value(nested->view(), false, false);
      auto again = std::move(r).text();
      return again == nested->dump() ? std::string(text) : again;
    }
  }
  return redacted_prose(text);
}

inline void append_digits(std::string& out, std::int64_t n, std::size_t width) {
  auto const digits = std::to_string(n);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

// ISO 8601 in UTC with microseconds.
inline std::string utc_text(std::chrono::system_clock::time_point at) {
  using namespace std::chrono;
  auto const day = floor<days>(at);
  year_month_day const date(day);
  auto const of_day = duration_cast<microseconds>(at - day).count();
  std::string out;
  append_digits(out, static_cast<int>(date.year()), 4);
  append_digits(out += '-', static_cast<unsigned>(date.month()), 2);
  append_digits(out += '-', static_cast<unsigned>(date.day()), 2);
  append_digits(out += 'T', of_day / 3'600'000'000, 2);
  append_digits(out += ':', of_day / 60'000'000 % 60, 2);
  append_digits(out += ':', of_day / 1'000'000 % 60, 2);
  append_digits(out += '.', of_day % 1'000'000, 6);
  return out += 'Z';
}

}  // namespace detail

COMCP_DECL bool is_secret_key(std::string_view key) {
  std::string plain;
  for (char const c : key) {
    if (c != '-' && c != '_' && c != '.' && c != ' ') plain += detail::lower_ascii(c);
  }
  for (std::string_view const harmless : {"type", "endpoint", "length", "count"}) {
    if (plain.ends_with(harmless)) return false;
  }
  for (std::string_view const harmless : {"progresstoken", "pagetoken", "nexttoken"}) {
    if (plain.ends_with(harmless)) return false;
  }
  for (std::string_view const part : {"password", "passwd", "passphrase", "secret", "authorization", "apikey",
                                      "accesskey", "privatekey", "credential", "cookie", "sessionid", "bearer"}) {
    if (plain.find(part) != std::string::npos) return true;
  }
  for (std::string_view const end : {"token", "tokens", "pwd", "jwt"}) {
    if (plain.ends_with(end)) return true;
  }
  return plain == "auth" || plain == "pass" || plain == "otp";
}

COMCP_DECL std::string redacted(json::view v) {
  detail::redactor r(3);
  r.value(v, false, false);
  return std::move(r).text();
}

COMCP_DECL std::string record_line(direction way, std::string_view message,
                                   std::chrono::system_clock::time_point at) {
  auto const parsed = json::parse(message);
  json::writer w;
  w.begin_object().plain_key("time").string(detail::utc_text(at));
  w.plain_key("direction").string(way == direction::sent ? "sent" : "received");
  if (parsed) {
    w.plain_key("message").raw(redacted(parsed->view()));
  } else {
    w.plain_key("unreadable").unsigned_integer(message.size());
  }
  w.end_object();
  return std::move(w).text();
}

COMCP_DECL tracer record_to(std::function<void(std::string_view)> write,
                            std::function<std::chrono::system_clock::time_point()> now) {
  return [write = std::move(write), now = std::move(now)](direction way, std::string_view message) {
    write(record_line(way, message, now ? now() : std::chrono::system_clock::now()));
  };
}

}  // namespace comcp
#endif

// transport/byte_stream.hpp
// Messages as lines over any Asio stream: the same framing as stdio has. How the stream comes to be is the
// connector's business.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

// transport/stream_session.hpp
// One open stream of lines: one reader, one write queue. What the end of either means is decided by what
// derives from it (byte_stream, stdio).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/bind_executor.hpp>
#include <asio/buffer.hpp>
#include <asio/defer.hpp>
#include <asio/error.hpp>
#include <asio/steady_timer.hpp>

// jsonrpc/framing.hpp
// Cuts a byte stream into lines, in place: one message a line. Knows nothing of JSON, and performs no I/O.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace comcp::jsonrpc {

struct framing_statistics {
  std::uint64_t messages = 0;  ///< Lines handed out.
  std::uint64_t bytes = 0;     ///< Bytes committed.
  std::uint64_t blank = 0;     ///< Blank lines skipped.
};

/// Incremental newline framing over one growing buffer.
///
///     auto room = f.prepare();            // read into it
///     f.commit(n);
///     while (auto line = f.next()) ...    // valid until the next prepare()
///     if (f.failed()) ...                 // a line over the limit: nothing follows it
///
/// A byte order mark before the first line, blank lines and a CR before the newline are dropped.
class framer {
 public:
  static constexpr std::size_t default_max_line = std::size_t{16} << 20;

  explicit framer(std::size_t max_line = default_max_line) : max_line_(max_line) {}

  /// Room for at least `n` bytes behind what is held. Invalidates earlier lines.
  [[nodiscard]] std::span<char> prepare(std::size_t n = 16 * 1024);
  /// Precondition: n is at most the size of the last prepare().
  void commit(std::size_t n) noexcept;
  /// The next whole line, without its end; nothing when more bytes are needed or framing failed.
  [[nodiscard]] std::optional<padded_text> next() noexcept;
  /// The stream ended: the text after the last newline, if there is any. Call it after next() gave nothing.
  [[nodiscard]] std::optional<padded_text> finish() noexcept;

  /// Whether a line was longer than the limit. It stays so.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  /// errc::limit_exceeded, naming the limit. Precondition: failed().
  [[nodiscard]] error failure() const;

  [[nodiscard]] framing_statistics const& statistics() const noexcept { return statistics_; }
  /// Bytes that the buffer takes now.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

 private:
  [[nodiscard]] std::optional<padded_text> take(std::size_t size, std::size_t consumed) noexcept;
  void reallocate(std::size_t capacity);
  void shrink_when_idle(std::size_t n);

  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;    // start of the current line
  std::size_t scanned_ = 0;  // no newline in [begin_, scanned_)
  std::size_t end_ = 0;      // end of what was read
  std::size_t max_line_;
  unsigned idle_rounds_ = 0;
  bool first_ = true;
  bool failed_ = false;
  framing_statistics statistics_;
};

}  // namespace comcp::jsonrpc

#if !defined(COMCP_SEPARATE_COMPILATION)

// jsonrpc/impl/framing.ipp
#include <algorithm>
#include <cstring>
#include <string>

namespace comcp::jsonrpc {
namespace detail {

inline constexpr std::size_t framer_base = 64 * 1024;
inline constexpr unsigned framer_patience = 16;  // reads with a mostly empty buffer before it shrinks

COMCP_DECL bool is_blank(std::string_view line) noexcept {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace detail

COMCP_DECL void framer::reallocate(std::size_t capacity) {
  auto bigger = std::make_unique_for_overwrite<char[]>(capacity);
  if (end_ != begin_) std::memcpy(bigger.get(), buffer_.get() + begin_, end_ - begin_);
  buffer_ = std::move(bigger);
  capacity_ = capacity;
  scanned_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
}

COMCP_DECL void framer::shrink_when_idle(std::size_t n) {
  std::size_t const held = end_ - begin_;
  if (capacity_ <= 4 * detail::framer_base || held + n + padded_text::spare > capacity_ / 8) {
    idle_rounds_ = 0;
  } else if (++idle_rounds_ >= detail::framer_patience) {
    idle_rounds_ = 0;
    reallocate(std::max(detail::framer_base, 2 * (held + n) + padded_text::spare));
  }
}

COMCP_DECL std::span<char> framer::prepare(std::size_t n) {
  n = std::max<std::size_t>(n, 1);
  if (begin_ == end_) begin_ = scanned_ = end_ = 0;
  shrink_when_idle(n);
  if (end_ + n + padded_text::spare > capacity_) {
    std::size_t const held = end_ - begin_;
    if (held + n + padded_text::spare <= capacity_) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, held);
      scanned_ -= begin_;
      begin_ = 0;
      end_ = held;
    } else {
      reallocate(std::max({detail::framer_base, 2 * capacity_, held + n + padded_text::spare}));
    }
  }
  return {buffer_.get() + end_, capacity_ - padded_text::spare - end_};
}

COMCP_DECL void framer::commit(std::size_t n) noexcept {
  end_ += n;
  statistics_.bytes += n;
}

COMCP_DECL std::optional<padded_text> framer::take(std::size_t size, std::size_t consumed) noexcept {
  char const* data = buffer_.get() + begin_;
  begin_ = scanned_ = begin_ + consumed;
  if (size > max_line_) {
    failed_ = true;
    return {};
  }
  if (first_) {
    first_ = false;
    if (size >= 3 && std::memcmp(data, "\xEF\xBB\xBF", 3) == 0) data += 3, size -= 3;
  }
  if (size > 0 && data[size - 1] == '\r') --size;
  if (detail::is_blank({data, size})) {
    ++statistics_.blank;
    return {};
  }
  ++statistics_.messages;
  return padded_text(data, size);
}

COMCP_DECL std::optional<padded_text> framer::next() noexcept {
  while (!failed_ && scanned_ != end_) {
    char const* const from = buffer_.get() + scanned_;
    auto const* newline = static_cast<char const*>(std::memchr(from, '\n', end_ - scanned_));
    if (newline == nullptr) {
      scanned_ = end_;
      failed_ = end_ - begin_ > max_line_;
      break;
    }
    auto const size = static_cast<std::size_t>(newline - (buffer_.get() + begin_));
    if (auto line = take(size, size + 1)) return line;
  }
  return {};
}

COMCP_DECL std::optional<padded_text> framer::finish() noexcept {
  if (failed_ || begin_ == end_) return {};
  return take(end_ - begin_, end_ - begin_);
}

COMCP_DECL error framer::failure() const {
  return {errc::limit_exceeded, "a line is longer than max_line (" + std::to_string(max_line_) + " bytes)"};
}

}  // namespace comcp::jsonrpc
#endif

// transport/write_queue.hpp
// What waits to be written as lines: bounded, in order, gathered into few buffers. Performs no I/O.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <asio/buffer.hpp>

namespace comcp {

/// Bounds of an outgoing queue. One message of any size is accepted into an empty queue.
class queue_limits {
 public:
  queue_limits() = default;
  queue_limits& messages(std::size_t n) { return messages_ = n, *this; }
  queue_limits& bytes(std::size_t n) { return bytes_ = n, *this; }
  [[nodiscard]] std::size_t messages() const noexcept { return messages_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::size_t messages_ = 65536;
  std::size_t bytes_ = std::size_t{64} << 20;
};

namespace detail {

/// A ring of messages. Those that gather() handed out are being written, and stay until consume().
class write_queue {
 public:
  static constexpr std::size_t joined_limit = 64 * 1024;  ///< Bytes of short messages that are written at once.

  explicit write_queue(queue_limits limits) : limits_(limits) {}

  /// Takes the message over, or errc::queue_full naming the bound.
  result<void> push(outgoing&& message);
  /// Removes the message of that request, if no byte of it was handed out.
  bool abandon(request_id id) noexcept;

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Buffers for one write; valid until consume(). Empty only if the queue is.
  [[nodiscard]] std::span<asio::const_buffer const> gather();
  /// `n` bytes of the last gather() were written. Returns how many messages that completed.
  std::size_t consume(std::size_t n) noexcept;

 private:
  struct entry {
    std::string text;
    request_id id = 0;
    bool has_newline = false;  // the newline is part of the text
    bool pinned = false;       // may not be removed by abandon()
  };

  [[nodiscard]] entry& at(std::size_t i) noexcept { return ring_[(head_ + i) & (ring_.size() - 1)]; }
  [[nodiscard]] static std::size_t length(entry const& e) noexcept { return e.text.size() + (e.has_newline ? 0 : 1); }
  [[nodiscard]] std::size_t bytes_of_first() noexcept { return length(at(0)) - offset_; }
  std::span<asio::const_buffer const> gather_first();
  std::span<asio::const_buffer const> gather_joined();
  void grow();
  void erase(std::size_t i) noexcept;

  queue_limits limits_;
  std::vector<entry> ring_;  // its size is a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::size_t started_ = 0;  // entries that gather() handed out
  std::size_t offset_ = 0;   // bytes of the first entry that are written
  std::string joined_;       // what gather_joined() handed out
  std::array<asio::const_buffer, 2> buffers_;
};

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// transport/impl/write_queue.ipp
#include <algorithm>
#include <utility>

namespace comcp::detail {

COMCP_DECL result<void> write_queue::push(outgoing&& message) {
  if (size_ > 0 && (size_ >= limits_.messages() || bytes_ + message.text.size() > limits_.bytes())) {
    return error(errc::queue_full, size_ >= limits_.messages()
                                       ? "queue_limits::messages is " + std::to_string(limits_.messages())
                                       : "queue_limits::bytes is " + std::to_string(limits_.bytes()));
  }
  if (size_ == ring_.size()) grow();
  entry& e = at(size_);
  e.text = std::move(message.text);
  e.id = message.id;
  e.pinned = message.handshake;
  e.has_newline = e.text.capacity() > e.text.size();
  if (e.has_newline) e.text.push_back('\n');
  bytes_ += length(e);
  ++size_;
  return {};
}

COMCP_DECL void write_queue::grow() {
  std::vector<entry> bigger(std::max<std::size_t>(16, 2 * ring_.size()));
  for (std::size_t i = 0; i != size_; ++i) bigger[i] = std::move(at(i));
  ring_ = std::move(bigger);
  head_ = 0;
}

COMCP_DECL void write_queue::erase(std::size_t i) noexcept {
  bytes_ -= length(at(i));
  for (; i + 1 < size_; ++i) at(i) = std::move(at(i + 1));
  at(--size_).text = {};
}

COMCP_DECL bool write_queue::abandon(request_id id) noexcept {
  if (id == 0) return false;
  for (std::size_t i = size_; i > started_; --i) {
    if (at(i - 1).id != id) continue;
    if (at(i - 1).pinned) return false;
    erase(i - 1);
    return true;
  }
  return false;
}

COMCP_DECL std::span<asio::const_buffer const> write_queue::gather() {
  started_ = 0;
  if (size_ > 1 && bytes_of_first() <= joined_limit) return gather_joined();
  return size_ > 0 ? gather_first() : std::span<asio::const_buffer const>();
}

COMCP_DECL std::span<asio::const_buffer const> write_queue::gather_first() {
  static constexpr char newline = '\n';
  std::size_t n = 0;
  entry const& e = at(started_++);
  if (offset_ < e.text.size()) buffers_[n++] = asio::const_buffer(e.text.data() + offset_, e.text.size() - offset_);
  if (!e.has_newline) buffers_[n++] = asio::const_buffer(&newline, 1);
  return {buffers_.data(), n};
}

// Copying short messages together costs less than a buffer of its own for each, of which Asio passes on 64 at most.
COMCP_DECL std::span<asio::const_buffer const> write_queue::gather_joined() {
  joined_.clear();
  for (std::size_t skip = offset_; started_ != size_; skip = 0) {
    entry const& e = at(started_);
    if (started_ > 0 && joined_.size() + length(e) > joined_limit) break;
    joined_.append(e.text, std::min(skip, e.text.size()));
    if (!e.has_newline) joined_ += '\n';
    ++started_;
  }
  buffers_[0] = asio::const_buffer(joined_.data(), joined_.size());
  return {buffers_.data(), 1};
}

COMCP_DECL std::size_t write_queue::consume(std::size_t n) noexcept {
  std::size_t finished = 0;
  offset_ += n;
  while (size_ > 0 && offset_ >= length(at(0))) {
    std::size_t const done = length(at(0));
    offset_ -= done;
    bytes_ -= done;
    at(0).text = {};
    head_ = (head_ + 1) & (ring_.size() - 1);
    --size_;
    ++finished;
  }
  started_ = offset_ > 0 ? 1 : 0;
  return finished;
}

}  // namespace comcp::detail
#endif

namespace comcp::detail {

/// Buffers of one gathered write, by reference: cheap for Asio to copy.
class buffer_range {
 public:
  using value_type = asio::const_buffer;
  using const_iterator = asio::const_buffer const*;

  explicit buffer_range(std::span<asio::const_buffer const> buffers) : buffers_(buffers) {}
  [[nodiscard]] const_iterator begin() const noexcept { return buffers_.data(); }
  [[nodiscard]] const_iterator end() const noexcept { return buffers_.data() + buffers_.size(); }

 private:
  std::span<asio::const_buffer const> buffers_;
};

/// A stream that writes what fits at once, and says would_block for the rest.
template <class Stream>
concept writes_at_once = requires(Stream& s, std::error_code& ec, buffer_range buffers) {
  s.non_blocking(true, ec);
  { s.write_some(buffers, ec) } -> std::convertible_to<std::size_t>;
};

/// Pending handlers keep it alive. All members run on its executor. After abort() or finish() the inbox is not
/// called again; since each call of the inbox may end in either, every such call is followed by a look at it.
template <class Stream>
class stream_session : public std::enable_shared_from_this<stream_session<Stream>> {
 public:
  stream_session(asio::any_io_executor executor, Stream stream, inbox& in, std::size_t max_line, queue_limits limits)
      : executor_(std::move(executor)),
        stream_(std::move(stream)),
        inbox_(&in),
        framer_(max_line),
        queue_(limits),
        closed_signal_(executor_, asio::steady_timer::time_point::max()) {}
  stream_session(stream_session const&) = delete;
  stream_session& operator=(stream_session const&) = delete;
  virtual ~stream_session() = default;

  void start() {
    if constexpr (writes_at_once<Stream>) {
      std::error_code ec;
      stream_.non_blocking(true, ec);
      at_once_ = !ec;
    }
    read();
  }

  result<void> send(outgoing&& message) {
    if (inbox_ == nullptr || refusing_) return error(errc::closed, "the channel is closed");
    auto accepted = queue_.push(std::move(message));
    if (accepted && !writing_ && !write_scheduled_ && !delivering_) schedule_write();
    return accepted;
  }

  bool abandon(request_id id) noexcept { return inbox_ != nullptr && queue_.abandon(id); }

  /// Begins a graceful close; finish() follows, never from inside this call.
  virtual void start_close() = 0;

  /// Ends at once and silently.
  void abort() noexcept {
    inbox_ = nullptr;
    release();
  }

  [[nodiscard]] bool done() const noexcept { return inbox_ == nullptr; }
  [[nodiscard]] asio::steady_timer& closed_signal() noexcept { return closed_signal_; }

  virtual void describe(transport_info& out) const {
    out.messages_in = framer_.statistics().messages;
    out.bytes_in = framer_.statistics().bytes;
    out.messages_out = messages_out_;
    out.bytes_out = bytes_out_;
  }

 protected:
  /// No more lines will come: end of stream, a failure, or a line over the limit.
  virtual void reading_ended(error why) = 0;
  virtual void writing_ended(error why) = 0;
  /// Everything that was accepted is written.
  virtual void drained() = 0;
  /// The reader was told to stop: what is left in the stream may be fetched here, without waiting.
  virtual void fetch_rest() {}
  /// It is over: disarm what is armed.
  virtual void released() noexcept {}

  [[nodiscard]] Stream& stream() noexcept { return stream_; }
  [[nodiscard]] asio::any_io_executor const& executor() const noexcept { return executor_; }
  [[nodiscard]] bool closing() const noexcept { return closing_; }
  /// Whether nothing is left that could still be written.
  [[nodiscard]] bool idle() const noexcept { return broken_ || (queue_.empty() && !writing_); }
  [[nodiscard]] jsonrpc::framer& framer() noexcept { return framer_; }
  void fault(error what) {
    if (inbox_ != nullptr) inbox_->fault(std::move(what));
  }
  /// From now on closing() is true and sends are refused.
  void begin_close() noexcept { closing_ = refusing_ = true; }
  void refuse_sends() noexcept { refusing_ = true; }
  /// The pending read ends, then fetch_rest() is called, then reading_ended(). The caller cancels the read.
  void stop_reading() noexcept { stopping_ = true; }

  /// Calls a member of the derived class later, unless it is over by then.
  template <class Derived>
  void later(void (Derived::*member)()) {
    asio::defer(executor_, [self = this->shared_from_this(), member] {
      if (!self->done()) (static_cast<Derived&>(*self).*member)();
    });
  }

  /// Delivers every whole line that was read, and writes the answers; false when the inbox is gone.
  bool deliver_lines() {
    delivering_ = true;  // what is sent from there is written together, afterwards
    while (auto line = framer_.next()) {
      inbox_->delivered(*line, 0);
      if (inbox_ == nullptr) return false;
    }
    delivering_ = false;
    if (!queue_.empty()) write();
    return inbox_ != nullptr;
  }

  /// Tells the inbox, once. Not to be called from inside a call of a user.
  void finish(error reason) {
    if (inbox_ == nullptr) return;
    auto const keep = this->shared_from_this();
    inbox* const in = std::exchange(inbox_, nullptr);
    release();
    in->closed(std::move(reason));
  }

 private:
  void release() noexcept {
    released();
    std::error_code ignored;
    stream_.close(ignored);
    try {
      closed_signal_.cancel();
    } catch (std::system_error const&) {
      // Whoever waits for close() then waits for its own deadline.
    }
  }

  void read() {
    auto const room = framer_.prepare();
    stream_.async_read_some(
        asio::mutable_buffer(room.data(), room.size()),
        asio::bind_executor(executor_, [self = this->shared_from_this()](std::error_code ec, std::size_t n) {
          self->on_read(ec, n);
        }));
  }

  void on_read(std::error_code ec, std::size_t n) {
    if (inbox_ == nullptr) return;
    framer_.commit(n);
    if (!deliver_lines()) return;
    if (!framer_.failed() && !ec && !stopping_) return read();
    if (stopping_) fetch_rest();
    if (inbox_ != nullptr) end_reading(ec);
  }

  void end_reading(std::error_code ec) {
    if (framer_.failed()) return reading_ended(framer_.failure());
    if (auto const last = framer_.finish()) {
      inbox_->delivered(*last, 0);
      if (inbox_ == nullptr) return;
    }
    if (framer_.failed()) return reading_ended(framer_.failure());
    if (!ec || ec == asio::error::eof || stopping_) {
      return reading_ended(error(errc::transport_failed, "the server ended the stream"));
    }
    reading_ended(error(errc::transport_failed, "reading failed: " + ec.message()));
  }

  void schedule_write() {
    write_scheduled_ = true;
    asio::defer(executor_, [self = this->shared_from_this()] {
      self->write_scheduled_ = false;
      self->write();
    });
  }

  void write() {
    if (inbox_ == nullptr || writing_ || broken_) return;
    if (at_once_ && !write_now()) return;
    if (queue_.empty()) return drained();
    writing_ = true;
    stream_.async_write_some(
        buffer_range(queue_.gather()),
        asio::bind_executor(executor_, [self = this->shared_from_this()](std::error_code ec, std::size_t n) {
          self->writing_ = false;
          if (self->written(ec, n)) self->write();
        }));
  }

  // Saves a turn of the executor, mostly. False when writing failed.
  bool write_now() {
    if constexpr (writes_at_once<Stream>) {
      while (!queue_.empty()) {
        std::error_code ec;
        std::size_t const n = stream_.write_some(buffer_range(queue_.gather()), ec);
        if (ec == asio::error::would_block || ec == asio::error::try_again) break;
        if (!written(ec, n)) return false;
      }
    }
    return true;
  }

  bool written(std::error_code ec, std::size_t n) {
    bytes_out_ += n;
    messages_out_ += queue_.consume(n);
    if (inbox_ == nullptr) return false;
    if (!ec) return true;
    broken_ = refusing_ = true;
    writing_ended(error(errc::transport_failed, "writing failed: " + ec.message()));
    return false;
  }

  asio::any_io_executor executor_;
  Stream stream_;
  inbox* inbox_;
  jsonrpc::framer framer_;
  write_queue queue_;
  asio::steady_timer closed_signal_;  // never expires; cancelled when it is over
  std::uint64_t messages_out_ = 0;
  std::uint64_t bytes_out_ = 0;
  bool writing_ = false;
  bool write_scheduled_ = false;
  bool delivering_ = false;
  bool at_once_ = false;
  bool closing_ = false;
  bool refusing_ = false;
  bool stopping_ = false;
  bool broken_ = false;
};

/// Begins the close and waits for its end. Cancelling it stops only the waiting.
template <class Session>
asio::awaitable<void> close_session(std::shared_ptr<Session> session) {
  if (!session || session->done()) co_return;
  session->start_close();
  while (!session->done()) co_await session->closed_signal().async_wait(net::tuple_awaitable);
}

}  // namespace comcp::detail

namespace comcp {

/// Options of a byte_stream.
class stream_options {
 public:
  stream_options() = default;
  /// Longest line accepted from the peer, in bytes; a longer one closes with errc::limit_exceeded.
  stream_options& max_line(std::size_t bytes) { return max_line_ = bytes, *this; }
  /// Bounds of what waits to be written; beyond them send() says errc::queue_full.
  stream_options& queue(queue_limits limits) { return queue_ = limits, *this; }
  /// How long close() lets the queue drain.
  stream_options& close_wait(std::chrono::milliseconds wait) { return close_wait_ = wait, *this; }
  stream_options& time(std::shared_ptr<time_source> source) { return time_ = std::move(source), *this; }
  /// What info() says: a kind and an address without secrets.
  stream_options& label(std::string kind, std::string target) {
    return kind_ = std::move(kind), target_ = std::move(target), *this;
  }

  [[nodiscard]] std::size_t max_line() const noexcept { return max_line_; }
  [[nodiscard]] queue_limits const& queue() const noexcept { return queue_; }
  [[nodiscard]] std::chrono::milliseconds close_wait() const noexcept { return close_wait_; }
  [[nodiscard]] std::shared_ptr<time_source> time() const { return time_ ? time_ : steady_time(); }
  [[nodiscard]] std::string const& kind() const noexcept { return kind_; }
  [[nodiscard]] std::string const& target() const noexcept { return target_; }

 private:
  std::size_t max_line_ = jsonrpc::framer::default_max_line;
  queue_limits queue_;
  std::chrono::milliseconds close_wait_{1000};
  std::shared_ptr<time_source> time_;
  std::string kind_ = "stream";
  std::string target_;
};

namespace detail {

template <class Stream>
class byte_stream_session final : public stream_session<Stream> {
 public:
  byte_stream_session(asio::any_io_executor executor, Stream stream, inbox& in, stream_options const& options)
      : stream_session<Stream>(executor, std::move(stream), in, options.max_line(), options.queue()),
        time_(options.time()),
        flush_(time_->make_deadline(executor)),
        close_wait_(options.close_wait()) {}

  void start_close() override {
    if (this->closing()) return;
    this->begin_close();
    if (this->idle()) return this->later(&byte_stream_session::drained);
    give_up_later(error(errc::closed, "closed before everything was written"));
  }

 private:
  void reading_ended(error why) override {
    this->finish(this->closing() ? error(errc::closed, "closed by this side") : std::move(why));
  }

  // What the peer wrote before it stopped reading is still delivered.
  void writing_ended(error why) override { give_up_later(std::move(why)); }

  void drained() override {
    if (this->closing()) this->finish(error(errc::closed, "closed by this side"));
  }

  void released() noexcept override { flush_->disarm(); }

  void give_up_later(error why) {
    flush_->arm(time_->now() + close_wait_, [weak = this->weak_from_this(), why = std::move(why)] {
      if (auto self = weak.lock()) static_cast<byte_stream_session&>(*self).finish(why);
    });
  }

  std::shared_ptr<time_source> time_;
  std::unique_ptr<deadline> flush_;
  std::chrono::milliseconds close_wait_;
};

}  // namespace detail

/// A transport over one Asio stream: anything with async_read_some, async_write_some and close(), used from
/// the executor on which open() ran. Construct it from a connected stream (it then opens once), or from a
/// connector, which open() calls each time.
template <class Stream>
class byte_stream {
 public:
  using connector = std::function<asio::awaitable<result<Stream>>()>;

  explicit byte_stream(Stream connected, stream_options options = stream_options())
      : state_(std::make_shared<state>(std::move(options))) {
    state_->connected = std::make_unique<Stream>(std::move(connected));
  }
  explicit byte_stream(connector connect, stream_options options = stream_options())
      : state_(std::make_shared<state>(std::move(options))) {
    state_->connect = std::move(connect);
  }
  byte_stream(byte_stream&&) noexcept = default;
  byte_stream& operator=(byte_stream&& other) noexcept {
    if (this != &other) {
      abort();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~byte_stream() { abort(); }

  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in) { return open_impl(state_, in); }

  result<void> send(outgoing message) {
    if (!state_->session) return error(errc::closed, "not open");
    return state_->session->send(std::move(message));
  }

  bool abandon(request_id id) noexcept { return state_->session && state_->session->abandon(id); }

  [[nodiscard]] asio::awaitable<void> close() { return detail::close_session(state_->session); }

  [[nodiscard]] transport_info info() const {
    transport_info out;
    out.kind = state_->options.kind();
    out.target = state_->options.target();
    if (state_->session) state_->session->describe(out);
    return out;
  }

 private:
  using session_type = detail::byte_stream_session<Stream>;

  struct state {
    explicit state(stream_options o) : options(std::move(o)) {}
    stream_options options;
    connector connect;
    std::unique_ptr<Stream> connected;
    std::shared_ptr<session_type> session;
    bool gone = false;
  };

  void abort() noexcept {
    if (!state_) return;
    state_->gone = true;
    if (state_->session) state_->session->abort();
  }

  static asio::awaitable<result<void>> open_impl(std::shared_ptr<state> s, inbox& in) {
    auto executor = co_await asio::this_coro::executor;
    if (s->session && !s->session->done()) co_return error(errc::connect_failed, "already open");
    if (!s->connect && !s->connected) co_return error(errc::connect_failed, "this stream was used already");
    if (s->connect) {
      result<Stream> got = co_await s->connect();
      if (!got) co_return got.error();
      s->connected = std::make_unique<Stream>(std::move(*got));
    }
    if (s->gone) co_return error(errc::closed, "destroyed while opening");
    s->session = std::make_shared<session_type>(executor, std::move(*s->connected), in, s->options);
    s->connected.reset();
    s->session->start();
    co_return result<void>();
  }

  std::shared_ptr<state> state_;
};

}  // namespace comcp

// transport/http.hpp
// MCP over HTTP as most users want it: comcp::http(url), on the bundled engine. Other engines: streamable_http.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// auth/bearer.hpp
// A bearer token that the user has, or gets somewhere. Discovery, registration and grants are for oauth.

#include <functional>
#include <memory>
#include <string>

#include <asio/awaitable.hpp>

// auth/authenticator.hpp
// The authorization seam: which headers a request gets, and what a 401 or 403 means. And no_auth, which has nothing
// to say. Specification: 2026-07-28, basic/authorization

#include <concepts>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

// http/message.hpp
// What an HTTP engine takes and gives: requests, the head of a response, their header fields, and how the values of
// Content-Type, Retry-After and dates are read. No bytes of the wire, no I/O, no clock.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// http/url.hpp
// Absolute http and https URLs, parsed and resolved as the WHATWG URL Standard says. What it repairs silently and a
// client rather hears of is refused: user names, control characters, missing slashes, escapes in the host, port 0.
// Neither IDNA nor the network: names beyond ASCII are refused, write them as xn--.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace comcp {

/// One valid URL in its normal form. Regular; equal when the texts are. Safe to read from any thread.
class http_url {
 public:
  /// Spaces and control characters around the text are dropped, backslashes before the query are slashes. Anything that
  /// is no http or https URL is errc::invalid_argument; the error never quotes the text, which may hold secrets.
  static result<http_url> parse(std::string_view text);

  /// What `reference` means on this page: an absolute URL, "//host/path", "/path", "path", "?query" or "#fragment".
  /// It may lead to another origin; ask same_origin(). Errors as in parse().
  [[nodiscard]] result<http_url> resolve(std::string_view reference) const;

  /// "http" or "https".
  [[nodiscard]] std::string_view scheme() const noexcept { return secure_ ? "https" : "http"; }
  [[nodiscard]] bool secure() const noexcept { return secure_; }
  /// Lower-case; an IPv4 address has four decimal parts, an IPv6 address has brackets and its shortest form.
  [[nodiscard]] std::string const& host() const noexcept { return host_; }
  /// The host without brackets, as resolvers take it.
  [[nodiscard]] std::string_view host_name() const noexcept;
  /// 1 to 65535: the scheme's own where the text has none.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] bool has_default_port() const noexcept { return port_ == default_port(secure_); }
  /// Starts with a slash; free of dot segments, escaped where it must be.
  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// Without its question mark; "" and absent differ.
  [[nodiscard]] std::optional<std::string> const& query() const noexcept { return query_; }
  /// Without its hash.
  [[nodiscard]] std::optional<std::string> const& fragment() const noexcept { return fragment_; }

  /// Scheme, host and port, the default one left out: "https://example.com".
  [[nodiscard]] std::string origin() const;
  /// The value of a Host header: the host, and the port unless it is the default one.
  [[nodiscard]] std::string authority() const;
  /// What a request line names: path and query.
  [[nodiscard]] std::string target() const;
  /// The whole URL. Its query may hold secrets: origin() is the part for logs.
  [[nodiscard]] std::string text() const;

  friend bool operator==(http_url const&, http_url const&) = default;
  friend bool same_origin(http_url const& a, http_url const& b) noexcept;

 private:
  http_url() = default;
  static constexpr std::uint16_t default_port(bool secure) noexcept { return secure ? 443 : 80; }
  static result<http_url> from_authority(bool secure, std::string_view text);

  bool secure_ = false;
  std::string host_;
  std::uint16_t port_ = 0;
  std::string path_;
  std::optional<std::string> query_, fragment_;
};

/// Whether scheme, host and port are the same.
bool same_origin(http_url const& a, http_url const& b) noexcept;

namespace http_detail {
/// Whether a host can only be an IPv4 address: its last part is a number.
bool ends_in_number(std::string_view host) noexcept;
/// As browsers read them: fewer than four parts, octal and hexadecimal ones too.
std::optional<std::uint32_t> parse_ipv4(std::string_view host) noexcept;
/// Without brackets.
std::optional<std::array<std::uint16_t, 8>> parse_ipv6(std::string_view text) noexcept;
}  // namespace http_detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// http/impl/url.ipp
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace comcp {
namespace http_detail {

inline constexpr std::string_view path_escapes = "\"<>^`{}";
inline constexpr std::string_view query_escapes = "\"<>'";
inline constexpr std::string_view fragment_escapes = "\"<>`";

inline error bad_url(char const* why) { return {errc::invalid_argument, std::string("bad URL: ") + why}; }

constexpr bool is_slash(char c) noexcept { return c == '/' || c == '\\'; }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) noexcept { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
constexpr bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }
constexpr char url_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

/// The value of a hexadecimal digit, 16 for anything else.
constexpr unsigned hex_value(char c) noexcept {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  c = url_lower(c);
  return c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10) : 16;
}

COMCP_DECL std::string_view without_blank_ends(std::string_view text) noexcept {
  auto const blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The scheme that a text begins with; nothing for a relative reference.
COMCP_DECL std::optional<std::string_view> scheme_of(std::string_view text) noexcept {
  auto const colon = text.find(':');
  if (colon == text.npos || !is_letter(text[0])) return {};
  auto const scheme = text.substr(0, colon);
  auto const fits = [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; };
  if (!std::all_of(scheme.begin(), scheme.end(), fits)) return {};
  return scheme;
}

COMCP_DECL bool is_scheme(std::string_view scheme, std::string_view lower) noexcept {
  return std::equal(scheme.begin(), scheme.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return url_lower(a) == b; });
}

/// What is neither printable ASCII nor free of `special` becomes %XX; escapes that are there stay as they are.
COMCP_DECL std::string escaped(std::string_view text, std::string_view special) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && special.find(c) == special.npos) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

/// How many dots a path segment stands for, escaped ones too: 1 or 2; 0 for any other segment.
COMCP_DECL int dots(std::string_view segment) noexcept {
  int n = 0;
  while (!segment.empty() && n < 3) {
    if (segment.front() == '.') {
      segment.remove_prefix(1);
    } else if (segment.starts_with("%2e") || segment.starts_with("%2E")) {
      segment.remove_prefix(3);
    } else {
      return 0;
    }
    ++n;
  }
  return n < 3 ? n : 0;
}

/// Appends segments to a path that ends without a slash.
COMCP_DECL void append_segments(std::string& path, std::string_view segments) {
  for (bool last = false; !last;) {
    auto const end = segments.find_first_of("/\\");
    last = end == segments.npos;
    auto const segment = segments.substr(0, end);
    auto const up = dots(segment);
    if (up == 2) path.erase(std::min(path.rfind('/'), path.size()));
    if (up == 0) {
      path += '/';
      path += escaped(segment, path_escapes);
    } else if (last) {
      path += '/';
    }
    if (!last) segments.remove_prefix(end + 1);
  }
}

struct url_tail {
  explicit url_tail(std::string_view text) : path(text) {
    if (auto const hash = path.find('#'); hash != path.npos) {
      fragment = escaped(path.substr(hash + 1), fragment_escapes);
      path = path.substr(0, hash);
    }
    if (auto const mark = path.find('?'); mark != path.npos) {
      query = escaped(path.substr(mark + 1), query_escapes);
      path = path.substr(0, mark);
    }
  }
  std::string_view path;
  std::optional<std::string> query, fragment;
};

/// One part of an IPv4 address as browsers read it: 0x is hexadecimal, a leading zero octal. Too large ones saturate.
COMCP_DECL std::optional<std::uint64_t> ipv4_number(std::string_view part) noexcept {
  if (part.empty()) return {};
  unsigned base = 10;
  if (part.starts_with("0x") || part.starts_with("0X")) {
    base = 16;
    part.remove_prefix(2);
  } else if (part.size() > 1 && part[0] == '0') {
    base = 8;
    part.remove_prefix(1);
  }
  std::uint64_t value = 0;
  for (char const c : part) {
    auto const digit = hex_value(c);
    if (digit >= base) return {};
    value = std::min<std::uint64_t>(value * base + digit, std::uint64_t{1} << 32);
  }
  return value;
}

COMCP_DECL bool ends_in_number(std::string_view host) noexcept {
  if (host.ends_with('.')) host.remove_suffix(1);
  auto const last = host.substr(host.rfind('.') + 1);
  return (!last.empty() && std::all_of(last.begin(), last.end(), is_digit)) || ipv4_number(last).has_value();
}

COMCP_DECL std::optional<std::uint32_t> parse_ipv4(std::string_view host) noexcept {
  if (host.ends_with('.')) host.remove_suffix(1);
  std::uint64_t address = 0;
  for (unsigned left = 4;; --left) {
    auto const dot = host.find('.');
    bool const last = dot == host.npos;
    auto const number = ipv4_number(host.substr(0, dot));
    if (!number || *number >= std::uint64_t{1} << (last ? 8 * left : 8)) return {};
    if (last) return static_cast<std::uint32_t>(address << (8 * left) | *number);
    if (left == 1) return {};
    address = address << 8 | *number;
    host.remove_prefix(dot + 1);
  }
}

/// The dotted end of an IPv6 address: four decimal numbers without leading zeros.
COMCP_DECL std::optional<std::uint32_t> parse_dotted(std::string_view text) noexcept {
  auto const plain = [](char c) { return is_digit(c) || c == '.'; };
  if (!std::all_of(text.begin(), text.end(), plain) || std::count(text.begin(), text.end(), '.') != 3) return {};
  for (std::size_t at = 0; at != text.npos; at = text.find('.', at + 1)) {
    if (text[at] == '.') ++at;
    if (at + 1 < text.size() && text[at] == '0' && text[at + 1] != '.') return {};
  }
  return text.ends_with('.') ? std::nullopt : parse_ipv4(text);
}

using ipv6_address = std::array<std::uint16_t, 8>;

COMCP_DECL std::optional<ipv6_address> parse_ipv6(std::string_view text) noexcept {
  ipv6_address pieces{};
  std::size_t count = 0;
  std::optional<std::size_t> gap;
  if (text.starts_with(':')) {
    if (!text.starts_with("::")) return {};
    text.remove_prefix(1);
  }
  while (!text.empty()) {
    if (count == 8) return {};
    if (text.front() == ':') {
      if (gap) return {};
      gap = ++count;
      text.remove_prefix(1);
      continue;
    }
    std::size_t length = 0;
    unsigned value = 0;
    for (; length < std::min<std::size_t>(4, text.size()) && hex_value(text[length]) < 16; ++length)
      value = value << 4 | hex_value(text[length]);
    if (length < text.size() && text[length] == '.') {
      auto const tail = parse_dotted(text);
      if (!tail || count > 6) return {};
      pieces[count++] = static_cast<std::uint16_t>(*tail >> 16);
      pieces[count++] = static_cast<std::uint16_t>(*tail & 0xFFFF);
      break;
    }
    text.remove_prefix(length);
    if (!text.empty() && (text.front() != ':' || text.size() == 1)) return {};
    if (length == 0) return {};
    if (!text.empty()) text.remove_prefix(1);
    pieces[count++] = static_cast<std::uint16_t>(value);
  }
  if (!gap && count != 8) return {};
  if (gap) std::rotate(pieces.begin() + *gap, pieces.begin() + count, pieces.end());
  return pieces;
}

COMCP_DECL std::string ipv4_text(std::uint32_t address) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += std::to_string(address >> shift & 255);
    if (shift > 0) out += '.';
  }
  return out;
}

/// In brackets; the first of the longest runs of two or more zero pieces becomes "::".
COMCP_DECL std::string ipv6_text(ipv6_address const& pieces) {
  std::size_t gap = 8, longest = 1;
  for (std::size_t i = 0, run = 0; i < 8; ++i) {
    run = pieces[i] == 0 ? run + 1 : 0;
    if (run > longest) longest = run, gap = i + 1 - run;
  }
  std::string out = "[";
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == gap) {
      out += i == 0 ? "::" : ":";
      i += longest - 1;
      continue;
    }
    char digits[4];
    auto const end = std::to_chars(digits, digits + 4, static_cast<unsigned>(pieces[i]), 16).ptr;
    out.append(digits, end);
    if (i < 7) out += ':';
  }
  return out + ']';
}

COMCP_DECL result<std::string> parse_host(std::string_view text) {
  if (text.empty()) return bad_url("it names no host");
  if (text.front() == '[') {
    if (text.back() != ']') return bad_url("the bracket around an IPv6 address is not closed");
    auto const address = parse_ipv6(text.substr(1, text.size() - 2));
    if (!address) return bad_url("what is in brackets is no IPv6 address");
    return ipv6_text(*address);
  }
  std::string host(text);
  for (char& c : host) {
    if (static_cast<unsigned char>(c) >= 0x80) return bad_url("the host is not ASCII (write it as xn--)");
    if (!is_letter(c) && !is_digit(c) && std::string_view("-._~!$&'()*+,;=").find(c) == std::string_view::npos)
      return bad_url("the host has a character that no host name has");
    c = url_lower(c);
  }
  if (!ends_in_number(host)) return host;
  auto const address = parse_ipv4(host);
  if (!address) return bad_url("the host ends in a number, but is no IPv4 address");
  return ipv4_text(*address);
}

/// The port of "", ":" or ":digits"; 0 where there is none.
COMCP_DECL result<std::uint16_t> parse_port(std::string_view text) {
  if (text.size() < 2) return std::uint16_t{0};
  std::uint32_t port = 0;
  for (char const c : text.substr(1)) {
    if (!is_digit(c)) return bad_url("the port is not a number");
    port = std::min<std::uint32_t>(port * 10 + static_cast<std::uint32_t>(c - '0'), 65536);
  }
  if (port == 0 || port > 65535) return bad_url("the port is not within 1 to 65535");
  return static_cast<std::uint16_t>(port);
}

}  // namespace http_detail

COMCP_DECL result<http_url> http_url::parse(std::string_view text) {
  text = http_detail::without_blank_ends(text);
  auto const scheme = http_detail::scheme_of(text);
  bool const secure = scheme && http_detail::is_scheme(*scheme, "https");
  if (!scheme || (!secure && !http_detail::is_scheme(*scheme, "http")))
    return http_detail::bad_url("it does not start with http:// or https://");
  text.remove_prefix(scheme->size() + 1);
  if (text.size() < 2 || !http_detail::is_slash(text[0]) || !http_detail::is_slash(text[1]))
    return http_detail::bad_url("two slashes are missing after the scheme");
  return from_authority(secure, text.substr(2));
}

COMCP_DECL result<http_url> http_url::from_authority(bool secure, std::string_view text) {
  if (std::any_of(text.begin(), text.end(), http_detail::is_control))
    return http_detail::bad_url("it has a control character");
  auto const authority = text.substr(0, text.find_first_of("/\\?#"));
  text.remove_prefix(authority.size());
  if (authority.find('@') != authority.npos)
    return http_detail::bad_url("it has a user name or password; credentials belong in headers");
  auto const colon = authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
  auto host = http_detail::parse_host(authority.substr(0, colon));
  if (!host) return host.error();
  auto const port = http_detail::parse_port(colon == authority.npos ? std::string_view() : authority.substr(colon));
  if (!port) return port.error();
  http_detail::url_tail tail(text);
  http_url out;
  out.secure_ = secure;
  out.host_ = std::move(*host);
  out.port_ = *port ? *port : default_port(secure);
  http_detail::append_segments(out.path_, tail.path.substr(tail.path.empty() ? 0 : 1));
  out.query_ = std::move(tail.query);
  out.fragment_ = std::move(tail.fragment);
  return out;
}

COMCP_DECL result<http_url> http_url::resolve(std::string_view reference) const {
  reference = http_detail::without_blank_ends(reference);
  if (http_detail::scheme_of(reference)) return parse(reference);
  bool const rooted = !reference.empty() && http_detail::is_slash(reference[0]);
  if (rooted && reference.size() > 1 && http_detail::is_slash(reference[1]))
    return from_authority(secure_, reference.substr(2));
  if (std::any_of(reference.begin(), reference.end(), http_detail::is_control))
    return http_detail::bad_url("it has a control character");
  http_detail::url_tail tail(reference);
  http_url out = *this;
  if (!tail.path.empty()) {
    out.path_.erase(rooted ? 0 : out.path_.rfind('/'));
    http_detail::append_segments(out.path_, tail.path.substr(rooted ? 1 : 0));
  }
  if (!tail.path.empty() || tail.query) out.query_ = std::move(tail.query);
  out.fragment_ = std::move(tail.fragment);
  return out;
}

COMCP_DECL std::string_view http_url::host_name() const noexcept {
  std::string_view const host = host_;
  return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

COMCP_DECL std::string http_url::origin() const { return std::string(scheme()).append("://").append(authority()); }

COMCP_DECL std::string http_url::authority() const {
  return has_default_port() ? host_ : host_ + ':' + std::to_string(port_);
}

COMCP_DECL std::string http_url::target() const { return query_ ? path_ + '?' + *query_ : path_; }

COMCP_DECL std::string http_url::text() const {
  auto out = origin() + target();
  if (fragment_) out.append("#").append(*fragment_);
  return out;
}

COMCP_DECL bool same_origin(http_url const& a, http_url const& b) noexcept {
  return a.secure_ == b.secure_ && a.port_ == b.port_ && a.host_ == b.host_;
}

}  // namespace comcp
#endif

namespace comcp {

namespace http_detail {
/// Without case, of ASCII alone.
bool same_name(std::string_view a, std::string_view b) noexcept;
}  // namespace http_detail

/// Whether this is a token (RFC 9110, section 5.6.2), as methods and header names are.
bool is_http_token(std::string_view text) noexcept;

/// Whether comcp alone may set this header: those of HTTP's framing and of MCP.
bool is_protocol_header(std::string_view name) noexcept;

struct http_field {
  std::string name, value;
  friend bool operator==(http_field const&, http_field const&) = default;
};

/// Header fields in the order in which they were added. Names are compared without case and keep the case they came
/// with. No name or value here can break out of its line, so an engine may write them as they are.
class http_headers {
 public:
  http_headers() = default;

  /// Adds a field behind the others. Spaces and tabs around the value are dropped. A name that is no token, or a value
  /// with CR, LF or NUL, is errc::invalid_argument and changes nothing; the error never quotes a value.
  result<void> add(std::string name, std::string_view value);
  /// The same, but in place of every field of that name.
  result<void> set(std::string name, std::string_view value);
  /// How many fields of that name there were.
  std::size_t remove(std::string_view name);

  /// The first value of that name; null where there is none. Valid until the next change.
  [[nodiscard]] std::string const* find(std::string_view name) const noexcept;
  [[nodiscard]] bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }
  /// Every value of that name, in order. Valid until the next change.
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;

  [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
  [[nodiscard]] auto end() const noexcept { return fields_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
  [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }

 private:
  std::vector<http_field> fields_;
};

/// How long the parts of an exchange may take. What is not set is the engine's default; never says without end.
class http_timeouts {
 public:
  static constexpr auto never = std::chrono::nanoseconds::max();

  http_timeouts() {}
  /// Until there is a connection: name, TCP, proxy, TLS. Its end is errc::connect_timeout.
  http_timeouts& connect(std::chrono::nanoseconds d) { return connect_ = d, *this; }
  /// From the sent request to the head of the response. Its end is errc::response_timeout.
  http_timeouts& response(std::chrono::nanoseconds d) { return response_ = d, *this; }
  /// Between two pieces of the body, while they are waited for. Its end is errc::idle_timeout.
  http_timeouts& idle(std::chrono::nanoseconds d) { return idle_ = d, *this; }
  /// The whole exchange, from open() to the end of the body; without meaning for event streams once their head came.
  /// Its end is errc::exchange_timeout.
  http_timeouts& total(std::chrono::nanoseconds d) { return total_ = d, *this; }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> connect() const noexcept { return connect_; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> response() const noexcept { return response_; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> idle() const noexcept { return idle_; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> total() const noexcept { return total_; }

 private:
  std::optional<std::chrono::nanoseconds> connect_, response_, idle_, total_;
};

/// One request, owned: an engine takes it over. The method is a token in capitals. An engine adds what the framing
/// needs (Host, Content-Length, Connection) and nothing else.
struct http_request {
  explicit http_request(http_url where, std::string how = "GET") : method(std::move(how)), url(std::move(where)) {}

  std::string method;
  http_url url;
  http_headers headers;
  std::string body;
  http_timeouts timeouts;
  bool repeatable = false;  ///< It may reach the server twice: an engine may repeat it on another connection, once.
};

/// What precedes the body of a response.
struct http_response_head {
  http_response_head() = default;

  int status = 0;      ///< 200 to 599 where an engine gives it.
  std::string reason;  ///< As the server worded it; often empty.
  http_headers headers;
};

/// The value of a Content-Type header (RFC 9110, section 8.3).
class media_type {
 public:
  /// Nothing where the text is no `type/subtype`. A parameter that is malformed or came before is passed over.
  static std::optional<media_type> parse(std::string_view text);

  /// "application/json", in lower case.
  [[nodiscard]] std::string const& essence() const noexcept { return essence_; }
  /// Whether it is this type, without case and whatever the parameters are.
  [[nodiscard]] bool is(std::string_view essence) const noexcept;
  /// The value of a parameter such as "charset", unquoted, its case kept; null where there is none.
  [[nodiscard]] std::string const* parameter(std::string_view name) const noexcept;

 private:
  media_type() = default;

  std::string essence_;
  std::vector<http_field> parameters_;
};

/// An HTTP date in any of the three forms of RFC 9110, section 5.6.7; nothing for anything else. `now` tells the
/// century of a year with two digits.
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text,
                                                        std::chrono::system_clock::time_point now) noexcept;

/// How long a Retry-After value asks to wait: seconds or a date, from zero (dates that are past) to `most`, whatever
/// the server says. Nothing where it is neither.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view text, std::chrono::system_clock::time_point now,
                                                      std::chrono::seconds most) noexcept;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// http/impl/message.ipp
#include <algorithm>
#include <array>
#include <cstdint>

namespace comcp {
namespace http_detail {

constexpr char field_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

COMCP_DECL bool same_name(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return field_lower(x) == field_lower(y); });
}

COMCP_DECL std::string in_lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), field_lower);
  return out;
}

COMCP_DECL std::string_view without_field_blanks(std::string_view text) noexcept {
  auto const first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

inline constexpr auto token_characters = [] {
  std::array<bool, 256> fits{};
  for (char const c : std::string_view("!#$%&'*+-.^_`|~")) fits[static_cast<unsigned char>(c)] = true;
  for (unsigned i = 0; i < 26; ++i) fits['a' + i] = fits['A' + i] = true;
  for (unsigned i = 0; i < 10; ++i) fits['0' + i] = true;
  return fits;
}();

COMCP_DECL result<std::string> checked_value(std::string_view name, std::string_view value) {
  if (!is_http_token(name)) return error(errc::invalid_argument, "a header's name is not a token");
  if (std::any_of(value.begin(), value.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; }))
    return error(errc::invalid_argument, "the value of header " + std::string(name) + " has CR, LF or NUL");
  return std::string(without_field_blanks(value));
}

/// Takes texts apart from the left. What does not fit stays, and `ok` becomes false for good.
class field_scanner {
 public:
  explicit field_scanner(std::string_view text) noexcept : rest_(text) {}

  field_scanner& literal(std::string_view expected) noexcept {
    if (rest_.starts_with(expected)) {
      rest_.remove_prefix(expected.size());
    } else {
      ok_ = false;
    }
    return *this;
  }
  /// Exactly so many digits.
  field_scanner& number(std::size_t digits, unsigned& out) noexcept {
    out = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') return ok_ = false, *this;
      out = out * 10 + static_cast<unsigned>(rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return *this;
  }
  /// 1 for the first of `names`.
  field_scanner& one_of(auto const& names, unsigned& out) noexcept {
    out = 1;
    for (std::string_view const name : names) {
      if (rest_.starts_with(name)) return literal(name);
      ++out;
    }
    return ok_ = false, *this;
  }
  [[nodiscard]] bool at(char c) const noexcept { return rest_.starts_with(c); }
  [[nodiscard]] bool finished() const noexcept { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

inline constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
inline constexpr std::array<std::string_view, 7> short_days = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
inline constexpr std::array<std::string_view, 7> long_days = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                              "Friday", "Saturday", "Sunday"};

struct date_parts {
  unsigned year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, weekday = 0;

  [[nodiscard]] std::optional<std::chrono::sys_seconds> time() const noexcept {
    using namespace std::chrono;
    year_month_day const date(std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                              std::chrono::day(day));
    if (!date.ok() || hour > 23 || minute > 59 || second > 60) return {};  // 60: a leap second
    return sys_days(date) + hours(hour) + minutes(minute) + seconds(second);
  }
};

inline void scan_clock(field_scanner& s, date_parts& d) noexcept {
  s.number(2, d.hour).literal(":").number(2, d.minute).literal(":").number(2, d.second);
}

/// Sun, 06 Nov 1994 08:49:37 GMT
COMCP_DECL std::optional<std::chrono::sys_seconds> fixed_date(std::string_view text) noexcept {
  date_parts d;
  field_scanner s(text);
  s.one_of(short_days, d.weekday).literal(", ").number(2, d.day).literal(" ").one_of(months, d.month);
  s.literal(" ").number(4, d.year).literal(" ");
  scan_clock(s, d);
  return s.literal(" GMT").finished() ? d.time() : std::nullopt;
}

/// Sun Nov  6 08:49:37 1994
COMCP_DECL std::optional<std::chrono::sys_seconds> asctime_date(std::string_view text) noexcept {
  date_parts d;
  field_scanner s(text);
  s.one_of(short_days, d.weekday).literal(" ").one_of(months, d.month).literal(" ");
  if (s.at(' ')) {
    s.literal(" ").number(1, d.day);
  } else {
    s.number(2, d.day);
  }
  s.literal(" ");
  scan_clock(s, d);
  return s.literal(" ").number(4, d.year).finished() ? d.time() : std::nullopt;
}

/// Sunday, 06-Nov-94 08:49:37 GMT: a year that would be more than 50 years ahead is of the century before.
COMCP_DECL std::optional<std::chrono::sys_seconds> obsolete_date(std::string_view text,
                                                                 std::chrono::system_clock::time_point now) noexcept {
  using namespace std::chrono;
  date_parts d;
  field_scanner s(text);
  s.one_of(long_days, d.weekday).literal(", ").number(2, d.day).literal("-").one_of(months, d.month);
  s.literal("-").number(2, d.year).literal(" ");
  scan_clock(s, d);
  if (!s.literal(" GMT").finished()) return {};
  auto const current = static_cast<int>(year_month_day(floor<days>(now)).year());
  auto full = current / 100 * 100 + static_cast<int>(d.year);
  if (full > current + 50) full -= 100;
  if (full < current - 49) full += 100;
  d.year = static_cast<unsigned>(full);
  return d.time();
}

/// The parameter at the start of `rest`, which is cut off with its semicolon; its name is empty where it is malformed.
COMCP_DECL http_field next_parameter(std::string_view& rest) {
  auto const equals = rest.find_first_of("=;");
  http_field out{in_lower_case(without_field_blanks(rest.substr(0, equals))), {}};
  bool good = equals != rest.npos && rest[equals] == '=' && is_http_token(out.name);
  rest.remove_prefix(std::min(equals, rest.size()));
  if (rest.starts_with("=\"")) {
    std::size_t at = 2;
    for (; at < rest.size() && rest[at] != '"'; ++at) {
      if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
      out.value += rest[at];
    }
    good = good && at < rest.size();
    rest.remove_prefix(std::min(at + 1, rest.size()));
    good = good && without_field_blanks(rest.substr(0, rest.find(';'))).empty();
  } else if (rest.starts_with('=')) {
    out.value = without_field_blanks(rest.substr(1, rest.find(';') - 1));
    good = good && is_http_token(out.value);
  }
  auto const semicolon = rest.find(';');
  rest.remove_prefix(semicolon == rest.npos ? rest.size() : semicolon + 1);
  if (!good) out.name.clear();
  return out;
}

}  // namespace http_detail

COMCP_DECL bool is_http_token(std::string_view text) noexcept {
  static constexpr auto& fits = http_detail::token_characters;
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return fits[static_cast<unsigned char>(c)]; });
}

COMCP_DECL bool is_protocol_header(std::string_view name) noexcept {
  static constexpr std::array<std::string_view, 10> names{
      "accept", "accept-encoding", "connection",        "content-length", "content-type",
      "host",   "last-event-id",   "transfer-encoding", "te",             "upgrade"};
  return http_detail::same_name(name.substr(0, 4), "mcp-") ||
         std::any_of(names.begin(), names.end(), [&](auto n) { return http_detail::same_name(name, n); });
}

COMCP_DECL result<void> http_headers::add(std::string name, std::string_view value) {
  auto checked = http_detail::checked_value(name, value);
  if (!checked) return checked.error();
  fields_.push_back({std::move(name), std::move(*checked)});
  return {};
}

COMCP_DECL result<void> http_headers::set(std::string name, std::string_view value) {
  auto checked = http_detail::checked_value(name, value);
  if (!checked) return checked.error();
  remove(name);
  fields_.push_back({std::move(name), std::move(*checked)});
  return {};
}

COMCP_DECL std::size_t http_headers::remove(std::string_view name) {
  std::string const wanted(name);  // it may be a field's own
  return std::erase_if(fields_, [&](http_field const& f) { return http_detail::same_name(f.name, wanted); });
}

COMCP_DECL std::string const* http_headers::find(std::string_view name) const noexcept {
  for (auto const& field : fields_)
    if (http_detail::same_name(field.name, name)) return &field.value;
  return nullptr;
}

COMCP_DECL std::vector<std::string_view> http_headers::all(std::string_view name) const {
  std::vector<std::string_view> out;
  for (auto const& field : fields_)
    if (http_detail::same_name(field.name, name)) out.emplace_back(field.value);
  return out;
}

COMCP_DECL std::optional<media_type> media_type::parse(std::string_view text) {
  auto const semicolon = text.find(';');
  auto const essence = http_detail::without_field_blanks(text.substr(0, semicolon));
  auto const slash = essence.find('/');
  if (slash == essence.npos || !is_http_token(essence.substr(0, slash)) || !is_http_token(essence.substr(slash + 1)))
    return {};
  media_type out;
  out.essence_ = http_detail::in_lower_case(essence);
  auto rest = semicolon == text.npos ? std::string_view() : text.substr(semicolon + 1);
  while (!rest.empty()) {
    auto parameter = http_detail::next_parameter(rest);
    if (!parameter.name.empty() && !out.parameter(parameter.name)) out.parameters_.push_back(std::move(parameter));
  }
  return out;
}

COMCP_DECL bool media_type::is(std::string_view essence) const noexcept {
  return http_detail::same_name(essence_, essence);
}

COMCP_DECL std::string const* media_type::parameter(std::string_view name) const noexcept {
  for (auto const& p : parameters_)
    if (http_detail::same_name(p.name, name)) return &p.value;
  return nullptr;
}

COMCP_DECL std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text,
                                                                   std::chrono::system_clock::time_point now) noexcept {
  text = http_detail::without_field_blanks(text);
  if (auto const time = http_detail::fixed_date(text)) return time;
  if (auto const time = http_detail::asctime_date(text)) return time;
  return http_detail::obsolete_date(text, now);
}

COMCP_DECL std::optional<std::chrono::seconds> parse_retry_after(std::string_view text,
                                                                 std::chrono::system_clock::time_point now,
                                                                 std::chrono::seconds most) noexcept {
  using namespace std::chrono;
  text = http_detail::without_field_blanks(text);
  if (text.empty()) return {};
  if (text.find_first_not_of("0123456789") == text.npos) {
    seconds wait{0};
    for (char const c : text) {
      wait = wait * 10 + seconds(c - '0');
      if (wait >= most || wait >= hours(24 * 365 * 100)) return most;
    }
    return wait;
  }
  auto const time = parse_http_date(text, now);
  if (!time) return {};
  return std::min<seconds>(std::max<seconds>(*time - floor<seconds>(now), seconds(0)), most);
}

}  // namespace comcp
#endif

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
  [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const&);
  [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const&, http_headers const&,
                                                                 http_response_head const&);
  [[nodiscard]] std::string identity() const { return {}; }
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// auth/impl/authenticator.ipp

namespace comcp {

COMCP_DECL asio::awaitable<result<http_headers>> no_auth::headers(auth_request const&) { co_return http_headers(); }

COMCP_DECL asio::awaitable<result<auth_verdict>> no_auth::challenged(auth_request const&, http_headers const&,
                                                                     http_response_head const&) {
  co_return auth_verdict::give_up;
}

}  // namespace comcp
#endif

// secret.hpp
// A text that must not be shown: tokens, passwords, credentials.

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace comcp {

/// Prints as ***. Regular; reveal() is the one way to the text.
class secret {
 public:
  secret() = default;
  explicit secret(std::string text) noexcept : text_(std::move(text)) {}

  [[nodiscard]] std::string const& reveal() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

  friend bool operator==(secret const&, secret const&) = default;
  friend std::ostream& operator<<(std::ostream& out, secret const&) { return out << "***"; }

 private:
  std::string text_;
};

namespace detail {
/// Takes as long wherever they differ.
inline bool same_secret(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  unsigned char volatile different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different = static_cast<unsigned char>(different | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
  return different == 0;
}
}  // namespace detail

}  // namespace comcp

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
  explicit bearer(secret token);
  explicit bearer(std::string token) : bearer(secret(std::move(token))) {}
  explicit bearer(token_source source);

  [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const& request);
  [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const& request, http_headers const& sent,
                                                                 http_response_head const& got);
  [[nodiscard]] std::string identity() const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// auth/impl/bearer.ipp
#include <atomic>
#include <optional>
#include <utility>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

namespace comcp {

struct bearer::state {
  explicit state(secret t, token_source s) : token(std::move(t)), source(std::move(s)) {
    static std::atomic<std::uint64_t> count{0};
    number = ++count;
  }

  // Asks the source in a coroutine of its own, so that cancelling one of those who wait does not end it for all.
  static asio::awaitable<result<void>> renew(std::shared_ptr<state> self, token_need need) {
    if (!self->asking) {
      auto const executor = co_await asio::this_coro::executor;
      self->asking.emplace(executor, asio::steady_timer::time_point::max());
      auto work = ask(self, need);
      detail::spawn(executor, std::move(work));
    }
    auto const round = self->rounds;
    while (self->asking && self->rounds == round) co_await self->asking->async_wait(net::tuple_awaitable);
    if (self->failure) co_return self->failure;
    co_return result<void>();
  }

  // Lets those go on who wait, also when the coroutine is destroyed.
  struct end_of_round {
    explicit end_of_round(state& s) noexcept : of(s) {}
    end_of_round(end_of_round const&) = delete;
    end_of_round& operator=(end_of_round const&) = delete;
    ~end_of_round() {
      ++of.rounds;
      auto const waiting = std::exchange(of.asking, std::nullopt);
    }
    state& of;
  };

  static asio::awaitable<void> ask(std::shared_ptr<state> self, token_need need) {
    end_of_round const at_the_end(*self);
    error failure;
    secret fresh;
    try {
      fresh = co_await self->source(need);
      if (fresh.empty()) failure = error(errc::unauthorized, "the token source gave no token");
    } catch (exception const& e) {
      failure = e.error();
    } catch (...) {
      failure = error(errc::unauthorized, "the token source failed");
    }
    if (!failure) self->token = std::move(fresh);
    self->failure = std::move(failure);
  }

  secret token;
  token_source source;
  std::uint64_t number = 0;
  std::uint64_t rounds = 0;
  std::optional<asio::steady_timer> asking;  // while the source is asked; ends when it answered
  error failure;                             // of the last time
};

COMCP_DECL bearer::bearer(secret token) : state_(std::make_shared<state>(std::move(token), token_source())) {}
COMCP_DECL bearer::bearer(token_source source) : state_(std::make_shared<state>(secret(), std::move(source))) {}

COMCP_DECL asio::awaitable<result<http_headers>> bearer::headers(auth_request const&) {
  auto const s = state_;
  if (s->token.empty() && s->source) {
    auto const got = co_await state::renew(s, token_need::first);
    if (!got) co_return got.error();
  }
  http_headers out;
  auto const added = out.add("Authorization", "Bearer " + s->token.reveal());
  if (!added) co_return error(errc::invalid_argument, "the token has characters that no header carries");
  co_return out;
}

COMCP_DECL asio::awaitable<result<auth_verdict>> bearer::challenged(auth_request const& request, http_headers const& sent,
                                                                    http_response_head const& got) {
  auto const s = state_;
  bool const again = request.challenges > 0;
  if (got.status != 401 || !s->source) co_return auth_verdict::give_up;
  auto const* const header = sent.find("Authorization");
  auto const used = header ? *header : std::string();
  bool const is_current = used == "Bearer " + s->token.reveal();
  if (again && is_current) co_return auth_verdict::give_up;
  if (!is_current) co_return auth_verdict::try_again;  // another request has renewed it meanwhile
  auto const renewed = co_await state::renew(s, token_need::refused);
  if (!renewed) co_return renewed.error();
  bool const is_new = used != "Bearer " + s->token.reveal();
  co_return is_new ? auth_verdict::try_again : auth_verdict::give_up;
}

COMCP_DECL std::string bearer::identity() const { return "bearer " + std::to_string(state_->number); }

}  // namespace comcp
#endif

// http/default_engine.hpp
// The engine that comcp takes where the user names none: with TLS where the build has it.

#include <memory>
#include <utility>

// http/asio_engine.hpp
// HTTP/1.1 on one Asio executor: exchanges on connections that are kept between them. Decides when a request may go
// out twice; how to connect is the connector's, what bytes mean the parser's. Templates, so that only who uses HTTP
// compiles the coroutines.

#include <algorithm>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/this_coro.hpp>

// http/asio_engine_options.hpp
// What can be set for the Asio engines: how long, how many, how large. Where connections come from is the connector's.

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

// http/response_parser.hpp
// Takes one HTTP/1.1 response apart as its bytes come: head, body without its framing, end. It is strict where a
// peer that reads otherwise could be told something else; what to do with the connection is for others.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace comcp {

/// What a response may be at most. Whatever is more is errc::limit_exceeded, and its text names the limit.
class response_limits {
 public:
  response_limits() {}
  /// Header fields of a head, those of the interim responses before it and of the trailer included: 100.
  response_limits& headers(std::size_t n) { return headers_ = n, *this; }
  /// Bytes of one line of a head, a trailer or a chunk size: 16 KiB.
  response_limits& line(std::size_t bytes) { return line_ = bytes, *this; }
  /// Bytes of the head, interim responses and trailer included: 64 KiB. As many more, and 16 for each byte of data, may
  /// be sizes and extensions of chunks.
  response_limits& head(std::size_t bytes) { return head_ = bytes, *this; }
  /// Bytes of the body: 64 MiB. An event stream (text/event-stream) may be of any length.
  response_limits& body(std::uint64_t bytes) { return body_ = bytes, *this; }

  [[nodiscard]] std::size_t headers() const noexcept { return headers_; }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] std::size_t head() const noexcept { return head_; }
  [[nodiscard]] std::uint64_t body() const noexcept { return body_; }

 private:
  std::size_t headers_ = 100;
  std::size_t line_ = std::size_t{16} << 10;
  std::size_t head_ = std::size_t{64} << 10;
  std::uint64_t body_ = std::uint64_t{64} << 20;
};

/// Incremental parser of one response. It copies the head and what an unfinished line needs, and no body.
///
///     std::string_view bytes = ...;
///     for (;;) switch (p.next(bytes)) {
///       case progress::more: ...     // all bytes are used; on the end of the connection call finish()
///       case progress::head: ...     // once: p.head()
///       case progress::body: ...     // p.body(), a part of what `bytes` was
///       case progress::end: ...      // what is left in `bytes` is no part of the response
///       case progress::failed: ...   // p.failure(), and so for ever
///     }
///
/// Interim responses (1xx) are passed over, trailers are checked and dropped.
/// Specification: RFC 9112, sections 4 to 7 and 9.
class response_parser {
 public:
  enum class progress { more, head, body, end, failed };

  /// `method` is that of the request: what it is decides whether a body follows.
  explicit response_parser(std::string_view method = "GET", response_limits limits = response_limits())
      : limits_(limits), without_body_(method == "HEAD") {}

  /// Takes what it can from the front of `bytes`, up to the next thing to tell.
  progress next(std::string_view& bytes);
  /// The connection ended: `end` where that ends the body, otherwise `failed` with errc::transport_failed.
  progress finish();

  /// Precondition: next() gave `head`. It may be moved out.
  [[nodiscard]] http_response_head& head() noexcept { return head_; }
  /// The piece that next() gave last, valid as long as the bytes it was given.
  [[nodiscard]] std::string_view body() const noexcept { return body_; }
  /// errc::protocol_violation, errc::limit_exceeded or errc::transport_failed, with the status where it is known.
  /// It quotes no value of a header. Precondition: next() or finish() gave `failed`.
  [[nodiscard]] error const& failure() const noexcept { return failure_; }

  /// Whether any byte of a response came.
  [[nodiscard]] bool started() const noexcept { return started_; }
  [[nodiscard]] bool ended() const noexcept { return at_ == part::done; }
  /// Whether the head says text/event-stream.
  [[nodiscard]] bool event_stream() const noexcept { return event_stream_; }
  /// Whether the connection may carry another request once the response has ended.
  [[nodiscard]] bool keeps_connection() const noexcept { return keep_ && ended(); }
  /// `timeout` of the Keep-Alive header: how long the server keeps an idle connection.
  [[nodiscard]] std::optional<std::chrono::seconds> keep_alive() const noexcept { return keep_alive_; }

 private:
  enum class part {
    status, fields, known_length, until_close, chunk_size, chunk_data, chunk_end, trailer, done, failed
  };

  progress step(std::string_view& bytes);
  progress line(std::string_view text);
  progress status_line(std::string_view text);
  progress field_line(std::string_view text);
  progress end_of_head();
  progress choose_framing();
  progress framed_by_length();
  progress chunk_size_line(std::string_view text);
  progress chunk_end(std::string_view& bytes);
  progress piece(std::string_view& bytes);
  progress count_body(std::uint64_t more);
  void read_connection();
  [[nodiscard]] bool whole_line(std::string_view& bytes, std::string_view& out);
  progress fail(errc code, std::string text);
  progress violation(std::string text) { return fail(errc::protocol_violation, std::move(text)); }

  response_limits limits_;
  http_response_head head_;
  std::string_view body_;
  std::string held_;            // start of a line, until the rest comes
  std::string line_;            // a line that was held
  std::uint64_t left_ = 0;      // of the body or chunk
  std::uint64_t body_bytes_ = 0;
  std::uint64_t chunk_lines_ = 0;  // how many bytes of chunk sizes and extensions may still come
  std::size_t head_bytes_ = 0;
  std::size_t fields_ = 0;
  std::optional<std::chrono::seconds> keep_alive_;
  error failure_;
  part at_ = part::status;
  bool without_body_;
  bool started_ = false;
  bool keep_ = false;
  bool one_dot_zero_ = false;
  bool event_stream_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// http/impl/response_parser.ipp
#include <algorithm>
#include <limits>
#include <utility>

namespace comcp {
namespace http_detail::response_text {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

constexpr char lower_case(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

constexpr bool same_word(std::string_view a, std::string_view lower) noexcept {
  return a.size() == lower.size() &&
         std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) { return lower_case(x) == y; });
}

constexpr std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// A number of decimal digits alone; nothing where it is none or does not fit.
constexpr std::optional<std::uint64_t> whole_number(std::string_view text) noexcept {
  if (text.empty()) return {};
  std::uint64_t out = 0;
  for (char const c : text) {
    if (!is_digit(c)) return {};
    auto const digit = static_cast<std::uint64_t>(c - '0');
    if (out > (std::numeric_limits<std::int64_t>::max() - digit) / 10) return {};
    out = out * 10 + digit;
  }
  return out;
}

/// Calls `each` with every element of a comma-separated list.
void for_each_element(std::string_view list, auto&& each) {
  while (!list.empty()) {
    auto const comma = std::min(list.find(','), list.size());
    each(trimmed(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace http_detail::response_text

COMCP_DECL response_parser::progress response_parser::fail(errc code, std::string text) {
  at_ = part::failed;
  failure_ = error(code, std::move(text));
  if (head_.status != 0) {
    transport_detail detail;
    detail.http_status = head_.status;
    failure_ = failure_.with_detail(std::move(detail));
  }
  return progress::failed;
}

COMCP_DECL response_parser::progress response_parser::next(std::string_view& bytes) {
  for (;;) {
    if (at_ == part::done) return progress::end;
    if (at_ == part::failed) return progress::failed;
    if (bytes.empty()) return progress::more;
    started_ = true;
    auto const told = step(bytes);
    if (told != progress::more) return told;
  }
}

COMCP_DECL response_parser::progress response_parser::finish() {
  if (at_ == part::until_close) at_ = part::done;
  if (at_ == part::done) return progress::end;
  if (at_ == part::failed) return progress::failed;
  if (!started_) return fail(errc::transport_failed, "the server closed the connection before its response");
  bool const in_head = at_ == part::status || at_ == part::fields;
  return fail(errc::transport_failed, in_head ? "the connection ended within the head of a response"
                                              : "the connection ended within the body of a response");
}

COMCP_DECL response_parser::progress response_parser::step(std::string_view& bytes) {
  switch (at_) {
    case part::known_length:
    case part::until_close:
    case part::chunk_data: return piece(bytes);
    case part::chunk_end: return chunk_end(bytes);
    default: break;
  }
  std::string_view text;
  if (!whole_line(bytes, text)) return at_ == part::failed ? progress::failed : progress::more;
  return line(text);
}

// A line that ends with LF alone is taken in heads, as RFC 9112 (section 2.2) allows, but not between chunks.
COMCP_DECL bool response_parser::whole_line(std::string_view& bytes, std::string_view& out) {
  auto const end = bytes.find('\n');
  auto const length = std::min(end, bytes.size());
  if (held_.size() + length > limits_.line())
    return fail(errc::limit_exceeded, "a line of the response is longer than the limit of line bytes"), false;
  out = bytes.substr(0, length);
  if (end == std::string_view::npos || !held_.empty()) held_ += out;
  bytes.remove_prefix(std::min(length + 1, bytes.size()));
  if (at_ == part::status) {
    auto const start = (held_.empty() ? out : std::string_view(held_)).substr(0, 5);
    if (!std::string_view("HTTP/").starts_with(start)) return violation("what came is no HTTP response"), false;
  }
  if (end == std::string_view::npos) return false;
  if (!held_.empty()) {
    line_.swap(held_);
    held_.clear();
    out = line_;
  }
  bool const with_return = out.ends_with('\r');
  if (with_return) out.remove_suffix(1);
  if (!with_return && at_ == part::chunk_size) return violation("the line of a chunk size ends without CR"), false;
  if (out.find('\r') != out.npos) return violation("a line of the response has a CR inside"), false;
  if (at_ == part::chunk_size) return true;
  head_bytes_ += out.size() + 2;
  if (head_bytes_ > limits_.head())
    return fail(errc::limit_exceeded, "the head of the response is longer than the limit of head bytes"), false;
  return true;
}

COMCP_DECL response_parser::progress response_parser::line(std::string_view text) {
  switch (at_) {
    case part::status: return status_line(text);
    case part::chunk_size: return chunk_size_line(text);
    default: break;
  }
  if (!text.empty()) return field_line(text);
  if (at_ == part::fields) return end_of_head();
  at_ = part::done;
  return progress::end;
}

COMCP_DECL response_parser::progress response_parser::status_line(std::string_view text) {
  using http_detail::response_text::is_digit;
  bool const good = text.size() >= 12 && text.starts_with("HTTP/1.") && is_digit(text[7]) && text[8] == ' ' &&
                    is_digit(text[9]) && is_digit(text[10]) && is_digit(text[11]) &&
                    (text.size() == 12 || text[12] == ' ') && text.find('\0') == text.npos;
  if (!good) return violation("the status line is not one of HTTP/1.1");
  auto const status = (text[9] - '0') * 100 + (text[10] - '0') * 10 + (text[11] - '0');
  if (status < 100 || status > 599) return violation("the status is not between 100 and 599");
  one_dot_zero_ = text[7] == '0';
  head_.status = status;
  head_.reason = text.substr(std::min<std::size_t>(13, text.size()));
  at_ = part::fields;
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::field_line(std::string_view text) {
  if (++fields_ > limits_.headers())
    return fail(errc::limit_exceeded, "the response has more header fields than the limit of headers");
  if (text[0] == ' ' || text[0] == '\t') return violation("a header field goes on in a second line");
  auto const colon = text.find(':');
  if (colon == text.npos) return violation("a header field has no colon");
  auto const name = text.substr(0, colon);
  auto const value = text.substr(colon + 1);
  if (at_ == part::trailer) {
    if (is_http_token(name) && value.find('\0') == value.npos) return progress::more;
    return violation("a field of the trailer is malformed");
  }
  auto const added = head_.headers.add(std::string(name), value);
  if (!added) return violation("a header field is malformed");
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::end_of_head() {
  if (head_.status == 101) return violation("the server switched protocols, which nobody asked for");
  if (head_.status < 200) {
    head_ = http_response_head();
    at_ = part::status;
    return progress::more;
  }
  if (auto const* type = head_.headers.find("content-type")) {
    auto const parsed = media_type::parse(*type);
    event_stream_ = parsed && parsed->is("text/event-stream");
  }
  read_connection();
  auto const failed = choose_framing();
  return failed == progress::failed ? failed : progress::head;
}

COMCP_DECL void response_parser::read_connection() {
  bool close = false, keep = false;
  for (auto const& field : head_.headers) {
    if (http_detail::response_text::same_word(field.name, "connection")) {
      http_detail::response_text::for_each_element(field.value, [&](std::string_view word) {
        close = close || http_detail::response_text::same_word(word, "close");
        keep = keep || http_detail::response_text::same_word(word, "keep-alive");
      });
    } else if (http_detail::response_text::same_word(field.name, "keep-alive")) {
      http_detail::response_text::for_each_element(field.value, [&](std::string_view word) {
        if (word.size() < 8 || !http_detail::response_text::same_word(word.substr(0, 8), "timeout=")) return;
        constexpr std::uint64_t longest = 1'000'000;
        if (auto const n = http_detail::response_text::whole_number(word.substr(8)))
          keep_alive_ = std::chrono::seconds(std::min(*n, longest));
      });
    }
  }
  keep_ = !close && (!one_dot_zero_ || keep);
}

// RFC 9112, section 6.3. Two lengths are refused even where they are equal, as RFC 9110, section 8.6 allows.
COMCP_DECL response_parser::progress response_parser::choose_framing() {
  auto const codings = head_.headers.all("transfer-encoding");
  auto const lengths = head_.headers.all("content-length");
  if (!codings.empty() && !lengths.empty()) return violation("Content-Length and Transfer-Encoding in one response");
  if (lengths.size() > 1) return violation("more than one Content-Length");
  if (!codings.empty() && (codings.size() > 1 || !http_detail::response_text::same_word(codings[0], "chunked")))
    return violation("a Transfer-Encoding other than chunked");
  if (!codings.empty() && one_dot_zero_) return violation("Transfer-Encoding in a response of HTTP/1.0");
  if (!lengths.empty()) {
    auto const length = http_detail::response_text::whole_number(lengths[0]);
    if (!length) return violation("a malformed Content-Length");
    left_ = *length;
  }
  if (without_body_ || head_.status == 204 || head_.status == 304) {
    at_ = part::done;
    // A 204 has no body; one that announces it may send it as well.
    if (head_.status == 204 && (left_ != 0 || !codings.empty())) keep_ = false;
  } else if (!codings.empty()) {
    at_ = part::chunk_size;
    chunk_lines_ = limits_.head();
  } else if (!lengths.empty()) {
    return framed_by_length();
  } else {
    at_ = part::until_close;
    keep_ = false;
  }
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::framed_by_length() {
  at_ = left_ == 0 ? part::done : part::known_length;
  return count_body(left_);
}

COMCP_DECL response_parser::progress response_parser::count_body(std::uint64_t more) {
  if (event_stream_) return progress::more;
  if (more > limits_.body() - body_bytes_)
    return fail(errc::limit_exceeded, "the body of the response is longer than the limit of body bytes");
  body_bytes_ += more;
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::chunk_size_line(std::string_view text) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < text.size(); ++digits) {
    char const c = http_detail::response_text::lower_case(text[digits]);
    bool const letter = c >= 'a' && c <= 'f';
    if (!letter && !http_detail::response_text::is_digit(c)) break;
    if (size >> 59 != 0) return violation("a chunk size that is too large");
    size = size << 4 | static_cast<std::uint64_t>(letter ? c - 'a' + 10 : c - '0');
  }
  auto const rest = http_detail::response_text::trimmed(text.substr(digits));
  bool const extended = rest.starts_with(';') && rest.find('\0') == rest.npos;
  if (digits == 0 || (digits != text.size() && !extended)) return violation("a malformed chunk size");
  auto const overhead = text.size() + 4;
  if (overhead > chunk_lines_)
    return fail(errc::limit_exceeded, "sizes and extensions of chunks exceed head bytes and 16 for each byte of data");
  chunk_lines_ -= overhead;
  constexpr std::uint64_t plenty = std::uint64_t{1} << 32;  // and no overflow
  if (chunk_lines_ < plenty) chunk_lines_ += 16 * std::min(size, plenty);
  if (size == 0) return at_ = part::trailer, progress::more;
  at_ = part::chunk_data;
  left_ = size;
  return count_body(size);
}

COMCP_DECL response_parser::progress response_parser::chunk_end(std::string_view& bytes) {
  // left_ counts what is missing of CR LF.
  if (bytes[0] != (left_ == 2 ? '\r' : '\n')) return violation("a chunk does not end where its size says");
  bytes.remove_prefix(1);
  if (--left_ == 0) at_ = part::chunk_size;
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::piece(std::string_view& bytes) {
  if (at_ == part::until_close) {
    body_ = std::exchange(bytes, {});
    auto const counted = count_body(body_.size());
    return counted == progress::failed ? counted : progress::body;
  }
  body_ = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  bytes.remove_prefix(body_.size());
  left_ -= body_.size();
  if (left_ == 0 && at_ == part::chunk_data) {
    left_ = 2;
    at_ = part::chunk_end;
  } else if (left_ == 0) {
    at_ = part::done;
  }
  return progress::body;
}

}  // namespace comcp
#endif

// net/resolver.hpp
// From a host name to its addresses. The system's lookup cannot be cancelled, so that nobody waits for it: it runs
// detached, and what comes late is dropped. Templates, so that only who resolves pays for them.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

namespace comcp::net {

/// Addresses with their port, in the order in which they are to be tried.
using endpoints = std::vector<asio::ip::tcp::endpoint>;

/// The addresses that are tried at most, however many a name has.
inline constexpr std::size_t max_addresses = 16;

/// Whether a connection may be made to this address. Empty: to all.
using address_filter = std::function<bool(asio::ip::address const&)>;

/// Looks a name up and calls `done` once, on the executor, then or later. It may be called after nobody waits any more.
using lookup_done = std::function<void(std::error_code, endpoints)>;
using lookup_function =
    std::function<void(asio::any_io_executor on, std::string host, std::uint16_t port, lookup_done done)>;

/// The lookup_function of the system: getaddrinfo, on a thread that Asio keeps for each context. One name that takes
/// long delays the others of its context, and the end of the context waits until getaddrinfo has returned.
template <class Executor = asio::any_io_executor>
void system_lookup(Executor on, std::string host, std::uint16_t port, lookup_done done) {
  using resolver = asio::ip::basic_resolver<asio::ip::tcp, Executor>;
  auto const asked = std::make_shared<resolver>(std::move(on));
  auto finish = [asked, done = std::move(done)](std::error_code ec, typename resolver::results_type found) {
    endpoints out;
    for (auto const& entry : found) {
      if (out.size() < max_addresses) out.push_back(entry.endpoint());
    }
    done(ec, std::move(out));
  };
  asked->async_resolve(host, std::to_string(port), resolver::numeric_service, std::move(finish));
}

namespace detail {

struct lookup_wait {
  explicit lookup_wait(asio::any_io_executor const& on) : bell(on, asio::steady_timer::time_point::max()) {}

  void end(std::error_code why, endpoints addresses) {
    if (std::exchange(over, true)) return;
    ec = why;
    found = std::move(addresses);
    bell.cancel();
  }

  asio::steady_timer bell;
  bool over = false;
  std::error_code ec;
  endpoints found;
};

}  // namespace detail

/// The addresses of a host, one at least. An IP literal (without brackets) is its own address and asks nobody.
/// Errors: connect_failed (no such name, or the lookup failed; with the system's words), connect_timeout at `until`,
/// cancelled.
template <class Executor = asio::any_io_executor>
asio::awaitable<result<endpoints>> resolve(lookup_function lookup, std::string host, std::uint16_t port,
                                           std::shared_ptr<time_source> time, time_source::time_point until) {
  Executor const on = co_await asio::this_coro::executor;
  std::error_code no_literal;
  auto const literal = asio::ip::make_address(host, no_literal);
  if (!no_literal) co_return endpoints(1, asio::ip::tcp::endpoint(literal, port));
  // The lookup may outlive this coroutine and knows it only weakly.
  auto const wait = std::make_shared<detail::lookup_wait>(on);
  auto answered = [weak = std::weak_ptr(wait)](std::error_code ec, endpoints found) {
    if (auto const alive = weak.lock()) alive->end(ec, std::move(found));
  };
  lookup(on, host, port, std::move(answered));
  auto const alarm = time->make_deadline(on);
  alarm->arm(until, [&late = *wait] { late.end(asio::error::timed_out, endpoints()); });
  if (!wait->over) co_await wait->bell.async_wait(tuple_awaitable);
  if (!wait->over) co_return error(errc::cancelled);
  if (wait->ec == asio::error::timed_out) co_return error(errc::connect_timeout, host + " was not resolved in time");
  if (wait->ec) co_return error(errc::connect_failed, "cannot resolve " + host + ": " + wait->ec.message());
  if (wait->found.empty()) co_return error(errc::connect_failed, host + " has no address");
  co_return std::move(wait->found);
}

}  // namespace comcp::net

namespace comcp {

/// Options of basic_asio_engine. http_timeouts::never is a time without end.
class asio_engine_options {
 public:
  using duration = std::chrono::nanoseconds;

  asio_engine_options() {}
  /// What a request's own timeouts leave open: connect 10 s, response 5 min, idle 5 min, total never. The one for the
  /// response is long, as a POST of MCP may be answered when the tool is done: who knows better says so per request.
  asio_engine_options& timeouts(http_timeouts const& t);
  /// Connections to one origin that are kept without an exchange: 64.
  asio_engine_options& max_idle(std::size_t n) { return max_idle_ = n, *this; }
  /// How long they are kept: 90 s, and a second less than the server's Keep-Alive header says.
  asio_engine_options& idle_expiry(duration d) { return idle_expiry_ = d, *this; }
  /// Connections to one origin, those that are being made included: 16384. One more exchange than that is
  /// errc::queue_full at once: waiting could block for ever where a server asks back before it answers.
  asio_engine_options& max_connections(std::size_t n) { return max_connections_ = n, *this; }
  /// What a response may be at most.
  asio_engine_options& limits(response_limits const& l) { return limits_ = l, *this; }
  /// Which addresses connections may be made to, asked for each address of a name and for literal ones, on the
  /// executor of the exchange. Others are passed over; where none is left, the exchange is errc::denied. Not asked of
  /// what a proxy is meant for: the proxy itself is the user's choice, and it alone learns the server's address.
  /// Empty: all.
  asio_engine_options& address_filter(net::address_filter f) { return address_filter_ = std::move(f), *this; }
  /// Empty: steady_time().
  asio_engine_options& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }

  [[nodiscard]] http_timeouts const& timeouts() const noexcept { return timeouts_; }
  [[nodiscard]] std::size_t max_idle() const noexcept { return max_idle_; }
  [[nodiscard]] duration idle_expiry() const noexcept { return idle_expiry_; }
  [[nodiscard]] std::size_t max_connections() const noexcept { return max_connections_; }
  [[nodiscard]] response_limits const& limits() const noexcept { return limits_; }
  [[nodiscard]] net::address_filter const& address_filter() const noexcept { return address_filter_; }
  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }

 private:
  static http_timeouts standard_timeouts() {
    using namespace std::chrono_literals;
    return http_timeouts().connect(10s).response(5min).idle(5min).total(http_timeouts::never);
  }

  http_timeouts timeouts_ = standard_timeouts();
  std::size_t max_idle_ = 64;
  duration idle_expiry_ = std::chrono::seconds(90);
  std::size_t max_connections_ = 16384;
  response_limits limits_;
  net::address_filter address_filter_;
  std::shared_ptr<time_source> time_;
};

inline asio_engine_options& asio_engine_options::timeouts(http_timeouts const& t) {
  if (auto const d = t.connect()) timeouts_.connect(*d);
  if (auto const d = t.response()) timeouts_.response(*d);
  if (auto const d = t.idle()) timeouts_.idle(*d);
  if (auto const d = t.total()) timeouts_.total(*d);
  return *this;
}

}  // namespace comcp

// http/asio_pool.hpp
// The connections of an Asio engine: who may have one, which ones rest until the next exchange, and for how long. It
// neither connects nor reads. Internal.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

// http/asio_connection.hpp
// One connection of an Asio engine and the exchange that is on it: what is still to be written, what was read, and the
// time by which something must come. The coroutines that read, and the pool it rests in, are others'. Internal.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/error.hpp>

namespace comcp::http_detail {

using time_point = time_source::time_point;

/// `d` after `from`; the end of time where that is later than any.
inline time_point later(time_point from, std::chrono::nanoseconds d) noexcept {
  if (from == time_point::max() || d >= time_point::max() - from) return time_point::max();
  return from + std::chrono::duration_cast<time_point::duration>(d);
}

/// The bytes of a request, in two parts so that a long body is never copied.
struct request_text {
  std::string head, body;
};

/// The times of one exchange, all of them decided.
struct exchange_times {
  time_point total_at = time_point::max();
  std::chrono::nanoseconds connect{}, response{}, idle{};
};

template <class Stream>
struct asio_origin;
template <class Stream>
class asio_pool;

/// All members run on the stream's executor. close() and fail() are final. Writes that are pending keep it alive.
template <class Stream>
class asio_connection : public std::enable_shared_from_this<asio_connection<Stream>> {
 public:
  using progress = response_parser::progress;

  asio_connection(std::unique_ptr<Stream> stream, std::shared_ptr<time_source> time)
      : stream_(std::move(stream)), time_(std::move(time)) {}
  asio_connection(asio_connection const&) = delete;
  asio_connection& operator=(asio_connection const&) = delete;
  ~asio_connection() { close(); }

  [[nodiscard]] Stream& stream() noexcept { return *stream_; }

  /// Sends a request. What does not fit at once is written while the response is read: a server may answer early.
  void begin(request_text text, std::string_view method, response_limits const& limits, exchange_times const& times) {
    parser_ = response_parser(method, limits);
    text_ = std::move(text);
    times_ = times;
    unread_ = {};
    accepted_ = 0;
    status_ = 0;
    resting_ = nullptr;
    expecting_head_ = true;
    set_due(times_.response, errc::response_timeout, times_.total_at);
    if (write_now()) write_rest();
  }

  /// The next thing that the bytes read so far tell.
  progress advance() {
    if (failure_) return progress::failed;
    auto told = parser_.next(unread_);
    if (told == progress::more && ended_) told = parser_.finish();
    if (told == progress::failed) fail(parser_.failure());
    if (told == progress::head) status_ = parser_.head().status;
    return told;
  }
  [[nodiscard]] http_response_head& head() noexcept { return parser_.head(); }
  [[nodiscard]] std::string_view piece() const noexcept { return parser_.body(); }
  [[nodiscard]] error const& failure() const noexcept { return failure_; }

  /// From now on a piece of the body must come in time.
  void expect_body() { set_due(times_.idle, errc::idle_timeout, body_end()); }
  /// Where the next read goes. Precondition: advance() gave `more`.
  asio::mutable_buffer room() {
    bool const larger = full_ && capacity_ < last_size;
    if (!buffer_ || larger) {
      capacity_ = larger ? capacity_ * 4 : first_size;
      buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }
    full_ = false;
    return asio::mutable_buffer(buffer_.get(), capacity_);
  }
  /// What came of it.
  void received(std::error_code ec, std::size_t n) {
    if (failure_) return;
    full_ = n == capacity_;
    unread_ = std::string_view(buffer_.get(), n);
    if (ec == asio::error::eof) {
      ended_ = true;
    } else if (ec == asio::error::operation_aborted) {
      fail(error(errc::cancelled));
    } else if (ec) {
      broken_ = !parser_.started();
      fail(with_status(error(errc::transport_failed, "the connection broke: " + ec.message())));
    }
  }
  /// Nobody waits for bytes now.
  void pause() {
    if (failure_) return;
    expecting_head_ = false;
    due_ = body_end();
    why_ = errc::exchange_timeout;
    if (due_ < armed_) arm();
  }

  /// Whether it broke before a byte of the response came, so that the server may have closed it while it rested.
  [[nodiscard]] bool ended_unanswered() const noexcept { return failure_ && !parser_.started() && (ended_ || broken_); }
  /// A write that is pending may have sent something already.
  [[nodiscard]] bool nothing_sent() const noexcept { return accepted_ == 0 && !writing_; }
  /// The request, for another connection. This one is over.
  [[nodiscard]] request_text take_text() {
    if (writing_) return text_;  // the system may still look at it
    return std::move(text_);
  }

  /// Whether the exchange is over and the connection can have another one. What was read already counts.
  [[nodiscard]] bool settle() {
    // Forwarding proxies may pass on a second request as bytes of the first (tinyproxy), and do not say so.
    if (stream_->forwarded_by()) return false;
    auto told = progress::body;
    while (told == progress::body) told = advance();
    return told == progress::end && unread_.empty() && !ended_ && all_sent() && parser_.keeps_connection();
  }
  /// How long the server keeps it, where it says so.
  [[nodiscard]] std::optional<std::chrono::seconds> keep_alive() const noexcept { return parser_.keep_alive(); }

  /// It waits in the pool until then.
  void rest(time_point until, asio_pool<Stream>& pool) {
    resting_ = &pool;
    text_ = request_text();
    if (capacity_ > first_size) capacity_ = 0, buffer_.reset();
    due_ = until;
    if (due_ < armed_) arm();
  }
  /// Whether it can still be used after its rest.
  [[nodiscard]] bool rested_well(time_point now) { return !failure_ && due_ > now && stream_->quiet(); }

  void fail(error why) {
    if (failure_) return;
    failure_ = std::move(why);
    close();
  }
  void close() noexcept {
    due_ = armed_ = time_point::max();
    alarm_.reset();
    stream_->close();
  }

  asio_origin<Stream>* origin = nullptr;
  std::size_t place = 0;  ///< Among the pool's busy ones.

 private:
  static constexpr std::size_t first_size = std::size_t{4} << 10;
  static constexpr std::size_t last_size = std::size_t{64} << 10;

  [[nodiscard]] bool all_sent() const noexcept { return accepted_ == text_.head.size() + text_.body.size(); }
  [[nodiscard]] asio::const_buffer to_send() const noexcept {
    auto const head = text_.head.size();
    if (accepted_ < head) return asio::buffer(text_.head) + accepted_;
    return asio::buffer(text_.body) + (accepted_ - head);
  }

  /// False when nothing is left to be written.
  bool write_now() {
    if constexpr (requires(Stream& s, std::error_code& ec) { s.try_write(asio::const_buffer(), ec); }) {
      while (!all_sent()) {
        std::error_code ec;
        accepted_ += stream_->try_write(to_send(), ec);
        if (ec == asio::error::would_block || ec == asio::error::try_again) return true;
        if (ec) return false;  // reading tells more
      }
    }
    return !all_sent();
  }
  void write_rest() {
    writing_ = true;
    stream_->async_write_some(to_send(), [self = this->shared_from_this()](std::error_code ec, std::size_t n) {
      self->writing_ = false;
      self->wrote(ec, n);
    });
  }
  void wrote(std::error_code ec, std::size_t n) {
    accepted_ += n;
    if (failure_ || ec) return;
    if (expecting_head_) set_due(times_.response, errc::response_timeout, times_.total_at);
    if (write_now()) write_rest();
  }

  [[nodiscard]] time_point body_end() const noexcept {
    return parser_.event_stream() ? time_point::max() : times_.total_at;
  }
  void set_due(std::chrono::nanoseconds wait, errc why, time_point total) {
    auto const at = later(time_->now(), wait);
    why_ = total < at ? errc::exchange_timeout : why;
    due_ = std::min(at, total);
    if (due_ < armed_) arm();
  }
  // Arming costs more than looking at a clock: an alarm that is early finds out and sets itself again.
  void arm() {
    if (!alarm_) alarm_ = time_->make_deadline(stream_->get_executor());
    armed_ = due_;
    alarm_->arm(armed_, [this] { on_alarm(); });
  }
  void on_alarm() {
    armed_ = time_point::max();
    if (due_ == time_point::max()) return;
    if (due_ > time_->now()) return arm();
    if (resting_ != nullptr) return resting_->expired(*this);
    fail(with_status(error(why_, text_of(why_))));
  }
  static char const* text_of(errc why) {
    if (why == errc::response_timeout) return "no response began in time";
    if (why == errc::idle_timeout) return "the response stopped coming";
    return "the exchange took too long";
  }
  [[nodiscard]] error with_status(error e) const {
    if (status_ == 0) return e;
    transport_detail detail;
    detail.http_status = status_;
    return e.with_detail(std::move(detail));
  }

  std::unique_ptr<Stream> stream_;
  std::shared_ptr<time_source> time_;
  std::unique_ptr<deadline> alarm_;
  asio_pool<Stream>* resting_ = nullptr;  // it owns this then
  response_parser parser_;
  request_text text_;
  exchange_times times_;
  std::unique_ptr<char[]> buffer_;
  std::string_view unread_;
  std::size_t capacity_ = 0;
  std::size_t accepted_ = 0;
  time_point due_ = time_point::max();
  time_point armed_ = time_point::max();
  error failure_;
  errc why_ = errc::exchange_timeout;
  int status_ = 0;
  bool full_ = false;
  bool ended_ = false;
  bool broken_ = false;
  bool writing_ = false;
  bool expecting_head_ = false;
};

}  // namespace comcp::http_detail

namespace comcp::http_detail {

struct origin_key {
  explicit origin_key(http_url const& url) : host(url.host()), port(url.port()), secure(url.secure()) {}
  std::string host;
  std::uint16_t port;
  bool secure;
};

struct origin_less {
  using is_transparent = void;
  static auto parts(origin_key const& k) noexcept { return std::tuple(std::string_view(k.host), k.port, k.secure); }
  static auto parts(http_url const& u) noexcept { return std::tuple(std::string_view(u.host()), u.port(), u.secure()); }
  bool operator()(auto const& a, auto const& b) const noexcept { return parts(a) < parts(b); }
};

/// The connections to one origin.
template <class Stream>
struct asio_origin {
  std::vector<std::shared_ptr<asio_connection<Stream>>> resting;  // the last one is used first
  std::size_t open = 0;                                           // with those that are being made
};

/// The right to one connection, and the connection once there is one. Its destructor gives it back to the pool when
/// its exchange is complete, and closes it otherwise.
template <class Stream>
class asio_lease {
 public:
  using connection = asio_connection<Stream>;

  asio_lease() = default;
  asio_lease(std::shared_ptr<asio_pool<Stream>> pool, asio_origin<Stream>& origin, std::shared_ptr<connection> c = {})
      : pool_(std::move(pool)), origin_(&origin) {
    if (c) attach(std::move(c));
  }
  asio_lease(asio_lease&& other) noexcept = default;
  asio_lease& operator=(asio_lease&& other) noexcept {
    if (this != &other) {
      reset();
      pool_ = std::move(other.pool_);
      origin_ = other.origin_;
      connection_ = std::move(other.connection_);
    }
    return *this;
  }
  ~asio_lease() { reset(); }

  void attach(std::shared_ptr<connection> c) {
    c->origin = origin_;
    pool_->busy(*c);
    connection_ = std::move(c);
  }
  [[nodiscard]] std::shared_ptr<connection> const& get() const noexcept { return connection_; }
  void reset() noexcept {
    if (auto const pool = std::exchange(pool_, nullptr)) pool->give_back(*origin_, std::exchange(connection_, nullptr));
  }

 private:
  std::shared_ptr<asio_pool<Stream>> pool_;
  asio_origin<Stream>* origin_ = nullptr;
  std::shared_ptr<connection> connection_;
};

/// Used from one executor. Leases keep it; close() ends it.
template <class Stream>
class asio_pool : public std::enable_shared_from_this<asio_pool<Stream>> {
 public:
  using connection = asio_connection<Stream>;
  using origin = asio_origin<Stream>;
  using lease = asio_lease<Stream>;

  asio_pool(asio_engine_options const& options, std::shared_ptr<time_source> time)
      : max_idle_(options.max_idle()),
        max_connections_(options.max_connections()),
        expiry_(options.idle_expiry()),
        time_(std::move(time)) {}
  asio_pool(asio_pool const&) = delete;
  asio_pool& operator=(asio_pool const&) = delete;

  /// With a connection that rested, unless `fresh`; otherwise without one, for the caller to make.
  /// Errors: closed, queue_full.
  result<lease> take(http_url const& url, bool fresh) {
    if (closed_) return error(errc::closed, "the HTTP engine is gone");
    auto at = origins_.find(url);
    if (at == origins_.end()) at = origins_.emplace(origin_key(url), origin()).first;
    origin& o = at->second;
    while (!fresh && !o.resting.empty()) {
      auto const last = std::move(o.resting.back());
      o.resting.pop_back();
      if (last->rested_well(time_->now())) return lease(this->shared_from_this(), o, last);
      --o.open;
      last->close();
    }
    if (o.open >= max_connections_ && !o.resting.empty()) drop(o, o.resting.begin());
    if (o.open >= max_connections_) {
      forget_if_unused(o);
      return error(errc::queue_full, "more connections to one origin than max_connections allows");
    }
    ++o.open;
    return lease(this->shared_from_this(), o);
  }

  void busy(connection& c) {
    c.place = busy_.size();
    busy_.push_back(&c);
  }

  void give_back(origin& o, std::shared_ptr<connection> c) noexcept {
    if (c) {
      busy_.back()->place = c->place;
      busy_[c->place] = busy_.back();
      busy_.pop_back();
      if (keep(o, c)) return;
      c->fail(error(errc::cancelled));
    }
    --o.open;
    forget_if_unused(o);
  }

  /// A connection has rested long enough.
  void expired(connection& c) {
    origin& o = *c.origin;
    auto const at = std::find_if(o.resting.begin(), o.resting.end(), [&](auto const& r) { return r.get() == &c; });
    if (at != o.resting.end()) drop(o, at);
    forget_if_unused(o);
  }

  void close_idle() {
    for (auto at = origins_.begin(); at != origins_.end();) {
      origin& o = at->second;
      o.open -= o.resting.size();
      o.resting.clear();
      at = o.open == 0 ? origins_.erase(at) : std::next(at);
    }
  }

  void close() {
    closed_ = true;
    close_idle();
    for (auto* const c : busy_) c->fail(error(errc::closed, "the HTTP engine is gone"));
  }
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  [[nodiscard]] std::size_t idle_count() const noexcept {
    std::size_t n = 0;
    for (auto const& [key, o] : origins_) n += o.resting.size();
    return n;
  }
  [[nodiscard]] std::size_t busy_count() const noexcept { return busy_.size(); }

 private:
  bool keep(origin& o, std::shared_ptr<connection> const& c) noexcept try {
    if (closed_ || max_idle_ == 0 || !c->settle()) return false;
    auto span = expiry_;
    if (auto const server = c->keep_alive())
      span = std::min<std::chrono::nanoseconds>(span, *server - std::chrono::seconds(1));
    if (span <= std::chrono::nanoseconds(0)) return false;
    if (o.resting.size() >= max_idle_) drop(o, o.resting.begin());
    o.resting.push_back(c);
    c->rest(later(time_->now(), span), *this);
    return true;
  } catch (...) {
    if (!o.resting.empty() && o.resting.back() == c) o.resting.pop_back();
    return false;
  }

  void drop(origin& o, typename std::vector<std::shared_ptr<connection>>::iterator at) {
    auto const c = std::move(*at);
    o.resting.erase(at);
    --o.open;
    c->close();
  }

  void forget_if_unused(origin& o) noexcept {
    if (o.open != 0) return;
    auto const at = std::find_if(origins_.begin(), origins_.end(), [&](auto const& e) { return &e.second == &o; });
    if (at != origins_.end()) origins_.erase(at);
  }

  std::size_t max_idle_, max_connections_;
  std::chrono::nanoseconds expiry_;
  std::shared_ptr<time_source> time_;
  std::map<origin_key, origin, origin_less> origins_;
  std::vector<connection*> busy_;
  bool closed_ = false;
};

}  // namespace comcp::http_detail

// http/connector.hpp
// How an Asio engine gets its connections: the connector seam, and the connector without TLS. Templates, so that only
// who uses HTTP compiles the coroutines.

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

// http/stream.hpp
// The bytes of one connection as the Asio engines use them, without TLS. What is written on it, and when it may be used
// again, is the engine's business.

#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>

// http/proxy.hpp
// Which proxy a URL goes through: what the user said, else the environment's variables, else none. Decides only; the
// connector goes the way.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

/// One proxy and the credentials for it. The proxy itself is spoken to over plain http.
class proxy_route {
 public:
  /// Of an https URL each connection is errc::invalid_argument: TLS to the proxy itself is not supported.
  explicit proxy_route(http_url proxy) : url_(std::move(proxy)) {}

  /// As environment variables have it: "http://user:password@host:port", where scheme, credentials and port (80) may be
  /// missing and credentials are percent-encoded. Anything else is errc::invalid_argument, which quotes nothing.
  static result<proxy_route> parse(std::string_view text);

  /// The same proxy with Basic credentials. A user with a colon, and control characters, are errc::invalid_argument.
  [[nodiscard]] result<proxy_route> with_credentials(std::string_view user, secret const& password) const;

  [[nodiscard]] http_url const& url() const noexcept { return url_; }
  /// The value of Proxy-Authorization, "Basic ..."; empty without credentials.
  [[nodiscard]] secret const& authorization() const noexcept { return authorization_; }

  friend bool operator==(proxy_route const&, proxy_route const&) = default;

 private:
  http_url url_;
  secret authorization_;
};

/// The proxies for http and https URLs, and the hosts that need none. Empty, it is none at all.
class proxy_options {
 public:
  /// Gives the value of an environment variable, nothing where there is none.
  using variables = std::function<std::optional<std::string>(std::string_view name)>;

  proxy_options() {}

  /// No proxy, whatever the environment says.
  static proxy_options none() { return {}; }

  /// http_proxy for http URLs; https_proxy, HTTPS_PROXY for https URLs; all_proxy, ALL_PROXY for both; no_proxy,
  /// NO_PROXY. The first that is not empty counts. HTTP_PROXY in capitals is not read, as in curl: a CGI program gets it
  /// from a header of the request that it serves. Loopback hosts go direct. A proxy that is unusable (SOCKS, say) is an
  /// error of proxy_for(), for the URLs that would go through it.
  static proxy_options from_environment(variables const& lookup);
  /// The same with this process's environment.
  static proxy_options from_environment();

  /// For http URLs: the proxy gets each request. Also for loopback hosts, unlike the environment's.
  proxy_options& http(proxy_route route);
  /// For https URLs: the proxy connects (CONNECT) and sees nothing of what follows.
  proxy_options& https(proxy_route route);
  /// For both.
  proxy_options& all(proxy_route route);

  /// The hosts that go direct, in place of those before; separated by commas or blanks. "*" is all of them.
  /// "example.com", ".example.com" and "*.example.com" are the host and all below it; "192.0.2.1", "[2001:db8::1]" one
  /// address; "10.0.0.0/8", "fd00::/8" a range. All but a range may end with a port, ":8080". What is none of it means
  /// nothing. Names are not resolved.
  proxy_options& no_proxy(std::string_view list);

  /// The way to that URL; nothing where it is direct. Errors: invalid_argument (an unusable variable, which it names).
  [[nodiscard]] result<std::optional<proxy_route>> proxy_for(http_url const& url) const;

 private:
  struct way {
    result<std::optional<proxy_route>> route;
    bool spares_loopback = false;
  };

  // A name, or the first `bits` of an address, or everything.
  struct exception_rule {
    std::string name;
    std::array<std::uint8_t, 16> address{};
    std::size_t length = 0;  // 4 or 16, 0 for names
    std::size_t bits = 0;
    std::uint16_t port = 0;  // 0: any
  };

  static std::optional<exception_rule> parse_rule(std::string_view text);
  [[nodiscard]] static bool matches(exception_rule const& rule, exception_rule const& host) noexcept;

  way http_, https_;
  std::vector<exception_rule> direct_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// http/impl/proxy.ipp
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <span>

namespace comcp {
namespace http_detail {

/// With its %XX put right; nothing where one is broken.
COMCP_DECL std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size() || hex_value(text[i + 1]) > 15 || hex_value(text[i + 2]) > 15) return {};
    out += static_cast<char>(hex_value(text[i + 1]) << 4 | hex_value(text[i + 2]));
    i += 2;
  }
  return out;
}

COMCP_DECL error bad_proxy(char const* why) { return {errc::invalid_argument, std::string("bad proxy: ") + why}; }

/// The bytes of an IP address without brackets; how many there are, 0 for anything else.
COMCP_DECL std::size_t address_bytes(std::string_view text, std::array<std::uint8_t, 16>& out) {
  if (text.find(':') != text.npos) {
    auto const v6 = parse_ipv6(text);
    for (std::size_t i = 0; v6 && i < 8; ++i) {
      out[2 * i] = static_cast<std::uint8_t>((*v6)[i] >> 8);
      out[2 * i + 1] = static_cast<std::uint8_t>((*v6)[i] & 255);
    }
    return v6 ? 16 : 0;
  }
  auto const v4 = text.empty() || !ends_in_number(text) ? std::nullopt : parse_ipv4(text);
  for (std::size_t i = 0; v4 && i < 4; ++i) out[i] = static_cast<std::uint8_t>(*v4 >> (24 - 8 * i) & 255);
  return v4 ? 4 : 0;
}

COMCP_DECL bool is_loopback(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  std::array<std::uint8_t, 16> address{};
  if (auto const length = address_bytes(host, address)) return length == 4 ? address[0] == 127 : host == "::1";
  return host == "localhost" || host.ends_with(".localhost");
}

/// A decimal number up to `most`.
COMCP_DECL std::optional<std::uint32_t> small_number(std::string_view text, std::uint32_t most) noexcept {
  std::uint32_t value = 0;
  auto const [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size() || value > most) return {};
  return value;
}

}  // namespace http_detail

COMCP_DECL result<proxy_route> proxy_route::parse(std::string_view text) {
  text = http_detail::without_blank_ends(text);
  auto const mark = text.find("://");
  auto const scheme = mark == text.npos ? std::string_view("http") : text.substr(0, mark);
  if (!http_detail::is_scheme(scheme, "http"))
    return http_detail::bad_proxy("only proxies that are spoken to over http:// are supported");
  if (mark != text.npos) text.remove_prefix(mark + 3);
  auto const authority = text.substr(0, text.find_first_of("/\\?#"));
  auto const at = authority.rfind('@');
  auto url = http_url::parse("http://" + std::string(at == text.npos ? text : text.substr(at + 1)));
  if (!url) return http_detail::bad_proxy("its host or port is malformed");
  proxy_route route(std::move(*url));
  if (at == text.npos) return route;
  auto const info = authority.substr(0, at);
  auto const colon = std::min(info.find(':'), info.size());
  auto const user = http_detail::unescaped(info.substr(0, colon));
  auto password = http_detail::unescaped(info.substr(std::min(colon + 1, info.size())));
  if (!user || !password) return http_detail::bad_proxy("its credentials have a malformed escape");
  return route.with_credentials(*user, secret(std::move(*password)));
}

COMCP_DECL result<proxy_route> proxy_route::with_credentials(std::string_view user, secret const& password) const {
  if (user.find(':') != user.npos) return http_detail::bad_proxy("its user has a colon");
  auto const pair = std::string(user) + ':' + password.reveal();
  if (std::any_of(pair.begin(), pair.end(), http_detail::is_control))
    return http_detail::bad_proxy("its credentials have a control character");
  proxy_route out = *this;
  out.authorization_ = secret("Basic " + to_base64(std::as_bytes(std::span(pair))));
  return out;
}

COMCP_DECL proxy_options proxy_options::from_environment(variables const& lookup) {
  auto const first = [&](std::initializer_list<std::string_view> names) {
    for (auto const name : names) {
      if (auto value = lookup(name); value && !value->empty()) return std::pair(name, std::move(*value));
    }
    return std::pair(std::string_view(), std::string());
  };
  auto const read = [&](std::initializer_list<std::string_view> names) {
    way out;
    out.spares_loopback = true;
    auto const [name, value] = first(names);
    if (name.empty()) return out;
    auto route = proxy_route::parse(value);
    if (route) {
      out.route = std::optional(std::move(*route));
    } else {
      out.route = route.error().with_message(std::string(name) + ": " + std::string(route.error().message()));
    }
    return out;
  };
  proxy_options out;
  out.http_ = read({"http_proxy", "all_proxy", "ALL_PROXY"});
  out.https_ = read({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
  out.no_proxy(first({"no_proxy", "NO_PROXY"}).second);
  return out;
}

COMCP_DECL proxy_options proxy_options::from_environment() {
  return from_environment([](std::string_view name) -> std::optional<std::string> {
    char const* const value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return {};
    return value;
  });
}

COMCP_DECL proxy_options& proxy_options::http(proxy_route route) {
  http_ = way();
  http_.route = std::optional(std::move(route));
  return *this;
}

COMCP_DECL proxy_options& proxy_options::https(proxy_route route) {
  https_ = way();
  https_.route = std::optional(std::move(route));
  return *this;
}

COMCP_DECL proxy_options& proxy_options::all(proxy_route route) {
  http(route);
  return https(std::move(route));
}

COMCP_DECL proxy_options& proxy_options::no_proxy(std::string_view list) {
  direct_.clear();
  for (;;) {
    list.remove_prefix(std::min(list.find_first_not_of(", \t"), list.size()));
    if (list.empty()) return *this;
    auto const end = std::min(list.find_first_of(", \t"), list.size());
    if (auto rule = parse_rule(list.substr(0, end))) direct_.push_back(std::move(*rule));
    list.remove_prefix(end);
  }
}

COMCP_DECL std::optional<proxy_options::exception_rule> proxy_options::parse_rule(std::string_view text) {
  exception_rule out;
  if (auto const slash = text.find('/'); slash != text.npos) {
    out.length = http_detail::address_bytes(text.substr(0, slash), out.address);
    auto const bits = http_detail::small_number(text.substr(slash + 1), static_cast<std::uint32_t>(8 * out.length));
    if (out.length == 0 || !bits) return {};
    out.bits = *bits;
    return out;
  }
  bool const bracketed = text.starts_with('[');
  auto const colon = text.find(':', bracketed ? std::min(text.find(']'), text.size()) : 0);
  if (colon != text.npos && (bracketed || text.find(':', colon + 1) == text.npos)) {
    auto const port = http_detail::small_number(text.substr(colon + 1), 65535);
    if (!port || *port == 0) return {};
    out.port = static_cast<std::uint16_t>(*port);
    text = text.substr(0, colon);
  }
  if (bracketed) {
    if (!text.ends_with(']')) return {};
    text = text.substr(1, text.size() - 2);
  }
  out.length = http_detail::address_bytes(text, out.address);
  out.bits = 8 * out.length;
  if (out.length != 0) return out;
  if (text.starts_with("*.")) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty()) return {};
  out.name = text;
  for (char& c : out.name) c = http_detail::url_lower(c);
  return out;
}

COMCP_DECL bool proxy_options::matches(exception_rule const& rule, exception_rule const& host) noexcept {
  if (rule.port != 0 && rule.port != host.port) return false;
  if (rule.name == "*") return true;
  if (rule.length != host.length) return false;
  if (rule.length == 0) {
    std::string_view const name = host.name;
    return name.ends_with(rule.name) &&
           (name.size() == rule.name.size() || name[name.size() - rule.name.size() - 1] == '.');
  }
  for (std::size_t bit = 0; bit < rule.bits; ++bit) {
    if ((rule.address[bit / 8] ^ host.address[bit / 8]) >> (7 - bit % 8) & 1) return false;
  }
  return true;
}

COMCP_DECL result<std::optional<proxy_route>> proxy_options::proxy_for(http_url const& url) const {
  auto const& chosen = url.secure() ? https_ : http_;
  if (chosen.route && !*chosen.route) return chosen.route;
  if (chosen.spares_loopback && http_detail::is_loopback(url.host_name())) return std::optional<proxy_route>();
  exception_rule host;
  host.name = url.host_name();
  if (host.name.ends_with('.')) host.name.pop_back();
  host.length = http_detail::address_bytes(url.host_name(), host.address);
  host.port = url.port();
  for (auto const& rule : direct_) {
    if (matches(rule, host)) return std::optional<proxy_route>();
  }
  return chosen.route;
}

}  // namespace comcp
#endif

namespace comcp {

/// A connected TCP socket. Used from the socket's executor; never moved, as operations name it.
class plain_stream {
 public:
  using executor_type = asio::ip::tcp::socket::executor_type;

  explicit plain_stream(asio::ip::tcp::socket connected) : socket_(std::move(connected)) {}
  plain_stream(plain_stream const&) = delete;
  plain_stream& operator=(plain_stream const&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }

  /// As Asio's streams have it. asio::error::eof is the peer's orderly end; any other error is a broken connection.
  template <class Token>
  auto async_read_some(asio::mutable_buffer into, Token&& token) {
    return socket_.async_read_some(into, std::forward<Token>(token));
  }
  template <class Token>
  auto async_write_some(asio::const_buffer from, Token&& token) {
    return socket_.async_write_some(from, std::forward<Token>(token));
  }

  /// Takes what is possible without waiting; asio::error::would_block where nothing is.
  std::size_t try_write(asio::const_buffer from, std::error_code& ec) { return socket_.write_some(from, ec); }

  /// Whether the peer sent nothing and closed nothing since: what an idle connection must be to be used again.
  [[nodiscard]] bool quiet() {
    char byte;
    std::error_code ec;
    socket_.receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, ec);
    return ec == asio::error::would_block || ec == asio::error::try_again;
  }

  /// Ends what runs on it with asio::error::operation_aborted.
  void close() noexcept {
    std::error_code ignored;
    socket_.close(ignored);
  }

  /// The proxy that reads the requests on this connection, null where the server itself does. Such requests name their
  /// target in absolute form and carry the route's Proxy-Authorization.
  [[nodiscard]] proxy_route const* forwarded_by() const noexcept { return proxy_ ? &*proxy_ : nullptr; }
  void forwarded_by(proxy_route route) { proxy_.emplace(std::move(route)); }

  [[nodiscard]] asio::ip::tcp::socket& socket() noexcept { return socket_; }

 private:
  asio::ip::tcp::socket socket_;
  std::optional<proxy_route> proxy_;
};

}  // namespace comcp

// http/tunnel.hpp
// The way through a proxy to a server (CONNECT, RFC 9110 section 9.3.6). What flows through it afterwards is not its
// business. Internal.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/error.hpp>

// net/tcp_connect.hpp
// A TCP connection to the first of several addresses that takes it, in bounded time. Sockets are not inherited by child
// processes and do not wait to fill their segments.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/this_coro.hpp>

namespace comcp::net {

/// Opens a socket that is close-on-exec from its beginning, which Asio's own open() cannot say.
std::error_code open_socket(asio::ip::tcp::socket& socket, asio::ip::tcp protocol);

/// Drops the addresses that the filter refuses. errc::denied where none is left, with those addresses.
result<void> keep_allowed(endpoints& addresses, address_filter const& allowed, std::string const& name);

/// Closes a socket when its time has come, which ends what runs on it with operation_aborted. Both are used from the
/// socket's executor; the socket outlives the alarm.
class socket_alarm {
 public:
  socket_alarm(time_source& time, asio::ip::tcp::socket& socket, time_source::time_point at)
      : deadline_(time.make_deadline(socket.get_executor())) {
    if (at == time_source::time_point::max()) return;
    deadline_->arm(at, [this, &socket] {
      rang_ = true;
      std::error_code ignored;
      socket.close(ignored);
    });
  }
  socket_alarm(socket_alarm const&) = delete;
  socket_alarm& operator=(socket_alarm const&) = delete;

  [[nodiscard]] bool rang() const noexcept { return rang_; }

 private:
  std::unique_ptr<deadline> deadline_;
  bool rang_ = false;
};

namespace detail {

inline time_source::time_point share_of(time_source::time_point now, time_source::time_point until, std::size_t among) {
  if (until == time_source::time_point::max() || until <= now) return until;
  return now + (until - now) / static_cast<std::int64_t>(among);
}

}  // namespace detail

/// Tries the addresses one after the other. One that refuses costs nothing; one that is silent costs its share of the
/// time that is left. `name` is what errors call the peer, "host:port".
/// Errors: connect_failed (with each address and the system's words), connect_timeout, cancelled.
template <class Socket = asio::ip::tcp::socket>
asio::awaitable<result<Socket>> connect_any(endpoints to, std::string name, std::shared_ptr<time_source> time,
                                            time_source::time_point until) {
  auto const on = co_await asio::this_coro::executor;
  std::string reasons;
  bool late = false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    Socket socket(on);
    auto ec = open_socket(socket, to[i].protocol());
    late = false;
    if (!ec) {
      socket_alarm const alarm(*time, socket, detail::share_of(time->now(), until, to.size() - i));
      auto const connected = co_await socket.async_connect(to[i], tuple_awaitable);
      ec = std::get<0>(connected);
      late = alarm.rang();
    }
    if (!ec && !late) {
      socket.set_option(asio::ip::tcp::no_delay(true), ec);
      co_return std::move(socket);
    }
    if (!late && ec == asio::error::operation_aborted) co_return error(errc::cancelled);
    if (!reasons.empty()) reasons += ", ";
    reasons += to[i].address().to_string() + ": " + (late ? std::string("no answer") : ec.message());
  }
  if (late) co_return error(errc::connect_timeout, "no connection to " + name + " in time (" + reasons + ")");
  co_return error(errc::connect_failed, "cannot connect to " + name + " (" + reasons + ")");
}

}  // namespace comcp::net

#if !defined(COMCP_SEPARATE_COMPILATION)

// net/impl/tcp_connect.ipp
#include <cerrno>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace comcp::net {

COMCP_DECL std::error_code open_socket(asio::ip::tcp::socket& socket, asio::ip::tcp protocol) {
#if defined(SOCK_CLOEXEC)
  int const fd = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC, protocol.protocol());
#else
  int const fd = ::socket(protocol.family(), SOCK_STREAM, protocol.protocol());
  if (fd >= 0) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
  if (fd < 0) return {errno, std::system_category()};
#if defined(SO_NOSIGPIPE)
  int const on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  std::error_code ec;
  socket.assign(protocol, fd, ec);
  if (ec) {
    ::close(fd);
    return ec;
  }
  socket.non_blocking(true, ec);
  return ec;
}

COMCP_DECL result<void> keep_allowed(endpoints& addresses, address_filter const& allowed, std::string const& name) {
  if (!allowed) return {};
  endpoints kept;
  std::string refused;
  for (auto const& e : addresses) {
    if (allowed(e.address())) {
      kept.push_back(e);
    } else {
      refused += (refused.empty() ? "" : ", ") + e.address().to_string();
    }
  }
  if (kept.empty()) {
    return error(errc::denied, "no address of " + name + " is one that may be connected to (" + refused + ")");
  }
  addresses = std::move(kept);
  return {};
}

}  // namespace comcp::net
#endif

namespace comcp::http_detail {

/// The head of a proxy's answer is not longer.
inline constexpr std::size_t max_tunnel_head = 8192;

/// "host:port", the port always there.
std::string host_and_port(http_url const& url);

std::string tunnel_request(http_url const& target, proxy_route const& route);

/// The status of an answer whose head is `head`, 100 to 599; nothing where that is no HTTP/1.x.
std::optional<int> tunnel_status(std::string_view head) noexcept;

/// What a final status means: no error where the tunnel is open.
error tunnel_refusal(std::optional<int> status, proxy_route const& route, http_url const& target);

/// Where the connection to the proxy broke instead.
error tunnel_broken(std::error_code why, bool late, proxy_route const& route);

/// Asks the proxy at the other end of `stream` for the way to `target`. Errors: proxy_failed, connect_failed (the
/// connection to the proxy broke), connect_timeout, cancelled; none of them holds the credentials.
template <class Stream>
asio::awaitable<error> open_tunnel(Stream& stream, http_url target, proxy_route route,
                                   std::shared_ptr<time_source> time, time_source::time_point until) {
  net::socket_alarm const alarm(*time, stream.socket(), until);
  std::string const request = tunnel_request(target, route);
  for (std::size_t sent = 0; sent < request.size();) {
    auto const rest = asio::buffer(request.data() + sent, request.size() - sent);
    auto const [ec, n] = co_await stream.async_write_some(rest, net::tuple_awaitable);
    if (ec) co_return tunnel_broken(ec, alarm.rang(), route);
    sent += n;
  }
  std::string head(max_tunnel_head, '\0');
  for (std::size_t size = 0; size < head.size();) {
    auto const [ec, n] = co_await stream.async_read_some(asio::buffer(head.data() + size, head.size() - size),
                                                         net::tuple_awaitable);
    if (ec) co_return tunnel_broken(ec, alarm.rang(), route);
    size += n;
    for (;;) {
      auto const end = std::string_view(head.data(), size).find("\r\n\r\n");
      if (end == std::string_view::npos) break;
      auto status = tunnel_status(std::string_view(head.data(), end));
      bool const interim = status && *status < 200;
      bool const opened = status && *status / 100 == 2;
      // The server speaks only when spoken to, so that nothing can follow.
      if (opened && size != end + 4) status.reset();
      if (!interim) co_return tunnel_refusal(status, route, target);
      head.erase(0, end + 4).resize(max_tunnel_head);
      size -= end + 4;
    }
  }
  co_return tunnel_refusal(std::nullopt, route, target);
}

}  // namespace comcp::http_detail

#if !defined(COMCP_SEPARATE_COMPILATION)

// http/impl/tunnel.ipp

namespace comcp::http_detail {

COMCP_DECL std::string host_and_port(http_url const& url) { return url.host() + ':' + std::to_string(url.port()); }

COMCP_DECL std::string tunnel_request(http_url const& target, proxy_route const& route) {
  auto const where = host_and_port(target);
  auto out = "CONNECT " + where + " HTTP/1.1\r\nHost: " + where + "\r\n";
  if (auto const& credentials = route.authorization(); !credentials.empty())
    out += "Proxy-Authorization: " + credentials.reveal() + "\r\n";
  return out + "\r\n";
}

COMCP_DECL std::optional<int> tunnel_status(std::string_view head) noexcept {
  auto const line = head.substr(0, head.find("\r\n"));
  constexpr std::string_view version = "HTTP/1.";
  if (line.size() < 12 || !line.starts_with(version) || (line[7] != '0' && line[7] != '1') || line[8] != ' ') return {};
  if (line.size() > 12 && line[12] != ' ') return {};
  int status = 0;
  for (char const c : line.substr(9, 3)) {
    if (c < '0' || c > '9') return {};
    status = status * 10 + (c - '0');
  }
  if (status < 100 || status > 599) return {};
  return status;
}

COMCP_DECL error tunnel_refusal(std::optional<int> status, proxy_route const& route, http_url const& target) {
  if (status && *status / 100 == 2) return {};
  auto const proxy = "the proxy " + host_and_port(route.url());
  if (!status) return error(errc::proxy_failed, proxy + " answered CONNECT with what is no HTTP/1.1 answer to it");
  auto text = proxy + " refused the way to " + host_and_port(target) + " with " + std::to_string(*status);
  if (*status == 407) text += route.authorization().empty() ? " (it wants credentials)" : " (it wants other credentials)";
  transport_detail detail;
  detail.http_status = *status;
  return error(errc::proxy_failed, std::move(text)).with_detail(std::move(detail));
}

COMCP_DECL error tunnel_broken(std::error_code why, bool late, proxy_route const& route) {
  auto const proxy = "the proxy " + host_and_port(route.url());
  if (late) return error(errc::connect_timeout, proxy + " did not answer CONNECT in time");
  if (why == asio::error::operation_aborted) return error(errc::cancelled);
  if (why == asio::error::eof) return error(errc::connect_failed, proxy + " closed the connection instead of an answer");
  return error(errc::connect_failed, "the connection to " + proxy + " broke: " + why.message());
}

}  // namespace comcp::http_detail
#endif

namespace comcp {

/// Makes connections: C::stream has what plain_stream has. connect() runs on this_coro::executor, which the stream
/// keeps; its awaitable needs the connector no more; it can be cancelled at any moment.
/// No connection is made to an address that the filter refuses; a proxy is not asked about.
/// Errors: connect_failed, connect_timeout (at `until`), denied (by the filter), tls_failed, proxy_failed,
/// invalid_argument, cancelled.
template <class C>
concept connector = std::copy_constructible<C> &&
                    requires(C const& c, http_url where, std::shared_ptr<time_source> time,
                             time_source::time_point until, net::address_filter allowed) {
                      typename C::stream;
                      {
                        c.connect(where, time, until, allowed)
                      } -> std::same_as<asio::awaitable<result<std::unique_ptr<typename C::stream>>>>;
                    };

namespace http_detail {

/// Name and TCP connection: to the proxy where there is one.
template <class Stream>
asio::awaitable<result<std::unique_ptr<Stream>>> dial(net::lookup_function lookup, http_url where,
                                                      std::optional<proxy_route> proxy,
                                                      std::shared_ptr<time_source> time,
                                                      time_source::time_point until,
                                                      net::address_filter allowed) {
  http_url const to = proxy ? proxy->url() : where;
  std::string name = (proxy ? "the proxy " : "") + host_and_port(to);
  if (proxy && to.secure()) co_return error(errc::invalid_argument, name + " has an https URL; only http is supported");
  auto found = co_await net::resolve(std::move(lookup), std::string(to.host_name()), to.port(), time, until);
  if (!found) co_return found.error();
  if (!proxy) {
    auto const left = net::keep_allowed(*found, allowed, name);
    if (!left) co_return left.error();
  }
  auto socket = co_await net::connect_any(std::move(*found), std::move(name), time, until);
  if (!socket) co_return socket.error();
  auto stream = std::make_unique<Stream>(std::move(*socket));
  if (proxy && !where.secure()) stream->forwarded_by(std::move(*proxy));
  co_return std::move(stream);
}

}  // namespace http_detail

/// Connections for http URLs, through a proxy where one is meant for them. https URLs are errc::invalid_argument: they
/// need tls_connector.
template <class Stream = plain_stream>
class basic_plain_connector {
 public:
  using stream = Stream;

  explicit basic_plain_connector(proxy_options proxies = proxy_options::from_environment(),
                                 net::lookup_function lookup = net::system_lookup<asio::any_io_executor>)
      : proxies_(std::move(proxies)), lookup_(std::move(lookup)) {}

  [[nodiscard]] asio::awaitable<result<std::unique_ptr<Stream>>> connect(http_url where,
                                                                         std::shared_ptr<time_source> time,
                                                                         time_source::time_point until,
                                                                         net::address_filter allowed = {}) const {
    auto route = proxies_.proxy_for(where);
    return run(lookup_, std::move(where), std::move(route), std::move(time), until, std::move(allowed));
  }

 private:
  static asio::awaitable<result<std::unique_ptr<Stream>>> run(net::lookup_function lookup, http_url where,
                                                              result<std::optional<proxy_route>> route,
                                                              std::shared_ptr<time_source> time,
                                                              time_source::time_point until,
                                                              net::address_filter allowed) {
    if (where.secure())
      co_return error(errc::invalid_argument, "https needs TLS: build with COMCP_WITH_TLS and use asio_tls_engine");
    if (!route) co_return route.error();
    auto stream = co_await http_detail::dial<Stream>(std::move(lookup), where, *route, time, until, std::move(allowed));
    co_return std::move(stream);
  }

  proxy_options proxies_;
  net::lookup_function lookup_;
};

using plain_connector = basic_plain_connector<>;

}  // namespace comcp

// http/engine.hpp
// The engine seam: what carries HTTP. An engine knows no MCP, no authorization, follows no redirect and keeps no
// cookie; what a status means is decided above it.

#include <concepts>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

namespace comcp {

/// A response whose head has come. next() gives the body in pieces as they arrive, without their transfer encoding and
/// untouched otherwise; an empty piece is its end, and stays so. A piece is valid until the next call. Destroying a
/// response before its end abandons the exchange, which the server sees as a closed connection (or stream).
template <class R>
concept http_response = std::move_constructible<R> && requires(R r, R const& c) {
  { c.head() } -> std::same_as<http_response_head const&>;
  { r.next() } -> std::same_as<asio::awaitable<result<std::string_view>>>;
};

/// Carries any number of exchanges at once. Used from one executor, that of the coroutine which calls open().
///
/// open() sends the request and completes with the final response's head (1xx are skipped), whatever its status. Its
/// awaitable, and the responses, need the engine no more: destroying it ends them with errc::closed.
/// Both open() and next() can be cancelled at any moment (cancellation_type::terminal), which abandons the exchange
/// and ends them with errc::cancelled or with Asio's own exception.
///
/// Errors: invalid_argument (a request that no line can carry), queue_full (too many exchanges at once),
/// connect_failed, connect_timeout, tls_failed, proxy_failed: nothing was sent. response_timeout, idle_timeout,
/// exchange_timeout, limit_exceeded, protocol_violation (malformed HTTP), transport_failed (the connection broke): the
/// server may have acted.
/// No error text or detail holds a header value, a query or a body of the request.
template <class E>
concept engine = std::move_constructible<E> && http_response<typename E::response> && requires(E e, http_request r) {
  { e.open(std::move(r)) } -> std::same_as<asio::awaitable<result<typename E::response>>>;
};

}  // namespace comcp

// http/request_writer.hpp
// Writes the head of one HTTP/1.1 request, and refuses what no line can carry or what belongs to the framing.

#include <string>
#include <string_view>

namespace comcp {

/// How a request goes through an http proxy: it names the whole URL, and says who asks.
class proxy_form {
 public:
  proxy_form() {}
  bool absolute = false;
  std::string authorization;  ///< Value of Proxy-Authorization; empty for none.
};

/// errc::invalid_argument for a method that is no token, control characters in a value, and the fields that
/// write_request_head() writes (Host, Content-Length, Transfer-Encoding, Connection); it quotes no value.
result<void> check_request(http_request const& request);

/// The head with its blank line: request line, Host, the request's own fields, Content-Length where there is a body or
/// the method usually has one (POST, PUT, PATCH). Precondition: check_request() found nothing.
std::string write_request_head(http_request const& request, proxy_form const& proxy = proxy_form());

/// Whether a request with this method may be sent twice (RFC 9110, section 9.2.2).
bool is_idempotent(std::string_view method) noexcept;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// http/impl/request_writer.ipp
#include <algorithm>
#include <array>

namespace comcp {
namespace http_detail {

inline constexpr std::array<std::string_view, 4> framing_fields = {"host", "content-length", "transfer-encoding",
                                                                   "connection"};

constexpr bool names_field(std::string_view name, std::string_view lower) noexcept {
  return std::equal(name.begin(), name.end(), lower.begin(), lower.end(), [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x | 0x20) : x) == y;
  });
}

constexpr bool has_control(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

}  // namespace http_detail

COMCP_DECL result<void> check_request(http_request const& request) {
  if (!is_http_token(request.method)) return error(errc::invalid_argument, "the method of a request is not a token");
  for (auto const& field : request.headers) {
    bool const framing = std::any_of(http_detail::framing_fields.begin(), http_detail::framing_fields.end(),
                                     [&](std::string_view own) { return http_detail::names_field(field.name, own); });
    if (framing) return error(errc::invalid_argument, "the header " + field.name + " is the engine's own");
    if (http_detail::has_control(field.value))
      return error(errc::invalid_argument, "the value of header " + field.name + " has control characters");
  }
  return {};
}

COMCP_DECL std::string write_request_head(http_request const& request, proxy_form const& proxy) {
  std::string out;
  out.reserve(512);
  out += request.method;
  out += ' ';
  if (proxy.absolute) out += request.url.origin();
  out += request.url.target();
  out += " HTTP/1.1\r\nHost: ";
  out += request.url.authority();
  for (auto const& field : request.headers) out.append("\r\n").append(field.name).append(": ").append(field.value);
  if (!proxy.authorization.empty()) out.append("\r\nProxy-Authorization: ").append(proxy.authorization);
  auto const& m = request.method;
  if (!request.body.empty() || m == "POST" || m == "PUT" || m == "PATCH")
    out.append("\r\nContent-Length: ").append(std::to_string(request.body.size()));
  out += "\r\n\r\n";
  return out;
}

COMCP_DECL bool is_idempotent(std::string_view method) noexcept {
  constexpr std::array<std::string_view, 6> all = {"GET", "HEAD", "OPTIONS", "DELETE", "PUT", "TRACE"};
  return std::find(all.begin(), all.end(), method) != all.end();
}

}  // namespace comcp
#endif

namespace comcp {

/// A response of basic_asio_engine. Its pieces are views into the connection's buffer. Destroying it before its end
/// closes the connection, unless all of the body was here already.
template <class Stream>
class asio_response {
 public:
  asio_response() = default;  ///< Ended, as one that was moved from; co_spawn wants it.
  asio_response(http_response_head head, http_detail::asio_lease<Stream> lease)
      : head_(std::move(head)), lease_(std::move(lease)) {}

  [[nodiscard]] http_response_head const& head() const noexcept { return head_; }

  /// One call at a time; the response stays until it has ended. Errors as with every engine, and the same one again.
  asio::awaitable<result<std::string_view>> next() {
    using progress = response_parser::progress;
    auto const c = lease_.get();
    bool waiting = false;
    while (c) {
      auto const told = c->advance();
      if (told == progress::failed) co_return c->failure();  // this may be gone
      if (told == progress::body || told == progress::end) c->pause();
      if (told == progress::body) co_return c->piece();
      if (told == progress::end) break;
      if (!std::exchange(waiting, true)) c->expect_body();
      auto const [ec, n] = co_await c->stream().async_read_some(c->room(), net::tuple_awaitable);
      c->received(ec, n);
    }
    lease_.reset();
    co_return std::string_view();
  }

 private:
  http_response_head head_;
  http_detail::asio_lease<Stream> lease_;
};

namespace http_detail {

/// A connection that is being made.
struct connect_attempt {
  explicit connect_attempt(asio::any_io_executor executor) : on(std::move(executor)) {}
  asio::any_io_executor on;
  asio::cancellation_signal signal;
  bool over = false;
};

/// What exchanges share, so that they need no engine. Used from one executor.
template <class Connector>
class asio_engine_core {
 public:
  using stream = typename Connector::stream;
  using pool = asio_pool<stream>;

  asio_engine_core(asio_engine_options o, Connector c)
      : options(std::move(o)),
        from(std::move(c)),
        time(options.time() ? options.time() : steady_time()),
        connections(std::make_shared<pool>(options, time)) {}

  void close() {
    connections->close();
    auto const open = std::move(connecting);
    // Posted: where an io_context is being destroyed, what would be cancelled may be gone already.
    for (auto const& attempt : open) {
      asio::post(attempt->on, [attempt] {
        if (!attempt->over) attempt->signal.emit(asio::cancellation_type::terminal);
      });
    }
  }

  [[nodiscard]] exchange_times times_of(http_timeouts const& asked) const {
    auto const& own = options.timeouts();
    exchange_times out;
    out.total_at = later(time->now(), asked.total().value_or(*own.total()));
    out.connect = asked.connect().value_or(*own.connect());
    out.response = asked.response().value_or(*own.response());
    out.idle = asked.idle().value_or(*own.idle());
    return out;
  }

  asio_engine_options options;
  Connector from;
  std::shared_ptr<time_source> time;
  std::shared_ptr<pool> connections;
  std::set<std::shared_ptr<connect_attempt>> connecting;
};

/// A new connection. It is made by a coroutine of its own, so that the engine's end can end it as well.
template <class Connector>
asio::awaitable<result<std::unique_ptr<typename Connector::stream>>> connect_for(
    std::shared_ptr<asio_engine_core<Connector>> core, http_url url, exchange_times times) {
  auto const on = co_await asio::this_coro::executor;
  auto const state = co_await asio::this_coro::cancellation_state;
  auto const attempt = std::make_shared<connect_attempt>(on);
  core->connecting.insert(attempt);
  if (state.slot().is_connected())
    state.slot().assign([attempt](asio::cancellation_type type) { attempt->signal.emit(type); });
  auto const at = later(core->time->now(), times.connect);
  auto const until = std::min(at, times.total_at);
  auto made = core->from.connect(std::move(url), core->time, until, core->options.address_filter());
  auto [thrown, connected] = co_await asio::co_spawn(
      on, std::move(made), asio::bind_cancellation_slot(attempt->signal.slot(), net::tuple_awaitable));
  if (state.slot().is_connected()) state.slot().clear();
  attempt->over = true;
  core->connecting.erase(attempt);
  asio::post(on, [attempt] {});  // Asio looks at the slot after the work has ended
  if (core->connections->closed()) co_return error(errc::closed, "the HTTP engine is gone");
  if (thrown) std::rethrow_exception(thrown);
  if (!connected && connected.error() == errc::connect_timeout && times.total_at <= at)
    co_return connected.error().with_code(errc::exchange_timeout);
  if (connected) {
    std::error_code ignored;
    (*connected)->socket().non_blocking(true, ignored);
  }
  co_return std::move(connected);
}

/// The bytes of a request as they go to this connection.
template <class Stream>
request_text text_for(http_request& request, Stream& stream) {
  constexpr std::size_t copied = std::size_t{64} << 10;
  proxy_form form;
  if (auto const* route = stream.forwarded_by()) {
    form.absolute = true;
    form.authorization = route->authorization().reveal();
  }
  request_text out;
  out.head = write_request_head(request, form);
  if (request.body.size() <= copied) {
    out.head += request.body;
  } else {
    out.body = std::move(request.body);
  }
  return out;
}

/// What failed, where the first attempt may have been seen by the server and there was no second one.
inline error const& told_of(error const& sent, error const& second) noexcept {
  bool const own = second == errc::cancelled || second == errc::closed;
  return sent && !own ? sent : second;
}

template <class Connector>
asio::awaitable<result<asio_response<typename Connector::stream>>> exchange(
    std::shared_ptr<asio_engine_core<Connector>> core, http_request request) {
  using stream = typename Connector::stream;
  using progress = response_parser::progress;
  auto checked = check_request(request);
  if (!checked) co_return checked.error();
  auto const times = core->times_of(request.timeouts);
  bool const may_repeat = request.repeatable || is_idempotent(request.method);
  request_text text;
  error sent;  // how the first attempt failed, where the server may have seen it
  for (bool again = false;; again = true) {
    auto taken = core->connections->take(request.url, again);
    if (!taken) co_return told_of(sent, taken.error());
    auto lease = std::move(*taken);
    bool const rested = lease.get() != nullptr;
    if (!rested) {
      auto made = co_await connect_for(core, request.url, times);
      if (!made) co_return told_of(sent, made.error());
      lease.attach(std::make_shared<asio_connection<stream>>(std::move(*made), core->time));
    }
    auto& c = *lease.get();
    if (!again) text = text_for(request, c.stream());
    c.begin(std::move(text), request.method, core->options.limits(), times);
    auto told = c.advance();
    while (told == progress::more) {
      auto const [ec, n] = co_await c.stream().async_read_some(c.room(), net::tuple_awaitable);
      c.received(ec, n);
      told = c.advance();
    }
    if (told != progress::failed) {
      c.pause();
      auto head = std::move(c.head());
      co_return asio_response<stream>(std::move(head), std::move(lease));
    }
    bool const repeat = rested && c.ended_unanswered() && (may_repeat || c.nothing_sent());
    if (!repeat) co_return c.failure();
    if (!c.nothing_sent()) sent = c.failure();
    text = c.take_text();
  }
}

}  // namespace http_detail

/// The default engine. Moves, does not copy; destroying it ends its exchanges with errc::closed. Between exchanges it
/// keeps connections, and io_context::run() goes on until they have expired: close_idle() closes them at once.
template <class Connector>
class basic_asio_engine {
 public:
  using response = asio_response<typename Connector::stream>;

  explicit basic_asio_engine(asio_engine_options options = asio_engine_options(), Connector from = Connector())
      : core_(std::make_shared<core>(std::move(options), std::move(from))) {}
  basic_asio_engine(basic_asio_engine&&) noexcept = default;
  basic_asio_engine& operator=(basic_asio_engine&& other) noexcept {
    if (this != &other) {
      if (core_) core_->close();
      core_ = std::move(other.core_);
    }
    return *this;
  }
  ~basic_asio_engine() {
    if (core_) core_->close();
  }

  /// As the concept `engine` says. A request whose kept connection turns out dead before a byte of the answer goes out
  /// once more, on a new one, where nothing of it was sent, or where it may arrive twice: it says so (`repeatable`), or
  /// its method is idempotent. Precondition: this was not moved from.
  [[nodiscard]] asio::awaitable<result<response>> open(http_request request) {
    return http_detail::exchange<Connector>(core_, std::move(request));
  }

  /// Closes the connections that no exchange is on.
  void close_idle() { core_->connections->close_idle(); }
  [[nodiscard]] std::size_t idle_connections() const noexcept { return core_->connections->idle_count(); }
  [[nodiscard]] std::size_t busy_connections() const noexcept { return core_->connections->busy_count(); }

 private:
  using core = http_detail::asio_engine_core<Connector>;
  std::shared_ptr<core> core_;
};

/// For http URLs; asio_tls_engine has https as well.
using asio_engine = basic_asio_engine<plain_connector>;

static_assert(engine<asio_engine>);

}  // namespace comcp

// http/tls.hpp
// Whom a TLS connection trusts and who it says it is. Options only, for the Asio engines; no TLS library is needed
// here.

#include <string>
#include <utility>

namespace comcp {

enum class tls_version { v1_2, v1_3 };

/// The default verifies the server's certificate chain against the system's authorities (with OpenSSL also what
/// SSL_CERT_FILE and SSL_CERT_DIR name), and its host name or IP address by the certificate's alternative names, with
/// TLS 1.2 or newer. Files are PEM, not encrypted, and read at the first connection.
class tls_options {
 public:
  tls_options() {}

  /// The authorities to trust, in place of the system's. A file and a text add up.
  tls_options& ca_file(std::string path) { return ca_file_ = std::move(path), *this; }
  tls_options& ca_pem(std::string text) { return ca_pem_ = std::move(text), *this; }

  /// Who this client is, for servers that ask: its certificate with those between it and its authority, and its key.
  tls_options& client_certificate(std::string certificate_file, std::string key_file) {
    certificate_file_ = std::move(certificate_file);
    key_file_ = std::move(key_file);
    return *this;
  }

  tls_options& minimum_version(tls_version version) { return minimum_version_ = version, *this; }

  /// The name that is sent to the server (SNI) and must be in its certificate, in place of the URL's host.
  tls_options& server_name(std::string name) { return server_name_ = std::move(name), *this; }

  /// DANGEROUS: takes any certificate of anybody. Whoever is on the way to the server can then read and change all of
  /// it, tokens included. For tests against a throwaway server only; trust its own certificate with ca_file() instead.
  tls_options& insecure_skip_verification(bool skip = true) { return skip_verification_ = skip, *this; }

  [[nodiscard]] std::string const& ca_file() const noexcept { return ca_file_; }
  [[nodiscard]] std::string const& ca_pem() const noexcept { return ca_pem_; }
  [[nodiscard]] std::string const& certificate_file() const noexcept { return certificate_file_; }
  [[nodiscard]] std::string const& key_file() const noexcept { return key_file_; }
  [[nodiscard]] tls_version minimum_version() const noexcept { return minimum_version_; }
  [[nodiscard]] std::string const& server_name() const noexcept { return server_name_; }
  [[nodiscard]] bool skips_verification() const noexcept { return skip_verification_; }

 private:
  std::string ca_file_, ca_pem_, certificate_file_, key_file_, server_name_;
  tls_version minimum_version_ = tls_version::v1_2;
  bool skip_verification_ = false;
};

}  // namespace comcp
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS

// http/asio_tls_engine.hpp
// The default engine with TLS: http and https on OpenSSL.

// http/tls_connector.hpp
// The connector for http and https URLs, on Asio's ssl and OpenSSL. An opt-in header: where COMCP_WITH_TLS is on, the
// CMake target links OpenSSL.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

// http/tls_stream.hpp
// The bytes of one connection, under TLS or without it. Needs OpenSSL.

#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include <asio/ssl/context.hpp>
#include <asio/ssl/error.hpp>
#include <asio/ssl/stream.hpp>

namespace comcp {

/// A plain_stream on which TLS may start. Then asio::error::eof is the peer's close_notify; a connection that ends
/// without it gives asio::ssl::error::stream_truncated. close() sends no close_notify, as HTTP's framing says where a
/// request ends.
class tls_stream : public plain_stream {
 public:
  using plain_stream::plain_stream;

  /// What the handshake is done on.
  using layer = asio::ssl::stream<asio::ip::tcp::socket&>;
  layer& start(asio::ssl::context& context) { return tls_.emplace(socket(), context); }
  [[nodiscard]] bool secure() const noexcept { return tls_.has_value(); }

  template <class Token>
  auto async_read_some(asio::mutable_buffer into, Token&& token) {
    if (!tls_) return plain_stream::async_read_some(into, std::forward<Token>(token));
    return tls_->async_read_some(into, std::forward<Token>(token));
  }
  template <class Token>
  auto async_write_some(asio::const_buffer from, Token&& token) {
    if (!tls_) return plain_stream::async_write_some(from, std::forward<Token>(token));
    return tls_->async_write_some(from, std::forward<Token>(token));
  }

  /// Under TLS nothing is possible without waiting.
  std::size_t try_write(asio::const_buffer from, std::error_code& ec) {
    if (!tls_) return plain_stream::try_write(from, ec);
    ec = asio::error::would_block;
    return 0;
  }

  [[nodiscard]] bool quiet() { return !holds_bytes() && plain_stream::quiet(); }

 private:
  // Asio reads ahead of OpenSSL, into a BIO that OpenSSL does not count.
  [[nodiscard]] bool holds_bytes() {
    if (!tls_) return false;
    SSL* const s = tls_->native_handle();
    return ::SSL_has_pending(s) != 0 || ::BIO_ctrl_pending(::SSL_get_rbio(s)) != 0;
  }

  std::optional<layer> tls_;
};

}  // namespace comcp

namespace comcp {
namespace http_detail {

/// The SSL context of a connector and its copies, made when it is first needed: the system's authorities take
/// milliseconds to read. Safe from any thread.
class tls_context {
 public:
  explicit tls_context(tls_options options) : options_(std::move(options)) {}

  /// Makes the context if there is none; what is wrong with the options is errc::tls_failed each time.
  result<void> prepare();
  /// After prepare() only.
  [[nodiscard]] asio::ssl::context& native() noexcept { return *native_; }
  [[nodiscard]] tls_options const& options() const noexcept { return options_; }

 private:
  error make();

  tls_options options_;
  std::once_flag once_;
  std::optional<asio::ssl::context> native_;
  error problem_;
};

/// Says to a connection which server it must be talking to. Errors: tls_failed.
result<void> expect_server(SSL* connection, std::string const& name, bool verify);

/// Why a handshake with `host` failed, with OpenSSL's words.
error handshake_failure(SSL* connection, std::error_code why, bool late, std::string const& host);

/// The TLS handshake, on a connection that leads to the server.
template <class Stream>
asio::awaitable<error> secure(Stream& stream, std::shared_ptr<tls_context> context, http_url where,
                              std::shared_ptr<time_source> time, time_source::time_point until) {
  auto const ready = context->prepare();
  if (!ready) co_return ready.error();
  auto const& options = context->options();
  std::string name = options.server_name();
  if (name.empty()) name = where.host_name();
  auto& layer = stream.start(context->native());
  auto const told = expect_server(layer.native_handle(), name, !options.skips_verification());
  if (!told) co_return told.error();
  net::socket_alarm const alarm(*time, stream.socket(), until);
  auto const [ec] = co_await layer.async_handshake(asio::ssl::stream_base::client, net::tuple_awaitable);
  if (ec) co_return handshake_failure(layer.native_handle(), ec, alarm.rang(), host_and_port(where));
  co_return error();
}

}  // namespace http_detail

/// Connections for http and https URLs, through a proxy where one is meant for them. Copies share their TLS context.
template <class Stream = tls_stream>
class basic_tls_connector {
 public:
  using stream = Stream;

  explicit basic_tls_connector(tls_options tls = tls_options(),
                               proxy_options proxies = proxy_options::from_environment(),
                               net::lookup_function lookup = net::system_lookup<asio::any_io_executor>)
      : context_(std::make_shared<http_detail::tls_context>(std::move(tls))),
        proxies_(std::move(proxies)),
        lookup_(std::move(lookup)) {}

  [[nodiscard]] asio::awaitable<result<std::unique_ptr<Stream>>> connect(http_url where,
                                                                         std::shared_ptr<time_source> time,
                                                                         time_source::time_point until,
                                                                         net::address_filter allowed = {}) const {
    auto route = proxies_.proxy_for(where);
    return run(context_, lookup_, std::move(where), std::move(route), std::move(time), until, std::move(allowed));
  }

 private:
  static asio::awaitable<result<std::unique_ptr<Stream>>> run(std::shared_ptr<http_detail::tls_context> context,
                                                              net::lookup_function lookup, http_url where,
                                                              result<std::optional<proxy_route>> route,
                                                              std::shared_ptr<time_source> time,
                                                              time_source::time_point until,
                                                              net::address_filter allowed) {
    if (!route) co_return route.error();
    auto stream = co_await http_detail::dial<Stream>(std::move(lookup), where, *route, time, until, std::move(allowed));
    if (!stream || !where.secure()) co_return std::move(stream);
    if (*route) {
      auto const refused = co_await http_detail::open_tunnel(**stream, where, **route, time, until);
      if (refused) co_return refused;
    }
    auto const failed = co_await http_detail::secure(**stream, std::move(context), where, time, until);
    if (failed) co_return failed;
    co_return std::move(stream);
  }

  std::shared_ptr<http_detail::tls_context> context_;
  proxy_options proxies_;
  net::lookup_function lookup_;
};

using tls_connector = basic_tls_connector<>;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// http/impl/tls_connector.ipp
#include <asio/ip/address.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace comcp::http_detail {

COMCP_DECL error tls_setup_failed(std::string what, std::error_code why) {
  return {errc::tls_failed, std::move(what) + ": " + why.message()};
}

COMCP_DECL std::error_code last_ssl_error() {
  return {static_cast<int>(::ERR_get_error()), asio::error::get_ssl_category()};
}

COMCP_DECL result<void> tls_context::prepare() {
  std::call_once(once_, [this] { problem_ = make(); });
  if (problem_) return problem_;
  return {};
}

COMCP_DECL error tls_context::make() {
  ::ERR_clear_error();
  SSL_CTX* const raw = ::SSL_CTX_new(::TLS_client_method());
  if (raw == nullptr) return tls_setup_failed("no TLS context", last_ssl_error());
  native_.emplace(raw);
  // Without it OpenSSL asks the terminal for the password of an encrypted key, and waits.
  ::SSL_CTX_set_default_passwd_cb(raw, [](char*, int, int, void*) { return -1; });
  std::error_code ec;
  auto const oldest = options_.minimum_version() == tls_version::v1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
  if (::SSL_CTX_set_min_proto_version(raw, oldest) != 1)
    return tls_setup_failed("the minimum TLS version is not supported", last_ssl_error());
  constexpr unsigned char http11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  ::SSL_CTX_set_alpn_protos(raw, http11, sizeof http11);
  if (!options_.ca_file().empty()) native_->load_verify_file(options_.ca_file(), ec);
  if (ec) return tls_setup_failed("cannot load the authorities of " + options_.ca_file(), ec);
  if (!options_.ca_pem().empty()) native_->add_certificate_authority(asio::buffer(options_.ca_pem()), ec);
  if (ec) return tls_setup_failed("cannot read the given authorities", ec);
  if (options_.ca_file().empty() && options_.ca_pem().empty()) native_->set_default_verify_paths(ec);
  if (ec) return tls_setup_failed("cannot load the system's authorities", ec);
  if (!options_.certificate_file().empty()) {
    native_->use_certificate_chain_file(options_.certificate_file(), ec);
    if (ec) return tls_setup_failed("cannot load the client certificate " + options_.certificate_file(), ec);
    native_->use_private_key_file(options_.key_file(), asio::ssl::context::pem, ec);
    if (ec) return tls_setup_failed("cannot load the client key " + options_.key_file(), ec);
  }
  return {};
}

COMCP_DECL result<void> expect_server(SSL* connection, std::string const& name, bool verify) {
  // A root's final dot is in neither names on the wire nor certificates.
  std::string const host = name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
  std::error_code no_address;
  asio::ip::make_address(host, no_address);
  bool ok = true;
  if (no_address) ok = SSL_set_tlsext_host_name(connection, host.c_str()) == 1;
  if (verify) {
    ::SSL_set_verify(connection, SSL_VERIFY_PEER, nullptr);
    auto* const wanted = ::SSL_get0_param(connection);
    ::X509_VERIFY_PARAM_set_hostflags(wanted,
                                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    ok = ok && (no_address ? ::X509_VERIFY_PARAM_set1_host(wanted, host.data(), host.size())
                           : ::X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str())) == 1;
  } else {
    ::SSL_set_verify(connection, SSL_VERIFY_NONE, nullptr);
  }
  if (!ok) return tls_setup_failed(host + " cannot be the name of a TLS server", last_ssl_error());
  return {};
}

COMCP_DECL error handshake_failure(SSL* connection, std::error_code why, bool late, std::string const& host) {
  if (late) return {errc::connect_timeout, host + " did not finish the TLS handshake in time"};
  if (why == asio::error::operation_aborted) return {errc::cancelled};
  auto const verdict = ::SSL_get_verify_result(connection);
  if (verdict != X509_V_OK && ::SSL_get_verify_mode(connection) != SSL_VERIFY_NONE)
    return {errc::tls_failed, host + " is not trusted: " + ::X509_verify_cert_error_string(verdict)};
  if (why == asio::error::eof || why == asio::ssl::error::stream_truncated)
    return {errc::tls_failed, host + " closed the connection in the TLS handshake"};
  if (why.category() == asio::error::get_system_category())
    return {errc::connect_failed, "the connection to " + host + " broke in the TLS handshake: " + why.message()};
  return {errc::tls_failed, "no TLS connection to " + host + ": " + why.message()};
}

}  // namespace comcp::http_detail
#endif

namespace comcp {

/// As asio_engine, for https URLs too.
using asio_tls_engine = basic_asio_engine<tls_connector>;

static_assert(engine<asio_tls_engine>);

}  // namespace comcp
#endif

namespace comcp {

// What a configuration makes the default is a part of its name: objects of two configurations do not link.
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
inline namespace http_with_tls {
using default_http_engine = asio_tls_engine;
#else
inline namespace http_without_tls {
using default_http_engine = asio_engine;
#endif
}  // inline namespace

namespace detail {

// A template, so that only who uses HTTP pays for it.
template <class Engine = default_http_engine>
std::shared_ptr<Engine> make_http_engine(asio_engine_options options, proxy_options proxies,
                                         [[maybe_unused]] tls_options const& tls,
                                         net::lookup_function lookup = net::system_lookup<asio::any_io_executor>) {
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
  tls_connector from(tls, std::move(proxies), std::move(lookup));
#else
  plain_connector from(std::move(proxies), std::move(lookup));
#endif
  return std::make_shared<Engine>(std::move(options), std::move(from));
}

}  // namespace detail
}  // namespace comcp

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

extern template std::shared_ptr<default_http_engine> make_http_engine(asio_engine_options, proxy_options,
                                                                      tls_options const&, net::lookup_function);

}  // namespace comcp::detail
#endif

// transport/streamable_http.hpp
// MCP over HTTP with an engine and an authenticator of the user's choice. comcp::http has the bundled ones.
// Specification: 2026-07-28 basic/transports/streamable-http, 2025-11-25 basic/transports, 2024-11-05 basic/transports

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>

// transport/http_exchanges.hpp
// How a session's requests are carried out on an engine, with what an authenticator adds: POSTs and their answers,
// the resumption of broken streams, the stream of the legacy era. What is sent when is http_session's. Internal.

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

// transport/http_fetch.hpp
// One request with what may have to happen before its answer counts: credentials, a challenge, a redirect, a wait
// that the server asked for. Internal.

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <asio/awaitable.hpp>

// net/gate.hpp
// Waiting for something that happens once, and for a moment, on one executor. Internal.

#include <chrono>
#include <memory>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

namespace comcp::detail {

/// Closed until open() is called; whoever waits goes on then. Waits can be cancelled.
class gate {
 public:
  explicit gate(asio::any_io_executor on) : timer_(std::move(on), asio::steady_timer::time_point::max()) {}

  void open() noexcept;
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// The gate outlives the wait.
  [[nodiscard]] asio::awaitable<void> wait();

 private:
  asio::steady_timer timer_;  // never expires; cancelled when the gate opens
  bool open_ = false;
};

/// Waits on the caller's executor until then, as the source tells the time.
asio::awaitable<void> pause_until(std::shared_ptr<time_source> time, time_source::time_point until);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)

// net/impl/gate.ipp
#include <system_error>

#include <asio/this_coro.hpp>

namespace comcp::detail {

COMCP_DECL void gate::open() noexcept {
  open_ = true;
  try {
    timer_.cancel();
  } catch (std::system_error const&) {
    // Documented to throw, never seen to.
  }
}

COMCP_DECL asio::awaitable<void> gate::wait() {
  while (!open_) co_await timer_.async_wait(net::tuple_awaitable);
}

COMCP_DECL asio::awaitable<void> pause_until(std::shared_ptr<time_source> time, time_source::time_point until) {
  auto const executor = co_await asio::this_coro::executor;
  // Shared: the deadline may be firing while a cancelled wait goes away.
  auto const reached = std::make_shared<gate>(executor);
  auto const alarm = time->make_deadline(executor);
  std::function<void()> fire = [reached] { reached->open(); };
  alarm->arm(until, std::move(fire));
  co_await reached->wait();
}

}  // namespace comcp::detail
#endif

// sansio/http_exchange.hpp
// What the head of an HTTP response means to MCP, and what its body makes of a failure. Carrying out the verdict is
// the transport's. Specification: 2026-07-28 basic/transports/streamable-http, 2025-11-25 basic/transports

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

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

/// Session ids are visible ASCII.
[[nodiscard]] bool is_session_id(std::string_view text) noexcept;

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION)

// sansio/impl/http_exchange.ipp
#include <algorithm>
#include <array>

// auth/challenge.hpp
// What WWW-Authenticate says: challenges, each a scheme with parameters (RFC 9110, section 11.6.1). Pure.
// Specification: 2026-07-28, basic/authorization, "Protected Resource Metadata Discovery Requirements"

#include <string>
#include <string_view>
#include <vector>

namespace comcp {

/// One challenge. Regular.
class auth_challenge {
 public:
  explicit auth_challenge(std::string scheme) : scheme_(std::move(scheme)) {}

  /// As the server wrote it: compare with is().
  [[nodiscard]] std::string const& scheme() const noexcept { return scheme_; }
  /// Whether it is this scheme, without case.
  [[nodiscard]] bool is(std::string_view scheme) const noexcept;
  /// A parameter's value, unquoted; names are compared without case; the first of two wins. Null where there is none.
  [[nodiscard]] std::string const* find(std::string_view name) const noexcept;
  [[nodiscard]] std::string const& token68() const noexcept { return token68_; }

  void add(std::string name, std::string value) { parameters_.push_back({std::move(name), std::move(value)}); }
  void token68(std::string text) { token68_ = std::move(text); }

  friend bool operator==(auth_challenge const&, auth_challenge const&) = default;

 private:
  std::string scheme_, token68_;
  std::vector<http_field> parameters_;
};

/// Every challenge of every WWW-Authenticate field, in order. Never fails: what is malformed is passed over up to the
/// next comma, values that lack their quotes are taken as they are, and bounds (16 KiB of text, 16 challenges, 32
/// parameters each) cut what is too much.
std::vector<auth_challenge> parse_challenges(http_headers const& headers);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// auth/impl/challenge.ipp
#include <algorithm>
#include <optional>
#include <utility>

namespace comcp {
namespace detail {

inline constexpr std::size_t max_challenge_text = 16 * 1024, max_challenges = 16, max_challenge_parameters = 32;

/// Reads one field. A comma separates challenges and parameters alike: what follows one is a parameter where it has an
/// equals sign, else the next scheme.
class challenge_reader {
 public:
  challenge_reader(std::string_view text, std::vector<auth_challenge>& out) noexcept : rest_(text), out_(out) {}

  void run() {
    for (skip(" \t,"); !rest_.empty(); skip(" \t,")) {
      if (parameter()) continue;
      auto const scheme = run_of(is_token);
      if (scheme.empty() || !(rest_.empty() || at(" \t,"))) {
        pass_over();
        continue;
      }
      if (out_.size() == max_challenges) return;
      current_ = &out_.emplace_back(std::string(scheme));
      count_ = 0;
      token68();
    }
  }

 private:
  static bool is_token(char c) noexcept { return is_http_token(std::string_view(&c, 1)); }
  [[nodiscard]] bool at(std::string_view any) const noexcept { return !rest_.empty() && any.find(rest_[0]) != any.npos; }
  void skip(std::string_view any) noexcept {
    while (at(any)) rest_.remove_prefix(1);
  }
  std::string_view run_of(auto fits) {
    auto const end = std::find_if_not(rest_.begin(), rest_.end(), fits);
    auto const out = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(out.size());
    return out;
  }

  /// From its quote on; nothing, and nothing left, where it is not closed.
  std::optional<std::string> quoted() {
    std::string out;
    for (rest_.remove_prefix(1); !rest_.empty(); rest_.remove_prefix(1)) {
      if (rest_[0] == '"') return rest_.remove_prefix(1), out;
      if (rest_[0] == '\\') rest_.remove_prefix(1);
      if (rest_.empty()) break;
      out += rest_[0];
    }
    return {};
  }

  /// Whether a parameter, however broken its value is, was here; it goes to the current challenge.
  bool parameter() {
    auto const before = rest_;
    auto const name = run_of(is_token);
    skip(" \t");
    if (name.empty() || !at("=")) return rest_ = before, false;
    rest_.remove_prefix(1);
    skip(" \t");
    bool const in_quotes = at("\"");
    auto const plain = [](char c) { return std::string_view(" \t,\"").find(c) == std::string_view::npos; };
    auto value = in_quotes ? quoted() : std::optional(std::string(run_of(plain)));
    if (!value || (value->empty() && !in_quotes) || !current_ || count_ == max_challenge_parameters) return true;
    current_->add(std::string(name), std::move(*value));
    ++count_;
    return true;
  }

  /// What follows a scheme, if it is one and nothing else follows it.
  void token68() {
    auto const before = rest_;
    skip(" \t");
    auto const start = rest_;
    auto const digits = run_of([](char c) {
      return c == '/' || (is_token(c) && std::string_view("!#$%&'*^`|").find(c) == std::string_view::npos);
    });
    auto const padding = run_of([](char c) { return c == '='; });
    auto const text = start.substr(0, digits.size() + padding.size());
    skip(" \t");
    if (digits.empty() || !(rest_.empty() || at(","))) {
      rest_ = before;
    } else {
      current_->token68(std::string(text));
    }
  }

  void pass_over() {
    while (!rest_.empty() && !at(",")) {
      if (at("\"")) {
        (void)quoted();
      } else {
        rest_.remove_prefix(1);
      }
    }
  }

  std::string_view rest_;
  std::vector<auth_challenge>& out_;
  auth_challenge* current_ = nullptr;  // the last of out_, once this field began one
  std::size_t count_ = 0;              // its parameters
};

}  // namespace detail

COMCP_DECL bool auth_challenge::is(std::string_view scheme) const noexcept {
  return http_detail::same_name(scheme_, scheme);
}

COMCP_DECL std::string const* auth_challenge::find(std::string_view name) const noexcept {
  for (auto const& p : parameters_) {
    if (http_detail::same_name(p.name, name)) return &p.value;
  }
  return nullptr;
}

COMCP_DECL std::vector<auth_challenge> parse_challenges(http_headers const& headers) {
  std::vector<auth_challenge> out;
  auto left = detail::max_challenge_text;
  for (auto text : headers.all("WWW-Authenticate")) {
    if (text.size() > left) {
      // Cut between two parts: half a value would be another one.
      text = text.substr(0, left);
      auto const comma = text.rfind(',');
      text = text.substr(0, comma == text.npos ? 0 : comma);
      left = text.size();
    }
    left -= text.size();
    detail::challenge_reader(text, out).run();
  }
  return out;
}

}  // namespace comcp
#endif

namespace comcp::sansio {
namespace detail {

using action = http_verdict::action;

COMCP_DECL error of_status(errc code, http_response_head const& got, std::string text) {
  transport_detail detail;
  detail.http_status = got.status;
  return error(code, std::move(text)).with_detail(std::move(detail));
}

COMCP_DECL http_verdict verdict(action what, error why = error()) {
  http_verdict v;
  v.what = what;
  v.why = std::move(why);
  return v;
}

COMCP_DECL bool is_encoded(http_response_head const& got) {
  for (auto const value : got.headers.all("Content-Encoding")) {
    if (value != "identity" && !value.empty()) return true;
  }
  return false;
}

COMCP_DECL http_verdict success(http_response_head const& got, bool streams_only) {
  if (is_encoded(got)) return verdict(action::fail, of_status(errc::unsupported_encoding, got, "the body is compressed"));
  auto const* const text = got.headers.find("Content-Type");
  auto const type = text ? media_type::parse(*text) : std::nullopt;
  if (type && type->is("text/event-stream")) return verdict(action::stream);
  if (type && type->is("application/json") && !streams_only) return verdict(action::json);
  return verdict(action::fail, of_status(errc::wrong_content_type, got,
                                         text ? "the content type is " + text->substr(0, 80) : "there is no content type"));
}

COMCP_DECL http_verdict redirect(http_sent const& sent, http_url const& at, http_response_head const& got, bool post) {
  auto const refuse = [&got](std::string why) {
    return verdict(action::fail, of_status(errc::redirect_refused, got, std::move(why)));
  };
  bool const keeps_method = got.status == 307 || got.status == 308;
  bool const simple = got.status == 301 || got.status == 302 || got.status == 303;
  if (!keeps_method && (post || !simple)) return refuse("a redirect that would not repeat the request as it is");
  auto const* const location = got.headers.find("Location");
  auto const target = location ? at.resolve(*location) : result<http_url>(error(errc::invalid_argument));
  if (!target) return refuse("a redirect to nowhere");
  if (!same_origin(at, *target)) return refuse("a redirect to another origin: " + target->origin());
  if (sent.redirects >= most_redirects) return refuse("more than three redirects");
  auto v = verdict(action::redirect);
  v.where = *target;
  return v;
}

// Bytes of a stranger, for people: no controls, and no character cut in half.
COMCP_DECL std::string printable(std::string_view body) {
  bool const cut = body.size() > snippet_size;
  std::string out(body.substr(0, snippet_size));
  while (cut && !out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U) out.pop_back();
  if (cut && !out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0U) out.pop_back();
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return out;
}

COMCP_DECL http_verdict refused(http_sent const& sent, http_url const& at, http_response_head const& got,
                                std::chrono::system_clock::time_point now) {
  bool const about_credentials = got.status == 401 || got.status == 403;
  auto e = of_status(about_credentials   ? errc::unauthorized
                     : got.status == 407 ? errc::proxy_failed
                                         : errc::http_status,
                     got, "from " + at.origin() + (about_credentials ? told_by_challenge(got.headers) : std::string()));
  if (about_credentials) return verdict(sent.challenges < most_challenges ? action::authorize : action::fail, e);
  if (got.status != 429 && got.status != 503) return verdict(action::fail, e);
  auto const* const header = got.headers.find("Retry-After");
  auto const after = header ? parse_retry_after(*header, now, longest_retry_after) : std::nullopt;
  if (!after) return verdict(action::fail, e);
  auto detail = *e.detail();
  detail.retry_after = after;
  auto v = verdict(sent.repeatable && sent.waits < most_waits ? action::wait : action::fail, e.with_detail(detail));
  v.delay = *after;
  return v;
}

COMCP_DECL error with_snippet(error const& why, std::string_view body) {
  auto known = why.detail() ? *why.detail() : transport_detail();
  known.snippet = printable(body);
  return why.with_detail(std::move(known));
}

}  // namespace detail

namespace detail {
// Whole words: half a credential that a server repeats would be found by nobody who hides it.
COMCP_DECL std::string whole_words(std::string_view text) {
  if (text.size() <= snippet_size) return printable(text);
  auto const end = text.substr(0, snippet_size).rfind(' ');
  return printable(text.substr(0, end == text.npos ? 0 : end)) + "...";
}
}  // namespace detail

COMCP_DECL std::string told_by_challenge(http_headers const& headers) {
  std::string out;
  for (auto const& challenge : parse_challenges(headers)) {
    auto const* const why = challenge.find("error");
    auto const* const text = challenge.find("error_description");
    auto const* const scope = challenge.find("scope");
    if (why) out += ": " + detail::whole_words(*why);
    if (text) out += " (" + detail::whole_words(*text) + ")";
    if (scope) out += std::string(why || text ? ", " : ": ") + "wanted scope: " + detail::whole_words(*scope);
    if (!out.empty()) break;
  }
  return out;
}

COMCP_DECL http_verdict judge_post(http_sent const& sent, http_url const& at, http_response_head const& got,
                                   std::chrono::system_clock::time_point now) {
  using detail::action;
  if (got.status < 300) {
    if (!sent.request) return detail::verdict(action::accepted);
    if (got.status == 202 || got.status == 204 || got.status == 205)
      return detail::verdict(action::fail, detail::of_status(errc::missing_answer, got, "a request was not answered"));
    return detail::success(got, false);
  }
  if (got.status < 400) return detail::redirect(sent, at, got, true);
  if (got.status == 404 && sent.in_session)
    return detail::verdict(action::session_lost, detail::of_status(errc::http_status, got, "the session is gone"));
  return detail::refused(sent, at, got, now);
}

COMCP_DECL http_verdict judge_get(http_sent const& sent, http_url const& at, http_response_head const& got,
                                  std::chrono::system_clock::time_point now) {
  using detail::action;
  if (got.status == 204 || got.status == 202) return detail::verdict(action::none);
  if (got.status < 300) return detail::success(got, true);
  if (got.status < 400) return detail::redirect(sent, at, got, false);
  if (got.status == 404 && sent.in_session)
    return detail::verdict(action::session_lost, detail::of_status(errc::http_status, got, "the session is gone"));
  // 405 is the specified way to say so; real servers use 400, 404, 406 and 409 too.
  static constexpr std::array<int, 5> means_none{400, 404, 405, 406, 409};
  if (std::find(means_none.begin(), means_none.end(), got.status) != means_none.end()) return detail::verdict(action::none);
  return detail::refused(sent, at, got, now);
}

COMCP_DECL error with_body(error const& why, std::string_view body) {
  if (body.empty()) return why;
  std::string text(body);
  auto const m = jsonrpc::decode(pad(text));
  if (m.kind == jsonrpc::message_kind::error) {
    auto const e = jsonrpc::decode_error(m.error);
    bool const keeps_code = why == errc::unauthorized || why == errc::proxy_failed;
    if (e.peer()) return keeps_code ? why.with_peer(*e.peer()) : e.with_detail(why.detail() ? *why.detail() : transport_detail());
  }
  return detail::with_snippet(why, body);
}

COMCP_DECL error unanswered(http_response_head const& got, std::string_view body) {
  auto const fail = [&](errc code, std::string text) {
    return detail::with_snippet(detail::of_status(code, got, std::move(text)), body);
  };
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return fail(errc::missing_answer, "the body is empty");
  std::string text(body);
  if (auto const parsed = json::parse(pad(text)); !parsed)
    return fail(errc::invalid_json, std::string(parsed.error().message()));
  auto const m = jsonrpc::decode(pad(text));
  if (m.kind == jsonrpc::message_kind::invalid) return fail(errc::protocol_violation, "no JSON-RPC message: " + m.reason);
  return fail(errc::missing_answer, "the body answers another request, or none");
}

COMCP_DECL bool may_be_http_sse(error const& e) {
  auto const* const d = e.detail();
  if (!d || !d->http_status) return false;
  auto const status = *d->http_status;
  return (status == 400 || status == 404 || status == 405) && !modern_versions(e);
}

COMCP_DECL bool means_session_lost(error const& e) {
  auto const* const peer = e.peer();
  if (!peer || peer->code != -32000 || !e.detail() || e.detail()->http_status != 400) return false;
  auto const at = peer->message.find("ession");
  return at != std::string::npos && at > 0 && (peer->message[at - 1] == 's' || peer->message[at - 1] == 'S');
}

COMCP_DECL bool is_session_id(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x21 && c <= 0x7E; });
}

}  // namespace comcp::sansio
#endif

namespace comcp::detail {

/// Counts what is open while it lives.
class open_stream {
 public:
  explicit open_stream(std::size_t& count) noexcept : count_(count) { ++count_; }
  open_stream(open_stream const&) = delete;
  open_stream& operator=(open_stream const&) = delete;
  ~open_stream() { --count_; }

 private:
  std::size_t& count_;
};

/// Lives in the coroutine that runs it. After run(), `verdict` says what came of it; next(), read_body() and
/// skip_body() take the body.
template <class Engine, class Auth>
class http_fetch {
 public:
  using response = typename Engine::response;
  using action = sansio::http_verdict::action;

  http_fetch(Engine& engine, Auth& auth, std::shared_ptr<time_source> time, http_url server, http_url where,
             std::string_view how)
      : method(how),
        url(std::move(where)),
        engine_(engine),
        auth_(auth),
        time_(std::move(time)),
        server_(std::move(server)) {}
  http_fetch(http_fetch const&) = delete;
  http_fetch& operator=(http_fetch const&) = delete;

  std::string method;
  http_url url;
  std::function<http_headers()> fields;  // of each attempt
  std::string const* body = nullptr;
  bool const* ending = nullptr;           // whether the session is being closed
  std::function<void(bool)> authorizing;  // before and after the authenticator looks at a challenge
  http_timeouts timeouts;
  sansio::http_sent sent;
  sansio::http_verdict verdict;

  [[nodiscard]] http_response_head const& head() const { return response_->head(); }

  asio::awaitable<void> run() {
    for (;;) {
      auto opened = co_await send();
      if (!opened) {
        fail(opened.error());
        co_return;
      }
      response_.emplace(std::move(*opened));
      observed();
      auto const now = std::chrono::system_clock::now();
      verdict = method == "POST" ? sansio::judge_post(sent, url, response_->head(), now)
                                 : sansio::judge_get(sent, url, response_->head(), now);
      if (verdict.what == action::authorize && ending && *ending) {
        verdict.what = action::fail;  // nobody is asked to log in for the end of a session
      } else if (verdict.what == action::authorize) {
        ++sent.challenges;
        auto const answer = co_await challenged();
        if (!answer) co_return fail(answer.error());
        if (*answer == auth_verdict::try_again) continue;
        verdict.what = action::fail;
      } else if (verdict.what == action::redirect) {
        ++sent.redirects;
        url = *verdict.where;
        continue;
      } else if (verdict.what == action::wait) {
        ++sent.waits;
        response_.reset();
        co_await pause_until(time_, time_->now() + verdict.delay);
        continue;
      }
      if (verdict.what == action::fail) co_await look_at_body();
      co_return;
    }
  }

  asio::awaitable<result<std::string_view>> next() { return response_->next(); }

  asio::awaitable<result<void>> read_body(std::string& to, std::size_t most) {
    for (;;) {
      auto const piece = co_await response_->next();
      if (!piece) co_return piece.error();
      if (piece->empty()) co_return result<void>();
      if (to.size() + piece->size() > most) co_return error(errc::limit_exceeded, "the body is longer than http_options().max_body()");
      to.append(*piece);
    }
  }

  /// Takes what is left, so that the connection can be used again; not if that is much, or without an end.
  asio::awaitable<void> skip_body() {
    if (!response_) co_return;
    if (is_endless()) co_return close();
    std::string dropped;
    (void)co_await read_body(dropped, std::size_t{64} << 10);
    response_.reset();
  }

  void close() { response_.reset(); }

 private:
  static constexpr std::size_t most_of_failure = std::size_t{64} << 10;

  class phase {
   public:
    explicit phase(std::function<void(bool)> const& tell) : tell_(tell) {
      if (tell_) tell_(true);
    }
    phase(phase const&) = delete;
    phase& operator=(phase const&) = delete;
    ~phase() {
      if (tell_) tell_(false);
    }

   private:
    std::function<void(bool)> const& tell_;
  };

  void fail(error why) {
    verdict = sansio::http_verdict();
    verdict.why = std::move(why);
  }

  asio::awaitable<result<response>> send() {
    response_.reset();
    http_request r(url, method);
    r.headers = fields();
    r.timeouts = timeouts;
    r.repeatable = sent.repeatable || method == "GET";
    if (body) r.body = *body;
    if constexpr (!std::same_as<Auth, no_auth>) {
      auth_request const about(server_, url, method, sent.challenges);
      auto credentials = co_await auth_.headers(about);
      if (!credentials) co_return credentials.error();
      for (auto const& field : *credentials) (void)r.headers.set(field.name, field.value);
      credentials_ = std::move(*credentials);
    }
    auto opened = co_await engine_.open(std::move(r));
    co_return opened;
  }

  void observed() {
    auth_request const about(server_, url, method, sent.challenges);
    if constexpr (requires { auth_.observed(about, response_->head()); }) auth_.observed(about, response_->head());
  }

  asio::awaitable<result<auth_verdict>> challenged() {
    auth_request const about(server_, url, method, sent.challenges - 1);
    auto const head = response_->head();
    phase const told(authorizing);
    auto const answer = co_await auth_.challenged(about, credentials_, head);
    if (answer) co_return *answer;
    auto const failure = without_credentials(answer.error());
    co_return failure.with_detail(*verdict.why.detail());
  }

  // Some servers repeat what they refuse.
  static void hide(std::string& text, std::string_view value) {
    auto const scheme = value.find(' ');
    auto const shown = scheme == std::string_view::npos ? value : value.substr(scheme + 1);
    if (shown.size() < 4) return;
    for (auto at = text.find(shown); at != std::string::npos; at = text.find(shown, at)) text.replace(at, shown.size(), "***");
  }

  void hide_credentials(std::string& text) const {
    for (auto const& field : credentials_) hide(text, field.value);
    auto const sent_with = fields();
    if (auto const* const own = sent_with.find("Authorization")) hide(text, *own);
  }
  [[nodiscard]] error without_credentials(error const& why) const {
    std::string text(why.message());
    hide_credentials(text);
    return why.with_message(std::move(text));
  }

  // An event stream where none was asked for: no deadline of an engine ends it while something comes.
  [[nodiscard]] bool is_endless() const {
    auto const* const text = response_->head().headers.find("Content-Type");
    auto const type = text ? media_type::parse(*text) : std::nullopt;
    return type && type->is("text/event-stream");
  }

  // What an error response says, if it says so soon.
  asio::awaitable<void> look_at_body() {
    verdict.why = without_credentials(verdict.why);
    if (!response_) co_return;
    if (is_endless()) co_return close();
    std::string text;
    (void)co_await read_body(text, most_of_failure);
    hide_credentials(text);
    verdict.why = sansio::with_body(verdict.why, text);
    response_.reset();
  }

  Engine& engine_;
  Auth& auth_;
  std::shared_ptr<time_source> time_;
  http_url server_;
  std::optional<response> response_;
  http_headers credentials_;
};

}  // namespace comcp::detail

// transport/http_streams.hpp
// The event streams of a session over HTTP: reading one, the one of the legacy era on which servers speak unasked, and
// the one of HTTP+SSE that brings everything. POSTs are http_exchanges'. Internal.

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <asio/awaitable.hpp>

// transport/http_session.hpp
// One connection to an MCP server over HTTP: which message goes when, with which headers, in which session. How the
// requests are carried out is for http_exchanges.hpp. Internal.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

// transport/http_options.hpp
// What MCP over HTTP can be told, whichever engine carries it.

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// sansio/backoff.hpp
// How long to wait before connecting again, and when to stop trying. Waiting itself, and the randomness, are others'.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace comcp {

/// When a broken stream is opened again.
class reconnect_options {
 public:
  using milliseconds = std::chrono::milliseconds;

  reconnect_options() {}
  /// The first wait (default 1 s), how it grows with each failure (2), and its bound (30 s), which also bounds what a
  /// server asks for with `retry`; 100 ms is the least that it gets.
  reconnect_options& delay(milliseconds initial, double factor, milliseconds maximum) {
    return initial_ = initial, factor_ = factor, maximum_ = maximum, *this;
  }
  /// Failures in a row before it is given up (default 5). 0: a stream that breaks is never opened again.
  reconnect_options& attempts(unsigned n) { return attempts_ = n, *this; }
  /// The share of a wait that is left to chance, 0 to 1 (default 0.25). What a server asked for is never shortened.
  reconnect_options& jitter(double share) { return jitter_ = std::clamp(share, 0.0, 1.0), *this; }

  [[nodiscard]] milliseconds initial() const noexcept { return initial_; }
  [[nodiscard]] double factor() const noexcept { return factor_; }
  [[nodiscard]] milliseconds maximum() const noexcept { return maximum_; }
  [[nodiscard]] unsigned attempts() const noexcept { return attempts_; }
  [[nodiscard]] double jitter() const noexcept { return jitter_; }

 private:
  milliseconds initial_{1000}, maximum_{30'000};
  double factor_ = 2, jitter_ = 0.25;
  unsigned attempts_ = 5;
};

namespace sansio {

/// Exponential backoff. `random` is from 0 to 1; `asked` is what the server asked for.
class backoff {
 public:
  using milliseconds = std::chrono::milliseconds;

  static constexpr milliseconds shortest{100};

  explicit backoff(reconnect_options options) : options_(options) {}

  /// It could not be opened: the next wait, or nothing when the attempts are used up.
  [[nodiscard]] std::optional<milliseconds> failed(double random, std::optional<milliseconds> asked = {}) {
    if (failures_ >= options_.attempts()) return {};
    ++failures_;
    return wait(failures_ - 1, random, asked);
  }
  /// It was open and ended: no failure, but no reason to start from the beginning either.
  [[nodiscard]] std::optional<milliseconds> ended(double random, std::optional<milliseconds> asked = {}) const {
    if (options_.attempts() == 0) return {};
    return wait(failures_, random, asked);
  }
  /// Something came on it.
  void proved() noexcept { failures_ = 0; }

 private:
  [[nodiscard]] milliseconds wait(unsigned step, double random, std::optional<milliseconds> asked) const {
    auto const most = options_.maximum();
    // No server may ask for a busy loop.
    if (asked) return std::clamp(*asked, std::min({shortest, options_.initial(), most}), most);
    double const grown = static_cast<double>(options_.initial().count()) * std::pow(options_.factor(), std::min(step, 64U));
    double const bounded = std::min(grown, static_cast<double>(most.count()));
    return milliseconds(static_cast<milliseconds::rep>(bounded * (1 - options_.jitter() * random)));
  }

  reconnect_options options_;
  unsigned failures_ = 0;
};

}  // namespace sansio
}  // namespace comcp

// sansio/sse_parser.hpp
// Cuts a byte stream into server-sent events, as the event stream rules of the WHATWG HTML standard say. What the
// events mean, and when to connect again, is for others to decide.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace comcp::sansio {

/// One event of a stream.
class sse_event {
 public:
  sse_event() = default;
  sse_event(std::string event_type, std::string text) : type(std::move(event_type)), data(std::move(text)) {}

  std::string type;  ///< As sent, empty where it was not.
  std::string data;  ///< Has padded_text::spare bytes of capacity behind it: pad(data) does not move it.

  /// Whether it may carry a JSON-RPC message: unnamed, or `message`.
  [[nodiscard]] bool is_message() const noexcept { return type.empty() || type == "message"; }
};

/// Incremental event-stream parser. It keeps what an unfinished event needs, and no other bytes.
///
///     p.feed(bytes);
///     while (auto event = p.next()) ...   // last_event_id() is this event's
///     if (p.failed()) ...                 // an event over the limit: nothing follows it
///
/// An event without data is no event, but its id counts; one with an empty `data` line is an event with empty data.
/// An event that the end of the stream cuts off is none.
/// Specification: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
class sse_parser {
 public:
  static constexpr std::size_t default_max_event = std::size_t{16} << 20;
  static constexpr std::chrono::milliseconds longest_retry{INT32_MAX};

  /// `max_event` bounds the bytes of one event's lines, their ends and comments apart.
  explicit sse_parser(std::size_t max_event = default_max_event) : max_event_(max_event) {}

  /// Precondition: next() gave nothing since the last feed(). The bytes are looked at until it does so again.
  void feed(std::string_view bytes) noexcept;
  /// The next whole event; nothing when more bytes are needed or parsing failed.
  [[nodiscard]] std::optional<sse_event> next();
  /// Another connection continues the stream: what is unfinished is dropped, last event id and retry stay.
  void restart() noexcept;

  /// What `Last-Event-ID` would be now; empty where no id was set, or an empty one.
  [[nodiscard]] std::string const& last_event_id() const noexcept { return last_id_; }
  /// The last valid `retry`, at most longest_retry. The server's wish: clamp it.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

  /// Whether an event was longer than the limit. It stays so until restart().
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  /// errc::limit_exceeded, naming the limit. Precondition: failed().
  [[nodiscard]] error failure() const;

 private:
  // What is known of the current line from earlier feeds.
  enum class line { fresh, held, data, comment };

  void skip_byte_order_mark();
  [[nodiscard]] std::optional<sse_event> take(std::string_view piece, bool whole);
  void hold(std::string_view piece);
  void field(std::string_view text);
  void add_data(std::string_view value);
  void set_retry(std::string_view value) noexcept;
  [[nodiscard]] std::optional<sse_event> dispatch();

  std::string_view input_;
  std::size_t at_ = 0;         // start of what is unread in input_
  std::size_t cr_ = 0;         // the first CR at or after at_, where that is known
  std::size_t lf_ = 0;         // the first LF likewise
  std::size_t mark_ = 0;       // bytes of the byte order mark seen
  std::size_t used_ = 0;       // bytes of the current event
  std::size_t max_event_;
  line line_ = line::fresh;
  bool after_cr_ = false;      // an LF now belongs to the CR before it
  bool has_data_ = false;
  bool failed_ = false;
  std::string held_;           // start of a line, until the rest comes
  std::string type_;
  std::string data_;
  std::string last_id_;
  std::optional<std::string> new_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION)

// sansio/impl/sse_parser.ipp
#include <algorithm>
#include <string>

namespace comcp::sansio {
namespace detail {

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
inline constexpr std::size_t sse_idle_bytes = 4096;  // what a long line may leave allocated

}  // namespace detail

COMCP_DECL void sse_parser::feed(std::string_view bytes) noexcept {
  input_ = bytes;
  at_ = cr_ = lf_ = 0;
  if (input_.empty()) return;
  cr_ = input_.find('\r');
  lf_ = input_.find('\n');
}

COMCP_DECL void sse_parser::skip_byte_order_mark() {
  auto const& mark = detail::byte_order_mark;
  while (mark_ != mark.size() && at_ != input_.size()) {
    if (input_[at_] != mark[mark_]) {
      if (mark_ != 0) hold(mark.substr(0, mark_));
      mark_ = mark.size();
    } else {
      ++mark_;
      ++at_;
    }
  }
}

COMCP_DECL std::optional<sse_event> sse_parser::next() {
  skip_byte_order_mark();
  while (!failed_ && at_ < input_.size()) {
    if (std::exchange(after_cr_, false) && input_[at_] == '\n') {
      ++at_;
      continue;
    }
    if (cr_ < at_) cr_ = input_.find('\r', at_);
    if (lf_ < at_) lf_ = input_.find('\n', at_);
    auto const end = std::min({cr_, lf_, input_.size()});
    bool const whole = end != input_.size();
    auto const piece = input_.substr(at_, end - at_);
    at_ = end + (whole ? 1 : 0);
    after_cr_ = whole && end == cr_;
    if (auto event = take(piece, whole)) return event;
  }
  return {};
}

COMCP_DECL std::optional<sse_event> sse_parser::take(std::string_view piece, bool whole) {
  if (line_ == line::fresh && piece.starts_with(':')) line_ = line::comment;
  if (line_ != line::comment) {
    used_ += piece.size();
    failed_ = used_ > max_event_;
    if (failed_) return {};
    if (!whole) return hold(piece), std::nullopt;
    if (line_ == line::fresh) {
      if (piece.empty()) return dispatch();
      field(piece);
    } else {
      hold(piece);
      if (line_ == line::held) field(held_);
      held_.clear();
      if (held_.capacity() > detail::sse_idle_bytes) held_ = std::string();
    }
  }
  if (whole) line_ = line::fresh;
  return {};
}

// Once it is clear that a line is data, the rest of it goes where it belongs at once.
COMCP_DECL void sse_parser::hold(std::string_view piece) {
  if (line_ == line::data) {
    data_.append(piece);
    return;
  }
  line_ = line::held;
  held_.append(piece);
  if (held_.size() > 5 && held_.starts_with("data:")) {
    field(held_);
    held_.clear();
    line_ = line::data;
  }
}

COMCP_DECL void sse_parser::field(std::string_view text) {
  auto const colon = text.find(':');
  auto const name = text.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    add_data(value);
  } else if (name == "event") {
    type_ = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) new_id_.emplace(value);
  } else if (name == "retry") {
    set_retry(value);
  }
}

COMCP_DECL void sse_parser::add_data(std::string_view value) {
  if (has_data_) {
    data_ += '\n';
  } else {
    data_.reserve(value.size() + padded_text::spare);
  }
  has_data_ = true;
  data_.append(value);
}

COMCP_DECL void sse_parser::set_retry(std::string_view value) noexcept {
  if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos) return;
  std::int64_t milliseconds = 0;
  for (char const digit : value) {
    milliseconds = std::min<std::int64_t>(milliseconds * 10 + (digit - '0'), longest_retry.count());
  }
  retry_ = std::chrono::milliseconds(milliseconds);
}

COMCP_DECL std::optional<sse_event> sse_parser::dispatch() {
  used_ = 0;
  if (new_id_) last_id_ = *std::exchange(new_id_, std::nullopt);
  auto type = std::exchange(type_, {});
  if (!std::exchange(has_data_, false)) return {};
  (void)pad(data_);
  return sse_event(std::move(type), std::exchange(data_, {}));
}

COMCP_DECL void sse_parser::restart() noexcept {
  input_ = {};
  at_ = cr_ = lf_ = mark_ = used_ = 0;
  line_ = line::fresh;
  after_cr_ = has_data_ = failed_ = false;
  held_ = std::string();
  type_ = std::string();
  data_ = std::string();
  new_id_.reset();
}

COMCP_DECL error sse_parser::failure() const {
  return {errc::limit_exceeded, "an event is longer than max_event (" + std::to_string(max_event_) + " bytes)"};
}

}  // namespace comcp::sansio
#endif

namespace comcp {

/// Which of the two HTTP transports.
enum class http_kind {
  automatic,   ///< Streamable HTTP, and HTTP+SSE where the server turns out to know no other.
  streamable,  ///< 2025-03-26 and later.
  sse,         ///< HTTP+SSE of 2024-11-05: the url is that of the event stream.
};

/// Options of MCP over HTTP. Everything has a default. Copyable.
class http_options {
 public:
  using milliseconds = std::chrono::milliseconds;

  http_options() {}

  /// A header for every request. Those of HTTP framing and of MCP itself cannot be set: connecting fails with
  /// errc::invalid_argument then, as it does for a name or value that no header can have.
  http_options& header(std::string_view name, std::string_view value);
  http_options& kind(http_kind which) { return kind_ = which, *this; }
  /// Goes on with a session of the legacy era instead of a handshake; of client.session(). Where the server has ended it
  /// meanwhile, the first call begins a new one: client.session() has another id then.
  http_options& resume(saved_session session) { return resumed_ = std::move(session), *this; }

  /// When broken event streams are opened again.
  http_options& reconnect(reconnect_options o) { return reconnect_ = o, *this; }
  /// Legacy era: whether to open the stream on which servers speak unasked (default true).
  http_options& get_stream(bool yes) { return get_stream_ = yes, *this; }
  /// How long requests wait for that stream to open, before they go ahead (default 2 s).
  http_options& get_stream_wait(milliseconds d) { return get_stream_wait_ = d, *this; }

  /// How long an event stream may be silent (default 5 min): then it is broken.
  http_options& idle_timeout(std::chrono::nanoseconds d) { return idle_timeout_ = d, *this; }
  /// How long a notification, an answer or the opening of a stream may take (default 30 s). Requests have the
  /// timeouts of their calls.
  http_options& send_timeout(std::chrono::nanoseconds d) { return send_timeout_ = d, *this; }
  /// How long close() waits for the session's end to be told (default 2 s).
  http_options& close_wait(milliseconds d) { return close_wait_ = d, *this; }

  /// Largest JSON body (64 MiB) and event (16 MiB) accepted, in bytes; more: errc::limit_exceeded.
  http_options& max_body(std::size_t bytes) { return max_body_ = bytes, *this; }
  http_options& max_event(std::size_t bytes) { return max_event_ = bytes, *this; }
  /// Exchanges at once (default 65536); more: errc::queue_full.
  http_options& max_exchanges(std::size_t n) { return max_exchanges_ = n, *this; }
  http_options& time(std::shared_ptr<time_source> source) { return time_ = std::move(source), *this; }

  [[nodiscard]] http_headers const& headers() const noexcept { return headers_; }
  [[nodiscard]] error const& unusable() const noexcept { return unusable_; }
  [[nodiscard]] http_kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::optional<saved_session> const& resumed() const noexcept { return resumed_; }
  [[nodiscard]] reconnect_options const& reconnect() const noexcept { return reconnect_; }
  [[nodiscard]] bool get_stream() const noexcept { return get_stream_; }
  [[nodiscard]] milliseconds get_stream_wait() const noexcept { return get_stream_wait_; }
  [[nodiscard]] std::chrono::nanoseconds idle_timeout() const noexcept { return idle_timeout_; }
  [[nodiscard]] std::chrono::nanoseconds send_timeout() const noexcept { return send_timeout_; }
  [[nodiscard]] milliseconds close_wait() const noexcept { return close_wait_; }
  [[nodiscard]] std::size_t max_body() const noexcept { return max_body_; }
  [[nodiscard]] std::size_t max_event() const noexcept { return max_event_; }
  [[nodiscard]] std::size_t max_exchanges() const noexcept { return max_exchanges_; }
  [[nodiscard]] std::shared_ptr<time_source> time() const { return time_ ? time_ : steady_time(); }

 private:
  http_headers headers_;
  error unusable_;
  std::optional<saved_session> resumed_;
  reconnect_options reconnect_;
  std::shared_ptr<time_source> time_;
  std::chrono::nanoseconds idle_timeout_ = std::chrono::minutes(5);
  std::chrono::nanoseconds send_timeout_ = std::chrono::seconds(30);
  milliseconds get_stream_wait_{2000}, close_wait_{2000};
  std::size_t max_body_ = std::size_t{64} << 20;
  std::size_t max_event_ = sansio::sse_parser::default_max_event;
  std::size_t max_exchanges_ = 65536;
  http_kind kind_ = http_kind::automatic;
  bool get_stream_ = true;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// transport/impl/http_options.ipp

namespace comcp {

COMCP_DECL http_options& http_options::header(std::string_view name, std::string_view value) {
  if (is_protocol_header(name)) {
    unusable_ = error(errc::invalid_argument, "a header that only comcp may set: " + std::string(name));
  } else if (auto const added = headers_.set(std::string(name), value); !added) {
    unusable_ = added.error();
  }
  return *this;
}

}  // namespace comcp
#endif

namespace comcp::detail {

/// Something under way that can be given up: a POST with what comes back, the stream of a GET.
struct http_activity {
  explicit http_activity(outgoing m) : message(std::move(m)) {}

  outgoing message;
  asio::cancellation_signal signal;
  std::unique_ptr<deadline> limit;  // armed where one of its waits is bounded by us
  std::string session;              // the id that went along, empty where none did
  std::uint64_t number = 0;
  bool starting = false;            // still inside send()
  bool given_up = false;
  bool answered = false;            // a request by its answer, the legacy era's stream by its head

  void give_up() noexcept;
};

/// All members run on its executor. What calls the inbox looks at over() afterwards.
class http_session : public std::enable_shared_from_this<http_session> {
 public:
  http_session(http_url url, http_options options, asio::any_io_executor executor, inbox& in);
  http_session(http_session const&) = delete;
  http_session& operator=(http_session const&) = delete;
  virtual ~http_session() = default;

  [[nodiscard]] virtual asio::awaitable<result<void>> open() = 0;
  result<void> send(outgoing&& message);
  bool abandon(request_id id) noexcept;
  [[nodiscard]] virtual asio::awaitable<void> close() = 0;
  /// Ends at once and silently.
  void abort() noexcept;
  void describe(transport_info& out) const;

 protected:
  using activity = std::shared_ptr<http_activity>;

  virtual asio::awaitable<void> post(activity a) = 0;
  virtual asio::awaitable<void> listen(activity a) = 0;

  [[nodiscard]] bool over() const noexcept { return inbox_ == nullptr; }
  [[nodiscard]] bool over(activity const& a) const noexcept { return over() || a->given_up; }
  [[nodiscard]] inbox& in() const noexcept { return *inbox_; }

  [[nodiscard]] result<void> check_resumed();

  // Headers.
  [[nodiscard]] http_headers post_headers(http_activity const& a) const;
  [[nodiscard]] http_headers stream_headers(http_activity const& a, std::string_view last_event_id) const;
  [[nodiscard]] http_headers delete_headers() const;
  /// Of the head that answers `initialize`. Requests are held from now on, until its handshake is through.
  [[nodiscard]] result<void> adopt_session(http_headers const& got);
  /// What was refused with 404: true when another session has begun since it was sent.
  [[nodiscard]] bool has_newer_session(http_activity const& a) const noexcept;

  // The course of things.
  void finished(activity const& a);  ///< Its POST is through.
  void answered(activity const& a);  ///< Its answer came; what is left of its stream is nobody's.
  /// A message that met a session's end after the next one began: sent in that one, once requests may be.
  void send_again(activity const& a);
  void start_listening();            ///< Opens the stream of the legacy era; never two at once.
  void release_held();               ///< The stream is open, or there is none, or it takes too long.
  void switch_to_sse(http_url endpoint);
  void deliver(std::string& text, request_id stream);
  void failed(http_activity const& a, error why);
  void authorizing(bool begins) {
    if (!over()) in().authorizing(begins);
  }
  void finish(error reason);  ///< Tells the inbox, once.
  void limit(activity const& a, std::chrono::nanoseconds d);  ///< Gives it up then, unless unlimit() comes before.
  static void unlimit(http_activity& a);
  [[nodiscard]] double chance() { return std::uniform_real_distribution<>(0, 1)(random_); }
  [[nodiscard]] sansio::http_sent sent(http_activity const& a) const;
  [[nodiscard]] std::uint64_t messages_in() const noexcept { return messages_in_; }

  asio::any_io_executor executor_;
  http_options options_;
  std::shared_ptr<time_source> time_;
  http_url url_;                      // where POSTs go
  http_url stream_url_;               // where GETs go
  std::string session_id_;
  bool sse_ = false;                  // HTTP+SSE, not Streamable HTTP
  bool closing_ = false;
  std::size_t streams_ = 0;           // event streams that are open
  activity listener_;
  std::map<std::uint64_t, activity> posts_;  // under way, by age
  std::shared_ptr<gate> drained_;     // while close() waits for the last notifications

 private:
  [[nodiscard]] static bool is_initialize(outgoing const& m) noexcept { return m.handshake && !m.stateless; }
  void start(outgoing&& message);
  void give_back_held();

  inbox* inbox_;
  std::string version_;               // MCP-Protocol-Version of the legacy era, for GET and DELETE
  std::vector<outgoing> held_;        // requests, while the handshake ends and the GET stream opens
  bool holding_ = false;
  std::unique_ptr<deadline> hold_limit_;
  http_headers const base_;           // of every POST
  struct {
    std::string version, session;
    http_headers fields;
  } mutable legacy_;                  // of the last POST of the legacy era: the next one has the same
  std::map<request_id, std::uint64_t> by_id_;
  std::uint64_t next_ = 0;
  std::minstd_rand random_;
  std::uint64_t messages_in_ = 0, messages_out_ = 0, bytes_in_ = 0, bytes_out_ = 0;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)

// transport/impl/http_session.ipp
#include <algorithm>

namespace comcp::detail {

COMCP_DECL void http_activity::give_up() noexcept {
  given_up = true;
  try {
    signal.emit(asio::cancellation_type::terminal);
  } catch (...) {
    // An engine whose cancellation throws ends by its own deadlines.
  }
}

COMCP_DECL http_headers base_headers(http_options const& options) {
  auto headers = options.headers();
  (void)headers.add("Content-Type", "application/json");
  (void)headers.add("Accept", "application/json, text/event-stream");
  return headers;
}

COMCP_DECL http_session::http_session(http_url url, http_options options, asio::any_io_executor executor, inbox& in)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      time_(options_.time()),
      url_(std::move(url)),
      stream_url_(url_),
      inbox_(&in),
      hold_limit_(time_->make_deadline(executor_)),
      base_(base_headers(options_)),
      random_(std::random_device{}()) {
  if (!options_.resumed()) return;
  session_id_ = options_.resumed()->id;
  auto text = options_.resumed()->initialize_result;
  auto const agreed = json::parse(pad(text));
  auto const version = agreed ? agreed->view().find("protocolVersion") : std::nullopt;
  if (version) version_ = version->get_string().value_or("");
}

COMCP_DECL result<void> http_session::check_resumed() {
  if (!options_.resumed() || (sansio::is_session_id(session_id_) && !version_.empty())) return {};
  session_id_.clear();
  return error(errc::invalid_argument, "not a session that client.session() gave");
}

COMCP_DECL result<void> http_session::send(outgoing&& message) {
  if (over() || closing_) return error(errc::closed, "the connection is closed");
  if (posts_.size() + held_.size() >= options_.max_exchanges())
    return error(errc::queue_full, "more exchanges at once than http_options().max_exchanges()");
  ++messages_out_;
  bytes_out_ += message.text.size();
  if (holding_ && message.id != 0 && !message.handshake) {
    held_.push_back(std::move(message));
  } else {
    start(std::move(message));
  }
  return {};
}

COMCP_DECL void http_session::start(outgoing&& message) {
  if (is_initialize(message)) {
    session_id_.clear();
    give_back_held();
    if (listener_ && !sse_) std::exchange(listener_, nullptr)->give_up();
  }
  if (message.established && !sse_) {
    for (auto const& [name, value] : message.headers) {
      if (name == "MCP-Protocol-Version") version_ = value;
    }
    holding_ = true;
  }
  auto const a = std::make_shared<http_activity>(std::move(message));
  if (!a->message.stateless) a->session = session_id_;
  a->number = ++next_;
  posts_.emplace(a->number, a);
  if (a->message.id) by_id_.emplace(a->message.id, a->number);
  if (a->message.established && !sse_) {
    std::function<void()> go_on = [weak = weak_from_this()] {
      if (auto const self = weak.lock()) self->release_held();
    };
    hold_limit_->arm(time_->now() + options_.get_stream_wait(), std::move(go_on));
  }
  a->starting = true;
  detail::spawn(executor_, post(a), a->signal.slot(), a);
  a->starting = false;
}

// They belong to a session that is gone: the core sends them in the next one.
COMCP_DECL void http_session::give_back_held() {
  holding_ = false;
  hold_limit_->disarm();
  for (auto const& m : std::exchange(held_, {})) {
    auto back = [self = shared_from_this(), id = m.id] {
      if (!self->over()) self->in().session_lost(id, error(errc::http_status, "the session is gone"));
    };
    detail::post(executor_, std::move(back));
  }
}

COMCP_DECL void http_session::release_held() {
  hold_limit_->disarm();
  if (!std::exchange(holding_, false) || over()) return;
  for (auto& m : std::exchange(held_, {})) start(std::move(m));
}

COMCP_DECL bool http_session::abandon(request_id id) noexcept {
  auto const held = std::find_if(held_.begin(), held_.end(), [id](outgoing const& m) { return m.id == id; });
  if (held != held_.end()) {
    held_.erase(held);
    return true;
  }
  auto const found = by_id_.find(id);
  if (found == by_id_.end()) return false;
  auto const a = posts_.find(found->second)->second;
  finished(a);
  a->give_up();
  return a->message.stateless;
}

COMCP_DECL void http_session::answered(activity const& a) {
  auto const found = by_id_.find(a->message.id);
  if (found != by_id_.end() && found->second == a->number) by_id_.erase(found);
}

COMCP_DECL void http_session::send_again(activity const& a) {
  finished(a);
  if (holding_ && a->message.id != 0) {
    held_.push_back(std::move(a->message));
  } else {
    start(std::move(a->message));
  }
}

COMCP_DECL void http_session::finished(activity const& a) {
  answered(a);
  posts_.erase(a->number);
  if (posts_.empty() && drained_) drained_->open();
}

COMCP_DECL void http_session::abort() noexcept {
  inbox_ = nullptr;
  hold_limit_->disarm();
  held_.clear();
  auto const all = std::exchange(posts_, {});
  by_id_.clear();
  for (auto const& [number, a] : all) a->give_up();
  if (auto const l = std::exchange(listener_, nullptr)) l->give_up();
  if (drained_) drained_->open();
}

COMCP_DECL void http_session::finish(error reason) {
  if (over()) return;
  auto const keep = shared_from_this();
  inbox* const in = inbox_;
  abort();
  in->closed(std::move(reason));
}

COMCP_DECL http_headers http_session::post_headers(http_activity const& a) const {
  auto const& own = a.message.headers;
  bool const is_usual = !a.message.stateless && own.size() == 1;
  if (is_usual && legacy_.version == own.front().second && legacy_.session == a.session) return legacy_.fields;
  auto headers = base_;
  // None can fail: the session's id was looked at when it came, the rest is ours.
  for (auto const& [name, value] : own) (void)headers.add(name, value);
  if (!a.session.empty()) (void)headers.add("Mcp-Session-Id", a.session);
  if (is_usual) legacy_ = {own.front().second, a.session, headers};
  return headers;
}

COMCP_DECL http_headers http_session::stream_headers(http_activity const& a, std::string_view last_event_id) const {
  auto headers = options_.headers();
  (void)headers.add("Accept", "text/event-stream");
  if (!version_.empty()) (void)headers.add("MCP-Protocol-Version", version_);
  if (!last_event_id.empty()) (void)headers.add("Last-Event-ID", last_event_id);
  if (!a.session.empty()) (void)headers.add("Mcp-Session-Id", a.session);
  return headers;
}

COMCP_DECL http_headers http_session::delete_headers() const {
  auto headers = options_.headers();
  if (!version_.empty()) (void)headers.add("MCP-Protocol-Version", version_);
  if (!session_id_.empty()) (void)headers.add("Mcp-Session-Id", session_id_);
  return headers;
}

COMCP_DECL result<void> http_session::adopt_session(http_headers const& got) {
  auto const* const id = got.find("Mcp-Session-Id");
  if (!id) return {};
  if (!sansio::is_session_id(*id)) return error(errc::protocol_violation, "a session id of other characters than visible ASCII");
  session_id_ = *id;
  holding_ = true;
  return {};
}

COMCP_DECL bool http_session::has_newer_session(http_activity const& a) const noexcept {
  return !session_id_.empty() && session_id_ != a.session;
}

COMCP_DECL void http_session::start_listening() {
  if (over() || closing_ || sse_ || !options_.get_stream()) return release_held();
  if (listener_) std::exchange(listener_, nullptr)->give_up();
  listener_ = std::make_shared<http_activity>(outgoing());
  listener_->session = session_id_;
  detail::spawn(executor_, listen(listener_), listener_->signal.slot(), listener_);
}

COMCP_DECL void http_session::switch_to_sse(http_url endpoint) {
  sse_ = true;
  url_ = std::move(endpoint);
}

COMCP_DECL void http_session::deliver(std::string& text, request_id stream) {
  ++messages_in_;
  bytes_in_ += text.size();
  in().delivered(pad(text), stream);
}

COMCP_DECL void http_session::failed(http_activity const& a, error why) {
  if (a.message.id) return in().stream_ended(a.message.id, std::move(why));
  in().fault(why.with_message("a message was not accepted: " + std::string(why.message())));
}

COMCP_DECL void http_session::limit(activity const& a, std::chrono::nanoseconds d) {
  if (!a->limit) a->limit = time_->make_deadline(executor_);
  std::function<void()> fire = [weak = std::weak_ptr(a)] {
    auto const alive = weak.lock();
    if (alive) alive->give_up();
  };
  a->limit->arm(time_->now() + std::chrono::duration_cast<time_source::time_point::duration>(d), std::move(fire));
}

COMCP_DECL void http_session::unlimit(http_activity& a) {
  if (a.limit) a.limit->disarm();
}

COMCP_DECL sansio::http_sent http_session::sent(http_activity const& a) const {
  sansio::http_sent s;
  s.request = a.message.id != 0 && !sse_;
  s.repeatable = a.message.repeatable;
  s.in_session = !a.session.empty();
  return s;
}

COMCP_DECL void http_session::describe(transport_info& out) const {
  out.kind = sse_ ? "http+sse" : "http";
  out.session_id = session_id_;
  out.open_streams = streams_;
  out.messages_in = messages_in_;
  out.messages_out = messages_out_;
  out.bytes_in = bytes_in_;
  out.bytes_out = bytes_out_;
}

}  // namespace comcp::detail
#endif

namespace comcp::detail {

template <class Engine, class Auth>
class http_streams : public http_session {
 public:
  using fetch_type = http_fetch<Engine, Auth>;
  using action = sansio::http_verdict::action;

  http_streams(http_url url, http_options options, asio::any_io_executor executor, inbox& in,
               std::shared_ptr<Engine> engine, std::shared_ptr<Auth> auth)
      : http_session(std::move(url), std::move(options), std::move(executor), in),
        engine_(std::move(engine)),
        auth_(std::move(auth)) {}

 protected:
  // Reads until the end, or until the answer came. What ended it.
  asio::awaitable<error> read_stream(activity a, fetch_type& f, sansio::sse_parser& parser) {
    open_stream const counted(streams_);
    for (;;) {
      auto const piece = co_await f.next();
      if (over(a)) co_return error(errc::cancelled);
      if (!piece) co_return piece.error();
      if (piece->empty()) co_return error(errc::transport_failed, "the stream ended before its answer");
      parser.feed(*piece);
      while (auto event = parser.next()) {
        if (!event->is_message() || event->data.find_first_not_of(' ') == std::string::npos) continue;
        deliver(event->data, a->message.id);
        if (over(a)) co_return error(errc::cancelled);
      }
      if (parser.failed()) co_return parser.failure();
      if (a->message.id == 0 || a->answered || in().awaits(a->message.id)) continue;
      a->answered = true;
      answered(a);
      if (f.method == "GET") co_return error();
      limit(a, std::chrono::seconds(1));  // for the end, after which the connection can be used again
    }
  }

  // Whether a stream that was refused so will be refused again.
  [[nodiscard]] static bool is_final(error const& e) {
    auto const* const d = e.detail();
    return d && d->http_status && *d->http_status < 500 && *d->http_status != 408 && *d->http_status != 429;
  }

  // HTTP+SSE (2024-11-05): the stream that brings everything, and first where to POST.
  asio::awaitable<result<void>> open_sse() {
    auto const a = std::make_shared<http_activity>(outgoing());
    auto const s = std::make_shared<sse_state>(*engine_, *auth_, time_, stream_url_, options_.max_event());
    s->fetch.fields = [fields = stream_headers(*a, {})] { return fields; };
    s->fetch.timeouts.response(options_.send_timeout()).idle(options_.idle_timeout());
    s->fetch.authorizing = [this, a](bool begins) {
      authorizing(begins);
      if (over(a)) return;
      if (begins) {
        unlimit(*a);
      } else {
        limit(a, options_.send_timeout());
      }
    };
    if (listener_) std::exchange(listener_, nullptr)->give_up();
    listener_ = a;
    auto const reached = std::make_shared<gate>(executor_);
    spawn(executor_, run_sse(a, s, reached), a->signal.slot(), a);
    limit(a, options_.send_timeout());
    co_await reached->wait();
    unlimit(*a);
    if (s->endpoint) co_return result<void>();
    co_return s->ended ? s->ended : error(errc::connect_failed, "the server names no endpoint on its event stream");
  }

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Auth> auth_;

 private:
  // The stream of the legacy era on which the server speaks unasked.
  asio::awaitable<void> listen(activity a) override {
    auto const hold = this->shared_from_this();
    sansio::sse_parser parser(options_.max_event());
    sansio::backoff backoff(options_.reconnect());
    for (;;) {
      std::optional<std::chrono::milliseconds> delay;
      error broken;
      try {
        delay = co_await listen_once(a, parser, backoff, broken);
      } catch (...) {
        if (over(a)) co_return;
        broken = current_error();
        delay = backoff.failed(chance());
      }
      if (over(a)) co_return;
      release_held();
      if (over(a)) co_return;
      if (!delay) {
        if (listener_ == a) listener_ = nullptr;
        if (broken) in().fault(broken);
        co_return;
      }
      co_await pause_until(time_, time_->now() + *delay);
      if (over(a)) co_return;
    }
  }

  // When to open it again; nothing where that is over.
  asio::awaitable<std::optional<std::chrono::milliseconds>> listen_once(activity a, sansio::sse_parser& parser,
                                                                        sansio::backoff& backoff, error& broken) {
    fetch_type f(*engine_, *auth_, time_, stream_url_, stream_url_, "GET");
    f.fields = [this, &a, &parser] { return stream_headers(*a, parser.last_event_id()); };
    // Some say by 404 that they have no such stream: it tells of the session only where there was one.
    f.sent.in_session = !a->session.empty() && a->answered;
    f.sent.repeatable = true;
    f.timeouts.response(options_.send_timeout()).idle(options_.idle_timeout());
    co_await f.run();
    if (over(a)) co_return std::nullopt;
    if (f.verdict.what == action::session_lost) {
      listener_ = nullptr;
      in().session_lost(0, f.verdict.why);
      co_return std::nullopt;
    }
    if (f.verdict.what == action::none) co_return std::nullopt;
    if (f.verdict.what != action::stream) {
      broken = f.verdict.why;
      if (is_final(broken)) co_return std::nullopt;
      co_return backoff.failed(chance(), parser.retry());
    }
    a->answered = true;
    release_held();
    if (over(a)) co_return std::nullopt;
    parser.restart();
    auto const before = messages_in();
    auto const ended = co_await read_stream(a, f, parser);
    if (over(a)) co_return std::nullopt;
    if (parser.failed()) broken = ended;
    if (messages_in() != before) backoff.proved();
    co_return backoff.ended(chance(), parser.retry());
  }

  struct sse_state {
    sse_state(Engine& e, Auth& auth, std::shared_ptr<time_source> time, http_url const& url, std::size_t max_event)
        : fetch(e, auth, std::move(time), url, url, "GET"), parser(max_event) {}
    fetch_type fetch;
    sansio::sse_parser parser;
    bool endpoint = false;
    error ended;
  };

  asio::awaitable<void> run_sse(activity a, std::shared_ptr<sse_state> s, std::shared_ptr<gate> reached) {
    auto const hold = this->shared_from_this();
    try {
      co_await s->fetch.run();
      if (s->fetch.verdict.what == action::stream) {
        s->ended = co_await read_sse(a, s, reached);
      } else {
        s->ended = s->fetch.verdict.why;
      }
    } catch (...) {
      s->ended = current_error();
    }
    if (listener_ == a) listener_ = nullptr;
    bool const was_open = s->endpoint;
    reached->open();
    if (was_open && !over(a)) finish(s->ended);
  }

  asio::awaitable<error> read_sse(activity a, std::shared_ptr<sse_state> s, std::shared_ptr<gate> reached) {
    open_stream const counted(streams_);
    for (;;) {
      auto const piece = co_await s->fetch.next();
      if (over(a)) co_return error(errc::cancelled);
      if (!piece) co_return piece.error();
      if (piece->empty()) co_return error(errc::transport_failed, "the server ended the event stream");
      s->parser.feed(*piece);
      while (auto event = s->parser.next()) {
        if (event->type == "endpoint" && !s->endpoint) {
          auto const where = stream_url_.resolve(event->data);
          if (!where) co_return error(errc::protocol_violation, "the endpoint is no URL");
          if (!same_origin(*where, stream_url_))
            co_return error(errc::protocol_violation, "the endpoint is on another origin: " + where->origin());
          s->endpoint = true;
          switch_to_sse(*where);
          reached->open();
          continue;
        }
        if (!event->is_message() || event->data.empty()) continue;
        deliver(event->data, 0);
        if (over(a)) co_return error(errc::cancelled);
      }
      if (s->parser.failed()) co_return s->parser.failure();
    }
  }
};

}  // namespace comcp::detail

namespace comcp::detail {

template <class Engine, class Auth>
class http_exchanges final : public http_streams<Engine, Auth> {
  using base = http_streams<Engine, Auth>;
  using activity = typename base::activity;

 public:
  using fetch_type = typename base::fetch_type;
  using action = typename base::action;

  http_exchanges(http_url url, http_options options, asio::any_io_executor executor, inbox& to,
                 std::shared_ptr<Engine> engine, std::shared_ptr<Auth> auth)
      : base(std::move(url), std::move(options), std::move(executor), to, std::move(engine), std::move(auth)) {}

  asio::awaitable<result<void>> open() override {
    auto const hold = this->shared_from_this();
    if (auto const usable = check_resumed(); !usable) co_return usable.error();
    if (options_.kind() != http_kind::sse) {
      if (options_.resumed()) start_listening();
      co_return result<void>();
    }
    auto const opened = co_await open_sse();
    if (opened) co_return result<void>();
    co_return opened.error();
  }

  asio::awaitable<void> close() override {
    auto const hold = this->shared_from_this();
    if (over() || std::exchange(closing_, true)) co_return;
    if (listener_ && !sse_) std::exchange(listener_, nullptr)->give_up();
    auto const until = time_->now() + options_.close_wait();
    co_await drain(until);
    if (!over() && !session_id_.empty() && !sse_) {
      auto const last = std::make_shared<http_activity>(outgoing());
      auto const told = std::make_shared<gate>(executor_);
      spawn(executor_, end_session(told), last->signal.slot(), last);
      limit(last, options_.close_wait());
      auto const bound = open_later(told, time_->now() + options_.close_wait());
      co_await told->wait();
    }
    // Kept connections would keep the io_context at work.
    if constexpr (requires { engine_->close_idle(); }) engine_->close_idle();
    finish(error(errc::closed, "closed by this side"));
  }

 private:
  using base::adopt_session;
  using base::auth_;
  using base::authorizing;
  using base::chance;
  using base::check_resumed;
  using base::closing_;
  using base::delete_headers;
  using base::deliver;
  using base::drained_;
  using base::engine_;
  using base::executor_;
  using base::failed;
  using base::finish;
  using base::finished;
  using base::has_newer_session;
  using base::in;
  using base::is_final;
  using base::limit;
  using base::listener_;
  using base::open_sse;
  using base::options_;
  using base::over;
  using base::post_headers;
  using base::posts_;
  using base::read_stream;
  using base::sent;
  using base::send_again;
  using base::session_id_;
  using base::sse_;
  using base::start_listening;
  using base::stream_headers;
  using base::stream_url_;
  using base::time_;
  using base::url_;

  // One POST, from its first byte to the end of what came of it.
  asio::awaitable<void> post(activity a) override {
    auto const hold = this->shared_from_this();
    error failure;
    try {
      co_await carry_out(a);
    } catch (...) {
      failure = over(a) ? error() : current_error();
    }
    if (a->starting) co_await next_turn();
    bool const given_up = over(a);
    if (!over()) finished(a);
    if (given_up) co_return;
    if (failure) failed(*a, failure == errc::cancelled ? error(errc::transport_failed, "the engine gave up") : failure);
    if (!over() && a->message.established && a->session == session_id_) start_listening();
  }

  // A POST begins inside send(), from which nothing may be told yet.
  asio::awaitable<void> next_turn() { co_await asio::post(executor_, asio::use_awaitable); }

  asio::awaitable<void> carry_out(activity a) {
    fetch_type f(*engine_, *auth_, time_, stream_url_, url_, "POST");
    f.sent = sent(*a);
    f.body = &a->message.text;
    // A call has its own deadlines, which cancel; everything else has this one.
    bool const timed_by_call = a->message.id != 0 && !sse_;
    f.timeouts.response(timed_by_call ? http_timeouts::never : options_.send_timeout()).idle(options_.idle_timeout());
    f.timeouts.total(timed_by_call ? http_timeouts::never : options_.send_timeout());
    f.fields = [this, &a] { return post_headers(*a); };
    f.ending = &closing_;
    f.authorizing = [this](bool begins) { authorizing(begins); };
    co_await f.run();
    if (a->starting) co_await next_turn();
    if (over(a)) co_return;
    if (f.verdict.what == action::json) {
      co_await take_json(a, f);
    } else if (f.verdict.what == action::stream) {
      co_await take_stream(a, f);
    } else if (f.verdict.what == action::accepted) {
      co_await f.skip_body();
    } else {
      co_await refused(a, f);
    }
  }

  [[nodiscard]] static bool is_refused_session(fetch_type const& f) {
    return f.verdict.what == action::fail && f.sent.in_session && sansio::means_session_lost(f.verdict.why);
  }

  asio::awaitable<void> refused(activity a, fetch_type& f) {
    auto const why = f.verdict.why;
    if (f.verdict.what == action::session_lost || is_refused_session(f)) {
      if (has_newer_session(*a)) co_return send_again(a);
      finished(a);
      co_return in().session_lost(a->message.id, why);
    }
    bool const is_initialize = a->message.handshake && !a->message.stateless;
    if (is_initialize && !sse_ && options_.kind() == http_kind::automatic && sansio::may_be_http_sse(why)) {
      auto const opened = co_await open_sse();
      if (over(a)) co_return;
      if (opened) {
        co_await carry_out(a);
        co_return;
      }
    }
    failed(*a, why);
  }

  [[nodiscard]] result<void> look_at_head(activity const& a, fetch_type const& f) {
    bool const is_initialize = a->message.handshake && !a->message.stateless;
    if (!is_initialize || !in().awaits(a->message.id)) return {};  // a late answer begins nothing
    return adopt_session(f.head().headers);
  }

  asio::awaitable<void> take_json(activity a, fetch_type& f) {
    std::string body;
    auto const read = co_await f.read_body(body, options_.max_body());
    if (over(a)) co_return;
    auto usable = read;
    if (usable) usable = look_at_head(a, f);
    if (!usable) co_return failed(*a, usable.error());
    auto const id = a->message.id;
    deliver(body, id);
    if (!over(a) && in().awaits(id)) failed(*a, sansio::unanswered(f.head(), body));
  }

  asio::awaitable<void> take_stream(activity a, fetch_type& f) {
    if (auto const usable = look_at_head(a, f); !usable) co_return failed(*a, usable.error());
    sansio::sse_parser parser(options_.max_event());
    auto broken = co_await read_stream(a, f, parser);
    if (over(a)) co_return;
    if (a->answered) co_return;
    sansio::backoff backoff(options_.reconnect());
    bool hopeless = false;
    while (!hopeless && may_resume(*a, parser) && leaves_outcome_open(broken)) {
      auto const delay = backoff.failed(chance(), parser.retry());
      if (!delay) break;
      f.close();
      co_await pause_until(time_, time_->now() + *delay);
      if (over(a)) co_return;
      auto const before = parser.last_event_id();
      broken = co_await resume(a, parser, hopeless);
      if (over(a) || a->answered) co_return;
      if (parser.last_event_id() != before) backoff.proved();
    }
    failed(*a, std::move(broken));
  }

  // In its own session only.
  [[nodiscard]] bool may_resume(http_activity const& a, sansio::sse_parser const& parser) const {
    return !a.message.stateless && a.session == session_id_ && !parser.last_event_id().empty() && !parser.failed();
  }

  // Goes on with the stream of a POST by a GET. What ended it; hopeless, if trying again makes no sense.
  asio::awaitable<error> resume(activity a, sansio::sse_parser& parser, bool& hopeless) {
    fetch_type f(*engine_, *auth_, time_, stream_url_, stream_url_, "GET");
    f.sent = sent(*a);
    f.fields = [this, &a, &parser] { return stream_headers(*a, parser.last_event_id()); };
    f.ending = &closing_;
    f.authorizing = [this](bool begins) { authorizing(begins); };
    f.sent.in_session = !a->session.empty();
    f.timeouts.response(options_.send_timeout()).idle(options_.idle_timeout());
    co_await f.run();
    if (over(a)) co_return error(errc::cancelled);
    if (f.verdict.what != action::stream) {
      // 409: the server has not seen yet that the stream broke.
      bool const busy = f.verdict.what == action::none && f.head().status == 409;
      hopeless = !busy && (f.verdict.what != action::fail || is_final(f.verdict.why));
      // Whatever stands in the way, the request itself was sent: what became of it is not known.
      std::string text = "the broken stream cannot be resumed";
      if (f.verdict.why) text += ": " + std::string(f.verdict.why.message());
      co_return f.verdict.why.with_code(make_error_code(errc::transport_failed)).with_message(std::move(text));
    }
    parser.restart();
    auto ended = co_await read_stream(a, f, parser);
    co_return ended;
  }

  // Lets what is no request get through; requests are not waited for.
  asio::awaitable<void> drain(time_source::time_point until) {
    auto const all = posts_;
    for (auto const& [number, a] : all) {
      if (a->message.id == 0) {
        limit(a, until - time_->now());
        continue;
      }
      finished(a);
      a->give_up();
    }
    if (posts_.empty()) co_return;
    drained_ = std::make_shared<gate>(executor_);
    auto const bound = open_later(drained_, until);
    co_await drained_->wait();
  }

  // Whatever an engine or an authenticator makes of being given up.
  [[nodiscard]] std::unique_ptr<deadline> open_later(std::shared_ptr<gate> const& g, time_source::time_point at) {
    auto alarm = time_->make_deadline(executor_);
    std::function<void()> enough = [g] { g->open(); };
    alarm->arm(at, std::move(enough));
    return alarm;
  }

  asio::awaitable<void> end_session(std::shared_ptr<gate> told) {
    auto const hold = this->shared_from_this();
    fetch_type f(*engine_, *auth_, time_, stream_url_, stream_url_, "DELETE");
    f.ending = &closing_;
    f.fields = [fields = delete_headers()] { return fields; };
    f.timeouts.connect(options_.close_wait()).response(options_.close_wait()).total(options_.close_wait());
    session_id_.clear();
    try {
      co_await f.run();
      co_await f.skip_body();
    } catch (...) {
      // 405, a refusal, no connection: the session ends without having been told.
    }
    told->open();
  }
};

/// The one way in, so that compiled mode can keep all of the above out of its users' sources.
template <class Engine, class Auth>
std::shared_ptr<http_session> make_http_session(http_url url, http_options options, asio::any_io_executor executor,
                                                inbox& in, std::shared_ptr<Engine> engine, std::shared_ptr<Auth> auth) {
  return std::make_shared<http_exchanges<Engine, Auth>>(std::move(url), std::move(options), std::move(executor), in,
                                                        std::move(engine), std::move(auth));
}

}  // namespace comcp::detail

namespace comcp {

/// A server's MCP endpoint. A url that is none, and options that cannot be, fail when connecting.
template <class Engine, class Auth = no_auth>
class streamable_http {
  static_assert(engine<Engine>,
                "comcp: this type is no engine: it needs a nested type response and open(http_request) giving "
                "asio::awaitable<result<response>> as comcp/http/engine.hpp says");
  static_assert(authenticator<Auth>,
                "comcp: this type is no authenticator: it needs headers(), challenged() and identity() as "
                "comcp/auth/authenticator.hpp says");

 public:
  static constexpr bool is_http = true;

  streamable_http(std::string_view url, Engine e, Auth a = Auth(), http_options options = http_options())
      : streamable_http(url, std::make_shared<Engine>(std::move(e)), std::move(a), std::move(options)) {}
  /// With an engine that others use too, on the same executor.
  streamable_http(std::string_view url, std::shared_ptr<Engine> e, Auth a = Auth(), http_options options = http_options())
      : url_(http_url::parse(url)),
        options_(std::move(options)),
        engine_(std::move(e)),
        auth_(std::make_shared<Auth>(std::move(a))) {}
  streamable_http(streamable_http&&) noexcept = default;
  streamable_http& operator=(streamable_http&& other) noexcept {
    if (this == &other) return *this;
    abort();
    url_ = std::move(other.url_);
    options_ = std::move(other.options_);
    engine_ = std::move(other.engine_);
    auth_ = std::move(other.auth_);
    session_ = std::move(other.session_);
    return *this;
  }
  ~streamable_http() { abort(); }

  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in) {
    abort();
    return open_session(this, in);
  }
  result<void> send(outgoing message) {
    if (!session_) return error(errc::closed, "not open");
    return session_->send(std::move(message));
  }
  bool abandon(request_id id) noexcept { return session_ && session_->abandon(id); }
  [[nodiscard]] asio::awaitable<void> close() { return close_session(session_); }

  [[nodiscard]] transport_info info() const {
    transport_info out;
    out.kind = "http";
    if (url_) {
      out.target = url_->origin() + url_->path();
      out.origin = url_->origin();
      // A query or a header of the user's own may decide on the answers, and may be a secret.
      if (!url_->query() && options_.headers().empty()) out.server = out.target;
    }
    if (auth_) out.identity = auth_->identity();
    if (session_) session_->describe(out);
    return out;
  }
  [[nodiscard]] std::optional<saved_session> resumed() const { return options_.resumed(); }

 private:
  using session_type = detail::http_session;

  // The core keeps the transport in its place from open() on.
  static asio::awaitable<result<void>> open_session(streamable_http* self, inbox& in) {
    auto const executor = co_await asio::this_coro::executor;
    if (!self->url_) co_return self->url_.error();
    if (self->options_.unusable()) co_return self->options_.unusable();
    auto const session =
        detail::make_http_session(*self->url_, self->options_, executor, in, self->engine_, self->auth_);
    self->session_ = session;
    auto opened = co_await session->open();
    co_return opened;
  }

  static asio::awaitable<void> close_session(std::shared_ptr<session_type> session) {
    if (session) co_await session->close();
  }

  void abort() noexcept {
    if (session_) session_->abort();
    session_.reset();
  }

  result<http_url> url_;
  http_options options_;
  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Auth> auth_;
  std::shared_ptr<session_type> session_;
};

}  // namespace comcp

namespace comcp {

#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
inline namespace http_with_tls {
#else
inline namespace http_without_tls {
#endif

/// A server's MCP endpoint: `comcp::http("https://example.com/mcp")`, and with credentials
/// `comcp::http(url, comcp::bearer(token))`. Streamable HTTP, and HTTP+SSE where the server knows no other. https needs
/// COMCP_WITH_TLS. The environment's proxies are used (proxy_options::from_environment()) unless told otherwise.
/// Regular until it connects: keep one and connect copies of it; a copy has the settings, never the connection.
template <class Auth = no_auth>
class http {
 public:
  static constexpr bool is_http = true;

  explicit http(std::string_view url, Auth auth = Auth()) : url_(url), auth_(std::move(auth)) {}

  http(http const& other)
      : url_(other.url_),
        auth_(other.auth_),
        options_(other.options_),
        engine_(other.engine_),
        proxy_(other.proxy_),
        tls_(other.tls_) {}
  http(http&&) noexcept = default;
  http& operator=(http other) noexcept {
    url_ = std::move(other.url_);
    auth_ = std::move(other.auth_);
    options_ = std::move(other.options_);
    engine_ = std::move(other.engine_);
    proxy_ = std::move(other.proxy_);
    tls_ = std::move(other.tls_);
    transport_ = std::move(other.transport_);
    return *this;
  }

  /// All options at once, in place of what was said before.
  http& options(http_options o) & { return options_ = std::move(o), *this; }
  http& header(std::string_view name, std::string_view value) & { return options_.header(name, value), *this; }
  http& engine(asio_engine_options o) & { return engine_ = std::move(o), *this; }
  http& proxy(proxy_options o) & { return proxy_ = std::move(o), *this; }
  http& tls(tls_options o) & { return tls_ = std::move(o), *this; }
  http& resume(saved_session s) & { return options_.resume(std::move(s)), *this; }
  http&& options(http_options o) && { return std::move(options(std::move(o))); }
  http&& header(std::string_view name, std::string_view value) && { return std::move(header(name, value)); }
  http&& engine(asio_engine_options o) && { return std::move(engine(std::move(o))); }
  http&& proxy(proxy_options o) && { return std::move(proxy(std::move(o))); }
  http&& tls(tls_options o) && { return std::move(tls(std::move(o))); }
  http&& resume(saved_session s) && { return std::move(resume(std::move(s))); }

  // What a transport has; for the client alone.
  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in) { return made().open(in); }
  result<void> send(outgoing message) { return made().send(std::move(message)); }
  bool abandon(request_id id) noexcept { return transport_ && transport_->abandon(id); }
  [[nodiscard]] asio::awaitable<void> close() { return made().close(); }
  [[nodiscard]] transport_info info() const { return made().info(); }
  [[nodiscard]] std::optional<saved_session> resumed() const { return options_.resumed(); }

 private:
  using transport_type = streamable_http<default_http_engine, Auth>;

  [[nodiscard]] transport_type& made() const {
    if (transport_) return *transport_;
    auto engine = detail::make_http_engine<>(engine_, proxy_ ? *proxy_ : proxy_options::from_environment(), tls_);
    transport_ = std::make_unique<transport_type>(url_, std::move(engine), auth_, options_);
    return *transport_;
  }

  std::string url_;
  Auth auth_;
  http_options options_;
  asio_engine_options engine_;
  std::optional<proxy_options> proxy_;
  tls_options tls_;
  mutable std::unique_ptr<transport_type> transport_;
};

http(std::string_view) -> http<no_auth>;

}  // inline namespace
}  // namespace comcp

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

extern template std::shared_ptr<http_session> make_http_session(http_url, http_options, asio::any_io_executor, inbox&,
                                                                std::shared_ptr<default_http_engine>,
                                                                std::shared_ptr<no_auth>);
extern template std::shared_ptr<http_session> make_http_session(http_url, http_options, asio::any_io_executor, inbox&,
                                                                std::shared_ptr<default_http_engine>,
                                                                std::shared_ptr<bearer>);

}  // namespace comcp::detail
#endif

// transport/memory.hpp
// Two linked transports in one process: for servers that live inside the client's program, and for tests.

#include <memory>
#include <utility>

#include <asio/awaitable.hpp>

namespace comcp {

class memory_transport;

/// Two ends; what one sends, the other delivers. They may live on different executors and threads. What was
/// sent before the other end opens waits, up to `limits` for each direction.
[[nodiscard]] std::pair<memory_transport, memory_transport> memory_pair(queue_limits limits = queue_limits());

/// One end of a memory_pair. Messages are moved, not copied, and delivered in batches that are posted: nothing
/// is delivered from inside send(). When one end closes, the other still gets what was sent before, then
/// closed. An end opens once.
class memory_transport {
 public:
  memory_transport(memory_transport&&) noexcept = default;
  memory_transport& operator=(memory_transport&& other) noexcept;
  ~memory_transport();

  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in);
  result<void> send(outgoing message);
  bool abandon(request_id id) noexcept;
  [[nodiscard]] asio::awaitable<void> close();
  [[nodiscard]] transport_info info() const;

 private:
  struct end;
  friend std::pair<memory_transport, memory_transport> memory_pair(queue_limits);

  explicit memory_transport(std::shared_ptr<end> e) noexcept : end_(std::move(e)) {}
  static asio::awaitable<result<void>> open_impl(std::shared_ptr<end> e, inbox& in);
  static asio::awaitable<void> close_impl(std::shared_ptr<end> e);

  std::shared_ptr<end> end_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// transport/impl/memory.ipp
#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/defer.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

namespace comcp {

// The mutex guards what both ends touch: `incoming`, `incoming_bytes`, `executor`, `scheduled`, `peer_gone`,
// `gone`. All else belongs to the end's own executor.
struct memory_transport::end : std::enable_shared_from_this<memory_transport::end> {
  struct message {
    std::string text;
    request_id id = 0;
    bool pinned = false;
  };

  static constexpr int max_turns = 32;  // without giving the executor to others

  // What the peer sends.
  result<void> accept(outgoing&& m, end& from) {
    std::optional<asio::any_io_executor> wake;
    {
      std::lock_guard const lock(mutex);
      if (gone) return error(errc::closed, "the channel is closed");
      if (!incoming.empty() &&
          (incoming.size() >= limits.messages() || incoming_bytes + m.text.size() > limits.bytes())) {
        return error(errc::queue_full, "queue_limits of the memory pair");
      }
      incoming_bytes += m.text.size();
      incoming.push_back({std::move(m.text), m.id, m.handshake});
      if (!scheduled && executor) {
        scheduled = true;
        // While the sender delivers on the same executor it goes on with this end afterwards: no other post.
        if (from.pumping && *executor == *from.executor) {
          from.owed = shared_from_this();
        } else {
          wake = executor;
        }
      }
    }
    if (wake) post_drain(*wake);
    return {};
  }

  bool remove(request_id id) noexcept {
    std::lock_guard const lock(mutex);
    auto const found = std::find_if(incoming.rbegin(), incoming.rend(), [&](message const& m) { return m.id == id; });
    if (id == 0 || found == incoming.rend() || found->pinned) return false;
    incoming_bytes -= found->text.size();
    incoming.erase(std::next(found).base());
    return true;
  }

  void peer_left() {
    std::optional<asio::any_io_executor> wake;
    {
      std::lock_guard const lock(mutex);
      peer_gone = true;
      if (!scheduled && executor && !gone) {
        scheduled = true;
        wake = executor;
      }
    }
    if (wake) post_drain(*wake);
  }

  void post_drain(asio::any_io_executor const& ex) {
    asio::defer(ex, [self = shared_from_this()]() mutable { pump(std::move(self)); });
  }

  static void pump(std::shared_ptr<end> now) {
    for (int turn = 0; now; ++turn) {
      if (turn == max_turns) return now->post_drain(*now->executor);
      now->pumping = true;
      now->drain();
      now->pumping = false;
      auto then = std::exchange(now->owed, nullptr);
      now = std::move(then);
    }
  }

  void take_batch() {
    std::lock_guard const lock(mutex);
    batch.swap(incoming);
    incoming_bytes = 0;
  }

  enum class next { deliver, sleep, end };

  // While messages are delivered `scheduled` stays set, so that a send from there only queues.
  [[nodiscard]] next after_batch() {
    std::lock_guard const lock(mutex);
    if (!incoming.empty()) return next::deliver;
    scheduled = false;
    return closing || peer_gone ? next::end : next::sleep;
  }

  void drain() {
    if (in == nullptr) return;
    take_batch();
    for (auto& m : batch) {
      ++messages_in;
      bytes_in += m.text.size();
      in->delivered(pad(m.text), 0);
      if (in == nullptr) break;
    }
    batch.clear();
    if (in == nullptr) return;
    auto const then = after_batch();
    if (then == next::deliver) return post_drain(*executor);
    if (then == next::end) finish(closing ? error(errc::closed, "closed by this side")
                                          : error(errc::transport_failed, "the other end closed"));
  }

  void finish(error reason) {
    inbox* const told = std::exchange(in, nullptr);
    leave();
    if (closed_signal) closed_signal->cancel();
    if (told != nullptr) told->closed(std::move(reason));
  }

  // From here on the peer's sends are refused, and it is told.
  void leave() {
    {
      std::lock_guard const lock(mutex);
      gone = true;
      incoming.clear();
    }
    if (auto const p = std::exchange(peer, nullptr)) p->peer_left();
  }

  void abort() noexcept {
    in = nullptr;
    leave();
    if (closed_signal) closed_signal->cancel();
  }

  std::mutex mutex;
  std::vector<message> incoming;
  std::size_t incoming_bytes = 0;
  std::optional<asio::any_io_executor> executor;
  bool scheduled = false;
  bool peer_gone = false;
  bool gone = false;

  std::shared_ptr<end> peer;  // a cycle, until either end leaves
  queue_limits limits;
  std::vector<message> batch;
  inbox* in = nullptr;
  std::optional<asio::steady_timer> closed_signal;  // never expires; cancelled when it is over
  bool closing = false;
  bool pumping = false;
  std::shared_ptr<end> owed;  // was sent to while pumping, and is not posted
  std::uint64_t messages_in = 0;
  std::uint64_t messages_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

COMCP_DECL std::pair<memory_transport, memory_transport> memory_pair(queue_limits limits) {
  auto a = std::make_shared<memory_transport::end>();
  auto b = std::make_shared<memory_transport::end>();
  a->peer = b;
  b->peer = a;
  a->limits = b->limits = limits;
  return {memory_transport(std::move(a)), memory_transport(std::move(b))};
}

COMCP_DECL memory_transport& memory_transport::operator=(memory_transport&& other) noexcept {
  if (this != &other) {
    if (end_) end_->abort();
    end_ = std::move(other.end_);
  }
  return *this;
}

COMCP_DECL memory_transport::~memory_transport() {
  if (end_) end_->abort();
}

COMCP_DECL asio::awaitable<result<void>> memory_transport::open(inbox& in) { return open_impl(end_, in); }

COMCP_DECL asio::awaitable<result<void>> memory_transport::open_impl(std::shared_ptr<end> e, inbox& in) {
  auto executor = co_await asio::this_coro::executor;
  if (e->executor || e->gone) co_return error(errc::connect_failed, "an end of a memory pair opens once");
  e->in = &in;
  e->closed_signal.emplace(executor, asio::steady_timer::time_point::max());
  {
    std::lock_guard const lock(e->mutex);
    e->executor = executor;
    e->scheduled = true;
  }
  e->post_drain(executor);
  co_return result<void>();
}

COMCP_DECL result<void> memory_transport::send(outgoing message) {
  if (end_->in == nullptr || end_->closing) return error(errc::closed, "the channel is closed");
  auto const size = message.text.size();
  auto accepted = end_->peer->accept(std::move(message), *end_);
  if (accepted) {
    ++end_->messages_out;
    end_->bytes_out += size;
  }
  return accepted;
}

COMCP_DECL bool memory_transport::abandon(request_id id) noexcept {
  return end_->in != nullptr && end_->peer->remove(id);
}

COMCP_DECL asio::awaitable<void> memory_transport::close() { return close_impl(end_); }

COMCP_DECL asio::awaitable<void> memory_transport::close_impl(std::shared_ptr<end> e) {
  if (e->in == nullptr) co_return;
  if (!e->closing) {
    e->closing = true;
    bool post = false;
    {
      std::lock_guard const lock(e->mutex);
      post = !std::exchange(e->scheduled, true);
    }
    if (post) e->post_drain(*e->executor);
  }
  while (e->in != nullptr) co_await e->closed_signal->async_wait(net::tuple_awaitable);
}

COMCP_DECL transport_info memory_transport::info() const {
  transport_info out;
  out.kind = "memory";
  out.messages_in = end_->messages_in;
  out.messages_out = end_->messages_out;
  out.bytes_in = end_->bytes_in;
  out.bytes_out = end_->bytes_out;
  return out;
}

static_assert(transport<memory_transport>);

}  // namespace comcp
#endif

// transport/stdio.hpp
// A server that runs as a child process and speaks lines on its stdin and stdout. Starting and ending the
// process is net/child_process, the lines are transport/stream_session; here is how the two fit together.

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

// net/child_process.hpp
// A child process with pipes, its exit, and the ladder that ends it. All that is POSIX is in impl/.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/posix/stream_descriptor.hpp>

namespace comcp::net {

/// What to start, and how to end it.
class spawn_options {
 public:
  enum class error_output { pipe, inherit, discard };

  spawn_options() = default;

  /// argv. The command is looked up in the child's PATH unless it has a slash; never a shell.
  std::vector<std::string> command;
  /// Added to the default environment, or to the inherited one; the later of two equal names wins.
  std::vector<std::pair<std::string, std::string>> environment;
  /// The whole environment of this process; otherwise HOME, LOGNAME, PATH, SHELL, TERM and USER.
  bool inherit_environment = false;
  /// Empty: that of this process. A command with a slash that is relative starts here.
  std::string working_directory;
  error_output error_to = error_output::pipe;
  std::chrono::milliseconds exit_wait{2000};  ///< From stop() to SIGTERM.
  std::chrono::milliseconds term_wait{2000};  ///< From SIGTERM to SIGKILL.
  std::shared_ptr<time_source> time;          ///< Empty: steady_time().
  bool use_pidfd = true;                      ///< False: poll for the exit after stop().
};

/// How the process ended. Both are empty when somebody else reaped it.
class exit_status {
 public:
  exit_status() = default;
  std::optional<int> code;
  std::optional<int> signal;
};

/// The environment that the child gets, as NAME=value.
[[nodiscard]] std::vector<std::string> child_environment(spawn_options const& options);

/// A running child in a process group of its own. Used from its executor only. The destructor kills the group
/// and reaps the child before it returns; on_exit is not called then.
class child_process {
 public:
  /// errc::connect_failed when it cannot be started.
  [[nodiscard]] static result<child_process> spawn(asio::any_io_executor executor, spawn_options const& options);

  child_process(child_process&&) noexcept = default;
  child_process& operator=(child_process&& other) noexcept;
  ~child_process();

  [[nodiscard]] asio::local::stream_protocol::socket& input() noexcept;
  [[nodiscard]] asio::posix::stream_descriptor& output() noexcept;
  /// Open only with error_output::pipe.
  [[nodiscard]] asio::posix::stream_descriptor& error_output() noexcept;
  [[nodiscard]] int pid() const noexcept;

  /// Calls `done` once, after the exit was seen, the group killed and the child reaped; also when SIGKILL does
  /// not end it within another term_wait. Set it before anything else. Never called from inside a member.
  void on_exit(std::function<void()> done);
  /// Set once on_exit is called.
  [[nodiscard]] std::optional<exit_status> const& status() const noexcept;

  /// End of file for the child's stdin; what was written before stays readable.
  void close_input() noexcept;
  /// Starts the ladder's clock: exit_wait, SIGTERM to the group, term_wait, SIGKILL to the group. The input is
  /// the caller's to close, before or later.
  void stop();
  /// SIGKILL to the group, reap, close everything.
  void kill() noexcept;

 private:
  struct state;
  explicit child_process(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}
  std::shared_ptr<state> state_;
};

/// Bytes that can be read now without waiting.
[[nodiscard]] std::size_t readable_now(asio::posix::stream_descriptor& d) noexcept;

}  // namespace comcp::net

#if !defined(COMCP_SEPARATE_COMPILATION)

// net/impl/child_process.ipp
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/bind_executor.hpp>

extern "C" char** environ;

namespace comcp::net {
namespace detail {

/// A descriptor that is closed unless it was released.
class owned_fd {
 public:
  owned_fd() = default;
  explicit owned_fd(int fd) noexcept : fd_(fd) {}
  owned_fd(owned_fd&& other) noexcept : fd_(other.release()) {}
  owned_fd& operator=(owned_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~owned_fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

struct fd_pair {
  owned_fd ours;
  owned_fd childs;  // never 0, 1 or 2: dup2 onto those would otherwise overwrite it
};

COMCP_DECL bool make_pair(fd_pair& p, bool socket) noexcept {
  std::array<int, 2> fds{};
  int const failed = socket ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data())
                            : ::pipe2(fds.data(), O_CLOEXEC);
  if (failed != 0) return false;
  p = {owned_fd(fds[0]), owned_fd(fds[1])};
  if (fds[1] <= STDERR_FILENO) p.childs = owned_fd(::fcntl(fds[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return p.childs.get() >= 0;
}

/// posix_spawn's file actions and attributes; both need a matching destroy.
struct spawn_setup {
  spawn_setup() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  spawn_setup(spawn_setup const&) = delete;
  spawn_setup& operator=(spawn_setup const&) = delete;
  ~spawn_setup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  // Own group, every signal at its default, none blocked.
  void isolate() {
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }

  // Without closefrom, descriptors that other threads open in between can leak unless they are close-on-exec.
  void close_the_rest() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#else
    DIR* const open_ones = ::opendir("/proc/self/fd");
    if (open_ones == nullptr) return;
    while (auto const* entry = ::readdir(open_ones)) {
      int const fd = std::atoi(entry->d_name);
      bool const closes = (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
      if (fd > STDERR_FILENO && fd != ::dirfd(open_ones) && !closes) posix_spawn_file_actions_addclose(&actions, fd);
    }
    ::closedir(open_ones);
#endif
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

COMCP_DECL std::string_view variable(std::vector<std::string> const& environment, std::string_view name) {
  auto const found = std::find_if(environment.begin(), environment.end(), [&](std::string_view e) {
    return e.starts_with(name) && e.substr(name.size()).starts_with('=');
  });
  return found == environment.end() ? std::string_view() : std::string_view(*found).substr(name.size() + 1);
}

/// The path of the command, or an empty one.
COMCP_DECL std::string find_command(spawn_options const& o, std::vector<std::string> const& environment) {
  std::string const& command = o.command.front();
  if (command.find('/') != std::string::npos) return command;
  std::string_view path = variable(environment, "PATH");
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    auto const colon = path.find(':');
    std::string candidate(path.substr(0, colon));
    if (candidate.empty()) candidate = ".";
    candidate.append("/").append(command);
    bool const elsewhere = candidate.front() != '/' && !o.working_directory.empty();
    std::string const from_here = (elsewhere ? o.working_directory + "/" : std::string()) + candidate;
    if (::access(from_here.c_str(), X_OK) == 0) return candidate;
    if (colon == std::string_view::npos) return {};
    path.remove_prefix(colon + 1);
  }
}

COMCP_DECL std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (auto& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

COMCP_DECL error cannot_start(spawn_options const& o, std::string const& why) {
  return {errc::connect_failed, "cannot start '" + (o.command.empty() ? std::string() : o.command.front()) + "': " + why};
}

COMCP_DECL bool has_nul(spawn_options const& o) {
  auto const nul = [](std::string const& s) { return s.find('\0') != std::string::npos; };
  return std::any_of(o.command.begin(), o.command.end(), nul) || nul(o.working_directory) ||
         std::any_of(o.environment.begin(), o.environment.end(),
                     [&](auto const& kv) { return nul(kv.first) || nul(kv.second); });
}

#if defined(SYS_pidfd_open)
COMCP_DECL int open_pidfd(int pid) noexcept { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }
#else
COMCP_DECL int open_pidfd(int) noexcept { return -1; }
#endif

}  // namespace detail

COMCP_DECL std::vector<std::string> child_environment(spawn_options const& options) {
  std::vector<std::string> out;
  if (options.inherit_environment) {
    for (char** e = environ; e != nullptr && *e != nullptr; ++e) out.emplace_back(*e);
  } else {
    for (char const* name : {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}) {
      char const* value = std::getenv(name);
      // "()" starts a function that a shell exported.
      if (value != nullptr && std::strncmp(value, "()", 2) != 0) out.push_back(std::string(name) + "=" + value);
    }
  }
  for (auto const& [name, value] : options.environment) {
    std::erase_if(out, [&, &n = name](std::string const& e) { return e.starts_with(n + "="); });
    out.push_back(name + "=" + value);
  }
  return out;
}

struct child_process::state : std::enable_shared_from_this<child_process::state> {
  state(asio::any_io_executor ex, spawn_options const& o)
      : executor(ex), input(ex), output(ex), error_output(ex), pidfd(ex),
        time(o.time ? o.time : steady_time()), ladder(time->make_deadline(ex)), poll(time->make_deadline(ex)),
        exit_wait(o.exit_wait), term_wait(o.term_wait) {}

  void watch(bool use_pidfd) {
    int const fd = use_pidfd ? detail::open_pidfd(pid) : -1;
    if (fd < 0) return;
    pidfd.assign(fd);
    pidfd.async_wait(asio::posix::descriptor_base::wait_read,
                     asio::bind_executor(executor, [self = shared_from_this()](std::error_code ec) {
                       if (!ec) self->look();
                     }));
  }

  // Sees an exit while the pid is still ours, so that the group that is killed cannot be another's.
  [[nodiscard]] bool gone(int options) noexcept {
    if (reaped) return true;
    siginfo_t info{};
    int r = 0;
    do {
      r = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | options);
    } while (r != 0 && errno == EINTR);
    if (r != 0) return reaped = true;  // ECHILD: somebody else reaped it, the group is not ours to signal
    if (info.si_pid == 0) return false;
    ::kill(-pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    (info.si_code == CLD_EXITED ? how.code : how.signal) = info.si_status;
    return reaped = true;
  }

  void look() {
    if (gone(WNOHANG)) finish();
  }

  void finish() {
    if (finished) return;
    finished = true;
    ladder->disarm();
    poll->disarm();
    status = how;
    if (auto call = std::exchange(done, nullptr)) call();
  }

  void after(std::chrono::milliseconds wait, void (state::*next)()) {
    ladder->arm(time->now() + wait, [weak = weak_from_this(), next] {
      auto const self = weak.lock();
      if (!self || self->finished) return;
      self->look();
      if (!self->finished) ((*self).*next)();
    });
  }

  void terminate() {
    ::kill(-pid, SIGTERM);
    after(term_wait, &state::kill_group);
  }

  void kill_group() {
    ::kill(-pid, SIGKILL);
    after(std::max(term_wait, std::chrono::milliseconds(500)), &state::give_up);
  }

  // Stuck in the kernel: waiting on would hang the host with it.
  void give_up() {
    unkillable = true;
    finish();
  }

  void poll_exit() {
    poll->arm(time->now() + std::chrono::milliseconds(5), [weak = weak_from_this()] {
      auto const self = weak.lock();
      if (!self || self->finished) return;
      self->look();
      if (!self->finished) self->poll_exit();
    });
  }

  asio::any_io_executor executor;
  asio::local::stream_protocol::socket input;
  asio::posix::stream_descriptor output;
  asio::posix::stream_descriptor error_output;
  asio::posix::stream_descriptor pidfd;
  std::shared_ptr<time_source> time;
  std::unique_ptr<deadline> ladder;
  std::unique_ptr<deadline> poll;
  std::chrono::milliseconds exit_wait;
  std::chrono::milliseconds term_wait;
  std::function<void()> done;
  std::optional<exit_status> status;
  exit_status how;
  int pid = -1;
  bool stopping = false;
  bool reaped = false;
  bool finished = false;
  bool unkillable = false;
};

namespace detail {

COMCP_DECL result<int> start(spawn_options const& o, fd_pair& in, fd_pair& out, fd_pair& err) {
  auto environment = child_environment(o);
  std::string const path = find_command(o, environment);
  if (path.empty()) return cannot_start(o, "no such command in PATH");
  bool const piped = o.error_to == spawn_options::error_output::pipe;
  if (!make_pair(in, true) || !make_pair(out, false) || (piped && !make_pair(err, false))) {
    return cannot_start(o, std::generic_category().message(errno));
  }
  spawn_setup setup;
  setup.isolate();
  posix_spawn_file_actions_adddup2(&setup.actions, in.childs.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&setup.actions, out.childs.get(), STDOUT_FILENO);
  if (piped) posix_spawn_file_actions_adddup2(&setup.actions, err.childs.get(), STDERR_FILENO);
  if (o.error_to == spawn_options::error_output::discard) {
    posix_spawn_file_actions_addopen(&setup.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  setup.close_the_rest();
  if (!o.working_directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&setup.actions, o.working_directory.c_str());
  }
  auto arguments = o.command;
  pid_t pid = -1;
  int const failed = ::posix_spawn(&pid, path.c_str(), &setup.actions, &setup.attributes,
                                   pointers(arguments).data(), pointers(environment).data());
  if (failed != 0) return cannot_start(o, std::generic_category().message(failed));
  return static_cast<int>(pid);
}

}  // namespace detail

COMCP_DECL result<child_process> child_process::spawn(asio::any_io_executor executor, spawn_options const& options) {
  if (options.command.empty() || options.command.front().empty()) {
    return error(errc::invalid_argument, "no command to start");
  }
  if (detail::has_nul(options)) return error(errc::invalid_argument, "NUL in a command, variable or directory");
  auto s = std::make_shared<state>(executor, options);
  detail::fd_pair in;
  detail::fd_pair out;
  detail::fd_pair err;
  auto const pid = detail::start(options, in, out, err);
  if (!pid) return pid.error();
  s->pid = *pid;
  child_process process(s);  // from here on a failure kills it
  try {
    s->input.assign(asio::local::stream_protocol(), in.ours.get());
    in.ours.release();
    s->output.assign(out.ours.get());
    out.ours.release();
    if (err.ours.get() >= 0) s->error_output.assign(err.ours.get());
    err.ours.release();
    s->watch(options.use_pidfd);
  } catch (std::system_error const& e) {
    return detail::cannot_start(options, e.code().message());
  }
  return process;
}

COMCP_DECL child_process& child_process::operator=(child_process&& other) noexcept {
  if (this != &other) {
    if (state_) kill();
    state_ = std::move(other.state_);
  }
  return *this;
}

COMCP_DECL child_process::~child_process() {
  if (state_) kill();
}

COMCP_DECL asio::local::stream_protocol::socket& child_process::input() noexcept { return state_->input; }
COMCP_DECL asio::posix::stream_descriptor& child_process::output() noexcept { return state_->output; }
COMCP_DECL asio::posix::stream_descriptor& child_process::error_output() noexcept { return state_->error_output; }
COMCP_DECL int child_process::pid() const noexcept { return state_->pid; }
COMCP_DECL void child_process::on_exit(std::function<void()> done) { state_->done = std::move(done); }
COMCP_DECL std::optional<exit_status> const& child_process::status() const noexcept { return state_->status; }

COMCP_DECL void child_process::close_input() noexcept {
  std::error_code ignored;
  state_->input.shutdown(asio::local::stream_protocol::socket::shutdown_send, ignored);
}

COMCP_DECL void child_process::stop() {
  if (state_->finished || std::exchange(state_->stopping, true)) return;
  if (!state_->pidfd.is_open()) state_->poll_exit();
  state_->after(state_->exit_wait, &state::terminate);
}

COMCP_DECL void child_process::kill() noexcept {
  state_->finished = true;
  state_->done = nullptr;
  state_->ladder->disarm();
  state_->poll->disarm();
  if (!state_->gone(WNOHANG)) {
    ::kill(-state_->pid, SIGKILL);
    if (!state_->unkillable) static_cast<void>(state_->gone(0));
  }
  std::error_code ignored;
  state_->input.close(ignored);
  state_->output.close(ignored);
  state_->error_output.close(ignored);
  state_->pidfd.close(ignored);
}

COMCP_DECL std::size_t readable_now(asio::posix::stream_descriptor& d) noexcept {
  int n = 0;
  return d.is_open() && ::ioctl(d.native_handle(), FIONREAD, &n) == 0 && n > 0 ? static_cast<std::size_t>(n) : 0;
}

}  // namespace comcp::net
#endif

namespace comcp {

/// Where the server's stderr goes. It never stalls the server.
class stderr_target {
 public:
  enum class kind { ring, inherit, sink, discard };
  using sink_function = std::function<void(std::string_view)>;

  /// Keeps the last `bytes`, for errors and info().
  static stderr_target ring(std::size_t bytes = 64 * 1024) { return {kind::ring, bytes, {}}; }
  /// The stderr of this process.
  static stderr_target inherit() { return {kind::inherit, 0, {}}; }
  /// Calls `sink` on the transport's executor with each piece as it comes; the last 4 KiB are kept too. What it throws
  /// is dropped, and a fault for the observer.
  static stderr_target sink(sink_function sink) { return {kind::sink, 4096, std::move(sink)}; }
  static stderr_target discard() { return {kind::discard, 0, {}}; }

  [[nodiscard]] kind what() const noexcept { return kind_; }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_; }
  [[nodiscard]] sink_function const& call() const noexcept { return sink_; }

 private:
  stderr_target(kind k, std::size_t kept, sink_function sink) : kind_(k), kept_(kept), sink_(std::move(sink)) {}
  kind kind_;
  std::size_t kept_;
  sink_function sink_;
};

/// What a stdio transport is told before it opens.
class stdio_settings {
 public:
  stdio_settings() = default;
  net::spawn_options process;
  std::size_t max_line = jsonrpc::framer::default_max_line;
  queue_limits queue;
  stderr_target error_to = stderr_target::ring();
};

/// Starts a server and talks to it. `closed` is told once everything that the server wrote was delivered, its
/// process has ended, its process group is killed and it is reaped; the error has the exit status and the tail
/// of stderr. close() is bounded by exit_wait + 2 * term_wait. Destroying it kills the group at once. Regular: keep one
/// and connect copies of it.
class stdio {
 public:
  /// argv, never a shell. The command is looked up in the PATH that the server gets.
  explicit stdio(std::vector<std::string> command);
  template <class... Args>
    requires(std::convertible_to<Args, std::string> && ...)
  explicit stdio(std::string command, Args&&... args)
      : stdio(argv(std::move(command), std::string(std::forward<Args>(args))...)) {}
  /// A copy has the settings, never the process.
  stdio(stdio const& other);
  stdio& operator=(stdio const& other) { return *this = stdio(other); }
  stdio(stdio&&) noexcept = default;
  stdio& operator=(stdio&& other) noexcept;
  ~stdio();

  /// One variable for the server, beside the safe default ones (net::spawn_options).
  stdio& env(std::string name, std::string value) &;
  /// The server gets the whole environment of this process.
  stdio& inherit_environment(bool on = true) & { return settings_.process.inherit_environment = on, *this; }
  stdio& working_directory(std::string path) & { return settings_.process.working_directory = std::move(path), *this; }
  /// Longest line accepted, in bytes; a longer one closes with errc::limit_exceeded. Default 16 MiB.
  stdio& max_line(std::size_t bytes) & { return settings_.max_line = bytes, *this; }
  /// Bounds of what waits to be written; beyond them send() says errc::queue_full.
  stdio& queue(queue_limits limits) & { return settings_.queue = limits, *this; }
  stdio& stderr_to(stderr_target target) & { return settings_.error_to = std::move(target), *this; }
  /// How long the server may take to exit after the end of its stdin before SIGTERM. Default 2 s.
  stdio& exit_wait(std::chrono::milliseconds wait) & { return settings_.process.exit_wait = wait, *this; }
  /// How long after SIGTERM before SIGKILL. Default 2 s.
  stdio& term_wait(std::chrono::milliseconds wait) & { return settings_.process.term_wait = wait, *this; }
  stdio& time(std::shared_ptr<time_source> source) & { return settings_.process.time = std::move(source), *this; }

  stdio&& env(std::string name, std::string value) && { return std::move(env(std::move(name), std::move(value))); }
  stdio&& inherit_environment(bool on = true) && { return std::move(inherit_environment(on)); }
  stdio&& working_directory(std::string path) && { return std::move(working_directory(std::move(path))); }
  stdio&& max_line(std::size_t bytes) && { return std::move(max_line(bytes)); }
  stdio&& queue(queue_limits limits) && { return std::move(queue(limits)); }
  stdio&& stderr_to(stderr_target target) && { return std::move(stderr_to(std::move(target))); }
  stdio&& exit_wait(std::chrono::milliseconds wait) && { return std::move(exit_wait(wait)); }
  stdio&& term_wait(std::chrono::milliseconds wait) && { return std::move(term_wait(wait)); }
  stdio&& time(std::shared_ptr<time_source> source) && { return std::move(time(std::move(source))); }

  [[nodiscard]] stdio_settings const& settings() const noexcept { return settings_; }

  /// Starts the process, anew after each closed. errc::connect_failed when it cannot be started.
  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in);
  result<void> send(outgoing message);
  bool abandon(request_id id) noexcept;
  [[nodiscard]] asio::awaitable<void> close();
  [[nodiscard]] transport_info info() const;

 private:
  struct state;

  template <class... Args>
  static std::vector<std::string> argv(std::string command, Args... args) {
    std::vector<std::string> out;
    out.reserve(1 + sizeof...(args));
    out.push_back(std::move(command));
    (out.push_back(std::move(args)), ...);
    return out;
  }
  static asio::awaitable<result<void>> open_impl(std::shared_ptr<state> s, stdio_settings settings, inbox& in);
  void abort() noexcept;

  stdio_settings settings_;
  std::shared_ptr<state> state_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)

// transport/impl/stdio.ipp
#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include <asio/bind_executor.hpp>
#include <asio/this_coro.hpp>

namespace comcp {
namespace detail {

/// A child's stdout and stdin as one stream; closing it kills what still runs.
class child_stream {
 public:
  explicit child_stream(net::child_process p) : process(std::move(p)) {}

  template <class Buffers, class Handler>
  void async_read_some(Buffers const& buffers, Handler&& handler) {
    process.output().async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(Buffers const& buffers, Handler&& handler) {
    process.input().async_write_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers>
  std::size_t write_some(Buffers const& buffers, std::error_code& ec) {
    return process.input().write_some(buffers, ec);
  }
  void non_blocking(bool on, std::error_code& ec) { process.input().non_blocking(on, ec); }
  void close(std::error_code&) noexcept { process.kill(); }

  net::child_process process;
};

/// The last bytes of a stream; keeps up to twice the limit so that most appends move nothing.
class tail_ring {
 public:
  explicit tail_ring(std::size_t limit) : limit_(limit) {}
  void append(std::string_view piece) {
    if (piece.size() > limit_) piece.remove_prefix(piece.size() - limit_);
    if (text_.size() + piece.size() > 2 * limit_) text_.erase(0, text_.size() + piece.size() - limit_);
    text_.append(piece);
  }
  [[nodiscard]] std::string last(std::size_t n) const {
    n = std::min({n, limit_, text_.size()});
    return text_.substr(text_.size() - n);
  }

 private:
  std::size_t limit_;
  std::string text_;
};

class stdio_session final : public stream_session<child_stream> {
  using base = stream_session<child_stream>;

 public:
  static constexpr std::size_t tail_in_errors = 4096;

  stdio_session(asio::any_io_executor executor, child_stream stream, inbox& in, stdio_settings const& s)
      : base(std::move(executor), std::move(stream), in, s.max_line, s.queue),
        sink_(s.error_to.call()),
        tail_(s.error_to.kept()),
        pid_(process().pid()) {}

  void start_all() {
    process().on_exit([weak = weak_from_this()] {
      if (auto self = weak.lock()) static_cast<stdio_session&>(*self).exited();
    });
    errors_ended_ = !process().error_output().is_open();
    if (!errors_ended_) read_errors();
    start();
  }

  void start_close() override {
    if (closing()) return;
    begin_close();
    if (idle()) process().close_input();
    process().stop();
  }

  void describe(transport_info& out) const override {
    base::describe(out);
    out.pid = pid_;
    out.exit_code = how_.code;
    out.term_signal = how_.signal;
    out.stderr_tail = tail_.last(std::string::npos);
  }

 private:
  [[nodiscard]] net::child_process& process() noexcept { return stream().process; }

  void reading_ended(error why) override {
    output_ended_ = true;
    if (why == errc::limit_exceeded) {
      std::error_code ignored;
      process().output().close(ignored);  // a server that is still writing the line fails at once
    }
    end_with(std::move(why));
    process().close_input();
    finish_if_over();
  }

  void writing_ended(error why) override { end_with(std::move(why)); }

  void drained() override {
    if (closing()) process().close_input();
  }

  void end_with(error why) {
    if (!cause_ || why == errc::limit_exceeded) cause_ = std::move(why);
    refuse_sends();
    process().stop();
  }

  // Everything that the server wrote is in the pipes by now. The end of a pipe may never come, when a process
  // outside the group holds it: what is in there is taken, and that is the end.
  void exited() {
    if (done()) return;
    exited_ = true;
    how_ = process().status().value_or(net::exit_status());
    refuse_sends();
    std::error_code ignored;
    if (!output_ended_) {
      stop_reading();
      process().output().cancel(ignored);
    }
    if (!errors_ended_) process().error_output().cancel(ignored);
    finish_if_over();
  }

  void fetch_rest() override {
    auto& output = process().output();
    std::error_code ec;
    for (auto left = net::readable_now(output); left > 0 && !framer().failed();) {
      auto const room = framer().prepare();
      auto const n = output.read_some(asio::buffer(room.data(), std::min(room.size(), left)), ec);
      if (ec || n == 0) return;
      framer().commit(n);
      left -= n;
      if (!deliver_lines()) return;
    }
  }

  void read_errors() {
    process().error_output().async_read_some(
        asio::buffer(error_buffer_),
        asio::bind_executor(executor(), [self = shared_from_this()](std::error_code ec, std::size_t n) {
          static_cast<stdio_session&>(*self).on_errors(ec, n);
        }));
  }

  void on_errors(std::error_code ec, std::size_t n) {
    if (done()) return;
    keep_errors(n);
    if (done()) return;
    if (!ec && !exited_) return read_errors();
    if (exited_) fetch_errors();
    if (done()) return;
    errors_ended_ = true;
    finish_if_over();
  }

  void fetch_errors() {
    auto& errors = process().error_output();
    std::error_code ec;
    for (auto left = net::readable_now(errors); left > 0 && !done();) {
      auto const n = errors.read_some(asio::buffer(error_buffer_.data(), std::min(error_buffer_.size(), left)), ec);
      if (ec || n == 0) return;
      left -= n;
      keep_errors(n);
    }
  }

  void keep_errors(std::size_t n) {
    std::string_view const piece(error_buffer_.data(), n);
    tail_.append(piece);
    if (!sink_ || n == 0) return;
    try {
      sink_(piece);
    } catch (...) {
      fault(error(errc::invalid_argument, "a stderr sink threw"));
    }
  }

  void finish_if_over() {
    if (exited_ && output_ended_ && errors_ended_ && !done()) finish(reason());
  }

  [[nodiscard]] error reason() const {
    transport_detail detail;
    detail.exit_code = how_.code;
    detail.term_signal = how_.signal;
    detail.stderr_tail = tail_.last(tail_in_errors);
    return bare_reason().with_detail(std::move(detail));
  }

  [[nodiscard]] error bare_reason() const {
    if (cause_ && *cause_ == errc::limit_exceeded) return *cause_;
    if (closing()) return {errc::closed, "closed by this side"};
    if (how_.code) return {errc::transport_failed, "the server process exited"};
    if (how_.signal) return {errc::transport_failed, "the server process was ended by a signal"};
    return {errc::transport_failed, "the server process is gone"};
  }

  stderr_target::sink_function sink_;
  tail_ring tail_;
  int pid_;
  net::exit_status how_;
  std::optional<error> cause_;  // why it is ending, when not by close()
  std::array<char, 8192> error_buffer_;
  bool output_ended_ = false;
  bool errors_ended_ = false;
  bool exited_ = false;
};

/// A command line for people: values of options that sound secret are left out.
COMCP_DECL std::string shown_command(std::vector<std::string> const& command) {
  auto const sounds_secret = [](std::string word) {
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (char const* s : {"token", "secret", "password", "passwd", "key", "auth", "credential"}) {
      if (word.find(s) != std::string::npos) return true;
    }
    return false;
  };
  std::string out;
  bool hide = false;
  for (auto const& argument : command) {
    if (!out.empty()) out.push_back(' ');
    auto const equals = argument.find('=');
    bool const option = argument.starts_with("-");
    bool const named = equals != std::string::npos && sounds_secret(argument.substr(0, equals));
    out.append(named ? argument.substr(0, equals) + "=***" : hide && !option ? "***" : argument);
    hide = option && equals == std::string::npos && sounds_secret(argument);
  }
  return out;
}

}  // namespace detail

struct stdio::state {
  std::shared_ptr<detail::stdio_session> session;
  bool gone = false;
};

COMCP_DECL stdio::stdio(std::vector<std::string> command) : state_(std::make_shared<state>()) {
  settings_.process.command = std::move(command);
}

COMCP_DECL stdio::stdio(stdio const& other) : settings_(other.settings_), state_(std::make_shared<state>()) {}

COMCP_DECL stdio& stdio::operator=(stdio&& other) noexcept {
  if (this != &other) {
    abort();
    settings_ = std::move(other.settings_);
    state_ = std::move(other.state_);
  }
  return *this;
}

COMCP_DECL stdio::~stdio() { abort(); }

COMCP_DECL void stdio::abort() noexcept {
  if (!state_) return;
  state_->gone = true;
  if (state_->session) state_->session->abort();
}

COMCP_DECL stdio& stdio::env(std::string name, std::string value) & {
  settings_.process.environment.emplace_back(std::move(name), std::move(value));
  return *this;
}

COMCP_DECL asio::awaitable<result<void>> stdio::open(inbox& in) { return open_impl(state_, settings_, in); }

COMCP_DECL asio::awaitable<result<void>> stdio::open_impl(std::shared_ptr<state> s, stdio_settings settings,
                                                          inbox& in) {
  auto executor = co_await asio::this_coro::executor;
  if (s->gone) co_return error(errc::closed, "destroyed while opening");
  if (s->session && !s->session->done()) co_return error(errc::connect_failed, "already open");
  using target = net::spawn_options::error_output;
  auto const what = settings.error_to.what();
  settings.process.error_to = what == stderr_target::kind::inherit   ? target::inherit
                              : what == stderr_target::kind::discard ? target::discard
                                                                     : target::pipe;
  auto process = net::child_process::spawn(executor, settings.process);
  if (!process) co_return process.error();
  detail::child_stream stream(std::move(*process));
  s->session = std::make_shared<detail::stdio_session>(executor, std::move(stream), in, settings);
  s->session->start_all();
  co_return result<void>();
}

COMCP_DECL result<void> stdio::send(outgoing message) {
  if (!state_->session) return error(errc::closed, "not open");
  return state_->session->send(std::move(message));
}

COMCP_DECL bool stdio::abandon(request_id id) noexcept { return state_->session && state_->session->abandon(id); }

COMCP_DECL asio::awaitable<void> stdio::close() { return detail::close_session(state_->session); }

COMCP_DECL transport_info stdio::info() const {
  transport_info out;
  out.kind = "stdio";
  out.target = detail::shown_command(settings_.process.command);
  if (state_->session) state_->session->describe(out);
  return out;
}

static_assert(transport<stdio>);

}  // namespace comcp
#endif

// transport/unix_socket.hpp
// Messages as lines over a Unix domain socket, found by its path.

#include <string>
#include <utility>

#include <asio/local/stream_protocol.hpp>
#include <asio/this_coro.hpp>

namespace comcp {
namespace detail {

inline asio::awaitable<result<asio::local::stream_protocol::socket>> connect_unix(std::string path) {
  auto executor = co_await asio::this_coro::executor;
  asio::local::stream_protocol::endpoint endpoint;
  try {
    endpoint.path(path);
  } catch (std::system_error const&) {
    co_return error(errc::connect_failed, "the socket path is too long: " + path);
  }
  asio::local::stream_protocol::socket socket(executor);
  auto [ec] = co_await socket.async_connect(endpoint, net::tuple_awaitable);
  if (ec) co_return error(errc::connect_failed, path + ": " + ec.message());
  co_return std::move(socket);
}

}  // namespace detail

/// A server that listens on a Unix domain socket. open() connects, again and again if asked to. A copy has the path and
/// the options, never the connection.
class unix_socket : public byte_stream<asio::local::stream_protocol::socket> {
 public:
  explicit unix_socket(std::string path, stream_options options = stream_options())
      : byte_stream(connector([path] { return detail::connect_unix(path); }), options.label("unix", path)),
        path_(std::move(path)),
        options_(std::move(options)) {}
  unix_socket(unix_socket const& other) : unix_socket(other.path_, other.options_) {}
  unix_socket& operator=(unix_socket const& other) { return *this = unix_socket(other); }
  unix_socket(unix_socket&&) noexcept = default;
  unix_socket& operator=(unix_socket&&) noexcept = default;

 private:
  std::string path_;
  stream_options options_;
};

}  // namespace comcp
