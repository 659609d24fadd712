// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Any authenticator behind one type, so that what speaks MCP over HTTP is no template.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/auth/authenticator.hpp>

namespace comcp {

/// Any authenticator; copies are the same one. no_auth is none at all.
class any_authenticator {
 public:
  template <class A>
    requires(!std::same_as<A, any_authenticator>)
  explicit any_authenticator(A a) {
    if constexpr (!std::same_as<A, no_auth>) self_ = std::make_shared<model<A>>(std::move(a));
  }

  explicit operator bool() const noexcept { return self_ != nullptr; }

  [[nodiscard]] std::string identity() const { return self_ ? self_->identity() : std::string(); }
  [[nodiscard]] std::vector<std::string> extensions() const {
    return self_ ? self_->extensions() : std::vector<std::string>();
  }
  // Precondition of these: it is not no_auth.
  [[nodiscard]] asio::awaitable<result<http_headers>> headers(auth_request const& r) { return self_->headers(r); }
  [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged(auth_request const& r, http_headers const& sent,
                                                                 http_response_head const& got) {
    return self_->challenged(r, sent, got);
  }
  void observed(auth_request const& r, http_response_head const& got) { self_->observed(r, got); }

 private:
  struct base {
    virtual ~base() = default;
    virtual asio::awaitable<result<http_headers>> headers(auth_request const&) = 0;
    virtual asio::awaitable<result<auth_verdict>> challenged(auth_request const&, http_headers const&,
                                                             http_response_head const&) = 0;
    [[nodiscard]] virtual std::string identity() const = 0;
    [[nodiscard]] virtual std::vector<std::string> extensions() const = 0;
    virtual void observed(auth_request const&, http_response_head const&) = 0;
  };

  template <class A>
  struct model final : base {
    explicit model(A a) : of(std::move(a)) {}
    asio::awaitable<result<http_headers>> headers(auth_request const& r) override { return of.headers(r); }
    asio::awaitable<result<auth_verdict>> challenged(auth_request const& r, http_headers const& sent,
                                                     http_response_head const& got) override {
      return of.challenged(r, sent, got);
    }
    [[nodiscard]] std::string identity() const override { return of.identity(); }
    [[nodiscard]] std::vector<std::string> extensions() const override {
      if constexpr (requires(A const& a) { a.extensions(); }) return of.extensions();
      else return {};
    }
    void observed(auth_request const& r, http_response_head const& got) override {
      if constexpr (requires { of.observed(r, got); }) of.observed(r, got);
    }
    A of;
  };

  std::shared_ptr<base> self_;
};

}  // namespace comcp
