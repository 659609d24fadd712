// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The connector for http and https URLs, on Asio's ssl and OpenSSL. An opt-in header: where COMCP_WITH_TLS is on, the
// CMake target links OpenSSL.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/http/connector.hpp>
#include <comcp/http/tls.hpp>
#include <comcp/http/tls_stream.hpp>

namespace comcp {
namespace http_detail {

/// The SSL context of a connector and its copies, made when it is first needed: the system's authorities take
/// milliseconds to read. Safe from any thread.
class tls_context {
 public:
  explicit tls_context(tls_options options) : options_(std::move(options)) {}

  /// Makes the context if there is none; what is wrong with the options is errc::tls_failed each time.
  result<void> prepare();
  /// After prepare() only.
  [[nodiscard]] asio::ssl::context& native() noexcept { return *native_; }
  [[nodiscard]] tls_options const& options() const noexcept { return options_; }

 private:
  error make();

  tls_options options_;
  std::once_flag once_;
  std::optional<asio::ssl::context> native_;
  error problem_;
};

/// Says to a connection which server it must be talking to. Errors: tls_failed.
result<void> expect_server(SSL* connection, std::string const& name, bool verify);

/// Why a handshake with `host` failed, with OpenSSL's words.
error handshake_failure(SSL* connection, std::error_code why, bool late, std::string const& host);

/// The TLS handshake, on a connection that leads to the server.
template <class Stream>
asio::awaitable<error> secure(Stream& stream, std::shared_ptr<tls_context> context, http_url where,
                              std::shared_ptr<time_source> time, time_source::time_point until) {
  auto const ready = context->prepare();
  if (!ready) co_return ready.error();
  auto const& options = context->options();
  std::string name = options.server_name();
  if (name.empty()) name = where.host_name();
  auto& layer = stream.start(context->native());
  auto const told = expect_server(layer.native_handle(), name, !options.skips_verification());
  if (!told) co_return told.error();
  net::socket_alarm const alarm(*time, stream.socket(), until);
  auto const [ec] = co_await layer.async_handshake(asio::ssl::stream_base::client, net::tuple_awaitable);
  if (ec) co_return handshake_failure(layer.native_handle(), ec, alarm.rang(), host_and_port(where));
  co_return error();
}

}  // namespace http_detail

/// Connections for http and https URLs, through a proxy where one is meant for them. Copies share their TLS context.
template <class Stream = tls_stream>
class basic_tls_connector {
 public:
  using stream = Stream;

  explicit basic_tls_connector(tls_options tls = tls_options(),
                               proxy_options proxies = proxy_options::from_environment(),
                               net::lookup_function lookup = net::system_lookup<asio::any_io_executor>)
      : context_(std::make_shared<http_detail::tls_context>(std::move(tls))),
        proxies_(std::move(proxies)),
        lookup_(std::move(lookup)) {}

  [[nodiscard]] asio::awaitable<result<std::unique_ptr<Stream>>> connect(http_url where,
                                                                         std::shared_ptr<time_source> time,
                                                                         time_source::time_point until,
                                                                         net::address_filter allowed = {}) const {
    auto route = proxies_.proxy_for(where);
    return run(context_, lookup_, std::move(where), std::move(route), std::move(time), until, std::move(allowed));
  }

 private:
  static asio::awaitable<result<std::unique_ptr<Stream>>> run(std::shared_ptr<http_detail::tls_context> context,
                                                              net::lookup_function lookup, http_url where,
                                                              result<std::optional<proxy_route>> route,
                                                              std::shared_ptr<time_source> time,
                                                              time_source::time_point until,
                                                              net::address_filter allowed) {
    if (!route) co_return route.error();
    auto stream = co_await http_detail::dial<Stream>(std::move(lookup), where, *route, time, until, std::move(allowed));
    if (!stream || !where.secure()) co_return std::move(stream);
    if (*route) {
      auto const refused = co_await http_detail::open_tunnel(**stream, where, **route, time, until);
      if (refused) co_return refused;
    }
    auto const failed = co_await http_detail::secure(**stream, std::move(context), where, time, until);
    if (failed) co_return failed;
    co_return std::move(stream);
  }

  std::shared_ptr<http_detail::tls_context> context_;
  proxy_options proxies_;
  net::lookup_function lookup_;
};

using tls_connector = basic_tls_connector<>;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/tls_connector.ipp>
#endif
