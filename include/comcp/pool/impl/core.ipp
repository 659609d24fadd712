// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include <asio/execution/context.hpp>

#include <comcp/client/operation.hpp>
#include <comcp/net/serial.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/pool/core.hpp>

namespace comcp::detail {

// Members that are stopped, and who waits for it.
struct pool_core::ending {
  ending(asio::any_io_executor on, std::size_t n) : through(std::move(on)), left(n) {}

  COMCP_LAZY static asio::awaitable<void> stop(std::shared_ptr<live_server> live, std::shared_ptr<ending> all) {
    try {
      auto stopping = live->stop();
      co_await std::move(stopping);
    } catch (...) {
      // It is bounded, and abrupt in the end; there is nobody to tell.
    }
    if (--all->left == 0) all->through.open();
  }

  gate through;
  std::size_t left;
};

COMCP_LAZY_DECL pool_core::pool_core(asio::any_io_executor home, pool_options const& options)
    : tenant_of(serial(std::move(home))), time_(options.time() ? options.time() : steady_time()), spans_(options.spans()), members_(options) {}

// What is to start at once counts as starting from here on: a call that comes before the start waits for it.
COMCP_LAZY_DECL void pool_core::begin(std::vector<server_config> const& configs, std::size_t size) {
  std::vector<member> eager;
  for (auto const& config : configs) {
    bool const lazy = config.start() == start_mode::lazy;
    for (std::size_t i = 0; i < size; ++i) {
      auto const m = enter(config, lazy ? server_state::stopped : server_state::starting);
      if (!lazy) eager.push_back(m);
    }
  }
  post(home_, [weak = weak_from_this(), eager = std::move(eager)] {
    auto const self = weak.lock();
    if (!self || self->closed_) return;
    for (auto const& m : eager) {
      if (self->members_.find(m->load->name) == m) self->launch(*m);
    }
  });
}

COMCP_LAZY_DECL pool_core::member pool_core::enter(server_config config, server_state first) {
  timeout_ = std::max(timeout_, config.options().timeout());
  auto const m = std::make_shared<pool_member>(++last_id_, first);
  m->live = std::make_shared<live_server>(m->load->name, std::move(config), home_, time_, weak_from_this());
  members_.add(m);
  return m;
}

// An empty pool takes whatever identity comes next.
COMCP_LAZY_DECL bool pool_core::take_out(member const& m) {
  if (!members_.remove(m)) return false;
  if (members_.all().empty()) identity_.reset();
  set_state(*m, server_state::stopped);
  return true;
}

COMCP_LAZY_DECL void pool_core::launch(pool_member& m) {
  m.state = server_state::starting;
  m.live->start_in_background();
}

COMCP_LAZY_DECL void pool_core::set_state(pool_member& m, server_state s) {
  m.state = s;
  rung_.ring();
}

COMCP_LAZY_DECL void pool_core::member_changed(std::string const& name) {
  auto const m = members_.find(name);
  if (!m || m->refused) return;
  auto const now = m->live->life().state();
  if (now != server_state::ready) set_state(*m, now);  // what is ready is looked at first: member_ready()
}

COMCP_LAZY_DECL void pool_core::member_ready(std::string const& name) {
  auto const m = members_.find(name);
  auto const c = m && !m->refused ? m->live->connection() : std::nullopt;
  if (!c) return;
  if (!admit(m)) return;
  tell_level(*m, *c);
  set_state(*m, server_state::ready);
}

COMCP_LAZY_DECL void pool_core::member_gave_up(std::string const& name) {
  auto const m = members_.find(name);
  if (!m || m->live->config().reconnect().attempts() > 0) return;
  if (m->live->life().state() != server_state::failed) return;  // started again meanwhile
  take_out(m);
  m->live->abandon();
}

// Sessions of two identities in one pool would let one of its users act as the other.
COMCP_LAZY_DECL bool pool_core::admit(member const& m) {
  auto const its = m->live->status().transport.identity;
  if (!identity_) identity_ = its;
  if (*identity_ == its) return true;
  members_.refuse(*m, error(errc::invalid_argument, "its credentials are not those of the pool's other connections"));
  set_state(*m, server_state::failed);
  (void)stop(std::vector<member>(1, m));
  return false;
}

// A connection that is restored has its level already.
COMCP_LAZY_DECL void pool_core::tell_level(pool_member& m, client const& c) {
  if (!level_ || m.told == level_) return;
  m.told = level_;
  spawn(home_, c.set_log_level(*level_));
}

COMCP_LAZY_DECL void pool_core::require_open() const {
  if (closed_) throw exception(error(errc::closed, "the pool is closed"));
}

COMCP_LAZY_DECL asio::awaitable<pool_turn> pool_core::take(std::chrono::nanoseconds timeout, std::stop_token stop) {
  auto const until = later(time_->now(), timeout);
  require_open();
  for (auto const& m : members_.all()) {
    if (m->state == server_state::stopped) launch(*m);  // lazy ones
  }
  for (;;) {
    require_open();
    if (stop.stop_requested()) throw exception(error(errc::cancelled).with_outcome(call_outcome::not_sent));
    auto turn = members_.pick();
    if (turn) co_return std::move(*turn);
    if (!members_.is_hopeful() || time_->now() >= until) throw exception(members_.nobody());
    auto const counted = members_.one_waits();
    auto waiting = rung_.wait(time_, until, stop);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL open_span pool_core::begin_span(call_options& options) const {
  return span_of_call(spans_, span_layer::pool, "pool.call", options);
}

COMCP_LAZY_DECL asio::awaitable<pool_turn> pool_core::take_for_call(call_options& options) {
  auto const timeout = options.timeout().value_or(timeout_);
  auto const before = time_->now();
  auto taking = take(timeout, options.stop());
  auto turn = co_await std::move(taking);
  if (auto const waited = time_->now() - before; waited.count() > 0) {
    bool const extends = options.extends_on_progress();
    options.timeout(std::max<std::chrono::nanoseconds>(timeout - waited, std::chrono::nanoseconds(1)));
    options.extend_on_progress(extends);
  }
  co_return turn;
}

COMCP_LAZY_DECL asio::awaitable<std::string> pool_core::add(server_config config) {
  auto const hold = shared_from_this();
  require_open();
  auto const mode = config.start();
  auto const m = enter(std::move(config), server_state::stopped);
  auto const name = m->load->name;
  if (mode == start_mode::background) launch(*m);
  if (mode != start_mode::waits) co_return name;
  error failure;
  try {
    set_state(*m, server_state::starting);
    auto starting = m->live->start();
    co_await std::move(starting);
    while (m->state == server_state::starting) {
      auto waiting = rung_.wait(time_);
      co_await std::move(waiting);
    }
    if (m->refused) failure = m->refused;
    if (members_.find(name) != m) failure = error(errc::closed, "removed while it was added");
  } catch (...) {
    failure = current_error();
  }
  if (!failure) co_return name;
  bool const unfinished = take_out(m) && !m->refused;
  if (unfinished) m->live->abandon();
  throw exception(failure);
}

COMCP_LAZY_DECL asio::awaitable<void> pool_core::remove(std::string name) {
  auto const hold = shared_from_this();
  auto const m = members_.find(name);
  if (!m || !take_out(m)) throw exception(error(errc::unknown_server, "the pool has no member " + name));
  auto const all = stop(std::vector<member>(1, m));
  co_await all->through.wait();
}

COMCP_LAZY_DECL asio::awaitable<void> pool_core::close() {
  auto const hold = shared_from_this();
  closed_ = true;
  if (!ending_) {
    auto const members = members_.remove_all();
    for (auto const& m : members) m->state = server_state::stopped;
    rung_.ring();
    ending_ = stop(members);
  }
  auto const all = ending_;
  co_await all->through.wait();
}

// Each in a coroutine of its own, which nobody's cancellation ends.
COMCP_LAZY_DECL std::shared_ptr<pool_core::ending> pool_core::stop(std::vector<member> const& members) {
  auto const all = std::make_shared<ending>(home_, members.size());
  if (members.empty()) all->through.open();
  for (auto const& m : members) spawn(home_, ending::stop(m->live, all));
  return all;
}

COMCP_LAZY_DECL asio::awaitable<void> pool_core::warm_up() {
  auto const hold = shared_from_this();
  require_open();
  auto first = members_.all();  // whose first attempt is under way
  for (auto const& m : first) {
    auto const s = m->state.load();
    if (!m->refused && (s == server_state::stopped || s == server_state::failed)) launch(*m);
  }
  for (;;) {
    std::erase_if(first, [](member const& m) { return m->state != server_state::starting; });
    if (first.empty()) break;
    auto waiting = rung_.wait(time_);
    co_await std::move(waiting);
  }
  require_open();
  if (members_.statistics().ready == 0) throw exception(members_.nobody());
}

// Those that become ready later are told then.
COMCP_LAZY_DECL asio::awaitable<void> pool_core::set_log_level(log_level level, call_options options) {
  auto const hold = shared_from_this();
  require_open();
  level_ = level;
  std::vector<asio::awaitable<void>> told;
  for (auto const& m : members_.all()) {
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

COMCP_LAZY_DECL void pool_core::lose_context() noexcept {
  closed_ = true;
  ending_.reset();
}

COMCP_LAZY_DECL void pool_core::abandon() noexcept {
  at_home([self = shared_from_this()] { self->abrupt(); });
  members_.cut();  // should home never run again
}

COMCP_LAZY_DECL void pool_core::abrupt() noexcept {
  closed_ = true;
  for (auto const& m : members_.all()) {
    m->live->abandon();
    m->state = server_state::stopped;  // it tells no more
  }
  rung_.ring();
}

}  // namespace comcp::detail
