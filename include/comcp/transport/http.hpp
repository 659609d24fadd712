// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// MCP over HTTP as most users want it: comcp::http(url), on the bundled engine. Other engines: streamable_http.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/auth/bearer.hpp>
#include <comcp/http/default_engine.hpp>
#include <comcp/transport/http_endpoint.hpp>

namespace comcp {
namespace detail {

// A template, so that only who uses HTTP pays for the engine.
template <class Engine = default_http_engine>
std::unique_ptr<http_endpoint> make_http_endpoint(std::string_view url, asio_engine_options engine, proxy_options proxies,
                                                  tls_options const& tls, any_authenticator auth, http_options options) {
  any_engine erased(make_http_engine<Engine>(std::move(engine), std::move(proxies), tls));
  return std::make_unique<http_endpoint>(url, std::move(erased), std::move(auth), std::move(options));
}

}  // namespace detail

#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
inline namespace http_with_tls {
#else
inline namespace http_without_tls {
#endif

/// A server's MCP endpoint: `comcp::http("https://example.com/mcp")`, and with credentials
/// `comcp::http(url, comcp::bearer(token))`. Streamable HTTP, and HTTP+SSE where the server knows no other. https needs
/// COMCP_WITH_TLS. The environment's proxies are used (proxy_options::from_environment()) unless told otherwise.
/// Regular until it connects: keep one and connect copies of it; a copy has the settings, never the connection.
template <class Auth = no_auth>
class http {
 public:
  static constexpr bool is_http = true;

  explicit http(std::string_view url, Auth auth = Auth()) : url_(url), auth_(std::move(auth)) {}

  /// All options at once, in place of what was said before.
  http& options(http_options o) & { return options_ = std::move(o), *this; }
  http& header(std::string_view name, std::string_view value) & { return options_.header(name, value), *this; }
  http& engine(asio_engine_options o) & { return engine_ = std::move(o), *this; }
  http& proxy(proxy_options o) & { return proxy_ = std::move(o), *this; }
  http& tls(tls_options o) & { return tls_ = std::move(o), *this; }
  http& resume(saved_session s) & { return options_.resume(std::move(s)), *this; }
  http&& options(http_options o) && { return std::move(options(std::move(o))); }
  http&& header(std::string_view name, std::string_view value) && { return std::move(header(name, value)); }
  http&& engine(asio_engine_options o) && { return std::move(engine(std::move(o))); }
  http&& proxy(proxy_options o) && { return std::move(proxy(std::move(o))); }
  http&& tls(tls_options o) && { return std::move(tls(std::move(o))); }
  http&& resume(saved_session s) && { return std::move(resume(std::move(s))); }

  // What a transport has; for the client alone.
  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in) { return made().open(in); }
  result<void> send(outgoing message) { return made().send(std::move(message)); }
  bool abandon(request_id id) noexcept { return transport_.made && transport_.made->abandon(id); }
  [[nodiscard]] asio::awaitable<void> close() { return made().close(); }
  [[nodiscard]] transport_info info() const { return made().info(); }
  [[nodiscard]] std::optional<saved_session> resumed() const { return options_.resumed(); }

 private:
  // A copy makes its own.
  struct connection {
    connection() = default;
    connection(connection const&) noexcept {}
    connection(connection&&) noexcept = default;
    connection& operator=(connection other) noexcept { return made.swap(other.made), *this; }
    ~connection() = default;
    std::unique_ptr<detail::http_endpoint> made;
  };

  [[nodiscard]] detail::http_endpoint& made() const {
    if (!transport_.made) {
      transport_.made = detail::make_http_endpoint<>(url_, engine_, proxy_ ? *proxy_ : proxy_options::from_environment(), tls_,
                                                     any_authenticator(auth_), options_);
    }
    return *transport_.made;
  }

  std::string url_;
  Auth auth_;
  http_options options_;
  asio_engine_options engine_;
  std::optional<proxy_options> proxy_;
  tls_options tls_;
  mutable connection transport_;
};

http(std::string_view) -> http<no_auth>;

}  // inline namespace
}  // namespace comcp

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

extern template std::unique_ptr<http_endpoint> make_http_endpoint<default_http_engine>(std::string_view, asio_engine_options,
                                                                                       proxy_options, tls_options const&,
                                                                                       any_authenticator, http_options);

}  // namespace comcp::detail
#endif

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/http.ipp>
#endif
