// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// From the text of a pattern to a tree.
#pragma once

#include <limits>

#include <comcp/schema/impl/pattern_lexer.ipp>

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

  pattern_parser(std::string_view s, std::uint64_t& steps) : text(s, steps) {}

  /// The root of the tree; the text has a fault when there is none.
  std::uint32_t run() {
    auto const root = alternatives(0);
    if (!text.fault && !text.at_end()) text.fail("')' without '('");
    return root;
  }

  pattern_lexer text;
  std::vector<tree> nodes;
  std::vector<char_ranges> sets;

 private:
  static constexpr int max_nesting = 100;

  std::uint32_t node(kind what) {
    text.pay(6);
    nodes.emplace_back().what = what;
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
  std::uint32_t set_node(char_ranges set) {
    text.pay(2 + 2 * set.size());
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
    if (depth > max_nesting) return text.fail("nested too deep", errc::limit_exceeded), 0;
    std::vector<std::uint32_t> all{sequence(depth)};
    while (text.more() && text.take(U'|')) all.push_back(sequence(depth));
    if (all.size() == 1) return all[0];
    auto const n = node(kind::choice);
    nodes[n].children = std::move(all);
    return n;
  }

  std::uint32_t sequence(int depth) {
    std::vector<std::uint32_t> all;
    while (text.more() && !text.at(U'|') && !text.at(U')')) all.push_back(quantified(atom(depth)));
    auto const n = node(kind::sequence);
    nodes[n].children = std::move(all);
    return n;
  }

  std::uint32_t quantified(std::uint32_t what) {
    std::uint32_t min = 0, max = unset;
    if (text.fault) return what;
    if (text.take(U'+')) {
      min = 1;
    } else if (text.take(U'?')) {
      max = 1;
    } else if (!text.take(U'*') && !counted(min, max)) {
      return what;
    }
    text.take(U'?');  // laziness does not matter to whether there is a match
    auto const n = node(kind::repeat);
    nodes[n].min = min;
    nodes[n].max = max;
    nodes[n].children.push_back(what);
    return n;
  }

  // {n} {n,} {n,m}; leaves everything as it is when this is not one.
  bool counted(std::uint32_t& min, std::uint32_t& max) {
    if (!text.at(U'{')) return false;
    auto const start = text.position();
    text.next();
    auto const first = text.number();
    auto last = first;
    if (first && text.take(U',')) last = text.at(U'}') ? std::optional(unset) : text.number();
    if (!first || !last || !text.take(U'}')) return text.go_back(start), false;
    if (*first > pattern_lexer::max_number || (*last != unset && *last > pattern_lexer::max_number))
      text.fail("a repetition is too large", errc::limit_exceeded);
    if (*first > *last) text.fail("a repetition's bounds are out of order");
    min = *first;
    max = *last;
    return true;
  }

  std::uint32_t atom(int depth) {
    auto const start = text.position();
    auto const c = text.next();
    switch (c) {
      case U'^': return assertion(pattern::code::line_begin);
      case U'$': return assertion(pattern::code::line_end);
      case U'(': return group(depth);
      case U'[': return set_node(text.bracket());
      case U'\\': return escape();
      case U'.': return set_node(complement({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}));
      case U'*':
      case U'+':
      case U'?': return text.fail("nothing to repeat"), 0;
      case U'{': {
        std::uint32_t min = 0, max = 0;
        text.go_back(start);
        if (counted(min, max)) return text.fail("nothing to repeat"), 0;
        text.next();
        [[fallthrough]];
      }
      default: return set_node({{c, c}});
    }
  }

  std::uint32_t group(int depth) {
    auto what = kind::nothing;
    bool behind = false, negative = false;
    if (text.take("?=") || (negative = text.take("?!"))) {
      what = kind::look;
    } else if (text.take("?<=") || (negative = text.take("?<!"))) {
      what = kind::look;
      behind = true;
    } else if (text.take("?<")) {
      while (text.more() && !text.at(U'>')) text.next();
      if (!text.take(U'>')) text.fail("a group name without '>'");
    } else if (!text.take("?:") && text.at(U'?')) {
      text.fail("unknown group (inline flags are not supported)");
    }
    auto const body = alternatives(depth + 1);
    if (!text.take(U')')) text.fail("'(' without ')'");
    if (what != kind::look) return body;
    auto const n = node(kind::look);
    nodes[n].behind = behind;
    nodes[n].negative = negative;
    nodes[n].children.push_back(body);
    return n;
  }

  std::uint32_t escape() {
    if (text.take(U'b')) return assertion(pattern::code::word_edge);
    if (text.take(U'B')) return assertion(pattern::code::no_word_edge);
    if (text.at(U'k') || (text.at_digit() && !text.at(U'0'))) return text.fail("backreferences are not supported"), 0;
    char_ranges set;
    text.escaped(set);
    return set_node(std::move(set));
  }
};

}  // namespace comcp::schema_detail
