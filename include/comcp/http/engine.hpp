// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The engine seam: what carries HTTP. An engine knows no MCP, no authorization, follows no redirect and keeps no
// cookie; what a status means is decided above it.
#pragma once

#include <concepts>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/http/message.hpp>

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
