// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/pinning/guard.hpp>

namespace comcp {

COMCP_DECL error pin_finding::to_error() const {
  std::string text = "tool \"" + visible(tool_name) + "\" of \"" + visible(server) + "\" ";
  if (state == pin_state::changed) {
    text += "is not what was approved: " + approved + " was, this is " + offered;
  } else {
    text += "is not approved: " + offered;
  }
  if (!suspicious.empty()) text += "; suspicious: " + suspicious.front().to_string();
  if (suspicious.size() > 1) text += " and " + std::to_string(suspicious.size() - 1) + " more";
  return error(errc::tool_blocked, std::move(text));
}

COMCP_DECL pin_verdict pin_policy::judge(pin_finding const& found, tool const& definition) const {
  auto asked = found;
  asked.verdict = found.state == pin_state::changed ? changed_ : unknown_;
  if (!found.suspicious.empty()) asked.verdict = std::max(asked.verdict, suspicious_);
  if (!decide_) return asked.verdict;
  try {
    return decide_(asked, definition);
  } catch (...) {
    return pin_verdict::block;
  }
}

COMCP_DECL pin_finding pin_guard::check(std::string_view server, tool const& definition) {
  auto known = pins_.check(server, definition);
  pin_finding found;
  found.server = server;
  found.tool_name = definition.name;
  found.state = known.state;
  found.offered = std::move(known.offered);
  found.approved = std::move(known.approved);
  if (found.state == pin_state::unchanged) {
    found.verdict = pin_verdict::allow;
    return found;
  }
  found.suspicious = find_suspicious(definition);
  found.verdict = policy_.judge(found, definition);
  if (found.verdict == pin_verdict::allow) approve(found);
  return found;
}

COMCP_DECL void pin_guard::approve(pin_finding const& found) {
  if (pins_.approve(found.server, found.tool_name, found.offered)) unsaved_ = true;
}

COMCP_DECL bool pin_guard::forget(std::string_view server, std::string_view tool_name) {
  bool const was_there = pins_.forget(server, tool_name);
  unsaved_ = unsaved_ || was_there;
  return was_there;
}

COMCP_DECL bool pin_guard::forget(std::string_view server) {
  bool const was_there = pins_.forget(server);
  unsaved_ = unsaved_ || was_there;
  return was_there;
}

}  // namespace comcp
