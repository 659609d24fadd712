// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The members of a pool: who they are, how they stand, who of them is chosen.
#pragma once

#include <algorithm>
#include <utility>

#include <asio/execution/context.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>

#include <comcp/client/impl/core_registry.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/pool/core.hpp>

namespace comcp::detail {

COMCP_DECL pool_core::pool_core(asio::any_io_executor home, pool_options options)
    : tenant(std::move(home)),
      options_(std::move(options)),
      pick_(options_.strategy()),
      time_(options_.time() ? options_.time() : steady_time()) {
  if (executor_as<asio::thread_pool::executor_type>(home_)) home_ = asio::make_strand(home_);
}

COMCP_DECL pool_core::~pool_core() = default;

// What is to start at once counts as starting from here on: a call that comes before the start waits for it.
COMCP_DECL void pool_core::begin(std::vector<server_config> const& configs) {
  std::vector<member_ptr> eager;
  for (auto const& config : configs) {
    bool const lazy = config.start() == start_mode::lazy;
    for (std::size_t i = 0; i < options_.size(); ++i) {
      auto const m = enter(config, lazy ? server_state::stopped : server_state::starting);
      if (!lazy) eager.push_back(m);
    }
  }
  post(home_, [weak = weak_from_this(), eager = std::move(eager)] {
    auto const self = weak.lock();
    if (!self || self->closed_) return;
    for (auto const& m : eager) {
      if (self->find(m->load->name) == m) self->launch(*m);
    }
  });
}

COMCP_DECL pool_core::member_ptr pool_core::enter(server_config config, server_state first) {
  timeout_ = std::max(timeout_, config.options().timeout());
  auto const m = std::make_shared<pool_member>(++last_id_, first);
  m->live = std::make_shared<live_server>(m->load->name, std::move(config), home_, time_, weak_from_this());
  std::lock_guard const lock(mutex_);
  members_.push_back(m);
  return m;
}

COMCP_DECL pool_core::member_ptr pool_core::find(std::string_view name) const {
  for (auto const& m : members_) {
    if (m->load->name == name) return m;
  }
  return nullptr;
}

// False where another did it before. An empty pool takes whatever identity comes next.
COMCP_DECL bool pool_core::take_out(member_ptr const& m) {
  {
    std::lock_guard const lock(mutex_);
    if (std::erase(members_, m) == 0) return false;
  }
  if (members_.empty()) identity_.reset();
  set_state(*m, server_state::stopped);
  return true;
}

COMCP_DECL void pool_core::launch(pool_member& m) {
  m.state = server_state::starting;
  m.live->start_in_background();
}

COMCP_DECL void pool_core::launch_lazy() {
  for (auto const& m : members_) {
    if (m->state == server_state::stopped) launch(*m);
  }
}

COMCP_DECL void pool_core::set_state(pool_member& m, server_state s) {
  m.state = s;
  changed();
}

COMCP_DECL void pool_core::state_changed(std::string const& name) {
  auto const m = find(name);
  if (!m || m->refused) return;
  auto const now = m->live->status().state;
  if (now != server_state::ready) set_state(*m, now);  // what is ready is looked at first: became_ready()
}

COMCP_DECL void pool_core::became_ready(std::string const& name) {
  auto const m = find(name);
  auto const c = m && !m->refused ? m->live->connection() : std::nullopt;
  if (!c) return;
  if (!admit(m)) return;
  tell_level(*m, *c);
  set_state(*m, server_state::ready);
}

COMCP_DECL void pool_core::gave_up(std::string const& name) {
  auto const m = find(name);
  if (!m || !m->live->config().retry().evicts()) return;
  if (m->live->status().state != server_state::failed) return;  // started again meanwhile
  take_out(m);
  m->live->abandon();
}

// Sessions of two identities in one pool would let one of its users act as the other.
COMCP_DECL bool pool_core::admit(member_ptr const& m) {
  auto const its = m->live->status().transport.identity;
  if (!identity_) identity_ = its;
  if (*identity_ == its) return true;
  {
    std::lock_guard const lock(mutex_);
    m->refused = error(errc::invalid_argument, "its credentials are not those of the pool's other connections");
  }
  set_state(*m, server_state::failed);
  (void)stop({m});
  return false;
}

// A connection that is restored has its level already.
COMCP_DECL void pool_core::tell_level(pool_member& m, client const& c) {
  if (!level_ || m.told == level_) return;
  m.told = level_;
  spawn(home_, c.set_log_level(*level_));
}

COMCP_DECL std::size_t pool_core::choose() {
  error failure;
  try {
    auto const chosen = pick_(candidates_);
    if (chosen < candidates_.size()) return chosen;
    failure = error(errc::invalid_argument, "the pool's strategy chose none of the candidates");
  } catch (...) {
    failure = error(errc::invalid_argument, "the pool's strategy failed: " + current_error().to_string());
  }
  throw exception(failure);
}

COMCP_DECL std::optional<pool_turn> pool_core::pick() {
  candidates_.clear();
  ready_.clear();
  for (auto const& m : members_) {
    if (m->state != server_state::ready) continue;
    candidates_.push_back({m->id, m->load->in_flight.load(std::memory_order_relaxed)});
    ready_.push_back(m.get());
  }
  while (!candidates_.empty()) {
    auto const chosen = choose();
    auto& m = *ready_[chosen];
    if (auto c = m.live->connection()) return pool_turn(lease(m.load, std::move(*c)), m.live);
    // Lost a moment ago: state_changed() is on its way.
    m.state = server_state::backing_off;
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(chosen));
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  return std::nullopt;
}

COMCP_DECL bool pool_core::is_hopeful() const noexcept {
  return std::any_of(members_.begin(), members_.end(), [](member_ptr const& m) {
    auto const s = m->state.load();
    return s == server_state::starting || s == server_state::backing_off;
  });
}

COMCP_DECL error pool_core::nobody() const {
  std::string text = members_.empty() ? "the pool has no members" : "no member of the pool is ready";
  for (auto const& m : members_) {
    auto const status = status_of(*m);
    if (!status.reason) continue;
    return status.reason.with_code(make_error_code(errc::no_connections))
        .with_message(text + "; " + status.name + ": " + status.reason.code().message() + ": " +
                      std::string(status.reason.message()));
  }
  return {errc::no_connections, std::move(text)};
}

COMCP_DECL server_status pool_core::status_of(pool_member const& m) const {
  auto s = m.live->status();
  if (m.refused) s.reason = m.refused;
  if (s.state == server_state::ready || m.refused) s.state = m.state;
  return s;
}

COMCP_DECL std::vector<server_status> pool_core::connections() const {
  std::lock_guard const lock(mutex_);
  std::vector<server_status> all;
  all.reserve(members_.size());
  for (auto const& m : members_) all.push_back(status_of(*m));
  return all;
}

COMCP_DECL pool_statistics pool_core::statistics() const {
  std::lock_guard const lock(mutex_);
  pool_statistics s;
  s.total = members_.size();
  for (auto const& m : members_) {
    auto const state = m->state.load();
    auto const in_flight = m->load->in_flight.load(std::memory_order_relaxed);
    if (state == server_state::ready) ++s.ready;
    if (state == server_state::ready && in_flight > 0) ++s.busy;
    s.members.push_back({m->load->name, state, in_flight});
  }
  return s;
}

COMCP_DECL void pool_core::context_gone() noexcept {
  closed_ = true;
  ending_.reset();
}

COMCP_DECL void pool_core::abandon() noexcept {
  at_home([self = shared_from_this()] { self->abrupt(); });
  {  // should home never run again
    std::lock_guard const lock(mutex_);
    for (auto const& m : members_) m->live->cut();
  }
}

COMCP_DECL void pool_core::abrupt() noexcept {
  closed_ = true;
  for (auto const& m : members_) {
    m->live->abandon();
    m->state = server_state::stopped;  // it tells no more
  }
  changed();
}

}  // namespace comcp::detail
