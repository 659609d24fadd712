// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the two sides of one exchange of httplib_engine meet: the worker thread that blocks, and the caller's
// executor. Who waits for whom, and what is left of it when either side goes first; no HTTP.
#pragma once

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/execution/context.hpp>
#include <asio/execution_context.hpp>
#include <asio/post.hpp>
#include <asio/query.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include <comcp/http/message.hpp>
#include <comcp/net/asio_compat.hpp>

namespace comcp::httplib_detail {

using time_point = std::chrono::steady_clock::time_point;

/// Threads post to an execution context through its gate only, which the context shuts before it goes.
struct post_gate {
  std::mutex mutex;
  bool open = true;
};

class post_gate_service final : public asio::execution_context::service {
 public:
  inline static asio::execution_context::id id;

  explicit post_gate_service(asio::execution_context& owner) : service(owner) {}
  [[nodiscard]] std::shared_ptr<post_gate> const& gate() const noexcept { return gate_; }

 private:
  void shutdown() noexcept override {
    std::lock_guard const lock(gate_->mutex);
    gate_->open = false;
  }

  std::shared_ptr<post_gate> gate_ = std::make_shared<post_gate>();
};

/// A second name for a socket that another thread uses, so that shutting it down never meets a number in new use.
class socket_handle {
 public:
  socket_handle() = default;
  explicit socket_handle(int fd) noexcept : fd_(::fcntl(fd, F_DUPFD_CLOEXEC, 0)) {}
  socket_handle(socket_handle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  socket_handle& operator=(socket_handle&& other) noexcept { return std::swap(fd_, other.fd_), *this; }
  ~socket_handle() {
    if (fd_ >= 0) ::close(fd_);
  }

  /// Whatever blocks in it (connect, write, read) ends with an error.
  void shut_down() const noexcept {
    if (fd_ >= 0) ::shutdown(fd_, SHUT_RDWR);
  }
  [[nodiscard]] bool connected() const noexcept {
    ::sockaddr_storage peer;
    ::socklen_t size = sizeof peer;
    return fd_ >= 0 && ::getpeername(fd_, reinterpret_cast<::sockaddr*>(&peer), &size) == 0;
  }
  /// Whether the peer sent nothing and closed nothing since.
  [[nodiscard]] bool quiet() const noexcept {
    char byte;
    if (fd_ < 0 || ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0) return false;
    return errno == EAGAIN || errno == EWOULDBLOCK;
  }

 private:
  int fd_ = -1;
};

class front;

/// Shared by both sides; every member may be called from any thread.
class exchange {
 public:
  /// How much of a body may wait for its reader.
  static constexpr std::size_t room = std::size_t{64} << 10;

  // The worker's side.

