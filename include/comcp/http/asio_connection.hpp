// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One connection of an Asio engine and the exchange that is on it: what is still to be written, what was read, and the
// time by which something must come. The coroutines that read, and the pool it rests in, are others'. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/error.hpp>

#include <comcp/http/asio_engine_options.hpp>
#include <comcp/http/response_parser.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/result.hpp>

namespace comcp::http_detail {

using time_point = time_source::time_point;

/// `d` after `from`; the end of time where that is later than any.
inline time_point later(time_point from, std::chrono::nanoseconds d) noexcept {
  if (from == time_point::max() || d >= time_point::max() - from) return time_point::max();
  return from + std::chrono::duration_cast<time_point::duration>(d);
}

/// The bytes of a request, in two parts so that a long body is never copied.
struct request_text {
  std::string head, body;
};

/// The times of one exchange, all of them decided.
struct exchange_times {
  time_point total_at = time_point::max();
  std::chrono::nanoseconds connect{}, response{}, idle{};
};

template <class Stream>
struct asio_origin;
template <class Stream>
class asio_pool;

/// All members run on the stream's executor. close() and fail() are final. Writes that are pending keep it alive.
template <class Stream>
class asio_connection : public std::enable_shared_from_this<asio_connection<Stream>> {
 public:
  using progress = response_parser::progress;

  asio_connection(std::unique_ptr<Stream> stream, std::shared_ptr<time_source> time)
      : stream_(std::move(stream)), time_(std::move(time)) {}
  asio_connection(asio_connection const&) = delete;
  asio_connection& operator=(asio_connection const&) = delete;
  ~asio_connection() { close(); }

  [[nodiscard]] Stream& stream() noexcept { return *stream_; }

  /// Sends a request. What does not fit at once is written while the response is read: a server may answer early.
  void begin(request_text text, std::string_view method, response_limits const& limits, exchange_times const& times) {
    parser_ = response_parser(method, limits);
    text_ = std::move(text);
    times_ = times;
    unread_ = {};
    accepted_ = 0;
    status_ = 0;
    resting_ = nullptr;
    expecting_head_ = true;
    set_due(times_.response, errc::response_timeout, times_.total_at);
    if (write_now()) write_rest();
  }

  /// The next thing that the bytes read so far tell.
  progress advance() {
    if (failure_) return progress::failed;
    auto told = parser_.next(unread_);
    if (told == progress::more && ended_) told = parser_.finish();
    if (told == progress::failed) fail(parser_.failure());
    if (told == progress::head) status_ = parser_.head().status;
    return told;
  }
  [[nodiscard]] http_response_head& head() noexcept { return parser_.head(); }
  [[nodiscard]] std::string_view piece() const noexcept { return parser_.body(); }
  [[nodiscard]] error const& failure() const noexcept { return failure_; }

  /// From now on a piece of the body must come in time.
  void expect_body() { set_due(times_.idle, errc::idle_timeout, body_end()); }
  /// Where the next read goes. Precondition: advance() gave `more`.
  asio::mutable_buffer room() {
    bool const larger = full_ && capacity_ < last_size;
    if (!buffer_ || larger) {
      capacity_ = larger ? capacity_ * 4 : first_size;
      buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }
    full_ = false;
    return asio::mutable_buffer(buffer_.get(), capacity_);
  }
  /// What came of it.
  void received(std::error_code ec, std::size_t n) {
    if (failure_) return;
    full_ = n == capacity_;
    unread_ = std::string_view(buffer_.get(), n);
    if (ec == asio::error::eof) {
      ended_ = true;
    } else if (ec == asio::error::operation_aborted) {
      fail(error(errc::cancelled));
    } else if (ec) {
      broken_ = !parser_.started();
      fail(with_status(error(errc::transport_failed, "the connection broke: " + ec.message())));
    }
  }
  /// Nobody waits for bytes now.
  void pause() {
    if (failure_) return;
    expecting_head_ = false;
    due_ = body_end();
    why_ = errc::exchange_timeout;
    if (due_ < armed_) arm();
  }

  /// Whether it broke before a byte of the response came, so that the server may have closed it while it rested.
  [[nodiscard]] bool ended_unanswered() const noexcept { return failure_ && !parser_.started() && (ended_ || broken_); }
  /// A write that is pending may have sent something already.
  [[nodiscard]] bool nothing_sent() const noexcept { return accepted_ == 0 && !writing_; }
  /// The request, for another connection. This one is over.
  [[nodiscard]] request_text take_text() {
    if (writing_) return text_;  // the system may still look at it
    return std::move(text_);
  }

