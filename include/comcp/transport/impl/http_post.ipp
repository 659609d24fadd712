// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/net/asio_compat.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/sansio/backoff.hpp>
#include <comcp/transport/http_session.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL http_post::http_post(http_session& of, outgoing&& m)
    : http_activity(std::move(m)),
      session_(of),
      link_(of.link()),
      alive_(of.weak_from_this()),
      fetch_(link_.carrier, link_.url, "POST") {
  if (!message.stateless) session = link_.labels.session();
  fetch_.sent = sent();
  fetch_.request.body = std::move(message.text);
  fetch_.request.headers = link_.labels.own_of(*this);
  fetch_.common = link_.labels.common_of(*this);
  fetch_.authorizing = [this](bool begins) { link_.authorizing(begins); };
  // A call has its own deadlines, which cancel; everything else has this one.
  auto const& options = link_.options;
  bool const timed_by_call = fetch_.sent.request;
  auto& timeouts = fetch_.request.timeouts;
  timeouts.response(timed_by_call ? http_timeouts::never : options.send_timeout());
  timeouts.idle(timed_by_call && !message.open_ended ? http_timeouts::never : options.idle_timeout());
  timeouts.total(timed_by_call ? http_timeouts::never : options.send_timeout());
}

COMCP_DECL sansio::http_sent http_post::sent() const {
  sansio::http_sent s;
  s.request = message.id != 0 && !link_.sse;
  s.repeatable = message.repeatable;
  s.in_session = !session.empty();
  return s;
}

COMCP_LAZY_DECL void http_post::start() {
  starting = !fetch_.start(link_.executor, signal.slot(), shared_from_this());
  if (starting) go_on(alive_.lock(), false);
  starting = false;
}

COMCP_LAZY_DECL void http_post::go_on(std::shared_ptr<http_session> const& keep, bool looked) {
  auto const self = shared_from_this();
  spawn(link_.executor, run(keep, self, looked), signal.slot(), self);
}

COMCP_LAZY_DECL void http_post::has_come(result<any_response> r) {
  auto const keep = alive_.lock();
  if (!keep) return;
  error failure;
  try {
    bool const looked = fetch_.came(std::move(r));
    if (!link_.over(*this) && !(looked && take_now())) return go_on(keep, looked);
  } catch (...) {
    failure = current_error();
  }
  ended(std::move(failure));
}

// A POST begins inside send(), from which nothing may be told yet.
COMCP_LAZY asio::awaitable<void> next_turn(asio::any_io_executor on) { co_await net::async_turn(on); }

COMCP_LAZY_DECL asio::awaitable<void> http_post::run(std::shared_ptr<http_session> keep,
                                                     std::shared_ptr<http_post> self, bool looked) {
  auto& link = keep->link();
  error failure;
  try {
    if (!looked) co_await self->fetch_.run();
    if (self->starting) co_await next_turn(link.executor);
    bool const through = link.over(*self) || (!looked && self->take_now());
    if (!through) co_await self->take();
  } catch (...) {
    failure = current_error();
  }
  if (self->starting) co_await next_turn(link.executor);
  self->ended(std::move(failure));
}

COMCP_LAZY_DECL void http_post::ended(error failure) {
  fetch_.close();
  bool const untold = link_.over(*this);
  if (!link_.over()) session_.posts().finished(*this);
  if (untold) return;
  if (failure)
    link_.failed(*this, failure == errc::cancelled ? error(errc::transport_failed, "the engine gave up") : failure);
  if (!link_.over() && message.established && session == link_.labels.session()) session_.listener().start();
}

COMCP_LAZY_DECL bool http_post::take_now() {
  if (fetch_.verdict.what != action::fail) session_.listener().reached_again();
  if (fetch_.verdict.what == action::accepted) return fetch_.skip_now();
  if (fetch_.verdict.what != action::json) return false;
  body_.swap(link_.spare);
  auto const read = fetch_.take_body(body_, link_.options.max_body());
  if (read) answer(*read);
  return read.has_value();
}

COMCP_LAZY_DECL asio::awaitable<void> http_post::take() {
  if (fetch_.verdict.what == action::json) {
    auto const read = co_await fetch_.read_body(body_, link_.options.max_body());
    if (!link_.over(*this)) answer(read);
  } else if (fetch_.verdict.what == action::stream) {
    co_await take_stream();
  } else if (fetch_.verdict.what == action::accepted) {
    co_await fetch_.skip_body();
  } else {
    co_await refused();
  }
}

COMCP_LAZY_DECL result<void> http_post::look_at_head() {
  if (!is_initialize() || !link_.in().awaits(message.id)) return {};  // a late answer begins nothing
  auto const begins = link_.labels.adopt_session(fetch_.head().headers);
  if (!begins) return begins.error();
  if (*begins) session_.posts().hold();
  return {};
}

