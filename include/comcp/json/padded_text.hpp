// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Text with room behind it: what simdjson needs to parse in place. Read buffers hand it out, nobody copies.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace comcp {

/// Text with at least `spare` readable bytes behind its end. Does not own them.
class padded_text {
 public:
  static constexpr std::size_t spare = 64;

  /// Precondition: data[0 .. size + spare) is readable memory.
  padded_text(char const* data, std::size_t size) noexcept : data_(data), size_(size) {}
  [[nodiscard]] char const* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string_view view() const noexcept { return {data_, size_}; }

 private:
  char const* data_;
  std::size_t size_;
};

/// Gives `text` the spare capacity that padded_text asks for, and views it. Valid until `text` changes.
inline padded_text pad(std::string& text) {
  if (text.capacity() < text.size() + padded_text::spare) text.reserve(text.size() + padded_text::spare);
  return {text.data(), text.size()};
}

}  // namespace comcp
