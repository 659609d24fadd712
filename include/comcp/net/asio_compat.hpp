// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The one place that knows what differs between Asio 1.22 and the newest: where as_tuple lives. And Asio's operations
// with return types that are spelt out: one that is deduced makes g++ compile the operation for whoever reads a call of
// it.
#pragma once

#include <system_error>
#include <tuple>

#include <comcp/requirements.hpp>

#include <asio/version.hpp>

#if ASIO_VERSION >= 102300
#include <asio/as_tuple.hpp>
#else
#include <asio/experimental/as_tuple.hpp>
#endif

#include <asio/awaitable.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

namespace comcp::net {

#if ASIO_VERSION >= 102300
using asio::as_tuple;
#else
using asio::experimental::as_tuple;
#endif

/// Completion token: await, and get (error_code, values...) instead of an exception.
inline constexpr auto tuple_awaitable = as_tuple(asio::use_awaitable);

template <class Timer>
asio::awaitable<std::tuple<std::error_code>> async_wait(Timer& timer) {
  return timer.async_wait(tuple_awaitable);
}

template <class Executor>
asio::awaitable<void> async_turn(Executor const& on) {
  return asio::post(on, asio::use_awaitable);
}

template <class Socket>
asio::awaitable<std::tuple<std::error_code>> async_connect(Socket& socket, typename Socket::endpoint_type const& to) {
  return socket.async_connect(to, tuple_awaitable);
}

}  // namespace comcp::net
