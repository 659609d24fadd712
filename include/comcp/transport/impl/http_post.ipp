// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/net/asio_compat.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/sansio/backoff.hpp>
#include <comcp/transport/http_session.hpp>

namespace comcp::detail {

COMCP_DECL http_post::http_post(http_session& session, activity a)
    : session_(session), link_(session.link()), a_(std::move(a)), fetch_(link_.carrier, link_.url, "POST") {
  fetch_.sent = sent();
  fetch_.body = &a_->message.text;
  fetch_.common = link_.labels.common_of(*a_);
  fetch_.headers = link_.labels.own_of(*a_);
  fetch_.authorizing = [this](bool begins) { link_.authorizing(begins); };
  // A call has its own deadlines, which cancel; everything else has this one.
  auto const& options = link_.options;
  bool const timed_by_call = fetch_.sent.request;
  fetch_.timeouts.response(timed_by_call ? http_timeouts::never : options.send_timeout());
  fetch_.timeouts.idle(timed_by_call && !a_->message.open_ended ? http_timeouts::never : options.idle_timeout());
  fetch_.timeouts.total(timed_by_call ? http_timeouts::never : options.send_timeout());
}

COMCP_DECL sansio::http_sent http_post::sent() const {
  sansio::http_sent s;
  s.request = a_->message.id != 0 && !link_.sse;
  s.repeatable = a_->message.repeatable;
  s.in_session = !a_->session.empty();
  return s;
}

// A POST begins inside send(), from which nothing may be told yet.
COMCP_LAZY asio::awaitable<void> next_turn(asio::any_io_executor on) { co_await net::async_turn(on); }

COMCP_LAZY_DECL asio::awaitable<void> http_post::run(std::shared_ptr<http_session> session, activity a) {
  auto& link = session->link();
  error failure;
  try {
    http_post p(*session, a);
    co_await p.fetch_.run();
    if (a->starting) co_await next_turn(link.executor);
    if (!link.over(*a) && !p.take_now()) co_await p.take();
  } catch (...) {
    failure = link.over(*a) ? error() : current_error();
  }
  if (a->starting) co_await next_turn(link.executor);
  bool const given_up = link.over(*a);
  if (!link.over()) session->posts().finished(a);
  if (given_up) co_return;
  if (failure) link.failed(*a, failure == errc::cancelled ? error(errc::transport_failed, "the engine gave up") : failure);
  if (!link.over() && a->message.established && a->session == link.labels.session()) session->listener().start();
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
    if (!link_.over(*a_)) answer(read);
  } else if (fetch_.verdict.what == action::stream) {
    co_await take_stream();
  } else if (fetch_.verdict.what == action::accepted) {
    co_await fetch_.skip_body();
  } else {
    co_await refused();
  }
}

COMCP_LAZY_DECL result<void> http_post::look_at_head() {
  if (!is_initialize() || !link_.in().awaits(a_->message.id)) return {};  // a late answer begins nothing
  auto const begins = link_.labels.adopt_session(fetch_.head().headers);
  if (!begins) return begins.error();
  if (*begins) session_.posts().hold();
  return {};
}

COMCP_LAZY_DECL void http_post::answer(result<void> const& read) {
  auto usable = read;
  if (usable) usable = look_at_head();
  if (!usable) return link_.failed(*a_, usable.error());
  auto const id = a_->message.id;
  body_.reserve(1);
  link_.deliver(padded_text(body_.data(), body_.size()), id);
  if (link_.over(*a_)) return;
  if (link_.in().awaits(id)) return link_.failed(*a_, sansio::unanswered(fetch_.head(), body_.view()));
  body_.clear();
  link_.spare = std::move(body_);
}

COMCP_LAZY_DECL asio::awaitable<void> http_post::refused() {
  auto const why = fetch_.verdict.why;
  bool const in_other_words = fetch_.verdict.what == action::fail && fetch_.sent.in_session && sansio::means_session_lost(why);
  if (fetch_.verdict.what == action::session_lost || in_other_words) {
    bool const newer = !link_.labels.session().empty() && link_.labels.session() != a_->session;
    if (newer) co_return session_.posts().again(a_);
    session_.posts().finished(a_);
    co_return link_.in().session_lost(a_->message.id, why);
  }
  if (is_initialize() && !link_.sse && link_.options.kind() == http_kind::automatic && sansio::may_be_http_sse(why)) {
    auto const opened = co_await session_.open_sse();
    if (link_.over(*a_)) co_return;
    if (opened) co_return session_.posts().again(a_);
    if (opened.error() == errc::unauthorized) co_return link_.failed(*a_, opened.error());  // it is there, behind a login
  }
  link_.failed(*a_, why);
}

// What may still be learned of the outcome by asking for the rest of a broken stream.
COMCP_LAZY_DECL asio::awaitable<void> http_post::take_stream() {
  if (auto const usable = look_at_head(); !usable) co_return link_.failed(*a_, usable.error());
  sansio::sse_parser parser(link_.options.max_event());
  auto broken = co_await session_.read_events(a_, fetch_, parser);
  if (link_.over(*a_) || a_->answered) co_return;
  sansio::backoff backoff(link_.options.reconnect());
  auto delay = backoff.failed(link_.chance(), parser.retry());
  bool hopeless = false;
  while (delay && !hopeless && may_resume(parser) && leaves_outcome_open(broken)) {
    fetch_.close();
    co_await pause_until(link_.carrier.time, link_.in_time(*delay));
    if (link_.over(*a_)) co_return;
    auto const before = parser.last_event_id();
    std::optional<time_source::time_point> opened;
    broken = co_await resume(parser, hopeless, opened);
    if (link_.over(*a_) || a_->answered) co_return;
    bool const brought = parser.last_event_id() != before;
    delay = opened ? backoff.ended(link_.carrier.time->now() - *opened, brought, link_.chance(), parser.retry())
                   : backoff.failed(link_.chance(), parser.retry());
  }
  link_.failed(*a_, std::move(broken));
}

// In its own session only.
COMCP_DECL bool http_post::may_resume(sansio::sse_parser const& parser) const {
  return !a_->message.stateless && a_->session == link_.labels.session() && !parser.last_event_id().empty() && !parser.failed();
}

// Goes on with the stream of a POST by a GET. What ended it; hopeless, if trying again makes no sense.
COMCP_LAZY_DECL asio::awaitable<error> http_post::resume(sansio::sse_parser& parser, bool& hopeless,
                                                    std::optional<time_source::time_point>& opened) {
  http_fetch f(link_.carrier, link_.carrier.server, "GET");
  f.sent = sent();
  f.common = link_.labels.of_stream(a_->session, parser.last_event_id());
  f.authorizing = [this](bool begins) { link_.authorizing(begins); };
  f.timeouts.response(link_.options.send_timeout()).idle(http_timeouts::never);
  co_await f.run();
  if (link_.over(*a_)) co_return error(errc::cancelled);
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
  auto ended = co_await session_.read_events(a_, f, parser);
  co_return ended;
}

}  // namespace comcp::detail
