// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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

// The mutex guards what both ends touch: `incoming`, `incoming_bytes`, `executor`, `scheduled`, `peer_gone`,
// `gone`. All else belongs to the end's own executor.
struct memory_transport::end : std::enable_shared_from_this<memory_transport::end> {
  struct message {
    std::string text;
    request_id id = 0;
    bool pinned = false;
  };

  static constexpr int max_turns = 32;  // without giving the executor to others

  // What the peer sends.
  result<void> accept(outgoing&& m, end& from) {
    std::optional<asio::any_io_executor> wake;
    {
      std::lock_guard const lock(mutex);
      if (gone) return error(errc::closed, "the channel is closed");
      if (!incoming.empty() &&
          (incoming.size() >= limits.messages() || incoming_bytes + m.text.size() > limits.bytes())) {
        return error(errc::queue_full, "queue_limits of the memory pair");
      }
      incoming_bytes += m.text.size();
      incoming.push_back({std::move(m.text), m.id, m.handshake});
      if (!scheduled && executor) {
        scheduled = true;
        // While the sender delivers on the same executor it goes on with this end afterwards: no other post.
        if (from.pumping && *executor == *from.executor) {
          from.owed = shared_from_this();
        } else {
          wake = executor;
        }
      }
    }
    if (wake) post_drain(*wake);
    return {};
  }

  bool remove(request_id id) noexcept {
    std::lock_guard const lock(mutex);
    auto const found = std::find_if(incoming.rbegin(), incoming.rend(), [&](message const& m) { return m.id == id; });
    if (id == 0 || found == incoming.rend() || found->pinned) return false;
    incoming_bytes -= found->text.size();
    incoming.erase(std::next(found).base());
    return true;
  }

  void peer_left() {
    std::optional<asio::any_io_executor> wake;
    {
      std::lock_guard const lock(mutex);
      peer_gone = true;
      if (!scheduled && executor && !gone) {
        scheduled = true;
        wake = executor;
      }
    }
    if (wake) post_drain(*wake);
  }

  void post_drain(asio::any_io_executor const& ex) {
    asio::defer(ex, [self = shared_from_this()]() mutable { pump(std::move(self)); });
  }

  static void pump(std::shared_ptr<end> now) {
    for (int turn = 0; now; ++turn) {
      if (turn == max_turns) return now->post_drain(*now->executor);
      now->pumping = true;
      now->drain();
      now->pumping = false;
      auto then = std::exchange(now->owed, nullptr);
      now = std::move(then);
    }
  }

  void take_batch() {
    std::lock_guard const lock(mutex);
    batch.swap(incoming);
    incoming_bytes = 0;
  }

  enum class next { deliver, sleep, end };

  // While messages are delivered `scheduled` stays set, so that a send from there only queues.
  [[nodiscard]] next after_batch() {
    std::lock_guard const lock(mutex);
    if (!incoming.empty()) return next::deliver;
    scheduled = false;
    return closing || peer_gone ? next::end : next::sleep;
  }

  void drain() {
    if (in == nullptr) return;
    take_batch();
    for (auto& m : batch) {
      ++messages_in;
      bytes_in += m.text.size();
      in->delivered(pad(m.text), 0);
      if (in == nullptr) break;
    }
    batch.clear();
    if (in == nullptr) return;
    auto const then = after_batch();
    if (then == next::deliver) return post_drain(*executor);
    if (then == next::end) finish(closing ? error(errc::closed, "closed by this side")
                                          : error(errc::transport_failed, "the other end closed"));
  }

  void finish(error reason) {
    inbox* const told = std::exchange(in, nullptr);
    leave();
    if (auto const s = closed_signal.lock()) s->cancel();
    if (told != nullptr) told->closed(std::move(reason));
  }

  // From here on the peer's sends are refused, and it is told.
  void leave() {
    {
      std::lock_guard const lock(mutex);
      gone = true;
      incoming.clear();
    }
    if (auto const p = std::exchange(peer, nullptr)) p->peer_left();
  }

  void abort() noexcept {
    in = nullptr;
    leave();
    if (auto const s = closed_signal.lock()) s->cancel();
  }

  std::mutex mutex;
  std::vector<message> incoming;
  std::size_t incoming_bytes = 0;
  std::optional<asio::any_io_executor> executor;
  bool scheduled = false;
  bool peer_gone = false;
  bool gone = false;

  std::shared_ptr<end> peer;  // a cycle, until either end leaves
  queue_limits limits;
  std::vector<message> batch;
  inbox* in = nullptr;
  std::weak_ptr<asio::steady_timer> closed_signal;  // of those who wait for the end; never expires, is cancelled then
  bool closing = false;
  bool pumping = false;
  std::shared_ptr<end> owed;  // was sent to while pumping, and is not posted
  std::uint64_t messages_in = 0;
  std::uint64_t messages_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

COMCP_DECL std::pair<memory_transport, memory_transport> memory_pair(queue_limits limits) {
  auto a = std::make_shared<memory_transport::end>();
  auto b = std::make_shared<memory_transport::end>();
  a->peer = b;
  b->peer = a;
  a->limits = b->limits = limits;
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
  if (e->executor || e->gone) co_return error(errc::connect_failed, "an end of a memory pair opens once");
  e->in = &in;
  {
    std::lock_guard const lock(e->mutex);
    e->executor = executor;
    e->scheduled = true;
  }
  e->post_drain(executor);
  co_return result<void>();
}

COMCP_DECL result<void> memory_transport::send(outgoing message) {
  if (end_->in == nullptr || end_->closing) return error(errc::closed, "the channel is closed");
  auto const size = message.text.size();
  auto accepted = end_->peer->accept(std::move(message), *end_);
  if (accepted) {
    ++end_->messages_out;
    end_->bytes_out += size;
  }
  return accepted;
}

COMCP_DECL bool memory_transport::abandon(request_id id) noexcept {
  return end_->in != nullptr && end_->peer->remove(id);
}

COMCP_LAZY_DECL asio::awaitable<void> memory_transport::close() { return close_impl(end_); }

COMCP_LAZY_DECL asio::awaitable<void> memory_transport::close_impl(std::shared_ptr<end> e) {
  if (e->in == nullptr) co_return;
  if (!e->closing) {
    e->closing = true;
    bool post = false;
    {
      std::lock_guard const lock(e->mutex);
      post = !std::exchange(e->scheduled, true);
    }
    if (post) e->post_drain(*e->executor);
  }
  // In the frames that wait: an end may be held longer than the context is there.
  auto signal = e->closed_signal.lock();
  if (!signal) signal = std::make_shared<asio::steady_timer>(*e->executor, asio::steady_timer::time_point::max());
  e->closed_signal = signal;
  while (e->in != nullptr) co_await signal->async_wait(net::tuple_awaitable);
}

COMCP_DECL transport_info memory_transport::info() const {
  transport_info out;
  out.kind = "memory";
  out.messages_in = end_->messages_in;
  out.messages_out = end_->messages_out;
  out.bytes_in = end_->bytes_in;
  out.bytes_out = end_->bytes_out;
  return out;
}

static_assert(transport<memory_transport>);

}  // namespace comcp
