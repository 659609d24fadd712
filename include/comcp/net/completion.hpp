// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What Asio's tokens make of an operation that ends with void(comcp::error, T): an awaitable or a future of T, which
// throws comcp::exception. Other tokens (callbacks, as_tuple, deferred) see the two as they are.
#pragma once

#include <exception>
#include <future>
#include <tuple>
#include <type_traits>
#include <utility>

#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>

#include <comcp/error.hpp>
#include <comcp/net/asio_compat.hpp>

namespace comcp::detail {

/// The signature of an operation that gives a T.
template <class T>
struct completes_with {
  using type = void(error, T);
};
template <>
struct completes_with<void> {
  using type = void(error);
};
template <class T>
using completion_of = typename completes_with<T>::type;

template <class... T>
struct promised {
  using type = void;
};
template <class T>
struct promised<T> {
  using type = T;
};

/// Keeps a promise of an operation's outcome.
template <class... T>
struct promise_keeper {
  void operator()(error e, T... value) {
    if (e)
      to.set_exception(std::make_exception_ptr(exception(std::move(e))));
    else
      to.set_value(std::move(value)...);
  }
  std::promise<typename promised<T...>::type> to;
};

}  // namespace comcp::detail

namespace asio {

template <class Executor, class... T>
class async_result<use_awaitable_t<Executor>, void(comcp::error, T...)> {
  using value_type = typename comcp::detail::promised<T...>::type;

 public:
  using handler_type =
      typename async_result<use_awaitable_t<Executor>, void(std::tuple<comcp::error, T...>)>::handler_type;
  using return_type = awaitable<value_type, Executor>;

  template <class Initiation, class... Args>
  static return_type initiate(Initiation initiation, use_awaitable_t<Executor> token, Args... args) {
    auto const pair = comcp::net::as_tuple(token);
    auto ending =
        asio::async_initiate<decltype(pair), void(comcp::error, T...)>(std::move(initiation), pair, std::move(args)...);
    auto ended = co_await std::move(ending);
    if (std::get<0>(ended)) throw comcp::exception(std::get<0>(std::move(ended)));
    if constexpr (sizeof...(T) > 0) co_return std::get<1>(std::move(ended));
  }
};

template <class Allocator, class... T>
class async_result<use_future_t<Allocator>, void(comcp::error, T...)> {
 public:
  using return_type = std::future<typename comcp::detail::promised<T...>::type>;

  template <class Initiation, class... Args>
  static return_type initiate(Initiation&& initiation, use_future_t<Allocator> const&, Args&&... args) {
    comcp::detail::promise_keeper<T...> keeper;
    auto outcome = keeper.to.get_future();
    std::forward<Initiation>(initiation)(std::move(keeper), std::forward<Args>(args)...);
    return outcome;
  }
};

}  // namespace asio
