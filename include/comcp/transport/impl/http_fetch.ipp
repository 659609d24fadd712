// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <comcp/net/gate.hpp>
#include <comcp/transport/http_fetch.hpp>

namespace comcp::detail {

inline constexpr std::size_t most_of_failure = std::size_t{64} << 10;

COMCP_DECL bool http_fetch::start(asio::any_io_executor const& on, asio::cancellation_slot slot,
                                  std::shared_ptr<http_detail::response_sink> to) {
  request.repeatable = sent.repeatable;
  return !with_.auth && with_.engine.start(on, request, common, slot, std::move(to));
}

COMCP_DECL bool http_fetch::came(result<any_response> r) {
  if (!r) return fail(r.error()), true;
  response_ = std::move(*r);
  judge();
  return is_settled();
}

COMCP_LAZY_DECL asio::awaitable<void> http_fetch::run() {
  for (bool again = true; again;) {
    if (!response_) {
      auto next = request;
      next.repeatable = sent.repeatable || request.method == "GET";
      if (with_.auth) {
        auto const added = co_await add_credentials(next);
        if (!added) co_return fail(added.error());
      }
      auto opened = co_await with_.engine.open(std::move(next), common);
      if (came(std::move(opened))) co_return;
    }
    again = co_await prepared_again();
    if (again) response_.reset();
  }
}

COMCP_DECL bool http_fetch::is_settled() const noexcept {
  return verdict.what == action::json || verdict.what == action::stream || verdict.what == action::accepted;
}

COMCP_DECL void http_fetch::judge() {
  auto const& got = response_.head();
  if (with_.auth) with_.auth.observed(about(sent.challenges), got);
  auto const now = got.status < 400 ? std::chrono::system_clock::time_point() : std::chrono::system_clock::now();
  verdict = request.method == "POST" ? sansio::judge_post(sent, request.url, got, now)
                                     : sansio::judge_get(sent, request.url, got, now);
}

COMCP_DECL void http_fetch::fail(error why) {
  verdict = sansio::http_verdict();
  verdict.why = std::move(why);
}

COMCP_LAZY_DECL asio::awaitable<bool> http_fetch::prepared_again() {
  switch (verdict.what) {
    case action::redirect:
      ++sent.redirects;
      request.url = *verdict.where;
      co_return true;
    case action::wait:
      ++sent.waits;
      response_.reset();
      co_await pause_until(with_.time, with_.time->now() + verdict.delay);
      co_return true;
    case action::authorize:
      if (with_.auth && !with_.ending) {
        ++sent.challenges;
        auto const answer = co_await challenged();
        if (!answer) co_return fail(answer.error()), false;
        if (*answer == auth_verdict::try_again) co_return true;
      }
      verdict.what = action::fail;
      break;
    default: break;
  }
  if (verdict.what == action::fail) co_await look_at_body();
  co_return false;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> http_fetch::add_credentials(http_request& r) {
  auto const asked = about(sent.challenges);
  auto credentials = co_await with_.auth.headers(asked);
  if (!credentials) co_return credentials.error().with_outcome(call_outcome::not_sent);
  for (auto const& field : *credentials) (void)r.headers.set(field.name, field.value);
  credentials_ = std::move(*credentials);
  co_return result<void>();
}

// While the authenticator is asked.
class http_login {
 public:
  explicit http_login(std::function<void(bool)> const& tell) : tell_(tell) {
    if (tell_) tell_(true);
  }
  http_login(http_login const&) = delete;
  http_login& operator=(http_login const&) = delete;
  ~http_login() {
    if (tell_) tell_(false);
  }

 private:
  std::function<void(bool)> const& tell_;
};

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> http_fetch::challenged() {
  auto const asked = about(sent.challenges - 1);
  auto const head = response_.head();
  http_login const told(authorizing);
  auto const answer = co_await with_.auth.challenged(asked, credentials_, head);
  if (answer) co_return *answer;
  auto const failure = without_credentials(answer.error()).with_outcome(call_outcome::known);  // the request was refused
  co_return failure.with_detail(*verdict.why.detail());
}

// An event stream where none was asked for: no deadline of an engine ends it while something comes.
COMCP_DECL bool http_fetch::is_endless() const { return has_media_type(head().headers, "text/event-stream"); }

COMCP_LAZY_DECL asio::awaitable<void> http_fetch::skip_body() {
  if (!response_) co_return;
  if (is_endless()) co_return close();
  http_body dropped;
  (void)co_await response_.read(dropped, most_of_failure);
  response_.reset();
}

COMCP_DECL bool http_fetch::skip_now() {
  http_body dropped;
  bool const over = is_endless() || response_.take(dropped, most_of_failure);
  if (over) response_.reset();
  return over;
}

// Some servers repeat what they refuse.
COMCP_DECL void hide_value(std::string& text, std::string_view value) {
  auto const scheme = value.find(' ');
  auto const shown = scheme == std::string_view::npos ? value : value.substr(scheme + 1);
  if (shown.size() < 4) return;
  for (auto at = text.find(shown); at != std::string::npos; at = text.find(shown, at)) text.replace(at, shown.size(), "***");
}

COMCP_DECL void http_fetch::hide_credentials(std::string& text) const {
  for (auto const& field : credentials_) hide_value(text, field.value);
  auto const* const own = common ? common->find("Authorization") : nullptr;
  if (own) hide_value(text, *own);
}

COMCP_DECL error http_fetch::without_credentials(error const& why) const {
  std::string text(why.message());
  hide_credentials(text);
  return why.with_message(std::move(text));
}

// What an error response says, if it says so soon.
COMCP_LAZY_DECL asio::awaitable<void> http_fetch::look_at_body() {
  verdict.why = without_credentials(verdict.why);
  if (!response_) co_return;
  if (is_endless()) co_return close();
  http_body said;
  (void)co_await response_.read(said, most_of_failure);
  std::string text(said.view());
  hide_credentials(text);
  verdict.why = sansio::with_body(verdict.why, text);
  response_.reset();
}

}  // namespace comcp::detail
