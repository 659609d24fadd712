// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/core_link.hpp>
#include <comcp/client/core.hpp>
#include <comcp/client/impl/remote_call.ipp>
#include <comcp/client/operation.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<void> set_level_at_home(client_core& core, log_level level, call_options options) {
  prepared_call c(wire::methods::set_level, args("level", enum_text(level)).text(), std::move(options));
  auto const failed = co_await core.recovery.settled(c);
  if (failed) throw exception(failed);
  if (!core.is_modern()) {
    auto r = co_await core.pipeline.run(c);
    (void)outcome_of(c, std::move(r));
  }
  core.settings.log_level = level;
}

COMCP_LAZY_DECL void notify_roots_changed(client_core& core) {
  constexpr auto method = "notifications/roots/list_changed";
  if (core.is_modern()) throw exception(error(errc::not_in_protocol, method));
  core.outbound.notify(method, {});
}

COMCP_LAZY_DECL asio::awaitable<void> as_work(std::function<void()> f) {
  f();
  co_return;
}

COMCP_LAZY_DECL asio::awaitable<std::shared_ptr<client_link>> connect_core(any_transport t, any_handler h,
                                                                           connect_options options) {
  auto connecting = client_core::connect(std::move(t), std::move(h), std::move(options));
  auto const core = co_await std::move(connecting);
  co_return core->facade();
}

}  // namespace comcp::detail
