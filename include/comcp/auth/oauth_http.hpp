// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How authorization sends its own requests: over any engine, whole answers of bounded size, no redirects. And by
// default over comcp's own engine, to no address that the MCP server has no business to send a client to.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/ip/address.hpp>

#include <comcp/auth/endpoint_policy.hpp>
#include <comcp/http/default_engine.hpp>
#include <comcp/http/engine.hpp>
#include <comcp/http/message.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// A whole answer. A redirect is an answer like any other.
struct oauth_response {
  oauth_response() = default;
  int status = 0;
  http_headers headers;
  std::string body;
  std::string address;  ///< As http_response_head has it.
};

/// Sends one request and gives its whole answer; called on the client's executor, may be cancelled.
using oauth_sender = std::function<asio::awaitable<result<oauth_response>>(http_request)>;

namespace detail {

template <class Engine>
asio::awaitable<result<oauth_response>> fetch_whole(std::shared_ptr<Engine> engine, http_request request, std::size_t max_body) {
  auto opened = co_await engine->open(std::move(request));
  if (!opened) co_return opened.error();
  auto response = std::move(*opened);
  oauth_response out;
  out.status = response.head().status;
  out.headers = response.head().headers;
  out.address = response.head().address;
  for (;;) {
    auto const piece = co_await response.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return out;
    if (out.body.size() + piece->size() > max_body) {
      co_return error(errc::limit_exceeded, "the answer is longer than oauth_options().max_body()");
    }
    out.body.append(*piece);
  }
}

}  // namespace detail

/// A sender over an engine of the user's choice. Bodies beyond `max_body` bytes are errc::limit_exceeded.
template <engine Engine>
oauth_sender send_with(std::shared_ptr<Engine> e, std::size_t max_body = std::size_t{1} << 20) {
  return [e = std::move(e), max_body](http_request r) { return detail::fetch_whole(e, std::move(r), max_body); };
}

namespace detail {

/// Where authorization to one server may connect to, by how far the server's own addresses reach: those that it was
/// connected at, for what a second lookup says is up to its owner; before that what a lookup says, or else its name.
struct oauth_addresses {
  oauth_addresses(endpoint_policy p, http_url s) : policy(p), server(std::move(s)), reach(reach_of(server.host())) {}

  /// The address that reaches farthest counts: a public server gains nothing by a private one beside it.
  void resolved(net::endpoints const& found);
  /// It answered from there. Empty: not known.
  void answered_from(std::string const& address);
  [[nodiscard]] bool allows(asio::ip::address const& address) const;

  endpoint_policy policy;
  http_url server;
  address_reach reach;
  bool looked_up = false;
  bool connected = false;
};

template <class Engine>
struct oauth_engine {
  std::shared_ptr<Engine> engine;
  std::shared_ptr<oauth_addresses> addresses;
  std::shared_ptr<time_source> time;
  net::lookup_function lookup;
  std::chrono::nanoseconds lookup_time;
  std::size_t max_body;
};

template <class Engine>
asio::awaitable<result<oauth_response>> fetch_guarded(std::shared_ptr<oauth_engine<Engine>> with, http_request request) {
  auto& known = *with->addresses;
  if (!known.looked_up) {
    auto const until = detail::later(with->time->now(), with->lookup_time);
    auto host = std::string(known.server.host_name());
    auto const found = co_await net::resolve<>(with->lookup, std::move(host), known.server.port(), with->time, until);
    if (!found && found.error() == errc::cancelled) co_return found.error();
    if (found) known.resolved(*found);
  }
  bool const own = same_origin(request.url, known.server);
  auto whole = co_await fetch_whole(with->engine, std::move(request), with->max_body);
  if (whole && own) known.answered_from(whole->address);
  co_return std::move(whole);
}

/// The sender for authorization to `server` that is used where the user gave none. Connections go only where the
/// policy allows it, by the resolved address; what passes through a proxy is checked by its URL alone. `engine` has the
/// times and the clock. Keep one for each MCP server. `addresses` are for who learns more of the server's.
template <class Engine = default_http_engine>
oauth_sender default_oauth_sender(endpoint_policy policy, std::size_t max_body, http_url server,
                                  asio_engine_options engine = asio_engine_options(),
                                  proxy_options proxies = proxy_options::from_environment(),
                                  tls_options const& tls = tls_options(),
                                  net::lookup_function lookup = net::system_lookup<asio::any_io_executor>,
                                  std::shared_ptr<oauth_addresses> addresses = nullptr) {
  auto const out = std::make_shared<oauth_engine<Engine>>();
  if (!addresses) addresses = std::make_shared<oauth_addresses>(policy, std::move(server));
  auto const proxied = proxies.proxy_for(addresses->server);
  // A server behind a proxy may have no address here at all.
  addresses->looked_up = addresses->looked_up || !proxied || proxied->has_value();
  out->addresses = addresses;
  out->time = engine.time() ? engine.time() : steady_time();
  out->lookup = lookup;
  out->lookup_time = *engine.timeouts().connect();
  out->max_body = max_body;
  engine.address_filter([addresses](asio::ip::address const& a) { return addresses->allows(a); });
  engine.max_idle(0);  // an oauth may outlive the io_context: nothing of it is kept between requests
  out->engine = make_http_engine<Engine>(std::move(engine), std::move(proxies), tls, std::move(lookup));
  return [out](http_request r) { return fetch_guarded<Engine>(out, std::move(r)); };
}

}  // namespace detail
}  // namespace comcp

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

extern template oauth_sender default_oauth_sender<default_http_engine>(endpoint_policy, std::size_t, http_url,
                                                                       asio_engine_options, proxy_options,
                                                                       tls_options const&, net::lookup_function,
                                                                       std::shared_ptr<oauth_addresses>);

}  // namespace comcp::detail
#endif

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/oauth_http.ipp>
#endif
