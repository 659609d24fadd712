// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The bundled user agent: the system's browser, and a listener on 127.0.0.1 to which it returns (RFC 8252, section 7.3).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <comcp/auth/user_agent.hpp>
#include <comcp/net/loopback_listener.hpp>

namespace comcp {

/// Opens the system's browser at an http or https URL, without a shell: the URL is one argument. errc::not_found where
/// there is no browser or no display; invalid_argument for another scheme. Does not wait for it.
result<void> open_browser(http_url const& url);

/// Prints the URL to stderr and opens the browser too, unless told otherwise. Regular.
class loopback_redirect {
 public:
  using opener = std::function<result<void>(http_url const&)>;
  loopback_redirect() = default;
  /// 0, the default: the system chooses. A registration that pins its port needs it said here.
  loopback_redirect& port(std::uint16_t p) & { return port_ = p, *this; }
  /// "/callback" by default.
  loopback_redirect& path(std::string p) & { return path_ = std::move(p), *this; }
  /// What opens the URL in place of open_browser(); its error is not the end: the printed URL can still be opened by hand.
  loopback_redirect& open_with(opener f) & { return open_ = std::move(f), *this; }
  /// Only print: for machines without a browser.
  loopback_redirect& print_only() & { return open_ = [](http_url const&) { return result<void>(); }, *this; }
  /// What shows the URL to the user in place of stderr; may be empty.
  loopback_redirect& show_with(std::function<void(http_url const&)> f) & { return show_ = std::move(f), *this; }
  loopback_redirect&& port(std::uint16_t p) && { return std::move(port(p)); }
  loopback_redirect&& path(std::string p) && { return std::move(path(std::move(p))); }
  loopback_redirect&& open_with(opener f) && { return std::move(open_with(std::move(f))); }
  loopback_redirect&& print_only() && { return std::move(print_only()); }
  loopback_redirect&& show_with(std::function<void(http_url const&)> f) && { return std::move(show_with(std::move(f))); }

  class visit_in_progress {
   public:
    visit_in_progress(net::loopback_listener listener, loopback_redirect const& how);
    [[nodiscard]] std::string redirect_uri() const;
    [[nodiscard]] asio::awaitable<result<secret>> visit(http_url url);

   private:
    net::loopback_listener listener_;
    opener open_;
    std::function<void(http_url const&)> show_;
  };
  [[nodiscard]] asio::awaitable<result<visit_in_progress>> start(std::vector<std::string> known);

 private:
  std::uint16_t port_ = 0;
  std::string path_ = "/callback";
  opener open_ = [](http_url const& url) { return open_browser(url); };
  std::function<void(http_url const&)> show_;  // empty: stderr
};

}  // namespace comcp
