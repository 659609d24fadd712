// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Progress of a request and its cancelling. Spec: basic/utilities (legacy), 2026-07-28 basic/patterns.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <comcp/protocol/codec.hpp>
#include <comcp/protocol/peer_id.hpp>

namespace comcp {

/// notifications/progress.
struct progress_notification {
  progress_notification() = default;

  comcp::progress_token progress_token;
  double progress = 0;
  std::optional<double> total;
  std::optional<std::string> message;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<progress_notification>) {
  using t = progress_notification;
  return json::fields(json::field("progressToken", &t::progress_token), json::field("progress", &t::progress),
                      json::field("total", &t::total), json::field("message", &t::message), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

/// notifications/cancelled, either way. 2025-11-25 allows it without id, for tasks.
struct cancelled {
  cancelled() = default;
  explicit cancelled(peer_id id, std::optional<std::string> why = {})
      : request_id(std::move(id)), reason(std::move(why)) {}

  std::optional<peer_id> request_id;
  std::optional<std::string> reason;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<cancelled>) {
  using t = cancelled;
  return json::fields(json::field("requestId", &t::request_id), json::field("reason", &t::reason),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp
