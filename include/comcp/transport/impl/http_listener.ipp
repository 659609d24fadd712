// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/net/spawn.hpp>
#include <comcp/sansio/backoff.hpp>
#include <comcp/transport/http_session.hpp>

namespace comcp::detail {

struct http_listener::attempts {
  explicit attempts(http_options const& o) : parser(o.max_event()), backoff(o.reconnect()) {}
  sansio::sse_parser parser;
  sansio::backoff backoff;
  enum class outcome { ended, failed, away, refused };
  outcome last = outcome::failed;
  error why;          // it is not open
  bool told = false;  // that it is gone
};

COMCP_DECL http_listener::http_listener(http_session& session) noexcept : session_(session), link_(session.link()) {}

COMCP_LAZY_DECL void http_listener::start() {
  if (link_.over() || session_.closing() || link_.sse || !link_.options.get_stream()) return session_.posts().release();
  auto a = std::make_shared<http_activity>(outgoing());
  a->session = link_.labels.session();
  become(a);
  spawn(link_.executor, run(session_.shared_from_this(), a), a->signal.slot(), a);
}

COMCP_DECL void http_listener::become(activity a) {
  stop();
  current_ = std::move(a);
}

COMCP_DECL void http_listener::left(activity const& a) {
  if (current_ == a) current_ = nullptr;
}

COMCP_DECL void http_listener::stop() noexcept {
  if (auto const before = std::exchange(current_, nullptr)) before->give_up();
}

COMCP_DECL void http_listener::reached_again() {
  if (away_ && link_.carrier.time->now() >= not_before_) away_->open();
}

COMCP_LAZY_DECL asio::awaitable<void> http_listener::run(std::shared_ptr<http_session> session, activity a) {
  co_await session->listener().go_on(std::move(a));
}

COMCP_LAZY_DECL asio::awaitable<void> http_listener::go_on(activity a) {
  attempts so_far(link_.options);
  for (;;) {
    std::optional<std::chrono::milliseconds> delay;
    so_far.last = attempts::outcome::failed;
    try {
      delay = co_await once(a, so_far);
    } catch (...) {
      if (link_.over(*a)) co_return;
      so_far.why = current_error();
      delay = so_far.backoff.failed(link_.chance());
    }
    if (link_.over(*a)) co_return;
    session_.posts().release();
    if (!link_.over(*a) && !delay && !std::exchange(so_far.told, true)) link_.in().deaf(so_far.why);
    if (link_.over(*a)) co_return;
    if (link_.options.reconnect().attempts() == 0) break;
    co_await rest(a, delay.value_or(link_.options.reconnect().longest()), so_far);
    if (link_.over(*a)) co_return;
  }
  left(a);
}

// Until it may be tried again. What was refused is asked for again only for somebody who waits for it.
COMCP_LAZY_DECL asio::awaitable<void> http_listener::rest(activity a, std::chrono::milliseconds delay, attempts const& so_far) {
  do {
    auto const over_now = std::make_shared<gate>(link_.executor);
    auto const bound = link_.open_later(over_now, link_.in_time(delay));
    if (so_far.last == attempts::outcome::away) {
      away_ = over_now;
      not_before_ = link_.in_time(std::min(delay, link_.options.reconnect().first()));
    }
    co_await over_now->wait();
    if (link_.over(*a)) co_return;
    away_.reset();
  } while (so_far.last == attempts::outcome::refused && !link_.in().listens());
}

COMCP_DECL error no_stream(int status) {
  transport_detail known;
  known.http_status = status;
  return error(errc::capability_missing, "the server has no stream for what it says unasked, such as changes")
      .with_detail(std::move(known));
}

// When to open it again; nothing where that has failed too often, or for good.
COMCP_LAZY_DECL asio::awaitable<std::optional<std::chrono::milliseconds>> http_listener::once(activity a, attempts& l) {
  using action = sansio::http_verdict::action;
  http_fetch f(link_.carrier, link_.carrier.server, "GET");
  f.common = link_.labels.of_stream(a->session, l.parser.last_event_id());
  // Some say by 404 that they have no such stream: it tells of the session only where there was one.
  f.sent.in_session = !a->session.empty() && a->answered;
  f.sent.repeatable = true;
  f.request.timeouts.response(link_.options.send_timeout()).idle(link_.options.idle_timeout());
  co_await f.run();
  if (link_.over(*a)) co_return std::nullopt;
  l.why = f.verdict.why;
  if (f.verdict.what == action::session_lost) {
    a->given_up = true;
    current_ = nullptr;
    link_.in().session_lost(0, l.why);
    co_return std::nullopt;
  }
  if (f.verdict.what == action::none) l.why = no_stream(f.head().status);
  if (f.verdict.what == action::none || (f.verdict.what != action::stream && sansio::is_final(l.why))) {
    l.last = attempts::outcome::refused;
    co_return std::nullopt;
  }
  if (f.verdict.what != action::stream) {
    if (!l.why.detail() || !l.why.detail()->http_status) l.last = attempts::outcome::away;
    co_return l.backoff.failed(link_.chance(), l.parser.retry());
  }
  a->answered = true;
  l.last = attempts::outcome::ended;
  session_.posts().release();
  l.told = false;
  if (!link_.over(*a)) link_.in().deaf(error());
  if (link_.over(*a)) co_return std::nullopt;
  l.parser.restart();
  auto const before = link_.messages_in;
  auto const id = l.parser.last_event_id();
  auto const opened = link_.carrier.time->now();
  l.why = co_await session_.read_events(a, f, l.parser);
  if (link_.over(*a)) co_return std::nullopt;
  bool const brought = link_.messages_in != before || l.parser.last_event_id() != id;
  co_return l.backoff.ended(link_.carrier.time->now() - opened, brought, link_.chance(), l.parser.retry());
}

}  // namespace comcp::detail
