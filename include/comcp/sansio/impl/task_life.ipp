// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/later.hpp>
#include <comcp/sansio/task_life.hpp>

namespace comcp::sansio {

namespace detail {
constexpr std::chrono::nanoseconds shortest_pause = std::chrono::milliseconds(10);
constexpr std::chrono::nanoseconds pause_while_told = std::chrono::seconds(30);  // at most, and ten times what was asked for
constexpr unsigned most_task_failures = 5;

// What a server says may be any number.
constexpr std::chrono::nanoseconds milliseconds_of(std::int64_t n) noexcept {
  constexpr std::int64_t most = std::chrono::nanoseconds::max().count() / 1'000'000;
  return std::chrono::nanoseconds(std::clamp<std::int64_t>(n, 0, most) * 1'000'000);
}
}  // namespace detail

COMCP_DECL task_life::task_life(bool modern, nanoseconds pause, time_point now) noexcept
    : modern_(modern), preset_(pause), pause_(pause), begun_(now) {}

COMCP_DECL task_action task_life::learned(task_state const& s) {
  failures_ = 0;
  pause_ = s.poll_interval ? detail::milliseconds_of(*s.poll_interval) : preset_;
  end_ = s.ttl ? comcp::detail::later(begun_, detail::milliseconds_of(*s.ttl)) : time_point::max();
  if (!modern_ && s.status == task_status::working) return task_action::wait;
  if (!modern_ && s.status != task_status::cancelled) return task_action::fetch_result;
  switch (s.status) {
    case task_status::working: return task_action::wait;
    case task_status::input_required: return task_action::answer;
    case task_status::completed: return task_action::deliver;
    case task_status::failed: return task_action::fail;
    case task_status::cancelled: return task_action::cancelled;
  }
  return task_action::wait;
}

COMCP_DECL input_requests task_life::take_requests(task_state const& s) {
  input_requests fresh;
  if (!s.input_requests) return fresh;
  for (auto const& [key, asked] : *s.input_requests) {
    if (taken_.insert(key).second) fresh.emplace(key, asked);
  }
  return fresh;
}

COMCP_DECL bool task_life::goes_on(error const& e) noexcept {
  if (++failures_ > detail::most_task_failures) return false;
  if (auto const* const peer = e.peer()) return peer->code != -32602 && peer->code != -32601 && peer->code != -32021;
  for (auto const passing : {errc::timeout, errc::outcome_unknown, errc::transport_failed, errc::connect_failed,
                             errc::queue_full, errc::connect_timeout, errc::response_timeout, errc::idle_timeout,
                             errc::exchange_timeout, errc::missing_answer}) {
    if (e == passing) return true;
  }
  return is_retriable(e);
}

COMCP_DECL task_life::nanoseconds task_life::pause(time_point now) const noexcept {
  auto const asked = std::max(pause_, detail::shortest_pause);
  bool const rarely = modern_ && is_told_ && asked < detail::pause_while_told;
  return std::min(rarely ? std::min(10 * asked, detail::pause_while_told) : asked, left(now));
}

COMCP_DECL task_life::nanoseconds task_life::left(time_point now) const noexcept {
  return end_ == time_point::max() ? nanoseconds::max() : std::max<nanoseconds>(end_ - now, detail::shortest_pause);
}

}  // namespace comcp::sansio
