// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What connections learned about the eras of their servers, for those that come after them.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <comcp/sansio/handshake.hpp>

namespace comcp {

/// Verdicts by server (origin or command line) and by whose credentials they were learned with. Give one to several
/// connections by connect_options().remember_eras(). Safe from any thread. A verdict that proves wrong is replaced; one
/// for the legacy era is believed for 24 hours. It holds one entry for each server, without a bound of its own.
class era_cache {
 public:
  [[nodiscard]] std::optional<era_verdict> find(std::string const& server) const {
    std::scoped_lock const lock(mutex_);
    auto const found = verdicts_.find(server);
    return found == verdicts_.end() ? std::nullopt : std::optional(found->second);
  }
  void store(std::string const& server, era_verdict verdict) {
    std::scoped_lock const lock(mutex_);
    verdicts_.insert_or_assign(server, std::move(verdict));
  }
  void forget(std::string const& server) {
    std::scoped_lock const lock(mutex_);
    verdicts_.erase(server);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, era_verdict> verdicts_;
};

}  // namespace comcp
