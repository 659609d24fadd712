// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the facade of a client reaches of its core: each operation by the part that does it. Templates, so that they are
// compiled where a client connects. Internal.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/client/link.hpp>
#include <comcp/client/options.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/later.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp {
class client_core;

namespace detail {

/// From another executor: carried out at home, and its caller resumed on its own.
COMCP_LAZY asio::awaitable<reply> perform_at_home(client_core& core, asio::any_io_executor const& here,
                                                  prepared_call& c);
COMCP_LAZY std::shared_ptr<away<reply>> call_away(client_core& core, asio::any_io_executor const& here,
                                                  prepared_call c);
COMCP_LAZY asio::awaitable<void> set_level_at_home(client_core& core, log_level level, call_options options);
COMCP_LAZY void notify_roots_changed(client_core& core);
COMCP_LAZY asio::awaitable<void> as_work(std::function<void()> f);

template <class Core>
class core_life_link final : public life_link {
 public:
  explicit core_life_link(Core& core) noexcept : core_(core) {}

  asio::awaitable<void> close() override { return core_.close(); }
  [[nodiscard]] restarts_link& restarts(restarts_maker make) override { return core_.recovery.restarts(make); }
  asio::awaitable<error> ended() override { return on_home(core_.shared_from_this(), core_.connection.ended()); }
  [[nodiscard]] std::shared_ptr<status_listeners> const& status() const noexcept override {
    return core_.connection.listeners();
  }
  asio::awaitable<error> sleep(std::chrono::nanoseconds d, std::stop_token stop) override {
    return core_.sleep(d, std::move(stop));
  }
  [[nodiscard]] capacity_link& capacity(capacity_maker make) override {
    auto& room = core_.calls.room();
    if (!room) room = make(core_);
    return *room;
  }

 private:
  Core& core_;
};

template <class Core>
class core_link final : public client_link {
 public:
  explicit core_link(Core& core) noexcept : core_(core), life_(core) {}

  asio::awaitable<reply> begin(asio::any_io_executor const& here, prepared_call& c, pending_entry& e,
                               bool& plain) override {
    if (!(here == core_.home())) return perform_at_home(core_, here, c);
    if (!core_.pipeline.is_plain(c.method)) return core_.pipeline.run(c);
    plain = true;
    return core_.exchange.begin(c, e);
  }
  std::shared_ptr<detail::away<reply>> away(asio::any_io_executor const& here, prepared_call c) override {
    return call_away(core_, here, std::move(c));
  }
  [[nodiscard]] bool needs_settling(prepared_call const& c, reply const& r) const override {
    return core_.exchange.needs_settling(c, r);
  }
  asio::awaitable<reply> settle(prepared_call& c, reply r) override { return core_.exchange.settle(c, std::move(r)); }
  asio::awaitable<void> set_level(log_level level, call_options options) override {
    return on_home(core_.shared_from_this(), set_level_at_home(core_, level, std::move(options)));
  }
  asio::awaitable<void> notify(std::string method, std::string params) override {
    return at_home([this, m = std::move(method), p = std::move(params)] { core_.outbound.notify(m, p); });
  }
  asio::awaitable<void> notify_roots_changed() override {
    return at_home([this] { detail::notify_roots_changed(core_); });
  }
  [[nodiscard]] comcp::transport_info transport_info() const override { return core_.connection.channel().info(); }
  void notify_now(std::string_view method, std::string_view params) override {
    core_.outbound.send_text(jsonrpc::notification(method, params));
  }
  asio::awaitable<void> adopt_tools(list_tools_result& page) override {
    return at_home([this, &page] { core_.facts.learn(page, core_.settings.limits.items(), core_.is_http()); });
  }
  [[nodiscard]] list_bounds bounds(call_options const& options) const override {
    auto const& limits = core_.settings.limits;
    auto const now = core_.calls.now();
    bool const caches = static_cast<bool>(core_.settings.steps[connect_settings::caching]);
    return {limits.pages(), limits.items(), limits.list_bytes(), now, later(now, core_.calls.hard_limit(options)),
            caches && options.cache() == cache_use::use};
  }
  [[nodiscard]] subscriptions_link& subscriptions(subscriptions_maker make) override {
    return core_.subscriptions.hub(make);
  }
  [[nodiscard]] life_link& life() noexcept override { return life_; }
  void abandon() noexcept override { core_.abandon(); }
  [[nodiscard]] client_core& core() noexcept override { return core_; }
  [[nodiscard]] bool declares(std::string_view extension) const override {
    return core_.introduction.capabilities().extensions.contains(std::string(extension));
  }
  [[nodiscard]] std::shared_ptr<server_snapshot const> server() const override { return core_.server.get(); }
  [[nodiscard]] comcp::statistics statistics() const override { return core_.calls.counters().statistics(core_.calls.now()); }
  [[nodiscard]] asio::any_io_executor const& home() const noexcept override { return core_.home(); }
  void fault(error what) override { core_.fault(std::move(what)); }

 private:
  // Work for home that needs no waiting.
  [[nodiscard]] asio::awaitable<void> at_home(std::function<void()> f) const {
    return on_home(core_.shared_from_this(), as_work(std::move(f)));
  }

  Core& core_;
  core_life_link<Core> life_;
};

}  // namespace detail
}  // namespace comcp
