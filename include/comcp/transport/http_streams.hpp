// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The event streams of a session over HTTP: reading one, the one of the legacy era on which servers speak unasked, and
// the one of HTTP+SSE that brings everything. POSTs are http_exchanges'. Internal.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/net/spawn.hpp>
#include <comcp/transport/http_fetch.hpp>
#include <comcp/transport/http_session.hpp>

namespace comcp::detail {

template <class Engine, class Auth>
class http_streams : public http_session {
 public:
  using fetch_type = http_fetch<Engine, Auth>;
  using action = sansio::http_verdict::action;

  http_streams(http_url url, http_options options, asio::any_io_executor executor, inbox& in,
               std::shared_ptr<Engine> engine, std::shared_ptr<Auth> auth)
      : http_session(std::move(url), std::move(options), std::move(executor), in),
        engine_(std::move(engine)),
        auth_(std::move(auth)) {}

 protected:
  // Reads until the end, or until the answer came. What ended it.
  asio::awaitable<error> read_stream(activity a, fetch_type& f, sansio::sse_parser& parser) {
    open_stream const counted(streams_);
    for (;;) {
      auto const piece = co_await f.next();
      if (over(a)) co_return error(errc::cancelled);
      if (!piece) co_return piece.error();
      if (piece->empty()) co_return error(errc::transport_failed, "the stream ended before its answer");
      parser.feed(*piece);
      while (auto event = parser.next()) {
        if (!event->is_message() || event->data.find_first_not_of(' ') == std::string::npos) continue;
        deliver(event->data, a->message.id);
        if (over(a)) co_return error(errc::cancelled);
      }
      if (parser.failed()) co_return parser.failure();
      if (a->message.id == 0 || a->answered || in().awaits(a->message.id)) continue;
      a->answered = true;
      answered(a);
      if (f.method == "GET") co_return error();
      limit(a, std::chrono::seconds(1));  // for the end, after which the connection can be used again
    }
  }

  // Whether a stream that was refused so will be refused again.
  [[nodiscard]] static bool is_final(error const& e) {
    auto const* const d = e.detail();
    return d && d->http_status && *d->http_status < 500 && *d->http_status != 408 && *d->http_status != 429;
  }

  // HTTP+SSE (2024-11-05): the stream that brings everything, and first where to POST.
  asio::awaitable<result<void>> open_sse() {
    auto const a = std::make_shared<http_activity>(outgoing());
    auto const s = std::make_shared<sse_state>(*engine_, *auth_, time_, stream_url_, options_.max_event());
    s->fetch.fields = [fields = stream_headers(*a, {})] { return fields; };
    s->fetch.timeouts.response(options_.send_timeout()).idle(options_.idle_timeout());
    s->fetch.authorizing = [this, a](bool begins) {
      authorizing(begins);
      if (over(a)) return;
      if (begins) {
        unlimit(*a);
      } else {
        limit(a, options_.send_timeout());
      }
    };
    if (listener_) std::exchange(listener_, nullptr)->give_up();
    listener_ = a;
    auto const reached = std::make_shared<gate>(executor_);
    spawn(executor_, run_sse(a, s, reached), a->signal.slot(), a);
    limit(a, options_.send_timeout());
    co_await reached->wait();
    unlimit(*a);
    if (s->endpoint) co_return result<void>();
    co_return s->ended ? s->ended : error(errc::connect_failed, "the server names no endpoint on its event stream");
  }

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Auth> auth_;

 private:
  /// The stream of the legacy era on which the server speaks unasked, from one attempt to the next.
  struct listening {
    explicit listening(http_options const& o) : parser(o.max_event()), backoff(o.reconnect()) {}
    sansio::sse_parser parser;
    sansio::backoff backoff;
    enum class outcome { ended, failed, away, refused };
    outcome last = outcome::failed;
    error why;          // it is not open
    bool told = false;  // that it is gone
  };

  asio::awaitable<void> listen(activity a) override {
    auto const hold = this->shared_from_this();
    listening l(options_);
    for (;;) {
      std::optional<std::chrono::milliseconds> delay;
      l.last = listening::outcome::failed;
      try {
        delay = co_await listen_once(a, l);
      } catch (...) {
        if (over(a)) co_return;
        l.why = current_error();
        delay = l.backoff.failed(chance());
      }
      if (over(a)) co_return;
      release_held();
      if (!over(a) && !delay && !std::exchange(l.told, true)) in().deaf(l.why);
      if (over(a)) co_return;
      if (options_.reconnect().attempts() == 0) break;
      co_await rest(a, delay.value_or(options_.reconnect().maximum()), l);
      if (over(a)) co_return;
    }
    if (listener_ == a) listener_ = nullptr;
  }

