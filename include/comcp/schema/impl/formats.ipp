// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <comcp/schema/formats.hpp>
#include <comcp/schema/impl/uri_reference.ipp>
#include <comcp/schema/pattern.hpp>

namespace comcp {
namespace schema_detail {

// Formats whose grammar is regular share the bounded matcher; false when the steps are used up.
inline bool fits(pattern const& p, std::string_view text, std::uint64_t& steps) {
  return p.search(text, steps).value_or(false);
}
inline pattern shape(std::string_view text) { return pattern::compile(text).value(); }

/// Decimal digits at `at`, exactly `n` of them; moves behind them.
inline std::optional<int> digits(std::string_view s, std::size_t& at, std::size_t n) noexcept {
  if (at + n > s.size()) return {};
  int value = 0;
  for (auto const end = at + n; at < end; ++at) {
    if (s[at] < '0' || s[at] > '9') return {};
    value = value * 10 + (s[at] - '0');
  }
  return value;
}

COMCP_DECL bool is_date(std::string_view s) noexcept {
  if (s.size() != 10 || s[4] != '-' || s[7] != '-') return false;
  std::size_t y = 0, m = 5, d = 8;
  auto const year = digits(s, y, 4);
  auto const month = digits(s, m, 2);
  auto const day = digits(s, d, 2);
  if (!year || !month || !day || *month < 1 || *month > 12 || *day < 1) return false;
  bool const leap = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0);
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return *day <= days[*month - 1] + (leap && *month == 2 ? 1 : 0);
}

COMCP_DECL bool is_time(std::string_view s) noexcept {
  std::size_t at = 0;
  auto const clock = [&](int& hour, int& minute) {
    auto const h = digits(s, at, 2);
    if (!h || at >= s.size() || s[at] != ':') return false;
    auto const m = digits(s, ++at, 2);
    if (!m || *h > 23 || *m > 59) return false;
    hour = *h;
    minute = *m;
    return true;
  };
  int hour = 0, minute = 0, away_hour = 0, away_minute = 0;
  if (!clock(hour, minute) || at >= s.size() || s[at] != ':') return false;
  auto const second = digits(s, ++at, 2);
  if (!second || *second > 60) return false;
  if (at < s.size() && s[at] == '.') {
    auto const end = std::min(s.find_first_not_of("0123456789", at + 1), s.size());
    if (end == at + 1) return false;
    at = end;
  }
  if (at >= s.size()) return false;
  char const zone = s[at++];
  if (zone == '+' || zone == '-') {
    if (!clock(away_hour, away_minute)) return false;
  } else if (zone != 'Z' && zone != 'z') {
    return false;
  }
  if (at != s.size()) return false;
  int const away = (away_hour * 60 + away_minute) * (zone == '-' ? -1 : 1);
  return *second < 60 || (hour * 60 + minute - away + 2880) % 1440 == 1439;  // a leap second ends a UTC day
}

inline bool is_date_time(std::string_view s) noexcept {
  return s.size() > 11 && (s[10] == 'T' || s[10] == 't') && is_date(s.substr(0, 10)) && is_time(s.substr(11));
}

COMCP_DECL bool is_ipv4(std::string_view s) noexcept {
  for (int part = 0; part < 4; ++part) {
    auto const end = part < 3 ? s.find('.') : s.size();
    if (end == s.npos || end == 0 || end > 3 || (end > 1 && s[0] == '0')) return false;
    std::size_t at = 0;
    auto const n = digits(s, at, end);
    if (!n || *n > 255) return false;
    s.remove_prefix(std::min(end + 1, s.size()));
  }
  return s.empty();
}

COMCP_DECL bool is_ipv6(std::string_view s) noexcept {
  int groups = 0;
  bool gap = false;
  if (s.starts_with(':') && !s.starts_with("::")) return false;
  while (!s.empty()) {
    if (s.starts_with("::")) {
      if (gap) return false;
      gap = true;
      s.remove_prefix(2);
      continue;
    }
    auto const end = std::min(s.find(':'), s.size());
    if (end == s.size() && s.find('.') != s.npos) {
      if (!is_ipv4(s)) return false;
      groups += 2;
      break;
    }
    if (end == 0 || end > 4 || s.substr(0, end).find_first_not_of("0123456789abcdefABCDEF") != s.npos) return false;
    ++groups;
    s.remove_prefix(end);
    if (s == ":") return false;
    if (s.starts_with(':') && !s.starts_with("::")) s.remove_prefix(1);
  }
  return gap ? groups < 8 : groups == 8;
}

COMCP_DECL bool is_hostname(std::string_view s, bool international, std::uint64_t& steps) {
  static pattern const ascii =
      shape("^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$");
  static pattern const any = [] {  // four characters are dots
    std::string const letters = "a-zA-Z0-9\\u0080-\\u3001\\u3003-\\uff0d\\uff0f-\\uff60\\uff62-\\u{10FFFF}";
    auto const label = "[" + letters + "]([" + letters + "-]{0,61}[" + letters + "])?";
    return shape("^" + label + "([.\\u3002\\uff0e\\uff61]" + label + ")*$");
  }();
  return s.size() <= 253 && fits(international ? any : ascii, s, steps);
}

COMCP_DECL bool is_email(std::string_view s, bool international, std::uint64_t& steps) {
  static auto const local_part = [](std::string const& more) {
    auto const atom = "[\\w!#$%&'*+/=?^`{|}~" + more + "-]+";
    return shape("^(" + atom + "(\\." + atom + ")*|\"([\\x20\\x21\\x23-\\x5b\\x5d-\\x7e" + more +
                 "]|\\\\[\\x20-\\x7e])*\")$");
  };
  static pattern const ascii = local_part("");
  static pattern const any = local_part("\\u0080-\\u{10FFFF}");
  auto const at = s.rfind('@');
  if (at == s.npos || !fits(international ? any : ascii, s.substr(0, at), steps)) return false;
  auto host = s.substr(at + 1);
  if (!host.starts_with('[') || !host.ends_with(']')) return is_hostname(host, international, steps);
  host = host.substr(1, host.size() - 2);
  return host.starts_with("IPv6:") ? is_ipv6(host.substr(5)) : is_ipv4(host);
}

/// Only unreserved characters, percent triplets and those of `extra`; beyond ASCII only if `international`.
COMCP_DECL bool is_uri_text(std::string_view s, std::string_view extra, bool international) noexcept {
  constexpr std::string_view hex = "0123456789abcdefABCDEF";
  for (std::size_t i = 0; i < s.size(); ++i) {
    char const c = s[i];
    bool const plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~!$&'()*+,;=").find(c) != s.npos || extra.find(c) != s.npos;
    if (plain || (international && static_cast<unsigned char>(c) >= 0x80)) continue;
    if (c != '%' || i + 2 >= s.size() || hex.find(s[i + 1]) == hex.npos || hex.find(s[i + 2]) == hex.npos) return false;
    i += 2;
  }
  return true;
}

inline bool is_future_ip(std::string_view s, std::uint64_t& steps) {
  static pattern const p = shape("^[vV][0-9a-fA-F]+\\.[\\w.~!$&'()*+,;=:-]+$");
  return fits(p, s, steps);
}

COMCP_DECL bool is_authority(std::string_view s, bool international, std::uint64_t& steps) {
  if (auto const at = s.rfind('@'); at != s.npos) {
    if (!is_uri_text(s.substr(0, at), ":", international)) return false;
    s.remove_prefix(at + 1);
  }
  auto const host_end = s.starts_with('[') ? s.find(']') : std::min(s.find(':'), s.size());
  if (host_end == s.npos) return false;
  auto port = s.substr(host_end + (s.starts_with('[') ? 1 : 0));
  auto const host = s.substr(0, host_end);
  if (host.starts_with('[') ? !is_ipv6(host.substr(1)) && !is_future_ip(host.substr(1), steps)
                            : !is_uri_text(host, "", international))
    return false;
  return port.empty() || (port[0] == ':' && port.find_first_not_of("0123456789", 1) == port.npos);
}

COMCP_DECL bool is_uri(std::string_view s, bool absolute, bool international, std::uint64_t& steps) {
  auto const u = split_uri(s);
  if (absolute && !u.scheme) return false;
  if (u.scheme) {
    auto const letter = (*u.scheme)[0] | 0x20;
    constexpr std::string_view allowed = "0123456789+-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (letter < 'a' || letter > 'z' || u.scheme->find_first_not_of(allowed) != s.npos) return false;
  } else if (!u.authority && u.path.substr(0, u.path.find('/')).find(':') != s.npos) {
    return false;
  }
  return (!u.authority || is_authority(*u.authority, international, steps)) &&
         is_uri_text(u.path, ":@/", international) &&
         (!u.query || is_uri_text(*u.query, ":@/?", international)) &&
         (!u.fragment || is_uri_text(*u.fragment, ":@/?", international));
}

inline bool is_duration(std::string_view s, std::uint64_t& steps) {
  static pattern const p = shape(
      "^P(?!$)(\\d+W|(\\d+Y(\\d+M(\\d+D)?)?|\\d+M(\\d+D)?|\\d+D)?"
      "(T(\\d+H(\\d+M(\\d+S)?)?|\\d+M(\\d+S)?|\\d+S))?)$");
  return fits(p, s, steps);
}
inline bool is_uuid(std::string_view s, std::uint64_t& steps) {
  static pattern const p = shape("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$");
  return fits(p, s, steps);
}
inline bool is_pointer(std::string_view s, std::uint64_t& steps) {
  static pattern const p = shape("^(/([^~/]|~[01])*)*$");
  return fits(p, s, steps);
}
inline bool is_relative_pointer(std::string_view s, std::uint64_t& steps) {
  static pattern const p = shape("^(0|[1-9]\\d*)(#|(/([^~/]|~[01])*)*)$");
  return fits(p, s, steps);
}
inline bool is_template(std::string_view s, std::uint64_t& steps) {
  static pattern const p = [] {
    std::string const triplet = "%[0-9A-Fa-f]{2}";
    auto const character = "(\\w|" + triplet + ")";
    auto const variable = character + "(\\.?" + character + ")*(:[1-9]\\d{0,3}|\\*)?";
    return shape("^([^\\x00-\\x20\"<>%\\\\^`{|}\\x7f]|" + triplet + "|\\{[+#./;?&=,!@|]?" + variable + "(," + variable +
                 ")*\\})*$");
  }();
  return fits(p, s, steps);
}

struct format {
  std::string_view name;
  bool (*check)(std::string_view, std::uint64_t& steps);
};
inline constexpr format formats[] = {
    {"date-time", [](std::string_view s, std::uint64_t&) { return is_date_time(s); }},
    {"date", [](std::string_view s, std::uint64_t&) { return is_date(s); }},
    {"time", [](std::string_view s, std::uint64_t&) { return is_time(s); }},
    {"duration", [](std::string_view s, std::uint64_t& n) { return is_duration(s, n); }},
    {"email", [](std::string_view s, std::uint64_t& n) { return is_email(s, false, n); }},
    {"idn-email", [](std::string_view s, std::uint64_t& n) { return is_email(s, true, n); }},
    {"hostname", [](std::string_view s, std::uint64_t& n) { return is_hostname(s, false, n); }},
    {"idn-hostname", [](std::string_view s, std::uint64_t& n) { return is_hostname(s, true, n); }},
    {"ipv4", [](std::string_view s, std::uint64_t&) { return is_ipv4(s); }},
    {"ipv6", [](std::string_view s, std::uint64_t&) { return is_ipv6(s); }},
    {"uri", [](std::string_view s, std::uint64_t& n) { return is_uri(s, true, false, n); }},
    {"uri-reference", [](std::string_view s, std::uint64_t& n) { return is_uri(s, false, false, n); }},
    {"iri", [](std::string_view s, std::uint64_t& n) { return is_uri(s, true, true, n); }},
    {"iri-reference", [](std::string_view s, std::uint64_t& n) { return is_uri(s, false, true, n); }},
    {"uuid", [](std::string_view s, std::uint64_t& n) { return is_uuid(s, n); }},
    {"uri-template", [](std::string_view s, std::uint64_t& n) { return is_template(s, n); }},
    {"json-pointer", [](std::string_view s, std::uint64_t& n) { return is_pointer(s, n); }},
    {"relative-json-pointer", [](std::string_view s, std::uint64_t& n) { return is_relative_pointer(s, n); }},
    {"regex", [](std::string_view s, std::uint64_t& n) { return pattern::compile(s, n).has_value(); }},
};

inline format const* find_format(std::string_view name) noexcept {
  auto const found =
      std::find_if(std::begin(formats), std::end(formats), [name](auto const& f) { return f.name == name; });
  return found == std::end(formats) ? nullptr : found;
}

COMCP_DECL bool is_format(std::string_view name, std::string_view text, std::uint64_t& steps) {
  auto const* known = find_format(name);
  return !known || (pay(steps, 1 + text.size()) && known->check(text, steps));
}

}  // namespace schema_detail

COMCP_DECL bool is_known_format(std::string_view name) noexcept { return schema_detail::find_format(name) != nullptr; }

COMCP_DECL bool is_format(std::string_view name, std::string_view text) {
  std::uint64_t steps = 2'000'000 + 200 * text.size();
  return schema_detail::is_format(name, text, steps);
}

}  // namespace comcp
