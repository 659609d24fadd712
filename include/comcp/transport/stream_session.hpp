// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One open stream of lines: one reader, one write queue. What the end of either means is decided by what
// derives from it (byte_stream, stdio).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/bind_executor.hpp>
#include <asio/buffer.hpp>
#include <asio/defer.hpp>
#include <asio/error.hpp>
#include <asio/steady_timer.hpp>

#include <comcp/jsonrpc/framing.hpp>
#include <comcp/net/asio_compat.hpp>
#include <comcp/transport/transport.hpp>
#include <comcp/transport/write_queue.hpp>

namespace comcp::detail {

/// Buffers of one gathered write, by reference: cheap for Asio to copy.
class buffer_range {
 public:
  using value_type = asio::const_buffer;
  using const_iterator = asio::const_buffer const*;

  explicit buffer_range(std::span<asio::const_buffer const> buffers) : buffers_(buffers) {}
  [[nodiscard]] const_iterator begin() const noexcept { return buffers_.data(); }
  [[nodiscard]] const_iterator end() const noexcept { return buffers_.data() + buffers_.size(); }

 private:
  std::span<asio::const_buffer const> buffers_;
};

/// A stream that writes what fits at once, and says would_block for the rest.
template <class Stream>
concept writes_at_once = requires(Stream& s, std::error_code& ec, buffer_range buffers) {
  s.non_blocking(true, ec);
  { s.write_some(buffers, ec) } -> std::convertible_to<std::size_t>;
};

/// Pending handlers keep it alive. All members run on its executor. After abort() or finish() the inbox is not
/// called again; since each call of the inbox may end in either, every such call is followed by a look at it.
template <class Stream>
class stream_session : public std::enable_shared_from_this<stream_session<Stream>> {
 public:
  stream_session(asio::any_io_executor executor, Stream stream, inbox& in, std::size_t max_line, queue_limits limits)
      : executor_(std::move(executor)),
        stream_(std::move(stream)),
        inbox_(&in),
        framer_(max_line),
        queue_(limits),
        closed_signal_(executor_, asio::steady_timer::time_point::max()) {}
  stream_session(stream_session const&) = delete;
  stream_session& operator=(stream_session const&) = delete;
  virtual ~stream_session() = default;

  void start() {
    if constexpr (writes_at_once<Stream>) {
      std::error_code ec;
      stream_.non_blocking(true, ec);
      at_once_ = !ec;
    }
    read();
  }

  result<void> send(outgoing&& message) {
    if (inbox_ == nullptr || refusing_) return error(errc::closed, "the channel is closed");
    auto accepted = queue_.push(std::move(message));
    if (accepted && !writing_ && !write_scheduled_ && !delivering_) schedule_write();
    return accepted;
  }

  bool abandon(request_id id) noexcept { return inbox_ != nullptr && queue_.abandon(id); }

  /// Begins a graceful close; finish() follows, never from inside this call.
  virtual void start_close() = 0;

  /// Ends at once and silently.
  void abort() noexcept {
    inbox_ = nullptr;
    release();
  }

  [[nodiscard]] bool done() const noexcept { return inbox_ == nullptr; }
  [[nodiscard]] asio::steady_timer& closed_signal() noexcept { return closed_signal_; }

  virtual void describe(transport_info& out) const {
    out.unfinished = framer_.unfinished().substr(0, 256);
    out.messages_in = framer_.statistics().messages;
    out.bytes_in = framer_.statistics().bytes;
    out.messages_out = messages_out_;
    out.bytes_out = bytes_out_;
  }

 protected:
  /// No more lines will come: end of stream, a failure, or a line over the limit.
  virtual void reading_ended(error why) = 0;
  virtual void writing_ended(error why) = 0;
  /// Everything that was accepted is written.
  virtual void drained() = 0;
  /// The reader was told to stop: what is left in the stream may be fetched here, without waiting.
  virtual void fetch_rest() {}
  /// It is over: disarm what is armed.
  virtual void released() noexcept {}

  [[nodiscard]] Stream& stream() noexcept { return stream_; }
  [[nodiscard]] asio::any_io_executor const& executor() const noexcept { return executor_; }
  [[nodiscard]] bool closing() const noexcept { return closing_; }
  /// Whether nothing is left that could still be written.
  [[nodiscard]] bool idle() const noexcept { return broken_ || (queue_.empty() && !writing_); }
  [[nodiscard]] jsonrpc::framer& framer() noexcept { return framer_; }
  void fault(error what) {
    if (inbox_ != nullptr) inbox_->fault(std::move(what));
  }
  /// From now on closing() is true and sends are refused.
  void begin_close() noexcept { closing_ = refusing_ = true; }
  void refuse_sends() noexcept { refusing_ = true; }
  /// The pending read ends, then fetch_rest() is called, then reading_ended(). The caller cancels the read.
  void stop_reading() noexcept { stopping_ = true; }

