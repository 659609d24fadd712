// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp 0.1.0, a base for transports of one's own. Written by tools/amalgamate: change the files under include/ instead.
//
// Header-only as it is. To compile comcp once, define COMCP_SEPARATE_COMPILATION in every source, and in one of them
// COMCP_IMPLEMENTATION before its first include of comcp: that source holds all of the single headers that it includes,
// and Asio's definitions too where ASIO_SEPARATE_COMPILATION is defined.
#if defined(COMCP_TRANSPORT_MESSAGE_TRANSPORT_HPP)
#if defined(COMCP_IMPLEMENTATION) && !defined(COMCP_IMPLEMENTED)
#error "comcp: this source included comcp before it defined COMCP_IMPLEMENTATION."
#endif
#else
#define COMCP_TRANSPORT_MESSAGE_TRANSPORT_HPP

#include <comcp/comcp.hpp>

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

// transport/message_transport.hpp
#if !defined(COMCP_SINGLE_TRANSPORT_MESSAGE_TRANSPORT_HPP)
#define COMCP_SINGLE_TRANSPORT_MESSAGE_TRANSPORT_HPP
// A transport made of anything that carries whole messages, such as a WebSocket: what is left to write is reading one
// message, writing some and closing.

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

namespace comcp {

/// A channel of whole messages. Used from one executor, with at most one read and one write under way; both may throw
/// instead of giving an error. read() gives the next message, and an error where no more will come; how long a message
/// may be is for it to bound while it reads. write() is given all that waits, in order, valid until it ends. close()
/// ends at once, so that what is pending ends with an error. One with `asio::awaitable<void> shut_down()` is asked to
/// say goodbye where it is closed gracefully, within stream_options::close_wait(), while a read is pending.
template <class T>
concept message_stream = std::move_constructible<T> && requires(T& s, std::span<std::string const> messages) {
  { s.read() } -> std::same_as<asio::awaitable<result<std::string>>>;
  { s.write(messages) } -> std::same_as<asio::awaitable<result<void>>>;
  { s.close() } noexcept;
};

namespace detail {

/// Messages from and to one stream. Its two coroutines keep it alive.
template <class Stream>
class message_session final : public session_life {
 public:
  message_session(asio::any_io_executor executor, Stream stream, inbox& in, stream_options const& options)
      : session_life(executor, in),
        stream_(std::move(stream)),
        queue_(options.queue()),
        wait_(executor, options),
        longest_(options.max_line()) {}

  void start() { spawn(executor(), read(self())); }

  // What is sent while messages are delivered, or before the executor's next turn, is written together.
  result<void> send(outgoing&& message) {
    if (done() || ending_ != ending::none) return error(errc::closed, "the channel is closed");
    auto accepted = queue_.push(std::move(message));
    if (accepted && !std::exchange(writes_, true)) later(&message_session::begin_writing);
    return accepted;
  }

  bool abandon(request_id id) noexcept { return !done() && queue_.abandon(id); }

  void start_close() {
    if (std::exchange(ending_, ending::asked_for) == ending::asked_for) return;
    give_up_later(error(errc::closed, "closed before everything was written"));
    if (!writes_) later(&message_session::part);
  }

  void describe(transport_info& out) const {
    out.messages_in = counts_.messages_in;
    out.bytes_in = counts_.bytes_in;
    out.messages_out = counts_.messages_out;
    out.bytes_out = counts_.bytes_out;
  }

 private:
  using shared = std::shared_ptr<message_session>;
  struct counters {
    std::uint64_t messages_in = 0, bytes_in = 0, messages_out = 0, bytes_out = 0;
  };

  [[nodiscard]] shared self() { return std::static_pointer_cast<message_session>(shared_from_this()); }

  static asio::awaitable<void> read(shared s) {
    while (!s->done()) {
      result<std::string> got = error();
      try {
        auto reading = s->stream_.read();
        got = co_await std::move(reading);
      } catch (...) {
        got = current_error();
      }
      if (!s->done()) s->on_read(std::move(got));
    }
  }

  void on_read(result<std::string> got) {
    if (!got) return finish(ending_ == ending::asked_for ? error(errc::closed, "closed by this side") : lost(std::move(got).error()));
    if (got->size() > longest_)
      return finish(error(errc::limit_exceeded, "a message is longer than stream_options::max_line"));
    ++counts_.messages_in;
    counts_.bytes_in += got->size();
    deliver(pad(*got));
  }

  void begin_writing() { spawn(executor(), write(self())); }

  static asio::awaitable<void> write(shared s) {
    std::vector<std::string> batch;
    while (!s->done() && !s->queue_.empty()) {
      s->queue_.take(batch);
      result<void> written;
      try {
        auto writing = s->stream_.write(std::span<std::string const>(batch));
        written = co_await std::move(writing);
      } catch (...) {
        written = current_error();
      }
      if (s->done()) co_return;
      if (!written) co_return s->writing_failed(std::move(written).error());
      for (auto const& text : batch) s->counts_.bytes_out += text.size();
      s->counts_.messages_out += batch.size();
      batch.clear();
    }
    s->writes_ = false;
    if (s->ending_ == ending::asked_for && !s->done()) s->part();
  }

  // What the peer sent before it stopped reading is still delivered.
  void writing_failed(error why) {
    if (ending_ == ending::none) ending_ = ending::write_failed;
    give_up_later(lost(std::move(why)));
  }

  void part() {
    if constexpr (requires {
                    { stream_.shut_down() } -> std::same_as<asio::awaitable<void>>;
                  }) {
      give_up_later(error(errc::closed, "closed by this side"));
      spawn(executor(), shut_down(self()));
    } else {
      finish(error(errc::closed, "closed by this side"));
    }
  }

  static asio::awaitable<void> shut_down(shared s) {
    try {
      auto parting = s->stream_.shut_down();
      co_await std::move(parting);
    } catch (...) {  // it is closed all the same
    }
    s->finish(error(errc::closed, "closed by this side"));
  }

  static error lost(error why) {
    if (why.code().category() == comcp_category()) return why;
    return {errc::transport_failed, why.to_string()};
  }

  void give_up_later(error why) {
    wait_.arm([weak = this->weak_from_this(), why = std::move(why)] {
      if (auto s = weak.lock()) static_cast<message_session&>(*s).finish(why);
    });
  }

  void released() noexcept override {
    wait_.disarm();
    stream_.close();
  }

  Stream stream_;
  message_queue queue_;
  closing_wait wait_;
  counters counts_;
  std::size_t longest_;
  enum class ending : std::uint8_t { none, write_failed, asked_for } ending_ = ending::none;  // no sends any more
  bool writes_ = false;                                                                       // or is about to
};

}  // namespace detail

/// A transport over one message_stream, which has neither a queue nor batches nor re-entrancy to think of: what is sent
/// is queued within stream_options::queue() and written from the executor on which open() ran, and nothing is delivered
/// from inside a send. Construct it from a connected stream (it then opens once), or from a connector, which open()
/// calls each time. Errors of the stream that are no comcp::errc are told as errc::transport_failed.
template <class Stream>
class message_transport : public detail::session_transport<Stream, detail::message_session<Stream>> {
 public:
  using message_transport::session_transport::session_transport;
  static_assert(message_stream<Stream>,
                "comcp: this type is no message_stream: it needs read(), write(messages) and close() noexcept, see "
                "transport/message_transport.hpp");
};

}  // namespace comcp
#endif

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
