// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <comcp/client/operation.hpp>
#include <comcp/net/serial.hpp>
#include <comcp/registry/registry_core.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL void registry_member::member_changed(std::string const&) {
  if (auto const r = registry.lock(); r && !gone) r->servers.state_changed(shared_from_this());
}
COMCP_LAZY_DECL void registry_member::member_ready(std::string const&) {
  if (auto const r = registry.lock(); r && !gone) r->refresher.touch(shared_from_this(), list_kinds::all, true);
}
COMCP_LAZY_DECL void registry_member::member_gave_up(std::string const&) {
  if (auto const r = registry.lock(); r && !gone) r->servers.gave_up(shared_from_this());
}

COMCP_LAZY_DECL registry_servers::member registry_servers::find(std::string_view name) const noexcept {
  auto const found = all_.find(name);
  return found == all_.end() ? nullptr : found->second;
}

COMCP_LAZY_DECL error registry_servers::absent(std::string_view name) const {
  return is_closing() ? error(errc::closed, "the registry is closed") : no_such_server(name);
}

COMCP_LAZY_DECL registry_servers::member registry_servers::require(std::string_view name) const {
  auto m = find(name);
  if (!m) throw exception(absent(name));
  return m;
}

COMCP_LAZY_DECL asio::awaitable<void> registry_servers::add(std::string name, server_config config) {
  auto const hold = core_.shared_from_this();
  if (auto const ok = check_server_name(name, core_.options.separator()); !ok) throw exception(ok.error());
  if (is_closing()) throw exception(absent(name));
  if (find(name)) throw exception(error(errc::already_registered, name));
  auto const m = std::make_shared<registry_member>(hold, name, core_.offers.add(name));
  auto const home = config.executor() ? serial(config.executor()) : core_.home();
  m->server = std::make_shared<live_server>(name, std::move(config), home, core_.time, m, core_.told_at);
  {
    std::lock_guard const lock(mutex_);
    all_.emplace(name, m);
  }
  switch (m->server->config().start()) {
    case start_mode::lazy: co_return;
    case start_mode::background: m->server->start_in_background(); co_return;
    case start_mode::waits: break;
  }
  patience const p(core_.time->now(), m->server->config().start_timeout());
  try {  // all or nothing
    auto starting = on_home(m->server, m->server->start());
    co_await std::move(starting);
    auto listing = core_.refresher.until_listed(m, p);
    co_await std::move(listing);
  } catch (...) {
    if (m->gone) throw exception(m->gone);  // by whoever stops it
    auto const why = current_error();
    detach(m, why);
    m->server->abandon();
    throw exception(why);
  }
}

// The name is free, the catalog has its part no more, and who waits for it hears why.
COMCP_LAZY_DECL void registry_servers::detach(member const& m, error why) {
  if (m->gone) return;
  m->gone = std::move(why);
  {
    std::lock_guard const lock(mutex_);
    all_.erase(m->name);
  }
  core_.offers.withdraw(*m->offers);
  if (m->gathering) m->gathering->open();
  ring(*m);
}

COMCP_LAZY_DECL void registry_servers::let_go(member const& m, error why) {
  detach(m, std::move(why));
  leaving_.push_back(m);
  core_.spawn(stop(m));
}

// In a coroutine of its own: whoever waits for it may be cancelled.
COMCP_LAZY_DECL asio::awaitable<void> registry_servers::stop(member m) {
  auto stopping = as_result(on_home(m->server, m->server->stop()));
  (void)co_await std::move(stopping);
  m->stopped = true;
  std::erase(leaving_, m);
  ring(*m);
}