  /// Whether the exchange is over and the connection can have another one. What was read already counts.
  [[nodiscard]] bool settle() {
    // Forwarding proxies may pass on a second request as bytes of the first (tinyproxy), and do not say so.
    if (stream_->forwarded_by()) return false;
    auto told = progress::body;
    while (told == progress::body) told = advance();
    return told == progress::end && unread_.empty() && !ended_ && all_sent() && parser_.keeps_connection();
  }
  /// How long the server keeps it, where it says so.
  [[nodiscard]] std::optional<std::chrono::seconds> keep_alive() const noexcept { return parser_.keep_alive(); }

  /// It waits in the pool until then.
  void rest(time_point until, asio_pool<Stream>& pool) {
    resting_ = &pool;
    text_ = request_text();
    if (capacity_ > first_size) capacity_ = 0, buffer_.reset();
    due_ = until;
    if (due_ < armed_) arm();
  }
  /// Whether it can still be used after its rest.
  [[nodiscard]] bool rested_well(time_point now) { return !failure_ && due_ > now && stream_->quiet(); }

  void fail(error why) {
    if (failure_) return;
    failure_ = std::move(why);
    close();
  }
  void close() noexcept {
    due_ = armed_ = time_point::max();
    alarm_.reset();
    stream_->close();
  }

  asio_origin<Stream>* origin = nullptr;
  std::size_t place = 0;  ///< Among the pool's busy ones.

 private:
  static constexpr std::size_t first_size = std::size_t{4} << 10;
  static constexpr std::size_t last_size = std::size_t{64} << 10;

  [[nodiscard]] bool all_sent() const noexcept { return accepted_ == text_.head.size() + text_.body.size(); }
  [[nodiscard]] asio::const_buffer to_send() const noexcept {
    auto const head = text_.head.size();
    if (accepted_ < head) return asio::buffer(text_.head) + accepted_;
    return asio::buffer(text_.body) + (accepted_ - head);
  }

  /// False when nothing is left to be written.
  bool write_now() {
    if constexpr (requires(Stream& s, std::error_code& ec) { s.try_write(asio::const_buffer(), ec); }) {
      while (!all_sent()) {
        std::error_code ec;
        accepted_ += stream_->try_write(to_send(), ec);
        if (ec == asio::error::would_block || ec == asio::error::try_again) return true;
        if (ec) return false;  // reading tells more
      }
    }
    return !all_sent();
  }
  void write_rest() {
    writing_ = true;
    stream_->async_write_some(to_send(), [self = this->shared_from_this()](std::error_code ec, std::size_t n) {
      self->writing_ = false;
      self->wrote(ec, n);
    });
  }
  void wrote(std::error_code ec, std::size_t n) {
    accepted_ += n;
    if (failure_ || ec) return;
    if (expecting_head_) set_due(times_.response, errc::response_timeout, times_.total_at);
    if (write_now()) write_rest();
  }

  [[nodiscard]] time_point body_end() const noexcept {
    return parser_.event_stream() ? time_point::max() : times_.total_at;
  }
  void set_due(std::chrono::nanoseconds wait, errc why, time_point total) {
    auto const at = later(time_->now(), wait);
    why_ = total < at ? errc::exchange_timeout : why;
    due_ = std::min(at, total);
    if (due_ < armed_) arm();
  }
  // Arming costs more than looking at a clock: an alarm that is early finds out and sets itself again.
  void arm() {
    if (!alarm_) alarm_ = time_->make_deadline(stream_->get_executor());
    armed_ = due_;
    alarm_->arm(armed_, [this] { on_alarm(); });
  }
  void on_alarm() {
    armed_ = time_point::max();
    if (due_ == time_point::max()) return;
    if (due_ > time_->now()) return arm();
    if (resting_ != nullptr) return resting_->expired(*this);
    fail(with_status(error(why_, text_of(why_))));
  }
  static char const* text_of(errc why) {
    if (why == errc::response_timeout) return "no response began in time";
    if (why == errc::idle_timeout) return "the response stopped coming";
    return "the exchange took too long";
  }
  [[nodiscard]] error with_status(error e) const {
    if (status_ == 0) return e;
    transport_detail detail;
    detail.http_status = status_;
    return e.with_detail(std::move(detail));
  }

  std::unique_ptr<Stream> stream_;
  std::shared_ptr<time_source> time_;
  std::unique_ptr<deadline> alarm_;
  asio_pool<Stream>* resting_ = nullptr;  // it owns this then
  response_parser parser_;
  request_text text_;
  exchange_times times_;
  std::unique_ptr<char[]> buffer_;
  std::string_view unread_;
  std::size_t capacity_ = 0;
  std::size_t accepted_ = 0;
  time_point due_ = time_point::max();
  time_point armed_ = time_point::max();
  error failure_;
  errc why_ = errc::exchange_timeout;
  int status_ = 0;
  bool full_ = false;
  bool ended_ = false;
  bool broken_ = false;
  bool writing_ = false;
  bool expecting_head_ = false;
};

}  // namespace comcp::http_detail
