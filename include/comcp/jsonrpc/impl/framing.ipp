// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <comcp/jsonrpc/framing.hpp>

namespace comcp::jsonrpc {
namespace detail {

inline constexpr std::size_t framer_base = 64 * 1024, framer_step = 1024 * 1024;
inline constexpr unsigned framer_patience = 16;  // reads with a mostly empty buffer before it shrinks

COMCP_DECL bool is_blank(std::string_view line) noexcept {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace detail

COMCP_DECL void framer::reallocate(std::size_t capacity) {
  auto bigger = comcp::detail::buffer_for(capacity);
  if (end_ != begin_) std::memcpy(bigger.data(), buffer_.data() + begin_, end_ - begin_);
  comcp::detail::give_back(std::exchange(buffer_, std::move(bigger)));
  scanned_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
}

// A line of a size that came before needs no more than two steps.
COMCP_DECL void framer::grow(std::size_t needed) {
  auto const now = buffer_.capacity();
  auto const more = now >= detail::framer_step ? 2 * now : 4 * now;
  auto const wanted = std::max({detail::framer_base, more, now > detail::framer_base ? expected_ : 0});
  auto const most = max_line_ + std::min(~max_line_, detail::framer_base);
  reallocate(std::max(needed, std::min(wanted, most)));
}

COMCP_DECL void framer::shrink_when_idle(std::size_t n) {
  std::size_t const held = end_ - begin_;
  if (capacity() <= 4 * detail::framer_base || held + n + padded_text::spare > capacity() / 8) {
    idle_rounds_ = 0;
  } else if (++idle_rounds_ >= detail::framer_patience) {
    idle_rounds_ = 0;
    expected_ = 0;
    reallocate(std::max(detail::framer_base, 2 * (held + n) + padded_text::spare));
  }
}

COMCP_DECL std::span<char> framer::prepare(std::size_t n) {
  n = std::max<std::size_t>(n, 1);
  if (begin_ == end_) begin_ = scanned_ = end_ = 0;
  take_back();
  shrink_when_idle(n);
  auto const needed = end_ - begin_ + n + padded_text::spare;
  if (begin_ + needed > buffer_.capacity()) {
    if (needed > buffer_.capacity()) {
      grow(needed);
    } else {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      scanned_ -= begin_;
      end_ -= begin_;
      begin_ = 0;
    }
  }
  return {buffer_.data() + end_, buffer_.capacity() - padded_text::spare - end_};
}

// What came behind a long line goes to a buffer of its own, so that the line can be taken with all of this one.
COMCP_DECL padded_text framer::give(char const* data, std::size_t size) noexcept {
  auto const rest = end_ - begin_;
  text_buffer next;
  if (size < detail::framer_base || rest > size) return {data, size};
  try {
    if (rest > 0) next = comcp::detail::buffer_for(std::max(detail::framer_base, rest + padded_text::spare));
  } catch (std::bad_alloc const&) {
    return {data, size};
  }
  if (rest > 0) std::memcpy(next.data(), buffer_.data() + begin_, rest);
  expected_ = buffer_.capacity();
  given_ = std::exchange(buffer_, std::move(next));
  begin_ = scanned_ = 0;
  end_ = rest;
  return {data, size, &given_};
}

COMCP_DECL void framer::take_back() noexcept {
  if (given_.data() && !buffer_.data()) buffer_ = std::move(given_);
  comcp::detail::give_back(std::move(given_));
}

COMCP_DECL void framer::commit(std::size_t n) noexcept {
  end_ += n;
  statistics_.bytes += n;
}

COMCP_DECL std::optional<padded_text> framer::take(std::size_t size, std::size_t consumed) noexcept {
  char const* data = buffer_.data() + begin_;
  begin_ = scanned_ = begin_ + consumed;
  if (size > max_line_) {
    failed_ = true;
    return {};
  }
  if (first_) {
    first_ = false;
    if (size >= 3 && std::memcmp(data, "\xEF\xBB\xBF", 3) == 0) data += 3, size -= 3;
  }
  if (size > 0 && data[size - 1] == '\r') --size;
  if (detail::is_blank({data, size})) {
    ++statistics_.blank;
    return {};
  }
  ++statistics_.messages;
  return give(data, size);
}

COMCP_DECL std::optional<padded_text> framer::next() noexcept {
  while (!failed_ && scanned_ != end_) {
    char const* const from = buffer_.data() + scanned_;
    auto const* newline = static_cast<char const*>(std::memchr(from, '\n', end_ - scanned_));
    if (newline == nullptr) {
      scanned_ = end_;
      failed_ = end_ - begin_ > max_line_;
      break;
    }
    auto const size = static_cast<std::size_t>(newline - (buffer_.data() + begin_));
    if (auto line = take(size, size + 1)) return line;
  }
  return {};
}

COMCP_DECL std::optional<padded_text> framer::finish() noexcept {
  if (failed_ || begin_ == end_) return {};
  return take(end_ - begin_, end_ - begin_);
}

COMCP_DECL error framer::failure() const {
  return {errc::limit_exceeded, "a line is longer than max_line (" + std::to_string(max_line_) + " bytes)"};
}

}  // namespace comcp::jsonrpc
