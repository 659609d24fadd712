// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which era, which version: decides what to send next until a connection is ready or has failed. Sending,
// timing and decoding are the caller's. Specification: 2026-07-28, basic/versioning and basic/transports/stdio.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <comcp/error.hpp>
#include <comcp/json/value.hpp>
#include <comcp/protocol/lifecycle.hpp>

namespace comcp {

/// What a connection learned about its server's era; may be kept and given to connect_options::prior().
struct era_verdict {
  era_verdict() = default;
  comcp::era era = comcp::era::legacy;
  std::vector<protocol_version> versions;               ///< Modern: those that the server supports.
  std::chrono::system_clock::time_point date{};         ///< When it was learned; legacy ones expire.
  std::string authorization;                            ///< The context that it was learned in.
  std::optional<discover_result> discovered;            ///< Modern: what server/discover said.
};

namespace sansio {

inline constexpr auto all_versions = supported_versions();

enum class handshake_mode { automatic, legacy, pinned };

struct handshake_options {
  handshake_options() = default;
  handshake_mode mode = handshake_mode::automatic;
  std::vector<protocol_version> allowed{std::begin(all_versions), std::end(all_versions)};
  std::optional<era_verdict> prior;
  std::chrono::hours legacy_verdict_age{24};  ///< A saved legacy verdict older than this is not believed.
  bool over_http = false;  ///< Then the status of an answer counts, and silence is no verdict.
};

/// What to do next.
struct handshake_step {
  enum class action {
    wait,             ///< Nothing; an answer is still to come.
    discover,         ///< Send server/discover in `version`.
    initialize,       ///< Send initialize in `version`. The probe, if one was sent, stays live.
    reopen,           ///< Open the transport anew, then ask reopened().
    ready,            ///< Done: `version` holds. In the legacy era notifications/initialized goes out first.
    fail,             ///< Over: `why`.
  };
  action what = action::wait;
  std::optional<protocol_version> version;
  error why;
};

/// One handshake. Feed it what happened; each event returns the next step.
class handshake {
 public:
  handshake(handshake_options options, std::chrono::system_clock::time_point now);

  handshake_step start();
  /// An answer to server/discover: the versions that it names.
  handshake_step discovered(std::vector<std::string> const& versions);
  handshake_step discover_failed(error const& e);
  /// Silence past the probe timeout. Where there is no other era to try, the caller's handshake timeout ends it.
  handshake_step probe_timed_out();
  /// An answer to initialize: its protocolVersion, empty when missing.
  handshake_step initialized(std::string const& version);
  handshake_step initialize_failed(error const& e);
  /// The channel closed before an end was reached.
  handshake_step closed(error const& reason);
  handshake_step reopened();

  /// Whether the verdict came from `prior` and nothing was asked.
  [[nodiscard]] bool from_prior() const noexcept { return from_prior_; }

 private:
  enum class state { idle, probing, initializing, reopening, done };

  handshake_step discover(protocol_version v);
  handshake_step initialize();
  handshake_step ready(protocol_version v);
  handshake_step fail(error e);
  handshake_step modern(std::vector<std::string> const& offered, bool answered);
  handshake_step no_common(std::vector<std::string> const& offered);
  [[nodiscard]] std::optional<protocol_version> newest(era e) const;
  [[nodiscard]] std::optional<protocol_version> common(std::vector<std::string> const& offered, era e) const;

  handshake_options options_;
  std::chrono::system_clock::time_point now_;
  state state_ = state::idle;
  std::optional<error> refused_;  // how the server answered server/discover, before initialize was tried
  bool probed_ = false;       // a probe was sent on this channel
  bool reprobed_ = false;     // one -32022 was followed
  bool turned_ = false;       // an initialize error turned the verdict round
  bool reopened_ = false;
  bool from_prior_ = false;
};

/// The versions that a modern error names, when `e` is one that only a modern server sends; nothing else counts as
/// modern. Empty but present: modern, without a list.
std::optional<std::vector<std::string>> modern_versions(error const& e);

/// Whether an HTTP server of the legacy era may have answered a modern request so: a 4xx that is not about credentials,
/// time or load, or an error in a success; nothing that modern_versions() knows.
bool is_legacy_refusal(error const& e);

/// The text of an errc::no_common_version, which names both lists.
std::string no_common_text(std::vector<std::string> const& offered, std::vector<protocol_version> const& allowed);

}  // namespace sansio
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/sansio/impl/handshake.ipp>
#endif
