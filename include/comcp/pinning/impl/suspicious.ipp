// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>

#include <comcp/pinning/fingerprint.hpp>
#include <comcp/pinning/suspicious.hpp>

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

// The character at `i`, which moves past it. Precondition: valid UTF-8, as JSON is.
inline char32_t next_character(std::string_view s, std::size_t& i) noexcept {
  auto const lead = static_cast<unsigned char>(s[i++]);
  if (lead < 0xC0) return lead;
  std::size_t const more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  char32_t c = lead & (0x3Fu >> more);
  for (std::size_t k = 0; k < more && i < s.size(); ++k) c = c << 6 | (static_cast<unsigned char>(s[i++]) & 0x3Fu);
  return c;
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

inline std::string code_point_name(char32_t c) {
  constexpr char const* digits = "0123456789ABCDEF";
  std::string name = "U+";
  for (int shift = c > 0xFFFFF ? 20 : c > 0xFFFF ? 16 : 12; shift >= 0; shift -= 4) name += digits[c >> shift & 15];
  return name;
}

class suspicious_search {
 public:
  suspicious_search(std::vector<suspicious_character>& out, std::size_t limit) : out_(out), limit_(limit) {}

  void value(json::view v) {
    if (auto const s = v.get_string()) text(*s, false);
    std::size_t index = 0;
    for (auto const e : v.elements()) step(std::to_string(index++), [&] { value(e); });
    for (auto const [key, inner] : v.members()) {
      step(escaped(key), [&, k = key, i = inner] {
        text(k, true);
        value(i);
      });
    }
  }

 private:
  template <class F>
  void step(std::string const& name, F const& inside) {
    if (out_.size() >= limit_) return;
    auto const size = path_.size();
    path_.append("/").append(name);
    inside();
    path_.resize(size);
  }
  static std::string escaped(std::string_view key) {
    std::string name;
    for (char const c : key) name += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return name;
  }

  void text(std::string_view s, bool in_key) {
    char32_t base = 0;  // the last visible character; 0 after a suspicious one
    bool selected = false;
    for (std::size_t i = 0; i < s.size() && out_.size() < limit_;) {
      auto const start = i;
      auto const c = next_character(s, i);
      auto const why = suspicion_of(c);
      if (!why) {
        base = c;
        selected = false;
      } else if (chooses_look(c) && is_emoji_base(base) && !selected) {
        selected = true;
      } else if (c != 0x200D || !is_emoji_like(base) || !is_emoji_like(peek(s, i))) {
        found(in_key, start, c, *why);
        base = 0;
      }
    }
  }
  static bool chooses_look(char32_t c) noexcept { return c == 0xFE0E || c == 0xFE0F; }
  static char32_t peek(std::string_view s, std::size_t i) noexcept { return i < s.size() ? next_character(s, i) : 0; }

  void found(bool in_key, std::size_t offset, char32_t c, suspicion why) {
    auto& one = out_.emplace_back();
    one.where = path_;
    one.in_key = in_key;
    one.offset = offset;
    one.code_point = c;
    one.why = why;
  }

  std::vector<suspicious_character>& out_;
  std::size_t limit_;
  std::string path_;
};

}  // namespace detail

COMCP_DECL std::string_view to_text(suspicion s) noexcept {
  constexpr std::string_view names[] = {"control", "zero_width",         "bidirectional", "tag",
                                        "variation_selector", "private_use", "ignorable"};
  return names[static_cast<std::size_t>(s)];
}

COMCP_DECL std::string suspicious_character::to_string() const {
  return visible(where) + (in_key ? " (its key), byte " : ", byte ") + std::to_string(offset) + ": " +
         detail::code_point_name(code_point) + " (" + std::string(to_text(why)) + ")";
}

COMCP_DECL std::string visible(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    auto const start = i;
    auto const c = detail::next_character(text, i);
    if (detail::suspicion_of(c)) {
      out.append("<").append(detail::code_point_name(c)).append(">");
    } else {
      out.append(text, start, i - start);
    }
  }
  return out;
}

COMCP_DECL std::vector<suspicious_character> find_suspicious(json::view text, std::size_t limit) {
  std::vector<suspicious_character> out;
  detail::suspicious_search(out, limit).value(text);
  return out;
}

COMCP_DECL std::vector<suspicious_character> find_suspicious(tool const& definition, std::size_t limit) {
  auto const covered = detail::pinned_part(definition);
  return find_suspicious(covered, limit);
}

}  // namespace comcp
