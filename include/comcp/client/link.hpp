// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client's core as its facade sees it: a source that is only given a client compiles no connecting, restarting or
// negotiating. Internal.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/client/capacity.hpp>
#include <comcp/client/observer.hpp>
#include <comcp/client/server_snapshot.hpp>
#include <comcp/client/statistics.hpp>
#include <comcp/protocol/lifecycle.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/subscriptions.hpp>
#include <comcp/protocol/tools.hpp>
#include <comcp/sansio/handshake.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp {
class client_core;

/// Called on the client's executor with each update of a resource.
using updated_callback = std::function<void(resource_updated const&)>;

namespace detail {
template <class R>
class away;
class status_listeners;
struct listen_stream;

/// What keeps a list that is walked page by page finite.
struct list_bounds {
  using time_point = std::chrono::steady_clock::time_point;
  std::size_t pages, items, bytes;
  time_point now, end;
  bool cached;  // pages may come from the cache
};

/// Who hears of what changes. On home only.
class subscriptions_link {
 public:
  virtual ~subscriptions_link() = default;

  // For users.
  virtual asio::awaitable<void> subscribe(std::string uri, updated_callback f, call_options options) = 0;
  virtual asio::awaitable<void> unsubscribe(std::string uri, call_options options) = 0;
  virtual asio::awaitable<std::shared_ptr<listen_stream>> listen(subscription_filter filter, call_options options) = 0;
  virtual asio::awaitable<std::optional<any_notification>> next(std::shared_ptr<listen_stream> s) = 0;
  virtual void close(listen_stream& s) = 0;
  /// `changed` is called at each change of a list: "tools", "prompts" or "resources"; `silent` when it turns out that
  /// changes are not told, or not for now, and why. Returns a handle to stop with.
  virtual std::uint64_t watch(std::string kind, std::function<void()> changed, std::function<void(error const&)> silent) = 0;
  virtual void unwatch(std::uint64_t handle) = 0;

  // For the core.
  virtual void connected() = 0;
  virtual void ended(error const& reason) = 0;
  virtual void shut_down() noexcept = 0;
  /// Modern era: what an extension wants to hear of has changed.
  virtual void refresh() = 0;
  /// True when the notification belonged to an independent stream or was not for anybody else.
  virtual bool notified(std::string const& method, json::value const& params) = 0;
  /// Legacy era: whether what the server says unasked comes has changed; how it was before.
  virtual void deaf(error const& before) = 0;
  /// Whether anybody waits for what the server says unasked.
  [[nodiscard]] virtual bool is_awaited() const = 0;
};

using subscriptions_maker = std::unique_ptr<subscriptions_link> (*)(client_core&);
COMCP_LAZY std::unique_ptr<subscriptions_link> make_subscriptions(client_core& core);

/// Begins connections anew. On home only.
class restarts_link {
 public:
  using nanoseconds = std::chrono::nanoseconds;

  virtual ~restarts_link() = default;
  /// The connection is lost; false when there is to be no restart.
  virtual bool begin(error const& why) = 0;
  /// Ends the connection and begins anew, as after a crash with this reason, once `wait` is over; an attempt that waits
  /// already is made now. What forbids it, if anything does.
  virtual error begin_anew(error why, nanoseconds wait) = 0;
  /// The same at once, and waits until it is ready again. Throws what the attempt failed with.
  virtual asio::awaitable<void> reconnect(error why) = 0;
  /// Called whenever an attempt to restore the connection begins.
  virtual void on_attempt(std::function<void()> f) = 0;
  /// It works.
  virtual void proved() noexcept = 0;
  /// Who waits for how it ends; they are the caller's from then on.
  [[nodiscard]] virtual std::vector<request_id> take_waiting() noexcept = 0;
};

using restarts_maker = std::unique_ptr<restarts_link> (*)(client_core&);
COMCP_LAZY std::unique_ptr<restarts_link> make_restarts(client_core& core);

/// The life of a connection. Those that return an awaitable: from any executor, they resume there; the others: on home.
class life_link {
 public:
  virtual asio::awaitable<void> close() = 0;
  /// On home.
  [[nodiscard]] virtual restarts_link& restarts(restarts_maker make) = 0;
  virtual asio::awaitable<error> ended() = 0;
  [[nodiscard]] virtual std::shared_ptr<status_listeners> const& status() const noexcept = 0;
  /// On home. Waits; what ended it where that is not its time.
  virtual asio::awaitable<error> sleep(std::chrono::nanoseconds d, std::stop_token stop = {}) = 0;
  /// On home.
  [[nodiscard]] virtual capacity_link& capacity(capacity_maker make) = 0;

