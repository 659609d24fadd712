// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The transport of one connection: opened and closed within their time, and cut from any thread. On home only, but for
// cut(). Internal.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <asio/awaitable.hpp>

#include <comcp/client/calls.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp::detail {

class channel {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  using time_point = std::chrono::steady_clock::time_point;

  COMCP_LAZY explicit channel(any_transport t);

  /// `owner` keeps all of it alive. What comes too late is dropped.
  COMCP_LAZY asio::awaitable<result<void>> open(std::shared_ptr<void> owner, calls& table, asio::any_io_executor home,
                                                inbox& in, nanoseconds timeout, time_point hard);
  /// A transport that is not through by then is destroyed, and false.
  COMCP_LAZY asio::awaitable<bool> close(std::shared_ptr<void> owner, calls& table, asio::any_io_executor home,
                                         nanoseconds timeout);
  /// It closed by itself.
  void lost() noexcept { open_ = false; }
  COMCP_LAZY void drop() noexcept;
  /// Ends what would outlive us. From any thread.
  COMCP_LAZY void cut() const;

  result<void> send(outgoing&& message) {
    if (!transport_) return error(errc::closed, "the client was destroyed");  // its end is posted
    return transport_.send(std::move(message));
  }
  /// True: the server need not be told.
  bool abandon(request_id id) noexcept { return transport_ && transport_.abandon(id); }
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  [[nodiscard]] bool is_http() const noexcept { return http_; }
  /// Of one that was dropped, the last.
  [[nodiscard]] transport_info info() const { return transport_ ? transport_.info() : last_info_; }
  [[nodiscard]] std::optional<saved_session> resumed() const { return transport_.resumed(); }

 private:
  struct opening;
  any_transport transport_;
  std::function<void()> const cut_;
  transport_info last_info_;
  bool const http_;
  bool open_ = false;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/channel.ipp>
#endif
