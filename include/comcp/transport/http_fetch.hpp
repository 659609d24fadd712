// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One request with what may have to happen before its answer counts: credentials, a challenge, a redirect, a wait
// that the server asked for. Internal.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/auth/authenticator.hpp>
#include <comcp/http/engine.hpp>
#include <comcp/net/gate.hpp>
#include <comcp/sansio/http_exchange.hpp>

namespace comcp::detail {

/// Counts what is open while it lives.
class open_stream {
 public:
  explicit open_stream(std::size_t& count) noexcept : count_(count) { ++count_; }
  open_stream(open_stream const&) = delete;
  open_stream& operator=(open_stream const&) = delete;
  ~open_stream() { --count_; }

 private:
  std::size_t& count_;
};

/// Lives in the coroutine that runs it. After run(), `verdict` says what came of it; next(), read_body() and
/// skip_body() take the body.
template <class Engine, class Auth>
class http_fetch {
 public:
  using response = typename Engine::response;
  using action = sansio::http_verdict::action;

  http_fetch(Engine& engine, Auth& auth, std::shared_ptr<time_source> time, http_url server, http_url where,
             std::string_view how)
      : method(how),
        url(std::move(where)),
        engine_(engine),
        auth_(auth),
        time_(std::move(time)),
        server_(std::move(server)) {}
  http_fetch(http_fetch const&) = delete;
  http_fetch& operator=(http_fetch const&) = delete;

  std::string method;
  http_url url;
  std::function<http_headers()> fields;  // of each attempt
  std::string const* body = nullptr;
  bool const* ending = nullptr;           // whether the session is being closed
  std::function<void(bool)> authorizing;  // before and after the authenticator looks at a challenge
  http_timeouts timeouts;
  sansio::http_sent sent;
  sansio::http_verdict verdict;

  [[nodiscard]] http_response_head const& head() const { return response_->head(); }

  asio::awaitable<void> run() {
    for (;;) {
      auto opened = co_await send();
      if (!opened) {
        fail(opened.error());
        co_return;
      }
      response_.emplace(std::move(*opened));
      observed();
      auto const now = std::chrono::system_clock::now();
      verdict = method == "POST" ? sansio::judge_post(sent, url, response_->head(), now)
                                 : sansio::judge_get(sent, url, response_->head(), now);
      if (verdict.what == action::authorize && ending && *ending) {
        verdict.what = action::fail;  // nobody is asked to log in for the end of a session
      } else if (verdict.what == action::authorize) {
        ++sent.challenges;
        auto const answer = co_await challenged();
        if (!answer) co_return fail(answer.error());
        if (*answer == auth_verdict::try_again) continue;
        verdict.what = action::fail;
      } else if (verdict.what == action::redirect) {
        ++sent.redirects;
        url = *verdict.where;
        continue;
      } else if (verdict.what == action::wait) {
        ++sent.waits;
        response_.reset();
        co_await pause_until(time_, time_->now() + verdict.delay);
        continue;
      }
      if (verdict.what == action::fail) co_await look_at_body();
      co_return;
    }
  }

  asio::awaitable<result<std::string_view>> next() { return response_->next(); }

  asio::awaitable<result<void>> read_body(std::string& to, std::size_t most) {
    for (;;) {
      auto const piece = co_await response_->next();
      if (!piece) co_return piece.error();
      if (piece->empty()) co_return result<void>();
      if (to.size() + piece->size() > most) co_return error(errc::limit_exceeded, "the body is longer than http_options().max_body()");
      to.append(*piece);
    }
  }

  /// Takes what is left, so that the connection can be used again; not if that is much, or without an end.
  asio::awaitable<void> skip_body() {
    if (!response_) co_return;
    if (is_endless()) co_return close();
    std::string dropped;
    (void)co_await read_body(dropped, std::size_t{64} << 10);
    response_.reset();
  }

  void close() { response_.reset(); }

 private:
  static constexpr std::size_t most_of_failure = std::size_t{64} << 10;

  class phase {
   public:
    explicit phase(std::function<void(bool)> const& tell) : tell_(tell) {
      if (tell_) tell_(true);
    }
    phase(phase const&) = delete;
    phase& operator=(phase const&) = delete;
    ~phase() {
      if (tell_) tell_(false);
    }

   private:
    std::function<void(bool)> const& tell_;
  };

  void fail(error why) {
    verdict = sansio::http_verdict();
    verdict.why = std::move(why);
  }

  asio::awaitable<result<response>> send() {
    response_.reset();
    http_request r(url, method);
    r.headers = fields();
    r.timeouts = timeouts;
    r.repeatable = sent.repeatable || method == "GET";
    if (body) r.body = *body;
    if constexpr (!std::same_as<Auth, no_auth>) {
      auth_request const about(server_, url, method, sent.challenges);
      auto credentials = co_await auth_.headers(about);
      if (!credentials) co_return credentials.error().with_outcome(call_outcome::not_sent);
      for (auto const& field : *credentials) (void)r.headers.set(field.name, field.value);
      credentials_ = std::move(*credentials);
    }
    auto opened = co_await engine_.open(std::move(r));
    co_return opened;
  }

  void observed() {
    auth_request const about(server_, url, method, sent.challenges);
    if constexpr (requires { auth_.observed(about, response_->head()); }) auth_.observed(about, response_->head());
  }

  asio::awaitable<result<auth_verdict>> challenged() {
    auth_request const about(server_, url, method, sent.challenges - 1);
    auto const head = response_->head();
    phase const told(authorizing);
    auto const answer = co_await auth_.challenged(about, credentials_, head);
    if (answer) co_return *answer;
    auto const failure = without_credentials(answer.error()).with_outcome(call_outcome::known);  // the request was refused
    co_return failure.with_detail(*verdict.why.detail());
  }

  // Some servers repeat what they refuse.
  static void hide(std::string& text, std::string_view value) {
    auto const scheme = value.find(' ');
    auto const shown = scheme == std::string_view::npos ? value : value.substr(scheme + 1);
    if (shown.size() < 4) return;
    for (auto at = text.find(shown); at != std::string::npos; at = text.find(shown, at)) text.replace(at, shown.size(), "***");
  }

  void hide_credentials(std::string& text) const {
    for (auto const& field : credentials_) hide(text, field.value);
    auto const sent_with = fields();
    if (auto const* const own = sent_with.find("Authorization")) hide(text, *own);
  }
  [[nodiscard]] error without_credentials(error const& why) const {
    std::string text(why.message());
    hide_credentials(text);
    return why.with_message(std::move(text));
  }

  // An event stream where none was asked for: no deadline of an engine ends it while something comes.
  [[nodiscard]] bool is_endless() const {
    auto const* const text = response_->head().headers.find("Content-Type");
    auto const type = text ? media_type::parse(*text) : std::nullopt;
    return type && type->is("text/event-stream");
  }

  // What an error response says, if it says so soon.
  asio::awaitable<void> look_at_body() {
    verdict.why = without_credentials(verdict.why);
    if (!response_) co_return;
    if (is_endless()) co_return close();
    std::string text;
    (void)co_await read_body(text, most_of_failure);
    hide_credentials(text);
    verdict.why = sansio::with_body(verdict.why, text);
    response_.reset();
  }

  Engine& engine_;
  Auth& auth_;
  std::shared_ptr<time_source> time_;
  http_url server_;
  std::optional<response> response_;
  http_headers credentials_;
};

}  // namespace comcp::detail
