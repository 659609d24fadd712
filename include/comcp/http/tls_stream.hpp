// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of one connection, under TLS or without it. Needs OpenSSL.
#pragma once

#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include <asio/ssl/context.hpp>
#include <asio/ssl/error.hpp>
#include <asio/ssl/stream.hpp>

#include <comcp/http/stream.hpp>

namespace comcp {

/// A plain_stream on which TLS may start. Then asio::error::eof is the peer's close_notify; a connection that ends
/// without it gives asio::ssl::error::stream_truncated. close() sends no close_notify, as HTTP's framing says where a
/// request ends.
class tls_stream : public plain_stream {
 public:
  using plain_stream::plain_stream;

  /// What the handshake is done on.
  using layer = asio::ssl::stream<asio::ip::tcp::socket&>;
  layer& start(asio::ssl::context& context) { return tls_.emplace(socket(), context); }
  [[nodiscard]] bool secure() const noexcept { return tls_.has_value(); }

  template <class Token>
  auto async_read_some(asio::mutable_buffer into, Token&& token) {
    if (!tls_) return plain_stream::async_read_some(into, std::forward<Token>(token));
    return tls_->async_read_some(into, std::forward<Token>(token));
  }
  template <class Token>
  auto async_write_some(asio::const_buffer from, Token&& token) {
    if (!tls_) return plain_stream::async_write_some(from, std::forward<Token>(token));
    return tls_->async_write_some(from, std::forward<Token>(token));
  }

  /// Under TLS nothing is possible without waiting.
  std::size_t try_write(asio::const_buffer from, std::error_code& ec) {
    if (!tls_) return plain_stream::try_write(from, ec);
    ec = asio::error::would_block;
    return 0;
  }

  [[nodiscard]] bool quiet() { return !holds_bytes() && plain_stream::quiet(); }

 private:
  // Asio reads ahead of OpenSSL, into a BIO that OpenSSL does not count.
  [[nodiscard]] bool holds_bytes() {
    if (!tls_) return false;
    SSL* const s = tls_->native_handle();
    return ::SSL_has_pending(s) != 0 || ::BIO_ctrl_pending(::SSL_get_rbio(s)) != 0;
  }

  std::optional<layer> tls_;
};

}  // namespace comcp
