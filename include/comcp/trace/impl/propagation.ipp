// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <comcp/trace/propagation.hpp>
#include <comcp/visible.hpp>

namespace comcp {
namespace detail {

inline constexpr std::size_t tracestate_most_members = 32, tracestate_longest = 512, tracestate_long_member = 128;
inline constexpr std::size_t baggage_most_members = 64, baggage_longest = 8192;
inline constexpr std::string_view trace_digits = "0123456789abcdef";

inline error bad_trace_text(char const* why) { return {errc::invalid_argument, why}; }

COMCP_DECL std::string_view without_trace_blanks(std::string_view text) noexcept {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// Takes the part before the next separator off `text`; the last part leaves nothing behind.
COMCP_DECL std::string_view next_trace_part(std::optional<std::string_view>& text, char separator) noexcept {
  auto const whole = *text;
  auto const end = whole.find(separator);
  if (end == whole.npos) {
    text.reset();
  } else {
    text = whole.substr(end + 1);
  }
  return whole.substr(0, end);
}

COMCP_DECL bool is_trace_id(std::string_view id, std::size_t digits) noexcept {
  return id.size() == digits && id.find_first_not_of(trace_digits) == id.npos && id.find_first_not_of('0') != id.npos;
}

COMCP_DECL bool is_tracestate_key(std::string_view key) noexcept {
  constexpr std::string_view first = "abcdefghijklmnopqrstuvwxyz0123456789";
  if (key.empty() || key.size() > 256 || first.find(key[0]) == first.npos) return false;
  return std::all_of(key.begin(), key.end(), [&first](char c) {
    return first.find(c) != first.npos || std::string_view("_-*/@").find(c) != std::string_view::npos;
  });
}

COMCP_DECL bool is_tracestate_value(std::string_view value) noexcept {
  if (value.empty() || value.size() > 256 || value.back() == ' ') return false;
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < 0x7F && c != ',' && c != '='; });
}

COMCP_DECL bool is_baggage_key(std::string_view key) noexcept {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    bool const alphanumeric = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

constexpr bool is_baggage_octet(char c) noexcept {
  return c > ' ' && c < 0x7F && c != '"' && c != ',' && c != ';' && c != '\\';
}

/// The value of a hexadecimal digit, 16 for anything else.
constexpr unsigned baggage_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  auto const lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 16;
}

COMCP_DECL std::string with_replacements(std::string const& bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (character_scan at(bytes); at.next();) out.append(at.is_utf8() ? at.bytes() : std::string_view("\xEF\xBF\xBD"));
  return out;
}

COMCP_DECL std::optional<std::string> baggage_value(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_baggage_octet(text[i])) return {};
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3) return {};
    auto const high = baggage_digit(text[i + 1]), low = baggage_digit(text[i + 2]);
    if (high > 15 || low > 15) return {};
    out += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return with_replacements(out);
}

/// "key=value" or "key" with blanks where they may be; nothing where it is neither.
COMCP_DECL std::optional<baggage_property> parse_baggage_pair(std::string_view text) {
  auto const equals = text.find('=');
  auto const key = without_trace_blanks(text.substr(0, equals));
  if (!is_baggage_key(key)) return {};
  baggage_property pair{std::string(key)};
  if (equals == text.npos) return pair;
  pair.value = baggage_value(without_trace_blanks(text.substr(equals + 1)));
  return pair.value ? std::optional(std::move(pair)) : std::nullopt;
}

COMCP_DECL std::optional<baggage_member> parse_baggage_member(std::string_view text) {
  std::optional<std::string_view> rest = text;
  auto first = parse_baggage_pair(next_trace_part(rest, ';'));
  if (!first || !first->value) return {};
  baggage_member member(std::move(first->key), *std::move(first->value));
  while (rest) {
    auto property = parse_baggage_pair(next_trace_part(rest, ';'));
    if (!property) return {};
    member.properties.push_back(*std::move(property));
  }
  return member;
}

COMCP_DECL void append_baggage_value(std::string& to, std::string_view value) {
  for (char const c : value) {
    if (is_baggage_octet(c) && c != '%') {
      to += c;
    } else {
      auto const byte = static_cast<unsigned char>(c);
      to.append(1, '%').append(1, "0123456789ABCDEF"[byte >> 4]).append(1, "0123456789ABCDEF"[byte & 15]);
    }
  }
}

/// Adds a member to a list, unless that makes the list longer than it may be.
COMCP_DECL bool append_baggage_member(std::string& list, std::size_t& count, std::string_view member) {
  if (count == baggage_most_members || list.size() + (count ? 1 : 0) + member.size() > baggage_longest) return false;
  if (count++) list += ',';
  list += member;
  return true;
}

/// The text as it came, or as many whole members of it as there may be; "" where one that is kept is malformed.
COMCP_DECL std::string well_formed_baggage(std::string_view text) {
  std::string out;
  std::size_t count = 0;
  for (std::optional<std::string_view> rest = text; rest;) {
    auto const member = without_trace_blanks(next_trace_part(rest, ','));
    if (!append_baggage_member(out, count, member)) return out;
    if (!parse_baggage_member(member)) return {};
  }
  return out;
}

}  // namespace detail

