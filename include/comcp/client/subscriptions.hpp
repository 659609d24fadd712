// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who wants to hear of which change, in both eras: resources/subscribe in the legacy one, listen streams in the
// modern one (2026-07-28, basic/patterns/subscriptions). The wire subscription is shared by all local ones.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/client/inbound.hpp>
#include <comcp/client/listen_streams.hpp>
#include <comcp/client/watchers.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/subscriptions.hpp>

namespace comcp {
class client_core;

/// Called on the client's executor with each update of a resource.
using updated_callback = std::function<void(resource_updated const&)>;

namespace detail {

class subscription_hub final : public notification_sink {
 public:
  explicit subscription_hub(client_core& core);
  ~subscription_hub();

  // From users, on home.
  asio::awaitable<void> subscribe(std::string uri, updated_callback f, call_options options);
  asio::awaitable<void> unsubscribe(std::string uri, call_options options);
  /// `f` is called at each change of a list: "tools", "prompts" or "resources"; `silent` when it turns out that changes
  /// are not told, or not for now, and why. Returns a handle to stop with.
  std::uint64_t watch(std::string kind, std::function<void()> f, std::function<void(error const&)> silent = {});
  void unwatch(std::uint64_t handle);

  [[nodiscard]] listen_streams& streams() noexcept { return streams_; }

  // From the core.
  void connected();
  void ended(error const& reason);
  /// Legacy era: what the server says unasked does not come any more, or (no error) it does again.
  void deaf(error why);
  /// Whether anybody waits for what the server says unasked.
  [[nodiscard]] bool is_awaited() const;
  /// Modern era: true when the notification belonged to an independent stream or was not for anybody else.
  COMCP_DECL bool notified(std::string const& method, json::value const& params) override;

 private:
  struct topic {
    std::vector<std::shared_ptr<updated_callback const>> callbacks;
    bool confirmed = false;  // the server agreed to it
    bool asking = false;     // legacy: one subscriber asks for all
    std::vector<request_id> waiting;
  };

  void tell(std::string const& method, json::value const& params);
  [[nodiscard]] subscription_filter wanted() const;
  void stream_over(std::shared_ptr<listen_stream> const& s);
  void refresh_shared();
  void reopen_later();
  void give_up_opening();
  void missed_changes();
  void tell_watchers();
  void tell_left_out(listen_stream const& s);
  asio::awaitable<void> reconcile();
  struct membership;
  asio::awaitable<reply> join(std::string uri, std::shared_ptr<updated_callback const> mine, prepared_call& c);
  asio::awaitable<reply> leave(std::string uri, prepared_call& c);
  asio::awaitable<error> join_shared(std::string uri, prepared_call& c);
  asio::awaitable<error> join_legacy(std::string uri, prepared_call& c);
  void wake(std::vector<request_id>& line, error const& why);
  void answered(std::string const& uri, bool well);
  asio::awaitable<void> restore_legacy(std::string uri);
  void forget(std::string const& uri, std::shared_ptr<updated_callback const> const& callback);

  client_core& core_;
  std::map<std::string, topic> resources_;
  listen_streams streams_;
  watchers watchers_;
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
