// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The way through a proxy to a server (CONNECT, RFC 9110 section 9.3.6). What flows through it afterwards is not its
// business. Internal.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/error.hpp>

#include <comcp/http/proxy.hpp>
#include <comcp/net/asio_compat.hpp>
#include <comcp/net/tcp_connect.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/result.hpp>

namespace comcp::http_detail {

/// The head of a proxy's answer is not longer.
inline constexpr std::size_t max_tunnel_head = 8192;

/// "host:port", the port always there.
std::string host_and_port(http_url const& url);

std::string tunnel_request(http_url const& target, proxy_route const& route);

/// The status of an answer whose head is `head`, 100 to 599; nothing where that is no HTTP/1.x.
std::optional<int> tunnel_status(std::string_view head) noexcept;

/// What a final status means: no error where the tunnel is open.
error tunnel_refusal(std::optional<int> status, proxy_route const& route, http_url const& target);

/// Where the connection to the proxy broke instead.
error tunnel_broken(std::error_code why, bool late, proxy_route const& route);

/// Asks the proxy at the other end of `stream` for the way to `target`. Errors: proxy_failed, connect_failed (the
/// connection to the proxy broke), connect_timeout, cancelled; none of them holds the credentials.
template <class Stream>
asio::awaitable<error> open_tunnel(Stream& stream, http_url target, proxy_route route,
                                   std::shared_ptr<time_source> time, time_source::time_point until) {
  net::socket_alarm const alarm(*time, stream.socket(), until);
  std::string const request = tunnel_request(target, route);
  for (std::size_t sent = 0; sent < request.size();) {
    auto const rest = asio::buffer(request.data() + sent, request.size() - sent);
    auto const [ec, n] = co_await stream.async_write_some(rest, net::tuple_awaitable);
    if (ec) co_return tunnel_broken(ec, alarm.rang(), route);
    sent += n;
  }
  std::string head(max_tunnel_head, '\0');
  for (std::size_t size = 0; size < head.size();) {
    auto const [ec, n] = co_await stream.async_read_some(asio::buffer(head.data() + size, head.size() - size),
                                                         net::tuple_awaitable);
    if (ec) co_return tunnel_broken(ec, alarm.rang(), route);
    size += n;
    for (;;) {
      auto const end = std::string_view(head.data(), size).find("\r\n\r\n");
      if (end == std::string_view::npos) break;
      auto status = tunnel_status(std::string_view(head.data(), end));
      bool const interim = status && *status < 200;
      bool const opened = status && *status / 100 == 2;
      // The server speaks only when spoken to, so that nothing can follow.
      if (opened && size != end + 4) status.reset();
      if (!interim) co_return tunnel_refusal(status, route, target);
      head.erase(0, end + 4).resize(max_tunnel_head);
      size -= end + 4;
    }
  }
  co_return tunnel_refusal(std::nullopt, route, target);
}

}  // namespace comcp::http_detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/tunnel.ipp>
#endif
