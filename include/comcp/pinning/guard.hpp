// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which definitions get through to a host: the pins, and a policy for what they do not cover.
#pragma once

#include <functional>
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

  std::string server;
  std::string tool_name;
  pin_state state = pin_state::unknown;
  std::string offered;   ///< The definition's fingerprint.
  std::string approved;  ///< The approved one; empty where unknown.
  std::vector<suspicious_character> suspicious;  ///< Empty for what is approved: then nobody looked.
  pin_verdict verdict = pin_verdict::block;

  /// errc::tool_blocked, with what is the matter: for calls of a blocked tool, and for whoever is told.
  [[nodiscard]] error to_error() const;
};

/// What to do with definitions that are not approved. Regular.
class pin_policy {
 public:
  /// Trust on first use: unknown tools are allowed, changed ones blocked, ones with suspicious characters warned of.
  pin_policy() {}
  /// For tools of which nothing was approved. A tool that comes back under another name is unknown.
  pin_policy& unknown(pin_verdict v) { return unknown_ = v, *this; }
  /// For tools that are not what was approved.
  pin_policy& changed(pin_verdict v) { return changed_ = v, *this; }
  /// At least this for what is not approved and has suspicious characters.
  pin_policy& suspicious(pin_verdict v) { return suspicious_ = v, *this; }
  /// Asked instead, for each definition that is not approved; `verdict` of the finding is what the other settings say.
  /// Called while the list is taken over, so it decides at once; to ask a user, block and call approve() later. If it
  /// throws, the definition is blocked.
  pin_policy& decide(std::function<pin_verdict(pin_finding const&, tool const&)> f) {
    return decide_ = std::move(f), *this;
  }

  /// What becomes of `found`, an unknown or changed definition.
  [[nodiscard]] pin_verdict judge(pin_finding const& found, tool const& definition) const;

 private:
  pin_verdict unknown_ = pin_verdict::allow, changed_ = pin_verdict::block, suspicious_ = pin_verdict::warn;
  std::function<pin_verdict(pin_finding const&, tool const&)> decide_;
};

/// Pins and policy at work. Not synchronised: whoever shares it with a registry uses it on the registry's executor only.
class pin_guard {
 public:
  explicit pin_guard(tool_pins pins = tool_pins(), pin_policy policy = pin_policy())
      : pins_(std::move(pins)), policy_(std::move(policy)) {}

  /// Judges one definition; an allowed one is approved by that. Takes some microseconds.
  pin_finding check(std::string_view server, tool const& definition);
  /// Approves exactly what a finding was about, though the server may offer something else by now. The registry's next
  /// refresh lets it in.
  void approve(pin_finding const& found);
  /// What was approved counts no more, from the registry's next refresh on.
  bool forget(std::string_view server, std::string_view tool_name);
  bool forget(std::string_view server);

  [[nodiscard]] tool_pins const& pins() const noexcept { return pins_; }
  /// Whether the pins differ from those at the start, or at the last call of saved(): time to write the lock file.
  [[nodiscard]] bool unsaved() const noexcept { return unsaved_; }
  void saved() noexcept { unsaved_ = false; }

 private:
  tool_pins pins_;
  pin_policy policy_;
  bool unsaved_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/pinning/impl/guard.ipp>
#endif
