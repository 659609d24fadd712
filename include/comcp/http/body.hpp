// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a body that is read whole: one block, read into without being cleared before. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace comcp {

/// Moves; what was moved from is empty.
class http_body {
 public:
  static constexpr std::size_t spare = 64;  ///< Readable bytes behind the end, for parsers that look ahead.

  http_body() = default;
  http_body(http_body&& other) noexcept { swap(other); }
  http_body& operator=(http_body&& other) noexcept {
    http_body(std::move(other)).swap(*this);
    return *this;
  }

  [[nodiscard]] char const* data() const noexcept { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get(), size_}; }

  /// Room for so many bytes in all. Memory that is large grows without being copied, where the system can do that.
  void reserve(std::size_t bytes) {
    if (bytes <= capacity_) return;
    auto* const grown = static_cast<char*>(std::realloc(bytes_.get(), bytes + spare));
    if (grown == nullptr) throw std::bad_alloc();
    (void)bytes_.release();
    bytes_.reset(grown);
    capacity_ = bytes;
  }
  /// Where the next `n` bytes go; append() takes them then without copying.
  char* room(std::size_t n) {
    if (n > capacity_ - size_) reserve(std::max(size_ + n, 2 * capacity_));
    return bytes_.get() + size_;
  }
  void append(std::string_view piece) {
    if (piece.empty()) return;
    auto* const at = room(piece.size());
    if (piece.data() != at) std::memcpy(at, piece.data(), piece.size());
    size_ += piece.size();
  }
  /// What is small is kept for the next body.
  void clear() noexcept {
    size_ = 0;
    if (capacity_ > kept) http_body().swap(*this);
  }
  void swap(http_body& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  static constexpr std::size_t kept = std::size_t{64} << 10;
  struct free_it {
    void operator()(char* p) const noexcept { std::free(p); }
  };

  std::unique_ptr<char, free_it> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;  // without the spare bytes
};

}  // namespace comcp
