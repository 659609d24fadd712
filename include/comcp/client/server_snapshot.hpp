// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of a server at one moment, published for any thread. Internal.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <comcp/protocol/lifecycle.hpp>
#include <comcp/sansio/handshake.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp::detail {

/// What the server said of itself.
struct server_profile {
  implementation info;
  server_capabilities capabilities;
  std::string instructions;
};

struct server_snapshot : server_profile {
  std::optional<protocol_version> version;
  era_verdict verdict;
  std::optional<saved_session> session;
};

/// The newest one. Written on home, read anywhere.
class published_server {
 public:
  [[nodiscard]] std::shared_ptr<server_snapshot const> get() const {
    std::lock_guard const lock(mutex_);
    return newest_;
  }
  void set(std::shared_ptr<server_snapshot const> s) noexcept {
    std::lock_guard const lock(mutex_);
    newest_.swap(s);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<server_snapshot const> newest_ = std::make_shared<server_snapshot const>();
};

}  // namespace comcp::detail
