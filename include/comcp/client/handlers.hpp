// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Ready handlers: a list of roots, a log listener, and a broadcast of notifications to any number of listeners.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/post.hpp>

#include <comcp/client/client.hpp>
#include <comcp/client/waiter.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/roots.hpp>

namespace comcp {

/// Offers roots. Copies share one list; change it on the client's executor.
class root_list {
 public:
  root_list() : roots_(std::make_shared<std::vector<root>>()) {}
  explicit root_list(std::vector<root> roots) : roots_(std::make_shared<std::vector<root>>(std::move(roots))) {}

  [[nodiscard]] std::vector<root> list_roots() const { return *roots_; }
  /// Declares listChanged.
  void capabilities(client_capabilities& c) const { c.roots->list_changed = true; }

  /// Errors: invalid_argument, thrown, for a uri that is not file://.
  void add(root r) {
    if (!r.uri.starts_with("file://")) throw exception(error(errc::invalid_argument, "a root is a file:// uri, not " + r.uri));
    remove(r.uri);
    roots_->push_back(std::move(r));
  }
  bool remove(std::string_view uri) {
    return std::erase_if(*roots_, [uri](root const& r) { return r.uri == uri; }) > 0;
  }
  /// Tells the server, where its era has that; call it after add() and remove().
  [[nodiscard]] asio::awaitable<void> notify(client const& c) const {
    if (c.era() == era::legacy) return c.notify_roots_changed();
    return nothing();
  }

 private:
  static asio::awaitable<void> nothing() { co_return; }
  std::shared_ptr<std::vector<root>> roots_;
};

/// Gives each log message of the server to a function, or writes it to a stream as one line.
class log_handler {
 public:
  explicit log_handler(std::function<void(logging_message const&)> f) : call_(std::move(f)) {}
  /// `out` outlives the client.
  explicit log_handler(std::ostream& out)
      : call_([&out](logging_message const& m) {
          out << '[' << enum_text(m.level) << ']';
          if (m.logger) out << ' ' << *m.logger << ':';
          auto const text = m.data.view().get_string();
          out << ' ' << (text ? std::string(*text) : m.data.dump()) << '\n';
        }) {}

  void on(logging_message const& m) { call_(m); }

 private:
  std::function<void(logging_message const&)> call_;
};

/// Hands every notification to any number of listeners, each with a bounded queue that counts what it dropped.
/// Copies share the listeners. Use it on the client's executor.
class broadcast {
  struct queue {
    explicit queue(std::size_t n) : bound(n) {}
    std::deque<any_notification> items;
    std::size_t bound;
    std::uint64_t dropped = 0;
    detail::waiter<bool>* reader = nullptr;
  };

 public:
  /// One listener's end; it stops listening when it is destroyed.
  class listener {
   public:
    explicit listener(std::shared_ptr<queue> q) noexcept : queue_(std::move(q)) {}
    /// Waits for the next one. One at a time.
    [[nodiscard]] asio::awaitable<any_notification> next() const { return take(queue_); }
    /// What had no place in the queue.
    [[nodiscard]] std::uint64_t dropped() const noexcept { return queue_->dropped; }
    [[nodiscard]] std::size_t size() const noexcept { return queue_->items.size(); }

   private:
    static asio::awaitable<any_notification> take(std::shared_ptr<queue> q) {
      while (q->items.empty()) {
        auto const ex = co_await asio::this_coro::executor;
        auto const stop = [weak = std::weak_ptr(q), ex] {
          auto wake = [weak] {
            auto const alive = weak.lock();
            if (!alive) return;
            if (auto* const r = std::exchange(alive->reader, nullptr)) r->complete(false);
          };
          asio::post(ex, std::move(wake));
        };
        if (q->reader) throw exception(error(errc::invalid_argument, "two readers of one listener"));
        bool const more = co_await detail::suspend<bool>(q->reader, stop);
        if (!more) throw exception(error(errc::cancelled));
      }
      auto first = std::move(q->items.front());
      q->items.pop_front();
      co_return first;
    }
    std::shared_ptr<queue> queue_;
  };

  broadcast() : queues_(std::make_shared<std::vector<std::weak_ptr<queue>>>()) {}

  [[nodiscard]] listener listen(std::size_t queue_bound = 256) {
    auto q = std::make_shared<queue>(queue_bound);
    queues_->push_back(q);
    return listener(std::move(q));
  }

  void on(any_notification const& n) {
    std::erase_if(*queues_, [](auto const& weak) { return weak.expired(); });
    auto const all = *queues_;
    for (auto const& weak : all) {
      auto const q = weak.lock();
      if (!q) continue;
      if (q->items.size() >= q->bound) {
        ++q->dropped;
      } else {
        q->items.push_back(n);
      }
      if (auto* const r = std::exchange(q->reader, nullptr)) r->complete(true);
    }
  }

 private:
  std::shared_ptr<std::vector<std::weak_ptr<queue>>> queues_;
};

}  // namespace comcp
