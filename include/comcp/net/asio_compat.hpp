// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The one place that knows what differs between Asio 1.22 and the newest: where as_tuple lives.
#pragma once

#include <comcp/requirements.hpp>

#include <asio/version.hpp>

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
