// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/error.hpp>
#include <comcp/visible.hpp>

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
    case errc::out_of_memory: return "out of memory";
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
      case errc::out_of_memory: return std::errc::not_enough_memory;
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
  if (auto m = message(); !m.empty()) out.append(": ").append(visible(m, line_breaks::blank));
  if (auto const* p = peer(); p && !p->message.empty()) out.append(": ").append(visible(p->message, line_breaks::blank));
  if (auto const* d = detail()) {
    if (d->http_status) out.append(" (HTTP ").append(std::to_string(*d->http_status)).append(")");
    if (d->exit_code) out.append(" (exit status ").append(std::to_string(*d->exit_code)).append(")");
    if (d->term_signal) out.append(" (signal ").append(std::to_string(*d->term_signal)).append(")");
    if (!d->snippet.empty()) out.append("\n").append(visible(d->snippet));
    if (!d->stderr_tail.empty()) out.append("\nstderr: ").append(visible(d->stderr_tail));
  }
  return out;
}

COMCP_DECL error error::with_outcome(call_outcome outcome) const {
  error e = *this;
  e.outcome_ = outcome;
  return e;
}

namespace detail {

// 503 with a Retry-After comes before anything is done; of other 5xx a gateway may be the author.
COMCP_DECL call_outcome outcome_of_status(transport_detail const* d) noexcept {
  auto const status = d ? d->http_status.value_or(0) : 0;
  if (status < 300) return call_outcome::unstated;
  return status < 500 || (status == 503 && d->retry_after) ? call_outcome::known : call_outcome::open;
}

}  // namespace detail

// What the transport and the server mean by their codes; who knows more states it.
COMCP_DECL call_outcome error::outcome() const noexcept {
  if (states_outcome() || !code_) return outcome_;
  if (*this == errc::outcome_unknown) return call_outcome::open;
  if (peer() || code_.category() != comcp_category()) return peer() ? call_outcome::known : outcome_;
  switch (static_cast<errc>(code_.value())) {
    case errc::out_of_memory:
    case errc::protocol_violation:
    case errc::transport_failed:
    case errc::response_timeout:
    case errc::idle_timeout:
    case errc::exchange_timeout:
    case errc::wrong_content_type:
    case errc::missing_answer:
    case errc::unsupported_encoding: return call_outcome::open;
    case errc::unauthorized:
    case errc::redirect_refused:
    case errc::tool_failed:
    case errc::input_refused: return call_outcome::known;
    case errc::connect_failed:
    case errc::connect_timeout:
    case errc::tls_failed:
    case errc::proxy_failed:
    case errc::denied:
    case errc::queue_full:
    case errc::not_in_protocol:
    case errc::capability_missing:
    case errc::not_ready:
    case errc::no_connections: return call_outcome::not_sent;
    case errc::http_status: return detail::outcome_of_status(detail());
    default: return outcome_;
  }
}

COMCP_DECL bool is_retriable(error const& e) noexcept {
  if (e.code().category() != comcp_category() || leaves_outcome_open(e)) return false;
  switch (static_cast<errc>(e.code().value())) {
    case errc::connect_failed:
    case errc::connect_timeout:
    case errc::not_ready:
    case errc::no_connections:
    case errc::queue_full: return true;
    case errc::timeout:
    case errc::cancelled:
    case errc::closed:
    case errc::transport_failed: return e.outcome() == call_outcome::not_sent;
    case errc::http_status: {
      auto const* const d = e.detail();
      return d && (d->http_status == 429 || d->http_status == 503) && d->retry_after;
    }
    default: return false;
  }
}

COMCP_DECL bool leaves_outcome_open(error const& e) noexcept { return e.outcome() == call_outcome::open; }

}  // namespace comcp
