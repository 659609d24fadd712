// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How a session's requests are carried out on an engine, with what an authenticator adds: POSTs and their answers,
// the resumption of broken streams, the stream of the legacy era. What is sent when is http_session's. Internal.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/auth/authenticator.hpp>
#include <comcp/http/engine.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/transport/http_fetch.hpp>
#include <comcp/transport/http_streams.hpp>

namespace comcp::detail {

template <class Engine, class Auth>
class http_exchanges final : public http_streams<Engine, Auth> {
  using base = http_streams<Engine, Auth>;
  using activity = typename base::activity;

 public:
  using fetch_type = typename base::fetch_type;
  using action = typename base::action;

  http_exchanges(http_url url, http_options options, asio::any_io_executor executor, inbox& to,
                 std::shared_ptr<Engine> engine, std::shared_ptr<Auth> auth)
      : base(std::move(url), std::move(options), std::move(executor), to, std::move(engine), std::move(auth)) {}

  asio::awaitable<result<void>> open() override {
    auto const hold = this->shared_from_this();
    if (auto const usable = check_resumed(); !usable) co_return usable.error();
    if (options_.kind() != http_kind::sse) {
      if (options_.resumed()) start_listening();
      co_return result<void>();
    }
    auto const opened = co_await open_sse();
    if (opened) co_return result<void>();
    co_return opened.error();
  }

  asio::awaitable<void> close() override {
    auto const hold = this->shared_from_this();
    if (over() || std::exchange(closing_, true)) co_return;
    if (listener_ && !sse_) std::exchange(listener_, nullptr)->give_up();
    auto const until = time_->now() + options_.close_wait();
    co_await drain(until);
    if (!over() && !session_id_.empty() && !sse_) {
      auto const last = std::make_shared<http_activity>(outgoing());
      auto const told = std::make_shared<gate>(executor_);
      spawn(executor_, end_session(told), last->signal.slot(), last);
      limit(last, options_.close_wait());
      auto const bound = open_later(told, time_->now() + options_.close_wait());
      co_await told->wait();
    }
    // Kept connections would keep the io_context at work.
    if constexpr (requires { engine_->close_idle(); }) engine_->close_idle();
    finish(error(errc::closed, "closed by this side"));
  }

 private:
  using base::adopt_session;
  using base::auth_;
  using base::authorizing;
  using base::chance;
  using base::check_resumed;
  using base::closing_;
  using base::delete_headers;
  using base::deliver;
  using base::drained_;
  using base::engine_;
  using base::executor_;
  using base::failed;
  using base::finish;
  using base::finished;
  using base::has_newer_session;
  using base::in;
  using base::is_final;
  using base::limit;
  using base::listener_;
  using base::open_later;
  using base::open_sse;
  using base::options_;
  using base::over;
  using base::post_headers;
  using base::posts_;
  using base::reached_again;
  using base::read_stream;
  using base::sent;
  using base::send_again;
  using base::session_id_;
  using base::sse_;
  using base::start_listening;
  using base::stream_headers;
  using base::stream_url_;
  using base::time_;
  using base::url_;

  // One POST, from its first byte to the end of what came of it.
  asio::awaitable<void> post(activity a) override {
    auto const hold = this->shared_from_this();
    error failure;
    try {
      co_await carry_out(a);
    } catch (...) {
      failure = over(a) ? error() : current_error();
    }
    if (a->starting) co_await next_turn();
    bool const given_up = over(a);
    if (!over()) finished(a);
    if (given_up) co_return;
    if (failure) failed(*a, failure == errc::cancelled ? error(errc::transport_failed, "the engine gave up") : failure);
    if (!over() && a->message.established && a->session == session_id_) start_listening();
  }

  // A POST begins inside send(), from which nothing may be told yet.
  asio::awaitable<void> next_turn() { co_await asio::post(executor_, asio::use_awaitable); }

  asio::awaitable<void> carry_out(activity a) {
    fetch_type f(*engine_, *auth_, time_, stream_url_, url_, "POST");
    f.sent = sent(*a);
    f.body = &a->message.text;
    // A call has its own deadlines, which cancel; everything else has this one.
    bool const timed_by_call = a->message.id != 0 && !sse_;
    f.timeouts.response(timed_by_call ? http_timeouts::never : options_.send_timeout());
    f.timeouts.idle(timed_by_call && !a->message.open_ended ? http_timeouts::never : options_.idle_timeout());
    f.timeouts.total(timed_by_call ? http_timeouts::never : options_.send_timeout());
    f.fields = [this, &a] { return post_headers(*a); };
    f.ending = &closing_;
    f.authorizing = [this](bool begins) { authorizing(begins); };
    co_await f.run();
    if (a->starting) co_await next_turn();
    if (over(a)) co_return;
    if (f.verdict.what != action::fail) reached_again();
    if (f.verdict.what == action::json) {
      co_await take_json(a, f);
    } else if (f.verdict.what == action::stream) {
      co_await take_stream(a, f);
    } else if (f.verdict.what == action::accepted) {
      co_await f.skip_body();
    } else {
      co_await refused(a, f);
    }
  }

  [[nodiscard]] static bool is_refused_session(fetch_type const& f) {
    return f.verdict.what == action::fail && f.sent.in_session && sansio::means_session_lost(f.verdict.why);
  }

  asio::awaitable<void> refused(activity a, fetch_type& f) {
    auto const why = f.verdict.why;
    if (f.verdict.what == action::session_lost || is_refused_session(f)) {
      if (has_newer_session(*a)) co_return send_again(a);
      finished(a);
      co_return in().session_lost(a->message.id, why);
    }
    bool const is_initialize = a->message.handshake && !a->message.stateless;
    if (is_initialize && !sse_ && options_.kind() == http_kind::automatic && sansio::may_be_http_sse(why)) {
      auto const opened = co_await open_sse();
      if (over(a)) co_return;
      if (opened) {
        co_await carry_out(a);
        co_return;
      }
      if (opened.error() == errc::unauthorized) co_return failed(*a, opened.error());  // it is there, behind a login
    }
    failed(*a, why);
  }