  /// It connects with this socket now, and waits: false when the exchange is over.
  bool connects_with(int fd) {
    std::lock_guard const lock(mutex_);
    socket_ = socket_handle(fd);
    if (!connecting_since_) connecting_since_ = std::chrono::steady_clock::now();
    tell();
    return !stopped_;
  }
  /// There is a connection, and the request is on its way.
  void sends() {
    std::lock_guard const lock(mutex_);
    if (!sending_since_) sending_since_ = std::chrono::steady_clock::now();
    tell();
  }
  void keep_socket(socket_handle socket) {
    std::lock_guard const lock(mutex_);
    socket_ = std::move(socket);
    if (stopped_) socket_.shut_down();
  }
  socket_handle give_socket() {
    std::lock_guard const lock(mutex_);
    return std::move(socket_);
  }
  /// False when nobody wants the body.
  bool head_came(http_response_head head) {
    std::lock_guard const lock(mutex_);
    if (!stopped_) head_ = std::move(head);
    tell();
    return !stopped_;
  }
  /// Waits until there is room; false when nobody wants it any more.
  bool piece_came(char const* bytes, std::size_t size) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return stopped_ || buffer_.size() < room; });
    if (stopped_) return false;
    buffer_.append(bytes, size);
    tell();
    return true;
  }
  void ended() {
    std::lock_guard const lock(mutex_);
    ended_ = true;
    tell();
  }
  /// What failed first counts.
  void failed(error why) {
    std::lock_guard const lock(mutex_);
    if (!failure_ && !ended_) failure_ = std::move(why);
    tell();
  }
  [[nodiscard]] bool stopped() const {
    std::lock_guard const lock(mutex_);
    return stopped_;
  }

  // The executor's side.

  /// The head, or what failed before it came; nothing yet otherwise.
  std::optional<result<http_response_head>> take_head() {
    std::lock_guard const lock(mutex_);
    told_ = false;
    if (stopped_ || (failure_ && !head_)) return result<http_response_head>(*failure_);
    if (!head_) return {};
    return result<http_response_head>(std::move(*head_));
  }
  /// The next piece in `out`, empty at the end, or what failed; false where neither is known yet.
  bool take_piece(std::string& out, std::optional<error>& failure) {
    std::lock_guard const lock(mutex_);
    told_ = false;
    out.clear();
    if (!stopped_ && !buffer_.empty()) {
      out.swap(buffer_);
      room_.notify_one();
      return true;
    }
    failure = failure_;
    return ended_ || failure_;
  }
  /// Ends it from this side or the engine's: the first reason stays.
  void stop(error why) {
    std::lock_guard const lock(mutex_);
    if (!failure_ && !(ended_ && buffer_.empty())) failure_ = std::move(why);
    stopped_ = failure_.has_value();
    socket_.shut_down();
    room_.notify_one();
    tell();
  }
  /// When the response must have begun, and whether the time is still that of connecting.
  struct waiting_for {
    bool connection = true;
    std::optional<time_point> since;
  };
  [[nodiscard]] waiting_for waits_for() const {
    std::lock_guard const lock(mutex_);
    if (sending_since_) return {false, sending_since_};
    return {!socket_.connected(), connecting_since_};
  }

  void listen(asio::any_io_executor executor, std::weak_ptr<front> listener) {
    gate_ = asio::use_service<post_gate_service>(asio::query(executor, asio::execution::context)).gate();
    executor_.emplace(std::move(executor));
    listener_ = std::move(listener);
  }
  void listen_no_more() {
    std::lock_guard const lock(gate_->mutex);
    executor_.reset();
  }

 private:
  inline void tell();

  mutable std::mutex mutex_;
  std::condition_variable room_;
  socket_handle socket_;
  std::optional<time_point> connecting_since_, sending_since_;
  std::optional<http_response_head> head_;
  std::string buffer_;
  std::optional<error> failure_;
  bool ended_ = false, stopped_ = false, told_ = false;
  std::shared_ptr<post_gate> gate_;
  std::optional<asio::any_io_executor> executor_;  // guarded by the gate
  std::weak_ptr<front> listener_;
};

/// The executor's side: wakes the coroutine that waits, and abandons the exchange when it goes.
class front {
 public:
  explicit front(asio::any_io_executor const& executor) : timer_(executor), shared_(std::make_shared<exchange>()) {}
  front(front const&) = delete;
  front& operator=(front const&) = delete;
  ~front() {
    shared_->listen_no_more();
    shared_->stop(error(errc::cancelled, "the response was dropped"));
  }
  static std::shared_ptr<front> make(asio::any_io_executor const& executor) {
    auto f = std::make_shared<front>(executor);
    f->shared_->listen(executor, f);
    return f;
  }

  [[nodiscard]] std::shared_ptr<exchange> const& shared() const noexcept { return shared_; }
  exchange* operator->() const noexcept { return shared_.get(); }
  void wake() { timer_.cancel(); }
  /// Until wake() or that time. A cancelled coroutine ends the exchange.
  static asio::awaitable<void> wait(std::shared_ptr<front> f, time_point until) {
    f->timer_.expires_at(until);
    co_await f->timer_.async_wait(net::tuple_awaitable);
    auto const state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) f->shared_->stop(error(errc::cancelled));
  }

  std::string piece;  ///< What next() gave last.
  time_point total_until = time_point::max();
  std::chrono::nanoseconds idle = http_timeouts::never;

 private:
  asio::steady_timer timer_;
  std::shared_ptr<exchange> shared_;
};

inline void exchange::tell() {
  if (std::exchange(told_, true)) return;
  std::lock_guard const lock(gate_->mutex);
  if (!gate_->open || !executor_) return;
  asio::post(*executor_, [to = listener_] {
    if (auto const f = to.lock()) f->wake();
  });
}

}  // namespace comcp::httplib_detail
