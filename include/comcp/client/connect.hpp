// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// connect(): where clients come from.
#pragma once

#include <concepts>
#include <memory>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/client/client.hpp>
#include <comcp/client/handler.hpp>
#include <comcp/client/options.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp {

/// A client that knows the type of its handler. Converts to comcp::client by moving.
template <class Handler>
class basic_client : public client {
 public:
  using handler_type = Handler;

  basic_client() = default;
  basic_client(std::shared_ptr<detail::client_link> core, std::shared_ptr<Handler> h)
      : client(std::move(core)), handler_(std::move(h)) {}

  /// The handler; touch it on the client's executor.
  [[nodiscard]] Handler& handler() const noexcept { return *handler_; }

 private:
  std::shared_ptr<Handler> handler_;
};

namespace detail {
COMCP_LAZY asio::awaitable<std::shared_ptr<client_link>> connect_core(any_transport t, any_handler h,
                                                                      connect_options options);

template <class Handler>
asio::awaitable<basic_client<Handler>> connect_with(any_transport t, std::shared_ptr<Handler> h, connect_options options) {
  auto connecting = connect_core(std::move(t), any_handler(h), std::move(options));
  auto core = co_await std::move(connecting);
  co_return basic_client<Handler>(std::move(core), h);
}
}  // namespace detail

/// Opens the transport, finds out what the server speaks, and returns a client that is ready. Throws; no process,
/// socket or coroutine is left behind then. Cancelling it closes.
template <transport Transport, handler Handler = no_handler>
asio::awaitable<basic_client<Handler>> connect(Transport transport, Handler handler = Handler(),
                                               connect_options options = connect_options()) {
  auto shared = std::make_shared<Handler>(std::move(handler));
  return detail::connect_with(any_transport(std::move(transport)), std::move(shared), std::move(options));
}
template <transport Transport>
asio::awaitable<basic_client<no_handler>> connect(Transport transport, connect_options options) {
  return connect(std::move(transport), no_handler(), std::move(options));
}

/// The same for any completion token, on this executor (or the one in the options): void(error, basic_client<Handler>).
template <transport Transport, handler Handler, class Token>
auto async_connect(asio::any_io_executor on, Transport transport, Handler handler, connect_options options,
                   Token&& token) {
  auto connecting = connect(std::move(transport), std::move(handler), std::move(options));
  return detail::async_walk<basic_client<Handler>>(std::move(on), std::move(connecting), std::forward<Token>(token));
}
template <transport Transport, class Token>
auto async_connect(asio::any_io_executor on, Transport transport, connect_options options, Token&& token) {
  return async_connect(std::move(on), std::move(transport), no_handler(), std::move(options),
                       std::forward<Token>(token));
}

template <class Text, class... Rest>
  requires std::convertible_to<Text const&, std::string_view>
void connect(Text const&, Rest const&...) = delete;  // comcp: connect(comcp::http("https://...")), connect(comcp::stdio("command"))

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/core.hpp>
#endif