COMCP_DECL result<trace_parent> trace_parent::parse(std::string_view text) {
  auto const is_hex = [](std::string_view t) { return t.find_first_not_of(detail::trace_digits) == t.npos; };
  if (text.size() < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-')
    return detail::bad_trace_text("a traceparent is version-traceid-parentid-flags, in 2, 32, 16 and 2 digits");
  auto const version = text.substr(0, 2), flags = text.substr(53, 2);
  if (!is_hex(version) || version == "ff") return detail::bad_trace_text("a traceparent has a version of 00 to fe");
  if (text.size() > 55 && (version == "00" || text[55] != '-'))
    return detail::bad_trace_text("a traceparent has something behind its flags");
  // Who passes the text on is safe from what would end a line.
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; }))
    return detail::bad_trace_text("a traceparent has a character that is not printable ASCII");
  trace_parent out(std::string(text.substr(3, 32)), std::string(text.substr(36, 16)));
  if (!out.valid() || !is_hex(flags))
    return detail::bad_trace_text("a traceparent's ids and flags are lower-case hexadecimal digits, no id is zero");
  auto const bits = detail::baggage_digit(flags[1]);
  out.sampled = (bits & 1) != 0;
  out.random = (bits & 2) != 0;
  return out;
}

COMCP_DECL bool trace_parent::valid() const noexcept {
  return detail::is_trace_id(trace_id, 32) && detail::is_trace_id(parent_id, 16);
}

COMCP_DECL std::string trace_parent::text() const {
  if (!valid()) return {};
  auto const flags = random ? (sampled ? "-03" : "-02") : (sampled ? "-01" : "-00");
  return std::string("00-").append(trace_id).append("-").append(parent_id).append(flags);
}

COMCP_DECL result<std::vector<tracestate_member>> parse_tracestate(std::string_view text) {
  std::vector<tracestate_member> members;
  std::size_t count = 0;
  for (std::optional<std::string_view> rest = text; rest;) {
    auto const part = detail::without_trace_blanks(detail::next_trace_part(rest, ','));
    if (part.empty()) continue;
    auto const equals = part.find('=');
    auto const key = part.substr(0, equals), value = part.substr(equals == part.npos ? part.size() : equals + 1);
    if (!detail::is_tracestate_key(key) || !detail::is_tracestate_value(value))
      return detail::bad_trace_text("a tracestate has a member that is no key=value");
    if (++count > detail::tracestate_most_members) return detail::bad_trace_text("a tracestate has more than 32 members");
    bool const known = std::any_of(members.begin(), members.end(), [key](auto const& m) { return m.key == key; });
    if (!known) members.emplace_back(std::string(key), std::string(value));
  }
  return members;
}

COMCP_DECL std::string tracestate_text(std::vector<tracestate_member> const& members) {
  std::vector<tracestate_member const*> kept;
  std::size_t length = 0;
  auto const length_of = [](tracestate_member const& m) { return m.key.size() + 1 + m.value.size(); };
  for (auto const& m : members) {
    bool const known = std::any_of(kept.begin(), kept.end(), [&m](auto const* k) { return k->key == m.key; });
    if (known || !detail::is_tracestate_key(m.key) || !detail::is_tracestate_value(m.value)) continue;
    if (kept.size() == detail::tracestate_most_members) break;
    length += length_of(m) + (kept.empty() ? 0 : 1);
    kept.push_back(&m);
  }
  for (auto const least : {detail::tracestate_long_member + 1, std::size_t{0}}) {
    for (auto i = kept.size(); i-- > 0 && length > detail::tracestate_longest;) {
      if (length_of(*kept[i]) < least) continue;
      length -= length_of(*kept[i]) + (kept.size() > 1 ? 1 : 0);
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::string out;
  for (auto const* m : kept) out.append(out.empty() ? "" : ",").append(m->key).append("=").append(m->value);
  return out;
}

COMCP_DECL result<std::vector<baggage_member>> parse_baggage(std::string_view text) {
  if (text.size() > detail::baggage_longest) return detail::bad_trace_text("baggage is longer than 8192 bytes");
  std::vector<baggage_member> members;
  for (std::optional<std::string_view> rest = text; rest;) {
    auto member = detail::parse_baggage_member(detail::next_trace_part(rest, ','));
    if (!member) return detail::bad_trace_text("baggage has a member that is no key=value;property");
    if (members.size() == detail::baggage_most_members) return detail::bad_trace_text("baggage has more than 64 members");
    members.push_back(*std::move(member));
  }
  return members;
}

COMCP_DECL std::string baggage_text(std::vector<baggage_member> const& members) {
  std::string out, one;
  std::size_t count = 0;
  for (auto const& m : members) {
    if (!detail::is_baggage_key(m.key)) continue;
    one.assign(m.key).append("=");
    detail::append_baggage_value(one, m.value);
    for (auto const& p : m.properties) {
      if (!detail::is_baggage_key(p.key)) continue;
      one.append(";").append(p.key);
      if (!p.value) continue;
      one += '=';
      detail::append_baggage_value(one, *p.value);
    }
    if (!detail::append_baggage_member(out, count, one)) break;
  }
  return out;
}

COMCP_DECL trace_context trace_context::of(json::view meta) {
  auto const text = [meta](std::string_view key) {
    auto const found = meta.find(key);
    return std::string(found ? found->get_string().value_or(std::string_view()) : std::string_view());
  };
  return trace_context(text("traceparent"), text("tracestate"), text("baggage"));
}

COMCP_DECL trace_context trace_context::well_formed() const {
  trace_context out;
  if (auto const parent = trace_parent::parse(traceparent)) {
    out.traceparent = parent->text();
    if (auto const state = parse_tracestate(tracestate)) out.tracestate = tracestate_text(*state);
  }
  if (!baggage.empty()) out.baggage = detail::well_formed_baggage(baggage);
  return out;
}

}  // namespace comcp
