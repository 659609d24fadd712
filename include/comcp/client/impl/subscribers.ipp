// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who subscribes to a resource or watches a list and leaves again, alone or with others, and is told when no changes
// come; what is shared is in subscription_hub.ipp.
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/client/subscription_hub.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL void subscription_hub::forget(std::string const& uri,
                                              std::shared_ptr<updated_callback const> const& callback) {
  auto const found = resources_.find(uri);
  if (found == resources_.end()) return;
  std::erase(found->second.callbacks, callback);
  if (found->second.callbacks.empty()) resources_.erase(found);
}

// A subscriber from its first moment: it leaves again unless all went well.
struct subscription_hub::membership {
  membership(subscription_hub& h, std::string u, std::shared_ptr<updated_callback const> f)
      : hub(h), uri(std::move(u)), callback(std::move(f)) {
    hub.resources_[uri].callbacks.push_back(callback);
  }
  membership(membership const&) = delete;
  membership& operator=(membership const&) = delete;
  ~membership() {
    if (!stays) hub.forget(uri, callback);
  }
  subscription_hub& hub;
  std::string uri;
  std::shared_ptr<updated_callback const> callback;
  bool stays = false;
};

COMCP_LAZY_DECL void subscription_hub::wake(std::vector<request_id>& line, error const& why) {
  core_.calls.wake(line, why ? reply(why) : reply(json::value()));
}

COMCP_LAZY_DECL asio::awaitable<void> subscription_hub::subscribe(std::string uri, updated_callback f,
                                                                  call_options options) {
  auto const hold = core_.shared_from_this();
  auto const mine = std::make_shared<updated_callback const>(std::move(f));
  prepared_call c(wire::methods::subscribe, args("uri", uri).text(), std::move(options));
  performer::function how = [this, uri, mine](prepared_call& call) { return join(uri, mine, call); };
  co_await ask_subscription(core_, std::move(c), std::move(how));
}

COMCP_LAZY_DECL asio::awaitable<reply> subscription_hub::join(std::string uri,
                                                              std::shared_ptr<updated_callback const> mine,
                                                              prepared_call& c) {
  auto failure = co_await core_.recovery.settled(c);
  bool const modern = core_.is_modern();
  if (!failure && modern) failure = core_.exchange.check_subscribe(c.options);
  if (!failure && c.options.stop().stop_requested()) failure = error(errc::cancelled);
  if (failure) co_return failure;
  membership me(*this, uri, mine);
  if (modern) failure = co_await shared_.join(uri, c);
  else failure = co_await join_legacy(uri, c);
  if (!failure) {
    me.stays = true;
    auto const& deaf = core_.subscriptions.deafness();
    if (!modern && deaf) core_.fault(deaf);  // subscribed, but nothing brings the updates for now
    co_return json::value();
  }
  forget(uri, mine);
  if (modern) shared_.refresh();
  co_return failure;
}

// One asks for all that come meanwhile; if that goes wrong, the next one does.
COMCP_LAZY_DECL asio::awaitable<error> subscription_hub::join_legacy(std::string uri, prepared_call& c) {
  for (;;) {
    auto& t = resources_[uri];
    if (t.confirmed) co_return error();
    if (!t.asking) break;
    auto failure = co_await core_.calls.wait_in(t.waiting, c);
    if (failure) co_return failure;
  }
  struct asking {
    asking(subscription_hub& h, std::string const& u) : hub(h), uri(u) { hub.resources_[uri].asking = true; }
    asking(asking const&) = delete;
    asking& operator=(asking const&) = delete;
    ~asking() { hub.answered(uri, well); }
    subscription_hub& hub;
    std::string const& uri;
    bool well = false;
  };
  asking now(*this, uri);
  auto const done = co_await core_.exchange.round_trip(c);
  now.well = done.has_value();
  if (done) co_return error();
  co_return done.error();
}

COMCP_LAZY_DECL void subscription_hub::answered(std::string const& uri, bool well) {
  auto const found = resources_.find(uri);
  if (found == resources_.end()) return;
  found->second.asking = false;
  found->second.confirmed = well;
  auto line = std::exchange(found->second.waiting, {});
  wake(line, {});
}

COMCP_LAZY_DECL asio::awaitable<void> subscription_hub::unsubscribe(std::string uri, call_options options) {
  auto const hold = core_.shared_from_this();
  if (core_.end_reason()) throw exception(*core_.end_reason());
  if (!resources_.contains(uri)) throw exception(error(errc::not_found, "no subscription to " + uri));
  prepared_call c(wire::methods::unsubscribe, args("uri", uri).text(), std::move(options));
  performer::function how = [this, uri](prepared_call& call) { return leave(uri, call); };
  co_await ask_subscription(core_, std::move(c), std::move(how));
}

COMCP_LAZY_DECL asio::awaitable<reply> subscription_hub::leave(std::string uri, prepared_call& c) {
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled);
  auto const failed = co_await core_.recovery.settled(c);
  if (failed) co_return failed;
  auto const found = resources_.find(uri);
  if (found != resources_.end()) {
    auto line = std::move(found->second.waiting);
    resources_.erase(found);
    wake(line, error(errc::cancelled, "unsubscribed meanwhile"));
  }
  if (core_.is_modern()) {
    shared_.refresh();
    co_return json::value();
  }
  auto r = co_await core_.exchange.round_trip(c);
  co_return r;
}

COMCP_LAZY_DECL std::uint64_t subscription_hub::watch(std::string kind, std::function<void()> f,
                                                      std::function<void(error const&)> silent) {
  auto const known = silent_.find(kind);
  auto const why = known == silent_.end() ? core_.subscriptions.deafness() : known->second;
  if (why && silent) watchers_.guarded([&] { silent(why); });
  auto const handle = watchers_.add(std::move(kind), std::move(f), std::move(silent));
  if (core_.is_modern()) shared_.refresh();
  return handle;
}

COMCP_LAZY_DECL void subscription_hub::unwatch(std::uint64_t handle) {
  watchers_.remove(handle);
  if (core_.is_modern() && core_.connection.status() == connection_status::ready) shared_.refresh();
}

// What was asked for and is not acknowledged never comes: told once, not at each stream that follows.
COMCP_LAZY_DECL void subscription_hub::adopt(listen_stream const& s) {
  auto const known = std::exchange(silent_, {});
  auto const look = [&](std::string const& kind, bool wanted, bool comes) {
    if (!wanted || comes) return;
    error const why(errc::capability_missing, "the server does not tell of changes of its " + kind +
                                                  ": subscriptions/listen did not acknowledge them");
    silent_.emplace(kind, why);
    if (known.contains(kind)) return;
    core_.fault(why);
    watchers_.tell_silence(kind, why);
  };
  look("tools", s.asked.tools_list_changed, s.acknowledged.tools_list_changed);
  look("prompts", s.asked.prompts_list_changed, s.acknowledged.prompts_list_changed);
  look("resources", s.asked.resources_list_changed, s.acknowledged.resources_list_changed);
  for (auto& [uri, t] : resources_) {
    bool const comes = s.acknowledged.has_resource(uri);
    if (!comes && t.confirmed)
      core_.fault(error(errc::not_found, "the server does not acknowledge the subscription to " + uri + " any more"));
    t.confirmed = comes;
  }
}

COMCP_LAZY_DECL void subscription_hub::deaf(error const& before) {
  auto const& now = core_.subscriptions.deafness();
  if (!now && before && shared_.close_gap()) missed_changes();
  if (!now) return;
  shared_.gap(true);
  watchers_.tell_silence({}, now);
}

}  // namespace comcp::detail
