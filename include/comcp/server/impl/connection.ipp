// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include <asio/cancellation_signal.hpp>

#include <comcp/net/spawn.hpp>
#include <comcp/server/live_server.hpp>

namespace comcp::detail {

// Attempts to make a client, one after the other, in a coroutine of their own.
struct server_connection::attempts {
  attempts(std::shared_ptr<live_server> s, std::uint64_t n) : server(std::move(s)), over(server->home()), epoch(n) {}
  std::shared_ptr<live_server> server;  // lives as long as they do
  asio::cancellation_signal signal;
  gate over;
  std::shared_ptr<gate> wake;  // while it pauses
  std::uint64_t epoch;
};

COMCP_LAZY_DECL void server_connection::begin_anew(error why, std::chrono::nanoseconds wait) {
  if (core_) {
    if (!core_->recovery.restarts(nullptr).begin_anew(std::move(why), wait)) return;
    (void)end();
  }
  attempt();
}

COMCP_LAZY_DECL void server_connection::attempt() {
  if (attempts_) {
    if (attempts_->wake) attempts_->wake->open();
    return;
  }
  attempts_ = std::make_shared<attempts>(server_.shared_from_this(), epoch_);
  auto start = [this, a = attempts_] { spawn(server_.home(), run(a), a->signal.slot(), a); };
  post(server_.home(), std::move(start));
}

COMCP_LAZY_DECL asio::awaitable<void> server_connection::run(std::shared_ptr<attempts> a) {
  try {
    if (auto const before = winding_up_) co_await before->wait();
    co_await try_until_ready(a);
  } catch (...) {
    // Cancelled by wind_up().
  }
  if (attempts_ == a) attempts_.reset();
  a->over.open();
}

COMCP_LAZY_DECL asio::awaitable<void> server_connection::try_until_ready(std::shared_ptr<attempts> a) {
  auto const& life = server_.life();
  while (epoch_ == a->epoch) {
    while (life.state() == server_state::backing_off) {
      co_await pause(a);
      if (epoch_ != a->epoch) co_return;
      if (auto const at = life.reconnects_at(); at && server_.time()->now() >= *at) server_.attempt_begins();
    }
    if (life.state() != server_state::starting) co_return;
    std::shared_ptr<client_core> made;
    error failure;
    try {
      auto connecting = client_core::connect(make_transport(), server_.config().handler(), options());
      made = co_await std::move(connecting);
    } catch (...) {
      failure = current_error();
    }
    if (epoch_ != a->epoch) {
      if (made) made->abandon();
      co_return;
    }
    if (made && !made->end_reason()) co_return adopt(std::move(made));
    (void)server_.lost(made ? *made->end_reason() : std::move(failure));
  }
}

COMCP_LAZY_DECL asio::awaitable<void> server_connection::pause(std::shared_ptr<attempts> a) {
  auto const wake = std::make_shared<gate>(server_.home());
  a->wake = wake;
  auto const alarm = server_.time()->make_deadline(server_.home());
  std::function<void()> ring = [wake] { wake->open(); };
  if (auto const until = server_.life().reconnects_at()) alarm->arm(*until, std::move(ring));
  co_await wake->wait();
  a->wake.reset();
}

COMCP_LAZY_DECL any_transport server_connection::make_transport() {
  auto made = server_.config().make_transport();
  cut_.connect(made.cutter());
  return made;
}

COMCP_LAZY_DECL connect_options server_connection::options() {
  auto const& config = server_.config();
  auto o = config.options();
  auto const weak = server_.weak_from_this();
  reconnect_hook ask = [this, weak, epoch = epoch_](error const& why) -> std::optional<std::chrono::nanoseconds> {
    auto const hold = weak.lock();
    if (!hold || epoch_ != epoch) return {};
    auto const next = server_.lost(why);
    if (next.what != sansio::life_step::action::wait) return {};
    return next.until - server_.time()->now();
  };
  o.reconnect(std::move(ask)).executor(server_.home()).connect_timeout(config.start_timeout());
  if (!o.time()) o.time(server_.time());
  if (level_) o.log_level(*level_);
  return o;
}

COMCP_LAZY_DECL void server_connection::adopt(std::shared_ptr<client_core> core) {
  core_ = std::move(core);
  let_go_ = [](client_core& c) {
    if (!c.end_reason()) c.abandon();
  };
  auto const weak = server_.weak_from_this();
  core_->connection.listeners()->add([this, weak, epoch = epoch_](connection_status s) {
    if (auto const hold = weak.lock(); hold && epoch_ == epoch) status_changed(s);
  });
  core_->recovery.restarts(nullptr).on_attempt([this, weak, epoch = epoch_] {
    if (auto const hold = weak.lock(); hold && epoch_ == epoch) server_.attempt_begins();
  });
  status_changed(connection_status::ready);
}

COMCP_LAZY_DECL void server_connection::status_changed(connection_status s) {
  if (!core_) return;
  if (s == connection_status::ready) server_.became_ready();
  if (s != connection_status::disconnected) return;
  // It has ended: the hook gave up, a user closed it, or its transport did not close in time.
  (void)server_.lost(take_core()->end_reason().value_or(error(errc::closed)));
  if (server_.life().state() == server_state::backing_off) attempt();
}

COMCP_LAZY_DECL std::shared_ptr<client_core> server_connection::take_core() {
  if (core_) level_ = core_->settings.log_level;
  return std::exchange(core_, nullptr);
}

COMCP_LAZY_DECL std::shared_ptr<gate> server_connection::end() {
  ++epoch_;
  auto core = take_core();
  auto a = std::exchange(attempts_, nullptr);
  if (!core && !a) return winding_up_;
  auto over = std::make_shared<gate>(server_.home());
  auto begin = [this, hold = server_.shared_from_this(), core, a, before = winding_up_, over] {
    spawn(server_.home(), wind_up(core, a, before, over), asio::cancellation_slot(), hold);
  };
  leaving_ = core;
  winding_up_ = over;
  post(server_.home(), std::move(begin));
  return over;
}

COMCP_LAZY_DECL asio::awaitable<void> server_connection::wind_up(std::shared_ptr<client_core> core,
                                                                 std::shared_ptr<attempts> a,
                                                                 std::shared_ptr<gate> before,
                                                                 std::shared_ptr<gate> over) {
  if (a) a->signal.emit(asio::cancellation_type::terminal);
  if (core) co_await core->close();
  if (a) co_await a->over.wait();
  if (before) co_await before->wait();
  if (winding_up_ == over) winding_up_.reset();
  over->open();
}

COMCP_LAZY_DECL void server_connection::abandon() noexcept {
  for (auto const& core : {std::exchange(core_, nullptr), leaving_.lock()}) {
    if (core) core->abandon();
  }
  (void)end();
}

COMCP_LAZY_DECL void server_connection::context_gone() noexcept {
  ++epoch_;
  core_.reset();
  attempts_.reset();
  winding_up_.reset();
}

}  // namespace comcp::detail