COMCP_LAZY_DECL asio::awaitable<void> registry_servers::remove(std::string name) {
  auto const hold = core_.shared_from_this();
  auto const m = require(name);
  let_go(m, error(errc::closed, "the server was removed"));
  while (!m->stopped) {
    auto waiting = m->rung.wait(core_.time);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL asio::awaitable<void> registry_servers::restart(std::string name) {
  auto const hold = core_.shared_from_this();
  auto const m = require(name);
  patience const p(core_.time->now(), m->server->config().start_timeout());
  auto restarting = on_home(m->server, m->server->restart());
  co_await std::move(restarting);
  auto listing = core_.refresher.until_listed(m, p);
  co_await std::move(listing);
}

COMCP_LAZY_DECL asio::awaitable<void> registry_servers::close() {
  auto const hold = core_.shared_from_this();
  if (!is_closing()) {
    phase_ = phase::closing;
    core_.spawn(close_all());
  }
  while (phase_ != phase::closed) {
    auto waiting = rung_.wait(core_.time);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL asio::awaitable<void> registry_servers::close_all() {
  auto const until = later(core_.time->now(), core_.options.close_timeout());
  auto const every = all_;
  for (auto const& [name, m] : every) {
    if (!m->gone) let_go(m, error(errc::closed, "the registry is closing"));  // else a listener removed it meanwhile
  }
  while (!leaving_.empty() && core_.time->now() < until) {
    auto waiting = rung_.wait(core_.time, until);
    co_await std::move(waiting);
  }
  auto const late = std::exchange(leaving_, {});
  for (auto const& m : late) m->server->abandon();
  phase_ = phase::closed;
  rung_.ring();
}

COMCP_LAZY_DECL void registry_servers::cut() noexcept {
  std::lock_guard const lock(mutex_);
  for (auto const& [name, m] : all_) m->server->cut();
}

COMCP_LAZY_DECL void registry_servers::abrupt() noexcept {
  phase_ = phase::closed;
  by_name every;
  {
    std::lock_guard const lock(mutex_);
    every.swap(all_);
  }
  auto const leave = [](registry_member& m) {
    if (!m.gone) m.gone = error(errc::closed, "the registry was destroyed");
    m.stopped = m.offers->withdrawn = true;
    m.server->abandon();
    if (m.gathering) m.gathering->open();
    m.rung.ring();
  };
  for (auto const& [name, m] : every) leave(*m);
  for (auto const& m : std::exchange(leaving_, {})) leave(*m);
  rung_.ring();
}

COMCP_LAZY_DECL void registry_servers::context_gone() noexcept {
  phase_ = phase::closed;
  for (auto const& [name, m] : all_) {
    m->gathering.reset();
    if (m->server->home() != core_.home()) m->server->abandon();
  }
}

COMCP_LAZY_DECL void registry_servers::ring(registry_member& m) noexcept {
  m.rung.ring();
  rung_.ring();
}

COMCP_LAZY_DECL void registry_servers::state_changed(member const& m) {
  auto const now = m->server->status();
  if (now.state == server_state::failed) {
    m->lists.forget();
    core_.offers.forget(*m->offers);
  }
  tell(core_.options.on_status(), now);
  ring(*m);
}

COMCP_LAZY_DECL void registry_servers::gave_up(member const& m) {
  auto const now = m->server->look();
  if (m->server->config().reconnect().attempts() > 0 || now->state != server_state::failed) return;  // begun anew meanwhile
  detach(m, error(errc::not_ready, "the server " + m->name + " was lost: " + now->reason.to_string()));
  m->server->abandon();
}

COMCP_LAZY_DECL asio::awaitable<bool> registry_servers::settled(std::chrono::nanoseconds limit) {
  auto const hold = core_.shared_from_this();
  auto const until = later(core_.time->now(), limit);
  for (;;) {
    if (is_closing()) throw exception(absent({}));
    bool starting = false, all_ready = true;
    for (auto const& [name, m] : all_) {
      auto const s = m->server->look();
      if (s->starts == 0 && s->state == server_state::stopped && m->is_lazy()) continue;
      bool const first = s->starts == 0 && s->failures == 0 && !s->reason;
      bool const listed = s->state == server_state::ready && m->is_listed();
      starting = starting || (first && s->state != server_state::failed) || (s->state == server_state::ready && !listed);
      all_ready = all_ready && listed;
    }
    if (!starting || core_.time->now() >= until) co_return all_ready;
    auto waiting = rung_.wait(core_.time, until);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL std::vector<std::string> registry_servers::names() const {
  std::lock_guard const lock(mutex_);
  std::vector<std::string> names;
  names.reserve(all_.size());
  for (auto const& [name, m] : all_) names.push_back(name);
  return names;
}

template <class Look>
auto registry_servers::look_at(std::string_view name, Look look) const -> decltype(look(std::declval<live_server const&>())) {
  std::lock_guard const lock(mutex_);
  auto const found = all_.find(name);
  if (found == all_.end()) return no_such_server(name);
  return look(*found->second->server);
}

COMCP_LAZY_DECL result<server_status> registry_servers::status(std::string_view name) const {
  return look_at(name, [](live_server const& s) -> result<server_status> { return s.status(); });
}

COMCP_LAZY_DECL result<server_config> registry_servers::config(std::string_view name) const {
  return look_at(name, [](live_server const& s) -> result<server_config> { return s.config(); });
}

COMCP_LAZY_DECL result<client> registry_servers::connection(std::string_view name) const {
  return look_at(name, [name](live_server const& s) -> result<client> {
    auto c = s.connection();
    if (!c) return error(errc::not_ready, "the server " + std::string(name) + " is not ready");
    return std::move(*c);
  });
}

}  // namespace comcp::detail
