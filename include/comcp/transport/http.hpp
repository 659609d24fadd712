// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// MCP over HTTP as most users want it: comcp::http(url), on the bundled engine. Other engines: streamable_http.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/auth/bearer.hpp>
#include <comcp/http/default_engine.hpp>
#include <comcp/transport/streamable_http.hpp>

namespace comcp {

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

  http(http const& other)
      : url_(other.url_),
        auth_(other.auth_),
        options_(other.options_),
        engine_(other.engine_),
        proxy_(other.proxy_),
        tls_(other.tls_) {}
  http(http&&) noexcept = default;
  http& operator=(http other) noexcept {
    url_ = std::move(other.url_);
    auth_ = std::move(other.auth_);
    options_ = std::move(other.options_);
    engine_ = std::move(other.engine_);
    proxy_ = std::move(other.proxy_);
    tls_ = std::move(other.tls_);
    transport_ = std::move(other.transport_);
    return *this;
  }

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
  bool abandon(request_id id) noexcept { return transport_ && transport_->abandon(id); }
  [[nodiscard]] asio::awaitable<void> close() { return made().close(); }
  [[nodiscard]] transport_info info() const { return made().info(); }
  [[nodiscard]] std::optional<saved_session> resumed() const { return options_.resumed(); }

 private:
  using transport_type = streamable_http<default_http_engine, Auth>;

  [[nodiscard]] transport_type& made() const {
    if (transport_) return *transport_;
    auto engine = detail::make_http_engine<>(engine_, proxy_ ? *proxy_ : proxy_options::from_environment(), tls_);
    transport_ = std::make_unique<transport_type>(url_, std::move(engine), auth_, options_);
    return *transport_;
  }

  std::string url_;
  Auth auth_;
  http_options options_;
  asio_engine_options engine_;
  std::optional<proxy_options> proxy_;
  tls_options tls_;
  mutable std::unique_ptr<transport_type> transport_;
};

http(std::string_view) -> http<no_auth>;

}  // inline namespace
}  // namespace comcp

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

extern template std::shared_ptr<http_session> make_http_session(http_url, http_options, asio::any_io_executor, inbox&,
                                                                std::shared_ptr<default_http_engine>,
                                                                std::shared_ptr<no_auth>);
extern template std::shared_ptr<http_session> make_http_session(http_url, http_options, asio::any_io_executor, inbox&,
                                                                std::shared_ptr<default_http_engine>,
                                                                std::shared_ptr<bearer>);

}  // namespace comcp::detail
#endif

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/http.ipp>
#endif
