// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One exchange of an Asio engine: on a connection that is kept or on a new one, and when its request may go out twice.
// How to connect is the connector's, what bytes mean the parser's. Templates, so that only who uses HTTP compiles the
// coroutines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/this_coro.hpp>

#include <comcp/http/any_engine.hpp>
#include <comcp/http/asio_engine_options.hpp>
#include <comcp/http/asio_pool.hpp>
#include <comcp/http/connector.hpp>
#include <comcp/http/engine.hpp>
#include <comcp/http/request_writer.hpp>
#include <comcp/net/asio_compat.hpp>

namespace comcp {

/// A response of basic_asio_engine. Its pieces are views into the connection's buffer. Destroying it before its end
/// closes the connection, unless all of the body was here already.
template <class Stream>
class asio_response {
 public:
  asio_response() = default;  ///< Ended, as one that was moved from; co_spawn wants it.
  asio_response(http_response_head&& head, http_detail::asio_lease<Stream>&& lease)
      : head_(std::move(head)), lease_(std::move(lease)) {}

  [[nodiscard]] http_response_head const& head() const noexcept { return head_; }

  /// One call at a time; the response stays until it has ended. Errors as with every engine, and the same one again.
  asio::awaitable<result<std::string_view>> next() {
    auto const c = lease_.get();
    bool waiting = false;
    while (c) {
      auto const told = c->advance();
      if (told == progress::failed) co_return c->failure();  // this may be gone
      if (told == progress::body || told == progress::end) c->pause();
      if (told == progress::body) co_return c->piece();
      if (told == progress::end) break;
      if (!std::exchange(waiting, true)) c->expect_body();
      auto const [ec, n] = co_await c->stream().async_read_some(c->room(), net::tuple_awaitable);
      c->received(ec, n);
    }
    lease_.reset();
    co_return std::string_view();
  }

  /// For any_response: what is here of the body, and the rest of it once it has come, read to where it stays.
  std::optional<result<void>> take(http_body& to, std::size_t most) {
    while (auto const& c = lease_.get()) {
      auto const told = c->advance();
      if (told == progress::more) return std::nullopt;
      if (told == progress::failed) return result<void>(c->failure());
      if (told == progress::end) lease_.reset();
      if (told != progress::body) continue;
      if (to.size() + c->piece().size() > most) return result<void>(http_detail::body_too_long());
      to.append(c->piece());
    }
    return result<void>();
  }
  asio::awaitable<result<void>> read(http_body& to, std::size_t most) {
    auto const c = lease_.get();
    auto taken = take(to, most);
    for (auto before = SIZE_MAX; !taken;) {
      if (std::exchange(before, to.size()) != to.size()) c->expect_body();
      auto const [ec, n] = co_await c->stream().async_read_some(c->room(to, most), net::tuple_awaitable);
      c->received(ec, n);
      taken = take(to, most);
    }
    co_return std::move(*taken);
  }

 private:
  using progress = response_parser::progress;

  http_response_head head_;
  http_detail::asio_lease<Stream> lease_;
};

namespace http_detail {

/// A connection that is being made.
struct connect_attempt {
  explicit connect_attempt(asio::any_io_executor executor) : on(std::move(executor)) {}
  asio::any_io_executor on;
  asio::cancellation_signal signal;
  bool over = false;
};

/// What exchanges share, so that they need no engine. Used from one executor.
template <class Connector>
class asio_engine_core {
 public:
  using stream = typename Connector::stream;
  using pool = asio_pool<stream>;

  asio_engine_core(asio_engine_options o, Connector c)
      : options(std::move(o)),
        from(std::move(c)),
        time(options.time() ? options.time() : steady_time()),
        connections(std::make_shared<pool>(options, time)) {}

  void close() {
    connections->close();
    auto const open = std::move(connecting);
    // Posted: where an io_context is being destroyed, what would be cancelled may be gone already.
    for (auto const& attempt : open) {
      asio::post(attempt->on, [attempt] {
        if (!attempt->over) attempt->signal.emit(asio::cancellation_type::terminal);
      });
    }
  }

  [[nodiscard]] exchange_times times_of(http_timeouts const& asked) const {
    auto const& own = options.timeouts();
    exchange_times out;
    out.total_at = after(*time, asked.total().value_or(*own.total()));
    out.connect = asked.connect().value_or(*own.connect());
    out.response = asked.response().value_or(*own.response());
    out.idle = asked.idle().value_or(*own.idle());
    return out;
  }