COMCP_LAZY_DECL void http_post::answer(result<void> const& read) {
  auto usable = read;
  if (usable) usable = look_at_head();
  if (!usable) return link_.failed(*this, usable.error());
  auto const id = message.id;
  body_.reserve(1);
  link_.deliver(padded_text(body_.data(), body_.size()), id);
  if (link_.over(*this)) return;
  if (link_.in().awaits(id)) return link_.failed(*this, sansio::unanswered(fetch_.head(), body_.view()));
  body_.clear();
  link_.spare = std::move(body_);
}

COMCP_LAZY_DECL asio::awaitable<void> http_post::refused() {
  auto const why = fetch_.verdict.why;
  bool const in_other_words = fetch_.verdict.what == action::fail && fetch_.sent.in_session && sansio::means_session_lost(why);
  if (fetch_.verdict.what == action::session_lost || in_other_words) {
    bool const newer = !link_.labels.session().empty() && link_.labels.session() != session;
    if (newer) co_return send_anew();
    session_.posts().finished(*this);
    co_return link_.in().session_lost(message.id, why);
  }
  if (is_initialize() && !link_.sse && link_.options.kind() == http_kind::automatic && sansio::may_be_http_sse(why)) {
    auto const opened = co_await session_.open_sse();
    if (link_.over(*this)) co_return;
    if (opened) co_return send_anew();
    if (opened.error() == errc::unauthorized)
      co_return link_.failed(*this, opened.error());  // it is there, behind a login
  }
  link_.failed(*this, why);
}

COMCP_LAZY_DECL void http_post::send_anew() {
  message.text = std::move(fetch_.request.body);
  session_.posts().again(*this);
}

// What may still be learned of the outcome by asking for the rest of a broken stream.
COMCP_LAZY_DECL asio::awaitable<void> http_post::take_stream() {
  if (auto const usable = look_at_head(); !usable) co_return link_.failed(*this, usable.error());
  sansio::sse_parser parser(link_.options.max_event());
  activity const self = shared_from_this();
  auto broken = co_await session_.read_events(self, fetch_, parser);
  if (link_.over(*this) || answered) co_return;
  sansio::backoff backoff(link_.options.reconnect());
  auto delay = backoff.failed(link_.chance(), parser.retry());
  bool hopeless = false;
  while (delay && !hopeless && may_resume(parser) && leaves_outcome_open(broken)) {
    fetch_.close();
    co_await pause_until(link_.carrier.time, link_.in_time(*delay));
    if (link_.over(*this)) co_return;
    auto const before = parser.last_event_id();
    std::optional<time_source::time_point> opened;
    broken = co_await resume(parser, hopeless, opened);
    if (link_.over(*this) || answered) co_return;
    bool const brought = parser.last_event_id() != before;
    delay = opened ? backoff.ended(link_.carrier.time->now() - *opened, brought, link_.chance(), parser.retry())
                   : backoff.failed(link_.chance(), parser.retry());
  }
  link_.failed(*this, std::move(broken));
}

// In its own session only.
COMCP_DECL bool http_post::may_resume(sansio::sse_parser const& parser) const {
  return !message.stateless && session == link_.labels.session() && !parser.last_event_id().empty() && !parser.failed();
}

// Goes on with the stream of a POST by a GET. What ended it; hopeless, if trying again makes no sense.
COMCP_LAZY_DECL asio::awaitable<error> http_post::resume(sansio::sse_parser& parser, bool& hopeless,
                                                    std::optional<time_source::time_point>& opened) {
  http_fetch f(link_.carrier, link_.carrier.server, "GET");
  f.sent = sent();
  f.common = link_.labels.of_stream(session, parser.last_event_id());
  f.authorizing = [this](bool begins) { link_.authorizing(begins); };
  f.request.timeouts.response(link_.options.send_timeout()).idle(http_timeouts::never);
  co_await f.run();
  if (link_.over(*this)) co_return error(errc::cancelled);
  if (f.verdict.what != action::stream) {
    // 409: the server has not seen yet that the stream broke.
    bool const busy = f.verdict.what == action::none && f.head().status == 409;
    hopeless = !busy && (f.verdict.what != action::fail || sansio::is_final(f.verdict.why));
    // Whatever stands in the way, the request itself was sent: what became of it is not known.
    std::string text = "the broken stream cannot be resumed";
    if (f.verdict.why) text += ": " + std::string(f.verdict.why.message());
    co_return f.verdict.why.with_code(make_error_code(errc::transport_failed)).with_message(std::move(text));
  }
  parser.restart();
  opened = link_.carrier.time->now();
  activity const self = shared_from_this();
  auto how = co_await session_.read_events(self, f, parser);
  co_return how;
}

}  // namespace comcp::detail
