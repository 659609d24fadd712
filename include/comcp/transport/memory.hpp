// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Two linked transports in one process: for servers that live inside the client's program, and for tests.
#pragma once

#include <memory>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/transport/message_queue.hpp>
#include <comcp/transport/transport.hpp>
#include <comcp/version.hpp>

namespace comcp {

class memory_transport;

/// Two ends; what one sends, the other delivers. They may live on different executors and threads. What was
/// sent before the other end opens waits, up to `limits` for each direction.
[[nodiscard]] std::pair<memory_transport, memory_transport> memory_pair(queue_limits limits = queue_limits());

/// One end of a memory_pair. Messages are moved, not copied, and delivered in batches that are posted: nothing
/// is delivered from inside send(). When one end closes, the other still gets what was sent before, then
/// closed. An end opens once.
class memory_transport {
 public:
  memory_transport(memory_transport&&) noexcept = default;
  memory_transport& operator=(memory_transport&& other) noexcept;
  ~memory_transport();

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> open(inbox& in);
  result<void> send(outgoing message);
  bool abandon(request_id id) noexcept;
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close();
  [[nodiscard]] transport_info info() const;

 private:
  struct end;
  friend std::pair<memory_transport, memory_transport> memory_pair(queue_limits);

  explicit memory_transport(std::shared_ptr<end> e) noexcept : end_(std::move(e)) {}
  COMCP_LAZY static asio::awaitable<result<void>> open_impl(std::shared_ptr<end> e, inbox& in);
  COMCP_LAZY static asio::awaitable<void> close_impl(std::shared_ptr<end> e);

  std::shared_ptr<end> end_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/memory.ipp>
#endif
