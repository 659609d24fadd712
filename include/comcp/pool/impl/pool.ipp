// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a pool does over time: waiting for a member, adding, removing, closing.
#pragma once

#include <algorithm>
#include <utility>


#include <comcp/net/spawn.hpp>
#include <comcp/pool/pool.hpp>

namespace comcp {
namespace detail {

/// Members that are stopped, and who waits for it.
struct pool_core::ending {
  ending(asio::any_io_executor on, std::size_t n) : through(std::move(on)), left(n) {}
  gate through;
  std::size_t left;
};

COMCP_DECL void pool_core::require_open() const {
  if (closed_) throw exception(error(errc::closed, "the pool is closed"));
}

COMCP_DECL void pool_core::changed() {
  for (auto* const g : waiting_) g->open();
}

// Until something about the members changes, the time comes, or a stop is requested.
COMCP_DECL asio::awaitable<void> pool_core::change(self_type self, time_point until, std::stop_token stop) {
  struct entry {
    entry(self_type c, gate* g) : core(std::move(c)), what(g) { core->waiting_.insert(what); }
    entry(entry const&) = delete;
    entry& operator=(entry const&) = delete;
    ~entry() { core->waiting_.erase(what); }
    self_type core;
    gate* what;
  };
  auto const g = std::make_shared<gate>(self->home_);
  entry const entered(self, g.get());
  auto const alarm = self->time_->make_deadline(self->home_);
  std::function<void()> ring = [g] { g->open(); };
  std::function<void()> ring_from_anywhere = [home = self->home_, ring] { post(home, ring); };
  if (until != time_point::max()) alarm->arm(until, std::move(ring));
  std::stop_callback<std::function<void()>> const stopped(std::move(stop), std::move(ring_from_anywhere));
  co_await g->wait();
}

COMCP_DECL asio::awaitable<pool_turn> pool_core::take(self_type self, std::chrono::nanoseconds timeout,
                                                      std::stop_token stop) {
  auto const until = later(self->time_->now(), timeout);
  self->require_open();
  self->launch_lazy();
  for (;;) {
    self->require_open();
    if (stop.stop_requested()) throw exception(error(errc::cancelled).with_outcome(call_outcome::not_sent));
    auto turn = self->pick();
    if (turn) co_return std::move(*turn);
    if (!self->is_hopeful() || self->time_->now() >= until) throw exception(self->nobody());
    auto waiting = change(self, until, stop);
    co_await std::move(waiting);
  }
}

COMCP_DECL asio::awaitable<lease> pool_core::checkout(self_type self, std::chrono::nanoseconds timeout) {
  auto taking = take(std::move(self), timeout, std::stop_token());
  auto turn = co_await std::move(taking);
  co_return std::move(turn).take_lease();
}

COMCP_DECL asio::awaitable<pool_turn> pool_core::take_for_call(self_type self, call_options& options) {
  auto const timeout = options.timeout().value_or(self->timeout_);
  auto const before = self->time_->now();
  auto taking = take(self, timeout, options.stop());
  auto turn = co_await std::move(taking);
  if (auto const waited = self->time_->now() - before; waited.count() > 0) {
    bool const extends = options.extends_on_progress();
    options.timeout(std::max<std::chrono::nanoseconds>(timeout - waited, std::chrono::nanoseconds(1)));
    options.extend_on_progress(extends);
  }
  co_return turn;
}

COMCP_DECL asio::awaitable<std::string> pool_core::add(self_type self, server_config config) {
  self->require_open();
  auto const mode = config.start();
  auto const m = self->enter(std::move(config), server_state::stopped);
  auto const name = m->load->name;
  if (mode == start_mode::background) self->launch(*m);
  if (mode != start_mode::waits) co_return name;
  error failure;
  try {
    self->set_state(*m, server_state::starting);
    auto starting = m->live->start();
    co_await std::move(starting);
    while (m->state == server_state::starting) {
      auto waiting = change(self, time_point::max(), std::stop_token());
      co_await std::move(waiting);
    }
    if (m->refused) failure = m->refused;
    if (self->find(name) != m) failure = error(errc::closed, "removed while it was added");
  } catch (...) {
    failure = current_error();
  }
  if (!failure) co_return name;
  bool const unfinished = self->take_out(m) && !m->refused;
  if (unfinished) m->live->abandon();
  throw exception(failure);
}

COMCP_DECL asio::awaitable<void> pool_core::remove(self_type self, std::string name) {
  auto const m = self->find(name);
  if (!m || !self->take_out(m)) throw exception(error(errc::unknown_server, "the pool has no member " + name));
  std::vector<member_ptr> one(1, m);
  auto const all = self->stop(std::move(one));
  co_await all->through.wait();
}

COMCP_DECL asio::awaitable<void> pool_core::close(self_type self) {
  self->closed_ = true;
  if (!self->ending_) {
    std::vector<member_ptr> members;
    {
      std::lock_guard const lock(self->mutex_);
      members = std::exchange(self->members_, {});
    }
    for (auto const& m : members) m->state = server_state::stopped;
    self->changed();
    self->ending_ = self->stop(std::move(members));
  }
  auto const all = self->ending_;
  co_await all->through.wait();
}

// Each in a coroutine of its own, which nobody's cancellation ends.
COMCP_DECL std::shared_ptr<pool_core::ending> pool_core::stop(std::vector<member_ptr> members) {
  auto const all = std::make_shared<ending>(home_, members.size());
  if (members.empty()) all->through.open();
  for (auto const& m : members) spawn(home_, stop_one(m->live, all));
  return all;
}

COMCP_DECL asio::awaitable<void> pool_core::stop_one(std::shared_ptr<live_server> live, std::shared_ptr<ending> all) {
  try {
    auto stopping = live->stop();
    co_await std::move(stopping);
  } catch (...) {
    // It is bounded, and abrupt in the end; there is nobody to tell.
  }
  if (--all->left == 0) all->through.open();
}

COMCP_DECL asio::awaitable<void> pool_core::warm_up(self_type self) {
  self->require_open();
  auto first = self->members_;  // whose first attempt is under way
  for (auto const& m : first) {
    auto const s = m->state.load();
    if (!m->refused && (s == server_state::stopped || s == server_state::failed)) self->launch(*m);
  }
  for (;;) {
    std::erase_if(first, [](member_ptr const& m) { return m->state != server_state::starting; });
    if (first.empty()) break;
    auto waiting = change(self, time_point::max(), std::stop_token());
    co_await std::move(waiting);
  }
  self->require_open();
  if (self->statistics().ready == 0) throw exception(self->nobody());
}

// Those that become ready later are told then.
COMCP_DECL asio::awaitable<void> pool_core::set_log_level(self_type self, log_level level, call_options options) {
  self->require_open();
  self->level_ = level;
  std::vector<asio::awaitable<void>> told;
  for (auto const& m : self->members_) {
    if (m->state != server_state::ready) continue;
    auto const c = m->live->connection();
    if (!c) continue;
    m->told = level;
    told.push_back(c->set_log_level(level, options));
  }
  auto telling = all(std::move(told));
  auto const outcomes = co_await std::move(telling);
  for (auto const& o : outcomes) {
    if (!o) throw exception(o.error());
  }
}

}  // namespace detail

COMCP_DECL pool::pool(asio::any_io_executor home, server_config config, pool_options options)
    : pool(std::move(home), std::vector<server_config>(1, std::move(config)), std::move(options)) {}

COMCP_DECL pool::pool(asio::any_io_executor home, std::vector<server_config> configs, pool_options options)
    : core_(std::make_shared<detail::pool_core>(std::move(home), std::move(options))) {
  core_->begin(configs);
}

COMCP_DECL pool& pool::operator=(pool&& other) noexcept {
  if (this == &other) return *this;
  if (core_) core_->abandon();
  core_ = std::move(other.core_);
  return *this;
}

COMCP_DECL pool::~pool() {
  if (core_) core_->abandon();
}

COMCP_DECL asio::awaitable<void> pool::warm_up() const {
  return detail::on_home(core_, detail::pool_core::warm_up(core_));
}
COMCP_DECL asio::awaitable<lease> pool::checkout(std::chrono::nanoseconds timeout) const {
  return detail::on_home(core_, detail::pool_core::checkout(core_, timeout));
}
COMCP_DECL asio::awaitable<std::string> pool::add(server_config config) const {
  return detail::on_home(core_, detail::pool_core::add(core_, std::move(config)));
}
COMCP_DECL asio::awaitable<void> pool::remove(std::string_view name) const {
  return detail::on_home(core_, detail::pool_core::remove(core_, std::string(name)));
}
COMCP_DECL asio::awaitable<void> pool::set_log_level(log_level level, call_options options) const {
  return detail::on_home(core_, detail::pool_core::set_log_level(core_, level, std::move(options)));
}
COMCP_DECL asio::awaitable<void> pool::close() const {
  return detail::on_home(core_, detail::pool_core::close(core_));
}
COMCP_DECL std::vector<server_status> pool::connections() const { return core_->connections(); }
COMCP_DECL pool_statistics pool::stats() const { return core_->statistics(); }
COMCP_DECL asio::any_io_executor pool::get_executor() const { return core_->home(); }

}  // namespace comcp

#include <comcp/pool/impl/calls.ipp>
