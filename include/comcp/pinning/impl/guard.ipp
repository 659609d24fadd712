// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/pinning/guard.hpp>

namespace comcp {

COMCP_DECL error pin_finding::to_error() const {
  constexpr auto blank = line_breaks::blank;
  std::string text = kind == pin_kind::instructions ? std::string("the instructions")
                                                    : kind == pin_kind::prompt ? "prompt \"" : "tool \"";
  if (kind != pin_kind::instructions) text += visible(name, blank) + '"';
  text += " of \"" + visible(server, blank) + "\" " + (state == pin_state::added ? "came later, and " : "");
  text += kind == pin_kind::instructions ? "are not " : "is not ";
  text += state == pin_state::changed ? "what was approved: " + approved + " was, this is " + offered : "approved: " + offered;
  if (!suspicious.empty()) text += "; suspicious: " + suspicious.front().to_string();
  if (suspicious.size() > 1) text += " and " + std::to_string(suspicious.size() - 1) + " more";
  return error(errc::tool_blocked, std::move(text));
}

COMCP_DECL pin_verdict pin_policy::judge(pin_finding const& found, json::view definition) const {
  auto asked = found;
  switch (found.state) {
    case pin_state::changed: asked.verdict = changed_; break;
    case pin_state::added: asked.verdict = added_.value_or(std::max(unknown_, pin_verdict::warn)); break;
    default: asked.verdict = unknown_; break;
  }
  if (!found.suspicious.empty()) asked.verdict = std::max(asked.verdict, suspicious_);
  if (!decide_) return asked.verdict;
  try {
    return decide_(asked, definition);
  } catch (...) {
    return pin_verdict::block;
  }
}

COMCP_DECL pin_finding pin_guard::examine(pin_kind kind, std::string_view server, std::string_view name,
                                          json::value const& covered) {
  auto known = pins_.check(kind, server, name, detail::fingerprint_of(covered));
  std::pair const use(std::string(server), kind);
  if (known.state == pin_state::unknown) first_used_.insert(use);
  bool const first = known.state == pin_state::added && first_used_.contains(use);
  pin_finding found;
  found.kind = kind;
  found.server = server;
  found.name = name;
  found.state = first ? pin_state::unknown : known.state;
  found.offered = std::move(known.offered);
  found.approved = std::move(known.approved);
  if (found.state == pin_state::unchanged) {
    found.verdict = pin_verdict::allow;
    return found;
  }
  found.suspicious = find_suspicious(covered);
  found.verdict = policy_.judge(found, covered);
  if (found.verdict == pin_verdict::allow) approve(found);
  return found;
}

COMCP_DECL pin_finding pin_guard::check(std::string_view server, tool const& definition) {
  return examine(pin_kind::tool, server, definition.name, detail::pinned_part(definition));
}
COMCP_DECL pin_finding pin_guard::check(std::string_view server, prompt const& definition) {
  return examine(pin_kind::prompt, server, definition.name, detail::pinned_part(definition));
}
COMCP_DECL pin_finding pin_guard::check_instructions(std::string_view server, std::string_view text) {
  constexpr auto kind = pin_kind::instructions;
  auto const covered = json::to_value(text);
  if (!text.empty()) return examine(kind, server, {}, covered);
  pin_finding none;  // harmless, and noted: what comes in its place is a change
  none.kind = kind;
  none.server = server;
  none.offered = detail::fingerprint_of(covered);
  none.verdict = pin_verdict::allow;
  none.state = pins_.check(kind, server, {}, none.offered).state;
  if (none.state == pin_state::unknown) approve(none);
  return none;
}

COMCP_DECL void pin_guard::listed(std::string_view server, pin_kind kind) {
  first_used_.erase(std::pair(std::string(server), kind));
  if (policy_.trusts_first_use() && pins_.know(server, kind)) unsaved_ = true;
}

COMCP_DECL void pin_guard::approve(pin_finding const& found) {
  if (pins_.approve(found.server, found.name, found.offered, found.kind)) unsaved_ = true;
}

COMCP_DECL bool pin_guard::forget(std::string_view server, std::string_view name, pin_kind kind) {
  bool const was_there = pins_.forget(server, name, kind);
  unsaved_ = unsaved_ || was_there;
  return was_there;
}

COMCP_DECL bool pin_guard::forget(std::string_view server) {
  bool const was_there = pins_.forget(server);
  unsaved_ = unsaved_ || was_there;
  return was_there;
}

}  // namespace comcp
