// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which definitions get through to a host: the pins, and a policy for what they do not cover.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/pinning/pins.hpp>
#include <comcp/pinning/suspicious.hpp>

namespace comcp {

/// What becomes of a definition, from mild to strict.
enum class pin_verdict {
  allow,  ///< It gets through, and is approved by that: the next change is noticed.
  warn,   ///< It gets through and is told of, until somebody approves it.
  block,  ///< It is kept out, and calls fail with errc::tool_blocked, until somebody approves it.
};

/// What a guard found about one definition.
struct pin_finding {
  pin_finding() = default;

  pin_kind kind = pin_kind::tool;
  std::string server;
  std::string name;  ///< Of the tool or prompt.
  pin_state state = pin_state::unknown;
  std::string offered;   ///< The definition's fingerprint.
  std::string approved;  ///< The approved one; empty where there is none.
  std::vector<suspicious_character> suspicious;  ///< Empty for what is approved: then nobody looked.
  pin_verdict verdict = pin_verdict::block;

  /// errc::tool_blocked, with what is the matter: for calls of what is blocked, and for whoever is told.
  [[nodiscard]] error to_error() const;
};

/// What to do with definitions that are not approved: tools, prompts and instructions. Regular.
class pin_policy {
 public:
  /// Trust on first use: what a new server has is allowed, what it adds later is warned of, what changes is blocked; what
  /// has suspicious characters is warned of.
  pin_policy() {}
  /// For what comes with a server of which nothing was seen.
  pin_policy& unknown(pin_verdict v) { return unknown_ = v, *this; }
  /// For what a server that is known comes with later. One that comes back under another name is such. Without this:
  /// pin_verdict::warn, or what unknown() says where that is stricter.
  pin_policy& added(pin_verdict v) { return added_ = v, *this; }
  /// For what is not what was approved.
  pin_policy& changed(pin_verdict v) { return changed_ = v, *this; }
  /// At least this for what is not approved and has suspicious characters.
  pin_policy& suspicious(pin_verdict v) { return suspicious_ = v, *this; }
  /// Asked instead, for each definition that is not approved; `verdict` of the finding is what the other settings say, and
  /// `definition` is what its fingerprint covers (of instructions their text). Called while the list is taken over, so it
  /// decides at once; to ask a user, block and call approve() later. If it throws, the definition is blocked.
  pin_policy& decide(std::function<pin_verdict(pin_finding const&, json::view definition)> f) {
    return decide_ = std::move(f), *this;
  }

  /// What becomes of `found`, a definition that is not approved.
  [[nodiscard]] pin_verdict judge(pin_finding const& found, json::view definition) const;
  [[nodiscard]] bool trusts_first_use() const noexcept { return unknown_ == pin_verdict::allow; }

 private:
  pin_verdict unknown_ = pin_verdict::allow, changed_ = pin_verdict::block, suspicious_ = pin_verdict::warn;
  std::optional<pin_verdict> added_;
  std::function<pin_verdict(pin_finding const&, json::view)> decide_;
};

/// Pins and policy at work. Not synchronised: whoever shares it with a registry uses it on the registry's executor only.
class pin_guard {
 public:
  explicit pin_guard(tool_pins pins = tool_pins(), pin_policy policy = pin_policy())
      : pins_(std::move(pins)), policy_(std::move(policy)) {}

  /// Judges one definition; an allowed one is approved by that. Takes some microseconds.
  pin_finding check(std::string_view server, tool const& definition);
  pin_finding check(std::string_view server, prompt const& definition);
  /// The same for the instructions of a server, empty where it has none: that is always allowed.
  pin_finding check_instructions(std::string_view server, std::string_view text);
  /// All that the server listed of this kind was checked: its first use is over, and what comes later is added. A registry
  /// calls it; without this the first use lasts until the pins are saved and read again.
  void listed(std::string_view server, pin_kind kind);
  /// Approves exactly what a finding was about, though the server may offer something else by now. The registry's next
  /// refresh lets it in.
  void approve(pin_finding const& found);
  /// What was approved counts no more, from the registry's next refresh on.
  bool forget(std::string_view server, std::string_view name, pin_kind kind = pin_kind::tool);
  bool forget(std::string_view server);

  [[nodiscard]] tool_pins const& pins() const noexcept { return pins_; }
  /// Whether the pins differ from those at the start, or at the last call of saved(): time to write the lock file.
  [[nodiscard]] bool unsaved() const noexcept { return unsaved_; }
  void saved() noexcept { unsaved_ = false; }

 private:
  pin_finding examine(pin_kind kind, std::string_view server, std::string_view name, json::value const& covered);

  tool_pins pins_;
  pin_policy policy_;
  std::set<std::pair<std::string, pin_kind>> first_used_;  // servers that were unknown, and are not listed() yet
  bool unsaved_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/pinning/impl/guard.ipp>
#endif
