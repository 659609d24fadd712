// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Servers come and go: adding, removing, closing, and what is heard of their lives.
#pragma once

#include <algorithm>


#include <comcp/client/impl/core_registry.hpp>
#include <comcp/client/operation.hpp>
#include <comcp/registry/registry_core.hpp>

namespace comcp::detail {

COMCP_DECL void bell::ring() noexcept {
  for (auto const& w : std::exchange(waiting_, {})) {
    if (auto const g = w.lock()) g->open();
  }
}

COMCP_DECL asio::awaitable<void> bell::wait(std::shared_ptr<bell> self, std::shared_ptr<time_source> time,
                                            time_point until, std::stop_token stop) {
  auto const home = co_await asio::this_coro::executor;
  auto const g = std::make_shared<gate>(home);
  std::erase_if(self->waiting_, [](auto const& w) { return w.expired(); });
  self->waiting_.push_back(g);
  std::unique_ptr<deadline> alarm;
  if (until != time_point::max()) {
    alarm = time->make_deadline(home);
    std::function<void()> fire = [g] { g->open(); };
    alarm->arm(until, std::move(fire));
  }
  std::function<void()> stopped = [weak = std::weak_ptr(g), home] {
    if (auto alive = weak.lock()) post(home, [alive = std::move(alive)] { alive->open(); });
  };
  std::stop_callback<std::function<void()>> const on_stop(std::move(stop), std::move(stopped));
  co_await g->wait();
}

COMCP_DECL error no_such_server(std::string_view name) {
  return {errc::unknown_server, "no server is called " + std::string(name)};
}

COMCP_DECL void registry_member::state_changed(std::string const&) {
  if (auto const r = registry.lock(); r && !gone) r->state_changed(shared_from_this());
}
COMCP_DECL void registry_member::became_ready(std::string const&) {
  if (auto const r = registry.lock(); r && !gone) r->became_ready(shared_from_this());
}
COMCP_DECL void registry_member::gave_up(std::string const&) {
  if (auto const r = registry.lock(); r && !gone) r->gave_up(shared_from_this());
}

COMCP_DECL registry_core::registry_core(asio::any_io_executor home, registry_options options)
    : tenant(std::move(home)),
      options_(std::move(options)),
      time_(options_.time() ? options_.time() : steady_time()),
      views_(catalog_view<tool>(options_.separator()), catalog_view<resource>(options_.separator()),
             catalog_view<resource_template>(options_.separator()), catalog_view<prompt>(options_.separator())) {}

COMCP_DECL registry_core::member registry_core::find_member(std::string_view name) const noexcept {
  auto const found = members_.find(name);
  return found == members_.end() ? nullptr : found->second;
}

COMCP_DECL error registry_core::absent(std::string_view name) const {
  return closing_ ? error(errc::closed, "the registry is closed") : no_such_server(name);
}

COMCP_DECL registry_core::member registry_core::require(std::string_view name) const {
  auto m = find_member(name);
  if (!m) throw exception(absent(name));
  return m;
}

COMCP_DECL asio::awaitable<void> registry_core::add(self r, std::string name, server_config config) {
  if (auto const ok = check_server_name(name, r->options_.separator()); !ok) throw exception(ok.error());
  if (r->closing_) throw exception(error(errc::closed, "the registry is closed"));
  if (r->find_member(name)) throw exception(error(errc::already_registered, name));
  auto const m = std::make_shared<registry_member>();
  m->registry = r;
  m->name = name;
  m->server = std::make_shared<live_server>(name, std::move(config), r->home_, r->time_, m);
  {
    std::lock_guard const lock(r->mutex_);
    r->members_.emplace(name, m);
  }
  switch (m->server->config().start()) {
    case start_mode::lazy: co_return;
    case start_mode::background: m->server->start_in_background(); co_return;
    case start_mode::waits: break;
  }
  auto work = start_first(r, m);
  co_await std::move(work);
}

// All or nothing.
COMCP_DECL asio::awaitable<void> registry_core::start_first(self r, member m) {
  patience const p(r->time_->now(), m->server->config().start_timeout(), {});
  try {
    auto starting = m->server->start();
    co_await std::move(starting);
    auto listing = until_listed(r, m, p);
    co_await std::move(listing);
  } catch (...) {
    if (m->gone) throw exception(m->gone);  // by whoever stops it
    auto const why = current_error();
    r->detach(m, why);
    m->server->abandon();
    throw exception(why);
  }
}

COMCP_DECL bool registry_core::is_listed(registry_member const& m) const {
  return m.server->connection() && m.listed != 0 && !m.running && m.dirty == 0 && m.listed == m.server->status().starts;
}

// The server was ready: nothing that listing meets is an error, and nor is that it takes too long; only that it is lost,
// and not back in time.
COMCP_DECL asio::awaitable<void> registry_core::until_listed(self r, member m, patience p) {
  for (;;) {
    if (m->gone) throw exception(m->gone);
    if (r->is_listed(*m)) co_return;
    auto const now = m->server->status();
    bool const late = r->time_->now() >= p.until;
    if (now.state == server_state::failed || (late && now.state != server_state::ready)) throw exception(now.reason);
    if (late) co_return;
    auto waiting = bell::wait(m->rung, r->time_, p.until, p.stop);
    co_await std::move(waiting);
  }
}

COMCP_DECL asio::awaitable<void> registry_core::remove(self r, std::string name) {
  auto const m = r->require(name);
  r->detach(m, error(errc::closed, "the server was removed"));
  r->leaving_.push_back(m);
  spawn(r->home_, stop(r, m));
  while (!m->stopped) {
    auto waiting = bell::wait(m->rung, r->time_, bell::time_point::max(), {});
    co_await std::move(waiting);
  }
}

// In a coroutine of its own: whoever waits for it may be cancelled.
COMCP_DECL asio::awaitable<void> registry_core::stop(self r, member m) {
  auto stopping = as_result(m->server->stop());
  (void)co_await std::move(stopping);
  m->stopped = true;
  std::erase(r->leaving_, m);
  r->ring(*m);
}

COMCP_DECL asio::awaitable<void> registry_core::restart(self r, std::string name) {
  auto const m = r->require(name);
  patience const p(r->time_->now(), m->server->config().start_timeout(), {});
  auto restarting = m->server->restart();
  co_await std::move(restarting);
  auto listing = until_listed(r, m, p);
  co_await std::move(listing);
}

COMCP_DECL asio::awaitable<void> registry_core::close(self r) {
  if (!std::exchange(r->closing_, true)) spawn(r->home_, close_all(r));
  while (!r->closed_) {
    auto waiting = bell::wait(r->rung_, r->time_, bell::time_point::max(), {});
    co_await std::move(waiting);
  }
}

COMCP_DECL asio::awaitable<void> registry_core::close_all(self r) {
  auto const until = later(r->time_->now(), r->options_.close_timeout());
  auto const all = r->members_;
  for (auto const& [name, m] : all) {
    if (m->gone) continue;  // a listener removed it meanwhile
    r->detach(m, error(errc::closed, "the registry is closing"));
    r->leaving_.push_back(m);
    spawn(r->home_, stop(r, m));
  }
  while (!r->leaving_.empty() && r->time_->now() < until) {
    auto waiting = bell::wait(r->rung_, r->time_, until, {});
    co_await std::move(waiting);
  }
  auto const late = std::exchange(r->leaving_, {});
  for (auto const& m : late) m->server->abandon();
  r->closed_ = true;
  r->rung_->ring();
}

COMCP_DECL void registry_core::context_gone() noexcept {
  closing_ = closed_ = true;
  for (auto const& [name, m] : members_) m->gathering.reset();
}

COMCP_DECL void registry_core::abandon() noexcept {
  at_home([r = shared_from_this()] { r->abrupt(); });
  {  // should home never run again
    std::lock_guard const lock(mutex_);
    for (auto const& [name, m] : members_) m->server->cut();
  }
}

COMCP_DECL void registry_core::abrupt() noexcept {
  closing_ = closed_ = true;
  std::map<std::string, member, std::less<>> all;
  {
    std::lock_guard const lock(mutex_);
    all.swap(members_);
  }
  auto const leave = [](registry_member& m) {
    if (!m.gone) m.gone = error(errc::closed, "the registry was destroyed");
    m.stopped = true;
    m.server->abandon();
    if (m.gathering) m.gathering->open();
    m.rung->ring();
  };
  for (auto const& [name, m] : all) leave(*m);
  for (auto const& m : std::exchange(leaving_, {})) leave(*m);
  rung_->ring();
}

// The name is free, the catalog has its part no more, and who waits for it hears why.
COMCP_DECL void registry_core::detach(member const& m, error why) {
  if (m->gone) return;
  m->gone = std::move(why);
  {
    std::lock_guard const lock(mutex_);
    members_.erase(m->name);
  }
  forget_lists(m);
  if (m->gathering) m->gathering->open();
  ring(*m);
}

COMCP_DECL void registry_core::ring(registry_member& m) noexcept {
  m.rung->ring();
  rung_->ring();
}

COMCP_DECL void registry_core::state_changed(member const& m) {
  auto const now = m->server->status();
  if (now.state == server_state::failed) {
    m->listed = 0;
    forget_lists(m);
  }
  tell(options_.on_status(), now);
  ring(*m);
}

COMCP_DECL void registry_core::became_ready(member const& m) { touch(m, list_kinds::all, true); }

COMCP_DECL void registry_core::gave_up(member const& m) {
  auto const now = m->server->status();
  if (!m->server->config().retry().evicts() || now.state != server_state::failed) return;  // restarted meanwhile
  detach(m, error(errc::not_ready, "the server " + m->name + " was lost: " + now.reason.to_string()));
  m->server->abandon();
}

COMCP_DECL asio::awaitable<bool> registry_core::settled(self r, std::chrono::nanoseconds limit) {
  patience const p(r->time_->now(), limit, {});
  for (;;) {
    if (r->closing_) throw exception(error(errc::closed, "the registry is closed"));
    bool starting = false, all_ready = true;
    for (auto const& [name, m] : r->members_) {
      auto const s = m->server->status();
      if (s.starts == 0 && s.state == server_state::stopped && m->is_lazy()) continue;
      bool const first = s.starts == 0 && s.failures == 0 && !s.reason;
      starting = starting || (first && s.state != server_state::failed) ||
                 (s.state == server_state::ready && !r->is_listed(*m));
      all_ready = all_ready && s.state == server_state::ready && r->is_listed(*m);
    }
    if (!starting || r->time_->now() >= p.until) co_return all_ready;
    auto waiting = bell::wait(r->rung_, r->time_, p.until, {});
    co_await std::move(waiting);
  }
}

COMCP_DECL std::vector<std::string> registry_core::servers() const {
  std::lock_guard const lock(mutex_);
  std::vector<std::string> names;
  names.reserve(members_.size());
  for (auto const& [name, m] : members_) names.push_back(name);
  return names;
}

// Under the lock, so that a member's last reference ends on home alone.
COMCP_DECL result<server_status> registry_core::status(std::string_view name) const {
  std::lock_guard const lock(mutex_);
  auto const found = members_.find(name);
  if (found == members_.end()) return no_such_server(name);
  return found->second->server->status();
}

COMCP_DECL result<server_config> registry_core::config(std::string_view name) const {
  std::lock_guard const lock(mutex_);
  auto const found = members_.find(name);
  if (found == members_.end()) return no_such_server(name);
  return found->second->server->config();
}

COMCP_DECL result<client> registry_core::find(std::string_view name) const {
  std::lock_guard const lock(mutex_);
  auto const found = members_.find(name);
  if (found == members_.end()) return no_such_server(name);
  auto c = found->second->server->connection();
  if (!c) return error(errc::not_ready, "the server " + std::string(name) + " is not ready");
  return std::move(*c);
}

}  // namespace comcp::detail
