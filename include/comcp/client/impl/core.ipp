// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the core does itself: it puts its parts together and tells what it knows.
#pragma once

#include <asio/this_coro.hpp>

#include <comcp/client/core.hpp>
#include <comcp/net/serial.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp {

COMCP_LAZY_DECL client_core::client_core(any_transport t, any_handler h, connect_options options,
                                         asio::any_io_executor home)
    : core_hooks(std::move(home)),
      handler(options.settings().guard ? options.settings().guard(std::move(h), *this) : std::move(h)),
      settings(std::move(options).settings()),
      calls(*this, home_, settings, settings.time ? settings.time : steady_time()),
      introduction(handler, settings, t.info()),
      connection(*this, settings, std::move(t)),
      recovery(*this, connection, settings),
      exchange(*this),
      pipeline(exchange),
      outbound(*this),
      inbound(*this),
      dispatcher(*this),
      subscriptions(*this),
      link_(*this) {
  settings.handshake.over_http = is_http();
  if (settings.restarts) recovery.restarts(settings.restarts);
  auto const parts = handler.parts();
  if (parts.subscriptions) subscriptions.hub(parts.subscriptions);
  if (parts.filter) inbound.add(detail::notification_sink(*parts.filter));
  inbound.add(detail::notification_sink(exchange));
  inbound.add(detail::notification_sink(pipeline));
  if (parts.rounds) inbound.add(detail::notification_sink(exchange.rounds(parts.rounds)));
  inbound.add(detail::notification_sink(subscriptions));
  for (auto const& make : settings.steps) {
    if (make) pipeline.add(make(*this));
  }
  inbound.add(detail::notification_sink(dispatcher));
  if (settings.observer.on_status) connection.listeners()->add(settings.observer.on_status);
}

COMCP_LAZY_DECL asio::awaitable<std::shared_ptr<client_core>> client_core::connect(any_transport transport,
                                                                                   any_handler handler,
                                                                                   connect_options options) {
  auto const here = co_await asio::this_coro::executor;
  asio::any_io_executor home = here;
  if (options.settings().executor) home = options.settings().executor;
  home = detail::serial(std::move(home));
  std::shared_ptr<client_core> const core(
      new client_core(std::move(transport), std::move(handler), std::move(options), home),
      [](client_core* last) { let_go(last); });
  // Never in the caller's own coroutine: what fails changes the cancellation state to close in peace.
  auto work = core->connection.open();
  co_await detail::spawn_and_wait(home, std::move(work));
  co_return core;
}

COMCP_LAZY_DECL asio::awaitable<void> client_core::close() {
  auto const hold = shared_from_this();
  auto const wait_closed = [](std::shared_ptr<client_core> self) -> asio::awaitable<void> {
    if (self->end_reason()) co_return;
    if (!self->is_closing()) self->spawn(self->connection.close(error(errc::closed)));
    (void)co_await self->connection.ended();
  };
  auto work = wait_closed(hold);
  co_await detail::on_home(hold, std::move(work));
}

COMCP_LAZY_DECL void client_core::abandon() noexcept {
  at_home([self = shared_from_this()] { self->connection.abandon(); });
  connection.channel().cut();  // home may never run again
}

// Whoever held it last: a timer of it may be running at home.
COMCP_LAZY_DECL void client_core::let_go(client_core* last) noexcept {
  try {
    std::shared_ptr<client_core> owned(last);
    last->at_home([owned = std::move(owned)] {});
  } catch (...) {  // no memory for that
  }
}

COMCP_LAZY_DECL void client_core::lose_context() noexcept {
  connection.context_gone();
  calls.shut_down();
  subscriptions.shut_down();
  settings.executor = {};
}

COMCP_LAZY_DECL asio::awaitable<error> client_core::sleep(std::chrono::nanoseconds d, std::stop_token stop) {
  detail::pending_entry e(detail::pending_entry::span::client);
  if (is_closing()) co_return error(errc::closed, "the client is closing");
  if (!calls.enlist(e, d)) co_return error(errc::queue_full);
  calls.end_with(stop, e);
  auto const r = co_await calls.wait(e);
  co_return r.error() == errc::timeout ? error() : r.error();
}

COMCP_LAZY_DECL void client_core::spawn(asio::awaitable<void> work) { detail::spawn(home_, std::move(work)); }

COMCP_LAZY_DECL void client_core::fault(error e) {
  // What a close that was asked for ends has lost nothing.
  bool const orderly = is_closing() && (e == errc::closed || e == errc::cancelled);
  if (orderly || !settings.observer.on_fault) return;
  try {
    settings.observer.on_fault(e);
  } catch (...) {  // documented: dropped
  }
}

COMCP_LAZY_DECL void client_core::trace(direction d, std::string_view message) {
  try {
    settings.tracer(d, message);
  } catch (...) {
    fault(error(errc::invalid_argument, "a tracer threw"));
  }
}

COMCP_LAZY_DECL era_verdict client_core::verdict() const {
  auto v = facts.verdict();
  if (settings.handshake.prior) v.authorization = settings.handshake.prior->authorization;
  return v;
}

COMCP_LAZY_DECL void client_core::publish() {
  auto now = std::make_shared<detail::server_snapshot>();
  static_cast<detail::server_profile&>(*now) = facts;
  now->version = facts.version();
  now->verdict = verdict();
  now->session = session();
  server.set(std::move(now));
}

COMCP_LAZY_DECL std::optional<saved_session> client_core::session() const {
  if (!is_http() || is_modern()) return {};
  saved_session s;
  s.id = connection.channel().info().session_id;
  if (s.id.empty() || facts.initialize_result.is_null()) return {};
  s.initialize_result = facts.initialize_result.dump();
  return s;
}

}  // namespace comcp
