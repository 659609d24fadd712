// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <comcp/sansio/call_life.hpp>

namespace comcp::sansio {

COMCP_DECL call_action call_life::failed(error const& e, call_facts const& now) noexcept {
  auto const* const peer = e.peer();
  auto const code = peer ? peer->code : 0;
  if (code == -32042 && !now.modern)
    return std::exchange(pages_shown_, true) ? call_action::give_up_pages : call_action::show_pages;
  if (now.era_in_doubt) return call_action::check_era;
  bool const again = now.may_repeat && ++repeats_ <= most_repeats;
  if (code == -32020 && now.modern && now.http && now.is_tool && !std::exchange(listed_, true))
    return call_action::list_again;
  if (code == -32022 && now.modern && !std::exchange(followed_, true)) return call_action::follow_version;
  return again ? call_action::send_again : call_action::deliver;
}

COMCP_DECL call_action call_life::answered(wire::result_kind kind, call_facts const& now) noexcept {
  if (kind == wire::result_kind::complete) return call_action::deliver;
  if (now.manual) return call_action::hand_over;
  return rounds_left_-- > 0 ? call_action::answer : call_action::too_many_rounds;
}

COMCP_DECL bool may_renew(session_facts const& now) noexcept {
  constexpr unsigned most = 2;
  return now.restarting || (now.ready && now.renewals < most);
}

COMCP_DECL call_action session_lost(session_facts const& now, bool handshake, bool renewed) noexcept {
  return may_renew(now) && !handshake && !renewed ? call_action::renew : call_action::deliver;
}

}  // namespace comcp::sansio
