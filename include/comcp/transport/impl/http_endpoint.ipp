// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <asio/this_coro.hpp>

#include <comcp/transport/http_endpoint.hpp>

namespace comcp::detail {

COMCP_DECL http_endpoint::http_endpoint(std::string_view url, any_engine e, any_authenticator a, http_options options)
    : url_(http_url::parse(url)), options_(std::move(options)), engine_(options_.around() ? options_.around()(std::move(e)) : std::move(e)), auth_(std::move(a)) {}

COMCP_DECL http_endpoint& http_endpoint::operator=(http_endpoint&& other) noexcept {
  if (this == &other) return *this;
  abort();
  url_ = std::move(other.url_);
  options_ = std::move(other.options_);
  engine_ = std::move(other.engine_);
  auth_ = std::move(other.auth_);
  session_ = std::move(other.session_);
  return *this;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> http_endpoint::open(inbox& in) {
  abort();
  return start(in);
}

// The core keeps the transport in its place from open() on.
COMCP_LAZY_DECL asio::awaitable<result<void>> http_endpoint::start(inbox& in) {
  auto const executor = co_await asio::this_coro::executor;
  if (!url_) co_return url_.error();
  if (options_.unusable()) co_return options_.unusable();
  http_carrier carrier(engine_, auth_, options_.time(), *url_);
  session_ = std::make_shared<http_session>(executor, options_, std::move(carrier), in);
  auto const session = session_;
  auto opened = co_await session->open();
  co_return opened;
}

COMCP_LAZY_DECL result<void> http_endpoint::send(outgoing message) {
  if (!session_) return error(errc::closed, "not open");
  return session_->send(std::move(message));
}

COMCP_LAZY asio::awaitable<void> close_http_session(std::shared_ptr<http_session> session) {
  if (session) co_await session->close();
}

COMCP_LAZY_DECL asio::awaitable<void> http_endpoint::close() { return close_http_session(session_); }

COMCP_DECL transport_info http_endpoint::info() const {
  transport_info out;
  out.kind = "http";
  if (url_) {
    out.target = url_->origin() + url_->path();
    out.origin = url_->origin();
    // A query or a header of the user's own may decide on the answers, and may be a secret.
    if (!url_->query() && options_.headers().empty()) out.server = out.target;
  }
  out.identity = auth_.identity();
  out.extensions = auth_.extensions();
  if (session_) session_->describe(out);
  return out;
}

COMCP_DECL void http_endpoint::abort() noexcept {
  if (session_) session_->abort();
  session_.reset();
}

}  // namespace comcp::detail
