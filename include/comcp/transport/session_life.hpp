// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What every open channel of ours is: it has an inbox until it is over, and tells it so once. Internal.
#pragma once

#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/defer.hpp>
#include <asio/steady_timer.hpp>

#include <comcp/json/padded_text.hpp>
#include <comcp/net/asio_compat.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp::detail {

/// How long a session has its inbox: until abort() or finish(), after which the inbox is not called again. Since each
/// call of the inbox may end in either, every such call is followed by a look at it. All members run on the executor.
class session_life : public std::enable_shared_from_this<session_life> {
 public:
  session_life(asio::any_io_executor executor, inbox& in)
      : executor_(std::move(executor)), inbox_(&in), closed_signal_(executor_, asio::steady_timer::time_point::max()) {}
  session_life(session_life const&) = delete;
  session_life& operator=(session_life const&) = delete;
  virtual ~session_life() = default;

  /// Ends at once and silently.
  void abort() noexcept;
  [[nodiscard]] bool done() const noexcept { return inbox_ == nullptr; }
  [[nodiscard]] asio::steady_timer& closed_signal() noexcept { return closed_signal_; }

 protected:
  /// It is over: disarm what is armed, close what is open.
  virtual void released() noexcept = 0;

  [[nodiscard]] asio::any_io_executor const& executor() const noexcept { return executor_; }
  /// Precondition: not done(). False when it is, afterwards.
  bool deliver(padded_text line);
  void fault(error what);
  /// Tells the inbox, once. Not to be called from inside a call of a user.
  void finish(error reason);

  /// Calls a member of the derived class later, unless it is over by then.
  template <class Derived>
  void later(void (Derived::*member)()) {
    asio::defer(executor_, [self = shared_from_this(), member] {
      if (!self->done()) (static_cast<Derived&>(*self).*member)();
    });
  }

 private:
  void release() noexcept;

  asio::any_io_executor executor_;
  inbox* inbox_;
  asio::steady_timer closed_signal_;  // never expires; cancelled when it is over
};

/// Begins the close and waits for its end. Cancelling it stops only the waiting.
template <class Session>
asio::awaitable<void> close_session(std::shared_ptr<Session> session) {
  if (!session || session->done()) co_return;
  session->start_close();
  while (!session->done()) co_await net::async_wait(session->closed_signal());
}

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/session_life.ipp>
#endif
