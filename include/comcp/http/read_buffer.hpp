// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a connection of an Asio engine reads to: memory of its own that grows with what comes, or the place where a
// body stays. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <asio/buffer.hpp>

#include <comcp/http/body.hpp>

namespace comcp::http_detail {

class read_buffer {
 public:
  /// What was read and not yet used.
  std::string_view unread;

  asio::mutable_buffer room() {
    bool const larger = full_ && capacity_ < last_size;
    if (!own_ || larger) {
      auto const size = larger ? capacity_ * 4 : first_size;
      own_ = std::make_unique_for_overwrite<char[]>(size);
      capacity_ = size;
    }
    return into(own_.get(), capacity_);
  }
  /// The next `certain` bytes belong to this body: where they are many they go there at once. Who has sent a MiB is
  /// believed that as many come as it said.
  asio::mutable_buffer room(http_body& body, std::uint64_t certain, std::size_t most) {
    constexpr std::size_t one = std::size_t{1} << 20;
    if (certain < first_size) return room();
    auto const rest = static_cast<std::size_t>(std::min<std::uint64_t>(certain, most - std::min(most, body.size()) + 1));
    auto const next = std::min(rest, one);
    body.reserve(body.size() + (body.size() < one ? next : rest));
    return into(body.room(next), next);
  }
  void received(std::size_t n) noexcept {
    full_ = at_ == own_.get() && n == size_;
    unread = std::string_view(at_, n);
  }
  /// For another exchange, sometime.
  void recycle() noexcept {
    unread = {};
    if (capacity_ > first_size) capacity_ = 0, own_.reset();
  }

 private:
  static constexpr std::size_t first_size = std::size_t{1} << 10;
  static constexpr std::size_t last_size = std::size_t{64} << 10;

  asio::mutable_buffer into(char* at, std::size_t size) noexcept {
    at_ = at;
    size_ = size;
    full_ = false;
    return asio::mutable_buffer(at, size);
  }

  std::unique_ptr<char[]> own_;
  std::size_t capacity_ = 0;
  char* at_ = nullptr;  // the last read went there
  std::size_t size_ = 0;
  bool full_ = false;
};

}  // namespace comcp::http_detail