  asio_engine_options options;
  Connector from;
  std::shared_ptr<time_source> time;
  std::shared_ptr<pool> connections;
  std::set<std::shared_ptr<connect_attempt>> connecting;
  common_lines common;  // of the last request
};

/// A new connection. It is made by a coroutine of its own, so that the engine's end can end it as well.
template <class Connector>
asio::awaitable<result<std::unique_ptr<typename Connector::stream>>> connect_for(
    std::shared_ptr<asio_engine_core<Connector>> core, http_url url, exchange_times times) {
  auto const on = co_await asio::this_coro::executor;
  auto const state = co_await asio::this_coro::cancellation_state;
  auto const attempt = std::make_shared<connect_attempt>(on);
  core->connecting.insert(attempt);
  if (state.slot().is_connected())
    state.slot().assign([attempt](asio::cancellation_type type) { attempt->signal.emit(type); });
  auto const at = comcp::detail::later(core->time->now(), times.connect);
  auto const until = std::min(at, times.total_at);
  auto made = core->from.connect(std::move(url), core->time, until, core->options.address_filter());
  auto [thrown, connected] = co_await asio::co_spawn(
      on, std::move(made), asio::bind_cancellation_slot(attempt->signal.slot(), net::tuple_awaitable));
  if (state.slot().is_connected()) state.slot().clear();
  attempt->over = true;
  core->connecting.erase(attempt);
  asio::post(on, [attempt] {});  // Asio looks at the slot after the work has ended
  if (core->connections->closed()) co_return error(errc::closed, "the HTTP engine is gone");
  if (thrown) std::rethrow_exception(thrown);
  if (!connected && connected.error() == errc::connect_timeout && times.total_at <= at)
    co_return connected.error().with_code(errc::exchange_timeout);
  if (connected) {
    std::error_code ignored;
    (*connected)->socket().non_blocking(true, ignored);
  }
  co_return std::move(connected);
}

/// Whether the body is copied behind the head, so that both go out at once.
inline bool has_short_body(http_request const& request) noexcept {
  return request.body.size() <= std::size_t{64} << 10;
}

template <class Stream>
std::string head_for(http_request const& request, std::string_view common_lines, Stream& stream) {
  proxy_form form;
  if (auto const* route = stream.forwarded_by()) {
    form.absolute = true;
    form.authorization = route->authorization().reveal();
  }
  return write_request_head(request, form, common_lines);
}

/// The bytes of a request as they go to this connection.
template <class Stream>
request_text text_for(http_request& request, std::string_view common_lines, Stream& stream) {
  request_text out;
  out.head = head_for(request, common_lines, stream);
  if (has_short_body(request)) {
    out.head += request.body;
  } else {
    out.body = std::move(request.body);
  }
  return out;
}

/// What failed, where the first attempt may have been seen by the server and there was no second one.
inline error const& told_of(error const& sent, error const& second) noexcept {
  bool const own = second == errc::cancelled || second == errc::closed;
  return sent && !own ? sent : second;
}

/// Whether a request may go out once more after what happened to it on a connection that had rested.
template <class Stream>
bool may_go_again(http_request const& request, asio_connection<Stream> const& c) {
  bool const twice = request.repeatable || is_idempotent(request.method);
  return c.ended_unanswered() && (twice || c.nothing_sent());
}

/// A request that went out on a connection which turned out dead.
struct lost_request {
  request_text text;
  error sent;  // how that failed, where the server may have seen it
  time_source::time_point total_at;
};

/// Response is asio_response or what can be made of one. What was lost is sent on a new connection.
template <class Response, class Connector>
asio::awaitable<result<Response>> exchange(std::shared_ptr<asio_engine_core<Connector>> core, http_request request,
                                           common_headers common, std::optional<lost_request> lost = std::nullopt) {
  using stream = typename Connector::stream;
  using progress = response_parser::progress;
  auto checked = check_request(request);
  if (!checked) co_return checked.error();
  auto times = core->times_of(request.timeouts);
  if (lost) times.total_at = lost->total_at;
  request_text text;
  error sent;  // how the first attempt failed, where the server may have seen it
  if (lost) text = std::move(lost->text), sent = std::move(lost->sent);
  for (bool again = lost.has_value();; again = true) {
    auto taken = core->connections->take(request.url, again);
    if (!taken) co_return told_of(sent, taken.error());
    auto lease = std::move(*taken);
    bool const rested = lease.get() != nullptr;
    if (!rested) {
      auto made = co_await connect_for(core, request.url, times);
      if (!made) co_return told_of(sent, made.error());
      lease.attach(std::make_shared<asio_connection<stream>>(std::move(*made), core->time));
    }
    auto& c = *lease.get();
    if (!again) {
      auto const lines = common ? core->common.of(common) : result<std::string_view>();
      if (!lines) co_return lines.error();
      text = text_for(request, *lines, c.stream());
    }
    c.begin(std::move(text), request.method, core->options.limits(), times);
    auto told = c.advance();
    while (told == progress::more) {
      auto const [ec, n] = co_await c.stream().async_read_some(c.room(), net::tuple_awaitable);
      c.received(ec, n);
      told = c.advance();
    }
    if (told != progress::failed) {
      c.pause();
      auto head = std::move(c.head());
      head.address = c.stream().server_address();
      co_return Response(asio_response<stream>(std::move(head), std::move(lease)));
    }
    if (!rested || !may_go_again(request, c)) co_return c.failure();
    if (!c.nothing_sent()) sent = c.failure();
    text = c.take_text();
  }
}

}  // namespace http_detail

}  // namespace comcp
