// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One exchange of an Asio engine, up to the head of its response: on a connection that is kept or on a new one, and
// when its request may go out twice. How to connect is the connector's, what bytes mean the parser's. No coroutine, so
// that a call which waits for its answer is one handler. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/cancellation_state.hpp>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/http/any_engine.hpp>
#include <comcp/http/asio_engine_options.hpp>
#include <comcp/http/asio_pool.hpp>
#include <comcp/http/asio_response.hpp>
#include <comcp/http/connector.hpp>
#include <comcp/http/engine.hpp>
#include <comcp/http/request_writer.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::http_detail {

/// A connection that is being made.
struct connect_attempt {
  connect_attempt(asio::any_io_executor executor, time_source::time_point at) : on(std::move(executor)), until(at) {}
  asio::any_io_executor on;
  time_source::time_point until;
  asio::cancellation_signal signal;
  bool begun = false, over = false;
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

  [[nodiscard]] time_source::time_point total_of(http_timeouts const& asked) const {
    return after(*time, asked.total().value_or(*options.timeouts().total()));
  }
  [[nodiscard]] exchange_times times_of(http_timeouts const& asked, time_source::time_point total_at) const {
    auto const& own = options.timeouts();
    exchange_times out;
    out.total_at = total_at;
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

/// The bytes of a request as they go to this connection.
template <class Stream>
std::string text_for(http_request const& request, std::string_view common_lines, Stream& stream) {
  proxy_form form;
  if (auto const* route = stream.forwarded_by()) {
    form.absolute = true;
    form.authorization = route->authorization().reveal();
  }
  return write_request_head(request, form, common_lines) + request.body;
}

/// What failed, where the first attempt may have been seen by the server and there was no second one.
inline error const& told_of(error const& sent, error const& second) noexcept {
  bool const own = second == errc::cancelled || second == errc::closed;
  return sent && !own ? sent : second;
}

/// A request that went out on a connection which turned out dead.
struct lost_request {
  std::string text;
  error sent;  // how that failed, where the server may have seen it
};

/// The handler of what is pending: a connection that is made, or a read. The sink keeps the request until it is told
/// what came, which is a Sink::response.
template <class Connector, class Sink>
class asio_exchange {
 public:
  using core = asio_engine_core<Connector>;
  using stream = typename Connector::stream;
  using response = typename Sink::response;
  using cancellation_slot_type = asio::cancellation_slot;

  /// The sink is told once, on `on`, and never from in here.
  static void start(std::shared_ptr<core> with, asio::any_io_executor const& on, http_request const& request,
                    common_headers const& common, asio::cancellation_slot slot, std::shared_ptr<Sink> to) {
    asio_exchange first(std::move(with), request, common, slot, to);
    auto failed = first.step([&]() -> outcome {
      auto const checked = check_request(request);
      if (!checked) return checked.error();
      return first.set_out(on);
    });
    if (!failed) return;
    first.to_.reset();
    comcp::detail::post(on, [to = std::move(to), why = failed->error()] { to->came(why); });
  }

  asio_exchange(asio_exchange&&) noexcept = default;
  asio_exchange& operator=(asio_exchange&&) = delete;
  // Where the io_context is destroyed, nothing may reach for the connection through the slot, or for the io_context.
  ~asio_exchange() {
    if (attempt_) core_->connecting.erase(attempt_);
    if constexpr (Sink::keeps_signal)
      if (to_) slot_.clear();
  }

  /// Bytes came, or the connection's end.
  void operator()(std::error_code ec, std::size_t n) {
    tell([&] { return received(ec, n); });
  }
  /// A connection was made.
  void operator()(std::exception_ptr thrown, result<std::unique_ptr<stream>> made) {
    if (attempt_->begun) return tell([&] { return connected(std::move(thrown), std::move(made)); });
    auto const on = attempt_->on;  // some connectors never wait
    asio::post(on, [self = std::move(*this), thrown = std::move(thrown), made = std::move(made)]() mutable {
      self.tell([&] { return self.connected(std::move(thrown), std::move(made)); });
    });
  }

  [[nodiscard]] asio::cancellation_slot get_cancellation_slot() const noexcept { return slot_; }

 private:
  using outcome = std::optional<result<response>>;  // nothing while it goes on, in another handler

  asio_exchange(std::shared_ptr<core> with, http_request const& request, common_headers const& common,
                asio::cancellation_slot slot, std::shared_ptr<Sink> to)
      : core_(std::move(with)),
        request_(&request),
        common_(common),
        total_at_(core_->total_of(request.timeouts)),
        slot_(slot),
        to_(std::move(to)) {}

  template <class Step>
  static outcome step(Step take) {
    try {
      return take();
    } catch (...) {
      return comcp::detail::current_error();
    }
  }
  template <class Step>
  void tell(Step take) {
    auto const to = to_;
    slot_.clear();
    auto came = step(take);
    if (!came) return;
    lease_.reset();  // who is told may ask again at once
    to_.reset();
    to->came(std::move(*came));
  }

  [[nodiscard]] exchange_times times() const { return core_->times_of(request_->timeouts, total_at_); }

  outcome set_out(asio::any_io_executor const& on) {
    auto taken = core_->connections->take(request_->url, lost_ != nullptr);
    if (!taken) return told_of(sent(), taken.error());
    lease_ = std::move(*taken);
    rested_ = lease_.get() != nullptr;
    if (rested_) return send();
    connect(on);
    return std::nullopt;
  }

  /// By a coroutine of its own, so that the engine's end can end it as well.
  void connect(asio::any_io_executor const& on) {
    auto const until = comcp::detail::later(core_->time->now(), times().connect);
    attempt_ = std::make_shared<connect_attempt>(on, until);
    core_->connecting.insert(attempt_);
    if (slot_.is_connected())
      slot_.assign([attempt = attempt_](asio::cancellation_type type) { attempt->signal.emit(type); });
    auto made =
        core_->from.connect(request_->url, core_->time, std::min(until, total_at_), core_->options.address_filter());
    auto const attempt = attempt_;
    asio::co_spawn(on, std::move(made), asio::bind_cancellation_slot(attempt->signal.slot(), std::move(*this)));
    attempt->begun = true;
  }

  outcome connected(std::exception_ptr thrown, result<std::unique_ptr<stream>> made) {
    auto const attempt = std::exchange(attempt_, nullptr);
    attempt->over = true;
    core_->connecting.erase(attempt);
    asio::post(attempt->on, [attempt] {});  // Asio looks at the slot after the work has ended
    if (core_->connections->closed()) return error(errc::closed, "the HTTP engine is gone");
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (...) {
      made = comcp::detail::current_error();
    }
    if (!made && made.error() == errc::connect_timeout && total_at_ <= attempt->until)
      made = made.error().with_code(errc::exchange_timeout);
    if (made && !to_->is_waiting()) made = error(errc::cancelled);
    if (!made) return told_of(sent(), made.error());
    std::error_code ignored;
    (*made)->socket().non_blocking(true, ignored);
    lease_.attach(std::make_shared<asio_connection<stream>>(std::move(*made), core_->time));
    return send();
  }

  outcome send() {
    auto& c = *lease_.get();
    std::string text;
    if (lost_) {
      text = std::move(lost_->text);
    } else {
      auto const lines = common_ ? core_->common.of(common_) : result<std::string_view>();
      if (!lines) return lines.error();
      text = text_for(*request_, *lines, c.stream());
    }
    c.begin(std::move(text), request_->method, core_->options.limits(), times());
    return read();
  }

  outcome read() {
    auto const c = lease_.get();
    auto const room = c->room();
    c->stream().async_read_some(room, std::move(*this));
    return std::nullopt;
  }

  outcome received(std::error_code ec, std::size_t n) {
    using progress = response_parser::progress;
    auto& c = *lease_.get();
    if (!to_->is_waiting()) c.fail(error(errc::cancelled));
    c.received(ec, n);
    auto const told = c.advance();
    if (told == progress::more) return read();
    if (told == progress::failed) return failed();
    c.pause();
    c.head().address = c.stream().server_address();
    return response(asio_response<stream>(std::move(c.head()), std::move(lease_)));
  }

  // Once more, on a new connection, where that is safe.
  outcome failed() {
    auto const c = lease_.get();
    bool const twice = request_->repeatable || is_idempotent(request_->method);
    lease_.reset();
    if (!rested_ || !c->ended_unanswered() || !(twice || c->nothing_sent())) return c->failure();
    lost_ = std::make_unique<lost_request>();
    if (!c->nothing_sent()) lost_->sent = c->failure();
    lost_->text = c->take_text();
    return set_out(c->stream().get_executor());
  }

  [[nodiscard]] error sent() const { return lost_ ? lost_->sent : error(); }

  std::shared_ptr<core> core_;
  asio_lease<stream> lease_;
  std::shared_ptr<connect_attempt> attempt_;
  http_request const* request_;
  common_headers common_;
  std::unique_ptr<lost_request> lost_;
  time_source::time_point total_at_;
  asio::cancellation_slot slot_;
  std::shared_ptr<Sink> to_;
  bool rested_ = false;  // the connection, so that the server may have closed it
};

/// The sink of a coroutine, which keeps the request.
template <class Response, class Handler>
class awaiting_sink {
 public:
  using response = Response;
  static constexpr bool keeps_signal = false;

  awaiting_sink(Handler handler, asio::cancellation_state state)
      : handler_(std::move(handler)), state_(state), before_(state.cancelled()) {}
  void came(result<Response> r) { std::move(handler_)(std::move(r)); }
  [[nodiscard]] bool is_waiting() const noexcept { return state_.cancelled() == before_; }
  [[nodiscard]] asio::cancellation_slot slot() const noexcept {
    return asio::get_associated_cancellation_slot(handler_);
  }

 private:
  Handler handler_;
  asio::cancellation_state state_;
  asio::cancellation_type before_;  // some clean up after a cancellation
};

/// Response is asio_response, or any_response of it.
template <class Response, class Connector>
asio::awaitable<result<Response>> exchange(std::shared_ptr<asio_engine_core<Connector>> core, http_request request,
                                           common_headers common) {
  auto const on = co_await asio::this_coro::executor;
  auto const state = co_await asio::this_coro::cancellation_state;
  auto const start = [&](auto handler) {
    using sink = awaiting_sink<Response, decltype(handler)>;
    auto to = std::make_shared<sink>(std::move(handler), state);
    asio_exchange<Connector, sink>::start(core, on, request, common, to->slot(), to);
  };
  auto opening =
      asio::async_initiate<asio::use_awaitable_t<> const, void(result<Response>)>(start, asio::use_awaitable);
  auto came = co_await std::move(opening);
  co_return std::move(came);
}

}  // namespace comcp::http_detail
