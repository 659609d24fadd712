// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Drives sansio/server_life, and tells of it.
#pragma once

#include <utility>

#include <comcp/net/spawn.hpp>
#include <comcp/server/live_server.hpp>

namespace comcp::detail {

// What comes of one attempt.
struct live_server::outcome {
  explicit outcome(asio::any_io_executor const& home) : over(home) {}
  gate over;
  error why;  // empty when it is ready
};

namespace server_detail {

// On its home, or on that of the owner where it is another.
inline void tell(asio::any_io_executor const& home, std::shared_ptr<owner_home> const& told_at,
                 std::weak_ptr<live_server_owner> const& owner, std::string const& name,
                 void (live_server_owner::*what)(std::string const&)) {
  if (owner.expired()) return;
  auto call = [owner, name, what] {
    if (auto const alive = owner.lock()) ((*alive).*what)(name);
  };
  if (told_at) told_at->post(std::move(call));
  else post(home, std::move(call));
}

}  // namespace server_detail

COMCP_LAZY_DECL live_server::live_server(std::string name, server_config config, asio::any_io_executor home,
                                         std::shared_ptr<time_source> time, std::weak_ptr<live_server_owner> owner,
                                         std::shared_ptr<owner_home> told_at)
    : tenant_of(std::move(home)),
      name_(std::move(name)),
      config_(std::move(config)),
      time_(std::move(time)),
      owner_(std::move(owner)),
      life_(config_.reconnect()),
      connection_(*this) {
  if (told_at && !told_at->is(home_)) told_at_ = std::move(told_at);
  publish();
}

COMCP_LAZY_DECL asio::awaitable<void> live_server::start() {
  auto const self = shared_from_this();
  auto const next = life_.start(time_->now(), connection_.is_idle());
  bool const first = next.what == step::action::start;
  carry_out(next);
  auto wait = attempted();
  try {
    co_await std::move(wait);
  } catch (std::system_error const&) {
    bool const gone = current_error() == errc::cancelled && life_.state() == server_state::starting;
    if (first && gone) (void)end_all(error(errc::cancelled));
    throw;
  }
}

COMCP_LAZY_DECL void live_server::start_in_background() {
  auto begin = [this] { carry_out(life_.start(time_->now())); };
  if (!told_at_) return begin();
  post(home_, [self = shared_from_this(), begin] { begin(); });
}

COMCP_LAZY_DECL asio::awaitable<void> live_server::restart() {
  auto const self = shared_from_this();
  carry_out(life_.restart(time_->now()));
  co_await attempted();
}

COMCP_LAZY_DECL asio::awaitable<void> live_server::attempted() {
  auto const state = life_.state();
  if (state == server_state::ready) co_return;
  if (state != server_state::starting) throw exception(life_.reason());
  if (!awaited_) awaited_ = std::make_shared<outcome>(home_);
  auto const mine = awaited_;
  co_await mine->over.wait();
  if (mine->why) throw exception(mine->why);
}

COMCP_LAZY_DECL void live_server::release(error const& why) {
  auto const done = std::exchange(awaited_, nullptr);
  if (!done) return;
  done->why = why;
  done->over.open();
}

COMCP_LAZY_DECL void live_server::became_ready() {
  if (life_.state() != server_state::starting) return;
  life_.started(time_->now());
  release({});
  changed();
  server_detail::tell(home_, told_at_, owner_, name_, &live_server_owner::became_ready);
}

COMCP_LAZY_DECL live_server::step live_server::lost(error why) {
  auto next = life_.lost(time_->now(), why, chance_());
  if (next.what == step::action::none) return next;
  release(why);
  changed();
  if (next.what == step::action::give_up) server_detail::tell(home_, told_at_, owner_, name_, &live_server_owner::gave_up);
  return next;
}

COMCP_LAZY_DECL void live_server::attempt_begins() {
  if (life_.state() == server_state::starting) return;
  if (life_.due(time_->now()).what != step::action::start) (void)life_.restart(time_->now());
  changed();
}

COMCP_LAZY_DECL void live_server::call_ended(error const* failure) {
  using end = sansio::call_end;
  auto const how = sansio::end_of_call(failure);
  if (how == end::no_verdict || (how == end::answered && !doubtful_)) return;
  doubtful_ = true;
  auto judge = [this, how, why = failure ? *failure : error()] {
    doubtful_ = how == end::undelivered;
    carry_out(life_.call_ended(time_->now(), how, why, chance_()));
  };
  if (!told_at_) return judge();
  post(home_, [self = shared_from_this(), judge = std::move(judge)] { judge(); });
}

COMCP_LAZY_DECL void live_server::carry_out(step const& next) {
  if (next.what == step::action::none) return;
  changed();
  if (next.what != step::action::give_up) return connection_.begin_anew(next.why, next.until - time_->now());
  (void)connection_.end();
  release(next.why);
  server_detail::tell(home_, told_at_, owner_, name_, &live_server_owner::gave_up);
}

COMCP_LAZY_DECL asio::awaitable<void> live_server::stop() {
  auto const self = shared_from_this();
  auto const over = end_all(error(errc::closed, "the server " + name_ + " was stopped"));
  if (over) co_await over->wait();
}

COMCP_LAZY_DECL std::shared_ptr<gate> live_server::end_all(error const& why) {
  if (life_.state() != server_state::stopped) {
    life_.stop(time_->now(), why);
    changed();
  }
  auto over = connection_.end();
  release(why);
  return over;
}

COMCP_LAZY_DECL void live_server::lose_context() noexcept {
  life_.stop(time_->now(), error(errc::closed, "the execution context is gone"));
  connection_.context_gone();
  awaited_.reset();
  publish();
  if (told_at_) server_detail::tell(home_, told_at_, owner_, name_, &live_server_owner::state_changed);
}

COMCP_LAZY_DECL void live_server::abrupt() noexcept {
  error const why(errc::closed, "the owner of the server " + name_ + " was destroyed");
  life_.stop(time_->now(), why);
  connection_.abandon();
  release(why);
  publish();
}

COMCP_LAZY_DECL void live_server::changed() {
  publish();
  server_detail::tell(home_, told_at_, owner_, name_, &live_server_owner::state_changed);
}

COMCP_LAZY_DECL void live_server::publish() {
  auto next = std::make_shared<snapshot>();
  auto& s = next->status;
  if (published_) s = published_->status;
  bool const is_ready = life_.state() == server_state::ready;
  s.name = name_;
  s.state = life_.state();
  s.reason = is_ready ? error() : life_.reason();
  s.failures = life_.failures();
  s.starts = life_.starts();
  s.reconnects_at = life_.reconnects_at();
  s.history.assign(life_.history().begin(), life_.history().end());
  auto const& core = connection_.core();
  if (core) {
    s.transport = core->connection.channel().info();
    s.transport.session_id.clear();
  }
  if (core && is_ready) {
    s.server_info = core->facts.info;
    s.version = core->facts.version();
    next->core = core;
  }
  std::shared_ptr<snapshot const> const fresh = std::move(next);
  std::shared_ptr<snapshot const> replaced = fresh;
  std::lock_guard const lock(mutex_);
  published_.swap(replaced);
}

COMCP_LAZY_DECL std::shared_ptr<server_status const> live_server::look() const {
  std::lock_guard const lock(mutex_);
  return {published_, &published_->status};
}

COMCP_LAZY_DECL std::optional<client> live_server::connection() const {
  std::lock_guard const lock(mutex_);
  if (!published_->core) return {};
  return client(published_->core->facade(), false);
}

}  // namespace comcp::detail
