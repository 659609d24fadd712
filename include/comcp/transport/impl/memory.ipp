// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/defer.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include <comcp/net/asio_compat.hpp>
#include <comcp/transport/memory.hpp>

namespace comcp {

namespace detail {

/// What was sent to one end of a memory_pair and waits there. Both ends use it, each from its own thread; all else of an
/// end belongs to that end's executor.
class memory_mailbox {
 public:
  enum class next { deliver, sleep, end };
  /// Where the owner is to be told of what has come; null when it knows already, or has not opened.
  using woken = asio::any_io_executor const*;

  void limit(queue_limits limits) { waiting_ = message_queue(limits); }

  /// The owner reads from now on, and is awake. False when it did before, or has left.
  bool open(asio::any_io_executor const& executor) {
    std::lock_guard const lock(mutex_);
    if (executor_ || phase_ == phase::left) return false;
    executor_ = executor;
    return awake_ = true;
  }
  /// Precondition: open() was.
  [[nodiscard]] asio::any_io_executor const& executor() const noexcept { return *executor_; }

  result<woken> put(outgoing&& m) {
    std::lock_guard const lock(mutex_);
    if (phase_ == phase::left) return error(errc::closed, "the channel is closed");
    if (auto taken = waiting_.push(std::move(m)); !taken) return taken.error();
    return rouse();
  }

  bool remove(request_id id) noexcept {
    std::lock_guard const lock(mutex_);
    return waiting_.abandon(id);
  }

  woken wake() {
    std::lock_guard const lock(mutex_);
    return rouse();
  }

  woken sender_left() {
    std::lock_guard const lock(mutex_);
    if (phase_ == phase::left) return nullptr;
    phase_ = phase::no_sender;
    return rouse();
  }

  /// From here on sends are refused.
  void leave() {
    std::lock_guard const lock(mutex_);
    phase_ = phase::left;
    waiting_.clear();
  }

  void take(std::vector<std::string>& batch) {
    std::lock_guard const lock(mutex_);
    waiting_.take(batch);
  }

  /// The owner stays awake while it delivers, so that a send from there only queues.
  [[nodiscard]] next after_batch(bool closing) {
    std::lock_guard const lock(mutex_);
    if (!waiting_.empty()) return next::deliver;
    awake_ = false;
    return closing || phase_ == phase::no_sender ? next::end : next::sleep;
  }

 private:
  enum class phase { open, no_sender, left };

  woken rouse() noexcept { return executor_ && !std::exchange(awake_, true) ? &*executor_ : nullptr; }

  std::mutex mutex_;
  message_queue waiting_;
  std::optional<asio::any_io_executor> executor_;  // is set once
  phase phase_ = phase::open;
  bool awake_ = false;
};

}  // namespace detail

struct memory_transport::end : std::enable_shared_from_this<memory_transport::end> {
  using mailbox = detail::memory_mailbox;

  static constexpr int max_turns = 32;  // without giving the executor to others

  // What the peer sends.
  result<void> accept(outgoing&& m, end& from) {
    auto const woken = box.put(std::move(m));
    if (!woken) return woken.error();
    // While the sender delivers on the same executor it goes on with this end afterwards: no other post.
    if (*woken != nullptr && from.pumping && **woken == from.box.executor()) {
      from.owed = shared_from_this();
    } else {
      post_drain(*woken);
    }
    return {};
  }

  void post_drain(mailbox::woken on) {
    if (on != nullptr) asio::defer(*on, [self = shared_from_this()]() mutable { pump(std::move(self)); });
  }

  static void pump(std::shared_ptr<end> now) {
    for (int turn = 0; now; ++turn) {
      if (turn == max_turns) return now->post_drain(&now->box.executor());
      now->pumping = true;
      now->drain();
      now->pumping = false;
      auto then = std::exchange(now->owed, nullptr);
      now = std::move(then);
    }
  }

