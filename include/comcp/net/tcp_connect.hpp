// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A TCP connection to the first of several addresses that takes it, in bounded time. Sockets are not inherited by child
// processes and do not wait to fill their segments.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/this_coro.hpp>

#include <comcp/net/asio_compat.hpp>
#include <comcp/net/resolver.hpp>
#include <comcp/net/socket.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/result.hpp>

namespace comcp::net {

/// Drops the addresses that the filter refuses. errc::denied where none is left, with those addresses.
result<void> keep_allowed(endpoints& addresses, address_filter const& allowed, std::string const& name);

/// Closes a socket when its time has come, which ends what runs on it with operation_aborted. Both are used from the
/// socket's executor; the socket outlives the alarm.
class socket_alarm {
 public:
  socket_alarm(time_source& time, asio::ip::tcp::socket& socket, time_source::time_point at)
      : deadline_(time.make_deadline(socket.get_executor())) {
    if (at == time_source::time_point::max()) return;
    deadline_->arm(at, [this, &socket] {
      rang_ = true;
      std::error_code ignored;
      socket.close(ignored);
    });
  }
  socket_alarm(socket_alarm const&) = delete;
  socket_alarm& operator=(socket_alarm const&) = delete;

  [[nodiscard]] bool rang() const noexcept { return rang_; }

 private:
  std::unique_ptr<deadline> deadline_;
  bool rang_ = false;
};

namespace detail {

inline time_source::time_point share_of(time_source::time_point now, time_source::time_point until, std::size_t among) {
  if (until == time_source::time_point::max() || until <= now) return until;
  return now + (until - now) / static_cast<std::int64_t>(among);
}

}  // namespace detail

/// Tries the addresses one after the other. One that refuses costs nothing; one that is silent costs its share of the
/// time that is left. `name` is what errors call the peer, "host:port".
/// Errors: connect_failed (with each address and the system's words), connect_timeout, cancelled.
template <class Socket = asio::ip::tcp::socket>
asio::awaitable<result<Socket>> connect_any(endpoints to, std::string name, std::shared_ptr<time_source> time,
                                            time_source::time_point until) {
  auto const on = co_await asio::this_coro::executor;
  std::string reasons;
  bool late = false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    Socket socket(on);
    auto ec = open_socket(socket, to[i]);
    late = false;
    if (!ec) {
      socket_alarm const alarm(*time, socket, detail::share_of(time->now(), until, to.size() - i));
      auto const connected = co_await net::async_connect(socket, to[i]);
      ec = std::get<0>(connected);
      late = alarm.rang();
    }
    if (!ec && !late) {
      socket.set_option(asio::ip::tcp::no_delay(true), ec);
      co_return std::move(socket);
    }
    if (!late && ec == asio::error::operation_aborted) co_return error(errc::cancelled);
    if (!reasons.empty()) reasons += ", ";
    reasons += to[i].address().to_string() + ": " + (late ? std::string("no answer") : ec.message());
  }
  if (late) co_return error(errc::connect_timeout, "no connection to " + name + " in time (" + reasons + ")");
  co_return error(errc::connect_failed, "cannot connect to " + name + " (" + reasons + ")");
}

}  // namespace comcp::net

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/net/impl/tcp_connect.ipp>
#endif
