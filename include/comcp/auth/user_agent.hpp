// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The user's browser as a seam: it is sent to a URL and comes back with a redirect.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/http/url.hpp>
#include <comcp/result.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// One visit of the browser: made before the authorization request, as that names its redirect URI.
/// redirect_uri() is an http URL of loopback or an https URL. visit(url) takes the user there and
/// completes with the whole redirect; it may be cancelled, and the caller bounds how long it takes.
template <class V>
concept browser_visit = std::move_constructible<V> && requires(V v, http_url url) {
  { v.redirect_uri() } -> std::same_as<std::string>;
  { v.visit(url) } -> std::same_as<asio::awaitable<result<secret>>>;
};

namespace detail {
template <class T>
inline constexpr bool is_start_of_visit = false;
template <class V>
inline constexpr bool is_start_of_visit<asio::awaitable<result<V>>> = browser_visit<V>;
}  // namespace detail

/// Starts visits. `known` are redirect URIs that a stored registration has: one of them is taken where that is possible.
/// Where start() takes a second argument, that is the issuer at which a new redirect URI is going to be registered, so that
/// it can be one of its own (RFC 9700, section 4.4); empty where the client is known there already, with its redirects.
/// Called on the client's executor. What visit() is part of is kept until it ends.
template <class U>
concept user_agent = std::copy_constructible<U> && requires(U u, std::vector<std::string> known) {
  requires detail::is_start_of_visit<decltype(u.start(known))>;  // asio::awaitable<result<Visit>>, Visit a browser_visit
};

/// Any visit, type-erased.
class any_visit {
 public:
  any_visit() = default;
  template <class V>
    requires(!std::same_as<V, any_visit>)
  explicit any_visit(V v) : self_(std::make_shared<model<V>>(std::move(v))) {
    static_assert(browser_visit<V>,
                  "comcp: this type is no visit of a browser: it needs redirect_uri() and visit(url) as "
                  "comcp/auth/user_agent.hpp says");
  }
  [[nodiscard]] std::string redirect_uri() const { return self_->redirect_uri(); }
  [[nodiscard]] asio::awaitable<result<secret>> visit(http_url url) { return self_->visit(std::move(url)); }

 private:
  struct base {
    virtual ~base() = default;
    virtual std::string redirect_uri() = 0;
    virtual asio::awaitable<result<secret>> visit(http_url) = 0;
  };
  template <class V>
  struct model final : base {
    explicit model(V v) : impl(std::move(v)) {}
    std::string redirect_uri() override { return impl.redirect_uri(); }
    asio::awaitable<result<secret>> visit(http_url u) override { return impl.visit(std::move(u)); }
    V impl;
  };
  std::shared_ptr<base> self_;
};

/// Any user agent, type-erased. Regular; empty by default: then a flow that needs the user ends with errc::login_required.
class any_user_agent {
 public:
  any_user_agent() = default;
  template <class U>
    requires(!std::same_as<U, any_user_agent>)
  any_user_agent(U agent)  // NOLINT: converting on purpose
      : start_([u = std::move(agent)](std::vector<std::string> known, std::string issuer) mutable {
          return begin(u, std::move(known), std::move(issuer));
        }) {
    static_assert(user_agent<U>,
                  "comcp: this type is no user agent: it needs start(known), which gives an asio::awaitable of a result "
                  "of a browser_visit, as comcp/auth/user_agent.hpp says");
  }

  explicit operator bool() const noexcept { return static_cast<bool>(start_); }
  [[nodiscard]] asio::awaitable<result<any_visit>> start(std::vector<std::string> known, std::string issuer = {}) const {
    return start_(std::move(known), std::move(issuer));
  }

 private:
  template <class U>
  static auto started_by(U& agent, std::vector<std::string> known, [[maybe_unused]] std::string issuer) {
    if constexpr (requires { agent.start(known, issuer); }) {
      return agent.start(std::move(known), std::move(issuer));
    } else {
      return agent.start(std::move(known));
    }
  }
  template <class U>
  static asio::awaitable<result<any_visit>> begin(U agent, std::vector<std::string> known, std::string issuer) {
    auto starting = started_by(agent, std::move(known), std::move(issuer));
    auto started = co_await std::move(starting);
    if (!started) co_return started.error();
    co_return any_visit(std::move(*started));
  }
  mutable std::function<asio::awaitable<result<any_visit>>(std::vector<std::string>, std::string)> start_;
};

/// A user agent from a fixed redirect URI and a callback that gets the URL and returns the redirect (whole, or its query).
/// What it throws ends the flow with errc::unauthorized, a comcp::exception with its own error.
class browser_callback {
 public:
  using function = std::function<asio::awaitable<std::string>(http_url)>;
  browser_callback(std::string redirect_uri, function f) : uri_(std::move(redirect_uri)), function_(std::move(f)) {}

  class one_visit {
   public:
    one_visit(std::string uri, function f) : uri_(std::move(uri)), function_(std::move(f)) {}
    [[nodiscard]] std::string redirect_uri() const { return uri_; }
    [[nodiscard]] asio::awaitable<result<secret>> visit(http_url url);

   private:
    std::string uri_;
    function function_;
  };
  [[nodiscard]] asio::awaitable<result<one_visit>> start(std::vector<std::string> known);

 private:
  std::string uri_;
  function function_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/user_agent.ipp>
#endif