  /// Calls a member of the derived class later, unless it is over by then.
  template <class Derived>
  void later(void (Derived::*member)()) {
    asio::defer(executor_, [self = this->shared_from_this(), member] {
      if (!self->done()) (static_cast<Derived&>(*self).*member)();
    });
  }

  /// Delivers every whole line that was read, and writes the answers; false when the inbox is gone.
  bool deliver_lines() {
    delivering_ = true;  // what is sent from there is written together, afterwards
    while (auto line = framer_.next()) {
      inbox_->delivered(*line, 0);
      if (inbox_ == nullptr) return false;
    }
    delivering_ = false;
    if (!queue_.empty()) write();
    return inbox_ != nullptr;
  }

  /// Tells the inbox, once. Not to be called from inside a call of a user.
  void finish(error reason) {
    if (inbox_ == nullptr) return;
    auto const keep = this->shared_from_this();
    inbox* const in = std::exchange(inbox_, nullptr);
    release();
    in->closed(std::move(reason));
  }

 private:
  void release() noexcept {
    released();
    std::error_code ignored;
    stream_.close(ignored);
    try {
      closed_signal_.cancel();
    } catch (std::system_error const&) {
      // Whoever waits for close() then waits for its own deadline.
    }
  }

  void read() {
    auto const room = framer_.prepare();
    stream_.async_read_some(
        asio::mutable_buffer(room.data(), room.size()),
        asio::bind_executor(executor_, [self = this->shared_from_this()](std::error_code ec, std::size_t n) {
          self->on_read(ec, n);
        }));
  }

  void on_read(std::error_code ec, std::size_t n) {
    if (inbox_ == nullptr) return;
    framer_.commit(n);
    if (!deliver_lines()) return;
    if (!framer_.failed() && !ec && !stopping_) {
      try {
        return read();
      } catch (std::bad_alloc const&) {
        return reading_ended(errc::out_of_memory);
      }
    }
    if (stopping_) fetch_rest();
    if (inbox_ != nullptr) end_reading(ec);
  }

  void end_reading(std::error_code ec) {
    if (framer_.failed()) return reading_ended(framer_.failure());
    if (auto const last = framer_.finish()) {
      inbox_->delivered(*last, 0);
      if (inbox_ == nullptr) return;
    }
    if (framer_.failed()) return reading_ended(framer_.failure());
    if (!ec || ec == asio::error::eof || stopping_) {
      return reading_ended(error(errc::transport_failed, "the server ended the stream"));
    }
    reading_ended(error(errc::transport_failed, "reading failed: " + ec.message()));
  }

  void schedule_write() {
    write_scheduled_ = true;
    asio::defer(executor_, [self = this->shared_from_this()] {
      self->write_scheduled_ = false;
      self->write();
    });
  }

  void write() {
    if (inbox_ == nullptr || writing_ || broken_) return;
    if (at_once_ && !write_now()) return;
    if (queue_.empty()) return drained();
    writing_ = true;
    stream_.async_write_some(
        buffer_range(queue_.gather()),
        asio::bind_executor(executor_, [self = this->shared_from_this()](std::error_code ec, std::size_t n) {
          self->writing_ = false;
          if (self->written(ec, n)) self->write();
        }));
  }

  // Saves a turn of the executor, mostly. False when writing failed.
  bool write_now() {
    if constexpr (writes_at_once<Stream>) {
      while (!queue_.empty()) {
        std::error_code ec;
        std::size_t const n = stream_.write_some(buffer_range(queue_.gather()), ec);
        if (ec == asio::error::would_block || ec == asio::error::try_again) break;
        if (!written(ec, n)) return false;
      }
    }
    return true;
  }

  bool written(std::error_code ec, std::size_t n) {
    bytes_out_ += n;
    messages_out_ += queue_.consume(n);
    if (inbox_ == nullptr) return false;
    if (!ec) return true;
    broken_ = refusing_ = true;
    writing_ended(error(errc::transport_failed, "writing failed: " + ec.message()));
    return false;
  }

  asio::any_io_executor executor_;
  Stream stream_;
  inbox* inbox_;
  jsonrpc::framer framer_;
  write_queue queue_;
  asio::steady_timer closed_signal_;  // never expires; cancelled when it is over
  std::uint64_t messages_out_ = 0;
  std::uint64_t bytes_out_ = 0;
  bool writing_ = false;
  bool write_scheduled_ = false;
  bool delivering_ = false;
  bool at_once_ = false;
  bool closing_ = false;
  bool refusing_ = false;
  bool stopping_ = false;
  bool broken_ = false;
};

/// Begins the close and waits for its end. Cancelling it stops only the waiting.
template <class Session>
asio::awaitable<void> close_session(std::shared_ptr<Session> session) {
  if (!session || session->done()) co_return;
  session->start_close();
  while (!session->done()) co_await session->closed_signal().async_wait(net::tuple_awaitable);
}

}  // namespace comcp::detail