 protected:
  ~life_link() = default;
};

/// The way of a call.
class call_link {
 public:
  /// Begins at once, or when it is awaited; `plain`: what is awaited is its one round trip. `e` lives as long.
  virtual asio::awaitable<reply> begin(asio::any_io_executor const& here, prepared_call& c, pending_entry& e,
                                       bool& plain) = 0;
  /// Whether that round trip was not the end of it: settle() goes on then.
  [[nodiscard]] virtual bool needs_settling(prepared_call const& c, reply const& r) const = 0;
  virtual asio::awaitable<reply> settle(prepared_call& c, reply r) = 0;
  /// For who waits on `here` and is no coroutine, or on another executor than home.
  [[nodiscard]] virtual std::shared_ptr<detail::away<reply>> away(asio::any_io_executor const& here,
                                                                  prepared_call c) = 0;

 protected:
  ~call_link() = default;
};

/// As for life_link.
class client_link : public call_link {
 public:
  virtual asio::awaitable<void> set_level(log_level level, call_options options) = 0;
  virtual asio::awaitable<void> notify(std::string method, std::string params) = 0;
  virtual asio::awaitable<void> notify_roots_changed() = 0;
  [[nodiscard]] virtual comcp::transport_info transport_info() const = 0;  ///< On home.
  virtual void notify_now(std::string_view method, std::string_view params) = 0;
  /// Takes out the tools whose definition cannot be used here, and learns how the others are.
  virtual asio::awaitable<void> adopt_tools(list_tools_result& page) = 0;
  [[nodiscard]] virtual list_bounds bounds(call_options const& options) const = 0;
  /// On home; `make` may be null where somebody has subscribed already.
  [[nodiscard]] virtual subscriptions_link& subscriptions(subscriptions_maker make) = 0;
  [[nodiscard]] virtual life_link& life() noexcept = 0;
  virtual void abandon() noexcept = 0;  ///< The owning client went away.
  [[nodiscard]] virtual client_core& core() noexcept = 0;  ///< For sources that have its definition.

  /// On any thread.
  /// Whether this extension is among the client's capabilities.
  [[nodiscard]] virtual bool declares(std::string_view extension) const = 0;
  [[nodiscard]] virtual std::shared_ptr<server_snapshot const> server() const = 0;
  [[nodiscard]] virtual comcp::statistics statistics() const = 0;
  [[nodiscard]] virtual asio::any_io_executor const& home() const noexcept = 0;
  virtual void fault(error what) = 0;

 protected:
  ~client_link() = default;
};

// In a program of headers only a source that has them can compile these.
#if defined(COMCP_SEPARATE_COMPILATION)
template <class Core>
concept has_definition = true;
#else
template <class Core>
concept has_definition = requires { sizeof(Core); };
#endif

/// On home: who sees to subscriptions, which only a program that asks for them compiles. Core is client_core.
template <class Core>
subscriptions_link& subscriptions_of(client_link& core) {
  static_assert(
      has_definition<Core>,
      "comcp: a source that subscribes, listens or watches includes comcp/comcp.hpp, not only comcp/client.hpp");
  return core.subscriptions([](client_core& c) { return make_subscriptions(c); });
}
/// The same of restarts.
template <class Core>
restarts_link& restarts_of(client_link& core) {
  static_assert(has_definition<Core>,
                "comcp: a source that reconnects a client includes comcp/comcp.hpp, not only comcp/client.hpp");
  return core.life().restarts([](client_core& c) { return make_restarts(c); });
}
/// And of waiting for room.
template <class Core>
capacity_link& capacity_of(client_link& core) {
  static_assert(has_definition<Core>,
                "comcp: a source that waits for capacity includes comcp/comcp.hpp, not only comcp/client.hpp");
  return core.life().capacity([](client_core& c) { return make_capacity(c); });
}

}  // namespace detail
}  // namespace comcp
