// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The characters of a pattern: what comes next, which ones an escape or a bracket means, and the first fault.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/schema/impl/unicode.ipp>
#include <comcp/schema/pattern.hpp>

namespace comcp::schema_detail {

class pattern_lexer {
 public:
  static constexpr std::uint32_t max_number = 100'000;

  pattern_lexer(std::string_view text, std::uint64_t& steps) : text_(text), steps_(steps) {
    if (!pay(1 + text.size() / 2)) return;
    for (std::size_t i = 0; i < text.size();) in_.push_back(next_code_point(text, i));
  }

  error fault;

  void fail(std::string_view why, errc code = errc::invalid_argument) {
    if (fault) return;
    auto shown = std::min<std::size_t>(text_.size(), 200);
    while (shown < text_.size() && shown > 0 && (static_cast<unsigned char>(text_[shown]) & 0xC0) == 0x80) --shown;
    fault = error(code, "pattern \"" + std::string(text_.substr(0, shown)) + "\": " + std::string(why));
  }

  bool pay(std::uint64_t n) {
    if (schema_detail::pay(steps_, n)) return true;
    return fail("too much work", errc::limit_exceeded), false;
  }

  [[nodiscard]] bool at_end() const noexcept { return i_ == in_.size(); }
  [[nodiscard]] bool more() const noexcept { return i_ < in_.size() && !fault; }
  [[nodiscard]] bool at(char32_t c, std::size_t ahead = 0) const noexcept {
    return i_ + ahead < in_.size() && in_[i_ + ahead] == c;
  }
  [[nodiscard]] bool at_digit() const noexcept { return i_ < in_.size() && in_[i_] >= '0' && in_[i_] <= '9'; }
  bool take(char32_t c) {
    if (!at(c)) return false;
    ++i_;
    return true;
  }
  bool take(std::string_view s) {
    for (std::size_t k = 0; k < s.size(); ++k) {
      if (!at(static_cast<char32_t>(s[k]), k)) return false;
    }
    i_ += s.size();
    return true;
  }
  /// Precondition: not at the end.
  char32_t next() noexcept { return in_[i_++]; }
  [[nodiscard]] std::size_t position() const noexcept { return i_; }
  void go_back(std::size_t to) noexcept { i_ = to; }

  /// Above `max_number` it is one more than that.
  std::optional<std::uint32_t> number() {
    if (!at_digit()) return {};
    std::uint32_t n = 0;
    for (; at_digit(); ++i_) n = std::min(n * 10 + static_cast<std::uint32_t>(in_[i_] - '0'), max_number + 1);
    return n;
  }

  /// What follows a backslash, inside and outside of brackets, goes into the set. Returns the character if it is a single one.
  std::optional<char32_t> escaped(char_ranges& set) {
    if (!more()) return fail("ends with a backslash"), std::nullopt;
    auto const c = in_[i_++];
    switch (c) {
      case U'd':
      case U'D':
      case U'w':
      case U'W':
      case U's':
      case U'S': return merge(set, class_of(c)), std::nullopt;
      case U'p':
      case U'P': return merge(set, property(c == U'P')), std::nullopt;
      default: break;
    }
    auto const single = character(c);
    set.emplace_back(single, single);
    return single;
  }

  /// A set in brackets, behind the opening one.
  char_ranges bracket() {
    bool const negative = take(U'^');
    char_ranges set;
    while (more() && !at(U']')) {
      auto const first = member(set);
      if (!first || !at(U'-') || at(U']', 1)) continue;
      ++i_;
      auto const last = more() ? member(set) : std::nullopt;
      if (!last) {  // [a-\d]: the dash is one of the set
        set.emplace_back('-', '-');
        continue;
      }
      if (*first > *last) return fail("a range is out of order"), char_ranges();
      set.emplace_back(*first, *last);
    }
    if (!take(U']')) return fail("'[' without ']'"), char_ranges();
    normalise(set);
    if (negative) set = complement(set);
    return set;
  }

 private:
  char32_t character(char32_t c) {
    switch (c) {
      case U't': return U'\t';
      case U'n': return U'\n';
      case U'v': return U'\v';
      case U'f': return U'\f';
      case U'r': return U'\r';
      case U'0': return U'\0';
      case U'x': return hex(2);
      case U'u': return unicode_escape();
      case U'c':
        if (i_ < in_.size() && ((in_[i_] >= 'a' && in_[i_] <= 'z') || (in_[i_] >= 'A' && in_[i_] <= 'Z')))
          return in_[i_++] & 0x1F;
        return fail("\\c without a letter"), 0;
      default: break;
    }
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
      fail(std::string("unknown escape \\") + static_cast<char>(c));
    return c;
  }

  char32_t hex(std::size_t digits) {
    char32_t value = 0;
    for (std::size_t k = 0; k < digits; ++k) {
      auto const c = i_ < in_.size() ? in_[i_] : 0;
      if (c >= '0' && c <= '9') {
        value = value * 16 + (c - '0');
      } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
        value = value * 16 + ((c | 0x20) - 'a' + 10);
      } else {
        return fail("too few hexadecimal digits"), 0;
      }
      ++i_;
    }
    return value;
  }

  char32_t unicode_escape() {
    if (take(U'{')) {
      char32_t value = 0;
      do {
        value = value * 16 + hex(1);
        if (value > last_code_point) fail("a code point is too large");
      } while (more() && !at(U'}'));
      if (!take(U'}')) fail("\\u{ without '}'");
      return value;
    }
    auto const high = hex(4);
    if (high < 0xD800 || high > 0xDBFF || !at(U'\\') || !at(U'u', 1)) return high;
    auto const back = i_;
    i_ += 2;
    auto const low = hex(4);
    if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    i_ = back;
    return high;
  }

  void merge(char_ranges& into, char_ranges const& more) {
    if (pay(more.size())) into.insert(into.end(), more.begin(), more.end());
  }

  static char_ranges class_of(char32_t c) {
    char_ranges set;
    switch (c | 0x20) {
      case U'd': set = {{'0', '9'}}; break;
      case U'w': set = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}; break;
      default:
        set = {{9, 13},          {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
               {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    }
    return c & 0x20 ? set : complement(set);
  }

  char_ranges property(bool negative) {
    std::string name;
    if (take(U'{')) {
      for (; more() && !at(U'}'); ++i_) name += in_[i_] < 0x80 ? static_cast<char>(in_[i_]) : '?';
    }
    constexpr std::uint64_t table = 1000;  // it is read from its beginning to its end
    auto set = take(U'}') && pay(table) ? unicode_property(name) : std::nullopt;
    if (!set) return fail("unknown Unicode property \"" + name + "\""), char_ranges();
    return negative ? complement(*set) : *set;
  }

  // One member of a bracket, added to the set.
  std::optional<char32_t> member(char_ranges& set) {
    auto const c = in_[i_++];
    if (c == U'\\') {
      if (take(U'b')) return set.emplace_back(8, 8), U'\b';
      return escaped(set);
    }
    set.emplace_back(c, c);
    return c;
  }

  std::string_view text_;
  std::uint64_t& steps_;
  std::vector<char32_t> in_;
  std::size_t i_ = 0;
};

}  // namespace comcp::schema_detail
