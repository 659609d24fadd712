// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One request with what may have to happen before its answer counts: credentials, a challenge, a redirect, a wait
// that the server asked for. Internal.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/auth/any_authenticator.hpp>
#include <comcp/http/any_engine.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/sansio/http_exchange.hpp>

namespace comcp::detail {

/// What all requests of a session go out by.
struct http_carrier {
  http_carrier(any_engine e, any_authenticator a, std::shared_ptr<time_source> t, http_url s)
      : engine(std::move(e)), auth(std::move(a)), time(std::move(t)), server(std::move(s)) {}
  any_engine engine;
  any_authenticator auth;
  std::shared_ptr<time_source> time;
  http_url server;        // the endpoint as the user gave it
  bool ending = false;  // the session is being closed: nobody is asked to log in for that
};

/// After run(), or came() where that said so, `verdict` says what came of it; next(), take_body(), read_body()
/// and skip_body() take the body.
class http_fetch {
 public:
  using action = sansio::http_verdict::action;

  http_fetch(http_carrier& with, http_url where, std::string_view how)
      : request(std::move(where), std::string(how)), with_(with) {}
  http_fetch(http_fetch const&) = delete;
  http_fetch& operator=(http_fetch const&) = delete;

  http_request request;
  common_headers common;
  std::function<void(bool)> authorizing;  // before and after the authenticator looks at a challenge
  sansio::http_sent sent;
  sansio::http_verdict verdict;

  COMCP_LAZY [[nodiscard]] asio::awaitable<void> run();
  /// Begins it without a coroutine, where that can be done. What the sink is told goes to came().
  [[nodiscard]] bool start(asio::any_io_executor const& on, asio::cancellation_slot slot,
                           std::shared_ptr<http_detail::response_sink> to);
  /// Whether that is all; otherwise run() goes on from there.
  [[nodiscard]] bool came(result<any_response> r);

  // Preconditions of these: run() found a response, which has not been skipped or closed.
  [[nodiscard]] http_response_head const& head() const noexcept { return response_.head(); }
  [[nodiscard]] asio::awaitable<result<std::string_view>> next() { return response_.next(); }
  [[nodiscard]] std::optional<result<void>> take_body(http_body& to, std::size_t most) { return response_.take(to, most); }
  [[nodiscard]] asio::awaitable<result<void>> read_body(http_body& to, std::size_t most) { return response_.read(to, most); }
  /// Takes what is left, so that the connection can be used again; not if that is much, or without an end.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> skip_body();
  /// The same where nothing has to be waited for; false where something has.
  bool skip_now();
  void close() { response_.reset(); }

 private:
  [[nodiscard]] auth_request about(unsigned challenges) const {
    return {with_.server, request.url, request.method, challenges};
  }
  [[nodiscard]] bool is_settled() const noexcept;
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> add_credentials(http_request& r);
  void judge();
  void fail(error why);
  /// Whether the same request goes out again, once that is due.
  COMCP_LAZY [[nodiscard]] asio::awaitable<bool> prepared_again();
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<auth_verdict>> challenged();
  [[nodiscard]] bool is_endless() const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> look_at_body();
  void hide_credentials(std::string& text) const;
  [[nodiscard]] error without_credentials(error const& why) const;

  http_carrier& with_;
  any_response response_;
  http_headers credentials_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/http_fetch.ipp>
#endif
