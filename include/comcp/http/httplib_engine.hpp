// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An engine over cpp-httplib, for its TLS backends, proxies and decompression. Opt-in: comcp.hpp does not include it.
// The engine keeps deadlines and limits; what is good HTTP, cpp-httplib decides.
#pragma once

#if defined(_WIN32)
#error "comcp: httplib_engine is not there for Windows: use asio_engine, which is the default."
#endif

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>

#include <comcp/http/engine.hpp>
#include <comcp/http/impl/httplib_engine_exchange.hpp>
#include <comcp/http/impl/httplib_engine_worker.hpp>
#include <comcp/http/request_writer.hpp>
#include <comcp/http/response_parser.hpp>
#include <comcp/later.hpp>

namespace comcp {

class httplib_engine_options {
 public:
  httplib_engine_options() {}
  /// What a request's own timeouts leave open: connect 10 s, response 5 min, idle 5 min, total never.
  httplib_engine_options& timeouts(http_timeouts const& t) { return settings_.timeouts = t, *this; }
  /// Headers and head are counted after cpp-httplib has read them, the length of a line is its own limit (8 KiB).
  httplib_engine_options& limits(response_limits const& l) { return settings_.limits = l, *this; }
  /// Connections to one origin that are kept without an exchange: 64.
  httplib_engine_options& max_idle(std::size_t n) { return settings_.max_idle = n, *this; }
  /// How long they are kept: 90 s.
  httplib_engine_options& idle_expiry(std::chrono::nanoseconds d) { return settings_.idle_expiry = d, *this; }
  /// Called with each client (an SSLClient for https) before each request, on a thread of the engine, several at
  /// once: CA files, client certificates, proxies, set_decompress(true). What is not set is cpp-httplib's own default.
  httplib_engine_options& configure(std::function<void(httplib::ClientImpl&)> f) {
    return settings_.configure = std::move(f), *this;
  }

  [[nodiscard]] httplib_detail::engine_settings const& settings() const noexcept { return settings_; }

 private:
  httplib_detail::engine_settings settings_;
};

/// The engine over cpp-httplib 0.11 or newer. Link it, with the defines of its package (pkg-config cpp-httplib).
///
/// A request whose kept connection turns out dead goes out once more where it may arrive twice: it says so
/// (`repeatable`), or its method is idempotent.
///
/// A thread per exchange in flight, without a bound: a bounded number of threads could wait for each other through a
/// server that asks back. Signals are blocked in them. Destroying the engine ends every exchange with errc::closed and
/// waits for the threads, at most a second. An execution context may be destroyed while exchanges are open.
///
/// Weaker than asio_engine, as cpp-httplib decides it:
/// - A malformed response is errc::transport_failed like a broken connection, or is accepted: repeated and odd
///   Content-Length, Transfer-Encoding beside it, malformed header lines, folded lines. 0.11 takes anything but CRLF
///   behind a chunk, the connection's end too, for the end of the body, and trailers for an error.
/// - A kept connection that breaks within the head of a response counts as one without an answer: the request goes out
///   once more where it may arrive twice.
/// - Interim responses other than 100 are errc::protocol_violation.
/// - Requests have Accept and User-Agent where the caller set none. Fields of different names may change their order,
///   and 0.11 decodes percent-escapes in the values of response headers.
/// - The number of header lines is bounded by the response's timeout only (in 0.11).
/// - For a request without a body, 0.11 does not say when it was sent: the time to connect counts as the response's.
/// - Later versions of cpp-httplib repeat a request over TLS whose connection the server closed while it was written.
///   They get the body of a request that must not arrive twice only once.
class httplib_engine {
 public:
  class response {
   public:
    [[nodiscard]] http_response_head const& head() const noexcept { return head_; }
    [[nodiscard]] asio::awaitable<result<std::string_view>> next() { return httplib_engine::next(front_); }

   private:
    friend httplib_engine;
    response(http_response_head head, std::shared_ptr<httplib_detail::front> f)
        : head_(std::move(head)), front_(std::move(f)) {}

    http_response_head head_;
    std::shared_ptr<httplib_detail::front> front_;
  };

  explicit httplib_engine(httplib_engine_options const& options = httplib_engine_options())
      : pool_(std::make_shared<httplib_detail::pool>(options.settings())) {}
  httplib_engine(httplib_engine&&) noexcept = default;
  httplib_engine& operator=(httplib_engine&& other) noexcept {
    if (this != &other) {
      if (pool_) pool_->close();
      pool_ = std::move(other.pool_);
    }
    return *this;
  }
  ~httplib_engine() {
    if (pool_) pool_->close();
  }

