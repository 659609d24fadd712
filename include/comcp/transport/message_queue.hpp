// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole messages that wait to be taken: bounded, in order. Performs no I/O. Internal, but for queue_limits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <comcp/transport/transport.hpp>

namespace comcp {

/// Bounds of an outgoing queue. One message of any size is accepted into an empty queue.
class queue_limits {
 public:
  queue_limits() = default;
  queue_limits& messages(std::size_t n) { return messages_ = n, *this; }
  queue_limits& bytes(std::size_t n) { return bytes_ = n, *this; }
  [[nodiscard]] std::size_t messages() const noexcept { return messages_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// What refuses a message of that size where so much waits already; nothing where there is room.
  [[nodiscard]] error refuses(std::size_t size, std::size_t waiting, std::size_t waiting_bytes) const;

 private:
  std::size_t messages_ = 65536;
  std::size_t bytes_ = std::size_t{64} << 20;
};

namespace detail {

class message_queue {
 public:
  explicit message_queue(queue_limits limits = queue_limits()) : limits_(limits) {}

  /// Takes the message over, or errc::queue_full naming the bound.
  result<void> push(outgoing&& message);
  /// Removes the message of that request.
  bool abandon(request_id id) noexcept;
  /// All of them, into `texts`, which is empty.
  void take(std::vector<std::string>& texts);
  void clear() noexcept;
  [[nodiscard]] bool empty() const noexcept { return texts_.empty(); }

 private:
  struct label {
    request_id id;
    bool pinned;  // may not be removed by abandon()
  };

  queue_limits limits_;
  std::vector<std::string> texts_;
  std::vector<label> labels_;
  std::size_t bytes_ = 0;
};

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/message_queue.ipp>
#endif
