// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// MCP over HTTP with an engine and an authenticator of the user's choice. comcp::http has the bundled ones.
// Specification: 2026-07-28 basic/transports/streamable-http, 2025-11-25 basic/transports, 2024-11-05 basic/transports
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>

#include <comcp/auth/authenticator.hpp>
#include <comcp/http/engine.hpp>
#include <comcp/transport/http_exchanges.hpp>
#include <comcp/transport/http_options.hpp>
#include <comcp/transport/transport.hpp>

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
    if (auth_) {
      out.identity = auth_->identity();
      if constexpr (requires(Auth const& a) { a.extensions(); }) out.extensions = auth_->extensions();
    }
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
