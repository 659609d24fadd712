// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Takes one HTTP/1.1 response apart as its bytes come: head, body without its framing, end. It is strict where a
// peer that reads otherwise could be told something else; what to do with the connection is for others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <comcp/http/message.hpp>
#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// What a response may be at most. Whatever is more is errc::limit_exceeded, and its text names the limit.
class response_limits {
 public:
  response_limits() {}
  /// Header fields of a head, those of the interim responses before it and of the trailer included: 100.
  response_limits& headers(std::size_t n) { return headers_ = n, *this; }
  /// Bytes of one line of a head, a trailer or a chunk size: 16 KiB.
  response_limits& line(std::size_t bytes) { return line_ = bytes, *this; }
  /// Bytes of the head, interim responses and trailer included: 64 KiB. As many more, and 16 for each byte of data, may
  /// be sizes and extensions of chunks.
  response_limits& head(std::size_t bytes) { return head_ = bytes, *this; }
  /// Bytes of the body: 64 MiB. An event stream (text/event-stream) may be of any length.
  response_limits& body(std::uint64_t bytes) { return body_ = bytes, *this; }

  [[nodiscard]] std::size_t headers() const noexcept { return headers_; }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] std::size_t head() const noexcept { return head_; }
  [[nodiscard]] std::uint64_t body() const noexcept { return body_; }

 private:
  std::size_t headers_ = 100;
  std::size_t line_ = std::size_t{16} << 10;
  std::size_t head_ = std::size_t{64} << 10;
  std::uint64_t body_ = std::uint64_t{64} << 20;
};

namespace http_detail {

/// Cuts bytes into lines. It copies those that come in pieces.
class line_cutter {
 public:
  /// The next line, without LF; nothing until it has come.
  [[nodiscard]] std::optional<std::string_view> next(std::string_view& bytes);
  /// The start of a line whose rest has not come.
  [[nodiscard]] std::string_view held() const noexcept { return held_; }

 private:
  std::string held_;
  std::string line_;  // a line that was held
};

/// What a head says of the connection. Specification: RFC 9112, section 9.3
struct connection_wishes {
  bool one_dot_zero = false;  ///< Of the status line; the others are of the fields.
  bool keep = false;
  std::optional<std::chrono::seconds> keep_alive;

  void read(http_headers const& headers);
};

}  // namespace http_detail

/// Incremental parser of one response. It copies the head and what an unfinished line needs, and no body.
///
///     std::string_view bytes = ...;
///     for (;;) switch (p.next(bytes)) {
///       case progress::more: ...     // all bytes are used; on the end of the connection call finish()
///       case progress::head: ...     // once: p.head()
///       case progress::body: ...     // p.body(), a part of what `bytes` was
///       case progress::end: ...      // what is left in `bytes` is no part of the response
///       case progress::failed: ...   // p.failure(), and so for ever
///     }
///
/// Interim responses (1xx) are passed over, trailers are checked and dropped.
/// Specification: RFC 9112, sections 4 to 7 and 9.
class response_parser {
 public:
  enum class progress { more, head, body, end, failed };

  /// `method` is that of the request: what it is decides whether a body follows.
  explicit response_parser(std::string_view method = "GET", response_limits limits = response_limits())
      : limits_(limits), without_body_(method == "HEAD") {}

  /// Takes what it can from the front of `bytes`, up to the next thing to tell.
  progress next(std::string_view& bytes);
  /// The connection ended: `end` where that ends the body, otherwise `failed` with errc::transport_failed.
  progress finish();

  /// Precondition: next() gave `head`. It may be moved out.
  [[nodiscard]] http_response_head& head() noexcept { return head_; }
  /// The piece that next() gave last, valid as long as the bytes it was given.
  [[nodiscard]] std::string_view body() const noexcept { return body_; }
  /// errc::protocol_violation, errc::limit_exceeded or errc::transport_failed, with the status where it is known.
  /// It quotes no value of a header. Precondition: next() or finish() gave `failed`.
  [[nodiscard]] error const& failure() const noexcept { return failure_; }

  /// Whether any byte of a response came.
  [[nodiscard]] bool started() const noexcept { return started_; }
  [[nodiscard]] bool ended() const noexcept { return at_ == part::done; }
  /// Whether the head says text/event-stream.
  [[nodiscard]] bool event_stream() const noexcept { return event_stream_; }
  /// Whether the connection may carry another request once the response has ended.
  [[nodiscard]] bool keeps_connection() const noexcept { return connection_.keep && ended(); }
  /// `timeout` of the Keep-Alive header: how long the server keeps an idle connection.
  [[nodiscard]] std::optional<std::chrono::seconds> keep_alive() const noexcept { return connection_.keep_alive; }
  /// So many bytes at least that come next are body, 0 where that is not known, once next() gave `more`. Of a body that
  /// ends with the connection: as many as came of it.
  [[nodiscard]] std::uint64_t certain() const noexcept;

 private:
  enum class part {
    status, fields, known_length, until_close, chunk_size, chunk_data, chunk_end, trailer, done, failed
  };

  progress step(std::string_view& bytes);
  progress line(std::string_view text);
  progress status_line(std::string_view text);
  progress field_line(std::string_view text);
  progress end_of_head();
  progress choose_framing();
  progress chunk_size_line(std::string_view text);
  progress chunk_end(std::string_view& bytes);
  progress piece(std::string_view& bytes);
  progress count_body(std::uint64_t more);
  [[nodiscard]] bool whole_line(std::string_view& bytes, std::string_view& out);
  progress fail(errc code, std::string text);
  progress violation(std::string text) { return fail(errc::protocol_violation, std::move(text)); }

  response_limits limits_;
  http_response_head head_;
  std::string_view body_;
  http_detail::line_cutter lines_;
  std::uint64_t left_ = 0;      // of the body or chunk
  std::uint64_t body_bytes_ = 0;
  std::uint64_t chunk_lines_ = 0;  // how many bytes of chunk sizes and extensions may still come
  std::size_t head_bytes_ = 0;
  std::size_t fields_ = 0;
  http_detail::connection_wishes connection_;
  error failure_;
  part at_ = part::status;
  bool without_body_;
  bool started_ = false;
  bool event_stream_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/response_parser.ipp>
#endif
