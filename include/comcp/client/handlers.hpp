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

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <comcp/client/client.hpp>
#include <comcp/client/handler.hpp>
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

  /// Errors: invalid_argument, thrown, for a uri that check_root() refuses.
  void add(root r) {
    check_root(r).value();
    remove(r.uri);
    roots_->push_back(std::move(r));
  }
  bool remove(std::string_view uri) {
    return std::erase_if(*roots_, [uri](root const& r) { return r.uri == uri; }) > 0;
  }
  /// Tells the server, where its era has that; call it after add() and remove().
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> notify(client const& c) const {
    if (c.era() == era::legacy) return c.notify_roots_changed();
    return detail::nothing();
  }

 private:
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
    asio::steady_timer* reader = nullptr;  // lives in the coroutine that waits
  };

 public:
  /// One listener's end; it stops listening when it is destroyed.
  class listener {
   public:
    explicit listener(std::shared_ptr<queue> q) noexcept : queue_(std::move(q)) {}
    /// Waits for the next one, also when its client is closed: cancel it where that may be. One at a time.
    COMCP_LAZY [[nodiscard]] asio::awaitable<any_notification> next() const { return take(queue_); }
    /// What had no place in the queue.
    [[nodiscard]] std::uint64_t dropped() const noexcept { return queue_->dropped; }
    [[nodiscard]] std::size_t size() const noexcept { return queue_->items.size(); }

   private:
    // Nothing but the executor holds the coroutine that waits, so that it goes with its io_context.
    struct reading {
      reading(queue& q, asio::any_io_executor const& ex) : of(q), woken(ex, asio::steady_timer::time_point::max()) {
        of.reader = &woken;
      }
      reading(reading const&) = delete;
      reading& operator=(reading const&) = delete;
      ~reading() { of.reader = nullptr; }
      queue& of;
      asio::steady_timer woken;
    };

    COMCP_LAZY static asio::awaitable<any_notification> take(std::shared_ptr<queue> q);
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
      if (q->reader) q->reader->cancel();
    }
  }

 private:
  std::shared_ptr<std::vector<std::weak_ptr<queue>>> queues_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/handlers.ipp>
#endif
