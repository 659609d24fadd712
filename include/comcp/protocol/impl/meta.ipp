// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include <comcp/protocol/meta.hpp>

namespace comcp {
namespace detail {

inline bool is_meta_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_meta_alnum(char c) noexcept { return is_meta_letter(c) || (c >= '0' && c <= '9'); }

COMCP_DECL bool is_meta_label(std::string_view label) noexcept {
  if (label.empty() || !is_meta_letter(label.front()) || !is_meta_alnum(label.back())) return false;
  for (char const c : label) {
    if (!is_meta_alnum(c) && c != '-') return false;
  }
  return true;
}

COMCP_DECL bool is_meta_name(std::string_view name) noexcept {
  if (name.empty()) return true;
  if (!is_meta_alnum(name.front()) || !is_meta_alnum(name.back())) return false;
  for (char const c : name) {
    if (!is_meta_alnum(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

// The pieces of a list, without the blanks around them. False as soon as `f` says it of one.
template <class F>
bool each_piece(std::string_view text, char separator, F f) {
  for (;;) {
    auto const end = text.find(separator);
    auto piece = text.substr(0, end);
    while (piece.starts_with(' ') || piece.starts_with('\t')) piece.remove_prefix(1);
    while (piece.ends_with(' ') || piece.ends_with('\t')) piece.remove_suffix(1);
    if (!f(piece)) return false;
    if (end == text.npos) return true;
    text.remove_prefix(end + 1);
  }
}

inline bool is_lower_hex(std::string_view text) noexcept {
  return text.find_first_not_of("0123456789abcdef") == text.npos;
}

// W3C Trace Context, section 3.2: version-traceid-parentid-flags; what a later version adds follows a '-'.
COMCP_DECL bool is_traceparent(std::string_view t) noexcept {
  if (t.size() < 55 || t[2] != '-' || t[35] != '-' || t[52] != '-') return false;
  auto const version = t.substr(0, 2), trace = t.substr(3, 32), parent = t.substr(36, 16);
  if (!is_lower_hex(version) || !is_lower_hex(trace) || !is_lower_hex(parent) || !is_lower_hex(t.substr(53, 2))) return false;
  if (version == "ff" || trace.find_first_not_of('0') == t.npos || parent.find_first_not_of('0') == t.npos) return false;
  if (version == "00" || t.size() == 55) return t.size() == 55;
  return t[55] == '-' && std::all_of(t.begin(), t.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

// Section 3.3: at most 32 pairs, any of which may be empty.
COMCP_DECL bool is_tracestate(std::string_view text) {
  std::size_t members = 0;
  return each_piece(text, ',', [&members](std::string_view m) {
    if (m.empty()) return true;
    auto const equals = m.find('=');
    if (++members > 32 || equals == m.npos || equals == 0 || equals > 256 || m.size() - equals - 1 > 256) return false;
    auto const key = m.substr(0, equals), value = m.substr(equals + 1);
    bool const first = (key[0] >= 'a' && key[0] <= 'z') || (key[0] >= '0' && key[0] <= '9');
    return first && !value.empty() && std::count(key.begin(), key.end(), '@') <= 1 &&
           key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-*/@") == key.npos &&
           std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7F && c != '='; });
  });
}

// W3C Baggage, section 3.3: key=value;property;property=value, ... Other characters are percent-encoded.
COMCP_DECL bool is_baggage(std::string_view text) {
  constexpr auto is_pair = [](std::string_view pair, bool needs_value) {
    auto const equals = pair.find('=');
    bool const sound = each_piece(pair.substr(0, equals), '=', [](std::string_view key) {
      return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return is_meta_alnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
      });
    });
    if (equals == pair.npos) return sound && !needs_value;
    auto value = pair.substr(equals + 1);
    while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
    return sound && std::all_of(value.begin(), value.end(), [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\\'; });
  };
  if (text.size() > 8192) return false;
  return each_piece(text, ',', [&is_pair](std::string_view member) {
    bool first = true;
    return each_piece(member, ';', [&](std::string_view pair) { return is_pair(pair, std::exchange(first, false)); });
  });
}

COMCP_DECL error meta_refusal(std::string_view key, char const* why) {
  return {errc::invalid_argument, "the _meta key \"" + std::string(key) + "\" " + why};
}

}  // namespace detail

COMCP_DECL result<void> check_meta_key(std::string_view key) {
  static constexpr std::array own{meta_key::protocol_version, meta_key::client_info, meta_key::client_capabilities,
                                  meta_key::log_level};
  if (key == meta_key::progress_token) return detail::meta_refusal(key, "is set by comcp: ask for progress instead");
  if (std::find(own.begin(), own.end(), key) != own.end()) return detail::meta_refusal(key, "is set by comcp");
  auto const slash = key.find('/');
  auto const name = slash == key.npos ? key : key.substr(slash + 1);
  if (!detail::is_meta_name(name))
    return detail::meta_refusal(key, "has a bad name: letters, digits, '-', '_' and '.', alphanumeric at both ends");
  if (slash == key.npos) return {};
  auto prefix = key.substr(0, slash);
  for (;;) {
    auto const dot = prefix.find('.');
    auto const text = prefix.substr(0, dot);
    if (!detail::is_meta_label(text))
      return detail::meta_refusal(key, "has a bad prefix: labels of letters, digits and '-', dots between them");
    if (dot == prefix.npos) return {};
    prefix.remove_prefix(dot + 1);
  }
}

COMCP_DECL result<void> check_meta(std::string_view key, json::view value) {
  if (auto ok = check_meta_key(key); !ok) return ok;
  bool (*is_sound)(std::string_view) = nullptr;
  if (key == meta_key::traceparent) is_sound = detail::is_traceparent;
  if (key == meta_key::tracestate) is_sound = detail::is_tracestate;
  if (key == meta_key::baggage) is_sound = detail::is_baggage;
  auto const text = is_sound ? value.get_string() : std::nullopt;
  if (!is_sound || (text && is_sound(*text))) return {};
  return detail::meta_refusal(key, "is not the text that W3C specifies for it");
}

COMCP_DECL result<void> check_meta(std::string_view key, std::string_view json_text) {
  auto const value = json::parse(json_text);
  return value ? check_meta(key, value->view()) : value.error();
}

COMCP_DECL result<void> check_user_meta(json::view meta) {
  if (meta.is_null()) return {};
  if (!meta.is_object()) return error(errc::invalid_argument, "_meta must be an object");
  for (auto const m : meta.members()) {
    auto ok = check_meta(m.key, m.value);
    if (!ok) return ok;
  }
  return {};
}

COMCP_DECL std::optional<implementation> server_info_of(json::view meta) {
  auto const found = meta.find(meta_key::server_info);
  if (!found) return {};
  auto info = json::read<implementation>(*found);
  return info ? std::optional(*std::move(info)) : std::nullopt;
}

COMCP_DECL std::optional<peer_id> subscription_id_of(json::view meta) {
  auto const found = meta.find(meta_key::subscription_id);
  if (!found) return {};
  auto id = json::read<peer_id>(*found);
  return id ? std::optional(*std::move(id)) : std::nullopt;
}

}  // namespace comcp
