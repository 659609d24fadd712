// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Cuts a byte stream into server-sent events, as the event stream rules of the WHATWG HTML standard say. What the
// events mean, and when to connect again, is for others to decide.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/json/padded_text.hpp>
#include <comcp/result.hpp>
#include <comcp/sansio/sse_lines.hpp>
#include <comcp/version.hpp>

namespace comcp::sansio {

/// One event of a stream.
class sse_event {
 public:
  sse_event() = default;
  sse_event(std::string event_type, std::string text) : type(std::move(event_type)), data(std::move(text)) {}

  std::string type;  ///< As sent, empty where it was not.
  std::string data;  ///< Has padded_text::spare bytes of capacity behind it: pad(data) does not move it.

  /// Whether it may carry a JSON-RPC message: unnamed, or `message`.
  [[nodiscard]] bool is_message() const noexcept { return type.empty() || type == "message"; }
};

/// Incremental event-stream parser. It keeps what an unfinished event needs, and no other bytes.
///
///     p.feed(bytes);
///     while (auto event = p.next()) ...   // last_event_id() is this event's
///     if (p.failed()) ...                 // an event over the limit: nothing follows it
///
/// An event without data is no event, but its id counts; one with an empty `data` line is an event with empty data.
/// An event that the end of the stream cuts off is none.
/// Specification: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
class sse_parser {
 public:
  static constexpr std::size_t default_max_event = std::size_t{16} << 20;
  static constexpr std::chrono::milliseconds longest_retry{INT32_MAX};

  /// `max_event` bounds the bytes of one event's lines, their ends and comments apart.
  explicit sse_parser(std::size_t max_event = default_max_event) : max_event_(max_event) {}

  /// Precondition: next() gave nothing since the last feed(). The bytes are looked at until it does so again.
  void feed(std::string_view bytes) noexcept { lines_.feed(bytes); }
  /// The next whole event; nothing when more bytes are needed or parsing failed.
  [[nodiscard]] std::optional<sse_event> next();
  /// Another connection continues the stream: what is unfinished is dropped, last event id and retry stay.
  void restart() noexcept;

  /// What `Last-Event-ID` would be now; empty where no id was set, or an empty one.
  [[nodiscard]] std::string const& last_event_id() const noexcept { return last_id_; }
  /// The last valid `retry`, at most longest_retry. The server's wish: clamp it.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

  /// Whether an event was longer than the limit. It stays so until restart().
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  /// errc::limit_exceeded, naming the limit. Precondition: failed().
  [[nodiscard]] error failure() const;

 private:
  // What is known of the current line from earlier feeds.
  enum class line { fresh, held, data, comment };

  [[nodiscard]] std::optional<sse_event> take(std::string_view piece, bool whole);
  void hold(std::string_view piece);
  void field(std::string_view text);
  void add_data(std::string_view value);
  void set_retry(std::string_view value) noexcept;
  [[nodiscard]] std::optional<sse_event> dispatch();

  sse_lines lines_;
  std::size_t used_ = 0;       // bytes of the current event
  std::size_t max_event_;
  line line_ = line::fresh;
  bool has_data_ = false;
  bool failed_ = false;
  std::string held_;           // start of a line, until the rest comes
  std::string type_;
  std::string data_;
  std::string last_id_;
  std::optional<std::string> new_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/sansio/impl/sse_parser.ipp>
#endif
