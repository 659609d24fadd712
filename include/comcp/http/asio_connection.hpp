// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One connection of an Asio engine and the exchange that is on it: what is still to be written, what was read, and the
// time by which something must come. Who reads, and the pool it rests in, are others'. Internal.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/error.hpp>

#include <comcp/http/asio_engine_options.hpp>
#include <comcp/http/exchange_clock.hpp>
#include <comcp/http/read_buffer.hpp>
#include <comcp/http/response_parser.hpp>
#include <comcp/result.hpp>

namespace comcp::http_detail {

/// The bytes of a request, and how many of them are sent.
struct request_text {
  std::string bytes;
  std::size_t sent = 0;

  [[nodiscard]] bool all_sent() const noexcept { return sent == bytes.size(); }
  [[nodiscard]] asio::const_buffer rest() const noexcept { return asio::buffer(bytes) + sent; }
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
  using time_point = time_source::time_point;

  asio_connection(std::unique_ptr<Stream> stream, std::shared_ptr<time_source> time)
      : stream_(std::move(stream)), clock_(std::move(time), stream_->get_executor(), [this] { late(); }) {}
  asio_connection(asio_connection const&) = delete;
  asio_connection& operator=(asio_connection const&) = delete;
  ~asio_connection() { close(); }

  [[nodiscard]] Stream& stream() noexcept { return *stream_; }

  /// Sends a request. What does not fit at once is written while the response is read: a server may answer early.
  void begin(std::string text, std::string_view method, response_limits const& limits, exchange_times const& times) {
    parser_ = response_parser(method, limits);
    text_ = {std::move(text)};
    in_.unread = {};
    status_ = 0;
    resting_ = nullptr;
    expecting_head_ = true;
    clock_.begin(times);
    if (write_now()) write_rest();
  }

  /// The next thing that the bytes read so far tell.
  progress advance() {
    if (failure_) return progress::failed;
    auto told = parser_.next(in_.unread);
    if (told == progress::more && end_ == ending::orderly) told = parser_.finish();
    if (told == progress::failed) fail(parser_.failure());
    if (told == progress::head) status_ = parser_.head().status;
    return told;
  }
  [[nodiscard]] http_response_head& head() noexcept { return parser_.head(); }
  [[nodiscard]] std::string_view piece() const noexcept { return parser_.body(); }
  [[nodiscard]] error const& failure() const noexcept { return failure_; }

  /// From now on a piece of the body must come in time.
  void expect_body() { clock_.expect_piece(parser_.event_stream()); }
  /// Where the next read goes. Precondition: advance() gave `more`.
  asio::mutable_buffer room() { return in_.room(); }
  /// The same for a body that is read whole.
  asio::mutable_buffer room(http_body& to, std::size_t most) { return in_.room(to, parser_.certain(), most); }
  /// What came of it.
  void received(std::error_code ec, std::size_t n) {
    if (failure_) return;
    in_.received(n);
    if (ec == asio::error::eof) {
      end_ = ending::orderly;
    } else if (ec == asio::error::operation_aborted) {
      fail(error(errc::cancelled));
    } else if (ec) {
      if (!parser_.started()) end_ = ending::broken;
      fail(with_status(error(errc::transport_failed, "the connection broke: " + ec.message())));
    }
  }
  /// Nobody waits for bytes now.
  void pause() {
    if (failure_) return;
    expecting_head_ = false;
    clock_.pause(parser_.event_stream());
  }

  /// Whether it broke before a byte of the response came, so that the server may have closed it while it rested.
  [[nodiscard]] bool ended_unanswered() const noexcept {
    return failure_ && !parser_.started() && end_ != ending::none;
  }
  /// A write that is pending may have sent something already.
  [[nodiscard]] bool nothing_sent() const noexcept { return text_.sent == 0 && !writing_; }
  /// The request, for another connection. This one is over.
  [[nodiscard]] std::string take_text() {
    if (writing_) return text_.bytes;  // the system may still look at it
    return std::move(text_.bytes);
  }

  /// Whether the exchange is over and the connection can have another one. What was read already counts.
  [[nodiscard]] bool settle() {
    // Forwarding proxies may pass on a second request as bytes of the first (tinyproxy), and do not say so.
    if (stream_->forwarded_by()) return false;
    auto told = progress::body;
    while (told == progress::body) told = advance();
    return told == progress::end && in_.unread.empty() && end_ == ending::none && text_.all_sent() &&
           parser_.keeps_connection();
  }
  /// How long the server keeps it, where it says so.
  [[nodiscard]] std::optional<std::chrono::seconds> keep_alive() const noexcept { return parser_.keep_alive(); }

  /// It waits in the pool until then.
  void rest(time_point until, asio_pool<Stream>& pool) {
    resting_ = &pool;
    text_ = {};
    in_.recycle();
    clock_.rest(until);
  }
  /// Whether it can still be used after its rest.
  [[nodiscard]] bool rested_well() { return !failure_ && !clock_.is_due() && stream_->quiet(); }

  void fail(error why) {
    if (failure_) return;
    failure_ = std::move(why);
    close();
  }
  void close() noexcept {
    clock_.stop();
    stream_->close();
  }

  asio_origin<Stream>* origin = nullptr;
  std::size_t place = 0;  ///< Among the pool's busy ones.

 private:
  enum class ending { none, orderly, broken };  // the last before a byte of the response

  /// False when nothing is left to be written.
  bool write_now() {
    if constexpr (requires(Stream& s, std::error_code& ec) { s.try_write(asio::const_buffer(), ec); }) {
      while (!text_.all_sent()) {
        std::error_code ec;
        text_.sent += stream_->try_write(text_.rest(), ec);
        if (ec == asio::error::would_block || ec == asio::error::try_again) return true;
        if (ec) return false;  // reading tells more
      }
    }
    return !text_.all_sent();
  }
  void write_rest() {
    writing_ = true;
    stream_->async_write_some(text_.rest(), [self = this->shared_from_this()](std::error_code ec, std::size_t n) {
      self->writing_ = false;
      self->wrote(ec, n);
    });
  }
  void wrote(std::error_code ec, std::size_t n) {
    text_.sent += n;
    if (failure_ || ec) return;
    if (expecting_head_) clock_.expect_head();
    if (write_now()) write_rest();
  }

  void late() {
    if (resting_ != nullptr) return resting_->expired(*this);
    fail(with_status(clock_.why()));
  }
  [[nodiscard]] error with_status(error e) const {
    if (status_ == 0) return e;
    transport_detail detail;
    detail.http_status = status_;
    return e.with_detail(std::move(detail));
  }

  std::unique_ptr<Stream> stream_;
  exchange_clock clock_;
  asio_pool<Stream>* resting_ = nullptr;  // it owns this then
  response_parser parser_;
  request_text text_;
  read_buffer in_;
  error failure_;
  int status_ = 0;
  ending end_ = ending::none;
  bool writing_ = false;
  bool expecting_head_ = false;
};

}  // namespace comcp::http_detail
