// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/core_link.hpp>
#include <comcp/client/core.hpp>
#include <comcp/client/impl/remote_call.ipp>
#include <comcp/client/operation.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

COMCP_DECL asio::awaitable<void> core_subscriptions_link::subscribe(std::string uri, updated_callback f, call_options options) {
  auto work = core_.subscriptions.subscribe(std::move(uri), std::move(f), std::move(options));
  return on_home(core_.shared_from_this(), std::move(work));
}
COMCP_DECL asio::awaitable<void> core_subscriptions_link::unsubscribe(std::string uri, call_options options) {
  return on_home(core_.shared_from_this(), core_.subscriptions.unsubscribe(std::move(uri), std::move(options)));
}
COMCP_DECL asio::awaitable<std::shared_ptr<listen_stream>> core_subscriptions_link::listen(subscription_filter filter,
                                                                                      call_options options) {
  return on_home(core_.shared_from_this(),
                 core_.subscriptions.streams().listen(std::move(filter), std::move(options)));
}
COMCP_DECL asio::awaitable<std::optional<any_notification>> core_subscriptions_link::next(std::shared_ptr<listen_stream> s) {
  return core_.subscriptions.streams().next(std::move(s));
}
COMCP_DECL void core_subscriptions_link::close(listen_stream& s) { core_.subscriptions.streams().close(s); }
COMCP_DECL std::uint64_t core_subscriptions_link::watch(std::string kind, std::function<void()> changed,
                                                   std::function<void(error const&)> silent) {
  return core_.subscriptions.watch(std::move(kind), std::move(changed), std::move(silent));
}
COMCP_DECL void core_subscriptions_link::unwatch(std::uint64_t handle) { core_.subscriptions.unwatch(handle); }
COMCP_DECL void core_subscriptions_link::on_status(std::function<void(connection_status)> listener) {
  core_.connection.on_status(std::move(listener));
}
COMCP_DECL asio::awaitable<bool> core_subscriptions_link::sleep(std::chrono::nanoseconds d) { return core_.sleep(d); }

COMCP_DECL asio::awaitable<reply> core_link::begin(asio::any_io_executor const& here, prepared_call& c, pending_entry& e,
                                                   bool& plain) {
  if (!(here == core_.home())) return perform_at_home(core_, here, c);
  if (!core_.pipeline.is_plain(c.method)) return core_.pipeline.run(c);
  plain = true;
  return core_.exchange.begin(c, e);
}
COMCP_DECL bool core_link::needs_settling(prepared_call const& c, reply const& r) const {
  return core_.exchange.needs_settling(c, r);
}
COMCP_DECL asio::awaitable<reply> core_link::settle(prepared_call& c, reply r) {
  return core_.exchange.settle(c, std::move(r));
}

COMCP_DECL asio::awaitable<void> set_level_at_home(client_core& core, log_level level, call_options options) {
  prepared_call c(wire::methods::set_level, args("level", enum_text(level)).text(), std::move(options));
  auto const failed = co_await core.recovery.settled(c);
  if (failed) throw exception(failed);
  if (!core.is_modern()) {
    auto r = co_await core.pipeline.run(c);
    (void)outcome_of(c, std::move(r));
  }
  core.settings.log_level = level;
}

COMCP_DECL asio::awaitable<void> core_link::set_level(log_level level, call_options options) {
  return on_home(core_.shared_from_this(), set_level_at_home(core_, level, std::move(options)));
}

// Work for home that needs no waiting.
COMCP_DECL asio::awaitable<void> as_work(std::function<void()> f) {
  f();
  co_return;
}

COMCP_DECL asio::awaitable<void> core_link::notify(std::string method, std::string params) {
  auto send = [this, m = std::move(method), p = std::move(params)] { core_.outbound.notify(m, p); };
  return on_home(core_.shared_from_this(), as_work(std::move(send)));
}
COMCP_DECL asio::awaitable<void> core_link::notify_roots_changed() {
  auto send = [this] {
    constexpr auto method = "notifications/roots/list_changed";
    if (core_.is_modern()) throw exception(error(errc::not_in_protocol, method));
    core_.outbound.notify(method, {});
  };
  return on_home(core_.shared_from_this(), as_work(std::move(send)));
}
COMCP_DECL void core_link::notify_now(std::string_view method, std::string_view params) {
  core_.outbound.send_text(jsonrpc::notification(method, params));
}

COMCP_DECL asio::awaitable<void> core_link::adopt_tools(list_tools_result& page) {
  auto adopt = [this, &page] { core_.facts.learn(page, core_.settings.limits.items(), core_.is_http()); };
  return on_home(core_.shared_from_this(), as_work(std::move(adopt)));
}

COMCP_DECL list_bounds core_link::bounds(call_options const& options) const {
  auto const& limits = core_.settings.limits;
  auto const now = core_.calls.now();
  return {limits.pages(), limits.items(), limits.list_bytes(), now, later(now, core_.calls.hard_limit(options)),
          static_cast<bool>(core_.settings.steps[connect_settings::caching]) && options.cache() == cache_use::use};
}

COMCP_DECL asio::awaitable<void> core_link::close() { return core_.close(); }
COMCP_DECL asio::awaitable<void> core_link::restart() {
  error const why(errc::transport_failed, "the connection is begun anew");
  return on_home(core_.shared_from_this(), core_.recovery.reconnect(why));
}
COMCP_DECL asio::awaitable<error> core_link::ended() {
  return on_home(core_.shared_from_this(), core_.connection.ended());
}
COMCP_DECL void core_link::abandon() noexcept { core_.abandon(); }
COMCP_DECL connection_status core_link::status() const noexcept { return core_.connection.status(); }
COMCP_DECL server_profile const& core_link::server() const noexcept { return core_.facts; }
COMCP_DECL std::optional<protocol_version> core_link::version() const noexcept { return core_.facts.version(); }
COMCP_DECL era_verdict core_link::verdict() const { return core_.verdict(); }
COMCP_DECL std::optional<saved_session> core_link::session() const { return core_.session(); }
COMCP_DECL transport_info core_link::transport_info() const { return core_.connection.channel().info(); }
COMCP_DECL statistics core_link::statistics() const { return core_.statistics(); }
COMCP_DECL asio::any_io_executor const& core_link::home() const noexcept { return core_.home(); }
COMCP_DECL void core_link::fault(error what) { core_.fault(std::move(what)); }

COMCP_DECL asio::awaitable<std::shared_ptr<client_link>> connect_core(any_transport t, any_handler h,
                                                                      connect_options options) {
  auto connecting = client_core::connect(std::move(t), std::move(h), std::move(options));
  auto const core = co_await std::move(connecting);
  co_return core->facade();
}

}  // namespace comcp::detail
