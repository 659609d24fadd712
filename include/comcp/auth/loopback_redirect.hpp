// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The bundled user agent: the system's browser, and a listener on 127.0.0.1 to which it returns (RFC 8252, section 7.3).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <comcp/auth/user_agent.hpp>
#include <comcp/net/loopback_listener.hpp>

namespace comcp {

/// Opens the system's browser at an http or https URL, without a shell: the URL is one argument, and every character that a
/// script behind it might take for something else is escaped. `open` on macOS; on Windows what the user has chosen for http
/// and https; elsewhere xdg-open where there is a display, or what $BROWSER names as one absolute path. errc::not_found
/// where there is none; invalid_argument for a URL that was moved from. Does not wait for it; it inherits no descriptor and
/// outlives this process.
result<void> open_browser(http_url const& url);

namespace detail {
// To stderr.
void print_login_url(http_url const& url);
// The URL with every character as %XX that a script or a desktop's launcher might not take literally.
std::string browser_argument(http_url const& url);
// Starts this system's browser with it, and waits for nothing but the start.
result<void> start_browser(std::string argument);
}  // namespace detail

/// Prints the URL to stderr and opens the browser too, unless told otherwise. The browser's argument, which every user of the
/// machine can read, is a page of the listener that leads to the URL once; when it is asked for again, the visit ends with
/// errc::denied. Regular.
class loopback_redirect {
 public:
  using opener = std::function<result<void>(http_url const&)>;
  loopback_redirect() = default;
  /// 0, the default: the system chooses. A registration that pins its port needs it said here.
  loopback_redirect& port(std::uint16_t p) & { return port_ = p, *this; }
  /// As net::loopback_place has it. By default "/callback", with a part more for each issuer at which a registration is made,
  /// so that no other authorization server's answer comes there.
  loopback_redirect& path(std::string p) & { return path_ = std::move(p), *this; }
  /// "127.0.0.1" by default; "localhost" for servers that accept no other, at the risk that another program of this
  /// machine listens on ::1.
  loopback_redirect& host(std::string h) & { return host_ = std::move(h), *this; }
  /// What opens the URL, itself, in place of open_browser(); its error is not the end: the printed URL can still be opened by
  /// hand.
  loopback_redirect& open_with(opener f) & { return open_ = std::move(f), by_page_ = false, *this; }
  /// Only print: for machines without a browser.
  loopback_redirect& print_only() & { return open_with({}); }
  /// What shows the URL to the user in place of stderr; may be empty.
  loopback_redirect& show_with(std::function<void(http_url const&)> f) & { return show_ = std::move(f), *this; }
  loopback_redirect&& port(std::uint16_t p) && { return std::move(port(p)); }
  loopback_redirect&& path(std::string p) && { return std::move(path(std::move(p))); }
  loopback_redirect&& host(std::string h) && { return std::move(host(std::move(h))); }
  loopback_redirect&& open_with(opener f) && { return std::move(open_with(std::move(f))); }
  loopback_redirect&& print_only() && { return std::move(print_only()); }
  loopback_redirect&& show_with(std::function<void(http_url const&)> f) && { return std::move(show_with(std::move(f))); }

  class visit_in_progress {
   public:
    COMCP_LAZY visit_in_progress(net::loopback_listener listener, loopback_redirect const& how);
    COMCP_LAZY [[nodiscard]] std::string redirect_uri() const;
    /// The redirect that has the `state` of the URL; others are answered and waited past. errc::invalid_argument for a URL
    /// without one.
    COMCP_LAZY [[nodiscard]] asio::awaitable<result<secret>> visit(http_url url);

   private:
    COMCP_LAZY static asio::awaitable<result<secret>> go(visit_in_progress self, http_url url);
    COMCP_LAZY void open(http_url const& url, secret const& state);

    net::loopback_listener listener_;
    opener open_;
    bool by_page_;
    std::function<void(http_url const&)> show_;
  };
  /// Without a port of its own, it takes that of a known redirect URI with its host and path, if that is free.
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<visit_in_progress>> start(std::vector<std::string> known,
                                                                            std::string issuer = {});

 private:
  COMCP_LAZY static asio::awaitable<result<visit_in_progress>> begin(loopback_redirect how,
                                                                     std::vector<std::string> known,
                                                                     std::string issuer);

  std::uint16_t port_ = 0;
  std::optional<std::string> path_;
  std::string host_ = "127.0.0.1";
  opener open_;
  bool by_page_ = true;
  std::function<void(http_url const&)> show_ = detail::print_login_url;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/loopback_redirect.ipp>
#include <comcp/auth/impl/open_browser.ipp>
#include <comcp/auth/impl/open_browser_posix.ipp>
#include <comcp/auth/impl/open_browser_windows.ipp>
#endif
