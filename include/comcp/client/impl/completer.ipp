// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>

#include <asio/cancellation_type.hpp>

#include <comcp/client/completer.hpp>
#include <comcp/client/operation.hpp>
#include <comcp/later.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp {
namespace detail {

COMCP_DECL std::optional<complete_result> completion_cache::find(std::string_view key, time_point now) {
  auto const at = places_.find(key);
  if (at == places_.end()) return {};
  auto const e = at->second;
  if (e->until <= now) return erase(e), std::nullopt;
  entries_.splice(entries_.begin(), entries_, e);
  return e->answer;
}

COMCP_DECL void completion_cache::store(std::string key, complete_result const& answer, time_point now) {
  constexpr std::size_t largest = 64 * 1024;
  if (most_ == 0 || ttl_.count() <= 0 || answer.raw.memory() > largest) return;
  if (auto const at = places_.find(key); at != places_.end()) erase(at->second);
  if (entries_.size() >= most_) erase(std::prev(entries_.end()));
  entries_.emplace_front(std::move(key), answer, later(now, ttl_));
  places_.emplace(entries_.front().key, entries_.begin());
}

COMCP_DECL void completion_cache::erase(std::list<entry>::iterator e) {
  places_.erase(e->key);
  entries_.erase(e);
}

COMCP_DECL void completion_cache::clear() noexcept {
  places_.clear();
  entries_.clear();
}

COMCP_LAZY_DECL completer_core::completer_core(std::shared_ptr<client_link> const& link, completer_options options)
    : tenant_of(link->home()),
      options_(std::move(options)),
      time_(options_.time() ? options_.time() : steady_time()),
      client_(link, false),
      cache_(options_.entries(), options_.ttl()) {}

COMCP_LAZY_DECL asio::awaitable<std::optional<complete_result>> completer_core::ask(complete_params what) {
  auto const hold = shared_from_this();
  if (closed_) throw exception(error(errc::closed, "the completer is gone"));
  auto key = json::to_text(what);
  auto kept = cache_.find(key, time_->now());
  if (kept) {
    call_off(current_, outcome());
    co_return kept;
  }
  auto const q = board(std::move(key), std::move(what));
  ++q->waiting;
  try {
    auto waiting = q->ended.wait();
    co_await std::move(waiting);
  } catch (...) {
    if (--q->waiting == 0) call_off(q, outcome());
    throw;
  }
  if (!q->answer) throw exception(q->answer.error());
  co_return *q->answer;
}

COMCP_LAZY_DECL std::shared_ptr<completer_core::question> completer_core::board(std::string key, complete_params what) {
  if (current_ && current_->key == key && current_->asked_after == times_forgotten_) return current_;
  call_off(current_, outcome());
  auto const q = std::make_shared<question>(home_, std::move(key), std::move(what));
  q->asked_after = times_forgotten_;
  current_ = q;
  spawn(home_, send(shared_from_this(), q), q->signal.slot(), q);
  return q;
}

COMCP_LAZY_DECL asio::awaitable<void> completer_core::send(std::shared_ptr<completer_core> self,
                                                           std::shared_ptr<question> q) {
  outcome o;
  try {
    if (self->options_.delay().count() > 0) {
      auto pausing = pause_until(self->time_, later(self->time_->now(), self->options_.delay()));
      co_await std::move(pausing);
    }
    auto calling = self->client_.complete(q->what, self->options_.call());
    auto answer = co_await std::move(calling);
    if (!q->over && q->asked_after == self->times_forgotten_) self->cache_.store(q->key, answer, self->time_->now());
    o = std::optional(std::move(answer));
  } catch (...) {
    o = current_error();
  }
  self->end(*q, std::move(o));
}

COMCP_LAZY_DECL void completer_core::end(question& q, outcome o) noexcept {
  if (q.over) return;
  q.over = true;
  q.answer = std::move(o);
  if (current_.get() == &q) current_.reset();
  q.ended.open();
}

COMCP_LAZY_DECL void completer_core::call_off(std::shared_ptr<question> q, outcome o) {
  if (!q || q->over) return;
  end(*q, std::move(o));
  q->signal.emit(asio::cancellation_type::terminal);
}

COMCP_LAZY_DECL void completer_core::abandon() noexcept {
  at_home([self = shared_from_this()] {
    self->closed_ = true;
    self->call_off(self->current_, error(errc::closed, "the completer is gone"));
  });
}

COMCP_LAZY_DECL void completer_core::lose_context() noexcept {
  closed_ = true;
  current_.reset();
}

COMCP_DECL complete_params completion_question(completion_reference ref, std::string argument, std::string value,
                                               completion_context context) {
  complete_params what(std::move(ref), completion_argument(std::move(argument), std::move(value)));
  if (!context.arguments.empty() || !context.raw.is_null()) what.context = std::move(context);
  return what;
}

}  // namespace detail

COMCP_LAZY_DECL completer::completer(client_base const& c, completer_options options) {
  auto const& link = detail::client_access::core(c);
  detail::require(link);
  if (!link->home()) throw exception(detail::not_connected());
  core_ = std::make_shared<detail::completer_core>(link, std::move(options));
  end_ = detail::abandoned_at_end(core_);
}

COMCP_LAZY_DECL asio::awaitable<std::optional<complete_result>> completer::complete(completion_reference ref,
                                                                                    std::string argument, std::string value,
                                                                                    completion_context context) const {
  auto what = detail::completion_question(std::move(ref), std::move(argument), std::move(value), std::move(context));
  return detail::on_home(core_, core_->ask(std::move(what)));
}

COMCP_LAZY_DECL void completer::clear() const {
  detail::post(core_->home(), [core = core_] { core->forget(); });
}

}  // namespace comcp
