// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How an Asio engine gets its connections: the connector seam, and the connector without TLS. Templates, so that only
// who uses HTTP compiles the coroutines.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/http/stream.hpp>
#include <comcp/http/tunnel.hpp>
#include <comcp/http/url.hpp>
#include <comcp/net/resolver.hpp>
#include <comcp/net/tcp_connect.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// Makes connections: C::stream has what plain_stream has. connect() runs on this_coro::executor, which the stream
/// keeps; its awaitable needs the connector no more; it can be cancelled at any moment.
/// No connection is made to an address that the filter refuses; a proxy is not asked about.
/// Errors: connect_failed, connect_timeout (at `until`), denied (by the filter), tls_failed, proxy_failed,
/// invalid_argument, cancelled.
template <class C>
concept connector = std::copy_constructible<C> &&
                    requires(C const& c, http_url where, std::shared_ptr<time_source> time,
                             time_source::time_point until, net::address_filter allowed) {
                      typename C::stream;
                      {
                        c.connect(where, time, until, allowed)
                      } -> std::same_as<asio::awaitable<result<std::unique_ptr<typename C::stream>>>>;
                    };

namespace http_detail {

/// Name and TCP connection: to the proxy where there is one.
template <class Stream>
asio::awaitable<result<std::unique_ptr<Stream>>> dial(net::lookup_function lookup, http_url where,
                                                      std::optional<proxy_route> proxy,
                                                      std::shared_ptr<time_source> time,
                                                      time_source::time_point until,
                                                      net::address_filter allowed) {
  http_url const to = proxy ? proxy->url() : where;
  std::string name = (proxy ? "the proxy " : "") + host_and_port(to);
  if (proxy && to.secure()) co_return error(errc::invalid_argument, name + " has an https URL; only http is supported");
  auto found = co_await net::resolve(std::move(lookup), std::string(to.host_name()), to.port(), time, until);
  if (!found) co_return found.error();
  if (!proxy) {
    auto const left = net::keep_allowed(*found, allowed, name);
    if (!left) co_return left.error();
  }
  auto socket = co_await net::connect_any(std::move(*found), std::move(name), time, until);
  if (!socket) co_return socket.error();
  auto stream = std::make_unique<Stream>(std::move(*socket));
  if (!proxy) stream->leads_to_server();
  if (proxy && !where.secure()) stream->forwarded_by(std::move(*proxy));
  co_return std::move(stream);
}

}  // namespace http_detail

/// Connections for http URLs, through a proxy where one is meant for them. https URLs are errc::invalid_argument: they
/// need tls_connector.
template <class Stream = plain_stream>
class basic_plain_connector {
 public:
  using stream = Stream;

  explicit basic_plain_connector(proxy_options proxies = proxy_options::from_environment(),
                                 net::lookup_function lookup = net::system_lookup<asio::any_io_executor>)
      : proxies_(std::move(proxies)), lookup_(std::move(lookup)) {}

  [[nodiscard]] asio::awaitable<result<std::unique_ptr<Stream>>> connect(http_url where,
                                                                         std::shared_ptr<time_source> time,
                                                                         time_source::time_point until,
                                                                         net::address_filter allowed = {}) const {
    auto route = proxies_.proxy_for(where);
    return run(lookup_, std::move(where), std::move(route), std::move(time), until, std::move(allowed));
  }

 private:
  static asio::awaitable<result<std::unique_ptr<Stream>>> run(net::lookup_function lookup, http_url where,
                                                              result<std::optional<proxy_route>> route,
                                                              std::shared_ptr<time_source> time,
                                                              time_source::time_point until,
                                                              net::address_filter allowed) {
    if (where.secure())
      co_return error(errc::invalid_argument, "https needs TLS: build with COMCP_WITH_TLS and use asio_tls_engine");
    if (!route) co_return route.error();
    auto stream = co_await http_detail::dial<Stream>(std::move(lookup), where, *route, time, until, std::move(allowed));
    co_return std::move(stream);
  }

  proxy_options proxies_;
  net::lookup_function lookup_;
};

using plain_connector = basic_plain_connector<>;

}  // namespace comcp
