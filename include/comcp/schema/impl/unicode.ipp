// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// UTF-8, sets of code points and the general categories that \p{...} names.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <comcp/schema/impl/unicode_table.ipp>
#include <comcp/schema/pattern.hpp>

namespace comcp::schema_detail {

inline constexpr char32_t last_code_point = 0x10FFFF;

/// Decodes the character at `i` and moves past it. Precondition: valid UTF-8 (broken text yields its bytes).
inline char32_t next_code_point(std::string_view s, std::size_t& i) noexcept {
  auto const byte = [&](std::size_t at) { return static_cast<unsigned char>(s[at]); };
  unsigned char const lead = byte(i++);
  std::size_t const more = lead < 0xC0 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  if (more == 0 || i + more > s.size()) return lead;
  char32_t c = lead & (0x3Fu >> more);
  for (std::size_t k = 0; k < more; ++k) c = (c << 6) | (byte(i++) & 0x3Fu);
  return c;
}

inline std::size_t count_code_points(std::string_view s) noexcept {
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

inline bool contains(char_ranges const& set, char32_t c) noexcept {
  auto const after = std::upper_bound(set.begin(), set.end(), c, [](char32_t x, auto const& r) { return x < r.first; });
  return after != set.begin() && c <= std::prev(after)->second;
}

COMCP_DECL void normalise(char_ranges& set) {
  std::sort(set.begin(), set.end());
  char_ranges merged;
  for (auto const& r : set) {
    if (!merged.empty() && r.first <= merged.back().second + 1) {
      merged.back().second = std::max(merged.back().second, r.second);
    } else {
      merged.push_back(r);
    }
  }
  set = std::move(merged);
}

/// Precondition: normalised.
COMCP_DECL char_ranges complement(char_ranges const& set) {
  char_ranges out;
  char32_t next = 0;
  for (auto const& [first, last] : set) {
    if (first > next) out.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next <= last_code_point) out.emplace_back(next, last_code_point);
  return out;
}

struct category {
  std::string_view name, long_name, alias;
};

// The first thirty stand in the order of unicode_runs; the rest are groups, which begin like their members.
inline constexpr category categories[] = {
    {"Cc", "Control", "cntrl"},
    {"Cf", "Format", ""},
    {"Cn", "Unassigned", ""},
    {"Co", "Private_Use", ""},
    {"Cs", "Surrogate", ""},
    {"Ll", "Lowercase_Letter", ""},
    {"Lm", "Modifier_Letter", ""},
    {"Lo", "Other_Letter", ""},
    {"Lt", "Titlecase_Letter", ""},
    {"Lu", "Uppercase_Letter", ""},
    {"Mc", "Spacing_Mark", ""},
    {"Me", "Enclosing_Mark", ""},
    {"Mn", "Nonspacing_Mark", ""},
    {"Nd", "Decimal_Number", "digit"},
    {"Nl", "Letter_Number", ""},
    {"No", "Other_Number", ""},
    {"Pc", "Connector_Punctuation", ""},
    {"Pd", "Dash_Punctuation", ""},
    {"Pe", "Close_Punctuation", ""},
    {"Pf", "Final_Punctuation", ""},
    {"Pi", "Initial_Punctuation", ""},
    {"Po", "Other_Punctuation", ""},
    {"Ps", "Open_Punctuation", ""},
    {"Sc", "Currency_Symbol", ""},
    {"Sk", "Modifier_Symbol", ""},
    {"Sm", "Math_Symbol", ""},
    {"So", "Other_Symbol", ""},
    {"Zl", "Line_Separator", ""},
    {"Zp", "Paragraph_Separator", ""},
    {"Zs", "Space_Separator", ""},
    {"C", "Other", ""},
    {"L", "Letter", ""},
    {"LC", "Cased_Letter", ""},
    {"M", "Mark", "Combining_Mark"},
    {"N", "Number", ""},
    {"P", "Punctuation", "punct"},
    {"S", "Symbol", ""},
    {"Z", "Separator", ""},
};

inline bool in_category(std::string_view member, std::string_view wanted) noexcept {
  if (wanted == "LC") return member == "Ll" || member == "Lt" || member == "Lu";
  return member.starts_with(wanted);
}

/// The set that \p{name} stands for; nothing when the name is unknown.
COMCP_DECL std::optional<char_ranges> unicode_property(std::string_view name) {
  if (name == "Any") return char_ranges{{0, last_code_point}};
  if (name == "ASCII") return char_ranges{{0, 0x7F}};
  for (std::string_view const prefix : {"General_Category=", "gc="}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  auto const wanted = std::find_if(std::begin(categories), std::end(categories), [name](category const& c) {
    return c.name == name || c.long_name == name || (!c.alias.empty() && c.alias == name);
  });
  if (wanted == std::end(categories)) return {};
  char_ranges out;
  char32_t at = 0;
  for (char const* p = unicode_runs; *p;) {
    auto const index = static_cast<std::size_t>(*p >= 'a' ? *p - 'a' : *p - 'A' + 26);
    char32_t length = 0;
    for (++p; *p >= '0' && *p <= '9'; ++p) length = length * 10 + static_cast<char32_t>(*p - '0');
    if (length == 0) length = 1;
    if (in_category(categories[index].name, wanted->name)) out.emplace_back(at, at + length - 1);
    at += length;
  }
  normalise(out);
  return out;
}

}  // namespace comcp::schema_detail
