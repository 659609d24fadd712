// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Drives sansio/server_life: attempts until there is a client, which then restores its connection as the life says.
#pragma once

#include <algorithm>
#include <utility>

#include <asio/cancellation_signal.hpp>
#include <asio/this_coro.hpp>

#include <comcp/net/spawn.hpp>
#include <comcp/server/live_server.hpp>

namespace comcp::detail {

// Attempts to make a client, one after the other, in a coroutine of their own.
struct live_server::attempts {
  attempts(asio::any_io_executor const& home, std::uint64_t n) : over(home), epoch(n) {}
  asio::cancellation_signal signal;
  gate over;
  std::shared_ptr<gate> wake;  // while it pauses
  std::uint64_t epoch;
};

// One who waits, in whose frame it is.
struct live_server::waiting {
  waiting(std::shared_ptr<live_server> s, bool attempt)
      : server(std::move(s)), over(std::make_shared<gate>(server->home_)), of_this_attempt(attempt) {
    server->waiting_.push_back(this);
  }
  waiting(waiting const&) = delete;
  waiting& operator=(waiting const&) = delete;
  ~waiting() { std::erase(server->waiting_, this); }

  std::shared_ptr<live_server> server;
  std::shared_ptr<gate> over;
  error why = error(errc::timeout, "the server " + server->name_ + " is not ready");  // unless it is released
  std::shared_ptr<client_core> core;
  bool of_this_attempt;
};

COMCP_DECL live_server::live_server(std::string name, server_config config, asio::any_io_executor home,
                                    std::shared_ptr<time_source> time, std::weak_ptr<live_server_owner> owner)
    : tenant(std::move(home)),
      name_(std::move(name)),
      config_(std::move(config)),
      time_(std::move(time)),
      owner_(std::move(owner)),
      life_(config_.retry()) {
  publish();
}

COMCP_DECL connect_options live_server::options() {
  auto o = config_.options();
  auto const epoch = epoch_;
  restart_policy::hook ask = [weak = weak_from_this(), epoch](error const& why) -> std::optional<std::chrono::nanoseconds> {
    auto const self = weak.lock();
    if (!self || self->epoch_ != epoch) return {};
    auto const next = self->lost(why);
    if (next.what != step::action::wait) return {};
    return next.until - self->now();
  };
  o.restart(restart_policy(std::move(ask))).executor(home_).connect_timeout(config_.start_timeout());
  if (!o.time()) o.time(time_);
  if (level_) o.log_level(*level_);
  return o;
}

// Attempts begin, or go on after a pause that is cut short.
COMCP_DECL void live_server::begin() {
  if (attempts_) {
    if (attempts_->wake) attempts_->wake->open();
    return;
  }
  attempts_ = std::make_shared<attempts>(home_, epoch_);
  auto start = [self = shared_from_this(), a = attempts_] { spawn(self->home_, self->run(a), a->signal.slot(), a); };
  post(home_, std::move(start));
}

COMCP_DECL asio::awaitable<void> live_server::run(std::shared_ptr<attempts> a) {
  auto const self = shared_from_this();
  try {
    if (auto const before = winding_up_) co_await before->wait();
    co_await try_until_ready(a);
  } catch (...) {
    // Cancelled by end_all(), which has seen to everything.
  }
  if (attempts_ == a) attempts_.reset();
  a->over.open();
}

COMCP_DECL asio::awaitable<void> live_server::try_until_ready(std::shared_ptr<attempts> a) {
  while (epoch_ == a->epoch) {
    while (life_.state() == server_state::backing_off) {
      co_await pause(a);
      if (epoch_ != a->epoch) co_return;
      auto const next = life_.due(now());
      if (next.what == step::action::start) changed();
    }
    if (life_.state() != server_state::starting) co_return;
    std::shared_ptr<client_core> made;
    error failure;
    try {
      auto connecting = client_core::connect(make_transport(), config_.handler(), options());
      made = co_await std::move(connecting);
    } catch (...) {
      failure = current_error();
    }
    if (epoch_ != a->epoch) {
      if (made) made->abandon();
      co_return;
    }
    if (made && !made->end_reason()) co_return adopt(std::move(made));
    (void)lost(made ? *made->end_reason() : std::move(failure));
  }
}

COMCP_DECL asio::awaitable<void> live_server::pause(std::shared_ptr<attempts> a) {
  auto const wake = std::make_shared<gate>(home_);
  a->wake = wake;
  auto const alarm = time_->make_deadline(home_);
  std::function<void()> ring = [wake] { wake->open(); };
  if (auto const until = life_.retry_at()) alarm->arm(*until, std::move(ring));
  co_await wake->wait();
  a->wake.reset();
}

COMCP_DECL void live_server::adopt(std::shared_ptr<client_core> core) {
  core_ = std::move(core);
  core_->connection.on_status([weak = weak_from_this(), epoch = epoch_](connection_status s) {
    if (auto const self = weak.lock()) self->core_changed(epoch, s);
  });
  core_->recovery.on_attempt([weak = weak_from_this(), epoch = epoch_] {
    if (auto const self = weak.lock()) self->attempt_begins(epoch);
  });
  core_changed(epoch_, connection_status::ready);
}

COMCP_DECL void live_server::core_changed(std::uint64_t epoch, connection_status s) {
  if (epoch != epoch_ || !core_) return;
  if (s == connection_status::ready && life_.state() == server_state::starting) {
    life_.started(now());
    once_ = false;
    release({}, false);
    changed();
    tell(&live_server_owner::became_ready);
  }
  if (s != connection_status::disconnected) return;
  // It has ended: the hook gave up, a user closed it, or its transport did not close in time.
  (void)lost(take_core()->end_reason().value_or(error(errc::closed)));
  if (life_.state() == server_state::backing_off) begin();
}

// In the client that restores its connection, or that a user told to.
COMCP_DECL void live_server::attempt_begins(std::uint64_t epoch) {
  if (epoch != epoch_ || life_.state() == server_state::starting) return;
  auto const next = life_.due(now());
  if (next.what != step::action::start) (void)life_.restart(now());
  changed();
}

COMCP_DECL live_server::step live_server::lost(error why) {
  if (std::exchange(once_, false)) {
    life_.stop(now(), why);
    release(why, false);
    changed();
    return {};
  }
  auto next = life_.lost(now(), why, chance());
  if (next.what == step::action::none) return next;
  release(why, next.what == step::action::wait);
  changed();
  if (next.what == step::action::give_up) tell(&live_server_owner::gave_up);
  return next;
}

COMCP_DECL asio::awaitable<void> live_server::outcome() {
  auto const state = life_.state();
  if (state == server_state::ready) co_return;
  if (state != server_state::starting) throw exception(life_.reason());
  waiting w(shared_from_this(), true);
  co_await w.over->wait();
  if (w.why) throw exception(w.why);
}

// `why` is empty when it is ready. Where only an attempt has failed, those who wait for the server wait on.
COMCP_DECL void live_server::release(error const& why, bool attempt_failed) {
  for (auto* const w : waiting_) {
    if (w->over->is_open() || (attempt_failed && !w->of_this_attempt)) continue;
    w->why = why;
    w->core = core_;
    w->over->open();
  }
}

COMCP_DECL asio::awaitable<void> live_server::start() {
  auto const self = shared_from_this();
  stopped_by_hand_ = false;
  bool const first = life_.start(now()).what == step::action::start;
  if (first) {
    once_ = !core_ && !attempts_;
    changed();
    go();
  }
  auto wait = outcome();
  try {
    co_await std::move(wait);
  } catch (std::system_error const&) {
    bool const gone = current_error() == errc::cancelled && life_.state() == server_state::starting;
    if (first && gone) (void)end_all(error(errc::cancelled));
    throw;
  }
}

COMCP_DECL void live_server::start_in_background() {
  stopped_by_hand_ = false;
  if (life_.start(now()).what != step::action::start) return;
  changed();
  go();
}

// By the client that is there, if it can.
COMCP_DECL void live_server::go() {
  if (core_) {
    if (!core_->recovery.begin_anew(error(errc::transport_failed, "the connection is begun anew"), {})) return;
    (void)end_connection();
  }
  begin();
}

COMCP_DECL asio::awaitable<client> live_server::ready(std::chrono::steady_clock::time_point until) {
  auto const self = shared_from_this();
  if (life_.state() == server_state::stopped) {
    if (stopped_by_hand_) throw exception(error(errc::closed, "the server " + name_ + " was stopped"));
    start_in_background();
  }
  if (life_.state() == server_state::ready) co_return client(core_, false);
  if (life_.state() == server_state::failed) throw exception(life_.reason());
  waiting w(self, false);
  auto const alarm = time_->make_deadline(home_);
  if (until != std::chrono::steady_clock::time_point::max()) {
    std::function<void()> ring = [over = w.over] { over->open(); };
    alarm->arm(until, std::move(ring));
  }
  co_await w.over->wait();
  if (w.why) throw exception(w.why);
  co_return client(w.core, false);
}

COMCP_DECL void live_server::call_ended(error const* failure) {
  auto const how = sansio::end_of_call(failure);
  auto const next = life_.call_ended(now(), how, failure ? *failure : error(), chance());
  if (next.what == step::action::none) return;
  changed();
  if (next.what == step::action::give_up) {
    (void)end_connection();
    release(next.why, false);
    return tell(&live_server_owner::gave_up);
  }
  if (!core_->recovery.begin_anew(next.why, next.until - now())) return;
  (void)end_connection();
  begin();
}

COMCP_DECL asio::awaitable<void> live_server::restart() {
  auto const self = shared_from_this();
  stopped_by_hand_ = false;
  if (life_.restart(now()).what != step::action::none) {
    changed();
    go();
  }
  co_await outcome();
}

COMCP_DECL asio::awaitable<void> live_server::stop() {
  auto const self = shared_from_this();
  stopped_by_hand_ = true;
  auto const over = end_all(error(errc::closed, "the server " + name_ + " was stopped"));
  if (over) co_await over->wait();
}

COMCP_DECL std::shared_ptr<gate> live_server::end_all(error const& why) {
  if (life_.state() != server_state::stopped) {
    life_.stop(now(), why);
    changed();
  }
  auto over = end_connection();
  release(why, false);
  return over;
}

// What it gives back opens when the connection and the attempts are gone; null where there is nothing to wait for.
COMCP_DECL std::shared_ptr<gate> live_server::end_connection() {
  ++epoch_;
  once_ = false;
  auto core = take_core();
  auto a = std::exchange(attempts_, nullptr);
  if (!core && !a) return winding_up_;
  auto over = std::make_shared<gate>(home_);
  auto begin = [self = shared_from_this(), core, a, before = winding_up_, over] {
    spawn(self->home_, self->wind_up(core, a, before, over));
  };
  leaving_ = core;
  winding_up_ = over;
  post(home_, std::move(begin));
  return over;
}

COMCP_DECL asio::awaitable<void> live_server::wind_up(std::shared_ptr<client_core> core, std::shared_ptr<attempts> a,
                                                      std::shared_ptr<gate> before, std::shared_ptr<gate> over) {
  auto const self = shared_from_this();
  if (a) a->signal.emit(asio::cancellation_type::terminal);
  if (core) co_await core->close();
  if (a) co_await a->over.wait();
  if (before) co_await before->wait();
  if (winding_up_ == over) winding_up_.reset();
  over->open();
}

COMCP_DECL void live_server::context_gone() noexcept {
  ++epoch_;
  stopped_by_hand_ = true;
  life_.stop(now(), error(errc::closed, "the execution context is gone"));
  core_.reset();
  attempts_.reset();
  winding_up_.reset();
  publish();
}

COMCP_DECL void live_server::abrupt() noexcept {
  error const why(errc::closed, "the owner of the server " + name_ + " was destroyed");
  stopped_by_hand_ = true;
  life_.stop(now(), why);
  for (auto const& core : {std::exchange(core_, nullptr), leaving_.lock()}) {
    if (core) core->abandon();
  }
  (void)end_connection();
  release(why, false);
  publish();
}

COMCP_DECL void live_server::tell(void (live_server_owner::*what)(std::string const&)) {
  if (owner_.expired()) return;
  auto call = [owner = owner_, name = name_, what] {
    if (auto const alive = owner.lock()) ((*alive).*what)(name);
  };
  post(home_, std::move(call));
}

COMCP_DECL void live_server::changed() {
  publish();
  tell(&live_server_owner::state_changed);
}

COMCP_DECL void live_server::publish() {
  auto next = std::make_shared<snapshot>();
  auto& s = next->status;
  if (published_) s = published_->status;
  bool const is_ready = life_.state() == server_state::ready;
  s.name = name_;
  s.state = life_.state();
  s.reason = is_ready ? error() : life_.reason();
  s.failures = life_.failures();
  s.starts = life_.starts();
  s.retry_at = life_.retry_at();
  s.history.assign(life_.history().begin(), life_.history().end());
  if (core_) {
    s.transport = core_->connection.channel().info();
    s.transport.session_id.clear();
  }
  if (core_ && is_ready) {
    s.server_info = core_->facts.info;
    s.version = core_->facts.version();
    next->core = core_;
  }
  std::shared_ptr<snapshot const> const fresh = std::move(next);
  std::shared_ptr<snapshot const> replaced = fresh;
  std::lock_guard const lock(mutex_);
  published_.swap(replaced);
}

COMCP_DECL server_status live_server::status() const {
  std::shared_ptr<snapshot const> now_published;
  {
    std::lock_guard const lock(mutex_);
    now_published = published_;
  }
  return now_published->status;
}

COMCP_DECL std::optional<client> live_server::connection() const {
  std::lock_guard const lock(mutex_);
  if (!published_->core) return {};
  return client(published_->core, false);
}

}  // namespace comcp::detail