  // Until it may be tried again. What was refused is asked for again only for somebody who waits for it.
  asio::awaitable<void> rest(activity a, std::chrono::milliseconds delay, listening const& l) {
    do {
      auto const over_now = std::make_shared<gate>(executor_);
      auto const bound = open_later(over_now, time_->now() + delay);
      if (l.last == listening::outcome::away) away_ = {over_now, time_->now() + std::min(delay, options_.reconnect().initial())};
      co_await over_now->wait();
      if (over(a)) co_return;
      away_.over.reset();
    } while (l.last == listening::outcome::refused && !in().listens());
  }

  // When to open it again; nothing where that has failed too often, or for good.
  asio::awaitable<std::optional<std::chrono::milliseconds>> listen_once(activity a, listening& l) {
    fetch_type f(*engine_, *auth_, time_, stream_url_, stream_url_, "GET");
    f.fields = [this, &a, &l] { return stream_headers(*a, l.parser.last_event_id()); };
    // Some say by 404 that they have no such stream: it tells of the session only where there was one.
    f.sent.in_session = !a->session.empty() && a->answered;
    f.sent.repeatable = true;
    f.timeouts.response(options_.send_timeout()).idle(options_.idle_timeout());
    co_await f.run();
    if (over(a)) co_return std::nullopt;
    l.why = f.verdict.why;
    if (f.verdict.what == action::session_lost) {
      a->given_up = true;
      listener_ = nullptr;
      in().session_lost(0, l.why);
      co_return std::nullopt;
    }
    if (f.verdict.what == action::none) l.why = no_stream(f.head().status);
    if (f.verdict.what == action::none || (f.verdict.what != action::stream && is_final(l.why))) {
      l.last = listening::outcome::refused;
      co_return std::nullopt;
    }
    if (f.verdict.what != action::stream) {
      if (!l.why.detail() || !l.why.detail()->http_status) l.last = listening::outcome::away;
      co_return l.backoff.failed(chance(), l.parser.retry());
    }
    a->answered = true;
    l.last = listening::outcome::ended;
    release_held();
    l.told = false;
    if (!over(a)) in().deaf(error());
    if (over(a)) co_return std::nullopt;
    l.parser.restart();
    auto const before = messages_in();
    auto const id = l.parser.last_event_id();
    auto const opened = time_->now();
    l.why = co_await read_stream(a, f, l.parser);
    if (over(a)) co_return std::nullopt;
    bool const brought = messages_in() != before || l.parser.last_event_id() != id;
    co_return l.backoff.ended(time_->now() - opened, brought, chance(), l.parser.retry());
  }

  [[nodiscard]] static error no_stream(int status) {
    transport_detail known;
    known.http_status = status;
    return error(errc::capability_missing, "the server has no stream for what it says unasked, such as changes")
        .with_detail(std::move(known));
  }

  struct sse_state {
    sse_state(Engine& e, Auth& auth, std::shared_ptr<time_source> time, http_url const& url, std::size_t max_event)
        : fetch(e, auth, std::move(time), url, url, "GET"), parser(max_event) {}
    fetch_type fetch;
    sansio::sse_parser parser;
    bool endpoint = false;
    error ended;
  };

  asio::awaitable<void> run_sse(activity a, std::shared_ptr<sse_state> s, std::shared_ptr<gate> reached) {
    auto const hold = this->shared_from_this();
    try {
      co_await s->fetch.run();
      if (s->fetch.verdict.what == action::stream) {
        s->ended = co_await read_sse(a, s, reached);
      } else {
        s->ended = s->fetch.verdict.why;
      }
    } catch (...) {
      s->ended = current_error();
    }
    if (listener_ == a) listener_ = nullptr;
    bool const was_open = s->endpoint;
    reached->open();
    if (was_open && !over(a)) finish(s->ended);
  }

  asio::awaitable<error> read_sse(activity a, std::shared_ptr<sse_state> s, std::shared_ptr<gate> reached) {
    open_stream const counted(streams_);
    for (;;) {
      auto const piece = co_await s->fetch.next();
      if (over(a)) co_return error(errc::cancelled);
      if (!piece) co_return piece.error();
      if (piece->empty()) co_return error(errc::transport_failed, "the server ended the event stream");
      s->parser.feed(*piece);
      while (auto event = s->parser.next()) {
        if (event->type == "endpoint" && !s->endpoint) {
          auto const where = stream_url_.resolve(event->data);
          if (!where) co_return error(errc::protocol_violation, "the endpoint is no URL");
          if (!same_origin(*where, stream_url_))
            co_return error(errc::protocol_violation, "the endpoint is on another origin: " + where->origin());
          s->endpoint = true;
          switch_to_sse(*where);
          reached->open();
          continue;
        }
        if (!event->is_message() || event->data.empty()) continue;
        deliver(event->data, 0);
        if (over(a)) co_return error(errc::cancelled);
      }
      if (s->parser.failed()) co_return s->parser.failure();
    }
  }
};

}  // namespace comcp::detail
