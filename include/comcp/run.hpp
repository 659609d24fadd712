// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An io_context for those who have none.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

namespace comcp {
namespace detail {
/// Such as a client.
template <class T>
concept lives_on_an_executor = requires(T const& t) { t.get_executor(); };
}  // namespace detail

/// Runs one coroutine, and all that it starts, on this thread until it is done; gives its value, or throws what
/// left it. Where a host name was given up on, the end waits until the system's lookup has returned.
template <class T>
T run(asio::awaitable<T> work) {
  static_assert(
      !detail::lives_on_an_executor<T>,
      "comcp: the io_context of run() is gone when it returns, and with it what this value lives on; give run() a "
      "coroutine that connects, uses the client and closes it");
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
