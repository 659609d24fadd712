// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// From a host name to its addresses. The system's lookup cannot be cancelled, so that nobody waits for it: it runs
// detached, and what comes late is dropped. Templates, so that only who resolves pays for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/error.hpp>
#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include <comcp/net/asio_compat.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/result.hpp>

namespace comcp::net {

/// Addresses with their port, in the order in which they are to be tried.
using endpoints = std::vector<asio::ip::tcp::endpoint>;

/// The addresses that are tried at most, however many a name has.
inline constexpr std::size_t max_addresses = 16;

/// Whether a connection may be made to this address. Empty: to all.
using address_filter = std::function<bool(asio::ip::address const&)>;

/// Looks a name up and calls `done` once, on the executor, then or later. It may be called after nobody waits any more.
using lookup_done = std::function<void(std::error_code, endpoints)>;
using lookup_function =
    std::function<void(asio::any_io_executor on, std::string host, std::uint16_t port, lookup_done done)>;

/// The lookup_function of the system: getaddrinfo, on a thread that Asio keeps for each context. One name that takes
/// long delays the others of its context, and the end of the context waits until getaddrinfo has returned.
template <class Executor = asio::any_io_executor>
void system_lookup(Executor on, std::string host, std::uint16_t port, lookup_done done) {
  using resolver = asio::ip::basic_resolver<asio::ip::tcp, Executor>;
  auto const asked = std::make_shared<resolver>(std::move(on));
  auto finish = [asked, done = std::move(done)](std::error_code ec, typename resolver::results_type found) {
    endpoints out;
    for (auto const& entry : found) {
      if (out.size() < max_addresses) out.push_back(entry.endpoint());
    }
    done(ec, std::move(out));
  };
  asked->async_resolve(host, std::to_string(port), resolver::numeric_service, std::move(finish));
}

namespace detail {

/// Of localhost and what is below it: no server of names is asked for them (RFC 6761, section 6.3).
inline bool is_local_name(std::string_view host) noexcept {
  constexpr std::string_view name = "localhost";
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.size() < name.size()) return false;
  auto const end = host.substr(host.size() - name.size());
  bool const same = std::equal(end.begin(), end.end(), name.begin(), [](char c, char lower) { return (c | 0x20) == lower; });
  return same && (host.size() == name.size() || host[host.size() - name.size() - 1] == '.');
}

struct lookup_wait {
  explicit lookup_wait(asio::any_io_executor const& on) : bell(on, asio::steady_timer::time_point::max()) {}

  void end(std::error_code why, endpoints addresses) {
    if (std::exchange(over, true)) return;
    ec = why;
    found = std::move(addresses);
    bell.cancel();
  }

  asio::steady_timer bell;
  bool over = false;
  std::error_code ec;
  endpoints found;
};

}  // namespace detail

/// The addresses of a host, one at least. An IP literal (without brackets) is its own address and asks nobody, nor do
/// localhost and names below it, which are ::1 and 127.0.0.1.
/// Errors: connect_failed (no such name, or the lookup failed; with the system's words), connect_timeout at `until`,
/// cancelled.
template <class Executor = asio::any_io_executor>
asio::awaitable<result<endpoints>> resolve(lookup_function lookup, std::string host, std::uint16_t port,
                                           std::shared_ptr<time_source> time, time_source::time_point until) {
  Executor const on = co_await asio::this_coro::executor;
  std::error_code no_literal;
  auto const literal = asio::ip::make_address(host, no_literal);
  if (!no_literal) co_return endpoints(1, asio::ip::tcp::endpoint(literal, port));
  if (detail::is_local_name(host)) {
    endpoints here;
    here.emplace_back(asio::ip::address_v6::loopback(), port);
    here.emplace_back(asio::ip::address_v4::loopback(), port);
    co_return here;
  }
  // The lookup may outlive this coroutine and knows it only weakly.
  auto const wait = std::make_shared<detail::lookup_wait>(on);
  auto answered = [weak = std::weak_ptr(wait)](std::error_code ec, endpoints found) {
    if (auto const alive = weak.lock()) alive->end(ec, std::move(found));
  };
  lookup(on, host, port, std::move(answered));
  auto const alarm = time->make_deadline(on);
  alarm->arm(until, [&late = *wait] { late.end(asio::error::timed_out, endpoints()); });
  if (!wait->over) co_await async_wait(wait->bell);
  if (!wait->over) co_return error(errc::cancelled);
  if (wait->ec == asio::error::timed_out) co_return error(errc::connect_timeout, host + " was not resolved in time");
  if (wait->ec) co_return error(errc::connect_failed, "cannot resolve " + host + ": " + wait->ec.message());
  if (wait->found.empty()) co_return error(errc::connect_failed, host + " has no address");
  co_return std::move(wait->found);
}

}  // namespace comcp::net
