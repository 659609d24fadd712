// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages as lines over any Asio stream: the same framing as stdio has. How the stream comes to be is the
// connector's business.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/net/time_source.hpp>
#include <comcp/transport/stream_session.hpp>

namespace comcp {

/// Options of a byte_stream.
class stream_options {
 public:
  stream_options() = default;
  /// Longest line accepted from the peer, in bytes; a longer one closes with errc::limit_exceeded.
  stream_options& max_line(std::size_t bytes) { return max_line_ = bytes, *this; }
  /// Bounds of what waits to be written; beyond them send() says errc::queue_full.
  stream_options& queue(queue_limits limits) { return queue_ = limits, *this; }
  /// How long close() lets the queue drain.
  stream_options& close_wait(std::chrono::milliseconds wait) { return close_wait_ = wait, *this; }
  stream_options& time(std::shared_ptr<time_source> source) { return time_ = std::move(source), *this; }
  /// What info() says: a kind and an address without secrets.
  stream_options& label(std::string kind, std::string target) {
    return kind_ = std::move(kind), target_ = std::move(target), *this;
  }

  [[nodiscard]] std::size_t max_line() const noexcept { return max_line_; }
  [[nodiscard]] queue_limits const& queue() const noexcept { return queue_; }
  [[nodiscard]] std::chrono::milliseconds close_wait() const noexcept { return close_wait_; }
  [[nodiscard]] std::shared_ptr<time_source> time() const { return time_ ? time_ : steady_time(); }
  [[nodiscard]] std::string const& kind() const noexcept { return kind_; }
  [[nodiscard]] std::string const& target() const noexcept { return target_; }

 private:
  std::size_t max_line_ = jsonrpc::framer::default_max_line;
  queue_limits queue_;
  std::chrono::milliseconds close_wait_{1000};
  std::shared_ptr<time_source> time_;
  std::string kind_ = "stream";
  std::string target_;
};

namespace detail {

template <class Stream>
class byte_stream_session final : public stream_session<Stream> {
 public:
  byte_stream_session(asio::any_io_executor executor, Stream stream, inbox& in, stream_options const& options)
      : stream_session<Stream>(executor, std::move(stream), in, options.max_line(), options.queue()),
        time_(options.time()),
        flush_(time_->make_deadline(executor)),
        close_wait_(options.close_wait()) {}

  void start_close() override {
    if (this->closing()) return;
    this->begin_close();
    if (this->idle()) return this->later(&byte_stream_session::drained);
    give_up_later(error(errc::closed, "closed before everything was written"));
  }

 private:
  void reading_ended(error why) override {
    this->finish(this->closing() ? error(errc::closed, "closed by this side") : std::move(why));
  }

  // What the peer wrote before it stopped reading is still delivered.
  void writing_ended(error why) override { give_up_later(std::move(why)); }

  void drained() override {
    if (this->closing()) this->finish(error(errc::closed, "closed by this side"));
  }

  void released() noexcept override {
    flush_->disarm();
    stream_session<Stream>::released();
  }

  void give_up_later(error why) {
    flush_->arm(time_->now() + close_wait_, [weak = this->weak_from_this(), why = std::move(why)] {
      if (auto self = weak.lock()) static_cast<byte_stream_session&>(*self).finish(why);
    });
  }

  std::shared_ptr<time_source> time_;
  std::unique_ptr<deadline> flush_;
  std::chrono::milliseconds close_wait_;
};

}  // namespace detail

/// A transport over one Asio stream: anything with async_read_some, async_write_some and close(), used from
/// the executor on which open() ran. Construct it from a connected stream (it then opens once), or from a
/// connector, which open() calls each time.
template <class Stream>
class byte_stream {
 public:
  using connector = std::function<asio::awaitable<result<Stream>>()>;

  explicit byte_stream(Stream connected, stream_options options = stream_options())
      : state_(std::make_shared<state>(std::move(options))) {
    state_->connected = std::make_unique<Stream>(std::move(connected));
  }
  explicit byte_stream(connector connect, stream_options options = stream_options())
      : state_(std::make_shared<state>(std::move(options))) {
    state_->connect = std::move(connect);
  }
  byte_stream(byte_stream&&) noexcept = default;
  byte_stream& operator=(byte_stream&& other) noexcept {
    if (this != &other) {
      abort();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~byte_stream() { abort(); }

  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in) { return open_impl(state_, in); }

  result<void> send(outgoing message) {
    if (!state_->session) return error(errc::closed, "not open");
    return state_->session->send(std::move(message));
  }

  bool abandon(request_id id) noexcept { return state_->session && state_->session->abandon(id); }

  [[nodiscard]] asio::awaitable<void> close() { return detail::close_session(state_->session); }

  [[nodiscard]] transport_info info() const {
    transport_info out;
    out.kind = state_->options.kind();
    out.target = state_->options.target();
    if (state_->session) state_->session->describe(out);
    return out;
  }

 private:
  using session_type = detail::byte_stream_session<Stream>;

  struct state {
    explicit state(stream_options o) : options(std::move(o)) {}
    stream_options options;
    connector connect;
    std::unique_ptr<Stream> connected;
    std::shared_ptr<session_type> session;
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
    s->session = std::make_shared<session_type>(executor, std::move(*s->connected), in, s->options);
    s->connected.reset();
    s->session->start();
    co_return result<void>();
  }

  std::shared_ptr<state> state_;
};

}  // namespace comcp
