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

inline json::object without_meta(json::view whole) {
  json::object covered;
  for (auto const [key, value] : whole.members()) {
    if (key != "_meta") covered.set(key, value);
  }
  return covered;
}

// What is read into members is written from them; a second member of a key is only in what came.
inline json::value pinned_part(json::value const& read, json::value const& came) {
  json::read_error doubled;
  if (!json::unique_keys(came, doubled))
    return json::to_value(json::array().add(without_meta(read)).add(without_meta(came)));
  return read.contains("_meta") ? json::to_value(without_meta(read)) : read;
}

COMCP_DECL json::value pinned_part(tool const& definition) {
  return pinned_part(json::to_value(definition), definition.raw);
}
COMCP_DECL json::value pinned_part(prompt const& definition) {
  return pinned_part(json::to_value(definition), definition.raw);
}

COMCP_DECL std::string fingerprint_of(json::view covered) {
  return std::string(fingerprint_scheme) + to_hex(sha256(json::canonical(covered)));
}

}  // namespace detail

COMCP_DECL std::string fingerprint(tool const& definition) {
  auto const covered = detail::pinned_part(definition);
  return detail::fingerprint_of(covered);
}
COMCP_DECL std::string fingerprint(prompt const& definition) {
  auto const covered = detail::pinned_part(definition);
  return detail::fingerprint_of(covered);
}

COMCP_DECL bool is_fingerprint(std::string_view text) noexcept {
  if (!text.starts_with(detail::fingerprint_scheme)) return false;
  text.remove_prefix(detail::fingerprint_scheme.size());
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace comcp
