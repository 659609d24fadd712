// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/net/spawn.hpp>
#include <comcp/transport/http_session.hpp>

namespace comcp::detail {

COMCP_DECL http_posts::http_posts(http_session& session)
    : session_(session),
      link_(session.link()),
      hold_limit_(link_.carrier.time->make_deadline(link_.executor)) {}

COMCP_LAZY_DECL result<void> http_posts::send(outgoing&& message) {
  if (under_way_.size() + held_.size() >= link_.options.max_exchanges())
    return error(errc::queue_full, "more exchanges at once than http_options().max_exchanges()");
  ++messages_out_;
  bytes_out_ += message.text.size();
  if (holding_ && message.id != 0 && !message.handshake) {
    held_.push_back(std::move(message));
  } else {
    start(std::move(message));
  }
  return {};
}

COMCP_LAZY_DECL void http_posts::start(outgoing&& message) {
  prepare(message);
  auto const p = std::make_shared<http_post>(session_, std::move(message));
  p->place = under_way_.size();
  under_way_.push_back(p);
  try {
    if (p->message.id) waiting_.insert_or_assign(p->message.id, p.get());
    set_out(p);
  } catch (...) {
    finished(*p);
    throw;
  }
}

// Where many are under way, answers come together, and what their callers ask next goes out together: a server that is
// woken by the first finds the others as well.
COMCP_LAZY_DECL void http_posts::set_out(std::shared_ptr<http_post> const& p) {
  constexpr std::size_t many = 8;
  if (under_way_.size() < many && setting_out_.empty()) return p->start();
  if (setting_out_.empty()) {
    std::function<void()> go_on = [weak = session_.weak_from_this()] {
      if (auto const self = weak.lock()) self->posts().set_out_all();
    };
    post(link_.executor, std::move(go_on));
  }
  setting_out_.push_back(p);
  p->starting = true;
}

COMCP_LAZY_DECL void http_posts::set_out_all() {
  for (auto const& p : std::exchange(setting_out_, {})) {
    if (p->given_up) {
      finished(*p);
      continue;
    }
    try {
      p->start();
    } catch (...) {
      p->has_come(current_error());
    }
  }
}

// What the messages of a handshake mean to a session.
COMCP_LAZY_DECL void http_posts::prepare(outgoing const& message) {
  if (message.handshake && !message.stateless) {
    link_.labels.forget_session();
    give_back_held();
    if (!link_.sse) session_.listener().stop();
  }
  if (!message.established || link_.sse) return;
  link_.labels.established(message);
  holding_ = true;
  std::function<void()> go_on = [weak = session_.weak_from_this()] {
    if (auto const self = weak.lock()) self->posts().release();
  };
  hold_limit_->arm(link_.in_time(link_.options.get_stream_wait()), std::move(go_on));
}

// They belong to a session that is gone: the core sends them in the next one.
COMCP_DECL void http_posts::give_back_held() {
  holding_ = false;
  hold_limit_->disarm();
  for (auto const& m : std::exchange(held_, {})) {
    std::function<void()> back = [self = session_.shared_from_this(), id = m.id] {
      if (!self->link().over()) self->link().in().session_lost(id, error(errc::http_status, "the session is gone"));
    };
    post(link_.executor, std::move(back));
  }
}

COMCP_LAZY_DECL void http_posts::release() {
  hold_limit_->disarm();
  if (!std::exchange(holding_, false) || link_.over()) return;
  for (auto& m : std::exchange(held_, {})) start(std::move(m));
}

COMCP_DECL bool http_posts::abandon(request_id id) noexcept {
  auto const held = std::find_if(held_.begin(), held_.end(), [id](outgoing const& m) { return m.id == id; });
  if (held != held_.end()) {
    held_.erase(held);
    return true;
  }
  auto const found = waiting_.find(id);
  if (found == waiting_.end()) return false;
  auto const a = under_way_[found->second->place];
  if (!a->starting && std::exchange(a->message.is_seen_to, false)) return true;
  finished(*a);
  a->give_up();
  return a->message.stateless || a->starting;
}

COMCP_DECL void http_posts::answered(http_activity& a) {
  auto const found = waiting_.find(a.message.id);
  if (found != waiting_.end() && found->second == &a) waiting_.erase(found);
}

COMCP_DECL void http_posts::finished(http_activity& a) {
  answered(a);
  if (a.place == http_activity::nowhere) return;
  auto const hole = std::exchange(a.place, http_activity::nowhere);
  if (under_way_.back().get() != &a) {
    under_way_[hole] = std::move(under_way_.back());
    under_way_[hole]->place = hole;
  }
  under_way_.pop_back();
  if (under_way_.empty() && drained_) drained_->open();
}

COMCP_LAZY_DECL void http_posts::again(http_activity& a) {
  finished(a);
  if (holding_ && a.message.id != 0) {
    held_.push_back(std::move(a.message));
  } else {
    start(std::move(a.message));
  }
}

COMCP_LAZY_DECL asio::awaitable<void> http_posts::drained(time_source::time_point until) {
  auto const all = under_way_;
  for (auto const& a : all) {
    if (a->message.id == 0) {
      link_.limit(a, until - link_.carrier.time->now());
    } else {
      finished(*a);
      a->give_up();
    }
  }
  if (under_way_.empty()) co_return;
  drained_ = std::make_shared<gate>(link_.executor);
  auto const bound = link_.open_later(drained_, until);
  co_await drained_->wait();
}

COMCP_DECL void http_posts::abort() noexcept {
  hold_limit_->disarm();
  held_.clear();
  waiting_.clear();
  auto const all = std::exchange(under_way_, {});
  for (auto const& a : all) {
    a->place = http_activity::nowhere;
    a->give_up();
  }
  if (drained_) drained_->open();
}

COMCP_DECL void http_posts::describe(transport_info& out) const {
  out.messages_out = messages_out_;
  out.bytes_out = bytes_out_;
}

}  // namespace comcp::detail
