// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be set for the Asio engines: how long, how many, how large. Where connections come from is the connector's.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include <comcp/http/message.hpp>
#include <comcp/http/response_parser.hpp>
#include <comcp/net/resolver.hpp>
#include <comcp/net/time_source.hpp>

namespace comcp {

/// Options of basic_asio_engine. http_timeouts::never is a time without end.
class asio_engine_options {
 public:
  using duration = std::chrono::nanoseconds;

  asio_engine_options() {}
  /// What a request's own timeouts leave open: connect 10 s, response 5 min, idle 5 min, total never. The one for the
  /// response is long, as a POST of MCP may be answered when the tool is done: who knows better says so per request.
  asio_engine_options& timeouts(http_timeouts const& t);
  /// Connections to one origin that are kept without an exchange: 64.
  asio_engine_options& max_idle(std::size_t n) { return max_idle_ = n, *this; }
  /// How long they are kept: 90 s, and a second less than the server's Keep-Alive header says.
  asio_engine_options& idle_expiry(duration d) { return idle_expiry_ = d, *this; }
  /// Connections to one origin, those that are being made included: 16384. One more exchange than that is
  /// errc::queue_full at once: waiting could block for ever where a server asks back before it answers.
  asio_engine_options& max_connections(std::size_t n) { return max_connections_ = n, *this; }
  /// What a response may be at most.
  asio_engine_options& limits(response_limits const& l) { return limits_ = l, *this; }
  /// Which addresses connections may be made to, asked for each address of a name and for literal ones, on the
  /// executor of the exchange. Others are passed over; where none is left, the exchange is errc::denied. Not asked of
  /// what a proxy is meant for: the proxy itself is the user's choice, and it alone learns the server's address.
  /// Empty: all.
  asio_engine_options& address_filter(net::address_filter f) { return address_filter_ = std::move(f), *this; }
  /// Empty: steady_time().
  asio_engine_options& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }

  [[nodiscard]] http_timeouts const& timeouts() const noexcept { return timeouts_; }
  [[nodiscard]] std::size_t max_idle() const noexcept { return max_idle_; }
  [[nodiscard]] duration idle_expiry() const noexcept { return idle_expiry_; }
  [[nodiscard]] std::size_t max_connections() const noexcept { return max_connections_; }
  [[nodiscard]] response_limits const& limits() const noexcept { return limits_; }
  [[nodiscard]] net::address_filter const& address_filter() const noexcept { return address_filter_; }
  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }

 private:
  static http_timeouts standard_timeouts() {
    using namespace std::chrono_literals;
    return http_timeouts().connect(10s).response(5min).idle(5min).total(http_timeouts::never);
  }

  http_timeouts timeouts_ = standard_timeouts();
  std::size_t max_idle_ = 64;
  duration idle_expiry_ = std::chrono::seconds(90);
  std::size_t max_connections_ = 16384;
  response_limits limits_;
  net::address_filter address_filter_;
  std::shared_ptr<time_source> time_;
};

inline asio_engine_options& asio_engine_options::timeouts(http_timeouts const& t) {
  if (auto const d = t.connect()) timeouts_.connect(*d);
  if (auto const d = t.response()) timeouts_.response(*d);
  if (auto const d = t.idle()) timeouts_.idle(*d);
  if (auto const d = t.total()) timeouts_.total(*d);
  return *this;
}

}  // namespace comcp
