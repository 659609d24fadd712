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

#include <comcp/client/link.hpp>
#include <comcp/client/listen_streams.hpp>
#include <comcp/client/shared_stream.hpp>
#include <comcp/client/watchers.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/subscriptions.hpp>

namespace comcp {
class client_core;

namespace detail {

class subscription_hub {
 public:
  COMCP_LAZY explicit subscription_hub(client_core& core);

  // From users, on home.
  COMCP_LAZY asio::awaitable<void> subscribe(std::string uri, updated_callback f, call_options options);
  COMCP_LAZY asio::awaitable<void> unsubscribe(std::string uri, call_options options);
  /// `f` is called at each change of a list: "tools", "prompts" or "resources"; `silent` when it turns out that changes
  /// are not told, or not for now, and why. Returns a handle to stop with.
  COMCP_LAZY std::uint64_t watch(std::string kind, std::function<void()> f,
                                 std::function<void(error const&)> silent = {});
  COMCP_LAZY void unwatch(std::uint64_t handle);

  [[nodiscard]] listen_streams& streams() noexcept { return streams_; }

  // From the core.
  COMCP_LAZY void connected();
  COMCP_LAZY void refresh();
  COMCP_LAZY void ended(error const& reason);
  /// Legacy era: whether what the server says unasked comes has changed.
  COMCP_LAZY void deaf(error const& before);
  // For the shared stream.
  COMCP_LAZY [[nodiscard]] subscription_filter wanted() const;
  /// What it acknowledged.
  COMCP_LAZY void adopt(listen_stream const& s);
  /// There was none for a while: as though every list had changed.
  COMCP_LAZY void missed_changes();
  /// It brings nothing for now.
  void silent(error const& why) { watchers_.tell_silence({}, why); }
  /// Modern era: true when the notification belonged to an independent stream or was not for anybody else.
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);

 private:
  struct topic {
    std::vector<std::shared_ptr<updated_callback const>> callbacks;
    bool confirmed = false;  // the server agreed to it
    bool asking = false;     // legacy: one subscriber asks for all
    std::vector<request_id> waiting;
  };

  COMCP_LAZY void tell(std::string const& method, json::value const& params);
  COMCP_LAZY void tell_watchers();
  struct membership;
  COMCP_LAZY asio::awaitable<reply> join(std::string uri, std::shared_ptr<updated_callback const> mine,
                                         prepared_call& c);
  COMCP_LAZY asio::awaitable<reply> leave(std::string uri, prepared_call& c);
  COMCP_LAZY asio::awaitable<error> join_legacy(std::string uri, prepared_call& c);
  COMCP_LAZY void wake(std::vector<request_id>& line, error const& why);
  COMCP_LAZY void answered(std::string const& uri, bool well);
  COMCP_LAZY asio::awaitable<void> restore_legacy(std::string uri);
  COMCP_LAZY void forget(std::string const& uri, std::shared_ptr<updated_callback const> const& callback);

  client_core& core_;
  std::map<std::string, topic> resources_;
  listen_streams streams_;
  shared_stream shared_;
  watchers watchers_;
  std::map<std::string, error> silent_;  // kinds whose changes the shared stream does not bring
};

/// A hub behind its link: that it is virtual is said here alone.
template <class Hub>
class subscription_hub_link final : public subscriptions_link {
 public:
  explicit subscription_hub_link(client_core& core) : hub_(core) {}

  asio::awaitable<void> subscribe(std::string uri, updated_callback f, call_options options) override {
    return hub_.subscribe(std::move(uri), std::move(f), std::move(options));
  }
  asio::awaitable<void> unsubscribe(std::string uri, call_options options) override {
    return hub_.unsubscribe(std::move(uri), std::move(options));
  }
  asio::awaitable<std::shared_ptr<listen_stream>> listen(subscription_filter filter, call_options options) override {
    return hub_.streams().listen(std::move(filter), std::move(options));
  }
  asio::awaitable<std::optional<any_notification>> next(std::shared_ptr<listen_stream> s) override {
    return hub_.streams().next(std::move(s));
  }
  void close(listen_stream& s) override { hub_.streams().close(s); }
  std::uint64_t watch(std::string kind, std::function<void()> changed,
                      std::function<void(error const&)> silent) override {
    return hub_.watch(std::move(kind), std::move(changed), std::move(silent));
  }
  void unwatch(std::uint64_t handle) override { hub_.unwatch(handle); }
  void connected() override { hub_.connected(); }
  void refresh() override { hub_.refresh(); }
  void ended(error const& reason) override { hub_.ended(reason); }
  void shut_down() noexcept override { hub_.streams().shut_down(); }
  bool notified(std::string const& method, json::value const& params) override { return hub_.notified(method, params); }
  void deaf(error const& before) override { hub_.deaf(before); }
  [[nodiscard]] bool is_awaited() const override { return !hub_.wanted().empty(); }

 private:
  Hub hub_;
};

}  // namespace detail
}  // namespace comcp
