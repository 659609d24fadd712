// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What client.listen() gives: one stream of notifications of its own.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/client/link.hpp>
#include <comcp/client/listen_stream.hpp>
#include <comcp/client/operation.hpp>

namespace comcp {

/// A listen stream (2026-07-28, basic/patterns/subscriptions). Move-only; destroying it ends it, by way of
/// the client's executor. Its functions may be called on any thread, one at a time. Unread notifications beyond
/// limits().subscription_queue() are dropped and counted.
class subscription {
 public:
  subscription() = default;
  subscription(std::shared_ptr<detail::client_link> core, std::shared_ptr<detail::listen_stream> s) noexcept
      : core_(std::move(core)), stream_(std::move(s)) {}
  subscription(subscription&&) noexcept = default;
  subscription& operator=(subscription&& other) noexcept {
    if (this != &other) {
      close();
      core_ = std::move(other.core_);
      stream_ = std::move(other.stream_);
    }
    return *this;
  }
  ~subscription() { close(); }

  /// The next notification, or nothing once the stream has ended and its queue is empty. Each goes to one reader. Errors:
  /// errc::closed after close(), and for an object that has no stream.
  COMCP_LAZY [[nodiscard]] asio::awaitable<std::optional<any_notification>> next();
  /// What the server agreed to send. Throws as next() does.
  [[nodiscard]] subscription_filter const& acknowledged() const { return stream().acknowledged; }
  [[nodiscard]] std::uint64_t dropped() const { return stream().dropped; }
  /// Set once the stream has ended: an empty error for a graceful end, else the reason.
  [[nodiscard]] std::optional<error> closed() const {
    return stream_ ? stream_->ended() : std::optional(error(errc::closed));
  }
  void close() noexcept {
    auto const stream = std::exchange(stream_, nullptr);
    if (!core_ || !stream || stream->ended()) return;
    try {
      detail::dispatch(core_->home(), [core = core_, stream] { core->subscriptions(nullptr).close(*stream); });
    } catch (...) {  // no memory: it ends with its connection
    }
  }

 private:
  static error no_stream() { return {errc::closed, "this subscription has no stream, or was closed"}; }
  [[nodiscard]] detail::listen_stream const& stream() const {
    if (!stream_) throw exception(no_stream());
    return *stream_;
  }

  std::shared_ptr<detail::client_link> core_;
  std::shared_ptr<detail::listen_stream> stream_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/subscription.ipp>
#endif
