// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What byte_stream asks of an Asio stream, and how such a stream is closed.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include <asio/async_result.hpp>
#include <asio/buffer.hpp>

namespace comcp {

/// How a stream ends at once: what is pending ends with an error. By itself comcp knows close(ec),
/// lowest_layer().close(ec) (asio::ssl::stream, for one) and close(); specialise it for a stream with none of these. It
/// must not throw.
template <class Stream>
struct stream_closer {
  static void close(Stream& s) noexcept
    requires requires(std::error_code& ec) { s.close(ec); } ||
             requires(std::error_code& ec) { s.lowest_layer().close(ec); } || requires { s.close(); }
  {
    std::error_code ignored;
    if constexpr (requires { s.close(ignored); })
      s.close(ignored);
    else if constexpr (requires { s.lowest_layer().close(ignored); })
      s.lowest_layer().close(ignored);
    else
      s.close();
  }
};

namespace detail {

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

/// A completion token that starts nothing: asks whether an operation takes these arguments, without compiling it.
struct io_probe {
  void operator()(std::error_code, std::size_t) const {}
};

/// A stream that says goodbye to its peer before it is closed.
template <class Stream>
concept shuts_down = requires(Stream& s, void (*done)(std::error_code)) { s.async_shutdown(done); };

}  // namespace detail

/// A stream of bytes: anything with async_read_some and async_write_some, as Asio has them, that stream_closer closes.
/// One with async_shutdown (asio::ssl::stream) is shut down first where it is closed gracefully. Used from one
/// executor, with at most one read and one write under way.
template <class T>
concept line_stream = std::move_constructible<T> &&
                      requires(T& s, asio::mutable_buffer in, detail::buffer_range out, detail::io_probe probe) {
                        s.async_read_some(in, probe);
                        s.async_write_some(out, probe);
                        stream_closer<T>::close(s);
                      };

}  // namespace comcp

namespace asio {

template <class Signature>
class async_result<comcp::detail::io_probe, Signature> {
 public:
  template <class... Args>
  static void initiate(Args&&...) {}
};

}  // namespace asio