  [[nodiscard]] asio::awaitable<result<response>> open(http_request request) { return open(pool_, std::move(request)); }

 private:
  using front = httplib_detail::front;
  using time_point = httplib_detail::time_point;

  static http_timeouts all_set(http_timeouts asked, http_timeouts const& own) {
    auto const pick = [](auto const& a, auto const& b, std::chrono::nanoseconds c) { return a ? *a : b.value_or(c); };
    return asked.connect(pick(asked.connect(), own.connect(), std::chrono::seconds(10)))
        .response(pick(asked.response(), own.response(), std::chrono::minutes(5)))
        .idle(pick(asked.idle(), own.idle(), std::chrono::minutes(5)))
        .total(pick(asked.total(), own.total(), http_timeouts::never));
  }

  static result<void> start(std::shared_ptr<httplib_detail::exchange> x, std::shared_ptr<httplib_detail::pool> pool,
                            http_request request) {
    auto work = std::make_shared<httplib_detail::worker>(x, pool, std::move(request));
    try {
      if (pool->start(x, pool, [work] { work->run(); })) return {};
      return error(errc::closed, "the engine was destroyed");
    } catch (std::system_error const&) {
      return error(errc::connect_failed, "no thread for the exchange");
    }
  }

  /// What is late, if anything, and otherwise the next time to ask.
  static std::optional<error> late(front& f, time_point started, http_timeouts const& t, time_point& until) {
    auto const now = std::chrono::steady_clock::now();
    if (now >= f.total_until) return error(errc::exchange_timeout, "the exchange took too long");
    auto const connected_by = detail::later(started, *t.connect());
    auto const waits = f->waits_for();
    auto const answered_by = waits.since ? detail::later(*waits.since, *t.response()) : time_point::max();
    if (waits.connection && now >= connected_by) return error(errc::connect_timeout, "no connection in time");
    if (!waits.connection && now >= answered_by) return error(errc::response_timeout, "no response in time");
    until = waits.connection ? connected_by : time_point::max();
    if (answered_by > now) until = std::min(until, answered_by);
    until = std::min(until, f.total_until);
    return {};
  }

  static asio::awaitable<result<response>> open(std::shared_ptr<httplib_detail::pool> pool, http_request request) {
    auto const checked = check_request(request);
    if (!checked) co_return checked.error();
    auto const executor = co_await asio::this_coro::executor;
    auto const started = std::chrono::steady_clock::now();
    auto const timeouts = all_set(request.timeouts, pool->settings().timeouts);
    request.timeouts = timeouts;
    auto const f = front::make(executor);
    f->total_until = detail::later(started, *timeouts.total());
    f->idle = *timeouts.idle();
    auto const running = start(f->shared(), pool, std::move(request));
    if (!running) co_return running.error();
    for (;;) {
      auto head = f->shared()->take_head();
      if (head && !*head) co_return head->error();
      if (head) {
        if (has_media_type((*head)->headers, "text/event-stream")) f->total_until = time_point::max();
        co_return response(std::move(**head), f);
      }
      time_point until;
      auto why = late(*f, started, timeouts, until);
      if (why) {
        f->shared()->stop(std::move(*why));
      } else {
        co_await front::wait(f, until);
      }
    }
  }

  static asio::awaitable<result<std::string_view>> next(std::shared_ptr<front> f) {
    auto const idle_until = detail::later(std::chrono::steady_clock::now(), f->idle);
    auto const until = std::min(idle_until, f->total_until);
    for (;;) {
      std::optional<error> failure;
      bool const known = f->shared()->take_piece(f->piece, failure);
      if (known && failure) co_return std::move(*failure);
      if (known) co_return std::string_view(f->piece);
      if (std::chrono::steady_clock::now() >= until) {
        bool const idle = idle_until < f->total_until;
        f->shared()->stop(idle ? error(errc::idle_timeout, "the body stopped coming")
                               : error(errc::exchange_timeout, "the exchange took too long"));
      } else {
        co_await front::wait(f, until);
      }
    }
  }

  std::shared_ptr<httplib_detail::pool> pool_;
};

static_assert(engine<httplib_engine>);

}  // namespace comcp