  void drain() {
    if (in == nullptr) return;
    box.take(batch);
    for (auto& text : batch) {
      ++counts.messages_in;
      counts.bytes_in += text.size();
      in->delivered(pad(text), 0);
      if (in == nullptr) break;
    }
    batch.clear();
    if (in == nullptr) return;
    auto const then = box.after_batch(closing);
    if (then == mailbox::next::deliver) return post_drain(&box.executor());
    if (then == mailbox::next::end) finish(closing ? error(errc::closed, "closed by this side")
                                                   : error(errc::transport_failed, "the other end closed"));
  }

  void finish(error reason) {
    inbox* const told = std::exchange(in, nullptr);
    leave();
    if (auto const s = closed_signal.lock()) s->cancel();
    if (told != nullptr) told->closed(std::move(reason));
  }

  void leave() {
    box.leave();
    if (auto const p = std::exchange(peer, nullptr)) p->post_drain(p->box.sender_left());
  }

  void abort() noexcept {
    in = nullptr;
    leave();
    if (auto const s = closed_signal.lock()) s->cancel();
  }

  mailbox box;
  std::shared_ptr<end> peer;  // a cycle, until either end leaves
  std::vector<std::string> batch;
  inbox* in = nullptr;
  std::weak_ptr<asio::steady_timer> closed_signal;  // of those who wait for the end; never expires, is cancelled then
  bool closing = false;
  bool pumping = false;
  std::shared_ptr<end> owed;  // was sent to while pumping, and is not posted
  transport_info counts;
};

COMCP_DECL std::pair<memory_transport, memory_transport> memory_pair(queue_limits limits) {
  auto a = std::make_shared<memory_transport::end>();
  auto b = std::make_shared<memory_transport::end>();
  a->peer = b;
  b->peer = a;
  a->box.limit(limits);
  b->box.limit(limits);
  return {memory_transport(std::move(a)), memory_transport(std::move(b))};
}

COMCP_DECL memory_transport& memory_transport::operator=(memory_transport&& other) noexcept {
  if (this != &other) {
    if (end_) end_->abort();
    end_ = std::move(other.end_);
  }
  return *this;
}

COMCP_DECL memory_transport::~memory_transport() {
  if (end_) end_->abort();
}

COMCP_LAZY_DECL asio::awaitable<result<void>> memory_transport::open(inbox& in) { return open_impl(end_, in); }

COMCP_LAZY_DECL asio::awaitable<result<void>> memory_transport::open_impl(std::shared_ptr<end> e, inbox& in) {
  auto executor = co_await asio::this_coro::executor;
  bool const opened = e->box.open(executor);
  if (!opened) co_return error(errc::connect_failed, "an end of a memory pair opens once");
  e->in = &in;
  e->post_drain(&e->box.executor());
  co_return result<void>();
}

COMCP_DECL result<void> memory_transport::send(outgoing message) {
  if (end_->in == nullptr || end_->closing) return error(errc::closed, "the channel is closed");
  auto const size = message.text.size();
  auto accepted = end_->peer->accept(std::move(message), *end_);
  if (accepted) {
    ++end_->counts.messages_out;
    end_->counts.bytes_out += size;
  }
  return accepted;
}

COMCP_DECL bool memory_transport::abandon(request_id id) noexcept {
  return end_->in != nullptr && end_->peer->box.remove(id);
}

COMCP_LAZY_DECL asio::awaitable<void> memory_transport::close() { return close_impl(end_); }

COMCP_LAZY_DECL asio::awaitable<void> memory_transport::close_impl(std::shared_ptr<end> e) {
  if (e->in == nullptr) co_return;
  if (!e->closing) {
    e->closing = true;
    e->post_drain(e->box.wake());
  }
  // In the frames that wait: an end may be held longer than the context is there.
  auto signal = e->closed_signal.lock();
  if (!signal) signal = std::make_shared<asio::steady_timer>(e->box.executor(), asio::steady_timer::time_point::max());
  e->closed_signal = signal;
  while (e->in != nullptr) co_await net::async_wait(*signal);
}

COMCP_DECL transport_info memory_transport::info() const {
  auto out = end_->counts;
  out.kind = "memory";
  return out;
}

static_assert(transport<memory_transport>);

}  // namespace comcp
