// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An operation for any completion token: begun at home, its handler called on its own executor with void(error, T).
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/associated_allocator.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/recycling_allocator.hpp>
#include <asio/system_executor.hpp>

#include <comcp/client/away.hpp>
#include <comcp/client/operation.hpp>
#include <comcp/net/completion.hpp>

namespace comcp::detail {

/// A completion handler for void(error, T) that is given a result.
template <class T, class Handler>
struct told {
  using allocator_type = asio::associated_allocator_t<Handler, asio::recycling_allocator<void>>;
  using cancellation_slot_type = asio::associated_cancellation_slot_t<Handler>;

  [[nodiscard]] allocator_type get_allocator() const noexcept {
    return asio::get_associated_allocator(handler, asio::recycling_allocator<void>());
  }
  [[nodiscard]] cancellation_slot_type get_cancellation_slot() const noexcept {
    return asio::get_associated_cancellation_slot(handler);
  }

  void operator()(result<T> r) {
    error why;
    if (!r)
      why = r.error() ? r.error() : r.error().with_code(make_error_code(errc::protocol_violation));  // a peer's code 0
    if constexpr (std::is_void_v<T>) {
      std::move(handler)(std::move(why));
    } else {
      auto value = r ? *std::move(r) : T();
      std::move(handler)(std::move(why), std::move(value));
    }
  }

  Handler handler;
};

/// The same that is given what a server answered.
template <class T, class Handler>
struct decoded : told<T, Handler> {
  void operator()(reply r) { told<T, Handler>::operator()(decode(std::move(r))); }

  [[nodiscard]] result<T> decode(reply&& r) const noexcept {
    if (!r) return std::move(r).error();
    try {
      if constexpr (std::is_void_v<T>)
        return {};
      else
        return decode_result<T>(*r, may_be_stopped);
    } catch (...) {
      return current_error();
    }
  }

  bool may_be_stopped;  // by manual_input()
};

/// Where a handler is called, if it says nothing: at home.
template <class Handler>
asio::any_io_executor executor_of(Handler const& handler, asio::any_io_executor const& home) {
  if (home) return asio::get_associated_executor(handler, home);
  return asio::get_associated_executor(handler, asio::system_executor());
}

template <class R, class Handler>
void begin_away(std::shared_ptr<away<R>> const& work, Handler handler) {
  auto const cancel = [weak = std::weak_ptr(work)](asio::cancellation_type how) {
    if (auto const alive = weak.lock()) alive->cancel(how);
  };
  work->begin(handler_waiter<R, Handler>::create(std::move(handler), cancel));
}

template <class T>
struct call_initiation {
  std::shared_ptr<client_link> core;
  prepared_call call;

  template <class Handler>
  void operator()(Handler handler) {
    auto const here = executor_of(handler, core ? core->home() : asio::any_io_executor());
    bool const manual = call.options.is_manual_input();
    if (core && core->home())
      return begin_away(core->away(here, std::move(call)), decoded<T, Handler>{{std::move(handler)}, manual});
    begin_away<result<T>>(std::make_shared<away_walk<T>>(here, here, failed<T>(not_connected(call))),
                          told<T, Handler>{std::move(handler)});
  }
};

template <class T>
struct walk_initiation {
  asio::any_io_executor home;  // empty: the handler's
  asio::awaitable<T> work;
  bool beside_handler = false;  // runs where that is called

  template <class Handler>
  void operator()(Handler handler) {
    auto const here = executor_of(handler, home);
    begin_away<result<T>>(std::make_shared<away_walk<T>>(home && !beside_handler ? home : here, here, std::move(work)),
                          told<T, Handler>{std::move(handler)});
  }
};

template <class T, class Token>
auto async_call(std::shared_ptr<client_link> core, prepared_call c, Token&& token) {
  return asio::async_initiate<Token, completion_of<T>>(call_initiation<T>{std::move(core), std::move(c)}, token);
}

template <class T, class Token>
auto async_walk(asio::any_io_executor home, asio::awaitable<T> work, Token&& token, bool beside_handler = false) {
  return asio::async_initiate<Token, completion_of<T>>(
      walk_initiation<T>{std::move(home), std::move(work), beside_handler}, token);
}

}  // namespace comcp::detail

namespace comcp {

/// Any operation that is an asio::awaitable<T> (of a registry, a pool, a lease, a pager, an oauth) for any completion
/// token of Asio: `async_operation(servers.get_executor(), servers.call("files/read"), token)`. It runs on `executor`,
/// or where that is empty on the handler's; all else is as with the async_ forms of comcp::client.
template <class T, class Token>
auto async_operation(asio::any_io_executor executor, asio::awaitable<T> operation, Token&& token) {
  return detail::async_walk<T>(std::move(executor), std::move(operation), std::forward<Token>(token));
}

}  // namespace comcp
