// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages as lines over any Asio stream: the same framing as stdio has. How the stream comes to be is the
// connector's business.
#pragma once

#include <system_error>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/bind_executor.hpp>

#include <comcp/transport/line_stream.hpp>
#include <comcp/transport/session_transport.hpp>
#include <comcp/transport/stream_session.hpp>

namespace comcp {

namespace detail {

template <class Stream>
class byte_stream_session final : public stream_session<Stream> {
 public:
  byte_stream_session(asio::any_io_executor executor, Stream stream, inbox& in, stream_options const& options)
      : stream_session<Stream>(executor, std::move(stream), in, options.max_line(), options.queue()),
        wait_(executor, options) {}

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

  // A stream that can say goodbye does, within what is left of the wait; its peer's answer may end the reading first.
  void drained() override {
    if (!this->closing()) return;
    if constexpr (shuts_down<Stream>) {
      if (std::exchange(parting_, true)) return;
      give_up_later(error(errc::closed, "closed by this side"));
      this->stream().async_shutdown(asio::bind_executor(
          this->executor(), [this, keep = this->shared_from_this()](std::error_code) { parted(); }));
    } else {
      parted();
    }
  }
  void parted() { this->finish(error(errc::closed, "closed by this side")); }

  void released() noexcept override {
    wait_.disarm();
    stream_session<Stream>::released();
  }

  void give_up_later(error why) {
    wait_.arm([weak = this->weak_from_this(), why = std::move(why)] {
      if (auto self = weak.lock()) static_cast<byte_stream_session&>(*self).finish(why);
    });
  }

  closing_wait wait_;
  bool parting_ = false;
};

}  // namespace detail

/// A transport over one stream, see line_stream, used from the executor on which open() ran. Construct it from a
/// connected stream (it then opens once), or from a connector, which open() calls each time.
template <class Stream>
class byte_stream : public detail::session_transport<Stream, detail::byte_stream_session<Stream>> {
 public:
  using byte_stream::session_transport::session_transport;
  static_assert(line_stream<Stream>,
                "comcp: this type is no line_stream: it needs async_read_some, async_write_some and close "
                "(or a stream_closer), see transport/line_stream.hpp");
};

}  // namespace comcp
