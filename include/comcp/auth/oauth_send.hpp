// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One request of authorization: bounded in time and size, authenticated at a token endpoint, proved by a key where there is
// one. What its answer means is decided elsewhere. Internal.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/this_coro.hpp>

#include <comcp/auth/form.hpp>
#include <comcp/auth/oauth_http.hpp>
#include <comcp/auth/oauth_profile.hpp>
#include <comcp/auth/token.hpp>
#include <comcp/auth/token_endpoint.hpp>
#include <comcp/sansio/oauth_discovery.hpp>
#include <comcp/net/gate.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/net/time_source.hpp>

namespace comcp::detail {

template <class T>
struct bounded_work {
  explicit bounded_work(asio::any_io_executor executor) : on(std::move(executor)), over(on) {}
  asio::any_io_executor on;
  gate over;
  asio::cancellation_signal signal;
  std::optional<result<T>> outcome;
};

/// Cancels the work when who waits for it goes.
template <class T>
class end_of_wait {
 public:
  explicit end_of_wait(std::shared_ptr<bounded_work<T>> w) : work_(std::move(w)) {}
  end_of_wait(end_of_wait const&) = delete;
  end_of_wait& operator=(end_of_wait const&) = delete;
  ~end_of_wait() {
    if (work_->outcome) return;
    // Posted: where an io_context is being destroyed, what would be cancelled may be gone already.
    auto cancel = [w = work_] {
      if (!w->outcome) w->signal.emit(asio::cancellation_type::terminal);
    };
    post(work_->on, std::move(cancel));
  }

 private:
  std::shared_ptr<bounded_work<T>> work_;
};

template <class T>
asio::awaitable<void> do_bounded(std::shared_ptr<bounded_work<T>> w, asio::awaitable<result<T>> work,
                                 std::shared_ptr<void const> owner) {
  std::optional<result<T>> outcome;
  try {
    auto got = co_await std::move(work);
    outcome.emplace(std::move(got));
  } catch (...) {
    outcome.emplace(current_error());
  }
  owner.reset();
  w->outcome = std::move(outcome);
  w->over.open();
}

/// No wait is longer, whatever the options say: more would overflow.
inline constexpr std::chrono::milliseconds longest_wait = std::chrono::hours(24 * 365);

/// The work's outcome, or errc::timeout with `what` after `most`. It is cancelled then, and nobody waits for its end: the
/// work owns all that it uses, or `owner` does, which is kept as long.
template <class T>
asio::awaitable<result<T>> within(std::shared_ptr<time_source> time, std::chrono::milliseconds most,
                                  asio::awaitable<result<T>> work, std::string what, std::shared_ptr<void const> owner) {
  auto const executor = co_await asio::this_coro::executor;
  auto const w = std::make_shared<bounded_work<T>>(executor);
  end_of_wait<T> const at_the_end(w);
  auto const alarm = time->make_deadline(executor);
  std::function<void()> fire = [w] { w->over.open(); };
  alarm->arm(time->now() + std::min(most, longest_wait), std::move(fire));
  auto doing = do_bounded<T>(w, std::move(work), std::move(owner));
  spawn(executor, std::move(doing), w->signal.slot(), w);
  co_await w->over.wait();
  if (w->outcome) co_return std::move(*w->outcome);
  co_return error(errc::timeout, std::move(what));
}

/// What the requests of authorization go through.
struct oauth_io {
  oauth_io() = default;
  explicit oauth_io(oauth_sender s) : send(std::move(s)) {}

  oauth_sender send;
  std::shared_ptr<time_source> time = steady_time();
  std::function<token_set::time_point()> now = [] { return std::chrono::system_clock::now(); };
  std::chrono::milliseconds timeout{30'000};
  std::size_t max_body = std::size_t{1} << 20;
};

/// One request with its whole answer. An error names the origin, and nothing of what was sent.
COMCP_LAZY asio::awaitable<result<oauth_response>> send_one(oauth_io io, http_request request);

/// Any request to an endpoint that wants the client authenticated, repeated once where a nonce is wanted. What the answer repeats of
/// the secrets that were sent is *** in it.
COMCP_LAZY asio::awaitable<result<oauth_response>> post_form(oauth_io io, oauth_steps::token_endpoint at,
                                                             form_fields form);
/// The same, read as the answer of a token endpoint: a refusal is errc::unauthorized.
COMCP_LAZY asio::awaitable<result<token_answer>> ask_for_tokens(oauth_io io, oauth_steps::token_endpoint at,
                                                                form_fields form);

/// Makes *** of a secret that a server repeats.
COMCP_LAZY void hide(std::string& text, std::string_view secret_text);

COMCP_LAZY http_request get_request(http_url url);
COMCP_LAZY http_request json_request(http_url url, std::string body);

/// Runs discovery to its end.
COMCP_LAZY asio::awaitable<sansio::oauth_discovery> run_discovery(oauth_io io, sansio::oauth_discovery machine);

/// What a source of the user's gives, or what it threw as an error.
template <class Source, class Request>
asio::awaitable<result<secret>> ask_source(Source source, Request about, char const* what) {
  std::optional<error> failure;
  secret got;
  try {
    got = co_await source(std::move(about));
  } catch (exception const& e) {
    failure = e.error();
  } catch (...) {
    failure = error(errc::unauthorized, std::string(what) + " failed");
  }
  if (failure) co_return *failure;
  if (got.empty()) co_return error(errc::unauthorized, std::string(what) + " gave nothing");
  co_return std::move(got);
}

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/oauth_send.ipp>
#endif
