// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include <comcp/jsonrpc/framing.hpp>

namespace comcp::jsonrpc {
namespace detail {

inline constexpr std::size_t framer_base = 64 * 1024;
inline constexpr unsigned framer_patience = 16;  // reads with a mostly empty buffer before it shrinks

COMCP_DECL bool is_blank(std::string_view line) noexcept {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace detail

COMCP_DECL void framer::reallocate(std::size_t capacity) {
  auto bigger = std::make_unique_for_overwrite<char[]>(capacity);
  if (end_ != begin_) std::memcpy(bigger.get(), buffer_.get() + begin_, end_ - begin_);
  buffer_ = std::move(bigger);
  capacity_ = capacity;
  scanned_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
}

COMCP_DECL void framer::shrink_when_idle(std::size_t n) {
  std::size_t const held = end_ - begin_;
  if (capacity_ <= 4 * detail::framer_base || held + n + padded_text::spare > capacity_ / 8) {
    idle_rounds_ = 0;
  } else if (++idle_rounds_ >= detail::framer_patience) {
    idle_rounds_ = 0;
    reallocate(std::max(detail::framer_base, 2 * (held + n) + padded_text::spare));
  }
}

COMCP_DECL std::span<char> framer::prepare(std::size_t n) {
  n = std::max<std::size_t>(n, 1);
  if (begin_ == end_) begin_ = scanned_ = end_ = 0;
  shrink_when_idle(n);
  if (end_ + n + padded_text::spare > capacity_) {
    std::size_t const held = end_ - begin_;
    if (held + n + padded_text::spare <= capacity_) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, held);
      scanned_ -= begin_;
      begin_ = 0;
      end_ = held;
    } else {
      reallocate(std::max({detail::framer_base, 2 * capacity_, held + n + padded_text::spare}));
    }
  }
  return {buffer_.get() + end_, capacity_ - padded_text::spare - end_};
}

COMCP_DECL void framer::commit(std::size_t n) noexcept {
  end_ += n;
  statistics_.bytes += n;
}

COMCP_DECL std::optional<padded_text> framer::take(std::size_t size, std::size_t consumed) noexcept {
  char const* data = buffer_.get() + begin_;
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
  return padded_text(data, size);
}

COMCP_DECL std::optional<padded_text> framer::next() noexcept {
  while (!failed_ && scanned_ != end_) {
    char const* const from = buffer_.get() + scanned_;
    auto const* newline = static_cast<char const*>(std::memchr(from, '\n', end_ - scanned_));
    if (newline == nullptr) {
      scanned_ = end_;
      failed_ = end_ - begin_ > max_line_;
      break;
    }
    auto const size = static_cast<std::size_t>(newline - (buffer_.get() + begin_));
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
