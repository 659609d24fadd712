// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>

#include <comcp/visible.hpp>

namespace comcp {
namespace detail {

struct suspicious_range {
  char32_t first, last;
  suspicion why;
};

// Sorted. Unicode's Default_Ignorable_Code_Point, controls, separators, private use and interlinear annotation.
inline constexpr suspicious_range suspicious_ranges[] = {
    {0x00, 0x08, suspicion::control},       {0x0B, 0x0C, suspicion::control},
    {0x0E, 0x1F, suspicion::control},       {0x7F, 0x9F, suspicion::control},
    {0xAD, 0xAD, suspicion::ignorable},     {0x34F, 0x34F, suspicion::ignorable},
    {0x61C, 0x61C, suspicion::bidirectional}, {0x115F, 0x1160, suspicion::ignorable},
    {0x17B4, 0x17B5, suspicion::ignorable}, {0x180B, 0x180D, suspicion::variation_selector},
    {0x180E, 0x180E, suspicion::ignorable}, {0x180F, 0x180F, suspicion::variation_selector},
    {0x200B, 0x200D, suspicion::zero_width}, {0x200E, 0x200F, suspicion::bidirectional},
    {0x2028, 0x2029, suspicion::control},   {0x202A, 0x202E, suspicion::bidirectional},
    {0x2060, 0x2060, suspicion::zero_width}, {0x2061, 0x2065, suspicion::ignorable},
    {0x2066, 0x2069, suspicion::bidirectional}, {0x206A, 0x206F, suspicion::ignorable},
    {0x3164, 0x3164, suspicion::ignorable}, {0xE000, 0xF8FF, suspicion::private_use},
    {0xFE00, 0xFE0F, suspicion::variation_selector}, {0xFEFF, 0xFEFF, suspicion::zero_width},
    {0xFFA0, 0xFFA0, suspicion::ignorable}, {0xFFF0, 0xFFFB, suspicion::ignorable},
    {0x1BCA0, 0x1BCA3, suspicion::ignorable}, {0x1D173, 0x1D17A, suspicion::ignorable},
    {0xE0000, 0xE007F, suspicion::tag},     {0xE0080, 0xE00FF, suspicion::ignorable},
    {0xE0100, 0xE01EF, suspicion::variation_selector}, {0xE01F0, 0xE0FFF, suspicion::ignorable},
    {0xF0000, 0xFFFFF, suspicion::private_use}, {0x100000, 0x10FFFF, suspicion::private_use},
};

inline std::optional<suspicion> suspicion_of(char32_t c) noexcept {
  if (c >= 0x20 && c < 0x7F) return std::nullopt;
  auto const at = std::lower_bound(std::begin(suspicious_ranges), std::end(suspicious_ranges), c,
                                   [](suspicious_range const& r, char32_t x) { return r.last < x; });
  if (at == std::end(suspicious_ranges) || c < at->first) return std::nullopt;
  return at->why;
}

// The length of the character that `s` begins with, and its code; 0 where that is no UTF-8.
inline std::size_t first_character(std::string_view s, char32_t& code) noexcept {
  auto const lead = static_cast<unsigned char>(s[0]);
  if (lead < 0x80) return code = lead, 1;
  std::size_t const length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (lead < 0xC2 || lead > 0xF4 || s.size() < length) return 0;
  code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    auto const next = static_cast<unsigned char>(s[i]);
    if ((next & 0xC0) != 0x80) return 0;
    code = code << 6 | (next & 0x3Fu);
  }
  bool const overlong = code < (length == 3 ? 0x800u : length == 4 ? 0x10000u : 0x80u);
  return overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) ? 0 : length;
}

// Symbols and pictographs, which a joiner may join.
inline bool is_emoji_like(char32_t c) noexcept {
  return (c >= 0x2190 && c <= 0x2BFF) || (c >= 0x1F000 && c <= 0x1FAFF);
}

// What else U+FE0E and U+FE0F may follow: keycaps, and symbols outside of those blocks.
inline bool is_emoji_base(char32_t c) noexcept {
  constexpr std::u32string_view others = U"#*0123456789\u00A9\u00AE\u203C\u2049\u2122\u2139\u3030\u303D\u3297\u3299";
  return is_emoji_like(c) || others.find(c) != std::u32string_view::npos;
}

inline bool emoji_follows(std::string_view rest) noexcept {
  char32_t c = 0;
  return !rest.empty() && first_character(rest, c) != 0 && is_emoji_like(c);
}

COMCP_DECL bool character_scan::next() noexcept {
  start_ = end_;
  if (end_ == text_.size()) return false;
  auto const length = first_character(text_.substr(start_), code_);
  is_utf8_ = length != 0;
  if (!is_utf8_) code_ = static_cast<unsigned char>(text_[start_]);
  end_ = start_ + (is_utf8_ ? length : 1);
  why_ = is_utf8_ ? suspicion_of(code_) : std::optional(suspicion::control);
  if (!why_) {
    base_ = code_;
    chosen_ = false;
  } else if ((code_ == 0xFE0E || code_ == 0xFE0F) && is_emoji_base(base_) && !chosen_) {
    chosen_ = true;
    why_.reset();
  } else if (code_ == 0x200D && is_emoji_like(base_) && emoji_follows(text_.substr(end_))) {
    why_.reset();
  } else {
    base_ = 0;
  }
  return true;
}

COMCP_DECL std::string code_point_name(char32_t c) {
  constexpr char const* digits = "0123456789ABCDEF";
  std::string name = "U+";
  for (int shift = c > 0xFFFFF ? 20 : c > 0xFFFF ? 16 : 12; shift >= 0; shift -= 4) name += digits[c >> shift & 15];
  return name;
}

}  // namespace detail

COMCP_DECL std::string_view to_text(suspicion s) noexcept {
  constexpr std::string_view names[] = {"control", "zero_width",         "bidirectional", "tag",
                                        "variation_selector", "private_use", "ignorable"};
  return names[static_cast<std::size_t>(s)];
}

COMCP_DECL std::string visible(std::string_view text, line_breaks lines) {
  std::string out;
  out.reserve(text.size());
  for (detail::character_scan at(text); at.next();) {
    auto const c = at.code();
    bool const before_line_feed = c == '\r' && text.substr(at.start() + 1).starts_with('\n');
    if (before_line_feed) continue;
    if (!at.is_utf8()) {
      out.append("<0x").append(detail::code_point_name(c), 4).append(">");
    } else if (at.why() || c == '\r') {
      out.append("<").append(detail::code_point_name(c)).append(">");
    } else if (lines == line_breaks::blank && (c == '\n' || c == '\t')) {
      out += ' ';
    } else {
      out.append(at.bytes());
    }
  }
  return out;
}

}  // namespace comcp
