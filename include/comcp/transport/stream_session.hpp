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

#include <comcp/json/padded_text.hpp>
#include <comcp/jsonrpc/framing.hpp>
#include <comcp/transport/line_stream.hpp>
#include <comcp/transport/session_life.hpp>
#include <comcp/transport/transport.hpp>
#include <comcp/transport/write_queue.hpp>

namespace comcp::detail {

/// A stream that writes what fits at once, and says would_block for the rest.
template <class Stream>
concept writes_at_once = requires(Stream& s, std::error_code& ec, buffer_range buffers) {
  s.non_blocking(true, ec);
  { s.write_some(buffers, ec) } -> std::convertible_to<std::size_t>;
};

/// Lines from and to one stream. Pending handlers keep it alive.
template <class Stream>
class stream_session : public session_life {
 public:
  stream_session(asio::any_io_executor executor, Stream stream, inbox& in, std::size_t max_line, queue_limits limits)
      : session_life(std::move(executor), in), stream_(std::move(stream)), framer_(max_line), queue_(limits) {}

  void start() {
    if constexpr (writes_at_once<Stream>) {
      std::error_code ec;
      stream_.non_blocking(true, ec);
      at_once_ = !ec;
    }
    read();
  }

  result<void> send(outgoing&& message) {
    if (done() || sends_ != send_state::accepted) return error(errc::closed, "the channel is closed");
    auto accepted = queue_.push(std::move(message));
    if (accepted && writes_ != write_state::running && !write_scheduled_ && !delivering_) schedule_write();
    return accepted;
  }

  bool abandon(request_id id) noexcept { return !done() && queue_.abandon(id); }

  /// Begins a graceful close; finish() follows, never from inside this call.
  virtual void start_close() = 0;

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
  /// Derived classes disarm what is theirs first.
  void released() noexcept override { stream_closer<Stream>::close(stream_); }

  [[nodiscard]] Stream& stream() noexcept { return stream_; }
  [[nodiscard]] bool closing() const noexcept { return sends_ == send_state::closing; }
  /// Whether nothing is left that could still be written.
  [[nodiscard]] bool idle() const noexcept {
    return writes_ == write_state::none ? queue_.empty() : writes_ == write_state::broken;
  }
  [[nodiscard]] jsonrpc::framer& framer() noexcept { return framer_; }
  /// From now on closing() is true and sends are refused.
  void begin_close() noexcept { sends_ = send_state::closing; }
  void refuse_sends() noexcept {
    if (sends_ == send_state::accepted) sends_ = send_state::refused;
  }
  /// The pending read ends, then fetch_rest() is called, then reading_ended(). The caller cancels the read.
  void stop_reading() noexcept { stopping_ = true; }

  /// Delivers every whole line that was read, and writes the answers; false when the inbox is gone.
  bool deliver_lines() {
    delivering_ = true;  // what is sent from there is written together, afterwards
    while (auto line = framer_.next()) {
      if (!deliver(*line)) return false;
    }
    delivering_ = false;
    if (!queue_.empty()) write();
    return !done();
  }

 private:
  enum class send_state : unsigned char { accepted, refused, closing };
  enum class write_state : unsigned char { none, running, broken };

  void read() {
    auto const room = framer_.prepare();
    stream_.async_read_some(
        asio::mutable_buffer(room.data(), room.size()),
        asio::bind_executor(executor(), [this, keep = shared_from_this()](std::error_code ec, std::size_t n) {
          on_read(ec, n);
        }));
  }

  void on_read(std::error_code ec, std::size_t n) {
    if (done()) return;
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
    if (!done()) end_reading(ec);
  }

  void end_reading(std::error_code ec) {
    if (framer_.failed()) return reading_ended(framer_.failure());
    if (auto const last = framer_.finish(); last && !deliver(*last)) return;
    if (framer_.failed()) return reading_ended(framer_.failure());
    bool const ended = !ec || ec == asio::error::eof || ec == asio::error::broken_pipe;  // the latter as Windows has it
    if (ended || stopping_) {
      return reading_ended(error(errc::transport_failed, "the server ended the stream"));
    }
    reading_ended(error(errc::transport_failed, "reading failed: " + ec.message()));
  }

  void schedule_write() {
    write_scheduled_ = true;
    asio::defer(executor(), [this, keep = shared_from_this()] {
      write_scheduled_ = false;
      write();
    });
  }

  void write() {
    if (done() || writes_ != write_state::none) return;
    if (at_once_ && !write_now()) return;
    if (queue_.empty()) return drained();
    writes_ = write_state::running;
    stream_.async_write_some(
        buffer_range(queue_.gather()),
        asio::bind_executor(executor(), [this, keep = shared_from_this()](std::error_code ec, std::size_t n) {
          writes_ = write_state::none;
          if (written(ec, n)) write();
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
    if (done()) return false;
    if (!ec) return true;
    writes_ = write_state::broken;
    refuse_sends();
    writing_ended(error(errc::transport_failed, "writing failed: " + ec.message()));
    return false;
  }

  Stream stream_;
  jsonrpc::framer framer_;
  write_queue queue_;
  std::uint64_t messages_out_ = 0;
  std::uint64_t bytes_out_ = 0;
  send_state sends_ = send_state::accepted;
  write_state writes_ = write_state::none;
  bool write_scheduled_ = false;
  bool delivering_ = false;
  bool at_once_ = false;
  bool stopping_ = false;
};

}  // namespace comcp::detail
