// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/net/spawn.hpp>
#include <comcp/pool/members.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

namespace pool_detail {

inline server_status status_of(pool_member const& m) {
  auto s = m.live->status();
  if (m.refused) s.reason = m.refused;
  if (s.state == server_state::ready || m.refused) s.state = m.state;
  return s;
}

}  // namespace pool_detail

COMCP_LAZY_DECL pool_members::member pool_members::find(std::string_view name) const {
  for (auto const& m : all_) {
    if (m->load->name == name) return m;
  }
  return nullptr;
}

COMCP_LAZY_DECL void pool_members::add(member m) {
  std::lock_guard const lock(mutex_);
  all_.push_back(std::move(m));
}

COMCP_LAZY_DECL bool pool_members::remove(member const& m) {
  std::lock_guard const lock(mutex_);
  return std::erase(all_, m) != 0;
}

COMCP_LAZY_DECL std::vector<pool_members::member> pool_members::remove_all() {
  std::lock_guard const lock(mutex_);
  return std::exchange(all_, {});
}

COMCP_LAZY_DECL void pool_members::refuse(pool_member& m, error why) {
  std::lock_guard const lock(mutex_);
  m.refused = std::move(why);
}

COMCP_LAZY_DECL void pool_members::cut() noexcept {
  std::lock_guard const lock(mutex_);
  for (auto const& m : all_) m->live->cut();
}

COMCP_LAZY_DECL std::size_t pool_members::choose() {
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

COMCP_LAZY_DECL std::optional<pool_turn> pool_members::pick() {
  candidates_.clear();
  ready_.clear();
  for (auto const& m : all_) {
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

COMCP_LAZY_DECL bool pool_members::is_hopeful() const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](member const& m) {
    auto const s = m->state.load();
    return s == server_state::starting || s == server_state::backing_off;
  });
}

COMCP_LAZY_DECL error pool_members::nobody() const {
  std::string text = all_.empty() ? "the pool has no members" : "no member of the pool is ready";
  for (auto const& m : all_) {
    auto const status = pool_detail::status_of(*m);
    if (!status.reason) continue;
    return status.reason.with_code(make_error_code(errc::no_connections))
        .with_message(text + "; " + status.name + ": " + status.reason.code().message() + ": " +
                      std::string(status.reason.message()));
  }
  return {errc::no_connections, std::move(text)};
}

COMCP_LAZY_DECL std::vector<server_status> pool_members::status() const {
  std::lock_guard const lock(mutex_);
  std::vector<server_status> all;
  all.reserve(all_.size());
  for (auto const& m : all_) all.push_back(pool_detail::status_of(*m));
  return all;
}

COMCP_LAZY_DECL pool_statistics pool_members::statistics() const {
  std::lock_guard const lock(mutex_);
  pool_statistics s;
  s.waiting = waiting_.load(std::memory_order_relaxed);
  s.total = all_.size();
  for (auto const& m : all_) {
    auto const state = m->state.load();
    auto const in_flight = m->load->in_flight.load(std::memory_order_relaxed);
    if (state == server_state::ready) ++s.ready;
    if (state == server_state::ready && in_flight > 0) ++s.busy;
    auto& one = s.members.emplace_back();
    one.name = m->load->name;
    one.state = state;
    one.in_flight = in_flight;
    one.starts = m->live->look()->starts;
    if (auto const c = m->live->connection()) one.calls = c->statistics();
  }
  return s;
}

}  // namespace comcp::detail
