// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// From the text of a pattern to a tree.
#pragma once

#include <limits>

#include <comcp/schema/impl/unicode.ipp>
#include <comcp/schema/pattern.hpp>

namespace comcp::schema_detail {

class pattern_parser {
 public:
  enum class kind : std::uint8_t { nothing, set, sequence, choice, repeat, assertion, look };
  struct tree {
    kind what = kind::nothing;
    pattern::code assertion{};
    std::uint32_t set = 0, min = 0, max = 0;
    bool behind = false, negative = false;
    std::uint32_t look = unset;
    std::vector<std::uint32_t> children;
  };
  static constexpr std::uint32_t unset = std::numeric_limits<std::uint32_t>::max();

  pattern_parser(std::string_view text, std::uint64_t& steps) : text_(text), steps_(steps) {
    if (!pay(1 + text.size() / 2)) return;
    for (std::size_t i = 0; i < text.size();) in_.push_back(next_code_point(text, i));
  }

  /// The root of the tree; the fault is set when there is none.
  std::uint32_t run() {
    auto const root = alternatives(0);
    if (!fault && i_ < in_.size()) fail("')' without '('");
    return root;
  }

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

  error fault;
  std::vector<tree> nodes;
  std::vector<char_ranges> sets;

 private:
  static constexpr int max_nesting = 100;
  static constexpr std::uint32_t max_repeat = 100'000;

  [[nodiscard]] bool more() const noexcept { return i_ < in_.size() && !fault; }
  [[nodiscard]] bool at(char32_t c, std::size_t ahead = 0) const noexcept {
    return i_ + ahead < in_.size() && in_[i_ + ahead] == c;
  }
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
  std::uint32_t node(kind what) {
    pay(6);
    nodes.emplace_back().what = what;
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
  std::uint32_t set_node(char_ranges set) {
    pay(2 + 2 * set.size());
    normalise(set);
    auto const n = node(kind::set);
    nodes[n].set = static_cast<std::uint32_t>(sets.size());
    sets.push_back(std::move(set));
    return n;
  }
  std::uint32_t assertion(pattern::code what) {
    auto const n = node(kind::assertion);
    nodes[n].assertion = what;
    return n;
  }

  std::uint32_t alternatives(int depth) {
    if (depth > max_nesting) return fail("nested too deep", errc::limit_exceeded), 0;
    std::vector<std::uint32_t> all{sequence(depth)};
    while (more() && take(U'|')) all.push_back(sequence(depth));
    if (all.size() == 1) return all[0];
    auto const n = node(kind::choice);
    nodes[n].children = std::move(all);
    return n;
  }

  std::uint32_t sequence(int depth) {
    std::vector<std::uint32_t> all;
    while (more() && !at(U'|') && !at(U')')) all.push_back(quantified(atom(depth)));
    auto const n = node(kind::sequence);
    nodes[n].children = std::move(all);
    return n;
  }

  std::uint32_t quantified(std::uint32_t what) {
    std::uint32_t min = 0, max = unset;
    if (fault) return what;
    if (take(U'+')) {
      min = 1;
    } else if (take(U'?')) {
      max = 1;
    } else if (!take(U'*') && !counted(min, max)) {
      return what;
    }
    take(U'?');  // laziness does not matter to whether there is a match
    auto const n = node(kind::repeat);
    nodes[n].min = min;
    nodes[n].max = max;
    nodes[n].children.push_back(what);
    return n;
  }

  // {n} {n,} {n,m}; leaves everything as it is when this is not one.
  bool counted(std::uint32_t& min, std::uint32_t& max) {
    if (!at(U'{')) return false;
    auto const start = i_++;
    auto const first = number();
    auto last = first;
    if (first && take(U',')) last = at(U'}') ? std::optional(unset) : number();
    if (!first || !last || !take(U'}')) return i_ = start, false;
    if (*first > max_repeat || (*last != unset && *last > max_repeat))
      fail("a repetition is too large", errc::limit_exceeded);
    if (*first > *last) fail("a repetition's bounds are out of order");
    min = *first;
    max = *last;
    return true;
  }

  std::optional<std::uint32_t> number() {
    if (i_ >= in_.size() || in_[i_] < '0' || in_[i_] > '9') return {};
    std::uint32_t n = 0;
    for (; i_ < in_.size() && in_[i_] >= '0' && in_[i_] <= '9'; ++i_)
      n = std::min(n * 10 + static_cast<std::uint32_t>(in_[i_] - '0'), max_repeat + 1);
    return n;
  }

  std::uint32_t atom(int depth) {
    auto const c = in_[i_++];
    switch (c) {
      case U'^': return assertion(pattern::code::line_begin);
      case U'$': return assertion(pattern::code::line_end);
      case U'(': return group(depth);
      case U'[': return bracket();
      case U'\\': return escape();
      case U'.': return set_node(complement({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}));
      case U'*':
      case U'+':
      case U'?': return fail("nothing to repeat"), 0;
      case U'{': {
        std::uint32_t min = 0, max = 0;
        --i_;
        if (counted(min, max)) return fail("nothing to repeat"), 0;
        ++i_;
        [[fallthrough]];
      }
      default: return set_node({{c, c}});
    }
  }

  std::uint32_t group(int depth) {
    auto what = kind::nothing;
    bool behind = false, negative = false;
    if (take("?=") || take("?!")) {
      what = kind::look;
      negative = in_[i_ - 1] == U'!';
    } else if (take("?<=") || take("?<!")) {
      what = kind::look;
      behind = true;
      negative = in_[i_ - 1] == U'!';
    } else if (take("?<")) {
      while (more() && !at(U'>')) ++i_;
      if (!take(U'>')) fail("a group name without '>'");
    } else if (!take("?:") && at(U'?')) {
      fail("unknown group (inline flags are not supported)");
    }
    auto const body = alternatives(depth + 1);
    if (!take(U')')) fail("'(' without ')'");
    if (what != kind::look) return body;
    auto const n = node(kind::look);
    nodes[n].behind = behind;
    nodes[n].negative = negative;
    nodes[n].children.push_back(body);
    return n;
  }

  std::uint32_t escape() {
    if (take(U'b')) return assertion(pattern::code::word_edge);
    if (take(U'B')) return assertion(pattern::code::no_word_edge);
    if (at(U'k') || (i_ < in_.size() && in_[i_] >= '1' && in_[i_] <= '9'))
      return fail("backreferences are not supported"), 0;
    char_ranges set;
    escaped(set);
    return set_node(std::move(set));
  }

  // What follows a backslash, inside and outside of brackets. Returns the character if it is a single one.
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

  std::uint32_t bracket() {
    bool const negative = take(U'^');
    char_ranges set;
    while (more() && !at(U']')) {
      auto const first = member(set);
      if (!first || !at(U'-') || at(U']', 1)) continue;
      auto const dash = i_++;
      auto const last = more() ? member(set) : std::nullopt;
      if (!last) {  // [a-\d]: the dash is one of the set
        set.emplace_back('-', '-');
        continue;
      }
      if (*first > *last) return fail("a range is out of order"), 0;
      if (i_ > dash) set.emplace_back(*first, *last);
    }
    if (!take(U']')) return fail("'[' without ']'"), 0;
    normalise(set);
    return set_node(negative ? complement(set) : std::move(set));
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
