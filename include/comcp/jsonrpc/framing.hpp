// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Cuts a byte stream into lines, in place: one message a line. Knows nothing of JSON, and performs no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <comcp/json/padded_text.hpp>
#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp::jsonrpc {

struct framing_statistics {
  std::uint64_t messages = 0;  ///< Lines handed out.
  std::uint64_t bytes = 0;     ///< Bytes committed.
  std::uint64_t blank = 0;     ///< Blank lines skipped.
};

/// Incremental newline framing over one growing buffer.
///
///     auto room = f.prepare();            // read into it
///     f.commit(n);
///     while (auto line = f.next()) ...    // valid until the next call
///     if (f.failed()) ...                 // a line over the limit: nothing follows it
///
/// A byte order mark before the first line, blank lines and a CR before the newline are dropped. A long line comes with
/// the memory that it is in, for whoever wants to keep it.
class framer {
 public:
  static constexpr std::size_t default_max_line = std::size_t{16} << 20;

  explicit framer(std::size_t max_line = default_max_line) : max_line_(max_line) {}

  /// Room for at least `n` bytes behind what is held. Invalidates earlier lines.
  [[nodiscard]] std::span<char> prepare(std::size_t n = 16 * 1024);
  /// Precondition: n is at most the size of the last prepare().
  void commit(std::size_t n) noexcept;
  /// The next whole line, without its end; nothing when more bytes are needed or framing failed.
  [[nodiscard]] std::optional<padded_text> next() noexcept;
  /// The stream ended: the text after the last newline, if there is any. Call it after next() gave nothing.
  [[nodiscard]] std::optional<padded_text> finish() noexcept;

  /// What came of the current line so far. Valid until the next prepare().
  [[nodiscard]] std::string_view unfinished() const noexcept { return {buffer_.data() + begin_, end_ - begin_}; }

  /// Whether a line was longer than the limit. It stays so.
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  /// errc::limit_exceeded, naming the limit. Precondition: failed().
  [[nodiscard]] error failure() const;

  [[nodiscard]] framing_statistics const& statistics() const noexcept { return statistics_; }
  /// Bytes that the buffer takes now.
  [[nodiscard]] std::size_t capacity() const noexcept { return buffer_.capacity() + given_.capacity(); }

 private:
  [[nodiscard]] std::optional<padded_text> take(std::size_t size, std::size_t consumed) noexcept;
  [[nodiscard]] padded_text give(char const* data, std::size_t size) noexcept;
  void take_back() noexcept;
  void reallocate(std::size_t capacity);
  void grow(std::size_t needed);
  void shrink_when_idle(std::size_t n);

  text_buffer buffer_;
  text_buffer given_;         // what the last long line is in, until somebody takes it
  std::size_t expected_ = 0;  // capacity that the last long line took
  std::size_t begin_ = 0;    // start of the current line
  std::size_t scanned_ = 0;  // no newline in [begin_, scanned_)
  std::size_t end_ = 0;      // end of what was read
  std::size_t max_line_;
  unsigned idle_rounds_ = 0;
  bool first_ = true;
  bool failed_ = false;
  framing_statistics statistics_;
};

}  // namespace comcp::jsonrpc

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/jsonrpc/impl/framing.ipp>
#endif
