// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Log messages of the server. Spec: server/utilities/logging.
#pragma once

#include <optional>
#include <string>

#include <comcp/protocol/codec.hpp>

namespace comcp {

/// Severities of RFC 5424, least severe first, so that `level >= log_level::warning` reads as it should.
enum class log_level { debug, info, notice, warning, error, critical, alert, emergency };
constexpr auto texts(std::type_identity<log_level>) {
  return std::array<std::string_view, 8>{"debug", "info",     "notice", "warning",
                                         "error", "critical", "alert",  "emergency"};
}

/// The parameters of logging/setLevel (legacy).
struct set_level_params {
  set_level_params() = default;
  explicit set_level_params(log_level least) : level(least) {}

  log_level level = log_level::info;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<set_level_params>) {
  using t = set_level_params;
  return json::fields(json::field("level", &t::level), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// notifications/message.
struct logging_message {
  logging_message() = default;

  log_level level = log_level::info;
  std::optional<std::string> logger;
  json::value data;  ///< Anything; most often a string.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<logging_message>) {
  using t = logging_message;
  return json::fields(json::field("level", &t::level), json::field("logger", &t::logger), json::field("data", &t::data),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp
