// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include <comcp/protocol/meta.hpp>
#include <comcp/trace/propagation.hpp>

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
  if (key == meta_key::traceparent) is_sound = [](std::string_view t) { return trace_parent::parse(t).has_value(); };
  if (key == meta_key::tracestate) is_sound = [](std::string_view t) { return parse_tracestate(t).has_value(); };
  if (key == meta_key::baggage) is_sound = [](std::string_view t) { return parse_baggage(t).has_value(); };
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
