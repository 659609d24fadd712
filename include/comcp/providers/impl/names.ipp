// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include <comcp/hash/sha256.hpp>
#include <comcp/providers/names.hpp>

namespace comcp::providers {
namespace detail {

inline constexpr std::size_t hash_size = 16;  // Base32 digits, five bits each
inline constexpr std::string_view hash_mark = "--", between = "__", base32 = "abcdefghijklmnopqrstuvwxyz234567";

inline bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_safe(char c) noexcept { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

inline bool looks_hashed(std::string_view name) noexcept {
  if (name.size() < hash_mark.size() + hash_size) return false;
  auto const end = name.substr(name.size() - hash_size - hash_mark.size());
  return end.starts_with(hash_mark) && end.find_first_not_of(base32, hash_mark.size()) == std::string_view::npos;
}

// Whether `plain`, which was put together from these, can have come from no other pair: its first "__" is the border.
inline bool is_unambiguous(std::string_view server, std::string_view tool, std::string_view plain) noexcept {
  if (tool.empty() || looks_hashed(plain)) return false;
  if (server.empty()) return tool.find(between) == std::string_view::npos;
  return server.find(between) == std::string_view::npos && !server.ends_with('_');
}

COMCP_DECL std::string hash_of(std::string_view server, std::string_view tool) {
  auto const border = std::to_string(server.size()) + ':';
  auto const digest = sha256_hasher().update(border).update(server).update(tool).digest();
  std::string out;
  for (std::size_t bit = 0; bit < 5 * hash_size; bit += 5) {
    unsigned const two = unsigned{digest[bit / 8]} << 8 | digest[bit / 8 + 1];
    out += base32[two >> (11 - bit % 8) & 31];
  }
  return out;
}

// What is safe of a name; a run of anything else becomes one underscore.
COMCP_DECL std::string sanitised(std::string_view name) {
  std::string out;
  bool replaced = false;
  for (char const c : name) {
    bool const safe = is_safe(c);
    if (safe || !replaced) out += safe ? c : '_';
    replaced = !safe;
  }
  return out;
}

COMCP_DECL std::string hashed_name(std::string_view server, std::string_view tool) {
  constexpr auto room = longest_name - hash_size - hash_mark.size();
  constexpr std::size_t least_of_server = 16;
  auto left = sanitised(server), right = sanitised(tool);
  std::string out;
  if (!left.empty()) {
    auto const taken = between.size() + right.size();
    out = left.substr(0, std::max(room - std::min(taken, room), least_of_server)).append(between);
  }
  out += right;
  if (!out.empty() && !is_letter(out[0]) && out[0] != '_') out.insert(out.begin(), '_');
  out.resize(std::min(out.size(), room));
  if (out.empty()) out = "_";
  return out.append(hash_mark).append(hash_of(server, tool));
}

}  // namespace detail

COMCP_DECL bool is_safe_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= longest_name && (detail::is_letter(name[0]) || name[0] == '_') &&
         std::all_of(name.begin(), name.end(), detail::is_safe);
}

COMCP_DECL std::string provider_name(std::string_view server, std::string_view tool) {
  std::string plain(server);
  if (!server.empty()) plain += detail::between;
  plain += tool;
  if (is_safe_name(plain) && detail::is_unambiguous(server, tool, plain)) return plain;
  return detail::hashed_name(server, tool);
}

COMCP_DECL std::string const& tool_names::add(std::string_view server, std::string_view tool) {
  tool_origin from{std::string(server), std::string(tool)};
  auto const [at, is_new] = names_.try_emplace(provider_name(server, tool), from);
  if (!is_new && from < at->second) at->second = std::move(from);
  return at->first;
}

COMCP_DECL void tool_names::remove(std::string_view server) {
  std::erase_if(names_, [&](auto const& entry) { return entry.second.server == server; });
}

COMCP_DECL result<tool_origin> tool_names::origin(std::string_view name) const {
  auto const at = names_.find(name);
  if (at == names_.end())
    return error(errc::unknown_tool, "the model asked for \"" + std::string(name.substr(0, 2 * longest_name)) + "\"");
  return at->second;
}

}  // namespace comcp::providers
