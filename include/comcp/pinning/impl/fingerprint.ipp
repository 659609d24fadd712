// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/hash/sha256.hpp>
#include <comcp/json/build.hpp>
#include <comcp/json/canonical.hpp>
#include <comcp/pinning/fingerprint.hpp>

namespace comcp {
namespace detail {

inline constexpr std::string_view fingerprint_scheme = "sha256:";

COMCP_DECL json::value pinned_part(tool const& definition) {
  auto const whole = json::to_value(definition);
  if (!whole.contains("_meta")) return whole;
  json::object covered;
  for (auto const [key, value] : whole.members()) {
    if (key != "_meta") covered.set(key, value);
  }
  return json::to_value(covered);
}

}  // namespace detail

COMCP_DECL std::string fingerprint(tool const& definition) {
  auto const covered = detail::pinned_part(definition);
  return std::string(detail::fingerprint_scheme) + to_hex(sha256(json::canonical(covered)));
}

COMCP_DECL bool is_fingerprint(std::string_view text) noexcept {
  if (!text.starts_with(detail::fingerprint_scheme)) return false;
  text.remove_prefix(detail::fingerprint_scheme.size());
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace comcp
