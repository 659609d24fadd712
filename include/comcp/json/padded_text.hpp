// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Text with room behind it: what simdjson needs to parse in place. Read buffers hand it out, large ones with the memory
// that it is in; nobody copies.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace comcp {

/// Memory for text, never filled first. Moving it leaves none, and the text where it is.
class text_buffer {
 public:
  text_buffer() noexcept = default;
  explicit text_buffer(std::size_t capacity)
      : memory_(std::make_unique_for_overwrite<char[]>(capacity)), capacity_(capacity) {}
  text_buffer(text_buffer&& other) noexcept
      : memory_(std::move(other.memory_)), capacity_(std::exchange(other.capacity_, 0)) {}
  text_buffer& operator=(text_buffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  [[nodiscard]] char* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

 private:
  std::unique_ptr<char[]> memory_;
  std::size_t capacity_ = 0;
};

/// Text with at least `spare` readable bytes behind its end. Does not own them.
class padded_text {
 public:
  static constexpr std::size_t spare = 64;

  /// Precondition: data[0 .. size + spare) is readable memory.
  padded_text(char const* data, std::size_t size) noexcept : data_(data), size_(size) {}
  /// The same, in memory that whoever is given this text may keep: by moving `from`, where all of that lies.
  padded_text(char const* data, std::size_t size, text_buffer* from) noexcept : data_(data), size_(size), from_(from) {}
  [[nodiscard]] char const* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string_view view() const noexcept { return {data_, size_}; }
  /// Null where the memory is not to be had.
  [[nodiscard]] text_buffer* from() const noexcept { return from_; }
  /// A part of this text.
  [[nodiscard]] padded_text part(std::string_view of) const noexcept { return {of.data(), of.size(), from_}; }

 private:
  char const* data_;
  std::size_t size_;
  text_buffer* from_ = nullptr;
};

/// Gives `text` the spare capacity that padded_text asks for, and views it. Valid until `text` changes.
inline padded_text pad(std::string& text) {
  if (text.capacity() < text.size() + padded_text::spare) text.reserve(text.size() + padded_text::spare);
  return {text.data(), text.size()};
}

namespace detail {
/// Memory for `size` bytes or more, of what this thread gave back or fresh.
text_buffer buffer_for(std::size_t size);
/// For the next buffer_for(). A thread keeps two of 64 KiB to 1.5 MiB.
void give_back(text_buffer&& buffer) noexcept;
}  // namespace detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/json/impl/buffers.ipp>
#endif
