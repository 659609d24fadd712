// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of a server's era from one handshake to the next, here and in a shared era_cache. Internal.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <comcp/client/channel.hpp>
#include <comcp/client/era_cache.hpp>
#include <comcp/client/options.hpp>

namespace comcp::detail {

class era_memory {
 public:
  /// What it finds is the settings' prior verdict.
  era_memory(connect_settings& settings, channel const& about) noexcept : settings_(settings), channel_(about) {}

  void recall() {
    if (settings_.eras && !prior()) prior() = settings_.eras->find(key());
  }
  void remember(era_verdict learned) {
    if (!settings_.eras) return;
    learned.authorization = channel_.info().identity;
    settings_.eras->store(key(), std::move(learned));
  }
  void forget() {
    prior().reset();
    if (settings_.eras) settings_.eras->forget(key());
  }
  /// The verdict that the next handshake begins with. Returns the one before.
  std::optional<era_verdict> exchange(std::optional<era_verdict> v) { return std::exchange(prior(), std::move(v)); }

 private:
  std::optional<era_verdict>& prior() noexcept { return settings_.handshake.prior; }
  [[nodiscard]] std::string key() const {
    auto const info = channel_.info();
    return info.origin.empty() ? info.kind + ' ' + info.target : info.origin + ' ' + info.identity;
  }

  connect_settings& settings_;
  channel const& channel_;
};

}  // namespace comcp::detail
