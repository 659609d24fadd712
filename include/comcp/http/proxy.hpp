// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which proxy a URL goes through: what the user said, else the environment's variables, else none. Decides only; the
// connector goes the way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/http/url.hpp>
#include <comcp/result.hpp>
#include <comcp/secret.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// One proxy and the credentials for it. The proxy itself is spoken to over plain http.
class proxy_route {
 public:
  /// Of an https URL each connection is errc::invalid_argument: TLS to the proxy itself is not supported.
  explicit proxy_route(http_url proxy) : url_(std::move(proxy)) {}

  /// As environment variables have it: "http://user:password@host:port", where scheme, credentials and port (80) may be
  /// missing and credentials are percent-encoded. Anything else is errc::invalid_argument, which quotes nothing.
  static result<proxy_route> parse(std::string_view text);

  /// The same proxy with Basic credentials. A user with a colon, and control characters, are errc::invalid_argument.
  [[nodiscard]] result<proxy_route> with_credentials(std::string_view user, secret const& password) const;

  [[nodiscard]] http_url const& url() const noexcept { return url_; }
  /// The value of Proxy-Authorization, "Basic ..."; empty without credentials.
  [[nodiscard]] secret const& authorization() const noexcept { return authorization_; }

  friend bool operator==(proxy_route const&, proxy_route const&) = default;

 private:
  http_url url_;
  secret authorization_;
};

/// The proxies for http and https URLs, and the hosts that need none. Empty, it is none at all.
class proxy_options {
 public:
  /// Gives the value of an environment variable, nothing where there is none.
  using variables = std::function<std::optional<std::string>(std::string_view name)>;

  proxy_options() {}

  /// No proxy, whatever the environment says.
  static proxy_options none() { return {}; }

  /// http_proxy for http URLs; https_proxy, HTTPS_PROXY for https URLs; all_proxy, ALL_PROXY for both; no_proxy,
  /// NO_PROXY. The first that is not empty counts. HTTP_PROXY in capitals is not read, as in curl: a CGI program gets it
  /// from a header of the request that it serves. Loopback hosts go direct. A proxy that is unusable (SOCKS, say) is an
  /// error of proxy_for(), for the URLs that would go through it.
  static proxy_options from_environment(variables const& lookup);
  /// The same with this process's environment.
  static proxy_options from_environment();

  /// For http URLs: the proxy gets each request. Also for loopback hosts, unlike the environment's.
  proxy_options& http(proxy_route route);
  /// For https URLs: the proxy connects (CONNECT) and sees nothing of what follows.
  proxy_options& https(proxy_route route);
  /// For both.
  proxy_options& all(proxy_route route);

  /// The hosts that go direct, in place of those before; separated by commas or blanks. "*" is all of them.
  /// "example.com", ".example.com" and "*.example.com" are the host and all below it; "192.0.2.1", "[2001:db8::1]" one
  /// address; "10.0.0.0/8", "fd00::/8" a range. All but a range may end with a port, ":8080". What is none of it means
  /// nothing. Names are not resolved.
  proxy_options& no_proxy(std::string_view list);

  /// The way to that URL; nothing where it is direct. Errors: invalid_argument (an unusable variable, which it names).
  [[nodiscard]] result<std::optional<proxy_route>> proxy_for(http_url const& url) const;

 private:
  struct way {
    result<std::optional<proxy_route>> route;
    bool spares_loopback = false;
  };

  // A name, or the first `bits` of an address, or everything.
  struct exception_rule {
    std::string name;
    std::array<std::uint8_t, 16> address{};
    std::size_t length = 0;  // 4 or 16, 0 for names
    std::size_t bits = 0;
    std::uint16_t port = 0;  // 0: any
  };

  static std::optional<exception_rule> parse_rule(std::string_view text);
  [[nodiscard]] static bool matches(exception_rule const& rule, exception_rule const& host) noexcept;

  way http_, https_;
  std::vector<exception_rule> direct_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/proxy.ipp>
#endif
