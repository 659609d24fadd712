// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What waits to be written as lines: bounded, in order, gathered into few buffers. Performs no I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <asio/buffer.hpp>

#include <comcp/transport/message_queue.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp {

namespace detail {

/// A ring of messages. Those that gather() handed out are being written, and stay until consume().
class write_queue {
 public:
  static constexpr std::size_t joined_limit = 64 * 1024;  ///< Bytes of short messages that are written at once.

  explicit write_queue(queue_limits limits) : limits_(limits) {}

  /// Takes the message over, or errc::queue_full naming the bound.
  result<void> push(outgoing&& message);
  /// Removes the message of that request, if no byte of it was handed out.
  bool abandon(request_id id) noexcept;

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Buffers for one write; valid until consume(). Empty only if the queue is.
  [[nodiscard]] std::span<asio::const_buffer const> gather();
  /// `n` bytes of the last gather() were written. Returns how many messages that completed.
  std::size_t consume(std::size_t n) noexcept;

 private:
  struct entry {
    std::string text;
    request_id id = 0;
    bool has_newline = false;  // the newline is part of the text
    bool pinned = false;       // may not be removed by abandon()
  };

  [[nodiscard]] entry& at(std::size_t i) noexcept { return ring_[(head_ + i) & (ring_.size() - 1)]; }
  [[nodiscard]] static std::size_t length(entry const& e) noexcept { return e.text.size() + (e.has_newline ? 0 : 1); }
  [[nodiscard]] std::size_t bytes_of_first() noexcept { return length(at(0)) - offset_; }
  std::span<asio::const_buffer const> gather_first();
  std::span<asio::const_buffer const> gather_joined();
  void grow();
  void erase(std::size_t i) noexcept;

  queue_limits limits_;
  std::vector<entry> ring_;  // its size is a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::size_t started_ = 0;  // entries that gather() handed out
  std::size_t offset_ = 0;   // bytes of the first entry that are written
  std::string joined_;       // what gather_joined() handed out
  std::array<asio::const_buffer, 2> buffers_;
};

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/write_queue.ipp>
#endif