  [[nodiscard]] result<void> look_at_head(activity const& a, fetch_type const& f) {
    bool const is_initialize = a->message.handshake && !a->message.stateless;
    if (!is_initialize || !in().awaits(a->message.id)) return {};  // a late answer begins nothing
    return adopt_session(f.head().headers);
  }

  asio::awaitable<void> take_json(activity a, fetch_type& f) {
    std::string body;
    auto const read = co_await f.read_body(body, options_.max_body());
    if (over(a)) co_return;
    auto usable = read;
    if (usable) usable = look_at_head(a, f);
    if (!usable) co_return failed(*a, usable.error());
    auto const id = a->message.id;
    deliver(body, id);
    if (!over(a) && in().awaits(id)) failed(*a, sansio::unanswered(f.head(), body));
  }

  asio::awaitable<void> take_stream(activity a, fetch_type& f) {
    if (auto const usable = look_at_head(a, f); !usable) co_return failed(*a, usable.error());
    sansio::sse_parser parser(options_.max_event());
    auto broken = co_await read_stream(a, f, parser);
    if (over(a)) co_return;
    if (a->answered) co_return;
    sansio::backoff backoff(options_.reconnect());
    auto delay = backoff.failed(chance(), parser.retry());
    bool hopeless = false;
    while (delay && !hopeless && may_resume(*a, parser) && leaves_outcome_open(broken)) {
      f.close();
      co_await pause_until(time_, time_->now() + *delay);
      if (over(a)) co_return;
      auto const before = parser.last_event_id();
      std::optional<time_source::time_point> opened;
      broken = co_await resume(a, parser, hopeless, opened);
      if (over(a) || a->answered) co_return;
      bool const brought = parser.last_event_id() != before;
      delay = opened ? backoff.ended(time_->now() - *opened, brought, chance(), parser.retry())
                     : backoff.failed(chance(), parser.retry());
    }
    failed(*a, std::move(broken));
  }

  // In its own session only.
  [[nodiscard]] bool may_resume(http_activity const& a, sansio::sse_parser const& parser) const {
    return !a.message.stateless && a.session == session_id_ && !parser.last_event_id().empty() && !parser.failed();
  }

  // Goes on with the stream of a POST by a GET. What ended it; hopeless, if trying again makes no sense.
  asio::awaitable<error> resume(activity a, sansio::sse_parser& parser, bool& hopeless,
                                std::optional<time_source::time_point>& opened) {
    fetch_type f(*engine_, *auth_, time_, stream_url_, stream_url_, "GET");
    f.sent = sent(*a);
    f.fields = [this, &a, &parser] { return stream_headers(*a, parser.last_event_id()); };
    f.ending = &closing_;
    f.authorizing = [this](bool begins) { authorizing(begins); };
    f.sent.in_session = !a->session.empty();
    f.timeouts.response(options_.send_timeout()).idle(http_timeouts::never);
    co_await f.run();
    if (over(a)) co_return error(errc::cancelled);
    if (f.verdict.what != action::stream) {
      // 409: the server has not seen yet that the stream broke.
      bool const busy = f.verdict.what == action::none && f.head().status == 409;
      hopeless = !busy && (f.verdict.what != action::fail || is_final(f.verdict.why));
      // Whatever stands in the way, the request itself was sent: what became of it is not known.
      std::string text = "the broken stream cannot be resumed";
      if (f.verdict.why) text += ": " + std::string(f.verdict.why.message());
      co_return f.verdict.why.with_code(make_error_code(errc::transport_failed)).with_message(std::move(text));
    }
    parser.restart();
    opened = time_->now();
    auto ended = co_await read_stream(a, f, parser);
    co_return ended;
  }

  // Lets what is no request get through; requests are not waited for.
  asio::awaitable<void> drain(time_source::time_point until) {
    auto const all = posts_;
    for (auto const& [number, a] : all) {
      if (a->message.id == 0) {
        limit(a, until - time_->now());
        continue;
      }
      finished(a);
      a->give_up();
    }
    if (posts_.empty()) co_return;
    drained_ = std::make_shared<gate>(executor_);
    auto const bound = open_later(drained_, until);
    co_await drained_->wait();
  }

  asio::awaitable<void> end_session(std::shared_ptr<gate> told) {
    auto const hold = this->shared_from_this();
    fetch_type f(*engine_, *auth_, time_, stream_url_, stream_url_, "DELETE");
    f.ending = &closing_;
    f.fields = [fields = delete_headers()] { return fields; };
    f.timeouts.connect(options_.close_wait()).response(options_.close_wait()).total(options_.close_wait());
    session_id_.clear();
    try {
      co_await f.run();
      co_await f.skip_body();
    } catch (...) {
      // 405, a refusal, no connection: the session ends without having been told.
    }
    told->open();
  }
};

/// The one way in, so that compiled mode can keep all of the above out of its users' sources.
template <class Engine, class Auth>
std::shared_ptr<http_session> make_http_session(http_url url, http_options options, asio::any_io_executor executor,
                                                inbox& in, std::shared_ptr<Engine> engine, std::shared_ptr<Auth> auth) {
  return std::make_shared<http_exchanges<Engine, Auth>>(std::move(url), std::move(options), std::move(executor), in,
                                                        std::move(engine), std::move(auth));
}

}  // namespace comcp::detail
