// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What byte_stream and message_transport have in common: options, how they open, and that they end abruptly when
// destroyed. Internal, but for stream_options.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>

#include <comcp/jsonrpc/framing.hpp>
#include <comcp/later.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/timespan.hpp>
#include <comcp/transport/message_queue.hpp>
#include <comcp/transport/session_life.hpp>

namespace comcp {

/// Options of a byte_stream and of a message_transport.
class stream_options {
 public:
  stream_options() = default;
  /// Longest line, or message, accepted from the peer, in bytes; a longer one closes with errc::limit_exceeded.
  stream_options& max_line(std::size_t bytes) { return max_line_ = bytes, *this; }
  /// Bounds of what waits to be written; beyond them send() says errc::queue_full.
  stream_options& queue(queue_limits limits) { return queue_ = limits, *this; }
  /// How long close() lets the queue drain, and the stream say goodbye (default 1 s).
  stream_options& close_wait(timespan wait) { return close_wait_ = wait, *this; }
  stream_options& time(std::shared_ptr<time_source> source) { return time_ = std::move(source), *this; }
  /// What info() says: a kind and an address without secrets.
  stream_options& label(std::string kind, std::string target) {
    return kind_ = std::move(kind), target_ = std::move(target), *this;
  }

  [[nodiscard]] std::size_t max_line() const noexcept { return max_line_; }
  [[nodiscard]] queue_limits const& queue() const noexcept { return queue_; }
  [[nodiscard]] std::chrono::nanoseconds close_wait() const noexcept { return close_wait_; }
  [[nodiscard]] std::shared_ptr<time_source> time() const { return time_ ? time_ : steady_time(); }
  [[nodiscard]] std::string const& kind() const noexcept { return kind_; }
  [[nodiscard]] std::string const& target() const noexcept { return target_; }

 private:
  std::size_t max_line_ = jsonrpc::framer::default_max_line;
  queue_limits queue_;
  std::chrono::nanoseconds close_wait_ = std::chrono::seconds(1);
  std::shared_ptr<time_source> time_;
  std::string kind_ = "stream";
  std::string target_;
};

namespace detail {

/// How long a session may take to close.
class closing_wait {
 public:
  closing_wait(asio::any_io_executor const& executor, stream_options const& options)
      : time_(options.time()), alarm_(time_->make_deadline(executor)), wait_(options.close_wait()) {}

  void arm(std::function<void()> end) { alarm_->arm(later(time_->now(), wait_), std::move(end)); }
  void disarm() noexcept { alarm_->disarm(); }

 private:
  std::shared_ptr<time_source> time_;
  std::unique_ptr<deadline> alarm_;
  std::chrono::nanoseconds wait_;
};

/// A transport that is one Session over one Stream at a time.
template <class Stream, class Session>
class session_transport {
 public:
  using connector = std::function<asio::awaitable<result<Stream>>()>;

  explicit session_transport(Stream connected, stream_options options = stream_options())
      : state_(std::make_shared<state>(std::move(options))) {
    state_->connected = std::make_unique<Stream>(std::move(connected));
  }
  explicit session_transport(connector connect, stream_options options = stream_options())
      : state_(std::make_shared<state>(std::move(options))) {
    state_->connect = std::move(connect);
  }
  session_transport(session_transport&&) noexcept = default;
  session_transport& operator=(session_transport&& other) noexcept {
    if (this != &other) {
      abort();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~session_transport() { abort(); }

  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in) { return open_impl(state_, in); }

  result<void> send(outgoing message) {
    if (!state_->session) return error(errc::closed, "not open");
    return state_->session->send(std::move(message));
  }

  bool abandon(request_id id) noexcept { return state_->session && state_->session->abandon(id); }

  [[nodiscard]] asio::awaitable<void> close() { return close_session(state_->session); }

  [[nodiscard]] transport_info info() const {
    transport_info out;
    out.kind = state_->options.kind();
    out.target = state_->options.target();
    if (state_->session) state_->session->describe(out);
    return out;
  }

 private:
  struct state {
    explicit state(stream_options o) : options(std::move(o)) {}
    stream_options options;
    connector connect;
    std::unique_ptr<Stream> connected;
    std::shared_ptr<Session> session;
    bool gone = false;
  };

  void abort() noexcept {
    if (!state_) return;
    state_->gone = true;
    if (state_->session) state_->session->abort();
  }

  static asio::awaitable<result<void>> open_impl(std::shared_ptr<state> s, inbox& in) {
    auto executor = co_await asio::this_coro::executor;
    if (s->session && !s->session->done()) co_return error(errc::connect_failed, "already open");
    if (!s->connect && !s->connected) co_return error(errc::connect_failed, "this stream was used already");
    if (s->connect) {
      result<Stream> got = co_await s->connect();
      if (!got) co_return got.error();
      s->connected = std::make_unique<Stream>(std::move(*got));
    }
    if (s->gone) co_return error(errc::closed, "destroyed while opening");
    s->session = std::make_shared<Session>(executor, std::move(*s->connected), in, s->options);
    s->connected.reset();
    s->session->start();
    co_return result<void>();
  }

  std::shared_ptr<state> state_;
};

}  // namespace detail
}  // namespace comcp
