// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <comcp/sansio/server_life.hpp>
#include <comcp/version.hpp>

namespace comcp {

COMCP_DECL std::string_view to_string(server_state s) noexcept {
  switch (s) {
    case server_state::stopped: return "stopped";
    case server_state::starting: return "starting";
    case server_state::ready: return "ready";
    case server_state::backing_off: return "backing off";
    case server_state::failed: return "failed";
  }
  return "?";
}

namespace sansio {

COMCP_DECL call_end end_of_call(error const* failure) noexcept {
  if (!failure || !*failure || failure->peer()) return call_end::answered;
  if (failure->code().category() != comcp_category()) return call_end::no_verdict;
  switch (static_cast<errc>(failure->code().value())) {
    case errc::timeout:
    case errc::cancelled:
    case errc::closed: return call_end::no_verdict;
    case errc::limit_exceeded:
    case errc::invalid_json:
    case errc::wrong_shape:
    case errc::validation_failed:
    case errc::protocol_violation:
      return failure->outcome() == call_outcome::not_sent ? call_end::no_verdict : call_end::answered;
    case errc::unauthorized:
    case errc::login_required:
    case errc::tool_failed: return call_end::answered;
    case errc::connect_failed:
    case errc::connect_timeout:
    case errc::tls_failed:
    case errc::proxy_failed: return call_end::undelivered;
    case errc::http_status: {
      auto const* const d = failure->detail();
      return d && d->http_status.value_or(0) >= 500 ? call_end::undelivered : call_end::answered;
    }
    default: return leaves_outcome_open(*failure) ? call_end::undelivered : call_end::no_verdict;
  }
}

COMCP_DECL void server_life::become(server_state s, time_point now, error why) {
  state_ = s;
  undelivered_ = 0;
  if (why) reason_ = why;
  if (history_.size() == history_length) history_.pop_front();
  auto& event = history_.emplace_back();
  event.at = now;
  event.state = s;
  event.reason = std::move(why);
}

COMCP_DECL life_step server_life::begin(time_point now, life_step::action how) {
  backoff_.proved();
  life_step step;
  step.what = how;
  step.until = now;
  step.why = error(errc::transport_failed, "the connection is begun anew");
  become(server_state::starting, now, how == life_step::action::reconnect ? step.why : error());
  return step;
}

COMCP_DECL life_step server_life::start(time_point now, bool once) {
  if (state_ == server_state::starting || state_ == server_state::ready) return {};
  once_ = once;
  return begin(now, life_step::action::start);
}

COMCP_DECL life_step server_life::restart(time_point now) {
  return state_ == server_state::ready ? begin(now, life_step::action::reconnect) : start(now);
}

COMCP_DECL void server_life::started(time_point now) {
  if (state_ != server_state::starting) return;
  once_ = false;
  ++starts_;
  ready_since_ = now;
  become(server_state::ready, now, {});
}

COMCP_DECL life_step server_life::lost(time_point now, error why, double random) {
  if (state_ != server_state::starting && state_ != server_state::ready) return {};
  if (std::exchange(once_, false)) {
    life_step step;
    step.what = life_step::action::rest;
    become(server_state::stopped, now, std::move(why));
    return step;
  }
  return fail(now, std::move(why), random, life_step::action::wait);
}

COMCP_DECL life_step server_life::fail(time_point now, error why, double random, life_step::action otherwise) {
  if (state_ == server_state::ready && now - ready_since_ >= policy_.proven_after()) backoff_.proved();
  std::optional<std::chrono::milliseconds> asked;
  if (auto const* const d = why.detail(); d && d->retry_after) asked = *d->retry_after;
  auto const wait = backoff_.failed(random, asked);
  life_step step;
  step.why = why;
  if (!wait) {
    step.what = life_step::action::give_up;
    become(server_state::failed, now, std::move(why));
    return step;
  }
  step.what = otherwise;
  step.until = until_ = now + *wait;
  become(server_state::backing_off, now, std::move(why));
  return step;
}

COMCP_DECL life_step server_life::due(time_point now) {
  life_step step;
  if (state_ != server_state::backing_off) return step;
  if (now < until_) {
    step.what = life_step::action::wait;
    step.until = until_;
    return step;
  }
  become(server_state::starting, now, {});
  step.what = life_step::action::start;
  return step;
}

COMCP_DECL life_step server_life::call_ended(time_point now, call_end how, error const& why, double random) {
  if (how == call_end::answered) undelivered_ = 0;
  if (state_ != server_state::ready || how != call_end::undelivered) return {};
  if (++undelivered_ != policy_.circuit_breaker()) return {};
  auto const calls = std::to_string(undelivered_) + " calls in a row failed, the last one: ";
  auto const opened = why.with_code(make_error_code(errc::transport_failed));
  return fail(now, opened.with_message(calls + why.to_string()), random, life_step::action::reconnect);
}

COMCP_DECL void server_life::stop(time_point now, error why) {
  if (state_ == server_state::stopped) return;
  once_ = false;
  become(server_state::stopped, now, std::move(why));
}

COMCP_DECL std::optional<server_life::time_point> server_life::reconnects_at() const noexcept {
  if (state_ != server_state::backing_off) return {};
  return until_;
}

}  // namespace sansio
}  // namespace comcp
