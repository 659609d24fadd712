// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who wants to hear of which change, in both eras: resources/subscribe in the legacy one, listen streams in the
// modern one (2026-07-28, basic/patterns/subscriptions). The wire subscription is shared by all local ones.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/client/inbound.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/subscriptions.hpp>

namespace comcp {
class client_core;

/// Called on the client's executor with each update of a resource.
using updated_callback = std::function<void(resource_updated const&)>;

namespace detail {

/// One subscriptions/listen request and what came on it.
struct listen_stream {
  explicit listen_stream(subscription_filter f) : asked(std::move(f)) {}

  prepared_call call{"subscriptions/listen", {}, {}};
  pending_entry entry;
  pending_entry acknowledgment;  // waited for while it is outstanding
  subscription_filter asked, acknowledged;
  bool is_acknowledged = false;
  std::chrono::steady_clock::time_point acknowledged_at{};
  bool independent = false;  // made by listen(): has a queue and its own reader
  std::deque<any_notification> queue;
  std::uint64_t dropped = 0;
  std::vector<request_id> readers;  // those that wait
  std::optional<error> ended;  // errc{} value: gracefully
};

class subscription_hub final : public notification_sink {
 public:
  explicit subscription_hub(client_core& core) noexcept : core_(core) {}
  ~subscription_hub();

  // From users, on home.
  asio::awaitable<void> subscribe(std::string uri, updated_callback f, call_options options);
  asio::awaitable<void> unsubscribe(std::string uri, call_options options);
  asio::awaitable<std::shared_ptr<listen_stream>> listen(subscription_filter filter, call_options options);
  asio::awaitable<std::optional<any_notification>> next(std::shared_ptr<listen_stream> s);
  void close(listen_stream& s);
  /// `f` is called at each change of a list: "tools", "prompts" or "resources"; `silent` when it turns out that changes
  /// are not told, or not for now, and why. Returns a handle to stop with.
  std::uint64_t watch(std::string kind, std::function<void()> f, std::function<void(error const&)> silent = {});
  void unwatch(std::uint64_t handle);

  // From the core.
  void connected();
  void ended(error const& reason);
  void shut_down() noexcept;
  /// Legacy era: what the server says unasked does not come any more, or (no error) it does again.
  void deaf(error why);
  /// Whether anybody waits for what the server says unasked.
  [[nodiscard]] bool is_awaited() const;
  /// Modern era: true when the notification belonged to an independent stream or was not for anybody else.
  bool notified(std::string const& method, json::value const& params) override;

 private:
  struct topic {
    std::vector<std::shared_ptr<updated_callback const>> callbacks;
    bool confirmed = false;  // the server agreed to it
    bool asking = false;     // legacy: one subscriber asks for all
    std::vector<request_id> waiting;
  };
  struct watcher {
    std::uint64_t handle;
    std::string kind;
    std::function<void()> call;
    std::function<void(error const&)> silent;
  };

  bool routed(std::string const& method, json::value const& params);
  void tell(std::string const& method, json::value const& params);
  void cancelled_by_server(json::view request);
  [[nodiscard]] subscription_filter wanted() const;
  void open(std::shared_ptr<listen_stream> const& s);
  void stream_over(std::shared_ptr<listen_stream> const& s, reply r);
  asio::awaitable<error> acknowledged(std::shared_ptr<listen_stream> s, call_options options);
  void refresh_shared();
  void reopen_later();
  void give_up_opening();
  void missed_changes();
  void tell_watchers();
  void tell_silence(std::string_view kind, error const& why);
  void tell_left_out(listen_stream const& s);
  void guarded(std::function<void()> const& f);
  asio::awaitable<void> reconcile();
  [[nodiscard]] static bool is_other_version(error const& e);
  struct membership;
  asio::awaitable<void> ask(prepared_call c, performer how);
  asio::awaitable<reply> join(std::string uri, std::shared_ptr<updated_callback const> mine, prepared_call& c);
  asio::awaitable<reply> leave(std::string uri, prepared_call& c);
  asio::awaitable<reply> open_for(std::shared_ptr<listen_stream> s, prepared_call& c);
  asio::awaitable<error> join_shared(std::string uri, prepared_call& c);
  asio::awaitable<error> join_legacy(std::string uri, prepared_call& c);
  void wake(std::vector<request_id>& line, error const& why);
  void answered(std::string const& uri, bool well);
  asio::awaitable<void> restore_legacy(std::string uri);
  void forget(std::string const& uri, std::shared_ptr<updated_callback const> const& callback);
  [[nodiscard]] std::shared_ptr<listen_stream> by_id(std::uint64_t id) const;

  client_core& core_;
  std::map<std::string, topic> resources_;
  std::vector<watcher> watchers_;
  std::uint64_t next_handle_ = 1;
  std::vector<std::shared_ptr<listen_stream>> streams_;  // open ones
  std::shared_ptr<listen_stream> shared_, opening_;  // the latter is not acknowledged yet
  std::map<std::string, error> silent_;  // kinds whose changes the shared stream does not bring
  error deaf_;
  std::vector<request_id> waiting_;      // for the end of a reconciliation
  call_options patience_;                // the longest timeout of those
  unsigned reopened_ = 0;                // times in a row that the server ended the shared stream
  bool reconciling_ = false;
  bool reopening_ = false;               // the wait before the next attempt is under way
  bool gap_ = false;  // the shared stream broke: what changes until the next one is open, nobody tells
};

}  // namespace detail
}  // namespace comcp
